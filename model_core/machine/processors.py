"""Which processors the threads of this process are pinned to.

Systems wake threads on few processors, and let them share these for milliseconds, although they wait for each
other: 8 threads on 16 processors took 34 ms for a step of 16 tokens, and 14 ms with a processor each (Qwen2.5
0.5B's shape, int8, Linux 6.18 on a Xeon of 2023).
"""

import fcntl
import itertools
import os
import stat
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from .resources import processor_quota

_CPUS = Path("/sys/devices/system/cpu")
_lock = threading.Lock()
_taken: list[int] = []
_files: list[int] = []  # whose locks end with the process


def choose_processors(count: int) -> list[int]:
    """`count` processors for threads that compute together, of different cores as far as possible.

    They are the same in each call. Other processes of this user get others, as long as there are some.

    Empty if threads should not be pinned: this process may not use so many processors, the system cannot pin,
    or some processors would stay free and it is not known which of them others take. It is not known in a
    container with a limit, nor without the folder of locks. Other users and containers are not seen.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    with _lock:
        free, folder = os.sched_getaffinity(0), _make_lock_folder()
        if count > len(free) or (count < len(free) and (folder is None or processor_quota() is not None)):
            return []
        if not free.issuperset(_taken[:count]) or len(_taken) < count:
            _take(order_by_cores(sorted(free)), count, folder)
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


def _take(processors: Sequence[int], count: int, folder: Path | None) -> None:
    """Take the first ones that no other process has; if they are too few, others too."""
    free = [number for number in processors if number not in _taken]
    wanted = count - sum(number in processors for number in _taken)
    own = list(itertools.islice((number for number in free if _try_lock(folder, number)), wanted))
    _taken[:] = [*(number for number in _taken if number in processors), *own]
    _taken.extend([number for number in processors if number not in _taken][: count - len(_taken)])


def _make_lock_folder() -> Path | None:
    """The folder with a file for each processor; None if this user cannot have it."""
    folder = Path(tempfile.gettempdir()) / f"tritonchat-processors-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    return folder if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() else None


def _try_lock(folder: Path | None, processor: int) -> bool:
    """Lock the file that stands for a processor. True if no other process has it, or there are no files."""
    if folder is None:
        return True
    try:
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
