"""The arithmetic of model_core/operators.py at the speed of the hardware, in Python that numba compiles.

`emit.py` and `simd.py` have the vectors, `blocks.py` the inner loops of all products, `linear.py`,
`attention.py` and `pointwise.py` the operators, `decoder.py` a whole step of a model, `team.py` the threads
that share it.

Compiled once for each processor and version, and kept in the user's cache folder.
"""

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numba
from tqdm import tqdm


def _cache_folder() -> Path:
    """Where compiled kernels are kept. Named after the sources: numba looks at one file of theirs only."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    version = hashlib.sha256(numba.__version__.encode())
    for source in sources:
        version.update(source.read_bytes())
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = base / "tritonchat" / f"kernels-{version.hexdigest()[:16]}"
        folder.mkdir(parents=True, exist_ok=True)
        # What is kept there is code: nobody else may have put it there.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            return folder
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        pass
    folder = Path(tempfile.mkdtemp(prefix="tritonchat-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


if not numba.config.CACHE_DIR:
    numba.config.CACHE_DIR = str(_cache_folder())


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Say that kernels are being compiled, where they have not been yet; around their first call."""
    if any(Path(numba.config.CACHE_DIR).rglob("*.nbi")):
        yield
        return
    done = threading.Event()

    def tick() -> None:
        said = "Compiling kernels for this processor, once"
        with tqdm(desc=said, bar_format="{desc}: {elapsed}") as bar:
            while not done.wait(0.5):
                bar.refresh()

    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        done.set()
        ticking.join()
