"""Memory that the system refuses: one sentence says what needs how much, and what to do."""

import subprocess
import sys
from pathlib import Path

import pytest
from paths import CHECKPOINTS, ROOT

LLAMA = CHECKPOINTS / "llama-bfloat16"
# Refuses all memory once a part of the model is loaded.
_LOAD = """
import resource, psutil
from model_core import LLM
from model_core.errors import NoMemory

def refuse(progress):
    limit = psutil.Process().memory_info().vms
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))

try:
    LLM({path!r}, on_progress=refuse, kv_cache_memory=2**24)
except NoMemory as error:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(error)
"""
_MAP = """
import resource, psutil
from pathlib import Path
from model_core.errors import NoMemory
from model_core.files.safetensors import SafetensorsFolder

with open({path!r}, "ab") as file:
    file.truncate(2**33)
limit = psutil.Process().memory_info().vms + 2**31
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
try:
    SafetensorsFolder(Path({path!r}).parent)
except NoMemory as error:
    print(error)
"""


def run(*arguments: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python with so many bytes of address space."""
    command = [sys.executable, *arguments]
    if limit is not None:
        # By a shell: a function between fork and exec would run the fork handlers of gRPC, which may abort.
        command = ["sh", "-c", 'ulimit -v "$0" && exec "$@"', str(limit // 1024), *command]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_memory_refused_to_a_model_is_named() -> None:
    result = run("-c", _LOAD.format(path=str(LLAMA)))
    assert result.stdout.startswith("llama-bfloat16 needs 0."), result.stderr
    assert "which the system refuses" in result.stdout and "ulimit -v" in result.stdout


def test_memory_refused_to_a_mapped_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes((LLAMA / "model.safetensors").read_bytes())
    result = run("-c", _MAP.format(path=str(path)))
    assert result.stdout.startswith(f"{path} needs 8 GiB of memory"), result.stderr


@pytest.mark.parametrize("command", [["complete", "Once"], ["bench"], ["quantize", str(LLAMA), "OUT"]])
def test_commands_say_in_a_sentence_that_memory_is_refused(command: list[str], tmp_path: Path) -> None:
    command = [str(tmp_path / "out") if word == "OUT" else word for word in command]
    result = run("-m", "triton_server", *command, limit=600 * 2**20)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "tritonchat: " in result.stderr and "memory" in result.stderr
