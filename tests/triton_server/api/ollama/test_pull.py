"""/api/pull of Ollama's API, with Ollama's client, and a server that stands in for the hub."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import ollama
import psutil
import pytest
from conftest import Server
from http_service import Service
from hub_server import HubServer
from paths import CHECKPOINTS
from support import free_port, wait_until

NAME = "hf.co/someone/tiny"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub, whose models go to a folder of the test."""
    with HubServer({"someone/tiny": CHECKPOINTS / "llama-bfloat16"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
        yield hub


def find_pulls() -> list[psutil.Process]:
    """Running downloads of this process."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if child.status() != psutil.STATUS_ZOMBIE and "pull" in child.cmdline():
                found.append(child)
    return found


def test_a_model_that_is_served_is_there(api: Server) -> None:
    client = ollama.Client(api.api_url)
    name = str(client.list().models[0].model)
    assert client.pull(f"{name}:latest").status == client.pull("default").status == "success"
    assert [step.status for step in client.pull(name, stream=True)] == ["success"]


def test_others_are_downloaded(start: Callable[..., Service], hub: HubServer, tmp_path: Path) -> None:
    client = ollama.Client(start(allow_pull=True).url)
    steps = list(client.pull(NAME, stream=True))
    sizes = [step.completed for step in steps if step.completed is not None]
    assert steps[-1].status == "success" and sizes == sorted(sizes)
    assert any(step.total and step.completed == step.total for step in steps)
    assert any("tritonchat up --model" in (step.status or "") for step in steps)
    (stored,) = (tmp_path / "hub" / "hub").glob("models--*/snapshots/*/model.safetensors")
    assert stored.read_bytes() == (CHECKPOINTS / "llama-bfloat16" / "model.safetensors").read_bytes()
    assert client.pull(NAME).status == "success"  # which is there already


def test_failures_say_why(start: Callable[..., Service], hub: HubServer, tmp_path: Path) -> None:
    client = ollama.Client(start(allow_pull=True).url)
    with pytest.raises(ollama.ResponseError, match="someone/absent") as caught:
        client.pull("someone/absent")
    assert caught.value.status_code == 503
    with pytest.raises(ollama.ResponseError, match="someone/absent"):
        list(client.pull("someone/absent", stream=True))
    for name in ("llama3.2", "../tiny", "/etc/passwd", str(tmp_path), "someone/tiny --force", "--force"):
        with pytest.raises(ollama.ResponseError, match="no name on the Hugging Face hub") as caught:
            client.pull(name)
        assert caught.value.status_code == 400


def test_without_a_hub_the_pull_fails(
    start: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(ollama.ResponseError, match="cannot be reached"):
        ollama.Client(start(allow_pull=True).url).pull(NAME)


def test_a_client_that_leaves_ends_the_download(start: Callable[..., Service], hub: HubServer) -> None:
    service = start(allow_pull=True)
    with hub.stalled_after(100) as stalled:
        body = {"model": NAME}
        with httpx.stream("POST", f"{service.url}/api/pull", json=body, timeout=60) as response:
            lines = response.iter_lines()  # kept: the connection would end with it
            assert "manifest" in next(lines)
            assert stalled.wait(60) and find_pulls()
        wait_until(lambda: not find_pulls())
    assert ollama.Client(service.url).pull(NAME).status == "success"  # it goes on with what was there


def test_many_downloads_at_once_are_refused(start: Callable[..., Service], hub: HubServer) -> None:
    service = start(allow_pull=True)
    with hub.stalled_after(100) as stalled, contextlib.ExitStack() as stack:
        kept = []
        for _ in range(2):
            asked = httpx.stream("POST", f"{service.url}/api/pull", json={"model": NAME}, timeout=60)
            kept.append(stack.enter_context(asked).iter_lines())
            next(kept[-1])
        assert stalled.wait(60)
        assert httpx.post(f"{service.url}/api/pull", json={"model": NAME}).status_code == 429


def test_what_is_not_allowed_says_so(api: Server) -> None:
    client = ollama.Client(api.api_url)
    with pytest.raises(ollama.ResponseError, match="--allow-pull") as caught:
        client.pull(NAME)
    assert caught.value.status_code == 403
    for refused in (
        lambda: client.delete("default"),
        lambda: client.copy("default", "other"),
        lambda: client.push("default"),
        lambda: client.create("other", from_="default"),
    ):
        with pytest.raises(ollama.ResponseError) as caught:
            refused()
        assert caught.value.status_code == 400
    assert httpx.post(f"{api.api_url}/api/blobs/sha256:0", content=b"x").status_code == 400
