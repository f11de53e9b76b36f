"""Sums and differences of pairs of numbers that were never calculated in training, and what follows what."""

import re
from random import Random
from string import ascii_lowercase

from training.evaluation.wants import Case, Want, case, one_of, results, sequence, type_text
from training.phrases import read
from training.skills.numbers import is_held_out
from training.talk import MONTHS, WEEKDAYS

TEXT = read("examination/arithmetic")
LETTERS = tuple(ascii_lowercase)
# The letter and not the article: large and alone, in quotes, or at the end.
LETTER_A = re.compile(
    r"\bA\b(?! [a-z])|\bA (?:is|comes|stands|starts|begins)\b|[\"'\u201c\u2018][Aa][\"'\u201d\u2019]"
    r"|\b(?:letter|is) a\W*$|^\W*a\W*$"
)
SERIES = {"letters": LETTERS, "weekdays": WEEKDAYS, "months": MONTHS}
# Sets of which an answer must have one alone, besides what was asked about; "a" and "I" are words too.
CLOSED = {"letter": tuple(set(LETTERS) - set("ai")), "day": WEEKDAYS, "month": MONTHS}


def calculation_cases() -> list[Case]:
    """120 sums and 120 differences of held-out pairs, six in each notation."""
    rng, cases = Random(21), []
    pairs = [(a, b) for a in range(100) for b in range(100) if is_held_out(a, b)]
    for notations, sign in ((TEXT.sums, 1), (TEXT.differences, -1)):
        possible = [(a, b) for a, b in pairs if a + sign * b >= 0]
        for number, (a, b) in enumerate(rng.sample(possible, 120)):
            ask = type_text(rng, notations[number % len(notations)], a=str(a), b=str(b))
            cases.append(case(ask, want=results(a + sign * b)))
    return cases


def sequence_cases() -> list[Case]:
    """Counting, the alphabet, days and months."""
    rng = Random(22)
    return [case(type_text(rng, ask), want=want_of(kind, *v.split(", "))) for ask, kind, v in TEXT.sequences]


def want_of(kind: str, *values: str) -> Want:
    """What a question wants: numbers in turn, one number, a series, or one of a closed set."""
    if kind == "count":
        first, last = map(int, values)
        step = 1 if first <= last else -1
        return sequence([str(number) for number in range(first, last + step, step)])
    if kind == "result":
        return results(int(values[0]))
    if kind == "all":
        return sequence(SERIES[values[0]])
    return first_letter() if kind == "letter a" else one_of(values[0], CLOSED[kind], values[1])


def first_letter() -> Want:
    """The letter A, which no article passes for."""
    alone = one_of("a", CLOSED["letter"])
    return Want("A", lambda answer: LETTER_A.search(answer) is not None and alone.holds(answer))
