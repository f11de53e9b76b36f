"""Connections to the database: SQLite, in a file of the user, or PostgreSQL, by URL."""

import functools
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from pydantic import SecretStr
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from ..contract.conversation_errors import StoreError
from ..system.extras import install_command
from ..system.folders import data_folder

LOGGER = logging.getLogger(__name__)

_LOCK_TIMEOUT_S = 30.0  # how long a transaction waits for a lock
_CONNECT_TIMEOUT_S = 10
_MIN_FREE_PAGES = 256  # a SQLite file with no more free pages (1 MiB) is not shrunk
_PAGES_PER_STEP = 1024
_WAL_BYTES = 4 * 2**20  # the maximum size of SQLite's write-ahead log after a checkpoint


def default_url() -> str:
    """The URL of a SQLite file in the user's data folder."""
    return URL.create("sqlite", database=str(data_folder() / "sessions.db")).render_as_string()


def find_url(given: SecretStr | None) -> str:
    """The URL that a setting has, or the default one."""
    return given.get_secret_value() if given else default_url()


def database_folder(url: str | None) -> Path:
    """Where files beside a database lie: beside that of SQLite, else in the user's data folder.

    A URI of SQLite (file:...) may mean a database in memory, which has no folder.
    """
    parsed = _parse_url(url or default_url())
    path = parsed.database or ""
    has_folder = is_sqlite(parsed) and not path.startswith("file:")
    return Path(path).parent if has_folder else data_folder()


def create_engine(url: str) -> sql.Engine:
    """Create SQLAlchemy's engine for a database. It connects at the first use.

    `url` is a URL of SQLAlchemy: sqlite:////folder/file.db or postgresql://user:password@host/name.
    Raises StoreError for any other URL, and if PostgreSQL's driver is not installed.
    """
    parsed = _parse_url(url)
    options: dict[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "pool_pre_ping": True,
        "connect_args": {"connect_timeout": _CONNECT_TIMEOUT_S},
    }
    if is_sqlite(parsed):
        options = {"connect_args": {"timeout": _LOCK_TIMEOUT_S}}
    try:
        engine = sql.create_engine(
            parsed,
            hide_parameters=True,  # they contain prompts and answers, which must not be logged
            json_serializer=functools.partial(json.dumps, ensure_ascii=False),
            **options,
        )
    except ModuleNotFoundError as error:
        raise StoreError(f"PostgreSQL needs its driver: {install_command('postgresql')}") from error
    if is_sqlite(parsed):
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def store_error(engine: sql.Engine, error: SQLAlchemyError) -> StoreError:
    """The error for clients. Messages of PostgreSQL go to the log only: they name hosts and users."""
    reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
    LOGGER.error("%s cannot be used: %s", engine.url.render_as_string(hide_password=True), reason)
    detail = reason if is_sqlite(engine.url) else "the log of the service says why"
    return StoreError(f"the sessions' database cannot be used: {detail}.")


def free_disk_space(engine: sql.Engine) -> None:
    """Shrink a SQLite file if it has more than 1 MiB of free pages. Call this after a removal.

    PostgreSQL does this itself (autovacuum). Errors are only logged, because the removal has succeeded.
    """
    if not is_sqlite(engine.url):
        return
    try:
        with engine.execution_options(transaction=None).connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
            if pages <= _MIN_FREE_PAGES:
                return
            # A script, because the driver executes only one step of a statement without results: one page.
            driver: Any = connection.connection.driver_connection
            script = driver.executescript
            for _ in range(0, pages, _PAGES_PER_STEP):  # others may write between the steps
                script(f"PRAGMA incremental_vacuum({_PAGES_PER_STEP})")
            script("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, SQLAlchemyError) as error:
        LOGGER.warning("The sessions' database was not made smaller: %s", error)


def is_sqlite(url: URL) -> bool:
    """Whether the URL is of SQLite."""
    return url.get_backend_name() == "sqlite"


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            "the database must be a URL such as sqlite:////folder/sessions.db or postgresql://host/name."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise StoreError(
            f"{parsed.render_as_string(hide_password=True)} is neither a SQLite file nor a PostgreSQL "
            "database: give sqlite:////folder/sessions.db or postgresql://host/name."
        )
    return parsed


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # otherwise the driver begins transactions itself, and none for reads
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # has an effect only on an empty file
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: sql.Connection) -> None:
    """Begin a transaction. The execution option `transaction` is its kind; None: no transaction."""
    kind = connection.get_execution_options().get("transaction", "DEFERRED")
    if kind is not None:
        connection.exec_driver_sql(f"BEGIN {kind}")
