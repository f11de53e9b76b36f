"""The store of collections: rows in the database, of which those of a file come all at once.

A collection belongs to an owner, who alone finds it and whatever is in it. A file of it is `in_progress`
until its chunks and their vectors are stored, in one transaction. So after a process has died, a file is as
it was before, or complete.
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm

from ..contract.conversation_errors import (
    CollectionFileNotFound,
    CollectionFull,
    CollectionNotFound,
    FileNotFound,
)
from ..conversations.limits import SessionLimits
from ..conversations.tables import Collection, CollectionChunk, CollectionFile, StoredFile
from ..conversations.transactions import Database, change_rows, check_limits, find_owned
from .passages import Chunk

IN_PROGRESS, COMPLETED, CANCELLED, FAILED = STATUSES = ("in_progress", "completed", "cancelled", "failed")
MAX_FILES = 10_000  # of a collection
_DAY_S = 86400.0
_USE_NOTED_S = 60.0


@dataclass(frozen=True)
class Contents:
    """A collection with the numbers of its files by status, and its size in bytes."""

    collection: Collection
    counts: Mapping[str, int]
    bytes: int


@dataclass(frozen=True)
class NewFile:
    """A file that is to be in a collection."""

    file_id: str
    attributes: dict[str, Any]
    chunking: dict[str, Any]


class CollectionStore:
    """The collections of a database.

    The methods may be called from several threads. Each raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """An owner may have as many collections as sessions, with as many bytes in all."""
        self._database, self._limits = database, limits

    def create(self, collection: Collection, files: Sequence[NewFile] = ()) -> Contents:
        """Store a new collection. Raises SessionsFull, FileNotFound or CollectionFull."""
        with self._database.changing() as transaction:
            known = _lock_files(transaction, collection.owner, [file.file_id for file in files])
            rows = Collection.owner == collection.owner
            limits = SessionLimits(self._limits.sessions)
            check_limits(transaction, limits, Collection.version, rows, "vector stores", (1, 0))
            transaction.add(collection)
            transaction.flush()
            self._add_files(transaction, collection, files, known, None)
            return _count(transaction, collection)

    def get(self, owner: str, collection_id: str) -> Contents:
        """A collection. Raises CollectionNotFound."""
        with self._database.reading() as transaction:
            return _count(transaction, find_collection(transaction, owner, collection_id))

    def list_collections(
        self, owner: str, limit: int, after: str | None, before: str | None, *, oldest_first: bool
    ) -> list[Contents]:
        """At most `limit` collections, those after or before others in the order."""
        with self._database.reading() as transaction:
            query = sql.select(Collection).where(Collection.owner == owner)
            keys = {
                name: None if given is None else find_collection(transaction, owner, given, name).key
                for name, given in (("after", after), ("before", before))
            }
            query = _page(query, Collection.key, keys["after"], keys["before"], oldest_first).limit(limit)
            found = list(transaction.scalars(query))
            found = found[::-1] if keys["before"] is not None and keys["after"] is None else found
            return [_count(transaction, collection) for collection in found]

    def change(self, owner: str, collection_id: str, changes: Mapping[str, Any]) -> Contents:
        """Change columns of a collection. Raises CollectionNotFound."""
        with self._database.changing() as transaction:
            collection = find_collection(transaction, owner, collection_id, locks=True)
            for name, value in changes.items():
                setattr(collection, name, value)
            collection.used = time.time()
            return _count(transaction, collection)

    def note_use(self, collections: Sequence[Collection]) -> None:
        """Note that collections were searched; not every time, because each is a change of the database."""
        now = time.time()
        old = [collection.key for collection in collections if now - collection.used > _USE_NOTED_S]
        if old:
            with self._database.changing() as transaction:
                is_old = Collection.key.in_(old)
                change_rows(transaction, sql.update(Collection).where(is_old).values(used=now))

    def delete(self, owner: str, collection_id: str) -> None:
        """Remove a collection; the files themselves stay. Raises CollectionNotFound."""
        with self._database.changing() as transaction:
            transaction.delete(find_collection(transaction, owner, collection_id, locks=True))
        self._database.free_disk_space()

    def remove_expired(self, _: float) -> int:
        """Remove the collections that were not used for so long as they say. Returns their number."""
        if not self._database.is_ready:
            return 0
        is_old = Collection.used + Collection.expiry_days * _DAY_S < time.time()
        with self._database.changing() as transaction:
            removed = change_rows(transaction, sql.delete(Collection).where(is_old))
        if removed:
            self._database.free_disk_space()
        return removed

    def add_files(
        self, owner: str, collection_id: str, files: Sequence[NewFile], *, as_batch: bool = False
    ) -> list[CollectionFile]:
        """Add files to a collection; those that are there already begin anew.

        Raises CollectionNotFound, FileNotFound, SessionsFull or CollectionFull.
        """
        batch = f"vsfb_{secrets.token_hex(16)}" if as_batch else None
        with self._database.changing() as transaction:
            # Before the collection, as where files are removed: else each could wait for the other.
            known = _lock_files(transaction, owner, [file.file_id for file in files])
            collection = find_collection(transaction, owner, collection_id, locks=True)
            collection.used = time.time()
            return self._add_files(transaction, collection, files, known, batch)

    def _add_files(
        self,
        transaction: orm.Session,
        collection: Collection,
        files: Sequence[NewFile],
        known: Mapping[str, StoredFile],
        batch: str | None,
    ) -> list[CollectionFile]:
        if not files:
            return []
        ids = list(dict.fromkeys(file.file_id for file in files))
        missing = next((file_id for file_id in ids if file_id not in known), None)
        if missing is not None:
            raise FileNotFound(missing)
        is_there = CollectionFile.collection_key == collection.key, CollectionFile.file_id.in_(ids)
        if change_rows(transaction, sql.delete(CollectionFile).where(*is_there)):
            collection.version += 1
        count = sql.select(sql.func.count()).where(CollectionFile.collection_key == collection.key)
        if transaction.execute(count).scalar_one() + len(ids) > MAX_FILES:
            raise CollectionFull(f"a vector store has at most {MAX_FILES} files; create another one.")
        check_bytes(transaction, self._limits, collection.owner)
        now, by_id = time.time(), {file.file_id: file for file in files}
        rows = [
            CollectionFile(
                collection_key=collection.key,
                file_id=file_id,
                filename=known[file_id].filename,
                status=IN_PROGRESS,
                attributes=by_id[file_id].attributes,
                chunking=by_id[file_id].chunking,
                batch=batch,
                bytes=0,
                created=now,
                noted=now,
            )
            for file_id in ids
        ]
        transaction.add_all(rows)
        transaction.flush()
        return rows

    def get_file(self, owner: str, collection_id: str, file_id: str) -> CollectionFile:
        """A file of a collection. Raises CollectionNotFound or CollectionFileNotFound."""
        with self._database.reading() as transaction:
            return _find_file(transaction, find_collection(transaction, owner, collection_id), file_id)

    def list_files(
        self,
        owner: str,
        collection_id: str,
        limit: int,
        *,
        after: str | None = None,
        before: str | None = None,
        oldest_first: bool = False,
        only: Mapping[str, str] | None = None,
    ) -> list[CollectionFile]:
        """At most `limit` files of a collection, those after or before others in the order.

        `only`: the values of columns. Raises CollectionNotFound or CollectionFileNotFound.
        """
        with self._database.reading() as transaction:
            collection = find_collection(transaction, owner, collection_id)
            query = sql.select(CollectionFile).where(CollectionFile.collection_key == collection.key)
            if any("\0" in value for value in (only or {}).values()):  # see find_collection
                return []
            for name, value in (only or {}).items():
                query = query.where(getattr(CollectionFile, name) == value)
            start, end = (
                None if given is None else _find_file(transaction, collection, given).key
                for given in (after, before)
            )
            query = _page(query, CollectionFile.key, start, end, oldest_first).limit(limit)
            found = list(transaction.scalars(query))
            return found[::-1] if end is not None and start is None else found

    def read_chunks(self, owner: str, collection_id: str, file_id: str) -> list[Chunk]:
        """The chunks of a file, in their order. Raises as `get_file`."""
        with self._database.reading() as transaction:
            file = _find_file(transaction, find_collection(transaction, owner, collection_id), file_id)
            query = sql.select(CollectionChunk).where(CollectionChunk.file_key == file.key)
            rows = transaction.scalars(query.order_by(CollectionChunk.number))
            return [Chunk(row.text, row.place) for row in rows]

    def change_file(
        self, owner: str, collection_id: str, file_id: str, attributes: dict[str, Any]
    ) -> CollectionFile:
        """Give a file other attributes. Raises as `get_file`."""
        with self._database.changing() as transaction:
            collection = find_collection(transaction, owner, collection_id, locks=True)
            file = _find_file(transaction, collection, file_id)
            file.attributes = attributes
            collection.version, collection.used = collection.version + 1, time.time()
            return file

    def delete_file(self, owner: str, collection_id: str, file_id: str) -> None:
        """Remove a file from a collection; the file itself stays. Raises as `get_file`."""
        with self._database.changing() as transaction:
            collection = find_collection(transaction, owner, collection_id, locks=True)
            transaction.delete(_find_file(transaction, collection, file_id))
            collection.version, collection.used = collection.version + 1, time.time()
        self._database.free_disk_space()

    def cancel_batch(self, owner: str, collection_id: str, batch: str) -> None:
        """Let the files of a batch end that are in progress. Raises CollectionNotFound."""
        with self._database.changing() as transaction:
            collection = find_collection(transaction, owner, collection_id, locks=True)
            if "\0" in batch:  # see find_collection
                return
            open_files = (
                CollectionFile.collection_key == collection.key,
                CollectionFile.batch == batch,
                CollectionFile.status == IN_PROGRESS,
            )
            change_rows(transaction, sql.update(CollectionFile).where(*open_files).values(status=CANCELLED))


