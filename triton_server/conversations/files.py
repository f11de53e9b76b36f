"""The store of files of OpenAI's Files API: rows in the database, and bytes in a folder beside it.

A file belongs to an owner, who alone finds it, and does not change. Its bytes are on disk before its row, and
its row is removed before they are. So a process that dies leaves bytes without a row at most, which are
removed later.
"""

import hashlib
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.engine import make_url

from ..contract.conversation_errors import FileInUse, FileNotFound
from ..system.folders import data_folder
from .database import is_sqlite
from .limits import SessionLimits
from .tables import Collection, CollectionFile, StoredBatch, StoredFile
from .transactions import EXPIRY_BATCH, Database, change_rows, check_limits, find_owned

STRAY_AGE_S = 86400.0  # an upload or a batch does not leave a file without a change for longer


def files_folder(database_url: str) -> Path:
    """Where the files of a database lie: beside it, or for PostgreSQL in the user's data folder."""
    url = make_url(database_url)
    if is_sqlite(url):
        path = Path(url.database or "")
        return path.with_name(f"{path.stem}-files")
    place = hashlib.sha256(f"{url.host}:{url.port}/{url.database}".encode()).hexdigest()[:8]
    return data_folder() / f"files-{place}"


def new_file_id() -> str:
    """An id for a file."""
    return f"file-{secrets.token_hex(16)}"


class FileStore:
    """The files of a database.

    The methods may be called from several threads. Each raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, limits: SessionLimits, folder: Path) -> None:
        """`limits` are those of sessions: an owner may have as many files, of as many bytes."""
        self._database, self._limits, self.folder = database, limits, folder

    def path(self, file_id: str) -> Path:
        """Where the bytes of a file are."""
        return self.folder / file_id

    def create_folder(self) -> None:
        """Create the folder if there is none. Only its user can read it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def check_room(self, owner: str, size: int) -> None:
        """Raises SessionsFull unless the owner may store a file of this size."""
        with self._database.reading() as transaction:
            self._check_limits(transaction, owner, (1, size))

    def add(self, file: StoredFile) -> None:
        """Store a file whose bytes are in place. Raises SessionsFull."""
        with self._database.changing() as transaction:
            self._check_limits(transaction, file.owner, (1, file.bytes))
            transaction.add(file)

    def _check_limits(self, transaction: orm.Session, owner: str, extra: tuple[int, int]) -> None:
        rows = StoredFile.owner == owner
        check_limits(transaction, self._limits, StoredFile.bytes, rows, "files", extra)

    def get(self, owner: str, file_id: str, param: str = "file_id") -> StoredFile:
        """A file. Raises FileNotFound, for a field `param`."""
        with self._database.reading() as transaction:
            return _find(transaction, owner, file_id, param)

    def list_files(
        self, owner: str, purpose: str | None, limit: int, after: str | None = None, *, oldest_first: bool
    ) -> list[StoredFile]:
        """At most `limit` files, those after the file `after`. Raises FileNotFound if that is none."""
        query = sql.select(StoredFile).where(StoredFile.owner == owner).limit(limit)
        if purpose is not None:
            query = query.where(StoredFile.purpose == purpose)
        with self._database.reading() as transaction:
            if after is not None:
                key = _find(transaction, owner, after, "after").key
                query = query.where(StoredFile.key > key if oldest_first else StoredFile.key < key)
            order = StoredFile.key if oldest_first else StoredFile.key.desc()
            return list(transaction.scalars(query.order_by(order)))

    def delete(self, owner: str, file_id: str) -> None:
        """Remove a file, also from collections.

        Raises FileNotFound, and FileInUse for the input of a batch that has not ended.
        """
        with self._database.changing() as transaction:
            _find(transaction, owner, file_id, "file_id", locks=True)  # no batch can take it now
            reader = sql.select(StoredBatch.id).where(StoredBatch.is_open, StoredBatch.input_file == file_id)
            if (batch := transaction.scalar(reader)) is not None:
                raise FileInUse(f"the batch {batch} reads this file; cancel it first.", "file_id")
            in_collections = CollectionFile.file_id == file_id
            holders = sql.select(CollectionFile.collection_key).where(in_collections)
            change_rows(
                transaction,
                sql.update(Collection)
                .where(Collection.key.in_(holders))
                .values(version=Collection.version + 1),
            )
            had_chunks = change_rows(transaction, sql.delete(CollectionFile).where(in_collections))
            change_rows(transaction, sql.delete(StoredFile).where(StoredFile.id == file_id))
        if had_chunks:
            self._database.free_disk_space()
        self._remove_bytes([file_id])

    def remove_expired(self, stray_age_s: float) -> int:
        """Remove the files whose time is over, but for those of collections and of batches that read them.

        Returns their number.

        Bytes that no row has are removed `stray_age_s` seconds after their last change. A database that was
        not used yet is left alone.
        """
        if not self._database.is_ready:
            return 0
        self._remove_strays(time.time() - stray_age_s)
        read = sql.select(StoredBatch.input_file).where(StoredBatch.is_open)
        old = (
            sql.select(StoredFile.id)
            .where(
                StoredFile.expires < time.time(),
                StoredFile.id.not_in(read),
                StoredFile.id.not_in(sql.select(CollectionFile.file_id)),
            )
            .limit(EXPIRY_BATCH)
        )
        removed = 0
        while True:
            with self._database.changing() as transaction:
                ids = list(transaction.scalars(old))
                transaction.execute(sql.delete(StoredFile).where(StoredFile.id.in_(ids)))
            self._remove_bytes(ids)
            removed += len(ids)
            if not ids:
                return removed

    def _remove_strays(self, limit: float) -> None:
        if not self.folder.is_dir():
            return
        old = {path.name for path in self.folder.iterdir() if path.stat().st_mtime < limit}
        if not old:
            return
        with self._database.reading() as transaction:
            known = set(transaction.scalars(sql.select(StoredFile.id)))
            written = sql.select(StoredBatch.output_file, StoredBatch.error_file).where(StoredBatch.is_open)
            known.update(file_id for row in transaction.execute(written) for file_id in row)
        self._remove_bytes(old - known)

    def _remove_bytes(self, file_ids: Iterable[str]) -> None:
        for file_id in file_ids:
            with suppress(FileNotFoundError):
                self.path(file_id).unlink()


def _find(
    transaction: orm.Session, owner: str, file_id: str, param: str, *, locks: bool = False
) -> StoredFile:
    found = find_owned(transaction, StoredFile, owner, file_id, locks=locks)
    if found is None:
        raise FileNotFound(file_id, param)
    return found
