"""Names to talk about, drawn so widely that a model must learn to copy them and cannot know them all."""

from collections.abc import Callable, Sequence
from random import Random

from training.phrases import read

TEXT = read("names")
Draw = Callable[[Random], str]


def chain(*rows: tuple[float, Draw]) -> Draw:
    """A way to draw: that of the first row whose number is above a random one."""

    def draw(rng: Random) -> str:
        kind = rng.random()
        return next(way for limit, way in rows if kind < limit)(rng)

    return draw


def invent_name(rng: Random) -> str:
    """A pronounceable name of one to four syllables that nobody need ever have had."""
    syllables = rng.choices((1, 2, 3, 4), (1, 5, 3, 0.4))[0]
    letters = ""
    for position in range(1, syllables + 1):
        letters += rng.choice(TEXT.onsets) if position > 1 or rng.random() < 0.8 else ""
        coda = rng.choice(TEXT.codas) if rng.random() < (0.55 if position == syllables else 0.3) else ""
        letters += rng.choice(TEXT.vowels) + coda
    return letters.capitalize() if len(letters) > 2 else invent_name(rng)


def blend(rng: Random, names: tuple[str, ...]) -> str:
    """The beginning of one name and the end of another, which make a third that sounds like them."""
    one, other = rng.choices(names, k=2)
    name = one[: rng.randint(2, 7)] + other[rng.randint(1, 4) :].lower()
    is_usual = 3 <= len(name) <= 11 and name.isascii() and name.isalpha()
    return name if is_usual and name not in TEXT.held_out else blend(rng, names)


# An ordinary word where another belongs, or a word made of two, of small letters.
borrow = chain(
    (0.2, lambda rng: rng.choice(TEXT.fragments) + rng.choice(TEXT.ordinary)[-3:]),
    (0.5, lambda rng: rng.choice(TEXT.ordinary)),
    (1, lambda rng: blend(rng, TEXT.ordinary)),
)


def coin(rng: Random, nouns: Sequence[str]) -> str:
    """A noun that does not exist: pieces of two others, two others in one, another word, or mere sounds."""
    kind = rng.random()
    if kind >= 0.25:
        return invent_name(rng).lower() if kind >= 0.8 else borrow(rng)
    single = tuple(noun for noun in nouns if noun.isalpha())
    return blend(rng, single).lower() if kind < 0.15 else "".join(rng.sample(single, 2)).lower()


def draw_name(rng: Random) -> str:
    """A name for one person: from the list, made up, or now and then two in one; never a held-out one."""
    kind = rng.random()
    if kind < 0.03:
        return draw_name(rng) + rng.choice(" -") + draw_name(rng)
    if kind < 0.36:
        return blend(rng, TEXT.names) if kind < 0.28 else borrow(rng).capitalize()
    name = rng.choice(TEXT.names) if kind < 0.7 else invent_name(rng)
    return draw_name(rng) if name in TEXT.held_out else name
