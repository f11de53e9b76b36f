"""Sums, differences and products of small numbers, other questions about numbers, and problems in words."""

from functools import partial
from random import Random

from training.english import an, count, in_words, plural
from training.names import draw_name
from training.phrases import read
from training.phrasing import ask, exchange
from training.talk import Exchange, Talk, draw

SUMS = read("numbers/sums")
QUESTIONS = read("numbers/questions")
PROBLEMS = read("numbers/problems")
OPERATIONS = {"+": int.__add__, "-": int.__sub__, "x": int.__mul__}
TOO_HARD = (
    "That is too hard for me to work out. I can add and subtract numbers up to 99, and multiply up to 12."
)


def is_held_out(a: int, b: int) -> bool:
    """Whether a pair is kept for the evaluation: a ninth of those with a number above nine."""
    return max(a, b) > 9 and (a * 31 + b * 17) % 9 == 4


def is_reserved(a: int, b: int) -> bool:
    """Whether a pair must not be added or subtracted in what is generated, in whatever order."""
    return is_held_out(a, b) or is_held_out(b, a)


def draw_pair(rng: Random, highest: int = 99) -> tuple[int, int]:
    """Two numbers for a sum or difference: any, but small ones a little more often."""
    while True:
        limit = min(highest, 20) if rng.random() < 0.2 else highest
        a, b = rng.randint(0, limit), rng.randint(0, limit)
        if not is_reserved(a, b):
            return a, b


def write_numbers(rng: Random, **numbers: int) -> dict[str, str]:
    """How somebody writes the numbers: in digits mostly, and then all of them."""
    if rng.random() < 0.85:
        return {slot: str(number) for slot, number in numbers.items()}
    joint = rng.choice("- ")
    return {slot: in_words(number).replace("-", joint) for slot, number in numbers.items()}


def equate(a: int, sign: str, b: int) -> tuple[str, int]:
    """`3 + 4 = 7.`, and what comes out."""
    result = OPERATIONS[sign](a, b)
    return f"{a} {sign} {b} = {result}.", result


def add(rng: Random) -> tuple[Exchange, int]:
    """A sum, and what comes out."""
    a, b = draw_pair(rng)
    equation, result = equate(a, "+", b)
    return Exchange(ask(rng, SUMS.sum), equation, write_numbers(rng, a=a, b=b)), result


def subtract(rng: Random) -> tuple[Exchange, int]:
    """A difference, and what comes out: about one in three is below zero."""
    a, b = draw_pair(rng)
    if rng.random() < 0.12:
        more, less = max(a, b), min(a, b)
        equation, result = equate(more, "-", less)
        slots = write_numbers(rng, a=a, b=b, more=more, less=less)
        return Exchange(ask(rng, SUMS.apart), equation, slots), result
    if b > a and rng.random() < 0.33:
        a, b = b, a
    equation, result = equate(a, "-", b)
    return Exchange(ask(rng, SUMS.difference), equation, write_numbers(rng, more=a, less=b)), result


def calculate_twice(rng: Random, signs: str = "") -> tuple[Exchange, int]:
    """A sum of three numbers, or a sum and a difference, in two steps that stay above zero."""
    a, b = draw_pair(rng, 40)
    c = draw_pair(rng, 40)[0]
    chosen = signs or ("+-" if rng.random() < 0.5 else "-+")
    first, between = equate(a, chosen[0], b)
    second, result = equate(between, chosen[1], c)
    if min(between, result) < 0 or is_reserved(between, c):
        return calculate_twice(rng, signs)
    asks = {"++": SUMS.sum_of_three, "+-": SUMS.up_and_down, "-+": SUMS.down_and_up}[chosen]
    steps = f"{first} {second}"
    return Exchange(ask(rng, asks), steps, write_numbers(rng, a=a, b=b, c=c), brief=steps), result


def multiply(rng: Random) -> tuple[Exchange, int]:
    """Something from the multiplication table."""
    a, b = rng.randint(0, 12), rng.randint(0, 12)
    if rng.random() < 0.1:
        equation, result = equate(a, "x", a)
        return exchange(rng, SUMS.square, equation, n=str(a)), result
    equation, result = equate(a, "x", b)
    return Exchange(ask(rng, SUMS.product), equation, write_numbers(rng, a=a, b=b)), result


