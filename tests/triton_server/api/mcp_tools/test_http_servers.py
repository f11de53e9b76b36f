"""MCP servers over streamable HTTP that misbehave, and what the service tells of them."""

import asyncio
import gzip
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from support import free_port
from test_tool_servers import with_server

from triton_server.api.mcp_tools import server as server_module
from triton_server.api.mcp_tools.config import ServerEntry
from triton_server.api.mcp_tools.server import ServerUnavailable, ToolServer

TOOLS = [{"name": "ask", "inputSchema": {"type": "object"}}]
SECRET = "Bearer hush"


class Hostile:
    """A server whose `ask` does what its argument `what` says, and that answers no DELETE."""

    def __init__(self, redirect_to: str | None = None, status: int | None = None) -> None:
        self.port, self.requests = free_port(), Counter[str]()
        self.keys: list[str | None] = []  # that came with requests
        self.is_deaf = False
        self._redirect_to, self._status = redirect_to, status
        routes = [Route("/mcp", self._answer, methods=["GET", "POST", "DELETE"])]
        config = uvicorn.Config(Starlette(routes=routes), port=self.port, log_level="critical")
        config.timeout_graceful_shutdown = 0
        self._server = uvicorn.Server(config)

    @property
    def entry(self) -> ServerEntry:
        url = f"http://127.0.0.1:{self.port}/mcp"
        return ServerEntry("web", url=url, headers={"Authorization": SECRET})

    async def __aenter__(self) -> "Hostile":
        self._running = asyncio.create_task(self._server._serve())
        while not self._server.started:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.should_exit = True
        await self._running

    async def _answer(self, request: Request) -> Response:
        self.requests[request.method] += 1
        self.keys.append(request.headers.get("authorization"))
        if self._redirect_to is not None:
            return RedirectResponse(self._redirect_to, 307)
        if self._status is not None:
            return Response(status_code=self._status)
        if request.method == "DELETE" or self.is_deaf:
            await asyncio.sleep(1000)
        if request.method == "GET":
            return Response("retry: 0\n\n", media_type="text/event-stream")
        message = await request.json()
        result = await self._find_result(message)
        if isinstance(result, Response):
            return result
        body = {"jsonrpc": "2.0", "id": message.get("id"), **result}
        return JSONResponse(body, headers={"Mcp-Session-Id": "1"})

    async def _find_result(self, message: dict[str, Any]) -> Any:
        params = message.get("params", {})
        match message["method"]:
            case "initialize":
                server = {"capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}
                return {"result": {"protocolVersion": params["protocolVersion"], **server}}
            case "tools/list":
                return {"result": {"tools": TOOLS}}
            case "tools/call":
                return await self._misbehave(params["arguments"]["what"])
            case method if method.startswith("notifications/"):
                return Response(status_code=202)
        return {"error": {"code": -32601, "message": "Method not found"}}

    async def _misbehave(self, what: str) -> Any:
        match what:
            case "deaf":
                self.is_deaf = True
                await asyncio.sleep(1000)
            case "gzip":
                bomb = gzip.compress(b" " * 2**24)
                return Response(bomb, media_type="application/json", headers={"Content-Encoding": "gzip"})
            case "endless":
                return StreamingResponse(_repeat(": x\n\n" * 1000), media_type="text/event-stream")
            case "resume":
                text = "id: 1\nretry: 0\ndata:\n\n"
                return Response(text, media_type="text/event-stream")
        return {"result": {"content": [{"type": "text", "text": "Done."}]}}


async def _repeat(text: str) -> AsyncIterator[str]:
    while True:
        yield text
        await asyncio.sleep(0)


def ask(server: ToolServer, what: str, time_s: float = 5) -> Awaitable[Any]:
    return server.call("ask", json.dumps({"what": what}), time_s)


def with_hostile(work: Callable[[ToolServer, Hostile], Awaitable[Any]], **options: Any) -> Any:
    """What `work` returns, with a connection to a hostile server."""
    hostile = Hostile(**options)

    async def run(server: ToolServer) -> Any:
        async with hostile:
            return await work(server, hostile)

    return with_server(hostile.entry, run, 2**16)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("gzip", "a compressed answer"),
        ("endless", "a message of more than"),
        ("resume", "not answered within"),
    ],
)
def test_a_bad_answer_is_the_result_of_its_call(what: str, words: str) -> None:
    async def work(server: ToolServer, hostile: Hostile) -> None:
        await server.list_tools()
        failed = await ask(server, what, 1)
        assert words in failed.failure.message and SECRET not in failed.failure.message
        assert (await ask(server, "good")).output == "Done."
        assert hostile.requests["GET"] <= 8  # it asks for the next one at once, each time

    with_hostile(work)


def test_a_server_that_never_ends_its_session_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_END_S", 0.2)

    async def work(server: ToolServer, hostile: Hostile) -> None:
        await server.list_tools()
        assert "not answered" in (await ask(server, "deaf", 0.2)).failure.message
        hostile.is_deaf = False
        assert (await ask(server, "good")).output == "Done."

    with_hostile(work)


def test_no_other_origin_gets_the_key() -> None:
    async def work(server: ToolServer, hostile: Hostile) -> None:
        with pytest.raises(ServerUnavailable, match=r"Redirect to http://127\.0\.0\.1:1/mcp not followed"):
            await server.list_tools()
        assert hostile.keys[0] == SECRET

    with_hostile(work, redirect_to="http://127.0.0.1:1/mcp?key=hidden")


def test_refused_access_is_named(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def work(server: ToolServer, hostile: Hostile) -> None:
        with pytest.raises(ServerUnavailable, match="has refused access with status 401"):
            await server.list_tools()

    with_hostile(work, status=401)
    assert "hush" not in caplog.text
