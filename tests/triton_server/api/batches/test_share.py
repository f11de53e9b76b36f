"""The slots of batches: in the order in which they ask, within a limit that changes."""

import asyncio
import contextlib
from typing import Any

import pytest

from model_core.errors import TritonchatError
from triton_server.api.batches import share
from triton_server.api.batches.share import BatchSlots, make_room_for_people
from triton_server.contract.api_keys import ApiKeys
from triton_server.contract.request_fields import BATCH_CLIENT
from triton_server.contract.wire import ServerUnavailable


def test_no_key_can_have_the_name_of_batches() -> None:
    with pytest.raises(TritonchatError, match="must begin with a letter"):
        ApiKeys([f"{BATCH_CLIENT}:secret"])


def test_slots_are_given_in_order_within_the_limit() -> None:
    async def run() -> None:
        slots, order = BatchSlots(4), list[int]()

        async def take(number: int, count: int) -> int:
            taken = await slots.take(count)
            order.append(number)
            return taken

        assert [await take(number, 1) for number in range(4)] == [1] * 4
        large, small, given_up = (
            asyncio.create_task(take(10 + n, count)) for n, count in enumerate((9, 1, 1))
        )
        await asyncio.sleep(0)
        slots.set_limit(2)
        for _ in range(3):
            slots.give_back(1)
        await asyncio.sleep(0)
        assert not large.done() and not small.done()  # the first waits for all slots, and is not overtaken
        given_up.cancel()
        slots.give_back(1)
        assert await large == 4  # alone, though the limit is two
        slots.give_back(4)
        assert await small == 1
        await asyncio.gather(given_up, return_exceptions=True)
        assert await take(20, 1) == 1
        more = asyncio.create_task(take(21, 1))
        await asyncio.sleep(0)
        assert not more.done()
        slots.set_limit(3)
        assert await more == 1
        assert order == [0, 1, 2, 3, 10, 11, 20, 21]

    asyncio.run(run())


def test_a_task_that_gives_up_when_it_gets_its_turn_keeps_nothing() -> None:
    async def run() -> None:
        slots = BatchSlots(1)
        await slots.take(1)
        waiting = asyncio.create_task(slots.take(1))
        await asyncio.sleep(0)
        slots.give_back(1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert await asyncio.wait_for(slots.take(1), 10) == 1

    asyncio.run(run())


def test_batches_make_room_for_people(monkeypatch: Any) -> None:
    answers: list[Any] = [None, 0.0, 3.0, ServerUnavailable("away."), 60.0]
    limits = list[int]()

    class Client:
        async def stats(self) -> dict[str, Any]:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return {"idle_s": answer}

    class Slots(BatchSlots):
        def set_limit(self, limit: int) -> None:
            super().set_limit(limit)
            limits.append(self._limit)

    monkeypatch.setattr(share, "_POLL_S", 0)

    async def run() -> None:
        watch = make_room_for_people(Slots(5), Client(), 5, 50)  # type: ignore[arg-type]
        await asyncio.gather(watch, return_exceptions=True)

    with contextlib.suppress(IndexError):  # it would go on for ever
        asyncio.run(run())
    assert limits == [5, 2, 2, 5]
