"""Which model the service answers with, as its clients name it."""

import asyncio
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

from ..async_client import AsyncChatClient
from .errors import ApiError

DEFAULT = "default"  # a name for whatever is served
_FRESH_S = 5.0  # how long the server is taken to have the model that it said it has
# What a model's answers depend on, as far as the server tells it.
_IDENTITY = ("name", "family", "weights", "weight_bytes", "layers", "vocab_size", "kv_cache_dtype")


@dataclass(frozen=True)
class Model:
    """A model. The fingerprint is of what its answers depend on; `since` is in seconds since 1970."""

    name: str
    fingerprint: str
    since: int


class ServedModel:
    """What the server has, asked again now and then: it may come back with another model."""

    def __init__(self, client: AsyncChatClient) -> None:
        self._client = client
        self._asking: asyncio.Task[Model] | None = None
        self._model: Model | None = None
        self._until = 0.0

    async def get(self) -> Model:
        """The model. Raises ServerUnavailable."""
        if self._model is not None and time.monotonic() <= self._until:
            return self._model
        if self._asking is None or self._asking.done():  # else all wait for the same answer
            self._asking = asyncio.create_task(self._ask())
        return await asyncio.shield(self._asking)

    async def _ask(self) -> Model:
        found = _model(await self._client.stats())
        if self._model is None or self._model.fingerprint != found.fingerprint:
            self._model = found
        self._until = time.monotonic() + _FRESH_S
        return self._model

    async def named(self, name: str) -> Model:
        """The model, if that is its name or "default". Raises ApiError (404) or ServerUnavailable."""
        model = await self.get()
        if name not in (model.name, DEFAULT):
            raise ApiError(
                404,
                f"there is no model {name[:100]!r} here; this service has {model.name!r}, "
                f"which {DEFAULT!r} stands for too.",
                code="model_not_found",
                param="model",
            )
        return model


def _model(stats: dict[str, Any]) -> Model:
    described = stats["model"]
    identity = json.dumps([described[key] for key in _IDENTITY])
    fingerprint = "fp_" + hashlib.sha256(identity.encode()).hexdigest()[:10]
    return Model(described["name"], fingerprint, int(time.time() - stats["uptime_s"]))
