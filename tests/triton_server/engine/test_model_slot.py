"""A model is loaded when it is needed, by one thread for all who wait, and unloaded when it is idle."""

import asyncio
import json
import queue
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS
from slow_loading import Loader
from support import wait_until

from model_core import SamplingParams
from model_core.errors import (
    ModelError,
    ModelNotFound,
    ModelUnavailable,
    RequestTimeout,
    ShuttingDown,
)
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors
from model_core.llm import build
from triton_server.engine.models import model_slot
from triton_server.engine.models.local_engine import LocalEngine
from triton_server.engine.models.model_pool import ModelPool, create_pool
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.engine.models.pending_answer import PendingAnswer

TINY = CHECKPOINTS / "llama-tied-gqa"
FIVE = SamplingParams(max_tokens=5, ignore_eos=True, temperature=0)


@pytest.fixture
def loader() -> Loader:
    return Loader(TINY)


def test_those_who_come_together_wait_for_one_load(loader: Loader) -> None:
    slot = ModelSlot("tiny", loader)
    assert slot.describe_state() == {"name": "tiny", "state": "unloaded"}
    assert slot.stats() == {"running": 0, "waiting": 0}
    first, second = slot.acquire(), slot.acquire()
    assert loader.started.wait(60)
    assert slot.describe_state() == {"name": "tiny", "state": "loading", "progress": 0.25}
    assert slot.stats() == {"running": 0, "waiting": 2}
    assert slot.llm is None
    loader.may_go_on.set()
    assert first.result(60) is second.result(60) is slot.engine
    assert slot.state == "ready"
    assert slot.description["max_context"] > 0
    assert slot.acquire().done()
    assert loader.count == 1
    slot.close()


def test_idle_model_is_unloaded_and_loaded_again(loader: Loader) -> None:
    loader.may_go_on.set()
    slot = ModelSlot("tiny", loader, keep_alive_s=0)
    first = slot.acquire()
    model = weakref.ref(first.result(60).llm)
    answer = first.result().llm.generate([1, 2, 3], FIVE).token_ids
    slot.acquire()
    slot.release()
    assert slot.state == "ready"  # the first user is still there
    del first
    slot.release()
    wait_until(lambda: slot.state == "unloaded" and model() is None)
    assert slot.description is not None
    again = slot.acquire().result(60).llm
    assert again.generate([1, 2, 3], FIVE).token_ids == answer
    assert loader.count == 2
    slot.close()


def test_use_puts_the_unloading_off(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[threading.Timer] = []

    class NotedTimer(threading.Timer):
        def start(self) -> None:
            timers.append(self)
            super().start()

    monkeypatch.setattr(threading, "Timer", NotedTimer)
    loader.may_go_on.set()
    slot = ModelSlot("tiny", loader, keep_alive_s=3600)
    engine = slot.acquire().result(60)
    slot.release()
    (timer,) = timers
    assert timer.is_alive()
    assert 0 < slot.describe_state()["unloads_in_s"] <= 3600
    slot.acquire()
    assert slot.describe_state()["unloads_in_s"] == 3600
    timer.join(60)  # cancelled
    assert not slot.unload_if_idle()
    assert slot.engine is engine
    slot.release()
    assert len(timers) == 2
    slot.close()


def write_large_model(folder: Path) -> Path:
    """The tiny model with a large vocabulary: about 25 MB of weights."""
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "config.json").read_text()) | {"vocab_size": 200_000}
    (folder / "config.json").write_text(json.dumps(config))
    source = Checkpoint(TINY)
    tensors = {name: np.array(source[name]) for name in source.unread()}
    shape = (config["vocab_size"], config["hidden_size"])
    tensors["model.embed_tokens.weight"] = np.random.default_rng(1).standard_normal(shape, np.float32)
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


# A process of its own, in which nothing else takes memory or gives it back.
UNLOADING = """
import sys, time
import psutil
from model_core import LLM
from triton_server.engine.models.local_engine import LocalEngine
from triton_server.engine.models.model_slot import ModelSlot

process = psutil.Process()
slot = ModelSlot("large", lambda on_progress: LocalEngine(LLM(sys.argv[1], kv_cache_memory=2**26)), 0)
before = process.memory_info().rss
weights = slot.acquire().result(60).llm.model.weights.nbytes
loaded = process.memory_info().rss
assert loaded - before > 0.9 * weights > 20 * 2**20
slot.release()
while process.memory_info().rss > loaded - 0.9 * weights:
    time.sleep(0.01)
"""


