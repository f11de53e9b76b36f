"""What a router in front of several servers costs, and how many second turns find the first in a cache.

.venv/bin/python benchmarks/replicas/routing.py --work-folder FOLDER --servers 3 --conversations 200 \
    --smg SMG

Starts servers on the embedded model, with `tritonchat proxy` in front, and asks each conversation twice, in a
random order. Prints the part of second turns that found the first one's tokens: through the proxy, and in
turns to each server. Then the speed of streams, and the time to the first token, of one server with weights
of random numbers: direct and through the proxy, over HTTP and gRPC. Both are measured in turns, each request
beside the same one of the other ways. `--smg` measures the router smg with its policy cache_aware, too (`pip
install smg` in a virtual environment of its own).
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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

sys.path.append(str(Path(__file__).parents[1]))  # has the package making
from making.words import make_word_model, word

from triton_server.client import ChatClient
from triton_server.system.hosts import free_port

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


def start_server(stack: ExitStack, *flags: str) -> str:
    """A server; the address of its HTTP service."""
    grpc, metrics, api = (free_port() for _ in range(3))
    ports = (f"--grpc-port={grpc}", f"--metrics-port={metrics}", f"--api-port={api}")
    return stack.enter_context(running("serve", *ports, *flags, port=api))


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


Ask = Callable[[int, int], float]  # with a seed and a number of tokens; the seconds to the first of them


def ask_http(url: str, model: str) -> Ask:
    """Asks over HTTP, on connections that stay."""
    client = httpx.Client(timeout=600, trust_env=False, limits=httpx.Limits(max_connections=None))

    def ask(seed: int, tokens: int) -> float:
        body: dict[str, Any] = {
            "model": model,
            "messages": make_messages(seed),
            "max_tokens": tokens,
            "seed": seed,
            "ignore_eos": True,
            "stream": True,
        }
        start, first = time.perf_counter(), 0.0
        with client.stream("POST", url + _ROUTE, json=body) as response:
            response.raise_for_status()
            for line in response.iter_lines():
                if not first and '"content":"' in line:
                    chunk = json.loads(line[6:])
                    if chunk["choices"][0]["delta"].get("content"):
                        first = time.perf_counter() - start
        return first

    return ask


def ask_grpc(address: str) -> Ask:
    """Asks over gRPC."""
    client = ChatClient(address)

    def ask(seed: int, tokens: int) -> float:
        start, first = time.perf_counter(), 0.0
        with client.stream(make_messages(seed), max_tokens=tokens, seed=seed, ignore_eos=True) as stream:
            for _ in stream:
                first = first or time.perf_counter() - start
        return first

    return ask


def make_messages(seed: int) -> list[dict[str, str]]:
    """A conversation that no cache has."""
    rng = random.Random(seed)
    return [{"role": "user", "content": " ".join(word(rng.randrange(1, 1000)) for _ in range(16))}]


def measure(ways: dict[str, Ask], streams: int, tokens: int, rounds: int, count: int) -> None:
    """Print the speed of so many streams, and the time to the first token of one, for each way."""
    seeds = itertools.count(1)
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    firsts: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):  # the first is a warm-up
        for name in random.sample(list(ways), len(ways)):
            start = time.perf_counter()
            with ThreadPoolExecutor(streams) as pool:
                list(
                    pool.map(lambda seed, ask=ways[name]: ask(seed, tokens), itertools.islice(seeds, streams))
                )
            if number:
                speeds[name].append(streams * tokens / (time.perf_counter() - start))
    for _ in range(count):
        for name in random.sample(list(ways), len(ways)):
            firsts[name].append(ways[name](next(seeds), 4))
    print(f"\n| way | tokens/s of {streams} streams | of direct | first token | more than direct |")
    print("| --- | --- | --- | --- | --- |")
    for name in ways:
        base = "direct, gRPC" if "gRPC" in name else "direct"
        speed, first = statistics.median(speeds[name]), statistics.median(firsts[name])
        share = statistics.median(a / b for a, b in zip(speeds[name], speeds[base], strict=True))
        more = statistics.median(a - b for a, b in zip(firsts[name], firsts[base], strict=True))
        print(f"| {name} | {speed:.1f} | {share:.3f} | {1000 * first:.1f} ms | {1000 * more:+.1f} ms |")


def count_hits(servers: int, conversations: int, smg: str | None) -> None:
    """Print the part of second turns that find their first one."""
    with ExitStack() as stack:
        urls = [start_server(stack, "--threads=1") for _ in range(servers)]
        port = free_port()
        flags = [f"--replica={url}" for url in urls]
        front = stack.enter_context(running("proxy", *flags, f"--port={port}", port=port))
        places = {"in turns": itertools.cycle(urls), "proxy": itertools.repeat(front)}
        if smg:
            places["smg"] = itertools.repeat(stack.enter_context(routing(smg, urls)))
        time.sleep(2)  # until they have asked all servers
        for number, (name, place) in enumerate(places.items()):
            count = conversations + number  # other conversations
            hits = ask_twice(place, count)
            print(f"{name:<10} {hits:.1%} of {count} second turns found the first", flush=True)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="for the model")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--shape", default="tinyllama", help="of the model for the speed, see shapes.py")
    parser.add_argument("--weights", default="int8")
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=100, help="of each stream")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=60, help="first tokens")
    parser.add_argument("--smg", help="the program smg")
    options = parser.parse_args()
    if options.conversations:
        count_hits(options.servers, options.conversations, options.smg)
    model = make_word_model(options.shape, options.work_folder / options.shape)
    with ExitStack() as stack:
        url = start_server(stack, f"--model={model}", f"--weights={options.weights}")
        grpc = f"127.0.0.1:{httpx.get(url + '/readyz').json()['grpc_port']}"
        port, grpc_port = free_port(), free_port()
        flags = (f"--replica={url}", f"--port={port}", f"--grpc-port={grpc_port}")
        front = stack.enter_context(running("proxy", *flags, port=port))
        ways = {"direct": ask_http(url, model.name), "proxy": ask_http(front, model.name)}
        if options.smg:
            ways["smg"] = ask_http(stack.enter_context(routing(options.smg, [url])), model.name)
        ways |= {"direct, gRPC": ask_grpc(grpc), "proxy, gRPC": ask_grpc(f"127.0.0.1:{grpc_port}")}
        measure(ways, options.streams, options.tokens, options.rounds, options.count)


if __name__ == "__main__":
    main()
