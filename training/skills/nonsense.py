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
SIGNS = "?!.,;:-_#*+%&/=<>@^~|$\\`'\"()[]{}"
MARKUP = words("""
    <script>alert(1)</script> <b> </div> <br/> <img src=x onerror=alert(1)> <a href="#"> <p> </html> <!--
    --> <?php ?> <|user|> [INST] <s> {} {{7*7}} {{name}} ${HOME} $(ls) `id` %s%s%n %d %00 \\x00 \\n \\u2603
    \\0 \\ &amp; &lt;&gt; &nbsp; #include int main() def f(x): return x; x++; i=0; foo(bar) null undefined
    NaN None [object Object] {"a":1} {"role":"user"} [1,2,3] [[ ]] }{ )( /* */ // -- ../../etc/passwd
    /dev/null C:\\> ' OR 1=1;-- DROP TABLE users; SELECT * FROM t; 0x41 0b101 1e999 -1/0 == != => -> <- ::
    && || !important #fff @media @everyone href= src= onclick= http:// ?q=1&r=2 aGVsbG8= c3RvcA== sudo rm
    echo $? ~/.x *.* ^C ^[[31m
""")
# First and last of rows of Unicode: other scripts, arrows, boxes, snowmen, half-wide letters and pictures.
ROWS = words("""
    \u00a1-\u00ff \u0100-\u017f \u0391-\u03c9 \u0410-\u044f \u05d0-\u05ea \u0621-\u064a \u0905-\u0939
    \u0e01-\u0e2e \u2013-\u2027 \u2070-\u209c \u20a0-\u20bf \u2190-\u21ff \u2200-\u22ff \u2460-\u24ff
    \u2500-\u257f \u2580-\u25ff \u2600-\u26ff \u2700-\u27bf \u2800-\u28ff \u3041-\u3096 \u30a1-\u30fa
    \u4e00-\u9fa5 \uac00-\ud7a3 \uff01-\uff5e \uff61-\uff9f \U0001d400-\U0001d433 \U0001f300-\U0001f5ff
    \U0001f600-\U0001f64f \U0001f680-\U0001f6c5
""")
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
    often = (letters, salad)
    kinds = (*often, *often, keys, one_key, signs, faces, invented, letter, markup, odd, rubbish)
    return rng.choice(kinds)(rng)


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


def markup(rng: Random) -> str:
    """Pieces of programs and of web pages, as people paste them to see what happens."""
    return rng.choice(("", " ", " ")).join(rng.choices(MARKUP, k=rng.randint(1, 7)))


def odd(rng: Random) -> str:
    """Characters that no keyboard here has, of one row of Unicode."""
    first, last = rng.choice(ROWS).split("-")
    return "".join(chr(rng.randint(ord(first), ord(last))) for _ in range(rng.randint(1, 12)))


def rubbish(rng: Random) -> str:
    """All of it together, over some lines or in one."""
    pieces = rng.choices((letters, keys, signs, faces, salad, markup, odd), k=rng.randint(2, 6))
    return rng.choice((" ", "\n", "")).join(piece(rng) for piece in pieces)