def test_memory_is_given_back(tmp_path: Path) -> None:
    folder = write_large_model(tmp_path / "large")
    subprocess.run([sys.executable, "-c", UNLOADING, folder], check=True, timeout=120)


def test_failed_model_says_why_and_may_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = Loader(tmp_path / "none")
    loader.may_go_on.set()
    slot = ModelSlot("none", loader)
    with pytest.raises(ModelUnavailable, match=r"none could not be loaded: .*neither a folder"):
        slot.acquire().result(60)
    slot.release()
    entry = slot.describe_state()
    assert entry["state"] == "failed"
    assert "neither a folder" in entry["error"]
    assert slot.acquire().exception() is not None
    slot.release()
    assert loader.count == 1  # not tried again so soon
    monkeypatch.setattr(model_slot, "RETRY_S", 0.0)
    loader.path = TINY
    assert slot.acquire().result(60) is slot.engine
    assert slot.state == "ready"
    slot.close()


def test_unexpected_error_of_a_load_reaches_those_who_wait() -> None:
    def load(on_progress: Callable[[float], None]) -> LocalEngine:
        raise MemoryError("no memory")

    slot = ModelSlot("large", load)
    with pytest.raises(ModelUnavailable, match="MemoryError: no memory"):
        slot.acquire().result(60)


def test_stop_does_not_wait_for_a_load(loader: Loader) -> None:
    slot = ModelSlot("tiny", loader)
    waiting = slot.acquire()
    assert loader.started.wait(60)
    slot.close(grace_s=60)
    with pytest.raises(ShuttingDown):
        waiting.result(60)
    with pytest.raises(ShuttingDown):
        slot.acquire()
    loader.may_go_on.set()
    wait_until(lambda: not any(thread.name == "load-tiny" for thread in threading.enumerate()))


def test_waiting_request_can_be_cancelled_and_has_a_time_limit(loader: Loader) -> None:
    slot = ModelSlot("tiny", loader)
    future = slot.acquire()

    async def wait() -> None:
        cancelled = PendingAnswer(slot)
        waiting = asyncio.create_task(cancelled.wait_for(future, None, "it waited"))
        await asyncio.sleep(0)
        assert await asyncio.to_thread(cancelled.cancel)
        await waiting
        assert cancelled.has_ended and not cancelled.cancel()
        (_, details), *_ = cancelled.pop_pieces()
        assert details["finish_reason"] == "cancelled"
        assert details["usage"]["prompt_tokens"] == 0
        with pytest.raises(RequestTimeout, match="while the model was loaded"):
            await PendingAnswer(slot).wait_for(future, 0.01, "the model was loaded")
        loaded = PendingAnswer(slot)
        waiting = asyncio.create_task(loaded.wait_for(future, None, "it waited"))
        loader.may_go_on.set()
        await waiting
        assert future.done() and not loaded.has_ended

    asyncio.run(wait())
    slot.close()


def make_pool(*names: str) -> ModelPool:
    return ModelPool([ModelSlot(name, Loader(TINY)) for name in names])


def test_models_are_found_by_name() -> None:
    pool = make_pool("one", "owner/two")
    first, second = pool.slots
    for name in (None, "default"):
        assert pool.resolve_model(name, first) is first
        assert pool.resolve_model(name, second) is second
    assert pool.resolve_model("owner/two", first) is second
    assert pool.resolve_model("one", second) is first
    with pytest.raises(ModelNotFound, match="no model 'gpt-4' here; this server has one, owner/two"):
        pool.resolve_model("gpt-4", first)
    assert [entry["triton_models"] for entry in pool.describe()] == [
        ["chat", "chat_stream", "embed"],
        ["chat-two", "chat_stream-two", "embed-two"],
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("one", "one"), "two models have the name one"),
        (("one", "a/two", "b/two"), "too similar"),
        (("one", "default"), "stands for the first model"),
        (("one", "x" * 60, "x" * 61), "too similar"),
    ],
)
def test_wrong_names_are_refused(names: tuple[str, ...], expected: str) -> None:
    with pytest.raises(ModelError, match=expected):
        make_pool(*names)


