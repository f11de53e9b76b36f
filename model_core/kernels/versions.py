"""What stored results of kernels depend on, and where they are stored."""

import hashlib
import os
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba
import platformdirs
from numba.core import config


def compute_version(*facts: object) -> str:
    """A hash of what kernels are made of: their sources, the compiler, the processor; and of more facts."""
    compiler = (numba.__version__, llvmlite.__version__, config.OPT)
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), *facts)
    chosen = (config.CPU_NAME, config.CPU_FEATURES)
    version = hashlib.sha256(repr((__package__, compiler, processor, chosen)).encode())
    package = Path(__file__).parent
    for source in sorted(package.rglob("*.py")):
        code = source.read_bytes()
        version.update(f"{source.relative_to(package)} {len(code)} ".encode() + code)
    return version.hexdigest()


def make_folder(name: str) -> Path | None:
    """A folder in NUMBA_CACHE_DIR if that is set, else in the user's cache folder.

    None if there is no such place, if it cannot be written, or if it is another user's: what it has is code,
    or decides which code runs.
    """
    try:
        configured = config.CACHE_DIR
        base = Path(configured) if configured else platformdirs.user_cache_path("tritonchat", appauthor=False)
        folder = base / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid() else None
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return None
