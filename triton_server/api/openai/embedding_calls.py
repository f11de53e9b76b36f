"""Computes the embeddings or scores for an HTTP request. The routes for both use this."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from ...contract.wire import Vectors
from ..errors import ClientDisconnected

_MAX_ID_PREFIX = 80  # characters of the client's request id; the engine's id has at most 128


async def compute_vectors(
    request: Request, texts: Sequence[str] | Sequence[Sequence[int]], parameters: dict[str, Any]
) -> Vectors:
    """The vectors of texts. If the client disconnects, the computation ends.

    Raises TritonchatError: ApiError (429) if too many answers are running, or ClientDisconnected.
    """
    state = request.app.state
    prefix = request.state.request_id[:_MAX_ID_PREFIX]
    named = {**parameters, "request_id": f"{prefix}-{uuid.uuid4().hex}"}
    with state.answer_slots.hold(request.state.client, 1):
        call = asyncio.create_task(state.triton_client.embed(texts, named))
        watch = asyncio.create_task(_wait_for_disconnect(request))
        try:
            await asyncio.wait({call, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise ClientDisconnected
            vectors = call.result()
        finally:
            watch.cancel()
            call.cancel()
            with suppress(asyncio.CancelledError):
                await watch
    request.state.usage = Counter(prompt_tokens=vectors.prompt_tokens)  # for the log
    return vectors


def fields_set(body: BaseModel, kind: type[BaseModel]) -> dict[str, Any]:
    """The fields of `kind` that a body sets."""
    names = kind.model_fields.keys() & body.model_fields_set
    return {name: value for name in names if (value := getattr(body, name)) is not None}


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
