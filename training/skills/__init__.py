"""What the model learns. A new skill is one function, and one entry in `training/text/skills.txt`."""

from collections.abc import Callable
from importlib import import_module
from random import Random

from training.phrases import read
from training.talk import Exchange, Talk

Skill = Callable[[Random, Talk], list[Exchange]]
TEXT = read("skills")


def find(path: str) -> Skill:
    """The function of a skill: `memory.tell` is `tell` in `training/skills/memory`."""
    module, name = path.rsplit(".", 1)
    return getattr(import_module(f"training.skills.{module}"), name)


SKILLS = {find(path): share for path, share in TEXT.skills.items()}
