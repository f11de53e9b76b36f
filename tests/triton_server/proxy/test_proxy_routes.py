"""What the proxy sends twice, to which server, and who may read what it says of itself."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from http_service import list_routes
from starlette.types import Message, Scope

from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.proxy.access import ProxyAccess
from triton_server.proxy.affinity import find_key, read_fields
from triton_server.proxy.app import Proxy
from triton_server.proxy.command import uvicorn_options
from triton_server.proxy.kserve_bodies import find_kserve_key
from triton_server.proxy.replicas import Replicas
from triton_server.proxy.routes import REPEATABLE

# Routes of the HTTP service that change something. A new route is in neither list, so the test fails.
CHANGING = {
    "POST /v1/responses",
    "POST /v1/responses/{response_id}/cancel",
    "DELETE /v1/responses/{response_id}",
    "POST /v1/conversations",
    "POST /v1/conversations/{conversation_id}",
    "DELETE /v1/conversations/{conversation_id}",
    "POST /v1/conversations/{conversation_id}/items",
    "DELETE /v1/conversations/{conversation_id}/items/{item_id}",
    "POST /sessions",
    "PUT /sessions/{id}",
    "DELETE /sessions/{id}",
    "PUT /sessions/{id}/revert",
    "PUT /sessions/{id}/generate",
    "POST /createSession",
    "PUT /generate/{id}",
    "PUT /revert/{id}",
    "DELETE /removeSession/{id}",
    "PUT /conversations/{id}",
    "POST /v1/load_lora_adapter",
    "POST /v1/unload_lora_adapter",
    "POST /v1/prompts",
    "DELETE /v1/prompts/{name}",
    "POST /v1/files",
    "DELETE /v1/files/{file_id}",
    "POST /v1/batches",
    "POST /v1/batches/{batch_id}/cancel",
    "POST /v1/vector_stores",
    "POST /v1/vector_stores/{store_id}",
    "DELETE /v1/vector_stores/{store_id}",
    "POST /v1/vector_stores/{store_id}/files",
    "POST /v1/vector_stores/{store_id}/files/{file_id}",
    "DELETE /v1/vector_stores/{store_id}/files/{file_id}",
    "POST /v1/vector_stores/{store_id}/file_batches",
    "POST /v1/vector_stores/{store_id}/file_batches/{batch_id}/cancel",
    "POST /api/pull",
    "POST /api/create",
    "POST /api/copy",
    "POST /api/push",
    "DELETE /api/delete",
    "POST /api/blobs/{digest}",
}


@contextlib.asynccontextmanager
async def failing_server() -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that reads a request and closes the connection: its address, and the requests it has got."""
    requests: list[bytes] = []

    async def fail(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    async with await asyncio.start_server(fail, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", requests


@contextlib.asynccontextmanager
async def proxy_of(
    *urls: str, access: ProxyAccess | None = None
) -> AsyncIterator[tuple[Replicas, httpx.AsyncClient]]:
    """The servers of a proxy, and a client of it."""
    replicas = Replicas(urls)
    for replica in replicas.list_all():
        replica.is_ready = True
    transport = httpx.ASGITransport(Proxy(replicas, 2**20, 0, access=access), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield replicas, client
    await replicas.close()


def test_only_routes_that_are_known_to_change_nothing_are_sent_twice() -> None:
    async def send_all() -> None:
        async with (
            failing_server() as (one, first),
            failing_server() as (two, second),
            proxy_of(one, two) as (replicas, client),
        ):
            for route in [*sorted(routes), "POST /v1/new", "GET /new", "POST /v1/completions/new"]:
                method, path = re.sub(r"{[^}]+}", "7", route).split()
                if path in ("/healthz", "/readyz", "/health", "/v1/health", "/ping", "/metrics"):
                    continue  # the proxy answers itself
                first.clear(), second.clear()
                for replica in replicas.list_all():
                    replica.is_ready = True
                answer = await client.request(method, path, json={"prompt": "x"} if method != "GET" else None)
                assert answer.status_code == 503
                is_safe = route.partition(" ")[2] in REPEATABLE.get(method, ())
                assert len(first + second) == (2 if is_safe else 1), route
                known = "not known" in answer.json()["error"]["message"]
                assert known != is_safe, route

    routes = set(list_routes(create_app(ServiceSettings())))
    safe = {f"{method} {path}" for method, paths in REPEATABLE.items() for path in paths}
    assert not safe & CHANGING
    assert routes | {"GET /docs-assets/{name}"} == safe | CHANGING  # the former are files
    asyncio.run(send_all())


def test_requests_of_a_session_have_one_key() -> None:
    """Under both spellings of its routes, so that one server has it."""
    keys = {
        find_key(path, read_fields(path, body))
        for path, body in (
            ("/sessions", b'{"id": "7"}'),
            ("/createSession", b'{"id": "7"}'),
            ("/createSession", b"7"),
            ("/sessions/7", b""),
            ("/sessions/7/generate", b'{"prompt": "x"}'),
            ("/sessions/7/revert", b'{"to": 1}'),
            ("/generate/7", b"x"),
            ("/revert/7", b"1"),
            ("/removeSession/7", b""),
            ("/conversations/7", b""),
        )
    }
    assert len(keys) == 1 and None not in keys
    assert find_key("/generate/8", {}) not in keys
    for path in ("/sessions", "/createSession", "/conversations"):
        assert find_key(path, {}) is None
    saved = {find_key("/v1/prompts/kind", {}), find_key("/v1/prompts", {"name": "kind", "text": "Be kind."})}
    assert len(saved) == 1 and None not in saved


async def run(proxy: Proxy, scope: dict[str, Any], *messages: Message) -> list[Message]:
    """What an application sends to a client that sends these messages."""
    left, sent = list(messages), []

    async def receive() -> Message:
        return left.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    whole: Scope = {"path": "/v1/chat/completions", "query_string": b"", "headers": [], **scope}
    await proxy(whole, receive, send)
    return sent


def test_client_that_leaves_while_it_uploads_is_no_error() -> None:
    proxy = Proxy(Replicas([]), 2**20, 0)
    part = {"type": "http.request", "body": b"{", "more_body": True}
    assert (
        asyncio.run(run(proxy, {"type": "http", "method": "POST"}, part, {"type": "http.disconnect"})) == []
    )


def test_websocket_is_refused() -> None:
    sent = asyncio.run(
        run(Proxy(Replicas([]), 2**20, 0), {"type": "websocket"}, {"type": "websocket.connect"})
    )
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_server_hears_the_address_that_the_proxy_knows() -> None:
    """A client cannot claim another one: the server may trust the proxy."""

    async def ask() -> bytes:
        async with failing_server() as (url, requests), proxy_of(url) as (_, client):
            claims = {"X-Forwarded-For": "10.1.1.1", "X-Forwarded-Proto": "https"}
            await client.get("/v1/models", headers=claims)
            return requests[0].lower()

    head = asyncio.run(ask())
    assert b"x-forwarded-for: 127.0.0.1\r\n" in head and b"x-forwarded-proto: http\r\n" in head
    assert b"10.1.1.1" not in head


def test_proxy_believes_only_proxies_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the HTTP service; and it takes no WebSockets."""
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    without = uvicorn_options(None, "127.0.0.1", 1, 75)
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.1")
    named = uvicorn_options(None, "127.0.0.1", 1, 75)
    assert (without["proxy_headers"], named["proxy_headers"]) == (False, True)
    assert without["ws"] == named["ws"] == "none"


KEY = {"Authorization": "Bearer secret"}


@pytest.mark.parametrize(
    ("access", "headers", "status"),
    [
        (ProxyAccess("127.0.0.1"), {}, 200),
        (ProxyAccess("127.0.0.1"), {"Host": "evil.example"}, 401),
        (ProxyAccess("127.0.0.1"), {"Origin": "https://evil.example"}, 401),
        (ProxyAccess("127.0.0.1", ["secret"]), {"Host": "chat.example"}, 401),
        (ProxyAccess("127.0.0.1", ["secret"]), {"Host": "chat.example", **KEY}, 200),
        (ProxyAccess("0.0.0.0"), {}, 401),
        (ProxyAccess("0.0.0.0", ["secret"]), {}, 401),
        (ProxyAccess("0.0.0.0", ["secret"]), {"X-Api-Key": "other"}, 401),
        (ProxyAccess("0.0.0.0", ["secret"]), {"X-Api-Key": "secret"}, 200),
        (ProxyAccess("0.0.0.0", ["secret"], open_to_all=True), {}, 401),
        (ProxyAccess("0.0.0.0", open_to_all=True), {}, 200),
    ],
)
def test_proxy_tells_of_its_servers_by_key_not_by_address(
    access: ProxyAccess, headers: dict[str, str], status: int
) -> None:
    """All requests come from 127.0.0.1, as those of another proxy on this machine would."""

    async def ask() -> None:
        async with proxy_of("http://10.0.0.2:8080", access=access) as (_, client):
            for path, mark in (("/metrics", "tritonchat_proxy"), ("/replicas", "10.0.0.2")):
                answer = await client.get(path, headers=headers)
                assert answer.status_code == status
                assert (mark in answer.text) == (status == 200)

    asyncio.run(ask())


def test_conversations_have_one_key_in_kserves_protocol() -> None:
    """The one of chats, however the tensors are sent."""
    messages = [{"role": "user", "content": "Hello"}]
    data, parameters = json.dumps(messages).encode(), b'{"seed": 1}'
    tensor = {"name": "messages", "datatype": "UINT8", "shape": [1, len(data)]}
    rest = {"name": "parameters", "datatype": "UINT8", "shape": [1, len(parameters)]}
    size = {"parameters": {"binary_data_size": len(data)}}
    head = json.dumps({"inputs": [{**rest, "data": list(parameters)}, {**tensor, **size}]}).encode()

    def find(path: str, *inputs: dict[str, Any], **fields: Any) -> str | None:
        body = {"inputs": inputs} if inputs else fields
        return find_kserve_key(f"/v2/models/{path}", json.dumps(body).encode(), None)

    expected = find_key("/v1/chat/completions", {"model": "default", "messages": messages})
    assert {
        find("chat/infer", {**tensor, "data": list(data)}),
        find("chat/versions/1/infer", {**tensor, "data": [list(data)]}),
        find_kserve_key("/v2/models/chat/infer", head + data, str(len(head))),
        find("chat/generate", messages=messages),
        find("chat_stream/generate_stream", messages=messages, parameters={"model": "default"}),
    } == {expected}
    prompt = find("chat/generate", text_input="Once")
    assert prompt == find_key("/v1/completions", {"model": "default", "prompt": "Once"})
    assert find("chat-mine/generate", text_input="Once") != prompt


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 10**5,
        b'{"inputs": 5}',
        b'{"inputs": [5]}',
        b'{"inputs": [{"name": "messages", "shape": [1, 1000000000000000000000], "data": [1]}]}',
        b'{"inputs": [{"name": "messages", "shape": [1, 5], "data": 1000000000000000}]}',
        b'{"inputs": [{"name": "messages", "shape": [1, 5], "data": [[1000000000000000]]}]}',
        b'{"inputs": [{"name": 5, "shape": "x", "data": []}]}',
        b'{"inputs": [{"name": "messages", "shape": [-1], "parameters": {"binary_data_size": "x"}}]}',
    ],
)
def test_malformed_bodies_of_kserve_belong_to_no_conversation(body: bytes) -> None:
    for path in ("infer", "generate"):
        for size in (None, "-1", "x", "9" * 5000, "3"):
            assert find_kserve_key(f"/v2/models/chat/{path}", body, size) is None