def test_models_share_memory_and_turns() -> None:
    settings = {"kv_cache_memory": 2**25, "max_queue": 7, "threads": 1}
    pool = create_pool([("one", str(TINY)), (None, str(CHECKPOINTS / "qwen3"))], None, settings)
    pool.load_all()
    llms = [slot.llm for slot in pool.slots]
    assert [llm.name for llm in llms] == ["one", "qwen3"]
    assert [llm.engine.limits.kv_cache_memory for llm in llms] == [2**24, 2**24]
    assert llms[0].model.turns is llms[1].model.turns
    assert pool.max_queue == 7
    pool.close()


def test_model_without_memory_takes_that_of_idle_models(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"kv_cache_memory": 3 * 2**24, "max_queue": 7}
    paths = [("one", str(TINY)), ("two", str(TINY)), ("three", str(TINY))]
    pool = create_pool(paths, 3600, settings)

    def free_memory() -> int:  # of a machine with room for two models
        return 2**40 if sum(slot.state == "ready" for slot in pool.slots) < 2 else 0

    monkeypatch.setattr(build, "available_memory", free_memory)
    one, two, three = pool.slots
    two.acquire().result(60)
    two.release()
    one.acquire().result(60)
    one.release()
    three.acquire().result(60)
    assert [slot.state for slot in pool.slots] == ["ready", "unloaded", "ready"]
    one.acquire()  # now both are in use
    with pytest.raises(ModelUnavailable, match=r"two could not be loaded: .* needs .* of memory"):
        two.acquire().result(60)
    monkeypatch.undo()
    kept = create_pool(paths, None, settings)
    kept.slots[0].acquire().result(60)
    kept.slots[0].release()
    assert not kept.unload_one()
    kept.close()
    pool.close()


def test_failed_load_leaves_no_threads(tmp_path: Path) -> None:
    folder = shutil.copytree(TINY, tmp_path / "model")
    (folder / "generation_config.json").write_text('{"temperature": -1, "do_sample": true}')
    pool = create_pool([(None, str(folder))], 3600, {"kv_cache_memory": 2**24, "max_queue": 7, "threads": 3})

    def kernel_threads() -> int:
        return sum(thread.name.startswith("kernel-") for thread in threading.enumerate())

    before = kernel_threads()
    with pytest.raises(ModelUnavailable, match="recommends what is not possible"):
        pool.slots[0].acquire().result(60)
    wait_until(lambda: kernel_threads() == before)


def test_revision_is_for_the_models_of_the_hub(capsys: pytest.CaptureFixture[str]) -> None:
    settings = {"kv_cache_memory": 2**25, "max_queue": 7, "revision": "v2"}
    pool = create_pool([("good", str(TINY)), ("other", "/nowhere")], None, settings)
    pool.load_all()
    assert [slot.state for slot in pool.slots] == ["ready", "failed"]
    pool.close()
    capsys.readouterr()
    for models in ([(None, None)], [("one", str(TINY)), (None, None)]):
        with pytest.raises(ModelError, match="--revision is for models on the hub"):
            create_pool(models, None, settings).load_all()


def test_start_fails_only_if_all_models_fail(capsys: pytest.CaptureFixture[str]) -> None:
    settings = {"kv_cache_memory": 2**25, "max_queue": 7}
    pool = create_pool([("bad", "/nowhere"), ("good", str(TINY))], None, settings)
    pool.load_all()
    assert [slot.state for slot in pool.slots] == ["failed", "ready"]
    assert "bad could not be loaded" in capsys.readouterr().err
    assert pool.is_alive()
    pool.close()
    with pytest.raises(ModelError, match="bad could not be loaded"):
        create_pool([("bad", "/nowhere")], None, settings).load_all()


def test_requests_of_many_threads_load_once() -> None:
    loader = Loader(TINY)
    loader.may_go_on.set()
    slot = ModelSlot("tiny", loader, keep_alive_s=0)
    answers: queue.SimpleQueue[list[int]] = queue.SimpleQueue()

    def ask() -> None:
        for _ in range(5):
            answers.put(slot.acquire().result(60).llm.generate([1, 2, 3], FIVE).token_ids)
            slot.release()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    results = [answers.get(timeout=1) for _ in range(20)]
    assert all(result == results[0] for result in results)
    wait_until(lambda: slot.state == "unloaded")
    assert slot.stats() == {"running": 0, "waiting": 0}
