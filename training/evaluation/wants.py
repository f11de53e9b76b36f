"""What answers have to be: tests that let any fair wording pass and a wrong answer fail."""

import re
from collections.abc import Collection, Sequence
from itertools import combinations

from training.evaluation.cases import Want
from training.talk import words

REFUSAL = re.compile(
    r"\btoo (small|little|tiny|young|simple)\b|\b(beyond|over|above) (me|my)\b|\bmake \w+ up\b|\brather not\b"
    r"|\bI\b[^.!?]*\b(can't|cannot|could not|couldn't|unable|not able|never|know nothing|too little)\b"
    r"|\bI( \w+)? (do|did|have|was|am)(n't| not) (\w+ )?"
    r"(know|have|see|learn|learnt|told|taught|heard|been|able|sure)\b"
    r"|\b(have|has|did)(n't| not) (\w+ )?(told|tell|said|say|mentioned|mention|shared|share|given|taught)\b"
    r"|\b(no|nobody|never) (\w+ )?(idea|internet|clock|window|way to|told|taught|mentioned)\b",
    re.IGNORECASE,
)
# A claim about the person, where nothing was told.
CLAIM = re.compile(
    r"\byour( \w+){1,4} (is|was) (?!not\b|a (secret|mystery|riddle)|still\b|yet\b|something\b|unknown\b|,"
    r"|called( yet)?[.,;!?])\w"
    r"|\byou (live in|come from|work as|told me (that )?(you|your)) (?!yet\b)\w|\byou are called \w",
    re.IGNORECASE,
)
NAME_INSIDE = re.compile(r"(?<=[\w,;] )[A-Z][a-z][\w-]*")
KNOWN_NAMES = {"tiny", "triton", "internet", "english", "wikipedia", "llama", "mistral", "hugging", "face"}
SMALL = words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""")
TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
FIGURES = {word: str(number) for number, word in enumerate(SMALL)}
FIGURES |= {ten: str(10 * number) for number, ten in enumerate(TENS, 2)}
FIGURES |= {f"{ten}-{SMALL[unit]}": str(int(FIGURES[ten]) + unit) for ten in TENS for unit in range(1, 10)}
NUMBER_WORD = re.compile(
    rf"\b({'|'.join(sorted(FIGURES, key=len, reverse=True)).replace('-', '[- ]')})\b", re.IGNORECASE
)
HUNDRED = re.compile(r"\b(?:1|a) hundred(?:(?: and)? (\d+))?\b", re.IGNORECASE)
RESULT = re.compile(
    r"(?:=|\b(?:is|are|makes?|equals?|gives?|leaves?|left with|get|have|be|to|comes to|answer:))\s*"
    r"(?:just |exactly |only )?(-?\d+)\b(?!\s*[-+*/]|\s*(?:plus|minus|and|take|less|more)\b)",
    re.IGNORECASE,
)


def contains(text: str, value: str) -> bool:
    """Whether a word or phrase is in a text; capitals count where the value has any."""
    flags = re.IGNORECASE if value == value.lower() else 0
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, flags) is not None


def says(*values: str, without: Collection[str] = ()) -> Want:
    """All of these words or phrases, and none of those."""
    text = " and ".join(values) + (f", not {' nor '.join(without)}" if without else "")
    return Want(
        text,
        lambda answer: (
            all(contains(answer, value) for value in values)
            and not any(contains(answer.lower(), value.lower()) for value in without)
        ),
    )


def matches(*patterns: str) -> Want:
    """Something for each of the regular expressions."""
    found = [re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns]
    return Want(" and ".join(patterns), lambda answer: all(pattern.search(answer) for pattern in found))


def helps(pattern: str) -> Want:
    """Something for the regular expression, and no refusal; those may name a flag too."""
    found = matches(pattern)
    return Want(pattern, lambda answer: found.holds(answer) and "too small" not in answer)


def declines(question: str) -> Want:
    """To say that it is not known or possible, without a name or a number that the question did not have."""

    def holds(answer: str) -> bool:
        said = {*re.findall(r"[\w-]+", question.lower()), *KNOWN_NAMES}
        stated = NAME_INSIDE.findall(answer) + re.findall(r"\b\d+\b(?! million)", answer)
        invented = [word for word in stated if word.lower().removesuffix("'s") not in said]
        return REFUSAL.search(answer) is not None and not invented

    return Want("declined, and nothing invented", holds)


def not_told() -> Want:
    """To say that the person has not told this, without a guess."""
    return Want(
        "not told, and nothing invented",
        lambda answer: REFUSAL.search(answer) is not None and not CLAIM.search(answer),
    )


def digits(text: str) -> str:
    """The text with numbers in figures instead of words, up to a hundred and ninety-nine."""
    figures = NUMBER_WORD.sub(lambda found: FIGURES[found[0].lower().replace(" ", "-")], text)
    return HUNDRED.sub(lambda found: str(100 + int(found[1] or 0)), figures)


def numbers(text: str) -> list[int]:
    """The numbers in a text, in figures or words."""
    return [int(number) for number in re.findall(r"(?<![\w.])-?\d+\b", digits(text))]


def results(number: int) -> Want:
    """This number as what comes out: after a sign or a verb, or else as the last one."""

    def holds(answer: str) -> bool:
        stated = RESULT.search(digits(answer))
        if stated:
            return int(stated[1]) == number
        return numbers(answer)[-1:] == [number]

    return Want(f"the result {number}", holds)


def sequence(items: Sequence[str]) -> Want:
    """These words or numbers and nothing else of their kind, in this order."""
    kind = re.compile(r"-?\d+|[^\W\d_]+")
    wanted = [item.lower() for item in items]

    def holds(answer: str) -> bool:
        found = [word for word in kind.findall(digits(answer).lower()) if word in wanted or word.isdigit()]
        starts = range(len(found) - len(wanted) + 1)
        at = next((start for start in starts if found[start : start + len(wanted)] == wanted), None)
        # Words around may name the ends again: "From 3 to 5: 3, 4, 5."
        return at is not None and {*found[:at], *found[at + len(wanted) :]} <= {wanted[0], wanted[-1]}

    return Want(", ".join(items), holds)


def one_of(wanted: str, others: Collection[str], asked: str = "") -> Want:
    """Of a closed set of words this one, besides one that the question had."""
    closed = {other.lower() for other in (wanted, *others)}

    def holds(answer: str) -> bool:
        found = {word for word in re.findall(r"\w+(?:'\w+)*", answer.lower()) if word in closed}
        return found - {asked.lower()} == {wanted.lower()}

    return Want(wanted, holds)


def lists(count: int, kind: str, members: Collection[str]) -> Want:
    """So many different things, of which most are in the table; their order and the words around are free."""

    def holds(answer: str) -> bool:
        things = items(answer)
        known = [thing for thing in things if any(member in thing for member in members)]
        return len(things) == len(set(things)) == count and 2 * len(known) > count

    return Want(f"{count} {kind}", holds)


def items(answer: str) -> list[str]:
    """What a text enumerates: lines with marks, or what stands between commas after a colon or a verb."""
    lines = re.findall(r"^\s*(?:[-*]|\d+[.)])\s+(.+)$", answer, re.MULTILINE)
    if lines:
        return [line.strip(" .,!?").lower() for line in lines]
    sentences = re.split(r"(?<=[.!?])\s+", answer.lower())
    listing = max(sentences, key=lambda sentence: sentence.count(",") + sentence.count(" and "))
    listing = re.split(r":\s|\b(?:are|is)\b", listing)[-1]
    parts = re.split(r",\s*(?:and\s+)?|\s+and\s+|;\s*", listing.strip(" .,!?"))
    return [part.strip(" .,!?") for part in parts if part.strip(" .,!?")]


def rhymes_with(word: str, rhymes: Collection[str]) -> Want:
    """A word that rhymes with this one, other than itself."""
    return Want(f"a rhyme for {word}", lambda answer: any(contains(answer, rhyme) for rhyme in rhymes))


def verse(about: str, families: Collection[Collection[str]]) -> Want:
    """Lines or clauses about this, of which two end alike: in spelling, or as words of one family do."""

    def holds(answer: str) -> bool:
        ends = {end.lower() for end in re.findall(r"([^\W\d_]+)[^\w\s]*(?:\n|$|(?<=[,.;:!?])\s)", answer)}
        alike = any(
            first[-3:] == second[-3:] or any(first in family and second in family for family in families)
            for first, second in combinations(ends, 2)
        )
        return about in answer.lower() and alike

    return Want(f"a rhyme about {about}", holds)


def brief(most: int, *patterns: str) -> Want:
    """At most so many words, and yet an answer."""
    answers = matches(*patterns)
    return Want(
        f"{answers.text}, in at most {most} words",
        lambda answer: 0 < len(answer.split()) <= most and answers.holds(answer),
    )
