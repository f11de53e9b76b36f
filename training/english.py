"""Small pieces of English grammar: articles, numbers in words, ordinals, lists."""

from collections.abc import Sequence

from training.phrases import read

TEXT = read("english")

# Said with another sound than their first letter promises.
LIKE_CONSONANT = ("uni", "uku", "use", "one")
LIKE_VOWEL = ("hour", "honest", "heir")


def an(noun: str) -> str:
    """A noun with `a` or `an`."""
    word = noun.lower()
    vowel = word.startswith(LIKE_VOWEL) or (word[0] in "aeiou" and not word.startswith(LIKE_CONSONANT))
    return f"{'an' if vowel else 'a'} {noun}"


def capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


def in_words(number: int) -> str:
    """A number from 0 to 99 in words."""
    if number < 20:
        return TEXT.units[number]
    tens, units = divmod(number, 10)
    return TEXT.tens[tens - 2] + (f"-{TEXT.units[units]}" if units else "")


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th and so on."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def join(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(items[:-1]), items[-1]) if part)


def plural(noun: str) -> str:
    """More than one of a thing: `apples`, `field mice`, `pairs of glasses`."""
    if " of " in noun:
        head, rest = noun.split(" of ", 1)
        return f"{plural(head)} of {rest}"
    *before, word = noun.split(" ")
    if word in TEXT.plurals:
        return " ".join((*before, TEXT.plurals[word]))
    for one, many in TEXT.plural_endings.items():
        if word.endswith(one):
            return noun.removesuffix(one) + many
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and not noun.endswith(("ay", "ey", "oy", "uy")):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def count(number: int, noun: str) -> str:
    """A number of things: `1 apple`, `2 apples`."""
    return f"{number} {noun if number == 1 else plural(noun)}"
