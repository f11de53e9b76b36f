"""MCP servers by themselves: the file that names them, what they are given, and how they end."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from http_service import Service, services
from in_process import Endpoints
from support import free_port, wait_until
from test_chats_with_tools import QUESTION, SERVER, command

from model_core.errors import TritonchatError
from triton_server.api.errors import ApiError
from triton_server.api.mcp_tools import config
from triton_server.api.mcp_tools.calls import Offer, Result, Tool
from triton_server.api.mcp_tools.config import ServerEntry, check_config, read_config
from triton_server.api.mcp_tools.server import ToolServer, end_task
from triton_server.api.mcp_tools.toolbox import name_offers

SDK_SERVER = SERVER.with_name("sdk_mcp_server.py")


def with_server(entry: ServerEntry, work: Callable[[ToolServer], Awaitable[Any]], limit: int = 2**20) -> Any:
    """What `work` returns, with a server that runs meanwhile."""

    async def run() -> Any:
        server = ToolServer(entry, limit)
        running = asyncio.create_task(server.run())
        try:
            return await work(server)
        finally:
            await end_task(running)

    return asyncio.run(run())


def raw(folder: Path, **more: Any) -> ServerEntry:
    return ServerEntry("raw", (sys.executable, str(SERVER), str(folder)), **more)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def are_ended(folder: Path) -> bool:
    pids = [int(path.name.removeprefix("pid-")) for path in folder.glob("pid-*")]
    assert len(pids) >= 2
    return not any(
        psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids
    )


def test_a_server_gets_no_other_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONCHAT_API_KEY", "secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    entry = raw(tmp_path, environment={"TOKEN": "given"})
    result: Result = with_server(entry, lambda server: server.call("environment", "{}", 10))
    given = json.loads(result.output or "")
    assert given["TOKEN"] == "given" and given["PATH"] == os.environ["PATH"]
    assert "secret" not in given.values() and not {"TRITONCHAT_API_KEY", "AWS_SECRET_ACCESS_KEY"} & {*given}
    wait_until(lambda: are_ended(tmp_path))  # also what the server has started


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hang", "has not answered within"),
        ("huge", "has sent a message of more than 1048576 bytes"),
        ("requests", "said too much"),
        ("unknown_id", "has not answered within"),
        ("no_result", "has sent a result that is none"),
    ],
)
def test_a_server_that_fails_a_call_goes_on_or_is_started_again(
    tmp_path: Path, name: str, words: str
) -> None:
    async def work(server: ToolServer) -> None:
        await server.list_tools()
        before = psutil.Process().memory_info().rss
        failed, wrong = await server.call(name, "{}", 0.3), await server.call("get_weather", "[]", 5)
        assert failed.failure is not None and words in failed.failure.message
        assert wrong.failure is not None and "no JSON object" in wrong.failure.message
        assert psutil.Process().memory_info().rss - before < 2**26
        again = await server.call("get_weather", '{"city": "Rome"}', 10)
        assert again.output == "Rain in Rome."

    with_server(raw(tmp_path), work)


def test_a_server_is_started_again_if_a_call_that_hangs_is_stopped(tmp_path: Path) -> None:
    async def work(server: ToolServer) -> None:
        await server.list_tools()
        hanging = asyncio.create_task(server.call("hang", "{}", 1000))
        await asyncio.sleep(0.2)
        hanging.cancel()
        for _ in range(2):  # one may meet the server that hangs, and end with it
            last = await asyncio.wait_for(server.call("get_weather", '{"city": "Rome"}', 1000), 40)
        assert last.output == "Rain in Rome."

    with_server(raw(tmp_path), work)


def test_changed_tools_are_listed_again(tmp_path: Path) -> None:
    async def work(server: ToolServer) -> tuple[set[str], set[str]]:
        before = {tool.name for tool in await server.list_tools()}
        await server.call("change", "{}", 10)
        return before, {tool.name for tool in await server.list_tools()}

    before, after = with_server(raw(tmp_path), work)
    assert before - after == {"change"}


def test_a_server_with_the_sdk_over_http() -> None:
    port = free_port()
    process = subprocess.Popen([sys.executable, str(SDK_SERVER), str(port)], stderr=subprocess.DEVNULL)
    entry = ServerEntry("sdk", url=f"http://127.0.0.1:{port}/mcp")

    async def work(server: ToolServer) -> list[Result]:
        cities = ("Rome", "everywhere", "Oslo")
        return [await server.call("get_weather", json.dumps({"city": city}), 60) for city in cities]

    try:
        wait_until(lambda: is_open(port))
        first, large, last = with_server(entry, work)
    finally:
        process.kill()
        process.wait()
    assert (first.output, last.output) == ("Sun in Rome.", "Sun in Oslo.")
    assert large.failure is not None and large.output is None


def test_a_call_waits_no_longer_than_it_may(tmp_path: Path) -> None:
    async def work(server: ToolServer) -> Result:
        return await server.call("get_weather", "{}", 0.1)

    silent = ServerEntry("silent", (sys.executable, str(SERVER), str(tmp_path), "silent"))
    result: Result = with_server(silent, work)
    assert result.failure is not None and "is starting" in result.failure.message


def test_an_interrupted_list_is_made_again(tmp_path: Path) -> None:
    async def work(server: ToolServer) -> set[str]:
        await server.list_tools()
        await server.call("change", "{}", 10)
        interrupted = asyncio.create_task(server.list_tools())
        for _ in range(4):  # until it has asked
            await asyncio.sleep(0)
        interrupted.cancel()
        await asyncio.wait((interrupted,))
        return {tool.name for tool in await server.list_tools()}

    assert "change" not in with_server(raw(tmp_path), work)


def test_servers_die_with_a_service_that_is_killed(reciter: Endpoints, tmp_path: Path) -> None:
    file, pids = tmp_path / "mcp.json", tmp_path / "pids"
    pids.mkdir()
    file.write_text(json.dumps({"mcpServers": {"weather": command(pids, approval="never")}}))
    with services(reciter.grpc_url, tmp_path) as start:
        service: Service = start(process=True, mcp_config=file)
        answer = service.ask({"messages": QUESTION, "mcp": True})
        assert answer.json()["choices"][0]["message"]["mcp_calls"][0]["output"] == "Rain in Paris."
        lines = [json.loads(line) for line in service.log.read_text().splitlines()]
        (line,) = [line for line in lines if line["event"] == "mcp_call"]
        assert (line["server"], line["tool"], line["failed"]) == ("weather", "get_weather", False)
        assert "arguments" not in line
        service.process.kill()
        wait_until(lambda: are_ended(pids))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ({}, 'either "mcpServers" or "servers"'),
        ({"mcpServers": {"a": {}}}, "either a command or a url"),
        ({"mcpServers": {"a": {"command": "x", "url": "http://x"}}}, "either a command or a url"),
        ({"mcpServers": {"a": {"command": 5}}}, "mcpServers.a.command"),
        ({"mcpServers": {"a\n": {"command": "x"}}}, "needs a name"),
        ({"servers": {"a": {"type": "sse", "url": "http://x"}}}, "streamable HTTP"),
        ({"servers": {"a": {"url": "file:///etc/passwd"}}}, "http:// or https://"),
        ({"servers": {"a": {"command": "x", "args": ["${input:key}"]}}}, "only an editor knows"),
        ({"servers": {"a": {"command": "x", "env": {"A": "${env:NOT_SET}"}}}}, "NOT_SET"),
        ({"servers": {"a": {"command": "x", "envFile": ".env"}}}, "envFile"),
        ({"servers": {"a": {"command": "x", "approval": "sometimes"}}}, "approval"),
        ({"servers": {"a": {"url": "http://x", "headers": {"Key": "hush\n"}}}}, "the header 'Key'"),
        ({"servers": {"a": {"url": "http://x", "headers": {"Key": "hush "}}}}, "the header 'Key'"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, value: Any, words: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    with pytest.raises(TritonchatError) as error:
        read_config(file)
    assert words in str(error.value) and "hush" not in str(error.value)


def test_a_right_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mcp.json"
    servers = {
        "a": {"command": "x", "args": ["${env:KEY}"], "env": {"N": 1}, "autoApprove": ["t"]},
        "b": {"type": "http", "url": "http://x/mcp", "headers": {"K": "${env:KEY}"}, "approval": "never"},
        "c": {"command": "y", "disabled": True},
    }
    file.write_text(json.dumps({"servers": servers}))
    a, b = read_config(file, {"KEY": "secret"})
    assert (a.command, a.environment, a.ignored) == (("x", "secret"), {"N": "1"}, ("autoApprove",))
    assert (b.url, b.headers, b.approval_of("t")) == ("http://x/mcp", {"K": "secret"}, "never")
    assert "secret" not in repr(b)
    monkeypatch.setenv("KEY", "secret")
    monkeypatch.setattr(config, "find_spec", lambda _: None)
    with pytest.raises(TritonchatError, match=r"more packages: .*install 'mcp"):
        check_config(file)


def test_names_tell_tools_apart() -> None:
    def offer(server: str, name: str) -> Offer:
        return Offer(server, Tool(name, None, {}), "never")

    named = name_offers([offer("a", "read"), offer("b", "read"), offer("b", "write file")], ["other"])
    assert [*named] == ["a__read", "b__read", "write_file"]
    assert [*name_offers([offer("a", "read")], ["read"])] == ["a__read"]
    with pytest.raises(ApiError):
        name_offers([offer("a", "x"), offer("a", "x")])
