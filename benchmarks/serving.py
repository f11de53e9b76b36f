"""Measure tokens per second and time to first token: of the engine, of Triton over gRPC, of the HTTP service.

    python benchmarks/serving.py [--model FOLDER] [--weights int8] [--tokens 200] [--clients 1,8,32,64]

Starts a server on free ports, with the embedded model or with `--model`. Streams answers to the given numbers
of concurrent clients: in turn from the engine in this process, without Triton, over gRPC and over HTTP.
Prints a Markdown table and names the machine. A gap is the time from one piece of an answer to the next.

The clients over HTTP are one thread that reads sockets, because 64 clients of a library take longer than the
server. The clients run on the same machine as the server.
"""

import argparse
import json
import platform
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from model_core import LLM, SamplingParams
from triton_server.client import ChatClient

PROMPT = list(range(20, 52))  # token ids that every model has
AskFunction = Callable[[int, list[float]], float]


@dataclass(frozen=True)
class Measured:
    """Tokens per second of all clients; seconds until the first token; median and p99 of the gaps."""

    rate: float
    first_s: float
    gap_s: float
    slow_gap_s: float


def measure(ask: AskFunction, clients: int, tokens: int) -> Measured:
    """Let each client ask three times, after once that is not measured."""
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda seed: ask(seed, []), range(clients)))  # warm-up
        gaps: list[float] = []
        start = time.perf_counter()
        firsts = list(pool.map(lambda seed: ask(seed, gaps), range(3 * clients)))
        seconds = time.perf_counter() - start
    slow_gap = float(np.percentile(gaps, 99))
    return Measured(
        3 * clients * tokens / seconds, statistics.median(firsts), statistics.median(gaps), slow_gap
    )


def time_pieces(pieces: Iterable[Any], start: float, gaps: list[float]) -> float:
    """Read the pieces of an answer, and add the seconds between them. Return those until the first."""
    first = last = 0.0
    for _ in pieces:
        now = time.perf_counter()
        if first:
            gaps.append(now - last)
        else:
            first = now - start
        last = now
    return first


def ask_over_grpc(url: str, tokens: int) -> AskFunction:
    """Return a function that streams an answer over gRPC and returns the seconds until its first delta."""

    def ask(seed: int, gaps: list[float]) -> float:
        start = time.perf_counter()
        with (
            ChatClient(url) as client,
            client.stream(PROMPT, seed=seed, max_tokens=tokens, ignore_eos=True) as stream,
        ):
            return time_pieces(stream, start, gaps)

    return ask


@dataclass
class HttpClient:
    """A connection over which one answer after the other is streamed, in the form of OpenAI's API."""

    connection: socket.socket
    body: dict[str, Any]
    left: int  # requests to send
    received: bytes = b""
    start: float = 0.0
    last_piece: float = 0.0
    firsts: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)

    def ask(self, seed: int, **fields: Any) -> None:
        """Send the next request. `fields` replace those of its body."""
        content = json.dumps({**self.body, "seed": seed, **fields}).encode()
        head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        self.connection.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        self.left -= 1
        self.received, self.start, self.last_piece = b"", time.perf_counter(), 0.0

    def read(self) -> bool:
        """Read what has come. Whether an answer has ended."""
        data, now = self.connection.recv(2**18), time.perf_counter()
        if not data:
            raise ConnectionError("the service has closed a connection")
        if b'"text":"' in data:
            if self.last_piece:
                self.gaps.append(now - self.last_piece)
            else:
                self.firsts.append(now - self.start)
            self.last_piece = now
        self.received = (self.received + data)[-64:]
        return self.received.endswith(b"0\r\n\r\n")


