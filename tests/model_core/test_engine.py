"""Requests from many threads, computed together: the same bytes, nobody harmed, nothing lost."""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import CHECKPOINTS

from model_core import LLM, Completion, SamplingParams, TritonchatError
from model_core.errors import (
    InvalidRequest,
    NoMemory,
    PromptTooLong,
    QueueFull,
    RequestTimeout,
    ShuttingDown,
)
from model_core.kv_cache import Batch, KVCache
from model_core.llm import embedded_model
from model_core.request import Piece

FOREVER = SamplingParams(max_tokens=900, ignore_eos=True, temperature=0)
PROMPTS = [f"Hello number {i}. " * (1 + i % 7) for i in range(64)]


class Receiver:
    """Takes the pieces of one request."""

    def __init__(self) -> None:
        self._pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()

    def __call__(self, piece: Piece) -> None:
        self._pieces.put(piece)

    def first(self) -> Piece:
        return self._pieces.get(timeout=60)

    def completion(self) -> Completion:
        while True:
            piece = self._pieces.get(timeout=60)
            if piece.completion is not None:
                return piece.completion


def submit(
    llm: LLM, prompt: str | list[int], params: SamplingParams, request_id: str | None = None
) -> Receiver:
    receiver = Receiver()
    llm.engine.submit(llm.encode(prompt), params.with_defaults(llm.defaults), receiver, request_id)
    return receiver


@pytest.fixture
def small() -> Iterator[LLM]:
    """The embedded model with room for two requests and one more waiting."""
    with LLM(max_concurrency=2, max_queue=1) as loaded:
        yield loaded


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_same_tokens_alone_and_among_others(llm: LLM, temperature: float) -> None:
    params = SamplingParams(max_tokens=40, temperature=temperature, seed=3, logprobs=2, ignore_eos=True)
    together = llm.generate(PROMPTS, params)
    for prompt, among in zip(PROMPTS, together, strict=True):
        alone = llm.generate(prompt, params)
        assert alone.token_ids == among.token_ids
        assert alone.logprobs == among.logprobs  # every bit of the logits, not only the choice
        assert alone.text == among.text


@pytest.mark.parametrize("weights", ["auto", "int8", "int4"])
@pytest.mark.parametrize("folder", ["llama-bfloat16", "mistral-window", "qwen2-window", "llama-mqa-odd"])
def test_same_logits_alone_and_among_others_in_every_family(folder: str, weights: str) -> None:
    """Alone on one thread, and among others on two."""
    random = np.random.default_rng(0)
    prompts = [random.integers(3, 60, size).tolist() for size in (1, 2, 3, 9, 17, 33, 40)] * 3
    params = SamplingParams(max_tokens=12, logprobs=5, ignore_eos=True)
    model = CHECKPOINTS / folder
    with LLM(model, weights=weights, threads=2) as crowded, LLM(model, weights=weights, threads=1) as quiet:
        together = crowded.generate(prompts, params)
        for prompt, among in zip(prompts, together, strict=True):
            alone = quiet.generate(prompt, params)
            assert (alone.token_ids, alone.logprobs) == (among.token_ids, among.logprobs)


def test_requests_join_and_leave_between_steps(llm: LLM) -> None:
    params = SamplingParams(max_tokens=5, ignore_eos=True)
    long = submit(llm, "Hello", FOREVER)
    long.first()
    short = submit(llm, "Hello", params)
    assert short.completion().usage.completion_tokens == 5
    assert llm.engine.stats()["running"] == 1  # the long one still runs
    assert long.completion().finish_reason == "length"


def test_what_follows_does_not_change_logits(llm: LLM) -> None:
    ids = (llm.encode("The cat sat on the mat. ") * 200)[:700]
    assert np.array_equal(llm.logits(ids[:600]), llm.logits(ids)[:600])


def test_streamed_pieces_add_up(llm: LLM) -> None:
    messages = [{"role": "user", "content": "Who are you?"}]
    pieces = list(llm.stream_chat(messages))
    assert len(pieces) > 3
    assert "".join(pieces) == llm.chat(messages).text


def test_leaving_a_stream_cancels_it(llm: LLM) -> None:
    stream = llm.stream("Hello", FOREVER)
    next(stream)
    stream.close()
    blocker = submit(llm, "Hi", SamplingParams(max_tokens=3, ignore_eos=True))
    blocker.completion()  # at least one step later
    assert llm.engine.stats()["running"] == 0


