"""The indexing of files while models change, limits are used up and servers fail, with a real database."""

import asyncio
import base64
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI, Request, Response

from triton_server.api.middleware.access import BATCH_OWNER
from triton_server.api.middleware.stored_keys import KEY_LIMIT_CODE
from triton_server.api.served_models import ServedModels
from triton_server.api.vector_stores import indexer
from triton_server.api.vector_stores.indexer import Indexer
from triton_server.collections.store import CollectionStore, NewFile, new_collection
from triton_server.collections.tasks import TaskStore
from triton_server.conversations.files import FileStore
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.tables import CollectionChunk, CollectionFile, StoredFile
from triton_server.conversations.transactions import Database

LIMITS = SessionLimits(10, 1_000_000)
CHUNKING = {"type": "static", "static": {"max_chunk_size_tokens": 100, "chunk_overlap_tokens": 0}}
DETAILS = {"dimensions": 4, "pooling": "mean", "max_tokens": 128, "prompts": []}
MODEL = {"name": "model", "state": "ready", "triton_models": [], "fingerprint": "a"}
DESCRIPTION = {"tasks": ["embed"], "embedding": DETAILS}


class Client:
    """The client of a server whose model has a fingerprint that changes."""

    fingerprint = "a"

    async def stats(self) -> dict[str, Any]:
        entry = {**MODEL, "description": DESCRIPTION, "fingerprint": self.fingerprint}
        return {"uptime_s": 1.0, "models": [entry]}


class Ready:
    """A server that takes requests."""

    async def check(self) -> None:
        pass


class Place:
    """A database with files of several owners, and an indexer of them. The first `answers` are errors."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.database, self.client, self.served = database, Client(), list[str]()
        self.answers: list[tuple[int, str]] = []
        self.files, self.store = FileStore(database, LIMITS, folder), TaskStore(database, LIMITS)
        self.app = FastAPI()
        self.app.add_api_route("/v1/embeddings", self.embed, methods=["POST"])
        folder.mkdir()

    async def embed(self, request: Request) -> Response:
        headers = {"x-request-id": "1", "retry-after": "0"}
        if self.answers:
            status, code = self.answers.pop(0)
            if code == "changed":
                self.client.fingerprint = "b"
            else:
                error = {"error": {"code": code, "message": "not now."}}
                return Response(json.dumps(error), status, headers)
        self.served.append(request.scope[BATCH_OWNER])
        vector = base64.b64encode(np.ones(4, "<f4").tobytes()).decode()
        data = [{"embedding": vector} for _ in (await request.json())["input"]]
        return Response(json.dumps({"data": data}), 200, headers)

    def add(self, owner: str, *names: str, text: str = "some text") -> None:
        with self.database.changing() as transaction:
            for name in names:
                about = {"filename": f"{name}.txt", "bytes": 1, "created": 1.0, "expires": None}
                transaction.add(StoredFile(owner=owner, id=name, purpose="assistants", **about))
                self.files.path(name).write_text(text)
        collection = new_collection(owner, "", {}, "model")
        files = [NewFile(name, {}, CHUNKING) for name in names]
        CollectionStore(self.database, LIMITS).create(collection, files)

    def run(self) -> list[CollectionFile]:
        """Index until nothing is in progress."""
        asyncio.run(asyncio.wait_for(self._run(), 60))
        with self.database.reading() as transaction:
            return list(transaction.query(CollectionFile).order_by(CollectionFile.key))

    async def _run(self) -> None:
        client: Any = self.client
        ready: Any = Ready()
        stores = self.files, self.store
        work = asyncio.create_task(Indexer(self.app, stores, client, ServedModels(client), ready).run())
        while await asyncio.to_thread(self.store.list_tasks, 20):
            await asyncio.sleep(0.01)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(indexer, "_RETRY_S", 0.0)
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'kept.db'}")) as database:
        yield Place(tmp_path / "files", database)


def test_file_whose_model_changes_begins_anew(place: Place) -> None:
    place.add("", "file", text="line of text\n" * 1000)
    place.answers = [(200, "changed")]
    (file,) = place.run()
    assert (file.status, file.fingerprint) == ("completed", "b")
    with place.database.reading() as transaction:
        found = transaction.get(CollectionFile, file.key)
        assert found is not None
        assert len(found.vectors or b"") == 8 * transaction.query(CollectionChunk).count() > 8 * 16


def test_failure_that_passes_does_not_fail_a_file(place: Place) -> None:
    place.add("", "file")
    place.answers = [(408, "timeout")]
    assert [file.status for file in place.run()] == ["completed"]


def test_failure_that_stays_fails_it(place: Place) -> None:
    place.add("", "file")
    place.answers = [(400, "invalid_request")]
    (file,) = place.run()
    assert file.status == "failed" and file.error == {"code": "server_error", "message": "not now."}


def test_owner_at_a_limit_leaves_the_place_to_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_MAX_RUNNING", 1)
    place.add("first", "a")
    place.add("second", "b")
    place.answers = [(429, KEY_LIMIT_CODE)]
    assert {file.status for file in place.run()} == {"completed"}
    assert place.served == ["second", "first"]


def test_owners_take_turns(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_MAX_RUNNING", 1)
    monkeypatch.setattr(indexer, "_MAX_OWNERS", 1)
    place.add("first", "a", "b")
    place.add("second", "c")
    place.run()
    assert place.served == ["first", "second", "first"]


def test_file_without_text_fails(place: Place) -> None:
    place.add("", "file", text=" ")
    (file,) = place.run()
    assert file.error is not None and file.error["code"] == "invalid_file"


def test_file_of_another_service_waits_while_its_life_is_noted(place: Place) -> None:
    place.add("", "file")
    place.files.path("file").unlink()
    (task,) = place.store.list_tasks(20)
    client: Any = place.client
    ready: Any = Ready()
    work = Indexer(place.app, (place.files, place.store), client, ServedModels(client), ready)
    task.file.created -= 2 * indexer._ELSEWHERE_S  # it was added long ago
    work._start([task])
    assert not work._tasks
