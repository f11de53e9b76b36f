"""An MCP server that is kept running: its tools, and calls of them."""

import asyncio
import json
import logging
import math
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp
import mcp_types
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from model_core.checks.request_values import shorten
from model_core.requests.messages import Tool as ModelTool

from ...system.waiting import wait_for_event
from .calls import Failure, Result, Tool
from .config import ServerEntry
from .http import HttpTransport
from .stdio import StdioTransport

if sys.version_info < (3, 11):
    from exceptiongroup import BaseExceptionGroup  # which anyio needs, too

LOGGER = logging.getLogger(__name__)

_START_S = 30.0  # until a server has listed its tools
_PROBE_S = 5.0  # for the list, after a call that has taken too long
_FIRST_DELAY_S, _MAX_DELAY_S = 0.2, 60.0  # before a restart; each delay is twice the one before
_SHORT_DELAY_S = 1.0  # a delay below is not worth refusing a request for
_STABLE_S = 60.0  # a server that has run so long has not failed at the start
_END_S = 3.0  # for a server to end
_LIST_AGE_S = 60.0  # after which the tools are listed again; many servers do not say that they have changed
_MAX_TOOLS, _MAX_PAGES = 512, 32
_MAX_WORDS = 500  # characters of an error
_RESULT: TypeAdapter[Any] = TypeAdapter(mcp_types.CallToolResult | mcp_types.InputRequiredResult)


class ServerUnavailable(Exception):
    """A server does not run. The message follows its name."""


@dataclass
class _Connection:
    """A server from its start to its end, with its tools.

    Attributes:
        broken: set when it must be started again.
        listed: when the tools were listed.
        changes: how often the server has said that they have changed; `seen_changes` before they were listed.
    """

    client: mcp.Client
    transport: StdioTransport | HttpTransport
    tools: tuple[Tool, ...] = ()
    broken: asyncio.Event = field(default_factory=asyncio.Event)
    listed: float = 0.0
    changes: int = 0
    seen_changes: int = -1

    def knows_tools(self) -> bool:
        """Whether the tools are as they were a moment ago."""
        return self.seen_changes == self.changes and time.monotonic() - self.listed < _LIST_AGE_S


