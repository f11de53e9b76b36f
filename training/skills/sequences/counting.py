"""Counting up, on, down and in steps, and counting again in the same conversation."""

from collections.abc import Callable
from random import Random

from training.asking import order
from training.english import in_words
from training.phrasing import lines, mannered
from training.talk import Exchange, Talk

TOO_FAR = "That is too far for me. I can count 30 numbers at a time."

Frame = Callable[[Random, str], str]

UP_TO = lines("""
    (count|count slowly|count for me|count out loud) (to|up to|till|until) {n}
    (count|count quickly|count with me|count along|start counting|keep counting|do the counting) (to|
        up to|till|until) {n}
    count from (1|one) (to|up to|till) {n}
    (say|name|list|write|write down|give me|tell me|recite) (the |all the |all |)numbers (from (1|one) |up |
        )to {n}
    (say|list|write) (all the |the |)numbers (between|from) 1 (and|to) {n}
    (say|list|write|name|give me|tell me|show me|type) the first {n} numbers
    count (1|one) (to|through|till) {n}
    count {n} sheep
    (go|count up|number) from (1|one) (to|till|up to|through) {n}
    (say|write|type|list) (1|one) (to|through|till) {n}
    (say|show me|write|type) how (you count|to count|one counts) (to|up to) {n}
    (count|say|name) (all |)the numbers (until|till|up to) {n}
    (count|say|list) every number (from 1 |)(up |)to {n}
    count (on your fingers|in English|nicely|once|one by one|one after the other) (to|up to) {n}
    (make|write|give me|show me) (a list of |a row of |)(the |)numbers (from |)1 (to|-|through) {n}
    (stop counting at|count and stop at) {n}
    (start|begin) (counting |)(at|with|from) (1|one) and (stop|end) (at|with) {n}
""")
UP_TO_SAID = lines("""
    (numbers|the numbers|all numbers|counting|count) (1-{n}|1 to {n}|from 1 to {n}|1 - {n}|1 through {n}|
        up to {n}|until {n})(.|?|)
    (1 to {n}|1-{n}|one to {n}|1..{n}|from 1 to {n}|from one to {n})(, please| please|, count|, go|)(.|!|)
    (what are|which are) (the |all the |)(numbers (from 1 |up |)to {n}|first {n} numbers)?
    how do (you|I|we) count to {n}?
    how does (counting to {n}|one count to {n}|a child count to {n}) (go|work|sound)?
    (can|could|will) (you|we) count( up|) to {n}( together|)?
    (let's|let us|shall we|we could) count to {n}( together|)(.|?|!|)
    (I am playing|we are playing|we play) hide and seek(. |, )(Count|please count|can you count) to {n}(.|?|
        !|)
    (I can't sleep|my (son|daughter|baby) wants to sleep|I'm angry|I need to calm down)(. |, )(Count|
        count with me|
        please count|can you count) to {n}(.|?|)
    (I'm|I am|my (son|daughter|niece) is) learning to count(. |, )(Show us|show me|say) the numbers (up |
        )to {n}(.|)
    1, 2, 3, ... {n}(. |, )(fill it in|all of them|write them all)(.|)
    I (want to hear|would love to hear|want to see|need) (the numbers|all numbers) (from 1 |up |)to {n}(.|)
""")
FROM_TO = lines("""
    (count|count up) from {a} (to|up to|till|until) {b}
    count {a} (to|through|till) {b}
    (say|list|write|give me|name|tell me) (the |all the |all |)numbers from {a} (to|till|up to) {b}
    (say|list|write|give me|name|tell me|show me|type) (the |all the |all |)numbers (between {a} and {b}|
        {a} to {b}|{a} through {b})
    (start|begin) (counting |)(at|with|from) {a} and (count|go|go on) (up |)to {b}
    (start|begin) (counting |)(at|with|from) {a} and (stop|end|finish) (at|with|when you reach) {b}
    (go|go up|run|continue|count on) from {a} (to|up to|till|until) {b}
    (count|say|list) every number from {a} (up |)to {b}
    (make|write|give me|show me) (a list of |a row of |)(the |)numbers (from |){a} (to|through) {b}
    (count|count on|keep counting|go on) (to|until|up to) {b}(,|) (starting|beginning) (at|from|with) {a}
    (say|write) {a} (to|through|up to) {b}
""")
FROM_TO_SAID = lines("""
    (numbers|the numbers|all numbers|counting|count) ({a}-{b}|{a} to {b}|from {a} to {b}|{a} - {b}|
        between {a} and {b})(.|?|)
    (from {a} (to|up to|till|until) {b}|{a} to {b}|{a}..{b}|{a} up to {b})(, please| please|, count|, go)(.|
        !|)
    from {a} (to|up to|till|until) {b}
    (what are|which are) (the |all the |)numbers (from {a} to {b}|between {a} and {b})?
    (which|what) numbers (are|lie|are there|come|do I need to get) (between {a} and {b}|from {a} to {b})?
    how do (you|I|we) count from {a} to {b}?
    (can|could|will) (you|we) count from {a} to {b}( together|)?
    (let's|let us|shall we) count from {a} (up |)to {b}( together|)(.|?|!|)
    (the houses|the pages|the seats|the rooms) (are numbered|go) from {a} to {b}(. |, )(List them|
        say all the numbers|which numbers are that)(.|?|)
""")
DOWN = lines("""
    count (down|backwards|backward|down backwards) from {n}( to (1|one)|)
    count (backwards|down) (starting (at|from|with)|beginning with) {n}
    count from {n} (down |backwards |)to (1|one)
    (do|give me|start|make) a (countdown|count down) from {n}
    (do|give me|make|show me|write) (a|the) (countdown|count down) (from|starting at|beginning at|of) {n}
    countdown from {n}
    (say|list|write|give me|tell me|name) the numbers from {n} (down |backwards |)to (1|one)
    count to {n} (backwards|in reverse|from the end|the other way round)
    (go|run) (down|backwards|back) from {n}( to (1|one)|)
    (start|begin) (counting |)(at|with|from) {n} and (count|go) (down|backwards|back)( to (1|one)|)
    (say|list|write|name) the numbers (to|up to|from 1 to) {n} (backwards|in reverse|in reverse order)
    (say|write) {n} (down to|to) (1|one)
""")
DOWN_SAID = lines("""
    (countdown|count down|counting down|counting backwards|backwards)(:|,|) (from |){n}( to 1|)(.|!|)
    {n} (down to|to) (1|one)(, please| please|, go|)(.|)
    (the |)numbers (from |){n} (down |)to (1|one)(.|)
    (the rocket|my rocket|our rocket) (is ready|starts soon|takes off)(. |, )(Count down|please count down|
        give the countdown) from {n}(.|!|)
    how do (you|I|we) count (down|backwards) from {n}?
    (can|could|will) (you|we) count (down|backwards) from {n}( together|)?
    (let's|let us|shall we) count (down|backwards) from {n}(.|?|!|)
    what is {n} to 1 (backwards|in order|as a list)?
""")
DOWN_TO = lines("""
    count (down|back|backwards) from {b} (to|till|until|down to) {a}
    count from {b} (down to|back to|backwards to|down till) {a}
    (say|list|write|name|give me) the numbers from {b} (down|back|backwards) to {a}
    (start|begin) (counting |)(at|with|from) {b} and (count|go) (down|back|backwards) to {a}
    (do|give me|make) a countdown from {b} to {a}
    (go|run) (down|back|backwards) from {b} to {a}
    count from {b} to {a}
    (say|write) {b} down to {a}
""")
STEPS = lines("""
    count (by|in) {steps}
    (go|count|count up|keep counting) (up |)(in|by) {steps}
    (say|list|write|name|recite|tell me|do|show me|know) (the |)({n} times table|times table of {n}|
        table (of|for) {n})
    (say|list|write|name|give me|show me|tell me) (the |)(multiples of {n}|numbers in steps of {n}|
        multiplication table of {n})
    (skip count|skip-count) (by|in) {steps}
    (count|go up|go) in steps of {n}
    (count|say the numbers) (adding|always adding) {n}
    (say|list|write|name) the numbers by {steps}
    (start|begin) (at|with) {n} and (go up|count) (by|in) {steps}
""")
EVEN_ODD = lines("""
    (say|list|name|write|give me|tell me|count|show me) (the |all |all the |){kind} numbers (up to|to|until|
        till) {n}
    (say|list|name|write|give me|tell me|show me) (the |all |all the |){kind} numbers (from 1 to|
        between 1 and) {n}
    count (to|up to) {n} (in|with|using|by) {kind} numbers( only|)
    count (only |just |)(the |){kind} (numbers|ones) (to|up to|till) {n}
    (say|list|write|name) (only |just |)(the |)numbers (to|up to) {n} that are {kind}
    (leave out the {other} numbers and count|skip the {other} numbers and count) (to|up to) {n}
""")
EVEN_ODD_SAID = lines("""
    (which|what) (numbers (up |)to {n} are {kind}|are the {kind} numbers (up |)to {n})?
    {kind} numbers (to|up to|till|from 1 to|until) {n}(.|?|, please| please|)
    (what|which) {kind} numbers are (there |)(up to|below or equal to|between 1 and) {n}?
    {kind} (only|ones)(:|,) 1 to {n}(.|)
""")
SOME_EVEN_ODD = lines("""
    (say|list|name|write|give me|tell me|show me) (the |all |all the |){kind} numbers (from {a} to {b}|
        between {a} and {b})
    count (from {a} to {b}|between {a} and {b}) (in|with|using) {kind} numbers
    (say|list|write) the numbers from {a} to {b} that are {kind}
    count the {kind} numbers from {a} to {b}
""")
STEPS_FROM = lines("""
    count (by|in) {steps} (from {a} to {b}|starting (at|from) {a} and ending at {b})
    count from {a} to {b} (by|in) ({steps}|steps of {n})
    (start|begin) (at|with) {a} and (go|count) (up |)(by|in) {steps} (to|until|up to) {b}
    (say|list|write) the numbers from {a} to {b} (by|in) ({steps}|steps of {n})
""")
STEPS_DOWN = lines("""
    count (down|back|backwards) (by|in) {steps} from {b} (down |)to {n}
    count (down|back|backwards) from {b} to {n} (by|in) ({steps}|steps of {n})
    (start|begin) (at|with) {b} and (go|count) (down|back) (by|in) {steps} (to|until|down to) {n}
""")
NOW_TO = lines("""
    (and |now |and now |ok, |then |again, |)(count |)(up |)to {n}(, please| please|)(.|?|)
    (and|now|then|next) (to|up to|till) {n}(.|?|)
    (now|and|next time) (only |just |even )to {n}(.|)
    (do|try) (it|that) again(,| but) (only |just |up |)to {n}(.|)
    (the same|same again|again)(,| but) to {n}(.|)
    (what about|how about) (to|up to) {n}?
""")
NOW_ON = lines("""
    (and |now |and now |ok, |)(go on|continue|carry on|keep going|count on|keep counting) (to|until|till|
        up to) {n}(.|)
    (can|could) you (go on|continue|keep going|carry on) (to|until|up to) {n}?
    (and |now |)(further|go further|on), (to|until|up to) {n}(.|)
""")
NOW_FROM = lines("""
    (and|now|then|and now|next|ok, now) (count |)from {a} (to|up to|till|until) {b}(, please|)(.|?|)
    (what about|how about) (from |){a} to {b}?
    (and|now) (the numbers |){a} to {b}(.|?|)
    (now|and now|next) start (at|with|from) {a} and (go|count) to {b}(.|)
""")
NOW_BACK = lines("""
    (and |now |and now |ok, now |)(backwards|in reverse|the other way round|the other way around|back|
        back again|backward|from the end)(, please| please|)(.|?|)
    (now |and |)(say|count|do|list) (it|them|that) (backwards|in reverse|the other way round)(.|)
    (can|could) you (do|say|count) (it|that|them) (backwards|in reverse)( too| as well|)?
    (and |now |)(count |)(down again|back down|back to one|back to 1)(.|?|)
    now (turn it round|reverse it|the same backwards)(.|)
""")


