"""Things in a fixed order: counting, the alphabet, days, months and seasons, letters of short words."""

from random import Random

from training.asking import order, question, want
from training.english import ORDINALS, capital, in_words, join, ordinal
from training.phrasing import lines, mannered
from training.skills.sequences.counting import count_down, count_in_steps, count_on, count_up, made
from training.skills.sequences.letters import letters
from training.skills.sequences.neighbours import ask_next
from training.skills.spelling import spell
from training.talk import MONTHS, WEEKDAYS, Exchange, Talk, words

LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
SEASONS = words("spring summer autumn winter")
PLANETS = words("Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune")
RAINBOW = words("red orange yellow green blue indigo violet")

WEEK = lines("""
    (the |all the |all |)(days of the week|seven days of the week|7 days of the week|
        weekdays from monday to sunday)
    (the names of |)the (seven |)days( of a week| in a week| of the week)
    (all |)(the |)(seven days|7 days|days in order|days from monday to sunday)
    the names of the (seven |)days
""")
YEAR = lines("""
    (the |all the |all |)(months of the year|months|twelve months|12 months)( in order|)
    the (names of the |)months (of a|in a) year
    (the |all |all the |)(months from january to december|months in the calendar|names of the months)
""")
FOUR = lines("""
    (the |all |all the |)(seasons|four seasons|seasons of the year|4 seasons|names of the seasons)
    the (four |)seasons (in a|of a|in the) year
""")
EIGHT = lines("""
    (the |all |all the )(planets|eight planets|planets in order|planets of the solar system)
    (the |all the )(8 planets|planets around the sun|planets of our solar system|names of the planets)
""")
SEVEN = lines("""
    (the |all |all the |)(colours|colors|seven colours) of (the|a) rainbow
    (the |all the |)(rainbow colours|rainbow colors|colours in a rainbow|colors in the rainbow)
""")
VOWELS = lines("""
    (the |all |all the |)vowels( in English| of the alphabet|)
    (the |all the |)(five vowels|5 vowels|letters that are vowels)
""")
WEEKEND = lines("""
    (the |)(weekend days|days of the weekend|days at the weekend|two days of the weekend)
    the (days|two days) (that make|in) (a|the) weekend
""")
WORKING = lines("""
    (the |all the |all |)(working days|work days|days from monday to friday|days of the working week)
    (the |all the |)(five working days|school days of the week|days without the weekend)
""")
LONG_MONTHS = lines("(the |all |all the |)months (with|that have|of|having) (31|thirty-one) days")
MIDDLING_MONTHS = lines("(the |all |all the |)months (with|that have|of|having) (30|thirty) days")
WHOLE = (
    *((WEEK, WEEKDAYS), (WEEK, WEEKDAYS), (WEEK, WEEKDAYS), (YEAR, MONTHS), (YEAR, MONTHS), (YEAR, MONTHS)),
    *((FOUR, SEASONS), (EIGHT, PLANETS), (SEVEN, RAINBOW), (VOWELS, tuple("AEIOU")), (WEEKEND, WEEKDAYS[5:])),
    *(
        (WORKING, WEEKDAYS[:5]),
        (LONG_MONTHS, tuple(m for m, n in zip(MONTHS, LENGTHS, strict=True) if n == 31)),
    ),
    (MIDDLING_MONTHS, tuple(m for m, n in zip(MONTHS, LENGTHS, strict=True) if n == 30)),
)
SAY_WHOLE = lines("(say|list|name|tell me|give me|write|write down|recite|show me|type|teach me|put down) @")
ASK_WHOLE = lines("""
    (what are|which are|what are|do you know) @
    (can you name|can you list|could you tell me|can you tell me|who knows) @
    what are @ (called|again|in English)
""")
WHOLE_SAID = lines("""
    @(, please| please|.|?|!|)
    (I forgot|I can't remember|I always forget|I need|I have to learn|I am learning|I mix up|
        I never know) @(.|)
    (my (son|daughter|class|grandchild) is learning|we have to learn|teach us|help me with) @(.|)
    @(:|,) (list|what are they|which are they|in order|one after the other|name them)(.|?|)
""")
ROUND_WEEK = lines("""
    (say|list|name|write|give me|tell me) the days of the week (starting|beginning) (with|from|at|on) {x}
    (say|list|name|write) the (seven |)days(,|) (starting|beginning) (with|from|at|on) {x}
    (start|begin) (with|at|on) {x} and (say|list|name) (all |)the days( of the week|)
    (say|list|go through) the week from {x}( on| onwards|)
    (say|list|name) all (seven |)days (from {x} on|but start with {x}|with {x} first)
""")
ROUND_SAID = lines("""
    (days of the week|the days|week days|the week)(,|) (starting|beginning) (with|from|on) {x}(.|, please|?|)
    (what are|which are) the days of the week if (I|we|you) (start|begin) (with|on) {x}?
    if the week (starts|began|begins) (with|on) {x}(,|) what are the days( in order|)?
""")
SOME_OF = lines("""
    (say|list|name|write|give me|tell me) the {kind} (from {x} to {y}|between {x} and {y})
    (say|list|name|write) (all |)the {kind} (from {x} (till|until|up to) {y}|{x} to {y})
    (go|run) through the {kind} from {x} to {y}
    (start|begin) (with|at) {x} and (say|list|name) the {kind} (up |)to {y}
""")
FIRST_OF = lines("""
    (say|list|name|write|give me|tell me) the {end} {n} {kind} of the (week|year)
    (say|list|name|write) the {end} {n} {kind}
""")
MONTH_AT = lines("""
    the {nth} month( of the year| in the year|)
    (the |)month number {at}
    the {nth} month (in the calendar|of a year|when you count from January)
""")
MONTH_AT_SAID = lines("""
    (which|what) month is (the {nth}( one|)|number {at}|month {at})( of the year|)?
    (which|what) is the {nth} month( of the year| in the year|)?
    (which|what) month comes {nth}( in the year|)?
    (my form|the form|the date|the letter) says month {at}(. |, )(which|what) month is (that|it)?
""")
LAST_MONTH = lines("""
    the last month (of the|of a|in the|in a) year
    the month that (ends|closes|comes last in) (the|a) year
    the (very last|final|twelfth and last) month of (the|a) year
""")
DAY_AT = lines("""
    the {nth} day (of the|of a|in the|in a) week
    (the |)day number {at} of (the|a) week
    the {nth} day of the week (when|if) you (count|start) from Monday
""")
DAY_AT_SAID = lines("""
    (which|what) day (is|comes) {nth} in (the|a) week?
    (which|what) day is (the {nth}( one|)|number {at}) of the week?
    (which|what) is the {nth} day of the week?
    the {nth} day of the week(?|.|, please|)
""")
DAY_NUMBER = lines("""
    (which|what) (number|place) (is|has) {x} in the week
    which day of the week is {x}, by number
    {x} is (which|what) day of the week, by number
    (what|which) number of the week is {x}(, counted from Monday|)
""")
MONTH_NUMBER = lines("""
    (which|what) (number|month number|place) (is|has) {x}( in the year|)
    which month of the year is {x}
    (what|which) number is the month of {x}
    {x} is (which|what) month( number|)
    what is {x} as a number
""")
MONTH_DAYS = lines("""
    how many days (has|are in) {x}
    how many days does {x} have
    how long is {x}
    how many days are there in {x}
    does {x} have (30 or 31|31 or 30) days
    {x} has how many days
    {x}(:|,) how many days
    (what is|what's) the number of days in {x}
    how many days (long is|do we have in|make up|belong to) (the month of |){x}
    (is it|are there) (30 or 31|31 or 30) (days |)in {x}
    what is the length of {x} in days
""")
MONTH_DAYS_SAID = lines("""
    (I forgot|I can't remember|I never know|I don't know|remind me|tell me|no idea) how many days {x} has(.|)
    (I forgot|I can't remember|I never know|I don't know|tell me) (whether|if) {x} has 30 or 31 days(.|)
    (days|number of days) in {x}(?|.|, please|)
    I am (planning a trip|making a calendar|paid by the day)(. |, )(How many days are in|How many days has|
        how long is) {x}?
""")
# Parts, what they are parts of, and the answer.
HOW_MANY = (
    ("letters", "the alphabet", "The alphabet has 26 letters."),
    ("days", "(a|the|one) week", "A week has 7 days."),
    ("months", "(a|the|one) year", "A year has 12 months."),
    ("days", "(a|the|one) year", "A year has 365 days, or 366 in a leap year."),
    ("weeks", "(a|the|one) year", "A year has 52 weeks."),
    ("seasons", "(a|the|one) year", "A year has 4 seasons."),
    ("hours", "(a|the|one) day", "A day has 24 hours."),
    ("minutes", "(an|one) hour", "An hour has 60 minutes."),
    ("seconds", "(a|one) minute", "A minute has 60 seconds."),
    ("vowels", "the alphabet", "There are 5 vowels: A, E, I, O and U."),
    ("days", "(a|the) weekend", "A weekend has 2 days."),
    ("days", "(a leap year|leap years)", "A leap year has 366 days."),
    ("minutes", "(half an hour|a half hour)", "Half an hour has 30 minutes."),
    ("years", "(a|one) century", "A century has 100 years."),
    ("years", "(a|one) decade", "A decade has 10 years."),
    ("cents", "(a|one) dollar", "A dollar has 100 cents."),
    ("cents", "(a|one) euro", "A euro has 100 cents."),
    ("centimetres", "(a|one) metre", "A metre has 100 centimetres."),
    ("metres", "(a|one) kilometre", "A kilometre has 1000 metres."),
    ("grams", "(a|one) kilogram", "A kilogram has 1000 grams."),
    ("colours", "(a|the) rainbow", "A rainbow has 7 colours."),
    ("planets", "(the|our) solar system", "The solar system has 8 planets."),
)
HOW_MANY_ASKS = lines("""
    how many @ (are there |are |)in OF
    how many @ does OF have
    how many @ (has|make) OF
    OF has how many @
    (what is|what's) the number of @ in OF
    OF(:|,) how many @
    how many @ (do we count|will I find|do you get) in OF
    (in OF|of OF)(,|) how many @ are there
""")
HOW_MANY_SAID = lines("""
    (I forgot|I can't remember|I never know|I don't know|remind me|tell me|no idea) how many @ OF has(.|)
    (number of |)@ in OF(?|, please|.|)
    (my (son|daughter|grandson|teacher) (asks|wants to know)|I should know but|silly me,|kids ask me)(:|
        ) how many @ are in OF?
""")
TODAY = (
    (
        "(if |)(today is|it is|it's|today it is) {x}(,| and|.) what (is|will be) tomorrow",
        1,
        "Tomorrow is {day}.",
    ),
    ("what (is|day is|will be|day will be) tomorrow if (today is|it is|it's) {x}", 1, "Tomorrow is {day}."),
    ("(today is|it's) {x}(, so|. So|, then) (what|which day) is tomorrow", 1, "Tomorrow is {day}."),
    ("{x} today, (what|which day) (is |will it be |)tomorrow", 1, "Tomorrow is {day}."),
    ("(if |)(today is|it is|it's) {x}(,| and|.) what (was|day was) yesterday", -1, "Yesterday was {day}."),
    ("what (was|day was) yesterday if (today is|it is|it's) {x}", -1, "Yesterday was {day}."),
    ("(today is|it's) {x}(, so|. So|, then) (what|which day) was yesterday", -1, "Yesterday was {day}."),
    ("{x} today, (what|which day) (was |was it |)yesterday", -1, "Yesterday was {day}."),
    ("(if |)yesterday was {x}(,| and|.) what (is today|day is it|day is today)", 1, "Today is {day}."),
    ("what (is|day is) today if yesterday was {x}", 1, "Today is {day}."),
    ("(if |)tomorrow is {x}(,| and|.) what (is today|day is it|day is today)", -1, "Today is {day}."),
    ("what (is|day is) today if tomorrow is {x}", -1, "Today is {day}."),
)
AWAY = lines("""
    (which {kind} is|what {kind} is|which {kind} comes|what is|what comes) {away}
    (which|what) is the {kind} {away}
    (which|what) {kind} (will it be|do we have|do you get to) {away}
    {away} (is|comes) (which {kind}|what {kind}|what)
    {away}(,|:|) (which {kind}|what {kind}) is (it|that)
    (the |){kind} {away}
""")


