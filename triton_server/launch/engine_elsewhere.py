"""A model that another server computes, and the start of vLLM."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import click

from model_core.errors import TritonchatError

from ..settings.base import list_settings
from ..settings.server import LoadSettings, ModelsSettings, ReceiptSettings, ServerSettings
from ..system.child_process import ChildProcess, is_responding, launch
from ..system.hosts import LOOPBACK, free_port

VLLM = "vllm"
KEY_VARIABLE = "TRITONCHAT_ENGINE_API_KEY"
# Settings of the models that mean something to another server, too.
_FOR_ALL_ENGINES = {"model", "max_concurrency", "max_queue"}


@dataclass(frozen=True)
class EngineElsewhere:
    """Another server that computes the answers.

    Attributes:
        url: of its API.
        key: its API key.
        command: starts it; None: it runs already.
    """

    url: str
    key: str | None = None
    command: Sequence[str] | None = None

    def launch(self) -> ChildProcess:
        """Start it. It writes where this process does, and loads its model for minutes."""
        assert self.command is not None
        health = self.url.removesuffix("/v1") + "/health"
        environment = {"VLLM_API_KEY": self.key or ""}  # other users could read a command line
        return launch(VLLM, self.command, environment, None, is_up=lambda: is_responding(health))


def find_engine(settings: ServerSettings, flags: Sequence[str]) -> EngineElsewhere | None:
    """What the settings ask for; None: the engine of this program. `flags`: of vLLM.

    Raises TritonchatError if they clash.
    """
    engine, python = settings.engine, settings.engine_python
    if engine is None:
        if flags:
            raise TritonchatError(
                f"{' '.join(flags)}: only --engine vllm takes more than flags of its own; a model is given "
                "by --model."
            )
        return None
    _refuse_local_flags()
    if engine != VLLM:
        if flags or python is not None:
            raise TritonchatError("--engine-python and flags after -- are only for --engine vllm.")
        return EngineElsewhere(engine, os.environ.get(KEY_VARIABLE))
    if python is None:
        raise TritonchatError(
            "--engine vllm needs --engine-python, the Python of a virtual environment with vLLM, which "
            "cannot be in that of tritonchat."
        )
    if len(settings.models) != 1:
        raise TritonchatError("--engine vllm needs one --model.")
    ((_, path),) = settings.models
    port = free_port()
    place = ("--host", LOOPBACK, "--port", str(port))
    command = (str(python), "-m", "vllm.entrypoints.cli.main", "serve", str(path), *place, *flags)
    return EngineElsewhere(f"http://{LOOPBACK}:{port}/v1", secrets.token_urlsafe(24), command)


def _refuse_local_flags() -> None:
    """Raises TritonchatError if the command line has flags of the engine of this program."""
    given = click.get_current_context().params
    groups = (ModelsSettings, LoadSettings, ReceiptSettings)
    for key, setting in {key: s for group in groups for key, s in list_settings(group).items()}.items():
        if given.get(key) not in (None, ()) and key not in _FOR_ALL_ENGINES:
            raise TritonchatError(
                f"{setting.flag} has no effect with --engine; leave it out, or tell that server."
            )
