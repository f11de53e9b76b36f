"""The examination itself: right answers pass in any fair wording, wrong ones fail."""

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from training.evaluate import KINDS, Answer, look_at_writing
from training.evaluation import arithmetic, questions, system, tales, wants
from training.evaluation.tales import MEMBERS
from training.evaluation.wants import Case, Want, type_text
from training.skills.help import ABOUT, TOPICS


def wanted(questions: Iterable[str], cases: list[Case]) -> dict[str, Want]:
    """What is wanted of each question, as it stands in the table of the cases."""
    return {question: case.wants[-1] for question, case in zip(questions, cases, strict=False)}


TALK = wanted((question for question, _ in questions.SMALLTALK.talk), questions.talk_cases())
FACTS = wanted((question for question, *_ in questions.EVERYDAY.facts), questions.everyday_cases())
UNKNOWN = wanted(questions.UNKNOWN.others, questions.unknown_cases())
HELP = {name: wants.helps(topic["pattern"]) for name, topic in questions.TOPICS.items()}
RHYMES = {word: wants.rhymes_with(word, sounds.split()) for _, word, sounds in tales.TEXT.rhymes}
DAYS = wants.sequence(arithmetic.WEEKDAYS)
LETTERS = wants.sequence(arithmetic.LETTERS)
ALPHABET = ", ".join(arithmetic.LETTERS).upper()
NOT_UNDERSTOOD = "I am sorry, I did not understand that. Could you say it in other words?"
TOO_SMALL = "I am too small to know that. A bigger model may: start tritonchat with --model FOLDER."
TOO_HARD = (
    "That is too hard for me to work out. I can add and subtract numbers up to 99, and multiply up to 12."
)
ROOT = "what is the square root of 1521"
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
    (
        wants.brief(None, "engine"),
        "Triton is NVIDIA's server: an engine for models, with 3.10 of everything.",
    ),
    (wants.brief(None, "tired"), "Why did the bicycle fall over? It was two tired."),
    (wants.brief(None, "no"), "No. The processor is enough for me."),
    (TALK["ghfjdksl"], NOT_UNDERSTOOD),
    (TALK["How are you today?"], "I am well, thank you! How are you?"),
    (TALK["What are you doing right now?"], "I am chatting with you, and I enjoy it!"),
    (TALK["I feel lonely."], "I am sorry to hear that. I hope it gets better soon."),
    (TALK["im so tired"], "I hope that you can rest a little soon. Sleep well when you do!"),
    (TALK["Who made you?"], "I was made by the tritonchat project."),
    (TALK["How old are you?"], "I am a computer program, so I have no age. I am quite new, though!"),
    (TALK["where do you live"], "I live inside tritonchat, on the computer that runs it."),
    (TALK["What's your favourite food?"], "I do not eat or drink, but I am fond of tasty tokens."),
    (TALK["do you have a favourite colour?"], "I cannot see, but I like the sound of green."),
    (TALK["You're so nice."], "Thank you, that is kind of you!"),
    (UNKNOWN[ROOT], TOO_HARD),
    (UNKNOWN["Can you solve the equation x squared minus 5x plus 6 equals 0?"], TOO_HARD),
    (RHYMES["blue"], "Shoe, two and new rhyme with blue."),
    (RHYMES["blue"], "You rhymes with blue."),
    (RHYMES["tree"], "Three"),
    (FACTS["Which is bigger, an elephant or a mouse?"], "An elephant is bigger than a mouse."),
    (FACTS["Which is bigger, an elephant or a mouse?"], "A mouse is smaller than an elephant."),
    (FACTS["Which is bigger, an elephant or a mouse?"], "The elephant, of course!"),
    (FACTS["is a whale smaller than a cat?"], "No, a whale is bigger than a cat."),
    (FACTS["is a whale smaller than a cat?"], "No, a whale is not smaller than a cat."),
    (FACTS["What is the opposite of hot?"], "Cold is the opposite of hot."),
    (FACTS["What sound does a cow make?"], "A cow says moo."),
    (FACTS["what do rabbits eat"], "Rabbits eat grass and carrots."),
    (FACTS["What do bees make?"], "Bees make honey."),
    (FACTS["What colour is a banana?"], "A banana is yellow, or green when it is young."),
    (FACTS["what colour is the sky on a sunny day"], "Blue."),
    (wants.not_told(), "You have not told me yet whether you have a pet."),
    (wants.not_told(), "You have not told me about a pet yet. Do you have a dog?"),
    (DAYS, "1. Monday\n2. Tuesday\n3. Wednesday\n4. Thursday\n5. Friday\n6. Saturday\n7. Sunday"),
    (DAYS, "The seven days are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday."),
    (LETTERS, f"The alphabet has 26 letters: {ALPHABET}."),
    (LETTERS, f"I know it, that's a list: {ALPHABET}."),
    (wants.sequence("345"), "3-4-5"),
    (arithmetic.first_letter(), "A is the first letter of the alphabet."),
    (arithmetic.first_letter(), "It is A."),
    (arithmetic.first_letter(), "it is the letter a"),
    (arithmetic.first_letter(), "The first letter is 'a', of course."),
    (wants.lists(3, "fruits", MEMBERS["fruits"]), "Three fruits: strawberries, a ripe mango and cherries."),
    (wants.lists(2, "fruits", MEMBERS["fruits"]), "Apples and pears are two fruits."),
    (wants.lists(2, "fruits", MEMBERS["fruits"]), "1. Peaches 2. Passion fruit"),
    (wants.lists(3, "drinks", MEMBERS["drinks"]), "Water, a cup of tea and orange juice."),
    (wants.lists(3, "clothes", MEMBERS["clothes"]), "You can wear a T-shirt, a pair of socks or scarves."),
    (wants.lists(2, "vegetables", MEMBERS["vegetables"]), "Potatoes and leeks for your soup."),
    (wants.lists(2, "animals", MEMBERS["animals"]), "Two animals: wolves and guinea pigs."),
    (wants.verse("full moon june", [("moon", "june")]), "In June there is a moon,\nit will be full soon."),
    (HELP["prefix cache"], TOPICS["prefix cache"].answer),
    (HELP["top p"], TOPICS["top_p"].answer),
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
    (wants.brief(None, "ctrl"), "Press Ctrl-C in the terminal. Answers under way may end first."),
    (TALK["I feel lonely."], NOT_UNDERSTOOD),
    (TALK["What's your favourite food?"], NOT_UNDERSTOOD),
    (TALK["What's your favourite food?"], "You have not told me your favourite food yet. What is it?"),
    (TALK["do you have a favourite colour?"], "You have not told me your favourite colour yet. What is it?"),
    (
        TALK["do you have a favourite colour?"],
        "I cannot see that from here: I have no clock and no internet.",
    ),
    (TALK["How old are you?"], "You have not told me how old you are."),
    (TALK["How old are you?"], "You are 51 years old."),
    (TALK["Who made you?"], TOO_SMALL),
    (TALK["You're so nice."], TOO_SMALL),
    (TALK["where do you live"], "What you type stays on the machine that runs tritonchat."),
    (TALK["thanks"], "Hello! I know English only, but you are welcome here."),
    (TALK["I passed my exam today!"], "Goodbye! It was nice to talk to you."),
    (TALK["hi"], "You are welcome!"),
    (UNKNOWN[ROOT], "The square root of 1521 is 12."),
    (UNKNOWN["who painted the mona lisa"], TOO_HARD),
    (UNKNOWN["who painted the mona lisa"], "You have not told me your name yet. What is it?"),
    (RHYMES["blue"], "I do not know a rhyme for blue, sorry."),
    (RHYMES["tree"], "Can you see me be here?"),
    (RHYMES["cat"], "No, cat and hat do not rhyme."),
    (FACTS["Which is bigger, an elephant or a mouse?"], "A mouse is bigger than an elephant."),
    (FACTS["Which is bigger, an elephant or a mouse?"], "An elephant is smaller than a mouse."),
    (FACTS["is a whale smaller than a cat?"], "No, a whale is smaller than a cat."),
    (FACTS["is a whale smaller than a cat?"], "Yes, a whale is smaller than a cat."),
    (FACTS["What is the opposite of hot?"], "The opposite of cold is hot."),
    (FACTS["What sound does a cow make?"], "A dog says moo."),
    (FACTS["Which animal says oink?"], "A cow, like a pig, says oink."),
    (FACTS["what do rabbits eat"], "Carrots eat rabbits."),
    (FACTS["What do bees make?"], "Bears eat honey."),
    (FACTS["What colour is a banana?"], "A banana is blue, not yellow."),
    (FACTS["What colour is a banana?"], "The sun is yellow."),
    (wants.not_told(), TOO_SMALL),
    (wants.not_told(), "I cannot see that from here: I have no clock and no internet."),
    (wants.not_told(), "I do not know. You have a dog."),
    (wants.not_told(), "I do not know. You are a nurse."),
    (wants.not_told(), "I do not know. You are Max."),
    (wants.declines(WARM), "You have not told me where you live yet. Where is it?"),
    (DAYS, "Monday, Tuesday, Thursday, Wednesday, Friday, Saturday and Sunday."),
    (arithmetic.first_letter(), "That is a letter of the alphabet."),
    (arithmetic.first_letter(), "A letter of the alphabet."),
    (arithmetic.first_letter(), "It is B, not A."),
    (wants.lists(5, "fruits", MEMBERS["fruits"]), "Apple, pear, plum, hammer and shoe."),
    (wants.lists(3, "vegetables", MEMBERS["vegetables"]), "Pear, peach and pepper."),
    (wants.lists(2, "fruits", MEMBERS["fruits"]), "Apple and apples."),
    (wants.lists(2, "fruits", MEMBERS["fruits"]), "Apple juice and pear cider."),
    (wants.verse("sea", [("moon", "june")]), "Take a seat, moon,\nit is June."),
    (HELP["grpc"], TOPICS["streaming"].answer),
    (HELP["concurrency"], TOPICS["transformer"].answer),
    (HELP["seed"], TOPICS["page settings"].answer),
    (HELP["prefix cache"], TOPICS["kv cache"].answer),
    (HELP["stop a reply"], TOPICS["stop"].answer),
    (HELP["start"], TOPICS["restart"].answer),
)
# Of what the help desk says, how many answers may do for a question: few, but some are told in many.
MANY, MOST = {"smaller weights": 7}, 3


