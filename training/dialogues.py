"""Generated conversations: the text that the embedded model learns from."""

import re
from collections.abc import Iterable, Iterator
from random import Random

from training.prompts import ask_name, system_prompt
from training.skills import SKILLS, Skill
from training.skills.memory import correct, known_facts, recall, tell
from training.skills.smalltalk import greet, take_leave
from training.skills.stories import write_story
from training.talk import Talk, begin_talk, draw, render

Message = dict[str, str]
# How many exchanges on other things a conversation has, and how often.
LENGTHS = {0: 3, 1: 4, 2: 4, 3: 4, 4: 3, 5: 2, 6: 1, 8: 0.7, 10: 0.3}
# Answers that are kinder with a name.
PERSONAL = re.compile(
    r"^(You are welcome|Goodbye|Good night|Hello again|Thank you|No problem at all)(?=[.!])"
)


def dialogues(seed: int, count: int) -> Iterator[list[Message]]:
    """Conversations of role/content messages, the same ones for the same seed."""
    rng = Random(seed)
    for _ in range(count):
        talk = begin_talk(rng)
        opening: list[Message] = []
        if rng.random() < 0.35:
            opening.append({"role": "system", "content": system_prompt(rng, talk)})
        yield opening + converse(rng, plan(rng, talk), talk)


def stories(seed: int, count: int) -> Iterator[str]:
    """Plain stories, which teach the model to continue a text outside of any conversation."""
    rng = Random(seed)
    for _ in range(count):
        yield write_story(rng)


def converse(rng: Random, skills: Iterable[Skill], talk: Talk) -> list[Message]:
    """The messages of some skills in turn."""
    messages: list[Message] = []
    for skill in skills:
        for exchange in skill(rng, talk):
            ask, answer = render(rng, exchange, talk)
            if talk.name and rng.random() < 0.5:
                answer = PERSONAL.sub(rf"\1, {talk.as_typed(talk.name)}", answer)
            talk.history.append((ask, answer))
            messages.append({"role": "user", "content": ask})
            messages.append({"role": "assistant", "content": answer})
    return messages


def plan(rng: Random, talk: Talk) -> list[Skill]:
    """The skills of one conversation in order: any mixture, and mostly facts told and asked for later."""
    length = draw(rng, LENGTHS)
    skills = rng.choices(list(SKILLS), list(SKILLS.values()), k=length)
    if not skills or rng.random() < 0.65:
        for _ in range(rng.choice((1, 1, 1, 2))):
            # A fact, and one or two questions for it after a few other exchanges.
            at = rng.randint(0, len(skills))
            skills.insert(at, tell)
            if rng.random() < 0.12:
                at = insert(rng, skills, correct, at + 1)
            for _ in range(rng.choice((1, 1, 2))):
                insert(rng, skills, recall, at + 1)
    for _ in known_facts(talk):
        insert(rng, skills, recall, 0)
    if talk.assistant or rng.random() < 0.06:
        for _ in range(rng.choice((1, 1, 2))):
            insert(rng, skills, ask_name, 0)
    hello, bye = [greet] * (rng.random() < 0.12), [take_leave] * (rng.random() < 0.08)
    return [*hello, *skills, *bye]


def insert(rng: Random, skills: list[Skill], skill: Skill, earliest: int) -> int:
    """Put a skill into a plan, up to five places after the earliest; where it went."""
    at = min(len(skills), earliest + rng.randint(0, 5))
    skills.insert(at, skill)
    return at
