"""Whatever requests, receivers and memory do, each request ends exactly once and every page comes back."""

import gc
import random
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from held import breakable_llm, held
from paths import CHECKPOINTS
from support import wait_until
from test_engine import Receiver, submit
from test_scheduler import assert_all_pages_are_released, content, ids, totals

from model_core import LLM, SamplingParams
from model_core.cache.memory import KVCache
from model_core.engine.job import Job
from model_core.errors import RequestTimeout
from model_core.model import step_buffers
from model_core.model.batch import Batch
from model_core.model.transformer import Transformer
from model_core.requests.results import Delta, join_deltas

REQUESTS = 100
WAIT_S = 60


class Panic(BaseException):
    """What a receiver or a tokenizer may raise that is no Exception."""


class UnreliableReceiver:
    """Collects deltas, and raises an error at one of them if it is told to."""

    def __init__(self, error: type[BaseException] | None = None, at: int = 0) -> None:
        self._error, self._at = error, at
        self.deltas: list[Delta] = []
        self.ended = threading.Event()

    def __call__(self, delta: Delta) -> None:
        self.deltas.append(delta)
        if delta.completion is not None:
            self.ended.set()
        if self._error is not None and len(self.deltas) > self._at:
            raise self._error("the receiver is gone")


@pytest.fixture(scope="module")
def ample() -> Iterator[LLM]:
    """The embedded model with enough memory for all requests."""
    with LLM() as loaded:
        yield loaded


def embedded_llm(pages: int, **settings: int) -> LLM:
    with LLM(kv_cache_memory=1) as measuring:
        page = KVCache.bytes_per_page(measuring.model.kv_groups, measuring.kv_cache_dtype)
    return LLM(kv_cache_memory=pages * page, **settings)


@pytest.mark.parametrize("seed", range(2))
def test_each_request_ends_once_whatever_happens(ample: LLM, seed: int) -> None:
    choose = random.Random(seed)
    beginnings = [ids(size, seed=size) for size in (5, 16, 40, 70)]
    requests = []
    for number in range(REQUESTS):
        beginning = choose.choice(beginnings)[: choose.randint(1, 70)]
        params = SamplingParams(
            max_tokens=choose.randint(1, 40),
            temperature=choose.choice([0, 1.0]),
            seed=number,
            logprobs=1,
            ignore_eos=True,
            timeout_s=choose.choice([None] * 6 + [0.0, 0.005, 0.05]),
        )
        requests.append((beginning + ids(choose.randint(0, 20), seed=number % 10), params))
    prompts = [prompt for prompt, _ in requests]
    untimed = [params.model_copy(update={"timeout_s": None}) for _, params in requests]
    undisturbed = ample.generate(prompts, untimed)
    receivers = []
    with embedded_llm(14, max_queue=REQUESTS, max_concurrency=10, speculate=4) as llm:
        forward = llm.model.forward

        def fail_now_and_then(batch: Batch, cache: KVCache) -> np.ndarray:
            if len(batch.starts) > 2 and choose_failure.random() < 0.05:
                raise MemoryError("no more")  # then each sequence is computed alone
            return forward(batch, cache)

        choose_failure = random.Random(seed)
        llm.model.forward = fail_now_and_then
        for number, (prompt, params) in enumerate(requests):
            error = choose.choice([None] * 6 + [RuntimeError, Panic])
            receivers.append(UnreliableReceiver(error, choose.randint(0, 10)))
            name = choose.choice(["", "a", "b"])
            full_params = params.with_defaults(llm.defaults)
            llm.engine.submit(
                Job(prompt, full_params, cache_salt=name, client=name), receivers[-1], str(number)
            )
            for _ in range(choose.choice([0, 0, 0, 1])):
                llm.engine.cancel(str(choose.randrange(max(0, number - 12), number + 1)))
        for receiver in receivers:
            assert receiver.ended.wait(WAIT_S)
        last = submit(llm, ids(9), SamplingParams(max_tokens=2))  # a step after whatever was left
        assert last.completion().error is None
        stats = llm.engine.stats()
        assert (stats["alive"], stats["running"], stats["waiting"]) == (True, 0, 0)
        assert totals(llm)["requests"] == REQUESTS + 1
        assert totals(llm)["preemptions"] > 0
        assert_all_pages_are_released(llm)
    whole = 0
    for receiver, expected in zip(receivers, undisturbed, strict=True):
        assert [delta.completion is not None for delta in receiver.deltas].count(True) == 1
        completion = join_deltas(receiver.deltas)
        assert isinstance(completion.error, RequestTimeout | None)
        if completion.finish_reason == "cancelled":
            assert completion.token_ids == expected.token_ids[: len(completion.token_ids)]
            assert completion.logprobs == expected.logprobs[: len(completion.token_ids)]
        else:
            assert content(completion) == content(expected)
            whole += 1
    assert whole > REQUESTS // 10


