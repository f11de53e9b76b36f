"""What the engine's thread delivers reaches the event loop whole."""

import asyncio
import threading

from model_core import LLM, SamplingParams
from model_core.request import Piece
from triton_server.deployment import _Answer
from triton_server.telemetry import Telemetry


def test_the_last_piece_comes_with_the_end(llm: LLM) -> None:
    pieces: list[Piece] = []
    ended = threading.Event()

    def deliver(piece: Piece) -> None:
        pieces.append(piece)
        if piece.completion is not None:
            ended.set()

    params = SamplingParams(temperature=0, max_tokens=8, logprobs=1).with_defaults(llm.defaults)
    llm.engine.submit(llm.encode_chat([{"role": "user", "content": "Hello"}]), params, deliver)
    assert ended.wait(60)

    async def receive() -> None:
        answer = _Answer(llm, Telemetry(llm.engine, llm.describe()))
        for piece in pieces:
            answer.deliver(piece)
        # The loop has not been told of the end yet, so what is taken now is not the last part.
        early, details = answer.take()
        assert "finish_reason" not in details
        await answer.wait_for_end()
        late, rest = answer.take()
        assert early + late == pieces[-1].completion.text
        assert rest["finish_reason"] == pieces[-1].completion.finish_reason
        assert "logprobs" in rest
        tokens = [entry["token_id"] for entry in details["logprobs"] + rest["logprobs"]]
        assert tokens == [entry.token_id for piece in pieces for entry in piece.logprobs]

    asyncio.run(receive())
