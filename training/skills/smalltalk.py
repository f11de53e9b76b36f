"""Friendly small talk: hello and goodbye, moods, remarks, matters of taste, and what nobody understands."""

from collections.abc import Callable
from random import Random
from string import ascii_lowercase

from training.names import draw_name, invent_name
from training.phrases import read
from training.phrasing import decorate
from training.skills.fun import accept_offer
from training.skills.help import CHAT, answer_topic
from training.talk import Exchange, Talk
from training.values import draw_person, draw_place, invent, permitted

GREETINGS = read("chat/greetings")
SMALLTALK = read("chat/smalltalk")
NONSENSE = read("chat/nonsense")
SUBJECTS = read("subjects")
# What people tell of their lives; what they say of themselves as facts belongs to the memory.
TOLD = "I see! Thank you for telling me."
AGAIN = "I did not understand that. Could you say it in other words?"
WELCOME = "Hello! I know English only, but you are welcome here."
ENGLISH = "I know English only, sorry. Could you say it in English?"


def greet(rng: Random, talk: Talk) -> list[Exchange]:
    """Hello, and hello again; by name once it is known."""
    again, talk.greeted = talk.greeted, True
    whom = ", {name}" if talk.name else " again" if again else ""
    slots = {"name": talk.name or "", "part": rng.choice(("morning", "afternoon", "evening", "day"))}
    if rng.random() < 0.3:
        ask = rng.choice((*GREETINGS.daytime, *GREETINGS.daytime, GREETINGS.morning))
        if ask is GREETINGS.morning:
            slots["part"] = "morning"
        return [Exchange(ask, f"Hello{whom}, and a good {{part}} to you! What can I do for you?", slots)]
    answer = f"Hello{whom}! What can I do for you?" if whom else "Hello! I am Tiny. What can I do for you?"
    return [Exchange(rng.choice(GREETINGS.hello), answer, slots)]


def take_leave(rng: Random, talk: Talk) -> list[Exchange]:
    """Goodbye, or good night."""
    if rng.random() < 0.25:
        return [Exchange(rng.choice(GREETINGS.night), "Goodbye, and good night! Sleep well.")]
    return [Exchange(rng.choice(GREETINGS.bye), "Goodbye! (It was nice to talk to you.|Have a nice day!)")]


def small_talk(rng: Random, talk: Talk) -> list[Exchange]:
    """Moods, thanks, remarks and matters of taste, and what naturally comes after some of them."""
    if rng.random() < 0.3:
        return [rng.choice((choose, like, share_taste, tell_of_life))(rng)]
    name = rng.choices(list(CHAT), [SMALLTALK.frequent.get(name, 1) for name in CHAT])[0]
    turns = [answer_topic(rng, CHAT[name])]
    if rng.random() >= 0.4:
        return turns
    if name == "guess what":
        return [*turns, tell_of_life(rng)]
    if name == "bored":
        return [*turns, *accept_offer(rng)]
    if name == "how are you":
        reply = rng.choice(("fine", "fine", "fine and you", *read("chat/moods").tables))
        return [*turns, answer_topic(rng, CHAT[reply])]
    if name == "my day":
        return [*turns, answer_topic(rng, CHAT[rng.choice(("it was good", "sad"))])]
    return turns


def choose(rng: Random) -> Exchange:
    """One of two: always the first, as a model of few principles should have some."""
    a, b = rng.sample(rng.choice(SMALLTALK.alternatives), 2)
    if rng.random() < 0.5:
        things = (*SMALLTALK.foods, *SMALLTALK.liked, invent(rng).lower(), invent(rng).lower())
        a, b = rng.sample(things, 2)
    if rng.random() < 0.1:
        a, b = draw_name(rng), draw_name(rng)
    answer = "I would pick {a}, but please do not ask me why."
    asked = decorate(rng, rng.choice(SMALLTALK.choose))
    return Exchange(asked, answer, {"a": a, "b": b}, "I would pick {a}.")


def like(rng: Random) -> Exchange:
    """Whether it likes something, which it can only know by the sound."""
    asks, thing = SMALLTALK.like, rng.choice((*SMALLTALK.foods, *SMALLTALK.liked))
    kind = rng.random()
    if kind < 0.25:
        thing = invent(rng).lower()
    elif kind < 0.35:
        thing = draw_place(rng) if rng.random() < 0.5 else draw_person(rng)
    elif kind < 0.45:
        asks, thing = SMALLTALK.tried, rng.choice(SMALLTALK.foods)
    answer = "I know {thing} only by name, but I like the sound of it."
    return Exchange(decorate(rng, rng.choice(asks)), answer, {"thing": thing})


