"""The routes for monitoring: whether the service runs, whether it is ready, and its metrics."""

import asyncio
import time
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from model_core.errors import TritonchatError

from ...client import AsyncChatClient
from ...contract.tensors import READY
from ...contract.wire import ServerUnavailable, parse_endpoint
from ..middleware.metrics import metrics_of

router = APIRouter(tags=["health"])
# /readyz needs no key, so its answer is cached: many requests cause few requests to Triton.
READY_CACHE_S = 0.5
# A server that takes longer to answer is not ready; a busy one may need a second or two. A process that has
# died is reported at once.
QUERY_TIMEOUT_S = 5.0
_TEXT = "text/plain; version=0.0.4; charset=utf-8"  # Prometheus' exposition format
_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {
        "description": "Triton or the engine takes no requests: it is starting or stopping, or it has died."
    }
}
_METRICS: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}


class Readiness:
    """Whether the server takes requests. The answer is cached for READY_CACHE_S."""

    def __init__(self, client: AsyncChatClient) -> None:
        self._client, self._lock = client, asyncio.Lock()
        self._error: ServerUnavailable | None = None
        self._valid_until = 0.0

    async def check(self) -> None:
        """Raises ServerUnavailable, with the reason, if the server takes no requests."""
        async with self._lock:
            if time.monotonic() >= self._valid_until:
                self._error = await self._query()
                self._valid_until = time.monotonic() + READY_CACHE_S
        if self._error is not None:
            raise self._error

    async def _query(self) -> ServerUnavailable | None:
        try:
            health = await self._client.health(QUERY_TIMEOUT_S)
        except TritonchatError as error:
            return ServerUnavailable(str(error))
        return None if health == READY else ServerUnavailable(f"not ready: {health}.")


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The HTTP service runs. This does not depend on Triton or the engine, which may be busy."""
    return {"status": "ok"}


class Ready(BaseModel):
    """The server takes requests."""

    status: str = READY
    grpc_port: int = Field(description="Of its Triton, for a proxy that passes gRPC on.")


@router.get("/readyz", responses=_NOT_READY)
async def readyz(request: Request) -> Ready:
    """Triton, its models and the engine take requests."""
    await request.app.state.readiness.check()
    address = parse_endpoint(request.app.state.settings.server).address
    return Ready(grpc_port=int(address.rpartition(":")[2]))


@router.get("/health", responses=_NOT_READY)
@router.get("/v1/health", responses=_NOT_READY)
@router.get("/ping", responses=_NOT_READY)
@router.post("/ping", responses=_NOT_READY, include_in_schema=False)
async def health(request: Request) -> dict[str, str]:
    """The same as /readyz, under the names that routers and cloud services ask for."""
    await request.app.state.readiness.check()
    return {"status": "ok"}


@router.get("/metrics", response_class=Response, responses=_METRICS)
async def metrics(request: Request) -> Response:
    """The metrics of the engine and of the HTTP service, for Prometheus.

    If the engine does not answer, only those of the HTTP service.
    """
    metrics = metrics_of(request.app)
    try:
        engine = await request.app.state.triton_client.metrics()
    except TritonchatError:
        engine = ""
    metrics.engine_reached.set(bool(engine))
    return Response(engine + metrics.render(), media_type=_TEXT)
