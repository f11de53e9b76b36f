"""What a case of the examination is, how strangers type, and what answers have to be."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from training.english import in_words
from training.phrases import read

TEXT = read("examination/wants")
LONG_WORD = re.compile(r"(?<![\w{'-])[A-Za-z]{5,}(?![\w}'-])")
SLANG = {" you ": " u ", " are ": " r ", "please": "pls", "because": "cuz", "want to": "wanna", "I'm": "im"}
NAME_INSIDE = re.compile(r"(?<=[\w,;] )[A-Z][a-z][\w-]*")
FIGURES = {in_words(number): str(number) for number in range(100)}
NUMBER_WORD = re.compile(
    rf"\b({'|'.join(sorted(FIGURES, key=len, reverse=True)).replace('-', '[- ]')})\b", re.IGNORECASE
)
HUNDRED = re.compile(r"\b(?:1|a) hundred(?:(?: and)? (\d+))?\b", re.IGNORECASE)
PLURAL = re.compile(r"(ies|y|s)$")


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


def type_text(rng: Random, template: str, **values: str) -> str:
    """A person's text with `{value}`s filled in: two of three type properly, the third is in a hurry."""
    hurry = rng.random()
    if hurry < 2 / 3:
        return template.format(**values)
    if hurry > 0.96 and not values:
        return template.upper() if hurry > 0.98 else template.title().replace("'S", "'s")
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
    wrong = (TEXT.neighbours[text[at].lower()] + text[at + 1], text[at + 1], text[at + 1] + text[at])
    return text[:at] + rng.choice(wrong) + text[at + 2 :]


def has(pattern: str, answer: str) -> bool:
    """Whether an answer has something for a regular expression, in large letters or small ones."""
    return re.search(pattern, answer, re.IGNORECASE) is not None


def contains(text: str, value: str) -> bool:
    """Whether a word or phrase is in a text; capitals count where the value has any."""
    flags = re.IGNORECASE if value == value.lower() else 0
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, flags) is not None


def says(*values: str, without: Collection[str] = ()) -> Want:
    """All of these words or phrases, and none of those."""

    def holds(answer: str) -> bool:
        found = all(contains(answer, value) for value in values)
        return found and not any(contains(answer.lower(), value.lower()) for value in without)

    return Want(" and ".join(values) + (f", not {' nor '.join(without)}" if without else ""), holds)


def matches(*patterns: str, without: Collection[str] = ()) -> Want:
    """Something for each of the regular expressions, and nothing for those."""
    found = [re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns]
    wrong = [re.compile(pattern, re.IGNORECASE) for pattern in without]

    def holds(answer: str) -> bool:
        return all(one.search(answer) for one in found) and not any(one.search(answer) for one in wrong)

    return Want(" and ".join(patterns), holds)


def helps(pattern: str) -> Want:
    """Something for the regular expression, and no refusal; those may name a flag too."""
    return matches(pattern, without=["(?-i:too small)"])


def declines(question: str) -> Want:
    """To say that it is not known or possible, without a name or a number that the question did not have."""
    known = {*re.findall(r"[\w-]+", question.lower()), *TEXT.known_names}

    def holds(answer: str) -> bool:
        stated = NAME_INSIDE.findall(answer) + re.findall(r"\b\d+\b(?! million)", answer)
        invented = [word for word in stated if word.lower().removesuffix("'s") not in known]
        # That the person has not told something is no answer to a question about the world.
        return has(TEXT.not_known, answer) and not invented and not has(TEXT.you_not_told, answer)

    return Want("declined, and nothing invented", holds)


def not_told() -> Want:
    """To say that the person has not told this, without a guess."""
    want = matches(TEXT.not_told, without=[TEXT.of_the_world, TEXT.claim])
    return Want("not told, and nothing invented", want.holds)


def digits(text: str) -> str:
    """The text with numbers in figures instead of words, up to a hundred and ninety-nine."""
    figures = NUMBER_WORD.sub(lambda found: FIGURES[found[0].lower().replace(" ", "-")], text)
    return HUNDRED.sub(lambda found: str(100 + int(found[1] or 0)), figures)


def results(number: int) -> Want:
    """This number as what comes out: after a sign or a verb, or else as the last one."""

    def holds(answer: str) -> bool:
        text = digits(answer)
        stated = re.search(TEXT.result, text, re.IGNORECASE)
        found = [stated[1]] if stated else re.findall(r"(?<![\w.])-?\d+\b", text)
        return bool(found) and int(found[-1]) == number

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
        found = kind.findall((digits(answer) if figures else answer).lower())
        found = [word for word in found if word in wanted or (figures and word.isdigit())]
        starts = range(len(found) - len(wanted) + 1)
        at = next((start for start in starts if found[start : start + len(wanted)] == wanted), None)
        return at is not None and {*found[:at], *found[at + len(wanted) :]} <= around

    return Want(", ".join(items), holds)


