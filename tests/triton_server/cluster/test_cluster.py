"""`tritonchat cluster`: its options; by `make test-cluster`, real servers that Ray places and replaces."""

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import httpx
import psutil
import pytest
from click.testing import CliRunner
from conftest import TRITONCHAT
from http_service import CHAT
from support import family, free_port, have_ended, is_alive, wait_until
from test_proxy import HELLO, LONG, join, read_events

from model_core.errors import TritonchatError
from triton_server.cli.tritonchat import cli, serve
from triton_server.cluster.command import complete_flags
from triton_server.settings.values import read_count


def test_numbers_of_replicas() -> None:
    assert read_count("3") == (3, 3) and read_count("2..8") == (2, 8)
    for text in ("0", "8..2", "two", "2..", "-1"):
        with pytest.raises(ValueError, match="as many as needed"):
            read_count(text)


def test_flags_of_serve_are_completed(tmp_path: Path) -> None:
    assert complete_flags(serve, ["--weights", "int8"], 2, False) == ("--threads=2", "--weights", "int8")
    assert complete_flags(serve, ["--threads=5"], 2, True) == ("--portable", "--threads=5")
    vllm = ["--engine=vllm", "--model", "owner/name", "--", "--max-model-len", "16"]
    assert complete_flags(serve, vllm, 2, True) == tuple(vllm)
    with pytest.raises(TritonchatError, match="--api-port is not for a cluster"):
        complete_flags(serve, ["--api-port=1"], 2, False)
    file = tmp_path / "server.toml"
    file.write_text(f"weights = 'int8'\nthreads = 3\ntls-cert = '{__file__}'")
    with pytest.raises(TritonchatError, match="--tls-cert is not for a cluster"):
        complete_flags(serve, [f"--config={file}"], 2, False)
    file.write_text("weights = 'int8'\nthreads = 3")
    assert complete_flags(serve, [f"--config={file}"], 2, False) == (f"--config={file}",)
    with pytest.raises(click.UsageError, match="No such option"):
        complete_flags(serve, ["--no-such-flag"], 2, False)


def test_missing_ray_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(cli, ["cluster", "--replicas", "2", "--weights", "int8"])
    assert re.match("tritonchat cluster needs Ray: .*install 'ray\\[serve]", str(result.exception))


@contextlib.contextmanager
def running_cluster(*flags: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen]]:
    """`tritonchat cluster`: the address of its proxy, and its process."""
    port = free_port()
    with (folder / "cluster.log").open("w") as log:
        process = subprocess.Popen(
            [*TRITONCHAT, "cluster", f"--port={port}", *flags],
            env={**os.environ, "XDG_DATA_HOME": str(folder)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def find_ready(url: str) -> set[str]:
    """The addresses of the servers that are ready, as the proxy says."""
    with contextlib.suppress(httpx.HTTPError):
        servers = httpx.get(f"{url}/replicas").json()["servers"]
        return {server["url"] for server in servers if server["ready"]}
    return set()


def find_server(processes: list[psutil.Process], url: str) -> psutil.Process:
    """The `tritonchat serve` of a replica."""
    flag = f"--api-port={httpx.URL(url).port}"
    return next(p for p in processes if is_alive(p) and flag in p.cmdline() and "serve" in p.cmdline())


def open_ports(processes: list[psutil.Process]) -> set[str]:
    """The addresses on which they listen."""
    return {
        connection.laddr.ip.removeprefix("::ffff:")
        for process in processes
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }


@pytest.mark.skipif("CLUSTER_TESTS" not in os.environ, reason="make test-cluster runs it")
@pytest.mark.timeout(900)
def test_replicas_come_and_go(endless_model: Path, tmp_path: Path) -> None:
    """One grows to two under load; one of two is killed and replaced; then one is enough. No answer fails."""
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    scale = ("--replicas=1..2", "--requests-per-replica=4", "--scale-up-after=0", "--scale-down-after=5")
    bodies = [
        {**LONG, "max_tokens": 4000, "seed": n, "messages": [{**HELLO[0], "content": f"{n}?"}]}
        for n in range(12)
    ]

    def ask(url: str, body: dict[str, Any]) -> str:
        if body["seed"] % 4:
            return join(read_events(url, CHAT, body))["text"]
        answer = httpx.post(url + CHAT, json=body, timeout=600)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]["message"]["content"]

    with (
        running_cluster(*scale, "--model", str(endless_model), folder=tmp_path) as (url, process),
        ThreadPoolExecutor(12) as pool,
    ):
        wait_until(lambda: process.poll() is None and len(find_ready(url)) == 1)
        (first,) = find_ready(url)
        answers = [pool.submit(ask, url, body) for body in bodies]
        wait_until(lambda: len(find_ready(url)) == 2)
        processes = family(process)
        assert open_ports(processes) == {"127.0.0.1"}
        os.kill(find_server(processes, first).pid, signal.SIGKILL)
        start = time.monotonic()
        wait_until(lambda: len(find_ready(url) - {first}) == 2)
        print(f"replaced {time.monotonic() - start:.1f} s after its end")
        texts = [answer.result(600) for answer in answers]
        wait_until(lambda: len(find_ready(url)) == 1)
        assert [ask(url, body) for body in bodies[:4]] == texts[:4]
        processes += family(process)
        process.terminate()
        assert process.wait(120) == 0
        wait_until(lambda: have_ended(processes))
    assert "Stopped." in (tmp_path / "cluster.log").read_text()


@pytest.mark.skipif("CLUSTER_TESTS" not in os.environ, reason="make test-cluster runs it")
@pytest.mark.timeout(600)
def test_killed_cluster_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    with running_cluster("--replicas=1", folder=tmp_path) as (url, process):
        wait_until(lambda: process.poll() is None and len(find_ready(url)) == 1)
        processes = family(process)
        process.kill()
        process.wait()
        wait_until(lambda: have_ended(processes))


@pytest.mark.skipif("CLUSTER_TESTS" not in os.environ, reason="make test-cluster runs it")
@pytest.mark.timeout(600)
def test_server_that_cannot_start_is_said_in_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    with running_cluster("--replicas=1", "--model", str(tmp_path / "none"), folder=tmp_path) as (_, process):
        assert process.wait(300) == 1
    assert "a server did not start: " in (tmp_path / "cluster.log").read_text().splitlines()[-1]
