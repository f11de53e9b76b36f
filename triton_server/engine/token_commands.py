"""The commands {"tokenize": ...} and {"detokenize": ...} of `chat_control`, as contract.py describes them."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .model_pool import ModelPool
from .protocol import ModelEngine
from .request_parser import check_model_name

_THREADS = 2  # so that large texts leave processor time for the engine


class TokenCommands:
    """Runs the commands in threads, and loads the model where it is not loaded."""

    def __init__(self, pool: ModelPool) -> None:
        self._pool = pool
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="tokens")

    @staticmethod
    def has(command: Any) -> bool:
        """Whether this is one of the commands."""
        return isinstance(command, dict) and not command.keys().isdisjoint({"tokenize", "detokenize"})

    async def run(self, command: Mapping[str, Any]) -> str:
        """The result of a command, as JSON. Raises TritonchatError."""
        slot = self._pool.resolve_model(check_model_name(command.get("model")), self._pool.slots[0])
        model = slot.acquire()
        try:
            engine = await asyncio.shield(asyncio.wrap_future(model))
            return await asyncio.get_running_loop().run_in_executor(self._threads, _run, command, engine)
        finally:
            slot.release()


def _run(command: Mapping[str, Any], engine: ModelEngine) -> str:
    return json.dumps(engine.tokenize(command))
