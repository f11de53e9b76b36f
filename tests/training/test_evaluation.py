"""The examination itself: right answers pass in any fair wording, wrong ones fail."""

from collections import Counter
from random import Random

import pytest

from training.evaluate import KINDS, Answer, look_at_writing
from training.evaluation import wants
from training.evaluation.cases import typed
from training.evaluation.wants import Want

WARM = "Is it warm in Burkina Faso?"
RIGHT = (
    (wants.says("Zelda"), "Your name is Zelda."),
    (wants.says("zelda"), "You are Zelda!"),
    (wants.says("Zelda", without=["Anna"]), "Of course, Zelda's the name."),
    (wants.says("fox", "old mill", "a key"), "A fox lived in the Old Mill, and had a key."),
    (wants.not_told(), "You have not told me your name yet."),
    (wants.not_told(), "I don't know where you live. Where is it?"),
    (wants.not_told(), "I do not know what your favourite colour is yet."),
    (wants.not_told(), "You have not told me what your sister is called."),
    (wants.declines(WARM), "Sorry, I am too small to know that."),
    (wants.declines(WARM), "I have no internet, so I cannot look up Burkina Faso."),
    (wants.declines(WARM), "With 4 million parameters I know too little about weather."),
    (wants.results(19), "12 + 7 = 19"),
    (wants.results(19), "That makes 19."),
    (wants.results(19), "12 and 7 are nineteen."),
    (wants.results(42), "Forty-two!"),
    (wants.results(17), "34 minus 17 is 17."),
    (wants.results(19), "What is 12 plus 7? It is 19."),
    (wants.results(112), "That is one hundred and twelve."),
    (wants.sequence("345"), "Sure: 3, 4, 5."),
    (wants.sequence("345"), "From 3 to 5: three, four, five"),
    (wants.sequence("abc"), "A B C"),
    (wants.one_of("Wednesday", ["Tuesday", "Friday"], "Tuesday"), "After Tuesday comes Wednesday."),
    (wants.one_of("h", "bcdefgh", "g"), "H comes after G."),
    (wants.one_of("h", "bcdefghs", "g"), "It's H."),
    (wants.lists(3, "fruits", ["apple", "pear", "plum"]), "Three fruits: apple, pear and plum."),
    (wants.lists(3, "fruits", ["apple", "pear", "plum"]), "1. Apples\n2. Pears\n3. Plums"),
    (wants.lists(2, "fruits", ["apple", "pear", "plum"]), "Two of them are pears and plums. Enjoy!"),
    (wants.rhymes_with("cat", ["hat", "mat"]), "Hat rhymes with cat."),
    (wants.verse("moon", [("moon", "June")]), "The moon is bright,\nit shines at night."),
    (wants.verse("moon", [("moon", "june")]), "It is June; hello, moon!"),
    (wants.helps("--model"), "Use --model FOLDER."),
    (wants.brief(5, "ctrl"), "Press Ctrl-C."),
)
WRONG = (
    (wants.says("Zelda"), "Your name is zelda."),
    (wants.says("zelda"), "Your name is Zeldana."),
    (wants.says("Zelda", without=["Anna"]), "You are Zelda or anna."),
    (wants.says("fox", "old mill", "a key"), "A fox had a key."),
    (wants.not_told(), "Your name is Max."),
    (wants.not_told(), "Your favourite colour is blue, I cannot forget that."),
    (wants.not_told(), "I do not know. You live in Paris?"),
    (wants.not_told(), "My name is Tiny."),
    (wants.not_told(), "I do not know. Your sister is called Anna."),
    (wants.declines(WARM), "Yes, it is warm in Burkina Faso."),
    (wants.declines(WARM), "I do not know much, but the capital is Ouagadougou."),
    (wants.declines(WARM), "I cannot see it. It has about 38 degrees."),
    (wants.declines(WARM), "The cache keeps keys, so that they are not computed again."),
    (wants.results(19), "12 + 7 = 18"),
    (wants.results(12), "12 + 7 = 19"),
    (wants.results(19), "That makes 119."),
    (wants.results(34), "34 - 17 = 17"),
    (wants.results(19), "I like 19 best, but 12 + 7 is 20."),
    (wants.results(19), "I cannot do that."),
    (wants.sequence("345"), "3, 4, 6"),
    (wants.sequence("345"), "1, 2, 3, 4, 5"),
    (wants.sequence("345"), "3, 4, 5, 6"),
    (wants.sequence("345"), "5, 4, 3"),
    (wants.one_of("Wednesday", ["Tuesday", "Friday"], "Tuesday"), "Tuesday."),
    (wants.one_of("Wednesday", ["Tuesday", "Friday"], "Tuesday"), "Wednesday or Friday."),
    (wants.one_of("h", "bcdefgh", "g"), "F comes after G."),
    (wants.lists(3, "fruits", ["apple", "pear", "plum"]), "Apple and pear."),
    (wants.lists(3, "fruits", ["apple", "pear", "plum"]), "Apple, pear and apple."),
    (wants.lists(3, "fruits", ["apple", "pear", "plum"]), "Red, green and blue."),
    (wants.rhymes_with("cat", ["hat", "mat"]), "I like that cat."),
    (wants.verse("moon", [("moon", "june")]), "The moon is up.\nI like it."),
    (wants.verse("moon", [("moon", "june")]), "The star is bright,\nit shines at night."),
    (wants.helps("--model"), "I am too small to know that. Try --model FOLDER."),
    (wants.brief(5, "ctrl"), "Go to the terminal and press Ctrl-C."),
    (wants.brief(5, "ctrl"), "I like tea."),
)


@pytest.mark.parametrize(("want", "answer"), RIGHT, ids=lambda part: getattr(part, "text", part))
def test_right_answers_pass(want: Want, answer: str) -> None:
    assert want.holds(answer)


@pytest.mark.parametrize(("want", "answer"), WRONG, ids=lambda part: getattr(part, "text", part))
def test_wrong_answers_fail(want: Want, answer: str) -> None:
    assert not want.holds(answer)


def test_writing_is_marked_by_words_and_endings() -> None:
    def answer(text: str, ended: bool = True) -> Answer:
        return Answer(("i am zelda", "My pet is an Axolotl."), text, ended)

    good = [answer("Hello, Zelda's axolotl!"), answer("It's a well-known pet.")]
    bad = [answer("Hello, Zeldala!"), answer("Hello, Zelda", ended=False)]
    mark = look_at_writing([*good, *bad], {"hello", "a", "well", "known", "pet", "it"})
    assert mark.cases == 4 and len(mark.failures) == 2
    assert "zeldala" in mark.failures[0] and "did not end" in mark.failures[1]


def test_there_are_many_different_conversations_of_each_kind() -> None:
    assert sum(len(kind.cases) for kind in KINDS) > 900
    for kind in KINDS:
        assert len(kind.cases) >= 20
        repeated = Counter((case.system, case.turns) for case in kind.cases).most_common(1)
        assert repeated[0][1] == 1, repeated


def test_a_third_is_typed_in_a_hurry_and_values_stay_whole() -> None:
    template, proper = "Could you remember my {value}, please?", "Could you remember my Axolotl, please?"
    texts = [typed(Random(seed), template, value="Axolotl") for seed in range(300)]
    assert all("axolotl" in text.lower() for text in texts)
    assert 180 < texts.count(proper) < 220
    assert len(set(texts)) > 25
