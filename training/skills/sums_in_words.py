"""Problems in words: what somebody has, gets, gives away or pays, as a sum and a sentence."""

from random import Random

from training.english import an, count
from training.names import draw_name
from training.phrasing import lines, mannered
from training.skills.arithmetic import draw_pair
from training.talk import Exchange, Talk, words

THINGS = words("""
    apple book pencil coin egg ball cookie flower marble card stamp ticket cup shell sticker orange pear
    button balloon candle banana carrot stone star cake plum biscuit sweet lemon nut
""")
WARES = words("book pen cake hat ball cup lamp kite map pie drum box doll mug toy bag scarf plate")
MONEY = words("euro dollar pound coin cent")
KIN = words("brother sister cousin friend neighbour")

# `{have}`, `{other}` and `{rest}` are numbers with their things, `{a}` and `{b}` bare numbers.
GAIN = (
    (
        lines("""
            I (have|had|own|hold|got) {have} and (buy|get|find|pick|am given|receive|take|win) {b} more(.|,|
                :) {how}
            I have {have}. (My {kin} gives me|I buy|I find|I get|Then I get|I win) {b} more(.|,) {how}
            (if|suppose|say) I have {have} and (buy|get|find|add|receive) {b} more, {how}
            (there are|I see|I put) {have} (on the table|in a box|in a bag) and (I add|I put in|
                you add) {b} more. {how}
            I (have|see|own) {a} red {things} and {b} (blue|green|yellow) {things}(.|,) {how}
            (yesterday|on Monday) I (found|bought|picked) {have} and (today|on Tuesday|later) {b}(.|,) {how}
        """),
        "how many ({things}|) (do I have|do I have now|are that|is that)( in total| altogether|)?",
        "You have {rest}.",
    ),
    (
        lines("""
            {name} (has|had|owns|got) {have} and (buys|gets|finds|picks|wins|is given) {b} more(.|,|:) {how}
            {name} (has|had) {have}. (I give {name}|{name} finds|My {kin} gives {name}) {b} more(.|,) {how}
            (if|suppose|say) {name} has {have} and (gets|buys|finds) {b} more, {how}
        """),
        "how many ({things}|) does {name} have( now| then| in total| altogether|)?",
        "{name} has {rest}.",
    ),
    (
        lines("""
            {name} has {have} and (I have|{friend} has|my {kin} has) {other}(.|,) {how}
            I have {have} and (my {kin}|{friend}) has {other}(.|,) {how}
            (there are|I see) {have} in one (box|bag|basket) and {b} in (the other|another)(.|,) {how}
        """),
        "how many ({things}|) (do we have|are that|is that|are there|is it) (together|in total|altogether)?",
        "That makes {rest}.",
    ),
)
LOSS = (
    (
        lines("""
            I (have|had|own|hold) {have} and (give away|lose|sell|drop|use|give {name}|gave away|lost|
                sold) {b}(.|,|:) {how}
            I have {have}. (I lose|I give away|My {kin} takes|I sell|{name} takes) {b}( of them|)(.|,) {how}
            (if|suppose|say) I have {have} and (lose|give away|sell|use up) {b}, {how}
            (there are|I see) {have} (on the table|in a box|in a bag) and (I|you) take {b} (away|out)(.|
                ,) {how}
        """),
        "how many ({things}|) (do I have left|are left|remain|do I still have|are there now)?",
        "That leaves {rest}.",
    ),
    (
        lines("""
            {name} (has|had|owns) {have} and (gives away|loses|sells|drops|gives me|uses) {b}(.|,|:) {how}
            (if|suppose|say) {name} has {have} and (loses|sells|gives away) {b}, {how}
        """),
        "how many ({things}|) does {name} (have left|still have|have now)?",
        "{name} has {rest} left.",
    ),
    (
        lines("""
            I have {have} and {name} has {other}(.|,) {how}
            {name} has {other} and I have {have}(.|,) {how}
            if I have {have} and {name} has {other}, {how}
        """),
        "how many more ({things}|) do I have( than {name}|)?",
        "You have {rest} more.",
    ),
)
SPENT = (
    lines("""
        {ware} costs {have} and {ware2} costs {other}(.|,) {how}
        (I buy|I bought|we bought|if I buy) {ware} for {have} and {ware2} for {other}(.|,) {how}
        a shop sells {ware} for {have} and {ware2} for {other}(.|,) {how}
    """),
    "(how much (are both|is it together|do I pay|is that|did I spend|is it)|what do both cost)( in total|)?",
    "Together that is {rest}.",
)
CHANGE = (
    lines("""
        I have {have} and (spend|pay|lose|give away) {b}(.|,) {how}
        {ware} costs {other} and I (pay with|give|have) {have}(.|,) {how}
        I pay with {have} for {ware} that costs {other}(.|,) {how}
    """),
    "how much (money |)(do I have left|is left|remains|do I get back)?",
    "That leaves {rest}.",
)
OLDER = lines("""
    I am {a}( years old|) and my {kin} is {b} years older(.|,) how old is my {kin}?
    my {kin} is {b} years older than me and I am {a}(.|,) how old is my {kin}?
""")
YOUNGER = lines("""
    I am {a}( years old|) and my {kin} is {b} years younger(.|,) how old is my {kin}?
    my {kin} is {b} years younger than me and I am {a}(.|,) how old is my {kin}?
""")
LATER = lines("""
    I am {a}( years old|)(.|,) how old (will I be|am I) in {b} years?
    how old (will I be|am I) in {b} years if I am {a}( now| today|)?
""")
GROUPS = lines("""
    I have {a} (bags|boxes|baskets|packs) with {other}( each| in each|)(.|,) how many ({things}|) (do I have|
        is that)?
    (there are|I see) {a} (bags|boxes|baskets) with {other} (each|in each)(.|,) how many ({things}|
        ) are there?
    {a} (children|people|friends|girls) have {other} each(.|,) how many ({things}|) is that( in total|)?
""")

