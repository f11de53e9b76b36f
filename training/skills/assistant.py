"""What the model says about itself."""

from random import Random

from training.phrasing import mannered
from training.skills.topics.favourites import FAVOURITES, NO_FAVOURITE, TASTES
from training.skills.topics.itself import ITSELF
from training.skills.topics.life import LIFE
from training.talk import Exchange, Talk

ABOUT = {**ITSELF, **LIFE}
# Asked far more often than the rest.
FIRST = {"what": 4, "name": 4, "can": 4, "human": 2, "maker": 2}
NO_FAVOURITE_ASK = (
    "(what is|what's|tell me|do you have|which is|who is) your (favourite|favorite|fav) {thing}(?|)"
)


def about(rng: Random, talk: Talk) -> list[Exchange]:
    """A question about the model itself, or about its taste."""
    if rng.random() < 0.18:
        return [favourite(rng)]
    topic = ABOUT[rng.choices(list(ABOUT), [FIRST.get(name, 1) for name in ABOUT])[0]]
    return [Exchange(mannered(rng, topic.ask(rng)), topic.answer, brief=topic.brief)]


def favourite(rng: Random) -> Exchange:
    """A question about something it likes best, of which it has very few."""
    if rng.random() < 0.75:
        topic = rng.choice(list(FAVOURITES.values()))
        return Exchange(mannered(rng, topic.ask(rng)), topic.answer)
    return Exchange(mannered(rng, NO_FAVOURITE_ASK), NO_FAVOURITE, {"thing": rng.choice(TASTES)})
