"""The files to index in a real database: limits, notes of life; and the search of what was stored."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from triton_server.collections import search, tasks, vectors
from triton_server.collections.passages import Chunk
from triton_server.collections.search import CollectionSearch, WrongEmbedder
from triton_server.collections.store import CollectionStore, NewFile, new_collection
from triton_server.collections.tasks import Task, TaskStore
from triton_server.contract.conversation_errors import CollectionFull, FileNotFound, SessionsFull
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.tables import Collection, StoredFile
from triton_server.conversations.transactions import Database

LIMITS = SessionLimits(10, 10_000)
CHUNKS = [Chunk("some text", "page 1")]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'kept.db'}")) as opened:
        yield opened


def add(database: Database, *names: str) -> tuple[Collection, list[Task]]:
    """A collection with files that are in progress."""
    with database.changing() as transaction:
        for name in names:
            about = {"filename": name, "bytes": 1, "created": 1.0, "expires": None}
            transaction.add(StoredFile(owner="", id=name, purpose="assistants", **about))
    collection = new_collection("", "", {}, "model")
    CollectionStore(database, LIMITS).create(collection, [NewFile(name, {}, {}) for name in names])
    return collection, TaskStore(database, LIMITS).list_tasks(20)


def test_file_without_chunks_leaves_the_others_searchable(database: Database) -> None:
    collection, (empty, full) = add(database, "empty", "full")
    store, searcher = TaskStore(database, LIMITS), CollectionSearch(database)
    store.finish(empty, [], np.zeros((0, 1), vectors.STORED), "a")
    query = np.ones((1, 8), np.float32)
    store.finish(full, CHUNKS, vectors.quantize(query), "a")
    (found,) = searcher.search(collection, query, 5, fingerprint="a")
    assert (found.file_id, found.text) == ("full", "some text")
    with pytest.raises(WrongEmbedder):
        searcher.search(collection, query, 5, fingerprint="b")


def test_collection_that_is_larger_than_the_cache_does_not_empty_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection, (small, large) = add(database, "small", "large")
    store, searcher = TaskStore(database, LIMITS), CollectionSearch(database)
    query = np.ones((1, 8), np.float32)
    store.finish(small, CHUNKS, vectors.quantize(query), "a")
    searcher.search(collection, query, 5, fingerprint="a")
    kept = dict(searcher._cache)
    store.finish(large, CHUNKS, vectors.quantize(query), "a")
    monkeypatch.setattr(search, "_CACHE_BYTES", 20)
    assert len(searcher.search(collection, query, 5, fingerprint="a")) == 2
    assert searcher._cache == kept


def test_limits_are_known_before_anything_is_embedded(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, (task,) = add(database, "a")
    store = TaskStore(database, LIMITS)
    store.check_room(task, CHUNKS, 384)
    with pytest.raises(SessionsFull):
        store.check_room(task, CHUNKS, LIMITS.bytes)
    with pytest.raises(SessionsFull):  # a place takes room, too
        store.check_room(task, [Chunk("a", "x" * LIMITS.bytes)], 8)
    monkeypatch.setattr(tasks, "MAX_CHUNKS", 0)
    with pytest.raises(CollectionFull):
        store.check_room(task, CHUNKS, 384)


def test_life_is_noted_of_the_files_whose_bytes_are_here(database: Database) -> None:
    _, former = add(database, "here", "elsewhere")
    store = TaskStore(database, LIMITS)
    store.note_life(lambda file_id: file_id == "here")
    here, elsewhere = store.list_tasks(20)
    assert here.file.noted > former[0].file.noted
    assert elsewhere.file.noted == former[1].file.noted


def test_ids_with_nul_name_nothing(database: Database) -> None:
    collection, _ = add(database, "a")
    store = CollectionStore(database, LIMITS)
    assert store.list_files("", collection.id, 5, only={"batch": "\0"}) == []
    store.cancel_batch("", collection.id, "\0")
    with pytest.raises(FileNotFound):
        store.add_files("", collection.id, [NewFile("\0", {}, {})])
