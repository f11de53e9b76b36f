"""Embeddings in Ollama's form: /api/embed, and /api/embeddings of older clients."""

import json
import time
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field
from starlette.responses import Response

from model_core.checks.request_values import JsonObject
from model_core.requests.embedding import MAX_DIMENSIONS
from model_core.requests.messages import FailFastList

from ...contract.embedding_fields import MAX_INPUTS
from ..body import WholeBody
from ..embedding_calls import compute_vectors, render_vectors
from ..errors import OLLAMA_PATH
from ..ignored import check_fields
from .models import served_name
from .schemas import KEEP_ALIVE, RESPONSES

router = APIRouter(prefix=OLLAMA_PATH, tags=["Ollama"], responses=RESPONSES)


class _VectorRequest(WholeBody):
    model: str
    options: JsonObject | None = Field(None, description="Without effect: no vector depends on them.")
    keep_alive: float | str | None = KEEP_ALIVE


class EmbedRequest(_VectorRequest):
    """Texts to embed."""

    input: str | Annotated[FailFastList[str], Field(max_length=MAX_INPUTS)]
    truncate: bool | None = Field(
        True, description="Cut texts that are longer than the model allows. Otherwise they are refused."
    )
    dimensions: int | None = Field(
        None, ge=1, le=MAX_DIMENSIONS, description="Keep only so many numbers of each vector."
    )


class EmbeddingsRequest(_VectorRequest):
    """A text to embed. It is cut if it is longer than the model allows."""

    prompt: str


class EmbedResponse(BaseModel):
    """The vectors of all texts, of length 1."""

    model: str
    embeddings: list[list[float]]
    total_duration: int = Field(description="Nanoseconds.")
    load_duration: int
    prompt_eval_count: int = Field(description="Tokens of all texts.")


class EmbeddingsResponse(BaseModel):
    """The vector of the text."""

    embedding: list[float]


@router.post("/embed", response_model=EmbedResponse)
async def embed(request: HttpRequest, body: EmbedRequest) -> Response:
    """Embed a text, or each text of a list."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(served_name(body.model), "embed")
    texts = [body.input] if isinstance(body.input, str) else body.input
    parameters: dict[str, Any] = {"truncate": body.truncate is not False, "normalize": True}
    if body.dimensions is not None:
        parameters["dimensions"] = body.dimensions
    start, tokens, vectors = time.perf_counter_ns(), 0, ""
    if texts:  # as with Ollama, no texts have no vectors
        result = await compute_vectors(request, texts, {**parameters, "model": model.name})
        tokens, vectors = result.prompt_tokens, ",".join(await render_vectors(result.vectors))
    fields = {
        "model": body.model,
        "total_duration": time.perf_counter_ns() - start,
        "load_duration": 0,
        "prompt_eval_count": tokens,
    }
    return _json(f'{json.dumps(fields)[:-1]}, "embeddings":[{vectors}]}}')


@router.post("/embeddings", response_model=EmbeddingsResponse)
async def embeddings(request: HttpRequest, body: EmbeddingsRequest) -> Response:
    """Embed a text."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(served_name(body.model), "embed")
    result = await compute_vectors(request, [body.prompt], {"truncate": True, "model": model.name})
    (vector,) = await render_vectors(result.vectors)
    return _json(f'{{"embedding":{vector}}}')


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")
