"""Heroes, places and objects of stories, as phrases that fit any sentence: any adjective before any noun."""

import re
from random import Random

from training.english import an
from training.names import coin, draw_name, invent_name
from training.talk import Pool, phrases, words
from training.values import permitted

HERO_NOUNS = phrases("""
    fox, rabbit, bear, mouse, cat, dog, robot, dragon, frog, duck, hedgehog, squirrel, penguin, turtle,
    lion, tiger, elephant, giraffe, monkey, wolf, deer, pig, sheep, goat, horse, donkey, cow, hen, swan,
    crow, sparrow, parrot, whale, dolphin, seal, otter, beaver, badger, mole, bat, spider, bee, ant, beetle,
    butterfly, crab, octopus, shark, snake, lizard, crocodile, kangaroo, koala, panda, zebra, camel, llama,
    hippo, rhino, moose, dinosaur, unicorn, mermaid, witch, wizard, knight, princess, prince, king, queen,
    pirate, giant, elf, fairy, ghost, monster, astronaut, sailor, baker, farmer, gardener, teacher, doctor,
    painter, cook, clown, inventor, detective, girl, boy, grandmother, grandfather, child, snowman, teddy
    bear, scarecrow, postman, shepherd, tailor, kitten, puppy, lamb, toad, ladybird, owl, snail, goose,
    raven, cowboy, captain, mermaid queen, tin soldier, fire fighter, train driver, polar bear,
    gorilla, chimpanzee, hamster, guinea pig, cockerel, turkey, peacock, flamingo, seagull, eagle, stork,
    pigeon, dove, hummingbird, duckling, chick, piglet, calf, foal, pony, bull, ox, elk, bison, antelope,
    leopard, cheetah, jaguar, panther, hyena, skunk, chipmunk, anteater, sloth, baboon, wombat, kiwi,
    alligator, tortoise, eel, salmon, goldfish, seahorse, starfish, jellyfish, squid, slug, worm, dragonfly,
    grasshopper, wasp, bumblebee, flea, scorpion, puffin, canary, nightingale, magpie, cub, phoenix,
    griffin, werewolf, vampire, mummy, ogre, genie, sorcerer, magician, emperor, empress, duke, squire,
    jester, ninja, samurai, viking, superhero, spy, explorer, pilot, fisherman, blacksmith, carpenter,
    miller, butcher, barber, miner, hunter, librarian, nurse, dentist, scientist, professor, musician,
    singer, dancer, ballerina, drummer, poet, actor, waiter, chef, plumber, builder, policeman, mayor,
    judge, thief, monk, hermit, merchant, shoemaker, clockmaker, uncle, aunt, baby, cousin, stranger,
    twin, schoolgirl, schoolboy, lighthouse keeper, bus driver, taxi driver, chimney sweep, sea monster,
    snow queen, tooth fairy, sea lion, sea turtle, snow leopard, baby elephant, baby dragon, black cat,
    street cat, guard dog, sheepdog, field mouse, space pirate, pirate captain, robot dog, rag doll,
    rocking horse, garden spider, farm girl, shepherd boy, old lady, old man, little boy, little girl,
    tractor, toaster, snowflake, raindrop, gingerbread man, steam engine
""")
NEW_HERO_NOUNS = words("""
    walrus armadillo pelican chameleon lobster porcupine weasel raccoon cuttlefish platypus meerkat
    salamander moth centaur gnome yeti goblin woodpecker lynx heron swordsmith falconer lumberjack juggler
    duchess acrobat mongoose ostrich caterpillar troll
""")
HERO_ADJECTIVES = words("""
    brave little shy clever lazy curious old young kind tiny hungry sleepy grumpy cheerful lonely clumsy
    polite silly friendly proud gentle busy quiet green blue purple fluffy forgetful red happy sad funny
    small big nervous patient mischievous pink grey white black brown yellow golden spotted striped fat
    thin tall huge enormous strong fast slow cheeky stubborn wise noisy lost homesick invisible singing
    dancing flying talking magic smart cute dreamy greedy
""")
# Two adjectives that go before any hero, as in `a tiny grey mouse`.
TWO_ADJECTIVES = phrases("""
    tiny grey, little old, big brown, little red, very small, very old, small white, fat lazy, shy little,
    brave little, old grey, big friendly, clever young, sad little, very hungry, tall thin, poor old,
    little green, big blue, tiny pink, very shy, grumpy old, young black, kind old
""")
# The preposition that a place wants, and the places.
PLACE_NOUNS = {
    "in": phrases("""
        forest, castle, lighthouse, cave, garden, village, library, tower, desert, jungle, valley, city,
        town, palace, museum, school, kitchen, barn, mill, bakery, swamp, harbour, hotel, circus, zoo, park,
        meadow, treehouse, tent, cellar, attic, theatre, submarine, spaceship, windmill, greenhouse,
        station, supermarket, toy shop, bookshop, church, market, factory, house, cottage, hut, igloo,
        tunnel, orchard, wood, hospital, cupboard, cinema, restaurant, wardrobe, jail, cafe, kindergarten,
        classroom, bathroom, bedroom, basement, garage, stable, chicken coop, henhouse, doll's house, cabin,
        log cabin, farmhouse, shed, garden shed, pet shop, shoe shop, sweet shop, flower shop, chocolate
        factory, toy factory, ice palace, fire station, post office, hotel room, swimming pool, football
        stadium, concert hall, opera house, laboratory, workshop, temple, pyramid, mine, canyon, rainforest,
        savanna, nest, tree trunk, hollow tree, beehive, burrow, shoebox, video game, space station,
        flying saucer, ghost town, fishing village, kingdom,
        haunted house, water mill, maze, ballroom, cornfield, sunflower field, pumpkin patch, rose garden,
        flat, skyscraper, lift, office, bank, clock tower
    """),
    "on": phrases("""
        island, mountain, hill, farm, ship, boat, beach, train, bus, roof, bridge, planet, cloud, raft,
        riverbank, star, balcony, pirate ship, desert island, volcano, cliff, glacier, spaceship to Mars,
        mountain top, motorway, tram, flying carpet, sailing boat, cruise ship, steam train
    """),
    "at": phrases("""
        crossroads, airport, campsite, fair, railway station, playground, bus stop, petrol station, harbour,
        birthday party, wedding, racetrack
    """),
    "under": phrases("bridge, tree, table, bed, waterfall, staircase, big rock"),
    "by": phrases("lake, river, waterfall, pond, lonely road, stream, well, campfire"),
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
    noisy busy dusty lonely golden strange big small rainy beautiful muddy ruined secret blue empty huge
    little gloomy cosy creepy mysterious warm forgotten white red wooden frozen famous deserted enchanted
""")
# What goes after a place, as in `in an old lighthouse by the sea`.
AFTER_PLACE = phrases("""
    by the sea, near the river, on a hill, in the snow, by a lake, far away, at night, in winter,
    near the sea, in the mountains, in the desert, in the jungle, on an island, without a roof,
    full of books, behind the hills
""")
# Places that have no adjective before them, nor an indefinite article.
FIXED_PLACES = phrases("""
    on the moon, under the sea, at the North Pole, in outer space, at the bottom of a well, on top of the
    world, behind the moon, in the middle of nowhere, above the clouds, on Mars, in the deep blue sea, at
    school, at the seaside, in the mountains, at the end of the rainbow, in the woods, in the big city,
    at the South Pole, on Jupiter, in the countryside, in fairyland, at home,
    in the snow, in the rain, in the future, in the Wild West, in the kitchen, in the garden, on the beach,
    at the zoo, in the forest, in the jungle, at the circus, in the desert, on the farm, by the sea,
    in the clouds, in the sky, in the park, at the market
""")
NEW_FIXED_PLACES = phrases("in Reykjavik, in Marrakesh, in Timbuktu, at the equator")
TOWNS = words("""
    Bern Paris London Rome Oslo Lisbon Prague Vienna Cairo Tokyo Lima Delhi Dublin Madrid Berlin Athens
    Kyoto Nairobi Havana Boston Venice Zurich Helsinki Krakow Seville Lyon Basel Porto Bergen Toronto Norway
    Japan Egypt Brazil Scotland Australia China Poland Alaska Peru India Mexico Canada Ireland Spain Iceland
    Kenya Italy Greece France Germany Sweden Turkey Texas Africa Mumbai Istanbul Sydney Chicago Hamburg
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
    treasure, necklace, watch, bone, nut, carrot, lemon, banana, orange, pear, cherry, peach, mango,
    strawberry, coconut, potato, mushroom, leaf, stick, pebble, rock, brick, nail, screw, saw, axe, spade,
    shovel, rake, fork, knife, plate, bowl, mug, jug, kettle, frying pan, pot, tray, oven, fridge, chair,
    bench, cushion, carpet, curtain, door, doorknob, lock, window, brush, sponge, bar of soap,
    towel, bathtub, rubber duck, toy car, toy train, rocket, drone, laptop,
    tablet, phone, mobile phone, television, microphone, keyboard, pen, crayon, notebook, diary, postcard,
    envelope, parcel, present, birthday cake, birthday card, cupcake, muffin, doughnut, chocolate bar,
    lollipop, ice cream, slice of pizza, cup of tea, glass of milk, bottle of ink, bag of gold, box of
    matches, ball of wool, bunch of flowers, piece of string, pack of cards, set of keys, pair of glasses,
    pair of boots, pair of wings, pair of socks, magic wand, magic carpet, magic bean, potion, spell book,
    crystal ball, golden egg, dragon egg, fishing rod, sledge, surfboard, football, tennis ball,
    backpack, sleeping bag, torch, candlestick, vase, painting, statue, trophy, bracelet,
    earring, ribbon, needle, zip, pocket, jumper, dress, mask, wig, cape, helmet, bow tie, belt, fan,
    globe, ruler, calculator, alarm clock, cuckoo clock, pocket watch, gramophone, cello, harp, banjo,
    recorder, triangle, cowbell, rattle, swing, dice, domino, playing card, riddle, secret, poem,
    flag, sail, oar, paddle, rowing boat, bus ticket, passport, purse, wallet, piggy bank, gold coin,
    paper boat, paper plane, snowball, spider web, fossil, shark tooth, pine tree, tree stump
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
    # Not before `jar of honey`, as stories are not to be long.
    short = [noun for noun in nouns if " of " not in noun]
    phrases += [an(f"{adjective} {noun}") for noun in short for adjective in adjectives if adjective != noun]
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

HEROES = Pool(
    combined(HERO_NOUNS, HERO_ADJECTIVES)
    + tuple(an(f"{pair} {noun}") for noun in HERO_NOUNS for pair in TWO_ADJECTIVES if " " not in noun),
    sampled(NEW_HERO_NOUNS, HERO_ADJECTIVES),
)
PLACES = Pool(
    tuple(
        place for before, nouns in PLACE_NOUNS.items() for place in combined(nouns, PLACE_ADJECTIVES, before)
    )
    + tuple(
        f"in {an(f'{noun} {after}')}"
        for noun in PLACE_NOUNS["in"]
        for after in AFTER_PLACE
        if " " not in noun
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


# The preposition of a place of which only the noun is named; what is in no table is lived in.
USUAL = {noun: before for before, nouns in reversed(PLACE_NOUNS.items()) for noun in nouns} | {
    place.split(" ", 1)[1]: place.split(" ", 1)[0] for place in reversed(FIXED_PLACES)
}


def usual(place: str) -> str:
    """The place with the preposition that goes with it where the request names none."""
    before, spot = place.split(" ", 1)
    if before == "in":
        return place
    if spot in USUAL:
        return f"{USUAL[spot]} {spot}"
    nouns = bare(spot).split()
    known = (USUAL[" ".join(nouns[at:])] for at in range(len(nouns)) if " ".join(nouns[at:]) in USUAL)
    return f"{next(known, 'in')} {spot}"


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
    noun = permitted(lambda: coin(rng, nouns), HELD_OUT)
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
