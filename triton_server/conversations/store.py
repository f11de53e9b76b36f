"""The store of conversations with all their branches, for the page, the terminal and sessions over HTTP.

A conversation has a system prompt, parameters, and turns: questions with their answers. It belongs to an
owner, who alone finds it: ids are unique among those of one owner. A session is the path to the head.

Turns are only added to a conversation, or changed while their answer runs, so two writers at a time lose
nothing of each other. What both may set, such as the head, has the value that came last. Every change that
matters to an answer increments the `version`. A change that is based on a conversation as it was `seen` is
refused if another one came between, so several processes can use one database.

A transaction that changes a conversation begins with an update of its row, which takes the lock: SQLite may
refuse to write in a transaction that began by reading.
"""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import IntegrityError

from model_core.errors import InvalidRequest

from ..contract.conversation_errors import (
    ConversationNotFound,
    SessionBusy,
    SessionExists,
    StoreConflict,
    TurnNotFound,
)
from . import search
from .limits import SessionLimits, measure
from .rows import (
    OPTIONAL_COLUMNS,
    add_turns,
    count_questions,
    remove_turns,
    title_fields,
    to_conversation,
    to_row,
    turn_size,
)
from .tables import SearchText, Session, StoredTurn
from .transactions import Database, change_rows, check_limits, remove_unchanged
from .tree import Conversation, Summary, Turn, find_path, make_title

PURGE_AFTER_S = 7 * 86400.0  # until then, a conversation that was deleted can be restored
_PURGE_INTERVAL_S = 3600.0


