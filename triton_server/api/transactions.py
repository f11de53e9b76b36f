"""Transactions on the service's database, whose tables are ready for the first one."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import anyio
from sqlalchemy import orm
from sqlalchemy.exc import SQLAlchemyError

from . import database, schema
from .errors import ApiError

LOGGER = logging.getLogger(__name__)

Result = TypeVar("Result")
_MAX_EXPIRY_INTERVAL_S = 600.0
_SERIALIZATION_FAILURE = "40001"  # SQLSTATE: another transaction has changed what this one read


class Database:
    """The service's database. The first transaction connects to it, and creates or upgrades the tables.

    The methods may be called from several threads.
    """

    def __init__(self, url: str) -> None:
        """`url` is as for `database.create_engine`, which also says what is raised."""
        self._engine = database.create_engine(url)
        self._lock, self._is_ready = threading.Lock(), False

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @property
    def is_ready(self) -> bool:
        """Whether there was a transaction."""
        return self._is_ready

    @contextmanager
    def transaction(self, conflict: ApiError) -> Iterator[orm.Session]:
        """A transaction, which is committed at the end of the block.

        Raises `conflict` if another transaction has changed what this one read, and StoreError if the
        database cannot be used.
        """
        with self._lock:
            if not self._is_ready:
                schema.prepare(self._engine)
                self._is_ready = True
        try:
            with orm.Session(self._engine, expire_on_commit=False) as transaction, transaction.begin():
                yield transaction
        except SQLAlchemyError as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) == _SERIALIZATION_FAILURE:
                raise conflict from error
            raise database.store_error(self._engine, error) from error

    def free_disk_space(self) -> None:
        """Shrink the file of the database after a removal, see `database.free_disk_space`."""
        database.free_disk_space(self._engine)


async def run_to_end(change: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Change the database in a thread. The change runs to its end even if the request is cancelled."""
    with anyio.CancelScope(shield=True):
        return await asyncio.to_thread(change, *arguments, **options)


async def remove_expired(name: str, age_s: float, remove: Callable[[float], int]) -> None:
    """Remove what has not changed for `age_s` seconds, at intervals, until it is cancelled.

    `remove` returns the number of what it has removed. `name` is for the log.
    """
    while True:
        with suppress(ApiError):  # the database has logged it
            if count := await asyncio.to_thread(remove, age_s):
                LOGGER.info("%d %s have expired", count, name)
        await asyncio.sleep(min(max(age_s / 10, 1), _MAX_EXPIRY_INTERVAL_S))
