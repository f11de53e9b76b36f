"""Waiting for an event that may not come."""

import asyncio


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Wait until an event is set, for some seconds at most; return whether it is.

    Before Python 3.12, `asyncio.wait_for` forgets that its task was cancelled if the event comes in the same
    moment (https://github.com/python/cpython/issues/86296). A loop around it would then never end.
    """
    waiter = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait([waiter], timeout=seconds)
    finally:
        waiter.cancel()
    return event.is_set()
