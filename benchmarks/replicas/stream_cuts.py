"""Cut streams at random places, kill processes meanwhile, and compare what clients got with whole answers.

    PYTHONPATH=.:tests:tests/helpers/servers:tests/helpers/models \\
        python benchmarks/replicas/stream_cuts.py [--cuts 200] [--kill-every 5]

Starts two servers on the embedded model, and `tritonchat proxy` in front of them. Each stream is cut after a
random number of bytes, mostly in the middle of an event, and taken up by its last event id elsewhere: of the
other server, or of the proxy. Every few cuts, a process is killed (SIGKILL) instead: the HTTP service, the
engine or Triton of the server that computes the stream, or the proxy, in turns. Behind the proxy, the client
need not take the stream up, because the proxy does. Prints a Markdown table.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from conftest import TRITONCHAT, Server, running_server
from process_tree import find_process
from support import free_port, wait_until

VICTIMS = ("api", "engine", "tritonserver", "proxy")
STEP_BYTES = 2**12  # at most of this many bytes is read at once
RETRY_S = 0.3
PATIENCE_S = 180.0
ASK = [{"role": "user", "content": "Tell me a long story of a fox and a crow."}]
FIELDS = {"model": "default", "max_tokens": 250, "min_tokens": 200, "temperature": 1.0, "stream": True}
TOKENS = {"logprobs": True, "top_logprobs": 2, "return_token_ids": True}
BODIES: list[tuple[str, dict[str, Any]]] = [
    ("/v1/chat/completions", {**FIELDS, "messages": ASK}),
    ("/v1/chat/completions", {**FIELDS, **TOKENS, "messages": ASK}),
    ("/v1/completions", {**FIELDS, "prompt": "Once upon a time", "logprobs": 1}),
    ("/v1/messages", {**FIELDS, "messages": ASK}),
]


@dataclass
class Fleet:
    """Two servers, and the proxy."""

    servers: list[Server]
    port: int
    proxy: subprocess.Popen[bytes] | None = None

    @property
    def entries(self) -> list[str]:
        """Where clients may ask."""
        return [f"http://127.0.0.1:{self.port}", *(server.api_url for server in self.servers)]

    def start_proxy(self) -> None:
        """Start the proxy, unless it runs."""
        if self.proxy is None or self.proxy.poll() is not None:
            replicas = [f"--replica={server.api_url}" for server in self.servers]
            command = [*TRITONCHAT, "proxy", f"--port={self.port}", *replicas]
            self.proxy = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, name: str, url: str) -> bool:
        """Kill the process of this name that computes or passes on the only stream, which a client reads at
        `url`. False if there is none any more.
        """
        if name == "proxy":
            assert self.proxy is not None
            self.proxy.kill()
            self.proxy.wait()
            return True
        states = httpx.get(f"{self.entries[0]}/replicas").json()["servers"]
        running = {url, *(state["url"] for state in states if state["running"])}
        processes = [find_process(server, name) for server in self.servers if server.api_url in running]
        for process in processes:
            if process is not None:
                process.kill()
        return any(processes)

    def wait_until_ready(self) -> None:
        """Wait until all can be asked; the servers start again what was killed."""
        self.start_proxy()
        time.sleep(RETRY_S)
        wait_until(lambda: all(map(is_ready, self.entries)) and self._has_all())

    def _has_all(self) -> bool:
        states = httpx.get(f"{self.entries[0]}/replicas").json()["servers"]
        return all(state["ready"] for state in states)


@dataclass
class Client:
    """A client that reads a stream to its end, whatever happens. `events` are those it has got, whole."""

    path: str
    body: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    last_id: str | None = None
    is_complete: bool = False

    def read(self, url: str, limit: int | None = None) -> Iterator[int]:
        """Read the stream from where it broke, up to `limit` bytes; yields how many it has read."""
        headers = {"Accept": "text/event-stream"}
        if self.last_id is not None:
            headers["Last-Event-ID"] = self.last_id
        with httpx.stream("POST", url + self.path, json=self.body, headers=headers, timeout=60) as response:
            if response.status_code >= 500:
                return
            assert response.status_code == 200, response.read()
            count, rest = 0, b""
            for part in response.iter_raw(STEP_BYTES if limit is None else min(STEP_BYTES, limit + 1)):
                kept = part if limit is None else part[: max(0, limit - count)]
                count, rest = count + len(kept), rest + kept
                *events, rest = rest.split(b"\n\n")
                if not all([self._take(event.decode()) for event in events]):
                    return
                yield count
                if limit is not None and count >= limit:
                    return

    def _take(self, event: str) -> bool:
        """Take a whole event. False for an error, after which the client tries again."""
        fields = dict(line.split(": ", 1) for line in event.split("\n"))
        data = fields.get("data", "")
        if fields.get("event") == "error" or data.startswith('{"error"'):
            assert "event_id" not in data, data
            return False
        self.last_id = fields.get("id", self.last_id)
        self.is_complete = self.is_complete or data == "[DONE]" or fields.get("event") == "message_stop"
        if data.startswith("{"):
            self.events.append(json.loads(data))
        return True


def is_ready(url: str) -> bool:
    """Whether a server, or the proxy, takes requests."""
    with suppress(httpx.HTTPError):
        return httpx.get(f"{url}/readyz", timeout=5).status_code == 200
    return False


def join(events: list[dict[str, Any]]) -> dict[str, Any]:
    """All that a stream says: what grows is joined, and what comes once is listed."""
    told: dict[str, Any] = {"once": []}

    def add(name: str, value: Any) -> None:
        told[name] = told[name] + value if name in told else value

    for event in events:
        if event.get("type") == "content_block_delta":
            add("text", event["delta"]["text"])
        elif "type" in event and event["type"] != "ping":
            told["once"].append((event["type"], event.get("delta"), event.get("index")))
        for choice in event.get("choices", ()):
            delta = choice.get("delta", choice)
            add("text", delta.get("content", delta.get("text")) or "")
            add("ids", choice.get("token_ids", []))
            for name, values in (choice["logprobs"] or {}).items():
                add(name, values or [])
            told["once"] += [choice["finish_reason"]] if choice["finish_reason"] else []
            told["once"] += ["role"] if "role" in delta else []
    return told


def cut_stream(fleet: Fleet, client: Client, victim: str | None, chance: random.Random) -> tuple[int, bool]:
    """Let a client read a stream that is cut once; how often it began, and whether the victim was killed."""
    begun, was_killed, limit = 0, False, chance.randint(1, 40_000)
    place = 0 if victim == "proxy" else chance.randrange(3)
    deadline = time.monotonic() + PATIENCE_S
    while not client.is_complete:
        assert time.monotonic() < deadline, "the stream does not end"
        url, begun = fleet.entries[(place + begun) % 3], begun + 1
        with suppress(httpx.HTTPError):
            if begun > 1:
                for _ in client.read(url):
                    pass
            elif victim is None:
                for _ in client.read(url, limit):
                    pass
            else:
                for count in client.read(url):
                    if count >= limit and not was_killed:
                        was_killed = fleet.kill(victim, url)
        if begun > 3:
            time.sleep(RETRY_S)
    return begun, was_killed


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--kill-every", type=int, default=5, help="a process is killed at every such cut")
    parser.add_argument("--seed", type=int, default=1, help="of the places")
    options = parser.parse_args()
    chance, kills = random.Random(options.seed), Counter[str]()
    cut = again = unequal = 0
    start = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [stack.enter_context(running_server(log=folder / f"log{n}")) for n in range(2)]
        fleet = Fleet(servers, free_port())
        stack.callback(lambda: fleet.proxy is not None and fleet.proxy.kill())
        number = 0
        fleet.wait_until_ready()
        while cut < options.cuts:
            path, body = chance.choice(BODIES)
            is_kill = number % options.kill_every == options.kill_every - 1
            victim = VICTIMS[sum(kills.values()) % len(VICTIMS)] if is_kill else None
            number += 1
            client = Client(path, dict(body))
            begun, was_killed = cut_stream(fleet, client, victim, chance)
            if victim is not None and was_killed:
                kills[victim] += 1
                fleet.wait_until_ready()
            if begun == 1 and not was_killed:
                continue  # it was over before the place
            cut, again = cut + 1, again + (begun > 1)
            assert client.last_id is not None
            whole = Client(path, {**body, "seed": int(client.last_id.split(".")[3])})
            for _ in whole.read(servers[number % 2].api_url):
                pass
            assert whole.is_complete
            unequal += join(client.events) != join(whole.events)
            if cut % 20 == 0:
                print(f"{cut} cuts, {again} taken up, {unequal} not equal, {dict(kills)}", file=sys.stderr)
    print("| cuts | taken up by the client | not equal | kills | seconds |\n|" + " --- |" * 5)
    killed = ", ".join(f"{count} {name}" for name, count in kills.items())
    print(f"| {cut} | {again} | {unequal} | {killed} | {time.monotonic() - start:.0f} |")
    assert not unequal


if __name__ == "__main__":
    main()