def new_collection(owner: str, name: str, labels: dict[str, Any], embedder: str) -> Collection:
    """A collection without files, which is not stored yet."""
    now = time.time()
    return Collection(
        owner=owner,
        id=f"vs_{secrets.token_hex(16)}",
        name=name,
        labels=labels,
        created=now,
        used=now,
        expiry_days=None,
        embedder=embedder,
        version=0,
    )


def check_bytes(transaction: orm.Session, limits: SessionLimits, owner: str, extra: int = 0) -> None:
    """Raises SessionsFull if an owner's collections would have too many bytes with `extra` more."""
    own = sql.select(Collection.key).where(Collection.owner == owner)
    rows = CollectionFile.collection_key.in_(own)
    only_bytes = SessionLimits(0, limits.bytes)
    check_limits(transaction, only_bytes, CollectionFile.bytes, rows, "vector stores", (0, extra))


def _lock_files(transaction: orm.Session, owner: str, ids: Sequence[str]) -> dict[str, StoredFile]:
    """The files of an owner by their ids, which nobody removes before the transaction ends."""
    wanted = StoredFile.id.in_([file_id for file_id in ids if "\0" not in file_id])
    query = sql.select(StoredFile).where(StoredFile.owner == owner, wanted)
    locked = query.order_by(StoredFile.id).with_for_update(read=True)
    return {file.id: file for file in transaction.scalars(locked)}


