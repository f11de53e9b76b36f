"""The command `tritonchat proxy`."""

import logging
from pathlib import Path
from typing import Any

import click

from model_core.errors import TritonchatError

from ..options.flags import setting_flags
from ..settings.base import CommandSettings, setting
from ..settings.server import AddressSettings, FrontSettings, TraceSettings
from ..settings.values import NewFile, Port, Texts
from ..system.folders import data_folder
from ..system.hosts import LOOPBACK, believes_proxies, browser_url, is_loopback, join_port


class FleetSettings(CommandSettings):
    """Which servers are behind a proxy."""

    path: NewFile | None = setting(None, key="servers", shown="servers.json in the folder for data")
    """File of the servers behind the proxy, which it reads again when it changes."""

    @property
    def file(self) -> Path:
        """The file of the servers. By default it lies in the user's data folder."""
        return data_folder() / "servers.json" if self.path is None else self.path


class ProxyAddressSettings(AddressSettings):
    """Where a proxy listens."""

    port: Port = 8090
    """Of the proxy."""
    grpc_port: Port | None = setting(None, shown="none")
    """Of the proxy, for Triton's clients and the page: their gRPC is passed on, too."""


class ProxySettings(ProxyAddressSettings, FrontSettings, TraceSettings, FleetSettings):
    """The settings of `tritonchat proxy`."""

    replicas: Texts = setting((), key="replica")
    """HTTP address of a server, such as http://10.0.0.2:8080; may be repeated. In the environment, spaces
    separate them. Without it, the servers are those of the file --servers."""
    wait_s: float = setting(60.0, key="wait", ge=0)
    """Seconds that a request waits while no server is ready."""


@click.command()
@setting_flags(ProxySettings)
def proxy(settings: ProxySettings) -> None:
    """One address in front of several servers, which goes on with an answer whose server dies.

    Requests of one conversation go to the same server, unless it has too many. The servers must have the
    same models, keys and database. `tritonchat servers` adds and removes them while the proxy runs, and
    tries a new version on a part of the conversations. The servers check the keys; with those of --api-key,
    the proxy checks them for its own /metrics and /replicas.
    """
    from ..system.http_protocol import serve
    from ..tracing.export import exported_spans
    from .access import ProxyAccess
    from .app import Proxy
    from .fleet import check_url
    from .replicas import Replicas

    if settings.replicas and settings.path is not None:
        raise TritonchatError("give --replica or --servers: the file has the servers of the latter.")
    try:
        behind = Replicas([check_url(url) for url in settings.replicas] or settings.file)
    except ValueError as error:
        raise TritonchatError(f"--replica {error}") from error
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every request
    host, port = settings.host, settings.port
    urls = ", ".join(replica.url for replica in behind.list_all())
    click.echo(
        f"OpenAI's API at {browser_url(host, port)}/v1, in front of "
        f"{urls or 'no servers yet: tritonchat servers add URL'}   (Ctrl-C ends it)"
    )
    grpc_address = None
    if settings.grpc_port is not None:
        # Triton checks no key.
        grpc_host = host if settings.open_to_all or is_loopback(host) else LOOPBACK
        grpc_address = join_port(grpc_host, settings.grpc_port)
        click.echo(f"Triton's models over gRPC at {grpc_address}")
    keys = [key.get_secret_value() for key in settings.api_keys]
    access = ProxyAccess(host, keys, settings.open_to_all)
    largest = settings.max_body_bytes + settings.max_body_images_bytes  # the servers tell both apart
    app = Proxy(behind, largest, settings.wait_s, grpc_address, access)
    with exported_spans(settings.otlp_endpoint, "proxy"):
        serve(**uvicorn_options(app, host, port, settings.keep_alive_timeout_s))


def uvicorn_options(app: Any, host: str, port: int, keep_alive_timeout_s: float) -> dict[str, Any]:
    """The arguments of uvicorn.Config for the proxy."""
    from ..system.http_protocol import HttpProtocol

    return {
        "app": app,
        "host": host,
        "port": port,
        "http": HttpProtocol,
        "ws": "none",
        "proxy_headers": believes_proxies(),
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "date_header": False,  # that of the server is passed on
        "timeout_keep_alive": keep_alive_timeout_s,
        "timeout_graceful_shutdown": 20,
    }
