"""An error in one thread of a team ends the call in all of them, and the next call works."""

import os
import threading
from collections.abc import Callable

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from paths import CHECKPOINTS

from model_core import LLM
from model_core.kernels.team import Team, barrier, claim
from model_core.model import transformer

BARRIERS, ITEMS = 50, 7


@njit(nogil=True)
def count(thread, threads, team, counts, failing_thread, failing_round):
    """Count the items between barriers. One thread fails before one of the barriers."""
    for round_index in range(BARRIERS):
        if thread == failing_thread and round_index == failing_round:
            raise ValueError("a bug in a kernel")
        item = claim(team)
        while item < ITEMS:
            counts[round_index, item] += 1
            item = claim(team)
        barrier(team, threads)


@njit(nogil=True)
def cannot_be_compiled(thread, threads, team, counts):
    counts.append(thread)
    barrier(team, threads)


@njit(nogil=True)
def fail_in_the_second_thread(thread, threads, steps, tape, buffers, pools, factors):
    if thread == 1:
        raise ValueError("a bug in a kernel")
    for _ in range(BARRIERS):
        barrier(steps[0].team, threads)


def run_with_timeout(function: Callable[[], None]) -> None:
    """Call a function in a thread, because a thread in a barrier cannot be interrupted."""
    raised: list[BaseException] = []

    def call() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive(), "it hangs"
    if raised:
        raise raised[0]


def assert_works(team: Team) -> None:
    counts = np.zeros((BARRIERS, ITEMS), np.int64)
    run_with_timeout(lambda: team.run(count, team.address, counts, -1, 0))
    assert (counts == 1).all()


@pytest.mark.parametrize(("threads", "failing_thread"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 2)])
def test_exception_in_one_thread_ends_the_call_in_all(threads: int, failing_thread: int) -> None:
    team, counts = Team(threads), np.zeros((BARRIERS, ITEMS), np.int64)
    for at in (0, 1, 20, BARRIERS - 1):
        with pytest.raises(ValueError, match="a bug in a kernel"):
            run_with_timeout(lambda at=at: team.run(count, team.address, counts, failing_thread, at))
        assert_works(team)
    team.close()


def test_kernel_that_cannot_be_compiled_is_not_started() -> None:
    team = Team(2)
    with pytest.raises(TypingError):
        run_with_timeout(lambda: team.run(cannot_be_compiled, team.address, np.zeros(3)))
    assert_works(team)
    team.close()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_team_works_without_a_lost_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: int, places: set[int]) -> None:
        raise OSError("this processor is not yours")

    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    first = Team(2)
    assert_works(first)
    monkeypatch.setattr(os, "sched_setaffinity", lambda process, places: None)
    second = Team(2)
    assert_works(second)
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    assert_works(second)
    for team in (first, second):
        team.close()


def test_model_works_after_a_failed_step(monkeypatch: pytest.MonkeyPatch) -> None:
    with LLM(CHECKPOINTS / "llama-bfloat16", threads=2) as llm:
        expected = llm.logits([5, 6, 7])
        with monkeypatch.context() as patched:
            patched.setattr(transformer, "run_tape", fail_in_the_second_thread)
            with pytest.raises(ValueError, match="a bug in a kernel"):
                run_with_timeout(lambda: llm.logits([5, 6, 7]))
        assert np.array_equal(llm.logits([5, 6, 7]), expected)
