"""The arithmetic of model_core/operators.py at the speed of the hardware, in Python that numba compiles.

`emit.py` and `simd.py` have the vectors, `blocks.py` the inner loops of products with integers and
`float_blocks.py` those with floats, `activations.py` and `grouped.py` what comes before them with rounded
activations and with codes, `linear.py`, `experts.py`, `attention.py`, `recurrence.py` and `pointwise.py` the
operators, `interpreter.py` a step of a model, `choice.py` the choice of tokens, and `team.py` the threads
that compute it. `bfloat16.py` has products of activations that are rounded to bfloat16, and `tiles.py` those
on AMX, where there is one. `roofline.py` measures what the machine can do.

Kernels are compiled once for each processor and version, and stored in the user's cache folder. Most are
called by other kernels only, and compiled as part of those (`inner.py`).
"""

import atexit
import contextlib
import gc
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numba
import platformdirs
from tqdm import tqdm

from .emit import HAS_AMX


def _cache_folder() -> Path:
    """The folder for compiled kernels: in NUMBA_CACHE_DIR if it is set, else in the user's cache folder.

    The folder is named after all sources, because numba compares only the file of the outermost function. And
    after whether kernels use tiles: the system may grant them at one start, and refuse them at the next.
    """
    package = Path(__file__).parent
    shared = [package.parent / name for name in ("layout.py", "quantize.py")]  # kernels use their constants
    sources = [*sorted(package.glob("*.py")), *shared]
    version = hashlib.sha256(numba.__version__.encode())
    for source in sources:
        version.update(source.read_bytes())
    try:
        configured = numba.config.CACHE_DIR
        base = Path(configured) if configured else platformdirs.user_cache_path("tritonchat", appauthor=False)
        folder = base / f"kernels-{version.hexdigest()[:16]}{'-amx' if HAS_AMX else ''}"
        folder.mkdir(parents=True, exist_ok=True)
        # The folder has code: it must belong to this user.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            return folder
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        pass
    folder = Path(tempfile.mkdtemp(prefix="tritonchat-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


numba.config.CACHE_DIR = str(_cache_folder())


@contextlib.contextmanager
def show_compilation() -> Iterator[None]:
    """Show progress during the first call of kernels, if they are not compiled yet.

    The compiler makes millions of objects and little garbage, whose collection would take an eighth longer.
    """
    if any(Path(numba.config.CACHE_DIR).rglob("*.nbi")):
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
