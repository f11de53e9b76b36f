"""The connection to an MCP server over streamable HTTP, with a limit of what it may send."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from .config import ServerEntry

_CONNECT_S = 10.0
# Before each GET. They only bring news, and the server says when the next one is due: at once, if it wants.
_PAUSE_S = 1.0
_NO_ACCESS = (401, 403)
# An answer as a stream may have progress beside the result, so it may be longer than the longest message.
_MAX_STREAM_SIZE = 4


class HttpTransport:
    """A server at a URL, as `async with` of StdioTransport. It has no process, so `ended` is never set."""

    def __init__(self, entry: ServerEntry, max_message: int) -> None:
        """`max_message`: bytes of the longest message that is read."""
        self._entry, self._max_message = entry, max_message
        self.ended, self.fault, self.junk = asyncio.Event(), "has closed the connection", 0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Any:
        """The streams of messages, as `mcp` wants them."""
        assert self._entry.url is not None
        client = httpx2.AsyncClient(
            headers={**self._entry.headers, "Accept-Encoding": "identity"},
            timeout=httpx2.Timeout(_CONNECT_S, read=None),  # each call has a time limit
            event_hooks={"request": [_slow_down], "response": [self._limit]},
        )
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(client)
            streams = await stack.enter_async_context(
                streamable_http_client(
                    self._entry.url, http_client=client, max_sse_event_size=self._max_message
                )
            )
            self._stack = stack.pop_all()
        return streams

    async def __aexit__(self, *error: Any) -> None:
        """Close the connection."""
        await self._stack.__aexit__(*error)

    async def _limit(self, response: httpx2.Response) -> None:
        if response.status_code in _NO_ACCESS:
            self.fault = f"has refused access with status {response.status_code}"
            raise httpx2.RequestError(self.fault, request=response.request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            self.fault = "has sent a compressed answer, whose size nobody knows"
            raise httpx2.DecodingError(self.fault, request=response.request)
        is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
        size = self._max_message * (_MAX_STREAM_SIZE if is_stream else 1)
        response.stream = _Limited(self, response.stream, size)

    def cut_off(self) -> httpx2.ReadError:
        """The error for an answer that is too long."""
        self.fault = f"has sent a message of more than {self._max_message} bytes (--mcp-max-result)"
        return httpx2.ReadError(self.fault)


async def _slow_down(request: httpx2.Request) -> None:
    if request.method == "GET":
        await asyncio.sleep(_PAUSE_S)


class _Limited(httpx2.AsyncByteStream):
    """The body of a response, which fails when it is too long."""

    def __init__(self, transport: HttpTransport, body: Any, size: int) -> None:
        self._transport, self._body, self._size = transport, body, size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._size
        async for part in self._body:
            left -= len(part)
            if left < 0:
                raise self._transport.cut_off()
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()
