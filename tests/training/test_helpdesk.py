"""The help desk: every topic can be asked for in many ways, none of them another's, and names what exists."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from training.phrasing import Topic
from training.skills.help import ABOUT, TOPICS, draw_ask
from training.talk import Exchange, expand, render
from triton_server.cli.tritonchat import cli

# Words that follow the name of the program in prose; others are commands.
PROSE = {"and", "computes", "is", "runs", "with"}


def asks(name: str, count: int) -> set[str]:
    """Different questions for a topic, as a careless person leaves them of their marks."""
    rng = Random(name)
    drawn = (expand(rng, TOPICS[name].ask(rng)) for _ in range(count))
    return {re.sub(r"[.?!',]", "", ask).lower().strip() for ask in drawn}


def said() -> Iterator[str]:
    """All that the help desk can answer."""
    for topic in TOPICS.values():
        yield from (text for text in (topic.answer, topic.more, topic.brief) if text)


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_can_be_asked_for_in_many_ways(name: str) -> None:
    assert len(asks(name, 1000)) >= 300


def test_no_question_belongs_to_two_topics() -> None:
    owners: dict[str, str] = {}
    for name in TOPICS:
        for ask in asks(name, 1000):
            assert owners.setdefault(ask, name) == name, ask


def test_what_the_examination_asks_is_not_asked_in_training() -> None:
    topic = Topic("It is free.", asks=("(How much does it cost?|how much does it cost|do you cost money?)",))
    rng = Random(1)
    assert {draw_ask(rng, topic) for _ in range(100)} == {"do you cost money?"}


def test_no_two_topics_have_the_same_answer() -> None:
    topics = [*TOPICS.values(), *ABOUT.values()]
    assert len({topic.answer for topic in topics}) == len(topics)


def test_answers_name_flags_and_commands_that_exist() -> None:
    commands = cli.commands
    flags = {flag for command in commands.values() for option in command.params for flag in option.opts}
    known = {*commands, *flags, *PROSE, "--help", "--version", "--out"}  # the last: of training
    named = {word for text in said() for word in re.findall(r"(?<![\w-])--[a-z-]+", text)}
    named |= {word for text in said() for word in re.findall(r"\btritonchat ([a-z]+)\b", text)}
    assert not named - known


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_renders(name: str) -> None:
    rng, topic = Random(1), TOPICS[name]
    for _ in range(50):
        ask, answer = render(rng, Exchange(topic.ask(rng), topic.answer))
        assert ask.strip() and not re.search(r"[{}|@~]", ask + answer)
