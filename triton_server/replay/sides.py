"""Who answers: a model in this process, or a server by its URL. Both speak HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol

from model_core.errors import TritonchatError
from model_core.images.limits import MAX_PIXELS
from model_core.llm.settings import LLMSettings

from ..api.batches.calls import ServiceCaller
from ..engine.models.model_pool import create_pool
from ..terminal.service import ServiceClient
from .local_service import local_service

_MAX_BODY_BYTES = 2**30
_RETRIES_S = (1, 2, 4, 8)  # before a server that has no room is asked again
_BUSY = (429, 503)
_NO_ANSWER = 0  # see ServiceError


class Side(Protocol):
    """Somebody who answers. `name`: of whom."""

    name: str

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a route answers to a body, as JSON. Raises TritonchatError."""


class RemoteSide:
    """A server."""

    def __init__(self, service: ServiceClient) -> None:
        self.name, self._service = service.url, service
        self._has_answered = False

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """See Side. A server that has no room, or does not answer any more, is asked again for a while."""
        for wait_s in (*_RETRIES_S, None):
            try:
                answer = await self._service.post(path, dict(body))
                self._has_answered = True
                return answer
            except TritonchatError as error:
                is_away = error.status == _NO_ANSWER and self._has_answered
                if wait_s is None or not (is_away or error.status in _BUSY):
                    raise
                await asyncio.sleep(wait_s)


class SharedSide:
    """Several servers that answer alike, in turns."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self.name, self._turns = ", ".join(side.name for side in sides), cycle(sides)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """See Side."""
        return await next(self._turns).post(path, body)


class LocalSide:
    """A model in this process."""

    def __init__(self, name: str, caller: ServiceCaller) -> None:
        self.name, self._caller = name, caller

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """See Side."""
        response = await self._caller.post(path, json.dumps(body).encode())
        value = response.json()
        if response.is_success:
            return value
        error = TritonchatError(value["error"]["message"])
        error.status = response.status_code
        raise error


@asynccontextmanager
async def open_local(
    path: str | None, settings: Mapping[str, Any], adapter: Path | None = None
) -> AsyncIterator[LocalSide]:
    """A model that is loaded here, and ends with the block. Raises ModelError.

    path: None for the embedded model. `settings`: attributes of LLMSettings; others have their defaults.
    `adapter`: a LoRA adapter, which is the model "adapter".
    """
    values = {field.name: getattr(LLMSettings, field.name) for field in fields(LLMSettings)}
    del values["adapters"]
    # They change no answer: here nothing is refused that a server has taken.
    values |= {"max_image_pixels": MAX_PIXELS, "max_image_bytes": _MAX_BODY_BYTES}
    values |= {"allow_request_templates": True}
    adapters = [] if adapter is None else [("adapter", str(adapter))]
    pool = create_pool([(None, path)], None, {**values, **settings}, adapters)
    try:
        await asyncio.to_thread(pool.load_all)
        async with local_service(pool, _MAX_BODY_BYTES, makes_receipts=True) as (caller, _):
            yield LocalSide(pool.slots[0].name, caller)
    finally:
        await asyncio.to_thread(pool.close)
