"""The database that sessions are in: its tables, and how to get at them.

SQLite in a file of the user's, or PostgreSQL by URL.
"""

import functools
import json
import logging
import os
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint, event, orm
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, ProgrammingError, SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from ..folders import data_folder
from .errors import ApiError

LOGGER = logging.getLogger(__name__)

SCHEMA_VERSION = 1
_BUSY_S = 30.0  # how long a transaction waits for another one to end
_CONNECT_S = 10


class StoreError(ApiError):
    """The database cannot be used: it does not answer, is damaged, or is not ours."""

    def __init__(self, message: str) -> None:
        super().__init__(503, message, "database")


class _Base(orm.DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON, float: sql.Double}  # noqa: RUF012 - as SQLAlchemy asks


class Session(_Base):
    """A session as it was when it was read. `created` and `updated` are seconds since 1970."""

    __tablename__ = "sessions"
    # Keys are never used twice: an id taken again after a removal is another session, also to an old request.
    __table_args__ = (
        UniqueConstraint("owner", "id"),
        Index("sessions_newest", "owner", "key"),
        {"sqlite_autoincrement": True},
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    # Texts are kept as JSON too: they may hold NUL, which PostgreSQL's text does not.
    system: Mapped[str | None] = mapped_column(JSON(none_as_null=True))
    parameters: Mapped[dict[str, Any]]
    created: Mapped[float]
    updated: Mapped[float]
    version: Mapped[int]
    turns: Mapped[list["Turn"]] = orm.relationship(order_by="Turn.number", lazy="raise", viewonly=True)

    def messages(self, question: str) -> list[dict[str, str]]:
        """The conversation so far, and a new question."""
        messages = [] if self.system is None else [{"role": "system", "content": self.system}]
        for turn in self.turns:
            messages.append({"role": "user", "content": turn.question})
            messages.append({"role": "assistant", "content": turn.answer})
        return [*messages, {"role": "user", "content": question}]


class Turn(_Base):
    """A question and its answer. `usage` is None where the answer was cut off before it was known."""

    __tablename__ = "turns"

    session_key: Mapped[int] = mapped_column(ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    question: Mapped[str] = mapped_column(JSON)
    answer: Mapped[str] = mapped_column(JSON)
    finish_reason: Mapped[str] = mapped_column(String(16))
    usage: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    parameters: Mapped[dict[str, Any]]
    created: Mapped[float]


class _Schema(_Base):
    """One row: the version of these tables."""

    __tablename__ = "tritonchat_schema"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


def default_url() -> str:
    """SQLite in the user's data folder."""
    return URL.create("sqlite", database=str(data_folder() / "sessions.db")).render_as_string()


def connect(url: str) -> sql.Engine:
    """What connects to a database when it is used first.

    `url` is SQLAlchemy's: sqlite:////folder/file.db or postgresql://user:password@host/name.
    Raises StoreError for any other, and where PostgreSQL's driver is not installed.
    """
    parsed = _parsed(url)
    options: dict[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "pool_pre_ping": True,
        "connect_args": {"connect_timeout": _CONNECT_S},
    }
    if is_sqlite(parsed):
        options = {"connect_args": {"timeout": _BUSY_S}}
    try:
        engine = sql.create_engine(
            parsed,
            hide_parameters=True,  # they are what people say, which no log should repeat
            json_serializer=functools.partial(json.dumps, ensure_ascii=False),
            **options,
        )
    except ModuleNotFoundError as error:
        raise StoreError("PostgreSQL needs its driver: install tritonchat[postgresql].") from error
    if is_sqlite(parsed):
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def make_tables(engine: sql.Engine) -> None:
    """Make the tables if there are none. Raises StoreError for tables that are not of this version."""
    if is_sqlite(engine.url):
        _make_file(Path(engine.url.database or ""))
    try:
        try:
            _make_tables(engine)
        except (IntegrityError, ProgrammingError):  # PostgreSQL, where another process made them too
            _make_tables(engine)
    except SQLAlchemyError as error:
        raise failure(engine, error) from error


def failure(engine: sql.Engine, error: SQLAlchemyError) -> StoreError:
    """What to tell clients: of PostgreSQL's words some are about hosts and users, which are the log's."""
    reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
    LOGGER.error("%s cannot be used: %s", engine.url.render_as_string(hide_password=True), reason)
    told = reason if is_sqlite(engine.url) else "the log of the service says why"
    return StoreError(f"the sessions' database cannot be used: {told}.")


def _make_tables(engine: sql.Engine) -> None:
    ours = set(_Base.metadata.tables)
    with engine.execution_options(locking=True).begin() as connection:
        found = set(sql.inspect(connection).get_table_names()) & ours
        if not found:
            _Base.metadata.create_all(connection, checkfirst=False)
            connection.execute(sql.insert(_Schema).values(version=SCHEMA_VERSION))
        elif found != ours:
            raise StoreError(
                f"the database has a table {min(found)} of another program; sessions need one of their own."
            )
        version = connection.scalar(sql.select(_Schema.version))
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the database holds sessions in version {version}, and this tritonchat knows version "
            f"{SCHEMA_VERSION}: run the one that made them, or give another database."
        )


def is_sqlite(url: URL) -> bool:
    """Whether this is SQLite, not PostgreSQL."""
    return url.get_backend_name() == "sqlite"


def _parsed(url: str) -> URL:
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
            f"{parsed.render_as_string(hide_password=True)} is no database that outlives the service: "
            "give sqlite:////folder/sessions.db or postgresql://host/name."
        )
    return parsed


def _make_file(path: Path) -> None:
    """The file of a SQLite database, if there is none: one that nobody but its user can read."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # One that is there stays closed: to close it would end this process's locks on it (fcntl(2)).
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        LOGGER.error("%s cannot be made: %s", path, error.strerror)
        raise StoreError(f"the sessions' database cannot be made: {error.strerror}.") from error


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # else the driver begins transactions, and none for reads
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: sql.Connection) -> None:
    locking = connection.get_execution_options().get("locking")  # before it reads
    connection.exec_driver_sql("BEGIN IMMEDIATE" if locking else "BEGIN")
