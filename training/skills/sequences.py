"""Things in a fixed order: counting, the alphabet, days, months and seasons, letters of short words."""

from collections.abc import Callable
from random import Random
from string import ascii_uppercase as LETTERS

from training.asking import order, question, want
from training.english import ORDINALS, capital, in_words, join, ordinal
from training.names import invent_name
from training.phrasing import lines, mannered
from training.talk import Exchange, Talk, words

DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = words("January February March April May June July August September October November December")
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
SEASONS = words("spring summer autumn winter")
PLANETS = words("Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune")
RAINBOW = words("red orange yellow green blue indigo violet")
# The only words whose letters it learns.
SPELT = words("""
    cat dog sun hat red blue green house tree book fish bird milk bread apple water happy hello friend school
    mouse moon star cake love Anna Ben Tom Mia Leo Eva Max Ida Sam Lily Paul Emma Noah
""")
NO_SPELLING = "I can only spell a few short words, sorry."
TOO_FAR = "That is too far for me. I can count up to 30."

UP_TO = lines("""
    (count|count slowly|count for me|count out loud) (to|up to|till|until) {n}
    count from (1|one) (to|up to|till) {n}
    (say|name|list|write|write down|give me|tell me|recite) (the |all the |all |)numbers (from (1|one) |up |
        )to {n}
    (say|list|write) (all the |the |)numbers (between|from) 1 (and|to) {n}
    (say|list|write) the first {n} numbers
    count (1|one) to {n}
    count {n} sheep
""")
FROM_TO = lines("""
    (count|count up) from {a} (to|up to|till|until) {b}
    count {a} to {b}
    (say|list|write|give me|name|tell me) (the |all the |all |)numbers from {a} (to|till|up to) {b}
    (start|begin) (counting |)(at|with|from) {a} and (count|go|go on) (up |)to {b}
""")
DOWN = lines("""
    count (down|backwards|backward|down backwards) from {n}( to (1|one)|)
    count (backwards|down) (starting (at|from|with)|beginning with) {n}
    count from {n} (down |backwards |)to (1|one)
    (do|give me|start|make) a (countdown|count down) from {n}
    countdown from {n}
    (say|list|write) the numbers from {n} (down |backwards |)to (1|one)
    count to {n} (backwards|in reverse)
""")
STEPS = lines("""
    count (by|in) {steps}
    (go|count) up (in|by) {steps}
    (say|list|write|name|recite|tell me|do) (the |)({n} times table|times table of {n}|table (of|for) {n})
    (say|list|write|name) (the |)(multiples of {n}|numbers in steps of {n})
    skip count (by|in) {steps}
""")
EVEN_ODD = lines("""
    (say|list|name|write|give me|tell me|count) (the |all |all the |){kind} numbers (up to|to|until|till) {n}
    (say|list|name|write|give me|tell me) (the |all |all the |){kind} numbers (from 1 to|between 1 and) {n}
""")
ALPHABET = lines("""
    (say|recite|list|write|tell me|give me|sing|name|know) (the |your |)(alphabet|ABC|ABCs|
        letters of the alphabet)
    (say|list|write|name) all (the |)(letters|letters of the alphabet)
    (go|run) through the (alphabet|ABC)
""")
LETTERS_FROM = lines("""
    (say|list|recite|write|name|give me) the (letters|alphabet) from {a} to {b}
    (say|list|recite|write|name|give me) (all |)the letters (between|from) {a} (to|and|till) {b}
    (go|count) from {a} to {b}( in the alphabet|)
""")
NEXT_IN = lines("""
    (what|which) {kind} (comes|is|follows|comes next|is next) (right |directly |)after {x}
    (what|which) {kind} follows {x}
    what (comes|follows|is) after {x}
    (what|which) is the next {kind} after {x}
    after {x} comes (what|which {kind})
""")
LAST_IN = lines("""
    (what|which) {kind} (comes|is) (right |directly |just |)before {x}
    what (comes|is) before {x}
    (what|which) is the {kind} before {x}
    before {x} (comes|is) (what|which {kind})
""")
LETTER_AT = lines("the {nth} letter( of the alphabet| in the alphabet| of the ABC|)")
LETTER_NUMBER = lines("""
    (which|what) (number|position|place) (is|has) the letter {x}( in the alphabet|)
    (which|what) number in the alphabet is {x}
    where in the alphabet is {x}
""")
WEEK = lines("""
    (the |all the |all |)(days of the week|seven days of the week|7 days of the week)
    (the names of |)the (seven |)days( of a week| in a week| of the week)
""")
YEAR = lines("""
    (the |all the |all |)(months of the year|months|twelve months|12 months)( in order|)
    the (names of the |)months (of a|in a) year
""")
FOUR = lines("(the |all |all the |)(seasons|four seasons|seasons of the year|4 seasons|names of the seasons)")
EIGHT = lines("(the |all |all the )(planets|eight planets|planets in order|planets of the solar system)")
SEVEN = lines("(the |all |all the |)(colours|colors|seven colours) of (the|a) rainbow")
VOWELS = lines("(the |all |all the |)vowels( in English| of the alphabet|)")
MONTH_AT = lines("the {nth} month( of the year| in the year|)")
MONTH_NUMBER = lines("""
    (which|what) (number|month number|place) (is|has) {x}( in the year|)
    which month of the year is {x}
""")
MONTH_DAYS = lines("""
    how many days (has|are in|does) {x}( have|)
    how long is {x}
    how many days are there in {x}
""")
HOW_MANY = (
    ("letters (are there |are |)in the alphabet", "The alphabet has 26 letters."),
    ("days (are there |are |)in (a|the|one) week", "A week has 7 days."),
    ("months (are there |are |)in (a|the|one) year", "A year has 12 months."),
    ("days (are there |are |)in (a|the|one) year", "A year has 365 days, or 366 in a leap year."),
    ("weeks (are there |are |)in (a|the|one) year", "A year has 52 weeks."),
    ("seasons (are there |are |)in (a|the|one) year", "A year has 4 seasons."),
    ("hours (are there |are |)in (a|the|one) day", "A day has 24 hours."),
    ("minutes (are there |are |)in (an|one) hour", "An hour has 60 minutes."),
    ("seconds (are there |are |)in (a|one) minute", "A minute has 60 seconds."),
    ("vowels (are there |are |)in the alphabet", "There are 5 vowels: A, E, I, O and U."),
)
TODAY = (
    (
        "(if |)(today is|it is|it's|today it is) {x}(,| and|.) what (is|will be) tomorrow",
        1,
        "Tomorrow is {day}.",
    ),
    ("what is tomorrow if (today is|it is) {x}", 1, "Tomorrow is {day}."),
    ("(if |)(today is|it is|it's) {x}(,| and|.) what was yesterday", -1, "Yesterday was {day}."),
    ("what was yesterday if (today is|it is) {x}", -1, "Yesterday was {day}."),
    ("(if |)yesterday was {x}(,| and|.) what (is today|day is it|day is today)", 1, "Today is {day}."),
    ("(if |)tomorrow is {x}(,| and|.) what (is today|day is it|day is today)", -1, "Today is {day}."),
)
SPELL = lines("""
    (spell|spell out|please spell) (the word |){word}
    (write|say) {word} letter by letter
    (give|tell) me the letters of {word}
""")
HOW_SPELL = lines("""
    how (do|would) (you|I|we) (spell|write) (the word |){word}
    how is {word} (spelled|spelt|written)
    (what are the letters (of|in)|which letters are in) {word}
""")
SPELL_MINE = lines("""
    (spell|can you spell) my name(.|)
    how (do|would) you (spell|write) my name?
    how is my name (spelled|spelt|written)?
""")
LETTER_COUNT = lines("""
    how many letters (does the word {word} have|has {word}|are in {word}|does {word} have|are there in {word})
    how long is the word {word}
""")
IN_WORDS = lines("""
    (write|spell|say|give me) {n} (in words|in letters|as a word|as words)
    (write|spell) (out |)the number {n}
""")

