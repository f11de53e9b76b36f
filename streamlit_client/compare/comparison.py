"""A comparison: one question to two sides, their answers next to each other, and a vote on them."""

import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from model_core.errors import ModelNotFound
from streamlit_client.compare.parting import Parting
from streamlit_client.compare.ratings import Outcome
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.prompts import build_prompt
from triton_server.client import ChatClient

# What a person can vote for, and the score that the left side gets for it.
SCORES = {"left": 1.0, "right": 0.0, "tie": 0.5, "both bad": 0.5}
_LONG = 40  # characters of a system prompt in the name of a side


@dataclass(frozen=True)
class Side:
    """A model or adapter with a system prompt and the request parameters that differ from its defaults."""

    model: str
    system: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model and all settings. Sides with the same name are the same competitor."""
        settings = [f"{name.replace('_', ' ')} {value}" for name, value in sorted(self.changes.items())]
        system = " ".join(self.system.split())
        if system:
            settings.append(f"“{system if len(system) <= _LONG else system[:_LONG] + '…'}”")
        return " · ".join([self.model, *settings])


@dataclass(eq=False)
class Comparison:
    """A conversation with two sides. `rounds` has for each question the turns of the left and the right side.

    `parameters` are those that both sides share. `winner` is the vote on the last round, if there is one.
    `partings` says of rounds, by their numbers, where the answers part, if somebody has looked. If the
    comparison is blind, the sides are shuffled, and the names are hidden before the first vote. `key` names
    the comparison in the page.
    """

    sides: tuple[Side, Side]
    parameters: dict[str, Any]
    is_blind: bool = False
    rounds: list[tuple[Turn, Turn]] = field(default_factory=list)
    winner: str | None = None
    has_names: bool = True
    partings: dict[int, Parting] = field(default_factory=dict)
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        if self.is_blind:
            self.sides = random.choice([self.sides, self.sides[::-1]])
            self.has_names = False

    @property
    def is_running(self) -> bool:
        """Whether an answer to the last question is still being received."""
        return bool(self.rounds) and any(turn.is_running for turn in self.rounds[-1])

    @property
    def can_vote(self) -> bool:
        """Whether both sides have answered the last question, and nobody has voted on it."""
        return (
            bool(self.rounds)
            and self.winner is None
            and all(turn.finished.is_set() and turn.has_answer for turn in self.rounds[-1])
        )

    def ask(self, client: ChatClient, question: str, models: Iterable[Mapping[str, Any]]) -> None:
        """Send a question to both sides. Returns at once. `models` is that of `ChatClient.stats`."""
        self.stop()
        self.rounds.append((Turn(question), Turn(question)))
        self.winner = None
        entries = {model["name"]: model for model in models}
        for number, side in enumerate(self.sides):
            turns = [pair[number] for pair in self.rounds]
            if side.model in entries:
                parameters = {**self.parameters, **side.changes, "truncation": "auto"}
                build = partial(build_prompt, turns, side.system)
                turns[-1].start(client, build, parameters, entries[side.model])
            else:
                turns[-1].fail(ModelNotFound(f"the server has no model {side.model} any more."))

    def stop(self) -> None:
        """Stop the running answers; their texts so far remain."""
        for turn in self.rounds[-1] if self.rounds else ():
            turn.stop()

    def describe_vote(self, winner: str) -> dict[str, Any]:
        """A vote on the last round, as it is kept."""
        sides = {
            place: {
                "model": side.model,
                "system": side.system,
                "parameters": {**self.parameters, **side.changes},
                "changes": dict(side.changes),
                "seed": None if turn.answer is None else turn.answer.seed,
                "answer": turn.text,
            }
            for place, side, turn in zip(("left", "right"), self.sides, self.rounds[-1], strict=True)
        }
        question = self.rounds[-1][0].question
        return {"winner": winner, "question": question, "blind": not self.has_names, **sides}


def read_outcomes(votes: Iterable[Mapping[str, Any]], with_settings: bool) -> list[Outcome]:
    """The outcomes of kept votes. `with_settings`: a model with other settings is another competitor."""
    return [outcome for vote in votes if (outcome := _read_outcome(vote, with_settings)) is not None]


def _read_outcome(vote: Mapping[str, Any], with_settings: bool) -> Outcome | None:
    """The outcome of a vote; None if it has not the form that `Comparison.vote` gives it."""
    try:
        sides = [
            Side(str(side["model"]), str(side["system"]), dict(side["changes"]))
            for side in (vote["left"], vote["right"])
        ]
        left, right = (side.name if with_settings else side.model for side in sides)
        return Outcome(left, right, SCORES[vote["winner"]])
    except (KeyError, TypeError, ValueError):  # any client can keep votes
        return None
