"""Scores of documents: /v1/rerank as Jina, Cohere and vLLM have it, and /v1/score as vLLM has it."""

import time
import uuid
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from model_core.errors import InvalidRequest
from model_core.requests.embedding import ScoreFields
from model_core.requests.messages import FailFastList

from ...contract.embedding_fields import MAX_INPUTS
from ..body import Body, WholeBody
from ..embedding_calls import compute_vectors, fields_set
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields
from ..openai.embeddings import EmbeddingUsage

router = APIRouter(tags=["rerank"], responses=ERROR_RESPONSES)


class DocumentText(Body):
    """A document."""

    text: str


class RerankRequest(ScoreFields, WholeBody):
    """A query, and documents that may answer it."""

    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that scores."
    )
    query: str
    documents: Annotated[FailFastList[str | DocumentText], Field(min_length=1, max_length=MAX_INPUTS)] = (
        Field(description="Texts, or objects with a `text`.")
    )
    top_n: int | None = Field(None, ge=1, description="How many documents to report. By default all.")
    return_documents: bool | None = Field(True, description="Report the documents, too.")


class RerankResult(BaseModel):
    """A document with its score."""

    index: int = Field(description="Its place in the request.")
    relevance_score: float
    document: DocumentText | None = None


class RerankResponse(BaseModel):
    """The documents, those with the highest scores first."""

    id: str
    model: str
    results: list[RerankResult]
    usage: EmbeddingUsage


class ScoreRequest(ScoreFields, WholeBody):
    """Pairs of texts."""

    model: str = Field(
        "default", description="The name of a model (see /v1/models); default: the first one that scores."
    )
    text_1: str | FailFastList[str] = Field(description="The query, or one for each text of text_2.")
    text_2: str | FailFastList[str] = Field(description="The document, or several.")


class ScoreEntry(BaseModel):
    """The score of a pair."""

    index: int
    object: Literal["score"]
    score: float


class ScoreResponse(BaseModel):
    """The scores of all pairs, in their order."""

    id: str
    object: Literal["list"]
    created: int
    model: str
    data: list[ScoreEntry]
    usage: EmbeddingUsage


@router.post("/v1/rerank", response_model_exclude_none=True)
@router.post("/v2/rerank", response_model_exclude_none=True, include_in_schema=False)
@router.post("/rerank", response_model_exclude_none=True, include_in_schema=False)
@router.post("/v1/reranking", response_model_exclude_none=True, include_in_schema=False)  # as llama.cpp
@router.post("/reranking", response_model_exclude_none=True, include_in_schema=False)
async def rerank(request: Request, body: RerankRequest) -> RerankResponse:
    """Sort documents by how well they answer a query. The model must be a reranker."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model, "score")
    texts = [item if isinstance(item, str) else item.text for item in body.documents]
    parameters = {**fields_set(body, ScoreFields), "model": model.name, "query": body.query}
    result = await compute_vectors(request, texts, parameters)
    scores = result.vectors[:, 0].tolist()
    order = sorted(range(len(scores)), key=lambda index: -scores[index])[: body.top_n]
    return RerankResponse(
        id=f"rerank-{uuid.uuid4().hex}",
        model=model.name,
        results=[
            RerankResult(
                index=index,
                relevance_score=scores[index],
                document=None if body.return_documents is False else DocumentText(text=texts[index]),
            )
            for index in order
        ],
        usage=EmbeddingUsage(prompt_tokens=result.prompt_tokens, total_tokens=result.prompt_tokens),
    )


@router.post("/v1/score")
@router.post("/score", include_in_schema=False)
async def score(request: Request, body: ScoreRequest) -> ScoreResponse:
    """Score pairs of texts. The model must be a reranker."""
    check_fields(request, body)
    model = await request.app.state.served_models.resolve(body.model, "score")
    queries, texts = _pair(body)
    parameters = {**fields_set(body, ScoreFields), "model": model.name, "query": queries}
    result = await compute_vectors(request, texts, parameters)
    return ScoreResponse(
        id=f"score-{uuid.uuid4().hex}",
        object="list",
        created=int(time.time()),
        model=model.name,
        data=[
            ScoreEntry(index=index, object="score", score=value)
            for index, value in enumerate(result.vectors[:, 0].tolist())
        ],
        usage=EmbeddingUsage(prompt_tokens=result.prompt_tokens, total_tokens=result.prompt_tokens),
    )


def _pair(body: ScoreRequest) -> tuple[str | list[str], list[str]]:
    """The query, or one for each text, and the texts. Raises InvalidRequest."""
    texts = [body.text_2] if isinstance(body.text_2, str) else body.text_2
    if not 1 <= len(texts) <= MAX_INPUTS:
        raise InvalidRequest(f"text_2 has {len(texts)} texts; there may be 1 to {MAX_INPUTS}.", "text_2")
    if isinstance(body.text_1, str) or len(body.text_1) == len(texts):
        return body.text_1, texts
    if len(body.text_1) == 1:
        return body.text_1[0], texts
    raise InvalidRequest(
        f"text_1 has {len(body.text_1)} texts and text_2 has {len(texts)}; send one, or as many.", "text_1"
    )
