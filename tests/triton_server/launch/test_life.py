"""Start and end of a server, the errors of the command line, and the commands doctor, quantize and bench."""

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

import httpx
import psutil
import pytest
from command_line import run_command
from conftest import Server, running_server
from paths import CHECKPOINTS
from process_tree import model_copies, stop_at_once
from pytriton.triton import Triton
from support import family, free_port, have_ended, pool_of, wait_until

from model_core import LLM
from model_core.errors import TritonchatError
from model_core.hub import embedded_model
from triton_server.client.chat_client import ChatClient, ServerUnavailable
from triton_server.engine.models.pending_answer import PendingAnswer
from triton_server.engine.serving.address import Address
from triton_server.engine.triton.deployment import Deployment
from triton_server.system.machine import check_ports

LAST = 5  # the seed of the last answers
COMPLETION = {"model": "default", "prompt": "Hello"}


def tritonchat(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = run_command(*arguments, **environment)
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


def length(seed: int) -> dict[str, int]:
    """The last answers of the endless model take seconds, so they run when the stop comes; most others do."""
    return {"seed": seed, "max_tokens": 1000 if seed == LAST else 200}


def is_page_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as response:
            return response.status == 200
    except OSError:
        return False


def triton_files(engine: psutil.Process) -> list[Path]:
    """What Triton keeps outside the service's folder: copies of its models, and shared memory."""
    return [*model_copies(engine), *Path("/dev/shm").glob(f"pytrtion{engine.pid}-*")]


@pytest.mark.parametrize("command", ["up", "serve"])
def test_stop_ends_answers_and_all_processes(command: str, endless_model: Path) -> None:
    """`up` stops as by Ctrl-C, which all processes get; `serve` by a signal to the supervisor alone."""
    port = free_port()
    page = ("--ui-port", str(port)) if command == "up" else ()
    with (
        running_server(*page, "--model", str(endless_model), command=command) as server,
        ThreadPoolExecutor(12) as pool,
        ChatClient(server.grpc_url) as client,
        httpx.Client(base_url=server.api_url, timeout=120) as web,
    ):
        processes, files = family(server.process), triton_files(server.engine)
        parts = {"streamlit", "triton_server.api", "triton_server.engine"}
        assert len([p for p in processes if parts & set(p.cmdline())]) == (3 if page else 2)
        assert is_page_up(port) == bool(page)

        def ask_over_grpc(seed: int) -> str:
            if seed < 2:
                answer = client.chat("Hello", **length(seed))
            else:
                with client.stream("Hello", **length(seed)) as stream:
                    list(stream)
                assert stream.answer is not None
                answer = stream.answer
            assert answer.text
            return answer.finish_reason

        def ask_over_http(seed: int) -> str:
            body = {**COMPLETION, **length(seed), "stream": seed % 2 == 0}
            with web.stream("POST", "/v1/completions", json=body) as response:
                answer = response.read().decode()
            if "the server has cut the answer off" in answer:
                return "cancelled"
            if body["stream"]:
                assert answer.endswith("data: [DONE]\n\n")
                return "length" if '"finish_reason":"length"' in answer else "cancelled"
            return json.loads(answer)["choices"][0]["finish_reason"]

        asking = (ask_over_grpc, ask_over_http)
        answers = [pool.submit(ask, seed) for seed in range(LAST + 1) for ask in asking]
        wait_until(lambda: client.stats()["totals"]["requests"] == 12)
        with server.paused():
            assert not all(answer.done() for answer in answers)
            if command == "up":
                os.killpg(server.process.pid, signal.SIGINT)
            else:
                server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: web.get("/readyz").status_code == 503)
        refused = web.post("/v1/completions", json=COMPLETION)
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        assert "stopping" in refused.json()["error"]["message"]
        assert web.get("/healthz").status_code == 200
        for answer in answers:
            assert answer.result(timeout=60) in ("length", "cancelled")  # cancelled if 20 s were not enough
        assert server.process.stdout is not None
        output = server.process.stdout.read()
        assert server.process.wait(timeout=60) == 0
        assert "Stopped." in output
        assert "Traceback" not in output
        wait_until(lambda: have_ended(processes))
        assert len(files) >= 6 and not any(file.exists() for file in files)
        assert not is_page_up(port)
        with pytest.raises(ServerUnavailable):
            client.chat("Hello")


def test_failed_start_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    original_connect, instances = Triton.connect, []

    def fail_first_connection(triton: Triton) -> None:
        original_connect(triton)
        instances.append(triton)
        if len(instances) == 1:
            raise ConnectionRefusedError("no program listens on the socket yet")

    monkeypatch.setattr(Triton, "connect", fail_first_connection)
    address = Address(grpc_port=free_port(), metrics_port=free_port())
    with tempfile.TemporaryDirectory() as folder, LLM() as llm:
        started = Deployment(pool_of(llm), address, Path(folder))
        try:
            started.start()
            assert len(instances) == 2
            assert not instances[0].is_alive()
            with ChatClient(f"127.0.0.1:{address.grpc_port}") as client:
                assert client.chat("Hello").text
                # PyTriton itself would send the traceback of an exception to the client.
                for method in ("pop_answer", "pop_pieces"):
                    monkeypatch.setattr(PendingAnswer, method, lambda self: 1 / 0)
                for ask in (client.chat, lambda prompt: list(client.stream(prompt))):
                    with pytest.raises(TritonchatError, match="its log says why") as error_info:
                        ask("Hello")
                    assert "Traceback" not in str(error_info.value) and "/" not in str(error_info.value)
        finally:
            stop_at_once(started, Path(folder))


