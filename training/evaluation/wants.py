"""What answers have to be: tests that let any fair wording pass and a wrong answer fail."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from training.english import in_words
from training.evaluation.cases import Want
from training.talk import words

# Said of what a small model cannot know or do.
NOT_KNOWN = re.compile(
    r"\btoo (small|little|tiny|young|simple|hard|difficult)\b|\b(beyond|over|above) (me|my)\b"
    r"|\bmake \w+ up\b|\brather not\b"
    r"|\bI\b[^.!?]*\b(can't|cannot|could not|couldn't|unable|not able|know nothing)\b"
    r"|\bI( \w+)? (do|did|have|was|am)(n't| not) (\w+ )?"
    r"(know|see|have|learn|learnt|learned|told|taught|heard|been|able|sure)\b"
    r"|\bnever (\w+ )?(been|heard|seen|learnt|learned|read|met|told|taught)\b"
    r"|\b(no|nobody) (\w+ )?(idea|internet|clock|window|way to|told|taught)\b",
    re.IGNORECASE,
)
YOU_NOT_TOLD = (
    r"\byou( have|'ve| had| did)?(n't| not| never) (\w+ )?"
    r"(told|tell|said|say|mentioned|mention|shared|share|given|introduced)\b"
)
# Said of what the person has kept to themselves, and what is said of the world instead.
NOT_TOLD = re.compile(
    YOU_NOT_TOLD + r"|\b(nobody|no one|never)( has| was)? (\w+ )?(told|mentioned|said|shared)\b"
    r"|\bI( \w+)? (do|did|have|was|am)(n't| not) (\w+ )?(know|learn|learnt|learned|heard|told|sure)\b"
    r"|\bI( \w+)? (can't|cannot|could not|couldn't) (\w+ )?(know|tell|say|remember|recall|guess)\b"
    r"|\bno idea\b",
    re.IGNORECASE,
)
OF_THE_WORLD = re.compile(r"\btoo (small|hard)\b|\bclock\b|\bbigger model\b", re.IGNORECASE)
# A claim about the person, where nothing was told.
CLAIM = re.compile(
    r"\byour( \w+){1,4} (is|was) (?!not\b|a (secret|mystery|riddle)|still\b|yet\b|something\b|unknown\b|,"
    r"|called( yet)?[.,;!?])\w"
    r"|\byou (live in|come from|work as|told me (that )?(you|your)) (?!yet\b)\w|\byou are called \w"
    r"|(?<!\bif )(?<!\bwhether )(?<!\bthat )(?<!\bdo )\byou (have|own) (an?|two|three) \w"
    r"|(?<!\bif )(?<!\bwhether )(?<!\bthat )\byou are "
    r"(an? (?!(secret|mystery|riddle|stranger)\b)\w|(?-i:[A-Z])\w)",
    re.IGNORECASE,
)
NAME_INSIDE = re.compile(r"(?<=[\w,;] )[A-Z][a-z][\w-]*")
KNOWN_NAMES = {"tiny", "triton", "internet", "english", "wikipedia", "llama", "mistral", "hugging", "face"}
FIGURES = {in_words(number): str(number) for number in range(100)}
NUMBER_WORD = re.compile(
    rf"\b({'|'.join(sorted(FIGURES, key=len, reverse=True)).replace('-', '[- ]')})\b", re.IGNORECASE
)
HUNDRED = re.compile(r"\b(?:1|a) hundred(?:(?: and)? (\d+))?\b", re.IGNORECASE)
RESULT = re.compile(
    r"(?:=|\b(?:is|are|makes?|equals?|gives?|leaves?|left with|get|have|be|to|comes to|answer:))\s*"
    r"(?:just |exactly |only )?(-?\d+)\b(?!\s*[-+*/]|\s*(?:plus|minus|and|take|less|more)\b)",
    re.IGNORECASE,
)

# What stands between the things of a list, and what may follow one of them.
BETWEEN = re.compile(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+|;\s*|\n\s*")
ASIDE = re.compile(r"\s+(?:for|from|in|with|which|that|on|to|because|like)\b.*|\s*\(.*|\s+-\s.*")
PLURAL = re.compile(r"(ies|y|s)$")
# Words that rhyme, but stand in sentences of all kinds too.
LITTLE = words("""
    a again are at be do few free he key know may me new note play right say see she still sure that three
    to too true two way we who you
