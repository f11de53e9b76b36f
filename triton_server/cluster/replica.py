"""A replica: a whole server, `tritonchat serve`, on the node on which Ray has placed it.

Ray runs this class in a process of its own there. It is no server of Ray's: requests come from the proxy, and
Ray asks only whether it is healthy and how many requests it has.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from model_core.errors import TritonchatError

from ..client import ChatClient
from ..launch.serve import ENGINE_GRACE_S
from ..system.child_process import ChildProcess, is_responding, launch
from ..system.hosts import LOOPBACK, free_port, is_loopback, join_port

APPLICATION = "tritonchat"
REQUESTS = "requests"  # the name of what Ray scales on
STOP_S = ENGINE_GRACE_S + 15  # a server that has more than its engine to stop
# Without the command that has started it, a replica ends: nobody would stop it.
_ORPHANED_S = 60.0
_POLL_S = 0.2
_COUNTED = ("tritonchat_requests_running", "tritonchat_requests_waiting")


@dataclass(frozen=True)
class ReplicaSettings:
    """What each replica starts.

    Attributes:
        flags: of `tritonchat serve`.
        environment: variables for it.
        folder: in which it starts, if there is one of this name on the node.
    """

    flags: tuple[str, ...]
    environment: dict[str, str]
    folder: str


class ServerReplica:
    """What Ray Serve starts on a node. Its public methods are those that Ray Serve knows, and `describe`."""

    def __init__(self, settings: ReplicaSettings) -> None:
        """Start the server, and wait until it is ready: that may take minutes."""
        import ray

        with suppress(OSError):  # it is another machine, without this folder
            os.chdir(settings.folder)
        host = ray.util.get_node_ip_address()
        _listen_only_at(host)
        self._scratch = Path(tempfile.mkdtemp(prefix="tritonchat-replica-"))
        api, grpc, metrics = (free_port() for _ in range(3))
        self._url, self._grpc = f"http://{join_port(host, api)}", f"{LOOPBACK}:{grpc}"
        ports = [f"--host={host}", f"--api-port={api}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
        log = self._scratch / "server.log"
        self._server = launch(
            "a replica's server",
            _place_flags(settings.flags, ports),
            settings.environment,
            log,
            is_up=lambda: is_responding(f"{self._url}/readyz"),
        )
        while not self._server.is_up():
            if self._server.has_ended():
                raise TritonchatError(_find_reason(log))
            time.sleep(_POLL_S)
        self._last_asked = time.monotonic()

    async def describe(self) -> str:
        """The address of the server's HTTP service, for the command that watches the replicas."""
        self._last_asked = time.monotonic()
        return self._url

    async def check_health(self) -> None:
        """Raises TritonchatError if the server has ended: Ray then replaces the replica."""
        if self._server.has_ended():
            raise TritonchatError(f"the server ended ({self._server.describe_exit()}).")
        if time.monotonic() - self._last_asked > _ORPHANED_S:
            from ray import serve

            serve.delete(APPLICATION, _blocking=False)

    async def record_autoscaling_stats(self) -> dict[str, float]:
        """The number of running and waiting requests."""
        return {REQUESTS: await asyncio.to_thread(self._count_requests)}

    def __del__(self) -> None:
        """End the server after its running answers. Ray Serve calls this before it ends the process."""
        server: ChildProcess | None = getattr(self, "_server", None)
        if server is not None and not server.has_ended():
            server.stop(STOP_S)
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)

    def _count_requests(self) -> float:
        try:
            with ChatClient(self._grpc) as client:
                families = text_string_to_metric_families(client.metrics())
                return sum(s.value for family in families for s in family.samples if s.name in _COUNTED)
        except TritonchatError:  # it is busy, or ends
            return 0.0


def _place_flags(flags: Sequence[str], ports: Sequence[str]) -> list[str]:
    """The command: the ports go before `--`, after which come the flags of vLLM."""
    end = flags.index("--") if "--" in flags else len(flags)
    return [sys.executable, "-m", "triton_server", "serve", *flags[:end], *ports, *flags[end:]]


def _find_reason(log: Path) -> str:
    """Why a server did not start: the sentence that it has written, or the last lines."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    sentences = [line for line in lines if line.startswith("tritonchat: ")]
    return sentences[-1].removeprefix("tritonchat: ") if sentences else "\n".join(lines[-10:])


def _listen_only_at(host: str) -> None:
    """Let the port for calls between replicas, which Ray opens in this process, be one of this address.

    Ray Serve opens it on all addresses, and has no setting for that.
    """
    from ray.serve._private import replica

    add = getattr(replica, "add_port_to_grpc_server", None)
    if add is not None and is_loopback(host):
        replica.add_port_to_grpc_server = lambda server, address: add(server, f"{host}:0")
