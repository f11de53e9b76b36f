"""How people type to a machine: hastily, in lower case, with slips and abbreviations."""

import re
from collections.abc import Callable
from random import Random

from training.phrases import read

TEXT = read("typing")
# Words of a template, of four letters, of any, or with an end to be drawn out; slots are no words.
WORD = re.compile(r"(?<![\w{'])[A-Za-z]{4,}(?![\w}'])")
SMALL_WORD = re.compile(r"(?<![\w{'])[a-z]+(?![\w}])")
LONG_END = re.compile(r"(?<![\w{'])[A-Za-z]+[aeiosuyhmw](?![\w}'])")
SPACE = re.compile(r"(?<=[a-z]) (?=[a-z])")
KEEPS_CAPITAL = re.compile(r"I\b|\{|[A-Z]{2}")
SHORTER = {phrase: tuple(shorter) for phrase, *shorter in TEXT.shorter}
SHORTENED = re.compile(rf"(?<![\w{{'])({'|'.join(sorted(SHORTER, key=len, reverse=True))})(?![\w}}'])")
KEYBOARD = "qwertyuiop asdfghjkl zxcvbnm"
OTHER_WORDS = frozenset(TEXT.other_words)
SLIPPERY = frozenset(TEXT.slippery)
# Learners leave out the little verb of a question, or put it where it is in a statement.
LITTLE_VERB = r"\b(what|where|how|who|when|which \w+|what \w+) (?:do|does|did|is|are) (?=I\b|my |the |you )"
NEW_SENTENCE = r"(?<=[a-z])([.!?]) (?=[A-Za-z])"
# How commas and full stops are left out or oddly spaced, each below its number; numbers keep theirs.
SPACES = (
    (0.1, r"(?<=[a-z]),", ""),
    (0.13, r"(?<=[a-z]), (?=[A-Za-z])", ","),
    (0.145, r"(?<=[a-z]), ", " , "),
    (0.16, NEW_SENTENCE, r"\1"),
    (0.18, NEW_SENTENCE, " "),
    (0.19, NEW_SENTENCE, r"\1\n"),
)


def type_carelessly(rng: Random, ask: str, slots: dict[str, str], spell: Callable[[str], str] = str) -> str:
    """The text of a template without choices, with the slips of a hasty hand; values of slots stay whole,
    but for what everybody knows.

    `spell` gives how the person writes names: as they are, or all small.
    """
    slots = {slot: spell(mistake(rng, slot, value)) for slot, value in slots.items()}
    if rng.random() < 0.08:
        ask = rng.choice(TEXT.fillers) + (ask if KEEPS_CAPITAL.match(ask) else ask[:1].lower() + ask[1:])
    kind = rng.random()
    if kind < 0.36:
        bare = ask.rstrip(".?! ") or ask
        ends = TEXT.after_question if ask.endswith("?") else TEXT.after_statement
        ask = bare if kind < 0.3 else bare + rng.choice(ends)
    for _ in range(rng.choices((0, 1, 2), (60, 30, 10))[0]):
        ask = misspell(rng, ask)
    ask = drop(rng, space(rng, drop_apostrophes(rng, ask)))
    style = rng.random()
    if style < 0.4:
        return ask.lower().format(**slots)
    if rng.random() < 0.1:
        ask = re.sub(r"\bI\b", "i", ask)
    return (ask[:1].upper() + ask[1:] if style < 0.75 else ask).format(**slots)


def mistake(rng: Random, slot: str, value: str) -> str:
    """The value of a slot, with a slip now and then where it is something that everybody knows."""
    is_known = slot in TEXT.perhaps_known and SLIPPERY.issuperset(re.split("[ -]", value))
    return misspell(rng, value) if (slot in TEXT.known or is_known) and rng.random() < 0.15 else value


def choose(rng: Random, pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    """Where one of the matches begins and ends; 0 and 0 if there is none."""
    spans = [found.span() for found in pattern.finditer(text)]
    return rng.choice(spans) if spans else (0, 0)


def misspell(rng: Random, text: str) -> str:
    """Swap, drop, double or mistake one letter of one longer word; slots are left whole."""
    start, end = choose(rng, WORD, text)
    if not end:
        return text
    at = rng.randrange(start + 1, end - 1)
    pair = text[at : at + 2]
    beside = KEYBOARD.index(pair[0].lower()) + rng.choice((-1, 1))
    near = KEYBOARD[beside % len(KEYBOARD)].strip() or pair[0]
    slips = (pair[::-1], pair[1], pair[0] + pair, near + pair[1], near + pair, pair[0])
    slipped = text[:at] + rng.choice(slips) + text[at + 2 :]
    return text if slipped[start : end + len(slipped) - len(text)].lower() in OTHER_WORDS else slipped


def drop_apostrophes(rng: Random, text: str) -> str:
    """The text without its apostrophes now and then, or with what another keyboard has in their place."""
    kind = rng.random()
    if kind >= 0.25:
        return text
    instead = "" if kind < 0.2 else "\u2019" if kind < 0.24 else rng.choice(("`", " ", "\u00b4"))
    return text.replace("'", instead)


def space(rng: Random, text: str) -> str:
    """The text with commas and full stops left out or oddly spaced."""
    kind = rng.random()
    for limit, pattern, instead in SPACES:
        if kind < limit:
            return re.sub(pattern, instead, text)
    return re.sub(NEW_SENTENCE, rng.choice((", ", "... ", " - ", "!! ")), text) if kind < 0.2 else text


def drop(rng: Random, text: str) -> str:
    """The text without some of its articles, verbs, spaces or letters, or with some of them twice."""
    kind = rng.random()
    if kind < 0.03:
        return SHORTENED.sub(lambda found: rng.choice(SHORTER[found[0]]), text)
    if kind < 0.08:
        start, end = choose(rng, SHORTENED, text)
        return text[:start] + rng.choice(SHORTER[text[start:end]]) + text[end:] if end else text
    if kind < 0.11:
        return re.sub(r"\b(?:an?|the) (?=[a-z{])", "", text)
    if kind < 0.12:
        return re.sub(LITTLE_VERB, r"\1 ", text)
    if kind < 0.13:
        _, end = choose(rng, LONG_END, text)
        return text[:end] + text[end - 1] * rng.randint(1, 3) + text[end:] if end else text
    if kind < 0.137:
        start, end = choose(rng, SMALL_WORD, text)
        return f"{text[:end]} {text[start:]}" if end else text
    if kind < 0.152 and SPACE.search(text):
        start, end = choose(rng, SPACE, text)
        return text[:start] + text[end:]
    return rng.choice((" " + text, text + " ")) if kind < 0.167 else text
