"""The table of what the model learns. A new skill is one function and one line here."""

from collections.abc import Callable
from random import Random

from training.skills.assistant import about, help_user
from training.skills.beyond import beyond
from training.skills.memory import introduce, others, recall, repeat
from training.skills.smalltalk import greet, small_talk
from training.skills.stories import tell_story
from training.talk import Exchange, Talk

Skill = Callable[[Random, Talk], list[Exchange]]

# How often each is drawn for the free places of a dialogue; memory is also planned for, in `dialogues`.
SKILLS: dict[Skill, float] = {
    small_talk: 5,
    greet: 1.5,
    about: 2.5,
    help_user: 3.5,
    beyond: 2.5,
    introduce: 1,
    recall: 1.5,
    others: 0.7,
    repeat: 2,
    tell_story: 0.5,
}
