"""The store of sessions.

A session has a system prompt, parameters, and turns: questions with their answers. It belongs to an owner.
Ids are unique among the sessions of one owner, so an owner cannot find out about the sessions of others.

Every change of a session increments its `version`. A change that is based on an older version is refused, so
several processes can use one database. A transaction that changes a session begins with this update, which
takes the database's lock: SQLite may refuse to write in a transaction that began by reading.
"""

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import IntegrityError

from model_core.errors import InvalidRequest

from .database import Session, StoredTurn
from .errors import ApiError
from .transactions import Database

_ROW_BYTES = 256  # estimated size of a session or a turn without its texts
_EXPIRY_BATCH = 100


class SessionNotFound(ApiError):
    """The owner has no session with this id."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            404, f"there is no session {session_id}; POST /sessions makes one.", "session_not_found"
        )


class SessionExists(ApiError):
    """The owner already has a session with this id."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            409,
            f"there is a session {session_id} already; go on with it, or choose another id.",
            "session_exists",
        )


class SessionBusy(ApiError):
    """Another request uses the session, or has changed it since it was read."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            409,
            f"another request works on session {session_id}; repeat this one when that has ended.",
            "session_busy",
            retry_after_s=1,
        )


class SessionsFull(ApiError):
    """The owner has reached the limit for sessions or for their size."""

    def __init__(self, message: str) -> None:
        super().__init__(403, message, "sessions_full")


@dataclass(frozen=True)
class SessionLimits:
    """How many sessions an owner may have, and their total size in bytes. 0: no limit."""

    sessions: int = 0
    bytes: int = 0


class SessionStore:
    """The sessions of a database.

    The methods may be called from several threads. Each is one transaction, which is committed when the
    method returns. Each raises StoreError if the database cannot be used.

    Attributes:
        database: where other stores may have their tables, too.
    """

    def __init__(self, url: str, limits: SessionLimits | None = None) -> None:
        """`url` is as for `database.create_engine`, which also says what is raised."""
        self.database = Database(url)
        self._limits = limits or SessionLimits()
        self._busy_sessions: set[tuple[str, str]] = set()

    def close(self) -> None:
        """Close the connections."""
        self.database.close()

    @contextmanager
    def hold(self, owner: str, session_id: str) -> Iterator[None]:
        """Reserve a session for one request of this event loop. Raises SessionBusy if another has it."""
        session_key = (owner, session_id)
        if session_key in self._busy_sessions:
            raise SessionBusy(session_id)
        self._busy_sessions.add(session_key)
        try:
            yield
        finally:
            self._busy_sessions.discard(session_key)

    @property
    def has_busy_sessions(self) -> bool:
        """Whether a request has reserved a session."""
        return bool(self._busy_sessions)

    def create(
        self, owner: str, session_id: str | None, system: str | None, parameters: Mapping[str, Any]
    ) -> Session:
        """Create a session without turns. Without `session_id` it gets a new id.

        Raises SessionExists, and SessionsFull if the owner has reached a limit.
        """
        now = time.time()
        session = Session(
            owner=owner,
            id=session_id or uuid.uuid4().hex,
            system=system,
            parameters=dict(parameters),
            created=now,
            updated=now,
            version=1,
            bytes=measure(system, parameters),
        )
        with self._transaction(session.id) as transaction:
            transaction.add(session)
            try:
                transaction.flush()
            except IntegrityError as error:
                raise SessionExists(session.id) from error
            self._check_limits(transaction, owner)
            return _read(transaction, owner, session.id)

    def list_sessions(self, owner: str, limit: int, before: int | None = None) -> list[tuple[Session, int]]:
        """At most `limit` sessions, the newest first, without `system`, each with its number of turns.

        `before` is the key of a session: only older sessions are returned.
        """
        turns = sql.select(sql.func.count()).where(StoredTurn.session_key == Session.key).scalar_subquery()
        query = sql.select(Session, turns).options(orm.defer(Session.system)).where(Session.owner == owner)
        if before is not None:
            query = query.where(Session.key < before)
        with self._transaction() as transaction:
            rows = transaction.execute(query.order_by(Session.key.desc()).limit(limit))
            return [(session, count) for session, count in rows]

    def get_session(self, owner: str, session_id: str) -> Session:
        """A session with its turns. Raises SessionNotFound."""
        with self._transaction(session_id) as transaction:
            return _read(transaction, owner, session_id)

    def get_session_for_question(self, owner: str, session_id: str, question: str) -> Session:
        """As `get_session`, for adding `question`. Also raises SessionsFull if there is no room for it."""
        with self._transaction(session_id) as transaction:
            session = _read(transaction, owner, session_id)
            self._check_limits(transaction, owner, measure(question))
            return session

    def change(self, session: Session, **changes: Any) -> Session:
        """Change `system`, `parameters` or both; return the changed session.

        Raises SessionBusy if the session was changed or removed since it was read, and SessionsFull.
        """
        system, parameters = (changes.get(name, getattr(session, name)) for name in ("system", "parameters"))
        growth = measure(system, parameters) - measure(session.system, session.parameters)
        with self._transaction(session.id) as transaction:
            if not _advance(transaction, *_with_version(session), bytes=Session.bytes + growth, **changes):
                raise SessionBusy(session.id)
            if growth > 0:
                self._check_limits(transaction, session.owner)
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
        """Append a turn to `session`; return its number, from 1.

        Raises SessionBusy if the session was changed or removed since it was read.
        """
        turn = StoredTurn(
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
            if not _advance(transaction, *_with_version(session), bytes=Session.bytes + _turn_size(turn)):
                raise SessionBusy(session.id)
            transaction.add(turn)
        return turn.number

    def revert(self, owner: str, session_id: str, to: int) -> Session:
        """Remove the turns from number `to` on, counted from 1; return the changed session.

        Raises SessionNotFound, and InvalidRequest unless `to` is the number of a turn or of the next one.
        """
        with self._transaction(session_id) as transaction:
            if not _advance(transaction, *_with_id(owner, session_id)):
                raise SessionNotFound(session_id)
            session = _read(transaction, owner, session_id)
            following = len(session.turns) + 1
            if not 1 <= to <= following:
                raise InvalidRequest(
                    f"session {session_id} can go back to before its question 1 to {following}, not {to}."
                )
            removed = sum(_turn_size(turn) for turn in session.turns if turn.number >= to)
            transaction.execute(
                sql.delete(StoredTurn).where(StoredTurn.session_key == session.key, StoredTurn.number >= to)
            )
            transaction.execute(
                sql.update(Session)
                .where(Session.key == session.key)
                .values(bytes=Session.bytes - removed)
                .execution_options(synchronize_session=False)
            )
            reverted = _read(transaction, owner, session_id)
        self.database.free_disk_space()
        return reverted

    def delete(self, owner: str, session_id: str) -> None:
        """Remove a session with its turns. Raises SessionNotFound."""
        with self._transaction(session_id) as transaction:
            if not transaction.execute(sql.delete(Session).where(*_with_id(owner, session_id))).rowcount:
                raise SessionNotFound(session_id)
        self.database.free_disk_space()

    def remove_expired(self, age_s: float) -> int:
        """Remove the sessions that have not changed for `age_s` seconds; return their number.

        Sessions that a request of this process has reserved are not removed.
        """
        oldest = sql.select(Session.key).where(Session.updated < time.time() - age_s)
        if busy_keys := list(self._busy_sessions):
            oldest = oldest.where(sql.tuple_(Session.owner, Session.id).not_in(busy_keys))
        oldest = oldest.order_by(Session.updated).limit(_EXPIRY_BATCH)
        removed = 0
        while True:
            with self._transaction() as transaction:
                count = transaction.execute(sql.delete(Session).where(Session.key.in_(oldest))).rowcount
            removed += count
            if not count:
                break
        if removed:
            self.database.free_disk_space()
        return removed

    def _check_limits(self, transaction: orm.Session, owner: str, extra_bytes: int = 0) -> None:
        """Raises SessionsFull if an owner's sessions, together with `extra_bytes`, are over a limit."""
        if not (self._limits.sessions or self._limits.bytes):
            return
        count, size = transaction.execute(
            sql.select(sql.func.count(), sql.func.coalesce(sql.func.sum(Session.bytes), 0)).where(
                Session.owner == owner
            )
        ).one()
        if self._limits.sessions and count > self._limits.sessions:
            raise SessionsFull(
                f"you have {self._limits.sessions} sessions, as many as the service keeps of one client "
                "(--max-sessions); remove some that you no longer need."
            )
        if self._limits.bytes and size + extra_bytes > self._limits.bytes:
            raise SessionsFull(
                f"your sessions would take more than the {self._limits.bytes} bytes that the service keeps "
                "of one client (--max-session-bytes); remove some that you no longer need."
            )

    @contextmanager
    def _transaction(self, session_id: str = "") -> Iterator[orm.Session]:
        """A transaction. `session_id` is the session that it may change, for error messages."""
        with self.database.transaction(SessionBusy(session_id)) as transaction:
            yield transaction


