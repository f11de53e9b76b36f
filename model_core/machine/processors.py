"""Which processors the threads of this process are pinned to.

Systems wake threads on few processors, and let them share these for milliseconds, although they wait for each
other: 8 threads on 16 processors took 34 ms for a step of 16 tokens, and 14 ms with a processor each (Qwen2.5
0.5B's shape, int8, Linux 6.18 on a Xeon of 2023).
"""

import itertools
import os
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_lock = threading.Lock()
_taken: list[int] = []
_files: list[int] = []  # whose locks end with the process


def choose_processors(count: int) -> list[int]:
    """`count` processors for threads that compute together, of different cores as far as possible.

    They are the same in each call, for models of a process compute in turns. Other servers of this user get
    others, as long as there are some. Empty if the process may not use so many, or the system cannot pin.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    with _lock:
        free = os.sched_getaffinity(0)
        if count > len(free):
            return []
        if not free.issuperset(_taken[:count]) or len(_taken) < count:
            _take(order_by_cores(sorted(free)), count)
        return _taken[:count]


def order_by_cores(processors: Sequence[int], cpus: Path = _CPUS) -> list[int]:
    """The first processor of each core, then the second ones, and so on. cpus: what the system says."""
    cores: dict[str, list[int]] = {}
    for processor in processors:
        try:
            core = (cpus / f"cpu{processor}/topology/thread_siblings_list").read_text()
        except OSError:
            core = str(processor)
        cores.setdefault(core, []).append(processor)
    ranks = itertools.zip_longest(*cores.values())
    return [processor for rank in ranks for processor in rank if processor is not None]


def _take(processors: Sequence[int], count: int) -> None:
    """Take the first ones that no other process has; if they are too few, others too."""
    free = [number for number in processors if number not in _taken]
    wanted = count - sum(number in processors for number in _taken)
    own = [number for number in itertools.islice(filter(_try_lock, free), wanted)]
    _taken[:] = [*(number for number in _taken if number in processors), *own]
    _taken.extend([number for number in processors if number not in _taken][: count - len(_taken)])


def _try_lock(processor: int) -> bool:
    """Lock the file that stands for a processor. True if no other process has it, or files cannot be made."""
    try:
        import fcntl  # which Windows lacks
    except ImportError:
        return True
    folder = Path(tempfile.gettempdir()) / f"tritonchat-processors-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        file = os.open(folder / str(processor), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return False
    _files.append(file)
    return True
