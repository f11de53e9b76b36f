"""The cores and the memory of this machine that the process may use."""

import math
import os
from pathlib import Path

import psutil


def default_threads(weight_bytes: int) -> int:
    """The number of threads for a model of this size: one for each core that this process may use.

    A tiny model gets one thread (the embedded model takes 0.16 ms a token). More threads would mostly wait
    for each other, above all where other processes need the same cores.
    """
    if weight_bytes < 16 * 2**20:
        return 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Two threads on one core share its arithmetic units and slow each other down.
    allowed = min(allowed, psutil.cpu_count(logical=False) or allowed)
    quota = processor_quota()
    return allowed if quota is None else max(1, min(allowed, int(quota)))


def processor_quota(group: Path = Path("/sys/fs/cgroup")) -> float | None:
    """How much of the machine's processor time a container has, in processors; None without a limit.

    `group`: as in `available_memory`.
    """
    try:
        quota, period = (group / "cpu.max").read_text().split()
        return int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # no such group, or no limit ("max")
        return None


def total_memory(group: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes of memory that this machine, or the container, has. `group`: as in `available_memory`."""
    total = psutil.virtual_memory().total
    try:
        return min(total, int((group / "memory.max").read_text()))
    except (OSError, ValueError):  # no such group, or no limit ("max")
        return total


def available_memory(group: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes of memory that this process can still allocate.

    In a container they are fewer than the machine's, and so they are under a limit of the address space
    (`ulimit -v`). The page cache counts as free: the kernel drops it when memory is needed. `group` is the
    folder of the container's control group (Linux, Documentation/admin-guide/cgroup-v2.rst).
    """
    free = min(psutil.virtual_memory().available, _free_addresses())
    try:
        limit, used = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
        lines = (group / "memory.stat").read_text().splitlines()
    except (OSError, ValueError):  # no such group, or no limit ("max")
        return free
    stat = {name: int(value) for name, value in map(str.split, lines)}
    return max(0, min(free, limit - used + stat["inactive_file"] + stat["active_file"]))


def _free_addresses() -> float:
    """Bytes that are left of this process's limit of address space (RLIMIT_AS); inf without a limit."""
    try:
        import resource  # which Windows lacks
    except ImportError:
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if limit == resource.RLIM_INFINITY else max(0, limit - psutil.Process().memory_info().vms)
