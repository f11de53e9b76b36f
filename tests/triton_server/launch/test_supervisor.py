"""Each part of the service is restarted when it dies, and all parts end with the supervisor."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chaos
import httpx
import psutil
import pytest
from conftest import Server, running_server
from held import breakable_llm
from http_service import samples, services
from paths import CHECKPOINTS
from process_tree import VICTIMS, find_process, model_copies, stop_at_once
from support import family, free_port, have_ended, pool_of, wait_until

from model_core import LLM, SamplingParams
from model_core.errors import TritonchatError
from triton_server.client import ChatClient
from triton_server.contract.tensors import READY
from triton_server.engine.program import serve_until_signal
from triton_server.engine.serving.address import Address
from triton_server.engine.triton import model_watch
from triton_server.engine.triton.deployment import Deployment, find_processes
from triton_server.launch.supervisor import Part, Supervisor
from triton_server.system import restarts
from triton_server.system.child_process import GIVE_UP_STATUS, ChildProcess, launch
from triton_server.system.restarts import MAX_RESTARTS, Restarts

ENDLESS = {"model": "default", "prompt": "Hello", "max_tokens": 40_000, "stream": True}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., ChildProcess]]:
    """A function that starts a Python program as a part, which is up at once."""
    children = []

    def start(program: str, name: str = "the part") -> ChildProcess:
        command = [sys.executable, "-c", program]
        children.append(launch(name, command, {}, tmp_path / "part.log", is_up=lambda: True))
        return children[-1]

    yield start
    for child in children:
        child.kill()


def test_descendants_of_a_part_end_with_it(run: Callable[..., ChildProcess]) -> None:
    child = run("import subprocess, time; subprocess.Popen(['sleep', '600']); time.sleep(600)")
    wait_until(lambda: "sleep" in [p.name() for p in psutil.Process(child.process.pid).children()])
    processes = family(child.process)
    child.process.kill()
    child.stop()
    wait_until(lambda: have_ended(processes))


PARENT = """
import pathlib, sys, time
from triton_server.system.child_process import launch
launch("the part", [sys.executable, "-c", sys.argv[1]], {}, pathlib.Path(sys.argv[2], "part.log"), bool)
time.sleep(600)
"""
STUBBORN = """
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.run(["sleep", "600"])
"""


def test_part_ends_with_its_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, STUBBORN, str(tmp_path)])
    wait_until(lambda: "sleep" in [p.name() for p in psutil.Process(parent.pid).children(recursive=True)])
    processes = family(parent)
    parent.kill()
    parent.wait()
    wait_until(lambda: have_ended(processes))


def test_part_that_dies_too_often_is_given_up(
    run: Callable[..., ChildProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restarts, "MAX_DELAY_S", 0.2)
    supervisor = Supervisor([Part("page", lambda: run("raise SystemExit(3)"))], Restarts(tmp_path))
    with contextlib.suppress(TritonchatError):  # if the part has ended before `start` looks at it
        supervisor.start()
    with pytest.raises(TritonchatError, match=rf"exit status 3.* more than {MAX_RESTARTS} times"):
        supervisor.watch()
    assert Restarts(tmp_path).count("page") == MAX_RESTARTS + 1
    supervisor.stop()


def test_part_with_give_up_status_is_not_restarted(run: Callable[..., ChildProcess], tmp_path: Path) -> None:
    part = Part("page", lambda: run(f"raise SystemExit({GIVE_UP_STATUS})"))
    supervisor = Supervisor([part], Restarts(tmp_path))
    with contextlib.suppress(TritonchatError):
        supervisor.start()
    with pytest.raises(TritonchatError, match="may say why"):
        supervisor.watch()
    assert Restarts(tmp_path).count("page") == 0
    supervisor.stop()


@contextlib.contextmanager
def running_everything(page_port: int, model: Path, log: Path) -> Iterator[Server]:
    """A server with its page."""
    flags = ("--model", str(model), "--ui-port", str(page_port))
    with running_server(*flags, command="up", log=log) as server:
        yield server
        assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def page_port() -> int:
    """That of the page of `everything`."""
    return free_port()


@pytest.fixture(scope="module")
def everything(
    page_port: int, endless_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server of the endless model with its page; these tests kill its parts."""
    with running_everything(page_port, endless_model, tmp_path_factory.mktemp("server") / "log") as server:
        yield server


def wait_for_restart(server: Server, name: str, old: psutil.Process) -> None:
    wait_until(lambda: find_process(server, name) not in (None, old))
    wait_until(lambda: is_ready(server))


