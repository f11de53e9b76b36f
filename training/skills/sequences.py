"""Things in a fixed order: counting, the alphabet, days, months and seasons, letters of short words."""

from collections.abc import Iterable, Sequence
from random import Random
from string import ascii_uppercase as LETTERS

from training.english import capital, in_words, join, ordinal
from training.names import invent_name
from training.phrases import Asks, read
from training.phrasing import exchange, frame
from training.talk import MONTHS, WEEKDAYS, Exchange, Talk

COUNTING = read("sequences/counting")
DAYS = read("sequences/days")
LETTERS_TEXT = read("sequences/letters")
ORDINALS = read("english").ordinals
TODAY = [(ask, int(step), answer) for ask, step, answer in DAYS.today]
# The week and the year are said more often than other series.
NAMES = (*["week"] * 3, *["year"] * 3, *list(DAYS.series)[2:])
WHOLE = [(DAYS.all[name], DAYS.series[name]) for name in NAMES]
TOO_FAR = "That is too far for me. I can count 30 numbers at a time."
NO_SPELLING = "I can only spell a few short words, sorry."


def sequence(rng: Random, talk: Talk) -> list[Exchange]:
    """One thing to be said in order, or to be found in such an order."""
    kinds = (count_up, count_on, count_down, count_in_steps, letters, days, months, whole, amount, spell)
    return rng.choices(kinds, (3, 2.5, 2, 2.5, 3.5, 2.5, 2.5, 2.5, 1, 2))[0](rng, talk)


def row(items: Iterable[object]) -> str:
    """Numbers or letters as a sentence."""
    return ", ".join(map(str, items)) + "."


def number(rng: Random, value: int) -> str:
    """A number as somebody writes it."""
    return in_words(value) if value < 100 and rng.random() < 0.25 else str(value)


