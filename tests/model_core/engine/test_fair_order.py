"""The scheduler shares slots fairly: a client with many requests does not delay the others."""

import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from held import held
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.requests.results import Delta, DeltaCallback

_WAIT_S = 60


class Run:
    """Requests of several clients, and the order in which they end."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._done = threading.Condition()
        self._count = 0
        self.ends: list[str] = []
        self.token_ids: list[list[int]] = []

    def submit(self, client: str, max_tokens: int = 8) -> None:
        """Submit a request that takes one step for each token of its answer."""
        number = self._count
        self._count += 1
        self.token_ids.append([])

        def on_delta(delta: Delta) -> None:
            if delta.completion is not None:
                assert delta.completion.error is None
                with self._done:
                    self.ends.append(client)
                    self.token_ids[number] = delta.completion.token_ids
                    self._done.notify()

        params = SamplingParams(max_tokens=max_tokens, ignore_eos=True, temperature=0.9, seed=number)
        params = params.with_defaults(self._llm.defaults)
        self._llm.engine.submit(Job([5, 6, number % 64, 8 + number % 7], params, client=client), on_delta)

    def wait(self) -> list[str]:
        """The clients of all requests, in the order in which the requests ended."""
        with self._done:
            assert self._done.wait_for(lambda: len(self.ends) == self._count, timeout=_WAIT_S)
        return self.ends


@pytest.fixture
def llm() -> Iterator[LLM]:
    """A tiny model that computes two requests together."""
    with LLM(CHECKPOINTS / "llama-bfloat16", max_concurrency=2, max_queue=200) as loaded:
        yield loaded


def test_new_owner_gets_the_next_free_slot(llm: LLM) -> None:
    run = Run(llm)
    with held(llm):  # it begins when all are there
        for _ in range(50):
            run.submit("ada")
        run.submit("bo")
    ends = run.wait()
    assert ends.index("bo") <= 2


def test_owners_share_the_slots_evenly(llm: LLM) -> None:
    run = Run(llm)
    with held(llm):
        for client, count in (("ada", 60), ("bo", 20), ("cy", 20)):
            for _ in range(count):
                run.submit(client)
    ends = run.wait()
    first = ends[:45]  # each client has requests left as long as these run
    for client in ("ada", "bo", "cy"):
        assert 10 <= first.count(client) <= 20, ends


@pytest.mark.parametrize(("client", "starts_at_once"), [("ada", True), ("", False)])
def test_new_owner_starts_at_once_in_a_reserved_slot(
    monkeypatch: pytest.MonkeyPatch, client: str, starts_at_once: bool
) -> None:
    """Slots are not reserved against requests that name no client."""
    with LLM(CHECKPOINTS / "llama-bfloat16", max_concurrency=16, max_queue=200) as llm:
        forward, begun, may_go_on = llm.model.forward, threading.Event(), threading.Event()

        def forward_later(*arguments: Any) -> Any:
            begun.set()
            assert may_go_on.wait(_WAIT_S)
            return forward(*arguments)

        monkeypatch.setattr(llm.model, "forward", forward_later)
        run = Run(llm)
        with held(llm):
            for _ in range(32):
                run.submit(client, max_tokens=20)
        assert begun.wait(_WAIT_S)
        assert llm.engine.stats()["running"] == (14 if starts_at_once else 16)
        run.submit("bo", max_tokens=2)
        may_go_on.set()
        assert (run.wait()[0] == "bo") is starts_at_once


def test_requests_of_one_owner_run_in_order_of_arrival(llm: LLM) -> None:
    order: list[int] = []
    done = threading.Event()

    def callback_for(number: int) -> DeltaCallback:
        def on_delta(delta: Delta) -> None:
            if delta.completion is not None:
                order.append(number)
                if len(order) == 20:
                    done.set()

        return on_delta

    params = SamplingParams(max_tokens=4, ignore_eos=True).with_defaults(llm.defaults)
    with held(llm):
        for number in range(20):
            llm.engine.submit(Job([5, 6, 7 + number], params, client="ada"), callback_for(number))
    assert done.wait(_WAIT_S)
    assert order == list(range(20))


def test_scheduling_order_does_not_change_answers() -> None:
    """With pages for only a few requests, so that some are preempted."""
    rng = random.Random(3)
    clients = [rng.choice(["ada", "ada", "bo", "cy"]) for _ in range(40)]
    answers = []
    for concurrency, shuffled in ((1, False), (8, False), (8, True)):
        with LLM(
            CHECKPOINTS / "llama-bfloat16",
            max_concurrency=concurrency,
            max_queue=100,
            kv_cache_memory=2**15 if concurrency > 1 else None,
        ) as llm:
            run = Run(llm)
            with held(llm):
                for client in clients:
                    run.submit(client if shuffled else "", max_tokens=40)
            run.wait()
            if concurrency > 1:
                assert llm.engine.stats()["totals"]["preemptions"] > 0
            answers.append(run.token_ids)
    assert answers[0] == answers[1] == answers[2]
