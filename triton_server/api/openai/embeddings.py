"""Embeddings in OpenAI's form: /v1/embeddings; of conversations with images in that of vLLM.

Source: docs.vllm.ai, Chat Embeddings API.
"""

import json
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, model_validator
from starlette.responses import Response

from model_core.errors import InvalidRequest
from model_core.requests.embedding import EmbeddingFields
from model_core.requests.messages import FailFastList

from ...contract.request_fields import MAX_NAME_LENGTH
from ...contract.request_fields import Request as EngineRequest
from ...contract.wire import Vectors
from ..body import WholeBody
from ..embedding_calls import InputTexts, compute_vectors, fields_set, list_inputs, render_vectors
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields
from .chat import ChatMessage, name_messages, parse_messages

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=ERROR_RESPONSES)


class EmbeddingsRequest(EmbeddingFields, WholeBody):
    """Inputs to embed, or one conversation."""

    input: InputTexts | None = Field(None, description="A text, a list of token ids, or a list of either.")
    messages: FailFastList[ChatMessage] | None = Field(
        None,
        description="vLLM's, instead of input: a conversation, which may have images and has one vector.",
    )
    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that embeds."
    )
    encoding_format: Literal["float", "base64"] | None = Field(
        "float", description="base64: each vector as the bytes of its numbers, little-endian 32-bit floats."
    )
    user: str | None = Field(None, description="Ignored.")
    cache_salt: str | None = Field(
        None, max_length=MAX_NAME_LENGTH, description="vLLM's: what is kept of images is shared with it only."
    )

    @model_validator(mode="after")
    def _check_inputs(self) -> "EmbeddingsRequest":
        if not self.messages and self.messages is not None:
            raise InvalidRequest("messages is empty.", "messages")
        if (self.input is None) == (self.messages is None):
            raise InvalidRequest(
                "input or messages must be given."
                if self.input is None
                else "input and messages exclude each other; send one of them.",
                "input",
            )
        return self


class Embedding(BaseModel):
    """The vector of an input: numbers, or their bytes in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class EmbeddingTokensDetails(BaseModel):
    """Tokens of images."""

    image_tokens: int


class EmbeddingUsage(BaseModel):
    """The tokens of all inputs, special ones and those of images included."""

    prompt_tokens: int
    total_tokens: int
    prompt_tokens_details: EmbeddingTokensDetails | None = Field(
        None, description="Not OpenAI's: of inputs with images."
    )


class EmbeddingList(BaseModel):
    """The vectors of all inputs, in their order."""

    object: Literal["list"]
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


@router.post("/embeddings", response_model=EmbeddingList)
async def embeddings(request: Request, body: EmbeddingsRequest) -> Response:
    """Embed a text, each text of a list, or a conversation with images."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model, "embed")
    parameters = {**fields_set(body, EmbeddingFields), "model": model.name}
    result = await compute_vectors(request, _find_inputs(body), parameters)
    return Response(
        await _render(result, body.encoding_format == "base64", model.name), media_type="application/json"
    )


def _find_inputs(body: EmbeddingsRequest) -> Any:
    """What is to embed, for `compute_vectors`."""
    if body.messages is not None:
        messages: Any = parse_messages(body.messages)
        fields = {"messages": messages, "cache_salt": body.cache_salt}
        return EngineRequest.of(fields, name_messages(body.messages))
    return list_inputs(body.input)


async def _render(result: Vectors, as_base64: bool, model: str) -> bytes:
    """The body of the response."""
    parts = [
        f'{{"object":"embedding","index":{index},"embedding":{text}}}'
        for index, text in enumerate(await render_vectors(result.vectors, as_base64))
    ]
    tokens = result.prompt_tokens
    usage: dict[str, Any] = {"prompt_tokens": tokens, "total_tokens": tokens}
    if result.image_tokens:
        usage["prompt_tokens_details"] = {"image_tokens": result.image_tokens}
    end = f'"model":{json.dumps(model)},"usage":{json.dumps(usage)}}}'
    return f'{{"object":"list","data":[{",".join(parts)}],{end}'.encode()
