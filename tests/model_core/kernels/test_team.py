"""Calls of a team: errors in one thread, arguments of other types, forks, and the end of its threads."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from paths import CHECKPOINTS

from model_core import LLM
from model_core.kernels.atomics import pause
from model_core.kernels.team import Team, barrier, claim, divide_rows, own_part, set_parts
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
def count_rows(thread, threads, team, rows, counts, late_thread):
    """Count the rows of parts. One thread is late: it begins when others have waited for it."""
    parts, height = divide_rows(rows, threads)
    set_parts(team, thread, parts)
    own = own_part(thread, threads, parts)
    for round_index in range(BARRIERS):
        if thread == late_thread:
            while counts[round_index].sum() < rows:
                pause(True)
        for turn in range(parts):
            part = (own + turn) % parts
            row = height * part + claim(team, part)
            while row < min(height * (part + 1), rows):
                counts[round_index, row] += 1
                row = height * part + claim(team, part)
        barrier(team, threads)


@njit(nogil=True)
def fail_with_items(thread, threads, team):
    if claim(team) == 0:
        raise ValueError("a bug in a kernel")
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


@njit(nogil=True)
def fill(thread, threads, team, values, number):
    """Write a number. Arrays of several types are compiled one by one."""
    item = claim(team)
    while item < len(values):
        values[item] = number
        item = claim(team)
    barrier(team, threads)


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


@pytest.mark.parametrize("threads", [1, 2])
def test_items_of_a_failed_call_are_not_missing_in_the_next(threads: int) -> None:
    team = Team(threads)
    with pytest.raises(ValueError, match="a bug"):
        team.run(fail_with_items, team.address)
    assert_works(team)


@pytest.mark.parametrize(
    ("rows", "threads", "late_thread"),
    [(1, 2, -1), (127, 2, -1), (300, 2, -1), (300, 2, 0), (201, 3, 2), (999, 3, -1)],
)
def test_rows_of_parts_are_claimed_once_also_those_of_a_late_thread(
    rows: int, threads: int, late_thread: int
) -> None:
    team, counts = Team(threads), np.zeros((BARRIERS, rows), np.int64)
    run_with_timeout(lambda: team.run(count_rows, team.address, rows, counts, late_thread))
    assert (counts == 1).all()
    assert_works(team)


def test_a_part_for_each_thread_that_has_rows_enough() -> None:
    for threads in range(1, 9):
        for rows in range(1, 1200, 7):
            parts, height = divide_rows.py_func(rows, threads)
            assert 1 <= parts <= threads and height * parts >= rows
            assert parts == 1 or rows // parts >= 64
            assert parts == 1 or height % 16 == 0
            owners = [own_part.py_func(thread, threads, parts) for thread in range(threads)]
            assert set(owners) == set(range(parts))


def test_kernel_that_cannot_be_compiled_is_not_started() -> None:
    team = Team(2)
    with pytest.raises(TypingError):
        run_with_timeout(lambda: team.run(cannot_be_compiled, team.address, np.zeros(3)))
    assert_works(team)
    team.close()


def helpers_of(make: Callable[[], Team]) -> tuple[Team, set[threading.Thread]]:
    before = set(threading.enumerate())
    return make(), set(threading.enumerate()) - before


def test_helpers_end_with_their_team() -> None:
    team, helpers = helpers_of(lambda: Team(3))
    assert len(helpers) == 2
    assert_works(team)
    team.close()
    team.close()
    for helper in helpers:
        helper.join(timeout=60)
        assert not helper.is_alive()
    with pytest.raises(RuntimeError, match="This team is closed"):
        run_with_timeout(lambda: team.run(count, team.address, np.zeros((1, 1), np.int64), -1, 0))


def test_team_that_is_closed_at_once_after_calls_ends() -> None:
    for _ in range(50):
        team, helpers = helpers_of(lambda: Team(2))
        assert_works(team)
        team.close()
        for helper in helpers:
            helper.join(timeout=60)
            assert not helper.is_alive()


def test_helpers_take_no_processor_time_while_they_wait() -> None:
    team, helpers = helpers_of(lambda: Team(2))
    assert_works(team)
    path = Path(f"/proc/self/task/{helpers.pop().native_id}/stat")
    deadline = time.monotonic() + 60
    while (state := path.read_text().rpartition(") ")[2][0]) != "S" and time.monotonic() < deadline:
        time.sleep(0.001)
    assert state == "S"
    assert_works(team)
    team.close()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_arguments_of_other_types_have_code_of_their_own(threads: int) -> None:
    team = Team(threads)
    for _ in range(2):
        for kind in (np.int64, np.float32, np.uint8):
            for number in (7, 2.5):
                values = np.zeros(100, kind)
                run_with_timeout(lambda v=values, n=number: team.run(fill, team.address, v, n))
                assert (values == kind(number)).all()
    team.close()


def test_fork_has_helpers_of_its_own() -> None:
    """In a process of its own, since this one has threads whose locks a fork would copy."""
    program = """
import os, sys
import numpy as np
from numba import njit
from model_core.kernels.team import Team, barrier, claim

@njit(nogil=True)
def fill(thread, threads, team, values):
    item = claim(team)
    while item < len(values):
        values[item] = 1
        item = claim(team)
    barrier(team, threads)

team = Team(2)
team.run(fill, team.address, np.zeros(9))
child = os.fork()
for _ in range(100):
    values = np.zeros(9)
    team.run(fill, team.address, values)
    assert values.all()
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("both", flush=True)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "both\n"), done.stderr


@pytest.mark.parametrize(
    "end", ["pass", "sys.exit(3)", "os.kill(os.getpid(), signal.SIGTERM)", "team.close()"]
)
def test_process_ends_while_helpers_wait_or_watch(end: str) -> None:
    program = f"""
import os, signal, sys
from numba import njit
from model_core.kernels.team import Team, barrier

@njit(nogil=True)
def meet(thread, threads, team):
    barrier(team, threads)

team = Team(3)
team.run(meet, team.address)
{end}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    expected = {"sys.exit(3)": 3, "os.kill(os.getpid(), signal.SIGTERM)": -signal.SIGTERM}.get(end, 0)
    assert (done.returncode, done.stderr) == (expected, "")


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
