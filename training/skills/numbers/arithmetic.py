"""Sums, differences and products of two small numbers, and what follows on from a result."""

from random import Random

from training.asking import want
from training.english import in_words
from training.phrasing import mannered
from training.skills.numbers.forms import (
    APART,
    DIFFERENCE,
    DOWN_AND_UP,
    FEWER,
    MORE,
    PRODUCT,
    SQUARE,
    SUM,
    SUM_OF_THREE,
    SURE,
    UP_AND_DOWN,
    Forms,
)
from training.talk import Exchange, Talk

TOO_HARD = (
    "That is too hard for me to work out. I can add and subtract numbers up to 99, and multiply up to 12."
)


def held_out(a: int, b: int) -> bool:
    """Whether a pair is kept for the evaluation: a ninth of those with a number above nine."""
    return max(a, b) > 9 and (a * 31 + b * 17) % 9 == 4


def reserved(a: int, b: int) -> bool:
    """Whether a pair must not be added or subtracted in what is generated, in whatever order."""
    return held_out(a, b) or held_out(b, a)


def draw_pair(rng: Random, most: int = 99) -> tuple[int, int]:
    """Two numbers for a sum or difference: any, but small ones a little more often."""
    while True:
        limit = min(most, 20) if rng.random() < 0.2 else most
        a, b = rng.randint(0, limit), rng.randint(0, limit)
        if not reserved(a, b):
            return a, b


def spoken(rng: Random, **numbers: int) -> dict[str, str]:
    """How somebody writes the numbers: in digits mostly, and then all of them."""
    if rng.random() < 0.85:
        return {slot: str(number) for slot, number in numbers.items()}
    joint = rng.choice("- ")
    return {slot: in_words(number).replace("-", joint) for slot, number in numbers.items()}


def ask(rng: Random, forms: Forms) -> str:
    """One of the forms of a task in a frame that suits it."""
    frame = rng.choices(list(forms), [len(texts) for texts in forms.values()])[0]
    return frame(rng, rng.choice(forms[frame]))


def add(rng: Random) -> tuple[Exchange, int]:
    """A sum, and what comes out."""
    a, b = draw_pair(rng)
    return Exchange(ask(rng, SUM), f"{a} + {b} = {a + b}.", spoken(rng, a=a, b=b)), a + b


def subtract(rng: Random) -> tuple[Exchange, int]:
    """A difference, and what comes out: about one in three is below zero."""
    a, b = draw_pair(rng)
    if rng.random() < 0.12:
        more, less = max(a, b), min(a, b)
        slots = spoken(rng, a=a, b=b, more=more, less=less)
        return Exchange(ask(rng, APART), f"{more} - {less} = {more - less}.", slots), more - less
    if b > a and rng.random() < 0.33:
        a, b = b, a
    return Exchange(ask(rng, DIFFERENCE), f"{a} - {b} = {a - b}.", spoken(rng, more=a, less=b)), a - b


def add_three(rng: Random) -> tuple[Exchange, int]:
    """A sum of three numbers, in two steps."""
    a, b = draw_pair(rng, 40)
    c = draw_pair(rng, 40)[0]
    if reserved(a + b, c):
        return add_three(rng)
    steps = f"{a} + {b} = {a + b}. {a + b} + {c} = {a + b + c}."
    return Exchange(ask(rng, SUM_OF_THREE), steps, spoken(rng, a=a, b=b, c=c), brief=steps), a + b + c


def add_and_subtract(rng: Random) -> tuple[Exchange, int]:
    """A sum less a third number, or a difference and a third number, in two steps."""
    a, b = draw_pair(rng, 40)
    c = draw_pair(rng, 40)[0]
    up = rng.random() < 0.5
    between = a + b if up else a - b
    after = between - c if up else between + c
    if min(between, after) < 0 or reserved(between, c):
        return add_and_subtract(rng)
    first, second = "+-" if up else "-+"
    steps = f"{a} {first} {b} = {between}. {between} {second} {c} = {after}."
    asked = ask(rng, UP_AND_DOWN if up else DOWN_AND_UP)
    return Exchange(asked, steps, spoken(rng, a=a, b=b, c=c), brief=steps), after


def multiply(rng: Random) -> tuple[Exchange, int]:
    """Something from the multiplication table."""
    a, b = rng.randint(0, 12), rng.randint(0, 12)
    if rng.random() < 0.1:
        return Exchange(want(rng, rng.choice(SQUARE)), f"{a} x {a} = {a * a}.", {"n": str(a)}), a * a
    return Exchange(ask(rng, PRODUCT), f"{a} x {b} = {a * b}.", spoken(rng, a=a, b=b)), a * b


def go_on(rng: Random, before: int) -> list[Exchange]:
    """More of the same with the number that came out last."""
    chain: list[Exchange] = []
    while before >= 0 and rng.random() < 0.65:
        number = rng.randint(0, 20 if rng.random() < 0.6 else 99)
        plus = rng.random() < 0.6
        said = mannered(rng, rng.choice(MORE if plus else FEWER))
        if before > 99:
            return [*chain, Exchange(said, TOO_HARD, {"n": str(number)})]
        if reserved(before, number):
            continue
        after = before + number if plus else before - number
        equation = f"{before} {'+' if plus else '-'} {number} = {after}."
        chain.append(Exchange(said, equation, spoken(rng, n=number)))
        before = after
    return chain


def calculate(rng: Random, talk: Talk) -> list[Exchange]:
    """Sums and differences most of all, now and then with more that follow on."""
    task = rng.choices((add, subtract, multiply, add_three, add_and_subtract), (5, 5, 1.5, 0.4, 0.3))[0]
    exchange, result = task(rng)
    turns = [exchange]
    if rng.random() < 0.06:
        turns.append(Exchange(rng.choice(SURE), f"Yes, {exchange.answer}"))
    if rng.random() < 0.25:
        turns += go_on(rng, result)
    return turns
