"""What commands compute with a model: in threads, and after loading the model if it must be."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from model_core.errors import QueueFull

from ..models.model_slot import ModelSlot
from ..models.protocol import ModelEngine


class ModelJobs:
    """Runs jobs in `threads` threads. Others wait, at most `max_waiting` of all."""

    def __init__(self, threads: int, max_waiting: float = float("inf")) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="model-jobs")
        self._waiting, self._max_waiting = 0, max_waiting

    async def run(self, slot: ModelSlot, job: Callable[[ModelEngine], dict[str, Any]]) -> str:
        """The result of a job, as JSON. Raises TritonchatError."""
        if self._waiting >= self._max_waiting:
            raise QueueFull(
                f"{self._waiting} others wait for a profile or an explanation; try again in a moment."
            )
        model = slot.acquire()
        self._waiting += 1
        try:
            engine = await asyncio.shield(asyncio.wrap_future(model))
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, lambda: json.dumps(job(engine)))
        finally:
            self._waiting -= 1
            slot.release()
