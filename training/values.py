"""What people tell of themselves and ask about: ways to draw values, and those that are held out."""

from collections.abc import Iterable
from random import Random

from training.english import in_words, ordinal
from training.names import Draw, blend, borrow, chain, coin, draw_name, invent_name
from training.phrases import read
from training.talk import MONTHS, WEEKDAYS, Pool

TEXT = read("values")
FACTS = read("facts/values")
SUBJECTS = read("subjects")
COLOURS = Pool(TEXT.colours, TEXT.colours_held_out)
TOWNS = Pool(TEXT.towns, TEXT.towns_held_out)
PETS = Pool(TEXT.pets, TEXT.pets_held_out)
FOODS = Pool(TEXT.foods, TEXT.foods_held_out)
JOBS = Pool(TEXT.jobs, TEXT.jobs_held_out)
HOBBIES = Pool(TEXT.hobbies, TEXT.hobbies_held_out)
PLACES = Pool(SUBJECTS.places, SUBJECTS.places_held_out)
PEOPLE = Pool(SUBJECTS.people, SUBJECTS.people_held_out)
THINGS = Pool(SUBJECTS.things, SUBJECTS.things_held_out)
HELD_OUT = {value for pool in (PLACES, PEOPLE, THINGS) for value in pool.held_out}
RELATIVES = (*FACTS.women, *FACTS.men, *FACTS.people)
FAVOURITES = ("colour", "food", "animal", *FACTS.unnamed_favourites)
HOBBY_ENDS = ("ing", "ing", " collecting", " racing", " ball", " dancing")


def permitted(draw: Draw, held_out: Iterable[str]) -> Draw:
    """What `draw` gives, drawn again where it is held out, large or small, with an article or without."""
    kept = {value.lower() for value in held_out}

    def draw_again(rng: Random) -> str:
        while (value := draw(rng)).lower().removeprefix("the ") in kept:
            pass
        return value

    return draw_again


def coined(pool: Pool) -> Draw:
    """A way to draw a value that does not exist and sounds like those of a pool."""
    return permitted(lambda rng: coin(rng, pool.values), pool.held_out)


def joined(*tables: tuple[str, ...]) -> Draw:
    """A way to draw a word of each table."""
    return lambda rng: " ".join(map(rng.choice, tables))


# A word that is no word, and none that is kept for the evaluation.
invent = permitted(invent_name, HELD_OUT)
# A common noun that does not exist, or not as what it is here.
draw_word = chain((0.7, borrow), (1, lambda rng: invent_name(rng).lower()))
# A colour: plain, in some shade, or one that nobody has heard of.
coin_colour = coined(COLOURS)
draw_colour = chain(
    (0.3, COLOURS.draw),
    (0.6, permitted(joined(TEXT.shades, COLOURS.values), COLOURS.held_out)),
    (1, lambda rng: coin_colour(rng) + rng.choice(("", "", " " + rng.choice(COLOURS.values[:16])))),
)
# The kind of a pet; now and then of a kind unknown to science.
draw_pet = chain((0.5, PETS.draw), (1, coined(PETS)))
# A hobby, from the table or put together.
draw_hobby = chain(
    (0.4, HOBBIES.draw),
    (0.6, permitted(joined(TEXT.pastimes, TEXT.things), HOBBIES.held_out)),
    (0.8, coined(HOBBIES)),
    (1, lambda rng: draw_word(rng) + rng.choice(HOBBY_ENDS)),
)
# A country or region, a town, or a place on no map.
draw_place = chain((0.6, PLACES.draw), (0.8, TOWNS.draw), (1, invent))
# Somebody famous, or somebody of whom nobody ever heard.
draw_person = chain(
    (0.5, PEOPLE.draw),
    (0.8, lambda rng: f"{draw_name(rng)} {invent(rng)}"),
    (0.9, lambda rng: f"{rng.choice(SUBJECTS.trades)} {invent(rng)}"),
    (1, invent),
)
article, matter = joined(("the ", "the ", "")), joined(SUBJECTS.matters)
quality_of_matter = joined(SUBJECTS.qualities, SUBJECTS.matters)
# A thing or a field of knowledge, one put together from two words, or one that does not exist.
draw_subject = chain(
    (0.5, THINGS.draw),
    (0.75, permitted(lambda rng: article(rng) + quality_of_matter(rng), HELD_OUT)),
    (0.9, lambda rng: article(rng) + invent(rng).lower()),
    (1, permitted(lambda rng: f"{article(rng)}{invent(rng).lower()} {matter(rng)}", HELD_OUT)),
)
blend_town = permitted(lambda rng: blend(rng, TOWNS.values), TOWNS.held_out)
extend_town = permitted(lambda rng: invent_name(rng) + rng.choice(TEXT.town_ends), TOWNS.held_out)


def draw_town(rng: Random) -> str:
    """A town, real or made up, of one word or several."""
    kind = rng.random()
    if kind < 0.35:
        return TOWNS.draw(rng)
    town = invent_name(rng)
    if kind < 0.6:
        town = blend_town(rng)
    elif kind < 0.75:
        town = extend_town(rng)
    return f"{rng.choice(TEXT.town_words)} {town}" if kind > 0.92 else town


