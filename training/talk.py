"""What skills are made of: exchanges, the state of a conversation, and how people really type."""

import re
from dataclasses import dataclass, field
from random import Random

ALTERNATIVES = re.compile(r"\(([^()]*\|[^()]*)\)")
WORD = re.compile(r"(?<![\w{'])[A-Za-z]{4,}(?![\w}'])")
FILLERS = ("hey, ", "so, ", "ok, ", "well, ", "um, ", "please, ", "and ", "now, ")


@dataclass
class Exchange:
    """One question and its answer, as templates: `(a|b)` is a choice, `{slot}` is filled from `slots`."""

    ask: str
    answer: str
    slots: dict[str, str] = field(default_factory=dict)


@dataclass
class Talk:
    """What has been said so far and later answers depend on."""

    name: str | None = None
    greeted: bool = False


def words(text: str) -> tuple[str, ...]:
    """The words of a text, for lists that are long."""
    return tuple(text.split())


def expand(rng: Random, text: str) -> str:
    """Replace each `(a|b|c)` by one of its alternatives, innermost first."""
    while found := ALTERNATIVES.search(text):
        text = text[: found.start()] + rng.choice(found[1].split("|")) + text[found.end() :]
    return re.sub(r" +", " ", text).strip()


def misspell(rng: Random, text: str) -> str:
    """Swap, drop or double one letter of one longer word; slots are left whole."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end() - 1)
    pair = text[at : at + 2]
    return text[:at] + rng.choice((pair[::-1], pair[1], pair[0] + pair)) + text[at + 2 :]


def render(rng: Random, exchange: Exchange) -> tuple[str, str]:
    """The texts of both sides. The asking side is typed carelessly now and then, the answer never is."""
    ask, slots = expand(rng, exchange.ask), exchange.slots
    if rng.random() < 0.08:
        ask = rng.choice(FILLERS) + (ask if ask[:1] in "I{" else ask[:1].lower() + ask[1:])
    if rng.random() < 0.3:
        ask = ask.rstrip(".?!")
    if rng.random() < 0.2:
        ask = misspell(rng, ask)
    if rng.random() < 0.2:
        ask = ask.replace("'", "")
    if rng.random() < 0.4:
        ask, slots = ask.lower(), {slot: value.lower() for slot, value in slots.items()}
    elif rng.random() < 0.5:
        ask = ask[:1].upper() + ask[1:]
    return ask.format(**slots), expand(rng, exchange.answer).format(**exchange.slots)
