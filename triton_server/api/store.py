"""The sessions that the service keeps.

A session is a system prompt, parameters, and turns: a question with its answer. It belongs to an owner, and
ids are unique within an owner's sessions, so nobody learns of another's or stands in its way.

Every change of a session raises its `version`; what was made from an older one is refused, so two processes
on one database mix nothing up. A change begins with that update, which also takes the database's lock: a
transaction that reads first may be refused by SQLite when it comes to write.
"""

import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from model_core.errors import InvalidRequest

from . import database
from .database import Session, Turn
from .errors import ApiError

_SERIALIZATION_FAILURE = "40001"  # SQLSTATE: another transaction has changed what this one read


class SessionNotFound(ApiError):
    """The owner has no session of this id."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            404, f"there is no session {session_id}; POST /sessions makes one.", "session_not_found"
        )


class SessionExists(ApiError):
    """The owner has a session of this id already."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            409,
            f"there is a session {session_id} already; go on with it, or choose another id.",
            "session_exists",
        )


class SessionBusy(ApiError):
    """Another request works on the session, or has changed it meanwhile."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            409,
            f"another request works on session {session_id}; repeat this one when that has ended.",
            "session_busy",
            retry_after_s=1,
        )


class Store:
    """The sessions of a database, which is opened, and made where there is none, when it is first used.

    The methods may be called from several threads. Each is one transaction, committed when it returns, and
    raises StoreError where the database cannot be used.
    """

    def __init__(self, url: str) -> None:
        """`url` and what is raised are as of `database.connect`."""
        self._engine = database.connect(url)
        self._making, self._is_made = threading.Lock(), False
        self._held: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @contextmanager
    def hold(self, owner: str, session_id: str) -> Iterator[None]:
        """Keep a session from other requests of this event loop. Raises SessionBusy where one has it."""
        held = (owner, session_id)
        if held in self._held:
            raise SessionBusy(session_id)
        self._held.add(held)
        try:
            yield
        finally:
            self._held.discard(held)

    @property
    def is_held(self) -> bool:
        """Whether a request has a session."""
        return bool(self._held)

    def create(
        self, owner: str, session_id: str | None, system: str | None, parameters: Mapping[str, Any]
    ) -> Session:
        """A new session without turns; its id is made where none is given. Raises SessionExists."""
        now = time.time()
        session = Session(
            owner=owner,
            id=session_id or uuid.uuid4().hex,
            system=system,
            parameters=dict(parameters),
            created=now,
            updated=now,
            version=1,
        )
        with self._transaction(session.id) as transaction:
            transaction.add(session)
            try:
                transaction.flush()
            except IntegrityError as error:
                raise SessionExists(session.id) from error
            return _read(transaction, owner, session.id)

    def sessions(self, owner: str, limit: int, before: int | None = None) -> list[tuple[Session, int]]:
        """At most `limit` sessions, the newest first, without `system`, each with its number of turns.

        `before` is the key of a session: only older ones are given.
        """
        turns = sql.select(sql.func.count()).where(Turn.session_key == Session.key).scalar_subquery()
        query = sql.select(Session, turns).options(orm.defer(Session.system)).where(Session.owner == owner)
        if before is not None:
            query = query.where(Session.key < before)
        with self._transaction() as transaction:
            rows = transaction.execute(query.order_by(Session.key.desc()).limit(limit))
            return [(session, count) for session, count in rows]

    def session(self, owner: str, session_id: str) -> Session:
        """A session with its turns. Raises SessionNotFound."""
        with self._transaction(session_id) as transaction:
            return _read(transaction, owner, session_id)

    def change(self, session: Session, **changes: Any) -> Session:
        """The session with another `system`, other `parameters`, or both.

        Raises SessionBusy where the database has it otherwise by now, or no longer.
        """
        with self._transaction(session.id) as transaction:
            if not _advance(transaction, *_same(session), **changes):
                raise SessionBusy(session.id)
            return _read(transaction, session.owner, session.id)

    def add_turn(
        self,
        session: Session,
        question: str,
        answer: str,
        finish_reason: str,
        usage: Mapping[str, Any] | None,
        parameters: Mapping[str, Any],
    ) -> int:
        """Put a turn behind those of `session`; its number, from 1.

        Raises SessionBusy where the database has the session otherwise by now, or no longer.
        """
        turn = Turn(
            session_key=session.key,
            number=len(session.turns) + 1,
            question=question,
            answer=answer,
            finish_reason=finish_reason,
            usage=None if usage is None else dict(usage),
            parameters=dict(parameters),
            created=time.time(),
        )
        with self._transaction(session.id) as transaction:
            if not _advance(transaction, *_same(session)):
                raise SessionBusy(session.id)
            transaction.add(turn)
        return turn.number

    def revert(self, owner: str, session_id: str, to: int) -> Session:
        """The session as it was before its question number `to`, from 1; the turns from there are gone.

        Raises SessionNotFound, and InvalidRequest where there is no such question, nor could be the next.
        """
        with self._transaction(session_id) as transaction:
            if not _advance(transaction, *_named(owner, session_id)):
                raise SessionNotFound(session_id)
            session = _read(transaction, owner, session_id)
            following = len(session.turns) + 1
            if not 1 <= to <= following:
                raise InvalidRequest(
                    f"session {session_id} can go back to before its question 1 to {following}, not {to}."
                )
            transaction.execute(sql.delete(Turn).where(Turn.session_key == session.key, Turn.number >= to))
            return _read(transaction, owner, session_id)

    def delete(self, owner: str, session_id: str) -> None:
        """Remove a session with its turns. Raises SessionNotFound."""
        with self._transaction(session_id) as transaction:
            if not transaction.execute(sql.delete(Session).where(*_named(owner, session_id))).rowcount:
                raise SessionNotFound(session_id)

    @contextmanager
    def _transaction(self, session_id: str = "") -> Iterator[orm.Session]:
        """A transaction, in which `session_id` may be changed."""
        with self._making:
            if not self._is_made:
                database.make_tables(self._engine)
                self._is_made = True
        try:
            with orm.Session(self._engine, expire_on_commit=False) as transaction, transaction.begin():
                yield transaction
        except SQLAlchemyError as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) == _SERIALIZATION_FAILURE:
                raise SessionBusy(session_id) from error
            raise database.failure(self._engine, error) from error


def _named(owner: str, session_id: str) -> tuple[sql.ColumnElement[bool], ...]:
    return Session.owner == owner, Session.id == session_id


def _same(session: Session) -> tuple[sql.ColumnElement[bool], ...]:
    return Session.key == session.key, Session.version == session.version


def _advance(transaction: orm.Session, *which: sql.ColumnElement[bool], **changes: Any) -> bool:
    """Raise the version of a session, together with other changes; whether it is there."""
    changed = transaction.execute(
        sql.update(Session)
        .where(*which)
        .values(version=Session.version + 1, updated=time.time(), **changes)
        .execution_options(synchronize_session=False)
    )
    return bool(changed.rowcount)


def _read(transaction: orm.Session, owner: str, session_id: str) -> Session:
    transaction.expire_all()
    query = sql.select(Session).where(*_named(owner, session_id)).options(orm.selectinload(Session.turns))
    session = transaction.scalar(query)
    if session is None:
        raise SessionNotFound(session_id)
    return session
