"""Transactions on the database, whose tables are ready for the first one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import SQLAlchemyError

from . import database, schema
from .errors import SessionsFull, StoreRefusal
from .limits import SessionLimits

_SERIALIZATION_FAILURE = "40001"  # SQLSTATE: another transaction has changed what this one read


class Database:
    """The database of all stores. The first transaction connects to it, and creates or upgrades the tables.

    The methods may be called from several threads.
    """

    def __init__(self, url: str) -> None:
        """`url` is as for `database.create_engine`, which also says what is raised."""
        self._engine = database.create_engine(url)
        # SQLite takes the lock of writers at the beginning. It may not wait for one that it needs later.
        self._changing_engine = self._engine.execution_options(transaction="IMMEDIATE")
        self._waiting_engine = self._changing_engine
        if not database.is_sqlite(self._engine.url):
            self._waiting_engine = self._engine.execution_options(isolation_level="READ COMMITTED")
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
    def changing(self, conflict: StoreRefusal, waits: bool = False) -> Iterator[orm.Session]:
        """A transaction that may change rows. It is committed at the end of the block.

        All its statements see the same state. If it `waits`, each sees what others have committed before, and
        an update of a row that others change waits for them. With SQLite, all wait for each other.

        Raises `conflict` if another transaction has changed what this one read, and StoreError if the
        database cannot be used.
        """
        engine = self._waiting_engine if waits else self._changing_engine
        with self._transaction(engine, conflict) as transaction:
            yield transaction

    @contextmanager
    def _transaction(self, engine: sql.Engine, conflict: StoreRefusal | None = None) -> Iterator[orm.Session]:
        with self._lock:
            if not self._is_ready:
                schema.prepare(self._engine)
                self._is_ready = True
        try:
            with orm.Session(engine, expire_on_commit=False) as transaction, transaction.begin():
                yield transaction
        except SQLAlchemyError as error:
            if conflict and getattr(getattr(error, "orig", None), "sqlstate", None) == _SERIALIZATION_FAILURE:
                raise conflict from error
            raise database.store_error(self._engine, error) from error

    def free_disk_space(self) -> None:
        """Shrink the file of the database after a removal, see `database.free_disk_space`."""
        database.free_disk_space(self._engine)


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
