"""Starts the engine as a process of its own, and removes what a killed one leaves on the machine."""

import json
import os
import shutil
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from ..child_process import ChildProcess, launch
from .leftovers import remove_model_copies, remove_shared_memory
from .process_list import list_processes

_VARIABLE = "TRITONCHAT_ENGINE_SETTINGS"
_PROGRAM = "triton_server.engine"


@dataclass(frozen=True)
class EngineSettings:
    """What the engine's process is started with.

    Attributes:
        models: their names (None: its own) and paths (None: the embedded model).
        keep_alive_s: unload models that are idle for so many seconds, and load none before it is needed;
            None: load all at the start, and keep them.
        adapters: names and folders of those of the first model.
        allow_adapter_loading: whether clients may load and drop adapters.
        prompts: the fields of `PromptFlags`.
        upstream: the `url`, the `key` and `waits` of create_upstream_pool, if another server has the models.
        llm: the arguments of `model_core.LLM` for all models.
        host, grpc_port, http_port, metrics_port: where Triton listens; without http_port, it has no HTTP.
        tls_certificate, tls_key: PEM files for gRPC; None: no TLS.
        folder: for Triton's working files, its log and the report.
        database, max_sessions, max_session_bytes: as in `api.settings.ServiceSettings`, for conversations.
    """

    models: list[tuple[str | None, str | None]]
    keep_alive_s: float | None
    adapters: list[tuple[str, str]]
    allow_adapter_loading: bool
    prompts: dict[str, Any]
    upstream: dict[str, Any] | None
    llm: dict[str, Any]
    host: str
    grpc_port: int
    http_port: int | None
    metrics_port: int
    tls_certificate: str | None
    tls_key: str | None
    folder: str
    database: str | None = field(repr=False)  # it may have a password
    max_sessions: int
    max_session_bytes: int

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str] = os.environ) -> "EngineSettings":
        """Read what another process wrote by `to_environment`, and remove it from the environment."""
        return cls(**json.loads(environment.pop(_VARIABLE)))

    def to_environment(self) -> dict[str, str]:
        """The environment variable that holds these settings for the engine's process."""
        return {_VARIABLE: json.dumps(asdict(self))}


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


def running_engines() -> Iterator[tuple[int, EngineSettings]]:
    """The process ids and the settings of engines that run on this machine, those of other users excepted."""
    for process in list_processes():
        # It may have ended, or be of another version.
        with suppress(psutil.Error, KeyError, ValueError, TypeError):
            if _PROGRAM in process.cmdline():
                yield process.pid, EngineSettings.from_environment(process.environ())


def launch_engine(settings: EngineSettings) -> ChildProcess:
    """Start the engine, which writes where this process does. It is up once Triton's models answer."""
    folder = Path(settings.folder)
    remove_leftovers(folder)
    child = launch(
        "the engine",
        [sys.executable, "-m", _PROGRAM],
        settings.to_environment(),
        None,
        is_up=lambda: bool(EngineReport.read(folder).models),
        read_error=lambda: EngineReport.read(folder).error,
    )
    _pid_file(folder).write_text(str(child.process.pid))
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
