"""Arrays in memory as kernels need it: aligned, and padded to whole vectors."""

import ctypes
import gc
import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from ..errors import NoMemory, is_memory_refusal
from .numa import interleave, nodes_of_process
from .resources import available_memory

_SPREAD_FROM = 2**20  # bytes of an array; smaller ones stay in caches


def aligned_zeros(shape: Sequence[int], dtype: np.dtype | type) -> np.ndarray:
    """Zeros aligned to a cache line. The system provides their memory when they are first written.

    It uses huge pages if it has them: a step reads all weights, and the TLB has too few entries for small
    pages. On a machine with several sockets, large arrays are spread over the memory of all.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Private: by default, systems do not use huge pages for shared memory.
        memory = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    else:
        memory = mmap.mmap(-1, max(size, 1))
    array = np.frombuffer(memory, dtype, size // np.dtype(dtype).itemsize).reshape(shape)
    if size >= _SPREAD_FROM and len(nodes := nodes_of_process()) > 1:
        interleave(array.ctypes.data, size, nodes)
    return array


def check_memory_refusal(error: Exception, what: str | Path, size: int | None = None) -> None:
    """Raises NoMemory if `error` says that the system refuses memory: `size` bytes for a thing, or a file."""
    if not is_memory_refusal(error):
        return
    size = what.stat().st_size if isinstance(what, Path) else size
    need = "memory" if size is None else f"{size / 2**30:.3g} GiB of memory"
    free = available_memory()
    raise NoMemory(
        f"{what} needs {need}, which the system refuses to this process ({free / 2**30:.3g} GiB are free): "
        "end other programs, raise the process's limit (ulimit -v), or choose a smaller model or --weights "
        "int8."
    ) from error


@contextmanager
def name_refused_memory(what: str, size: int | None = None) -> Iterator[None]:
    """Raise NoMemory where the system refuses memory within the block: arrays, files, threads.

    The error names `what` needs memory, and how many bytes if `size` says so.
    """
    try:
        yield
    except Exception as error:
        check_memory_refusal(error, what, size)
        raise


def round_up(size: int, multiple: int) -> int:
    """`size` rounded up to a multiple."""
    return -(-size // multiple) * multiple


def freeze_objects() -> None:
    """Leave all objects that there are now out of garbage collections, for a server that has started.

    A full collection looks at every object that is not frozen. With the compiler and the modules of a server,
    that stops all of its threads for 60 ms, in the middle of answers.
    """
    gc.collect()
    gc.freeze()


def return_freed_memory() -> None:
    """Give the memory of objects that nothing refers to any more back to the system, frozen ones too."""
    is_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    gc.collect()
    if is_frozen:
        gc.freeze()
    with suppress(OSError, AttributeError):  # only glibc has it: malloc_trim(3)
        ctypes.CDLL(None).malloc_trim(0)
