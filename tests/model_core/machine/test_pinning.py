"""Threads that compute together get processors of their own."""

import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from model_core.kernels import team
from model_core.kernels.atomics import atomic_add, pause
from model_core.kernels.team import Team, barrier
from model_core.machine import processors
from model_core.machine.processors import choose_processors, order_by_cores
from model_core.machine.resources import processor_quota

sched_getcpu = ctypes.CDLL(None).sched_getcpu
sched_getcpu.argtypes, sched_getcpu.restype = [], ctypes.c_int

PROGRAM = """
import sys
from model_core.machine.processors import choose_processors
for count in map(int, sys.argv[1:]):
    print(*choose_processors(count), flush=True)
input()
"""


def start(folder: Path, *counts: int) -> tuple[subprocess.Popen, list[list[int]]]:
    """A process with a folder for locks, and the processors that it got for each count."""
    command = [sys.executable, "-c", PROGRAM, *map(str, counts)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)}, **pipes)
    assert process.stdout is not None
    return process, [[int(word) for word in process.stdout.readline().split()] for _ in counts]


def write_siblings(folder: Path, siblings: list[str]) -> None:
    for number, text in enumerate(siblings):
        path = folder / f"cpu{number}/topology/thread_siblings_list"
        path.parent.mkdir(parents=True)
        path.write_text(text + "\n")


def test_cores_come_before_second_processors_of_cores(tmp_path: Path) -> None:
    write_siblings(tmp_path / "pairs", ["0-1", "0-1", "2-3", "2-3"])
    assert order_by_cores([0, 1, 2, 3], tmp_path / "pairs") == [0, 2, 1, 3]
    write_siblings(tmp_path / "halves", ["0,2", "1,3", "0,2", "1,3"])
    assert order_by_cores([0, 1, 2, 3], tmp_path / "halves") == [0, 1, 2, 3]
    assert order_by_cores([1, 2, 3], tmp_path / "halves") == [1, 2, 3]
    write_siblings(tmp_path / "laptop", ["0-1", "0-1", "2", "3"])  # fast and slow cores
    assert order_by_cores([0, 1, 2, 3], tmp_path / "laptop") == [0, 2, 3, 1]
    assert order_by_cores([4, 5], tmp_path / "laptop") == [4, 5]  # about which nothing is known


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is only one processor")
def test_processes_get_different_processors_as_long_as_there_are_some(tmp_path: Path) -> None:
    count, processes = len(os.sched_getaffinity(0)), []
    try:
        first, (one, again) = start(tmp_path, 1, 1)
        processes.append(first)
        assert len(one) == 1 and again == one
        second, (others,) = start(tmp_path, count - 1)
        processes.append(second)
        assert sorted(one + others) == sorted(os.sched_getaffinity(0))
        third, (few, all_of_them, too_many) = start(tmp_path, 1, count, count + 1)
        processes.append(third)
        assert len(few) == 1 and few == all_of_them[:1] and too_many == []
        assert sorted(all_of_them) == sorted(os.sched_getaffinity(0))
        first.communicate("\n", timeout=30)
        last, (freed,) = start(tmp_path, 1)  # what a process had is free after its end
        processes.append(last)
        assert freed == one
    finally:
        for process in processes:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_without_a_folder_of_locks_only_all_processors_are_taken(tmp_path: Path, kind: str) -> None:
    """With a link in its place nothing is written to where it leads."""
    target, folder = tmp_path / "elsewhere", tmp_path / f"tritonchat-processors-{os.getuid()}"
    target.mkdir()
    folder.write_text("in the way") if kind == "file" else folder.symlink_to(target)
    count = len(os.sched_getaffinity(0))
    process, (some, found) = start(tmp_path, count - 1, count)
    process.communicate("\n", timeout=30)
    assert some == [] and sorted(found) == sorted(os.sched_getaffinity(0))
    assert list(target.iterdir()) == []


def test_container_with_a_limit_shares_processors_with_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert processor_quota(tmp_path) == 1.5
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert processor_quota(tmp_path) is None
    monkeypatch.setattr(processors, "processor_quota", lambda: 1.5)
    count = len(os.sched_getaffinity(0))
    assert choose_processors(count - 1) == [] and len(choose_processors(count)) == count


@njit(nogil=True)
def note_places(thread, threads, team, places, running, overlaps):
    """Write the processor of each thread, and in `overlaps` whether another call runs meanwhile."""
    places[thread] = sched_getcpu()
    if thread == 0:
        if atomic_add(running, 1) != 0:
            overlaps[0] = True
        for _ in range(1000):
            pause(True)
        atomic_add(running, -1)
    barrier(team, threads)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is only one processor")
def test_threads_of_a_team_have_the_processors_that_were_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = sorted(os.sched_getaffinity(0))[:2]
    monkeypatch.setattr(team, "choose_processors", lambda count: [second, first])
    before = set(threading.enumerate())
    teams = [Team(2) for _ in range(3)]
    helpers = set(threading.enumerate()) - before
    running, overlaps = np.zeros(1, np.int64), np.zeros(1, np.bool_)
    found: list[list[int]] = []

    def call(each: Team) -> None:
        for _ in range(10):
            places = np.zeros(2, np.int64)
            each.run(note_places, each.address, places, running.ctypes.data, overlaps)
            found.append(places.tolist())

    callers = [threading.Thread(target=call, args=(each,)) for each in teams]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(helpers) == 3 and all(os.sched_getaffinity(each.native_id) == {first} for each in helpers)
    for each in teams:
        each.close()
    assert found == [[second, first]] * 30
    assert not overlaps[0]  # teams on the same processors take turns
