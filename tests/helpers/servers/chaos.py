"""Kills processes of a running service in turn, while clients ask, and checks what the clients see.

Half of the clients ask over HTTP, half over gRPC. Each asks the same question again and again. Checks that

* a complete answer has the same bytes as the first answer to the same question;
* a failed answer has the error that the server is unavailable (HTTP: 503 with Retry-After, or an error in the
  stream); only the death of the HTTP service may break connections, and only those over HTTP;
* no answer fails by the death of the page;
* every request ends, and the service is restarted.
"""

import itertools
import json
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
from conftest import Server
from process_tree import VICTIMS, find_process
from support import family, have_ended

from triton_server.client import ChatClient
from triton_server.contract.wire import ServerUnavailable

TOKENS = 200
ANSWER_S = 120.0  # no answer takes longer, even with many clients
RESTART_S = 60.0
RETRY_S = 0.5
ORPHAN_S = 2.0
BROKEN, UNAVAILABLE = "connection broken", "unavailable"


@dataclass
class Record:
    """What the clients saw: the number of complete answers, the seeds with one, the failures since the last
    death by protocol and kind, and the problems."""

    answered: set[int] = field(default_factory=set)
    complete: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def ask_http(server: Server, web: httpx.Client, seed: int) -> str:
    """The streamed answer. Raises ServerUnavailable, or httpx.HTTPError for a broken connection."""
    body = {"model": "default", "prompt": "Once upon a time", "seed": seed, "temperature": 1}
    body |= {"max_tokens": TOKENS, "ignore_eos": True, "stream": True}
    with web.stream("POST", f"{server.api_url}/v1/completions", json=body) as response:
        if response.status_code == 503 and int(response.headers.get("retry-after", 0)) > 0:
            raise ServerUnavailable(response.read().decode())
        if response.status_code != 200:
            raise AssertionError(f"status {response.status_code}: {response.read().decode()[:300]}")
        text = ""
        for line in response.iter_lines():
            if line == "data: [DONE]":
                return text
            if line.startswith("data: "):
                event = json.loads(line.removeprefix("data: "))
                if "error" in event:
                    if event["error"]["code"] != "server_unavailable":
                        raise AssertionError(f"the stream said {event['error']}")
                    raise ServerUnavailable(event["error"]["message"])
                text += "".join(choice["text"] for choice in event["choices"])
    raise AssertionError(f"the stream ended without an error after {text[-50:]!r}")


def ask_grpc(server: Server, seed: int) -> str:
    """The same over gRPC. Raises ServerUnavailable."""
    with (
        ChatClient(server.grpc_url) as client,
        client.stream(
            "Once upon a time", seed=seed, temperature=1, max_tokens=TOKENS, ignore_eos=True
        ) as stream,
    ):
        return "".join(stream)


def keep_asking(server: Server, seed: int, record: Record, stopping: threading.Event) -> None:
    """Ask one question until `stopping` is set, and compare its answers."""
    protocol = ("HTTP", "gRPC")[seed % 2]
    expected = None
    with httpx.Client(timeout=ANSWER_S, trust_env=False) as web:
        while not stopping.is_set():
            start, problem, failure = time.monotonic(), None, None
            try:
                text = ask_http(server, web, seed) if protocol == "HTTP" else ask_grpc(server, seed)
                expected = expected or text
                if text != expected:
                    problem = f"{text[:80]!r} instead of {expected[:80]!r}"
                with record.lock:
                    record.complete += 1
                    record.answered.add(seed)
            except ServerUnavailable:
                failure = UNAVAILABLE
            except httpx.TimeoutException:
                problem = "no answer"
            except httpx.HTTPError:
                failure = BROKEN
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            if time.monotonic() - start > ANSWER_S:
                problem = f"an answer took {time.monotonic() - start:.0f} s"
            with record.lock:
                if problem is not None:
                    record.problems.append(f"{protocol}: {problem}")
                if failure is not None:
                    record.failures.append((protocol, failure))
            if problem is not None or failure is not None:
                stopping.wait(RETRY_S)


def allowed_failures(victim: str) -> set[tuple[str, str]]:
    """The failures, by protocol and kind, that the death of a victim may cause."""
    if victim == "page":
        return set()
    if victim == "api":
        return {("HTTP", BROKEN)}
    return {("HTTP", UNAVAILABLE), ("gRPC", UNAVAILABLE)}


