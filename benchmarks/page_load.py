"""Measure the page under load: many open pages, some of which stream answers.

    python benchmarks/page_load.py [--pages 50] [--streaming 10] [--seconds 20]
    python benchmarks/page_load.py --fast [--tokens 2000 8000]

Starts a server with the embedded model, which ends no answer here, and the page. Visitors are websocket
clients that speak Streamlit's protocol: all open the chat page, and some of them ask one question after the
other. Beside them, one gRPC client streams without a page; its gaps are those of the engine. What a page adds
is a gap of a page less the longest gap that the engine had meanwhile. With `--fast`, one page streams one
long answer after the other, and nothing else happens. Prints tables in Markdown and names the machine.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import os
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import websockets
from serving import processor_name
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from model_core.hub import embedded_model
from triton_server.client import ChatClient
from triton_server.launch.page_process import launch_page

QUESTION = "Tell me a story about a fox, a lighthouse and a golden key."
BAR_S = 0.2  # what a page may add to the gaps of the engine
_TIMEOUT_S = 60.0
_RATE = re.compile(r"(\d+) tokens/s")


@dataclass
class Visitor:
    """An open page, and when text came to it. Times are those of `time.perf_counter`.

    Attributes:
        texts: of each answer, when a new text came.
        first: seconds from a question to the first text of its answer.
        bytes: the size of all messages.
        runs: how often the script of the page has run.
        notes: what stands below the last answer, the newest last.
    """

    address: str
    texts: list[list[float]] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    bytes: int = 0
    runs: int = 0
    notes: list[str] = field(default_factory=list)
    _fed: tuple[str, int] = ("", 0)  # the key of the running answer, and how much of it has come
    _input: str = ""  # the ids of widgets
    _max_tokens: str = ""

    @property
    def gaps(self) -> list[tuple[float, float]]:
        """The begin and the end of each wait for the next text of an answer."""
        return [gap for times in self.texts for gap in itertools.pairwise(times)]

    async def open(self) -> None:
        """Connect, and wait until the page is drawn."""
        self._socket = await websockets.connect(self.address, subprotocols=["streamlit"], max_size=None)
        await self._rerun()
        await self._follow()
        assert self._input, "the page shows no input line"

    async def ask(self, end: float = math.inf, max_tokens: int | None = None) -> None:
        """Ask a question, and follow its answer to its end or to the time `end`."""
        asked = time.perf_counter()
        await self._rerun(QUESTION, max_tokens)
        times = await self._follow(end)
        if times:
            self.first.append(times[0] - asked)
            self.texts.append(times)

    async def ask_until(self, end: float) -> None:
        """Ask one question after the other, until the time `end`."""
        while time.perf_counter() < end:
            await self.ask(end)

    async def close(self) -> None:
        """Leave."""
        await self._socket.close()

    async def _rerun(self, question: str | None = None, max_tokens: int | None = None) -> None:
        message = BackMsg()
        message.rerun_script.query_string = ""
        widgets = message.rerun_script.widget_states.widgets
        if question is not None:
            widgets.add(id=self._input).chat_input_value.data = question
        if max_tokens is not None:
            widgets.add(id=self._max_tokens).int_value = max_tokens
        await self._socket.send(message.SerializeToString())

    async def _follow(self, end: float = math.inf) -> list[float]:
        """Read messages until the script has ended, or the time `end`.

        Returns when new texts came for an answer.
        """
        times: list[float] = []
        while time.perf_counter() < end:
            data = await asyncio.wait_for(self._socket.recv(), _TIMEOUT_S)
            self.bytes += len(data)
            message = ForwardMsg.FromString(data)
            element = message.delta.new_element
            self.runs += message.HasField("new_session")
            if element.HasField("chat_input"):
                self._input = element.chat_input.id
            elif element.HasField("number_input") and element.number_input.label == "Max tokens":
                self._max_tokens = element.number_input.id
            elif element.HasField("text"):  # which feeds the list of messages
                (piece,) = json.loads(element.text.body)
                fed = piece["key"], piece["start"] + len(piece["text"])
                if fed != self._fed and fed[1]:
                    self._fed = fed
                    times.append(time.perf_counter())
            elif element.HasField("bidi_component"):
                turns = json.loads(element.bidi_component.json).get("turns")
                if turns:  # a long list has parts of JSON, a short one the turns themselves
                    self.notes += (json.loads(turns) if isinstance(turns, str) else turns)[-1]["notes"]
            elif message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and message.HasField(
                "script_finished"
            ):
                break
        return times


def write_endless_model(folder: Path, max_context: int) -> Path:
    """Copy the embedded model, without an end token; so each answer has as many tokens as it may have.

    Each sentence becomes a paragraph: this model writes none, and without them all of a text is drawn again.
    """
    shutil.copytree(embedded_model(), folder)
    changes = {
        "config.json": {"eos_token_id": None, "max_position_embeddings": max_context},
        "generation_config.json": {"eos_token_id": None},
        "tokenizer_config.json": {"eos_token": None},
    }
    for name, values in changes.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | values))
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    paragraphs = {"type": "Replace", "pattern": {"String": "."}, "content": ".\n\n"}
    tokenizer["decoder"] = {"type": "Sequence", "decoders": [tokenizer["decoder"], paragraphs]}
    path.write_text(json.dumps(tokenizer))
    return folder


@contextlib.contextmanager
def running_server(folder: Path, max_context: int) -> Iterator[str]:
    """Start a server with the endless model on free ports. Yields its gRPC address."""
    ports = {name: free_port() for name in ("grpc", "metrics", "api")}
    flags = [f"--{name}-port={port}" for name, port in ports.items()]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "triton_server",
            "serve",
            "--model",
            write_endless_model(folder / "model", max_context),
            *flags,
        ],
        env={**os.environ, "XDG_DATA_HOME": str(folder), "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        if not any(line.startswith("Serving") for line in process.stdout):
            raise SystemExit("the server did not start")
        yield f"127.0.0.1:{ports['grpc']}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def free_port() -> int:
    """A TCP port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stream_without_page(server: str, stop: threading.Event, gaps: list[tuple[float, float]]) -> None:
    """Stream answers over gRPC until `stop`, and note begin and end of each wait for the next text."""
    with ChatClient(server) as client:
        while not stop.is_set():
            last = None
            with client.stream([{"role": "user", "content": QUESTION}], max_tokens=512) as stream:
                for _ in stream:
                    now = time.perf_counter()
                    gaps += [] if last is None else [(last, now)]
                    last = now
                    if stop.is_set():
                        break


