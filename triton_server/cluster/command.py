"""The command `tritonchat cluster`: its options, and what it passes on to the replicas."""

import importlib.util
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from model_core.errors import TritonchatError

from ..options import PORT, Duration, MemorySize, host_option, open_option, option
from ..proxy.command import grpc_option

# Flags of `serve` that each replica chooses by itself, or that are the proxy's.
_NOT_PASSED = (
    "host",
    "grpc_port",
    "triton_http",
    "http_port",
    "metrics_port",
    "api_port",
    "tls_cert",
    "tls_key",
)
_PASSED_VARIABLES = re.compile(r"TRITONCHAT_.*|HF_.*|XDG_DATA_HOME")
_REST = "flags after --"


@dataclass(frozen=True)
class Scale:
    """How many replicas there are: from `low` to `high`, by their running and waiting requests.

    Attributes:
        requests: of one replica that Ray aims at.
        up_s, down_s: for how long another number must be right before it changes.
    """

    low: int
    high: int
    requests: float
    up_s: float
    down_s: float


@dataclass(frozen=True)
class Resources:
    """What a replica takes of its node: cores, graphics cards, bytes of memory (0: any)."""

    cpus: float
    gpus: float
    memory: int


class ReplicaCount(click.ParamType):
    """N, or LOW..HIGH: a pair of both."""

    name = "N|LOW..HIGH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", str(value).strip())
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= low <= high:
            self.fail(
                f"{value!r} is no number of replicas such as 3, or 2..8 for as many as needed.", param, ctx
            )
        return low, high


class _PassingCommand(click.Command):
    """A command that passes on what it does not know, and all that follows `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[_REST] = tuple(args[end:])
        return super().parse_args(ctx, args[:end])


@click.command(cls=_PassingCommand, context_settings={"ignore_unknown_options": True})
@option(
    "--replicas",
    type=ReplicaCount(),
    default="2",
    help="How many servers; 2..8: as many as their requests need.",
)
@option(
    "--ray",
    "ray_address",
    help="Address of a Ray cluster, such as 10.0.0.1:6379, which `ray start --head` has printed. "
    "[default: start Ray on this machine, and end it at the end]",
)
@option(
    "--cpus", type=click.FloatRange(0), help="Cores of a replica.  [default: an equal part of this machine]"
)
@option(
    "--gpus", type=click.FloatRange(0), default=0.0, help="Graphics cards of a replica, for --engine vllm."
)
@option("--memory", type=MemorySize(), help="Memory of a replica.  [default: any]")
@option(
    "--requests-per-replica",
    "requests",
    type=click.FloatRange(0, min_open=True),
    default=8.0,
    help="Running and waiting requests of a replica that --replicas LOW..HIGH aims at.",
)
@option("--scale-up-after", "up_s", type=Duration(), default="30s", help="For how long there must be more.")
@option(
    "--scale-down-after", "down_s", type=Duration(), default="10m", help="For how long there must be fewer."
)
@host_option
@option("--port", type=PORT, default=8090, help="Of the proxy in front of the replicas.")
@grpc_option
@open_option
@click.argument("serve_flags", metavar="[FLAGS OF SERVE]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def cluster(
    context: click.Context,
    replicas: tuple[int, int],
    ray_address: str | None,
    cpus: float | None,
    gpus: float,
    memory: int | None,
    requests: float,
    up_s: float,
    down_s: float,
    host: str,
    port: int,
    grpc_port: int | None,
    open_to_all: bool,
    serve_flags: tuple[str, ...],
) -> None:
    """Several servers on one machine or more, and one address in front of them.

    Ray places the servers, replaces those that end, and starts more when there are many requests. The address
    is that of `tritonchat proxy`, which goes on with an answer whose server dies. All other flags, such as
    --model, are those of `tritonchat serve`, for each server; so are the variables TRITONCHAT_..., with keys.

    \b
    tritonchat cluster --replicas 2                            on this machine
    ray start --head --node-ip-address 10.0.0.1 --port 6379    a first machine of several
    ray start --address 10.0.0.1:6379                          another one
    tritonchat cluster --ray 10.0.0.1:6379 --replicas 2..8 --model Qwen/Qwen3-8B --api-key ...
    """
    if importlib.util.find_spec("ray") is None:
        raise TritonchatError("tritonchat cluster needs Ray: pip install 'tritonchat[cluster]'")
    low, high = replicas
    if cpus is None:
        cores = os.cpu_count() or 1
        cpus = float(cores) if ray_address else _share(cores, high)
    opening = ("--open-to-all",) if open_to_all else ()
    flags = complete_flags(opening + serve_flags + context.meta[_REST], cpus, ray_address is not None)
    address = [f"--host={host}", f"--port={port}", *opening]
    if grpc_port is not None:
        address.append(f"--grpc-port={grpc_port}")

    from .run import run_cluster

    run_cluster(
        scale=Scale(low, high, requests, up_s, down_s),
        resources=Resources(cpus, gpus, memory or 0),
        flags=flags,
        environment={name: value for name, value in os.environ.items() if _PASSED_VARIABLES.fullmatch(name)},
        ray_address=ray_address,
        host=host,
        port=port,
        proxy_flags=address,
    )


def _share(cores: int, replicas: int) -> float:
    """The cores of one of several replicas on a machine: whole ones, if there are enough."""
    return float(cores // replicas) if cores >= replicas else cores / replicas


def complete_flags(flags: Sequence[str], cpus: float, has_network: bool) -> tuple[str, ...]:
    """The flags of `serve` for a replica with so many cores.

    Raises click.UsageError for flags that `serve` does not know, TritonchatError for those that are not for a
    replica. In a network, float weights are computed alike on unlike processors.
    """
    from ..cli import serve

    parsed = serve.make_context("tritonchat cluster", list(flags))
    given = {
        parameter.name: parameter.opts[0]
        for parameter in serve.params
        if parsed.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }
    for name in _NOT_PASSED:
        if name in given:
            raise TritonchatError(f"{given[name]} is not for a cluster: each replica chooses its ports.")
    more = []
    if parsed.params["engine"] is None:
        if has_network and not parsed.params["portable"]:
            more.append("--portable")
        if parsed.params["threads"] is None and cpus:
            more.append(f"--threads={max(1, int(cpus))}")
    return *more, *flags
