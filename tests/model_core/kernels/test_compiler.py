"""Where compiled kernels are stored, and when they are compiled again."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

import model_core
from model_core.kernels import compiler

NO_TILES = {
    "TRITONCHAT_AMX": "0"
}  # where the processor has some, a first start checks them for half a minute
# Two kernels that Python calls, and one that only tests store (see outer.py).
USE_KERNELS = """
import numpy as np
from model_core.kernels import compiler, pointwise
from model_core.kernels.sampling import masking, token_weights
scale_row = compiler.njit(nogil=True)(pointwise.scale_row.py_func)
scale_row.enable_caching()
x = np.ones(16, np.float32)
token_weights.weigh_tokens(x, np.float32(1), np.float32(1))
masking.apply_mask(x, np.ones(1, np.uint32))
scale_row(x.ctypes.data, 16, np.float32(1), x.ctypes.data)
for kernel in (token_weights._exponentiate, masking.apply_mask, scale_row):
    print(kernel.stats.cache_hits.total(), kernel.stats.cache_misses.total())
"""
INNER_PROBE = "from numba import njit\n@njit\ndef inner():\n    return 1\n"
OUTER_PROBE = """
from .compiler import njit
from .inner_probe import inner
@njit(cache=True)
def outer():
    return inner()
"""
CALL_OUTER = """
from model_core.kernels.outer_probe import outer
print(outer(), sum(outer.stats.cache_hits.values()))
"""


def copy_kernels(folder: Path) -> Path:
    """A package that has only kernels, as another checkout has them, and two more. Returns their folder.

    And the room that they import from.
    """
    package = Path(model_core.__file__).parent
    kernels = folder / "model_core" / "kernels"
    for room in ("kernels", "machine"):
        copied = folder / "model_core" / room
        shutil.copytree(package / room, copied, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(package / "__init__.py", kernels.parent)
    (kernels / "inner_probe.py").write_text(INNER_PROBE)
    (kernels / "outer_probe.py").write_text(OUTER_PROBE)
    return kernels


def run_in(folder: Path, program: str, **environment: str) -> list[str]:
    """What a program prints that finds the packages of a folder.

    It stores no bytecode: Python would take that of a source which is changed within the same second.
    """
    own = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **NO_TILES}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **own, **environment},
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_layout_does_not_load_the_compiler() -> None:
    """It takes half a second, and what only computes sizes does without."""
    run = "import sys, model_core.kernels.layout; print({'numba', 'llvmlite'} & {*sys.modules})"
    assert run_in(ROOT, run) == ["set()"]


def test_kernels_need_no_home(tmp_path: Path) -> None:
    """With a home that cannot be written, kernels are compiled for one process only, which leaves no file."""
    (tmp_path / "probe.py").write_text(
        "from model_core.kernels.compiler import njit\n@njit(cache=True)\ndef one():\n    return 1\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run = (
        "import os, pathlib, sys; sys.path.insert(0, sys.argv[1]); import probe\n"
        "print(probe.one(), len(list(pathlib.Path(os.environ['TMPDIR']).rglob('*.nbi'))))"
    )
    home = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere", "TMPDIR": str(temporary)}
    environment = {**os.environ, **home}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", run, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.stdout == "1 1\n", done.stderr
    assert not list(temporary.iterdir())


def test_kernels_that_the_disk_has_no_room_for_are_compiled_all_the_same(tmp_path: Path) -> None:
    """One sentence says that they are not kept, for two of them."""
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
    (tmp_path / "probe.py").write_text(
        "from model_core.kernels.compiler import njit\n"
        "@njit(cache=True)\ndef one(x):\n    return x + 1\n"
        "@njit(cache=True)\ndef two(x):\n    return x + 2\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{limit}import probe; print(probe.one(1), probe.two(1))"],
        env={
            **os.environ,
            **NO_TILES,
            "PYTHONPATH": f"{ROOT}:{tmp_path}",
            "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.stdout == "2 3\n", done.stderr
    (sentence,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"The compiled kernels cannot be kept in \S+ \(File too large\), so each start compiles them again\.",
        sentence,
    )


def test_kernels_are_found_again_whatever_path_the_package_has(tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def stored() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}

    for name in ("here", "in/another/place"):
        copy_kernels(tmp_path / name)
    assert run_in(tmp_path / "here", USE_KERNELS, NUMBA_CACHE_DIR=str(cache)) == ["0", "1"] * 3
    before = stored()
    assert len(before) == 6  # an index and the code of each
    assert run_in(tmp_path / "in/another/place", USE_KERNELS, NUMBA_CACHE_DIR=str(cache)) == ["1", "0"] * 3
    assert stored() == before


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_changed_kernels_are_compiled_again(tmp_path: Path, variable: str) -> None:
    """An inner function changes in a file that the outer function only imports."""
    kernels, cache = copy_kernels(tmp_path), {variable: str(tmp_path / "cache")}
    assert run_in(tmp_path, CALL_OUTER, **cache) == ["1", "0"]
    assert run_in(tmp_path, CALL_OUTER, **cache) == ["1", "1"]
    (kernels / "inner_probe.py").write_text(INNER_PROBE.replace("return 1", "return 2"))
    assert run_in(tmp_path, CALL_OUTER, **cache) == ["2", "0"]


@pytest.mark.parametrize(
    "change", [{"NUMBA_CPU_NAME": "nehalem"}, {"NUMBA_OPT": "1"}, {"NUMBA_CPU_FEATURES": ""}]
)
def test_kernels_for_another_processor_are_stored_apart(tmp_path: Path, change: dict[str, str]) -> None:
    """Two processes cannot change one index at the same time, so each has its own."""
    run = "from model_core.kernels import compiler; print(compiler._FOLDER)"
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run_in(ROOT, run, **cache) == run_in(ROOT, run, **cache) != run_in(ROOT, run, **cache, **change)


def test_kernels_that_change_while_a_process_runs_are_not_those_of_others(tmp_path: Path) -> None:
    """A process knows the version with which it started, and imports a kernel when that has been replaced."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("here", "there"):
        copy_kernels(tmp_path / name)
    changed = INNER_PROBE.replace("return 1", "return 2")
    change = (
        "from pathlib import Path\nfrom model_core.kernels import compiler\n"
        f"Path(compiler.__file__).with_name('inner_probe.py').write_text({changed!r})\n"
    )
    assert run_in(tmp_path / "here", change + CALL_OUTER, **cache) == ["2", "0"]
    assert run_in(tmp_path / "there", CALL_OUTER, **cache) == ["1", "0"]
    assert run_in(tmp_path / "here", CALL_OUTER, **cache) == ["2", "0"]
    assert run_in(tmp_path / "there", CALL_OUTER, **cache) == ["1", "1"]


def test_progress_is_shown_whenever_a_kernel_has_to_be_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not only at the first start: another model may need kernels that the cache folder lacks."""
    monkeypatch.setattr(compiler, "_QUICK_S", 0.0)
    monkeypatch.setattr(compiler, "_LOOK_S", 0.001)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "progress_probe.py").write_text(
        "from model_core.kernels.compiler import njit\n@njit(cache=True)\ndef one():\n    return 1\n"
    )
    probe = importlib.import_module("progress_probe")
    for words in ("Compiling kernels for this processor", ""):
        with compiler.show_compilation():
            assert probe.one() == 1
        shown = capfd.readouterr().err
        assert words in shown and bool(shown) == bool(words)
