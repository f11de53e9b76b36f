"""How people type to a machine: hastily, in lower case, with slips and abbreviations."""

import re
from collections.abc import Callable
from random import Random

WORD = re.compile(r"(?<![\w{'])[A-Za-z]{4,}(?![\w}'])")
KEEPS_CAPITAL = re.compile(r"I\b|\{|[A-Z]{2}")
FILLERS = (
    *("hey, ", "so, ", "ok, ", "okay ", "well, ", "um, ", "please, ", "and ", "now, ", "oh, ", "alright, "),
    *("hi, ", "hello, ", "yes, ", "ok so ", "hmm, ", "but ", "also, ", "just ", "then ", "btw, ", "eh, "),
)
SHORTER = {
    "you": "u",
    "your": "ur",
    "are": "r",
    "please": "pls",
    "thanks": "thx",
    "because": "cuz",
    "people": "ppl",
    "about": "abt",
    "favourite": "fav",
    "favorite": "fav",
    "and": "&",
    "want to": "wanna",
    "going to": "gonna",
    "what is": "whats",
    "I am": "im",
    "do not": "dont",
}
SHORTENED = re.compile(rf"(?<![\w{{])({'|'.join(SHORTER)})(?![\w}}])")
KEYBOARD = "qwertyuiop asdfghjkl zxcvbnm"
AFTER_QUESTION = ("??", "???", "?!", " ?", "? :)", "...", "? ", "? thanks")
AFTER_STATEMENT = ("!!", "!!!", "...", "..", " :)", " :D", " !", "! :)", " ;)", " lol")


def type_carelessly(rng: Random, ask: str, slots: dict[str, str], spell: Callable[[str], str] = str) -> str:
    """The text of a template without choices, with the slips of a hasty hand; values of slots stay whole.

    `spell` gives how the person writes names: as they are, all small or all large.
    """
    slots = {slot: spell(value) for slot, value in slots.items()}
    if rng.random() < 0.08:
        ask = rng.choice(FILLERS) + (ask if KEEPS_CAPITAL.match(ask) else ask[:1].lower() + ask[1:])
    ask = end(rng, ask)
    for _ in range(rng.choices((0, 1, 2), (78, 18, 4))[0]):
        ask = misspell(rng, ask)
    ask = drop(rng, ask)
    style = rng.random()
    if spell is str.upper or (style > 0.97 and "{" not in ask):
        return re.sub(r"(\{\w+\})|([^{]+)", shout, ask).format(**slots)
    if style < 0.4:
        return ask.lower().format(**slots)
    return (ask[:1].upper() + ask[1:] if style < 0.75 else ask).format(**slots)


def shout(found: re.Match[str]) -> str:
    """A piece of a template in capitals; the name of a slot is left as it is."""
    return found[1] or found[2].upper()


def end(rng: Random, ask: str) -> str:
    """The text with what people put at the end, or leave out there."""
    kind = rng.random()
    bare = ask.rstrip(".?! ") or ask
    if kind < 0.3:
        return bare
    if kind < 0.36:
        return bare + rng.choice(AFTER_QUESTION if ask.endswith("?") else AFTER_STATEMENT)
    return ask


def misspell(rng: Random, text: str) -> str:
    """Swap, drop, double or mistake one letter of one longer word; slots are left whole."""
    words = list(WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end() - 1)
    pair = text[at : at + 2]
    near = KEYBOARD[KEYBOARD.index(pair[0].lower()) - 1].strip() or pair[0]
    return text[:at] + rng.choice((pair[::-1], pair[1], pair[0] + pair, near + pair[1])) + text[at + 2 :]


def drop(rng: Random, text: str) -> str:
    """The text without some of its apostrophes, commas, articles, spaces or letters."""
    kind = rng.random()
    if kind < 0.2:
        text = text.replace("'", "")
    elif kind < 0.24:
        text = text.replace("'", "\u2019")
    if rng.random() < 0.12:
        text = re.sub(r"(?<=[a-z]),", "", text)
    kind = rng.random()
    if kind < 0.04:
        return SHORTENED.sub(lambda found: SHORTER[found[0]], text)
    if kind < 0.06:
        return re.sub(r"\b(?:an?|the) (?=[a-z{])", "", text)
    spaces = [found.start() for found in re.finditer(r"(?<=[a-z]) (?=[a-z])", text)]
    if kind < 0.075 and spaces:
        at = rng.choice(spaces)
        return text[:at] + text[at + 1 :]
    if kind < 0.09:
        return rng.choice((" " + text, text + " "))
    return text
