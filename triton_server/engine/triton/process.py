"""Starts the engine as a process of its own, and removes what a killed one leaves on the machine."""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil
from pydantic import Field

from ...settings import server as groups
from ...system.child_process import ChildProcess, launch
from ..models.added_models import read_added
from .leftovers import remove_model_copies, remove_shared_memory
from .process_list import list_processes

_PROGRAM = "triton_server.engine"


class EngineSettings(
    groups.ModelsSettings,
    groups.LoadSettings,
    groups.ImageSettings,
    groups.AddressSettings,
    groups.TlsSettings,
    groups.TritonSettings,
    groups.StorageSettings,
    groups.TraceSettings,
    groups.ReceiptSettings,
):
    """What the engine's process is started with.

    Attributes:
        models: their names (None: its own) and paths (None: the embedded model).
        host: where Triton listens.
        upstream: the `url`, the `key` and `waits` of create_upstream_pool, if another server has the models.
        folder: for Triton's working files, its log and the report.
    """

    models: tuple[tuple[str | None, str | None], ...]  # type: ignore[assignment]  # None is embedded
    allow_pull: bool = False
    upstream: dict[str, Any] | None = Field(None, repr=False)  # it has a key
    folder: Path


@dataclass(frozen=True)
class EngineReport:
    """What the engine's process reports to its parent.

    `models` are the names of the models once they are served; `error` is the reason why the process ended.
    """

    models: list[str] = field(default_factory=list)
    error: str | None = None

    def write(self, folder: Path) -> None:
        """Write the report into the folder, atomically."""
        new = folder / "engine.new"
        new.write_text(json.dumps(asdict(self)))
        new.replace(_report_file(folder))

    @classmethod
    def read(cls, folder: Path) -> "EngineReport":
        """The report in the folder; an empty one if there is none."""
        try:
            return cls(**json.loads(_report_file(folder).read_text()))
        except FileNotFoundError:
            return cls()


def running_models() -> Iterator[tuple[int, list[tuple[str | None, str | None]]]]:
    """The process ids of engines on this machine, and the names and places of their models.

    Those that clients have added since the start have no names of their own. Engines of other users are left
    out.
    """
    for process in list_processes():
        # It may have ended, or be of another version.
        with suppress(psutil.Error, KeyError, ValueError, TypeError, OSError):
            if _PROGRAM in process.cmdline():
                values = EngineSettings.read_values(process.environ())
                added = [(None, model.path) for model in read_added(Path(values["folder"]))]
                yield process.pid, [*values["models"], *added]


def launch_engine(settings: EngineSettings) -> ChildProcess:
    """Start the engine, which writes where this process does. It is up once Triton's models answer."""
    folder = settings.folder
    remove_leftovers(folder)
    child = launch(
        "the engine",
        [sys.executable, "-m", _PROGRAM],
        settings.to_environment(),
        None,
        is_up=lambda: bool(EngineReport.read(folder).models),
        read_error=lambda: EngineReport.read(folder).error,
    )
    try:
        _pid_file(folder).write_text(str(child.process.pid))
    except OSError:  # the disk is full: if this engine is killed, its shared memory stays
        _pid_file(folder).unlink(missing_ok=True)
    return child


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed engine leaves behind: files, and what its Triton left."""
    _report_file(folder).unlink(missing_ok=True)
    for workspace in folder.glob("triton-*/"):
        remove_model_copies(workspace)
        shutil.rmtree(workspace, ignore_errors=True)
    with suppress(FileNotFoundError):
        remove_shared_memory(int(_pid_file(folder).read_text()))


def _report_file(folder: Path) -> Path:
    return folder / "engine.json"


def _pid_file(folder: Path) -> Path:
    return folder / "engine.pid"
