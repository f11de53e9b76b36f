"""System prompts: they name the assistant, want it brief, tell of the user, or change nothing."""

import re
from random import Random

from training.english import an
from training.names import draw_name, invent_name
from training.persona_tables import ENDINGS, PERSONA, ROLE, TITLES, WHO
from training.phrasing import mannered
from training.prompt_tables import BRIEF, DETAILED, GENERIC, LIMIT, USER_NAME
from training.skills.kinds import KINDS
from training.skills.kinds.name import NAME
from training.skills.memory import draw_fact, remember
from training.skills.topics.itself import ITSELF
from training.talk import Exchange, Fact, Talk, expand
from training.values import draw_job, draw_town

USERS = (
    *("The user", "The user", "The user", "The user", "The user", "The person", "Your user", "The customer"),
    *("Your partner in this chat", "The human", "The visitor", "Our guest", "Your guest", "This user"),
    *("The person you talk to", "The one who writes to you", "Whoever is writing", "Our customer"),
)
# How a fact about the user is put: alone mostly, or after a word that says what it is.
TELLING = (
    *(
        "@",
        "@",
        "@",
        "@",
        "@",
        "@",
        "@",
        "Note: @",
        "Remember: @",
        "Context: @",
        "Background: @",
        "About the user: @",
    ),
    *(
        "Facts: @",
        "A fact: @",
        "Good to know: @",
        "Please note: @",
        "For your information: @",
        "User info: @",
    ),
)
OF_USER = {kind: weight for kind, weight in KINDS.items() if kind.third}
# What stands before and between the parts of a prompt.
HEADINGS = (
    "System: ",
    "Instructions: ",
    "Instructions:\n",
    "# Instructions\n",
    "SYSTEM\n",
    "Prompt: ",
    "Hello. ",
)
JOINTS = (" ", " ", " ", " ", " ", "\n", "\n", "\n\n", "\n- ", "\n* ", " - ")
OTHER_BOTS = ("ChatGPT", "Claude", "Siri", "Alexa", "Gemini", "Llama", "Copilot", "Grok", "Cortana", "GPT")
WHO_TOPICS = ("name", "name", "what", "what", "other bot", "other bot")


def system_prompt(rng: Random, talk: Talk) -> str:
    """A system prompt; what it asks for is put into the state of the conversation."""
    if rng.random() < 0.03:
        return ""
    parts = []
    if rng.random() < 0.36:
        parts.append(persona(rng, talk))
    if rng.random() < 0.36:
        parts.append(expand(rng, rng.choice(BRIEF).replace("{limit}", rng.choice(LIMIT))))
        talk.brief = True
    if rng.random() < 0.2:
        parts.append(of_user(rng, talk))
    if not parts or rng.random() < 0.3:
        parts += [generic(rng, talk) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    if rng.random() < 0.25:
        rng.shuffle(parts)
    return lay_out(rng, talk, parts)


def lay_out(rng: Random, talk: Talk, parts: list[str]) -> str:
    """The parts as one text, as different people write it: in a row, in lines, as a list, all small."""
    joint = rng.choice(JOINTS)
    text = joint.join(map(stopped, parts))
    if joint.endswith(("- ", "* ")) and joint.startswith("\n"):
        text = joint.lstrip("\n") + text
    if rng.random() < 0.05:
        text = rng.choice(HEADINGS) + text
    if rng.random() < 0.15:
        text = text.removesuffix(".")
    return small(text, talk) if rng.random() < 0.08 else text


def small(text: str, talk: Talk) -> str:
    """The text in lower case, but for names that are to be given as they were written."""
    told = [talk.name, *(fact.slots["value"] for fact in talk.facts.values())]
    kept = "|".join(re.escape(name) for name in (talk.assistant, *told) if name)
    return re.sub(rf"\b({kept})\b|." if kept else "()|.", lambda found: found[1] or found[0].lower(), text)


def stopped(part: str) -> str:
    """A part of a prompt with a full stop, so that another may follow it."""
    return part if part.endswith((".", "!", "?")) else f"{part}."


def generic(rng: Random, talk: Talk) -> str:
    """An instruction that changes no answer; whoever it names takes no part in the conversation."""
    tables = GENERIC if talk.brief else GENERIC + DETAILED
    while "Tiny" in (text := expand(rng, rng.choice(tables))) and talk.assistant:
        pass
    return text.format(other=draw_name(rng), town=draw_town(rng), number=rng.randrange(1000))


def persona(rng: Random, talk: Talk) -> str:
    """A name for the assistant, and mostly a part to play."""
    talk.assistant = draw_assistant(rng)
    text = expand(rng, rng.choice(PERSONA).replace("{role}", rng.choice(ROLE)))
    slots = {"maker": invent_name(rng), "town": draw_town(rng), "a_job": an(draw_job(rng))}
    return text.format(assistant=talk.assistant, **slots)


def draw_assistant(rng: Random) -> str:
    """A name for an assistant: one that a person might have, mostly."""
    name, kind = draw_name(rng), rng.random()
    if kind < 0.08:
        return f"{rng.choice(TITLES)} {name}"
    return name + rng.choice(ENDINGS) if kind < 0.15 else name


def of_user(rng: Random, talk: Talk) -> str:
    """One or two facts about the user."""
    told = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        if not talk.name and rng.random() < 0.5:
            fact, text = Fact(NAME, NAME.draw(rng)), rng.choice(USER_NAME)
        else:
            fact = draw_fact(rng, talk, OF_USER)
            text = f"{rng.choice(USERS)} {rng.choice(fact.kind.third)}(.|)".replace(" '", "'")
            text = rng.choice(TELLING).replace("@", text)
        remember(talk, fact)
        told.append(stopped(expand(rng, text).format(**fact.slots)))
    return " ".join(told)


def ask_name(rng: Random, talk: Talk) -> list[Exchange]:
    """The person asks what the assistant is called, or something that is answered by its name too."""
    if rng.random() < 0.6:
        asked = mannered(rng, expand(rng, rng.choice(WHO)))
        return [
            Exchange(
                asked, "My name is Tiny.", {"other": draw_other(rng, talk)} if "{other}" in asked else {}
            )
        ]
    topic = ITSELF[rng.choice(WHO_TOPICS)]
    return [Exchange(topic.ask(rng), topic.answer, brief=topic.brief)]


def draw_other(rng: Random, talk: Talk) -> str:
    """A name that the assistant does not have, for a person who thinks it has."""
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(OTHER_BOTS)
    return "Tiny" if kind < 0.5 and talk.assistant else draw_name(rng)
