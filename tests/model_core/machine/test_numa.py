"""Memory is spread over the nodes of the processors in use. This machine may have one node only."""

import ctypes
import mmap
import platform
from pathlib import Path

import numpy as np
import pytest

from model_core.machine import numa
from model_core.machine.memory import aligned_zeros


def make_nodes(folder: Path, **cpulists: str) -> Path:
    """A folder as Linux has it, of nodes with these processors."""
    for name, cpulist in cpulists.items():
        (folder / name).mkdir()
        (folder / name / "cpulist").write_text(cpulist + "\n")
    return folder


def test_nodes_are_those_of_the_processors(tmp_path: Path) -> None:
    folder = make_nodes(tmp_path, node0="0-3,8-11", node1="4-7,12-15", node2="", node10="16")
    assert numa.find_nodes({0, 1}, folder) == [0]
    assert numa.find_nodes({9, 12, 16}, folder) == [0, 1, 10]
    assert numa.find_nodes({99}, folder) == []
    assert numa.find_nodes({0}, tmp_path / "missing") == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of get_mempolicy is that of x86-64")
def test_large_arrays_are_interleaved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks the kernel, with get_mempolicy(2), what it does with the array."""
    probe = np.frombuffer(mmap.mmap(-1, 4096), np.uint8)
    if not numa.interleave(probe.ctypes.data, 4096, [0]):
        pytest.skip("the system forbids mbind, as containers do")
    asked = []

    def interleave(address: int, size: int, nodes: list[int]) -> bool:
        asked.append(nodes)
        return numa.interleave(address, size, [0])  # this machine may have no second node

    monkeypatch.setattr("model_core.machine.memory.nodes_of_process", lambda: [0, 1])
    monkeypatch.setattr("model_core.machine.memory.interleave", interleave)
    small, large = aligned_zeros((1000,), np.float32), aligned_zeros((2**20,), np.float32)
    assert asked == [[0, 1]]
    assert policy_of(small) == 0
    assert policy_of(large) == 3
    large[:] = 1
    assert large.sum() == 2**20


def test_node_that_does_not_exist_is_refused_without_harm() -> None:
    probe = np.frombuffer(mmap.mmap(-1, 4096), np.uint8)
    assert not numa.interleave(probe.ctypes.data, 4096, [1000])
    assert probe.sum() == 0


def policy_of(array: np.ndarray) -> int:
    """The memory policy of an array's pages: 0 for the default, 3 for interleaved ones."""
    mode, of_address = ctypes.c_int(-1), 2
    arguments = (239, ctypes.byref(mode), None, ctypes.c_ulong(0), ctypes.c_ulong(array.ctypes.data))
    assert ctypes.CDLL(None).syscall(*arguments, ctypes.c_ulong(of_address)) == 0
    return mode.value
