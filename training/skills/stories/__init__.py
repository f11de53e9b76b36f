"""Stories for children, about the hero, the place and the thing that are asked for, and talk about them."""

import re
from dataclasses import replace
from random import Random

from training.phrasing import mannered
from training.skills.stories.plots import (
    ENDINGS,
    OPENINGS,
    SEQUELS,
    SHORT,
    THEME_ENDING,
    TONES,
    Plot,
    draw_plot,
)
from training.skills.stories.requests import Cast, Request, draw_cast, draw_request
from training.skills.stories.tables import HEROES, OBJECTS, bare, definite, draw_hero_name
from training.skills.stories.talk import (
    CHANGED,
    CHANGES,
    FOLLOW_UPS,
    INSTEAD,
    KNOWN_CHANGES,
    PRAISE,
    WHAT_OF_IT,
    YES,
)
from training.talk import Exchange, Talk, expand


def write_story(rng: Random) -> str:
    """One story as plain text, outside of any conversation."""
    cast, tone = replace(draw_cast(rng), name=draw_hero_name(rng)), rng.choice(TONES)
    text = expand(rng, story(rng, draw_plot(rng, tone, None), tone, None))
    return text.format(**cast.slots(rng))


def tell_story(rng: Random, talk: Talk) -> list[Exchange]:
    """A story on request, and now and then some talk about it."""
    talk.heard_story = True
    request = draw_request(rng, talk)
    if request.slots.get("hero") == "me" and not talk.name:
        return for_stranger(rng, talk, request)
    plot = draw_plot(rng, request.tone, request.relation)
    turns = [told(rng, request, plot)]
    if rng.random() < 0.4:
        turns += follow_up(rng, request.cast, plot)
    return turns


def for_stranger(rng: Random, talk: Talk, request: Request) -> list[Exchange]:
    """A story about the person itself, who has to tell a name first."""
    talk.name = draw_hero_name(rng)
    first = Exchange(request.ask, "Gladly! What is your name?", request.slots)
    reply = "({name}|{name}|I am {name}|my name is {name}|it is {name})(.|!|)"
    cast = replace(request.cast, name=talk.name)
    request = replace(request, ask=reply, slots={"name": talk.name}, cast=cast)
    return [first, told(rng, request, draw_plot(rng, request.tone, request.relation))]


def story(rng: Random, plot: Plot, tone: str, theme: str | None) -> str:
    """The template of a story."""
    ending = THEME_ENDING.format(theme=theme) if theme else rng.choice(ENDINGS[tone])
    return " ".join((rng.choice(OPENINGS), plot.text, ending))


def told(rng: Random, request: Request, plot: Plot) -> Exchange:
    """A request and its story."""
    text = story(rng, plot, request.tone, request.theme)
    slots = request.cast.slots(rng) | {f"ask_{slot}": value for slot, value in request.slots.items()}
    ask = re.sub(r"\{(\w+)\}", r"{ask_\1}", request.ask)
    return Exchange(ask, text, slots, brief=SHORT[plot.relation])


def follow_up(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """Questions about a story that has just been told, or a wish for more."""
    kinds = (questions, shorter, go_on, change, another)
    return rng.choices(kinds, (5, 1.2, 1.4, 1.2, 1.5))[0](rng, cast, plot)


def questions(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """One or two questions about what has been told."""
    about = (
        (FOLLOW_UPS["name"], "The hero's name was {name}."),
        (FOLLOW_UPS["who"], "It was about {hero_called}."),
        (FOLLOW_UPS["where"], "It happened {place}."),
        (WHAT_OF_IT[plot.relation], f"In the story, {{name}} {plot.relation} {{object}}."),
        (FOLLOW_UPS["what"], f"In the story, {{name}} {plot.relation} {{object}}."),
    )
    slots = cast.slots(rng) | {"kind": bare(cast.hero) if cast.hero else "hero"}
    some = rng.sample(about, rng.choice((1, 1, 2)))
    return [Exchange(mannered(rng, rng.choice(asks)), answer, slots) for asks, answer in some]


def shorter(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """The story in one sentence."""
    ask = mannered(rng, rng.choice(FOLLOW_UPS["shorter"]))
    return [Exchange(ask, SHORT[plot.relation], cast.slots(rng))]


def go_on(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """What happened next, and perhaps what happened after that."""
    parts = rng.sample(SEQUELS, rng.choice((1, 1, 2)))
    asks = [mannered(rng, rng.choice(FOLLOW_UPS["continue"])) for _ in parts]
    slots = cast.slots(rng) | {"kind": bare(cast.hero) if cast.hero else "hero"}
    return [Exchange(ask, text, slots) for ask, text in zip(asks, parts, strict=True)]


def change(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """The same story once more with another hero, place or thing, or another name for the hero."""
    part = rng.choice(list(CHANGED))
    fresh = draw_cast(rng, "hpo")
    before = cast.hero or cast.name
    new, changed = fresh.name, {"name": fresh.name}
    whole = rng.random() < 0.5
    ask = rng.choice(CHANGED[part]) if whole else rng.choice(INSTEAD).replace("CHANGE", CHANGES[part])
    if part == "hero":
        if not whole and rng.random() < 0.4:
            fresh = replace(fresh, hero=HEROES.draw(rng))
            ask = rng.choice(INSTEAD).replace("CHANGE", KNOWN_CHANGES)
        new, changed = fresh.hero, {"hero": fresh.hero, "name": fresh.name}
        if rng.random() < 0.2:
            new = f"{fresh.hero} called {fresh.name}"
    elif part == "name":
        new = draw_hero_name(rng)
        changed = {"name": new}
    else:
        before = getattr(cast, part)
        if part == "thing" and not whole and rng.random() < 0.4:
            fresh = replace(fresh, thing=OBJECTS.draw(rng))
            ask = rng.choice(INSTEAD).replace("CHANGE", KNOWN_CHANGES)
        new = getattr(fresh, part)
        changed = {part: new}
    slots = {"new": new, "old": before, "old_the": definite(before), "name": cast.name}
    return [told(rng, Request(mannered(rng, ask), slots, replace(cast, **changed)), plot)]


def another(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """A new story, asked for or accepted."""
    if rng.random() < 0.3:
        first = [Exchange(rng.choice(PRAISE), "Thank you! Would you like to hear another one?")]
        ask = YES
    else:
        first, ask = [], mannered(rng, rng.choice(FOLLOW_UPS["another"]))
    return [*first, told(rng, Request(ask, {}, draw_cast(rng)), draw_plot(rng, "", None))]
