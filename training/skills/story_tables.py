"""Heroes, places and objects of stories, as phrases that fit any sentence: any adjective before any noun."""

import re
from random import Random

from training.english import an
from training.names import coin, draw_name, invent_name
from training.talk import Pool, phrases, words

HERO_NOUNS = phrases("""
    fox, rabbit, bear, mouse, cat, dog, robot, dragon, frog, duck, hedgehog, squirrel, penguin, turtle,
    lion, tiger, elephant, giraffe, monkey, wolf, deer, pig, sheep, goat, horse, donkey, cow, hen, swan,
    crow, sparrow, parrot, whale, dolphin, seal, otter, beaver, badger, mole, bat, spider, bee, ant, beetle,
    butterfly, crab, octopus, shark, snake, lizard, crocodile, kangaroo, koala, panda, zebra, camel, llama,
    hippo, rhino, moose, dinosaur, unicorn, mermaid, witch, wizard, knight, princess, prince, king, queen,
    pirate, giant, elf, fairy, ghost, monster, astronaut, sailor, baker, farmer, gardener, teacher, doctor,
    painter, cook, clown, inventor, detective, girl, boy, grandmother, grandfather, child, snowman, teddy
    bear, scarecrow, postman, shepherd, tailor, kitten, puppy, lamb, toad, ladybird, owl, snail, goose,
    raven, cowboy, captain, mermaid queen, tin soldier, fire fighter, train driver, polar bear
""")
NEW_HERO_NOUNS = words("""
    walrus armadillo pelican chameleon lobster porcupine weasel raccoon cuttlefish platypus meerkat
    salamander moth centaur gnome yeti goblin woodpecker lynx heron swordsmith falconer lumberjack juggler
    duchess acrobat mongoose ostrich caterpillar troll
""")
HERO_ADJECTIVES = words("""
    brave little shy clever lazy curious old young kind tiny hungry sleepy grumpy cheerful lonely clumsy
    polite silly friendly proud gentle busy quiet green blue purple fluffy forgetful red happy sad funny
    small big nervous patient mischievous pink
""")
# The preposition that a place wants, and the places.
PLACE_NOUNS = {
    "in": phrases("""
        forest, castle, lighthouse, cave, garden, village, library, tower, desert, jungle, valley, city,
        town, palace, museum, school, kitchen, barn, mill, bakery, swamp, harbour, hotel, circus, zoo, park,
        meadow, treehouse, tent, cellar, attic, theatre, submarine, spaceship, windmill, greenhouse,
        station, supermarket, toy shop, bookshop, church, market, factory, house, cottage, hut, igloo,
        tunnel, orchard, wood, hospital, cupboard, cinema, restaurant, wardrobe
    """),
    "on": phrases("""
        island, mountain, hill, farm, ship, boat, beach, train, bus, roof, bridge, planet, cloud, raft,
        riverbank, star
    """),
    "at": phrases("crossroads, airport, campsite, fair, railway station, playground"),
    "under": phrases("bridge, tree, table, bed"),
    "by": phrases("lake, river, waterfall, pond, lonely road"),
    "near": phrases("forest, volcano, castle, old wall"),
}
NEW_PLACE_NOUNS = {
    "in": words("""
        monastery quarry observatory dungeon fortress pagoda chapel abbey vineyard aquarium sawmill
        boathouse gorge labyrinth planetarium courtyard granary tavern hayloft caravan gondola bazaar
        belfry
    """),
    "on": words("peninsula iceberg ferry rooftop"),
    "by": words("lagoon fjord"),
    "at": words("oasis"),
}
PLACE_ADJECTIVES = words("""
    windy quiet dark faraway tiny old haunted snowy green sunny foggy hidden crowded cold abandoned magic
    noisy busy dusty lonely golden strange big small rainy beautiful muddy ruined secret blue
""")
# Places that have no adjective before them, nor an indefinite article.
FIXED_PLACES = phrases("""
    on the moon, under the sea, at the North Pole, in outer space, at the bottom of a well, on top of the
    world, behind the moon, in the middle of nowhere, above the clouds, on Mars, in the deep blue sea, at
    school, at the seaside, in the mountains, at the end of the rainbow, in the woods, in the big city
""")
NEW_FIXED_PLACES = phrases("in Reykjavik, in Marrakesh, in Timbuktu, at the equator")
TOWNS = words("""
    Bern Paris London Rome Oslo Lisbon Prague Vienna Cairo Tokyo Lima Delhi Dublin Madrid Berlin Athens
    Kyoto Nairobi Havana Boston Venice Zurich Helsinki Krakow Seville Lyon Basel Porto Bergen Toronto Norway
    Japan Egypt Brazil Scotland Australia China Poland Alaska Peru
""")
OBJECT_NOUNS = phrases("""
    key, map, spoon, lantern, book, hat, umbrella, letter, ring, coin, bell, kite, drum, flute, clock,
    mirror, feather, shell, stone, button, boot, scarf, basket, cup, teapot, cake, cookie, pie, apple,
    pumpkin, egg, seed, flower, rose, crown, shield, wand, broom, ladder, rope, bucket, lamp, candle, box,
    chest, suitcase, bag, sock, glove, shoe, coat, blanket, pillow, ball, balloon, doll, puppet, puzzle,
    pencil, paintbrush, camera, telescope, compass, radio, telephone, guitar, violin, trumpet, piano,
    bicycle, skateboard, wheel, anchor, net, bottle, sandwich, pancake, snow globe, music box, treasure map,
    diamond, pearl, medal, whistle, marble, toothbrush, comb, ticket, stamp, newspaper, photograph, hammer,
    magnet, jar of honey, loaf of bread, bowl of soup, pair of shoes, pot of paint, piece of cheese, sword,
    treasure, necklace, watch, bone, nut, carrot, lemon
""")
NEW_OBJECT_NOUNS = words("""
    thimble corkscrew harmonica accordion trombone locket goblet wheelbarrow typewriter periscope monocle
    acorn artichoke pretzel tambourine kaleidoscope hourglass boomerang chessboard sundial trowel ocarina
    saxophone amulet snorkel parachute horseshoe padlock pinecone bassoon
""")
OBJECT_ADJECTIVES = words("""
    golden silver tiny huge old shiny broken magic red blue wooden rusty strange heavy glass dusty round
    striped secret purple soft crooked forgotten little big green mysterious yellow beautiful
""")
# Short names for heroes whom nobody has named.
NAMES = words("Pip Mimi Otto Lulu Max Bella Tilly Bruno Rosie Finn Hugo Nina Oscar Lola Benny Greta")


