"""Small facts that a child knows: opposites, animals and what they say and eat, colours of things."""

from random import Random

from training.asking import question, want
from training.english import an, capital
from training.phrasing import lines
from training.talk import Exchange, Talk, phrases, words


def table(text: str) -> dict[str, str]:
    """A table written as `key: value`, divided by commas."""
    return dict(entry.split(": ") for entry in phrases(text))


PAIRS = tuple(
    pair.split("-")
    for pair in words("""
        hot-cold big-small up-down left-right day-night black-white good-bad happy-sad fast-slow old-young
        long-short open-closed full-empty hard-soft light-dark rich-poor strong-weak wet-dry early-late
        first-last high-low near-far loud-quiet clean-dirty easy-difficult thick-thin wide-narrow deep-shallow
        sweet-sour true-false begin-end inside-outside before-after always-never yes-no push-pull give-take
        come-go love-hate win-lose buy-sell laugh-cry question-answer summer-winter north-south east-west
        friend-enemy war-peace life-death success-failure brave-cowardly polite-rude tidy-messy safe-dangerous
        cheap-expensive same-different front-back top-bottom asleep-awake morning-evening everything-nothing
        everybody-nobody
    """)
)
OPPOSITES = {
    **{one: other for one, other in PAIRS},
    **{other: one for one, other in PAIRS},
    **{"heavy": "light", "new": "old", "tall": "short", "large": "small", "noisy": "quiet", "start": "end"},
}
SOUNDS = table("""
    cow: moo, dog: woof, cat: meow, sheep: baa, pig: oink, duck: quack, horse: neigh, hen: cluck,
    rooster: cock-a-doodle-doo, frog: ribbit, bee: buzz, owl: hoot, lion: roar, mouse: squeak,
    snake: hiss, wolf: howl, crow: caw, donkey: hee-haw, goose: honk, bird: tweet
""")
YOUNG = table("""
    cow: calf, dog: puppy, cat: kitten, sheep: lamb, pig: piglet, horse: foal, hen: chick, duck:
    duckling, goose: gosling, goat: kid, lion: cub, bear: cub, deer: fawn, frog: tadpole, owl:
    owlet, swan: cygnet, kangaroo: joey
""")
LEGS = table("""
    dog: four legs, cat: four legs, horse: four legs, cow: four legs, bird: two legs, hen: two legs,
    spider: eight legs, bee: six legs, ant: six legs, fish: no legs, snake: no legs, elephant: four
    legs, beetle: six legs, person: two legs
""")
FOOD = table("""
    cow: grass, sheep: grass, horse: grass and hay, rabbit: grass and carrots, cat: fish and meat,
    dog: meat and bones, lion: meat, wolf: meat, mouse: seeds and cheese, squirrel: nuts, monkey:
    fruit, panda: bamboo, bee: nectar, frog: flies, owl: mice, spider: flies, bear: berries and
    fish, seal: fish, penguin: fish, goat: almost anything
""")
COLOURS = table("""
    grass: green, snow: white, the sky: blue, the sun: yellow, milk: white, coal: black, blood: red,
    a banana: yellow, a lemon: yellow, a tomato: red, a cherry: red, an orange: orange, a carrot:
    orange, a strawberry: red, a cucumber: green, a frog: green, a pig: pink, a crow: black, a polar
    bear: white, an elephant: grey, the sea: blue, chocolate: brown, a pumpkin: orange, a leaf:
    green, the night: black, a fire engine: red, a fox: red, salt: white, a cloud: white, a plum:
    purple
""")
# From the smallest to the largest.
SIZES = words("ant bee mouse frog cat dog sheep pig lion cow horse giraffe elephant whale")
MANY = {
    "mouse": "mice",
    "sheep": "sheep",
    "fish": "fish",
    "wolf": "wolves",
    "goose": "geese",
    "person": "people",
}

