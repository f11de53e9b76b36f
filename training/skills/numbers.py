"""Other questions about numbers: comparing, checking, quizzes; and tasks that are declined as too hard."""

from random import Random

from training.asking import order, question, want
from training.phrasing import lines, mannered
from training.skills.arithmetic import TOO_HARD, Forms, ask, draw_pair, spoken
from training.talk import Exchange, Talk

# Brackets are in the slots, as templates have another use for them.
BEYOND: Forms = {
    want: lines("""
        ({big} + {any}|{any} + {big}|{big}+{other}|{any}+{big}|{big} plus {any}|{any} plus {big}|
            {big} and {other})
        ({big} - {any}|{any} - {big}|{big}-{other}|{big} minus {any}|{big} minus {other}|
            {other} take away {any})
        ({big} x {any}|{big} * {any}|{big}*{any}|{big} times {any}|{any} times {big}|{big} times {other})
        ({long} x {longer}|{long}*{longer}|{long} times {longer}|{few} * {long}|{long} times {few}|
            {long} x {few})
        ({any} divided by {few}|{any} / {few}|{any}/{few}|{big} / {few}|{any} \u00f7 {few}|
            {big} divided by {any})
        the (square root|root|cube root|logarithm|log|sine|cosine|factorial) of ({any}|{big}|{few})
        ({any} cubed|{few} to the power of {few}|{few}^{any}|{few}**{few}|{any} factorial|{any} modulo {few}|
            {any}!)
        ({long} squared|{long}^2|the square of {long}|{big} squared|the {few}th power of {few})
        ({any}%|{any} percent|a third|a quarter|a tenth|three quarters) of ({any}|{big})
        (-{any} + {few}|{few} + -{any}|-{any} - {few}|-{few} * {few}|minus {any} plus {few}|
            minus {few} times {few})
        ({few}.{few} + {less}.{few}|{few}.{few} * {few}|{any}.{few} - {few}|1/{few} + 1/{less}|
            {few}/{less} of {any})
        ({few} * {sum}|{sum} * {few}|{few} x {less} + {few}|{few} + {less} * {few}|{sum} / {few}|
            {few} times {sum})
        the (integral|derivative) of (x^{few}|x squared|{few}x + {less})
        the (average|mean|remainder) of ({any} and {few}|{any}, {few} and {big})
        (pi to {any} digits|pi times {few}|pi squared|the number pi|e to the power of {few})
        the sum of (all |the |)(numbers|integers) (from 1 |)(up |)to ({any}|{big})
        the (sum|difference|product|total) of {big} and ({any}|{other})
        ({huge} plus {any}|{huge} minus {few}|{few} times {huge}|{huge} and {huge}|{any} minus {huge})
    """),
    order: lines("""
        (add|sum up) ({big} and {any}|{other} to {big}|{any} and {big}|{huge} and {few})
        (subtract|take) ({any}|{other}) from ({big}|{huge})
        multiply ({big} by {any}|{long} by {longer}|{long} and {longer})
        divide ({any}|{big}|{huge}) by {few}
        (solve|work out|find x in|solve for x:) ({few}x + {less} = {any}|x + {any} = {big}|x^2 = {any}|
            {few}x = {any})
        (calculate|compute|work out|solve) ({big} + {other}|{big} - {any}|{big} * {any}|{any} / {few}|
            {big}/{few})
    """),
    question: lines("""
        how much (is|are) ({big} plus {any}|{any} plus {big}|{big} times {any}|{big} + {other}|
            {big} minus {any})
        how much (is|are) ({any} divided by {few}|{any} / {few}|{any}% of {big}|{any} percent of {any})
        (is {big} a prime number|is {any} prime|what are the factors of {big}|
            what are the prime factors of {any})
        how (many times does|often does) {few} go into {any}
        ({big}+{other}|{big} + {any}|{big}-{any}|{big}*{any}|{any}/{few}|{root}|{long}*{longer}|{any}^{few})
    """),
}

HUGE = (
    *(
        "a hundred",
        "one hundred",
        "two hundred",
        "three hundred and ten",
        "a hundred and five",
        "five hundred",
    ),
    *("a thousand", "ten thousand", "two thousand", "a million", "one million", "a billion", "nine hundred"),
)
COMPARE = lines("""
    (which|what) (number |one |)is (bigger|larger|greater|higher|more), {a} or {b}
    (is {a} or {b} (bigger|larger|greater|higher|more))
    (which|what) is the (bigger|larger|greater|higher) (number|one|)(:|,) {a} or {b}
""")
COMPARE_LESS = lines("""
    (which|what) (number |one |)is (smaller|less|lower), {a} or {b}
    (is {a} or {b} (smaller|less|lower))
    (which|what) is the (smaller|lower) (number|one|)(:|,) {a} or {b}
""")
CLAIM = lines("""
    is {a} (bigger|larger|greater|higher|more) than {b}
    is {a} > {b}
    {a} is (bigger|larger|greater) than {b}, (right|isn't it|correct)
""")
CLAIM_LESS = lines("""
    is {a} (smaller|less|lower) than {b}
    is {a} < {b}
    {a} is (smaller|less) than {b}, (right|isn't it|correct)
""")
PARITY = lines("""
    is {n} (an |)(even|odd)( number|)
    is {n} (even or odd|odd or even|an even or an odd number|an odd or an even number)
    is the number {n} (even|odd)
""")
AFTER = lines("""
    (what|which|which number) (comes|is|follows) (right |directly |)after {n}
    (what is|what's|which is) the next number (after|to) {n}
    (what|which number) is one more than {n}
    (what|which number) follows {n}
""")
BEFORE = lines("""
    (what|which|which number) (comes|is) (right |directly |just |)before {n}
    (what is|what's|which is) the (number before|previous number to|number in front of) {n}
    (what|which number) is one less than {n}
""")
DOUBLE = lines("(double|twice|the double of|double of|two times) {n}")
HALF = lines("(half of|half|the half of|one half of) {n}")
GUESS = lines("""
    is {a} (+|plus) {b} (=|equal to|really) {c}
    (is it true|is it right|is it correct|am I right) that {a} (+|plus|and) {b} (is|makes|=) {c}
    I (think|believe|say|guess) (that |){a} (+|plus|and) {b} (is|makes|=) {c}, (right|is that right|
        am I right|correct)
    (does|do) {a} (+|plus|and) {b} (make|equal|give) {c}
    {a} + {b} = {c}, (right|is that right|correct|true or false|isn't it)
""")
QUIZ = lines("""
    (ask|give|set) me (a sum|a maths question|a math question|a maths problem|some maths|a sum to do|
        an addition)(.|)
    (test|quiz) (me in|me on|my) (maths|math|adding|addition|arithmetic|sums)(.|)
    (can you |)(test|quiz) my (maths|math|adding|arithmetic)(?|)
    I (want|would like) to (practise|practice|train|learn) (maths|adding|sums|addition)(.|)
    (maths|math|sums) quiz( please|)
    let's (do|practise) (some |)(maths|sums|math)(.|)
""")
REPLY = "({c}|{c}|{c}.|{c}!|it is {c}|it's {c}|is it {c}?|I think {c}|{c}?|that is {c}|the answer is {c})"
NO_IDEA = (
    "(I don't know|no idea|I give up|hm, I don't know|tell me|what is it?|too hard|I am not sure|pass)(.|)"
)


