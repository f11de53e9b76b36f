"""Stories for children, about the hero, the place and the thing that are asked for, and talk about them."""

import re
from dataclasses import dataclass, replace
from random import Random

from training.english import an, capital
from training.phrasing import mannered
from training.skills.story_asks import (
    ABOUT_THEME,
    BODIES,
    CHANGES,
    FOLLOW_UPS,
    HEADS,
    INSTEAD,
    KINDS,
    NO_BODY,
    PRAISE,
    VERBS,
    WHAT_OF_IT,
    WHOLE,
    YES,
)
from training.skills.story_plots import (
    ENDINGS,
    HELPERS,
    OPENINGS,
    SEQUELS,
    SHORT,
    THEME_ENDING,
    THEMES,
    TONES,
    Plot,
    draw_plot,
)
from training.skills.story_tables import (
    HERO_NOUNS,
    HEROES,
    NAMES,
    OBJECTS,
    PLACES,
    bare,
    definite,
    draw_hero,
    draw_hero_name,
    draw_object,
    draw_place,
)
from training.talk import Exchange, Talk, expand

__all__ = ["HEROES", "OBJECTS", "PLACES", "tell_story", "write_story"]

# What fits a hero that takes another form of the verb, as `me` and several heroes do.
MILD = re.compile(r"(about|with|of|for) \{hero\}(?!.*(VERB|lives|that has)).*")
# Nouns whose plural is more than an `s`.
IRREGULAR = re.compile(r"([fhsxyn]|mouse|goose|child|deer|sheep)$")


@dataclass(frozen=True)
class Cast:
    """Who, where and what a story is about; a hero of whom only the name is known has no kind."""

    hero: str | None
    name: str
    place: str
    thing: str

    def slots(self, rng: Random) -> dict[str, str]:
        """The slots of a story, with an animal to help that is of another kind than the hero."""
        hero = f"{self.hero or 'somebody'} called {self.name}"
        helper = rng.choice([helper for helper in HELPERS if bare(helper) not in (self.hero or "")])
        return {
            "name": self.name,
            "hero_called": hero,
            "hero_first": capital(hero),
            "the_hero": definite(self.hero) if self.hero else self.name,
            "place": self.place,
            "place_first": capital(self.place),
            "the_place": definite(self.place),
            "object": self.thing,
            "the_object": definite(self.thing),
            "helper": helper,
            "the_helper": definite(helper),
        }


@dataclass(frozen=True)
class Request:
    """How a story is asked for: the template, who is named in it, and what the story must be like."""

    ask: str
    slots: dict[str, str]
    cast: Cast
    tone: str = ""
    relation: str | None = None
    theme: str | None = None


def draw_cast(rng: Random, named: str = "") -> Cast:
    """Somebody, somewhere, with something; what is `named` may be something that nobody has heard of."""
    return Cast(
        draw_hero(rng) if "h" in named else HEROES.draw(rng),
        rng.choice(NAMES),
        draw_place(rng) if "p" in named else PLACES.draw(rng),
        draw_object(rng) if "o" in named else OBJECTS.draw(rng),
    )


def write_story(rng: Random) -> str:
    """One story as plain text, outside of any conversation."""
    cast, tone = replace(draw_cast(rng), name=draw_hero_name(rng)), rng.choice(TONES)
    text = expand(rng, story(rng, draw_plot(rng, tone, None), tone, None))
    return text.format(**cast.slots(rng))


def tell_story(rng: Random, talk: Talk) -> list[Exchange]:
    """A story on request, and now and then some talk about it."""
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


