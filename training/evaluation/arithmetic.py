"""Sums and differences of pairs of numbers that were never calculated in training, and what follows what."""

import re
from random import Random
from string import ascii_lowercase

from training.evaluation.cases import Case, Want, case, typed
from training.evaluation.wants import one_of, results, sequence
from training.skills.numbers.arithmetic import held_out
from training.talk import MONTHS, WEEKDAYS

SUMS = (
    "{a} + {b}",
    "what is {a} + {b}?",
    "What's {a} plus {b}?",
    "{a}+{b}=",
    "how much is {a} plus {b}",
    "Can you add {a} and {b}?",
    "Please calculate {a} + {b}.",
    "I have {a} apples and my friend gives me {b} more. How many apples do I have now?",
    "calculate {a}+{b} pls",
    "Could you tell me what {a} and {b} make?",
    "what do you get when you add {b} to {a}",
    "My homework says {a} + {b}. What is the answer?",
    "Do you know what {a} plus {b} is?",
    "I need the sum of {a} and {b}.",
    "There are {a} girls and {b} boys at our school. How many children is that?",
    "what does {a} + {b} equal",
    "I paid {a} euros for the shoes and {b} euros for a shirt. How much did I pay altogether?",
    "ok now {a} plus {b}",
    "How much are {a} and {b} together?",
    "hi, can you do {a} + {b} please?",
)
DIFFERENCES = (
    "{a} - {b}",
    "what is {a} - {b}?",
    "What's {a} minus {b}?",
    "{a}-{b}=",
    "how much is {a} minus {b}",
    "Can you subtract {b} from {a}?",
    "Please calculate {a} - {b}.",
    "I had {a} euros and spent {b}. How much do I have left?",
    "calculate {a}-{b} pls",
    "Could you tell me what {a} minus {b} makes?",
    "what do you get when you take {b} from {a}",
    "My homework says {a} - {b}. What is the answer?",
    "Do you know what {a} minus {b} is?",
    "I need the difference between {a} and {b}.",
    "There were {a} people on the bus and {b} got off. How many are still on the bus?",
    "what does {a} - {b} equal",
    "My book has {a} pages and I have read {b}. How many pages are left?",
    "ok now {a} minus {b}",
    "How much is left when you take away {b} from {a}?",
    "hi, can you do {a} - {b} please?",
)
LETTERS = tuple(ascii_lowercase)
# The letter and not the article: large and alone, in quotes, or at the end.
LETTER_A = re.compile(
    r"\bA\b(?! [a-z])|\bA (?:is|comes|stands|starts|begins)\b|[\"'\u201c\u2018][Aa][\"'\u201d\u2019]"
    r"|\b(?:letter|is) a\W*$|^\W*a\W*$"
)


def calculation_cases() -> list[Case]:
    """120 sums and 120 differences of held-out pairs, six in each notation."""
    rng, cases = Random(21), []
    pairs = [(a, b) for a in range(100) for b in range(100) if held_out(a, b)]
    for notations, sign in ((SUMS, 1), (DIFFERENCES, -1)):
        possible = [(a, b) for a, b in pairs if a + sign * b >= 0]
        for number, (a, b) in enumerate(rng.sample(possible, 120)):
            ask = typed(rng, notations[number % len(notations)], a=str(a), b=str(b))
            cases.append(case(ask, want=results(a + sign * b)))
    return cases


def sequence_cases() -> list[Case]:
    """Counting, the alphabet, days and months."""
    rng = Random(22)
    return [case(typed(rng, ask), want=want) for ask, want in SEQUENCES]


def count(first: int, last: int) -> Want:
    """Counting up or down from one number to another."""
    step = 1 if first <= last else -1
    return sequence([str(number) for number in range(first, last + step, step)])


def letter(wanted: str, asked: str) -> Want:
    """One letter, besides the one that was asked about; "a" and "I" are words too."""
    return one_of(wanted, [other for other in LETTERS if other not in "ai"], asked)


def first_letter() -> Want:
    """The letter A, which no article passes for."""
    alone = letter("a", "")
    return Want("A", lambda answer: LETTER_A.search(answer) is not None and alone.holds(answer))


def day(wanted: str, asked: str) -> Want:
    """One day of the week, besides the one that was asked about."""
    return one_of(wanted, WEEKDAYS, asked)


def month(wanted: str, asked: str) -> Want:
    """One month, besides the one that was asked about."""
    return one_of(wanted, MONTHS, asked)


SEQUENCES = (
    ("Can you count to 10?", count(1, 10)),
    ("count from 1 to 20", count(1, 20)),
    ("Please count from 3 to 9 for me.", count(3, 9)),
    ("Can you write the numbers from 5 to 12?", count(5, 12)),
    ("count down from 10 to 1", count(10, 1)),
    ("Could you count backwards from 5 to 1, please?", count(5, 1)),
    ("My son wants to hear you count to fifteen.", count(1, 15)),
    ("count from 14 up to 18 pls", count(14, 18)),
    ("Tell me the numbers 20 to 26 in order.", count(20, 26)),
    ("can u count to eight", count(1, 8)),
    ("What number comes after 41?", results(42)),
    ("which number is next after 29", results(30)),
    ("What number comes before 60?", results(59)),
    ("what comes after 99?", results(100)),
    ("Which number comes right after 17?", results(18)),
    ("Can you say the alphabet?", sequence(LETTERS)),
    ("write down the abc", sequence(LETTERS)),
    ("Please give me all the letters of the alphabet.", sequence(LETTERS)),
    ("What letter comes after G?", letter("h", "g")),
    ("which letter comes after t", letter("u", "t")),
    ("What is the letter before M?", letter("l", "m")),
    ("whats after q in the alphabet", letter("r", "q")),
    ("Which letter comes before F in the alphabet?", letter("e", "f")),
    ("What's the first letter of the alphabet?", first_letter()),
    ("what is the last letter of the alphabet", letter("z", "")),
    ("What are the days of the week?", sequence(WEEKDAYS)),
    ("list all 7 days of the week please", sequence(WEEKDAYS)),
    ("Can you tell me the days of the week in the right order?", sequence(WEEKDAYS)),
    ("What day comes after Tuesday?", day("Wednesday", "Tuesday")),
    ("which day is after saturday", day("Sunday", "Saturday")),
    ("Today is Thursday. What day is tomorrow?", day("Friday", "Thursday")),
    ("what day is before monday?", day("Sunday", "Monday")),
    ("If today is Friday, what day was yesterday?", day("Thursday", "Friday")),
    ("tomorrow is thursday so what day is it today", day("Wednesday", "Thursday")),
    ("How many days are in a week?", results(7)),
    ("What are the months of the year?", sequence(MONTHS)),
    ("tell me all twelve months", sequence(MONTHS)),
    ("Could you please list the months from January to December?", sequence(MONTHS)),
    ("Which month comes after March?", month("April", "March")),
    ("what month is after november", month("December", "November")),
    ("What month comes before August?", month("July", "August")),
    ("It is May now. What is the next month?", month("June", "May")),
    ("what month comes right before october", month("September", "October")),
    ("Which month does a new year begin with?", month("January", "")),
    ("which month is the last one of the year?", month("December", "")),
    ("How many months does a year have?", results(12)),
    ("how many letters has the alphabet got in all", results(26)),
    ("I forgot, which month comes after June?", month("July", "June")),
)
