"""Files of collections that are to be indexed: which there are, and what has become of them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sql
from sqlalchemy import orm

from ..contract.conversation_errors import CollectionFull
from ..conversations.limits import SessionLimits
from ..conversations.tables import Collection, CollectionChunk, CollectionFile
from ..conversations.transactions import Database, change_rows
from . import vectors
from .passages import Chunk
from .store import COMPLETED, FAILED, IN_PROGRESS, check_bytes

MAX_CHUNKS = 500_000  # of a collection
_INSERTED_AT_A_TIME = 500  # rows


@dataclass(frozen=True)
class Task:
    """A file whose chunks are to be stored."""

    key: int
    owner: str
    file: CollectionFile
    embedder: str


class TaskStore:
    """The files of a database that are in progress.

    The methods may be called from several threads. Each raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """`limits` are those of CollectionStore."""
        self._database, self._limits = database, limits

    def list_tasks(self, limit: int) -> list[Task]:
        """Files that are in progress, at most `limit` of each owner, those that came first in front."""
        place = sql.func.row_number().over(partition_by=Collection.owner, order_by=CollectionFile.key)
        ranked = (
            sql.select(CollectionFile.key, place.label("place"))
            .join(Collection, Collection.key == CollectionFile.collection_key)
            .where(CollectionFile.status == IN_PROGRESS)
            .subquery()
        )
        query = (
            sql.select(CollectionFile, Collection.owner, Collection.embedder)
            .join(Collection, Collection.key == CollectionFile.collection_key)
            .join(ranked, ranked.c.key == CollectionFile.key)
            .where(ranked.c.place <= limit)
            .order_by(CollectionFile.key)
        )
        with self._database.reading() as transaction:
            rows = transaction.execute(query).all()
            return [Task(file.key, owner, file, embedder) for file, owner, embedder in rows]

    def is_open(self, task: Task) -> bool:
        """Whether a file still is in progress: it may have been removed or cancelled."""
        query = sql.select(CollectionFile.status).where(CollectionFile.key == task.key)
        with self._database.reading() as transaction:
            return transaction.scalar(query) == IN_PROGRESS

    def note_life(self, has_bytes: Callable[[str], bool]) -> None:
        """Note of the files in progress whose bytes are here, as `has_bytes` says of an id, that they are."""
        query = sql.select(CollectionFile.key, CollectionFile.file_id)
        with self._database.reading() as transaction:
            found = transaction.execute(query.where(CollectionFile.status == IN_PROGRESS)).all()
        keys = [key for key, file_id in found if has_bytes(file_id)]
        for start in range(0, len(keys), _INSERTED_AT_A_TIME):
            is_one = CollectionFile.key.in_(keys[start : start + _INSERTED_AT_A_TIME])
            with self._database.changing() as transaction:
                change_rows(transaction, sql.update(CollectionFile).where(is_one).values(noted=time.time()))

    def check_room(self, task: Task, chunks: Sequence[Chunk], dimensions: int) -> None:
        """Raises SessionsFull or CollectionFull if there is no room for chunks with their vectors."""
        with self._database.reading() as transaction:
            self._check_room(transaction, task, len(chunks), _measure(chunks, dimensions))

    def _check_room(self, transaction: orm.Session, task: Task, count: int, size: int) -> None:
        check_bytes(transaction, self._limits, task.owner, size)
        own = CollectionFile.collection_key == task.file.collection_key
        of_collection = CollectionChunk.file_key.in_(sql.select(CollectionFile.key).where(own))
        present = transaction.execute(sql.select(sql.func.count()).where(of_collection)).scalar_one()
        if present + count > MAX_CHUNKS:
            raise CollectionFull(f"a vector store has at most {MAX_CHUNKS} chunks; create another one.")

    def finish(self, task: Task, chunks: Sequence[Chunk], rows: np.ndarray, fingerprint: str | None) -> None:
        """Store the chunks of a file with the rows of `vectors.quantize`, if it still is in progress.

        Raises SessionsFull or CollectionFull.
        """
        data = vectors.pack(list(rows))
        size = _measure(chunks, rows.shape[1])
        with self._database.changing() as transaction:
            file, collection = _lock_task(transaction, task)
            if file is None or collection is None:
                return
            self._check_room(transaction, task, len(chunks), size)
            fields = [
                {"file_key": file.key, "number": number, "place": chunk.place, "text": chunk.text}
                for number, chunk in enumerate(chunks)
            ]
            for start in range(0, len(fields), _INSERTED_AT_A_TIME):
                transaction.execute(sql.insert(CollectionChunk), fields[start : start + _INSERTED_AT_A_TIME])
            file.status, file.bytes, file.fingerprint = COMPLETED, size, fingerprint
            file.dimensions, file.vectors = int(rows.shape[1]), data
            collection.version, collection.used = collection.version + 1, time.time()

    def fail(self, task: Task, code: str, message: str) -> None:
        """Let a file fail that still is in progress."""
        with self._database.changing() as transaction:
            file, _ = _lock_task(transaction, task)
            if file is not None:
                file.status, file.error = FAILED, {"code": code, "message": message}


def _measure(chunks: Sequence[Chunk], dimensions: int) -> int:
    """The bytes of chunks with their places and vectors."""
    texts = sum(len(chunk.text.encode()) + len(chunk.place.encode()) for chunk in chunks)
    return texts + len(chunks) * dimensions * vectors.STORED.itemsize


def _lock_task(transaction: orm.Session, task: Task) -> tuple[CollectionFile | None, Collection | None]:
    """The file of a task with its collection, if it still is in progress."""
    query = sql.select(CollectionFile).where(
        CollectionFile.key == task.key, CollectionFile.status == IN_PROGRESS
    )
    key = task.file.collection_key
    collection = transaction.scalar(sql.select(Collection).where(Collection.key == key).with_for_update())
    return transaction.scalar(query.with_for_update()), collection