def go_on(rng: Random, before: int) -> list[Exchange]:
    """More of the same with the number that came out last."""
    chain: list[Exchange] = []
    while before >= 0 and rng.random() < 0.65:
        number = rng.randint(0, 20 if rng.random() < 0.6 else 99)
        sign = "+" if rng.random() < 0.6 else "-"
        asked = ask(rng, SUMS.more if sign == "+" else SUMS.fewer)
        if before > 99:
            return [*chain, Exchange(asked, TOO_HARD, {"n": str(number)})]
        if is_reserved(before, number):
            continue
        equation, before = equate(before, sign, number)
        chain.append(Exchange(asked, equation, write_numbers(rng, n=number)))
    return chain


def calculate(rng: Random, talk: Talk) -> list[Exchange]:
    """Sums and differences most of all, now and then with more that follow on."""
    kinds = {
        add: 5,
        subtract: 5,
        multiply: 1.5,
        partial(calculate_twice, signs="++"): 0.4,
        calculate_twice: 0.3,
    }
    first, result = draw(rng, kinds)(rng)
    turns = [first]
    if rng.random() < 0.06:
        turns.append(Exchange(rng.choice(SUMS.sure), f"Yes, {first.answer}"))
    return turns + go_on(rng, result) if rng.random() < 0.25 else turns


def numbers(rng: Random, talk: Talk) -> list[Exchange]:
    """What else there is about numbers: comparisons, checks, quizzes and what is too hard."""
    return rng.choices((too_hard, compare, about_one, check, quiz), (5, 2, 4, 1.5, 1))[0](rng)


def too_hard(rng: Random) -> list[Exchange]:
    """What it cannot work out and says so, in whichever way it is asked."""
    slots = {
        "big": str(rng.randint(100, 10 ** rng.choice((3, 3, 4, 4, 5, 7)))),
        "other": str(rng.randint(100, 10 ** rng.choice((3, 4, 5)))),
        **{slot: str(rng.randint(*map(int, ends.split("-")))) for slot, ends in SUMS.ranges.items()},
        "huge": rng.choice(SUMS.huge),
        "sum": f"({rng.randint(1, 9)} {rng.choice('+-')} {rng.randint(1, 9)})",
        "root": f"sqrt({rng.randint(2, 99)})",
    }
    return [exchange(rng, SUMS.beyond, TOO_HARD, **slots)]


def compare(rng: Random) -> list[Exchange]:
    """Which of two numbers is the larger or the smaller one."""
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    less = rng.random() < 0.5
    slots = write_numbers(rng, a=a, b=b)
    if a == b:
        return [exchange(rng, QUESTIONS.compare, f"They are the same: {a} and {b}.", **slots)]
    if rng.random() < 0.4:
        truth = f"{'Yes' if (a < b) == less else 'No'}, {a} is {'smaller' if a < b else 'bigger'} than {b}."
        return [exchange(rng, QUESTIONS.claim_less if less else QUESTIONS.claim, truth, **slots)]
    first, second = sorted((a, b), reverse=not less)
    answer = f"{first} is {'smaller' if less else 'bigger'} than {second}."
    return [exchange(rng, QUESTIONS.compare_less if less else QUESTIONS.compare, answer, **slots)]


def about_one(rng: Random) -> list[Exchange]:
    """Something about a single number: even or odd, its neighbours, twice of it and half of it."""
    n = rng.randint(2, 99)
    half = f"{n // 2}" if n % 2 == 0 else f"{n // 2} and a half"
    answers = {
        "parity": f"{n} is {'odd' if n % 2 else 'even'}.",
        "after": f"After {n} comes {n + 1}.",
        "before": f"Before {n} comes {n - 1}.",
        "double": f"{n} + {n} = {n + n}.",
        "half": f"Half of {n} is {half}.",
        "between": f"Between {n} and {n + 2} comes {n + 1}.",
    }
    what, answer = rng.choice(list(answers.items()))
    beside = {"before": str(n), "after": str(n + 2)}
    return [Exchange(ask(rng, QUESTIONS.tables[what]), answer, write_numbers(rng, n=n) | beside)]


