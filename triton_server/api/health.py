"""Whether the service lives, whether it can answer, and its metrics: for supervisors and Prometheus."""

import asyncio
import time
from typing import Any

from fastapi import APIRouter, Request, Response

from model_core import TritonchatError

from ..async_client import AsyncChatClient
from ..wire import away
from .meters import meters_of

router = APIRouter(tags=["health"])
# Nobody needs a key for it, so the answer is good for so long, lest many ask the server behind as often.
READY_S = 1.0
_TEXT = "text/plain; version=0.0.4; charset=utf-8"  # Prometheus' exposition format
_NOT_READY: dict[int | str, dict[str, Any]] = {503: {"description": "The server behind does not answer."}}
_METRICS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}


class Readiness:
    """Whether a server answers, asked at most once in READY_S however many want to know."""

    def __init__(self, client: AsyncChatClient) -> None:
        self._client, self._asking = client, asyncio.Lock()
        self._ready, self._until = False, 0.0

    async def get(self) -> bool:
        """Whether the server answers and its models are ready."""
        async with self._asking:
            if time.monotonic() >= self._until:
                self._ready = await self._client.is_ready()
                self._until = time.monotonic() + READY_S
            return self._ready


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process lives. Asks nobody else, so that a busy server is not taken for a dead one."""
    return {"status": "ok"}


@router.get("/readyz", responses=_NOT_READY)
async def readyz(request: Request) -> dict[str, str]:
    """Triton answers, and its models are ready."""
    state = request.app.state
    if not await state.readiness.get():
        raise away(state.client.url)
    return {"status": "ready"}


@router.get("/metrics", response_class=Response, responses=_METRICS)
async def metrics(request: Request) -> Response:
    """The engine's metrics and the service's own, for Prometheus. Without the engine, the latter alone."""
    meters = meters_of(request.app)
    try:
        engine = await request.app.state.client.metrics()
    except TritonchatError:
        engine = ""
    meters.engine_reached.set(bool(engine))
    return Response(engine + meters.render(), media_type=_TEXT)
