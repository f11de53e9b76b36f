"""Measure the page under load: many open pages, some of which stream answers.

    python benchmarks/page_load.py [--pages 50] [--streaming 10] [--seconds 20]

Starts a server with the embedded model, which ends no answer here, and the page. Visitors are websocket
clients that speak Streamlit's protocol: all open the chat page, and some of them ask one question after the
other. Beside them, one gRPC client streams without a page; its gaps are those of the engine. Prints a table
in Markdown and names the machine.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import os
import platform
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
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Markdown_pb2 import Markdown

from model_core.hub import embedded_model
from triton_server.client import ChatClient
from triton_server.page_process import launch_page

QUESTION = "Tell me a story about a fox, a lighthouse and a golden key."
_TIMEOUT_S = 60.0


@dataclass
class Visitor:
    """An open page, and when text came to it.

    Attributes:
        gaps: seconds between two texts of the same answer.
        first: seconds from a question to the first text of its answer.
        bytes: the size of all messages.
    """

    address: str
    gaps: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    bytes: int = 0
    _input: str = ""

    async def open(self) -> None:
        """Connect, and wait until the page is drawn."""
        self._socket = await websockets.connect(self.address, subprotocols=["streamlit"], max_size=None)
        await self._rerun()
        await self._follow()
        assert self._input, "the page shows no input line"

    async def ask_until(self, end: float) -> None:
        """Ask one question after the other, until the time `end`."""
        while (asked := time.perf_counter()) < end:
            await self._rerun(QUESTION)
            for times in await self._follow(end):
                self.first.append(times[0] - asked)
                self.gaps += [after - before for before, after in itertools.pairwise(times)]

    async def close(self) -> None:
        """Leave."""
        await self._socket.close()

    async def _rerun(self, question: str | None = None) -> None:
        message = BackMsg()
        message.rerun_script.query_string = ""
        if question is not None:
            widget = message.rerun_script.widget_states.widgets.add(id=self._input)
            widget.chat_input_value.data = question
        await self._socket.send(message.SerializeToString())

    async def _follow(self, end: float = math.inf) -> list[list[float]]:
        """Read messages until the script has ended, or the time `end`.

        Returns, for each place whose text has changed, when each of its texts came.
        """
        texts: dict[tuple[int, ...], str] = {}
        times: dict[tuple[int, ...], list[float]] = {}
        while time.perf_counter() < end:
            data = await asyncio.wait_for(self._socket.recv(), _TIMEOUT_S)
            self.bytes += len(data)
            message = ForwardMsg.FromString(data)
            element, place = message.delta.new_element, tuple(message.metadata.delta_path)
            if element.HasField("chat_input"):
                self._input = element.chat_input.id
            elif element.HasField("markdown") and element.markdown.element_type == Markdown.NATIVE:
                if texts.get(place) != element.markdown.body:
                    texts[place] = element.markdown.body
                    times.setdefault(place, []).append(time.perf_counter())
            elif message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and message.HasField(
                "script_finished"
            ):
                break
        return [came for came in times.values() if len(came) > 1]


def write_endless_model(folder: Path) -> Path:
    """Copy the embedded model, without an end token; so each answer has as many tokens as it may have."""
    shutil.copytree(embedded_model(), folder)
    changes = {
        "config.json": {"eos_token_id": None},
        "generation_config.json": {"eos_token_id": None},
        "tokenizer_config.json": {"eos_token": None},
    }
    for name, values in changes.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | values))
    return folder


@contextlib.contextmanager
def running_server(folder: Path) -> Iterator[str]:
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
            write_endless_model(folder / "model"),
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


def stream_without_page(server: str, stop: threading.Event, gaps: list[float]) -> None:
    """Stream answers over gRPC until `stop`, and note the seconds between two texts."""
    with ChatClient(server) as client:
        while not stop.is_set():
            last = None
            with client.stream([{"role": "user", "content": QUESTION}], max_tokens=512) as stream:
                for _ in stream:
                    now = time.perf_counter()
                    gaps += [] if last is None else [now - last]
                    last = now
                    if stop.is_set():
                        break


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
    cpu, start = sum(page.cpu_times()[:2]), time.perf_counter()
    await asyncio.gather(*(visitor.ask_until(start + seconds) for visitor in visitors[:streaming]))
    cpu = (sum(page.cpu_times()[:2]) - cpu) / (time.perf_counter() - start)
    after = memory(page)
    stop.set()
    reference.join()
    for visitor in [warm, *visitors]:
        await visitor.close()
    return {
        "gaps": [gap for visitor in visitors for gap in visitor.gaps],
        "first": [first for visitor in visitors for first in visitor.first],
        "engine": gaps,
        "cpu": cpu,
        "open_mb": (opened - before) / pages,
        "used_mb": (after - before) / pages,
        "kbytes_s": sum(visitor.bytes for visitor in visitors[:streaming]) / streaming / seconds / 1000,
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--streaming", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    counts = arguments.pages, arguments.streaming
    with tempfile.TemporaryDirectory() as name, running_server(folder := Path(name)) as server:
        port = free_port()
        page = launch_page("127.0.0.1", port, server, folder / "page.log")
        try:
            page.wait_until_up()
            process = psutil.Process(page.process.pid)
            address = f"ws://127.0.0.1:{port}/_stcore/stream"
            result = asyncio.run(load(address, process, server, counts, arguments.seconds))
        finally:
            page.stop()
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{counts[0]} open pages, {counts[1]} of them streaming for {arguments.seconds:.0f} s\n")
    print("| | median | 99 % | longest |\n| --- | --- | --- | --- |")
    names = {
        "gaps": "next text of a page",
        "engine": "next text of the engine",
        "first": "first text of a page",
    }
    for key, label in names.items():
        times = [1000 * seconds for seconds in sorted(result[key])]
        high = times[int(0.99 * (len(times) - 1))]
        print(f"| {label} | {statistics.median(times):.0f} ms | {high:.0f} ms | {times[-1]:.0f} ms |")
    print(f"\nMemory of a page: {result['open_mb']:.2f} MB when open, {result['used_mb']:.2f} MB after that.")
    print(f"A streaming page got {result['kbytes_s']:.0f} kB/s. All used {result['cpu']:.0%} of a core.")


if __name__ == "__main__":
    main()
