"""Run a batch over HTTP while each process of the service is killed again and again.

    PYTHONPATH=.:tests:tests/helpers/servers:tests/helpers/models \\
        python benchmarks/batch_kills.py [--requests 10000]

Kills the HTTP service, the engine and Triton in turn, and the supervisor with everything once, by SIGKILL.
Then it checks that each request has exactly one line in the output or error file. Prints a Markdown table.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
from conftest import Server, running_server
from process_tree import find_process

VICTIMS = ("api", "engine", "tritonserver")
TEXT = "/v1/completions"


def begin(url: str, count: int) -> str:
    """Upload requests and begin a batch; return its id."""
    body = {"model": "default", "prompt": "Once", "max_tokens": 2, "seed": 1}
    line = {"method": "POST", "url": TEXT, "body": body}
    content = "".join(json.dumps({"custom_id": str(n), **line}) + "\n" for n in range(count))
    form = {"files": {"file": ("in.jsonl", content)}, "data": {"purpose": "batch"}}
    file = httpx.post(f"{url}/v1/files", timeout=60, **form).raise_for_status().json()
    asked = {"input_file_id": file["id"], "endpoint": TEXT, "completion_window": "24h"}
    return httpx.post(f"{url}/v1/batches", json=asked, timeout=60).raise_for_status().json()["id"]


def look(url: str, batch_id: str) -> dict:
    """The batch; {} while the service is away."""
    try:
        response = httpx.get(f"{url}/v1/batches/{batch_id}", timeout=10)
        return response.json() if response.status_code == 200 else {}
    except httpx.HTTPError:
        return {}


def kill_while_it_runs(server: Server, batch_id: str, pause_s: float, until: float, kills: Counter) -> dict:
    """Kill victims in turn until so many requests are done, or the batch has ended; return it then."""
    number, next_kill = 0, time.monotonic() + pause_s
    while True:
        batch = look(server.api_url, batch_id)
        counts = batch.get("request_counts", {"completed": 0, "failed": 0})
        if batch.get("status") == "completed" or counts["completed"] + counts["failed"] >= until:
            return batch
        if time.monotonic() >= next_kill:
            process = find_process(server, VICTIMS[number % len(VICTIMS)])
            if process is not None:
                process.kill()
                kills[VICTIMS[number % len(VICTIMS)]] += 1
                number += 1
            next_kill = time.monotonic() + pause_s
        time.sleep(0.2)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=15.0, help="seconds between two kills")
    options = parser.parse_args()
    kills: Counter = Counter()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        data = {"XDG_DATA_HOME": folder}
        log = Path(folder) / "log"
        with running_server(log=log, **data) as server:
            batch_id = begin(server.api_url, options.requests)
            kill_while_it_runs(server, batch_id, options.pause, options.requests / 2, kills)
        kills["supervisor"] += 1  # the end of the block kills it
        with running_server(log=log, **data) as server:
            batch = kill_while_it_runs(server, batch_id, options.pause, float("inf"), kills)
            names = Counter[str]()
            for kind in ("output_file_id", "error_file_id"):
                if batch[kind] is not None:
                    content = httpx.get(f"{server.api_url}/v1/files/{batch[kind]}/content", timeout=60)
                    names.update(json.loads(line)["custom_id"] for line in content.text.splitlines())
    lost = sum(not names[str(number)] for number in range(options.requests))
    twice = sum(count > 1 for count in names.values())
    print("| requests | completed | failed | lost | twice | kills | seconds |\n|" + " --- |" * 7)
    counts = batch["request_counts"]
    killed = ", ".join(f"{count} {name}" for name, count in kills.items())
    print(
        f"| {options.requests} | {counts['completed']} | {counts['failed']} | {lost} | {twice} | {killed} "
        f"| {time.monotonic() - start:.0f} |"
    )
    assert not lost and not twice and counts["completed"] + counts["failed"] == options.requests


if __name__ == "__main__":
    main()
