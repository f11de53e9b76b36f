"""Spreads memory over the nodes of a machine with several sockets, so that a step reads from all of them.

Linux puts a page on the node of the thread that writes it first. Weights are written by the thread that loads
them, so one socket's memory would serve the threads of all.
"""

import ctypes
import os
import platform
from collections.abc import Collection, Set
from functools import cache
from pathlib import Path

_NODES = Path("/sys/devices/system/node")
_INTERLEAVE = 3  # MPOL_INTERLEAVE, in linux/mempolicy.h
_MBIND = {"x86_64": 237, "aarch64": 235}.get(platform.machine())  # the number of the system call mbind(2)
_WORD = 64  # bits of a mask of nodes in an unsigned long


def find_nodes(processors: Set[int], folder: Path = _NODES) -> list[int]:
    """The nodes that have these processors, in order; none where the system does not say."""
    nodes = []
    for path in folder.glob("node[0-9]*"):
        try:
            ranges = (path / "cpulist").read_text().strip()
        except OSError:
            return []
        if not processors.isdisjoint(_parse_ranges(ranges)):
            nodes.append(int(path.name.removeprefix("node")))
    return sorted(nodes)


def interleave(address: int, size: int, nodes: Collection[int]) -> bool:
    """Put the pages of `size` bytes from `address` on, a page's start, on these nodes in turn.

    It concerns pages that nobody has written yet. False if the system does not allow it.
    """
    if _MBIND is None:
        return False
    words = max(nodes) // _WORD + 1
    mask = (ctypes.c_ulong * words)()
    for node in nodes:
        mask[node // _WORD] |= 1 << node % _WORD
    # The kernel reads one bit less than it is told.
    arguments = (address, size, _INTERLEAVE, ctypes.addressof(mask), words * _WORD + 1, 0)
    return ctypes.CDLL(None).syscall(_MBIND, *map(ctypes.c_ulong, arguments)) == 0


@cache
def nodes_of_process() -> list[int]:
    """The nodes whose processors this process may use."""
    return find_nodes(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _parse_ranges(text: str) -> set[int]:
    """The numbers of a list as Linux writes it, such as "0-3,8"."""
    numbers: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers
