"""The alphabet, whole or in part, and where in it a letter stands."""

from random import Random
from string import ascii_uppercase as LETTERS

from training.asking import order, question, want
from training.english import ORDINALS, in_words, ordinal
from training.phrasing import lines, mannered
from training.skills.sequences.counting import made
from training.skills.sequences.neighbours import ask_next
from training.talk import Exchange, Talk

ALPHABET = lines("""
    (say|recite|list|write|tell me|give me|sing|name|know) (the |your |)(alphabet|ABC|ABCs|
        letters of the alphabet)
    (say|list|write|name) all (the |)(letters|letters of the alphabet|26 letters)
    (go|run) through the (alphabet|ABC)
    (say|write|type|show me|teach me) the (whole |complete |full |entire |English |)(alphabet|ABC)
    (say|write|list|recite) the (alphabet|letters) (from A to Z|from start to end|in order)
    (say|list|name) every letter( of the alphabet|)
    (do|sing) the (alphabet song|ABC song|alphabet|ABC)
    (list|name|write down) the (letters|alphabet)
""")
ALPHABET_SAID = lines("""
    (the |)(alphabet|ABC|whole alphabet|letters of the alphabet)(, please| please|.|!|)
    (what are|which are) (the |all the |)letters (of|in) the alphabet?
    (what does|how does) the (alphabet|ABC) (look like|go)?
    (do you know|can you say|can you recite|have you learned) (the|your) (alphabet|ABC|letters)?
    (A to Z|A-Z|from A to Z|a, b, c and so on)(, please| please|.|)
    (I am|my (son|daughter) is|we are) learning the (alphabet|ABC)(. |, )(How does it go|Say it|Write it|
        Can you say it)(?|.|)
    (I forgot|I can't remember|I never learned) (the alphabet|the order of the letters|
        how the alphabet goes)(.|)
""")
BACKWARDS = lines("""
    (say|recite|list|write|tell me|give me) (the |)(alphabet|ABC) (backwards|in reverse|from the end|
        from Z to A|
        the other way round)
    (say|list|write) (all |)the letters (backwards|from Z to A|in reverse order)
    (go|run) through the alphabet (backwards|from Z to A)
""")
LETTERS_FROM = lines("""
    (say|list|recite|write|name|give me) the (letters|alphabet) from {a} to {b}
    (say|list|recite|write|name|give me) (all |)the letters (between|from) {a} (to|and|till) {b}
    (go|count) from {a} to {b}( in the alphabet|)
    (say|list|write|show me|tell me) (the |)(letters|part of the alphabet|piece of the alphabet) (from |
        ){a} (to|
        through|up to) {b}
    (start|begin) (the alphabet |)(at|with) {a} and (stop|end) (at|with) {b}
    (say|write) the alphabet(,|) but only from {a} to {b}
    (say|list) {a} to {b}
""")
LETTERS_SAID = lines("""
    (letters|the letters|alphabet|the alphabet) (from |){a} to {b}(.|?|, please| please|)
    (which|what) letters (are|come|lie) (from|between) {a} (to|and) {b}( in the alphabet|)?
    (what are|which are) the letters from {a} to {b}?
    (letters|ABC)(:|,) {a}-{b}(.|)
    from {a} to {b} in the alphabet(.|, please|)
""")
FIRST_LETTERS = lines("""
    (say|list|name|write|give me|tell me|show me) the first {n} letters( of the alphabet| in the alphabet|)
    (say|write) the (first {n} letters of the ABC|beginning of the alphabet, {n} letters)
    (start|begin) the alphabet and stop after {n} letters
    (say|recite) the alphabet up to the {nth} letter
""")
FIRST_SAID = lines("""
    (what|which) are the first {n} letters( of the alphabet| in the alphabet|)?
    (the |)first {n} letters( of the alphabet| in the alphabet| of the ABC|)(.|?|, please| please|)
    with which {n} letters does the alphabet (start|begin)?
""")
UP_TO_LETTER = lines("""
    (say|list|write|give me|recite) the (alphabet|letters) (up to|until|till) {b}
    (say|recite) the (ABC|alphabet) and stop at {b}
""")
LAST_LETTERS = lines("""
    (say|list|name|write|give me|tell me|show me) the last {n} letters( of the alphabet| in the alphabet|)
    (say|write) the {n} letters at the end of the alphabet
""")
LAST_SAID = lines("""
    (what|which) are the last {n} letters( of the alphabet| in the alphabet|)?
    (the |)last {n} letters( of the alphabet| in the alphabet| of the ABC|)(.|?|, please| please|)
    with which {n} letters does the alphabet end?
""")
LETTER_AT = lines("""
    the {nth} letter( of the alphabet| in the alphabet| of the ABC|)
    the {nth} letter( in the English alphabet| if you count from A| in order|)
    letter number {at}( of the alphabet| in the alphabet|)
""")
LETTER_AT_SAID = lines("""
    (which|what) letter is (the {nth}|number {at}|in place {at}|
        at position {at})( in the alphabet| of the alphabet|)?
    (which|what) is the {nth} letter( in the alphabet| of the alphabet|)?
    (the |){nth} letter( of the alphabet|)(?|.|, please|)
    (which|what) letter (comes|stands) {nth} in the alphabet?
""")
LETTER_NUMBER = lines("""
    (which|what) (number|position|place) (is|has) the letter {x}( in the alphabet|)
    (which|what) number in the alphabet is {x}
    where in the alphabet (is|comes|stands) {x}
    (what|which) (place|position|number) does {x} have in the alphabet
    (how far into|at what place in) the alphabet is (the letter |){x}
    (which|what) (number|place) is {x} in the alphabet
    {x} is (which|what) letter of the alphabet(, by number|)
""")


