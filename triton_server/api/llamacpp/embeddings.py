"""Embeddings in the form of llama.cpp's server: /embedding, also called /embeddings.

Source: llama.cpp, tools/server/README.md.
"""

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import AliasChoices, BaseModel, Field
from starlette.responses import Response

from ..body import WholeBody
from ..embedding_calls import InputTexts, compute_vectors, list_inputs, render_vectors
from ..errors import LLAMACPP_ERROR_RESPONSES, unsupported
from ..ignored import check_fields

_EUCLIDEAN, _NONE = 2, -1  # of embd_normalize
router = APIRouter(tags=["llama.cpp"], responses=LLAMACPP_ERROR_RESPONSES)


class EmbeddingBody(WholeBody):
    """Inputs to embed."""

    content: InputTexts = Field(
        validation_alias=AliasChoices("content", "input"),
        description="A text, a list of token ids, or a list of either. It may be called input.",
    )
    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that embeds."
    )
    embd_normalize: int | None = Field(
        _EUCLIDEAN, description="2: vectors have the length 1; -1: they are as the model makes them."
    )


class InputVector(BaseModel):
    """The vector of an input, in a list, because llama.cpp can have one for each token."""

    index: int
    embedding: list[list[float]]


@router.post("/embedding", response_model=list[InputVector])
@router.post("/embeddings", response_model=list[InputVector], include_in_schema=False)
async def embed(request: HttpRequest, body: EmbeddingBody) -> Response:
    """Embed a text, or each text of a list."""
    check_fields(request, body)
    norm = _EUCLIDEAN if body.embd_normalize is None else body.embd_normalize
    if norm not in (_EUCLIDEAN, _NONE):
        raise unsupported("embd_normalize", "embd_normalize may be 2 (the length is 1) or -1 (as they are).")
    model = await request.app.state.served_models.resolve(body.model, "embed")
    parameters = {"model": model.name, "normalize": norm == _EUCLIDEAN}
    result = await compute_vectors(request, list_inputs(body.content), parameters)
    vectors = enumerate(await render_vectors(result.vectors))
    parts = (f'{{"index":{index},"embedding":[{vector}]}}' for index, vector in vectors)
    return Response(f"[{','.join(parts)}]", media_type="application/json")
