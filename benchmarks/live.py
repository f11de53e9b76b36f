"""What it costs a server that pages watch its engine: processor time by poll, at rest and under load.

    python benchmarks/live.py

The time is that of the processes of the server: engine and Triton. The prefix cache is filled first, so that
its tree is as large as one that is shown can be.
"""

import argparse
import contextlib
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
from serving import free_ports, processor_name

from model_core.errors import TritonchatError
from triton_server.client import ChatClient

PAUSE_S = 0.02  # between polls: many more than a page makes, so that little time shows much


def processor_seconds(processes: list[psutil.Process]) -> float:
    """The processor time of processes so far."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def fill_cache(client: ChatClient, prompts: int) -> None:
    """Leave prompts in the prefix cache that begin alike and differ later."""
    random = np.random.default_rng(0)
    trunk = random.integers(3, 3000, 64).tolist()
    for number in range(prompts):
        start = trunk[: 16 * (number % 5)]
        client.chat([*start, *random.integers(3, 3000, 100).tolist()], max_tokens=1)


def measure(client: ChatClient, processes: list[psutil.Process], polls: int, kind: str | None) -> float:
    """Processor milliseconds of the server for each of so many polls; None: only the pauses between them."""
    before = processor_seconds(processes)
    for number in range(polls):
        if kind == "page":  # as the engine page: each second, and the tree each fifth one
            client.live()
            if number % 5 == 0:
                client.live(with_tree=True)
        elif kind is not None:
            client.live(with_tree=kind == "tree")
        time.sleep(PAUSE_S)
    return 1000 * (processor_seconds(processes) - before) / polls


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--polls", type=int, default=300)
    parser.add_argument("--prompts", type=int, default=400, help="in the prefix cache")
    args = parser.parse_args()
    ports = free_ports(3)
    flags = [
        part
        for name, port in zip(("--grpc-port", "--metrics-port", "--api-port"), ports, strict=True)
        for part in (name, str(port))
    ]
    command = [sys.executable, "-m", "triton_server", "serve", *flags]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with ChatClient(f"127.0.0.1:{ports[0]}") as client:
            while not client.is_ready():
                if server.poll() is not None:
                    sys.exit(f"The server did not start; this says why: {' '.join(command)}")
                time.sleep(0.1)
            main_process = psutil.Process(server.pid)
            processes = [main_process, *main_process.children(recursive=True)]
            fill_cache(client, args.prompts)
            idle = measure(client, processes, args.polls, None)
            print(f"{processor_name()}; processor time of the server for a poll, in milliseconds\n")
            print("| poll | ms |\n| --- | --- |")
            for kind, words in (("stats", "numbers"), ("tree", "with the tree"), ("page", "as a page polls")):
                print(f"| {words} | {measure(client, processes, args.polls, kind) - idle:.2f} |")
            page = measure(client, processes, args.polls, "page") - idle
            print(f"\nOne page, each second, takes {page / 10:.2f} % of a core.")
            rates = []
            for polls in (False, True):
                rates.append(measure_answers(client, polls))
            print(f"Tokens of one stream a second: {rates[0]:.0f} unwatched, {rates[1]:.0f} watched.")
    finally:
        server.terminate()
        server.wait()


def measure_answers(client: ChatClient, is_watched: bool, tokens: int = 20_000) -> float:
    """Tokens a second of one stream after the other, watched or not."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1.0):
            with contextlib.suppress(TritonchatError):
                client.live()

    watcher = threading.Thread(target=watch, daemon=True)
    if is_watched:
        watcher.start()
    start, count = time.perf_counter(), 0
    while count < tokens:
        count += client.chat("Once", max_tokens=1000, ignore_eos=True).usage["completion_tokens"]
    elapsed = time.perf_counter() - start
    ended.set()
    return count / elapsed


if __name__ == "__main__":
    main()
