"""Compares the simulation of several servers with real ones, on the same conversations.

.venv/bin/python benchmarks/replicas/replica_check.py --work-folder FOLDER --servers 2 3 --seconds 120

Starts servers with one thread each on a model of 0.1 billion weights, with int8, and `tritonchat proxy` in
front. Measures the times of one server alone (`tritonchat bench`). Then replays conversations, drawn as in
replica_simulation.py but with pauses of 1 to 12 s: through the proxy, and in turns to the servers. The
simulation gets the same conversations, with the tokens that the servers have counted. Prints a table.

There should be a core for each server, and one more: servers that wait for a core are slower than alone.
"""

import argparse
import asyncio
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

sys.path.append(str(Path(__file__).parents[1]))  # has the package making
from making.words import make_word_model, word
from replica_simulation import SHARED_TOKENS, Conversation, Times, draw_conversations, mean_work, simulate
from routing import running, start_server

from triton_server.system.hosts import free_port

SHAPE = "llama-0.1b"
PAUSES_S = (1.0, 12.0)
MAX_CONTEXT = 8192
CACHED_TOKENS = 50_000
FLAGS = ("--weights=int8", "--threads=1")
ROUTERS = {"proxy": "prefix-aware", "in turns": "round robin"}


def measure_times(model: Path) -> Times:
    """Those of one server alone."""
    command = [sys.executable, "-m", "triton_server", "bench", "--json", f"--model={model}", *FLAGS]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    first, last = report["loads"][0], report["loads"][-1]
    row = (last["token_ms"] - first["token_ms"]) / (last["streams"] - first["streams"]) / 1000
    return Times(1 / report["prompt_tokens_per_second"], first["token_ms"] / 1000 - row, row)


async def replay(conversations: list[Conversation], urls: Iterator[str]) -> list[list[dict[str, Any]]]:
    """Ask all turns of all conversations; for each the seconds to its first token, and its usage."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=600, limits=limits, trust_env=False) as client:
        begin = time.perf_counter()

        async def talk(
            number: int, start: float, turns: list[tuple[int, int, float]]
        ) -> list[dict[str, Any]]:
            await asyncio.sleep(max(0.0, begin + start - time.perf_counter()))
            rng = random.Random(number)
            messages = [{"role": "system", "content": " ".join(map(word, range(1, SHARED_TOKENS + 1)))}]
            answers = []
            for question, answer, pause in turns:
                await asyncio.sleep(pause)
                text = " ".join(word(rng.randrange(1, 30_000)) for _ in range(question))
                messages.append({"role": "user", "content": text})
                answers.append(await ask(client, next(urls), messages, answer, number))
                messages.append({"role": "assistant", "content": answers[-1]["text"]})
            return answers

        return await asyncio.gather(*(talk(n, *one) for n, one in enumerate(conversations)))


async def ask(
    client: httpx.AsyncClient, url: str, messages: list[dict[str, str]], tokens: int, seed: int
) -> dict[str, Any]:
    """Stream an answer; the seconds to its first token, its text and its usage."""
    body = {
        "model": "default",
        "messages": messages,
        "max_tokens": tokens,
        "ignore_eos": True,
        "seed": seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    start, text, first, usage = time.perf_counter(), "", 0.0, {}
    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                chunk = json.loads(line[6:])
                for choice in chunk["choices"]:
                    text += choice["delta"].get("content") or ""
                    first = first or (time.perf_counter() - start if text else 0.0)
                usage = chunk.get("usage") or usage
    return {"text": text, "first": first, "usage": usage}


def as_counted(conversations: list[Conversation], answers: list[list[dict[str, Any]]]) -> list[Conversation]:
    """The conversations with the tokens that the servers have counted."""
    counted = []
    for (start, turns), told in zip(conversations, answers, strict=True):
        before, found = SHARED_TOKENS, []
        for (_, _, pause), one in zip(turns, told, strict=True):
            usage = one["usage"]
            found.append((usage["prompt_tokens"] - before, usage["completion_tokens"], pause))
            before = usage["prompt_tokens"] + usage["completion_tokens"]
        counted.append((start, found))
    return counted


def describe(first: list[float], hits: float) -> str:
    """A part of a line."""
    tail = statistics.quantiles(first, n=20)[18]
    return f"{statistics.median(first):.2f} / {tail:.2f} s | {hits:.0%}"


def main() -> None:
    """Measure, replay, simulate, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="for the model")
    parser.add_argument("--servers", type=int, nargs="+", default=(2, 3))
    parser.add_argument("--seconds", type=float, default=120.0, help="in which conversations begin")
    parser.add_argument("--load", type=float, default=0.5)
    options = parser.parse_args()
    model = make_word_model(SHAPE, options.work_folder / SHAPE, max_position_embeddings=MAX_CONTEXT)
    times = measure_times(model)
    print(
        f"one server alone: {1000 * times.prompt:.2f} ms for a token of a prompt, "
        f"{1000 * times.step:.1f} ms for a step and {1000 * times.row:.2f} ms for each answer in it\n"
    )
    print("| servers | router | turns | first token p50 / p95 | cached | simulated: first token | cached |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    flags = (f"--model={model}", "--kv-cache-memory=2GiB", *FLAGS)
    for size, (place, router) in itertools.product(options.servers, ROUTERS.items()):
        conversations = draw_conversations(options.load * size / mean_work(times), options.seconds, PAUSES_S)
        with ExitStack() as stack:  # with empty caches
            urls = [start_server(stack, *flags) for _ in range(size)]
            port = free_port()
            replicas = (f"--replica={url}" for url in urls)
            front = stack.enter_context(running("proxy", *replicas, f"--port={port}", port=port))
            time.sleep(2)  # until it has asked all servers
            way = itertools.repeat(front) if place == "proxy" else itertools.cycle(urls)
            answers = asyncio.run(replay(conversations, way))
        all_answers = [one for told in answers for one in told]
        cached = sum(one["usage"]["prompt_tokens_details"]["cached_tokens"] for one in all_answers)
        prompts = sum(one["usage"]["prompt_tokens"] for one in all_answers)
        real = describe([one["first"] for one in all_answers], cached / prompts)
        turns, _ = simulate(router, size, as_counted(conversations, answers), times, CACHED_TOKENS)
        hits = sum(turn.found for turn in turns) / sum(turn.prompt for turn in turns)
        simulated = describe([turn.first_token - turn.arrival for turn in turns], hits)
        print(f"| {size} | {place} | {len(all_answers)} | {real} | {simulated} |", flush=True)


if __name__ == "__main__":
    main()
