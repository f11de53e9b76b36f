"""Waiting for events, and being cancelled in the moment in which they come."""

import asyncio

import pytest

from triton_server.system.waiting import wait_for_event


def test_cancelling_is_not_lost_when_the_event_comes() -> None:
    async def run() -> None:
        event = asyncio.Event()
        waiting = asyncio.create_task(wait_for_event(event, 60))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        event.set()
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())


def test_events_come_or_do_not() -> None:
    async def run() -> None:
        event = asyncio.Event()
        assert not await wait_for_event(event, 0.01)
        event.set()
        assert await wait_for_event(event, 60)

    asyncio.run(run())
