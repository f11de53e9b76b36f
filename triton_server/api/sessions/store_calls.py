"""Calls of the store of conversations from the service's event loop."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import anyio
from fastapi import Request

from ...contract.conversation_errors import StoreRefusal
from ...conversations.store import ConversationStore

LOGGER = logging.getLogger(__name__)

Result = TypeVar("Result")
_MAX_EXPIRY_INTERVAL_S = 600.0


def get_store(request: Request) -> ConversationStore:
    """The store of conversations, of which sessions are a view."""
    return request.app.state.conversations


def get_owner(request: Request) -> str:
    """Whose conversations a request is about: the owner of its API key, "" for a service without keys."""
    return request.state.owner


async def run_to_end(change: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Change the database in a thread. The change runs to its end even if the request is cancelled."""
    with anyio.CancelScope(shield=True):
        result = await asyncio.to_thread(change, *arguments, **options)
    return result


async def remove_expired(name: str, age_s: float, remove: Callable[[float], int]) -> None:
    """Remove what has not changed for `age_s` seconds, at intervals, until it is cancelled.

    `remove` returns the number of what it has removed. `name` is for the log.
    """
    while True:
        with suppress(StoreRefusal):  # the database has logged it
            if count := await asyncio.to_thread(remove, age_s):
                LOGGER.info("%d %s have expired", count, name)
        await asyncio.sleep(min(max(age_s / 10, 1), _MAX_EXPIRY_INTERVAL_S))