def sequence(rng: Random, talk: Talk) -> list[Exchange]:
    """One thing to be said in order, or to be found in such an order."""
    kinds = (count_up, count_on, count_down, count_in_steps, letters, days, months, whole, amount, spell)
    return rng.choices(kinds, (3, 2.5, 2, 2.5, 3.5, 2.5, 2.5, 2.5, 1, 2))[0](rng, talk)


def days(rng: Random, talk: Talk) -> list[Exchange]:
    """The day after or before another, or two or three days away from it, and the number of a day."""
    at = rng.randrange(7)
    day, kind = WEEKDAYS[at], rng.random()
    if kind < 0.4:
        return ask_next(rng, WEEKDAYS, at, "day")
    if kind < 0.55:
        return [day_number(rng)]
    if kind < 0.77:
        ask, step, answer = rng.choice(TODAY)
        return [Exchange(question(rng, ask), answer.format(day=WEEKDAYS[(at + step) % 7]), {"x": day})]
    return [away(rng, WEEKDAYS, at, "day", rng.choice((2, 2, 3)))]


def some_or_end(rng: Random, size: int) -> int:
    """A place in a series of that size: the first and the last are asked for more than any other."""
    return rng.choice((0, size - 1)) if rng.random() < 0.3 else rng.randrange(size)