Frame = Callable[[Random, str], str]


def sequence(rng: Random, talk: Talk) -> list[Exchange]:
    """One thing to be said in order, or to be found in such an order."""
    kinds = (count_up, count_on, count_down, count_in_steps, letters, days, months, whole, amount, spell)
    return [rng.choices(kinds, (3, 2.5, 2, 2.5, 3.5, 2.5, 2.5, 2.5, 1, 2))[0](rng, talk)]


def made(rng: Random, frame: Frame, asks: tuple[str, ...], answer: str, **slots: str) -> Exchange:
    """An exchange with one of the ways to ask, framed."""
    return Exchange(frame(rng, rng.choice(asks)), answer, slots)


def listed(numbers: range) -> str:
    """Numbers as a sentence."""
    return ", ".join(map(str, numbers)) + "."


def number(rng: Random, value: int) -> str:
    """A number as somebody writes it."""
    return in_words(value) if value < 100 and rng.random() < 0.25 else str(value)


def count_up(rng: Random, talk: Talk) -> Exchange:
    """Counting from one."""
    n = (
        rng.randint(2, 30)
        if rng.random() < 0.85
        else rng.choice((rng.randint(31, 99), 100, 500, 1000, 10**6))
    )
    answer = listed(range(1, n + 1)) if n <= 30 else TOO_FAR
    return made(rng, order, UP_TO, answer, n=number(rng, n))


