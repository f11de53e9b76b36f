"""The flags of `up` and `serve` for a model that another server computes, and the start of vLLM."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from model_core.errors import TritonchatError

from .child_process import ChildProcess, is_responding, launch
from .hosts import LOOPBACK, free_port
from .options import combine_options, option

VLLM = "vllm"
KEY_VARIABLE = "TRITONCHAT_ENGINE_API_KEY"
# Flags of the engine in this process.
_LOCAL_FLAGS = (
    "revision",
    "weights",
    "max_context",
    "kv_cache_dtype",
    "arithmetic",
    "threads",
    "speculate",
    "kv_cache_memory",
    "keep_alive_s",
    "adapters",
    "allow_adapter_loading",
    "allow_saving_prompts",
    "saved_prompts_disk",
    "prefix_cache_disk",
)
engine_options = combine_options(
    option(
        "--engine",
        metavar="URL|vllm",
        help="Let another server with OpenAI's API compute the answers, such as http://gpu-box:8000/v1; its "
        f"key comes from the variable {KEY_VARIABLE}. --model chooses among its models. vllm: start `vllm "
        "serve` for the --model, with the flags after --.",
    ),
    option(
        "--engine-python",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Python of the virtual environment with vLLM, for --engine vllm.",
    ),
    click.argument("engine_flags", nargs=-1, type=click.UNPROCESSED),
)


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


def find_engine(
    engine: str | None,
    python: Path | None,
    flags: Sequence[str],
    models: Sequence[tuple[str | None, str | None]],
) -> EngineElsewhere | None:
    """What the flags ask for; None: the engine in this process. Raises TritonchatError if they clash."""
    if engine is None:
        if flags:
            raise TritonchatError(f"{' '.join(flags)}: flags after -- are for --engine vllm.")
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
    if len(models) != 1:
        raise TritonchatError("--engine vllm needs one --model.")
    ((_, path),) = models
    port = free_port()
    place = ("--host", LOOPBACK, "--port", str(port))
    command = (str(python), "-m", "vllm.entrypoints.cli.main", "serve", str(path), *place, *flags)
    return EngineElsewhere(f"http://{LOOPBACK}:{port}/v1", secrets.token_urlsafe(24), command)


def _refuse_local_flags() -> None:
    """Raises TritonchatError if the command line has flags of the engine in this process."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name: Any = parameter.name
        if name in _LOCAL_FLAGS and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = parameter.opts[0]
            raise TritonchatError(f"{flag} has no effect with --engine; leave it out, or tell that server.")
