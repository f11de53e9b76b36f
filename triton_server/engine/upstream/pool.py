"""The models of another server, as those of this one."""

import time
from collections.abc import Sequence
from typing import Any

from model_core.errors import ModelError, TritonchatError

from ..models.model_pool import ModelPool
from ..models.model_slot import ModelSlot
from .engine import UpstreamEngine
from .server import UpstreamModel, UpstreamServer

MAX_MODELS = 16  # each takes processes of Triton
_RETRY_S = 0.5


def create_upstream_pool(
    names: Sequence[tuple[str | None, str | None]],
    max_concurrency: int,
    max_queue: int,
    url: str,
    key: str | None = None,
    waits: bool = False,
) -> ModelPool:
    """The pool for the models of the server at `url`: those that are named, or all that it lists.

    `names`: the model's name here (None: the same) and there. `waits`: the server is only starting; wait
    until it answers. Raises ModelError.
    """
    server = UpstreamServer(url, key)
    models = _list_models(server, waits)
    chosen = [(name or there, _find(models, there, url)) for name, there in names if there is not None]
    chosen = chosen or [(model.name, model) for model in models]
    if len(chosen) > MAX_MODELS:
        raise ModelError(
            f"the engine at {url} has {len(chosen)} models; choose at most {MAX_MODELS} with --model."
        )
    server.watch()

    def create_slot(name: str, model: UpstreamModel) -> ModelSlot:
        engine = UpstreamEngine(name, server, model, max_concurrency + max_queue)

        def load(_: Any) -> UpstreamEngine:
            return engine

        return ModelSlot(name, load)

    return ModelPool([create_slot(name, model) for name, model in chosen], max_queue)


def _list_models(server: UpstreamServer, waits: bool) -> list[UpstreamModel]:
    """The server's models. Raises ModelError."""
    while True:
        try:
            models = server.list_models()
        except TritonchatError as error:
            if not waits:
                raise ModelError(str(error)) from error
            time.sleep(_RETRY_S)
        else:
            if models:
                return models
            raise ModelError(f"the engine at {server.url} has no models.")


def _find(models: Sequence[UpstreamModel], name: str, url: str) -> UpstreamModel:
    for model in models:
        if model.name == name:
            return model
    names = ", ".join(model.name for model in models[:MAX_MODELS])
    raise ModelError(f"the engine at {url} has no model {name!r}; it has {names}.")