class ConversationStore:
    """The conversations of a database.

    The methods may be called from several threads. Each is one transaction, which is committed when the
    method returns. Each raises StoreError if the database cannot be used, ConversationNotFound for an id that
    the owner has no conversation of, and SessionsFull if the owner has reached a limit.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        self._database, self._limits = database, limits
        self._last_purge = 0.0
        self._held: set[tuple[str, str]] = set()

    @contextmanager
    def hold(self, owner: str, conversation_id: str) -> Iterator[None]:
        """Reserve a conversation for one request of this event loop. Raises SessionBusy if another has it."""
        key = (owner, conversation_id)
        if key in self._held:
            raise SessionBusy(conversation_id)
        self._held.add(key)
        try:
            yield
        finally:
            self._held.discard(key)

    @property
    def is_held(self) -> bool:
        """Whether a request has reserved a conversation."""
        return bool(self._held)

    def list_conversations(
        self, owner: str, query: str, limit: int, before: tuple[bool, float, str] | None = None
    ) -> list[Summary]:
        """At most `limit` conversations that have all words of `query`, pinned ones and then new ones first.

        `before` is `pinned`, `updated` and `id` of a conversation: only those that follow it are returned.
        """
        self._purge_at_intervals()
        order = Session.pinned, Session.updated, Session.id
        statement = _list(owner, limit).order_by(*(column.desc() for column in order))
        if before is not None:
            cursor = (sql.literal(value, column.type) for column, value in zip(order, before, strict=True))
            statement = statement.where(sql.tuple_(*order) < sql.tuple_(*cursor))
        with self._database.reading() as transaction:
            rows = transaction.execute(statement.where(*search.has_words(transaction, query)))
            return [Summary(id, title or "", *others) for _, id, title, *others in rows]

    def list_by_age(self, owner: str, limit: int, before: int | None = None) -> dict[int, Summary]:
        """At most `limit` conversations by their keys, those that were created last first.

        `before` is a key: only older ones are returned.
        """
        statement = _list(owner, limit).order_by(Session.key.desc())
        if before is not None:
            statement = statement.where(Session.key < before)
        with self._database.reading() as transaction:
            rows = transaction.execute(statement)
            return {key: Summary(id, title or "", *others) for key, id, title, *others in rows}

    def get(self, owner: str, conversation_id: str, question: str | None = None) -> Conversation:
        """A conversation with all its turns. Raises SessionsFull unless it has room for a next `question`."""
        with self._database.reading() as transaction:
            session = _read(transaction, owner, conversation_id)
            if question is not None:
                self._check_room(transaction, owner, measure(question))
            return to_conversation(session)

    def create(
        self,
        owner: str,
        title: str,
        system: str | None,
        parameters: dict[str, Any],
        new_id: str | None = None,
    ) -> Conversation:
        """Create a conversation without turns. Raises SessionExists if the owner has one with `new_id`."""
        return self.add(owner, Conversation("", title, system, parameters, None, 1, []), new_id)

    def add(self, owner: str, conversation: Conversation, new_id: str | None = None) -> Conversation:
        """Store a whole conversation, under an id of its own. Raises SessionExists as `create`."""
        numbers: dict[int | None, int] = {None: 0}
        for turn in conversation.turns:  # parents come first
            numbers[turn.id] = numbers[turn.parent] + 1
        turns = [to_row(turn, numbers[turn.id]) for turn in conversation.turns]
        now = time.time()
        session = Session(
            owner=owner,
            id=new_id or uuid.uuid4().hex,
            system=conversation.system,
            parameters=conversation.parameters,
            created=conversation.created or now,
            updated=now,
            version=1,
            head=conversation.head,
            last_turn=max((turn.id for turn in turns), default=0),
            bytes=measure(conversation.system, conversation.parameters) + sum(map(turn_size, turns)),
            **title_fields(conversation.title),
        )
        with self._database.changing() as transaction:
            # Nobody can see one that was deleted, and could be restored, so its id is free.
            transaction.execute(sql.delete(Session).where(*_with_id(owner, session.id, is_deleted=True)))
            transaction.add(session)
            try:
                transaction.flush()
            except IntegrityError as error:
                raise SessionExists(session.id) from error
            self._check_room(transaction, owner)
            add_turns(transaction, session.key, turns)
            return to_conversation(_read(transaction, owner, session.id))

    def change(
        self, owner: str, conversation_id: str, changes: Mapping[str, Any], seen: Conversation | None = None
    ) -> Conversation:
        """Change `title`, `pinned`, `system`, `parameters` or `head`; return the changed conversation.

        Raises TurnNotFound for a head that the conversation does not have, and StoreConflict.
        """
        values = dict(changes)
        if "title" in values:
            values |= title_fields(values["title"])
        is_new_version = not values.keys().isdisjoint({"system", "parameters", "head"})
        with self._database.changing() as transaction:
            _lock(transaction, owner, conversation_id, is_new_version, seen)
            session = _read(transaction, owner, conversation_id)
            if values.get("head") is not None and values["head"] not in {turn.id for turn in session.tree}:
                raise _turn_not_found(values["head"])
            before = measure(session.system, session.parameters)
            for name, value in values.items():
                setattr(session, name, value)
            growth = measure(session.system, session.parameters) - before
            session.bytes += growth
            if not values.keys().isdisjoint({"system", "parameters"}):
                session.updated = time.time()
            transaction.flush()
            if growth > 0:
                self._check_room(transaction, owner)
            return to_conversation(session)

    def delete(self, owner: str, conversation_id: str) -> None:
        """Delete a conversation. It can be restored for PURGE_AFTER_S seconds.

        If those that could be restored are more than an owner may have, only this one can be.
        """
        with self._database.changing() as transaction:
            _lock(transaction, owner, conversation_id, True, deleted=time.time())
            deleted = sql.and_(Session.owner == owner, Session.deleted.is_not(None))
            count, size = transaction.execute(
                sql.select(sql.func.count(), sql.func.sum(Session.bytes)).where(deleted)
            ).one()
            limits = self._limits
            if count > (limits.sessions or count) or size > (limits.bytes or size):
                transaction.execute(sql.delete(Session).where(deleted, Session.id != conversation_id))
        self._database.free_disk_space()

    def restore(self, owner: str, conversation_id: str) -> Conversation:
        """Undo `delete`."""
        with self._database.changing() as transaction:
            _lock(transaction, owner, conversation_id, True, is_deleted=True, deleted=None)
            self._check_room(transaction, owner)
            return to_conversation(_read(transaction, owner, conversation_id))

    def remove(self, owner: str, conversation_id: str) -> None:
        """Remove a conversation with its turns. Nobody can restore it."""
        if not self._remove(*_with_id(owner, conversation_id)):
            raise _not_found(conversation_id)
        self._database.free_disk_space()

    def add_turn(self, owner: str, conversation_id: str, turn: Turn, seen: Conversation | None = None) -> int:
        """Add a turn, which becomes the head; return its id, which is new.

        If its answer is at its end, somebody has it already, and it is stored beyond the limits, too. Raises
        TurnNotFound for a parent that the conversation does not have, and StoreConflict.
        """
        with self._database.changing() as transaction:
            # The first statement takes the lock, and no other turn gets the same id.
            _lock(transaction, owner, conversation_id, True, seen, last_turn=Session.last_turn + 1)
            session = _read_without_turns(transaction, owner, conversation_id)
            number = 0
            if turn.parent is not None:
                query = sql.select(StoredTurn.number).where(
                    StoredTurn.session_key == session.key, StoredTurn.id == turn.parent
                )
                found = transaction.scalar(query)
                if found is None:
                    raise _turn_not_found(turn.parent)
                number = found
            row = to_row(replace(turn, id=session.last_turn, created=time.time()), number + 1)
            size = turn_size(row)
            if turn.finish_reason is None:
                self._check_room(transaction, owner, size)
            add_turns(transaction, session.key, [row])
            session.head, session.bytes, session.updated = row.id, session.bytes + size, row.created
            if session.title is None:
                for name, value in title_fields(make_title(turn.question)).items():
                    setattr(session, name, value)
            return row.id

    def change_turn(self, owner: str, conversation_id: str, turn_id: int, changes: Mapping[str, Any]) -> None:
        """Change fields of a turn: the answer so far, its end, its rating. Raises TurnNotFound."""
        with self._database.changing() as transaction:
            ends = changes.get("finish_reason") is not None
            _lock(transaction, owner, conversation_id, ends)
            session = _read_without_turns(transaction, owner, conversation_id)
            turn = transaction.get(StoredTurn, (session.key, turn_id))
            if turn is None:
                raise _turn_not_found(turn_id)
            before, length = turn_size(turn), len(turn.answer)
            for name, value in changes.items():
                setattr(turn, name, (value or None) if name in OPTIONAL_COLUMNS else value)
            growth = turn_size(turn) - before
            session.bytes += growth
            if ends:
                session.updated = time.time()
            # A long answer is not folded again each time it grows: only when its length has doubled.
            if ends or length.bit_length() != len(turn.answer).bit_length():
                text = sql.update(SearchText).where(
                    SearchText.session_key == session.key, SearchText.turn == turn_id
                )
                transaction.execute(text.values(text=search.text_of(turn)))
            transaction.flush()
            if growth > 0:
                self._check_room(transaction, owner)

    def revert(self, owner: str, conversation_id: str, to: int) -> Conversation:
        """Remove the turn of the path with number `to`, counted from 1, and all that follow it.

        Returns the changed conversation. Raises InvalidRequest unless `to` is the number of a turn or of the
        next one.
        """
        with self._database.changing() as transaction:
            _lock(transaction, owner, conversation_id, True, updated=time.time())
            session = _read(transaction, owner, conversation_id)
            path = find_path(session.tree, session.head)
            following = len(path) + 1
            if not 1 <= to <= following:
                most = f"session {conversation_id} has {len(path)} questions"
                raise InvalidRequest(f"{most}; to must be 1 to {following}, not {to}.")
            if to < following:
                remove_turns(transaction, session, path[to - 1])
            reverted = to_conversation(_read(transaction, owner, conversation_id))
        self._database.free_disk_space()
        return reverted

    def purge(self, age_s: float = PURGE_AFTER_S) -> int:
        """Remove the conversations that were deleted `age_s` seconds ago; return their number."""
        removed = self._remove(Session.deleted < time.time() - age_s)
        if removed:
            self._database.free_disk_space()
        return removed

    def remove_expired(self, age_s: float) -> int:
        """Remove the conversations that have not changed for `age_s` seconds; return their number.

        Those that a request of this process has reserved are not removed.
        """
        return self._database.remove_in_batches(remove_unchanged(Session, age_s, list(self._held)))

    def _remove(self, *conditions: sql.ColumnElement[bool]) -> int:
        with self._database.changing() as transaction:
            return change_rows(transaction, sql.delete(Session).where(*conditions))

    def _purge_at_intervals(self) -> None:
        now = time.monotonic()
        if not self._last_purge or now - self._last_purge > _PURGE_INTERVAL_S:
            self._last_purge = now
            self.purge()

    def _check_room(self, transaction: orm.Session, owner: str, extra_bytes: int = 0) -> None:
        """Those that were deleted, and could be restored, do not count."""
        own = sql.and_(Session.owner == owner, Session.deleted.is_(None))
        check_limits(transaction, self._limits, Session.bytes, own, "sessions", (0, extra_bytes))


def _lock(
    transaction: orm.Session,
    owner: str,
    conversation_id: str,
    is_new_version: bool,
    seen: Conversation | None = None,
    is_deleted: bool = False,
    **changes: Any,
) -> None:
    """Begin a change of a conversation, as the first statement of a transaction.

    Raises ConversationNotFound, or StoreConflict if it is not as it was `seen`.
    """
    conditions = _with_id(owner, conversation_id, is_deleted)
    if seen is not None:  # one that has the same id after a removal was created later
        conditions += (Session.version == seen.version, Session.created == seen.created)
    changed = change_rows(
        transaction,
        sql.update(Session)
        .where(*conditions)
        .values(version=Session.version + int(is_new_version), **changes)
        .execution_options(synchronize_session=False),
    )
    if not changed:
        if seen is None:
            raise _not_found(conversation_id)
        raise StoreConflict("somebody else has changed the conversation at the same time; try again.")


def _read(transaction: orm.Session, owner: str, conversation_id: str) -> Session:
    transaction.expire_all()
    query = sql.select(Session).where(*_with_id(owner, conversation_id))
    session = transaction.scalar(query.options(orm.selectinload(Session.tree)))
    if session is None:
        raise _not_found(conversation_id)
    return session


def _read_without_turns(transaction: orm.Session, owner: str, conversation_id: str) -> Session:
    return transaction.scalars(sql.select(Session).where(*_with_id(owner, conversation_id))).one()


def _with_id(
    owner: str, conversation_id: str, is_deleted: bool = False
) -> tuple[sql.ColumnElement[bool], ...]:
    state = Session.deleted.is_not(None) if is_deleted else Session.deleted.is_(None)
    return Session.owner == owner, Session.id == conversation_id, state


def _list(owner: str, limit: int) -> sql.Select:
    columns = Session.id, Session.title, Session.pinned, Session.created, Session.updated
    query = sql.select(Session.key, *columns, count_questions())
    return query.where(Session.owner == owner, Session.deleted.is_(None)).limit(limit)


def _not_found(conversation_id: str) -> ConversationNotFound:
    message = f"there is no conversation {conversation_id}; it may have been deleted."
    return ConversationNotFound(message, "id")


def _turn_not_found(turn_id: int) -> TurnNotFound:
    return TurnNotFound(f"the conversation has no turn {turn_id}; it may have been removed.")
