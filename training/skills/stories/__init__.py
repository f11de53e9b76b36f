"""Stories for children, about the hero, the place and the thing that are asked for, and talk about them."""

import re
from dataclasses import replace
from random import Random

from training.phrases import read
from training.phrasing import ask, decorate
from training.skills.stories.requests import (
    SHORT,
    TONES,
    Cast,
    Plot,
    Request,
    draw_cast,
    draw_plot,
    draw_request,
)
from training.skills.stories.tables import HEROES, OBJECTS, draw_hero_name, with_the, without_article
from training.talk import Exchange, Talk, expand

PLOTS = read("stories/plots")
TALK = read("stories/talk")
WHAT = "In the story, {{name}} {relation} {{object}}."


def write_story(rng: Random) -> str:
    """One story as plain text, outside of any conversation."""
    cast, tone = replace(draw_cast(rng), name=draw_hero_name(rng)), rng.choice(list(TONES))
    text = expand(rng, story(rng, draw_plot(rng, tone, None), tone, None))
    return text.format(**cast.slots(rng))


def tell_story(rng: Random, talk: Talk) -> list[Exchange]:
    """A story on request, and now and then some talk about it."""
    talk.heard_story = True
    request, turns = draw_request(rng, talk), []
    is_stranger = request.slots.get("hero") == "me" and not talk.name
    if is_stranger:
        # A story about the person itself, who has to tell a name first.
        turns = [Exchange(request.ask, "Gladly! What is your name?", request.slots)]
        talk.name = draw_hero_name(rng)
        reply = "({name}|{name}|I am {name}|my name is {name}|it is {name})(.|!|)"
        cast = replace(request.cast, name=talk.name)
        request = replace(request, ask=reply, slots={"name": talk.name}, cast=cast)
    plot = draw_plot(rng, request.tone, request.relation)
    turns.append(tell(rng, request, plot))
    if not is_stranger and rng.random() < 0.4:
        follow_up = rng.choices(
            (questions, shorten, go_on, change_part, tell_another), (5, 1.2, 1.4, 1.2, 1.5)
        )[0]
        turns += follow_up(rng, request.cast, plot)
    return turns


def story(rng: Random, plot: Plot, tone: str, theme: str | None) -> str:
    """The template of a story."""
    ending = PLOTS.theme_ending.format(theme=theme) if theme else rng.choice(PLOTS.endings[tone or "any"])
    return " ".join((rng.choice(PLOTS.openings), plot.text, ending))


def tell(rng: Random, request: Request, plot: Plot) -> Exchange:
    """A request and its story."""
    text = story(rng, plot, request.tone, request.theme)
    slots = request.cast.slots(rng) | {f"ask_{slot}": value for slot, value in request.slots.items()}
    asked = re.sub(r"\{(\w+)\}", r"{ask_\1}", request.ask)
    return Exchange(asked, text, slots, brief=SHORT[plot.relation])


def slots_after(rng: Random, cast: Cast) -> dict[str, str]:
    """What may be said of the cast once the story is told."""
    return cast.slots(rng) | {"kind": without_article(cast.hero) if cast.hero else "hero"}


def questions(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """One or two questions about what has been told."""
    about = (
        (TALK.follow_ups["name"], "The hero's name was {name}."),
        (TALK.follow_ups["who"], "It was about {hero_called}."),
        (TALK.follow_ups["where"], "It happened {place}."),
        (TALK.what_of_it[plot.relation], WHAT.format(relation=plot.relation)),
        (TALK.follow_ups["what"], WHAT.format(relation=plot.relation)),
    )
    slots = slots_after(rng, cast)
    chosen = rng.sample(about, rng.choice((1, 1, 2)))
    return [Exchange(ask(rng, asks), answer, slots) for asks, answer in chosen]


def shorten(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """The story in one sentence."""
    return [Exchange(ask(rng, TALK.follow_ups["shorter"]), SHORT[plot.relation], cast.slots(rng))]


def go_on(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """What happened next, and perhaps what happened after that."""
    parts = rng.sample(PLOTS.sequels, rng.choice((1, 1, 2)))
    asks = [ask(rng, TALK.follow_ups["continue"]) for _ in parts]
    slots = slots_after(rng, cast)
    return [Exchange(asked, text, slots) for asked, text in zip(asks, parts, strict=True)]


def change_part(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """The same story once more with another hero, place or thing, or another name for the hero."""
    part = rng.choice(list(TALK.changed))
    fresh = draw_cast(rng, "hpo")
    is_whole = rng.random() < 0.5
    table, change = (TALK.changed[part], "") if is_whole else (TALK.instead, dict(TALK.changes)[part])
    text = rng.choice(table).replace("CHANGE", change)
    pools = {"hero": HEROES, "thing": OBJECTS}
    if part in pools and not is_whole and rng.random() < 0.4:
        # In few words, as everybody knows it to be a hero or a thing.
        fresh = replace(fresh, **{part: pools[part].draw(rng)})
        text = rng.choice(TALK.instead).replace("CHANGE", TALK.known_changes)
    new = draw_hero_name(rng) if part == "name" else getattr(fresh, part)
    changed = {"hero": new, "name": fresh.name} if part == "hero" else {part: new}
    if part == "hero" and rng.random() < 0.2:
        new = f"{new} called {fresh.name}"
    before = getattr(cast, part) if part in ("place", "thing") else cast.hero or cast.name
    slots = {"new": new, "old": before, "old_the": with_the(before), "name": cast.name}
    return [tell(rng, Request(decorate(rng, text), slots, replace(cast, **changed)), plot)]


def tell_another(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """A new story, asked for or accepted."""
    if rng.random() < 0.3:
        first = [Exchange(rng.choice(TALK.praise), "Thank you! Would you like to hear another one?")]
        asked = TALK.yes
    else:
        first, asked = [], ask(rng, TALK.follow_ups["another"])
    return [*first, tell(rng, Request(asked, {}, draw_cast(rng)), draw_plot(rng, "", None))]
