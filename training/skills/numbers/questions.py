"""Other questions about numbers: comparing, checking, quizzes; and tasks that are declined as too hard."""

from random import Random

from training.asking import question, want
from training.phrasing import lines, mannered
from training.skills.numbers.arithmetic import TOO_HARD, ask, draw_pair, spoken
from training.skills.numbers.too_hard import BEYOND, HUGE
from training.talk import Exchange, Talk

COMPARE = lines("""
    (which|what) (number |one |)is (bigger|larger|greater|higher|more), {a} or {b}
    (which|what) (number |one |of these |)is (the |)(bigger|larger|greater|higher|biggest|largest)(:|,| -|?|
        ) {a} or {b}
    is {a} or {b} (bigger|larger|greater|higher|more)
    (which|what) is the (bigger|larger|greater|higher) (number|one|)(:|,) {a} or {b}
    (bigger|larger|greater|more)(:|,) {a} or {b}
    {a} or {b}(:|,| -) (which|which one|what|which number) is (bigger|larger|greater|more|higher)
    {a} or {b}(,|) (bigger|larger|the bigger one|the larger number)
    (which is more|what is more|what's bigger|whats more)(:|,|) {a} or {b}
    (which|which one) of {a} and {b} is (bigger|larger|greater|higher|the bigger one)
    (between|of|out of) {a} and {b}(,|) (which|what) is (bigger|larger|greater|higher)
    who has more(,|:) (me with|the one with) {a} or (you with|the one with) {b}
""")
COMPARE_LESS = lines("""
    (which|what) (number |one |)is (smaller|less|lower), {a} or {b}
    (which|what) (number |one |of these |)is (the |)(smaller|lower|smallest|lowest)(:|,| -|?|) {a} or {b}
    is {a} or {b} (smaller|less|lower)
    (which|what) is the (smaller|lower) (number|one|)(:|,) {a} or {b}
    (smaller|less|lower)(:|,) {a} or {b}
    {a} or {b}(:|,| -) (which|which one|what|which number) is (smaller|less|lower)
    {a} or {b}(,|) (smaller|the smaller one|the lower number)
    (which is less|what is less|what's smaller|whats less)(:|,|) {a} or {b}
    (which|which one) of {a} and {b} is (smaller|lower|less|the smaller one)
    (between|of|out of) {a} and {b}(,|) (which|what) is (smaller|lower|less)
    who has (less|fewer)(,|:) (me with|the one with) {a} or (you with|the one with) {b}
""")
CLAIM = lines("""
    is {a} (really |)(bigger|larger|greater|higher|more) than {b}
    is {a} > {b}
    {a} > {b}(, right|, true or false|, correct|)
    {a} is (bigger|larger|greater|more) than {b}, (right|isn't it|correct|true or false|yes or no|or not)
    (is it true|is it right|is it correct|am I right|would you agree) that {a} is (bigger|larger|greater|
        more) than {b}
    I (think|believe|say|guess) (that |){a} is (bigger|larger|greater|more) than {b}, (right|am I right|
        is that right|correct)
""")
CLAIM_LESS = lines("""
    is {a} (really |)(smaller|less|lower) than {b}
    is {a} < {b}
    {a} < {b}(, right|, true or false|, correct|)
    {a} is (smaller|less) than {b}, (right|isn't it|correct|true or false|yes or no|or not)
    (is it true|is it right|is it correct|am I right|would you agree) that {a} is (smaller|less|
        lower) than {b}
    I (think|believe|say|guess) (that |){a} is (smaller|less|lower) than {b}, (right|am I right|
        is that right|correct)
""")
PARITY = lines("""
    is {n} (an |)(even|odd)( number|)
    is {n} (even or odd|odd or even|an even or an odd number|an odd or an even number)
    is the number {n} (even|odd)
    (even or odd|odd or even)(:|,|) {n}
    {n}(:|,| -) (even or odd|odd or even|is it even|is it odd|odd|even)
    {n} is (odd|even), (right|isn't it|correct|is that right)
    what (kind of number|sort of number) is {n}(, even or odd|, odd or even)
    (am I right|is it true|is it right) that {n} is (even|odd|an even number|an odd number)
    (I need to know|I wonder|do you know) (if|whether) {n} is (even|odd|even or odd)
    (does|would) {n} count as (even|odd)
""")
AFTER = lines("""
    (what|which|which number) (comes|is|follows) (right |directly |next |)after {n}
    (what|which) number (comes|is|follows|comes next|do you say|do I say|do we get to) (right |)after {n}
    (what is|what's|which is) the next number (after|to) {n}
    (what is|what's|which is) the number (after|following|right after|that comes after|that follows) {n}
    (what|which number) follows {n}
    after {n} (comes|follows) (what|which number|)
    (I counted|I am counting and I am|I got|we are) (to|at|up to) {n}(, |. )(what comes next|what is next|
        which number is next|what now)
    (when counting|when I count|in counting)(,|) what (comes|is) after {n}
    {n}(, |: )(what comes next|next number|the next one|and then)
    (the next number|next number|the number)(:|) after {n}
""")
BEFORE = lines("""
    (what|which|which number) (comes|is) (right |directly |just |)before {n}
    (what|which) number (comes|is|do you say|do I say|stands) (right |just |)before {n}
    (what is|what's|which is) the (number before|previous number to|number in front of) {n}
    (what is|what's|which is) the number (right before|just before|that comes before|preceding) {n}
    before {n} (comes|is) (what|which number|)
    (when counting|when I count|in counting)(,|) what (comes|is) before {n}
    {n}(, |: )(the number before|the one before|what comes before|previous number)
    (the previous number|number|the number) before {n}
""")
BETWEEN = lines("""
    (what|which|which number) (is|comes|lies|stands|sits) between {before} and {after}
    (what|which) is the (only |)number between {before} and {after}
    (what|which number) (comes|is) after {before} and before {after}
    (which|what) number is missing(:|,|) {before}, ..., {after}
    (the |)number between {before} and {after}
    {before}, (what|_|?|...|__), {after}
    between {before} and {after} (comes|is) (what|which number|)
""")
DOUBLE = lines("""
    (double|twice|the double of|double of) {n}
    twice (the number |as much as |as many as |){n}
    {n} (doubled|twice)
""")
HALF = lines("""
    (half of|half|the half of|one half of) {n}
    {n} (halved|cut in half|split in two|split in half)
    (one half|half)(:| of the number|) {n}
    half (as much as|as many as) {n}
""")
GUESS = lines("""
    is {a} (+|plus) {b} (=|equal to|really) {c}
    (is {a}+{b}={c}|is {a}+{b} {c}|is {a} + {b} = {c}|is {a} and {b} {c})
    (is it true|is it right|is it correct|am I right|would you agree) that {a} (+|plus|and) {b} (is|makes|
        =) {c}
    I (think|believe|say|guess|would say) (that |){a} (+|plus|and) {b} (is|makes|=) {c}, (right|is that right|
        am I right|correct|or not|do you agree)
    (does|do) {a} (+|plus|and) {b} (make|equal|give|come to|add up to) {c}
    {a} + {b} = {c}, (right|is that right|correct|true or false|isn't it)
    ({a}+{b}={c}|{a} + {b} = {c}|{a}+{b} is {c}|{a} plus {b} is {c})(,|) (right|is that right|correct|
        true or false|yes or no|isn't it|true|ok|is it|or not|or am I wrong)
    (right or wrong|true or false|is this right|is this correct|check this|check my sum)(:|,) {a} (+|
        plus) {b} (=|is) {c}
    (I got|I get|I have|I found) {c} for {a} (+|plus) {b}(. |, )(is that right|is it right|am I right|correct|
        is that correct|true)
    (my|the) (son|daughter|teacher|friend|brother|answer|calculator) says (that |){a} (+|plus) {b} (is|makes|
        =) {c}(. |
        , )(is that right|is that true|correct|right)
    {a} and {b} (is|are|makes|make) {c}(,|) (right|correct|isn't it|am I right)
    (can it be|could it be) that {a} plus {b} (is|makes) {c}
    is {c} the (sum|total|result|answer) (of|for) ({a} and {b}|{a} + {b})
    is {c} (the right answer to|right for|correct for) {a} + {b}
""")
GUESS_LESS = lines("""
    is {a} (-|minus|take away) {b} (=|equal to|really) {c}
    (is {a}-{b}={c}|is {a}-{b} {c}|is {a} - {b} = {c})
    (is it true|is it right|is it correct|am I right) that {a} (-|minus|take away) {b} (is|makes|=|leaves) {c}
    I (think|believe|say|guess) (that |){a} (-|minus|take away) {b} (is|makes|=) {c}, (right|is that right|
        am I right|correct)
    does {a} (-|minus|take away) {b} (make|equal|give|leave|come to) {c}
    ({a}-{b}={c}|{a} - {b} = {c}|{a}-{b} is {c}|{a} minus {b} is {c})(,|) (right|is that right|correct|
        true or false|yes or no|isn't it|true|ok|is it|or not|or am I wrong)
    (right or wrong|true or false|is this right|is this correct|check this)(:|,) {a} (-|minus) {b} (=|is) {c}
    (I got|I get|I have|I found) {c} for {a} (-|minus) {b}(. |, )(is that right|is it right|am I right|
        correct)
    is {c} the (result|answer) (of|for|to) ({a} - {b}|{a} minus {b})
""")
QUIZ = lines("""
    (ask|give|set) me (a sum|a maths question|a math question|a maths problem|some maths|a sum to do|
        an addition)(.|)
    (ask|give|set) me (another|one more|an easy|a simple|a hard) (sum|maths question|addition|
        maths problem)(.|)
    (test|quiz) (me in|me on|my) (maths|math|adding|addition|arithmetic|sums)(.|)
    (can you |could you |)(test|quiz|check) my (maths|math|adding|arithmetic)(?|)
    I (want|would like|need|have) to (practise|practice|train|learn) (maths|adding|sums|addition)(.|)
    (maths|math|sums|adding) (quiz|test|game|practice)( please|)
    let's (do|practise|train|try) (some |)(maths|sums|math|adding)( together|)(.|)
    (can|could|will) (you|we) (give me a sum|ask me a sum|do a maths quiz|play a maths game|do some sums)?
    (I am learning|my daughter is learning|my son is learning|we are learning) (to add|adding|sums)(. |
        , )(ask me|
        give me) (a sum|an exercise|something to add)(.|)
    (a sum|something to add|a maths problem|an exercise in adding)( for me|) please(.|)
    (be my maths teacher|play teacher and ask me a sum|pretend to be a maths teacher)(.|)
    (is my adding good|am I good at adding|see how well I can add)(?|. Ask me a sum.|? Ask me a sum.)
""")
REPLY = lines("""
    ({c}|{c}|{c}.|{c}!|it is {c}|it's {c}|is it {c}?|I think {c}|{c}?|that is {c}|the answer is {c})
    ({c}|{c}|{c}.|{c}|{c}!)
    (easy|simple|hm|hmm|let me think|um|wait|ok|well)(, |... |: |. ){c}(.|)
    (that makes|that would be|it must be|it should be|I'd say|I say|I guess|my guess is|
        I believe it's) {c}(.|?|)
    {c}(, right| I think| I guess| maybe|, is that right| of course|, correct| for sure|, easy)(?|.|)
    (maybe|perhaps|probably|of course) {c}(.|?|)
""")
NO_IDEA = lines("""
    (I don't know|no idea|I give up|hm, I don't know|tell me|what is it?|too hard|I am not sure|pass)(.|)
    (dunno|no clue|you tell me|I have no idea|I can't|I can't do that|that is too hard for me|help|skip)(.|!|)
    (sorry|hm|oh dear|oh no)(, |. )(I don't know|no idea|I can't do that|too hard)(.|)
""")


