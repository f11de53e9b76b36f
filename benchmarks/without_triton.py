"""Compare `tritonchat serve` with and without Triton: start, memory, processes, time to the first token.

    python benchmarks/without_triton.py [--model FOLDER] [--rounds 3] [--asks 200]

First each is started in turn, by itself: how long until the service is ready, and how much memory all its
processes have after a first answer (PSS: what several share counts once), with that of the engine and of the
HTTP service. Then both run, and are asked in turn over gRPC and over HTTP by one client: the median time to
the first token, the median of the differences, and the time of a whole answer of 16 tokens.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import httpx
import psutil
from peers import print_progress
from serving import free_ports, processor_name

from triton_server.client import ChatClient

WAYS = {"Triton": (), "without": ("--no-triton",)}
PROMPT = list(range(20, 52))  # token ids that every model has
ANSWER = {"max_tokens": 16, "ignore_eos": True}
Ask = Callable[[int], tuple[float, float]]


@dataclass(frozen=True)
class Running:
    """A server that runs.

    Attributes:
        start_s: seconds until it was ready.
    """

    process: psutil.Process
    grpc_url: str
    api_url: str
    start_s: float

    def memory(self) -> dict[str, float]:
        """MiB of all processes, of the engine and of the HTTP service, and the number of processes."""
        found: dict[str, float] = {"all": 0.0, "engine": 0.0, "HTTP": 0.0, "processes": 0}
        for process in [self.process, *self.process.children(recursive=True)]:
            size = process.memory_full_info().pss / 2**20
            found["all"] += size
            found["processes"] += 1
            for name, module in (("engine", "triton_server.engine"), ("HTTP", "triton_server.api")):
                if module in process.cmdline():
                    found[name] += size
        return found


@contextmanager
def serve(*flags: str) -> Iterator[Running]:
    """Start a server, and stop it at the end."""
    names, ports = ("--grpc-port", "--metrics-port", "--api-port"), free_ports(3)
    places = [f"{name}={port}" for name, port in zip(names, ports, strict=True)]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "triton_server", "serve", *places, *flags],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_DATA_HOME": folder},
        )
        try:
            url = f"http://127.0.0.1:{ports[2]}"
            while not is_ready(url):
                if server.poll() is not None:
                    sys.exit(f"The server did not start; `tritonchat serve {' '.join(flags)}` says why.")
                time.sleep(0.02)
            seconds = time.perf_counter() - start
            yield Running(psutil.Process(server.pid), f"127.0.0.1:{ports[0]}", url, seconds)
        finally:
            server.terminate()
            server.wait()


def is_ready(url: str) -> bool:
    """Whether a service takes requests."""
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.HTTPError:
        return False


def ask_over_grpc(client: ChatClient) -> Ask:
    """What asks over gRPC, and returns the seconds until the first token and until the end."""

    def ask(seed: int) -> tuple[float, float]:
        start, first = time.perf_counter(), 0.0
        with client.stream(PROMPT, seed=seed, **ANSWER) as stream:
            for _ in stream:
                first = first or time.perf_counter() - start
        return first, time.perf_counter() - start

    return ask


def ask_over_http(client: httpx.Client) -> Ask:
    """The same over HTTP."""

    def ask(seed: int) -> tuple[float, float]:
        body = {"model": "default", "prompt": PROMPT, "seed": seed, "stream": True, **ANSWER}
        start, first = time.perf_counter(), 0.0
        with client.stream("POST", "/v1/completions", json=body) as response:
            for line in response.iter_lines():
                if '"text":"' in line:
                    first = first or time.perf_counter() - start
        return first, time.perf_counter() - start

    return ask


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="folder or file of the model; without it, the embedded one")
    parser.add_argument("--rounds", type=int, default=3, help="starts of each")
    parser.add_argument("--asks", type=int, default=200, help="answers of each over gRPC, and over HTTP")
    args = parser.parse_args()
    model = ("--model", args.model) if args.model else ()
    print(f"{processor_name()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    found: dict[str, list[tuple[float, dict[str, float]]]] = {way: [] for way in WAYS}
    for _ in range(args.rounds):
        for way, flags in WAYS.items():
            with serve(*flags, *model) as server, ChatClient(server.grpc_url) as client:
                ask_over_grpc(client)(0)
                found[way].append((server.start_s, server.memory()))
                print_progress(f"{way}: {found[way][-1]}")
    print("| | ready after | processes | memory of all | of the engine | of the HTTP service |")
    print("| --- | --- | --- | --- | --- | --- |")
    for way, starts in found.items():
        cells = [f"{statistics.median(seconds for seconds, _ in starts):.1f} s"]
        for name in ("processes", "all", "engine", "HTTP"):
            value = statistics.median(memory[name] for _, memory in starts)
            cells.append(f"{value:.0f}" if name == "processes" else f"{value:.0f} MiB")
        print(f"| {way} | {' | '.join(cells)} |")
    print("\n| | first token: Triton | without | difference | whole answer: Triton | without | difference |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with ExitStack() as stack:
        servers = [stack.enter_context(serve(*flags, *model)) for flags in WAYS.values()]
        clients = [stack.enter_context(ChatClient(server.grpc_url)) for server in servers]
        services = [stack.enter_context(httpx.Client(base_url=server.api_url)) for server in servers]
        for name, asks in (
            ("gRPC", list(map(ask_over_grpc, clients))),
            ("HTTP", list(map(ask_over_http, services))),
        ):
            for ask in asks:
                ask(0)
            pairs = [[ask(seed) for ask in asks] for seed in range(1, args.asks + 1)]
            cells = []
            for part in range(2):
                times = [[one[part] * 1e3 for one in pair] for pair in pairs]
                cells += [f"{statistics.median(pair[place] for pair in times):.1f} ms" for place in range(2)]
                cells.append(f"{statistics.median(pair[1] - pair[0] for pair in times):+.1f} ms")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
