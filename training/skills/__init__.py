"""The table of what the model learns. A new skill is one function and one line here."""

from collections.abc import Callable
from random import Random

from training.skills.assistant import about
from training.skills.beyond import beyond
from training.skills.everyday import everyday
from training.skills.fun import have_fun
from training.skills.helpdesk import help_user
from training.skills.lists import name_some
from training.skills.memory import correct, mix_up, recall, tell
from training.skills.memory.echoes import echo, repeat
from training.skills.memory.several import several
from training.skills.nonsense import misunderstand
from training.skills.numbers.arithmetic import calculate
from training.skills.numbers.questions import numbers
from training.skills.numbers.word_problems import word_problem
from training.skills.poems import poem
from training.skills.rhymes import rhyme
from training.skills.sequences import sequence
from training.skills.smalltalk import greet, small_talk, take_leave
from training.skills.stories import tell_story
from training.talk import Exchange, Talk

Skill = Callable[[Random, Talk], list[Exchange]]

# How often each is drawn for the free places of a dialogue; memory is also planned for, in `dialogues`.
SKILLS: dict[Skill, float] = {
    small_talk: 6,
    greet: 1,
    take_leave: 0.3,
    misunderstand: 1,
    about: 3.5,
    help_user: 17,
    beyond: 5.5,
    calculate: 4.5,
    word_problem: 2,
    numbers: 0.8,
    sequence: 5.5,
    name_some: 2,
    rhyme: 2.5,
    poem: 0.8,
    have_fun: 1.5,
    everyday: 6,
    tell_story: 3.5,
    tell: 0.6,
    recall: 0.6,
    several: 2.2,
    correct: 0.2,
    mix_up: 0.6,
    repeat: 2,
    echo: 0.6,
}