def row(first: int, last: int) -> str:
    """The letters from one place to another as a sentence."""
    return ", ".join(LETTERS[first : last + 1]) + "."


def letters(rng: Random, talk: Talk) -> list[Exchange]:
    """The alphabet, whole or in part, or a question about one letter."""
    # The first and the last letter are asked for more than any other.
    at = rng.choice((0, 25)) if rng.random() < 0.2 else rng.randrange(26)
    letter, nth = LETTERS[at], rng.choice((ordinal(at + 1), *ORDINALS[at : at + 1]))
    if at == 25 and rng.random() < 0.7:
        nth = "last"
    kind = rng.choices(range(6), (1.3, 2, 1, 2.5, 1, 1))[0]
    said = rng.random() < 0.35
    if kind == 0:
        if rng.random() < 0.2:
            return [made(rng, order, BACKWARDS, ", ".join(reversed(LETTERS)) + ".")]
        return [made(rng, mannered if said else order, ALPHABET_SAID if said else ALPHABET, row(0, 25))]
    if kind == 1:
        first = rng.randint(0, 22)
        last = rng.randint(first + 2, 25)
        slots = {"a": LETTERS[first], "b": LETTERS[last]}
        if first == 0 and last < 25 and rng.random() < 0.5:
            return [made(rng, order, UP_TO_LETTER, row(first, last), **slots)]
        frame, asks = (mannered, LETTERS_SAID) if said else (order, LETTERS_FROM)
        return [made(rng, frame, asks, row(first, last), **slots)]
    if kind == 2:
        n = rng.randint(2, 12)
        slots = {"n": rng.choice((str(n), in_words(n))), "nth": ordinal(n)}
        if rng.random() < 0.6:
            frame, asks = (mannered, FIRST_SAID) if said else (order, FIRST_LETTERS)
            return [made(rng, frame, asks, row(0, n - 1), **slots)]
        frame, asks = (mannered, LAST_SAID) if said else (order, LAST_LETTERS)
        return [made(rng, frame, asks, row(26 - n, 25), **slots)]
    if kind == 3:
        return ask_next(rng, tuple(LETTERS), at, "letter", round_about=False)
    if kind == 4:
        frame, asks = (mannered, LETTER_AT_SAID) if said else (want, LETTER_AT)
        return [made(rng, frame, asks, f"Letter number {at + 1} is {letter}.", nth=nth, at=str(at + 1))]
    return [made(rng, question, LETTER_NUMBER, f"Letter number {at + 1} is {letter}.", x=letter)]
