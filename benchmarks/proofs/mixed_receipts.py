"""Verify receipts of many mixed requests on another replica and after a restart, and change bytes of them.

    PYTHONPATH=.:tests:tests/helpers/servers:tests/helpers/models:benchmarks \\
        python benchmarks/proofs/mixed_receipts.py [--requests 1000]

A server with drafts, an adapter and a cache of answers answers 64 requests at a time: chats and completions,
long prompts that are computed in chunks, forms, tools, sampled and greedy, some of them equal. All receipts
are then computed again by another server with the same adapter, but with small steps, few requests together,
no drafts and no cache; and by the first one after it was killed. At last, in each receipt one bit of many
bytes is changed, one byte at a time. Prints a Markdown table, and names the machine.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
from adapters import write_adapter
from conftest import running_server
from mixed_requests import make_mixed
from serving import processor_name

from model_core import LLM
from triton_server.receipts.canonical import to_canonical
from triton_server.receipts.log import read_log
from triton_server.receipts.receipt import ReceiptError, read_receipt

STREAMS = 64
FIRST = (
    "--speculate",
    "4",
    "--answer-cache",
    "64MiB",
    "--max-concurrency",
    str(STREAMS),
    "--receipt-content",
)
OTHER = ("--step-time", "0.001", "--max-concurrency", "3", "--threads", "1", "--kv-cache-memory", "64MiB")


def ask(url: str, number: int, kinds: Counter) -> list[dict[str, Any]]:
    """The receipts of the answers to a request."""
    path, body = make_mixed(number)
    answer = httpx.post(url + path, json=body, timeout=600).raise_for_status()
    kinds["from the cache"] += answer.headers.get("X-Answer-Cache") == "hit"
    for kind in ("tools", "response_format", "n", "prompt"):
        kinds[kind] += kind in body
    kinds["adapter"] += body["model"] != "default"
    return [choice["receipt"] for choice in answer.json()["choices"]]


def verify_all(url: str, receipts: list[dict[str, Any]]) -> int:
    """How many receipts are equal."""

    def verify(receipt: dict[str, Any]) -> bool:
        answer = httpx.post(f"{url}/v1/receipts/verify", json={"receipt": receipt}, timeout=600)
        if not answer.raise_for_status().json()["equal"]:
            print(answer.json()["message"], flush=True)
        return answer.json()["equal"]

    with ThreadPoolExecutor(16) as threads:
        return sum(threads.map(verify, receipts))


def list_changes(raw: bytes, count: int, chance: random.Random) -> Iterator[bytes]:
    """A text with one bit of one byte changed, at so many places, or at all places if there are fewer."""
    for place in chance.sample(range(len(raw)), min(count, len(raw))):
        yield raw[:place] + bytes([raw[place] ^ (1 << chance.randrange(8))]) + raw[place + 1 :]


def is_found(raw: bytes, check: Callable[[bytes], Any] = read_receipt) -> bool:
    """Whether a change is found."""
    try:
        check(raw)
    except ReceiptError:
        return True
    return False


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=100, help="bytes of each receipt that are changed")
    options = parser.parse_args()
    kinds, start = Counter(), time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder, data = Path(temporary), {"XDG_DATA_HOME": temporary}
        with LLM() as llm:
            adapter = write_adapter(llm, folder / "adapter", seed=1, std=0.5)
        flags = ["--adapter", f"changed={adapter}"]
        first = [*flags, *FIRST, "--receipt-log", str(folder / "log")]
        with (
            running_server(*first, log=folder / "first", **data) as server,
            ThreadPoolExecutor(STREAMS) as threads,
        ):
            asked = threads.map(lambda number: ask(server.api_url, number, kinds), range(options.requests))
            receipts = list(chain.from_iterable(asked))
        logged = list(read_log(folder / "log"))
        faults = [line.fault for line in logged if line.fault is not None]
        with running_server(*flags, *OTHER, log=folder / "other", **data) as server:
            by_other = verify_all(server.api_url, receipts)
        with running_server(*first, log=folder / "again", **data) as server:
            after_restart = verify_all(server.api_url, receipts)
    chance = random.Random(1)
    changed = [
        is_found(each)
        for receipt in receipts
        for each in list_changes(to_canonical(receipt), options.changes, chance)
    ]
    assert len(receipts) <= len(logged) and not faults
    print(f"{processor_name()}; {time.monotonic() - start:.0f} s; {dict(kinds)}\n")
    print(
        "| receipts | equal on another replica | equal after a restart | changed bytes | found |\n|"
        + " --- |" * 5
    )
    print(f"| {len(receipts)} | {by_other} | {after_restart} | {len(changed)} | {sum(changed)} |")
    assert by_other == after_restart == len(receipts) and all(changed)


if __name__ == "__main__":
    main()
