"""Finds the chunks of collections that are nearest to queries.

What is found depends on the collections and the queries alone: products are exact (vectors.py), and of chunks
with equal scores those whose file has the smaller id come first, then those that come first in their file.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sql
from sqlalchemy import orm

from ..conversations.tables import Collection, CollectionChunk, CollectionFile
from ..conversations.transactions import Database
from . import vectors
from .filters import Comparison, Compound
from .store import COMPLETED, find_collection

_CACHE_BYTES = 2**29  # of vectors that stay in memory; larger collections are read for each search


@dataclass(frozen=True)
class Found:
    """A chunk that was found, with its file."""

    file_id: str
    filename: str
    attributes: dict[str, Any]
    number: int
    place: str
    text: str
    score: float


@dataclass(frozen=True)
class _File:
    key: int
    file_id: str
    filename: str
    attributes: dict[str, Any]
    fingerprint: str | None
    first: int  # of its rows
    count: int


@dataclass(frozen=True)
class _Index:
    """The vectors of a collection, and which rows are of which file."""

    files: tuple[_File, ...]
    rows: np.ndarray
    owners: np.ndarray  # the number of the file of each row


class WrongEmbedder(Exception):
    """The vectors of a collection are of another model than the one that embeds queries."""


class CollectionSearch:
    """Searches the collections of a database. The methods may be called from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._loading = threading.Lock()  # one at a time: a collection may be large
        self._cache: OrderedDict[int, tuple[int, _Index]] = OrderedDict()  # by collection, with its version

    def find_collections(self, owner: str, ids: Sequence[str], param: str) -> list[Collection]:
        """The collections with these ids. Raises CollectionNotFound."""
        with self._database.reading() as transaction:
            return [find_collection(transaction, owner, collection_id, param) for collection_id in ids]

    def search(
        self,
        collection: Collection,
        queries: np.ndarray,
        count: int,
        *,
        fingerprint: str | None,
        condition: Comparison | Compound | None = None,
    ) -> list[Found]:
        """The `count` chunks of a collection that are nearest to any of the queries, best first.

        Args:
            queries: float32 [queries, dimensions], of the collection's model.
            fingerprint: of the model that has embedded the queries.
            condition: that the attributes of files must meet.

        Raises WrongEmbedder. One transaction sees everything, so nothing is half there.
        """
        with self._database.reading() as transaction:
            index = self._open(transaction, collection)
            if any(file.fingerprint != fingerprint for file in index.files):
                raise WrongEmbedder
            if not len(index.rows):
                return []
            if index.rows.shape[1] != queries.shape[1]:
                raise WrongEmbedder
            allowed = None
            if condition is not None:
                meets = np.array([condition.matches(file.attributes) for file in index.files], bool)
                allowed = meets[index.owners]
            asked = vectors.quantize(queries).astype(np.float32)
            hits = vectors.scan(index.rows, asked, count, allowed)
            return [_read(transaction, index, hit) for hit in hits]

    def _open(self, transaction: orm.Session, collection: Collection) -> _Index:
        """The vectors of a collection as they are in this transaction."""
        version = transaction.scalar(sql.select(Collection.version).where(Collection.key == collection.key))
        if (kept := self._find(collection.key, version)) is not None:
            return kept
        with self._loading:
            kept = self._find(collection.key, version)
            return kept or self._load(transaction, collection.key, version)

    def _find(self, key: int, version: int | None) -> _Index | None:
        with self._lock:
            kept = self._cache.get(key)
            if kept is None or kept[0] != version:
                return None
            self._cache.move_to_end(key)
            return kept[1]

    def _load(self, transaction: orm.Session, key: int, version: int | None) -> _Index:
        index = _load(transaction, key)
        if version is not None and index.rows.nbytes <= _CACHE_BYTES:
            with self._lock:
                self._cache[key] = version, index
                self._cache.move_to_end(key)
                while self._cache and sum(i.rows.nbytes for _, i in self._cache.values()) > _CACHE_BYTES:
                    self._cache.popitem(last=False)
        return index


def _load(transaction: orm.Session, collection_key: int) -> _Index:
    query = (
        sql.select(CollectionFile, CollectionFile.vectors)
        .where(CollectionFile.collection_key == collection_key, CollectionFile.status == COMPLETED)
        .order_by(CollectionFile.file_id)
    )
    files, parts, first = [], [], 0
    for file, data in transaction.execute(query):
        if not data or file.dimensions is None:  # a file without text has no vectors
            continue
        part = vectors.unpack(data, file.dimensions)
        about = file.key, file.file_id, file.filename, file.attributes, file.fingerprint
        files.append(_File(*about, first, len(part)))
        parts.append(part)
        first += len(part)
    if len({part.shape[1] for part in parts}) > 1:
        raise WrongEmbedder
    rows = np.concatenate(parts) if parts else np.zeros((0, 1), vectors.STORED)
    owners = np.repeat(np.arange(len(files)), [file.count for file in files])
    return _Index(tuple(files), rows, owners)


def _read(transaction: orm.Session, index: _Index, hit: vectors.Hit) -> Found:
    file = index.files[int(index.owners[hit.row])]
    number = hit.row - file.first
    chunk = transaction.get(CollectionChunk, (file.key, number))
    assert chunk is not None  # it is in the transaction that has its vector
    return Found(file.file_id, file.filename, file.attributes, number, chunk.place, chunk.text, hit.score)
