"""What skills are made of: exchanges, the state of a conversation, and the texts that come of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from training.careless import type_carelessly
from training.phrases import read

ALTERNATIVES = re.compile(r"\(([^()]*\|[^()]*)\)")
SENTENCE = re.compile(r""".+?[.!?]["']?(?= ["'A-Z]|\n|$)""")
OWN_NAME = re.compile(r"\bTiny\b")
SLOT = re.compile(r"\{(\w+)\}")
# A word with a capital of its own; `The` may be that of a sentence.
PROPER = re.compile(r"\b(?!The\b)[^\W\d_]\w+")
MONTHS, WEEKDAYS = (read("sequences/days").series[name] for name in ("year", "week"))
CALENDAR = {*MONTHS, *WEEKDAYS}
Option = TypeVar("Option")


@dataclass
class Exchange:
    """One question and its answer, as templates: `(a|b)` is a choice, `{slot}` is filled from `slots`."""

    ask: str
    answer: str
    slots: dict[str, str] = field(default_factory=dict)
    brief: str | None = None  # the answer where a system prompt wants few words; else its first sentence


@dataclass(frozen=True)
class Pool:
    """Values to fill slots with; the held-out ones are kept for the evaluation and never generated."""

    values: tuple[str, ...]
    held_out: tuple[str, ...]

    def draw(self, rng: Random) -> str:
        """One of the values to train on."""
        return rng.choice(self.values)


@dataclass(frozen=True)
class Kind:
    """A kind of fact that a person may tell, and how it is told and asked for.

    All but `draw` are templates; `{value}` is what is told, `{who}` whom or what it is about.
    """

    key: str  # facts of the same key replace each other
    draw: Callable[[Random], dict[str, str]]
    clause: str  # what the assistant says of it: "you live in {value}"
    says: tuple[str, ...]  # what the person says: "I live in {value}"
    asks: tuple[str, ...]  # "where do I live?"
    indirect: tuple[str, ...]  # "where I live", for "do you know ..."
    unknown: str  # the answer where it has not been told
    checks: tuple[str, ...]  # "do I live in {value}?"
    third: tuple[str, ...] = ()  # "lives in {value}" or "'s home is {value}", after "The user"
    nouns: tuple[str, ...] = ()  # "home town", for "what is my ..."
    replies: tuple[str, ...] = ("{value}(.|!|)",)  # to the question that ends `unknown`
    changes: tuple[str, ...] = ()  # "I moved to {value}"
    openers: tuple[str, ...] = ("",)  # how the assistant begins when it is told
    also: tuple[tuple[str, str], ...] = ()  # other questions, each with the clause that answers it


@dataclass(frozen=True)
class Fact:
    """Something that has been told."""

    kind: Kind
    slots: dict[str, str]

    @property
    def key(self) -> str:
        """What it is about; there is one fact of a key."""
        return self.kind.key.format(**self.slots)

    @property
    def clause(self) -> str:
        """What the assistant says of it, without a capital or a full stop."""
        return self.kind.clause.format(**self.slots)


@dataclass
class Talk:
    """What has been said so far, and what a system prompt asked for, as far as later answers depend on it."""

    name: str | None = None
    greeted: bool = False
    heard_story: bool = False
    assistant: str | None = None  # what a system prompt calls the assistant, if it does
    brief: bool = False
    facts: dict[str, Fact] = field(default_factory=dict)  # all but the name, in the order told
    history: list[tuple[str, str]] = field(default_factory=list)  # what was asked, and answered
    spell: Callable[[str], str] = str  # how the person writes names: as they are, or all small
    named: set[str] = field(default_factory=set)  # proper names that the person has written

    def as_typed(self, text: str) -> str:
        """A text with the names that the person has written as the person writes them.

        So all that is to be copied is the same tokens in either place, and no spelling has to be known.
        A row of months or weekdays that names others, too, has its usual capitals throughout.
        """
        calendar = CALENDAR.intersection(PROPER.findall(text))
        named = self.named - calendar if calendar - self.named else self.named
        return PROPER.sub(lambda found: self.spell(found[0]) if found[0] in named else found[0], text)


def begin_talk(rng: Random) -> Talk:
    """A conversation of which nothing has been said; whether its person cares for capitals is drawn."""
    return Talk(spell=rng.choices((str, str.lower), (62, 38))[0])


def draw(rng: Random, shares: Mapping[Option, float]) -> Option:
    """One of several options, each as often as its share."""
    return rng.choices(list(shares), list(shares.values()))[0]


def pick(rng: Random, table: Sequence[str]) -> str:
    """One entry of a table that begins with what is most usual: more often than not from its first half."""
    return table[int(len(table) * rng.random() ** 1.25)]


def expand(rng: Random, text: str) -> str:
    """Replace each `(a|b|c)` by one of its alternatives, innermost first."""
    while found := ALTERNATIVES.search(text):
        text = text[: found.start()] + rng.choice(found[1].split("|")) + text[found.end() :]
    return re.sub(r" +", " ", text).strip()


def first_sentence(text: str) -> str:
    """The text up to the end of its first sentence."""
    found = SENTENCE.match(text)
    return found[0] if found else text


def render(rng: Random, exchange: Exchange, talk: Talk | None = None) -> tuple[str, str]:
    """The texts of both sides: the asking side typed as people do, the answer as `talk` wants it.

    Templates know the assistant as Tiny; where it has another name, that is put instead.
    """
    talk = talk or Talk()
    slots = exchange.slots | {"assistant": talk.assistant or "Tiny"}
    ask = OWN_NAME.sub("{assistant}", expand(rng, exchange.ask))
    answer = expand(rng, exchange.brief if talk.brief and exchange.brief else exchange.answer)
    answer = OWN_NAME.sub("{assistant}", answer).format(**slots)
    for slot in set(SLOT.findall(ask)) - {"assistant"}:
        value = slots[slot]
        if slot.endswith("_up"):
            # That capital is the sentence's: the "In" of "In the garden" is no name.
            value = value[:1].lower() + value[1:]
        talk.named |= {word for word in PROPER.findall(value) if word[0].isupper()}
    brief = talk.brief and not exchange.brief
    answer = talk.as_typed(first_sentence(answer) if brief else answer)
    return type_carelessly(rng, ask, slots, talk.spell), answer
