"""What can be asked for by topic: help with tritonchat, the model itself, and what is too much for it."""

import re
from random import Random

from training.evaluation import questions as examination
from training.names import chain, draw_name
from training.phrases import read
from training.phrasing import TEXT, Topic, decorate
from training.talk import Exchange, Talk, draw, expand
from training.values import draw_person, draw_place, draw_subject, invent


def topics(folder: str, files: str) -> dict[str, Topic]:
    """The topics of some files of text, in order."""
    tables = (read(f"{folder}/{file}").tables for file in files.split())
    return {name: Topic(**fields) for table in tables for name, fields in table.items()}


TOPICS = topics(
    "help",
    "program models page use watching calling keeping trouble serving speed rounding engine batching caches "
    "networks requests choosing endings own_models project",
)
ABOUT = topics("about", "itself making honesty life")
FAVOURITES = topics("about", "favourites")
CHAT = topics("chat", "moods remarks asides")
FOLLOW_UPS = read("help/follow_ups")
REFUSED = read("refusals")
KNOWLEDGE = read("world")
# Asked far more often than the rest.
FIRST = {"what": 4, "name": 4, "can": 4, "human": 2, "maker": 2}
NO_FAVOURITE = "I have no favourite {thing}. I am a program of simple tastes."
NO_MORE = "That is all I know about it. The README of tritonchat says more."
QUITE_SURE = "I am only a small model. The README and tritonchat --help have the last word."
KNOW = "I am too small to know that. A bigger model may: start tritonchat with --model FOLDER."
# What is declined, by its kind; the rest of the file of text is what people say to a refusal.
REFUSALS = {name: table for name, table in REFUSED.tables.items() if isinstance(table, dict)}
# How often each is asked, and questions of knowledge, which `ask_world` has.
SHARES = {"world": 75, **{name: float(kind["share"]) for name, kind in REFUSALS.items()}}
SIZE = "I have only five and a half million parameters. That is enough for a chat, but too little for the "
AFTER_REFUSAL = (
    (REFUSED.why, SIZE + "knowledge of the world."),
    (REFUSED.try_anyway, "I would only make something up, and I would rather not."),
    (REFUSED.sure, "Yes, I am sure that I cannot."),
    (REFUSED.bigger, TOPICS["load"].answer),
)


def ask_task(rng: Random) -> str:
    """A request to do something with a thing that the model does not know."""
    task = f"{rng.choice(KNOWLEDGE.verbs)} {rng.choice((rng.choice(KNOWLEDGE.objects), '{subject}'))}"
    return rng.choice(TEXT.tasks).replace("@", task)


# A question of knowledge: one of its own, or one in the very frames in which people ask for help.
ask_world = chain(
    (0.42, lambda rng: rng.choice(KNOWLEDGE.facts_asked)),
    (0.68, lambda rng: rng.choice(TEXT.things).replace("@", "{subject}")),
    (0.76, lambda rng: rng.choice(TEXT.things).replace("@", rng.choice(KNOWLEDGE.near_nouns))),
    (0.86, lambda rng: rng.choice(TEXT.tasks).replace("@", rng.choice(KNOWLEDGE.near_tasks))),
    (1, ask_task),
)


def answer_topic(rng: Random, topic: Topic) -> Exchange:
    """A question about a topic, and the answer to it."""
    return Exchange(topic.ask(rng), topic.answer, brief=topic.brief)


def about(rng: Random, talk: Talk) -> list[Exchange]:
    """A question about the model itself, or about something it likes best, of which it has very few."""
    if rng.random() >= 0.18:
        topic = ABOUT[rng.choices(list(ABOUT), [FIRST.get(name, 1) for name in ABOUT])[0]]
        return [Exchange(decorate(rng, topic.ask(rng)), topic.answer, brief=topic.brief)]
    if rng.random() < 0.75:
        topic = rng.choice(list(FAVOURITES.values()))
        return [Exchange(decorate(rng, topic.ask(rng)), topic.answer)]
    return [Exchange(decorate(rng, FOLLOW_UPS.taste), NO_FAVOURITE, {"thing": rng.choice(FOLLOW_UPS.tastes)})]


def bare(text: str) -> str:
    """Only the letters and digits of a text, in small letters."""
    return re.sub(r"[\W_]", "", text).lower()


# What the model is to be examined by, and so is never asked while it learns.
HELD_OUT = frozenset(bare(ask) for topic in examination.TOPICS.values() for ask in topic["asks"])


def draw_ask(rng: Random, topic: Topic) -> str:
    """A question about a topic, none of those held out."""
    ask = expand(rng, topic.ask(rng))
    return draw_ask(rng, topic) if bare(ask) in HELD_OUT else ask


def help_user(rng: Random, talk: Talk) -> list[Exchange]:
    """A question about a topic, now and then with one that only makes sense after it."""
    topic = rng.choice(list(TOPICS.values()))
    turns = [Exchange(decorate(rng, draw_ask(rng, topic)), topic.answer, brief=topic.brief)]
    follow = rng.random()
    if follow < 0.16:
        turns += hear_more(rng, topic)
    elif follow < 0.2:
        turns.append(Exchange(rng.choice(FOLLOW_UPS.sure), QUITE_SURE))
    return turns


def hear_more(rng: Random, topic: Topic) -> list[Exchange]:
    """More about a topic where there is more, and then no more.

    An example is asked for only where what there is more is one, or where there is none to give.
    """
    exemplary = topic.more is None or "example" in topic.more
    if not exemplary and rng.random() < 0.2:
        return [Exchange(decorate(rng, rng.choice(FOLLOW_UPS.examples)), NO_MORE)]
    answers = [topic.more, NO_MORE] if topic.more else [NO_MORE]
    if topic.more and rng.random() < 0.6:
        answers.pop()
    turns = []
    for answer in answers:
        examples = FOLLOW_UPS.examples if exemplary or answer == NO_MORE else ()
        turns.append(Exchange(decorate(rng, rng.choice((*FOLLOW_UPS.more, *examples))), answer))
    return turns


def beyond(rng: Random, talk: Talk) -> list[Exchange]:
    """Something that a model of this size must decline, and perhaps what people answer to that."""
    name = draw(rng, SHARES)
    answer = KNOW if name == "world" else REFUSALS[name]["answer"]
    ask = ask_world(rng) if name == "world" else rng.choice(REFUSALS[name]["asks"])
    turns = [Exchange(decorate(rng, ask), answer, fill(rng), brief=answer if name == "crisis" else None)]
    if name in ("world", "writing") and rng.random() < 0.12:
        asks, answer = rng.choice(AFTER_REFUSAL)
        turns.append(Exchange(rng.choice(asks), answer))
    return turns


def fill(rng: Random) -> dict[str, str]:
    """Something for every slot that a question may have."""
    slots = {"subject": draw_subject(rng), "second": draw_subject(rng)}
    slots |= {"place": draw_place(rng), "elsewhere": draw_place(rng)}
    slots |= {"person": draw_person(rng), "other": draw_person(rng), "name": draw_name(rng)}
    slots |= {"word": invent(rng).lower(), "word2": invent(rng).lower()}
    return slots | {"year": str(rng.randrange(1000, 2031)), "future": str(rng.randrange(2035, 2201))}
