"""IPv6: every part listens on ::1 and is reached there, and addresses have brackets where URLs do."""

import asyncio
import socket
import threading
from typing import Any

import httpx
import pytest
import uvicorn
from click.testing import CliRunner
from conftest import running_server
from support import free_port, wait_until

from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli
from triton_server.client import AsyncChatClient, ChatClient
from triton_server.proxy.app import Proxy
from triton_server.proxy.command import uvicorn_options
from triton_server.proxy.replicas import Replicas
from triton_server.settings.values import read_host
from triton_server.system.hosts import browser_url, join_port, listen_everywhere, reachable_address
from triton_server.system.machine import check_ports

HELLO = [{"role": "user", "content": "Hello"}]


def _has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


needs_ipv6 = pytest.mark.skipif(not _has_ipv6(), reason="this machine has no IPv6")


def test_addresses_have_brackets_where_urls_do() -> None:
    assert join_port("::1", 8001) == "[::1]:8001" and join_port("localhost", 8001) == "localhost:8001"
    assert (reachable_address("::"), reachable_address("0.0.0.0")) == ("::1", "127.0.0.1")
    assert browser_url("::1", 8080) == "http://[::1]:8080"
    assert browser_url("::", 8080, "https") == "https://localhost:8080"
    assert [read_host(host) for host in ("[::1]", "::1", "box")] == ["::1", "::1", "box"]
    result = CliRunner().invoke(cli, ["serve", "--host", "::1", "--triton-http"])
    assert isinstance(result.exception, TritonchatError) and "--triton-http" in str(result.exception)


@needs_ipv6
def test_all_parts_work_on_an_ipv6_address() -> None:
    page = free_port()
    with running_server(f"--ui-port={page}", command="up", host="::1") as server:
        with ChatClient(server.grpc_url) as client:
            expected = client.chat(HELLO, seed=1).text
            assert expected == "".join(client.stream(HELLO, seed=1))

        async def read_stats() -> dict[str, Any]:
            client = AsyncChatClient(server.grpc_url)
            try:
                return await client.stats()
            finally:
                await client.close()

        assert asyncio.run(read_stats())["alive"]
        body = {"messages": HELLO, "seed": 1}
        answer = httpx.post(f"{server.api_url}/v1/chat/completions", json=body, timeout=60).json()
        assert answer["choices"][0]["message"]["content"] == expected
        assert "nv_inference" in httpx.get(server.metrics_url, timeout=60).text
        assert httpx.get(f"http://[::1]:{page}/_stcore/health", timeout=60).text == "ok"
        (taken,) = check_ports("::1", {"--ui-port": page})
        assert not taken.is_ok and "is taken" in taken.message

        # The proxy, on all addresses of both kinds.
        port = free_port()
        replicas = Replicas([server.api_url])
        proxy = uvicorn.Server(
            uvicorn.Config(**{**uvicorn_options(Proxy(replicas, 2**20, 60), "::", port, 75)})
        )
        thread = threading.Thread(
            target=lambda: asyncio.run(proxy.serve([listen_everywhere(port)])), daemon=True
        )
        thread.start()
        for host in ("[::1]", "127.0.0.1"):
            url = f"http://{host}:{port}"
            wait_until(lambda url=url: proxy.started and httpx.get(f"{url}/readyz").status_code == 200)
            answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60).json()
            assert answer["choices"][0]["message"]["content"] == expected
        proxy.should_exit = True
        thread.join(60)