def measure(*values: Any) -> int:
    """The estimated bytes of a row with these texts and parameters. The migrations count in the same way."""
    texts = (json.dumps(value, ensure_ascii=False) for value in values if value is not None)
    return _ROW_BYTES + sum(len(text.encode()) for text in texts)


def _turn_size(turn: StoredTurn) -> int:
    return measure(turn.question, turn.answer, turn.parameters)


def _with_id(owner: str, session_id: str) -> tuple[sql.ColumnElement[bool], ...]:
    return Session.owner == owner, Session.id == session_id


def _with_version(session: Session) -> tuple[sql.ColumnElement[bool], ...]:
    return Session.key == session.key, Session.version == session.version


def _advance(transaction: orm.Session, *conditions: sql.ColumnElement[bool], **changes: Any) -> bool:
    """Increment the version of a session and make other changes. Returns whether the session was found."""
    changed = transaction.execute(
        sql.update(Session)
        .where(*conditions)
        .values(version=Session.version + 1, updated=time.time(), **changes)
        .execution_options(synchronize_session=False)
    )
    return bool(changed.rowcount)


def _read(transaction: orm.Session, owner: str, session_id: str) -> Session:
    transaction.expire_all()
    query = sql.select(Session).where(*_with_id(owner, session_id)).options(orm.selectinload(Session.turns))
    session = transaction.scalar(query)
    if session is None:
        raise SessionNotFound(session_id)
    return session