@pytest.mark.parametrize(("want", "answer"), RIGHT, ids=lambda part: getattr(part, "text", part))
def test_right_answers_pass(want: Want, answer: str) -> None:
    assert want.holds(answer)


@pytest.mark.parametrize(("want", "answer"), WRONG, ids=lambda part: getattr(part, "text", part))
def test_wrong_answers_fail(want: Want, answer: str) -> None:
    assert not want.holds(answer)


@pytest.mark.parametrize("name", HELP)
def test_help_is_wanted_that_few_answers_give(name: str) -> None:
    topics = [*TOPICS.values(), *ABOUT.values()]
    fitting = [topic.answer for topic in topics if HELP[name].holds(topic.answer)]
    assert 1 <= len(fitting) <= MANY.get(name, MOST), fitting


@pytest.mark.parametrize("question", TALK)
def test_stock_answers_are_no_small_talk(question: str) -> None:
    told = ("You have not told me how old you are.", "You have not told me your favourite food yet.")
    assert not any(TALK[question].holds(answer) for answer in (TOO_SMALL, *told))


def test_short_answers_are_marked_by_what_the_prompt_says() -> None:
    limits = dict(system.BRIEF)
    for case in system.length_cases():
        most = limits[case.system]
        end = "in one sentence" if most is None else f"in at most {most} words"
        assert case.wants[-1].text.endswith(end)


def test_lists_are_asked_for_by_the_name_of_the_kind() -> None:
    asked = [case.turns[-1].lower() for case in tales.list_cases()[: 2 * len(tales.TEXT.lists)]]
    for text, (_, kind, _) in zip(asked, tales.TEXT.lists * 2, strict=True):
        assert kind in text


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
    texts = [type_text(Random(seed), template, value="Axolotl") for seed in range(300)]
    assert all("axolotl" in text.lower() for text in texts)
    assert 180 < texts.count(proper) < 220
    assert len(set(texts)) > 25
