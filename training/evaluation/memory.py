"""Facts about the person: remembered for some turns, two at a time, corrected, or never told."""

from itertools import permutations
from random import Random

from training.english import an
from training.evaluation.wants import Case, as_typed, case, not_told, says, type_text
from training.phrases import read
from training.values import COLOURS, FOODS, HOBBIES, JOBS, PETS, TOWNS

TEXT = read("examination/memory")
NAMES = read("names").held_out
POOLS = {"colour": COLOURS, "town": TOWNS, "pet": PETS, "food": FOODS, "job": JOBS, "hobby": HOBBIES}
VALUES = {
    **dict.fromkeys(("name", "pet's name", "sister"), NAMES),
    **{kind: pool.held_out for kind, pool in POOLS.items()},
    "number": tuple(str(number) for number in range(12, 100)),
}
# For each kind of fact, how people tell it, ask for it and correct it.
FACTS = read("examination/facts").tables


def key(value: str) -> str:
    """What of a value an answer must have: "You collect fossils" will do for "collecting fossils"."""
    head, *rest = value.split()
    return rest[-1] if rest and head.endswith("ing") else value


def tell(rng: Random, template: str, value: str, old: str = "x") -> tuple[str, str]:
    """A sentence that tells a value, and the part of the value that an answer must have, as it was typed."""
    text = type_text(rng, template, value=value, old=old, a_value=an(value), a_old=an(old))
    return text, key(as_typed(value, text))


def between(rng: Random, count: int) -> list[str]:
    """So many things that have nothing to do with the fact."""
    return [type_text(rng, text) for text in rng.sample(TEXT.between, count)]


def recall_cases() -> list[Case]:
    """Each kind of fact sixteen times, names twice as often, asked for one to four turns later."""
    rng, cases = Random(11), []
    for kind, fact in FACTS.items():
        count = 32 if kind == "name" else 16
        # Each value as often as the others.
        values = list(VALUES[kind]) * (count // len(VALUES[kind]) + 1)
        drawn = rng.sample(values[: max(count, len(VALUES[kind]))], count)
        for number, value in enumerate(drawn):
            statement, wanted = tell(rng, fact["tells"][number % len(fact["tells"])], value)
            ask = type_text(rng, fact["asks"][number % len(fact["asks"])])
            cases.append(case(statement, *between(rng, number % 4), ask, want=says(wanted)))
    return cases


def two_fact_cases() -> list[Case]:
    """Two facts of any two kinds, told together or apart, and both asked for in either order."""
    rng, cases = Random(12), []
    pairs = [pair for pair in permutations(FACTS, 2) if set(pair) != {"pet", "pet's name"}]
    for number, kinds in enumerate(rng.sample(pairs, 72)):
        first = rng.choice(VALUES[kinds[0]])
        values = [first, rng.choice([value for value in VALUES[kinds[1]] if value != first])]
        statements = [tell(rng, rng.choice(FACTS[k]["tells"]), v) for k, v in zip(kinds, values, strict=True)]
        texts, keys = zip(*statements, strict=True)
        turns = [f"{texts[0].rstrip('.!')}. {texts[1]}"] if number % 3 == 0 else list(texts)
        order = (0, 1) if number % 2 else (1, 0)
        asks = [type_text(rng, rng.choice(FACTS[kinds[i]]["asks"])) for i in order]
        wants = tuple(says(keys[i], without=[keys[1 - i]]) for i in order)
        cases.append(Case((*turns, *between(rng, number % 2), *asks), wants))
    return cases


def corrected_cases() -> list[Case]:
    """A fact told, corrected and asked for."""
    rng, cases = Random(13), []
    for kind, fact in FACTS.items():
        for number, correction in enumerate(fact["corrections"]):
            old, new = rng.sample(VALUES[kind], 2)
            statement, old_key = tell(rng, rng.choice(fact["tells"]), old)
            again, new_key = tell(rng, correction, new, old)
            ask = type_text(rng, rng.choice(fact["asks"]))
            turns = (statement, *between(rng, number % 2), again, *between(rng, number // 2), ask)
            cases.append(case(*turns, want=says(new_key, without=[old_key])))
    return cases


def not_told_cases() -> list[Case]:
    """A fact asked for that was never told."""
    rng, cases = Random(14), []
    for number, line in enumerate(TEXT.not_told):
        kind, *before = line.split(" / ")
        ask = type_text(rng, FACTS[kind]["asks"][number % len(FACTS[kind]["asks"])])
        cases.append(case(*before, ask, want=not_told()))
    return cases