def listed(numbers: range) -> str:
    """Numbers as a sentence."""
    return ", ".join(map(str, numbers)) + "."


def number(rng: Random, value: int) -> str:
    """A number as somebody writes it."""
    return in_words(value) if value < 100 and rng.random() < 0.25 else str(value)


def made(rng: Random, frame: Frame, asks: tuple[str, ...], answer: str, **slots: str) -> Exchange:
    """An exchange with one of the ways to ask, framed."""
    return Exchange(frame(rng, rng.choice(asks)), answer, slots)


def either(
    rng: Random, asks: tuple[str, ...], said: tuple[str, ...], answer: str, frame: Frame = order, **slots: str
) -> Exchange:
    """An exchange with one of the ways to ask that fit a frame, or one that stands for itself."""
    if rng.random() < 0.3:
        return made(rng, mannered, said, answer, **slots)
    return made(rng, frame, asks, answer, **slots)


def count_up(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting from one, and then perhaps on, again or back."""
    n = (
        rng.randint(2, 30)
        if rng.random() < 0.85
        else rng.choice((rng.randint(31, 99), 100, 500, 1000, 10**6))
    )
    answer = listed(range(1, n + 1)) if n <= 30 else TOO_FAR
    counted = [either(rng, UP_TO, UP_TO_SAID, answer, n=number(rng, n))]
    if n > 30 or rng.random() < 0.7:
        return counted
    return [*counted, again(rng, n)]


def again(rng: Random, n: int) -> Exchange:
    """A second count after one from one to a number."""
    kind = rng.randrange(4)
    if kind == 0:
        return made(rng, mannered, NOW_BACK, listed(range(n, 0, -1)))
    if kind == 1:
        further = n + rng.randint(2, 12)
        return made(rng, mannered, NOW_ON, listed(range(n + 1, further + 1)), n=number(rng, further))
    if kind == 2:
        other = rng.randint(2, 30)
        return made(rng, mannered, NOW_TO, listed(range(1, other + 1)), n=number(rng, other))
    return from_to(rng, mannered, NOW_FROM)


def from_to(rng: Random, frame: Frame, asks: tuple[str, ...]) -> Exchange:
    """Counting from any number to one not far away."""
    a = rng.randint(0, 90 if rng.random() < 0.6 else 20)
    b = a + rng.randint(2, min(16, 99 - a))
    return made(rng, frame, asks, listed(range(a, b + 1)), a=number(rng, a), b=number(rng, b))


def count_on(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting from one number to another."""
    frame, asks = (mannered, FROM_TO_SAID) if rng.random() < 0.3 else (order, FROM_TO)
    if rng.random() < 0.1:
        a = rng.randint(0, 90)
        b = a + rng.randint(40, 900)
        return [made(rng, frame, asks, TOO_FAR, a=number(rng, a), b=number(rng, b))]
    counted = [from_to(rng, frame, asks)]
    return [*counted, from_to(rng, mannered, NOW_FROM)] if rng.random() < 0.15 else counted


def count_down(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting down to one, or to some other number."""
    if rng.random() < 0.35:
        a = rng.randint(0, 40)
        b = a + rng.randint(2, 14)
        answer = listed(range(b, a - 1, -1))
        return [made(rng, order, DOWN_TO, answer, a=number(rng, a), b=number(rng, b))]
    n = rng.randint(3, 25) if rng.random() < 0.95 else rng.choice((50, 60, 99, 100, 1000))
    answer = listed(range(n, 0, -1)) if n <= 30 else TOO_FAR
    return [either(rng, DOWN, DOWN_SAID, answer, n=number(rng, n))]


def count_in_steps(rng: Random, talk: Talk) -> list[Exchange]:
    """Counting by twos, fives, tens and so on, ten times where no end is named; or odd and even numbers."""
    if rng.random() < 0.35:
        return [odd_or_even(rng)]
    step = rng.choice((2, 2, 2, 5, 5, 10, 10, 3, 4, 6, 7, 8, 9))
    steps = rng.choice((str(step), in_words(step) + ("es" if step == 6 else "s"), f"{step}s"))
    slots = {"n": number(rng, step), "steps": steps}
    kind = rng.random()
    if kind < 0.12:
        first, times = step * rng.randint(1, 6), rng.randint(3, 8)
        last = first + step * times
        slots |= {"a": str(first), "b": str(last)}
        return [Exchange(order(rng, rng.choice(STEPS_FROM)), listed(range(first, last + 1, step)), slots)]
    if kind < 0.24:
        top = step * rng.randint(3, 10)
        down = listed(range(top, 0, -step))
        return [Exchange(order(rng, rng.choice(STEPS_DOWN)), down, slots | {"b": str(top)})]
    ask, times = rng.choice(STEPS), 10
    if rng.random() < 0.5:
        ask, times = ask + " (to|up to|until) {end}", rng.randint(3, 10)
    answer = listed(range(step, step * times + 1, step))
    return [Exchange(order(rng, ask), answer, slots | {"end": str(step * times)})]


def odd_or_even(rng: Random) -> Exchange:
    """The odd or the even numbers up to some number, or between two."""
    kind = rng.choice(("even", "odd"))
    if rng.random() < 0.35:
        a = rng.randint(1, 50)
        b = a + rng.randint(5, 20)
        some = range(a + (a % 2 != (kind == "odd")), b + 1, 2)
        return made(rng, order, SOME_EVEN_ODD, listed(some), a=str(a), b=str(b), kind=kind)
    n = rng.randint(6, 30)
    answer = listed(range(2 if kind == "even" else 1, n + 1, 2))
    other = "odd" if kind == "even" else "even"
    return either(rng, EVEN_ODD, EVEN_ODD_SAID, answer, n=number(rng, n), kind=kind, other=other)
