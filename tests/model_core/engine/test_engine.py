"""The engine: requests from many threads, computed together, with the same answers as alone."""

import json
import queue
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from held import breakable_llm, held
from paths import CHECKPOINTS
from support import wait_until

from model_core import LLM, Completion, SamplingParams, TritonchatError
from model_core.cache.memory import KVCache
from model_core.engine import admission
from model_core.engine.job import Job
from model_core.errors import (
    InvalidRequest,
    NoMemory,
    NotFinite,
    PromptTooLong,
    QueueFull,
    RequestTimeout,
    ShuttingDown,
)
from model_core.hub import embedded_model
from model_core.model.batch import Batch
from model_core.requests.results import Delta, join_deltas
from model_core.text.stream import TextStream

LONG = SamplingParams(max_tokens=900, ignore_eos=True, temperature=0)
FOREVER = SamplingParams(max_tokens=40_000, temperature=0)  # with the endless model: minutes
PROMPTS = [f"Hello number {i}. " * (1 + i % 7) for i in range(64)]


class Receiver:
    """A callback that collects the deltas of one request."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Delta] = queue.SimpleQueue()
        self.deltas: list[Delta] = []

    def __call__(self, delta: Delta) -> None:
        self._queue.put(delta)

    def first(self) -> Delta:
        self.deltas.append(self._queue.get(timeout=60))
        return self.deltas[0]

    def completion(self) -> Completion:
        while not self.deltas or self.deltas[-1].completion is None:
            self.deltas.append(self._queue.get(timeout=60))
        return join_deltas(self.deltas)


def submit(
    llm: LLM, prompt: str | list[int], params: SamplingParams, request_id: str | None = None
) -> Receiver:
    receiver = Receiver()
    llm.engine.submit(Job(llm.encode(prompt), params.with_defaults(llm.defaults)), receiver, request_id)
    return receiver


@pytest.fixture(scope="module")
def endless_llm(endless_model: Path) -> Iterator[LLM]:
    """The endless model in this process."""
    with LLM(endless_model) as loaded:
        yield loaded


@pytest.fixture
def small(endless_model: Path) -> Iterator[LLM]:
    """The endless model with room for two requests and one more waiting."""
    with LLM(endless_model, max_concurrency=2, max_queue=1) as loaded:
        yield loaded


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_tokens_are_the_same_alone_and_in_a_batch(llm: LLM, temperature: float) -> None:
    params = SamplingParams(max_tokens=40, temperature=temperature, seed=3, logprobs=2, ignore_eos=True)
    together = llm.generate(PROMPTS, params)
    for prompt, batched in zip(PROMPTS[::3], together[::3], strict=True):  # of each length
        alone = llm.generate(prompt, params)
        assert alone.token_ids == batched.token_ids
        assert alone.logprobs == batched.logprobs  # every bit of the logits, not only the chosen token
        assert alone.text == batched.text


@pytest.mark.parametrize("weights", ["auto", "int8", "int4"])
@pytest.mark.parametrize("folder", ["llama-bfloat16", "mistral-window", "qwen2-window", "llama-mqa-odd"])
def test_logits_are_the_same_alone_and_in_a_batch_in_every_family(folder: str, weights: str) -> None:
    """Alone with one thread, and in a batch with two threads."""
    random = np.random.default_rng(0)
    prompts = [random.integers(3, 60, size).tolist() for size in (1, 2, 3, 9, 17, 33, 40)] * 3
    params = SamplingParams(max_tokens=12, logprobs=5, ignore_eos=True)
    model = CHECKPOINTS / folder
    with (
        LLM(model, weights=weights, threads=2) as batch_llm,
        LLM(model, weights=weights, threads=1) as single_llm,
    ):
        together = batch_llm.generate(prompts, params)
        for prompt, batched in zip(prompts, together, strict=True):
            alone = single_llm.generate(prompt, params)
            assert (alone.token_ids, alone.logprobs) == (batched.token_ids, batched.logprobs)


def test_requests_join_and_leave_between_steps(llm: LLM) -> None:
    long = submit(llm, "Hello", LONG)
    long.first()
    running: queue.SimpleQueue[int] = queue.SimpleQueue()

    def receive(delta: Delta) -> None:
        if delta.completion is not None:
            assert delta.completion.usage.completion_tokens == 5
            running.put(llm.engine.stats()["running"])

    params = SamplingParams(max_tokens=5, ignore_eos=True)
    llm.engine.submit(Job(llm.encode("Hello"), params.with_defaults(llm.defaults)), receive)
    assert running.get(timeout=60) == 1  # the long one still runs
    assert long.completion().finish_reason == "length"


def test_later_tokens_do_not_change_logits(llm: LLM) -> None:
    ids = (llm.encode("The cat sat on the mat. ") * 200)[:700]
    assert np.array_equal(llm.logits(ids[:600]), llm.logits(ids)[:600])


def test_streamed_deltas_make_up_the_answer(llm: LLM) -> None:
    messages = [{"role": "user", "content": "Who are you?"}]
    deltas = list(llm.stream_chat(messages))
    assert len(deltas) > 3
    assert "".join(deltas) == llm.chat(messages).text


def test_leaving_a_stream_cancels_its_request(endless_llm: LLM) -> None:
    stream = endless_llm.stream("Hello", FOREVER)
    next(stream)
    stream.close()
    blocker = submit(endless_llm, "Hi", SamplingParams(max_tokens=3))
    blocker.completion()  # at least one step later
    assert endless_llm.engine.stats()["running"] == 0


def test_requests_that_do_not_run_any_more_are_counted(llm: LLM) -> None:
    before = llm.engine.stats()["totals"]["cancellations"]
    first_ended, go_on = threading.Event(), threading.Event()

    def receive(delta: Delta) -> None:
        if delta.completion is not None:
            first_ended.set()
            go_on.wait(timeout=60)

    params = LONG.with_defaults(llm.defaults)
    with held(llm):  # both are cancelled before the next step
        for request_id in ("a", "b"):
            llm.engine.submit(Job(llm.encode("Hello"), params), receive, request_id)
            llm.engine.cancel(request_id)
    assert first_ended.wait(timeout=60)
    stats = llm.engine.stats()
    go_on.set()
    assert stats["running"] + stats["waiting"] + stats["totals"]["cancellations"] - before == 2


def test_cancelled_requests_deliver_their_text_so_far(endless_llm: LLM) -> None:
    receiver = submit(endless_llm, "Hello", FOREVER, "mine")
    receiver.first()
    assert endless_llm.engine.cancel("mine")
    completion = receiver.completion()
    assert completion.finish_reason == "cancelled"
    assert completion.error is None
    assert 0 < len(completion.token_ids) < 40_000
    assert completion.text
    assert not endless_llm.engine.cancel("mine")


def test_request_id_in_use_is_refused(endless_llm: LLM) -> None:
    receiver = submit(endless_llm, "Hello", FOREVER, "twice")
    with pytest.raises(InvalidRequest, match="twice"):
        submit(endless_llm, "Hello", FOREVER, "twice")
    endless_llm.engine.cancel("twice")
    receiver.completion()


def test_timeouts_end_running_and_waiting_requests(small: LLM) -> None:
    running = [submit(small, "Hello", FOREVER, str(i)) for i in range(2)]
    waiting = submit(small, "Hello", SamplingParams(timeout_s=0.0))
    completion = waiting.completion()
    assert isinstance(completion.error, RequestTimeout)
    assert "queue" in str(completion.error)
    assert completion.token_ids == []
    for i, receiver in enumerate(running):
        small.engine.cancel(str(i))
        receiver.completion()
    started = submit(small, "Hello", SamplingParams(max_tokens=40_000, timeout_s=0.05))
    assert isinstance(started.completion().error, RequestTimeout)


def test_request_to_a_full_queue_is_refused_at_once(small: LLM) -> None:
    receivers = [submit(small, "Hello", FOREVER, str(i)) for i in range(3)]
    with pytest.raises(QueueFull, match="--max-queue"):
        submit(small, "Hello", FOREVER)
    for i in range(3):
        small.engine.cancel(str(i))
    assert {receiver.completion().finish_reason for receiver in receivers} == {"cancelled"}


def test_refused_requests_read_nothing_from_the_disk(small: LLM) -> None:
    read: list[list[int]] = []
    small.engine.recalls.append(lambda tokens, root: read.append(tokens))
    receivers = [submit(small, "Hello", FOREVER, str(i)) for i in range(3)]
    with pytest.raises(QueueFull):
        submit(small, "Hello", FOREVER)
    with pytest.raises(InvalidRequest, match="request_id"):
        submit(small, "Hello", FOREVER, "0")
    small.engine.close()
    with pytest.raises(ShuttingDown):
        submit(small, "Hello", FOREVER)
    assert len(read) == len(receivers)
    assert small.engine.stats()["totals"]["refusals"] == 3


def test_requests_are_served_in_order(small: LLM) -> None:
    first = [submit(small, "Hello", FOREVER, str(i)) for i in range(2)]
    third = submit(small, "Hello", SamplingParams(max_tokens=3, ignore_eos=True))
    small.engine.cancel("0")
    assert third.completion().usage.completion_tokens == 3
    small.engine.cancel("1")
    for receiver in first:
        receiver.completion()


def test_request_that_can_never_fit_is_refused(llm: LLM) -> None:
    context = llm.engine.limits.max_context
    with pytest.raises(PromptTooLong, match=str(context)):
        llm.generate([[1] * context])
    with pytest.raises(InvalidRequest, match="empty"):
        llm.generate([[]])
    with pytest.raises(InvalidRequest, match="vocabulary"):
        llm.generate([[10**6]])
    with LLM(kv_cache_memory=100_000) as poor, pytest.raises(NoMemory, match="--kv-cache-memory"):
        poor.generate("Hello")


def test_kv_memory_is_shared_and_released() -> None:
    with LLM(kv_cache_memory=1) as measuring:
        page = KVCache.bytes_per_page(measuring.model.kv_groups, measuring.kv_cache_dtype)
    params = SamplingParams(max_tokens=20, ignore_eos=True)
    with LLM(kv_cache_memory=4 * page) as llm:  # two such requests at a time, no more
        completions = llm.generate([[5] * 10] * 20, params)
        assert [len(c.token_ids) for c in completions] == [20] * 20
        stats = llm.engine.stats()
        assert (stats["kv_bytes_used"], stats["kv_pages"]["used"], stats["kv_pages"]["total"]) == (0, 0, 4)


def test_answer_ends_at_the_maximum_context() -> None:
    with LLM(max_context=32) as llm:
        completion = llm.generate([5] * 30, SamplingParams(ignore_eos=True))
        assert (completion.finish_reason, len(completion.token_ids)) == ("length", 2)


def test_exception_in_a_step_ends_only_its_requests(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = llm.model.forward

    def fail_for_some_token(batch: Batch, cache: KVCache) -> np.ndarray:
        if 1234 in batch.tokens:
            raise MemoryError("no more")
        return forward(batch, cache)

    params = SamplingParams(max_tokens=50, ignore_eos=True)
    expected = llm.generate("Hello", params).token_ids
    monkeypatch.setattr(llm.model, "forward", fail_for_some_token)
    with held(llm):  # so that both begin in one step
        healthy, failing = submit(llm, "Hello", params), submit(llm, [5, 6, 1234], params)
    assert "no more" in str(failing.completion().error)
    assert healthy.completion().token_ids == expected
    stats, live = llm.engine.stats(), llm.engine.live()
    assert stats["kv_pages"]["used"] == 0
    # The step that failed is not one; its healthy request had one of its own.
    assert {step["sequences"] for step in live["steps"][-50:]} == {1}


def test_logits_that_are_not_finite_are_reported(tmp_path: Path) -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        llm.model.weights.head.data[:] = np.nan
        with pytest.raises(TritonchatError, match="not finite"):
            llm.generate([5, 6])
        with pytest.raises(NotFinite):
            llm.logits([5, 6])


@pytest.mark.parametrize("kv", ["int16", "float32", "float16", "int8"])
@pytest.mark.parametrize(
    "name", ["qwen3-moe", "qwen3-moe-plain", "deepseek-v2", "deepseek-v3-latents", "gpt-oss"]
)
def test_a_row_of_a_mixture_that_is_not_finite_harms_no_other(name: str, kv: str) -> None:
    params = SamplingParams(max_tokens=12, ignore_eos=True, temperature=0)
    with LLM(CHECKPOINTS / name, kv_cache_dtype=kv) as llm:
        expected = [llm.generate(prompt, params).token_ids for prompt in ([1, 2, 3], [9, 8])]
        bad = min(set(range(10, 64)).difference(*expected))
        llm.model.weights.embeddings["x"][bad] = np.inf
        with held(llm):  # so that all are in one step
            receivers = [submit(llm, prompt, params) for prompt in ([1, 2, 3], [5, bad, 6], [9, 8])]
        completions = [receiver.completion() for receiver in receivers]
        assert [completions[i].token_ids for i in (0, 2)] == expected
        assert "not finite" in str(completions[1].error)
        with pytest.raises(NotFinite):
            llm.logits([5, bad, 6])


def test_failing_callback_affects_only_its_request(llm: LLM) -> None:
    def fail(delta: Delta) -> None:
        raise RuntimeError("nobody here")

    llm.engine.submit(Job(llm.encode("Hello"), LONG.with_defaults(llm.defaults)), fail)
    assert submit(llm, "Hello", SamplingParams(max_tokens=50, ignore_eos=True)).completion().error is None


def test_a_callback_that_fails_at_the_end_leaves_nothing_behind(llm: LLM) -> None:
    ended = threading.Event()

    def fail(delta: Delta) -> None:
        if delta.completion is not None:
            ended.set()
            raise RuntimeError("nobody here")

    params = SamplingParams(max_tokens=1).with_defaults(llm.defaults)
    llm.engine.submit(Job(llm.encode("Hello"), params), fail)
    assert ended.wait(60)
    llm.engine.wait_for_end(0.2)  # its thread checks its books when it has nothing to do
    assert llm.engine.stats()["alive"]
    llm.engine.check()


def test_close_finishes_answers_and_refuses_requests() -> None:
    llm = LLM()
    receivers = [submit(llm, "Hello", SamplingParams(max_tokens=200, ignore_eos=True)) for _ in range(4)]
    receivers[0].first()
    closing = threading.Thread(target=llm.engine.close, args=(60,))
    closing.start()
    while True:
        try:
            late = submit(llm, "Hello", SamplingParams(max_tokens=1))
        except ShuttingDown:
            break
        late.completion()
    closing.join(timeout=60)
    assert [receiver.completion().finish_reason for receiver in receivers] == ["length"] * 4


def test_requests_from_many_threads(llm: LLM) -> None:
    params = SamplingParams(max_tokens=10, ignore_eos=True)
    expected = llm.generate(PROMPTS, params)
    results: dict[int, Completion] = {}

    def ask(i: int) -> None:
        results[i] = llm.generate(PROMPTS[i], params)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(PROMPTS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [results[i].token_ids for i in range(len(PROMPTS))] == [c.token_ids for c in expected]


def test_model_without_tokenizer_serves_token_ids() -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        completion = llm.generate([5, 6, 7], SamplingParams(max_tokens=4, ignore_eos=True))
        assert (completion.text, len(completion.token_ids)) == ("", 4)
        with pytest.raises(InvalidRequest, match="no tokenizer"):
            llm.generate("text")


def test_small_requests_stay_small_with_a_long_context(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(embedded_model(), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 131_072}))
    with LLM(folder, kv_cache_memory=2**24) as llm:  # 8,192 positions
        assert llm.chat([{"role": "user", "content": "Hello"}]).finish_reason == "stop"
        completion = llm.generate("Hello", SamplingParams(ignore_eos=True))
        assert (completion.finish_reason, completion.usage.completion_tokens) == ("length", 2048)


def test_close_ends_all_threads() -> None:
    before = set(threading.enumerate())
    with LLM(threads=3) as llm:
        llm.generate("Hello", SamplingParams(max_tokens=2))
        started = set(threading.enumerate()) - before
        assert len(started) == 3
        logits = llm.logits([5, 6])
    wait_until(lambda: not any(thread.is_alive() for thread in started))
    assert np.array_equal(llm.logits([5, 6]), logits)


@pytest.mark.parametrize("folder", [None, "llama-bfloat16"])
def test_number_of_threads_does_not_change_answers(folder: str | None) -> None:
    ids = [(7 * i) % 60 for i in range(40)]
    rows = []
    for threads in (1, 2, 3):
        with LLM(None if folder is None else CHECKPOINTS / folder, threads=threads) as llm:
            rows.append(llm.logits(ids))
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


class PanickingStream(TextStream):
    """Fails after some tokens, as a tokenizer may."""

    pushed = 0

    def push(self, token_id: int) -> str:
        self.pushed += 1
        if self.pushed > 20:
            raise BaseException("a panic")
        return super().push(token_id)

    def finish(self) -> str:
        raise BaseException("a panic")


def test_decoding_error_ends_only_its_request(endless_llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    healthy = submit(endless_llm, "Hello", SamplingParams(max_tokens=50))
    with monkeypatch.context() as patched:
        patched.setattr(admission, "TextStream", PanickingStream)
        bad = submit(endless_llm, "Hello", FOREVER)
    completion = bad.completion()
    assert completion.text
    assert "a panic" in str(completion.error)
    assert healthy.completion().usage.completion_tokens == 50
    assert endless_llm.engine.stats()["alive"]


@pytest.mark.parametrize("size", [2**60, 2**75])
def test_kv_cache_larger_than_the_machine_is_refused(size: int) -> None:
    with pytest.raises(NoMemory, match="--kv-cache-memory"):
        LLM(kv_cache_memory=size)


def test_requests_fail_when_the_engine_stops(endless_model: Path) -> None:
    llm, errors = breakable_llm(endless_model)
    receiver = submit(llm, "Hello", FOREVER)
    receiver.first()
    errors.append(RuntimeError("a bug"))
    assert "a bug" in str(receiver.completion().error)
    with pytest.raises(ShuttingDown):
        submit(llm, "Hello", FOREVER)
    llm.close()
    assert not llm.engine.stats()["alive"]


@pytest.mark.parametrize(("dtype", "error"), [("int16", 1e-3), ("float16", 1e-3), ("int8", 0.03)])
def test_kv_cache_types_with_less_memory_are_close_to_float32(llm: LLM, dtype: str, error: float) -> None:
    params = SamplingParams(max_tokens=20, logprobs=3, ignore_eos=True)
    ids = llm.encode("The cat sat on the mat. " * 9)
    settings = {"portable": True}  # bfloat16 would round small differences to larger ones
    with LLM(kv_cache_dtype=dtype, **settings) as small, LLM(kv_cache_dtype="float32", **settings) as large:
        together = small.generate(PROMPTS, params)
        for prompt, batched in zip(PROMPTS[::5], together[::5], strict=True):
            alone = small.generate(prompt, params)
            assert (alone.token_ids, alone.logprobs) == (batched.token_ids, batched.logprobs)
        expected, logits = large.logits(ids), small.logits(ids)
    assert 0 < np.linalg.norm(logits - expected) < error * np.linalg.norm(expected)


def test_seed_is_drawn_and_named(llm: LLM) -> None:
    params = SamplingParams(max_tokens=20, temperature=2, ignore_eos=True)
    first, second = llm.generate(["Hello", "Hello"], params)
    assert first.seed != second.seed and first.token_ids != second.token_ids
    again = llm.generate("Hello", params.model_copy(update={"seed": first.seed}))
    assert (again.seed, again.token_ids) == (first.seed, first.token_ids)


def test_an_answer_leaves_before_memory_is_prepared(
    endless_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may take milliseconds to provide it, in which no other thread runs Python code."""
    events: list[str] = []

    with LLM(endless_model) as llm:
        free, condition = llm.engine._scheduler.pool.free, llm.engine._condition
        wait_until(lambda: not free.is_short)
        provide, wait = free.provide, condition.wait

        def record_wait(timeout: float | None = None) -> bool:
            events.append("wait")
            return wait(timeout)

        def record_memory() -> None:
            events.append("memory")
            provide()

        monkeypatch.setattr(condition, "wait", record_wait)
        monkeypatch.setattr(free, "provide", record_memory)
        free._first_unprovided = free.first_untouched
        tokens, params = llm.encode("Hello"), SamplingParams(max_tokens=2).with_defaults(llm.defaults)
        llm.engine.submit(Job(tokens, params), lambda delta: events.append("answer"))
        wait_until(lambda: "memory" in events and not free.is_short)
    last = len(events) - events[::-1].index("answer")
    assert events[last : last + 2] == ["wait", "memory"]
