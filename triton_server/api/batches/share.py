"""The share of the machine that batches have: a part of it while people chat, else all."""

import asyncio
from collections import deque
from contextlib import suppress

from model_core.errors import TritonchatError

from ...client import AsyncChatClient

_QUIET_S = 10.0  # after which people who have had an answer do not count as chatting
_POLL_S = 1.0


class BatchSlots:
    """Slots for the running answers of all batches, which get them in the order in which they ask."""

    def __init__(self, total: int) -> None:
        self._total = self._limit = total
        self._used = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def set_limit(self, limit: int) -> None:
        """Let no more slots be taken than this. Those that are taken already stay so."""
        self._limit = max(1, min(limit, self._total))
        self._wake()

    async def take(self, count: int) -> int:
        """Take slots for so many answers, or all for more; return their number, for `give_back`."""
        count = min(count, self._total)
        if not self._waiting and self._has_room(count):
            self._used += count
            return count
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((count, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(count)
            else:
                self._waiting.remove((count, turn))
                self._wake()
            raise
        return count

    def give_back(self, count: int) -> None:
        """Give slots back."""
        self._used -= count
        self._wake()

    def _has_room(self, count: int) -> bool:
        return not self._used or self._used + count <= self._limit

    def _wake(self) -> None:
        while self._waiting and self._has_room(self._waiting[0][0]):
            count, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._used += count
                turn.set_result(None)


async def make_room_for_people(slots: BatchSlots, client: AsyncChatClient, total: int, percent: int) -> None:
    """Set the limit of the slots by whether people chat, until this is cancelled.

    The engine knows, because the page and others ask it directly. If it does not answer, the limit stays.
    """
    while True:
        with suppress(TritonchatError):
            idle_s = (await client.stats())["idle_s"]
            is_quiet = idle_s is None or idle_s >= _QUIET_S
            slots.set_limit(total if is_quiet else total * percent // 100)
        await asyncio.sleep(_POLL_S)
