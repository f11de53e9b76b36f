"""The models that embed chunks and queries, and the one that ranks results."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from model_core.errors import InvalidRequest, ModelUnavailable

from ...client import AsyncChatClient
from ...client.caller import CALLER
from ...collections.embedder import Embedder, read_embedder
from ..errors import ApiError
from ..served_models import ModelInfo, ServedModels

_NO_EMBEDDER = (
    "this service has no model that embeds files; start it with one beside the others, such as "
    "--model sentence-transformers/all-MiniLM-L6-v2."
)


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
    """A model as one that embeds; None if it does not embed. Raises as `_describe`."""
    known = await _describe(model, models, client)
    return None if known is None else read_embedder(known.name, known.description, known.fingerprint)