def count_on(rng: Random, talk: Talk) -> Exchange:
    """Counting from one number to another."""
    a = rng.randint(0, 90)
    b = a + rng.randint(2, min(16, 99 - a))
    if rng.random() < 0.1:
        b = a + rng.randint(40, 900)
    answer = listed(range(a, b + 1)) if b < a + 20 else TOO_FAR
    return made(rng, order, FROM_TO, answer, a=number(rng, a), b=number(rng, b))


def count_down(rng: Random, talk: Talk) -> Exchange:
    """Counting down to one."""
    n = rng.randint(3, 20)
    return made(rng, order, DOWN, listed(range(n, 0, -1)), n=number(rng, n))


def count_in_steps(rng: Random, talk: Talk) -> Exchange:
    """Counting by twos, fives, tens and so on, ten times where no end is named; or odd and even numbers."""
    if rng.random() < 0.35:
        n, kind = rng.randint(6, 30), rng.choice(("even", "odd"))
        answer = listed(range(2 if kind == "even" else 1, n + 1, 2))
        return made(rng, order, EVEN_ODD, answer, n=number(rng, n), kind=kind)
    step = rng.choice((2, 2, 2, 5, 5, 10, 10, 3, 4, 6, 7, 8, 9))
    ask, times = rng.choice(STEPS), 10
    if rng.random() < 0.5:
        ask, times = ask + " (to|up to|until) {end}", rng.randint(3, 10)
    steps = rng.choice((str(step), in_words(step) + ("es" if step == 6 else "s"), f"{step}s"))
    slots = {"n": number(rng, step), "steps": steps, "end": str(step * times)}
    return Exchange(order(rng, ask), listed(range(step, step * times + 1, step)), slots)


def letters(rng: Random, talk: Talk) -> Exchange:
    """The alphabet, whole or in part, and where in it a letter stands."""
    at = rng.randint(1, 24)
    letter, nth = LETTERS[at], rng.choice((ordinal(at + 1), *ORDINALS[at : at + 1]))
    kind = rng.randrange(6)
    if kind == 0:
        return made(rng, order, ALPHABET, ", ".join(LETTERS) + ".")
    if kind == 1:
        first = rng.randint(0, 22)
        last = rng.randint(first + 2, 25)
        some = ", ".join(LETTERS[first : last + 1]) + "."
        return made(rng, order, LETTERS_FROM, some, a=LETTERS[first], b=LETTERS[last])
    if kind == 2:
        return made(
            rng, question, NEXT_IN, f"After {letter} comes {LETTERS[at + 1]}.", x=letter, kind="letter"
        )
    if kind == 3:
        return made(
            rng, question, LAST_IN, f"Before {letter} comes {LETTERS[at - 1]}.", x=letter, kind="letter"
        )
    if kind == 4:
        return made(rng, want, LETTER_AT, f"Letter number {at + 1} is {letter}.", nth=nth)
    return made(rng, question, LETTER_NUMBER, f"Letter number {at + 1} is {letter}.", x=letter)


