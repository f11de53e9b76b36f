"""Create the tables of the sessions' database, or upgrade them with Alembic."""

import logging
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy.exc import SQLAlchemyError

from ..contract.conversation_errors import StoreError
from .database import is_sqlite, store_error
from .tables import (
    Base,
    Collection,
    ItemConversation,
    Session,
    StoredBatch,
    StoredFile,
    StoredResponse,
)

LOGGER = logging.getLogger(__name__)

# The newest of migrations/versions. A database of this revision needs no Alembic, which is slow to import.
REVISION = "0010"
_VERSION_TABLE = "tritonchat_version"
_OLD_TABLES, _OLD_REVISION = {"tritonchat_schema", "sessions", "turns"}, "0001"  # of versions without Alembic
_LOCK_KEY = 0x74726974  # of a PostgreSQL advisory lock


def prepare(engine: sql.Engine, names: Mapping[str, str]) -> None:
    """Create the tables, or upgrade them, and move what hashes own to their `names`.

    Other processes may do the same at the same time.

    Raises StoreError for tables of other programs, or of a newer version of tritonchat.
    """
    if is_sqlite(engine.url):
        _create_file(Path(engine.url.database or ""))
    try:
        if is_sqlite(engine.url):
            with engine.execution_options(transaction="IMMEDIATE").begin() as connection:
                _prepare(connection)
                _move_to_names(connection, names)
            _enable_vacuum(engine)
        else:
            # With READ COMMITTED, changes that others made before they released the lock are visible.
            with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
                connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK_KEY)))
                _prepare(connection)
                _move_to_names(connection, names)
    except SQLAlchemyError as error:
        raise store_error(engine, error) from error


def _prepare(connection: sql.Connection) -> None:
    tables = set(sql.inspect(connection).get_table_names())
    own_tables = set(Base.metadata.tables)
    revision = None
    if _VERSION_TABLE in tables:
        revision = connection.scalar(sql.text(f"SELECT version_num FROM {_VERSION_TABLE}"))
    elif tables >= _OLD_TABLES:
        revision = _OLD_REVISION
    elif own_tables & tables:
        raise StoreError(
            f"the database has a table {min(own_tables & tables)} of another program; sessions need a "
            "database of their own."
        )
    if revision != REVISION:
        _upgrade(connection, revision)


def _upgrade(connection: sql.Connection, revision: str | None) -> None:
    """Upgrade a database from `revision` (None: it is empty) to REVISION."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes.update(connection=connection, version_table=_VERSION_TABLE)
    known_revisions = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known_revisions:
        raise StoreError(
            f"the database is of version {revision}, and this tritonchat knows versions up to {REVISION}: "
            "run the version that made it, or choose another database (--database)."
        )
    if revision == _OLD_REVISION:
        command.stamp(config, revision)
    command.upgrade(config, REVISION)


def _move_to_names(connection: sql.Connection, names: Mapping[str, str]) -> None:
    """Give what keys own, which had no names, to their names. A session whose id is taken gets a new one."""
    if not names:
        return
    kinds = Session, StoredResponse, ItemConversation, StoredFile, StoredBatch, Collection
    found = [sql.select(kind.owner).where(kind.owner.in_(list(names))) for kind in kinds]
    for owner in connection.scalars(sql.union(*found)).all():
        name = names[owner]
        taken = sql.select(Session.id).where(Session.owner == name)
        twice = sql.select(Session.key).where(Session.owner == owner, Session.id.in_(taken))
        for key in connection.scalars(twice).all():
            connection.execute(sql.update(Session).where(Session.key == key).values(id=uuid.uuid4().hex))
        for kind in kinds:
            connection.execute(sql.update(kind).where(kind.owner == owner).values(owner=name))


def _enable_vacuum(engine: sql.Engine) -> None:
    """Let a SQLite file shrink. A file of an old version is rewritten once for that."""
    with engine.execution_options(transaction=None).connect() as connection:
        if connection.exec_driver_sql("PRAGMA auto_vacuum").scalar_one() == 0:
            LOGGER.info("The database is rewritten once, so that it can shrink from now on")
            connection.exec_driver_sql("PRAGMA auto_vacuum = INCREMENTAL")
            connection.exec_driver_sql("VACUUM")


def _create_file(path: Path) -> None:
    """Create the file of a SQLite database if there is none. Only its user can read it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # An existing file is not opened: closing it would release this process's locks on it (fcntl(2)).
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        LOGGER.error("%s cannot be created: %s", path, error.strerror)
        raise StoreError(f"the sessions' database cannot be created: {error.strerror}.") from error
