"""Triton's Python backend reports requests whose client has disconnected, and that its processes run."""

import queue
import socket
import threading
from pathlib import Path

import pytest
from pytriton.models.model import Model
from pytriton.proxy.types import Request
from pytriton.triton import Triton
from support import pool_of

from model_core import LLM
from model_core.errors import TritonchatError
from triton_server.engine.serving import calls
from triton_server.engine.serving.address import Address
from triton_server.engine.serving.calls import Call, read_call
from triton_server.engine.triton import backend_reports
from triton_server.engine.triton.backend_reports import BackendReports
from triton_server.engine.triton.deployment import Deployment


@pytest.fixture
def triton(llm: LLM, tmp_path: Path) -> Triton:
    """A Triton with the models of the contract, not running."""
    return Deployment(pool_of(llm), Address(), tmp_path).bind_models(tmp_path / "workspace")


def report(workspace: Path, message: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reporter:
        reporter.sendto(message, str(workspace / backend_reports.SOCKET_NAME))


def test_reports_arrive_until_the_listener_is_closed(tmp_path: Path) -> None:
    received: queue.Queue[str] = queue.Queue()

    def receive(call: str) -> None:
        received.put(call)
        if call == "bad":
            raise ValueError("an error of the callback")

    listener = BackendReports(tmp_path, receive)
    for call in ("first", "bad", "first"):
        report(tmp_path, f"cancelled {call}".encode())
    assert [received.get(timeout=60) for _ in range(3)] == ["first", "bad", "first"]
    assert not listener.wait_for("chat", 0.01)
    waiting = threading.Thread(target=lambda: received.put(str(listener.wait_for("chat", 60))))
    waiting.start()
    while waiting.is_alive():
        report(tmp_path, b"runs chat")
        waiting.join(0.01)
    assert received.get(timeout=60) == "True"
    listener.close()
    with pytest.raises(ConnectionRefusedError):
        report(tmp_path, b"late")


def test_backend_model_is_installed_in_every_model(triton: Triton) -> None:
    models = list(triton._model_manager.models)
    assert len(models) == 4
    backend_model = backend_reports.BACKEND_MODEL.read_bytes()
    for model in models:
        files = model.get_proxy_model_files()
        assert files["file:1/model.py"] == backend_model
        assert files["file:1/pytriton_model.py"] == Model.get_proxy_model_files(model)["file:1/model.py"]
    # That file repeats these constants, because it cannot import this package.
    assert f'CALL_ID_PARAMETER = "{calls.CALL_ID_PARAMETER}"'.encode() in backend_model
    assert f'SOCKET_NAME = "{backend_reports.SOCKET_NAME}"'.encode() in backend_model
    words = f'CANCELLED, RUNS = "{backend_reports.CANCELLED}", "{backend_reports.RUNS}"'
    assert words.encode() in backend_model


def test_a_call_has_its_timeout_and_its_parent() -> None:
    parent = f"00-{'1' * 32}-{'2' * 16}-01"
    given = {calls.CALL_ID_PARAMETER: "a", calls.TIMEOUT_PARAMETER: 2_500_000}
    assert read_call(Request({}, {**given, "traceparent": parent})) == Call("a", 2.5, parent)
    for wrong in ("", "x", parent.replace("1", "0"), 7):
        assert read_call(Request({}, {**given, "traceparent": wrong})) == Call("a", 2.5)
    assert read_call(Request({}, {calls.CALL_ID_PARAMETER: "a"})) == Call("a")


def test_unsupported_pytriton_is_an_error(triton: Triton, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "SCRIPT_FILES_TO_COPY", ["communication.py"])
    with pytest.raises(TritonchatError, match="nvidia-pytriton"):
        backend_reports.install_backend_model(triton)
    monkeypatch.delattr(triton, "_model_manager")
    with pytest.raises(TritonchatError, match="nvidia-pytriton"):
        backend_reports.install_backend_model(triton)
