"""An engine that finds a full disk says so in a sentence, and which disk it is."""

import os
import subprocess
import sys
from pathlib import Path

from support import free_port

from triton_server.engine.triton.leftovers import find_full_disk
from triton_server.engine.triton.process import EngineSettings


def run_engine(folder: Path, model: str | None) -> subprocess.CompletedProcess[str]:
    """An engine whose report finds no room."""
    (folder / "engine.new").symlink_to("/dev/full")
    settings = EngineSettings(
        models=((None, model),),
        folder=folder,
        no_triton=True,
        grpc_port=free_port(),
        metrics_port=free_port(),
    )
    return subprocess.run(
        [sys.executable, "-m", "triton_server.engine"],
        env={**os.environ, "XDG_DATA_HOME": str(folder), **settings.to_environment()},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_full_disk_is_named_without_a_traceback(tmp_path: Path) -> None:
    ended = run_engine(tmp_path, None)
    assert ended.returncode == 1
    assert f"the disk of {tmp_path} is full; the engine needs some room there." in ended.stderr
    assert "Traceback" not in ended.stderr


def test_reason_that_finds_no_room_is_printed(tmp_path: Path) -> None:
    ended = run_engine(tmp_path, str(tmp_path / "no-model"))
    assert ended.returncode == 1
    assert "no-model" in ended.stderr and "Traceback" not in ended.stderr


def test_disk_that_triton_fills_is_found(tmp_path: Path) -> None:
    assert find_full_disk(Path("/proc/triton-1")) == Path("/proc")  # a file system without room
    assert find_full_disk(tmp_path / "triton-1") is None