def day_number(rng: Random) -> Exchange:
    """Which day of the week is the first, the last or the one in between, where Monday is the first."""
    at = some_or_end(rng, 7)
    nth = "last" if at == 6 and rng.random() < 0.7 else rng.choice((ordinal(at + 1), ORDINALS[at]))
    answer = f"Day number {at + 1} is {WEEKDAYS[at]}."
    frame, asks = rng.choice(((mannered, DAY_AT_SAID), (want, DAY_AT), (question, DAY_NUMBER)))
    return made(rng, frame, asks, answer, nth=nth, at=str(at + 1), x=WEEKDAYS[at])


def away(rng: Random, series: tuple[str, ...], at: int, kind: str, step: int) -> Exchange:
    """What is some steps after or before something."""
    later = rng.random() < 0.6
    far = f"{in_words(step)} {kind}s {'after' if later else 'before'}"
    there = series[(at + (step if later else -step)) % len(series)]
    ask = rng.choice(AWAY).replace("{away}", far + " {x}").replace("{kind}", kind)
    return Exchange(question(rng, ask), f"{capital(far)} {{x}} is {there}.", {"x": series[at]})


def months(rng: Random, talk: Talk) -> list[Exchange]:
    """The month after or before another, the number of a month, the days it has; and seasons in turn."""
    at = rng.randrange(12)
    month = MONTHS[at]
    kind = rng.choices(range(6), (2, 1, 1, 1.4, 0.8, 0.6))[0]
    if kind == 0:
        return ask_next(rng, MONTHS, at, "month")
    if kind == 1:
        at = some_or_end(rng, 12)
        answer, nth = f"Month number {at + 1} is {MONTHS[at]}.", rng.choice((ordinal(at + 1), ORDINALS[at]))
        if at == 11 and rng.random() < 0.6:
            return [made(rng, want, LAST_MONTH, answer)]
        frame, asks = (mannered, MONTH_AT_SAID) if rng.random() < 0.4 else (want, MONTH_AT)
        return [made(rng, frame, asks, answer, nth=nth, at=str(at + 1))]
    if kind == 2:
        return [made(rng, question, MONTH_NUMBER, f"Month number {at + 1} is {month}.", x=month)]
    if kind == 3:
        leap = ", or 29 in a leap year" if month == "February" else ""
        frame, asks = (mannered, MONTH_DAYS_SAID) if rng.random() < 0.3 else (question, MONTH_DAYS)
        return [made(rng, frame, asks, f"{month} has {LENGTHS[at]} days{leap}.", x=month)]
    if kind == 4:
        return ask_next(rng, SEASONS, rng.randrange(4), "season")
    return [away(rng, MONTHS, at, "month", rng.choice((2, 2, 3)))]


