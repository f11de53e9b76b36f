"""System prompts: they name the assistant, want it brief, tell of the user, or change nothing."""

import re
from random import Random

from training.english import an
from training.names import draw_name, invent_name
from training.phrases import read
from training.phrasing import decorate
from training.skills.help import ABOUT, answer_topic
from training.skills.kinds import NAME, SHARES
from training.skills.memory import draw_fact, remember
from training.talk import Exchange, Fact, Talk, expand
from training.values import draw_job, draw_town

INSTRUCTIONS = read("prompts/instructions")
PERSONAS = read("prompts/personas")
OF_USER = {kind: share for kind, share in SHARES.items() if kind.third}


def system_prompt(rng: Random, talk: Talk) -> str:
    """A system prompt; what it asks for is put into the state of the conversation."""
    if rng.random() < 0.03:
        return ""
    parts = []
    if rng.random() < 0.36:
        parts.append(persona(rng, talk))
    if rng.random() < 0.36:
        text = rng.choice(INSTRUCTIONS.brief).replace("{limit}", rng.choice(INSTRUCTIONS.limit))
        parts.append(expand(rng, text))
        talk.brief = True
    if rng.random() < 0.2:
        parts.append(of_user(rng, talk))
    if not parts or rng.random() < 0.3:
        parts += [generic(rng, talk) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    if rng.random() < 0.25:
        rng.shuffle(parts)
    return join_parts(rng, talk, parts)


def join_parts(rng: Random, talk: Talk, parts: list[str]) -> str:
    """The parts as one text, as different people write it: in a row, in lines, as a list, all small."""
    joint = rng.choice(INSTRUCTIONS.joints)
    text = joint.join(map(end_sentence, parts))
    if joint.endswith(("- ", "* ")) and joint.startswith("\n"):
        text = joint.lstrip("\n") + text
    if rng.random() < 0.05:
        text = rng.choice(INSTRUCTIONS.headings) + text
    if rng.random() < 0.15:
        text = text.removesuffix(".")
    if rng.random() >= 0.08:
        return text
    # In lower case, but for names that are to be given as they were written.
    names = (talk.assistant, talk.name, *(fact.slots["value"] for fact in talk.facts.values()))
    kept = "|".join(re.escape(name) for name in names if name)
    return re.sub(rf"\b({kept})\b|." if kept else "()|.", lambda found: found[1] or found[0].lower(), text)


def end_sentence(part: str) -> str:
    """A part of a prompt with a full stop, so that another may follow it."""
    return part if part.endswith((".", "!", "?")) else f"{part}."


def generic(rng: Random, talk: Talk) -> str:
    """An instruction that changes no answer; whoever it names takes no part in the conversation."""
    tables = INSTRUCTIONS.generic if talk.brief else INSTRUCTIONS.generic + INSTRUCTIONS.detailed
    while "Tiny" in (text := expand(rng, rng.choice(tables))) and talk.assistant:
        pass
    return text.format(other=draw_name(rng), town=draw_town(rng), number=rng.randrange(1000))


def persona(rng: Random, talk: Talk) -> str:
    """A name for the assistant, such as a person might have mostly, and mostly a part to play."""
    name, kind = draw_name(rng), rng.random()
    if kind < 0.08:
        name = f"{rng.choice(PERSONAS.titles)} {name}"
    elif kind < 0.15:
        name += rng.choice(PERSONAS.endings)
    talk.assistant = name
    text = expand(rng, rng.choice(PERSONAS.persona).replace("{role}", rng.choice(PERSONAS.role)))
    slots = {"maker": invent_name(rng), "town": draw_town(rng), "a_job": an(draw_job(rng))}
    return text.format(assistant=name, **slots)


def of_user(rng: Random, talk: Talk) -> str:
    """One or two facts about the user."""
    parts = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        if not talk.name and rng.random() < 0.5:
            fact, text = Fact(NAME, NAME.draw(rng)), rng.choice(INSTRUCTIONS.user_name)
        else:
            fact = draw_fact(rng, talk, OF_USER)
            text = f"{rng.choice(INSTRUCTIONS.users)} {rng.choice(fact.kind.third)}(.|)".replace(" '", "'")
            text = rng.choice(INSTRUCTIONS.telling).replace("@", text)
        remember(talk, fact)
        parts.append(end_sentence(expand(rng, text).format(**fact.slots)))
    return " ".join(parts)


def ask_name(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks what the assistant is called, or something that is answered by its name too.

    Some think that it has a name which it does not have.
    """
    if rng.random() >= 0.6:
        return [
            answer_topic(rng, ABOUT[rng.choice(("name", "name", "what", "what", "other bot", "other bot"))])
        ]
    asked, slots = decorate(rng, expand(rng, rng.choice(PERSONAS.who))), {}
    if "{other}" in asked:
        kind = rng.random()
        if kind < 0.35:
            slots["other"] = rng.choice(PERSONAS.other_bots)
        else:
            slots["other"] = "Tiny" if kind < 0.5 and talk.assistant else draw_name(rng)
    return [Exchange(asked, "My name is Tiny.", slots)]
