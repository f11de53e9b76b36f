"""The client of a model in this process, so that the HTTP service can answer without a server."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from typing import Any

from model_core.requests.events import Event, Failed

from ..client import AsyncChatClient
from ..contract.codec import decode_piece, make_error, raise_if_error
from ..contract.commands import COMMANDS
from ..contract.json_tensors import encode
from ..contract.tensors import READY, EmbeddingInputs, Prompt
from ..contract.wire import Vectors
from ..engine.commands.conversation_commands import ConversationCommands
from ..engine.models.model_pool import ModelPool
from ..engine.serving.calls import CALL_ID_PARAMETER, Call, PlainRequest
from ..engine.serving.embed_inference import EmbedInference
from ..engine.serving.inference import Inference
from ..receipts.signer import ReceiptSigner


class LocalClient(AsyncChatClient):
    """Asks the first model of a pool, as AsyncChatClient asks a server, and raises as that does.

    Create it in a coroutine of the loop that uses it.
    """

    def __init__(self, pool: ModelPool, database: str, receipts: ReceiptSigner | None = None) -> None:
        """`database`: of conversations, which nobody here reads. `receipts`: see Inference."""
        self._pool = pool
        conversations = ConversationCommands(database)
        self._inference = Inference(pool, lambda: pool.find_fault() or READY, conversations, receipts)
        shared = self._inference
        self._embed = EmbedInference(pool, shared.embeddings, pool.slots[0], shared.image_threads)

    async def close(self) -> None:
        """Cancel what runs."""
        self._inference.cancel_all()
        await asyncio.to_thread(self._inference.embeddings.close)
        self._inference.feeds.close()

    async def stream(self, messages: Prompt, parameters: dict[str, Any]) -> AsyncIterator[Event]:
        """See AsyncChatClient. All events but the first come together at the end."""
        call, slot = Call(uuid.uuid4().hex), self._pool.slots[0]
        async with self._inference.open_answer(slot, call, encode(messages), encode(parameters)) as answer:
            try:
                if answer.acknowledge and answer.is_accepted:
                    yield answer.describe_acceptance()
                await answer.wait_for_end()
                for piece in answer.pop_pieces():
                    for event in decode_piece(*piece):
                        if isinstance(event, Failed):
                            raise make_error(event)
                        yield event
            finally:
                answer.cancel()

    async def embed(self, texts: EmbeddingInputs, parameters: dict[str, Any]) -> Vectors:
        """See AsyncChatClient."""
        data = {"texts": encode(list(texts))[None], "parameters": encode(parameters)[None]}
        request = PlainRequest(data, {CALL_ID_PARAMETER: uuid.uuid4().hex})
        (outputs,) = await self._embed.embed([request])
        details = json.loads(outputs["details"][0][0])
        raise_if_error(details)
        return Vectors(outputs["embeddings"][0], details)

    async def _ask(
        self, name: str, about: Any = True, timeout_s: float | None = None, /, **fields: Any
    ) -> Any:
        result = json.loads(await self._inference.commands.run(encode({name: about, **fields})))
        raise_if_error(result)
        return COMMANDS[name].read_result(result)
