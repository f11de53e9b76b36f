"""The models that embed chunks and queries, and the one that ranks results."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from model_core.errors import InvalidRequest, ModelUnavailable

from ...client import AsyncChatClient
from ...client.caller import CALLER
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
    dimensions: int
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
    """The first model that embeds and that the caller may use, for a new collection.

    Raises ApiError (400) if there is none, and TritonchatError if nobody can say that now.
    """
    failure = None
    for model in await models.list_models():
        try:
            if not await CALLER.get().may_use(model.name):
                continue
            if (found := await _load(model, models, client)) is not None:
                return found
        except ModelUnavailable as error:  # it may be one of another kind
            failure = error
    raise failure or ApiError(400, _NO_EMBEDDER, "no_embedder")


async def get_embedder(name: str, models: ServedModels, client: AsyncChatClient) -> Embedder:
    """The model that embeds a collection.

    Raises ApiError (400) if the service does not have it any more, and TritonchatError if it cannot be
    loaded.
    """
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


async def get_loaded(name: str, models: ServedModels, client: AsyncChatClient) -> Embedder:
    """As `get_embedder`, with its fingerprint: the model is loaded if it is not.

    Raises ModelUnavailable if it is unloaded at once.
    """
    embedder = await get_embedder(name, models, client)
    if embedder.fingerprint is None:
        await client.embed(["a"], {"model": name})
        embedder = await get_embedder(name, models, client)
    if embedder.fingerprint is None:
        raise ModelUnavailable(f"the model {name!r} was unloaded at once; try again later.")
    return embedder


async def find_reranker(models: ServedModels, client: AsyncChatClient) -> str | None:
    """The name of the first model that ranks and that the caller may use; None if there is none.

    One that was never loaded is loaded, so that what was asked before does not decide.
    """
    for model in await models.list_models():
        try:
            known = await _describe(model, models, client) if await CALLER.get().may_use(model.name) else None
        except ModelUnavailable:
            continue
        if known is not None and known.description is not None and "score" in known.description["tasks"]:
            return known.name
    return None


async def embed(
    name: str, models: ServedModels, client: AsyncChatClient, queries: Sequence[str]
) -> tuple[np.ndarray, Embedder]:
    """The vectors of queries, and the model that has made them. Raises as `get_loaded`."""
    embedder = await get_loaded(name, models, client)
    while True:
        fields = {"model": name, **embedder.prompt_for("query")}
        found = (await client.embed(list(queries), fields)).vectors
        former, embedder = embedder, await get_loaded(name, models, client)
        if former == embedder:  # else the server was started with another one in the meantime
            return found, embedder


async def _describe(model: ModelInfo, models: ServedModels, client: AsyncChatClient) -> ModelInfo | None:
    """A model with its description, for which it is loaded if nobody knows yet what it does.

    None if it is gone. Raises TritonchatError if nobody can say that now.
    """
    if model.description is not None:
        return model
    with suppress(InvalidRequest):  # a reranker takes pairs only
        await client.embed(["a"], {"model": model.name})
    return next((each for each in await models.list_models() if each.name == model.name), None)


async def _load(model: ModelInfo, models: ServedModels, client: AsyncChatClient) -> Embedder | None:
    """A model as one that embeds; None if it does not embed. Raises as `_describe`.

    Models that generate text make vectors, too, but nobody has trained them for that.
    """
    known = await _describe(model, models, client)
    about = None if known is None else known.description
    if known is None or about is None or "generate" in about["tasks"] or "embed" not in about["tasks"]:
        return None
    details = about["embedding"]
    if details is None or details["pooling"] is None or details["dimensions"] > vectors.MAX_DIMENSIONS:
        return None
    sizes = int(details["dimensions"]), int(details["max_tokens"])
    return Embedder(known.name, *sizes, tuple(details["prompts"]), known.fingerprint)
