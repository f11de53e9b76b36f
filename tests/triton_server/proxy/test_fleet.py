"""Servers come and go behind a running proxy, and a new version gets a part of the conversations."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from click.testing import CliRunner, Result
from conftest import Server
from http_service import CHAT, ServiceThread, samples
from support import free_port, wait_until
from test_proxy import proxying

from model_core.errors import TritonchatError
from triton_server.api.settings import ServiceSettings
from triton_server.cli.tritonchat import cli
from triton_server.proxy.access import ProxyAccess
from triton_server.proxy.app import Proxy
from triton_server.proxy.fleet import Canary, Fleet, load_fleet
from triton_server.proxy.replicas import Replicas


def body(text: str, **more: Any) -> dict[str, Any]:
    """A request of a conversation that begins with this text."""
    messages = [{"role": "user", "content": text}]
    return {"model": "default", "messages": messages, "max_tokens": 3, "seed": 1, **more}


@dataclass(frozen=True)
class Front:
    """A proxy, the file of its servers, and the addresses of three services of one model."""

    url: str
    file: Path
    services: list[str]

    def run(self, *words: str) -> Result:
        """`tritonchat servers ...`."""
        flags = ["--servers", str(self.file)]
        if words[0] not in ("add", "canary"):
            flags += ["--proxy", self.url]
        return CliRunner().invoke(cli, ["servers", *words, *flags])

    def change(self, *words: str) -> str:
        """The same; it must succeed. Returns what it says, when the proxy has read the file."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        expected = {(server.url, server.version) for server in load_fleet(self.file).servers}
        wait_until(lambda: {(s["url"], s["version"]) for s in self.states().values()} == expected)
        return result.output

    def states(self) -> dict[str, dict[str, Any]]:
        """What the proxy says of its servers, by address."""
        return {one["url"]: one for one in httpx.get(f"{self.url}/replicas").json()["servers"]}

    def wait_until_ready(self) -> None:
        """Wait until all servers take requests."""
        wait_until(lambda: all(one["ready"] for one in self.states().values()))

    def find_server(self, request: dict[str, Any], **headers: str) -> str:
        """The address of the server that answers a request."""
        before = self.states()
        assert httpx.post(self.url + CHAT, json=request, headers=headers, timeout=60).status_code == 200
        (found,) = (url for url, one in self.states().items() if one["requests"] > before[url]["requests"])
        return found


@contextlib.contextmanager
def service(server: Server, folder: Path, port: int) -> Iterator[str]:
    """An HTTP service of a server, at a port."""
    database = f"sqlite:///{folder / 'sessions.db'}"
    thread = ServiceThread(ServiceSettings(server=server.grpc_url, database=database, api_port=port))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        thread.stop()


@pytest.fixture
def front(endless: Server, tmp_path: Path) -> Iterator[Front]:
    port, path = free_port(), tmp_path / "servers.json"
    app = Proxy(Replicas(path), 2**20, 60)
    proxy = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=lambda: asyncio.run(proxy.serve()), daemon=True)
    thread.start()
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(service(endless, tmp_path, free_port())) for _ in range(3)]
        wait_until(lambda: proxy.started)
        yield Front(f"http://127.0.0.1:{port}", path, urls)
        proxy.should_exit = True
        thread.join(60)


def test_conversations_keep_their_version_while_the_share_grows() -> None:
    names = [str(number) for number in range(4000)]
    got = []
    for share in (0.1, 0.3, 1.0):
        fleet = Fleet(version=3, canary=Canary(version=5, share=share))
        got.append({name for name in names if fleet.choose_version(name, "") == 5})
        assert abs(len(got[-1]) / 4000 - share) < 0.03
    assert got[0] < got[1] < got[2]
    by_key = Fleet(canary=Canary(version=2, share=0.5, by="key"))
    assert {by_key.choose_version(name, "ada") for name in names} == {by_key.choose_version(None, "ada")}
    assert {by_key.choose_version(None, name) for name in names} == {1, 2}
    assert {Fleet().choose_version(name, "") for name in names} == {1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Invalid JSON"),
        ("[]", "object"),
        ('{"servers": [{"url": "ftp://a"}]}', r"servers\.0\.url: .*no HTTP address"),
        ('{"canary": {"version": 2, "share": 10}}', r"canary\.share: .*less than or equal to 1"),
        ('{"servers": [{"url": "http://a", "weight": 1}]}', r"servers\.0\.weight: Extra"),
    ],
)
def test_file_that_is_no_list_of_servers_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "servers.json"
    path.write_text(text)
    with pytest.raises(TritonchatError, match=rf"servers.json is no list of servers: .*{problem}"):
        load_fleet(path)
    result = CliRunner().invoke(cli, ["proxy", "--servers", str(path)])
    assert result.exit_code == 1 and "is no list of servers" in str(result.exception)