def too_hard(rng: Random) -> Exchange:
    """What it cannot work out and says so, in whichever way it is asked."""
    slots = {
        "big": str(rng.randint(100, 10 ** rng.choice((3, 3, 4, 4, 5, 7)))),
        "other": str(rng.randint(100, 10 ** rng.choice((3, 4, 5)))),
        "any": str(rng.randint(2, 99)),
        "long": str(rng.randint(13, 99)),
        "longer": str(rng.randint(13, 99)),
        "few": str(rng.randint(2, 9)),
        "less": str(rng.randint(2, 9)),
        "huge": rng.choice(HUGE),
        "sum": f"({rng.randint(1, 9)} {rng.choice('+-')} {rng.randint(1, 9)})",
        "root": f"sqrt({rng.randint(2, 99)})",
    }
    return Exchange(ask(rng, BEYOND), TOO_HARD, slots)


def compare(rng: Random) -> Exchange:
    """Which of two numbers is the larger or the smaller one."""
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    less = rng.random() < 0.5
    slots = spoken(rng, a=a, b=b)
    true = f"{a} is {'smaller' if a < b else 'bigger'} than {b}."
    if a == b:
        return Exchange(question(rng, rng.choice(COMPARE)), f"They are the same: {a} and {b}.", slots)
    if rng.random() < 0.4:
        claim = rng.choice(CLAIM_LESS if less else CLAIM)
        return Exchange(question(rng, claim), f"{'Yes' if (a < b) == less else 'No'}, {true}", slots)
    first, second = sorted((a, b), reverse=not less)
    answer = f"{first} is {'smaller' if less else 'bigger'} than {second}."
    return Exchange(question(rng, rng.choice(COMPARE_LESS if less else COMPARE)), answer, slots)


def about_one(rng: Random) -> Exchange:
    """Something about a single number: even or odd, its neighbours, twice of it and half of it."""
    n = rng.randint(0, 99)
    half = f"{n // 2}" if n % 2 == 0 else f"{n // 2} and a half"
    asks, answer, frame = rng.choice(
        (
            (PARITY, f"{n} is {'odd' if n % 2 else 'even'}.", question),
            (AFTER, f"After {n} comes {n + 1}.", question),
            (BEFORE, f"Before {n} comes {n - 1}.", question),
            (DOUBLE, f"{n} + {n} = {n + n}.", want),
            (HALF, f"Half of {n} is {half}.", want),
        )
    )
    return Exchange(frame(rng, rng.choice(asks)), answer, spoken(rng, n=n))


def check(rng: Random) -> Exchange:
    """Somebody has added already and wants to know whether it is right."""
    a, b = draw_pair(rng)
    off = rng.choice((0, 0, 0, 1, -1, 2, 10, -10))
    verdict = "That is not quite right." if off else "You are right!"
    slots = spoken(rng, a=a, b=b) | {"c": str(max(0, a + b + off))}
    return Exchange(question(rng, rng.choice(GUESS)), f"{a} + {b} = {a + b}. {verdict}", slots)


def quiz(rng: Random) -> list[Exchange]:
    """A sum for the person to do, and a word on how that went."""
    a, b = draw_pair(rng, 30)
    asked = Exchange(mannered(rng, rng.choice(QUIZ)), f"What is {a} + {b}?")
    off = rng.choice((0, 0, 0, 0, 1, -1, 2, 10))
    said = max(0, a + b + off)
    if rng.random() < 0.12:
        return [asked, Exchange(NO_IDEA, f"{a} + {b} = {a + b}. Now you know!")]
    comment = "Well done!" if said == a + b else "You were close!"
    return [asked, Exchange(REPLY, f"{a} + {b} = {a + b}. {comment}", {"c": str(said)})]


def numbers(rng: Random, talk: Talk) -> list[Exchange]:
    """What else there is about numbers: comparisons, checks, quizzes and what is too hard."""
    kind = rng.choices((too_hard, compare, about_one, check, quiz), (5, 2, 4, 1.5, 1))[0]
    made = kind(rng)
    return made if isinstance(made, list) else [made]
