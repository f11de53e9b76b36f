"""The embedded model can do what its card says, with names and phrasings that were not in its training."""

import pytest

from model_core import LLM
from training.evaluate import CHECKS, examine

BARS = {
    "name remembered": 0.95,
    "name remembered, lower case": 0.8,
    "greetings and small talk": 0.75,
    "beyond it": 0.75,
}


@pytest.mark.parametrize("check", CHECKS)
def test_answers_are_as_wanted(llm: LLM, check: str) -> None:
    marks = examine(llm, CHECKS[check])
    assert marks.share >= BARS.get(check, 0.85), marks.failures
    assert marks.ended == marks.answers
