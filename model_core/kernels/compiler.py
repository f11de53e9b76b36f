"""The compiler of kernels: numba, and where it stores what it has compiled.

Kernels are compiled once for each processor and version, and stored in the user's cache folder. Most are
called by other kernels only, and compiled as part of those (`inner.py`). All take `njit` from here, so that
these settings apply to whichever is imported first.
"""

import atexit
import contextlib
import gc
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import platformdirs
from numba import njit
from numba.core import config
from numba.core.caching import CacheImpl, _CacheLocator
from tqdm import tqdm

from .emit import HAS_AMX

__all__ = ["njit", "show_compilation"]


def _compute_version() -> str:
    """A hash of what the code of kernels depends on: their sources, the compiler, the processor.

    numba compares only the file of the outermost function. And it keeps the code for several processors under
    one index, which two processes cannot change at the same time.
    """
    compiler = (numba.__version__, llvmlite.__version__, config.OPT)
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), HAS_AMX)
    chosen = (config.CPU_NAME, config.CPU_FEATURES)
    version = hashlib.sha256(repr((__package__, compiler, processor, chosen)).encode())
    package = Path(__file__).parent
    for source in sorted(package.rglob("*.py")):
        code = source.read_bytes()
        version.update(f"{source.relative_to(package)} {len(code)} ".encode() + code)
    return version.hexdigest()


def _cache_folder() -> Path:
    """The folder for compiled kernels: in NUMBA_CACHE_DIR if it is set, else in the user's cache folder."""
    try:
        configured = config.CACHE_DIR
        base = Path(configured) if configured else platformdirs.user_cache_path("tritonchat", appauthor=False)
        folder = base / f"kernels-{_VERSION[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        # The folder has code: it must belong to this user.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            return folder
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        pass
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


_VERSION = _compute_version()
_FOLDER = _cache_folder()
config.CACHE_DIR = str(_FOLDER)
CacheImpl._locator_classes.insert(0, _KernelLocator)


@contextlib.contextmanager
def show_compilation() -> Iterator[None]:
    """Show progress during the first call of kernels, if they are not compiled yet.

    The compiler makes millions of objects and little garbage, whose collection would take an eighth longer.
    """
    if any(_FOLDER.rglob("*.nbi")):
        yield
        return
    done = threading.Event()

    def refresh_until_done() -> None:
        message = "Compiling kernels for this processor, once"
        with tqdm(desc=message, bar_format="{desc}: {elapsed}") as bar:
            while not done.wait(0.5):
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
