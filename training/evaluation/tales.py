"""Stories that keep what was asked for, lists of so many things, rhymes and poems."""

from random import Random

from training.evaluation.wants import Case, as_typed, case, lists, rhymes_with, says, type_text, verse
from training.phrases import read
from training.skills.stories.tables import HEROES, OBJECTS, PLACES
from training.skills.verses import SUBJECTS

TEXT = read("examination/tales")
MEMBERS = read("examination/members").members
NUMBERS = {"three": 3, "4": 4, "five": 5, "3": 3, "two": 2, "5": 5, "four": 4, "2": 2}
FAMILIES = tuple({word, *sounds.split()} for _, word, sounds in TEXT.rhymes)


def story_cases() -> list[Case]:
    """Held-out heroes, places and objects, each asked for in many ways; the story must have all three."""
    rng, cases = Random(31), []
    for number in range(72):
        hero, place, thing = (rng.choice(pool.held_out) for pool in (HEROES, PLACES, OBJECTS))
        template = TEXT.stories[number % len(TEXT.stories)]
        ask = type_text(rng, template, hero=hero, place=place, thing=thing)
        cases.append(case(ask, want=says(*(core(as_typed(value, ask)) for value in (hero, place, thing)))))
    return cases


def core(value: str) -> str:
    """What an answer must have of "in a dark cave": it may go "to the dark cave"."""
    little = {"a", "an", "the", "in", "on", "by", "at", "my"}
    return " ".join(word for word in value.split() if word not in little)


def list_cases() -> list[Case]:
    """So many things of a kind, words that rhyme, and short poems."""
    rng, cases = Random(32), []
    for number, (ask, kind, table) in enumerate(TEXT.lists * 2):
        count = list(NUMBERS)[number % len(NUMBERS)]
        want = lists(NUMBERS[count], table, MEMBERS[table])
        cases.append(case(type_text(rng, ask, n=count, kind=kind), want=want))
    for ask, word, sounds in TEXT.rhymes:
        cases.append(case(type_text(rng, ask), want=rhymes_with(word, sounds.split())))
    for ask, about in zip(TEXT.poems, rng.sample(SUBJECTS.held_out, len(TEXT.poems)), strict=True):
        cases.append(case(type_text(rng, ask, about=about), want=verse(core(about), FAMILIES)))
    return cases
