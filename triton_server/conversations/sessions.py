"""The store of sessions: conversations of which only the path to the head is seen.

A session has a system prompt, parameters, and turns: questions with their answers. It belongs to an owner.
Ids are unique among the sessions of one owner, so an owner cannot find out about the sessions of others.

Every change of a session that matters to an answer increments its `version`. A change that is based on an
older version is refused, so several processes can use one database. A transaction that changes a session
begins with this update, which takes the database's lock: SQLite may refuse to write in a transaction that
began by reading.
"""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import IntegrityError

from model_core.errors import InvalidRequest

from . import search
from .errors import SessionBusy, SessionExists, SessionNotFound
from .limits import SessionLimits, measure
from .tables import SearchText, Session, StoredTurn
from .transactions import Database, check_limits
from .tree import find_subtree, make_title

_EXPIRY_BATCH = 100
_MAX_IDS = 10_000  # of one statement


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
        with self._changing(session.id) as transaction:
            # Nobody can see one that was deleted, and could be restored, so its id is free.
            transaction.execute(
                sql.delete(Session).where(
                    Session.owner == owner, Session.id == session.id, Session.deleted.is_not(None)
                )
            )
            transaction.add(session)
            try:
                transaction.flush()
            except IntegrityError as error:
                raise SessionExists(session.id) from error
            check_room(transaction, self._limits, owner)
            return _read(transaction, owner, session.id)

    def list_sessions(self, owner: str, limit: int, before: int | None = None) -> list[tuple[Session, int]]:
        """At most `limit` sessions, the newest first, without `system`, each with its number of questions.

        `before` is the key of a session: only older sessions are returned.
        """
        query = sql.select(Session, count_questions()).options(orm.defer(Session.system))
        query = query.where(Session.owner == owner, Session.deleted.is_(None))
        if before is not None:
            query = query.where(Session.key < before)
        with self.database.reading() as transaction:
            rows = transaction.execute(query.order_by(Session.key.desc()).limit(limit))
            return [(session, count) for session, count in rows]

    def get_session(self, owner: str, session_id: str) -> Session:
        """A session with its turns. Raises SessionNotFound."""
        with self.database.reading() as transaction:
            return _read(transaction, owner, session_id)

    def get_session_for_question(self, owner: str, session_id: str, question: str) -> Session:
        """As `get_session`, for adding `question`. Also raises SessionsFull if there is no room for it."""
        with self.database.reading() as transaction:
            session = _read(transaction, owner, session_id)
            check_room(transaction, self._limits, owner, measure(question))
            return session

    def change(self, session: Session, **changes: Any) -> Session:
        """Change `system`, `parameters` or both; return the changed session.

        Raises SessionBusy if the session was changed or removed since it was read, and SessionsFull.
        """
        system, parameters = (changes.get(name, getattr(session, name)) for name in ("system", "parameters"))
        growth = measure(system, parameters) - measure(session.system, session.parameters)
        with self._changing(session.id) as transaction:
            if not _advance(transaction, *_with_version(session), bytes=Session.bytes + growth, **changes):
                raise SessionBusy(session.id)
            if growth > 0:
                check_room(transaction, self._limits, session.owner)
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
        """Append a turn to the head of `session`; return its number, from 1.

        Raises SessionBusy if the session was changed or removed since it was read.
        """
        turn = StoredTurn(
            session_key=session.key,
            id=session.last_turn + 1,
            parent=session.head,
            number=len(session.turns) + 1,
            question=question,
            answer=answer,
            finish_reason=finish_reason,
            usage=None if usage is None else dict(usage),
            parameters=dict(parameters),
            created=time.time(),
        )
        with self._changing(session.id) as transaction:
            changes: dict[str, Any] = {"bytes": Session.bytes + turn_size(turn), "head": turn.id}
            if session.title is None:
                changes |= title_fields(make_title(question))
            if not _advance(transaction, *_with_version(session), last_turn=turn.id, **changes):
                raise SessionBusy(session.id)
            add_turns(transaction, [turn])
        return turn.number

    def revert(self, owner: str, session_id: str, to: int) -> Session:
        """Remove the turn of the path with number `to`, counted from 1, and all that follow it.

        Returns the changed session. Raises SessionNotFound, and InvalidRequest unless `to` is the number of a
        turn or of the next one.
        """
        with self._changing(session_id) as transaction:
            if not _advance(transaction, *_with_id(owner, session_id)):
                raise SessionNotFound(session_id)
            session = _read(transaction, owner, session_id)
            path = session.turns
            following = len(path) + 1
            if not 1 <= to <= following:
                raise InvalidRequest(
                    f"session {session_id} can go back to before its question 1 to {following}, not {to}."
                )
            if to < following:
                _remove_branch(transaction, session, path[to - 1])
            reverted = _read(transaction, owner, session_id)
        self.database.free_disk_space()
        return reverted

    def delete(self, owner: str, session_id: str) -> None:
        """Remove a session with its turns. Raises SessionNotFound."""
        with self._changing(session_id) as transaction:
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
            with self._changing() as transaction:
                count = transaction.execute(sql.delete(Session).where(Session.key.in_(oldest))).rowcount
            removed += count
            if not count:
                break
        if removed:
            self.database.free_disk_space()
        return removed

    @contextmanager
    def _changing(self, session_id: str = "") -> Iterator[orm.Session]:
        """A transaction. `session_id` is the session that it may change, for error messages."""
        with self.database.changing(SessionBusy(session_id)) as transaction:
            yield transaction


