"""Words said back: those of the last message, those of the last answer, or some given at once."""

from itertools import pairwise
from random import Random

from training.names import draw_name
from training.phrasing import lines
from training.talk import Exchange, Talk
from training.values import COLOURS, FOODS, HOBBIES, INGREDIENTS, JOBS, MATERIALS, SHADES, THINGS, invent_word

WORDS = (*THINGS, *SHADES, *COLOURS.values, *MATERIALS, *INGREDIENTS)
HELD_OUT = {value for pool in (COLOURS, FOODS, HOBBIES, JOBS) for value in pool.held_out}
LONGEST_ECHO = 14  # words that are said back whole

LAST_MESSAGE = lines("""
    what did I (just |)(say|write|type|ask|tell you)( just now| before| last|)?
    (what was|what's|what is) my (last|previous) (message|question|sentence|line|text)?
    (repeat|say|tell me|quote) what I (just |)(said|wrote|typed)( before| last|)(.|)
    repeat my (last|previous) (message|question|words)(.|)
    (can|could) you (repeat|quote|tell me) (what I just said|my last message|what I said last|
        what I just wrote)?
    what were my last words?
    what have I just (said|written|asked)?
    do you (remember|know) what I just (said|wrote|asked)?
    quote me(.|)
    which words did I just use?
    what was it (that |)I just (said|wrote|typed|asked)?
    I (forgot|can't remember|don't know) what I just (said|wrote|typed|asked)(.|)
    (my last|my previous) (message|question|line|sentence)(?|, please.|, what was it?)
    (read|give|show) (me |)my (last|previous) (message|question|line) back( to me|)(.|, please.)
    (sorry, |)what did I just (say|ask|type)( there|)?
    (say|write|read) back what I just (said|wrote|typed)(.|)
    (did you read|have you read|are you listening to) me? (What did I just say?|Then say what I said.)
    (remind me|tell me)(,| again,|) what (did I just say|was my last message|did I just ask)?
    word for word, what did I (just |)(say|write)( last|)?
""")
LAST_ANSWER = lines("""
    what did you (just |)(say|write|answer|reply)( just now| before|)?
    (say|repeat|tell me) that (again|once more|one more time)(, please|.|)
    (what was|what is) your (last|previous) (answer|message|reply|sentence)?
    repeat (your last answer|what you said|what you just said|yourself|your last message)(.|, please|)
    (can|could|would) you (repeat|say) (that|it|what you said|your answer)( again| once more|)( please|)?
    (again, please|once more, please|come again?|say again?)
    I (did not|didn't) (get|catch|hear|read) that(, can you repeat it?|. Again, please|. Once more?|
        . Say it again)
    what have you just (said|written)?
    (sorry|pardon|excuse me)(,|?) (what did you say|can you say that again|could you repeat that|
        what was that)?
    what was it (that |)you just (said|wrote|answered)?
    I (missed|overlooked|deleted) (that|your answer|what you said)(.|, say it again.| - once more, please.)
    (your last|your previous) (answer|message|reply)( again|, please| once more|)(.|)
    (can|may|could) I (hear|read|have|see) (that|your last answer|what you said) (again|once more)?
    (please |)(repeat|write) (that|your answer|it) (once more|again|for me)(.|)
    I wasn't (listening|looking)(.|,) (what did you say|say that again|repeat that)(.|?)
    do you (remember|know) what you just (said|wrote|answered)?
    (what|which) words did you just use?
""")
REPEAT = lines("""
    (please |)(repeat|say|echo|write|type|print)(:|) {list}(.|)
    (repeat after me|say after me|say it back|repeat this|echo this|copy this|now say this|(please |)say)(:|
        ,|) {list}(.|)
    (can|could|would|will) you (please |)(say|repeat|write|echo) {list}(?| for me?| please?)
    (say|repeat|write) {list}(, please| for me| once|, ok?|)
    (I want you|I'd like you|try|you have|I ask you) to (say|repeat|write) {list}(.|)
    (say|repeat|write) "{list}"(.|)
    (please |)(say|repeat|write|echo) (the (words|word|names|name|text)|the following|these words)(:|
        ) {list}(.|)
    just (say|write|answer|reply)(:|) {list}(.|)
    (I dare you to|I bet you can't|let me hear you|let me see you) (say|repeat|write) {list}(.|!|)
    (are you able to|do you know how to|how about you) (say|repeat|write) {list}?
    (now|next|then|ok, now) (say|repeat|write)(:| this:|) {list}(.|)
    {list} - (say|repeat) (that|it)( back| please|)(.|)
    (answer|reply|respond) (only |)with(:|) {list}(.|)
    (parrot|copy|mirror) (me|this)(:|,) {list}(.|)
    say the (word|words|name|names) {list} (for me|back to me|once)(.|, please.|)
    (say|write|repeat) exactly (this|what I say)(:|,) {list}(.|)
""")


def repeat(rng: Random, talk: Talk) -> list[Exchange]:
    """Names or other words said back: many to copy in one exchange."""
    if rng.random() < 0.6:
        said = ", ".join(draw_name(rng).split()[0] for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 5))))
    else:
        said = draw_words(rng)
    return [Exchange(rng.choice(REPEAT), "I say {list}.", {"list": said})]


def draw_words(rng: Random) -> str:
    """Some words in a row, of which no two make a value that is held out."""
    said = [draw_word(rng) for _ in range(rng.randint(2, 6))]
    return draw_words(rng) if any(" ".join(pair) in HELD_OUT for pair in pairwise(said)) else " ".join(said)


def draw_word(rng: Random) -> str:
    """Any word, or what could be one."""
    return invent_word(rng) if rng.random() < 0.25 else rng.choice(WORDS)


def echo(rng: Random, talk: Talk) -> list[Exchange]:
    """What was said last, by the person or by the assistant, word for word."""
    own = rng.random() < 0.4
    ask = rng.choice(LAST_ANSWER if own else LAST_MESSAGE)
    if not talk.history:
        return [Exchange(ask, f"{'I' if own else 'You'} have not said anything before that.")]
    said = talk.history[-1][own].strip()
    if "\n" in said or len(said.split()) > LONGEST_ECHO:
        return repeat(rng, talk)
    answer = f"{'I' if own else 'You'} said: {{said}}"
    return [Exchange(ask, answer, {"said": said}, answer)]
