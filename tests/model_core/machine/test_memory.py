"""Memory: weights are independent of their files, and a container's page cache counts as free."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import psutil
import pytest
from paths import CHECKPOINTS

from model_core.files.model_files import open_model_files
from model_core.machine.memory import freeze_objects, return_freed_memory
from model_core.machine.resources import available_memory, total_memory
from model_core.quantizing.write_folder import write_quantized_folder

# A process of its own, because a SIGBUS would end the tests. It prints the logits before and after.
CUT_SHORT = """
import os, sys
from pathlib import Path
from model_core import LLM
folder = Path(sys.argv[1])
with LLM(folder) as llm:
    before = llm.logits([5, 6, 7])
    for path in folder.glob("*.safetensors"):
        os.truncate(path, 100)
    print(before.tobytes().hex() == llm.logits([5, 6, 7]).tobytes().hex() and llm.logits([8])[0, 0])
"""


@pytest.mark.parametrize("weights", ["auto", "int8", "int4", "quantized int4"])
def test_file_cut_short_after_loading_changes_nothing(tmp_path: Path, weights: str) -> None:
    source = CHECKPOINTS / "llama-untied-mha"
    kind = weights.removeprefix("quantized ")
    if weights.startswith("quantized"):
        write_quantized_folder(open_model_files(source), tmp_path / "model", kind)
    else:
        subprocess.run(["cp", "-r", source, tmp_path / "model"], check=True)
    command = CUT_SHORT.replace("LLM(folder)", f"LLM(folder, weights={kind!r})")
    done = subprocess.run(
        [sys.executable, "-c", command, tmp_path / "model"], capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    assert np.isfinite(float(done.stdout))


def test_page_cache_of_a_container_counts_as_free(tmp_path: Path) -> None:
    mib = 2**20
    for name, value in {"max": 100 * mib, "current": 90 * mib}.items():
        (tmp_path / f"memory.{name}").write_text(f"{value}\n")
    (tmp_path / "memory.stat").write_text(
        f"anon {20 * mib}\nfile {70 * mib}\ninactive_file {40 * mib}\nactive_file {30 * mib}\n"
    )
    assert available_memory(tmp_path) == 80 * mib
    assert total_memory(tmp_path) == int((tmp_path / "memory.max").read_text())
    (tmp_path / "memory.max").write_text("max\n")
    machine = psutil.virtual_memory().available
    assert abs(available_memory(tmp_path) - machine) < machine / 4
    assert abs(available_memory(tmp_path / "missing") - machine) < machine / 4
    assert total_memory(tmp_path) == total_memory(tmp_path / "missing") == psutil.virtual_memory().total


class _Ring:
    """An object that only a garbage collection frees."""

    def __init__(self) -> None:
        self.itself = self


def test_model_that_is_unloaded_is_freed_though_a_server_has_frozen_its_objects() -> None:
    gc.disable()
    try:
        kept = _Ring()
        ring = weakref.ref(kept)
        freeze_objects()
        del kept
        gc.collect()
        assert ring() is not None
        return_freed_memory()
        assert ring() is None
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.enable()
