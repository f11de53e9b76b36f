"""Sums, differences and products of two small numbers, and what follows on from a result."""

from collections.abc import Callable
from random import Random

from training.asking import order, question, want
from training.english import in_words
from training.phrasing import lines, mannered
from training.talk import Exchange, Talk

TOO_HARD = (
    "That is too hard for me to work out. I can add and subtract numbers up to 99, and multiply up to 12."
)

# The forms of a task: what a noun names, what is to be done, and whole questions.
Forms = dict[Callable[[Random, str], str], tuple[str, ...]]

# In each of these the numbers are added in the order in which they are said.
SUM: Forms = {
    want: lines("""
        ({a} + {b}|{a}+{b}|{a} + {b}|{a}+{b}|{a} +{b})
        ({a} plus {b}|{a} plus {b}|{a} and {b})
        the sum of {a} and {b}
        the (total|result|answer) (of|for) ({a} + {b}|{a} plus {b}|{a} and {b} together)
        {a} added to {b}
        {a} more than {b}
        ({a} + {b}|{a}+{b}|{a} plus {b}) (equal to|=|equals)
    """),
    order: lines("""
        add {a} (and|to) {b}
        add (up |together |)({a} and {b}|{a} + {b}|the numbers {a} and {b})
        sum (up |)({a} and {b}|{a} + {b}|{a}, {b})
        (calculate|compute|work out|solve|calc|figure out|evaluate|do|find|answer) ({a} + {b}|{a}+{b}|
            {a} plus {b})
        (put|take|count|bring) {a} and {b} together
        increase {a} by {b}
        (calculate|work out|find) the sum of {a} and {b}
        do (the maths|the math|some maths|a sum)(:|,) ({a} + {b}|{a}+{b}|{a} plus {b})
    """),
    question: lines("""
        how much (is|are|would be|makes|is) ({a} plus {b}|{a} and {b}|{a} + {b}|{a}+{b})
        how many (is|are) ({a} plus {b}|{a} and {b}|{a} + {b})
        what (do|does) {a} (and|plus|+) {b} (make|give|equal|come to|add up to)
        ({a} plus {b}|{a} and {b}|{a} + {b}) (makes|make|is|equals|gives|are) (what|how much|how many|)
        what (do I|do you|do we|will I) get (if|when) (I|you|we) add {a} (and|to) {b}
        what (comes out|is it|happens) (if|when) (I|you|we) add {a} (and|to) {b}
        (if|when) (I|you|we) add {a} (and|to) {b}, (what do I get|what is it|what is the result|
            how much is it)
        ({a}+{b}=|{a} + {b} =|{a}+{b} =|{a} + {b} = )
        ({a}+{b}|{a} + {b}|{a} plus {b})
        {a} and then {b} more, how (much|many) is that
    """),
}
SUM_OF_THREE: Forms = {
    want: lines("""
        ({a} + {b} + {c}|{a}+{b}+{c}|{a} plus {b} plus {c}|{a}, {b} and {c} together)
        the (sum|total) of {a}, {b} and {c}
    """),
    order: lines("add (up |)({a}, {b} and {c}|{a} and {b} and {c}|{a} + {b} + {c})"),
    question: lines("how much is ({a} + {b} + {c}|{a} plus {b} plus {c}|{a}+{b}+{c})"),
}
# `less` is subtracted from `more`, though it need not be the smaller number or be said last.
DIFFERENCE: Forms = {
    want: lines("""
        ({more} - {less}|{more}-{less}|{more} - {less}|{more}-{less}|{more} -{less})
        ({more} minus {less}|{more} minus {less}|{more} take away {less}|{more} less {less})
        {less} less than {more}
        {less} (subtracted|taken away|taken) from {more}
        {more} (reduced|decreased|lowered) by {less}
        the (result|answer) (of|for) ({more} - {less}|{more} minus {less})
        ({more} - {less}|{more}-{less}|{more} minus {less}) (equal to|=|equals)
    """),
    order: lines("""
        (take|subtract|deduct|remove|take away) {less} from {more}
        take {less} (away|off) from {more}
        (calculate|compute|work out|solve|calc|figure out|do|find|answer) ({more} - {less}|{more}-{less})
        (calculate|compute|work out|solve|calc|figure out|do|find|answer) {more} minus {less}
        (decrease|reduce|lower) {more} by {less}
        from {more} (take|subtract) (away |){less}
        do (the maths|the math|some maths)(:|,) ({more} - {less}|{more}-{less}|{more} minus {less})
    """),
    question: lines("""
        how much (is|are|would be|is) ({more} minus {less}|{more} - {less}|{more}-{less}|
            {more} take away {less})
        how (much|many) (is|are) left (if|when) (I|you|we) (take|subtract|remove) {less} from {more}
        what is left (if|when) (I|you|we) (take|subtract|take away) {less} from {more}
        what (do I|do you|do we|will I) get (if|when) (I|you|we) (take|subtract) {less} from {more}
        (if|when) (I|you|we) (take|subtract) {less} from {more}, (what is left|what do I get|what is it)
        what does {more} (minus|-|take away) {less} (make|give|equal|come to|leave)
        ({more} minus {less}|{more} - {less}) (makes|is|equals|gives|leaves) (what|how much|)
        ({more}-{less}=|{more} - {less} =|{more}-{less} =)
        ({more}-{less}|{more} - {less}|{more} minus {less})
    """),
}
# Here the order in which the numbers are said does not matter.
APART: Forms = {
    want: lines("the (difference|distance|gap) (between|of) {a} and {b}"),
    order: lines("(find|calculate|work out) the difference (between|of) {a} and {b}"),
    question: lines("""
        how far (apart are {a} and {b}|is it from {a} to {b}|is {a} from {b})
        how much (bigger|larger|more|higher|greater) is {more} than {less}
        how much (smaller|less|lower) is {less} than {more}
    """),
}
PRODUCT: Forms = {
    want: lines("""
        ({a} x {b}|{a}x{b}|{a} * {b}|{a}*{b}|{a} \u00d7 {b}|{a}\u00d7{b}|{a} times {b}|{a} times {b})
        {a} multiplied (by|with) {b}
        the product of {a} and {b}
    """),
    order: lines("""
        multiply {a} (by|with|and) {b}
        (calculate|compute|work out|solve|do|find) ({a} x {b}|{a}*{b}|{a} * {b}|{a} times {b})
    """),
    question: lines("""
        how much (is|are) ({a} times {b}|{a} x {b}|{a}*{b}|{a} * {b}|{a} multiplied by {b})
        what (do|does) {a} times {b} (make|give|equal)
        what do (I|you|we) get (if|when) (I|you|we) multiply {a} (by|and|with) {b}
        ({a}*{b}=|{a} x {b} =|{a}x{b}|{a} * {b}|{a} times {b})
    """),
}
SQUARE = lines("({n} squared|the square of {n}|{n} to the power of two|{n}^2|{n} by {n})")
SURE = "(are you sure|sure|really|is that right|is that correct|you sure|seriously|certain|is it)(?|??|)"
MORE = lines("""
    (now |and |then |ok, now |and now |next |)(add|plus) {n}( to that| to it| more| please|)(.|?|)
    (and |)plus {n}(?|)
    (and |)+ {n}(?|)
    (and |now |then |)(another |and another |with ){n} (more|on top|added)(?|)
    (and |)(what if|what is it if|how much is it if) (I|you) add {n}( more| to that|)?
    (and |now |)(increase|raise) (it|that) by {n}(.|)
    that plus {n}(?|)
""")
FEWER = lines("""
    (now |and |then |ok, now |and now |next |)(subtract|take away|minus|deduct) {n}( from that| please|)(.|?|)
    (and |)minus {n}(?|)
    (and |)- {n}(?|)
    (and |now |then |)(take|remove) {n} (away |)from (that|it)(.|)
    (and |)(what if|what is left if|how much is left if) (I|you) take {n} away( from that|)?
    (and |now |)(decrease|lower|reduce) (it|that) by {n}(.|)
    that minus {n}(?|)
""")


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
    task = rng.choices((add, subtract, multiply, add_three), (5, 5, 1.5, 0.4))[0]
    exchange, result = task(rng)
    turns = [exchange]
    if rng.random() < 0.06:
        turns.append(Exchange(SURE, f"Yes, {exchange.answer}"))
    if rng.random() < 0.25:
        turns += go_on(rng, result)
    return turns
