"""Values of everyday facts, and ways to draw them."""

from collections.abc import Callable
from random import Random

from training.english import an, in_words
from training.skills.kinds.owned import Draw
from training.talk import WEEKDAYS, phrases, words
from training.values import draw_day, invent_word

MEALS = words("breakfast lunch dinner supper tea brunch")
COUNTED = words("""
    brothers sisters siblings children kids grandchildren cousins cats dogs bikes guitars plants sons
    daughters colleagues pupils aunts uncles nephews nieces chickens sheep goldfish friends rooms
""")
COLOURED = phrases("""
    car, bag, coat, door, kite, bike, house, hat, jacket, scarf, backpack, suitcase, dress, sofa, room, front
    door, phone case, school bag, umbrella, cup, mug, van, helmet, jumper, sweater, toothbrush
""")
MET = phrases("""
    dentist appointment, doctor's appointment, job interview, driving test, exam, meeting, haircut, piano
    lesson, maths test, flight, train, wedding, party, concert, match, interview, appointment, date, English
    exam, swimming lesson, presentation, deadline, eye test, rehearsal, graduation, operation, game, recital
""")
PUT = words("wallet phone passport umbrella bag hat book charger ticket torch laptop ring watch camera car")
PUTS = words("keys glasses headphones gloves shoes scissors tickets tablets cards documents socks batteries")
INSTRUMENTS = phrases("""
    piano, guitar, violin, cello, flute, trumpet, drums, clarinet, harp, bass, oboe, recorder, organ, viola,
    tuba, double bass, mandolin, keyboard, horn, sitar, ukulele, zither, piccolo, lute
""")
LANGUAGES = words("""
    English German French Spanish Italian Portuguese Dutch Polish Turkish Arabic Russian Chinese Japanese
    Korean Hindi Urdu Bengali Swahili Greek Swedish Danish Norwegian Finnish Czech Hungarian Romanian Hebrew
    Persian Vietnamese Thai Welsh Irish Ukrainian Tamil Tagalog Latin Catalan Croatian Mandarin Malay
""")
STUDIES = phrases("""
    physics, chemistry, biology, medicine, law, history, philosophy, psychology, economics, mathematics,
    computer science, engineering, architecture, music, art, geography, linguistics, nursing, business,
    sociology, education, astronomy, theology, design, politics, literature
""")
HAIR_COLOURS = phrases("""
    brown, black, blond, blonde, red, grey, white, dark brown, light brown, dark, fair, ginger, auburn, silver
""")
EYE_COLOURS = phrases("brown, blue, green, grey, hazel, dark brown, light blue, grey-green, amber, black")
CARS = phrases("""
    Toyota, Honda, Ford, Fiat, Volvo, Skoda, Tesla, Mazda, Nissan, Audi, Seat, Kia, Renault, Peugeot, Opel
""")
SPOTS = phrases("""
    in the drawer, in the kitchen, on the shelf, under the bed, under the sofa, behind the door, by the door,
    on the table, in the hall, next to the lamp, in the cupboard, behind the clock, on the desk,
    in the garage, in the blue box, on top of the wardrobe, in the left pocket, under the mat, in the bathroom
""")
NEAR = phrases("in, on, under, behind, next to, beside, inside, near, on top of")
SPOT_NOUNS = words("""
    drawer box basket shelf cupboard chest bucket desk sofa table bed chair wardrobe cellar attic kitchen
    garden shed pot jar tin suitcase rucksack pocket bookcase piano fridge oven bath window stairs mirror
""")


def value_of(draw: Draw) -> Callable[[Random], dict[str, str]]:
    """A way to draw a value about which nothing else is to be known."""

    def slots(rng: Random) -> dict[str, str]:
        value = draw(rng)
        return {"value": value, "a_value": an(value)}

    return slots


def mostly(table: tuple[str, ...], otherwise: Draw) -> Draw:
    """A value of a table, or else one of another kind, so that copying pays."""
    return lambda rng: rng.choice(table) if rng.random() < 0.6 else otherwise(rng)


def draw_class(rng: Random) -> str:
    """A class at school: "class 7b", "year 9", "grade 4"."""
    if rng.random() < 0.5:
        return f"class {rng.randint(1, 13)}{rng.choice(('', *'abcdeABC'))}"
    return f"{rng.choice(('year', 'grade'))} {rng.randint(1, 13)}"


def draw_count(rng: Random) -> str:
    """How many, from two on, in words or figures."""
    number = rng.choice((rng.randint(2, 6), rng.randint(2, 14)))
    return in_words(number) if rng.random() < 0.6 else str(number)


def draw_height(rng: Random) -> str:
    """How tall somebody is, in one of the ways to measure it."""
    number = rng.randint(95, 210)
    return rng.choice(
        (f"{number} cm", f"1.{rng.randint(10, 99)} m", f"{rng.randint(4, 6)} foot {rng.randint(2, 11)}")
    )


def draw_shoe_size(rng: Random) -> str:
    """A size of shoes."""
    return str(rng.choice((rng.randint(34, 47), rng.randint(3, 13)))) + rng.choice(("", "", "", ".5"))


def draw_time(rng: Random) -> str:
    """When something is: "on Monday at 3 pm", "at 14:30", "on 5 May"."""
    hour = rng.choice(
        (
            f"{rng.randint(1, 12)} (am|pm)",
            f"{rng.randint(7, 22)}:{rng.randrange(0, 60, 5):02}",
            f"{rng.randint(1, 12)} o'clock",
            "noon",
            f"half past {in_words(rng.randint(1, 12))}",
        )
    )
    hour = hour.replace("(am|pm)", rng.choice(("am", "pm")))
    return rng.choice(
        (
            f"on {rng.choice(WEEKDAYS)}",
            f"on {rng.choice(WEEKDAYS)} at {hour}",
            f"on {draw_day(rng)}",
            f"at {hour}",
            f"tomorrow at {hour}",
            f"next {rng.choice(WEEKDAYS)}",
        )
    )


def draw_spot(rng: Random) -> str:
    """Where a thing may lie."""
    if rng.random() < 0.4:
        return rng.choice(SPOTS)
    noun = rng.choice(SPOT_NOUNS) if rng.random() < 0.7 else invent_word(rng)
    return f"{rng.choice(NEAR)} the {rng.choice(('', '', 'old ', 'green ', 'small ', 'wooden '))}{noun}"
