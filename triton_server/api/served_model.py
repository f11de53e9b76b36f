"""The model that the server runs, and the names by which clients may call it."""

import asyncio
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

from ..async_client import AsyncChatClient
from .errors import ApiError

DEFAULT_NAME = "default"  # another name for the served model, whichever it is
_CACHE_S = 5.0  # how long the server's description of its model is used
# Statistics of a model that its answers depend on.
_IDENTITY_FIELDS = ("name", "family", "weights", "weight_bytes", "layers", "vocab_size", "kv_cache_dtype")


@dataclass(frozen=True)
class ModelInfo:
    """What clients see of a model.

    `fingerprint` is a hash of its _IDENTITY_FIELDS, `start_time` when its server started, in seconds since
    1970.
    """

    name: str
    fingerprint: str
    start_time: int


class ServedModel:
    """The server's model. It is asked for every _CACHE_S, because a server may restart with another model."""

    def __init__(self, client: AsyncChatClient) -> None:
        self._client = client
        self._query_task: asyncio.Task[ModelInfo] | None = None
        self._model: ModelInfo | None = None
        self._valid_until = 0.0

    async def get(self) -> ModelInfo:
        """The model. Raises ServerUnavailable."""
        if self._model is not None and time.monotonic() <= self._valid_until:
            return self._model
        if self._query_task is None or self._query_task.done():  # otherwise wait for the running query
            self._query_task = asyncio.create_task(self._query_model())
        return await asyncio.shield(self._query_task)

    async def _query_model(self) -> ModelInfo:
        model = _parse_model(await self._client.stats())
        if self._model is None or self._model.fingerprint != model.fingerprint:
            self._model = model
        self._valid_until = time.monotonic() + _CACHE_S
        return self._model

    async def resolve(self, name: str) -> ModelInfo:
        """The model called `name`. Raises ApiError (404) for an unknown name, and ServerUnavailable."""
        model = await self.get()
        if name not in (model.name, DEFAULT_NAME):
            raise ApiError(
                404,
                f"there is no model {name[:100]!r} here; this service has {model.name!r}, "
                f"which is called {DEFAULT_NAME!r}, too.",
                code="model_not_found",
                param="model",
            )
        return model


def _parse_model(stats: dict[str, Any]) -> ModelInfo:
    model_stats = stats["model"]
    identity = json.dumps([model_stats[key] for key in _IDENTITY_FIELDS])
    fingerprint = "fp_" + hashlib.sha256(identity.encode()).hexdigest()[:10]
    return ModelInfo(model_stats["name"], fingerprint, int(time.time() - stats["uptime_s"]))
