"""The connection to an MCP server that is a child process: a line of JSON for each message.

The package `mcp` has such a transport, too. It takes lines of any length, passes on whatever comes, and its
servers outlive a service that is killed. Source: the specification of MCP, "Transports".
"""

import asyncio
import logging
import os
import time
from contextlib import suppress
from typing import Any, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)

from ...system.child_process import PipedProcess, launch_piped
from .config import ServerEntry

LOGGER = logging.getLogger(__name__)

# What servers get of this service's environment: how to find programs, the home of caches, and the language.
# Nothing else: the environment of a service may hold keys.
INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
# A server may say this much without being asked, in messages and as a multiple of the largest message.
_MAX_UNASKED, _MAX_UNASKED_SIZE, _MAX_REQUESTS = 10_000, 4, 50
_READ = 65536
_PAUSE_S = 0.01  # after each part of standard error, so that a flood there costs little
_TAIL = 2000  # bytes of standard error that are kept
_GRACE_S = 1.0  # for a server whose standard input has ended
_LAST_WORDS_S = 0.1  # for what it has written to standard error
_POLL_S = 0.02
_CHANGED = "notifications/tools/list_changed"

_Received: TypeAlias = SessionMessage | Exception


class StdioTransport:
    """A server as a child process, which starts with `async with` and ends with the block.

    Attributes:
        ended: set when nothing more can come from the server.
        fault: why, in words that follow the server's name.
        junk: how many lines were no messages since the last request.
    """

    def __init__(self, entry: ServerEntry, max_message: int) -> None:
        """`max_message`: bytes of the longest message that is read."""
        self._entry, self._max_message = entry, max_message
        self.ended, self.fault, self.junk = asyncio.Event(), "has ended", 0
        self._unasked = self._unasked_size = 0  # since the last request
        self._tail = b""
        self._tasks: list[asyncio.Task[None]] = []
        self._transports: list[Any] = []

    async def __aenter__(
        self,
    ) -> tuple[MemoryObjectReceiveStream[_Received], MemoryObjectSendStream[SessionMessage]]:
        """Start the server; return the streams of its messages, as `mcp` wants them. Raises OSError."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        assert self._entry.command is not None
        self._child = launch_piped(
            self._entry.command, {**inherited, **self._entry.environment}, self._entry.folder
        )
        try:
            await self._open_pipes(self._child)
        except BaseException:
            self._child.kill()
            raise
        self._received, received = anyio.create_memory_object_stream[_Received](0)
        sent, self._sent = anyio.create_memory_object_stream[SessionMessage](0)
        self._tasks = [
            asyncio.create_task(work) for work in (self._read(), self._write(), self._read_errors())
        ]
        return received, sent

    async def __aexit__(self, *_: object) -> None:
        """End the server, and all processes that it has started."""
        self._input.close()  # which asks it to end
        try:
            with anyio.CancelScope(shield=True):
                await self._wait_for_end()
                await asyncio.wait(self._tasks[2:], timeout=_LAST_WORDS_S)
        finally:
            for task in self._tasks:
                task.cancel()
            for transport in self._transports:
                transport.close()
            self._child.kill()
            self._received.close()
            self._sent.close()
        # For this log only: a server may tell of its keys there, and clients are told what is wrong with it.
        LOGGER.info(
            "The MCP server %s has ended; its last words: %s",
            self._entry.label,
            self._tail.decode(errors="replace").strip() or "none",
        )

    async def _open_pipes(self, child: PipedProcess) -> None:
        loop, process = asyncio.get_running_loop(), child.process

        async def open_reader(pipe: Any, limit: int) -> asyncio.StreamReader:
            reader = asyncio.StreamReader(limit)
            transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
            self._transports.append(transport)
            return reader

        self._output = await open_reader(process.stdout, self._max_message)
        self._errors = await open_reader(process.stderr, _READ)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, process.stdin)
        self._transports.append(transport)
        self._input = asyncio.StreamWriter(transport, protocol, None, loop)

    async def _read(self) -> None:
        """Pass on what the server says, until it ends or says too much."""
        try:
            while line := await self._read_line():
                if (message := self._parse(line)) is not None:
                    await self._received.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session is gone
        except ValueError as error:
            self.fault = str(error)
        else:
            await self._find_end()
        finally:
            self._received.close()
            self._tasks[1].cancel()  # it may wait for a server that does not read
            self._sent.close()
            self.ended.set()

    async def _read_line(self) -> bytes:
        """The next line; empty at the end. Raises ValueError with the fault of too long a one."""
        try:
            return await self._output.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError:
            raise ValueError(
                f"has sent a message of more than {self._max_message} bytes (--mcp-max-result)"
            ) from None

    def _parse(self, line: bytes) -> Any:
        """The message in a line; None if there is none, or nobody needs it.

        Raises ValueError with the fault of a server that says too much without being asked.
        """
        self._unasked += 1
        self._unasked_size += len(line)
        if self._unasked > _MAX_UNASKED or self._unasked_size > _MAX_UNASKED_SIZE * self._max_message:
            raise ValueError("has said too much that nobody has asked for")
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self.junk += bool(line.strip())
            return None
        if isinstance(message, JSONRPCRequest):  # each is a task for the session
            self._unasked += _MAX_UNASKED // _MAX_REQUESTS
        if isinstance(message, JSONRPCNotification) and message.method != _CHANGED:
            return None
        return message

    async def _find_end(self) -> None:
        """Say how the process has ended."""
        await self._wait_for_end()
        code = self._child.process.returncode
        self.fault = "has closed its output" if code is None else f"has ended with status {code}"

    async def _wait_for_end(self) -> None:
        """Wait a moment until the process has ended."""
        end = time.monotonic() + _GRACE_S
        while self._child.process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(_POLL_S)

    async def _write(self) -> None:
        """Send what the session says."""
        with suppress(OSError, anyio.ClosedResourceError):
            async for item in self._sent:
                if isinstance(item.message, JSONRPCRequest):
                    self.junk = self._unasked = self._unasked_size = 0
                data = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._input.write(data.encode() + b"\n")
                await self._input.drain()

    async def _read_errors(self) -> None:
        """Keep the last words on standard error."""
        while part := await self._errors.read(_READ):
            self._tail = (self._tail + part)[-_TAIL:]
            await asyncio.sleep(_PAUSE_S)
