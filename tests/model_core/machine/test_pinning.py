"""Threads that compute together get processors of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from model_core.kernels.team import Team
from model_core.machine.processors import choose_processors, order_by_cores

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


def test_folder_that_cannot_be_made_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / f"tritonchat-processors-{os.getuid()}").write_text("in the way")
    process, (found,) = start(tmp_path, len(os.sched_getaffinity(0)))
    process.communicate("\n", timeout=30)
    assert sorted(found) == sorted(os.sched_getaffinity(0))


def test_threads_of_a_team_have_a_processor_each() -> None:
    count = len(os.sched_getaffinity(0))
    if count < 2:
        pytest.skip("there is only one processor")
    team, found = Team(count), {}

    class Kernel:
        overloads = True

        def __call__(self, thread: int, threads: int) -> None:
            found[thread] = os.sched_getaffinity(0)

    team.run(Kernel())
    while len(found) < count:
        pass
    team.close()
    assert sorted(found.values(), key=min) == [{number} for number in sorted(choose_processors(count))]