def find_collection(
    transaction: orm.Session,
    owner: str,
    collection_id: str,
    param: str = "vector_store_id",
    *,
    locks: bool = False,
) -> Collection:
    """A collection of an owner; `param` is the field that names it. Raises CollectionNotFound."""
    found = find_owned(transaction, Collection, owner, collection_id, locks=locks)
    if found is None:
        raise CollectionNotFound(collection_id, param)
    return found


def _find_file(transaction: orm.Session, collection: Collection, file_id: str) -> CollectionFile:
    query = sql.select(CollectionFile).where(
        CollectionFile.collection_key == collection.key, CollectionFile.file_id == file_id
    )
    found = None if "\0" in file_id else transaction.scalar(query)
    if found is None:
        raise CollectionFileNotFound(f"the vector store has no file {file_id[:64]!r}.", "file_id")
    return found


def _page(
    query: "sql.Select[Any]",
    key: orm.InstrumentedAttribute[int],
    after: int | None,
    before: int | None,
    oldest_first: bool,
) -> "sql.Select[Any]":
    """The query for the rows of a page: those after one, else the nearest before one, in reverse."""
    if after is not None:
        query = query.where(key > after if oldest_first else key < after)
    if before is not None:
        query = query.where(key < before if oldest_first else key > before)
    is_reversed = before is not None and after is None
    return query.order_by(key if oldest_first != is_reversed else key.desc())


def _count(transaction: orm.Session, collection: Collection) -> Contents:
    query = (
        sql.select(CollectionFile.status, sql.func.count(), sql.func.sum(CollectionFile.bytes))
        .where(CollectionFile.collection_key == collection.key)
        .group_by(CollectionFile.status)
    )
    rows = transaction.execute(query).all()
    counts = {status: count for status, count, _ in rows}
    return Contents(
        collection, {name: counts.get(name, 0) for name in STATUSES}, sum(int(size or 0) for *_, size in rows)
    )
