"""The store of batches of OpenAI's Batch API: what is to be done, and how far it is.

A batch belongs to an owner, who alone finds it. Its answers are in files (files.py). Whoever runs it changes
its status here, under a lock on its output, so several processes may use one database.
"""

import time
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm

from ..contract.conversation_errors import BatchEnded, BatchNotFound, FileNotFound, TooManyBatches
from .limits import SessionLimits
from .tables import StoredBatch, StoredFile
from .transactions import Database, change_rows, check_limits, find_owned

MAX_OPEN_BATCHES = 100  # of an owner
ENDS = ("completed", "failed", "expired", "cancelled")


class BatchStore:
    """The batches of a database.

    The methods may be called from several threads. Each raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """An owner may have as many batches as sessions."""
        self._database, self._limits = database, SessionLimits(limits.sessions)

    def add(self, batch: StoredBatch) -> None:
        """Store a new batch. Raises FileNotFound for its input, SessionsFull, or TooManyBatches."""
        owner = batch.owner
        with self._database.changing() as transaction:
            is_input = StoredFile.owner == owner, StoredFile.id == batch.input_file
            # The lock lets nobody remove the file in the meantime.
            if transaction.scalar(sql.select(StoredFile.key).where(*is_input).with_for_update()) is None:
                raise FileNotFound(batch.input_file, "input_file_id")
            count = sql.select(sql.func.count()).where(StoredBatch.owner == owner, StoredBatch.is_open)
            if transaction.execute(count).scalar_one() >= MAX_OPEN_BATCHES:
                raise TooManyBatches(
                    f"you have {MAX_OPEN_BATCHES} batches that have not ended; wait for one, or cancel one."
                )
            rows = StoredBatch.owner == owner
            check_limits(transaction, self._limits, StoredBatch.key, rows, "batches", (1, 0))
            transaction.add(batch)

    def get(self, owner: str, batch_id: str) -> dict[str, Any]:
        """A batch as clients see it. Raises BatchNotFound."""
        with self._database.reading() as transaction:
            return _find(transaction, owner, batch_id).batch

    def list_batches(self, owner: str, limit: int, after: str | None = None) -> list[dict[str, Any]]:
        """At most `limit` batches, the newest first, those older than the batch `after`."""
        query = sql.select(StoredBatch.batch).where(StoredBatch.owner == owner).limit(limit)
        with self._database.reading() as transaction:
            if after is not None:
                query = query.where(StoredBatch.key < _find(transaction, owner, after, "after").key)
            return list(transaction.scalars(query.order_by(StoredBatch.key.desc())))

    def cancel(self, owner: str, batch_id: str) -> dict[str, Any]:
        """Let a batch end, and return it. Raises BatchNotFound, or BatchEnded."""
        with self._database.changing() as transaction:
            found = _find(transaction, owner, batch_id, locks=True)
            if not found.is_open:
                status = found.batch["status"]
                raise BatchEnded(f"the batch has ended: it is {status}.", "batch_id")
            if found.batch["status"] != "cancelling":
                found.batch = {**found.batch, "status": "cancelling", "cancelling_at": int(time.time())}
            return found.batch

    def list_open(self) -> list[StoredBatch]:
        """The batches of all owners that have not ended, the oldest first."""
        with self._database.reading() as transaction:
            query = sql.select(StoredBatch).where(StoredBatch.is_open).order_by(StoredBatch.key)
            return list(transaction.scalars(query))

    def refresh(self, batch: StoredBatch) -> StoredBatch:
        """A batch as it is now. Raises BatchNotFound."""
        with self._database.reading() as transaction:
            return _find(transaction, batch.owner, batch.id)

    def change(self, batch: StoredBatch, status: str | None = None, **fields: Any) -> StoredBatch:
        """Change fields of a batch that has not ended; return it as it is then.

        A new status gets its time. It does not replace `cancelling`.
        """
        with self._database.changing() as transaction:
            found = _find(transaction, batch.owner, batch.id, locks=True)
            if found.is_open:
                if status is not None and found.batch["status"] not in ("cancelling", status):
                    fields |= {"status": status, f"{status}_at": int(time.time())}
                found.batch = {**found.batch, **fields}
            return found

    def end(self, batch: StoredBatch, status: str, files: list[StoredFile], **fields: Any) -> None:
        """End a batch that has not ended, and store its files, whose bytes are on disk."""
        assert status in ENDS
        with self._database.changing() as transaction:
            found = _find(transaction, batch.owner, batch.id, locks=True)
            if not found.is_open:
                return
            ids = {file.id for file in files}
            found.is_open = False
            found.batch = {
                **found.batch,
                **fields,
                "status": status,
                f"{status}_at": int(time.time()),
                "output_file_id": found.output_file if found.output_file in ids else None,
                "error_file_id": found.error_file if found.error_file in ids else None,
            }
            transaction.add_all(files)

    def remove_expired(self, age_s: float) -> int:
        """Remove the batches that have ended and were created `age_s` seconds ago. Returns their number.

        A database that was not used yet is left alone.
        """
        if not self._database.is_ready:
            return 0
        limit = time.time() - age_s
        with self._database.changing() as transaction:
            is_old = StoredBatch.created < limit, sql.not_(StoredBatch.is_open)
            return change_rows(transaction, sql.delete(StoredBatch).where(*is_old))


def _find(
    transaction: orm.Session, owner: str, batch_id: str, param: str = "batch_id", *, locks: bool = False
) -> StoredBatch:
    found = find_owned(transaction, StoredBatch, owner, batch_id, locks=locks)
    if found is None:
        raise BatchNotFound(batch_id, param)
    return found