def test_servers_are_added_and_removed(front: Front) -> None:
    assert httpx.get(f"{front.url}/readyz").status_code == 503
    assert "none yet" in front.run("list").output
    one, two, _ = front.services
    front.change("add", one)
    front.wait_until_ready()
    assert front.find_server(body("Hello")) == one
    front.change("add", two)
    assert "version 1   ready, 0 running" in front.run("list").output
    front.file.write_text("{")  # a wrong file changes nothing
    assert httpx.post(front.url + CHAT, json=body("Hello"), timeout=60).status_code == 200
    assert len(front.states()) == 2
    front.file.write_text(json.dumps({"servers": [{"url": one}, {"url": two}]}))
    assert "Removed" in front.change("remove", one)
    assert front.find_server(body("Hello")) == two
    for words, problem in (
        (["remove", "http://nobody"], "there is no server http://nobody"),
        (["add", "nobody"], "is no HTTP address"),
        (["promote"], "no new version is tried"),
        (["canary"], "name the servers of the new version"),
        (["canary", one, "--share", "110%"], "is not a part"),
    ):
        result = front.run(*words)
        assert result.exit_code and problem in result.output + str(result.exception)


def test_server_is_not_removed_while_the_proxy_wants_a_key(
    endless: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether requests run there is then not known."""
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"servers": [{"url": endless.api_url}]}))
    with proxying([endless.api_url], access=ProxyAccess("0.0.0.0", ["secret"])) as url:
        command = ["servers", "remove", endless.api_url, "--servers", str(path), "--proxy", url]
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 1 and "TRITONCHAT_API_KEY" in str(result.exception)
        assert load_fleet(path).servers
        monkeypatch.setenv("TRITONCHAT_API_KEY", "secret")
        result = CliRunner().invoke(cli, ["servers", "list", "--servers", str(path), "--proxy", url])
        assert "draining" not in result.output and "so far" in result.output


def test_new_version_gets_a_share_and_is_withdrawn_or_promoted(front: Front) -> None:
    old, new, newest = front.services
    front.change("add", old)
    front.change("canary", new, "--share", "40%")
    front.wait_until_ready()
    assert "Version 2 gets 40.0% of the conversations." in front.run("list").output
    found = {text: front.find_server(body(text)) for text in map(str, range(12))}
    assert set(found.values()) == {old, new}
    for text, server in found.items():  # the second turn
        turn = body(text)
        turn["messages"] += [{"role": "assistant", "content": "?"}, {"role": "user", "content": "!"}]
        assert front.find_server(turn) == server
    metrics = samples(httpx.get(f"{front.url}/metrics").text)
    counts = {v: metrics[f'tritonchat_proxy_responses_total{{status="200",version="{v}"}}'] for v in (1, 2)}
    assert counts == {v: 2.0 * list(found.values()).count(url) for v, url in ((1, old), (2, new))}

    front.change("withdraw")
    assert list(front.states()) == [old]
    assert {front.find_server(body(text)) for text in found} == {old}

    front.change("canary", newest, "--by", "key", "--share", "50%")
    front.wait_until_ready()
    keys = {key: front.find_server(body("Hello"), Authorization=f"Bearer {key}") for key in "abcdefgh"}
    assert set(keys.values()) == {old, newest}
    with httpx.stream(
        "POST",
        front.url + CHAT,
        json=body("a long one", stream=True, max_tokens=400),
        headers={"Authorization": f"Bearer {next(key for key, url in keys.items() if url == old)}"},
        timeout=60,
    ) as answer:
        lines = answer.iter_lines()
        next(lines)
        with ThreadPoolExecutor(1) as pool:
            promotion = pool.submit(front.run, "promote")
            wait_until(lambda: front.states()[old]["draining"])
            assert {front.find_server(body(text)) for text in found} == {newest}
            *_, last = (line for line in lines if line)
            assert last == "data: [DONE]"
            assert promotion.result(60).exit_code == 0
    assert "Removed " + old in promotion.result().output
    wait_until(lambda: list(front.states()) == [newest])


def test_version_without_a_ready_server_gives_its_requests_to_the_other(
    front: Front, endless: Server, tmp_path: Path
) -> None:
    with service(endless, tmp_path, free_port()) as new:
        front.change("add", front.services[0])
        front.change("canary", new, "--share", "100%")
        front.wait_until_ready()
        assert front.find_server(body("Hello")) == new
    assert httpx.post(front.url + CHAT, json=body("Hello"), timeout=60).status_code == 200
    wait_until(lambda: not front.states()[new]["ready"])
    assert front.find_server(body("Hello")) == front.services[0]


def test_servers_are_restarted_in_turn_without_a_failed_request(
    front: Front, endless: Server, tmp_path: Path
) -> None:
    """A rolling update: each service ends in order, and comes back, while clients ask."""
    expected = httpx.post(endless.api_url + CHAT, json=body("Hello", max_tokens=40)).json()
    is_over, answers = threading.Event(), []

    def ask(number: int) -> None:
        while not is_over.is_set():
            response = httpx.post(front.url + CHAT, json=body("Hello", max_tokens=40), timeout=60)
            assert response.status_code == 200, response.text
            answers.append(response.json()["choices"][0]["message"]["content"])

    ports = (free_port(), free_port())
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        running = {port: stack.enter_context(contextlib.ExitStack()) for port in ports}
        for port, one in running.items():
            front.change("add", one.enter_context(service(endless, tmp_path, port)))
        front.wait_until_ready()
        clients = [pool.submit(ask, number) for number in range(4)]
        try:
            for port, one in running.items():
                count = len(answers)
                wait_until(lambda count=count: len(answers) > count)
                one.close()
                one.enter_context(service(endless, tmp_path, port))
                front.wait_until_ready()
        finally:
            is_over.set()
        for client in clients:
            client.result(60)
    assert set(answers) == {expected["choices"][0]["message"]["content"]}
