"""The command `tritonchat cluster`: its options, and what it passes on to the replicas."""

import importlib.util
import os
import re
from collections.abc import Sequence

import click

from model_core.errors import TritonchatError

from ..options.flags import make_settings, setting_flags
from ..proxy.command import ProxyAddressSettings
from ..settings.base import CommandSettings, list_settings, read_file, setting
from ..settings.server import ServerSettings
from ..settings.values import Duration, ReplicaCount, Size
from ..system.extras import install_command
from .scale import Resources, Scale

# Flags of `serve` that each replica chooses by itself, or that are the proxy's.
_NOT_PASSED = (
    "host",
    "grpc_port",
    "triton_http",
    "http_port",
    "metrics_port",
    "api_port",
    "ollama_port",
    "tls_cert",
    "tls_key",
)
_PASSED_VARIABLES = re.compile(r"TRITONCHAT_.*|HF_.*|XDG_DATA_HOME")
_REST = "flags after --"


class _PassingCommand(click.Command):
    """A command that passes on what it does not know, and all that follows `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[_REST] = tuple(args[end:])
        return super().parse_args(ctx, args[:end])


class ClusterSettings(ProxyAddressSettings, CommandSettings):
    """The settings of `tritonchat cluster` itself."""

    replicas: ReplicaCount = setting("2")
    """How many servers; 2..8: as many as their requests need."""
    ray_address: str | None = setting(
        None, key="ray", shown="start Ray on this machine, and end it at the end"
    )
    """Address of a Ray cluster, such as 10.0.0.1:6379, which `ray start --head` has printed."""
    cpus: float | None = setting(None, shown="an equal part of this machine", ge=0)
    """Cores of a replica."""
    gpus: float = setting(0.0, ge=0)
    """Graphics cards of a replica, for --engine vllm."""
    memory: Size | None = setting(None, shown="any")
    """Memory of a replica."""
    requests: float = setting(8.0, key="requests_per_replica", gt=0)
    """Running and waiting requests of a replica that --replicas LOW..HIGH aims at."""
    up_s: Duration = setting("30s", key="scale_up_after")
    """For how long there must be more."""
    down_s: Duration = setting("10m", key="scale_down_after")
    """For how long there must be fewer."""

    def resources(self) -> Resources:
        """What a replica takes."""
        cpus = self.cpus
        if cpus is None:
            cores = os.cpu_count() or 1
            cpus = float(cores) if self.ray_address else _share(cores, self.replicas[1])
        return Resources(cpus, self.gpus, self.memory or 0)


@click.command(cls=_PassingCommand, context_settings={"ignore_unknown_options": True})
@setting_flags(ClusterSettings)
@click.argument("serve_flags", metavar="[FLAGS OF SERVE]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def cluster(context: click.Context, settings: ClusterSettings, serve_flags: tuple[str, ...]) -> None:
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
        raise TritonchatError(f"tritonchat cluster needs Ray: {install_command('cluster')}")
    resources = settings.resources()
    opening = ("--open-to-all",) if settings.open_to_all else ()
    root = context.find_root()
    assert isinstance(root.command, click.Group)
    serve = root.command.get_command(root, "serve")
    assert serve is not None
    flags = opening + serve_flags + context.meta[_REST]
    address = [f"--host={settings.host}", f"--port={settings.port}", *opening]
    if settings.grpc_port is not None:
        address.append(f"--grpc-port={settings.grpc_port}")

    from .run import run_cluster

    run_cluster(
        scale=Scale(*settings.replicas, settings.requests, settings.up_s, settings.down_s),
        resources=resources,
        flags=complete_flags(serve, flags, resources.cpus, settings.ray_address is not None),
        environment={name: value for name, value in os.environ.items() if _PASSED_VARIABLES.fullmatch(name)},
        ray_address=settings.ray_address,
        host=settings.host,
        port=settings.port,
        proxy_flags=address,
    )


def _share(cores: int, replicas: int) -> float:
    """The cores of one of several replicas on a machine: whole ones, if there are enough."""
    return float(cores // replicas) if cores >= replicas else cores / replicas


def complete_flags(
    serve: click.Command, flags: Sequence[str], cpus: float, has_network: bool
) -> tuple[str, ...]:
    """The flags of the command `serve` for a replica with so many cores.

    Raises click.UsageError for flags that `serve` does not know, TritonchatError for those that are not for a
    replica. In a network, float weights are computed alike on unlike processors.
    """
    given = serve.make_context("tritonchat cluster", list(flags)).params
    del given["engine_flags"]  # those of vLLM
    settings = make_settings(ServerSettings, given)
    in_file = {} if settings.config is None else read_file(settings.config)
    for name in _NOT_PASSED:
        if given[name] is not None or name in in_file:
            flag = list_settings(ServerSettings)[name].flag
            raise TritonchatError(f"{flag} is not for a cluster: each replica chooses its ports.")
    more = []
    if settings.engine is None:
        if has_network and not settings.portable:
            more.append("--portable")
        if settings.threads is None and cpus:
            more.append(f"--threads={max(1, int(cpus))}")
    return *more, *flags
