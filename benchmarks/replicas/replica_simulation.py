"""Simulates 1 to 256 servers behind a router, under a bursty trace of conversations.

.venv/bin/python benchmarks/replicas/replica_simulation.py --prompt-ms 1.2 --step-ms 12 --row-ms 0.9

Give the times of one server as measured on the machine in question (`tritonchat bench`): of a token of a
prompt, of a step, and of each running answer in a step. Prints for round robin, least busy and prefix-aware
routing: times to the first token, how much of the prompts was found in the cache, and the cost in
server-seconds for 1000 answers, at several loads. What it assumes:

- A server computes prompts first, one after the other, and then steps in which each running answer gets a
  token. A step takes `step-ms` and `row-ms` for each answer. Prompts take `prompt-ms` for each token that is
  not in the cache. Chunks of prompts, which the real engine computes between steps, are not simulated.
- A server keeps the prefixes of `--cached` tokens, and forgets those that were not used for the longest time.
- Conversations begin by a Poisson process whose rate doubles for 20 s in each minute. They have 1 to 12
  turns (geometric, mean 4), a beginning of 300 tokens that all share, questions of 20 to 200 tokens, answers
  of 20 to 400, and pauses of 5 to 60 s between turns.
- The router knows at once how many requests each server has, and costs nothing. No server fails.
- Load 1 is the rate at which the servers would be busy all the time without a cache, at 8 answers a step.

`benchmarks/replicas/replica_check.py` compares it with real servers.
"""

import argparse
import hashlib
import heapq
import itertools
import random
import statistics
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

SHARED_TOKENS = 300
TURNS_MEAN, MAX_TURNS = 4, 12
SIZES = (1, 2, 3, 8, 32, 128, 256)
LOADS = (0.3, 0.6, 0.9)
ROUTERS = ("round robin", "least busy", "prefix-aware")
OVERLOAD, ALWAYS_ALLOWED = 1.25, 4  # as in triton_server/proxy/replicas.py
BURST_S, MINUTE_S = 20.0, 60.0
PAUSES_S = (5.0, 60.0)
ROWS = 8  # answers in a step at full load


Conversation = tuple[float, list[tuple[int, int, float]]]  # its beginning, and its turns


@dataclass(frozen=True)
class Times:
    """Seconds of one server: a token of a prompt, a step, and an answer in a step."""

    prompt: float
    step: float
    row: float


@dataclass(eq=False)
class Turn:
    """A request: its conversation, tokens of the prompt and of the answer, and when it came."""

    conversation: int
    prompt: int
    answer: int
    arrival: float
    remaining: int = 0
    first_token: float = 0.0
    found: int = 0


@dataclass(eq=False)
class Server:
    """A server: what waits, what runs, and the prefixes that it has, the last used one last."""

    number: int
    cached_tokens: int
    waiting: deque[Turn] = field(default_factory=deque)
    running: list[Turn] = field(default_factory=list)
    prefixes: OrderedDict[int, int] = field(default_factory=OrderedDict)
    is_busy: bool = False
    busy_s: float = 0.0
    has_shared: bool = False

    @property
    def requests(self) -> int:
        """Requests that it has."""
        return len(self.waiting) + len(self.running)

    def work(self, times: Times) -> tuple[float, list[Turn]]:
        """Do the next piece of work: how long it takes, and the answers that end with it."""
        if self.waiting:
            turn = self.waiting.popleft()
            turn.found = min(self._find(turn), turn.prompt - 1)
            turn.remaining = turn.answer
            self.running.append(turn)
            return (turn.prompt - turn.found) * times.prompt, []
        seconds = times.step + times.row * len(self.running)
        for turn in self.running:
            turn.remaining -= 1
        ended = [turn for turn in self.running if turn.remaining == 0]
        self.running = [turn for turn in self.running if turn.remaining]
        return seconds, ended

    def _find(self, turn: Turn) -> int:
        """Tokens of a prompt that are in the cache; the prompt and its answer are kept."""
        shared, self.has_shared = SHARED_TOKENS if self.has_shared else 0, True
        found = max(self.prefixes.pop(turn.conversation, 0), shared)
        self.prefixes[turn.conversation] = turn.prompt + turn.answer
        while sum(self.prefixes.values()) > self.cached_tokens:
            self.prefixes.popitem(last=False)
        return found


def draw_turns(rng: random.Random, pauses: tuple[float, float] = PAUSES_S) -> list[tuple[int, int, float]]:
    """The turns of a conversation: tokens of question and answer, and the pause before it."""
    count = 1
    while count < MAX_TURNS and rng.random() > 1 / TURNS_MEAN:
        count += 1
    return [
        (rng.randint(20, 200), rng.randint(20, 400), rng.uniform(*pauses) if number else 0.0)
        for number in range(count)
    ]


