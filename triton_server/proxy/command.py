"""The command `tritonchat proxy`."""

import logging
from pathlib import Path

import click

from model_core.errors import TritonchatError

from ..folders import data_folder
from ..hosts import LOOPBACK, browser_url, is_loopback
from ..options import PORT, MemorySize, host_option, open_option, option

file_option = option(
    "--servers",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the servers behind the proxy, which it reads again when it changes.  "
    "[default: servers.json in the folder for data]",
)
grpc_option = option(
    "--grpc-port",
    type=PORT,
    help="Of the proxy, for Triton's clients and the page: their gRPC is passed on, too.  [default: none]",
)


@click.command()
@option(
    "--replica",
    "replicas",
    multiple=True,
    help="HTTP address of a server, such as http://10.0.0.2:8080; may be repeated. In the environment, "
    "spaces separate them. Without it, the servers are those of the file --servers.",
)
@file_option
@host_option
@option("--port", type=PORT, default=8090, help="Of the proxy.")
@grpc_option
@open_option
@option("--max-body", "max_body_bytes", type=MemorySize(), default="4MiB", help="Maximum size of a request.")
@option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0),
    default=60.0,
    help="Seconds that a request waits while no server is ready.",
)
def proxy(
    replicas: tuple[str, ...],
    path: Path | None,
    host: str,
    port: int,
    grpc_port: int | None,
    open_to_all: bool,
    max_body_bytes: int,
    wait_s: float,
) -> None:
    """One address in front of several servers, which goes on with an answer whose server dies.

    Requests of one conversation go to the same server, unless it has too many. The servers must have the
    same models, keys and database. `tritonchat servers` adds and removes them while the proxy runs, and
    tries a new version on a part of the conversations.
    """
    import uvicorn

    from .app import Proxy
    from .fleet import check_url
    from .replicas import Replicas

    if replicas and path is not None:
        raise TritonchatError("give --replica or --servers: the file has the servers of the latter.")
    try:
        behind = Replicas([check_url(url) for url in replicas] or find_file(path))
    except ValueError as error:
        raise TritonchatError(f"--replica {error}") from error
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every request
    urls = ", ".join(replica.url for replica in behind.list_all())
    click.echo(
        f"OpenAI's API at {browser_url(host, port)}/v1, in front of "
        f"{urls or 'no servers yet: tritonchat servers add URL'}   (Ctrl-C ends it)"
    )
    grpc_address = None
    if grpc_port is not None:
        # Triton checks no key.
        grpc_address = f"{host if open_to_all or is_loopback(host) else LOOPBACK}:{grpc_port}"
        click.echo(f"Triton's models over gRPC at {grpc_address}")
    uvicorn.run(
        Proxy(behind, max_body_bytes, wait_s, grpc_address),
        host=host,
        port=port,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,  # that of the server is passed on
        timeout_graceful_shutdown=20,
    )


def find_file(path: Path | None) -> Path:
    """The file of the servers. By default it lies in the user's data folder."""
    return data_folder() / "servers.json" if path is None else path