OPPOSITE = lines("""
    the opposite of {x}
    the (contrary|reverse|antonym) of {x}
    the opposite (word |)to {x}
    (an |the |)antonym (for|of|to) {x}
""")
OPPOSITE_ASKED = lines("""
    (what|which word) is opposite to {x}
    {x} is the opposite of what
    (which|what) word means the opposite of {x}
    {x}, opposite
    opposite of {x}
    what is not {x} but the opposite
""")
SOUND = lines("""
    what (does|do|would) ({a_x}|{a_x}|the {x}) say
    what (sound|noise) does ({a_x}|the {x}) make
    what (sound|noise) do {xs} make
    (which|what) is the (sound|noise) of ({a_x}|the {x})
    how does ({a_x}|the {x}) (go|sound)
    what do {xs} say
    (tell me |)the (sound|noise) that {a_x} makes
    {a_x} says what
""")
BABY = lines("""
    what (is|do you call) a (baby|young|little) {x}( called|)
    (how is|what is) (the baby of|the young of|the child of) {a_x}( called|)
    (what|how) do you call the (baby|young) of {a_x}
    (what's|what is) the (name|word) (of|for) a (baby|young) {x}
    what are (baby|young) {xs} called
    what does {a_x} call its baby
""")
LEG = lines("""
    how many legs (does|has) ({a_x}|the {x})( have| got|)
    how many legs do {xs} have
    (what is|tell me) the number of legs of {a_x}
    on how many legs does {a_x} walk
""")
EAT = lines("""
    what (do|will|would) {xs} (eat|like to eat|feed on|live on)
    what does ({a_x}|the {x}|my {x}) (eat|like to eat|feed on|have for dinner)
    what (should|can|do|could) I (feed|give) ({a_x}|my {x})( to eat|)
    (what is|what's) the food of ({a_x}|the {x})
    what food do {xs} (like|eat)
""")
COLOUR = lines("""
    (what|which) (colour|color) (is|has) {x}
    what is the (colour|color) of {x}
    (which|what) (colour|color) does {x} have
    tell me the (colour|color) of {x}
    {x} is (which|what) (colour|color)
""")
BIGGER = lines("""
    (which|who|what) is (bigger|larger), {a} or {b}
    is {a} or {b} (bigger|larger)
    (which|what) (animal |one |)is (bigger|larger|the bigger one|the larger one)(:|,) {a} or {b}
    {a} or {b}, (which|which one|who) is (bigger|larger)
""")
SMALLER = lines("""
    (which|who|what) is smaller, {a} or {b}
    is {a} or {b} smaller
    (which|what) (animal |one |)is (smaller|the smaller one)(:|,) {a} or {b}
    {a} or {b}, (which|which one|who) is smaller
""")
ANIMALS = (
    (SOUNDS, SOUND, "{a_x} says {said}."),
    (YOUNG, BABY, "a baby {x} is {a_said}."),
    (FOOD, EAT, "{xs} eat {said}."),
    (LEGS, LEG, "{a_x} has {said}."),
)
IS_BIGGER = "is {a} (bigger|larger) than {b}"


def everyday(rng: Random, talk: Talk) -> list[Exchange]:
    """One small fact."""
    kinds = (opposite, about_animal, colour, size)
    return [rng.choices(kinds, (4, 4, 2, 1.5))[0](rng)]


def opposite(rng: Random) -> Exchange:
    """The opposite of a word."""
    x, y = rng.choice(list(OPPOSITES.items()))
    ask = want(rng, rng.choice(OPPOSITE)) if rng.random() < 0.6 else question(rng, rng.choice(OPPOSITE_ASKED))
    return Exchange(ask, f"The opposite of {x} is {y}.", {"x": x})


def about_animal(rng: Random) -> Exchange:
    """What an animal says, eats, what its baby is called, and on how many legs it stands."""
    facts, asks, answer = rng.choice(ANIMALS)
    x, said = rng.choice(list(facts.items()))
    slots = {"x": x, "a_x": an(x), "xs": MANY.get(x, f"{x}s")}
    return Exchange(
        question(rng, rng.choice(asks)), capital(answer.format(said=said, a_said=an(said), **slots)), slots
    )


def colour(rng: Random) -> Exchange:
    """The colour that something usually has."""
    thing, shade = rng.choice(list(COLOURS.items()))
    return Exchange(question(rng, rng.choice(COLOUR)), f"{capital(thing)} is {shade}.", {"x": thing})


def size(rng: Random) -> Exchange:
    """Which of two animals is the bigger or smaller one."""
    small, large = sorted(rng.sample(range(len(SIZES)), 2))
    animals = an(SIZES[small]), an(SIZES[large])
    a, b = rng.sample(animals, 2)
    slots = {"a": a, "b": b}
    bigger = f"{animals[1]} is bigger than {animals[0]}."
    smaller = f"{animals[0]} is smaller than {animals[1]}."
    kind = rng.random()
    if kind < 0.3:
        answer = f"Yes, {bigger}" if a == animals[1] else f"No, {smaller}"
        return Exchange(question(rng, IS_BIGGER), answer, slots)
    if kind < 0.65:
        return Exchange(question(rng, rng.choice(BIGGER)), capital(bigger), slots)
    return Exchange(question(rng, rng.choice(SMALLER)), capital(smaller), slots)
