"""Heroes, places and objects of stories, as phrases that fit any sentence: any adjective before any noun."""

import re
from random import Random

from training.english import an
from training.names import Draw, chain, coin, draw_name, invent_name
from training.phrases import read
from training.talk import Pool
from training.values import permitted

TEXT = read("stories/nouns")
Words = tuple[str, ...]


def combine(nouns: Words, adjectives: Words, before: str = "") -> Words:
    """Every noun alone, and with every adjective: `a fox`, `a brave fox`."""
    phrases = list(nouns) * (len(adjectives) // 2)
    # Not before `jar of honey`, as stories are not to be long.
    short = [noun for noun in nouns if " of " not in noun]
    phrases += [f"{adjective} {noun}" for noun in short for adjective in adjectives if adjective != noun]
    return tuple(f"{before} {an(phrase)}".strip() for phrase in phrases)


def sample(nouns: Words, adjectives: Words, before: str = "") -> Words:
    """Every noun once, every other one with an adjective."""
    phrases = [n if at % 2 else f"{adjectives[at % len(adjectives)]} {n}" for at, n in enumerate(nouns)]
    return tuple(f"{before} {an(phrase)}".strip() for phrase in phrases)


SINGLE = [noun for noun in TEXT.hero_nouns if " " not in noun]
HEROES = Pool(
    combine(TEXT.hero_nouns, TEXT.hero_adjectives)
    + tuple(an(f"{pair} {noun}") for noun in SINGLE for pair in TEXT.two_adjectives),
    sample(TEXT.new_hero_nouns, TEXT.hero_adjectives),
)
SPOTS = [noun for noun in TEXT.place_nouns["in"] if " " not in noun]
ADJECTIVES = TEXT.place_adjectives
PLACES = Pool(
    sum((combine(nouns, ADJECTIVES, before) for before, nouns in TEXT.place_nouns.items()), ())
    + tuple(f"in {an(f'{noun} {after}')}" for noun in SPOTS for after in TEXT.after_place)
    + TEXT.fixed_places * 12,
    sum((sample(nouns, ADJECTIVES, before) for before, nouns in TEXT.new_place_nouns.items()), ())
    + TEXT.new_fixed_places,
)
OBJECTS = Pool(
    combine(TEXT.object_nouns, TEXT.object_adjectives), sample(TEXT.new_object_nouns, TEXT.object_adjectives)
)
HELD_OUT = {*TEXT.new_hero_nouns, *TEXT.new_object_nouns, *sum(TEXT.new_place_nouns.values(), ())}
# The preposition of a place of which only the noun is named; what is in no table is lived in.
USUAL = {noun: before for before, nouns in reversed(TEXT.place_nouns.items()) for noun in nouns}
USUAL |= {place.split(" ", 1)[1]: place.split(" ", 1)[0] for place in reversed(TEXT.fixed_places)}


def with_usual_preposition(place: str) -> str:
    """The place with the preposition that goes with it where the request names none."""
    before, spot = place.split(" ", 1)
    if before == "in":
        return place
    nouns = without_article(spot).split()
    names = (spot, *(" ".join(nouns[at:]) for at in range(len(nouns))))
    return f"{next((USUAL[name] for name in names if name in USUAL), 'in')} {spot}"


def invented(nouns: Words, adjectives: Words) -> Draw:
    """A way to draw what does not exist, with an adjective or without: to name it is to copy."""
    invent = permitted(lambda rng: coin(rng, nouns), HELD_OUT)

    def draw(rng: Random) -> str:
        noun = invent(rng)
        return an(f"{rng.choice(adjectives)} {noun}" if rng.random() < 0.5 else noun)

    return draw


# What to train on: of the pool, a town, or something that nobody has heard of.
draw_hero = chain((0.5, HEROES.draw), (1, invented(TEXT.hero_nouns, TEXT.hero_adjectives)))
draw_object = chain((0.5, OBJECTS.draw), (1, invented(TEXT.object_nouns, TEXT.object_adjectives)))
invent_spot = invented(TEXT.place_nouns["in"], ADJECTIVES)
draw_place = chain(
    (0.45, PLACES.draw),
    (0.52, lambda rng: f"in {rng.choice(TEXT.towns)}"),
    (0.65, lambda rng: f"in {invent_name(rng)}"),
    (1, lambda rng: f"{rng.choice(list(TEXT.place_nouns))} {invent_spot(rng)}"),
)
# A name that somebody gives to a hero.
draw_hero_name = chain((0.2, lambda rng: rng.choice(TEXT.names)), (1, draw_name))


def with_the(phrase: str) -> str:
    """The phrase once it is known: `a fox` becomes `the fox`."""
    return re.sub(r"\ban? ", "the ", phrase, count=1)


def without_article(phrase: str) -> str:
    """The phrase without its article."""
    return re.sub(r"\b(an?|the) ", "", phrase, count=1)