def combined(nouns: tuple[str, ...], adjectives: tuple[str, ...], before: str = "") -> tuple[str, ...]:
    """Every noun alone, and with every adjective: `a fox`, `a brave fox`."""
    phrases = [an(noun) for noun in nouns] * (len(adjectives) // 2)
    phrases += [an(f"{adjective} {noun}") for noun in nouns for adjective in adjectives if adjective != noun]
    return tuple(f"{before} {phrase}".strip() for phrase in phrases)


def sampled(nouns: tuple[str, ...], adjectives: tuple[str, ...], before: str = "") -> tuple[str, ...]:
    """Every noun once, every other one with an adjective."""
    pairs = enumerate(nouns)
    phrases = [an(noun if at % 2 else f"{adjectives[at % len(adjectives)]} {noun}") for at, noun in pairs]
    return tuple(f"{before} {phrase}".strip() for phrase in phrases)


HELD_OUT = {
    *NEW_HERO_NOUNS,
    *NEW_OBJECT_NOUNS,
    *(noun for nouns in NEW_PLACE_NOUNS.values() for noun in nouns),
}

HEROES = Pool(combined(HERO_NOUNS, HERO_ADJECTIVES), sampled(NEW_HERO_NOUNS, HERO_ADJECTIVES))
PLACES = Pool(
    tuple(
        place for before, nouns in PLACE_NOUNS.items() for place in combined(nouns, PLACE_ADJECTIVES, before)
    )
    + FIXED_PLACES * 12,
    tuple(
        place
        for before, nouns in NEW_PLACE_NOUNS.items()
        for place in sampled(nouns, PLACE_ADJECTIVES, before)
    )
    + NEW_FIXED_PLACES,
)
OBJECTS = Pool(combined(OBJECT_NOUNS, OBJECT_ADJECTIVES), sampled(NEW_OBJECT_NOUNS, OBJECT_ADJECTIVES))


def draw_hero(rng: Random) -> str:
    """A hero to train on: of the pool, or one that nobody has heard of."""
    return HEROES.draw(rng) if rng.random() < 0.5 else unheard_of(rng, HERO_NOUNS, HERO_ADJECTIVES)


def draw_object(rng: Random) -> str:
    """An object to train on: of the pool, or one that nobody has heard of."""
    return OBJECTS.draw(rng) if rng.random() < 0.5 else unheard_of(rng, OBJECT_NOUNS, OBJECT_ADJECTIVES)


def draw_place(rng: Random) -> str:
    """A place to train on: of the pool, a town, or one that nobody has heard of."""
    kind = rng.random()
    if kind < 0.45:
        return PLACES.draw(rng)
    if kind < 0.65:
        return f"in {rng.choice(TOWNS) if kind < 0.52 else invent_name(rng)}"
    before = rng.choice(list(PLACE_NOUNS))
    return f"{before} {unheard_of(rng, PLACE_NOUNS['in'], PLACE_ADJECTIVES)}"


def unheard_of(rng: Random, nouns: tuple[str, ...], adjectives: tuple[str, ...]) -> str:
    """Something that does not exist, with an adjective or without: to name it is to copy."""
    noun = coin(rng, nouns)
    if noun in HELD_OUT:
        return unheard_of(rng, nouns, adjectives)
    return an(f"{rng.choice(adjectives)} {noun}" if rng.random() < 0.5 else noun)


def draw_hero_name(rng: Random) -> str:
    """A name that somebody gives to a hero."""
    return rng.choice(NAMES) if rng.random() < 0.2 else draw_name(rng)


def definite(phrase: str) -> str:
    """The phrase once it is known: `a fox` becomes `the fox`."""
    return re.sub(r"\ban? ", "the ", phrase, count=1)


def bare(phrase: str) -> str:
    """The phrase without its article."""
    return re.sub(r"\b(an?|the) ", "", phrase, count=1)
