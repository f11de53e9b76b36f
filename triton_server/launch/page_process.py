"""Starts the Streamlit page as a process of its own."""

import importlib.util
import json
import sys
from pathlib import Path

from ..settings.server import McpSettings
from ..system.child_process import ChildProcess, is_responding, launch
from ..system.hosts import join_port, reachable_address

TOOLS_VARIABLE = "TRITONCHAT_PAGE_TOOLS"  # tells the page of --mcp-config, as JSON


def launch_page(
    host: str,
    port: int,
    server: str,
    log: Path,
    login: Path | None = None,
    tools: McpSettings | None = None,
) -> ChildProcess:
    """Start the page for the server whose gRPC endpoint is `server`.

    `login` is a file with the settings of its login, which `page_login.read_login` has checked. `tools`:
    the MCP servers that conversations may use.
    """
    package = importlib.util.find_spec("streamlit_client")
    assert package is not None and package.origin is not None  # part of this distribution
    options = {
        "server.port": port,
        "server.address": host,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "viewer",
        # It shows values of bare expressions, of which the pages have none, and costs each run 80 ms.
        "runner.magicEnabled": "false",
        # A click right after another one would undo that, see streamlit_client/shared/callbacks.py.
        "runner.fastReruns": "false",
        "client.showErrorLinks": "false",  # they would send what went wrong to search engines
        # Streamlit's red looks like an error around the input. Colours for both themes keep both.
        "theme.light.primaryColor": "#2f5fc0",
        "theme.dark.primaryColor": "#7da2f0",
        # Captions have 60 % of this colour. Streamlit's own is too pale for WCAG's contrast of 4.5.
        "theme.light.textColor": "#0e1117",
    }
    if login is not None:
        options["secrets.files"] = login.resolve()
    flags = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    script = str(Path(package.origin).with_name("page.py"))
    return launch(
        "the page",
        [sys.executable, "-m", "streamlit", "run", script, *flags],
        {"TRITONCHAT_SERVER": server, TOOLS_VARIABLE: describe_tools(tools)},
        log,
        is_up=lambda: is_responding(f"http://{join_port(reachable_address(host), port)}/_stcore/health"),
    )


def describe_tools(settings: McpSettings | None) -> str:
    """The file of MCP servers and its limits, for the page; "" if there is none."""
    if settings is None or settings.mcp_config is None:
        return ""
    return json.dumps(
        {
            "file": str(settings.mcp_config.resolve()),
            "rounds": settings.mcp_max_rounds,
            "call_s": settings.mcp_call_time_s,
            "total_s": settings.mcp_total_time_s,
            "message": settings.mcp_max_result,
        }
    )