def draw_arrivals(rng: random.Random, rate: float, seconds: float) -> Iterator[float]:
    """When conversations begin: `rate` a second on average, twice as many in bursts as between them."""
    base = rate * MINUTE_S / (MINUTE_S + BURST_S)
    now = 0.0
    while True:
        now += rng.expovariate(2 * base)
        if now > seconds:
            return
        if now % MINUTE_S < BURST_S or rng.random() < 0.5:
            yield now


def draw_conversations(
    rate: float, seconds: float, pauses: tuple[float, float] = PAUSES_S
) -> list[Conversation]:
    """When conversations begin, and their turns; always the same ones. `rate`: of conversations."""
    rng = random.Random(7)
    return [(time, draw_turns(rng, pauses)) for time in draw_arrivals(rng, rate, seconds)]


def choose(router: str, servers: list[Server], turn: Turn, counter: Iterator[int]) -> Server:
    """The server for a request."""
    if router == "round robin":
        return servers[next(counter) % len(servers)]
    if router == "prefix-aware":
        limit = max(OVERLOAD * (sum(one.requests for one in servers) + 1) / len(servers), ALWAYS_ALLOWED)

        def weight(server: Server) -> bytes:
            return hashlib.blake2b(b"%d %d" % (turn.conversation, server.number), digest_size=8).digest()

        for server in sorted(servers, key=weight, reverse=True):
            if server.requests < limit:
                return server
    return min(servers, key=lambda server: server.requests)


def mean_work(times: Times) -> float:
    """Seconds of work in a conversation without a cache, estimated from many."""
    rng, seconds, count = random.Random(1), 0.0, 2000
    for _ in range(count):
        length = SHARED_TOKENS
        for question, answer, _ in draw_turns(rng):
            length += question
            seconds += length * times.prompt + answer * (times.step / ROWS + times.row)
            length += answer
    return seconds / count


def simulate(
    router: str, size: int, conversations: list[Conversation], times: Times, cached_tokens: int
) -> tuple[list[Turn], float]:
    """The requests that have ended, and the seconds for which servers were busy."""
    counter, ids = itertools.count(), itertools.count()
    servers = [Server(number, cached_tokens) for number in range(size)]
    events: list[tuple[float, int, str, object]] = []
    rests: dict[int, list[tuple[int, int, float]]] = {}
    ended: list[Turn] = []

    def push(time: float, kind: str, value: object) -> None:
        heapq.heappush(events, (time, next(ids), kind, value))

    def go_on(server: Server, now: float) -> None:
        server.is_busy = server.requests > 0
        if server.is_busy:
            took, done = server.work(times)
            server.busy_s += took
            push(now + took, "worked", (server, done))

    for number, (time, ((question, answer, _), *rest)) in enumerate(conversations):
        rests[number] = list(rest)
        push(time, "turn", Turn(number, SHARED_TOKENS + question, answer, time))
    while events:
        now, _, kind, value = heapq.heappop(events)
        if kind == "turn":
            assert isinstance(value, Turn)
            server = choose(router, servers, value, counter)
            server.waiting.append(value)
            if not server.is_busy:
                go_on(server, now)
            continue
        server, done = value  # type: ignore[misc]
        for turn in server.running:
            turn.first_token = turn.first_token or now
        for turn in done:
            ended.append(turn)
            if rests[turn.conversation]:
                question, answer, pause = rests[turn.conversation].pop(0)
                length = turn.prompt + turn.answer + question
                push(now + pause, "turn", Turn(turn.conversation, length, answer, now + pause))
        go_on(server, now)
    return ended, sum(server.busy_s for server in servers)


def main() -> None:
    """Simulate, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prompt-ms", type=float, required=True, help="a token of a prompt")
    parser.add_argument("--step-ms", type=float, required=True, help="a step")
    parser.add_argument("--row-ms", type=float, required=True, help="an answer in a step")
    parser.add_argument("--cached", type=int, default=50_000, help="tokens in the cache of a server")
    parser.add_argument("--seconds", type=float, default=300.0, help="of the trace")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of servers")
    parser.add_argument(
        "--loads", type=float, nargs="+", default=LOADS, help="parts of what the servers could do"
    )
    options = parser.parse_args()
    times = Times(options.prompt_ms / 1000, options.step_ms / 1000, options.row_ms / 1000)
    work = mean_work(times)
    print(
        "| servers | load | router | first token p50 / p99 | found in the cache | busy s for 1000 answers |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for size, load, router in itertools.product(options.sizes, options.loads, ROUTERS):
        conversations = draw_conversations(load * size / work, options.seconds)
        turns, busy_s = simulate(router, size, conversations, times, options.cached)
        first = [turn.first_token - turn.arrival for turn in turns]
        hits = sum(turn.found for turn in turns) / sum(turn.prompt for turn in turns)
        median, tail = statistics.median(first), statistics.quantiles(first, n=100)[98]
        cost = 1000 * busy_s / len(turns)
        print(f"| {size} | {load} | {router} | {median:.2f} / {tail:.2f} s | {hits:.0%} | {cost:.0f} |")


if __name__ == "__main__":
    main()
