"""The event loop receives all deltas of the engine's thread, in order; a request ends wherever it is."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from in_process import local_server

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.requests.results import Delta
from triton_server.client import ChatClient
from triton_server.engine.models.local_engine import DeltaReader, LocalEngine
from triton_server.engine.models.model_pool import create_pool
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.engine.models.pending_answer import PendingAnswer
from triton_server.engine.serving.inference import Inference


@pytest.fixture(scope="module")
def grpc_url(endless_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pool = create_pool([(None, str(endless_model))], None, {"kv_cache_memory": 2**26, "max_queue": 8})
    with local_server(pool, tmp_path_factory.mktemp("inference")) as server:
        yield server.grpc_url


def test_last_delta_is_sent_with_the_end(llm: LLM) -> None:
    deltas: list[Delta] = []
    ended = threading.Event()

    def on_delta(delta: Delta) -> None:
        deltas.append(delta)
        if delta.completion is not None:
            ended.set()

    params = SamplingParams(temperature=0, max_tokens=8, logprobs=1).with_defaults(llm.defaults)
    prompt = llm.encode_chat([{"role": "user", "content": "Hello"}]).token_ids
    llm.engine.submit(Job(prompt, params), on_delta)
    assert ended.wait(60)

    async def receive() -> None:
        answer = PendingAnswer(ModelSlot("embedded", lambda on_progress: LocalEngine(llm)))
        answer.reader = DeltaReader(llm.tokenizer)
        for delta in deltas:
            (answer.add if delta.completion is None else answer.finish)(delta)
        # The loop has not run since, so it does not know of the end, and this is not the last text.
        ((early, details),) = answer.pop_pieces()
        assert "finish_reason" not in details
        await answer.wait_for_end()
        ((late, rest),) = answer.pop_pieces()
        assert early + late == deltas[-1].completion.text
        assert rest["finish_reason"] == deltas[-1].completion.finish_reason
        assert "logprobs" in rest
        tokens = [entry["token_id"] for entry in details["logprobs"] + rest["logprobs"]]
        assert tokens == [entry.token_id for delta in deltas for entry in delta.logprobs]

    asyncio.run(receive())


@pytest.mark.parametrize("asked", [{"max_tokens": 2_000, "ignore_eos": True}, {"choices": ["yes", "no"]}])
@pytest.mark.parametrize(("of", "step"), [(Inference, "_parse"), (LocalEngine, "submit")])
def test_request_is_cancelled_on_its_way_to_the_engine(
    grpc_url: str, monkeypatch: pytest.MonkeyPatch, of: type, step: str, asked: dict[str, Any]
) -> None:
    """A long prompt or an image may take seconds there, and the sender may leave meanwhile."""
    is_there, may_go_on, take_step = threading.Event(), threading.Event(), getattr(of, step)

    def take_step_late(self: object, *values: object) -> object:
        is_there.set()
        assert may_go_on.wait(60)
        return take_step(self, *values)

    monkeypatch.setattr(of, step, take_step_late)
    with ChatClient(grpc_url) as client, ThreadPoolExecutor(1) as threads:
        before = client.stats()["totals"]["requests"]
        pending = threads.submit(client.chat, [5] * 20_000, request_id="leaving", **asked)
        assert is_there.wait(60)
        assert client.cancel("leaving")
        may_go_on.set()
        assert pending.result(60).finish_reason == "cancelled"
        assert not client.cancel("leaving")
        stats = client.stats()
        assert stats["running"] + stats["waiting"] == 0
        assert (stats["totals"]["requests"] > before) == (step == "submit")
