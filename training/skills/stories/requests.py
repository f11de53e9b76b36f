"""Who and what a story is about, what happens, and how that is asked for."""

import re
from dataclasses import dataclass, replace
from random import Random

from training.english import an, capital, plural
from training.phrases import read
from training.phrasing import decorate
from training.skills.stories import tables
from training.skills.stories.tables import HEROES, OBJECTS, PLACES, draw_hero_name, with_the, without_article
from training.talk import Talk, draw

PLOT_TEXT = read("stories/plots")
REQUESTS = read("stories/requests")
NOUNS = read("stories/nouns")
TONES = {"": 6, "adventure": 1, "funny": 1, "bedtime": 1.5}
SHORT = dict(PLOT_TEXT.short)
# What is named: any of hero, place and object, the theme alone, or nothing.
BODIES = dict(zip((*REQUESTS.bodies, "theme", ""), (40, 10, 12, 5, 18, 6, 6, 3, 8), strict=True))
# What the hero has to do with the thing: in the present, of what is over, and after another verb.
VERBS = {mark: dict(rows) for mark, rows in REQUESTS.verbs.items()}
# What fits a hero that takes another form of the verb, as `me` and several heroes do.
MILD = re.compile(r"(about|with|of|for) \{hero\}(?!.*(VERB|PAST|lives|that has|who|BASE)).*")
# Heroes that may be asked for as many: those whose own word stays whole in the plural, to be copied.
REGULAR = tuple(noun for noun in NOUNS.hero_nouns if plural(noun) == f"{noun}s")
CALLED = ("called", "called", "called", "named", "named", "whose name is", "with the name")


@dataclass(frozen=True)
class Plot:
    """The middle of a story; `relation` says what the hero has to do with the object."""

    relation: str
    tones: tuple[str, ...]
    text: str


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
        others = [one for one in PLOT_TEXT.helpers if without_article(one) not in (self.hero or "")]
        slots = {"place": self.place, "object": self.thing, "helper": rng.choice(others)}
        slots |= {f"the_{slot}": with_the(phrase) for slot, phrase in slots.items()}
        slots |= {"place_first": capital(self.place), "hero_called": hero, "hero_first": capital(hero)}
        return slots | {"name": self.name, "the_hero": with_the(self.hero) if self.hero else self.name}


@dataclass(frozen=True)
class Request:
    """How a story is asked for: the template, who is named in it, and what the story must be like."""

    ask: str
    slots: dict[str, str]
    cast: Cast
    tone: str = ""
    relation: str | None = None
    theme: str | None = None


PLOTS = tuple(Plot(relation, ("", *tones.split()), text) for relation, tones, text in PLOT_TEXT.plots)


def draw_plot(rng: Random, tone: str, relation: str | None) -> Plot:
    """A plot of a tone where there is one, with the relation that is asked for."""
    plots = [plot for plot in PLOTS if relation in (None, plot.relation)]
    return rng.choice([plot for plot in plots if tone in plot.tones] or plots)


def draw_cast(rng: Random, named: str = "") -> Cast:
    """Somebody, somewhere, with something; what is `named` may be something that nobody has heard of."""
    return Cast(
        tables.draw_hero(rng) if "h" in named else HEROES.draw(rng),
        rng.choice(NOUNS.names),
        tables.draw_place(rng) if "p" in named else PLACES.draw(rng),
        tables.draw_object(rng) if "o" in named else OBJECTS.draw(rng),
    )


def draw_request(rng: Random, talk: Talk) -> Request:
    """A request that names any of hero, place and thing, or none of them."""
    named = draw(rng, BODIES)
    cast = draw_cast(rng, named if named in REQUESTS.bodies else "")
    tone, slots, relation, theme = draw(rng, TONES), {}, None, None
    if not named:
        ask = rng.choice(REQUESTS.no_body) if rng.random() < 0.5 else head(rng, "")
    elif named == "theme":
        theme = rng.choice(PLOT_TEXT.themes)
        ask = head(rng, REQUESTS.about_theme.replace("THEME", theme))
    else:
        cast, hero = name_hero(rng, talk, cast, named) if "h" in named else (cast, "")
        ask, is_listed = template(rng, named, hero)
        cast = settle_cast(rng, cast, ask, named, is_listed)
        spot = cast.place.split(" ", 1)[1]
        kind, bare = (re.sub(r"^(an?|the) ", "", phrase) for phrase in (hero, spot))
        slots = {
            "hero": hero,
            "kind": kind,
            "place": cast.place,
            "place_up": capital(cast.place),
            "spot": spot,
        }
        slots |= {"spot_bare": bare, "object": cast.thing, "thing": without_article(cast.thing)}
        if "h" in named and hero == cast.hero:
            ask, cast, slots = add_detail(rng, ask, cast, slots)
    if re.search("VERB|PAST|BASE", ask):
        relation = rng.choice(list(VERBS["VERB"]))
        for mark, verbs in VERBS.items():
            ask = ask.replace(mark, verbs[relation])
    elif "belongs to" in ask:
        relation = "had"
    if "STORY" not in ask:
        # Nothing is said of the tone then.
        tone = ""
    ask = decorate(rng, ask.replace("STORY", rng.choice(REQUESTS.kinds[tone or "any"])))
    return Request(ask, slots, cast, tone, relation, theme)


