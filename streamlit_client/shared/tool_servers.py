"""The MCP servers of --mcp-config, which run in the page's process, for all its visitors.

The page gets answers over gRPC, which gives calls of tools and runs none. So it runs them here, by the code
of the HTTP service, with servers of its own: they start when somebody first lets a conversation use them.
"""

import asyncio
import json
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from triton_server.launch.page_process import TOOLS_VARIABLE

if TYPE_CHECKING:  # slow to import, and few pages have servers
    from triton_server.api.mcp_tools.calls import Call, Offer, Result
    from triton_server.api.mcp_tools.config import ServerEntry
    from triton_server.api.mcp_tools.servers import Limits, ToolServers

_LIST_S = 40.0  # for a server to start and to list its tools
Value = TypeVar("Value")


class RunningServers:
    """The servers, in an event loop of their own. The methods may be called from several threads."""

    def __init__(self, entries: "Sequence[ServerEntry]", limits: "Limits") -> None:
        """Nothing starts yet."""
        self.limits, self.labels = limits, [entry.label for entry in entries]
        self._entries, self._lock = entries, threading.Lock()
        self._servers: ToolServers | None = None
        self._loop = asyncio.new_event_loop()

    def list_offers(self, label: str) -> "list[Offer]":
        """The tools of a server, which is started if it does not run. Raises TritonchatError."""
        from triton_server.api.mcp_tools.servers import ServerRequest

        servers = self._start()
        # What the file says of approvals holds; where it says nothing, a person is asked.
        request = ServerRequest(label, "tools", approval=None)
        return self._submit(servers.offer(request)).result(_LIST_S)

    def run(self, call: "Call") -> "Future[Result]":
        """Begin to run a call. Every failure is its result."""
        return self._submit(self._start().run(call, self.limits.call_s))

    def _start(self) -> "ToolServers":
        from triton_server.api.mcp_tools.servers import ToolServers

        with self._lock:
            if self._servers is None:
                servers = ToolServers(self._entries, self.limits)
                threading.Thread(target=self._loop.run_forever, name="tool-servers", daemon=True).start()
                asyncio.run_coroutine_threadsafe(_start(servers), self._loop).result()
                self._servers = servers
            return self._servers

    def _submit(self, work: Coroutine[Any, Any, Value]) -> Future[Value]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


async def _start(servers: "ToolServers") -> None:
    servers.start()


@st.cache_resource(show_spinner=False)
def get_servers() -> RunningServers | None:
    """The servers of this process; None if there is no --mcp-config. Raises TritonchatError."""
    described: Mapping[str, Any] = json.loads(os.environ.get(TOOLS_VARIABLE) or "{}")
    if not described:
        return None
    from triton_server.api.mcp_tools.config import read_config
    from triton_server.api.mcp_tools.servers import Limits

    entries = read_config(Path(described["file"]))
    limits = Limits(described["rounds"], described["call_s"], described["total_s"], described["message"])
    return RunningServers(entries, limits) if entries else None
