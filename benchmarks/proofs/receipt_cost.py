"""Measure what receipts cost: the throughput of 64 streams over HTTP with them and without, in pairs.

    PYTHONPATH=.:benchmarks python benchmarks/proofs/receipt_cost.py [--model FOLDER] [--rounds 15]

Two servers run, of which one computes at a time. One has no receipts unless a request asks for one; the other
makes one for each answer, and keeps all in a log, with requests and token ids (--receipts --receipt-log
--receipt-content). Three kinds of load alternate in an order that changes from round to round. Answers end
one after the other, as those of people do: if all end within one step, any delay of some of them splits the
next steps. Ratios are of the same round, so a machine that becomes slower affects all. Processor time is that
of all processes of a server. At last, the processor time of the thread that makes and logs receipts is
measured by itself, and compared with that of an answer: the ratios vary by more than it is. Prints a Markdown
table, and names the machine.
"""

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from live import processor_seconds
from serving import free_ports, measure_http, processor_name

from model_core.llm.identify import identify_model
from model_core.llm.settings import LLMSettings
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Text, Timings, Usage
from model_core.requests.results import Completion
from triton_server.client import ChatClient
from triton_server.contract.request_fields import Request
from triton_server.receipts.receipt import Facts
from triton_server.receipts.signer import ReceiptSigner

PLAIN, ASKED, LOGGED = (
    "without",
    '"receipt": true in each request',
    "--receipts --receipt-log --receipt-content",
)


@dataclass(frozen=True)
class Load:
    """Which server answers, and whether requests ask for receipts."""

    port: int
    process: psutil.Process
    asks: bool


@dataclass(frozen=True)
class Measured:
    """Seconds, and processor seconds of the server, for each token of all streams."""

    wall: float
    cpu: float


@contextmanager
def run_server(*flags: str) -> Iterator[tuple[int, psutil.Process]]:
    """A server on free ports: the port of its HTTP service, and its first process."""
    names, ports = ("--grpc-port", "--http-port", "--metrics-port", "--api-port"), free_ports(4)
    ports_flags = [part for name, port in zip(names, ports, strict=True) for part in (name, str(port))]
    command = [sys.executable, "-m", "triton_server", "serve", *ports_flags, *flags]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with ChatClient(f"127.0.0.1:{ports[0]}") as client:
            while not client.is_ready():
                if server.poll() is not None:
                    sys.exit(f"The server did not start; this says why: {' '.join(command)}")
                time.sleep(0.1)
        yield ports[3], psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait()


def measure(load: Load, streams: int, tokens: int) -> Measured:
    """Stream three answers to each client, of which the first ones have different lengths."""
    processes = [load.process, *load.process.children(recursive=True)]
    before = processor_seconds(processes)
    fields = {"receipt": True} if load.asks else {}
    rate = measure_http(load.port, streams, tokens, is_staggered=True, **fields).rate
    answers = 3.5 * streams  # one wave before the clock starts, and the first one within is half as long
    return Measured(1 / rate, (processor_seconds(processes) - before) / (answers * tokens))


def time_receipts(model: str | None, tokens: int, count: int = 2000) -> float:
    """The seconds of a processor for a receipt with attachments, made and written to a log."""
    completion = Completion(
        "", list(range(tokens)), "length", Usage(tokens, tokens), Timings(0.0, 0.0, 1.0), 1
    )
    parts = AnswerParts()
    parts.add(Text("word " * tokens))
    made_of = identify_model(model, LLMSettings())
    with tempfile.TemporaryDirectory() as folder:
        signer = ReceiptSigner(lambda: Path(folder), log=Path(folder) / "log", logs_content=True)
        request = Request.model_validate({"messages": "Tell me a story.", "max_tokens": tokens})

        async def make_all() -> float:
            start = time.process_time()
            for _ in range(count):
                planned = signer.plan(request)
                assert planned is not None
                content = planned.content, planned.content_hash
                facts = Facts("model", "0" * 64, made_of, *content, range(tokens), completion, parts)
                await signer.make(planned, facts)
            return (time.process_time() - start) / count

        try:
            return asyncio.run(make_all())
        finally:
            signer.close()


def describe(values: list[float]) -> str:
    """The median of ratios, and half of them around it."""
    low, median, high = statistics.quantiles(values, n=4)
    return f"{100 * (median - 1):+.2f} % ({100 * (low - 1):+.2f} to {100 * (high - 1):+.2f})"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a folder or a GGUF file; the default is the embedded model")
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=64, help="of each answer")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    flags = ["--max-concurrency", str(args.streams), *(["--model", args.model] if args.model else [])]
    with ExitStack() as stack:
        log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log"
        plain = stack.enter_context(run_server(*flags))
        logged = stack.enter_context(
            run_server(*flags, "--receipts", "--receipt-content", "--receipt-log", str(log))
        )
        loads = {PLAIN: Load(*plain, False), ASKED: Load(*plain, True), LOGGED: Load(*logged, False)}
        order, rounds = random.Random(0), []
        for _ in range(args.rounds + 1):
            rounds.append(
                {
                    name: measure(loads[name], args.streams, args.tokens)
                    for name in order.sample(list(loads), len(loads))
                }
            )
        del rounds[0]  # a warm-up
    load = psutil.getloadavg()[0]
    print(f"{processor_name()}, {psutil.cpu_count()} cores, load {load:.1f} at the end")
    print(f"{args.model or 'embedded'}, {args.streams} streams of {args.tokens} tokens")
    print(f"Median of {args.rounds} rounds, and half of them\n")
    print(
        "| receipts | tokens/s | time for a token, against none | processor time |\n| --- | --- | --- | --- |"
    )
    for name in loads:
        rate = statistics.median(1 / each[name].wall for each in rounds)
        ratios = [
            [getattr(each[name], kind) / getattr(each[PLAIN], kind) for each in rounds]
            for kind in ("wall", "cpu")
        ]
        cells = ["", ""] if name == PLAIN else [describe(values) for values in ratios]
        print(f"| {name} | {rate:.0f} | {' | '.join(cells)} |")
    answer = args.tokens * statistics.median(each[PLAIN].cpu for each in rounds)
    receipt = time_receipts(args.model, args.tokens)
    print(
        f"\nA receipt takes {1000 * receipt:.2f} ms of a processor, and an answer {1000 * answer:.1f} ms: "
        f"{100 * receipt / answer:.2f} %"
    )


if __name__ == "__main__":
    main()
