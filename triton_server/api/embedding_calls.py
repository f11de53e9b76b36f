"""Computes the embeddings or scores for an HTTP request. The routes for both use this."""

import asyncio
import base64
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from fastapi import Request
from pydantic import BaseModel, Discriminator, Field, Tag

from model_core.errors import TritonchatError
from model_core.requests.messages import FailFastList

from ..contract.embedding_fields import MAX_INPUTS
from ..contract.request_fields import Request as EngineRequest
from ..contract.sent_names import rename_error
from ..contract.tensors import EmbeddingInputs
from ..contract.wire import Vectors
from .generation import find_images, while_connected
from .middleware.access import pseudonym

NUMBER = "%.9g"  # nine digits hold 32 bits
_ROWS_AT_A_TIME = 16  # that are written before other requests have a turn
# What a client calls a conversation, which is the only input.
_OF_CONVERSATIONS = {"texts": "messages", "input[0]": "messages"}
_MAX_ID_PREFIX = 80  # characters of the client's request id; the engine's id has at most 128

_LIMITS = Field(min_length=1, max_length=MAX_INPUTS)


def _kind_of_input(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(first, list):
        return "ListsOfTokens"
    if isinstance(first, int):
        return "Tokens"
    return "Texts" if isinstance(value, list) else "Text"


InputTexts = Annotated[  # a text, the ids of one, or several of either
    Annotated[str, Tag("Text")]
    | Annotated[FailFastList[int], Tag("Tokens")]
    | Annotated[FailFastList[str], _LIMITS, Tag("Texts")]
    | Annotated[FailFastList[FailFastList[int]], _LIMITS, Tag("ListsOfTokens")],
    Discriminator(_kind_of_input),
]


def list_inputs(given: Any) -> Any:
    """The inputs of a field of the type InputTexts, as a list of texts or a list of lists of ids."""
    is_single = isinstance(given, str) or (bool(given) and isinstance(given[0], int))
    return [given] if is_single else given


async def compute_vectors(
    request: Request, texts: EmbeddingInputs | EngineRequest, parameters: dict[str, Any]
) -> Vectors:
    """The vectors of texts, or that of the conversation of a request. If the client disconnects, it ends.

    Raises TritonchatError: ApiError if too many answers are running (429) or the key of the request may not
    use the model (403), as `find_images` for a conversation, or ClientDisconnected.
    """
    state = request.app.state
    prefix = request.state.request_id[:_MAX_ID_PREFIX]
    named = {**parameters, "request_id": f"{prefix}-{uuid.uuid4().hex}"}
    names = {**_OF_CONVERSATIONS, **texts.sent_names} if isinstance(texts, EngineRequest) else {}
    with state.answer_slots.hold(request.state.client, 1):
        if isinstance(texts, EngineRequest):
            named["cache_salt"] = pseudonym(request.state.owner, texts.cache_salt or "")
            texts = (await find_images(request, [texts]))[0].prompt()  # type: ignore[assignment]
        try:
            vectors = await while_connected(request, state.triton_client.embed(texts, named))
        except TritonchatError as error:
            raise rename_error(error, names) from None
    request.state.usage = Counter(prompt_tokens=vectors.prompt_tokens)  # for the log
    return vectors


async def render_vectors(vectors: np.ndarray, as_base64: bool = False) -> list[str]:
    """Each vector as JSON."""
    return await render_each(vectors, _write_base64 if as_base64 else _write_numbers)


async def render_each(vectors: np.ndarray, write: Callable[[np.ndarray], str]) -> list[str]:
    """Each vector as JSON, written in parts: two million numbers take a second."""
    rendered = []
    for index, vector in enumerate(vectors):
        rendered.append(write(vector))
        if index % _ROWS_AT_A_TIME == 0:
            await asyncio.sleep(0)
    return rendered


def _write_base64(vector: np.ndarray) -> str:
    return f'"{base64.b64encode(vector.astype("<f4").tobytes()).decode()}"'


def _write_numbers(vector: np.ndarray) -> str:
    numbers = (f"{NUMBER}," * len(vector))[:-1] % tuple(vector.tolist())
    return f"[{numbers}]"


def fields_set(body: BaseModel, kind: type[BaseModel]) -> dict[str, Any]:
    """The fields of `kind` that a body sets."""
    names = kind.model_fields.keys() & body.model_fields_set
    return {name: value for name in names if (value := getattr(body, name)) is not None}
