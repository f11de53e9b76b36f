"""How the requests of a batch are answered: by the routes of the service, as those of HTTP."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import ApiError, body_of, failure_of, unsupported
from ..middleware.access import BATCH_OWNER
from ..middleware.stored_keys import KEY_LIMIT_CODE
from .lines import BatchLine
from .results import Answer
from .run import Later

_HEADERS = {"Content-Type": "application/json"}
_ATTEMPTS = 8  # of a request that fails in the server
_MAX_WAIT_S = 10.0  # between two of them


class ServiceCaller:
    """Sends requests to the service in this process, for an owner."""

    def __init__(self, app: ASGIApp, owner: str, wait_until_ready: Callable[[], Awaitable[None]]) -> None:
        """`wait_until_ready` ends when the server takes requests."""
        self._wait_until_ready = wait_until_ready

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, BATCH_OWNER: owner}, receive, send)

        transport = httpx.ASGITransport(call, raise_app_exceptions=False, client=("batch", 0))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None)

    async def close(self) -> None:
        """End it."""
        await self._client.aclose()

    async def post(self, path: str, content: bytes) -> httpx.Response:
        """What a route answers to JSON."""
        return await self._client.post(path, content=content, headers=_HEADERS)

    async def ask(self, line: BatchLine) -> Answer | Later:
        """The answer to a request. One that the server has no room for, or that it fails, is sent again.

        Later if the owner has used up a limit.
        """
        if line.body.get("stream"):
            return _refuse(unsupported("stream", "a batch has no streams; leave stream out."))
        try:
            content = json.dumps(line.body).encode()
        except RecursionError:
            return _refuse(ApiError(400, "the body is nested too deep.", "invalid_request"))
        failures = 0
        while True:
            response = await self.post(line.url, content)
            status = response.status_code
            if status == 429:
                wait_s = min(_MAX_WAIT_S, float(response.headers.get("retry-after", 1)))
                if response.json()["error"]["code"] == KEY_LIMIT_CODE:
                    return Later(wait_s)
                await asyncio.sleep(wait_s)
                continue
            failures += status >= 500
            if status < 500 or failures == _ATTEMPTS:
                return Answer(status, response.headers["x-request-id"], response.content)
            await asyncio.sleep(min(_MAX_WAIT_S, 2.0 ** (failures - 2)))
            await self._wait_until_ready()


def _refuse(error: ApiError) -> Answer:
    return Answer(error.status, uuid.uuid4().hex, json.dumps(body_of(failure_of(error))).encode())