def one_of(wanted: str, others: Collection[str], asked: str = "") -> Want:
    """Of a closed set of words this one, besides one that the question had."""
    closed = {other.lower() for other in (wanted, *others)}

    def holds(answer: str) -> bool:
        found = closed.intersection(re.findall(r"\w+(?:'\w+)*", answer.lower()))
        return found - {asked.lower()} == {wanted.lower()}

    return Want(wanted, holds)


def lists(count: int, kind: str, members: Collection[str]) -> Want:
    """So many different things, all of them in the table; their order and the words around are free."""
    known = {form: member for member in members for form in (member, f"{member}s", f"{member}es")}
    known |= {f"{member[:-1]}ies": member for member in members if member.endswith("y")}

    def holds(answer: str) -> bool:
        things = [singular(thing, known) for thing in listed(answer)]
        return None not in things and len(things) == len(set(things)) == count

    return Want(f"{count} {kind}", holds)


def listed(answer: str) -> list[str]:
    """What a text enumerates: lines with marks, or what stands between commas after a colon or a verb."""
    if lines := re.findall(TEXT.item, answer, re.MULTILINE):
        return [line.strip(" .,;!?").lower() for line in lines]
    sentences = re.split(r"(?<=[.!?])\s+", answer.lower())
    pieces = [piece for sentence in sentences for piece in re.split(r":\s|\b(?:are|is)\b", sentence)]
    # Of two that enumerate as much, what comes later: "Two fruits, I think, are: apples and pears."
    listing = max(reversed(pieces), key=lambda piece: len(re.findall(TEXT.between, piece.strip())))
    parts = re.split(TEXT.between, listing.strip(" .,!?\n"))
    return [part.strip(" .,!?") for part in parts if part.strip(" .,!?")]


def singular(thing: str, known: Mapping[str, str]) -> str | None:
    """A thing whose last words are known, with their singular: "a pair of warm socks", "blue-green"."""
    parts = re.split(r"[\s-]+", re.sub(TEXT.aside, "", thing).strip())
    for start in range(len(parts)):
        if (member := known.get(" ".join(parts[start:])) or known.get("-".join(parts[start:]))) is not None:
            return " ".join((*(part for part in parts[:start] if part not in {"a", "an", "the"}), member))
    return None


def rhymes_with(word: str, rhymes: Collection[str]) -> Want:
    """A word that rhymes with this one, other than itself; a common little word only where it is meant."""
    sure = [rhyme for rhyme in rhymes if rhyme not in TEXT.little]
    little = "|".join(rhyme for rhyme in rhymes if rhyme in TEXT.little) or "(?!)"
    meant = rf"\b({little})\W? rhymes\b|[\"']({little})[\"']|^\W*({little})\W*$"

    def holds(answer: str) -> bool:
        if has(TEXT.not_known, answer) or has(r"(\bnot|n't) rhyme|\bno rhyme", answer):
            return False
        return any(contains(answer, rhyme) for rhyme in sure) or has(meant, answer)

    return Want(f"a rhyme for {word}", holds)


def verse(about: str, families: Collection[Collection[str]]) -> Want:
    """Lines or clauses about this, of which two end alike: in spelling, or as words of one family do."""

    def holds(answer: str) -> bool:
        ends = {end.lower() for end in re.findall(r"([^\W\d_]+)[^\w\s]*(?:\n|$|(?<=[,.;:!?])\s)", answer)}
        alike = any(
            first[-3:] == second[-3:] or any(first in family and second in family for family in families)
            for first, second in combinations(ends, 2)
        )
        words = {PLURAL.sub("", word) for word in re.findall(r"[^\W\d_]+", answer.lower())}
        return alike and all(PLURAL.sub("", word) in words for word in about.lower().split())

    return Want(f"a rhyme about {about}", holds)


def brief(limit: int | None, *patterns: str) -> Want:
    """An answer of at most so many words, or else of one sentence.

    A yes or a thank-you is no sentence, and a riddle and its answer are one.
    """
    answers = matches(*patterns)

    def holds(answer: str) -> bool:
        sentences = [part for part in re.split(r"(?<=[.!])\s+", answer.strip()) if len(part.split()) > 2]
        is_short = len(answer.split()) <= limit if limit else len(sentences) <= 1
        return is_short and bool(answer.strip()) and answers.holds(answer)

    return Want(f"{answers.text}, in {f'at most {limit} words' if limit else 'one sentence'}", holds)
