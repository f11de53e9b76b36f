"""The models that the server has, and the names by which clients may call them."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any, Literal

from model_core.llm.description import ModelDescription

from ..client import AsyncChatClient
from ..contract.tensors import DEFAULT_MODEL
from .errors import ApiError

Task = Literal["generate", "embed", "score"]  # of `ModelDescription.tasks`

_CACHE_S = 5.0  # how long the server's description of its models is used


@dataclass(frozen=True)
class ModelInfo:
    """What clients see of a model.

    `start_time` is when its server started, in seconds since 1970. The others are those of the contract's
    {"stats": true}.
    """

    name: str
    fingerprint: str | None
    start_time: int
    state: str = "ready"
    progress: float | None = None
    error: str | None = None
    parent: str | None = None
    description: ModelDescription | None = None
    triton_models: tuple[str, ...] = ()
    unloads_in_s: float | None = None

    def may(self, task: Task) -> bool:
        """Whether it has a task. Nobody knows that of a model that was never loaded."""
        return self.description is None or task in self.description["tasks"]


class ServedModels:
    """The server's models. It is asked for every _CACHE_S, because it may restart with other models."""

    def __init__(self, client: AsyncChatClient) -> None:
        self._client = client
        self._query_task: asyncio.Task[list[ModelInfo]] | None = None
        self._models: list[ModelInfo] = []
        self._start_time = 0
        self._valid_until = 0.0

    async def list_models(self) -> list[ModelInfo]:
        """The models as they are now, the default one first. Raises ServerUnavailable."""
        if self._query_task is None or self._query_task.done():  # otherwise wait for the running query
            self._query_task = asyncio.create_task(self._query())
        return await asyncio.shield(self._query_task)

    async def resolve(self, name: str, task: Task = "generate") -> ModelInfo:
        """The model called `name`; its state may be an old one.

        The default one is the first that has the task, where it is another than to generate. A model that was
        never loaded may have it, so that what is loaded at the moment does not decide.

        Raises ApiError (404) for an unknown name, and ServerUnavailable.
        """
        models = await self._list_recent()
        model = next((model for model in models if model.name == name), None)
        if model is None and name != DEFAULT_MODEL:
            names = ", ".join(repr(model.name) for model in models)
            raise ApiError(
                404,
                f"there is no model {name[:100]!r} here; this service has {names}, and {DEFAULT_MODEL!r} is "
                "another name of the first.",
                code="model_not_found",
                param="model",
            )
        if model is None and task != "generate":
            model = next((other for other in models if other.may(task)), None)
        return model or models[0]

    async def find_triton_model(self, name: str) -> ModelInfo | None:
        """The model of a Triton model; its state may be an old one. Raises ServerUnavailable."""
        models = await self._list_recent()
        return next((model for model in models if name in model.triton_models), None)

    async def _list_recent(self) -> list[ModelInfo]:
        return self._models if time.monotonic() <= self._valid_until else await self.list_models()

    async def _query(self) -> list[ModelInfo]:
        stats = await self._client.stats()
        start_time = int(time.time() - stats["uptime_s"])
        if abs(start_time - self._start_time) > 1:  # otherwise it is the same, rounded
            self._start_time = start_time
        self._models = [_parse_model(entry, self._start_time) for entry in stats["models"]]
        self._valid_until = time.monotonic() + _CACHE_S
        return self._models


def _parse_model(entry: dict[str, Any], start_time: int) -> ModelInfo:
    """A model from its entry in the `models` of the contract's {"stats": true}."""
    state = entry["state"], entry.get("progress"), entry.get("error"), entry.get("parent")
    rest = entry["description"], tuple(entry["triton_models"]), entry.get("unloads_in_s")
    return ModelInfo(entry["name"], entry.get("fingerprint"), start_time, *state, *rest)
