"""The command `tritonchat mcp`: a running service as an MCP server on standard input and output."""

from importlib.util import find_spec

import click

from model_core.errors import TritonchatError

from ..options.flags import option
from ..system.extras import install_command


@click.command()
@option(
    "--server",
    envvar="TRITONCHAT_API_URL",
    default="127.0.0.1:8080",
    help="URL of the HTTP service; https://... for TLS.",
)
@option("--api-key", help="The key, if the service needs one; safer in the environment.")
def mcp(server: str, api_key: str | None) -> None:
    """Let an agent use a running server: an MCP server on standard input and output.

    Its tools are chat, complete, embed, rerank and choose. Agents start it by themselves, for example from
    a file with {"mcpServers": {"tritonchat": {"command": "tritonchat", "args": ["mcp"]}}}.
    """
    if find_spec("mcp") is None:
        raise TritonchatError(f"this command needs more packages: {install_command('mcp')}")
    from .mcp_server import make_server
    from .service import ServiceClient

    with ServiceClient(server, api_key) as service:
        make_server(service).run("stdio")
