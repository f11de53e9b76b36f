"""What the model is taught is right: sums, lists, rhymes, and stories with all that was asked for."""

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from training.phrases import read
from training.skills.everyday import OPPOSITES, everyday
from training.skills.numbers import add, calculate, is_held_out, is_reserved, numbers, subtract, word_problem
from training.skills.sequences import NO_SPELLING, sequence
from training.skills.stories import story as template
from training.skills.stories import tell_story, write_story
from training.skills.stories.requests import PLOTS, SHORT, TONES, Cast, draw_cast, draw_request
from training.skills.stories.tables import HEROES, OBJECTS, PLACES, without_article
from training.skills.verses import FAMILIES, KINDS, MOST, SUBJECTS, name_some, poem, rhyme
from training.talk import MONTHS, WEEKDAYS, Exchange, Pool, Talk, expand, first_sentence, render

Skill = Callable[[Random, Talk], list[Exchange]]
ARITHMETIC = (calculate, numbers, word_problem)
OTHERS = (sequence, name_some, everyday, rhyme, poem, tell_story)
EQUATION = re.compile(r"(-?\d+) ([-+x]) (\d+) = (-?\d+)")
OPERATIONS = {"+": int.__add__, "-": int.__sub__, "x": int.__mul__}
POOLS = {"heroes": HEROES, "places": PLACES, "objects": OBJECTS, "poems": SUBJECTS}


def rendered(skill: Skill, count: int, seed: int = 5) -> list[tuple[str, str]]:
    """Asks and answers of a skill, of people with a name and without."""
    rng = Random(seed)
    return [
        render(rng, exchange)
        for _ in range(count)
        for exchange in skill(rng, Talk(name=rng.choice((None, "Ada", "Ben"))))
    ]


def stories_told(count: int) -> list[tuple[Cast, str]]:
    """Stories of all plots and tones with what they are about."""
    rng = Random(11)
    stories = []
    for _ in range(count):
        cast, plot = draw_cast(rng), rng.choice(PLOTS)
        text = expand(rng, template(rng, plot, rng.choice(list(TONES)), None)).format(**cast.slots(rng))
        stories.append((cast, text))
    return stories


@pytest.mark.parametrize("skill", (*ARITHMETIC, *OTHERS), ids=lambda skill: skill.__name__)
def test_texts_are_well_formed(skill: Skill) -> None:
    pairs = rendered(skill, 1500)
    for ask, answer in pairs:
        assert not re.search(r"[{}|~]", ask + answer), (ask, answer)
        assert not re.search(r" [ .,!?]| $|^ ", answer), answer
        assert re.search(r"""[.!?]["']?$|\n\d\. [\w -]+$""", answer), answer
        assert len(answer.split()) <= 110, answer
    assert len({ask for ask, _ in pairs}) > 0.85 * len(pairs)
    assert rendered(skill, 20) == rendered(skill, 20)
    rng = Random(1)
    asks = [exchange.ask for _ in range(500) for exchange in skill(rng, Talk())]
    assert not [ask for ask in asks if re.search(r"@|VERB|BODY|STORY|KIND|CHANGE|ABOUT|THEME", ask)]


@pytest.mark.parametrize("skill", (*ARITHMETIC, *OTHERS), ids=lambda skill: skill.__name__)
def test_brief_answers_are_whole_sentences(skill: Skill) -> None:
    rng = Random(9)
    for _ in range(300):
        for exchange in skill(rng, Talk()):
            answer = render(rng, exchange, Talk(brief=True))[1]
            assert len(answer.split()) < 40 and answer[-1] in '.!?"', answer
            assert exchange.brief or answer == first_sentence(answer)


@pytest.mark.parametrize("skill", ARITHMETIC, ids=lambda skill: skill.__name__)
def test_every_equation_is_right_and_none_is_held_out(skill: Skill) -> None:
    found = [match for _, answer in rendered(skill, 4000) for match in EQUATION.findall(answer)]
    assert len(found) > 500
    for left, sign, right, result in found:
        a, b = int(left), int(right)
        assert OPERATIONS[sign](a, b) == int(result)
        assert sign == "x" or not is_reserved(a, b)


@pytest.mark.parametrize("task", (add, subtract))
def test_the_equation_is_of_the_numbers_asked_for(task) -> None:
    rng = Random(3)
    for _ in range(2000):
        exchange, result = task(rng)
        ask, answer = render(rng, exchange)
        left, _, right, total = EQUATION.match(answer).groups()
        assert int(total) == result
        numbers = re.findall(r"(?<!<)\d+", ask)  # "<3" is a heart
        assert not numbers or sorted(numbers[:2]) == sorted((left, right))


def test_about_a_ninth_of_all_pairs_is_held_out_and_all_others_are_drawn() -> None:
    pairs = [(a, b) for a in range(100) for b in range(100)]
    kept = [pair for pair in pairs if is_held_out(*pair)]
    assert 0.1 < len(kept) / len(pairs) < 0.12 and all(max(pair) > 9 for pair in kept)
    rng = Random(2)
    drawn = {tuple(map(int, EQUATION.match(add(rng)[0].answer).group(1, 3))) for _ in range(60000)}
    assert drawn <= {pair for pair in pairs if not is_reserved(*pair)}
    assert len(drawn) > 0.99 * sum(not is_reserved(*pair) for pair in pairs)