class ToolServer:
    """One MCP server. `run` keeps it running; the other methods may be called meanwhile, by many requests."""

    def __init__(self, entry: ServerEntry, max_message: int) -> None:
        """`max_message`: bytes of the longest message that is read of it."""
        self.entry, self._max_message = entry, max_message
        self._connection: _Connection | None = None
        self._settled = asyncio.Event()  # whether the present try to start it has ended, in whatever way
        self._fault = "is starting"
        self._delay = _FIRST_DELAY_S  # before the next restart
        self._has_answered = False  # a call, since the last start
        self._listing = asyncio.Lock()
        self._probes: set[asyncio.Task[None]] = set()  # a loop forgets tasks that nobody holds

    async def run(self) -> None:
        """Start the server, and start it again when it ends, until this is cancelled."""
        while True:
            start, self._has_answered = time.monotonic(), False
            kind = HttpTransport if self.entry.command is None else StdioTransport
            transport = kind(self.entry, self._max_message)
            try:
                await self._run_once(transport)
            except Exception as error:
                self._fault = _explain(transport, error)
            self._connection = None
            if time.monotonic() - start > _STABLE_S:
                self._delay = _FIRST_DELAY_S
            self._settle_failure()
            label, delay = self.entry.label, self._delay
            LOGGER.warning("The MCP server %s %s; it is started again in %.1f s", label, self._fault, delay)
            await asyncio.sleep(delay)
            self._delay = min(2 * delay, _MAX_DELAY_S)
            self._settled.clear()

    async def list_tools(self) -> tuple[Tool, ...]:
        """The tools as they are now. Raises ServerUnavailable."""
        connection = await self._wait_for_connection(_START_S)
        async with self._listing:
            if not connection.knows_tools():
                try:
                    await asyncio.wait_for(self._fetch_tools(connection), _START_S)
                except Exception as error:
                    fault = _explain(connection.transport, error)
                    self._break(connection, fault)
                    raise ServerUnavailable(fault) from error
        return connection.tools

    async def call(self, name: str, arguments: str, time_s: float) -> Result:
        """Call a tool, for at most `time_s` seconds. Every failure is the result; nothing is raised.

        Where this is cancelled, the server is started again if it does not answer any more.
        """
        try:
            fields = from_json(arguments, allow_inf_nan=False) if arguments.strip() else {}
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            return _fail("the arguments are no JSON object", mcp_types.INVALID_PARAMS)
        end = time.monotonic() + time_s
        try:
            connection = await self._wait_for_connection(time_s)
        except ServerUnavailable as error:
            return _fail(f"the MCP server {self.entry.label} {error}")
        try:
            return await asyncio.wait_for(self._call(connection, name, fields), end - time.monotonic())
        except (asyncio.TimeoutError, TimeoutError):
            junk = connection.transport.junk
            await self._probe(connection, time_s)
            more = f"; it has sent {junk} lines that are no JSON-RPC" if junk else ""
            return _fail(f"the MCP server {self.entry.label} has not answered within {time_s:.3g} s{more}")
        except asyncio.CancelledError:
            # A tool that hangs may hold up the others.
            probe = asyncio.create_task(self._probe(connection, time_s))
            self._probes.add(probe)
            probe.add_done_callback(self._probes.discard)
            raise
        except Exception as error:
            return self._fail_call(connection, error)

    async def _run_once(self, transport: StdioTransport | HttpTransport) -> None:
        """Start the server and wait until it ends. Raises whatever its start raises."""
        is_started = False

        async def handle(message: Any) -> None:
            if isinstance(message, mcp_types.ToolListChangedNotification):
                connection.changes += 1

        connection = _Connection(mcp.Client(transport, cache=None, message_handler=handle), transport)
        with anyio.CancelScope(deadline=anyio.current_time() + _START_S) as scope:
            async with connection.client:
                await self._fetch_tools(connection)
                is_started, scope.deadline = True, math.inf
                self._connection, self._fault = connection, "has ended"
                self._settled.set()
                await _wait_for_one(transport.ended, connection.broken)
                if transport.ended.is_set():
                    self._break(connection, transport.fault)
                # A server over HTTP may never answer that the session has ended.
                scope.deadline = anyio.current_time() + _END_S
        if not is_started:
            raise ServerUnavailable(f"has not listed its tools within {_START_S:g} s")

    async def _wait_for_connection(self, time_s: float) -> _Connection:
        """The connection to the server, after at most `time_s` seconds. Raises ServerUnavailable."""
        if self._connection is None:
            await wait_for_event(self._settled, time_s)
        if self._connection is None:
            raise ServerUnavailable(f"{self._fault}; it is started again after a while")
        return self._connection

    async def _fetch_tools(self, connection: _Connection) -> None:
        """List the tools. Those that no model can be given are left out, and the log names them."""
        tools: list[Tool] = []
        cursor, now, changes = None, time.monotonic(), connection.changes
        for _ in range(_MAX_PAGES):
            page = await connection.client.list_tools(cursor=cursor)
            tools += (tool for tool in map(self._read_tool, page.tools) if tool is not None)
            cursor = page.next_cursor
            if cursor is None:
                break
        if cursor is not None or len(tools) > _MAX_TOOLS:
            raise ServerUnavailable(f"lists more than {_MAX_TOOLS} tools, or on more than {_MAX_PAGES} pages")
        unique = tuple({tool.name: tool for tool in tools}.values())
        if unique != connection.tools:
            LOGGER.info("The MCP server %s has %d tools", self.entry.label, len(unique))
        connection.tools, connection.listed, connection.seen_changes = unique, now, changes

    def _read_tool(self, tool: mcp_types.Tool) -> Tool | None:
        try:
            ModelTool(name="name", description=tool.description, parameters=tool.input_schema)
        except ValidationError:
            LOGGER.warning("%s of the MCP server %s is wrong", shorten(tool.name), self.entry.label)
            return None
        annotations = tool.annotations and tool.annotations.model_dump(by_alias=True, exclude_none=True)
        return Tool(tool.name, tool.description, tool.input_schema, annotations)

    async def _call(self, connection: _Connection, name: str, fields: dict[str, Any]) -> Result:
        # Not client.call_tool: it checks results against the server's schema, in the loop of all requests,
        # with whatever regular expressions the server has put there.
        params = mcp_types.CallToolRequestParams(name=name, arguments=fields)
        request = mcp_types.CallToolRequest(params=params)
        result = await connection.client.session.send_request(request, _RESULT)
        self._has_answered = True
        if not isinstance(result, mcp_types.CallToolResult):
            return _fail("the tool asks for input, which nobody can give here")
        if result.is_error:
            content = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
            return Result(failure=Failure.from_dict({"content": content}))
        return Result(render_content(result))

    async def _probe(self, connection: _Connection, time_s: float) -> None:
        """Let the server be started again if it does not answer any more."""
        try:
            await asyncio.wait_for(connection.client.list_tools(), min(_PROBE_S, time_s))
        except Exception:
            self._break(connection, "does not answer")

    def _break(self, connection: _Connection, fault: str) -> None:
        """Let the server be started again, unless somebody has seen to that."""
        if connection is self._connection:
            self._connection, self._fault = None, fault
            self._settle_failure()
            connection.broken.set()

    def _settle_failure(self) -> None:
        """Let requests wait for the server if it is started again soon; otherwise they fail."""
        if self._has_answered:
            self._delay = _FIRST_DELAY_S
        if self._delay < _SHORT_DELAY_S:
            self._settled.clear()
        else:
            self._settled.set()

    def _fail_call(self, connection: _Connection, error: Exception) -> Result:
        """The result of a call that has failed. A connection that has failed is opened again."""
        is_answer = isinstance(error, mcp.MCPError) and error.code != mcp_types.CONNECTION_CLOSED
        code = error.code if isinstance(error, mcp.MCPError) else mcp_types.INTERNAL_ERROR
        if is_answer:
            connection.changes += 1  # it may not know the tool any more
            return _fail(_shorten(str(error)), code)
        fault = _explain(connection.transport, error)
        if not isinstance(error, ValidationError):
            self._break(connection, fault)
        return _fail(f"the MCP server {self.entry.label} {fault}", code)