def whole(rng: Random, talk: Talk) -> list[Exchange]:
    """All of a short series, or a part of the week or of the year."""
    if rng.random() < 0.25:
        return [part(rng)]
    asks, series = rng.choice(WHOLE)
    frame, says = rng.choice(
        ((question, ASK_WHOLE), (order, SAY_WHOLE), (order, SAY_WHOLE), (mannered, WHOLE_SAID))
    )
    said = rng.choice(says).replace("@", rng.choice(asks))
    return [Exchange(frame(rng, said), f"{capital(join(series))}.")]


def part(rng: Random) -> Exchange:
    """The week from some day on, or some of the days or months that follow each other."""
    if rng.random() < 0.4:
        at = rng.randrange(7)
        frame, asks = (mannered, ROUND_SAID) if rng.random() < 0.3 else (order, ROUND_WEEK)
        return made(rng, frame, asks, f"{join(WEEKDAYS[at:] + WEEKDAYS[:at])}.", x=WEEKDAYS[at])
    series, kind = rng.choice(((WEEKDAYS, "days"), (MONTHS, "months"), (MONTHS, "months")))
    if rng.random() < 0.5:
        n, end = rng.randint(2, 5), rng.choice(("first", "last"))
        some = series[:n] if end == "first" else series[-n:]
        of = "week" if kind == "days" else "year"
        asks = tuple(ask.replace("(week|year)", of) for ask in FIRST_OF)
        slots = {"n": rng.choice((str(n), in_words(n))), "end": end, "kind": kind}
        return made(rng, order, asks, f"{join(some)}.", **slots)
    first = rng.randint(0, len(series) - 3)
    last = rng.randint(first + 1, len(series) - 1)
    some = join(series[first : last + 1])
    return made(rng, order, SOME_OF, f"{some}.", x=series[first], y=series[last], kind=kind)


def amount(rng: Random, talk: Talk) -> list[Exchange]:
    """How many there are of something."""
    parts, of, answer = rng.choice(HOW_MANY)
    frame, asks = (mannered, HOW_MANY_SAID) if rng.random() < 0.25 else (question, HOW_MANY_ASKS)
    return [Exchange(frame(rng, rng.choice(asks).replace("@", parts).replace("OF", of)), answer)]