def processor_time(process: psutil.Process) -> float:
    """Seconds of processor time that a process has used."""
    return sum(process.cpu_times()[:2])


def memory(process: psutil.Process) -> float:
    """Megabytes that only this process has."""
    return process.memory_full_info().uss / 1e6


async def load(
    address: str, page: psutil.Process, server: str, counts: tuple[int, int], seconds: float
) -> dict:
    """Open the pages, let some of them stream, and return what was measured."""
    pages, streaming = counts
    warm = Visitor(address)
    await warm.open()
    await warm.ask_until(time.perf_counter() + 3)
    before = memory(page)
    visitors = [Visitor(address) for _ in range(pages)]
    for visitor in visitors:
        await visitor.open()
    opened = memory(page)
    stop, gaps = threading.Event(), []
    reference = threading.Thread(target=stream_without_page, args=[server, stop, gaps])
    reference.start()
    cpu, start = processor_time(page), time.perf_counter()
    await asyncio.gather(*(visitor.ask_until(start + seconds) for visitor in visitors[:streaming]))
    cpu = (processor_time(page) - cpu) / (time.perf_counter() - start)
    after = memory(page)
    stop.set()
    reference.join()
    for visitor in [warm, *visitors]:
        await visitor.close()
    waits = [gap for visitor in visitors[:streaming] for gap in visitor.gaps]
    return {
        "gaps": [end - begin for begin, end in waits],
        "engine": [end - begin for begin, end in gaps],
        "added": [end - begin - longest_between(gaps, begin, end) for begin, end in waits],
        "first": [first for visitor in visitors for first in visitor.first],
        "cpu": cpu,
        "open_mb": (opened - before) / pages,
        "used_mb": (after - before) / pages,
        "kbytes_s": sum(visitor.bytes for visitor in visitors[:streaming]) / streaming / seconds / 1000,
    }