def _explain(transport: StdioTransport | HttpTransport, error: BaseException) -> str:
    """What has failed, in words that follow the server's name."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ServerUnavailable):
        return str(error)
    if isinstance(error, ValidationError):
        return "has sent a result that is none"
    is_closed = isinstance(error, mcp.MCPError) and error.code == mcp_types.CONNECTION_CLOSED
    if is_closed or str(error) == transport.fault:
        return transport.fault
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return "does not answer"
    return f"cannot be reached: {_shorten(str(error) or type(error).__name__)}"


async def end_task(task: asyncio.Task[None]) -> None:
    """End the task of `run`. An error while a connection is closed may hide that it was cancelled."""
    while not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=_END_S)


def render_content(result: mcp_types.CallToolResult) -> str:
    """What a model can be shown of a result: its text, and what else there is by its kind."""
    parts = []
    for block in result.content:
        match block:
            case mcp_types.TextContent(text=text):
                parts.append(text)
            case mcp_types.EmbeddedResource(resource=mcp_types.TextResourceContents(text=text)):
                parts.append(text)
            case mcp_types.ResourceLink(uri=uri, name=name):
                parts.append(f"{name}: {uri}")
            case _:
                parts.append(f"[{block.type} is left out: models are shown text only]")
    if not parts and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(parts)


async def _wait_for_one(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _fail(message: str, code: int = mcp_types.INTERNAL_ERROR) -> Result:
    return Result(failure=Failure(f"{message}.", code=code))


def _shorten(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _MAX_WORDS else f"{line[:_MAX_WORDS]}..."
