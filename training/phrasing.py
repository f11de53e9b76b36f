"""Ways to ask: frames that make a hundred questions of one noun or task, and the manners around them."""

from dataclasses import dataclass
from random import Random

from training.frames import ADDED, AFTER, BEFORE, HOW, WHAT
from training.talk import usual


def lines(text: str) -> tuple[str, ...]:
    """The templates of a table that holds one a line; an open bracket goes on in the next line.

    There the line break stands for a space, except where an alternative begins or ends.
    """
    found, depth = [], 0
    for line in map(str.strip, text.splitlines()):
        if depth:
            together = found[-1].endswith(("(", "|")) or line.startswith(("|", ")"))
            found[-1] += line if together else f" {line}"
        elif line:
            found.append(line)
        depth += line.count("(") - line.count(")")
    return tuple(found)


FRAMES = {"things": lines(WHAT), "tasks": lines(HOW)}
LEADS, TAILS, ADDITIONS = lines(BEFORE), lines(AFTER), lines(ADDED)


@dataclass(frozen=True)
class Topic:
    """What is asked about, in words that fill the frames or in whole questions, and the one answer to it."""

    answer: str
    things: str = ""  # nouns for WHAT, one a line
    tasks: str = ""  # what people want to do, for HOW
    asks: str = ""  # whole questions
    more: str | None = None  # where the person wants to hear more
    brief: str | None = None

    def ask(self, rng: Random) -> str:
        """One of its questions: a whole one as often as one of the others that it has, framed."""
        forms = [form for form in ("things", "tasks") if getattr(self, form)]
        form = "asks" if self.asks and (not forms or rng.random() < 0.5) else rng.choice(forms)
        words = usual(rng, lines(getattr(self, form)))
        return usual(rng, FRAMES[form]).replace("@", words) if form in FRAMES else words


def mannered(rng: Random, ask: str) -> str:
    """The same question, now and then with something before it or after it."""
    if rng.random() < 0.15:
        ask = f"{rng.choice(LEADS)} {ask}"
    kind = rng.random()
    if kind < 0.06 and not ask.endswith((")", "!")):
        return ask.rstrip("?.") + rng.choice(TAILS) + "(?|)"
    return f"{ask} {rng.choice(ADDITIONS)}" if kind < 0.09 else ask