Problem = tuple[tuple[str, ...], str, str]  # how it is told, the question at its end, the answer


def people(rng: Random) -> dict[str, str]:
    """Who is in a problem."""
    return {"name": draw_name(rng), "friend": draw_name(rng), "kin": rng.choice(KIN)}


def told(rng: Random, problem: Problem, equation: str, slots: dict[str, str]) -> Exchange:
    """A problem and its answer: the equation, and what it says."""
    asks, how, answer = problem
    return Exchange(mannered(rng, rng.choice(asks).replace("{how}", how)), f"{equation} {answer}", slots)


def word_problem(rng: Random, talk: Talk) -> list[Exchange]:
    """One problem of any kind."""
    return [rng.choices((gain, loss, money, age, groups), (4, 4, 1.5, 1, 1))[0](rng)]


def gain(rng: Random) -> Exchange:
    """Somebody gets more of something."""
    a, b = positive_pair(rng)
    slots = people(rng) | counted(a, b, a + b, rng.choice(THINGS))
    return told(rng, rng.choice(GAIN), f"{a} + {b} = {a + b}.", slots)


def loss(rng: Random) -> Exchange:
    """Somebody loses or gives away some of what they have, or has more than somebody else."""
    b, a = sorted(positive_pair(rng))
    slots = people(rng) | counted(a, b, a - b, rng.choice(THINGS))
    return told(rng, rng.choice(LOSS), f"{a} - {b} = {a - b}.", slots)


def money(rng: Random) -> Exchange:
    """Something is paid for."""
    a, b = positive_pair(rng)
    unit, (first, second) = rng.choice(MONEY), rng.sample(WARES, 2)
    wares = {"ware": an(first), "ware2": an(second)}
    if rng.random() < 0.5:
        return told(rng, SPENT, f"{a} + {b} = {a + b}.", wares | counted(a, b, a + b, unit))
    b, a = sorted((a, b))
    return told(rng, CHANGE, f"{a} - {b} = {a - b}.", wares | counted(a, b, a - b, unit))


def age(rng: Random) -> Exchange:
    """How old somebody else is, or will be."""
    b, a = sorted(positive_pair(rng))
    slots = {"kin": rng.choice(KIN), "a": str(a), "b": str(b)}
    if rng.random() < 0.3:
        return told(rng, (LATER, "", f"You will be {a + b}."), f"{a} + {b} = {a + b}.", slots)
    if rng.random() < 0.5:
        return told(rng, (OLDER, "", f"Your {{kin}} is {a + b}."), f"{a} + {b} = {a + b}.", slots)
    return told(rng, (YOUNGER, "", f"Your {{kin}} is {a - b}."), f"{a} - {b} = {a - b}.", slots)


def groups(rng: Random) -> Exchange:
    """So many times so many things."""
    a, b = rng.randint(2, 12), rng.randint(2, 12)
    problem = (GROUPS, "", "That makes {rest}.")
    return told(rng, problem, f"{a} x {b} = {a * b}.", counted(a, b, a * b, rng.choice(THINGS)))


def positive_pair(rng: Random) -> tuple[int, int]:
    """Two numbers that somebody can have or give: small ones more often than not."""
    while True:
        a, b = draw_pair(rng, 20 if rng.random() < 0.6 else 99)
        if a > 1 and b > 1:
            return a, b


def counted(a: int, b: int, result: int, thing: str) -> dict[str, str]:
    """Numbers of things as slots."""
    with_things = {"have": count(a, thing), "other": count(b, thing), "rest": count(result, thing)}
    return {"a": str(a), "b": str(b), "things": f"{thing}s"} | with_things