def test_cancelled_requests_deliver_what_they_have(llm: LLM) -> None:
    receiver = submit(llm, "Hello", FOREVER, "mine")
    receiver.first()
    assert llm.engine.cancel("mine")
    completion = receiver.completion()
    assert completion.finish_reason == "cancelled"
    assert completion.error is None
    assert 0 < len(completion.token_ids) < 900
    assert completion.text
    assert not llm.engine.cancel("mine")


def test_request_ids_are_not_shared(llm: LLM) -> None:
    receiver = submit(llm, "Hello", FOREVER, "twice")
    with pytest.raises(InvalidRequest, match="twice"):
        submit(llm, "Hello", FOREVER, "twice")
    llm.engine.cancel("twice")
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
    started = submit(small, "Hello", SamplingParams(max_tokens=900, ignore_eos=True, timeout_s=0.05))
    completion = started.completion()
    assert completion.usage.completion_tokens == 900 or isinstance(completion.error, RequestTimeout)


def test_a_full_server_says_so_at_once(small: LLM) -> None:
    receivers = [submit(small, "Hello", FOREVER, str(i)) for i in range(3)]
    with pytest.raises(QueueFull, match="--max-queue"):
        submit(small, "Hello", FOREVER)
    for i in range(3):
        small.engine.cancel(str(i))
    assert {receiver.completion().finish_reason for receiver in receivers} == {"cancelled"}


def test_requests_are_served_in_order(small: LLM) -> None:
    first = [submit(small, "Hello", FOREVER, str(i)) for i in range(2)]
    third = submit(small, "Hello", SamplingParams(max_tokens=3, ignore_eos=True))
    small.engine.cancel("0")
    assert third.completion().usage.completion_tokens == 3
    small.engine.cancel("1")
    for receiver in first:
        receiver.completion()


def test_what_can_never_fit_is_refused(llm: LLM) -> None:
    context = llm.engine.limits.max_context
    with pytest.raises(PromptTooLong, match=str(context)):
        llm.generate([[1] * context])
    with pytest.raises(InvalidRequest, match="empty"):
        llm.generate([[]])
    with pytest.raises(InvalidRequest, match="vocabulary"):
        llm.generate([[10**6]])
    with LLM(kv_cache_memory=100_000) as poor, pytest.raises(NoMemory, match="--kv-cache-memory"):
        poor.generate("Hello")


def test_memory_is_shared_and_given_back() -> None:
    with LLM(kv_cache_memory=1) as measuring:
        page = KVCache.bytes_per_page(measuring.model.config)
    params = SamplingParams(max_tokens=20, ignore_eos=True)
    with LLM(kv_cache_memory=4 * page) as llm:  # two such requests at a time, no more
        completions = llm.generate([[5] * 10] * 20, params)
        assert [len(c.token_ids) for c in completions] == [20] * 20
        stats = llm.engine.stats()
        assert (stats["kv_bytes_used"], stats["kv_pages"]["used"], stats["kv_pages"]["total"]) == (0, 0, 4)


def test_the_context_ends_an_answer() -> None:
    with LLM(max_context=32) as llm:
        completion = llm.generate([5] * 30, SamplingParams(ignore_eos=True))
        assert (completion.finish_reason, len(completion.token_ids)) == ("length", 2)


def test_an_exception_in_a_step_ends_its_requests_alone(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = llm.model.forward

    def fail_for_some_token(batch: Batch, cache: KVCache) -> np.ndarray:
        if 1234 in batch.tokens:
            raise MemoryError("no more")
        return forward(batch, cache)

    params = SamplingParams(max_tokens=50, ignore_eos=True)
    expected = llm.generate("Hello", params).token_ids
    monkeypatch.setattr(llm.model, "forward", fail_for_some_token)
    healthy = submit(llm, "Hello", params)
    with pytest.raises(TritonchatError, match="no more"):
        llm.generate([5, 6, 1234])
    assert healthy.completion().token_ids == expected
    assert llm.engine.stats()["kv_pages"]["used"] == 0


def test_weights_that_give_no_numbers_are_reported(tmp_path: Path) -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        llm.model.norm = np.full_like(llm.model.norm, np.nan)
        with pytest.raises(TritonchatError, match="not finite"):
            llm.generate([5, 6])


def test_receivers_that_fail_harm_nobody(llm: LLM) -> None:
    def gone(piece: Piece) -> None:
        raise RuntimeError("nobody here")

    llm.engine.submit(llm.encode("Hello"), FOREVER.with_defaults(llm.defaults), gone)
    assert submit(llm, "Hello", SamplingParams(max_tokens=50, ignore_eos=True)).completion().error is None


def test_closing_lets_answers_end_and_takes_no_more() -> None:
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


def test_many_threads_at_once(llm: LLM) -> None:
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


def test_without_tokenizer_token_ids_are_served() -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm:
        completion = llm.generate([5, 6, 7], SamplingParams(max_tokens=4, ignore_eos=True))
        assert (completion.text, len(completion.token_ids)) == ("", 4)
        with pytest.raises(InvalidRequest, match="no tokenizer"):
            llm.generate("text")


def test_a_long_context_does_not_make_small_requests_large(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(embedded_model(), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 131_072}))
    with LLM(folder, kv_cache_memory=2**24) as llm:  # 8,192 positions
        assert llm.chat([{"role": "user", "content": "Hello"}]).finish_reason == "stop"
        completion = llm.generate("Hello", SamplingParams(ignore_eos=True))
        assert (completion.finish_reason, completion.usage.completion_tokens) == ("length", 2048)


