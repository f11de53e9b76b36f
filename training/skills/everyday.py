"""Small facts that a child knows: opposites, animals, colours, uses, trades, seasons."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from training.english import an, capital, join, plural
from training.phrases import read
from training.phrasing import exchange
from training.talk import Exchange, Talk, draw

QUESTIONS = read("everyday/questions")
# Each a table, with the questions for its right and its left side (`back`), and the answer to both.
FACTS = read("everyday/facts").facts
PAIRS = tuple(pair.split("-") for pair in QUESTIONS.opposites)
OPPOSITES = {**dict(PAIRS), **{other: one for one, other in PAIRS}, **QUESTIONS.one_way}
# An eagle is an animal too, an orange has its colour: such groups are never set beside each other.
ALIKE = tuple(map(set, QUESTIONS.alike))


def everyday(rng: Random, talk: Talk) -> list[Exchange]:
    """One small fact."""
    kind = draw(rng, SHARES)
    return [fact(rng, FACTS[kind]) if isinstance(kind, str) else kind(rng)]


def fact(rng: Random, facts: dict[str, Any]) -> Exchange:
    """A question about one line of a table; from the right side only where that is in one line.

    Templates know `{x}` from the left side, also as `{a_x}` and `{xs}`, and `{y}` from the right side.
    """
    x, y = rng.choice(list(facts["table"].items()))
    is_unique = Counter(facts["table"].values())[y] == 1
    asks = facts["back" if "back" in facts and is_unique and rng.random() < 0.4 else "asks"]
    slots = {"x": x, "a_x": an(x), "xs": plural(x), "y": y, "a_y": an(y), "part": y.split()[-1]}
    return exchange(rng, asks, capital(facts["answer"].format(**slots)), **slots)


def opposite(rng: Random) -> Exchange:
    """The opposite of a word."""
    x, y = rng.choice(list(OPPOSITES.items()))
    return exchange(rng, QUESTIONS.opposite, f"The opposite of {x} is {y}.", x=x)


def is_opposite(rng: Random) -> Exchange:
    """Whether a word is the opposite of another."""
    x, y = rng.choice(list(OPPOSITES.items()))
    claim = y if rng.random() < 0.5 else rng.choice([word for word in OPPOSITES if word not in (x, y)])
    # Of two words with the one opposite, either is right.
    is_right = claim == y or OPPOSITES[claim] == x
    answer = f"Yes, {claim} is the opposite of {x}." if is_right else f"No, the opposite of {x} is {y}."
    return exchange(rng, QUESTIONS.opposite_check, answer, x=x, y=claim)


def check_colour(rng: Random) -> Exchange:
    """Whether something has that colour."""
    x, shade = rng.choice(list(FACTS["colours"]["table"].items()))
    others = [other for other in QUESTIONS.shades if other != shade]
    claim = shade if rng.random() < 0.5 else rng.choice(others)
    answer = f"{'Yes' if claim == shade else 'No'}, {x} is {shade}."
    return exchange(rng, QUESTIONS.colour_check, answer, x=x, shade=claim)


def compare_sizes(rng: Random) -> Exchange:
    """Which of two animals is the bigger or smaller one."""
    return contrast(rng, "bigger", "smaller", [an(animal) for animal in QUESTIONS.sizes], "(bigger|larger)")


def compare(rng: Random) -> Exchange:
    """Which of two things is the faster, heavier, hotter or older one, or the like."""
    if rng.random() < 0.15:
        return contrast(rng, "faster", "slower", [an(animal) for animal in QUESTIONS.speeds])
    more, less, things = rng.choice(QUESTIONS.orders)
    return contrast(rng, more, less, things.split(", "))


def contrast(rng: Random, more: str, less: str, order: Sequence[str], asked: str = "") -> Exchange:
    """Which of two things of an order, that goes from little to much, is more so or less so."""
    low, high = (order[at] for at in sorted(rng.sample(range(len(order)), 2)))
    a, b = rng.sample((low, high), 2)
    upwards, downwards = f"{high} is {more} than {low}.", f"{low} is {less} than {high}."
    kind = rng.random()
    asks, mark = QUESTIONS.more_check if kind < 0.3 else QUESTIONS.more, asked or more
    if kind < 0.3:
        answer = f"Yes, {upwards}" if a == high else f"No, {downwards}"
    elif kind < 0.65:
        answer = capital(upwards)
    else:
        answer, mark = capital(downwards), less
    return exchange(rng, asks, answer, {"{more}": mark}, a=a, b=b)


def mix(rng: Random) -> Exchange:
    """What two colours make together."""
    first, second, shade = rng.choice(QUESTIONS.mixed)
    a, b = rng.sample((first, second), 2)
    if rng.random() < 0.3:
        return exchange(rng, QUESTIONS.mix_back, f"{capital(first)} and {second} make {shade}.", y=shade)
    return exchange(rng, QUESTIONS.mix, f"{capital(a)} and {b} make {shade}.", a=a, b=b)


def odd_one(rng: Random) -> Exchange:
    """One of four words that is of another kind than the rest."""
    kind, other = rng.sample(list(QUESTIONS.groups), 2)
    if {kind, other} in ALIKE:
        return odd_one(rng)
    odd = rng.choice(QUESTIONS.groups[other])
    shown = [*rng.sample(QUESTIONS.groups[kind], rng.choice((2, 3, 3))), odd]
    rng.shuffle(shown)
    listed = ", ".join(shown) if rng.random() < 0.7 else join(shown)
    return exchange(rng, QUESTIONS.odd, f"The odd one out is {odd}.", list=listed)


def group(rng: Random) -> Exchange:
    """What kind of thing something is."""
    kind = rng.choice(list(QUESTIONS.groups))
    x = rng.choice(QUESTIONS.groups[kind])
    slots = {"x": x, "a_x": x if kind in QUESTIONS.bare else an(x)}
    if rng.random() < 0.5:
        return exchange(rng, QUESTIONS.group, capital(f"{slots['a_x']} is {kind}."), **slots)
    claim = kind
    while rng.random() < 0.5 and (claim == kind or {claim, kind} in ALIKE):
        claim = rng.choice(list(QUESTIONS.groups))
    if {claim, kind} in ALIKE:
        claim = kind
    answer = f"{'Yes' if claim == kind else 'No'}, {slots['a_x']} is {kind}."
    return exchange(rng, QUESTIONS.group_check, answer, **slots, kind=claim)


def able(rng: Random) -> Exchange:
    """Whether an animal can fly or swim."""
    act = rng.choice(("fly", "swim"))
    can = rng.random() < 0.5
    x = rng.choice(QUESTIONS.tables[act][str(can)])
    answer = f"Yes, {plural(x)} can {act}." if can else f"No, {plural(x)} cannot {act}."
    return exchange(rng, QUESTIONS.able, answer, x=x, a_x=an(x), xs=plural(x), act=act)


def form(rng: Random) -> Exchange:
    """The plural or the singular of a word, as something that is wanted; or how a thing is, of two ways."""
    if rng.random() < 0.5:
        x, pair = rng.choice(list(QUESTIONS.qualities.items()))
        quality, other = pair.split("-")
        a, b = rng.sample((quality, other), 2)
        return exchange(rng, QUESTIONS.quality, f"{capital(x)} is {quality}.", x=x, a=a, b=b)
    x, y = rng.choice(list(FACTS["plurals"]["table"].items()))
    if rng.random() < 0.7:
        return exchange(rng, QUESTIONS.plural, f"The plural of {x} is {y}.", x=x)
    return exchange(rng, QUESTIONS.singular, f"The singular of {y} is {x}.", y=y)


SHARES = {name: float(facts["share"]) for name, facts in FACTS.items()}
SHARES |= {
    opposite: 6,
    check_colour: 3,
    compare_sizes: 2,
    compare: 3,
    mix: 1.5,
    odd_one: 2,
    group: 2,
    able: 1.5,
}
SHARES |= {form: 1, is_opposite: 0.8}
