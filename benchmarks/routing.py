"""How many second turns find their conversation in the cache behind several servers; what the proxy costs.

.venv/bin/python benchmarks/routing.py --servers 3 --conversations 200

Starts the servers on the embedded model, with `tritonchat proxy` in front, and asks each conversation
twice, in a random order. Prints the part of second turns that found the first one's tokens: through the
proxy, and in turns to each server. Then the speed of streams, and the time to the first token, with and
without the proxy. `--smg PROGRAM` measures the router smg with its policy cache_aware, too
(`pip install smg` in a virtual environment of its own).
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from triton_server.hosts import free_port

_ROUTE = "/v1/chat/completions"
_WORDS = ["river", "stone", "garden", "winter", "lantern", "silver", "forest", "window", "candle", "morning"]


def running(*arguments: str, port: int) -> AbstractContextManager[str]:
    """A `tritonchat` with these arguments, once its port answers."""
    return started([sys.executable, "-m", "triton_server", *arguments], port, "/readyz")


def routing(smg: str, urls: list[str]) -> AbstractContextManager[str]:
    """smg in front of servers."""
    port, metrics = free_port(), free_port()
    flags = ["--policy=cache_aware", f"--port={port}", f"--prometheus-port={metrics}", "--log-level=error"]
    return started([smg, "launch", "--worker-urls", *urls, *flags], port, "/v1/models")


@contextmanager
def started(command: list[str], port: int, path: str) -> Iterator[str]:
    """A server, once it answers this path with 200."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env=_environment(folder),
        )
        try:
            url = f"http://127.0.0.1:{port}"
            while not _is_ready(url + path):
                if process.poll() is not None:
                    sys.exit((Path(folder) / "log").read_text())
                time.sleep(0.2)
            yield url
        finally:
            process.terminate()
            process.wait()


def _environment(folder: str) -> dict[str, str]:
    return {**os.environ, "XDG_DATA_HOME": folder, "TMPDIR": folder}


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def start_server(stack: ExitStack) -> str:
    """A server on the embedded model; the address of its HTTP service."""
    grpc, metrics, api = (free_port() for _ in range(3))
    flags = (f"--grpc-port={grpc}", f"--metrics-port={metrics}", f"--api-port={api}", "--threads=1")
    return stack.enter_context(running("serve", *flags, port=api))


def ask_twice(urls: Iterator[str], count: int) -> float:
    """The part of second turns with the tokens of the first one in the cache. `urls`: of each turn."""
    rng = random.Random(count)
    conversations = [
        [{"role": "user", "content": " ".join([str(number), *rng.choices(_WORDS, k=40)])}]
        for number in range(count)
    ]
    hits = 0
    with httpx.Client(timeout=120) as client:
        first = {}
        for number in rng.sample(range(count), count):
            body = {"model": "embedded", "messages": conversations[number], "max_tokens": 16, "seed": number}
            first[number] = client.post(next(urls) + _ROUTE, json=body).json()
        for number in rng.sample(range(count), count):
            answer = first[number]["choices"][0]["message"]["content"] or "Yes."
            messages = [
                *conversations[number],
                {"role": "assistant", "content": answer},
                {"role": "user", "content": "And then?"},
            ]
            body = {"model": "embedded", "messages": messages, "max_tokens": 4, "seed": number}
            usage = client.post(next(urls) + _ROUTE, json=body).json()["usage"]
            prompt = first[number]["usage"]["prompt_tokens"]
            # Pages of 16 tokens are shared, so all but the last part of the first prompt can be found.
            hits += usage["prompt_tokens_details"]["cached_tokens"] >= prompt - 16
    return hits / count


def measure(url: str, streams: int, tokens: int) -> tuple[float, float]:
    """Tokens a second of all streams, and the median time to the first token of one stream, in seconds."""
    body: dict[str, Any] = {"model": "embedded", "max_tokens": tokens, "ignore_eos": True, "stream": True}

    def ask(number: int) -> float:
        messages = [{"role": "user", "content": f"{number} {random.random()}"}]
        start = time.perf_counter()
        with httpx.stream("POST", url + _ROUTE, json={**body, "messages": messages}, timeout=300) as response:
            lines = response.iter_lines()
            for line in lines:
                if '"content":"' in line and json.loads(line[6:])["choices"][0]["delta"].get("content"):
                    first = time.perf_counter() - start
                    break
            for _ in lines:
                pass
        return first

    start = time.perf_counter()
    with ThreadPoolExecutor(streams) as pool:
        list(pool.map(ask, range(streams)))
    speed = streams * tokens / (time.perf_counter() - start)
    body["max_tokens"] = 8
    return speed, statistics.median(ask(number) for number in range(30))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--smg", help="the program smg")
    options = parser.parse_args()
    with ExitStack() as stack:
        urls = [start_server(stack) for _ in range(options.servers)]
        port = free_port()
        flags = [f"--replica={url}" for url in urls]
        front = stack.enter_context(running("proxy", *flags, f"--port={port}", port=port))
        places = {"in turns": itertools.cycle(urls), "proxy": itertools.repeat(front)}
        if options.smg:
            places["smg"] = itertools.repeat(stack.enter_context(routing(options.smg, urls)))
        time.sleep(2)  # until they have asked all servers
        for number, (name, place) in enumerate(places.items()):
            count = options.conversations + number  # other conversations
            print(f"{name:<10} {ask_twice(place, count):.1%} of {count} second turns found the first")
        with ExitStack() as alone:
            one = free_port()
            single = alone.enter_context(running("proxy", f"--replica={urls[0]}", f"--port={one}", port=one))
            ways = {"direct": urls[0], "proxy": single}
            if options.smg:
                ways["smg"] = alone.enter_context(routing(options.smg, urls[:1]))
            for _ in range(3):
                for name, url in ways.items():
                    speed, first = measure(url, options.streams, 200)
                    load = f"{speed:.0f} tokens/s with {options.streams} streams"
                    print(f"{name:<10} {load}, first token {1000 * first:.1f} ms")


if __name__ == "__main__":
    main()
