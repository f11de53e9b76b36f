"""Who and what a story is about, and how that is asked for."""

import re
from dataclasses import dataclass, replace
from random import Random

from training.english import an, capital, plural
from training.phrasing import mannered
from training.skills.stories.asks import ABOUT_THEME, BODIES, HEADS, KINDS, NO_BODY, VERBS
from training.skills.stories.plots import HELPERS, THEMES, TONES
from training.skills.stories.tables import (
    HERO_NOUNS,
    HEROES,
    NAMES,
    OBJECTS,
    PLACES,
    TOWNS,
    bare,
    definite,
    draw_hero,
    draw_hero_name,
    draw_object,
    draw_place,
    usual,
)
from training.skills.stories.wholes import NAMED_AFTER, TAKEN_BACK, WHOLE, labelled, with_verbs
from training.talk import Talk

# What fits a hero that takes another form of the verb, as `me` and several heroes do.
MILD = re.compile(r"(about|with|of|for) \{hero\}(?!.*(VERB|PAST|lives|that has|who|BASE)).*")
# Heroes that may be asked for as many: those whose own word stays whole in the plural, to be copied.
REGULAR = tuple(noun for noun in HERO_NOUNS if plural(noun) == f"{noun}s")
# Relatives and pets whom a request calls by their names, and what the story makes of them.
OWN = {
    "daughter": "a girl",
    "little girl": "a little girl",
    "son": "a boy",
    "little boy": "a little boy",
    "niece": "a girl",
    "nephew": "a boy",
    "granddaughter": "a girl",
    "grandson": "a boy",
    "dog": "a dog",
    "puppy": "a puppy",
    "cat": "a cat",
    "kitten": "a kitten",
    "hamster": "a hamster",
    "rabbit": "a rabbit",
    "pony": "a pony",
    "teddy bear": "a teddy bear",
}


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
        ask, listed = template(rng, named, hero)
        cast = settled(rng, cast, ask, named, listed)
        slots = asked(cast, hero)
        if "h" in named and hero == cast.hero:
            ask, cast, slots = detailed(rng, ask, cast, slots)
    if re.search("VERB|PAST|BASE", ask):
        relation = rng.choice(list(VERBS))
        ask = with_verbs(ask, relation)
    elif "belongs to" in ask:
        relation = "had"
    if "STORY" not in ask:
        # Nothing is said of the tone then.
        tone = ""
    ask = mannered(rng, ask.replace("STORY", rng.choice(KINDS[tone])))
    return Request(ask, slots, cast, tone, relation, theme)


def template(rng: Random, named: str, hero: str) -> tuple[str, bool]:
    """A request that suits the hero, and whether it says of each thing what it is to be."""
    kind = rng.random()
    several = named == "h" and hero.endswith("s")
    if hero == "me" or several:
        return head(rng, rng.choice([body for body in BODIES[named] if MILD.match(body)])), False
    if kind < 0.2 and len(named) > 1:
        return labelled(rng, named), True
    if kind < (0.55 if named == "hpo" else 0.4):
        return rng.choice(WHOLE[named]), False
    return head(rng, rng.choice(BODIES[named])), False


def settled(rng: Random, cast: Cast, ask: str, named: str, listed: bool) -> Cast:
    """The cast, with a place and a thing that can be told apart by what they are where the request does not.

    There, nothing is what nobody has heard of, but the hero; nor is a bare name a place beside another.
    """
    bare_spot = re.search(r"\{spot", ask) and not re.search(r"(place|setting|scene|location)\W", ask)
    if not listed:
        at = {part: ask.find(f"{{{part}}}") for part in ("hero", "object")}
        turned = "h" in named and 0 <= at["object"] < at["hero"]
        alone = named in ("o", "po", "ho") and not re.search(
            "VERB|PAST|BASE|object|thing", ask.replace("{object}", "")
        )
        if bare_spot or turned or alone:
            cast = replace(cast, thing=OBJECTS.draw(rng))
        if bare_spot:
            towns = cast.hero and named != "p" and rng.random() < 0.1
            cast = replace(cast, place=f"in {rng.choice(TOWNS)}" if towns else PLACES.draw(rng))
    return cast if "{place" in ask else replace(cast, place=usual(cast.place))


def detailed(rng: Random, ask: str, cast: Cast, slots: dict[str, str]) -> tuple[str, Cast, dict[str, str]]:
    """The request with a name for its hero at the end, or with something taken back, now and then."""
    kind = rng.random()
    if kind < 0.07:
        name = draw_hero_name(rng)
        cast, slots = replace(cast, name=name), slots | {"called": name}
        ask = f"{ask.rstrip('.?! ')}. {rng.choice(NAMED_AFTER)}"
    elif kind < 0.13:
        part, pool = rng.choice((("hero", HEROES), ("object", OBJECTS)))
        if ask.count(f"{{{part}}}") == 1:
            both = rng.choice(TAKEN_BACK).replace("WRONG", pool.draw(rng)).replace("RIGHT", f"{{{part}}}")
            ask = ask.replace(f"{{{part}}}", both)
    return ask, cast, slots


def asked(cast: Cast, hero: str) -> dict[str, str]:
    """What a request may say of the cast, with articles and without."""
    spot = cast.place.split(" ", 1)[1]
    return {
        "hero": hero,
        "kind": re.sub(r"^(an?|the) ", "", hero),
        "place": cast.place,
        "place_up": capital(cast.place),
        "spot": spot,
        "spot_bare": re.sub(r"^(an?|the) ", "", spot),
        "object": cast.thing,
        "thing": bare(cast.thing),
    }


def head(rng: Random, body: str) -> str:
    """A request for a story with what it is to be about."""
    return re.sub(r" +(?=[.?!,])", "", rng.choice(HEADS).replace("BODY", body))


def name_hero(rng: Random, talk: Talk, cast: Cast, named: str) -> tuple[Cast, str]:
    """Who the hero of a request is, and how the request says it."""
    kind = rng.random()
    if kind < 0.06:
        return replace(cast, hero=None, name=talk.name or cast.name), "me"
    name = draw_hero_name(rng)
    if kind < 0.17:
        return replace(cast, hero=None, name=name), name
    if kind < 0.34:
        called = rng.choice(
            ("called", "called", "called", "named", "named", "whose name is", "with the name")
        )
        return replace(cast, name=name), f"{cast.hero} {called} {name}"
    if kind < 0.4:
        return replace(cast, name=name), f"{name} {definite(cast.hero)}"
    if kind < 0.43:
        own = rng.choice(list(OWN))
        return replace(cast, hero=OWN[own], name=name), f"{rng.choice(('my', 'my', 'our'))} {own} {name}"
    if kind < 0.48:
        return cast, definite(cast.hero)
    if kind < 0.58 and named == "h":
        noun = rng.choice(REGULAR)
        return replace(cast, hero=an(noun)), plural(noun)
    return cast, cast.hero
