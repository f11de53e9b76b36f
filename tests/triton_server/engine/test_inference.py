"""The event loop receives all deltas of the engine's thread, in order."""

import asyncio
import threading

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.requests.results import Delta
from triton_server.engine.models.local_engine import DeltaReader, LocalEngine
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.engine.models.pending_answer import PendingAnswer


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
