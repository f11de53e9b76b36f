"""What people have and whom they know: pets, relatives, favourite things, numbers, and their words."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from training.english import an
from training.names import draw_name, invent_name
from training.phrasing import lines
from training.skills.facts import AGE, BIRTHDAY, HOME, NAME, ORIGIN
from training.skills.likings import COLOUR, FOOD, HOBBY, JOB
from training.talk import Kind, phrases
from training.values import (
    draw_code,
    draw_colour,
    draw_food,
    draw_hobby,
    draw_job,
    draw_number,
    draw_pet,
    draw_pet_name,
    draw_town,
    invent_word,
)

Draw = Callable[[Random], str]
Slots = Callable[[Random], dict[str, str]]

RELATIVES = phrases("""
    sister, brother, mother, father, mum, dad, son, daughter, wife, husband, friend, best friend, cousin,
    aunt, uncle, neighbour, boss, teacher, grandmother, grandfather, grandma, grandpa, colleague, flatmate,
    girlfriend, boyfriend, partner, niece, nephew, twin brother, twin sister, little brother, little sister,
    big brother, older sister, baby, roommate, doctor, dentist, godfather, godmother, half-brother
""")
BELONGINGS = phrases("""
    car, boat, ship, bike, robot, teddy bear, doll, street, school, company, team, band, plant, house,
    village, project, computer, phone, laptop, shop, restaurant, favourite book, farm, football club, ukulele,
    guitar, island, planet, blog, dragon, imaginary friend, cactus, tractor, spaceship, game, hospital,
    university
""")
# Kinds of things of which people have a favourite: those with proper names, and those without.
NAMED = phrases("""
    film, movie, book, song, band, singer, day, month, planet, place, country, city, series, writer, poet,
    teacher, hero, team, player, painter, actor, actress, museum, island, mountain, river, car maker, album,
    language, footballer, scientist, restaurant, theme park, video game, fairy tale, superhero, brand
""")
UNNAMED = phrases("""
    animal, season, sport, drink, fruit, vegetable, flower, tree, game, subject, word, bird, cheese, ice
    cream, toy, instrument, shape, smell, sound, snack, cake, breakfast, tea, fish, dinosaur, dance, soup,
    sauce, sweet, insect, fabric, weather, pet, berry, spice, bread, pizza, juice, room, metal, stone,
    material
""")
HAS_NAME = phrases("""
    nickname, surname, last name, middle name, family name, star sign, nationality, native language, stage
    name, street, school, home country, code name, maiden name, pen name, user name, home planet
""")
HAS_WORD = phrases("""
    password, code word, magic word, secret word, spirit animal, dream job, superpower, instrument, breakfast,
    eye colour, hair colour, hair color, eye color, car, usual drink, secret ingredient, lucky charm, biggest
    wish, worst subject, best subject, usual order, costume, totem, bag, coat, door, kite
""")
NUMBERED = phrases("""
    lucky number, favourite number, lucky number, favourite number, door number, house number, room number,
    seat number, table number, phone number, ticket number, customer number, order number, shoe size, bus
    number, flat number, account number, seat, gate, platform, score, high score, magic number, licence number
""")
CODED = phrases("""
    locker code, door code, bike lock code, safe code, alarm code, booking code, PIN, pin code, gate code,
    suitcase code, postcode, locker number, secret number