def draw_request(rng: Random, talk: Talk) -> Request:
    """A request that names any of hero, place and thing, or none of them."""
    named = rng.choices((*BODIES, "theme", ""), (40, 10, 12, 5, 18, 6, 6, 3, 8))[0]
    cast, tone = draw_cast(rng, named if named in BODIES else ""), rng.choices(TONES, (6, 1, 1, 1.5))[0]
    slots: dict[str, str] = {}
    relation = theme = None
    if not named:
        ask = rng.choice(NO_BODY) if rng.random() < 0.5 else head(rng, "")
    elif named == "theme":
        theme = rng.choice(THEMES)
        ask = head(rng, ABOUT_THEME.replace("THEME", theme))
    else:
        cast, hero = name_hero(rng, talk, cast, named) if "h" in named else (cast, "")
        slots = asked(cast, hero)
        bodies = BODIES[named]
        if hero == "me" or (named == "h" and hero.endswith("s")):
            bodies = tuple(body for body in bodies if MILD.match(body))
        if not cast.hero or "h" not in named:
            # A bare name would be taken for the hero's.
            bodies = tuple(body for body in bodies if "{spot}" not in body or slots["spot"][0].islower())
        whole = named == "hpo" and hero != "me" and rng.random() < 0.35
        ask = rng.choice(WHOLE) if whole else head(rng, rng.choice(bodies))
    if "VERB" in ask:
        relation = rng.choice(list(VERBS))
        ask = ask.replace("VERB", VERBS[relation])
    ask = mannered(rng, ask.replace("STORY", rng.choice(KINDS[tone])))
    return Request(ask, slots, cast, tone, relation, theme)


def asked(cast: Cast, hero: str) -> dict[str, str]:
    """What a request may say of the cast, with articles and without."""
    spot = cast.place.split(" ", 1)[1]
    return {
        "hero": hero,
        "kind": bare(hero),
        "place": cast.place,
        "spot": spot,
        "spot_bare": bare(spot),
        "object": cast.thing,
        "thing": bare(cast.thing),
    }


def head(rng: Random, body: str) -> str:
    """A request for a story with what it is to be about."""
    return re.sub(r" +(?=[.?!,])", "", rng.choice(HEADS).replace("BODY", body))


def name_hero(rng: Random, talk: Talk, cast: Cast, named: str) -> tuple[Cast, str]:
    """Who the hero of a request is, and how the request says it."""
    kind = rng.random()
    if kind < 0.07:
        return replace(cast, hero=None, name=talk.name or cast.name), "me"
    if kind < 0.2:
        name = draw_hero_name(rng)
        return replace(cast, hero=None, name=name), name
    if kind < 0.42:
        name = draw_hero_name(rng)
        called = rng.choice(("called", "called", "named", "whose name is", "with the name"))
        return replace(cast, name=name), f"{cast.hero} {called} {name}"
    if kind < 0.48:
        return cast, definite(cast.hero)
    if kind < 0.6 and named == "h":
        noun = rng.choice([noun for noun in HERO_NOUNS if not IRREGULAR.search(noun)])
        return replace(cast, hero=an(noun)), f"{noun}s"
    return cast, cast.hero


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
    return [Exchange(ask, text, cast.slots(rng)) for ask, text in zip(asks, parts, strict=True)]


def change(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """The same story once more with another hero, place or thing."""
    part = rng.choice(list(CHANGES))
    fresh = draw_cast(rng, "hpo")
    changed = {"hero": fresh.hero, "name": fresh.name} if part == "hero" else {part: getattr(fresh, part)}
    ask = mannered(rng, rng.choice(INSTEAD).replace("CHANGE", CHANGES[part]))
    return [told(rng, Request(ask, {"new": getattr(fresh, part)}, replace(cast, **changed)), plot)]


def another(rng: Random, cast: Cast, plot: Plot) -> list[Exchange]:
    """A new story, asked for or accepted."""
    if rng.random() < 0.3:
        first = [Exchange(rng.choice(PRAISE), "Thank you! Would you like to hear another one?")]
        ask = YES
    else:
        first, ask = [], mannered(rng, rng.choice(FOLLOW_UPS["another"]))
    return [*first, told(rng, Request(ask, {}, draw_cast(rng)), draw_plot(rng, "", None))]