def is_up(server: Server, page: str) -> bool:
    """Whether the service is ready and the page is up."""
    try:
        return all(
            httpx.get(url, timeout=10, trust_env=False).status_code == 200
            for url in (f"{server.api_url}/readyz", f"{page}/_stcore/health")
        )
    except httpx.HTTPError:
        return False


def seconds_until(condition: Callable[[], bool], limit_s: float) -> float | None:
    """Wait until the condition holds. Returns the seconds, or None if the limit is over before."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > limit_s:
            return None
        time.sleep(0.02)
    return time.monotonic() - start


def kill_one(
    server: Server, page: str, victim: str, record: Record, detection_limit_s: float
) -> tuple[float, float]:
    """Kill a process and wait until the service is ready again.

    Returns the seconds until /readyz failed (0 for parts on which it does not depend), and until the service
    was ready again.
    """
    process = find_process(server, victim)
    if process is None:
        record.problems.append(f"{victim} was not found")
        return 0.0, 0.0
    orphans = [p for p in family(process) if p != process]
    with record.lock:
        record.failures.clear()
    process.kill()
    detection_s = 0.0
    if victim not in ("page", "api"):
        detection = seconds_until(
            lambda: not is_up(server, page) or find_process(server, victim) not in (None, process), RESTART_S
        )
        detection_s = RESTART_S if detection is None else detection
        if detection_s > detection_limit_s:
            record.problems.append(f"/readyz reported {victim}'s death after {detection_s:.1f} s")
    if victim in VICTIMS[:3] and seconds_until(lambda: have_ended(orphans), ORPHAN_S) is None:
        record.problems.append(f"children of {victim} outlived it by {ORPHAN_S} s")
    restart_s = seconds_until(
        lambda: find_process(server, victim) not in (None, process) and is_up(server, page), RESTART_S
    )
    if restart_s is None:
        record.problems.append(f"{victim} was not restarted within {RESTART_S:.0f} s")
    return detection_s, detection_s + (RESTART_S if restart_s is None else restart_s)


def run(
    server: Server,
    page: str,
    victims: Sequence[str],
    streams: int,
    seconds: float,
    pause_s: float,
    detection_limit_s: float = 2.0,
) -> tuple[Record, str]:
    """Kill victims in turn while clients ask: each once, and then on until `seconds` are over.

    From one death to the next there are at least `pause_s` seconds. /readyz must report each within
    `detection_limit_s`. Returns the record and a table.
    """
    record, stopping = Record(), threading.Event()
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    failed: dict[str, int] = defaultdict(int)
    clients = [
        threading.Thread(target=keep_asking, args=(server, seed, record, stopping), daemon=True)
        for seed in range(streams)
    ]
    for client in clients:
        client.start()
    if seconds_until(lambda: len(record.answered) == streams, 2 * ANSWER_S) is None:
        record.problems.append("not every client had an answer before the first death")
    end = time.monotonic() + seconds
    for number, victim in enumerate(itertools.cycle(victims)):
        if number >= len(victims) and time.monotonic() > end:
            break
        start = time.monotonic()
        times[victim].append(kill_one(server, page, victim, record, detection_limit_s))
        complete = record.complete
        if seconds_until(lambda complete=complete: record.complete > complete, ANSWER_S) is None:
            record.problems.append(f"no answer after the death of {victim}")
        time.sleep(max(1.0, pause_s - (time.monotonic() - start)))
        with record.lock:
            failed[victim] += len(record.failures)
            for failure in set(record.failures) - allowed_failures(victim):
                record.problems.append(f"{' '.join(failure)} by the death of {victim}")
    stopping.set()
    for client in clients:
        client.join(ANSWER_S)
        if client.is_alive():
            record.problems.append("a client still waits for an answer")
    lines = [
        "| killed | times | detected after, s | ready after, s: median, max | failed answers |",
        "|" + " --- |" * 5,
    ]
    for victim, pairs in times.items():
        detection, restarts = max(pair[0] for pair in pairs), [pair[1] for pair in pairs]
        lines.append(
            f"| {victim} | {len(pairs)} | {detection:.1f} "
            f"| {statistics.median(restarts):.1f}, {max(restarts):.1f} | {failed[victim]} |"
        )
    return record, "\n".join(lines)