def share_taste(rng: Random) -> Exchange:
    """What the person likes or dislikes, said back; a food that they dislike belongs to the memory."""
    likes = rng.random() < 0.7
    thing = rng.choice(SMALLTALK.liked)
    if likes and rng.random() < 0.4:
        thing = rng.choice((invent(rng).lower(), rng.choice(SMALLTALK.foods)))
    ask = rng.choice(SMALLTALK.shared).replace("@", SMALLTALK.likes if likes else SMALLTALK.dislikes)
    if likes:
        return Exchange(ask, "So you like {thing}! That sounds good to me.", {"thing": thing})
    return Exchange(ask, "So you do not like {thing}. I can live with that.", {"thing": thing})


def tell_of_life(rng: Random) -> Exchange:
    """Anything that somebody did, does or will do."""
    slots = {"name": draw_name(rng), "place": draw_place(rng), "word": invent(rng).lower()}
    kind, answer = rng.random(), TOLD
    if kind < 0.3:
        text = f"(sorry, |oh, |||){rng.choice(SMALLTALK.errands + SMALLTALK.scenes)}"
    elif kind < 0.6:
        text, answer = f"(I|we) {rng.choice(SMALLTALK.did)}{SMALLTALK.time}", CHAT["my day"].answer
    elif kind < 0.85:
        text = f"{SMALLTALK.others} {rng.choice(SMALLTALK.did + SMALLTALK.mishaps)}{SMALLTALK.time}"
    else:
        text = f"(I|we|{SMALLTALK.others}) {SMALLTALK.will}"
    return Exchange(text + "(.|!|)", answer, slots)


def misunderstand(rng: Random, talk: Talk) -> list[Exchange]:
    """Something in another language, or without a meaning that the model could find."""
    kind = rng.random()
    if kind < 0.2:
        slots = {"text": rng.choice(GREETINGS.foreign_hello)}
        return [Exchange("{text}(!|.|?|)", WELCOME, slots, brief="Hello!")]
    if kind < 0.38:
        if rng.random() < 0.5:
            text = rng.choice(GREETINGS.foreign)
        else:
            text = draw_row(rng, rng.choice(GREETINGS.tongues).split(), 3, 8, " ")
        return [Exchange("{text}(?|.|!|)", ENGLISH, {"text": text})]
    text = rng.choice(("letters", "salad", "letters", "salad", *list(GIBBERISH)[2:]))
    return [Exchange("{text}", AGAIN, {"text": GIBBERISH[text](rng)})]


def draw_row(
    rng: Random, table: str | list[str] | tuple[str, ...], low: int, high: int, joint: str = ""
) -> str:
    """So many letters or words of a table, at random."""
    return joint.join(rng.choices(table, k=rng.randint(low, high)))


def hit_neighbours(rng: Random) -> str:
    """Neighbours on the keyboard."""
    row = rng.choice(NONSENSE.keyboard_rows)
    start = rng.randrange(len(row) - 3)
    return row[start : start + rng.randint(3, 8)] * rng.choice((1, 1, 2, 3))


def copy_signs(rng: Random) -> str:
    """Characters that no keyboard here has, of one row of Unicode."""
    first, last = map(ord, rng.choice(NONSENSE.unicode_rows).split("-"))
    return "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 12)))


def mix_gibberish(rng: Random) -> str:
    """All of it together, over some lines or in one."""
    kinds = ("letters", "neighbours", "signs", "faces", "salad", "markup", "odd")
    pieces = rng.choices(kinds, k=rng.randint(2, 6))
    return rng.choice((" ", "\n", "")).join(GIBBERISH[piece](rng) for piece in pieces)


SIGNS, LETTERS = NONSENSE.signs[0], NONSENSE.letters[0]
SALAD = (*NONSENSE.little, *SUBJECTS.qualities, *SUBJECTS.matters)
# What a cat on the keyboard writes, or somebody who tries what happens.
GIBBERISH: dict[str, Callable[[Random], str]] = {
    "letters": lambda rng: " ".join(
        draw_row(rng, ascii_lowercase, 3, 11) for _ in range(rng.choice((1, 1, 2, 3)))
    ),
    "salad": lambda rng: draw_row(rng, SALAD, 4, 9, " "),
    "neighbours": hit_neighbours,
    "one key": lambda rng: rng.choice(LETTERS) * rng.randint(3, 15),
    # Often the same one.
    "signs": lambda rng: draw_row(rng, rng.choice((rng.choice(SIGNS), "?!", "...", SIGNS)), 1, 6),
    "faces": lambda rng: "".join(rng.choices(NONSENSE.faces, k=rng.choice((1, 1, 2, 3)))),
    "invented": lambda rng: " ".join(invent_name(rng).lower() for _ in range(rng.randint(2, 5))),
    "few": permitted(lambda rng: "".join(rng.choices(LETTERS, k=rng.choice((1, 1, 2)))), NONSENSE.meant),
    "markup": lambda rng: draw_row(rng, NONSENSE.markup, 1, 7, rng.choice(("", " ", " "))),
    "odd": copy_signs,
    "all": mix_gibberish,
}
