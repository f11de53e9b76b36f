"""Which models embed and rank, with a server whose models come, go and change."""

import asyncio
from collections import Counter
from typing import Any

import numpy as np
import pytest

from model_core.errors import ModelUnavailable, TritonchatError
from triton_server.api.served_models import ServedModels
from triton_server.api.vector_stores.embedders import embed, find_embedder, find_reranker
from triton_server.api.vector_stores.file_routes import _describe_batch
from triton_server.client.caller import CALLER, Caller
from triton_server.contract.codec import ServerUnavailable
from triton_server.contract.wire import Vectors
from triton_server.conversations.tables import CollectionFile

DETAILS = {"dimensions": 4, "pooling": "mean", "max_tokens": 128, "prompts": []}


class Server:
    """A server as its clients see it. Each model has a task, and is loaded when it is first used."""

    def __init__(self, **tasks: str) -> None:
        self.tasks, self.loaded, self.calls = tasks, dict[str, str](), Counter[str]()
        self.error: TritonchatError | None = None
        self.weights = iter("aaaaaaaaaa")

    async def stats(self) -> dict[str, Any]:
        models = []
        for name, task in self.tasks.items():
            about = {"tasks": [task], "embedding": DETAILS} if name in self.loaded else None
            rest: dict[str, Any] = {
                "description": about,
                "fingerprint": self.loaded.get(name),
                "triton_models": [],
            }
            models.append({"name": name, "state": "ready", **rest})
        return {"uptime_s": 1.0, "models": models}

    async def embed(self, texts: list[str], fields: dict[str, Any]) -> Vectors:
        name = fields["model"]
        if self.error is not None:
            raise self.error
        self.calls[name] += 1
        self.loaded[name] = next(self.weights)
        return Vectors(np.zeros((len(texts), 4), np.float32), {})


class Guest(Caller):
    """Somebody who may not use a model that is private."""

    async def may_use(self, name: str) -> bool:
        return name != "private"


def test_reranker_is_found_whatever_was_loaded_before() -> None:
    server: Any = Server(chat="generate", ranker="score")
    assert asyncio.run(find_reranker(ServedModels(server), server)) == "ranker"


def test_models_of_others_are_passed_over() -> None:
    server: Any = Server(private="score", own="score")
    CALLER.set(Guest())
    try:
        assert asyncio.run(find_reranker(ServedModels(server), server)) == "own"
        assert server.calls["private"] == 0
    finally:
        CALLER.set(Caller())


@pytest.mark.parametrize("error", [ServerUnavailable("it starts."), ModelUnavailable("it is damaged.")])
def test_failure_that_passes_does_not_say_that_nothing_embeds(error: TritonchatError) -> None:
    server: Any = Server(encoder="embed")
    server.error = error
    with pytest.raises(type(error)):
        asyncio.run(find_embedder(ServedModels(server), server))


def test_vectors_are_those_of_the_model_that_is_named() -> None:
    server: Any = Server(encoder="embed")
    server.weights = iter("abbb")  # another one answers the queries than the one that was loaded first
    _, embedder = asyncio.run(embed("encoder", ServedModels(server), server, ["x"]))
    assert embedder.fingerprint == "b" and server.calls["encoder"] == 3


@pytest.mark.parametrize(
    ("others", "status"),
    [("in_progress", "in_progress"), ("completed", "cancelled"), ("failed", "cancelled")],
)
def test_batch_that_was_cancelled_says_so(others: str, status: str) -> None:
    files = [CollectionFile(status=each, created=1.0) for each in ("cancelled", others)]
    assert _describe_batch("vs", "batch", files).status == status