def count_up(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting from one, and then perhaps on, again or back."""
    n = (
        rng.randint(2, 30)
        if rng.random() < 0.85
        else rng.choice((rng.randint(31, 99), 100, 500, 1000, 10**6))
    )
    answer = row(range(1, n + 1)) if n <= 30 else TOO_FAR
    counted = [exchange(rng, COUNTING.up_to, answer, n=number(rng, n))]
    return counted if n > 30 or rng.random() < 0.7 else [*counted, count_again(rng, n)]


def count_again(rng: Random, n: int) -> Exchange:
    """A second count after one from one to a number."""
    kind = rng.choice(("back", "on", "to", "from"))
    if kind == "back":
        return exchange(rng, COUNTING.now_back, row(range(n, 0, -1)))
    if kind == "on":
        end = n + rng.randint(2, 12)
        return exchange(rng, COUNTING.now_on, row(range(n + 1, end + 1)), n=number(rng, end))
    if kind == "to":
        end = rng.randint(2, 30)
        return exchange(rng, COUNTING.now_to, row(range(1, end + 1)), n=number(rng, end))
    return from_to(rng, COUNTING.now_from)


def from_to(rng: Random, asks: Asks) -> Exchange:
    """Counting from any number to one not far away."""
    a = rng.randint(0, 90 if rng.random() < 0.6 else 20)
    b = a + rng.randint(2, min(16, 99 - a))
    return exchange(rng, asks, row(range(a, b + 1)), a=number(rng, a), b=number(rng, b))


def count_on(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting from one number to another."""
    asks = COUNTING.from_to["said" if rng.random() < 0.3 else "order"]
    if rng.random() < 0.1:
        a = rng.randint(0, 90)
        b = a + rng.randint(40, 900)
        return [exchange(rng, asks, TOO_FAR, a=number(rng, a), b=number(rng, b))]
    counted = [from_to(rng, asks)]
    return [*counted, from_to(rng, COUNTING.now_from)] if rng.random() < 0.15 else counted


def count_down(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting down to one, or to some other number."""
    if rng.random() < 0.35:
        a = rng.randint(0, 40)
        b = a + rng.randint(2, 14)
        answer = row(range(b, a - 1, -1))
        return [exchange(rng, COUNTING.down_to, answer, a=number(rng, a), b=number(rng, b))]
    n = rng.randint(3, 25) if rng.random() < 0.95 else rng.choice((50, 60, 99, 100, 1000))
    answer = row(range(n, 0, -1)) if n <= 30 else TOO_FAR
    return [exchange(rng, COUNTING.down, answer, n=number(rng, n))]


def count_in_steps(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting by twos, fives, tens and so on, ten times where no end is named; or odd and even numbers."""
    if rng.random() < 0.35:
        return [odd_or_even(rng)]
    step = rng.choice((2, 2, 2, 5, 5, 10, 10, 3, 4, 6, 7, 8, 9))
    steps = rng.choice((str(step), in_words(step) + ("es" if step == 6 else "s"), f"{step}s"))
    slots = {"n": number(rng, step), "steps": steps}
    kind = rng.random()
    if kind < 0.12:
        a, times = step * rng.randint(1, 6), rng.randint(3, 8)
        b = a + step * times
        answer = row(range(a, b + 1, step))
        return [exchange(rng, COUNTING.steps_from, answer, **slots, a=str(a), b=str(b))]
    if kind < 0.24:
        top = step * rng.randint(3, 10)
        return [exchange(rng, COUNTING.steps_down, row(range(top, 0, -step)), **slots, b=str(top))]
    ask, times = rng.choice(COUNTING.steps), 10
    if rng.random() < 0.5:
        ask, times = ask + " (to|up to|until) {end}", rng.randint(3, 10)
    answer = row(range(step, step * times + 1, step))
    return [Exchange(frame(rng, ask, "order"), answer, slots | {"end": str(step * times)})]


def odd_or_even(rng: Random) -> Exchange:
    """The odd or the even numbers up to some number, or between two."""
    kind, other = rng.choice((("even", "odd"), ("odd", "even")))
    if rng.random() < 0.35:
        a = rng.randint(1, 50)
        b = a + rng.randint(5, 20)
        some = row(range(a + (a % 2 != (kind == "odd")), b + 1, 2))
        return exchange(rng, COUNTING.some_even_odd, some, a=str(a), b=str(b), kind=kind)
    n = rng.randint(6, 30)
    answer = row(range(2 if kind == "even" else 1, n + 1, 2))
    return exchange(rng, COUNTING.even_odd, answer, n=number(rng, n), kind=kind, other=other)


def ask_next(rng: Random, series: Sequence[str], at: int, kind: str, is_round: bool = True) -> list[Exchange]:
    """What comes after, before or between, and perhaps what comes then; days go on after the last one."""
    size, x = len(series), series[at]
    after, before = series[(at + 1) % size], series[at - 1]
    way = rng.random()
    at_end = not is_round and at in (0, size - 1)
    if way < 0.12 and not at_end:
        answer = f"Between {before} and {after} comes {x}."
        return [exchange(rng, DAYS.middle_in, answer, x=before, y=after, kind=kind)]
    if at == 0 if at_end else way < 0.6:
        asked = [exchange(rng, DAYS.next_in, f"After {x} comes {after}.", x=x, kind=kind)]
    else:
        asked = [exchange(rng, DAYS.last_in, f"Before {x} comes {before}.", x=x, kind=kind)]
    if rng.random() < 0.8:
        return asked
    if asked[0].answer.startswith("After") and rng.random() < 0.4 and (is_round or at + 2 < size):
        answer = f"After {after} comes {series[(at + 2) % size]}."
        return [*asked, exchange(rng, DAYS.and_then, answer, kind=kind)]
    other = rng.randint(1, size - 2)
    y = series[other]
    if rng.random() < 0.5:
        asks, answer = DAYS.and_after, f"After {y} comes {series[other + 1]}."
    else:
        asks, answer = DAYS.and_before, f"Before {y} comes {series[other - 1]}."
    return [*asked, exchange(rng, asks, answer, x=y, kind=kind)]


def letters(rng: Random, talk: Talk) -> list[Exchange]:
    """The alphabet, whole or in part, or a question about one letter."""
    # The first and the last letter are asked for more than any other.
    at = rng.choice((0, 25)) if rng.random() < 0.2 else rng.randrange(26)
    nth = rng.choice((ordinal(at + 1), *ORDINALS[at : at + 1]))
    if at == 25 and rng.random() < 0.7:
        nth = "last"
    kind = rng.choices(("all", "part", "end", "next", "at", "number"), (1.3, 2, 1, 2.5, 1, 1))[0]
    is_said = rng.random() < 0.35
    form = "said" if is_said else "order"
    if kind == "all":
        if rng.random() < 0.2:
            return [exchange(rng, LETTERS_TEXT.backwards, row(reversed(LETTERS)))]
        return [exchange(rng, LETTERS_TEXT.alphabet[form], row(LETTERS))]
    if kind == "part":
        first = rng.randint(0, 22)
        last = rng.randint(first + 2, 25)
        is_start = first == 0 and last < 25 and rng.random() < 0.5
        asks = LETTERS_TEXT.up_to if is_start else LETTERS_TEXT.tables["from"][form]
        return [exchange(rng, asks, row(LETTERS[first : last + 1]), a=LETTERS[first], b=LETTERS[last])]
    if kind == "end":
        n = rng.randint(2, 12)
        slots = {"n": rng.choice((str(n), in_words(n))), "nth": ordinal(n)}
        if rng.random() < 0.6:
            return [exchange(rng, LETTERS_TEXT.first[form], row(LETTERS[:n]), **slots)]
        return [exchange(rng, LETTERS_TEXT.last[form], row(LETTERS[26 - n :]), **slots)]
    if kind == "next":
        return ask_next(rng, LETTERS, at, "letter", is_round=False)
    answer = f"Letter number {at + 1} is {LETTERS[at]}."
    if kind == "at":
        return [
            exchange(rng, LETTERS_TEXT.at["said" if is_said else "want"], answer, nth=nth, at=str(at + 1))
        ]
    return [exchange(rng, LETTERS_TEXT.number, answer, x=LETTERS[at])]


def spell(rng: Random, talk: Talk) -> list[Exchange]:
    """The letters of a word it knows, how many they are, and numbers in words."""
    known = LETTERS_TEXT.words_to_spell
    word, kind = rng.choice(known), rng.random()
    if kind < 0.2:
        n = rng.randint(0, 99)
        return [exchange(rng, LETTERS_TEXT.in_words, f"{capital(in_words(n))}.", n=str(n))]
    if kind < 0.32 and talk.name:
        answer = f"{spelling(talk.name)}." if talk.name in known else NO_SPELLING
        return [exchange(rng, LETTERS_TEXT.spell_mine, answer)]
    if kind < 0.45:
        return [
            exchange(rng, LETTERS_TEXT.letter_count, f"The word {word} has {len(word)} letters.", word=word)
        ]
    answer = f"{spelling(word)}."
    if kind < 0.57:
        word, answer = invent_name(rng).lower(), NO_SPELLING
    asks = rng.choice([LETTERS_TEXT.spell[form] for form in ("question", "order", "said")])
    return [exchange(rng, asks, answer, word=word)]


def spelling(word: str) -> str:
    """A word letter by letter."""
    return " - ".join(word)


def days(rng: Random, talk: Talk) -> list[Exchange]:
    """The day after or before another, or two or three days away from it, and the number of a day."""
    at, kind = rng.randrange(7), rng.random()
    if kind < 0.4:
        return ask_next(rng, WEEKDAYS, at, "day")
    if kind < 0.55:
        at = any_or_end(rng, 7)
        nth = "last" if at == 6 and rng.random() < 0.7 else rng.choice((ordinal(at + 1), ORDINALS[at]))
        asks = rng.choice([DAYS.day_at[form] for form in ("said", "want", "question")])
        answer = f"Day number {at + 1} is {WEEKDAYS[at]}."
        return [exchange(rng, asks, answer, nth=nth, at=str(at + 1), x=WEEKDAYS[at])]
    if kind < 0.77:
        ask, step, answer = rng.choice(TODAY)
        answer = answer.format(day=WEEKDAYS[(at + step) % 7])
        return [Exchange(frame(rng, ask, "question"), answer, {"x": WEEKDAYS[at]})]
    return [away(rng, WEEKDAYS, at, "day")]


def any_or_end(rng: Random, size: int) -> int:
    """A place in a series of that size: the first and the last are asked for more than any other."""
    return rng.choice((0, size - 1)) if rng.random() < 0.3 else rng.randrange(size)


def away(rng: Random, series: tuple[str, ...], at: int, kind: str) -> Exchange:
    """What is two or three steps after or before something."""
    step, later = rng.choice((2, 2, 3)), rng.random() < 0.6
    far = f"{in_words(step)} {kind}s {'after' if later else 'before'}"
    there = series[(at + (step if later else -step)) % len(series)]
    marks = {"{away}": far + " {x}", "{kind}": kind}
    return exchange(rng, DAYS.steps_away, f"{capital(far)} {{x}} is {there}.", marks, x=series[at])


def months(rng: Random, talk: Talk) -> list[Exchange]:
    """The month after or before another, the number of a month, the days it has; and seasons in turn."""
    at = rng.randrange(12)
    kind = rng.choices(("next", "at", "number", "days", "season", "away"), (2, 1, 1, 1.4, 0.8, 0.6))[0]
    if kind == "next":
        return ask_next(rng, MONTHS, at, "month")
    if kind == "season":
        return ask_next(rng, DAYS.series["seasons"], rng.randrange(4), "season")
    if kind == "away":
        return [away(rng, MONTHS, at, "month")]
    if kind == "at":
        at = any_or_end(rng, 12)
        nth = rng.choice((ordinal(at + 1), ORDINALS[at]))
        answer = f"Month number {at + 1} is {MONTHS[at]}."
        if at == 11 and rng.random() < 0.6:
            return [exchange(rng, DAYS.last_month, answer)]
        return [exchange(rng, DAYS.month_at, answer, nth=nth, at=str(at + 1))]
    month = MONTHS[at]
    if kind == "number":
        return [exchange(rng, DAYS.month_number, f"Month number {at + 1} is {month}.", x=month)]
    leap = ", or 29 in a leap year" if month == "February" else ""
    return [exchange(rng, DAYS.month_days, f"{month} has {DAYS.month_lengths[at]} days{leap}.", x=month)]


def whole(rng: Random, talk: Talk) -> list[Exchange]:
    """All of a short series, or a part of the week or of the year."""
    if rng.random() < 0.25:
        return [part(rng)]
    names, series = rng.choice(WHOLE)
    asks = rng.choice((DAYS.ask_all, DAYS.say_all, DAYS.say_all, DAYS.all_said))
    ask = rng.choice(asks).replace("@", rng.choice(names))
    return [Exchange(frame(rng, ask, asks.frame), f"{capital(join(series))}.")]


def part(rng: Random) -> Exchange:
    """The week from some day on, or some of the days or months that follow each other."""
    if rng.random() < 0.4:
        at = rng.randrange(7)
        return exchange(rng, DAYS.round_week, f"{join(WEEKDAYS[at:] + WEEKDAYS[:at])}.", x=WEEKDAYS[at])
    series, kind = rng.choice(((WEEKDAYS, "days"), (MONTHS, "months"), (MONTHS, "months")))
    if rng.random() < 0.5:
        n, end = rng.randint(2, 5), rng.choice(("first", "last"))
        some = join(series[:n] if end == "first" else series[-n:])
        slots = {"n": rng.choice((str(n), in_words(n))), "end": end, "kind": kind}
        marks = {"(week|year)": "week" if kind == "days" else "year"}
        return exchange(rng, DAYS.first_of, f"{some}.", marks, **slots)
    first = rng.randint(0, len(series) - 3)
    last = rng.randint(first + 1, len(series) - 1)
    some = join(series[first : last + 1])
    return exchange(rng, DAYS.some_of, f"{some}.", x=series[first], y=series[last], kind=kind)


def amount(rng: Random, talk: Talk) -> list[Exchange]:
    """How many there are of something."""
    things, of, answer = rng.choice(DAYS.amounts)
    return [exchange(rng, DAYS.how_many, answer, {"@": things, "OF": of})]