def template(rng: Random, named: str, hero: str) -> tuple[str, bool]:
    """A request that suits the hero, and whether it says of each thing what it is to be."""
    kind, bodies = rng.random(), REQUESTS.bodies[named]
    if hero == "me" or (named == "h" and hero.endswith("s")):
        return head(rng, rng.choice([body for body in bodies if MILD.match(body)])), False
    if kind < 0.2 and len(named) > 1:
        return list_labels(rng, named), True
    if kind < (0.55 if named == "hpo" else 0.4):
        return rng.choice(REQUESTS.complete[named]), False
    return head(rng, rng.choice(bodies)), False


def list_labels(rng: Random, named: str) -> str:
    """A list of what is named, each with what it is to be, in any order."""
    parts = list(named)
    if rng.random() < 0.5:
        rng.shuffle(parts)
    style, mark = rng.random(), rng.choice((": ", ": ", ": ", " = ", " - ", ":", " "))
    rows = []
    for part in parts:
        label, value = rng.choice(REQUESTS.labels[part]), rng.choice(REQUESTS.label_values[part])
        has_verb = style < 0.3 and label not in REQUESTS.verbless
        rows.append(f"{label} {REQUESTS.label_verbs} {value}" if has_verb else f"{label}{mark}{value}")
    text = rng.choice((", ", ", ", "; ", ". ", ". ", " / ", ", and ", "\n", " ")).join(rows)
    if rng.random() < 0.7:
        return f"{rng.choice(REQUESTS.list_heads)} {text}(.|!|)"
    return f"{text}(.|,|!|:) {rng.choice(REQUESTS.list_tails)}"


def head(rng: Random, body: str) -> str:
    """A request for a story with what it is to be about."""
    return re.sub(r" +(?=[.?!,])", "", rng.choice(REQUESTS.heads).replace("BODY", body))


def settle_cast(rng: Random, cast: Cast, ask: str, named: str, is_listed: bool) -> Cast:
    """The cast, with a place and a thing that can be told apart by what they are where the request does not.

    There, nothing is what nobody has heard of, but the hero; nor is a bare name a place beside another.
    """
    is_bare = re.search(r"\{spot", ask) and not re.search(r"(place|setting|scene|location)\W", ask)
    if not is_listed:
        is_turned = "h" in named and 0 <= ask.find("{object}") < ask.find("{hero}")
        is_said = re.search("VERB|PAST|BASE|object|thing", ask.replace("{object}", ""))
        if is_bare or is_turned or (named in ("o", "po", "ho") and not is_said):
            cast = replace(cast, thing=OBJECTS.draw(rng))
        if is_bare:
            in_town = cast.hero and named != "p" and rng.random() < 0.1
            cast = replace(cast, place=f"in {rng.choice(NOUNS.towns)}" if in_town else PLACES.draw(rng))
    return cast if "{place" in ask else replace(cast, place=tables.with_usual_preposition(cast.place))


def add_detail(rng: Random, ask: str, cast: Cast, slots: dict[str, str]) -> tuple[str, Cast, dict[str, str]]:
    """The request with a name for its hero at the end, or with something taken back, now and then."""
    kind = rng.random()
    if kind < 0.07:
        name = draw_hero_name(rng)
        ask = f"{ask.rstrip('.?! ')}. {rng.choice(REQUESTS.named_after)}"
        return ask, replace(cast, name=name), slots | {"called": name}
    if kind < 0.13:
        part, pool = rng.choice((("{hero}", HEROES), ("{object}", OBJECTS)))
        if ask.count(part) == 1:
            both = rng.choice(REQUESTS.taken_back).replace("WRONG", pool.draw(rng)).replace("RIGHT", part)
            ask = ask.replace(part, both)
    return ask, cast, slots


def name_hero(rng: Random, talk: Talk, cast: Cast, named: str) -> tuple[Cast, str]:
    """Who the hero of a request is, and how the request says it."""
    kind = rng.random()
    if kind < 0.06:
        return replace(cast, hero=None, name=talk.name or cast.name), "me"
    name = draw_hero_name(rng)
    if kind < 0.17:
        return replace(cast, hero=None, name=name), name
    if kind < 0.4:
        cast = replace(cast, name=name)
        return (
            cast,
            f"{cast.hero} {rng.choice(CALLED)} {name}" if kind < 0.34 else f"{name} {with_the(cast.hero)}",
        )
    if kind < 0.43:
        own = rng.choice(list(REQUESTS.own))
        cast = replace(cast, hero=REQUESTS.own[own], name=name)
        return cast, f"{rng.choice(('my', 'my', 'our'))} {own} {name}"
    if kind < 0.48:
        return cast, with_the(cast.hero)
    if kind < 0.58 and named == "h":
        noun = rng.choice(REGULAR)
        return replace(cast, hero=an(noun)), plural(noun)
    return cast, cast.hero