""")


def owned(whose: Draw, *values: Draw) -> Slots:
    """A way to draw a noun that follows "my", and a value for it."""

    def draw(rng: Random) -> dict[str, str]:
        who = whose(rng)
        return {"who": who, "a_who": an(who), "value": rng.choice(values)(rng)}

    return draw


def somebody(value: Draw) -> Slots:
    """A way to draw another person, by name or as a relative, and a value."""

    def draw(rng: Random) -> dict[str, str]:
        named, what = rng.random() < 0.3, value(rng)
        who = draw_name(rng) if named else rng.choice(RELATIVES)
        whom = (who, who) if named else (f"my {who}", f"your {who}")
        return {"who": whom[0], "your_who": whom[1], "value": what, "a_value": an(what)}

    return draw


def one_of(values: tuple[str, ...], form: str = "{}") -> Draw:
    """A way to draw one of the values, put into a form."""
    return lambda rng: form.format(rng.choice(values))


def favourite_of_another(rng: Random) -> str:
    """What somebody else likes best: "sister's favourite colour"."""
    return f"{rng.choice(RELATIVES)}'s favourite {rng.choice(('colour', 'food', 'animal', *UNNAMED))}"


CALLED = Kind(
    key="{who}'s name",
    draw=owned(draw_pet, draw_pet_name),
    clause="your {who} is called {value}",
    says=lines("""
        my {who} is (called|named) {value}
        my {who} is called {value}
        my {who}'s name is {value}
        (I have|I've got|I own) {a_who} (called|named) {value}
        I have {a_who} called {value}
        (I have|I've got) {a_who}(, and its name is|, its name is|. Its name is|, called) {value}
        the name of my {who} is {value}
        I (call|named|have named|will call) my {who} {value}
        {value} is my {who}
        my {who} {value} (is lovely|is great|is the best|makes me laugh|is nice|is ten years old|sleeps a lot)
        (we|at home we) have {a_who} (named|called) {value}
        (I live|I share my home) with my {who} {value}
    """),
    asks=lines("""
        (what is|what's|whats) my {who} called( again|)?
        (what is|what's|whats|what was) the name of my {who}?
        what is my {who}'s name?
        how is my {who} called?
        what did I (call|name) my {who}?
        what do I call my {who}?
        what name (does my {who} have|did I give my {who})?
        my {who} is called ...?
        (which|what) name did I tell you for my {who}?
        what is the name of the {who}( I have| I told you about| that I mentioned|)?
        who is my {who}?
    """),
    indirect=lines("""
        what my {who} is (called|named)
        what my {who}'s name is
        my {who}'s name
        the name of my {who}
        how my {who} is called
        what I (call|named) my {who}
    """),
    unknown="You have not told me your {who}'s name yet. What is it?",
    third=("has {a_who} (called|named) {value}", "'s {who} is (called|named) {value}"),
    nouns=("{who}'s name", "{who}'s name", "{who}"),
    checks=("is my {who} called {value}?", "is my {who}'s name {value}?", "is {value} my {who}?"),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|its name is|I call it) {value}(.|)
        my {who} is called {value}(.|)
    """),
    changes=lines("""
        my {who} is called {value}, not {old}
        (I got the name wrong|I made a mistake), my {who} is called {value}
        my {who} has a new name(:|, it is) {value}
        I renamed my {who}(: it is|, it is now|. It's) {value}
    """),
    openers=("", "", "What a nice name, {value}! "),
    also=(
        ("who is {value}( again|)?", "your {who} is {value}"),
        ("who (was|is) {value}, do you (know|remember)?", "your {who} is {value}"),
    ),
)
PET_ASKS = lines("""
    (what|which|what kind of) (pet|animal) do I (have|keep|own)?
    do I have (a pet|an animal|any pets|pets|any animals)?
    (tell me|do you know|do you remember|say) (what|which|what kind of) (pet|animal) I have(.|?|)
    do you (know|remember) my pet?
    (what is|what's|who is) my pet?
    (which|what) animal lives with me?
    what did I tell you about my (pet|pets|animal)?
""")
PET = replace(
    CALLED,
    openers=("", "", "A good friend, {value}! "),
    also=(*CALLED.also, *((ask, "you have {a_who} called {value}") for ask in PET_ASKS)),
)
RELATIVE = replace(
    CALLED,
    draw=owned(one_of(RELATIVES), draw_name),
)
THING = replace(CALLED, draw=owned(one_of(BELONGINGS), draw_pet_name))
OWN = Kind(
    key="{who}",
    draw=owned(one_of(UNNAMED, "favourite {}"), invent_word, draw_colour, draw_food),
    clause="your {who} is {value}",
    says=lines("""
        my {who} is {value}
        my {who} is {value}
        my {who} is {value}
        {value} is my {who}
        my {who} (would be|has to be|must be|was always|has always been) {value}
        (as|for) my {who} I (have|picked|chose) {value}
        I (have|picked|chose) {value} as my {who}
        I would say my {who} is {value}
    """),
    asks=lines("""
        what is my {who}( again| now|)?
        what's my {who}?
        (what|which) is my {who}?
        what did I (choose|pick|have|give|name) (as|for) my {who}?
        what (was|is) it that I told you as my {who}?
    """),
    indirect=lines("""
        what my {who} is
        what my {who} was
        my {who}
        what I (have|chose|told you) as my {who}
    """),
    unknown="You have not told me your {who} yet. What is it?",
    nouns=("{who}",),
    checks=("is my {who} {value}?", "is {value} my {who}?"),
    replies=lines("""
        {value}
        {value}(.|!|)
        (it's|it is|its|that's) {value}(.|)
        my {who} is {value}(.|)
    """),
    changes=lines("""
        my {who} is {value}, not {old}
        (I changed my mind|I changed it), my {who} is {value}
        (now|today|from now on) my {who} is {value}
        my {who} has changed(: it is|, now it's) {value}
        it's not {old}(,| -) my {who} is {value}
    """),
    third=("'s {who} is {value}",),
)
OWN_NAMED = replace(
    OWN,
    draw=owned(
        one_of((*(f"favourite {noun}" for noun in NAMED), *HAS_NAME)), draw_name, draw_town, invent_name
    ),
)
OWN_WORD = replace(OWN, draw=owned(one_of(HAS_WORD), invent_word, invent_word, draw_colour, draw_food))
OWN_NUMBER = replace(OWN, draw=owned(one_of(NUMBERED), draw_number))
OWN_CODE = replace(OWN, draw=owned(one_of(CODED), draw_code))
OWN_ODD = replace(OWN, draw=owned(invent_word, invent_word, draw_number))
OF_ANOTHER = replace(OWN, draw=owned(favourite_of_another, invent_word, draw_colour, draw_food))

LIVES = Kind(
    key="{your_who}: town",
    draw=somebody(draw_town),
    clause="{your_who} lives in {value}",
    says=(
        "{who} lives in {value}",
        "{who} lives in {value}",
        "{who} has moved to {value}",
        "{who} has a flat in {value}",
    ),
    asks=(
        "where does {who} live( now|)?",
        "(which|what) (town|city) does {who} live in?",
        "where did I say {who} lives?",
    ),
    indirect=("where {who} lives", "where {who} lives", "(which|what) (town|city) {who} lives in"),
    unknown="You have not told me where {your_who} lives.",
    checks=("does {who} live in {value}?", "is {value} where {who} lives?"),
    changes=("{who} moved to {value}", "{who} lives in {value} now", "{who} lives in {value}, not in {old}"),
)
AGED = Kind(
    key="{your_who}: age",
    draw=somebody(lambda rng: str(rng.randint(1, 99))),
    clause="{your_who} is {value} years old",
    says=(
        "{who} is {value} years old",
        "{who} is {value}",
        "{who} turned {value}",
        "the age of {who} is {value}",
    ),
    asks=("how old is {who}( now|)?", "what age is {who}?", "how old did I say {who} is?"),
    indirect=("how old {who} is", "how old {who} is", "the age of {who}"),
    unknown="You have not told me how old {your_who} is.",
    checks=("is {who} {value} years old?", "is {who} {value}?"),
    changes=("{who} is {value}, not {old}", "{who} just turned {value}"),
)
WORKS = Kind(
    key="{your_who}: job",
    draw=somebody(draw_job),
    clause="{your_who} works as {a_value}",
    says=("{who} works as {a_value}", "{who} is {a_value}", "{who} is {a_value} (by trade|by profession)"),
    asks=(
        "what does {who} do( for a living| for work|)?",
        "what does {who} work as?",
        "(what is|what's) the job of {who}?",
    ),
    indirect=("what {who} does for a living", "what {who} works as", "what job {who} has"),
    unknown="You have not told me what {your_who} works as.",
    checks=("is {who} {a_value}?", "does {who} work as {a_value}?"),
    changes=("{who} works as {a_value} now", "{who} is {a_value}, not {old_value}"),
)
LOVES = Kind(
    key="{your_who}: likes",
    draw=somebody(lambda rng: rng.choice((draw_food, draw_hobby))(rng)),
    clause="{your_who} likes {value}",
    says=(
        "{who} (likes|loves|enjoys|adores) {value}",
        "{who} likes {value}",
        "{who} is (fond of|crazy about) {value}",
    ),
    asks=("what does {who} (like|love|enjoy)?", "what is {who} fond of?", "what does {who} like( best|)?"),
    indirect=("what {who} (likes|loves|enjoys)", "what {who} likes"),
    unknown="You have not told me what {your_who} likes.",
    checks=("does {who} (like|love) {value}?", "is {value} what {who} likes?"),
    changes=("{who} likes {value}, not {old}", "{who} likes {value} (now|better)"),
)

ABOUT_OTHERS = {RELATIVE: 5.0, LIVES: 2.5, AGED: 2.0, WORKS: 2.0, LOVES: 2.0, OF_ANOTHER: 1.5}
# All kinds, and how often each is told.
KINDS: dict[Kind, float] = {
    COLOUR: 10,
    HOME: 10,
    ORIGIN: 3,
    AGE: 6,
    JOB: 6,
    FOOD: 6,
    HOBBY: 6,
    BIRTHDAY: 5,
    PET: 12,
    THING: 3,
    OWN: 4,
    OWN_NAMED: 5,
    OWN_WORD: 3,
    OWN_NUMBER: 6,
    OWN_CODE: 3,
    OWN_ODD: 3,
    **ABOUT_OTHERS,
}
# Who is asked about in the wrong place: what is told of others, and what of the person sounds like it.
LOOKALIKES = {RELATIVE: NAME, PET: NAME, LIVES: HOME, AGED: AGE, WORKS: JOB, LOVES: FOOD, OF_ANOTHER: COLOUR}