def draw_food(rng: Random) -> str:
    """Something to eat, from the table or put together."""
    kind = rng.random()
    if kind < 0.5:
        return FOODS.draw(rng) if kind < 0.35 else coined(FOODS)(rng)
    first = coin(rng, TEXT.ingredients) if kind < 0.7 else rng.choice(TEXT.ingredients)
    dish = rng.choice(TEXT.dishes).replace("-", " ")
    full = f"{first} {dish}" if rng.random() < 0.7 else f"{rng.choice(TEXT.cooked)} {first} {dish}"
    return draw_food(rng) if any(value in full for value in FOODS.held_out) else full


def draw_job(rng: Random) -> str:
    """A job, from the table or put together."""
    kind = rng.random()
    if kind < 0.6:
        return JOBS.draw(rng) if kind < 0.4 else coined(JOBS)(rng)
    first = coin(rng, TEXT.materials) if kind < 0.8 else rng.choice(TEXT.materials)
    trade = rng.choice(TEXT.trades) if rng.random() < 0.6 else coin(rng, TEXT.trades)
    return draw_job(rng) if (job := f"{first} {trade}") in JOBS.held_out else job


def draw_day(rng: Random) -> str:
    """A day of the year, in one of the ways it is written."""
    day, month = rng.randint(1, 28), rng.choice(MONTHS)
    nth = ordinal(day)
    return rng.choice((f"{month} {day}", f"{day} {month}", f"{month} {nth}", f"the {nth} of {month}"))


def draw_count(rng: Random) -> str:
    """How many, from two on, in words or figures."""
    number = rng.choice((rng.randint(2, 6), rng.randint(2, 14)))
    return in_words(number) if rng.random() < 0.6 else str(number)


def draw_time(rng: Random) -> str:
    """When something is: "on Monday at 3 pm", "at 14:30", "on 5 May"."""
    hours = (
        f"{rng.randint(1, 12)} (am|pm)",
        f"{rng.randint(7, 22)}:{rng.randrange(0, 60, 5):02}",
        f"{rng.randint(1, 12)} o'clock",
        "noon",
        f"half past {in_words(rng.randint(1, 12))}",
    )
    hour = rng.choice(hours).replace("(am|pm)", rng.choice(("am", "pm")))
    times = (
        f"on {rng.choice(WEEKDAYS)}",
        f"on {rng.choice(WEEKDAYS)} at {hour}",
        f"on {draw_day(rng)}",
        *(f"at {hour}", f"tomorrow at {hour}"),
        f"next {rng.choice(WEEKDAYS)}",
    )
    return rng.choice(times)


def draw_spot(rng: Random) -> str:
    """Where a thing may lie."""
    if rng.random() < 0.4:
        return rng.choice(FACTS.spots)
    noun = rng.choice(FACTS.spot_nouns) if rng.random() < 0.7 else draw_word(rng)
    return f"{rng.choice(FACTS.near)} the {rng.choice(('', '', 'old ', 'green ', 'small ', 'wooden '))}{noun}"


# The ways to draw a value, by the names that `facts/kinds.txt` has for them.
DRAWS: dict[str, Draw] = {"name": draw_name, "new name": invent_name, "word": draw_word, "town": draw_town}
DRAWS |= {"day": draw_day, "job": draw_job, "hobby": draw_hobby, "colour": draw_colour, "food": draw_food}
DRAWS |= {"pet": draw_pet, "count": draw_count, "time": draw_time, "spot": draw_spot, "listed pet": PETS.draw}
DRAWS |= {
    "height": lambda rng: rng.choice(
        (
            f"{rng.randint(95, 210)} cm",
            f"1.{rng.randint(10, 99)} m",
            f"{rng.randint(4, 6)} foot {rng.randint(2, 11)}",
        )
    ),
    "any pet": chain((0.12, lambda rng: "pet"), (1, draw_pet)),
    "pet name": chain((0.35, joined(TEXT.pet_names)), (1, draw_name)),
    "age": lambda rng: str(rng.choice((rng.randint(5, 99), rng.randint(2, 120), rng.randint(14, 60)))),
    "years": lambda rng: str(rng.randint(2, 99)),
    # As people have for luck or on a door: of one to five digits, short ones as likely as long.
    "number": lambda rng: str(rng.randrange(10 ** rng.randint(1, 5))),
    "lucky number": lambda rng: "lucky number",
    "code": lambda rng: "".join(rng.choices("0123456789", k=rng.randint(3, 6))),
    "shoe size": lambda rng: (
        str(rng.choice((rng.randint(34, 47), rng.randint(3, 13)))) + rng.choice(("", "", "", ".5"))
    ),
    "school": chain((0.4, lambda rng: draw_name(rng).split()[0]), (1, invent_name)),
    "class": chain(
        (0.5, lambda rng: f"class {rng.randint(1, 13)}{rng.choice(('', *'abcdeABC'))}"),
        (1, lambda rng: f"{rng.choice(('year', 'grade'))} {rng.randint(1, 13)}"),
    ),
    "weekday": joined(WEEKDAYS),
    "month": joined(MONTHS),
    "favourite of another": lambda rng: f"{rng.choice(RELATIVES)}'s favourite {rng.choice(FAVOURITES)}",
}