def days(rng: Random, talk: Talk) -> Exchange:
    """The day after or before another, or two or three days away from it."""
    at = rng.randrange(7)
    day, kind = DAYS[at], rng.randrange(4)
    if kind == 0:
        return made(rng, question, NEXT_IN, f"After {day} comes {DAYS[(at + 1) % 7]}.", x=day, kind="day")
    if kind == 1:
        return made(rng, question, LAST_IN, f"Before {day} comes {DAYS[at - 1]}.", x=day, kind="day")
    if kind == 2:
        ask, step, answer = rng.choice(TODAY)
        return Exchange(question(rng, ask), answer.format(day=DAYS[(at + step) % 7]), {"x": day})
    step = rng.choice((2, 2, 3))
    later = rng.random() < 0.6
    away = f"{in_words(step)} days {'after' if later else 'before'} {day}"
    there = DAYS[(at + (step if later else -step)) % 7]
    ask = f"(which day is|what day is|which day comes|what is) {away}"
    return Exchange(question(rng, ask), f"{capital(away)} is {there}.")


def months(rng: Random, talk: Talk) -> Exchange:
    """The month after or before another, the number of a month, the days it has; and seasons in turn."""
    at = rng.randrange(12)
    month, nth = MONTHS[at], rng.choice((ordinal(at + 1), ORDINALS[at]))
    kind = rng.randrange(6)
    if kind == 0:
        return made(
            rng, question, NEXT_IN, f"After {month} comes {MONTHS[(at + 1) % 12]}.", x=month, kind="month"
        )
    if kind == 1:
        return made(rng, question, LAST_IN, f"Before {month} comes {MONTHS[at - 1]}.", x=month, kind="month")
    if kind == 2:
        return made(rng, want, MONTH_AT, f"Month number {at + 1} is {month}.", nth=nth)
    if kind == 3:
        return made(rng, question, MONTH_NUMBER, f"Month number {at + 1} is {month}.", x=month)
    if kind == 4:
        leap = ", or 29 in a leap year" if month == "February" else ""
        return made(rng, question, MONTH_DAYS, f"{month} has {LENGTHS[at]} days{leap}.", x=month)
    at = rng.randrange(4)
    season, later = SEASONS[at], rng.random() < 0.6
    there = SEASONS[(at + 1) % 4 if later else at - 1]
    answer = f"{'After' if later else 'Before'} {season} comes {there}."
    return made(rng, question, NEXT_IN if later else LAST_IN, answer, x=season, kind="season")


def whole(rng: Random, talk: Talk) -> Exchange:
    """All of a short series."""
    asks, series = rng.choice(
        (
            *((WEEK, DAYS), (WEEK, DAYS), (YEAR, MONTHS), (YEAR, MONTHS), (FOUR, SEASONS), (EIGHT, PLANETS)),
            *((SEVEN, RAINBOW), (VOWELS, tuple("AEIOU"))),
        )
    )
    named, answer = rng.choice(asks), f"{capital(join(series))}."
    if rng.random() < 0.4:
        return made(rng, question, (f"(what are|which are|what are|do you know) {named}",), answer)
    return made(rng, order, (f"(say|list|name|tell me|give me|write|write down|recite) {named}",), answer)


def amount(rng: Random, talk: Talk) -> Exchange:
    """How many there are of something."""
    what, answer = rng.choice(HOW_MANY)
    return made(rng, question, (f"how many {what}",), answer)


def spell(rng: Random, talk: Talk) -> Exchange:
    """The letters of a word it knows, how many they are, and numbers in words."""
    word = rng.choice(SPELT)
    kind = rng.random()
    if kind < 0.2:
        n = rng.randint(0, 99)
        return made(rng, order, IN_WORDS, f"{capital(in_words(n))}.", n=str(n))
    if kind < 0.35 and talk.name:
        answer = f"{spelling(talk.name)}." if talk.name in SPELT else NO_SPELLING
        return Exchange(mannered(rng, rng.choice(SPELL_MINE)), answer)
    if kind < 0.5:
        return made(rng, question, LETTER_COUNT, f"The word {word} has {len(word)} letters.", word=word)
    answer = f"{spelling(word)}."
    if kind < 0.65:
        word, answer = invent_name(rng).lower(), NO_SPELLING
    if rng.random() < 0.5:
        return made(rng, question, HOW_SPELL, answer, word=word)
    return made(rng, order, SPELL, answer, word=word)


def spelling(word: str) -> str:
    """A word letter by letter."""
    return " - ".join(word)