""")


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


def chats(pattern: str, *never: str) -> Want:
    """Something for the regular expression, and nothing for those that no answer here may match."""
    found, wrong = matches(pattern), [re.compile(one, re.IGNORECASE) for one in never]
    return Want(pattern, lambda answer: found.holds(answer) and not any(one.search(answer) for one in wrong))


def declines(question: str) -> Want:
    """To say that it is not known or possible, without a name or a number that the question did not have."""

    def holds(answer: str) -> bool:
        said = {*re.findall(r"[\w-]+", question.lower()), *KNOWN_NAMES}
        stated = NAME_INSIDE.findall(answer) + re.findall(r"\b\d+\b(?! million)", answer)
        invented = [word for word in stated if word.lower().removesuffix("'s") not in said]
        # That the person has not told something is no answer to a question about the world.
        asked_back = re.search(YOU_NOT_TOLD, answer, re.IGNORECASE)
        return NOT_KNOWN.search(answer) is not None and not invented and not asked_back

    return Want("declined, and nothing invented", holds)


def not_told() -> Want:
    """To say that the person has not told this, without a guess."""
    wrong = (OF_THE_WORLD, CLAIM)
    return Want(
        "not told, and nothing invented",
        lambda answer: NOT_TOLD.search(answer) is not None and not any(one.search(answer) for one in wrong),
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
    kind = re.compile(r"(?<!\d)-?\d+|[^\W\d_]+(?:'[^\W\d_]+)*")
    wanted = [item.lower() for item in items]
    figures = any(item.isdigit() for item in wanted)
    # "A" and "I" are words too; and words around may name the ends again: "From 3 to 5: 3, 4, 5."
    around = {wanted[0], wanted[-1], *({"a", "i"} if "b" in wanted else ())}

    def holds(answer: str) -> bool:
        # Where words are wanted, figures only number them: "1. Monday", "26 letters".
        text = digits(answer) if figures else answer
        found = [
            word for word in kind.findall(text.lower()) if word in wanted or (figures and word.isdigit())
        ]
        starts = range(len(found) - len(wanted) + 1)
        at = next((start for start in starts if found[start : start + len(wanted)] == wanted), None)
        return at is not None and {*found[:at], *found[at + len(wanted) :]} <= around

    return Want(", ".join(items), holds)


def one_of(wanted: str, others: Collection[str], asked: str = "") -> Want:
    """Of a closed set of words this one, besides one that the question had."""
    closed = {other.lower() for other in (wanted, *others)}

    def holds(answer: str) -> bool:
        found = {word for word in re.findall(r"\w+(?:'\w+)*", answer.lower()) if word in closed}
        return found - {asked.lower()} == {wanted.lower()}

    return Want(wanted, holds)


def lists(count: int, kind: str, members: Collection[str]) -> Want:
    """So many different things, all of them in the table; their order and the words around are free."""
    known = {form: member for member in members for form in forms(member)}

    def holds(answer: str) -> bool:
        things = [singular(thing, known) for thing in items(answer)]
        return None not in things and len(things) == len(set(things)) == count

    return Want(f"{count} {kind}", holds)


def forms(noun: str) -> tuple[str, ...]:
    """A noun with and without the endings of the plural."""
    return noun, f"{noun}s", f"{noun}es", *([f"{noun[:-1]}ies"] if noun.endswith("y") else ())


def items(answer: str) -> list[str]:
    """What a text enumerates: lines with marks, or what stands between commas after a colon or a verb."""
    lines = re.findall(r"(?:^|(?<=\s))(?:[-*]|\d+[.)])\s+(.+?)(?=\s+\d+[.)]\s|$)", answer, re.MULTILINE)
    if lines:
        return [line.strip(" .,;!?").lower() for line in lines]
    sentences = re.split(r"(?<=[.!?])\s+", answer.lower())
    pieces = [piece for sentence in sentences for piece in re.split(r":\s|\b(?:are|is)\b", sentence)]
    # Of two that enumerate as much, what comes later: "Two fruits, I think, are: apples and pears."
    listing = max(reversed(pieces), key=lambda piece: len(BETWEEN.findall(piece.strip())))
    parts = BETWEEN.split(listing.strip(" .,!?\n"))
    return [part.strip(" .,!?") for part in parts if part.strip(" .,!?")]


def singular(thing: str, known: Mapping[str, str]) -> str | None:
    """A thing whose last words are known, with their singular: "a pair of warm socks", "blue-green"."""
    parts = re.split(r"[\s-]+", ASIDE.sub("", thing).strip())
    for start in range(len(parts)):
        if (member := known.get(" ".join(parts[start:])) or known.get("-".join(parts[start:]))) is not None:
            return " ".join((*(part for part in parts[:start] if part not in {"a", "an", "the"}), member))
    return None


def rhymes_with(word: str, rhymes: Collection[str]) -> Want:
    """A word that rhymes with this one, other than itself; a common little word only where it is meant."""
    sure = [rhyme for rhyme in rhymes if rhyme not in LITTLE]
    little = "|".join(rhyme for rhyme in rhymes if rhyme in LITTLE) or "(?!)"
    meant = re.compile(rf"\b({little})\W? rhymes\b|[\"']({little})[\"']|^\W*({little})\W*$", re.IGNORECASE)

    def holds(answer: str) -> bool:
        if NOT_KNOWN.search(answer) or re.search(r"(\bnot|n't) rhyme|\bno rhyme", answer, re.IGNORECASE):
            return False
        return any(contains(answer, rhyme) for rhyme in sure) or meant.search(answer) is not None

    return Want(f"a rhyme for {word}", holds)


def verse(about: str, families: Collection[Collection[str]]) -> Want:
    """Lines or clauses about this, of which two end alike: in spelling, or as words of one family do."""

    def holds(answer: str) -> bool:
        ends = {end.lower() for end in re.findall(r"([^\W\d_]+)[^\w\s]*(?:\n|$|(?<=[,.;:!?])\s)", answer)}
        alike = any(
            first[-3:] == second[-3:] or any(first in family and second in family for family in families)
            for first, second in combinations(ends, 2)
        )
        said = {PLURAL.sub("", word) for word in re.findall(r"[^\W\d_]+", answer.lower())}
        return alike and all(PLURAL.sub("", word) in said for word in about.lower().split())

    return Want(f"a rhyme about {about}", holds)


def sentences(answer: str) -> int:
    """How many sentences there are; a yes or a thank-you is none, and a riddle and its answer are one."""
    return len([part for part in re.split(r"(?<=[.!])\s+", answer.strip()) if len(part.split()) > 2]) or 1


def brief(most: int | None, *patterns: str) -> Want:
    """An answer of at most so many words, or else of one sentence."""
    answers = matches(*patterns)

    def holds(answer: str) -> bool:
        short = len(answer.split()) <= most if most else sentences(answer) == 1
        return short and bool(answer.strip()) and answers.holds(answer)

    return Want(f"{answers.text}, in {f'at most {most} words' if most else 'one sentence'}", holds)