def longest_between(gaps: list[tuple[float, float]], begin: float, end: float) -> float:
    """The longest of the gaps that lie in a span of time in whole or in part, in seconds; 0 if none does."""
    return max((after - before for before, after in gaps if before < end and after > begin), default=0.0)


async def stream_fast(address: str, page: psutil.Process, answers: list[int]) -> None:
    """Let one page stream one answer after the other, and print what each of so many tokens cost."""
    visitor = Visitor(address)
    await visitor.open()
    await visitor.ask(max_tokens=50)  # compiles and imports what is used for the first time
    heads = (
        "tokens",
        "tokens a second",
        "new text, times a second",
        "median time without new text",
        "longest",
        "processor time of the page's process",
        "sent",
        "runs",
    )
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for tokens in answers:
        visitor.runs = visitor.bytes = 0
        cpu = processor_time(page)
        await visitor.ask(max_tokens=tokens)
        cpu = processor_time(page) - cpu
        times = visitor.texts[-1]
        seconds = times[-1] - times[0]
        waits = sorted(1000 * (end - begin) for begin, end in visitor.gaps[-len(times) + 1 :])
        rate = next(words[1] for text in reversed(visitor.notes) if (words := _RATE.search(text)))
        cells = (
            f"{tokens:,}",
            rate,
            f"{len(times) / seconds:.1f}",
            f"{statistics.median(waits):.0f} ms",
            f"{waits[-1]:.0f} ms",
            f"{1000 * cpu / seconds:.0f} ms a second",
            f"{visitor.bytes / seconds / 1000:.0f} kB/s",
            str(visitor.runs),
        )
        print(f"| {' | '.join(cells)} |", flush=True)
    await visitor.close()


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of sorted values lies."""
    return values[int(share * (len(values) - 1))]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--streaming", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--fast", action="store_true", help="one page, long answers in turn")
    parser.add_argument(
        "--tokens", type=int, nargs="+", default=[2000, 8000], help="of the answers, with --fast"
    )
    arguments = parser.parse_args()
    print(f"{processor_name()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    max_context = sum(arguments.tokens) + 2000 if arguments.fast else 1024
    with (
        tempfile.TemporaryDirectory() as name,
        running_server(folder := Path(name), max_context) as server,
    ):
        port = free_port()
        page = launch_page("127.0.0.1", port, server, folder / "page.log")
        try:
            page.wait_until_up()
            process = psutil.Process(page.process.pid)
            address = f"ws://127.0.0.1:{port}/_stcore/stream"
            if arguments.fast:
                asyncio.run(stream_fast(address, process, arguments.tokens))
            else:
                counts = arguments.pages, arguments.streaming
                print_load(asyncio.run(load(address, process, server, counts, arguments.seconds)))
        finally:
            page.stop()


def print_load(result: dict) -> None:
    """Print what `load` has measured."""
    print("| | median | 99 % | longest |\n| --- | --- | --- | --- |")
    names = {
        "gaps": "next text of a page",
        "engine": "next text of the engine, over gRPC",
        "added": "what the page adds: its gap less the engine's longest one meanwhile",
        "first": "first text of a page",
    }
    for key, label in names.items():
        times = [1000 * seconds for seconds in sorted(result[key])]
        high = percentile(times, 0.99)
        print(f"| {label} | {statistics.median(times):.0f} ms | {high:.0f} ms | {times[-1]:.0f} ms |")
    late = sum(seconds > BAR_S for seconds in result["added"])
    print(
        f"\n{late} of {len(result['added'])} texts came more than {1000 * BAR_S:.0f} ms after the engine's."
    )
    print(f"Memory of a page: {result['open_mb']:.2f} MB when open, {result['used_mb']:.2f} MB after that.")
    print(f"A streaming page got {result['kbytes_s']:.0f} kB/s. All used {result['cpu']:.0%} of a core.")


if __name__ == "__main__":
    main()
