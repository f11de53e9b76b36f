"""Problems in words: what somebody has, gets, gives away or pays, as a sum and a sentence."""

from random import Random

from training.english import an, count, plural
from training.names import draw_name
from training.phrasing import mannered
from training.skills.numbers.arithmetic import draw_pair
from training.skills.numbers.problems import (
    AGO,
    CHANGE,
    GAIN,
    GROUPS,
    KIN,
    LATER,
    LOSS,
    MONEY,
    OLDER,
    PEERS,
    SPENT,
    THINGS,
    WARES,
    YOUNGER,
    Problem,
)
from training.talk import Exchange, Talk


def people(rng: Random) -> dict[str, str]:
    """Who is in a problem."""
    return {"name": draw_name(rng), "friend": draw_name(rng), "kin": rng.choice(KIN)}


def told(rng: Random, problem: Problem, equation: str, slots: dict[str, str]) -> Exchange:
    """A problem and its answer: the equation, and what it says."""
    asks, how, answer = problem
    return Exchange(mannered(rng, rng.choice(asks).replace("{how}", how)), f"{equation} {answer}", slots)


def word_problem(rng: Random, talk: Talk) -> list[Exchange]:
    """One problem of any kind."""
    return [rng.choices((gain, loss, money, age, groups), (4, 4, 1.5, 1, 1))[0](rng)]


def gain(rng: Random) -> Exchange:
    """Somebody gets more of something."""
    a, b = positive_pair(rng)
    slots = people(rng) | counted(a, b, a + b, rng.choice(THINGS))
    return told(rng, rng.choice(GAIN), f"{a} + {b} = {a + b}.", slots)


def loss(rng: Random) -> Exchange:
    """Somebody loses or gives away some of what they have, or has more than somebody else."""
    b, a = sorted(positive_pair(rng))
    slots = people(rng) | counted(a, b, a - b, rng.choice(THINGS))
    return told(rng, rng.choice(LOSS), f"{a} - {b} = {a - b}.", slots)


def money(rng: Random) -> Exchange:
    """Something is paid for."""
    a, b = positive_pair(rng)
    unit, (first, second) = rng.choice(MONEY), rng.sample(WARES, 2)
    wares = {"ware": an(first), "ware2": an(second), "unit": unit} | people(rng)
    if rng.random() < 0.5:
        return told(rng, SPENT, f"{a} + {b} = {a + b}.", wares | counted(a, b, a + b, unit))
    b, a = sorted((a, b))
    return told(rng, CHANGE, f"{a} - {b} = {a - b}.", wares | counted(a, b, a - b, unit))


def age(rng: Random) -> Exchange:
    """How old somebody else is, or will be."""
    a, b = age_pair(rng)
    slots = {"kin": rng.choice(PEERS), "a": str(a), "b": str(b)}
    if rng.random() < 0.3:
        return told(rng, (LATER, "", f"You will be {a + b}."), f"{a} + {b} = {a + b}.", slots)
    if rng.random() < 0.2:
        return told(rng, (AGO, "", f"You were {a - b}."), f"{a} - {b} = {a - b}.", slots)
    if rng.random() < 0.5:
        return told(rng, (OLDER, "", f"Your {{kin}} is {a + b}."), f"{a} + {b} = {a + b}.", slots)
    return told(rng, (YOUNGER, "", f"Your {{kin}} is {a - b}."), f"{a} - {b} = {a - b}.", slots)


def groups(rng: Random) -> Exchange:
    """So many times so many things."""
    a, b = rng.randint(2, 12), rng.randint(2, 12)
    slots = people(rng) | counted(a, b, a * b, rng.choice(THINGS))
    problem = (GROUPS, "", "That makes {rest}.")
    return told(rng, problem, f"{a} x {b} = {a * b}.", slots)


def positive_pair(rng: Random) -> tuple[int, int]:
    """Two numbers that somebody can have or give: small ones more often than not."""
    while True:
        a, b = draw_pair(rng, 20 if rng.random() < 0.6 else 99)
        if a > 1 and b > 1:
            return a, b


def age_pair(rng: Random) -> tuple[int, int]:
    """The age of somebody, and fewer years than that, as may lie between brothers."""
    while True:
        b, a = sorted(draw_pair(rng, 20 if rng.random() < 0.5 else 70))
        if 1 < b < 16 and b < a:
            return a, b


def counted(a: int, b: int, result: int, thing: str) -> dict[str, str]:
    """Numbers of things as slots."""
    with_things = {"have": count(a, thing), "other": count(b, thing), "rest": count(result, thing)}
    return {"a": str(a), "b": str(b), "things": plural(thing)} | with_things
