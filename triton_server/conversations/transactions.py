"""Transactions on the database, whose tables are ready for the first one."""

import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import SQLAlchemyError

from ..contract.conversation_errors import SessionsFull
from . import database, schema
from .limits import SessionLimits
from .tables import Collection as StoredCollection
from .tables import ItemConversation, Session, StoredBatch, StoredFile

_Owned = TypeVar("_Owned", StoredFile, StoredBatch, StoredCollection)

EXPIRY_BATCH = 100  # how many rows or conversations one transaction removes when their time is over


class Database:
    """The database of all stores. The first transaction connects to it, and creates or upgrades the tables.

    The methods may be called from several threads.
    """

    def __init__(self, url: str, names: Mapping[str, str] | None = None) -> None:
        """`url` is as for `database.create_engine`, which also says what is raised.

        `names`: the names of keys, by the hash of the key, which the HTTP service knows. The first
        transaction gives each name what its hash owns.
        """
        self._engine, self._names = database.create_engine(url), names or {}
        # SQLite takes the lock of writers at the beginning. It may not wait for one that it needs later.
        is_sqlite = database.is_sqlite(self._engine.url)
        changing = {"transaction": "IMMEDIATE"} if is_sqlite else {"isolation_level": "READ COMMITTED"}
        self._changing_engine = self._engine.execution_options(**changing)
        self._lock, self._is_ready = threading.Lock(), False

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @property
    def is_ready(self) -> bool:
        """Whether there was a transaction."""
        return self._is_ready

    @contextmanager
    def reading(self) -> Iterator[orm.Session]:
        """A transaction that changes nothing. All its statements see the same state, and it waits for nobody.

        Raises StoreError if the database cannot be used.
        """
        with self._transaction(self._engine) as transaction:
            yield transaction

    @contextmanager
    def changing(self) -> Iterator[orm.Session]:
        """A transaction that may change rows. It is committed at the end of the block.

        Each statement sees what others have committed before, and an update of a row that others change waits
        for them. With SQLite, all wait for each other. Raises StoreError if the database cannot be used.
        """
        with self._transaction(self._changing_engine) as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, engine: sql.Engine) -> Iterator[orm.Session]:
        with self._lock:
            if not self._is_ready:
                schema.prepare(self._engine, self._names)
                self._is_ready = True
        try:
            with orm.Session(engine, expire_on_commit=False) as transaction, transaction.begin():
                yield transaction
        except SQLAlchemyError as error:
            raise database.store_error(self._engine, error) from error

    def remove_in_batches(self, removal: sql.Delete) -> int:
        """Execute the removal of some rows in transactions of their own, until it finds no more.

        Returns the number of rows.
        """
        removed = 0
        while True:
            with self.changing() as transaction:
                count = change_rows(transaction, removal)
            if not count:
                break
            removed += count
        if removed:
            self.free_disk_space()
        return removed

    def free_disk_space(self) -> None:
        """Shrink the file of the database after a removal, see `database.free_disk_space`."""
        database.free_disk_space(self._engine)


def change_rows(transaction: orm.Session, change: sql.Update | sql.Delete) -> int:
    """Execute a change; the number of rows that it has changed."""
    result = transaction.execute(change)
    assert isinstance(result, sql.CursorResult)
    return result.rowcount


def find_owned(
    transaction: orm.Session, table: type[_Owned], owner: str, row_id: str, *, locks: bool
) -> _Owned | None:
    """The row of an owner with an id; None if there is none."""
    if "\0" in row_id:  # PostgreSQL takes no NUL in a text, and no id has one
        return None
    query = sql.select(table).where(table.owner == owner, table.id == row_id)
    return transaction.scalar(query.with_for_update() if locks else query)


def remove_unchanged(
    kind: type[Session] | type[ItemConversation], age_s: float, held: Collection[tuple[str, str]]
) -> sql.Delete:
    """The removal of some rows that have not changed for `age_s` seconds.

    `held`: the owners and ids of those that requests have reserved; they stay.
    """
    # In the removal, too: PostgreSQL looks at it again if somebody has just changed a row.
    is_old = kind.updated < time.time() - age_s
    oldest = sql.select(kind.key).where(is_old)
    if held:
        oldest = oldest.where(sql.tuple_(kind.owner, kind.id).not_in(list(held)))
    batch = oldest.order_by(kind.updated).limit(EXPIRY_BATCH)
    return sql.delete(kind).where(kind.key.in_(batch), is_old)


def check_limits(
    transaction: orm.Session,
    limits: SessionLimits,
    size: orm.InstrumentedAttribute[int],
    rows: sql.ColumnElement[bool],
    name: str,
    extra: tuple[int, int] = (0, 0),
    hint: str = "remove some that you no longer need.",
) -> None:
    """Raises SessionsFull if an owner's `rows`, whose sizes are in a column, are over a limit.

    `extra` is the number and the size of what is to be added. `name` is what the rows are: "sessions".
    """
    if not (limits.sessions or limits.bytes):
        return
    count, total = transaction.execute(
        sql.select(sql.func.count(), sql.func.coalesce(sql.func.sum(size), 0)).where(rows)
    ).one()
    if limits.sessions and count + extra[0] > limits.sessions:
        raise SessionsFull(
            f"you have {limits.sessions} {name}, as many as the service keeps of one client "
            f"(--max-sessions); {hint}"
        )
    if limits.bytes and total + extra[1] > limits.bytes:
        raise SessionsFull(
            f"your {name} would take more than the {limits.bytes} bytes that the service keeps of one "
            f"client (--max-session-bytes); {hint}"
        )
