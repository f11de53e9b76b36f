"""Small pieces of English grammar: articles, numbers in words, ordinals, lists."""

from collections.abc import Sequence

from training.talk import words

UNITS = words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""")
TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
ORDINALS = words("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
# Said with another sound than their first letter promises.
LIKE_CONSONANT = ("uni", "uku", "use", "one")
LIKE_VOWEL = ("hour", "honest", "heir")
# Plurals that no rule makes: of words as a whole, and of all words that end so.
PLURALS = {
    "human": "humans",
    "ox": "oxen",
    "person": "people",
    **{noun: noun for noun in words("bison dice moose salmon samurai squid")},
}
PLURAL_ENDINGS = {
    "calf": "calves",
    "child": "children",
    "deer": "deer",
    "elf": "elves",
    "fish": "fish",
    "foot": "feet",
    "goose": "geese",
    "half": "halves",
    "hero": "heroes",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "loaf": "loaves",
    "man": "men",
    "mouse": "mice",
    "potato": "potatoes",
    "scarf": "scarves",
    "sheep": "sheep",
    "thief": "thieves",
    "tomato": "tomatoes",
    "tooth": "teeth",
    "wife": "wives",
    "wolf": "wolves",
}


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
        return UNITS[number]
    tens, units = divmod(number, 10)
    return TENS[tens - 2] + (f"-{UNITS[units]}" if units else "")


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
    if word in PLURALS:
        return " ".join((*before, PLURALS[word]))
    for one, many in PLURAL_ENDINGS.items():
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
