"""Facts about the person: remembered for some turns, two at a time, corrected, or never told."""

from itertools import permutations
from random import Random

from training.evaluation.cases import Case, as_typed, case, typed
from training.evaluation.facts import FACTS, Fact
from training.evaluation.wants import not_told, says

# What people say in between. Some of it is about other people and things, to lead astray.
BETWEEN = (
    "Anyway, how's it going?",
    "lol ok",
    "Interesting. What can you actually do?",
    "My neighbour Walter plays the drums at night.",
    "is it raining where you are?",
    "what is 3 + 4",
    "Tell me something funny.",
    "Who won the election in Peru?",
    "what does the server need to run",
    "I'm having a cup of tea right now.",
    "thx",
    "Do you ever sleep?",
    "the train was late today, so annoying",
    "Tell me a story about a fox.",
    "How do I see the flags of a command?",
    "My sister thinks robots are creepy.",
    "what's gRPC good for?",
    "count to five please",
    "Good to know.",
    "what comes after Friday?",
    "Can you speak Italian?",
    "hm, let me think",
)

# Questions after other things were told, or nothing at all.
NOT_TOLD = (
    ("name", ()),
    ("name", ("Our cat is called Momo.",)),
    ("name", ("hey", "I live in Oslo btw")),
    ("name", ("Tell me a story about a girl called Kim.",)),
    ("colour", ()),
    ("colour", ("I adore pancakes, they're my favourite food.",)),
    ("colour", ("The name's Ruth.", "what can you do")),
    ("town", ()),
    ("town", ("hi, I'm Otto", "I work as a baker")),
    ("town", ("my favourite colour is grey",)),
    ("pet", ()),
    ("pet", ("I live in Leeds.", "lol ok")),
    ("pet", ("My hobby is chess.",)),
    ("pet's name", ()),
    ("pet's name", ("hey there, Nora here",)),
    ("food", ()),
    ("food", ("I have a hamster.",)),
    ("food", ("people call me Ben", "thx")),
    ("job", ()),
    ("job", ("My favourite colour is red.", "cool")),
    ("job", ("I live in Turin.",)),
    ("hobby", ()),
    ("hobby", ("I'm a teacher.", "nice one")),
    ("hobby", ("Just call me Ida.",)),
    ("sister", ("My brother is called Tom.",)),
    ("sister", ()),
    ("number", ("I am a nurse.", "lol ok")),
    ("number", ()),
)


def key(value: str) -> str:
    """What of a value an answer must have: "You collect fossils" will do for "collecting fossils"."""
    head, *rest = value.split()
    return rest[-1] if rest and head.endswith("ing") else value


def with_article(value: str) -> str:
    """The value after "a" or "an"."""
    return ("an " if value[0] in "aeiou" else "a ") + value


def tell(rng: Random, template: str, value: str, old: str = "") -> tuple[str, str]:
    """A sentence that tells a value, and the part of the value that an answer must have, as it was typed."""
    slots = {"value": value, "old": old, "a_value": with_article(value), "a_old": with_article(old or "x")}
    text = typed(rng, template, **slots)
    return text, key(as_typed(value, text))


def between(rng: Random, count: int) -> list[str]:
    """So many things that have nothing to do with the fact."""
    return [typed(rng, text) for text in rng.sample(BETWEEN, count)]


def recall_cases() -> list[Case]:
    """Each kind of fact sixteen times, names twice as often, asked for one to four turns later."""
    rng, cases = Random(11), []
    for kind, fact in FACTS.items():
        for number, value in enumerate(draw(rng, fact, 32 if kind == "name" else 16)):
            told, wanted = tell(rng, fact.tells[number % len(fact.tells)], value)
            ask = typed(rng, fact.asks[number % len(fact.asks)])
            cases.append(case(told, *between(rng, number % 4), ask, want=says(wanted)))
    return cases


def draw(rng: Random, fact: Fact, count: int) -> list[str]:
    """So many of the held-out values in any order, each as often as the others."""
    values = list(fact.values) * (count // len(fact.values) + 1)
    return rng.sample(values[: max(count, len(fact.values))], count)


def two_fact_cases() -> list[Case]:
    """Two facts of any two kinds, told together or apart, and both asked for in either order."""
    rng, cases = Random(12), []
    pairs = [pair for pair in permutations(FACTS, 2) if set(pair) != {"pet", "pet's name"}]
    for number, kinds in enumerate(rng.sample(pairs, 72)):
        first = rng.choice(FACTS[kinds[0]].values)
        values = [first, rng.choice([value for value in FACTS[kinds[1]].values if value != first])]
        told = [tell(rng, rng.choice(FACTS[k].tells), v) for k, v in zip(kinds, values, strict=True)]
        texts, keys = zip(*told, strict=True)
        turns = [f"{texts[0].rstrip('.!')}. {texts[1]}"] if number % 3 == 0 else list(texts)
        order = (0, 1) if number % 2 else (1, 0)
        asks = [typed(rng, rng.choice(FACTS[kinds[i]].asks)) for i in order]
        wants = tuple(says(keys[i], without=[keys[1 - i]]) for i in order)
        cases.append(Case((*turns, *between(rng, number % 2), *asks), wants))
    return cases


def corrected_cases() -> list[Case]:
    """A fact told, corrected and asked for."""
    rng, cases = Random(13), []
    for fact in FACTS.values():
        for number, correction in enumerate(fact.corrections):
            old, new = rng.sample(fact.values, 2)
            told, old_key = tell(rng, rng.choice(fact.tells), old)
            again, new_key = tell(rng, correction, new, old)
            ask = typed(rng, rng.choice(fact.asks))
            want = says(new_key, without=[old_key])
            cases.append(
                case(told, *between(rng, number % 2), again, *between(rng, number // 2), ask, want=want)
            )
    return cases


def not_told_cases() -> list[Case]:
    """A fact asked for that was never told."""
    rng = Random(14)
    return [
        case(*before, typed(rng, FACTS[kind].asks[number % 6]), want=not_told())
        for number, (kind, before) in enumerate(NOT_TOLD)
    ]
