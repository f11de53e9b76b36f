"""What Ray costs, and how long clients wait when a replica of `tritonchat cluster` is killed.

.venv/bin/python benchmarks/replicas/cluster.py --replicas 2 --streams 8

Starts one server by hand, then a cluster of servers, on the embedded model or that of the flags. Prints when
they are ready, and the memory and the processor time of Ray's processes while nothing happens. Then it kills
one replica under streams, and prints the longest pause in them, whether all were whole, and when Ray had
replaced the replica.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psutil
from routing import start_server

from triton_server.system.hosts import free_port

_ROUTE = "/v1/chat/completions"
_MEBIBYTE = 2**20


def find_ready(url: str) -> set[str]:
    """The addresses of the servers that are ready, as the proxy says."""
    with suppress(httpx.HTTPError):
        servers = httpx.get(f"{url}/replicas", trust_env=False).json()["servers"]
        return {server["url"] for server in servers if server["ready"]}
    return set()


def wait_for(url: str, count: int, without: str = "") -> float:
    """Wait until so many servers are ready; the seconds."""
    start = time.monotonic()
    while len(find_ready(url) - {without}) < count:
        time.sleep(0.1)
    return time.monotonic() - start


def find_servers(root: psutil.Process) -> list[psutil.Process]:
    """The `tritonchat serve` of each replica."""
    return [process for process in root.children(recursive=True) if _has(process, "serve", "triton_server")]


def find_ray(root: psutil.Process) -> list[psutil.Process]:
    """The processes that only a cluster has: not those of servers, nor the proxy."""
    others = {root}
    for process in root.children(recursive=True):
        if _has(process, "serve", "triton_server") or _has(process, "proxy", "triton_server"):
            others |= {process, *process.children(recursive=True)}
    shells = {process for process in root.children(recursive=True) if _has(process, "/bin/sh")}
    return [root, *(set(root.children(recursive=True)) - others - shells)]


def _has(process: psutil.Process, *words: str) -> bool:
    with suppress(psutil.NoSuchProcess):
        return set(words) <= set(process.cmdline())
    return False


def processor_seconds(processes: list[psutil.Process]) -> float:
    """Processor time that processes have used."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def stream(url: str, seed: int, tokens: int, chunks: list[float]) -> str:
    """The text of a streamed answer. `chunks`: gets the times at which parts came."""
    body: dict[str, Any] = {
        "model": "default",
        "messages": [{"role": "user", "content": f"{seed}?"}],
        "max_tokens": tokens,
        "ignore_eos": True,
        "seed": seed,
        "stream": True,
    }
    text = ""
    with httpx.stream("POST", url + _ROUTE, json=body, timeout=600) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                chunks.append(time.monotonic())
                text += json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
    return text


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=800)
    parser.add_argument("--idle-seconds", type=float, default=30)
    parser.add_argument("flags", nargs="*", metavar="-- FLAGS OF SERVE", help="such as -- --model FOLDER")
    options = parser.parse_args()
    with ExitStack() as stack:
        start = time.monotonic()
        start_server(stack, *options.flags)
        alone = time.monotonic() - start
    print(f"one server by hand is ready after {alone:.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "triton_server", "cluster", f"--replicas={options.replicas}"]
        start = time.monotonic()
        process = subprocess.Popen(
            [*command, f"--port={port}", *options.flags],
            stdout=log,
            stderr=log,
            env={**os.environ, "XDG_DATA_HOME": folder},
        )
        try:
            wait_for(url, options.replicas)
            print(f"a cluster of {options.replicas} after {time.monotonic() - start:.1f} s", flush=True)
            root = psutil.Process(process.pid)
            measure_idle(root, options.idle_seconds)
            measure_kill(url, root, options.replicas, options.streams, options.tokens)
        finally:
            process.terminate()
            process.wait()


def measure_idle(root: psutil.Process, seconds: float) -> None:
    """Print what Ray takes while nothing happens."""
    processes = find_ray(root)
    before = processor_seconds(processes)
    time.sleep(seconds)
    used = (processor_seconds(processes) - before) / seconds
    memory = sum(process.memory_full_info().pss for process in processes) / _MEBIBYTE
    print(f"Ray, idle: {len(processes)} processes, {memory:.0f} MiB, {used:.1%} of a core", flush=True)


def measure_kill(url: str, root: psutil.Process, replicas: int, streams: int, tokens: int) -> None:
    """Kill one replica under streams, and print what clients and Ray did."""
    times: list[list[float]] = [[] for _ in range(streams)]
    servers = find_servers(root)
    addresses = {p.pid: next(f for f in p.cmdline() if f.startswith("--api-port=")) for p in servers}
    with ThreadPoolExecutor(streams) as pool:
        asked = [pool.submit(stream, url, seed, tokens, times[seed]) for seed in range(streams)]
        while not all(times):
            time.sleep(0.01)
        victim = servers[0]
        port = addresses[victim.pid].partition("=")[2]
        killed = time.monotonic()
        os.kill(victim.pid, signal.SIGKILL)
        replaced: list[float] = []
        watch = threading.Thread(
            target=lambda: replaced.append(wait_for(url, replicas, f"http://127.0.0.1:{port}"))
        )
        watch.start()
        texts = [one.result() for one in asked]
        watch.join()
    pauses = [max((b - a for a, b in pairwise(one) if b > killed), default=0.0) for one in times]
    is_whole = texts == [stream(url, seed, tokens, []) for seed in range(streams)]
    median, verdict = (
        statistics.median(pauses),
        "all whole, with their bytes" if is_whole else "not all whole",
    )
    print(
        f"a replica killed under {streams} streams: {verdict}; longest pause {max(pauses):.2f} s, median of "
        f"the streams' longest {median:.2f} s; replaced after {replaced[0]:.1f} s"
    )


if __name__ == "__main__":
    main()
