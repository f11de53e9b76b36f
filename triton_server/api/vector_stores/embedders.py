"""The models that embed chunks and queries, and the one that ranks results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model_core.errors import TritonchatError

from ...client import AsyncChatClient
from ...collections import vectors
from ...collections.passages import Chunking
from ..errors import ApiError
from ..served_models import ModelInfo, ServedModels

_AUTO = Chunking(800, 400)  # as OpenAI has it, where the model takes so much
_SPARE_TOKENS = 2  # that a model adds to a text
_PROMPTS = {"query": ("query", "search_query"), "document": ("document", "passage", "search_document")}
_NO_EMBEDDER = (
    "this service has no model that embeds files; start it with one beside the others, such as "
    "--model sentence-transformers/all-MiniLM-L6-v2."
)


@dataclass(frozen=True)
class Embedder:
    """A model that embeds. `fingerprint` names all on which its vectors depend; None: it is not known."""

    name: str
    max_tokens: int
    prompts: tuple[str, ...]
    fingerprint: str | None

    def prompt_for(self, use: str) -> dict[str, str]:
        """The field of a request with the name of the model's own prompt for queries or documents, if any."""
        known = next((name for name in _PROMPTS[use] if name in self.prompts), None)
        return {} if known is None else {"prompt_name": known}

    def chunking(self) -> Chunking:
        """How files are cut unless a client says it."""
        if self.max_tokens >= _AUTO.size:
            return _AUTO
        size = self.max_tokens - _SPARE_TOKENS
        return Chunking(size, size // 5)


async def find_embedder(models: ServedModels, client: AsyncChatClient) -> Embedder:
    """The first model that embeds, for a new collection. Raises ApiError (400) if there is none."""
    for model in await models.list_models():
        if (found := await _load(model, models, client)) is not None:
            return found
    raise ApiError(400, _NO_EMBEDDER, "no_embedder")


async def get_embedder(name: str, models: ServedModels, client: AsyncChatClient) -> Embedder:
    """The model that embeds a collection. Raises ApiError (400) if the service does not have it any more."""
    served = await models.list_models()
    model = next((model for model in served if model.name == name), None)
    found = None if model is None else await _load(model, models, client)
    if found is None:
        message = (
            f"the vector store was made with the model {name!r}, which this service does not have now; start "
            "it with this model, or create the vector store again."
        )
        raise ApiError(400, message, "embedder_not_served")
    return found


async def find_reranker(models: ServedModels) -> str | None:
    """The name of the first model that ranks and is loaded; None if there is none."""
    for model in await models.list_models():
        if model.description is not None and "score" in model.description["tasks"]:
            return model.name
    return None


async def embed(client: AsyncChatClient, embedder: Embedder, queries: Sequence[str]) -> np.ndarray:
    """The vectors of queries."""
    fields = {"model": embedder.name, **embedder.prompt_for("query")}
    return (await client.embed(list(queries), fields)).vectors


async def _load(model: ModelInfo, models: ServedModels, client: AsyncChatClient) -> Embedder | None:
    """A model as one that embeds, loaded if nobody knows yet what it does; None if it does not embed.

    Models that generate text make vectors, too, but nobody has trained them for that.
    """
    if model.description is None:
        try:
            await client.embed(["a"], {"model": model.name})
        except TritonchatError:
            return None
        served = await models.list_models()
        model = next((each for each in served if each.name == model.name), model)
    about = model.description
    if about is None or "generate" in about["tasks"] or "embed" not in about["tasks"]:
        return None
    details = about["embedding"]
    if details is None or details["pooling"] is None or details["dimensions"] > vectors.MAX_DIMENSIONS:
        return None
    prompts = tuple(details["prompts"])
    return Embedder(model.name, int(details["max_tokens"]), prompts, model.fingerprint)
