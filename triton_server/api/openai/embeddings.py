"""Embeddings in OpenAI's form: /v1/embeddings."""

import json
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Discriminator, Field, Tag
from starlette.responses import Response

from model_core.requests.embedding import EmbeddingFields
from model_core.requests.messages import FailFastList

from ...contract.embedding_fields import MAX_INPUTS
from ..body import WholeBody
from ..embedding_calls import compute_vectors, fields_set, render_vectors
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields

_LIMITS = Field(min_length=1, max_length=MAX_INPUTS)

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=ERROR_RESPONSES)


def _kind_of_input(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(first, list):
        return "ListsOfTokens"
    if isinstance(first, int):
        return "Tokens"
    return "Texts" if isinstance(value, list) else "Text"


class EmbeddingsRequest(EmbeddingFields, WholeBody):
    """Inputs to embed."""

    input: Annotated[
        Annotated[str, Tag("Text")]
        | Annotated[FailFastList[int], Tag("Tokens")]
        | Annotated[FailFastList[str], _LIMITS, Tag("Texts")]
        | Annotated[FailFastList[FailFastList[int]], _LIMITS, Tag("ListsOfTokens")],
        Discriminator(_kind_of_input),
    ] = Field(description="A text, a list of token ids, or a list of either.")
    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that embeds."
    )
    encoding_format: Literal["float", "base64"] | None = Field(
        "float", description="base64: each vector as the bytes of its numbers, little-endian 32-bit floats."
    )
    user: str | None = Field(None, description="Ignored.")


class Embedding(BaseModel):
    """The vector of an input: numbers, or their bytes in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """The tokens of all inputs, special ones included."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    """The vectors of all inputs, in their order."""

    object: Literal["list"]
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


@router.post("/embeddings", response_model=EmbeddingList)
async def embeddings(request: Request, body: EmbeddingsRequest) -> Response:
    """Embed a text, or each text of a list."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model, "embed")
    is_single = isinstance(body.input, str) or isinstance(body.input[0], int)
    parameters = {**fields_set(body, EmbeddingFields), "model": model.name}
    inputs: Any = [body.input] if is_single else body.input
    result = await compute_vectors(request, inputs, parameters)
    return Response(
        await _render(result.vectors, body.encoding_format == "base64", model.name, result.prompt_tokens),
        media_type="application/json",
    )


async def _render(vectors: np.ndarray, as_base64: bool, model: str, tokens: int) -> bytes:
    """The body of the response."""
    parts = [
        f'{{"object":"embedding","index":{index},"embedding":{text}}}'
        for index, text in enumerate(await render_vectors(vectors, as_base64))
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    end = f'"model":{json.dumps(model)},"usage":{json.dumps(usage)}}}'
    return f'{{"object":"list","data":[{",".join(parts)}],{end}'.encode()