def count_questions() -> sql.ScalarSelect[int]:
    """The number of questions of the path to the head, as a column of a query for sessions."""
    number = sql.select(StoredTurn.number).where(
        StoredTurn.session_key == Session.key, StoredTurn.id == Session.head
    )
    return sql.func.coalesce(number.scalar_subquery(), 0)


def check_room(transaction: orm.Session, limits: SessionLimits, owner: str, extra_bytes: int = 0) -> None:
    """Raises SessionsFull if an owner's sessions, together with `extra_bytes`, are over a limit.

    Those that were deleted, and could be restored, do not count.
    """
    own = sql.and_(Session.owner == owner, Session.deleted.is_(None))
    check_limits(transaction, limits, Session.bytes, own, "sessions", (0, extra_bytes))


def title_fields(title: str) -> dict[str, str | None]:
    """The columns of a title; "" for none, until the next question."""
    return {"title": title or None, "search_title": search.fold(title) if title else None}


def add_turns(transaction: orm.Session, turns: Sequence[StoredTurn]) -> None:
    """Add turns, so that the search finds them."""
    transaction.add_all(turns)
    transaction.flush()
    transaction.add_all(
        SearchText(session_key=turn.session_key, turn=turn.id, text=search.text_of(turn)) for turn in turns
    )


def turn_size(turn: StoredTurn) -> int:
    """The size of a turn as `limits.measure` counts."""
    return measure(
        turn.question, turn.answer, turn.parameters, turn.reasoning, turn.tool_calls, turn.attachments
    )


def _remove_branch(transaction: orm.Session, session: Session, turn: StoredTurn) -> None:
    """Remove a turn and all that follow it. The one before becomes the head."""
    removed = find_subtree({each.id: each.parent for each in session.tree}, turn.id)
    for batch in _batches(sorted(removed)):
        transaction.execute(
            sql.delete(StoredTurn).where(StoredTurn.session_key == session.key, StoredTurn.id.in_(batch))
        )
    size = sum(turn_size(each) for each in session.tree if each.id in removed)
    transaction.execute(
        sql.update(Session)
        .where(Session.key == session.key)
        .values(bytes=Session.bytes - size, head=turn.parent)
        .execution_options(synchronize_session=False)
    )


def _batches(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _MAX_IDS):
        yield ids[start : start + _MAX_IDS]


def _with_id(owner: str, session_id: str) -> tuple[sql.ColumnElement[bool], ...]:
    return Session.owner == owner, Session.id == session_id, Session.deleted.is_(None)


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
    query = sql.select(Session).where(*_with_id(owner, session_id)).options(orm.selectinload(Session.tree))
    session = transaction.scalar(query)
    if session is None:
        raise SessionNotFound(session_id)
    return session
