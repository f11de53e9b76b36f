"""What cannot be understood: keys hit at random, signs, salads of words, other languages."""

from random import Random
from string import ascii_lowercase

from training.names import invent_name
from training.skills.subjects import MATTERS, QUALITIES
from training.skills.topics.greetings import FOREIGN, FOREIGN_HELLO, TONGUES
from training.talk import Exchange, Talk, words

AGAIN = "I did not understand that. Could you say it in other words?"
WELCOME = "Hello! I know English only, but you are welcome here."
ENGLISH = "I know English only, sorry. Could you say it in English?"
KEYS = (
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "1234567890",
    "qwertzuiop",
    "yxcvbnm",
    "poiuytrewq",
    "lkjhgfdsa",
)
SIGNS = "?!.,;:-_#*+%&/=<>@^'\""
FACES = words("🙂 😀 😂 😊 😎 🤔 😢 😡 👍 👎 ❤️ 🎉 🔥 🙏 👋 🤖 🐱 🐶 🌞 🍕 🚀 💩 😴 🤷 💯 ✨ 🙄 😱 🥳 👀")
LITTLE = words(
    "the a of and to in is it on for with under very not but or at from by as than then so if only"
)
# Without those that mean something by themselves in a chat, as k, u and y do, and in pairs.
LETTERS = "abcdefghjlmpqrstvwxz"
MEANT = (
    "ah",
    "eh",
    "ha",
    "he",
    "hm",
    "me",
    "be",
    "am",
    "as",
    "at",
    "bb",
    "gm",
    "xd",
    "ml",
    "ex",
    "ad",
    "tv",
    "pc",
)


def misunderstand(rng: Random, talk: Talk) -> list[Exchange]:
    """Something without a meaning that the model could find."""
    kind = rng.random()
    if kind < 0.2:
        return [Exchange("{text}(!|.|?|)", WELCOME, {"text": rng.choice(FOREIGN_HELLO)}, brief="Hello!")]
    if kind < 0.38:
        return [Exchange("{text}(?|.|!|)", ENGLISH, {"text": foreign(rng)})]
    return [Exchange("{text}", AGAIN, {"text": gibberish(rng)})]


def foreign(rng: Random) -> str:
    """A sentence of another language, or words of it in no order."""
    if rng.random() < 0.5:
        return rng.choice(FOREIGN)
    return " ".join(rng.choices(rng.choice(TONGUES), k=rng.randint(3, 8)))


def gibberish(rng: Random) -> str:
    """What a cat on the keyboard writes, or somebody who tries what happens."""
    write = rng.choice((letters, letters, keys, one_key, signs, faces, salad, salad, invented, letter))
    return write(rng)


def letters(rng: Random) -> str:
    """Random letters in one to three words."""
    return " ".join(
        "".join(rng.choices(ascii_lowercase, k=rng.randint(3, 11))) for _ in range(rng.choice((1, 1, 2, 3)))
    )


def keys(rng: Random) -> str:
    """Neighbours on the keyboard."""
    row = rng.choice(KEYS)
    start = rng.randrange(len(row) - 3)
    return row[start : start + rng.randint(3, 8)] * rng.choice((1, 1, 2, 3))


def one_key(rng: Random) -> str:
    """One key for too long."""
    return rng.choice(LETTERS) * rng.randint(3, 15)


def signs(rng: Random) -> str:
    """Signs without a word: often the same one."""
    few = rng.choice((rng.choice(SIGNS), "?!", "...", SIGNS))
    return "".join(rng.choices(few, k=rng.randint(1, 6)))


def faces(rng: Random) -> str:
    """Faces and little pictures."""
    return "".join(rng.choices(FACES, k=rng.choice((1, 1, 2, 3))))


def salad(rng: Random) -> str:
    """Words that make no sentence."""
    table = [*LITTLE, *QUALITIES, *MATTERS]
    return " ".join(rng.choices(table, k=rng.randint(4, 9)))


def invented(rng: Random) -> str:
    """Words of no language."""
    return " ".join(invent_name(rng).lower() for _ in range(rng.randint(2, 5)))


def letter(rng: Random) -> str:
    """A letter or two."""
    found = "".join(rng.choices(LETTERS, k=rng.choice((1, 1, 2))))
    return letter(rng) if found in MEANT else found
