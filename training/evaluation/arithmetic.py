"""Sums and differences of pairs of numbers that were never calculated in training, and what follows what."""

from random import Random
from string import ascii_lowercase

from training.evaluation.cases import Case, Want, case, typed
from training.evaluation.wants import one_of, results, sequence
from training.skills.arithmetic import held_out
from training.talk import words

SUMS = (
    "{a}+{b}",
    "{a} + {b} = ?",
    "how much do {a} and {b} make if you put them together",
    "Please add {b} to {a} for me.",
    "sum of {a} and {b}",
    "I've got {a} marbles and find {b} more. How many marbles do I have?",
    "quick maths: {a} plus {b}",
    "Hey, if I add {a} and {b}, what do I get?",
    "{a} and {b} added up?",
    "can you solve {a} + {b} for me",
    "My bill is {a} euros and I tip {b}. How much is that in total?",
    "{a} plus {b} is how much?",
    "whats {a}+{b}?",
    "What number do I get from {a} + {b}?",
    "so {a} + {b} would be",
)
DIFFERENCES = (
    "{a}-{b}",
    "{a} - {b} = ?",
    "take {b} away from {a}",
    "Could you subtract {b} from {a}, please?",
    "I had {a} cookies and ate {b} of them. How many are left?",
    "the difference between {a} and {b}?",
    "quick maths: {a} minus {b}",
    "How much is left of {a} if I take off {b}?",
    "{a} less {b}",
    "can you solve {a} - {b} for me",
    "A shop has {a} lamps and sells {b}. How many does it still have?",
    "{a} minus {b} is how much?",
    "whats {a}-{b}?",
    "What number do I get from {a} - {b}?",
    "so {a} - {b} would be",
)
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = words("""
    January February March April May June July August September October November December
""")
LETTERS = tuple(ascii_lowercase)


def calculation_cases() -> list[Case]:
    """120 sums and 120 differences of held-out pairs, eight in each notation."""
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


def day(wanted: str, asked: str) -> Want:
    """One day of the week, besides the one that was asked about."""
    return one_of(wanted, DAYS, asked)


def month(wanted: str, asked: str) -> Want:
    """One month, besides the one that was asked about."""
    return one_of(wanted, MONTHS, asked)


SEQUENCES = (
    ("Can you count up to 10 for me?", count(1, 10)),
    ("show me how far you can count, but stop at twenty", count(1, 20)),
    ("Start at 3 and count until you reach 9.", count(3, 9)),
    ("list the numbers between 5 and 12, both included", count(5, 12)),
    ("I need a countdown from 10", count(10, 1)),
    ("count down starting with 5", count(5, 1)),
    ("one two three... go on until fifteen", count(1, 15)),
    ("Please count for me, 14 to 18.", count(14, 18)),
    ("numbers 20 to 26 in order pls", count(20, 26)),
    ("Let me hear you count to eight!", count(1, 8)),
    ("Which number follows 41?", results(42)),
    ("im at 29 now, whats the next number", results(30)),
    ("What number do you say right before 60?", results(59)),
    ("the number after 99", results(100)),
    ("one more than 17", results(18)),
    ("Could you recite the whole alphabet?", sequence(LETTERS)),
    ("abc... please go on to the end", sequence(LETTERS)),
    ("give me all letters from a to z", sequence(LETTERS)),
    ("Which letter do I find right after G?", letter("h", "g")),
    ("letter that comes next after t", letter("u", "t")),
    ("In the alphabet, what stands before M?", letter("l", "m")),
    ("what follows the letter q", letter("r", "q")),
    ("The letter before F is?", letter("e", "f")),
    ("what letter does the alphabet begin with?", one_of("a", LETTERS)),
    ("What's the very last letter of the alphabet?", letter("z", "")),
    ("Could you name all seven days, beginning with Monday?", sequence(DAYS)),
    ("how do the days of a week go in order", sequence(DAYS)),
    ("Name every weekday and the weekend too.", sequence(DAYS)),
    ("If today is Tuesday, what will tomorrow be?", day("Wednesday", "Tuesday")),
    ("so saturday is over, which day begins", day("Sunday", "Saturday")),
    ("Yesterday was Thursday, so what is today?", day("Friday", "Thursday")),
    ("what's the day just before monday?", day("Sunday", "Monday")),
    ("Today is Friday. Which day was yesterday?", day("Thursday", "Friday")),
    ("after wednesday we have...?", day("Thursday", "Wednesday")),
    ("How many days has a week got?", results(7)),
    ("Can you say all the months from first to last?", sequence(MONTHS)),
    ("the 12 months of a year, go", sequence(MONTHS)),
    ("list me every month there is", sequence(MONTHS)),
    ("March is done. Which month follows it?", month("April", "March")),
    ("what month do we have after november is over", month("December", "November")),
    ("The month right before August?", month("July", "August")),
    ("It's May now, so which month is next?", month("June", "May")),
    ("what comes before october in the calendar?", month("September", "October")),
    ("With which month does a year begin?", month("January", "")),
    ("what's the final month of the year", month("December", "")),
    ("how many months make up one year?", results(12)),
)
