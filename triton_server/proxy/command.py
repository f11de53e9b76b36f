"""The command `tritonchat proxy`."""

import logging

import click

from model_core.errors import TritonchatError

from ..hosts import browser_url
from ..options import PORT, MemorySize, host_option, option


@click.command()
@option(
    "--replica",
    "replicas",
    multiple=True,
    required=True,
    help="HTTP address of a server, such as http://10.0.0.2:8080; may be repeated. In the environment, "
    "spaces separate them.",
)
@host_option
@option("--port", type=PORT, default=8090, help="Of the proxy.")
@option("--max-body", "max_body_bytes", type=MemorySize(), default="4MiB", help="Maximum size of a request.")
@option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0),
    default=60.0,
    help="Seconds that a request waits while no server is ready.",
)
def proxy(replicas: tuple[str, ...], host: str, port: int, max_body_bytes: int, wait_s: float) -> None:
    """One address in front of several servers, which goes on with an answer whose server dies.

    Requests of one conversation go to the same server, unless it has too many. The servers must have the
    same models, keys and database.
    """
    import uvicorn

    from .app import Proxy
    from .replicas import Replicas

    urls = [url.rstrip("/") for url in replicas]
    for url in urls:
        if not url.startswith(("http://", "https://")):
            raise TritonchatError(
                f"--replica {url} is no HTTP address; give one such as http://10.0.0.2:8080."
            )
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every request
    click.echo(
        f"OpenAI's API at {browser_url(host, port)}/v1, in front of {', '.join(urls)}   (Ctrl-C ends it)"
    )
    uvicorn.run(
        Proxy(Replicas(urls), max_body_bytes, wait_s),
        host=host,
        port=port,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,  # that of the server is passed on
        timeout_graceful_shutdown=20,
    )