def test_sequences_step_evenly_and_days_follow_each_other() -> None:
    for _, answer in rendered(sequence, 4000):
        if re.fullmatch(r"\d+(, \d+)+\.", answer):
            counted = list(map(int, answer[:-1].split(", ")))
            steps = {after - before for before, after in pairwise(counted)}
            assert len(steps) == 1 and len(counted) <= 30
        for order in (WEEKDAYS, MONTHS):
            if found := re.fullmatch(rf"After ({'|'.join(order)}) comes (\w+)\.", answer):
                assert (order.index(found[2]) - order.index(found[1])) % len(order) == 1
        if " - " in answer:
            assert all(len(letter) == 1 for letter in answer.rstrip(".").split(" - "))
        assert "spell" not in answer or answer == NO_SPELLING


def test_lists_have_as_many_different_things_as_they_say() -> None:
    sizes = set()
    for _, answer in rendered(name_some, 3000):
        if found := re.match(r"(?:That is a lot for me! )?Here are (\d) ([\w ]+):\n", answer):
            things = re.findall(r"^\d\. (.+)$", answer, re.MULTILINE)
            assert len(things) == len(set(things)) == int(found[1])
            assert any(set(things) <= set(members) for _, _, members in KINDS)
            sizes.add(len(things))
    assert sizes == set(range(2, MOST + 1))
    assert all(len(members) > MOST for _, _, members in KINDS)


def test_opposites_go_both_ways() -> None:
    assert len(OPPOSITES) > 110
    assert all(OPPOSITES[other] for other in OPPOSITES.values())


def test_rhymes_are_of_one_family_and_each_word_is_in_one() -> None:
    every = [word for family in FAMILIES for word in family]
    assert len(FAMILIES) >= 40 and len(every) == len(set(every)) and min(map(len, FAMILIES)) >= 4
    family_of = {word: family for family in FAMILIES for word in family}
    rhymed = 0
    for _, answer in rendered(rhyme, 2000):
        if found := re.fullmatch(r"(.+) rhymes? with (\w+)\.", answer):
            others = re.split(r", | and ", found[1].lower())
            assert found[2] not in others and set(others) <= set(family_of[found[2]])
            rhymed += 1
        elif found := re.fullmatch(r"(Yes|No), (\w+) and (\w+) (?:do not )?rhyme\.", answer):
            assert (found[1] == "Yes") == (family_of[found[2]] is family_of[found[3]])
        else:
            word = re.fullmatch(r"I do not know a rhyme for (\w+), sorry\.", answer)[1]
            assert word not in family_of
    assert rhymed > 800


def test_poems_have_four_lines_and_their_subject() -> None:
    assert all(text.count("{s}") == 1 for text in read("poems").poems)
    rng = Random(4)
    for _ in range(500):
        for exchange in poem(rng, Talk()):
            answer = render(rng, exchange)[1]
            assert answer.count("\n") == 3 and exchange.slots.get("subject", "model") in answer


def test_stories_have_their_hero_place_and_thing_several_times() -> None:
    for cast, text in stories_told(2000):
        assert cast.hero in text and cast.place.lower() in text.lower() and cast.thing in text, text
        assert text.count(cast.name) + text.count(without_article(cast.hero)) >= 4, text
        assert text.count(cast.place.split()[-1]) >= 2, text
        assert text.count(without_article(cast.thing)) >= 2, text
        assert 50 <= len(text.split()) <= 110, text
    for part in read("stories/plots").sequels:
        assert "{name}" in part and "{the_place}" in part and "{the_object}" in part
    for sentence in SHORT.values():
        assert "{hero_first}" in sentence and "{place}" in sentence and "{object}" in sentence


def test_what_a_request_names_is_what_the_story_is_about() -> None:
    rng, named = Random(6), 0
    for _ in range(2000):
        request = draw_request(rng, Talk(name="Ada"))
        for slot, value in request.slots.items():
            if f"{{{slot}}}" not in request.ask:
                continue
            cast = request.cast
            summary = f"{cast.hero} called {cast.name} {cast.place} {cast.thing}"
            head = value.split()[-1]
            assert value == "me" or head in summary or head.removesuffix("s") in summary, (value, summary)
            named += 1
    assert named > 3000


def test_every_relation_and_tone_has_plots() -> None:
    assert {plot.relation for plot in PLOTS} == set(SHORT)
    assert all(sum(tone in plot.tones for plot in PLOTS) >= 3 for tone in TONES)


@pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS)
def test_held_out_values_are_many_and_new(pool: Pool) -> None:
    assert len(set(pool.values)) >= 60 and len(set(pool.held_out)) >= 15
    assert not set(pool.values) & set(pool.held_out)


def test_held_out_values_never_appear() -> None:
    heads = {value.split()[-1].lower() for pool in (HEROES, PLACES, OBJECTS) for value in pool.held_out}
    rng = Random(8)
    texts = [write_story(rng) for _ in range(500)]
    for skill in OTHERS * 2000:
        for exchange in skill(rng, Talk()):
            # Before slips of the hand, which make a moth of a month.
            texts += [expand(rng, exchange.ask), expand(rng, exchange.answer), *exchange.slots.values()]
    assert len(heads) > 85
    assert not heads & {word for text in texts for word in re.findall(r"\w+", text.lower())}
    assert not any(subject in text for subject in SUBJECTS.held_out for text in texts)
