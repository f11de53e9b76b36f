"""All kinds of facts that people tell, each with the words for it, and how often they tell them."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from training.english import an
from training.names import Draw, chain, draw_name
from training.phrases import read
from training.talk import Kind
from training.values import DRAWS, PETS, RELATIVES

TEXT = read("facts/kinds")
VALUES = read("facts/values")
OWNED = read("facts/owned")
CALLED = read("facts/called")
# The templates of each kind; derived kinds have those of another, and more.
TEMPLATES = {
    name: table
    for file in ("person", "others", "daily", "owned", "called")
    for name, table in read(f"facts/{file}").tables.items()
}
Slots = Callable[[Random], dict[str, str]]


def way_to_draw(text: str) -> Draw:
    """`colour`, a table `"cars"`, several as `word / food`, or mostly the first of `"cars", else word`."""
    if ", else " in text:
        usual, other = map(way_to_draw, text.split(", else "))
        return chain((0.6, usual), (1, other))
    if " / " in text:
        ways = tuple(map(way_to_draw, text.split(" / ")))
        return lambda rng: rng.choice(ways)(rng)
    if text.startswith('"'):
        table = VALUES.tables[text.strip('"')]
        return lambda rng: rng.choice(table)
    return DRAWS[text]


def draw_slots(value: str, of: str = "", fitting: str = "", fits: str = "") -> Slots:
    """The slots of a kind, as a row of the text says; `fitting` values are for the things in `fits`."""
    if of.startswith("somebody"):
        return draw_somebody(way_to_draw(value), pets="pet" in of)
    if not of:
        way = way_to_draw(value)
        return lambda rng: {"value": (value := way(rng)), "a_value": an(value)}
    owner, table = way_to_draw(of), VALUES.tables[fits] if fits else ()
    usual, special = (tuple(map(way_to_draw, text.split(" / "))) for text in (value, fitting or value))

    def draw(rng: Random) -> dict[str, str]:
        who = owner(rng)
        chosen = rng.choice(special if who in table else usual)(rng)
        slots = {"who": who, "a_who": an(who), "value": chosen}
        return {**slots, "kin": who.split()[-1]} if of in ('"women"', '"men"') else slots

    return draw


def draw_somebody(way: Draw, pets: bool) -> Slots:
    """A way to draw another person, by name or as a relative, or else a pet, and a value."""

    def draw(rng: Random) -> dict[str, str]:
        named, value = rng.random() < 0.3, way(rng)
        who = draw_name(rng) if named else rng.choice(RELATIVES)
        if pets and not named and rng.random() < 0.3:
            who = PETS.draw(rng)
        my, your = (who, who) if named else (f"my {who}", f"your {who}")
        return {"who": my, "your_who": your, "value": value, "a_value": an(value)}

    return draw


def make(name: str, base: str = "", **templates: Any) -> Kind:
    """A kind of fact: the slots of its row, and the templates of its table or of another, with changes."""
    return Kind(draw=draw_slots(*ROWS[name]), **{**TEMPLATES[base or name], **templates})


def extend(table: dict[str, Any], more: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Templates and more of some of them."""
    return {**table, **{part: table[part] + lines for part, lines in more.items()}}


def make_daily(name: str) -> Kind:
    """An everyday fact, of which a bare value is a reply like all others."""
    return make(name, replies=(*VALUES.bare_replies, *TEMPLATES[name].get("replies", ())))


def make_placed(name: str, be: str, it: str, reply: str) -> Kind:
    """Where things are; in templates BE is the verb and IT the pronoun, of one thing or of several."""
    table = TEMPLATES["lies"]
    parts = ("says", "asks", "indirect", "checks", "changes")
    places = {part: tuple(t.replace("BE", be).replace("IT", it) for t in table[part]) for part in parts}
    return make(name, "lies", **places, replies=(*VALUES.bare_replies, *table.get("replies", ()), reply))