def restart_count(server: Server, name: str) -> float:
    return samples(httpx.get(f"{server.api_url}/metrics", timeout=60).text)[
        f'tritonchat_restarts_total{{part="{name}"}}'
    ]


def is_ready(server: Server) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(f"{server.api_url}/readyz", timeout=60).status_code == 200
    return False


def test_supervisor_loads_no_compiler(everything: Server) -> None:
    maps = Path(f"/proc/{everything.process.pid}/maps").read_text()
    assert "llvmlite" not in maps and "numpy" not in maps


def test_streams_survive_the_death_of_the_page(everything: Server) -> None:
    page, restarts = find_process(everything, "page"), restart_count(everything, "page")
    assert page is not None
    with (
        ChatClient(everything.grpc_url) as client,
        client.stream("Hello", max_tokens=300, ignore_eos=True) as stream,
    ):
        next(iter(stream))
        page.kill()
        assert httpx.get(f"{everything.api_url}/readyz", timeout=60).status_code == 200
        list(stream)
        assert stream.answer is not None and stream.answer.finish_reason == "length"
    wait_for_restart(everything, "page", page)
    assert restart_count(everything, "page") == restarts + 1


def test_grpc_streams_survive_the_death_of_the_http_service(everything: Server) -> None:
    service, restarts = find_process(everything, "api"), restart_count(everything, "api")
    assert service is not None
    with (
        ChatClient(everything.grpc_url) as client,
        client.stream("Hello", max_tokens=300, ignore_eos=True) as stream,
    ):
        next(iter(stream))
        service.kill()
        list(stream)
        assert stream.answer is not None and stream.answer.finish_reason == "length"
    wait_for_restart(everything, "api", service)
    assert restart_count(everything, "api") == restarts + 1


def test_dead_engine_restarts_on_the_same_ports(everything: Server) -> None:
    engine, restarts = everything.engine, restart_count(everything, "engine")
    processes, copies = family(engine), model_copies(engine)
    engine.kill()
    wait_until(lambda: have_ended(processes))
    wait_until(lambda: not is_ready(everything))
    wait_for_restart(everything, "engine", engine)
    with ChatClient(everything.grpc_url) as client:
        assert client.chat("Hello", max_tokens=3).text
    assert restart_count(everything, "engine") == restarts + 1
    assert copies and not any(folder.exists() for folder in copies)
    log = everything.log
    wait_until(lambda: log is not None and "the engine is up again." in log.read_text())
    assert httpx.get(everything.metrics_url, timeout=60).status_code == 200


def test_dead_triton_restarts_with_the_same_engine(everything: Server) -> None:
    engine, old = everything.engine, find_process(everything, "tritonserver")
    assert old is not None
    copies = model_copies(engine)
    uptime, restarts = stats(everything)["uptime_s"], restart_count(everything, "triton")
    with httpx.stream("POST", f"{everything.api_url}/v1/completions", json=ENDLESS, timeout=60) as response:
        lines = response.iter_lines()
        next(lines)
        old.kill()
        assert '"server_unavailable"' in "".join(lines)
    # On a busy machine, this process may not see the seconds without a Triton.
    wait_until(
        lambda: not is_ready(everything) or find_process(everything, "tritonserver") not in (None, old)
    )
    while not is_ready(everything):
        assert_answer_or_retry_after(everything)
        time.sleep(0.05)
    assert everything.engine == engine
    assert find_process(everything, "tritonserver") not in (None, old)
    with ChatClient(everything.grpc_url) as client:
        assert client.chat("Hello", max_tokens=3).text
        with client.stream("Hello", max_tokens=3) as stream:
            assert "".join(stream)
    assert stats(everything)["uptime_s"] > uptime  # the model was not loaded again
    assert stats(everything)["running"] == 0
    assert restart_count(everything, "triton") == restarts + 1
    assert copies and not any(folder.exists() for folder in copies)


def assert_answer_or_retry_after(server: Server) -> None:
    """Check that the service, without a server, answers by 503 with Retry-After."""
    for response in (
        httpx.get(f"{server.api_url}/v1/models", timeout=60),
        httpx.post(
            f"{server.api_url}/v1/completions", json={"model": "default", "prompt": "Hello"}, timeout=60
        ),
    ):
        assert response.status_code in (200, 503)
        assert response.status_code == 200 or int(response.headers["retry-after"]) > 0


