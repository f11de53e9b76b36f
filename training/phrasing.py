"""Ways to ask: frames around a noun, a task or a whole question, and the manners around them."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from training.phrases import Asks, read
from training.talk import Exchange, draw, pick

TEXT = read("asking")
# What stands around a phrase as often as all frames of its sort together.
PLAIN = {"want": "(what is|what is|what is|what's|what's|whats|) @?", "order": "@.", "question": "@?"}
Tables = Asks | Mapping[str, Asks]


@dataclass(frozen=True)
class Topic:
    """What is asked about, in words that fill the frames or in whole questions, and the one answer to it."""

    answer: str
    things: tuple[str, ...] = ()  # nouns for the frames of things
    tasks: tuple[str, ...] = ()  # what people want to do, for those of tasks
    asks: tuple[str, ...] = ()  # whole questions
    more: str | None = None  # where the person wants to hear more
    brief: str | None = None

    def ask(self, rng: Random) -> str:
        """One of its questions: a whole one as often as one of the others that it has, framed."""
        forms = [form for form in ("things", "tasks") if getattr(self, form)]
        form = "asks" if self.asks and (not forms or rng.random() < 0.5) else rng.choice(forms)
        words = pick(rng, getattr(self, form))
        return words if form == "asks" else pick(rng, TEXT.tables[form]).replace("@", words)


def decorate(rng: Random, text: str) -> str:
    """The same question, now and then with something before it or after it."""
    if rng.random() < 0.15:
        text = f"{rng.choice(TEXT.before)} {text}"
    kind = rng.random()
    if kind < 0.06 and not text.endswith((")", "!")):
        return text.rstrip("?.") + rng.choice(TEXT.after) + "(?|)"
    return f"{text} {rng.choice(TEXT.added)}" if kind < 0.09 else text


def frame(rng: Random, text: str, sort: str) -> str:
    """A text in the plain frame of its sort or one of the others, with whatever manners people have."""
    if sort != "said":
        is_plain = rng.random() < 0.5
        text = (PLAIN[sort] if is_plain else rng.choice(TEXT.tables[sort])).replace("@", text)
    return decorate(rng, text)


def ask(rng: Random, asks: Tables, marks: Mapping[str, str] | None = None) -> str:
    """One of the ways to ask, in the frame that its table is for, with words in the place of marks.

    Of several tables, one with a share is taken so often, and others by how many phrases they have.
    """
    if isinstance(asks, Mapping):
        shares = {table: table.share for table in asks.values() if table.share}
        rest = [table for table in asks.values() if not table.share]
        asks = draw(
            rng, {**shares, rest[0]: 1 - sum(shares.values())} if shares else {t: len(t) for t in rest}
        )
    text = rng.choice(asks)
    for mark, words in (marks or {}).items():
        text = text.replace(mark, words)
    return frame(rng, text, asks.frame)


def exchange(
    rng: Random, asks: Tables, answer: str, marks: Mapping[str, str] | None = None, **slots: str
) -> Exchange:
    """One of the ways to ask, as `ask` gives it, and the answer."""
    return Exchange(ask(rng, asks, marks), answer, slots)
