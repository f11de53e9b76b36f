"""The compiler of kernels: numba, and where it stores what it has compiled.

Kernels are compiled once for each processor and version, and stored in the user's cache folder. Most are
called by other kernels only, and compiled as part of those (`inner.py`). All take `njit` from here, so that
these settings apply to whichever is imported first.
"""

import atexit
import contextlib
import gc
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import config, dispatcher
from numba.core.caching import CacheImpl, FunctionCache, _CacheLocator
from tqdm import tqdm

from ..machine.progress import ProgressBar
from .emit import HAS_BFLOAT16_TILES, HAS_INT8_TILES
from .versions import compute_version, make_folder

__all__ = ["njit", "show_compilation"]

_LOOK_S = 0.1  # how often to look whether a kernel is compiled
_QUICK_S = 1.0  # what is compiled in less needs no progress


def _compute_version() -> str:
    """A hash of what the code of kernels depends on.

    numba compares only the file of the outermost function. And it keeps the code for several processors under
    one index, which two processes cannot change at the same time.
    """
    return compute_version(HAS_INT8_TILES, HAS_BFLOAT16_TILES)


def _cache_folder() -> Path:
    """The folder for compiled kernels; for this process alone if none can be kept."""
    folder = make_folder(f"kernels-{_VERSION[:16]}")
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="tritonchat-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _KernelLocator(_CacheLocator):
    """Where numba stores a kernel: by its name, so that it is found again whatever path the package has.

    numba's own locators go by path: each checkout and each installation would compile all kernels again.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._module = function.__module__.removeprefix(f"{__package__}.")
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # numba names it in warnings

    def get_cache_path(self) -> str:
        return str(_FOLDER / self._module)

    def get_source_stamp(self) -> str:
        return _VERSION

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_KernelLocator | None":
        """None for what numba stores as ever: what is no kernel, or has changed since the process started."""
        is_kernel = (function.__module__ or "").startswith(f"{__package__}.")
        return cls(function, file) if is_kernel and _compute_version() == _VERSION else None


class _KernelCache(FunctionCache):
    """The cache of a function. A kernel runs without it as well, so a full disk does not end the program."""

    _has_failed = False
    compiles = threading.Event()  # that some kernel was not found, and is compiled

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            _KernelCache.compiles.set()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not _KernelCache._has_failed:
                _KernelCache._has_failed = True
                tqdm.write(
                    f"The compiled kernels cannot be kept in {_FOLDER} ({error.strerror}), so each start "
                    "compiles them again.",
                    file=sys.stderr,
                )


_VERSION = _compute_version()
_FOLDER = _cache_folder()
config.CACHE_DIR = str(_FOLDER)
CacheImpl._locator_classes.insert(0, _KernelLocator)
dispatcher.FunctionCache = _KernelCache  # of each function with cache=True


@contextlib.contextmanager
def show_compilation() -> Iterator[None]:
    """Show progress during first calls of kernels, from the moment on at which one has to be compiled.

    The compiler makes millions of objects and little garbage, whose collection would take an eighth longer.
    """
    done = threading.Event()
    _KernelCache.compiles.clear()

    def refresh_until_done() -> None:
        while not _KernelCache.compiles.wait(_LOOK_S):
            if done.is_set():
                return
        message = "Compiling kernels for this processor, once"
        with ProgressBar(desc=message, bar_format="{desc}: {elapsed}", delay=_QUICK_S) as bar:
            while not done.wait(bar.pause_s):
                bar.refresh()

    thread = threading.Thread(target=refresh_until_done, daemon=True)
    thread.start()
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        done.set()
        thread.join()
