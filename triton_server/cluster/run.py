"""What `tritonchat cluster` does: start Ray or join it, deploy the replicas, and tell the proxy of them."""

import logging
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from model_core.errors import TritonchatError

from ..proxy.fleet import change_fleet
from ..system.child_process import ChildProcess, is_responding, launch
from ..system.folders import scratch_folder
from ..system.hosts import LOOPBACK, browser_url, reachable_address
from ..system.machine import check_ports, require
from ..system.restarts import Restarts
from ..system.signals import signals_as_interrupts
from .replica import APPLICATION, REQUESTS, STOP_S, ReplicaSettings, ServerReplica
from .scale import Resources, Scale

_POLL_S = 0.5
_ANSWER_S = 5.0  # in which a replica must say its address
_MAX_MISSES = 3  # one that has not said it so often is gone
_PROXY_GRACE_S = 45.0  # 20 s for answers over HTTP, as many for gRPC
_HEALTH_S = 1.0  # from one check of a replica's health to the next
_NO_ROOM = "to be scheduled"  # in what Ray Serve says of replicas that it cannot place, after 30 s
_OBJECT_STORE = 80 * 2**20  # Ray's own least; nothing is stored there
_START_ATTEMPTS = 2  # of a replica, before a new cluster is given up


def run_cluster(
    *,
    scale: Scale,
    resources: Resources,
    flags: tuple[str, ...],
    environment: dict[str, str],
    ray_address: str | None,
    host: str,
    port: int,
    proxy_flags: Sequence[str],
) -> None:
    """Run replicas with a proxy in front, which listens on `host` and `port`, until a signal.

    `flags` and `environment` are those of each `tritonchat serve`, `proxy_flags` those of the proxy.
    `ray_address` is that of a Ray cluster; None: start one on this machine. Raises TritonchatError.
    """
    require(check_ports(host, {"--port": port}))
    click.echo("Starting Ray ..." if ray_address is None else f"Connecting to Ray at {ray_address} ...")
    with signals_as_interrupts(), scratch_folder() as folder, _ray(ray_address):
        proxy = None
        with signals_as_interrupts():  # Ray has put handlers of its own in their place
            settings = ReplicaSettings(flags, environment, os.getcwd())
            try:
                replicas = _deploy(scale, resources, settings)
                proxy = _Proxy(folder, proxy_flags, f"{browser_url(reachable_address(host), port)}/healthz")
                _watch(replicas, proxy, scale, resources, browser_url(host, port))
            except KeyboardInterrupt:
                click.echo("\nStopping after the running answers (Ctrl-C again cancels them) ...")
            finally:
                try:
                    if proxy is not None:
                        proxy.stop()
                    _remove_replicas(ray_address is not None)
                except KeyboardInterrupt:
                    pass
                finally:
                    if proxy is not None:
                        proxy.kill()
    click.echo("Stopped.")


@contextmanager
def _ray(address: str | None) -> Iterator[None]:
    """A connection to Ray within the block. Without an address, Ray runs on this machine, for this user."""
    # Ray reads these when it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    temporary = None
    if address is None:
        # Ray would listen on all addresses of this machine. This variable is named for other systems.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        # Sockets lie in it, and the path of a socket has at most 108 bytes (unix(7)).
        temporary = Path(tempfile.mkdtemp(prefix="tritonchat-ray-", dir="/tmp"))
    import ray
    import ray.serve

    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            ray.init(
                _node_ip_address=LOOPBACK,
                _temp_dir=str(temporary),
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE,
                **quiet,
            )
        else:
            ray.init(address=address, **quiet)
        yield
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise TritonchatError(f"Ray cannot be used: {str(error).strip().splitlines()[0]}") from error
    finally:
        ray.shutdown()
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def desired_replicas(context: Any) -> tuple[float, dict[str, Any]]:
    """The number of replicas for the running and waiting requests: Ray Serve's policy asks this.

    Ray Serve keeps it within the limits, and waits before it changes the number.
    """
    requests = context.aggregated_metrics.get(REQUESTS, {})
    return math.ceil(sum(requests.values()) / context.config.target_ongoing_requests), {}


def _deploy(scale: Scale, resources: Resources, settings: ReplicaSettings) -> Any:
    """Let Ray Serve start the replicas; a handle to all of them."""
    from ray import serve

    serve.start(proxy_location="Disabled", logging_config={"log_level": "ERROR"})
    if APPLICATION in serve.status().applications:
        raise TritonchatError("another `tritonchat cluster` uses this Ray; end that one first.")
    number: dict[str, Any] = {"num_replicas": scale.low}
    if scale.low < scale.high:
        number = {
            "autoscaling_config": {
                "min_replicas": scale.low,
                "max_replicas": scale.high,
                "target_ongoing_requests": scale.requests,
                "upscale_delay_s": scale.up_s,
                "downscale_delay_s": scale.down_s,
                "look_back_period_s": 12.0,  # Ray Serve hears every 10 s
                "policy": {"policy_function": desired_replicas},
            }
        }
    taken = {"num_cpus": resources.cpus, "num_gpus": resources.gpus, "memory": resources.memory}
    deployment = serve.deployment(
        ServerReplica,
        name="server",
        ray_actor_options={name: value for name, value in taken.items() if value or name == "num_cpus"},
        health_check_period_s=_HEALTH_S,
        graceful_shutdown_timeout_s=STOP_S + 10,
        max_constructor_retry_count=_START_ATTEMPTS,
        logging_config={"log_level": "ERROR"},
        **number,
    )
    target = serve.RunTarget(deployment.bind(settings), name=APPLICATION, route_prefix=None)
    (handle,) = serve.run_many([target], wait_for_applications_running=False)
    return handle