def too_hard(rng: Random) -> list[Exchange]:
    """What it cannot work out and says so, in whichever way it is asked."""
    slots = {
        "big": str(rng.randint(100, 10 ** rng.choice((3, 3, 4, 4, 5, 7)))),
        "other": str(rng.randint(100, 10 ** rng.choice((3, 4, 5)))),
        "any": str(rng.randint(2, 99)),
        "long": str(rng.randint(13, 99)),
        "longer": str(rng.randint(13, 99)),
        "few": str(rng.randint(2, 9)),
        "less": str(rng.randint(2, 9)),
        "power": str(rng.randint(4, 9)),
        "huge": rng.choice(HUGE),
        "sum": f"({rng.randint(1, 9)} {rng.choice('+-')} {rng.randint(1, 9)})",
        "root": f"sqrt({rng.randint(2, 99)})",
    }
    return [Exchange(ask(rng, BEYOND), TOO_HARD, slots)]


def compare(rng: Random) -> list[Exchange]:
    """Which of two numbers is the larger or the smaller one."""
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    less = rng.random() < 0.5
    slots = spoken(rng, a=a, b=b)
    true = f"{a} is {'smaller' if a < b else 'bigger'} than {b}."
    if a == b:
        return [Exchange(question(rng, rng.choice(COMPARE)), f"They are the same: {a} and {b}.", slots)]
    if rng.random() < 0.4:
        claim = rng.choice(CLAIM_LESS if less else CLAIM)
        return [Exchange(question(rng, claim), f"{'Yes' if (a < b) == less else 'No'}, {true}", slots)]
    first, second = sorted((a, b), reverse=not less)
    answer = f"{first} is {'smaller' if less else 'bigger'} than {second}."
    return [Exchange(question(rng, rng.choice(COMPARE_LESS if less else COMPARE)), answer, slots)]