def test_a_closed_model_leaves_no_thread() -> None:
    before = threading.active_count()
    with LLM(threads=3) as llm:
        llm.generate("Hello", SamplingParams(max_tokens=2))
        assert threading.active_count() == before + 3
        logits = llm.logits([5, 6])
    for _ in range(100):
        if threading.active_count() == before:
            break
        time.sleep(0.05)
    assert threading.active_count() == before
    assert np.array_equal(llm.logits([5, 6]), logits)


@pytest.mark.parametrize("folder", [None, "llama-bfloat16"])
def test_threads_do_not_change_the_bytes(folder: str | None) -> None:
    ids = [(7 * i) % 60 for i in range(40)]
    rows = []
    for threads in (1, 2, 3):
        with LLM(None if folder is None else CHECKPOINTS / folder, threads=threads) as llm:
            rows.append(llm.logits(ids))
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


def test_a_text_that_cannot_be_decoded_ends_its_request_alone(
    llm: LLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy = submit(llm, "Hello", SamplingParams(max_tokens=50, ignore_eos=True))
    bad = submit(llm, "Hello", FOREVER, "bad")
    bad.first()

    def panic(token_id: int) -> str:
        raise BaseException("a panic")

    text = llm.engine._ids["bad"].text
    monkeypatch.setattr(text, "push", panic)
    monkeypatch.setattr(text, "finish", panic)
    completion = bad.completion()
    assert "a panic" in str(completion.error)
    assert healthy.completion().usage.completion_tokens == 50
    assert llm.engine.stats()["alive"]


@pytest.mark.parametrize("size", [2**60, 2**75])
def test_memory_that_the_machine_does_not_have_is_refused(size: int) -> None:
    with pytest.raises(NoMemory, match="--kv-cache-memory"):
        LLM(kv_cache_memory=size)


def test_an_engine_that_stops_tells_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    llm = LLM()
    receiver = submit(llm, "Hello", FOREVER)
    receiver.first()

    def broken() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(llm.engine._scheduler, "plan", broken)
    assert "a bug" in str(receiver.completion().error)
    with pytest.raises(ShuttingDown):
        submit(llm, "Hello", FOREVER)
    llm.close()
    assert not llm.engine.stats()["alive"]


@pytest.mark.parametrize(("dtype", "error"), [("float16", 1e-3), ("int8", 0.03)])
def test_keys_and_values_can_take_less_memory(llm: LLM, dtype: str, error: float) -> None:
    params = SamplingParams(max_tokens=20, logprobs=3, ignore_eos=True)
    ids = llm.encode("The cat sat on the mat. " * 9)
    with LLM(kv_cache_dtype=dtype) as small:
        together = small.generate(PROMPTS, params)
        for prompt, among in zip(PROMPTS[::5], together[::5], strict=True):
            alone = small.generate(prompt, params)
            assert (alone.token_ids, alone.logprobs) == (among.token_ids, among.logprobs)
        expected, logits = llm.logits(ids), small.logits(ids)
    assert 0 < np.linalg.norm(logits - expected) < error * np.linalg.norm(expected)


@pytest.mark.parametrize("home", ["/proc/nowhere", "/"])
def test_a_home_that_cannot_be_written_does_not_matter(home: str, tmp_path: Path) -> None:
    """Kernels are then compiled for this process alone."""
    environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": "/proc/nowhere", "TMPDIR": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    code = "from model_core import LLM; print(len(LLM().generate('Hello').token_ids) > 0)"
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout == "True\n", run.stderr
    assert not list(tmp_path.iterdir())
