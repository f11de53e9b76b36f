"""All kinds of facts that people tell of themselves, of others and of what is theirs, and how often."""

from dataclasses import replace
from random import Random

from training.skills.kinds.ages import AGE, BIRTHDAY
from training.skills.kinds.called import MAN, PERSON, PET, RELATIVES, THING, WOMAN
from training.skills.kinds.daily import EYES, HAIR, LEARNS, PAINTED, PLAYS, SPEAKS
from training.skills.kinds.doings import HOBBY, JOB
from training.skills.kinds.favourites import FAVOURITES, UNNAMED
from training.skills.kinds.kept import KEPT
from training.skills.kinds.likings import COLOUR, FOOD
from training.skills.kinds.name import NAME
from training.skills.kinds.others import AGED, BORN, COMES, LIVES, LOVES, WORKS
from training.skills.kinds.owned import (
    LUCKY,
    OWN,
    OWN_CODE,
    OWN_NAMED,
    OWN_NUMBER,
    OWN_ODD,
    SECRET,
    SHARED_ASKS,
    SHARED_CHANGES,
    SHARED_SAYS,
    owned,
)
from training.skills.kinds.plans import ALLERGY, APPOINTMENT, ATE, BUY, DISLIKE, HOLIDAY, LIE, LIES
from training.skills.kinds.schooling import CLASS, COUNT, DREAM, DRIVES, EMPLOYER, SCHOOL, SHOES, STUDY, TALL
from training.skills.kinds.towns import HOME, ORIGIN
from training.talk import Kind
from training.values import draw_colour, draw_food, invent_word


def favourite_of_another(rng: Random) -> str:
    """What somebody else likes best: "sister's favourite colour"."""
    return f"{rng.choice(RELATIVES)}'s favourite {rng.choice(('colour', 'food', 'animal', *UNNAMED))}"


# Only what is told of a thing with an owner of its own: nobody has "a sister's favourite colour".
OF_ANOTHER = replace(
    OWN,
    draw=owned(favourite_of_another, invent_word, draw_colour, draw_food),
    says=(*SHARED_SAYS, "my {who} (would be|has to be|has always been|happens to be) {value}"),
    asks=SHARED_ASKS,
    changes=SHARED_CHANGES,
    third=("'s {who} is {value}",),
)

ABOUT_OTHERS = {
    WOMAN: 4.0,
    MAN: 4.0,
    PERSON: 2.0,
    LIVES: 2.5,
    COMES: 0.8,
    AGED: 2.0,
    WORKS: 2.0,
    LOVES: 2.0,
    BORN: 1.5,
    OF_ANOTHER: 1.0,
}
ABOUT_LOOKS: dict[Kind, float] = {HAIR: 1.2, EYES: 1.0, TALL: 0.6, SHOES: 0.8, PAINTED: 1.5}
ABOUT_LEARNING: dict[Kind, float] = {
    PLAYS: 1.2,
    SPEAKS: 1.0,
    LEARNS: 0.8,
    SCHOOL: 1.0,
    CLASS: 0.8,
    STUDY: 0.8,
}
ABOUT_WORK: dict[Kind, float] = {EMPLOYER: 0.8, DREAM: 0.8, DRIVES: 0.7}
ABOUT_PLANS: dict[Kind, float] = {HOLIDAY: 1.2, APPOINTMENT: 2.5, BUY: 0.8}
ABOUT_FOOD: dict[Kind, float] = {ATE: 1.5, ALLERGY: 0.8, DISLIKE: 0.8}
# All kinds, and how often each is told.
KINDS: dict[Kind, float] = {
    COLOUR: 10,
    HOME: 10,
    ORIGIN: 3,
    AGE: 6,
    JOB: 8,
    FOOD: 8,
    HOBBY: 8,
    BIRTHDAY: 5,
    PET: 11,
    KEPT: 10,
    THING: 3,
    OWN: 3,
    OWN_NAMED: 3,
    OWN_NUMBER: 3.5,
    LUCKY: 6,
    OWN_CODE: 3,
    SECRET: 3,
    OWN_ODD: 2.5,
    COUNT: 2,
    LIES: 1.5,
    LIE: 1,
    **FAVOURITES,
    **ABOUT_OTHERS,
    **ABOUT_LOOKS,
    **ABOUT_LEARNING,
    **ABOUT_WORK,
    **ABOUT_PLANS,
    **ABOUT_FOOD,
}
# Who is asked about in the wrong place: what is told of others, and what of the person sounds like it.
LOOKALIKES = {
    PET: NAME,
    WOMAN: NAME,
    MAN: NAME,
    PERSON: NAME,
    LIVES: HOME,
    COMES: ORIGIN,
    AGED: AGE,
    WORKS: JOB,
    LOVES: FOOD,
    BORN: BIRTHDAY,
    OF_ANOTHER: COLOUR,
}
