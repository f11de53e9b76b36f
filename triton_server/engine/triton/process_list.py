"""The processes of this machine."""

from collections.abc import Iterator

import psutil


def list_processes() -> Iterator[psutil.Process]:
    """All processes. Reading from one may raise psutil.Error, because it may have ended.

    psutil keeps the objects of the last call, by process id. The system uses ids again, and an object of an
    earlier process says that its process has ended.
    """
    psutil.process_iter.cache_clear()
    return psutil.process_iter()