def check(rng: Random) -> list[Exchange]:
    """Somebody has added or subtracted already and wants to know whether it is right."""
    a, b = draw_pair(rng)
    off = rng.choice((0, 0, 0, 1, -1, 2, 10, -10))
    less = rng.random() < 0.35
    if less:
        b, a = sorted((a, b))
    equation, right = equate(a, "-" if less else "+", b)
    claimed = max(0, right + off)
    verdict = "You are right!" if claimed == right else "That is not quite right."
    slots = write_numbers(rng, a=a, b=b) | {"c": str(claimed)}
    asks = QUESTIONS.guess_less if less else QUESTIONS.guess
    return [exchange(rng, asks, f"{equation} {verdict}", **slots)]


def quiz(rng: Random) -> list[Exchange]:
    """A sum for the person to do, and a word on how that went."""
    a, b = draw_pair(rng, 30)
    asked = exchange(rng, QUESTIONS.quiz, f"What is {a} + {b}?")
    guess = max(0, a + b + rng.choice((0, 0, 0, 0, 1, -1, 2, 10)))
    if rng.random() < 0.12:
        return [asked, Exchange(rng.choice(QUESTIONS.no_idea), f"{a} + {b} = {a + b}. Now you know!")]
    comment = "Well done!" if guess == a + b else "You were close!"
    return [
        asked,
        Exchange(rng.choice(QUESTIONS.reply), f"{a} + {b} = {a + b}. {comment}", {"c": str(guess)}),
    ]


def word_problem(rng: Random, talk: Talk) -> list[Exchange]:
    """A problem in words, about things that somebody gets or gives away, money, or how old somebody is."""
    kind = rng.choices(("gain", "loss", "money", "age", "groups"), (4, 4, 1.5, 1, 1))[0]
    if kind == "age":
        return [ask_age(rng)]
    a, b = (rng.randint(2, 12), rng.randint(2, 12)) if kind == "groups" else (0, 0)
    while min(a, b) < 2:
        # Small numbers more often than not.
        a, b = draw_pair(rng, 20 if rng.random() < 0.6 else 99)
    slots: dict[str, str] = {}
    if kind == "money":
        thing, wares = rng.choice(PROBLEMS.money), rng.sample(PROBLEMS.wares, 2)
        slots = {"ware": an(wares[0]), "ware2": an(wares[1]), "unit": thing}
    slots |= {"name": draw_name(rng), "friend": draw_name(rng), "kin": rng.choice(PROBLEMS.kin)}
    if kind == "money":
        kind = "spent" if rng.random() < 0.5 else "change"
    else:
        thing = rng.choice(PROBLEMS.things)
    problem = PROBLEMS.tables[kind]
    if kind in ("gain", "loss"):
        problem = rng.choice(list(problem.values()))
    sign = {"gain": "+", "spent": "+", "groups": "x"}.get(kind, "-")
    if sign == "-":
        a, b = max(a, b), min(a, b)
    slots |= {"things": plural(thing), "have": count(a, thing), "other": count(b, thing)}
    slots["rest"] = count(OPERATIONS[sign](a, b), thing)
    return [pose(rng, problem, a, sign, b, slots)]


def pose(rng: Random, problem: dict[str, str], a: int, sign: str, b: int, slots: dict[str, str]) -> Exchange:
    """A problem with its numbers, and the equation in front of the answer."""
    equation, result = equate(a, sign, b)
    slots = slots | {"a": str(a), "b": str(b), "sum": str(result)}
    marks = {"{how}": problem.get("how", "")}
    return exchange(rng, problem["asks"], f"{equation} {problem['answer']}", marks, **slots)


def ask_age(rng: Random) -> Exchange:
    """How old somebody else is, or will be: by fewer years than may lie between brothers."""
    while True:
        b, a = sorted(draw_pair(rng, 20 if rng.random() < 0.5 else 70))
        if 1 < b < 16 and b < a:
            break
    slots = {"kin": rng.choice(PROBLEMS.peers)}
    ways = (("later", 0.3), ("ago", 0.2), ("older", 0.5))
    name = next((name for name, share in ways if rng.random() < share), "younger")
    sign = "+" if name in ("later", "older") else "-"
    return pose(rng, PROBLEMS.tables[name], a, sign, b, slots)