def make_called(name: str, *pronouns: str) -> Kind:
    """Somebody or something that has a name; a "little sister" may be asked for as a sister.

    In templates pronouns are written large: SHE, HER and HIM, and CSHE and CHER where a sentence begins.
    """
    large = dict(zip(("SHE", "HER", "HIM"), pronouns, strict=True))
    for mark, text in list(large.items()):
        large[f"C{mark}"] = re.sub(r"\b[a-z]", lambda found: found[0].upper(), text)
    group = name if name in ("pet", "thing") else "person"
    table = dict(TEMPLATES["called"])
    for part in ("says", "asks", "replies"):
        lines = table[part] + CALLED.tables[group].get(part, ())
        marks = re.compile(r"\bC?(?:SHE|HER|HIM)\b")
        table[part] = tuple(marks.sub(lambda found: large[found[0]], line) for line in lines)
    if group != "person":
        table["changes"] += CALLED.renamed
    if name == "pet":
        table["openers"] = ("", "", "A good friend, {value}! ")
        table["also"] += tuple((ask, "you have {a_who} called {value}") for ask in CALLED.which_pet)
        table["also"] += tuple((ask, table["clause"]) for ask in CALLED.pet_name_asks for _ in range(5))
    if name in ("woman", "man"):
        asks = (ask.replace("{who}", "{kin}") for ask in table["asks"] if "{a_who}" not in ask)
        table["also"] += tuple((ask, table["clause"]) for ask in asks)
    return make(name, "called", **table)


def make_favourite(noun: str, usual: str, other: str) -> Kind:
    """The favourite of one kind of thing, with values that fit and ways of its own to tell and to ask."""
    favourite, own = KINDS["favourite"], OWNED.favourites[noun]
    way = chain((0.7, way_to_draw(usual)), (1, way_to_draw(other)))
    return replace(
        favourite,
        draw=lambda rng: {"who": noun, "a_who": an(noun), "value": way(rng)},
        says=favourite.says + own["says"] * 2,
        asks=favourite.asks + own.get("asks", ()),
    )


ROWS = {name: row for name, *row in TEXT.draws}
KINDS = {name: make(name) for name in ROWS if "key" in TEMPLATES.get(name, ())}
KINDS["kept"] = make("kept", asks=CALLED.which_pet + KINDS["kept"].asks)
KINDS |= {name: make_daily(name) for name in read("facts/daily").tables}
KINDS |= {row[0]: make_placed(*row) for row in TEXT.placed}
KINDS |= {row[0]: make_called(*row) for row in TEXT.called}

# What a person calls their own, of which some are told in more ways than others.
SHARED = OWNED.shared
OWN = {**OWNED.own, **extend(SHARED, {part: OWNED.own[part] for part in SHARED})}
SECRET = extend({**OWN, "says": SHARED["says"], "asks": SHARED["asks"]}, OWNED.secret)
SECRET = extend(SECRET, {"says": OWNED.keeping * 2, "asks": OWNED.kept_asks * 2})
LUCKY = extend({**OWN, "says": SHARED["says"]}, OWNED.lucky)
OF_ANOTHER = extend({**OWN, **SHARED, "third": ()}, OWNED.of_another)
KINDS |= {name: make(name, "own", **OWN) for name in ("own", "own named", "own number", "own odd")}
KINDS |= {name: make(name, "own", **SECRET) for name in ("secret", "own code")}
KINDS |= {"lucky": make("lucky", "own", **LUCKY), "of another": make("of another", "own", **OF_ANOTHER)}
KINDS["favourite named"] = make("favourite named", "favourite")
KINDS |= {f"favourite {row[0]}": make_favourite(*row) for row in TEXT.favourites}

# How often each is told.
SHARES = {KINDS[name]: share for name, share in TEXT.shares.items()}
NAME, HOME, ORIGIN, PET, KEPT = (KINDS[name] for name in ("name", "home", "origin", "pet", "kept"))
