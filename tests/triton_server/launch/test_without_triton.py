"""A server without Triton: by --no-triton, and by itself where PyTriton cannot be imported."""

import ast
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import numpy as np
import psutil
import pytest
from click.testing import CliRunner
from conftest import Server, running_server
from http_service import CHAT, samples
from paths import ROOT
from pytriton.client import DecoupledModelClient, ModelClient
from support import family, wait_until

from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli
from triton_server.client import ChatClient
from triton_server.launch.plan import make_plan
from triton_server.launch.serve import announce
from triton_server.settings.server import ServerSettings

HELLO = [{"role": "user", "content": "Hello"}]
pytestmark = pytest.mark.filterwarnings("ignore::pytriton.client.warnings.NotSupportedTimeoutWarning")
BLOCK = "import sys; sys.modules['pytriton'] = None"


@pytest.fixture(scope="module")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose processes cannot import PyTriton."""
    folder = tmp_path_factory.mktemp("blocked")
    (folder / "sitecustomize.py").write_text(BLOCK)
    path = os.pathsep.join([str(folder), str(ROOT)])
    with running_server(log=folder / "log", PYTHONPATH=path) as server:
        yield server


def test_only_the_room_of_triton_imports_pytriton() -> None:
    needed = {"triton_server.engine.triton.deployment", "triton_server.engine.triton.backend_reports"}
    for package in ("triton_server", "streamlit_client"):
        for file in (ROOT / package).rglob("*.py"):
            if file.parent != ROOT / "triton_server" / "engine" / "triton":
                for name in imported_at_once(file):
                    assert name.partition(".")[0] != "pytriton" and name not in needed, f"{file}: {name}"
    for name in ("process", "process_list", "leftovers"):  # of that room, what is needed without Triton, too
        file = ROOT / "triton_server" / "engine" / "triton" / f"{name}.py"
        assert not [one for one in imported_at_once(file) if "pytriton" in one or one in needed], name


def imported_at_once(file: Path) -> Iterator[str]:
    """The modules that a file imports when it is imported itself."""
    package = ".".join(file.relative_to(ROOT).with_suffix("").parts[:-1]).split(".")
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_a_server_without_pytriton_says_so_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not make_plan(ServerSettings(), (), has_page=True).settings.no_triton
    monkeypatch.setitem(sys.modules, "pytriton", None)
    plan = make_plan(ServerSettings(), (), has_page=True)
    assert plan.lacks_triton and plan.settings.no_triton
    announce(plan)
    assert "so the engine answers gRPC itself, as with --no-triton" in capsys.readouterr().out
    with pytest.raises(TritonchatError, match="PyTriton is not installed"):
        make_plan(ServerSettings(triton_http=True), (), has_page=False)
    result = CliRunner().invoke(cli, ["doctor"])
    assert "Triton" in result.stdout and "the engine answers gRPC itself" in result.stdout
    assert "libpython" not in result.stdout


def test_flags_of_triton_are_refused() -> None:
    with pytest.raises(TritonchatError, match=r"which --no-triton leaves out; .* /v2"):
        make_plan(ServerSettings(no_triton=True, triton_http=True), (), has_page=False)
    plan = make_plan(ServerSettings(no_triton=True), (), has_page=False)
    assert plan.settings.no_triton and not plan.lacks_triton


def test_answers_without_pytriton_are_the_same_over_http_and_grpc(blocked: Server, server: Server) -> None:
    assert "triton" not in {process.name() for process in family(blocked.process)}
    answers = []
    for one in (blocked, server):
        with ChatClient(one.grpc_url) as client:
            whole = client.chat(HELLO, seed=1, max_tokens=20)
            assert whole.text == "".join(client.stream(HELLO, seed=1, max_tokens=20))
            vectors = client.embed(["Hello", "there"])
        body = {"messages": HELLO, "seed": 1, "max_tokens": 20}
        answer = httpx.post(f"{one.api_url}{CHAT}", json=body).json()
        assert answer["choices"][0]["message"]["content"] == whole.text
        model = httpx.get(f"{one.api_url}/v2/models/chat").json()
        model.pop("platform")
        answers.append((whole.text, vectors.vectors.tobytes(), answer["system_fingerprint"], model))
    assert answers[0] == answers[1]


def test_clients_of_pytriton_and_grpcs_tools_work_without_triton(blocked: Server) -> None:
    messages = np.frombuffer(json.dumps(HELLO).encode(), np.uint8)
    parameters = np.frombuffer(b'{"seed": 1, "max_tokens": 8}', np.uint8)
    with ModelClient(f"grpc://{blocked.grpc_url}", "chat") as client:
        whole = client.infer_batch(np.stack([messages] * 2), np.stack([parameters] * 2))["response"]
    with DecoupledModelClient(f"grpc://{blocked.grpc_url}", "chat_stream") as client:
        pieces = [part["response"][0] for part in client.infer_sample(messages, parameters)]
    assert [b"".join(pieces)] * 2 == [row[0] for row in whole]
    with grpc.insecure_channel(blocked.grpc_url) as channel:
        reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
        (listed,) = channel.stream_stream(reflection)(iter([b"\x3a\x00"]))  # list_services
        assert b"inference.GRPCInferenceService" in listed
    assert samples(httpx.get(blocked.metrics_url).text, "chat")['nv_inference_count{version="1"}'] >= 2


def test_engine_without_triton_that_is_killed_is_started_again(blocked: Server) -> None:
    engine = blocked.engine
    engine.send_signal(signal.SIGKILL)

    def is_back() -> bool:
        try:
            return httpx.get(f"{blocked.api_url}/readyz").status_code == 200 and blocked.engine != engine
        except (StopIteration, psutil.NoSuchProcess):
            return False

    wait_until(is_back)
    with ChatClient(blocked.grpc_url) as client:
        assert client.chat(HELLO, seed=1, max_tokens=3).text


def test_everything_ends_after_the_running_answer(endless_model: Path) -> None:
    with running_server("--no-triton", "--model", str(endless_model)) as server:
        processes = family(server.process)
        with ChatClient(server.grpc_url) as client:
            stream = client.stream(HELLO, max_tokens=1000)
            next(iter(stream))
            server.process.send_signal(signal.SIGTERM)
            for _ in stream:
                pass
            assert stream.answer.finish_reason == "length"
        server.process.wait(60)
        assert server.process.returncode == 0
        wait_until(lambda: not any(process.is_running() for process in processes[1:]))