def test_error_of_a_taken_port_names_its_flag() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        (check,) = check_ports("127.0.0.1", {"--grpc-port": port})
        assert not check.is_ok
        result = tritonchat("serve", "--grpc-port", str(port))
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert f"port {port}" in result.stderr
    assert "--grpc-port" in result.stderr
    assert f"process {os.getpid()}" in result.stderr


def test_doctor_runs_all_checks() -> None:
    ports = [f"--{name}-port={free_port()}" for name in ("grpc", "http", "metrics", "api", "ui")]
    result = tritonchat("doctor", *ports)
    assert result.returncode == 0, result.stdout
    for word in ("Python", "glibc", "libpython", "--ui-port", "cores", "GiB", "embedded"):
        assert word in result.stdout


def test_doctor_accepts_the_ports_of_a_server_that_runs(server: Server) -> None:
    port = httpx.URL(server.api_url).port
    assert port is not None
    result = tritonchat("doctor", f"--api-port={port}")
    assert f"ok   port {port}" in result.stdout and "another needs --api-port" in result.stdout
    (check,) = check_ports("127.0.0.1", {"--api-port": port})
    assert not check.is_ok  # a second server cannot have it


def test_doctor_takes_no_other_program_for_a_server(tmp_path: Path) -> None:
    """Its arguments look like those of a server."""
    script = tmp_path / "other"
    script.write_text(
        "import socket\nlistener = socket.create_server(('127.0.0.1', 0))\n"
        "print(listener.getsockname()[1], flush=True)\ninput()\n"
    )
    command = [sys.executable, str(script), "tritonchat", "serve", "-m", "triton_server", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        result = tritonchat("doctor", f"--api-port={port}")
        process.communicate("\n")
    assert result.returncode == 1
    assert f"BAD  port {port}" in result.stdout and f"(process {process.pid})" in result.stdout


def test_doctor_fails_if_a_check_fails() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        result = tritonchat("doctor", TRITONCHAT_METRICS_PORT=str(listener.getsockname()[1]))
    assert result.returncode == 1
    assert "BAD" in result.stdout
    assert "--metrics-port" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["serve", "--model", "/no/such/model"], "/no/such/model"),
        (["complete", "--temperature", "5"], "temperature"),
        (["serve", "--host", "nosuch.invalid"], "--host"),
    ],
)
def test_command_line_errors_have_no_traceback(arguments: list[str], expected: str) -> None:
    ports = [f"--{name}-port={free_port()}" for name in ("grpc", "http", "metrics", "api")]
    flags = [*(ports if arguments[0] == "serve" else []), *arguments[1:]]
    result = tritonchat(arguments[0], *flags)
    assert result.returncode != 0
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["serve", "--weights", "int3"], "int3"),
        (["serve", "--kv-cache-memory", "lots"], "512MiB"),
        (["serve", "--nonsense"], "--nonsense"),
        (["serve", "--grpc-port", "7001", "--metrics-port", "7001"], "must be different"),
        (["serve", "--triton-http", "--http-port", "7001", "--api-port", "7001"], "must be different"),
        (
            ["serve", "./my-model"],
            "./my-model: only --engine vllm takes more than flags of its own; a model is given",
        ),
        (["dance"], "dance"),
    ],
)
def test_wrong_flags_are_named(arguments: list[str], expected: str) -> None:
    result = tritonchat(*arguments)
    assert result.returncode in (1, 2)
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_environment_sets_flags(endless_model: Path) -> None:
    story = ("complete", "Once upon a time", "--temperature", "0")
    text = tritonchat(*story, TRITONCHAT_MODEL=str(endless_model), TRITONCHAT_MAX_TOKENS="20")
    assert text.stdout.startswith("Once upon a time, ")
    again = tritonchat(*story, "--model", str(endless_model), "--max-tokens", "20")
    assert again.stdout == text.stdout
    longer = tritonchat(*story, "--model", str(endless_model), "--max-tokens", "40")
    assert longer.stdout.startswith(text.stdout.rstrip("\n"))


def test_quantize_prints_perplexity_and_overwrites_nothing(tmp_path: Path) -> None:
    bare = tritonchat("quantize", str(CHECKPOINTS / "llama-tied-gqa"), str(tmp_path / "bare"))
    assert bare.returncode == 0 and "no tokenizer" in bare.stdout
    model, out = str(embedded_model()), tmp_path / "out"
    run = tritonchat("quantize", model, str(out), "--weights", "int4")
    assert run.returncode == 0, run.stderr
    assert "perplexity" in run.stdout and "%" in run.stdout and "KL " in run.stdout
    with LLM(out) as llm:
        assert llm.describe()["weights"] == "int4, int8"  # of the head
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