class _Proxy:
    """The proxy, in a process of its own, which is started again if it ends."""

    def __init__(self, folder: Path, flags: Sequence[str], health: str) -> None:
        """`health`: the URL that answers when it runs."""
        self._restarts, self._flags, self._health = Restarts(folder), flags, health
        self.file, self._log = folder / "servers.json", folder / "proxy.log"
        self._process = self._launch()

    def _launch(self) -> ChildProcess:
        command = [sys.executable, "-m", "triton_server", "proxy", f"--servers={self.file}"]
        is_up = partial(is_responding, self._health)
        return launch("the proxy", [*command, *self._flags], {}, self._log, is_up)

    def keep_running(self) -> None:
        """Start it again if it has ended. Raises TritonchatError if it ends too often."""
        if self._process.has_ended():
            ending = f"the proxy stopped by itself ({self._process.describe_exit()})"
            if (delay_s := self._restarts.add("proxy")) is None:
                raise TritonchatError(f"{ending} too often; {self._log} may say why.")
            click.echo(f"{ending}, and is started again.", err=True)
            time.sleep(delay_s)
            self._process = self._launch()

    def stop(self) -> None:
        """End it after its running answers."""
        self._process.stop(_PROXY_GRACE_S)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


def _watch(replicas: Any, proxy: _Proxy, scale: Scale, resources: Resources, url: str) -> NoReturn:
    """Tell the proxy of replicas that come and go. Raises TritonchatError if they cannot start."""
    misses: dict[str, int] = {}  # by the addresses of the replicas that the proxy has
    is_waiting = False
    while True:
        addresses = _ask_addresses(replicas)
        misses = {address: 0 if address in addresses else count + 1 for address, count in misses.items()}
        gone = [address for address, count in misses.items() if count == _MAX_MISSES]
        new = [address for address in addresses if address not in misses]
        if new or gone:
            if not misses and new:
                click.echo(f"OpenAI's API at {url}/v1, in front of the replicas   (Ctrl-C ends all)")
            change_fleet(proxy.file, lambda fleet: fleet.with_servers(new, fleet.version).without(gone))  # noqa: B023
            misses = {a: count for a, count in misses.items() if a not in gone} | dict.fromkeys(new, 0)
            for word, changed in (("ready", new), ("gone", gone)):
                for address in changed:
                    click.echo(f"{address} is {word}; replicas: {len(misses)}")
        if len(misses) < scale.low:
            is_waiting, was_waiting = _NO_ROOM in _read_problem(), is_waiting
            if is_waiting and not was_waiting:
                click.echo(_explain_waiting(resources), err=True)
        proxy.keep_running()
        time.sleep(_POLL_S)


def _ask_addresses(replicas: Any) -> list[str]:
    """The addresses of the servers of all replicas that are ready."""
    from ray.serve.exceptions import DeploymentUnavailableError

    try:
        answers = replicas.broadcast("describe").results(timeout_s=_ANSWER_S, return_exceptions=True)
    except (DeploymentUnavailableError, TimeoutError):
        return []
    return sorted(answer for answer in answers if isinstance(answer, str))


def _read_problem() -> str:
    """What Ray says of replicas that do not start. Raises TritonchatError if it has given up."""
    from ray import serve

    status = serve.status().applications[APPLICATION]
    text = "\n".join([status.message, *(one.message for one in status.deployments.values())])
    if status.status.value == "DEPLOY_FAILED":
        reasons = re.findall(r"TritonchatError: (.+)", text)
        raise TritonchatError(f"a server did not start: {reasons[-1] if reasons else text}")
    return text


def _explain_waiting(resources: Resources) -> str:
    """What is missing, if no node has room for a replica."""
    memory = f", {resources.memory / 2**30:.1f} GiB of memory" if resources.memory else ""
    cards = f", {resources.gpus:g} graphics cards" if resources.gpus else ""
    return (
        f"No node has room for another replica ({resources.cpus:g} cores{cards}{memory}): add one with "
        "`ray start --address`, or ask for less (--cpus, --gpus, --memory)."
    )


def _remove_replicas(is_shared: bool) -> None:
    """End the replicas; in a Ray that goes on, also Ray Serve if it has nothing else to do."""
    from ray import serve

    with suppress(TimeoutError):
        serve.delete(APPLICATION)
    if is_shared and not set(serve.status().applications) - {APPLICATION}:
        serve.shutdown()
