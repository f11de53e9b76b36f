"""What a case of the examination is, and how strangers type."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

LONG_WORD = re.compile(r"(?<![\w{'-])[A-Za-z]{5,}(?![\w}'-])")
# On the keyboard, the letters that a finger hits instead.
NEIGHBOURS = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "j": "k",
    "k": "l", "l": "k", "m": "n", "n": "m", "o": "i", "p": "o", "q": "w", "r": "t", "s": "d", "t": "r",
    "u": "y", "v": "c", "w": "e", "x": "z", "y": "t", "z": "x",
}  # fmt: skip
SLANG = {" you ": " u ", " are ": " r ", "please": "pls", "because": "cuz", "want to": "wanna", "I'm": "im"}


@dataclass(frozen=True)
class Want:
    """What an answer has to be: in words for the report, and as a test."""

    text: str
    holds: Callable[[str], bool]


@dataclass(frozen=True)
class Case:
    """A conversation: what the person says turn by turn, and what the last answers have to be."""

    turns: tuple[str, ...]
    wants: tuple[Want, ...]  # of the last answers: the last is for the last
    system: str | None = None


def case(*turns: str, want: Want, system: str | None = None) -> Case:
    """A case in which only the last answer counts."""
    return Case(turns, (want,), system)


def typed(rng: Random, template: str, **values: str) -> str:
    """A person's text with `{value}`s filled in: two of three type properly, the third is in a hurry."""
    how = rng.random()
    if how < 2 / 3:
        return template.format(**values)
    if how > 0.98 and not values:
        return template.upper()
    if how > 0.96 and not values:
        return template.title().replace("'S", "'s")
    text = template.rstrip(".?!").lower()
    if rng.random() < 0.3:
        for proper, short in SLANG.items():
            text = text.replace(proper.lower(), short)
    if rng.random() < 0.5:
        text = mistype(rng, text)
    if rng.random() < 0.4:
        text = text.replace("'", "")
    return text.format(**{slot: value.lower() for slot, value in values.items()})


def as_typed(value: str, text: str) -> str:
    """A value with the capitals that it has in a text."""
    return value if value in text else value.lower()


def mistype(rng: Random, text: str) -> str:
    """Hit a wrong key, miss one or take two in the wrong order, in one longer word; slots stay whole."""
    words = list(LONG_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end() - 1)
    wrong = (NEIGHBOURS[text[at].lower()] + text[at + 1], text[at + 1], text[at + 1] + text[at])
    return text[:at] + rng.choice(wrong) + text[at + 2 :]
