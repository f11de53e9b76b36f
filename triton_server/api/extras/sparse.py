"""Sparse vectors, with a number for each word: /embed_sparse, as text-embeddings-inference has it."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from model_core.errors import InvalidRequest
from model_core.requests.embedding import TRUNCATE
from model_core.requests.messages import FailFastList

from ...contract.embedding_fields import MAX_INPUTS
from ..body import WholeBody
from ..embedding_calls import NUMBER, compute_vectors, render_each
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields

_VALUE = f'{{"index":%d,"value":{NUMBER}}}'

router = APIRouter(tags=["embeddings"], responses=ERROR_RESPONSES)


class SparseRequest(WholeBody):
    """Texts to embed."""

    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that embeds."
    )
    inputs: str | Annotated[FailFastList[str], Field(min_length=1, max_length=MAX_INPUTS)] = Field(
        description="A text, or several."
    )
    prompt_name: str | None = Field(None, description="The name of one of the model's own prompts.")
    truncate: bool | None = TRUNCATE


class SparseValue(BaseModel):
    """A number that is not 0."""

    index: int = Field(description="The id of the token.")
    value: float


@router.post("/embed_sparse", response_model=list[list[SparseValue]])
async def embed_sparse(request: Request, body: SparseRequest) -> Response:
    """The numbers of each text that are not 0. The model must have sparse vectors (SPLADE)."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model, "embed")
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    parameters = {"model": model.name, "truncate": body.truncate, "prompt_name": body.prompt_name}
    given = {name: value for name, value in parameters.items() if value is not None}
    result = await compute_vectors(request, texts, given)
    if not result.details.get("is_sparse"):
        raise InvalidRequest("this model's vectors are not sparse; use /v1/embeddings.", "model")
    rendered = await render_each(result.vectors, _render)
    return Response(f"[{','.join(rendered)}]", media_type="application/json")


def _render(vector: np.ndarray) -> str:
    indices = np.flatnonzero(vector)
    pairs = zip(indices.tolist(), vector[indices].tolist(), strict=True)
    return f"[{','.join(map(_VALUE.__mod__, pairs))}]"
