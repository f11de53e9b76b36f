"""All MCP servers of the service, and what a request asks of them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...contract.request_fields import BATCH_CLIENT
from ...tracing.spans import OPERATION, SPAN, traced
from ..errors import ApiError, unsupported
from .calls import Call, Offer, Result, Tool
from .config import Approval, ServerEntry

if TYPE_CHECKING:
    from .server import ToolServer

_CALL = "tools/call"  # the method of MCP


@dataclass(frozen=True)
class Limits:
    """How much tools may do in an answer.

    Attributes:
        rounds: how often the model may call tools and go on.
        call_s, total_s: seconds of a call, and of all of an answer together with what the model computes.
        message: bytes of the longest message of a server.
    """

    rounds: int
    call_s: float
    total_s: float
    message: int


@dataclass(frozen=True)
class ServerRequest:
    """What a request wants of a server.

    Attributes:
        label: of the server.
        param: the field of the request, for errors.
        allowed: the names of the tools that the model may call; None: all.
        read_only: only tools that, as the server says, change nothing.
        approval: what the request says of all tools; None: nothing.
        approvals: what it says of single tools.
    """

    label: str
    param: str
    allowed: frozenset[str] | None = None
    read_only: bool = False
    approval: Approval | None = None
    approvals: Mapping[str, Approval] = field(default_factory=dict)

    def selects(self, tool: Tool) -> bool:
        """Whether the model may call a tool."""
        return (self.allowed is None or tool.name in self.allowed) and (
            tool.is_read_only or not self.read_only
        )


def check_caller(client: str, param: str) -> None:
    """Raises ApiError for a request of a batch: it may run twice, and nobody knows what tools change."""
    if client == BATCH_CLIENT:
        message = "a batch may send a request twice, so it calls no tools of MCP servers; leave them out."
        raise unsupported(param, message)


class ToolServers:
    """The MCP servers of the service. Between `start` and `stop` they run."""

    def __init__(self, entries: Sequence[ServerEntry], limits: Limits) -> None:
        """Nothing starts yet. Without entries there is nothing to start."""
        self.limits = limits
        self._servers: dict[str, ToolServer] = {}
        self._tasks: list[asyncio.Task[None]] = []
        if entries:
            # The package `mcp` takes a second to import, and only services with servers need it.
            from . import server

            self._servers = {entry.label: server.ToolServer(entry, limits.message) for entry in entries}

    @property
    def labels(self) -> list[str]:
        """The names of the servers."""
        return [*self._servers]

    def start(self) -> None:
        """Start all servers. Nobody waits for them: a request waits for those that it needs."""
        self._tasks = [asyncio.create_task(server.run()) for server in self._servers.values()]

    async def stop(self) -> None:
        """End all servers."""
        if self._tasks:
            from . import server

            await asyncio.gather(*map(server.end_task, self._tasks))

    def find_url(self, url: str) -> str | None:
        """The name of the server at a URL; None if there is none."""
        return next((label for label, server in self._servers.items() if server.entry.url == url), None)

    async def offer(self, request: ServerRequest) -> list[Offer]:
        """The tools of a server for a request.

        Raises ApiError: 400 for an unknown server or tool, 503 for a server that does not run.
        """
        from .server import ServerUnavailable

        server = self._servers.get(request.label)
        if server is None:
            names = ", ".join(map(repr, self._servers)) or "none"
            message = f"there is no MCP server {request.label[:80]!r} here; this service has {names}."
            raise ApiError(400, message, "unknown_mcp_server", request.param)
        try:
            tools = await server.list_tools()
        except ServerUnavailable as error:
            message = f"the MCP server {request.label} {error}."
            raise ApiError(503, message, "mcp_server_unavailable", request.param) from None
        if missing := sorted((request.allowed or frozenset()) - {tool.name for tool in tools}):
            message = f"the MCP server {request.label} has no tool {missing[0][:80]!r}."
            raise ApiError(400, message, "unknown_mcp_tool", request.param)
        return [
            Offer(request.label, tool, self._find_approval(server.entry, request, tool.name))
            for tool in tools
            if request.selects(tool)
        ]

    async def run(self, call: Call, time_s: float) -> Result:
        """Run a call, for at most `time_s` seconds. Every failure is the result."""
        request = SPAN.get()
        parent = None if request is None else request.traceparent
        with traced(f"{_CALL} {call.name}", "CLIENT", parent) as span:
            if span is not None:
                about = {"mcp.method.name": _CALL, OPERATION: "execute_tool", "gen_ai.tool.name": call.name}
                span.note({**about, "tritonchat.mcp_server": call.server})
            result = await self._servers[call.server].call(call.name, call.arguments, time_s)
            if span is not None and result.failure is not None:
                is_own = result.failure.content is not None  # the tool itself says that it has failed
                span.fail("tool_error" if is_own else str(result.failure.code))
            return result

    def _find_approval(self, entry: ServerEntry, request: ServerRequest, tool: str) -> Approval:
        """The strictest of what the file and the request say; a person must approve where neither does."""
        said = entry.approval_of(tool), request.approvals.get(tool, request.approval)
        return "never" if "never" in said and "always" not in said else "always"
