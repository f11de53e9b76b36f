"""Starting, stopping and dying: a server ends politely, says what is wrong, and leaves nothing running."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from conftest import CHECKPOINTS, running_server
from pytriton.triton import Triton
from support import free_port, wait_until

from model_core import LLM
from model_core.errors import InvalidRequest
from triton_server.client import Answer, ChatClient, ServerUnavailable
from triton_server.deployment import Address, Deployment
from triton_server.machine import check_ports

ENDLESS = {"max_tokens": 900, "ignore_eos": True}


def tritonchat(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "triton_server", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def family(process: subprocess.Popen) -> list[psutil.Process]:
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def gone(processes: list[psutil.Process]) -> bool:
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


@pytest.mark.parametrize("whom", ["everybody, as Ctrl-C does", "the server alone, as a supervisor does"])
def test_stopping_lets_answers_end_and_leaves_nothing(whom: str) -> None:
    with running_server() as server, ThreadPoolExecutor(6) as pool, ChatClient(server.grpc_url) as client:
        processes = family(server.process)

        def ask(seed: int) -> Answer:
            if seed < 2:
                return client.chat("Hello", seed=seed, **ENDLESS)
            with client.stream("Hello", seed=seed, **ENDLESS) as stream:
                list(stream)
            assert stream.answer is not None
            return stream.answer

        answers = [pool.submit(ask, seed) for seed in range(6)]
        wait_until(lambda: client.stats()["totals"]["requests"] == 6)
        if whom.startswith("everybody"):
            os.killpg(server.process.pid, signal.SIGINT)
        else:
            server.process.send_signal(signal.SIGTERM)
        for answer in answers:
            finished = answer.result(timeout=60)
            assert finished.finish_reason in ("length", "cancelled")  # cancelled where 20 s were too few
            assert finished.text
        assert server.process.stdout is not None
        said = server.process.stdout.read()
        assert server.process.wait(timeout=60) == 0
        assert "Stopped." in said
        assert "Traceback" not in said
        wait_until(lambda: gone(processes))
        with pytest.raises(ServerUnavailable):
            client.chat("Hello")


def page_answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_up_ends_all_parts_together(signal_number: int) -> None:
    port = free_port()
    with running_server("--ui-port", str(port), command="up") as server:
        processes = family(server.process)
        assert len([p for p in processes if {"streamlit", "triton_server.api"} & set(p.cmdline())]) == 2
        assert page_answers(port)
        assert ChatClient(server.grpc_url).is_ready()
        server.process.send_signal(signal_number)
        server.process.wait(timeout=60)
        wait_until(lambda: gone(processes))
        assert not page_answers(port)


@pytest.mark.parametrize(
    ("part", "module"), [("the page", "streamlit"), ("the HTTP service", "triton_server.api")]
)
def test_a_dead_part_is_noticed(part: str, module: str) -> None:
    with running_server("--ui-port", str(free_port()), command="up") as server:
        processes = family(server.process)
        next(p for p in processes if module in p.cmdline()).kill()
        assert server.process.stdout is not None
        assert f"{part} stopped by itself" in server.process.stdout.read()
        assert server.process.wait(timeout=60) == 1
        wait_until(lambda: gone(processes))


def test_a_dead_triton_is_noticed() -> None:
    with running_server() as server:
        processes = family(server.process)
        next(p for p in processes if p.name() == "tritonserver").kill()
        assert server.process.stdout is not None
        said = server.process.stdout.read()
        assert server.process.wait(timeout=60) == 1
        assert "the server stopped by itself" in said
        wait_until(lambda: gone(processes))


def test_a_killed_server_takes_its_children_along() -> None:
    with running_server() as server:
        processes = family(server.process)
        server.process.kill()
        wait_until(lambda: gone(processes))


def test_a_start_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run, attempts = Triton.run, []

    def fail_at_first(triton: Triton) -> None:
        run(triton)
        attempts.append(triton)
        if len(attempts) == 1:
            raise ConnectionRefusedError("a socket that nobody listens on yet")

    monkeypatch.setattr(Triton, "run", fail_at_first)
    address = Address(grpc_port=free_port(), http_port=free_port(), metrics_port=free_port())
    with tempfile.TemporaryDirectory() as folder, LLM() as llm:
        deployment = Deployment(llm, address, Path(folder))
        try:
            deployment.start()
            assert len(attempts) == 2
            assert not attempts[0].is_alive()
            with ChatClient(f"127.0.0.1:{address.grpc_port}") as client:
                assert client.chat("Hello").text
        finally:
            deployment.stop()


def test_a_taken_port_is_named_with_its_flag() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (check,) = check_ports("127.0.0.1", {"--grpc-port": port})
        assert not check.ok
        result = tritonchat("serve", "--grpc-port", str(port))
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert f"port {port}" in result.stderr
    assert "--grpc-port" in result.stderr
    assert f"process {os.getpid()}" in result.stderr


def test_doctor_looks_at_everything() -> None:
    ports = [f"--{name}-port={free_port()}" for name in ("grpc", "http", "metrics", "api", "ui")]
    result = tritonchat("doctor", *ports)
    assert result.returncode == 0, result.stdout
    for word in ("Python", "glibc", "libpython", "--ui-port", "cores", "GiB", "embedded"):
        assert word in result.stdout


def test_doctor_fails_where_something_is_wrong() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = tritonchat("doctor", TRITONCHAT_METRICS_PORT=str(taken.getsockname()[1]))
    assert result.returncode == 1
    assert "BAD" in result.stdout
    assert "--metrics-port" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["serve", "--model", "/no/such/model"], "/no/such/model"),
        (["serve", "--weights", "int3"], "int3"),
        (["serve", "--kv-cache-memory", "lots"], "512MiB"),
        (["complete", "--temperature", "5"], "temperature"),
        (["serve", "--nonsense"], "--nonsense"),
        (["serve", "--http-port", "7001", "--metrics-port", "7001"], "must be different"),
        (["serve", "--http-port", "7001", "--api-port", "7001"], "must be different"),
        (["serve", "--host", "nosuch.invalid"], "--host"),
        (["dance"], "dance"),
    ],
)
def test_mistakes_get_a_sentence(arguments: list[str], expected: str) -> None:
    ports = [f"--{name}-port={free_port()}" for name in ("grpc", "http", "metrics", "api")]
    given = [*(ports if arguments[0] == "serve" else []), *arguments[1:]]
    result = tritonchat(arguments[0], *given)
    assert result.returncode != 0
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_the_environment_sets_flags(story: Path) -> None:
    text = tritonchat("complete", "Once upon a time", TRITONCHAT_MODEL=str(story), TRITONCHAT_MAX_TOKENS="20")
    assert text.stdout.startswith("Once upon a time, ")
    again = tritonchat("complete", "Once upon a time", "--model", str(story), "--max-tokens", "20")
    assert again.stdout == text.stdout
    longer = tritonchat("complete", "Once upon a time", "--model", str(story), "--max-tokens", "40")
    assert longer.stdout.startswith(text.stdout.rstrip("\n"))


def test_a_model_without_tokenizer_serves_token_ids() -> None:
    folder = CHECKPOINTS / "llama-tied-gqa"
    with running_server("--model", str(folder)) as server, ChatClient(server.grpc_url) as client:
        answer = client.chat([5, 6, 7], max_tokens=4, ignore_eos=True)
        assert answer.text == ""
        assert len(answer.details["token_ids"]) == 4
        with pytest.raises(InvalidRequest, match="no tokenizer"):
            client.chat("Hello")
        with pytest.raises(InvalidRequest, match="vocabulary"):
            client.chat([5, 10**9])


def test_a_model_without_template_continues_texts(story: Path) -> None:
    arguments = ("--model", str(story), "--max-context", "64")
    with running_server(*arguments) as server, ChatClient(server.grpc_url) as client:
        assert client.stats()["model"]["chat_template"] is False
        assert client.stats()["model"]["max_context"] == 64
        answer = client.chat("Once upon a time")
        assert answer.finish_reason == "length"
        assert answer.usage["prompt_tokens"] + answer.usage["completion_tokens"] == 64
        with pytest.raises(InvalidRequest, match="no chat template"):
            client.chat([{"role": "user", "content": "Hello"}])


def test_quantize_says_what_it_cost_and_overwrites_nothing(tmp_path: Path) -> None:
    model, out = str(CHECKPOINTS / "llama-tied-gqa"), tmp_path / "out"
    run = tritonchat("quantize", model, str(out), "--weights", "int4")
    assert run.returncode == 0, run.stderr
    assert "perplexity" in run.stdout and "%" in run.stdout
    with LLM(out) as llm:
        assert llm.describe()["weights"] == "int4"
    again = tritonchat("quantize", model, str(out))
    assert again.returncode == 1
    assert "not empty" in again.stderr
    missing = tritonchat("quantize", str(tmp_path / "nothing"), str(tmp_path / "other"))
    assert missing.returncode == 1
    assert "Traceback" not in missing.stderr


def test_bench_measures_all_loads() -> None:
    run = tritonchat("bench", "--model", str(CHECKPOINTS / "llama-tied-gqa"), "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert [load["streams"] for load in report["loads"]] == [1, 4, 16, 64]
    assert report["bandwidth"] > 1e8 and report["arithmetic"] > 1e8
    assert all(load["tokens_per_second"] > 0 for load in report["loads"])