def test_receiver_that_panics_harms_nobody(ample: LLM) -> None:
    params = SamplingParams(max_tokens=30, ignore_eos=True)
    expected = ample.generate("Hello", params).token_ids
    with LLM() as llm:
        with held(llm):
            broken = [UnreliableReceiver(Panic, at) for at in (0, 3, 1000)]
            for receiver in broken:
                llm.engine.submit(Job(llm.encode("Hi"), params.with_defaults(llm.defaults)), receiver)
            healthy = [submit(llm, "Hello", params) for _ in range(3)]
        assert [receiver.completion().token_ids for receiver in healthy] == [expected] * 3
        assert all(receiver.ended.wait(WAIT_S) for receiver in broken)
        assert llm.engine.stats()["alive"]


def test_engine_that_stops_tells_everybody_although_a_receiver_panics() -> None:
    llm, errors = breakable_llm()
    params = SamplingParams(max_tokens=900, ignore_eos=True).with_defaults(llm.defaults)
    panicking, other = UnreliableReceiver(Panic), Receiver()
    with held(llm):
        for receiver in (panicking, other):
            llm.engine.submit(Job(llm.encode("Hello"), params), receiver)
        errors.append(RuntimeError("a bug"))
    assert "a bug" in str(other.completion().error)
    assert panicking.ended.wait(WAIT_S)
    llm.close()


def test_request_cancelled_before_its_admission_ends_without_tokens(endless_model: Path) -> None:
    with LLM(endless_model, max_concurrency=1, max_queue=5) as llm:
        running = submit(llm, "Hello", SamplingParams(max_tokens=40_000), "running")
        running.first()
        waiting = submit(llm, "Hello", SamplingParams(max_tokens=9), "waiting")
        assert llm.engine.cancel("waiting")
        completion = waiting.completion()
        assert (completion.finish_reason, completion.token_ids, completion.error) == ("cancelled", [], None)
        assert completion.timings.queue is None
        assert llm.engine.cancel("running")
        running.completion()
        wait_until(lambda: not llm.engine.stats()["running"])
        assert_all_pages_are_released(llm)


@contextmanager
def limited_memory(allowed: int | None = None) -> Iterator[list[tuple[int, ...]]]:
    """Yields the shapes of the arrays that steps ask for. Only so many get memory, if there is a limit."""
    shapes, allocate = [], step_buffers.aligned_zeros

    def allocate_some(shape: tuple[int, ...], dtype: type) -> np.ndarray:
        if len(shapes) == allowed:
            raise OSError("no memory")
        shapes.append(shape)
        return allocate(shape, dtype)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(step_buffers, "aligned_zeros", allocate_some)
        yield shapes


@pytest.mark.parametrize("allowed", [0, 2, 4])
def test_step_without_memory_leaves_its_buffers_usable(allowed: int) -> None:
    """`allowed`: so many arrays of a larger step get memory, the next one does not."""
    with LLM(CHECKPOINTS / "llama-bfloat16") as llm, LLM(CHECKPOINTS / "llama-bfloat16") as other:
        long = ids(200)
        assert np.array_equal(llm.logits([5]), other.logits([5]))
        with limited_memory(allowed), pytest.raises(OSError, match="no memory"):
            llm.logits(long)
        with limited_memory() as expected:
            logits = other.logits(long)
        with limited_memory() as shapes:
            assert np.array_equal(llm.logits(long), logits)
        # What it believes to have room for, it must have: kernels do not check. So it asks for all again.
        assert shapes == expected


def note_caches(patched: pytest.MonkeyPatch) -> list[weakref.ref[KVCache]]:
    """The caches that steps use from now on."""
    forward, caches = Transformer.forward, []

    def note_cache(model: Transformer, batch: Batch, cache: KVCache) -> np.ndarray:
        caches.append(weakref.ref(cache))
        return forward(model, batch, cache)

    patched.setattr(Transformer, "forward", note_cache)
    return caches


def test_closed_model_gives_its_memory_back_at_once() -> None:
    """Without waiting for Python's garbage collector, which does not know how large arrays are."""
    gc.collect()
    gc.disable()
    try:
        llm = LLM(CHECKPOINTS / "llama-bfloat16", kv_cache_memory=2**20)
        with pytest.MonkeyPatch.context() as patched:
            caches = note_caches(patched)
            llm.generate([5, 6], SamplingParams(max_tokens=3))
        assert caches[0]() is not None
        llm.close()
        del llm
        assert caches[0]() is None
    finally:
        gc.enable()
