"""Servers that a comparison asks, and that are away for a moment."""

import asyncio

import pytest
from support import free_port

from triton_server.replay.sides import RemoteSide
from triton_server.terminal.service import ServiceClient, ServiceError

ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
)


async def serve(port: int) -> asyncio.Server:
    """A server that answers each request with an empty object."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", port)


def test_server_that_restarts_is_asked_again():
    async def compare() -> None:
        port = free_port()
        with ServiceClient(f"http://127.0.0.1:{port}") as service:
            side = RemoteSide(service)
            server = await serve(port)
            assert await side.post("/v1/completions", {}) == {}
            server.close()
            await server.wait_closed()
            answer = asyncio.create_task(side.post("/v1/completions", {}))
            await asyncio.wait([answer], timeout=0.2)
            assert not answer.done()
            server = await serve(port)
            assert await answer == {}
            server.close()

    asyncio.run(compare())


def test_server_that_never_answered_is_named_at_once():
    service = ServiceClient(f"http://127.0.0.1:{free_port()}")
    with service, pytest.raises(ServiceError, match="no server answers"):
        asyncio.run(RemoteSide(service).post("/v1/completions", {}))