def test_processes_with_ids_of_earlier_ones_are_found(tmp_path: Path) -> None:
    program = shutil.copy("/bin/sleep", tmp_path)
    with subprocess.Popen([program, "60"]) as child:
        try:
            (cached,) = (process for process in psutil.process_iter() if process.pid == child.pid)
            cached._ident = (child.pid, 0.0)  # as if this had been another process
            (process,) = find_processes(tmp_path)
            assert process.pid == child.pid
            assert process.is_running()
        finally:
            child.kill()


def test_unresponsive_model_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_watch, "CHECK_INTERVAL_S", 0.1)
    monkeypatch.setattr(model_watch, "CHECK_TIMEOUT_S", 2.0)
    # Not in `tmp_path`: the path of a socket has at most 107 characters.
    with LLM() as llm, tempfile.TemporaryDirectory() as folder:
        address = Address(grpc_port=free_port(), metrics_port=free_port())
        deployment = Deployment(pool_of(llm), address, Path(folder))
        try:
            deployment.start()
            (stub,) = (p for p, name in find_processes(Path(folder)).items() if name == "chat_stream")
            assert deployment.health() == READY
            stub.suspend()
            wait_until(lambda: deployment.health() != READY)
            wait_until(lambda: deployment.find_fault() is not None)
            # Triton dies if it was just passing a request to the process.
            assert deployment.find_fault() in ("chat_stream does not answer", "Triton's process died")
        finally:
            stop_at_once(deployment, Path(folder))


@pytest.mark.timeout(100)  # PyTriton by itself waits for two minutes
def test_triton_that_dies_as_it_starts_is_started_again() -> None:
    with LLM() as llm, tempfile.TemporaryDirectory() as folder:
        address = Address(grpc_port=free_port(), metrics_port=free_port())
        deployment = Deployment(pool_of(llm), address, Path(folder))
        starting = threading.Thread(target=deployment.start)
        starting.start()
        try:
            wait_until(lambda: "Triton" in find_processes(Path(folder)).values())
            (victim,) = (p for p, name in find_processes(Path(folder)).items() if name == "Triton")
            victim.kill()
            starting.join()
            assert (deployment.health(), deployment.find_fault()) == (READY, None)
            assert victim not in find_processes(Path(folder))
        finally:
            stop_at_once(deployment, Path(folder))


def test_dead_engine_is_found(tmp_path: Path) -> None:
    llm, errors = breakable_llm(CHECKPOINTS / "llama-tied-gqa")
    with llm:
        deployment = Deployment(pool_of(llm), Address(), tmp_path)
        assert deployment.health() == READY
        errors.append(SystemExit())
        with pytest.raises(TritonchatError, match="the engine stopped"):
            llm.generate([5], SamplingParams(max_tokens=1))
        wait_until(lambda: not deployment.is_engine_alive())
        assert deployment.health() == "the engine has stopped"
        with pytest.raises(TritonchatError, match="the engine stopped"):
            serve_until_signal(deployment, Restarts(tmp_path), tmp_path / "log", threading.Event())


def test_chaos(everything: Server, page_port: int) -> None:
    """CHAOS_MINUTES=10 python -m pytest -k chaos -s --timeout 0 kills processes in turn for 10 minutes."""
    minutes, page_url = float(os.environ.get("CHAOS_MINUTES", "0")), f"http://127.0.0.1:{page_port}"
    if minutes:
        record, table = chaos.run(everything, page_url, VICTIMS, streams=32, seconds=60 * minutes, pause_s=12)
        print(f"\n{table}\n{record.complete} complete answers")
    else:
        record, _ = chaos.run(
            everything, page_url, ["chat"], streams=8, seconds=0, pause_s=1, detection_limit_s=30
        )
    assert record.problems == []


def stats(server: Server) -> dict[str, Any]:
    with ChatClient(server.grpc_url) as client:
        return client.stats()


def test_all_parts_end_when_the_supervisor_is_killed(endless_model: Path, tmp_path: Path) -> None:
    """The streams of another HTTP service end with an error."""
    with (
        running_everything(free_port(), endless_model, tmp_path / "log") as server,
        services(server.grpc_url, tmp_path) as start,
        contextlib.ExitStack() as stack,
    ):
        processes, url = family(server.process), f"{start().url}/v1/completions"
        streams = [stack.enter_context(httpx.stream("POST", url, json=ENDLESS, timeout=60)) for _ in range(8)]
        lines = [stream.iter_lines() for stream in streams]
        for stream_lines in lines:
            next(stream_lines)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        wait_until(lambda: have_ended(processes))
        for stream_lines in lines:
            assert "tritonchat serve" in "".join(stream_lines)
        refused = httpx.post(url, json=ENDLESS, timeout=60)
        assert refused.status_code == 503 and "tritonchat serve" in refused.text