def measure_http(
    port: int, clients: int, tokens: int, is_staggered: bool = False, **fields: Any
) -> "Measured":
    """Stream three answers to each client, after one that is not measured. `fields`: of the requests.

    `is_staggered`: the first answers have different lengths, so that the others do not end together.
    """
    body = {"model": "default", "prompt": PROMPT, "max_tokens": tokens, "ignore_eos": True, "stream": True}
    body |= fields
    seconds, running = 0.0, []
    firsts = [max(1, tokens * (client + 1) // clients) for client in range(clients)]
    total = 2 * clients * tokens + (sum(firsts) if is_staggered else clients * tokens)
    for rounds in (1, 3):  # the first is a warm-up
        running = [
            HttpClient(socket.create_connection(("127.0.0.1", port)), body, rounds) for _ in range(clients)
        ]
        with selectors.DefaultSelector() as selector:
            start = time.perf_counter()
            for seed, client in enumerate(running):
                selector.register(client.connection, selectors.EVENT_READ, client)
                client.ask(seed, **({"max_tokens": firsts[seed]} if is_staggered and rounds > 1 else {}))
            while selector.get_map():
                for key, _ in selector.select():
                    client = key.data
                    if client.read():
                        if client.left:
                            client.ask(client.left)
                        else:
                            selector.unregister(client.connection)
                            client.connection.close()
            seconds = time.perf_counter() - start
    gaps = [gap for client in running for gap in client.gaps]
    return Measured(
        total / seconds,
        statistics.median(first for client in running for first in client.firsts),
        float(np.percentile(gaps, 50)),
        float(np.percentile(gaps, 99)),
    )


def ask_in_process(llm: LLM, tokens: int) -> AskFunction:
    """Return such a function for the engine in this process."""

    def ask(seed: int, gaps: list[float]) -> float:
        params = SamplingParams(seed=seed, max_tokens=tokens, ignore_eos=True)
        return time_pieces(llm.stream(PROMPT, params), time.perf_counter(), gaps)

    return ask


def processor_name() -> str:
    """Return the processor's name from /proc/cpuinfo, or from Python where that file is missing."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return text.partition("model name")[2].partition("\n")[0].strip(" \t:") or platform.processor()


def free_ports(count: int) -> list[int]:
    """Return ports that no program listens on."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="folder in Hugging Face layout")
    parser.add_argument("--weights", default="auto")
    parser.add_argument("--tokens", type=int, default=200, help="of each answer")
    parser.add_argument("--clients", default="1,8,32", help="at once")
    args = parser.parse_args()
    names, ports = ("--grpc-port", "--metrics-port", "--api-port"), free_ports(3)
    flags = [part for name, port in zip(names, ports, strict=True) for part in (name, str(port))]
    flags += ["--weights", args.weights, *(["--model", args.model] if args.model else [])]
    client_counts = [int(clients) for clients in args.clients.split(",")]
    flags += ["--max-concurrency", str(max(client_counts))]
    start = time.perf_counter()
    command = [sys.executable, "-m", "triton_server", "serve", *flags]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    grpc = f"127.0.0.1:{ports[0]}"
    try:
        with ChatClient(grpc) as client:
            while not client.is_ready():
                if server.poll() is not None:
                    sys.exit(f"The server did not start; this says why: {' '.join(command)}")
                time.sleep(0.1)
        startup_s = time.perf_counter() - start
        # In turn, so that all see the same moments of the machine.
        results: dict[int, list[Measured]] = {}
        with LLM(args.model, weights=args.weights, max_concurrency=max(client_counts)) as llm:
            for clients in client_counts:
                results[clients] = [
                    measure(ask_in_process(llm, args.tokens), clients, args.tokens),
                    measure(ask_over_grpc(grpc, args.tokens), clients, args.tokens),
                    measure_http(ports[2], clients, args.tokens),
                ]
    finally:
        server.terminate()
        server.wait()
    python = platform.python_version()
    print(f"{processor_name()}, Python {python}; the server was up after {startup_s:.1f} s\n")
    print("| clients | through | tokens/s | of the engine | first token, ms | gap, ms: median | p99 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for clients, measured in results.items():
        for name, one in zip(("engine alone", "gRPC", "HTTP"), measured, strict=True):
            print(
                f"| {clients} | {name} | {one.rate:.0f} | {one.rate / measured[0].rate:.2f} "
                f"| {one.first_s * 1e3:.0f} | {one.gap_s * 1e3:.0f} | {one.slow_gap_s * 1e3:.0f} |"
            )


if __name__ == "__main__":
    main()
