"""Measure tokens per second and time to first token: of the engine, of Triton over gRPC, of the HTTP service.

    python benchmarks/serving.py [--model FOLDER] [--weights int8] [--tokens 200] [--clients 1,8,32,64]

Starts a server on free ports, with the embedded model or with `--model`. Streams answers to the given numbers
of concurrent clients. Then does the same in this process, without Triton. Prints a Markdown table and names
the machine.
"""

import argparse
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from model_core import LLM, SamplingParams
from triton_server.client import ChatClient

PROMPT = list(range(20, 52))  # token ids that every model has
AskFunction = Callable[[int], float]


def measure(ask: AskFunction, clients: int, tokens: int) -> tuple[float, float]:
    """Return tokens per second of all clients together, and the median time to first token in ms."""
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(ask, range(clients)))  # warm-up
        start = time.perf_counter()
        first_tokens = list(pool.map(ask, range(3 * clients)))
        seconds = time.perf_counter() - start
    return 3 * clients * tokens / seconds, statistics.median(first_tokens) * 1000


def ask_over_grpc(url: str, tokens: int) -> AskFunction:
    """Return a function that streams an answer over gRPC and returns the seconds until its first delta."""

    def ask(seed: int) -> float:
        start, first = time.perf_counter(), 0.0
        with (
            ChatClient(url) as client,
            client.stream(PROMPT, seed=seed, max_tokens=tokens, ignore_eos=True) as stream,
        ):
            for _ in stream:
                first = first or time.perf_counter() - start
        return first

    return ask


def ask_over_http(url: str, tokens: int) -> AskFunction:
    """Return such a function for the HTTP service, in the form of OpenAI's API."""
    body = {"model": "default", "prompt": PROMPT, "max_tokens": tokens, "ignore_eos": True, "stream": True}
    # All clients share it: httpx takes longer to create a client than the server takes to answer.
    client = httpx.Client(timeout=None, trust_env=False, limits=httpx.Limits(max_connections=None))

    def ask(seed: int) -> float:
        start, first = time.perf_counter(), 0.0
        with client.stream("POST", f"{url}/v1/completions", json={**body, "seed": seed}) as response:
            response.raise_for_status()
            for _ in response.iter_raw():
                first = first or time.perf_counter() - start
        return first

    return ask


def ask_in_process(llm: LLM, tokens: int) -> AskFunction:
    """Return such a function for the engine in this process."""

    def ask(seed: int) -> float:
        start, first = time.perf_counter(), 0.0
        for _ in llm.stream(PROMPT, SamplingParams(seed=seed, max_tokens=tokens, ignore_eos=True)):
            first = first or time.perf_counter() - start
        return first

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
    start = time.perf_counter()
    command = [sys.executable, "-m", "triton_server", "serve", *flags]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client_counts = [int(clients) for clients in args.clients.split(",")]
    grpc, http = f"127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[2]}"
    try:
        with ChatClient(grpc) as client:
            while not client.is_ready():
                if server.poll() is not None:
                    sys.exit(f"The server did not start; this says why: {' '.join(command)}")
                time.sleep(0.1)
        startup_s = time.perf_counter() - start
        ask_functions = (ask_over_grpc(grpc, args.tokens), ask_over_http(http, args.tokens))
        server_results = {
            clients: [measure(ask, clients, args.tokens) for ask in ask_functions]
            for clients in client_counts
        }
    finally:
        server.terminate()
        server.wait()
    with LLM(args.model, weights=args.weights) as llm:
        ask = ask_in_process(llm, args.tokens)
        engine_results = {clients: measure(ask, clients, args.tokens) for clients in client_counts}
    python = platform.python_version()
    print(f"{processor_name()}, Python {python}; the server was up after {startup_s:.1f} s\n")
    print("| clients | engine, tokens/s | gRPC | of that | HTTP | of gRPC | first token, gRPC / HTTP, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for clients, ((grpc_rate, grpc_first), (http_rate, http_first)) in server_results.items():
        engine = engine_results[clients][0]
        print(
            f"| {clients} | {engine:.0f} | {grpc_rate:.0f} | {grpc_rate / engine:.2f} | {http_rate:.0f} "
            f"| {http_rate / grpc_rate:.2f} | {grpc_first:.0f} / {http_first:.0f} |"
        )


if __name__ == "__main__":
    main()
