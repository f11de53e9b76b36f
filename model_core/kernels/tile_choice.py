"""Whether kernels use tiles (Intel AMX): where they have proved themselves on this machine.

At the first start on a processor that has tiles, a program (model/tile_check.py) compares them with vectors
and measures both, in a process of its own: it may crash or hang there without harm. What it finds is kept in
the cache folder, for this processor, these kernels and this version of the system. Kernels read it when they
are imported, because it decides what they are compiled of. TRITONCHAT_AMX=0 or 1 decides by itself.
"""

import contextlib
import ctypes
import json
import logging
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import llvmlite.binding as llvm
from filelock import FileLock
from numba.core import config

from ..machine.progress import ProgressBar
from .tile_gains import LOADS, decide
from .versions import compute_version, make_folder

LOGGER = logging.getLogger(__name__)
FEATURES = ("amx-tile", "amx-int8", "amx-bf16")
VARIABLE = "TRITONCHAT_AMX"
# Seconds for the check, which compiles kernels twice: usually it takes half a minute.
LIMIT_S = 240.0
# Seconds after which a check that did not come to its end is tried again: by a start, which waits for it.
RETRY_S = 3600.0


@dataclass(frozen=True)
class TileChoice:
    """Which products use tiles, and why: the rest of a sentence that says so.

    int8: those of integers. bfloat16: those of bfloat16 weights. is_final: the same would be found again. A
    check that was ended from outside is repeated after a while.
    """

    int8: bool
    bfloat16: bool
    reason: str
    is_final: bool = True

    @property
    def used(self) -> bool:
        """Whether any product uses tiles."""
        return self.int8 or self.bfloat16

    def __str__(self) -> str:
        if self.int8 != self.bfloat16:
            return f"used for {'int8' if self.int8 else 'bfloat16'} alone: {self.reason}"
        return f"{'used' if self.used else 'not used'}: {self.reason}"


def refuse_tiles(reason: str, is_final: bool = True) -> TileChoice:
    """The choice that no product uses tiles."""
    return TileChoice(False, False, reason, is_final)


def choose_tiles() -> TileChoice:
    """What kernels of this process do. The first start on a processor with tiles takes half a minute here."""
    if not _are_listed() or platform.system() != "Linux":
        return refuse_tiles("this processor has none")
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "1"):
        return refuse_tiles(f"{VARIABLE}={wanted}")
    if not _are_granted():
        return refuse_tiles("the system does not grant them")
    return TileChoice(True, True, f"{VARIABLE}=1") if wanted else _recall_choice()


def _are_listed() -> bool:
    """Whether the processor that kernels are compiled for has tiles."""
    if config.CPU_FEATURES is not None:
        return {f"+{name}" for name in FEATURES} <= set(config.CPU_FEATURES.split(","))
    features = llvm.get_host_cpu_features()
    return config.CPU_NAME is None and all(features.get(name, False) for name in FEATURES)


def _are_granted() -> bool:
    """Ask the system for tiles.

    Linux grants their memory once to a process, on request; without it, the first instruction would end the
    process.
    """
    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data) == 0


def _recall_choice() -> TileChoice:
    """What was found on this machine, or is found now."""
    folder = make_folder("tiles")
    if folder is None:
        return refuse_tiles(f"there is no cache folder to keep a check in; {VARIABLE}=1 uses them")
    check = Path(__file__).parents[1] / "model" / "tile_check.py"
    try:
        version = compute_version(platform.release(), check.read_text())
        return recall_choice(folder / f"{version[:16]}.json", check_command(), LIMIT_S)
    except OSError as error:  # vectors compute everything, too
        return refuse_tiles(f"the check could not run ({error.strerror or error})")


def check_command(vectors_file: str = "") -> list[str]:
    """What runs the main function of tile_check.py with this argument, and imports as this process does."""
    program = (
        "import sys; sys.path[:] = sys.argv[2:]; "
        "from model_core.model.tile_check import main; main(sys.argv[1])"
    )
    return [sys.executable, "-I", "-c", program, vectors_file, *sys.path]


def recall_choice(file: Path, check: Sequence[str], limit_s: float) -> TileChoice:
    """The choice that a file holds. If there is none, the program `check` makes it, and it is kept there.

    Processes that start at the same time wait for the first one. Raises OSError if the program cannot be
    started, or the file not be written.
    """
    with FileLock(f"{file}.lock"):
        with contextlib.suppress(OSError, ValueError, TypeError):
            kept = TileChoice(**json.loads(file.read_text()))
            if kept.is_final or time.time() - file.stat().st_mtime < RETRY_S:
                return kept
        choice = run_check(check, limit_s)
        reason = f"{choice.reason}, found {time.strftime('%Y-%m-%d')} and kept in {file}"
        if not choice.is_final:
            again = time.strftime("%H:%M", time.localtime(time.time() + RETRY_S))
            reason += f"; a start after {again}, or without this file, checks again"
        choice = replace(choice, reason=reason)
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(choice)))
        partial.replace(file)
        LOGGER.log(logging.INFO if choice.used else logging.WARNING, "Tiles (AMX) are %s", choice)
        return choice


def run_check(check: Sequence[str], limit_s: float) -> TileChoice:
    """Run the program that compares tiles with vectors, for at most `limit_s` seconds, and judge its report.

    The report is the last line of its output, in JSON: `wrong`, the names of products that differ, and
    `gains`, the speed of tiles in parts of that of vectors, by load.
    """
    process = subprocess.Popen(
        check,
        env={**os.environ, VARIABLE: "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # it has a process of its own for vectors, which ends with it
    )
    try:
        output, errors = _wait(process, limit_s)
    except subprocess.TimeoutExpired:
        return refuse_tiles(f"the check took more than {limit_s:.0f} seconds", is_final=False)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if process.returncode < 0:
        found = signal.Signals(-process.returncode)
        return refuse_tiles(f"the check ended with {found.name}", is_final=found != signal.SIGKILL)
    try:
        report = json.loads(output.splitlines()[-1])
        wrong, gains = list(report["wrong"]), {load: float(report["gains"][load]) for load in LOADS}
    except (IndexError, ValueError, KeyError, TypeError):
        last = errors.strip().splitlines()[-1:] or ["no output"]
        return refuse_tiles(f"the check failed ({last[0][:200]})")
    if wrong:
        return refuse_tiles(f"wrong products: {len(wrong)}, first {wrong[0]}")
    speed = ", ".join(f"{gain:.2f} ({load})" for load, gain in gains.items())
    int8, bfloat16 = decide(gains)
    only = "" if int8 or bfloat16 else "only "
    return TileChoice(int8, bfloat16, f"they are right, and reach {only}{speed} of the speed of vectors")


def _wait(process: subprocess.Popen, limit_s: float) -> tuple[str, str]:
    """The output of a process and its errors. Meanwhile, progress is shown, as it takes a while."""
    now = time.monotonic()
    end, shown = now + limit_s, now
    message = "Checking the tiles (AMX) of this processor, once"
    with ProgressBar(desc=message, bar_format="{desc}: {elapsed}", delay=1) as bar:
        while True:
            try:
                return process.communicate(timeout=min(0.5, max(0.0, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if now >= end:
                    raise
                if now >= shown + bar.pause_s:
                    bar.refresh()
                    shown = now