def about_one(rng: Random) -> list[Exchange]:
    """Something about a single number: even or odd, its neighbours, twice of it and half of it."""
    n = rng.randint(2, 99)
    beside = {"before": str(n), "after": str(n + 2)}
    half = f"{n // 2}" if n % 2 == 0 else f"{n // 2} and a half"
    asks, answer, frame = rng.choice(
        (
            (PARITY, f"{n} is {'odd' if n % 2 else 'even'}.", question),
            (AFTER, f"After {n} comes {n + 1}.", question),
            (BEFORE, f"Before {n} comes {n - 1}.", question),
            (DOUBLE, f"{n} + {n} = {n + n}.", want),
            (HALF, f"Half of {n} is {half}.", want),
            (BETWEEN, f"Between {n} and {n + 2} comes {n + 1}.", question),
        )
    )
    return [Exchange(frame(rng, rng.choice(asks)), answer, spoken(rng, n=n) | beside)]


def check(rng: Random) -> list[Exchange]:
    """Somebody has added or subtracted already and wants to know whether it is right."""
    a, b = draw_pair(rng)
    off = rng.choice((0, 0, 0, 1, -1, 2, 10, -10))
    less = rng.random() < 0.35
    if less:
        b, a = sorted((a, b))
    right = a - b if less else a + b
    claimed = max(0, right + off)
    verdict = "You are right!" if claimed == right else "That is not quite right."
    equation = f"{a} {'-' if less else '+'} {b} = {right}."
    slots = spoken(rng, a=a, b=b) | {"c": str(claimed)}
    said = question(rng, rng.choice(GUESS_LESS if less else GUESS))
    return [Exchange(said, f"{equation} {verdict}", slots)]


def quiz(rng: Random) -> list[Exchange]:
    """A sum for the person to do, and a word on how that went."""
    a, b = draw_pair(rng, 30)
    asked = Exchange(mannered(rng, rng.choice(QUIZ)), f"What is {a} + {b}?")
    off = rng.choice((0, 0, 0, 0, 1, -1, 2, 10))
    said = max(0, a + b + off)
    if rng.random() < 0.12:
        return [asked, Exchange(rng.choice(NO_IDEA), f"{a} + {b} = {a + b}. Now you know!")]
    comment = "Well done!" if said == a + b else "You were close!"
    return [asked, Exchange(rng.choice(REPLY), f"{a} + {b} = {a + b}. {comment}", {"c": str(said)})]


def numbers(rng: Random, talk: Talk) -> list[Exchange]:
    """What else there is about numbers: comparisons, checks, quizzes and what is too hard."""
    return rng.choices((too_hard, compare, about_one, check, quiz), (5, 2, 4, 1.5, 1))[0](rng)
