"""Generated conversations: the text that the embedded model learns from."""

from collections.abc import Iterator
from random import Random

from training.names import draw_name
from training.skills import SKILLS, Skill
from training.skills.memory import introduce, recall
from training.skills.stories import write_story
from training.talk import Talk, expand, render

Message = dict[str, str]

SYSTEM = (
    "You are (a|an) (helpful|friendly|polite|useful|honest) (assistant|chat assistant|AI assistant)(.|)",
    "You are a (helpful|friendly|nice|small) (bot|chatbot|assistant) (that|who) (answers|helps with) "
    "(questions|users)(.|)",
    "You are Tiny, (a small language model|the small model in tritonchat)(.|)",
    "(Be|Please be) (brief|polite|kind|friendly|concise|helpful)(.|)( Answer in English.|)",
    "Answer (the user|briefly|in one sentence|politely|questions)(.|)",
    "(You chat with people|Help the user|Talk with the user|Do your best)(.|)( Keep answers short.|)",
)


def dialogues(seed: int, count: int) -> Iterator[list[Message]]:
    """Conversations of role/content messages, the same ones for the same seed."""
    rng = Random(seed)
    for _ in range(count):
        yield dialogue(rng)


def stories(seed: int, count: int) -> Iterator[str]:
    """Plain stories, which teach the model to continue a text outside of any conversation."""
    rng = Random(seed)
    for _ in range(count):
        yield write_story(rng)


def dialogue(rng: Random) -> list[Message]:
    """One conversation, beginning with a system message now and then."""
    talk = Talk()
    opening: list[Message] = []
    if rng.random() < 0.25:
        system = expand(rng, rng.choice(SYSTEM))
        if rng.random() < 0.15:
            talk.name = draw_name(rng)
            system += f" The user's name is {talk.name}."
        opening.append({"role": "system", "content": system})
    return opening + converse(rng, plan(rng), talk)


def converse(rng: Random, skills: list[Skill], talk: Talk) -> list[Message]:
    """The messages of some skills in turn."""
    messages: list[Message] = []
    for skill in skills:
        for exchange in skill(rng, talk):
            ask, answer = render(rng, exchange)
            messages.append({"role": "user", "content": ask})
            messages.append({"role": "assistant", "content": answer})
    return messages


def plan(rng: Random) -> list[Skill]:
    """The skills of one dialogue in order: any mixture, and mostly a name told and asked for later."""
    length = rng.choices((0, 1, 2, 3, 4, 5, 7, 10, 14), (2, 3, 4, 4, 3, 2, 1, 0.5, 0.25))[0]
    skills = rng.choices(list(SKILLS), list(SKILLS.values()), k=length)
    if not skills or rng.random() < 0.6:
        at = rng.randint(0, len(skills))
        skills.insert(at, introduce)
        skills.insert(rng.randint(at + 1, len(skills)), recall)
    return skills
