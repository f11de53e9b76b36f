"""Stories that keep what was asked for, lists of so many things, rhymes and poems."""

from random import Random

from training.evaluation.cases import Case, as_typed, case, typed
from training.evaluation.members import MEMBERS
from training.evaluation.wants import lists, rhymes_with, says, verse
from training.skills.poems import SUBJECTS
from training.skills.stories.tables import HEROES, OBJECTS, PLACES

STORIES = (
    "Tell me a story about {hero} who finds {thing} {place}.",
    "can you write a story about {hero} and {thing} {place}",
    "I would like a story with {hero} and {thing}. It should happen {place}.",
    "Please tell me a bedtime story about {hero} {place}. There should be {thing} in it.",
    "story about {hero}, {place}, with {thing}",
    "My little boy wants a story about {hero} and {thing}. It should take place {place}.",
    "Could you make up a short story about {hero} who has {thing} and lives {place}?",
    "write me a short story. {hero} loses {thing} {place}",
    "Tell us a story please! It's about {hero} and {thing}, {place}.",
    "make a story with {hero}, it happens {place} and {thing} is important",
    "Do you know a story about {hero} who is looking for {thing} {place}?",
    "I need a story for my class. The hero is {hero}, it happens {place}, and somebody finds {thing}.",
    "tell me a fairy tale where {hero} gets {thing} {place}",
    "Can I have a story about {thing}, please? It belongs to {hero} and everything happens {place}.",
    "One day {hero} was {place} and saw {thing}. Can you tell me that story?",
    "a little story about {hero} {place} pls, and there is {thing} too",
    "Think of an adventure for {hero}. Let it happen {place}, and put {thing} in it.",
    "what about a story set {place}, with {hero} and {thing}",
)
# The kind is a slot, as slots stay whole: a slip makes "sorts" of "sports".
LISTS = (
    ("Name {n} {kind}.", "fruits", "fruits"),
    ("can you tell me {n} {kind}", "fruits", "fruits"),
    ("Give me a list of {n} {kind}.", "animals", "animals"),
    ("Can you name {n} {kind} for my daughter?", "animals", "animals"),
    ("tell me {n} {kind}", "colors", "colours"),
    ("Which {kind} do you know? Just {n}, please.", "colours", "colours"),
    ("I need {n} {kind} for a soup.", "vegetables", "vegetables"),
    ("list {n} {kind}", "vegetables", "vegetables"),
    ("Could you name {n} {kind}, please?", "flowers", "flowers"),
    ("{n} {kind} pls", "flowers", "flowers"),
    ("Do you know {n} {kind}?", "birds", "birds"),
    ("name {n} kinds of {kind}", "birds", "birds"),
    ("Please list {n} musical {kind}.", "instruments", "instruments"),
    ("give me {n} {kind}", "instruments", "instruments"),
    ("What are {n} {kind} I could try?", "sports", "sports"),
    ("can you list {n} {kind} for me", "sports", "sports"),
    ("Tell me {n} {kind}.", "things to drink", "drinks"),
    ("name {n} {kind} please", "drinks", "drinks"),
    ("What are {n} {kind} I can wear?", "things", "clothes"),
    ("I want to know {n} {kind}.", "pieces of clothing", "clothes"),
)
NUMBERS = ("three", "4", "five", "3", "two", "5", "four", "2")
FIGURES = {"two": 2, "three": 3, "four": 4, "five": 5}
RHYMES = (
    ("What rhymes with cat?", "cat", "hat mat bat rat sat fat flat pat chat"),
    (
        "tell me a word that rhymes with tree",
        "tree",
        "bee free see sea three knee me key tea be he she we flea",
    ),
    (
        "Do you know something that rhymes with moon?",
        "moon",
        "spoon soon noon june tune balloon moon's afternoon",
    ),
    ("rhyme with star", "star", "car far jar bar tar are guitar"),
    ("Can you give me a rhyme for night?", "night", "light bright right sight fight kite white might bite"),
    ("I'm looking for a word that rhymes with house.", "house", "mouse louse blouse grouse"),
    ("whats a good rhyme for day", "day", "play say way may hay stay away grey clay today pay ray bay"),
    ("Please find a word that rhymes with dog.", "dog", "frog log fog jog hog bog"),
    ("which words rhyme with blue", "blue", "you true shoe new two too do few zoo glue who grew knew true"),
    (
        "I'm writing a birthday card, what rhymes with rain?",
        "rain",
        "train plain again brain pain lane main gain chain crane",
    ),
    ("Could you tell me what rhymes with king?", "king", "ring sing thing bring wing spring string swing"),
    ("give me a word that rhymes with boat", "boat", "coat goat float note throat moat wrote vote"),
)
FAMILIES = tuple({word, *sounds.split()} for _, word, sounds in RHYMES)
POEMS = (
    "Can you write a poem about {about}?",
    "write a short poem about {about}",
    "Please write a little rhyme about {about}.",
    "I'd like a poem about {about}, please.",
    "make a poem about {about}",
    "It's my mum's birthday. Could you write her a short poem about {about}?",
    "a poem about {about} pls",
    "Tell me a little poem about {about}.",
)


def story_cases() -> list[Case]:
    """Held-out heroes, places and objects, each asked for in many ways; the story must have all three."""
    rng, cases = Random(31), []
    for number in range(72):
        hero, place, thing = (rng.choice(pool.held_out) for pool in (HEROES, PLACES, OBJECTS))
        ask = typed(rng, STORIES[number % len(STORIES)], hero=hero, place=place, thing=thing)
        cases.append(case(ask, want=says(*(core(as_typed(value, ask)) for value in (hero, place, thing)))))
    return cases


def core(value: str) -> str:
    """What an answer must have of "in a dark cave": it may go "to the dark cave"."""
    little = {"a", "an", "the", "in", "on", "by", "at", "my"}
    return " ".join(word for word in value.split() if word not in little)


def list_cases() -> list[Case]:
    """So many things of a kind, words that rhyme, and short poems."""
    rng, cases = Random(32), []
    for number, (ask, kind, table) in enumerate(LISTS * 2):
        count = NUMBERS[number % len(NUMBERS)]
        want = lists(FIGURES.get(count) or int(count), table, MEMBERS[table])
        cases.append(case(typed(rng, ask, n=count, kind=kind), want=want))
    rhymes = [case(typed(rng, ask), want=rhymes_with(word, sounds.split())) for ask, word, sounds in RHYMES]
    verses = [
        case(typed(rng, ask, about=about), want=verse(core(about), FAMILIES))
        for ask, about in zip(POEMS, rng.sample(SUBJECTS.held_out, len(POEMS)), strict=True)
    ]
    return cases + rhymes + verses
