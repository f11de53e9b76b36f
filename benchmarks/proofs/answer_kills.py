"""Kill a server that keeps answers again and again: none is lost, damaged or given to another owner.

    PYTHONPATH=.:tests:tests/helpers/servers:tests/helpers/models:benchmarks \\
        python benchmarks/proofs/answer_kills.py [--rounds 10]

Two owners ask the same requests, in each round new ones and all earlier ones. The engine is killed by SIGKILL
while it answers and writes, and the whole server between two rounds. Each answer must have the bytes of the
first one, and the first answer to an owner must not come from the cache. Prints a Markdown table.
"""

import argparse
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Timer
from typing import Any

import httpx
from conftest import Server, running_server
from process_tree import find_process
from serving import processor_name

KEYS = {"ada": "0123456789abcdef", "bo": "fedcba9876543210"}
NEW = 16  # requests of each round
_RETRY_S = 0.5


def ask(url: str, owner: str, seed: int) -> tuple[Any, bool]:
    """An answer, and whether it was kept before it was asked for.

    A server that was killed is asked again, and may have kept the answer that this client did not get.
    """
    body = {
        "messages": [{"role": "user", "content": "Tell me a story."}],
        "max_tokens": 40,
        "temperature": 1.2,
    }
    headers = {"Authorization": f"Bearer {KEYS[owner]}"}
    for attempt in count():
        try:
            answer = httpx.post(
                f"{url}/v1/chat/completions", json={**body, "seed": seed}, headers=headers, timeout=300
            )
        except httpx.HTTPError:
            time.sleep(_RETRY_S)
            continue
        if answer.status_code == 200:
            is_hit = answer.headers.get("X-Answer-Cache") == "hit"
            return answer.json()["choices"], is_hit and not attempt
        assert answer.status_code in (500, 502, 503), answer.text
        time.sleep(_RETRY_S)
    raise AssertionError("unreachable")


def run_round(server: Server, number: int, known: dict[tuple[str, int], Any], counts: Counter) -> None:
    """Ask for new answers while the engine is killed, and then for all of them again."""

    def kill() -> None:
        process = find_process(server, "engine")
        if process is not None:
            process.kill()
            counts["kills"] += 1

    for seeds, timer in (
        (range(NEW * number, NEW * (number + 1)), Timer(0.2 * (number % 5), kill)),
        (range(NEW * (number + 1)), None),
    ):
        if timer is not None:
            timer.start()
        asked = [(owner, seed) for seed in seeds for owner in KEYS]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda each: ask(server.api_url, *each), asked))
        for each, (answer, is_hit) in zip(asked, answers, strict=True):
            is_new = each not in known
            counts["new", is_hit] += is_new
            counts["old", is_hit] += not is_new
            counts["other bytes"] += known.setdefault(each, answer) != answer
        if timer is not None:
            timer.join()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    known: dict[tuple[str, int], Any] = {}
    counts: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        data = {
            "XDG_DATA_HOME": folder,
            "TRITONCHAT_API_KEY": " ".join(f"{name}:{key}" for name, key in KEYS.items()),
        }
        for number in range(options.rounds):
            with running_server("--answer-cache", "64MiB", log=Path(folder) / "log", **data) as server:
                run_round(server, number, known, counts)
            counts["kills"] += 1  # the end of the block kills all of it
    print(f"{processor_name()}\n")
    print(
        "| kills | first answers | of them kept ones | later answers | of them kept ones | other bytes |\n|"
        + " --- |" * 6
    )
    first, later = (counts[kind, True] + counts[kind, False] for kind in ("new", "old"))
    cells = counts["kills"], first, counts["new", True], later, counts["old", True], counts["other bytes"]
    print(f"| {' | '.join(map(str, cells))} |")
    assert not counts["other bytes"] and not counts["new", True]


if __name__ == "__main__":
    main()
