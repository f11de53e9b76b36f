"""The store of conversations with all their branches, as the page and the terminal see them.

It has the tables of sessions.py: a session is the path of a conversation to its head. Turns are only added to
a conversation, or changed while their answer runs, so two writers at a time lose nothing of each other. What
both may set, such as the head, has the value that came last.
"""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm

from . import search
from .errors import ConversationNotFound, StoreConflict, TurnNotFound
from .limits import SessionLimits, measure
from .sessions import add_turns, check_room, count_questions, title_fields, turn_size
from .tables import SearchText, Session, StoredTurn
from .transactions import Database
from .tree import Attachment, Conversation, Summary, Turn, make_title

PURGE_AFTER_S = 7 * 86400.0  # until then, a conversation that was deleted can be restored
_PURGE_INTERVAL_S = 3600.0


class ConversationStore:
    """The conversations of a database.

    The methods may be called from several threads. Each is one transaction, which is committed when the
    method returns. Each raises StoreError if the database cannot be used, StoreConflict if it should be
    called again, and ConversationNotFound for an id that the owner has no conversation of.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        self._database, self._limits = database, limits
        self._last_purge = 0.0

    def list_conversations(
        self, owner: str, query: str, limit: int, before: tuple[bool, float, str] | None = None
    ) -> list[Summary]:
        """At most `limit` conversations that have all words of `query`, pinned ones and then new ones first.

        `before` is `pinned`, `updated` and `id` of a conversation: only those that follow it are returned.
        """
        self._purge_at_intervals()
        columns = Session.id, Session.title, Session.pinned, Session.created, Session.updated
        order = Session.pinned, Session.updated, Session.id
        statement = (
            sql.select(*columns, count_questions())
            .where(Session.owner == owner, Session.deleted.is_(None))
            .order_by(*(column.desc() for column in order))
            .limit(limit)
        )
        if before is not None:
            cursor = (sql.literal(value, column.type) for column, value in zip(order, before, strict=True))
            statement = statement.where(sql.tuple_(*order) < sql.tuple_(*cursor))
        with self._database.reading() as transaction:
            rows = transaction.execute(statement.where(*search.has_words(transaction, query)))
            return [Summary(id, title or "", *others) for id, title, *others in rows]

    def get(self, owner: str, conversation_id: str) -> Conversation:
        """A conversation with all its turns."""
        with self._database.reading() as transaction:
            return _to_conversation(_read(transaction, owner, conversation_id))

    def create(
        self, owner: str, title: str, system: str | None, parameters: Mapping[str, Any]
    ) -> Conversation:
        """Create a conversation without turns. Raises SessionsFull if the owner has reached a limit."""
        now = time.time()
        session = Session(
            owner=owner,
            id=uuid.uuid4().hex,
            system=system,
            parameters=dict(parameters),
            created=now,
            updated=now,
            version=1,
            bytes=measure(system, parameters),
            **title_fields(title),
        )
        with self._changing() as transaction:
            transaction.add(session)
            transaction.flush()
            check_room(transaction, self._limits, owner)
            return _to_conversation(_read(transaction, owner, session.id))

    def add(self, owner: str, conversation: Conversation) -> Conversation:
        """Store a whole conversation that comes from elsewhere, under a new id. Raises SessionsFull."""
        now, numbers = time.time(), {}
        turns = []
        for turn in conversation.turns:  # parents come first
            numbers[turn.id] = 1 if turn.parent is None else numbers[turn.parent] + 1
            values = {field.name: getattr(turn, field.name) for field in fields(Turn)}
            values |= {name: values[name] or None for name in ("reasoning", "tool_calls")}
            values["attachments"] = [asdict(file) for file in turn.attachments] or None
            turns.append(StoredTurn(number=numbers[turn.id], **values))
        session = Session(
            owner=owner,
            id=uuid.uuid4().hex,
            system=conversation.system,
            parameters=conversation.parameters,
            created=conversation.created or now,
            updated=now,
            version=1,
            head=conversation.head,
            last_turn=max(numbers, default=0),
            bytes=measure(conversation.system, conversation.parameters) + sum(map(turn_size, turns)),
            **title_fields(conversation.title),
        )
        with self._changing() as transaction:
            transaction.add(session)
            transaction.flush()
            check_room(transaction, self._limits, owner)
            for turn in turns:
                turn.session_key = session.key
            add_turns(transaction, turns)
            return _to_conversation(_read(transaction, owner, session.id))

    def change(self, owner: str, conversation_id: str, changes: Mapping[str, Any]) -> Conversation:
        """Change `title`, `pinned`, `system`, `parameters` or `head`; return the changed conversation.

        Raises TurnNotFound for a head that the conversation does not have, and SessionsFull.
        """
        values = dict(changes)
        if "title" in values:
            values |= title_fields(values["title"])
        is_seen = not values.keys().isdisjoint({"system", "parameters", "head"})  # by an answer
        with self._changing() as transaction:
            _lock(transaction, owner, conversation_id, is_seen)
            session = _read(transaction, owner, conversation_id)
            if values.get("head") is not None:
                _find_turn(session.tree, values["head"])
            before = measure(session.system, session.parameters)
            for name, value in values.items():
                setattr(session, name, value)
            growth = measure(session.system, session.parameters) - before
            session.bytes += growth
            if not values.keys().isdisjoint({"system", "parameters"}):
                session.updated = time.time()
            transaction.flush()
            if growth > 0:
                check_room(transaction, self._limits, owner)
            return _to_conversation(session)

    def delete(self, owner: str, conversation_id: str) -> None:
        """Delete a conversation. It can be restored for PURGE_AFTER_S seconds.

        If those that could be restored are more than an owner may have, only this one can be.
        """
        with self._changing() as transaction:
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
        """Undo `delete`. Raises SessionsFull if there is no room any more."""
        with self._changing() as transaction:
            _lock(transaction, owner, conversation_id, True, is_deleted=True, deleted=None)
            check_room(transaction, self._limits, owner)
            return _to_conversation(_read(transaction, owner, conversation_id))

    def add_turn(
        self,
        owner: str,
        conversation_id: str,
        parent: int | None,
        question: str,
        parameters: Mapping[str, Any],
        attachments: Sequence[Attachment] = (),
    ) -> int:
        """Add a turn whose answer runs; return its id. It becomes the head.

        Raises TurnNotFound for a parent that the conversation does not have, and SessionsFull.
        """
        with self._changing() as transaction:
            # The first statement takes the lock, and no other turn gets the same id.
            _lock(transaction, owner, conversation_id, True, last_turn=Session.last_turn + 1)
            session = _read_without_turns(transaction, owner, conversation_id)
            number = 0
            if parent is not None:
                query = sql.select(StoredTurn.number).where(
                    StoredTurn.session_key == session.key, StoredTurn.id == parent
                )
                number = transaction.scalar(query)
                if number is None:
                    raise _turn_not_found(parent)
            turn = StoredTurn(
                session_key=session.key,
                id=session.last_turn,
                parent=parent,
                number=number + 1,
                question=question,
                answer="",
                parameters=dict(parameters),
                attachments=[asdict(file) for file in attachments] or None,
                created=time.time(),
            )
            size = turn_size(turn)
            check_room(transaction, self._limits, owner, size)
            add_turns(transaction, [turn])
            session.head, session.bytes, session.updated = turn.id, session.bytes + size, turn.created
            if session.title is None:
                for name, value in title_fields(make_title(question)).items():
                    setattr(session, name, value)
            return turn.id

    def change_turn(self, owner: str, conversation_id: str, turn_id: int, changes: Mapping[str, Any]) -> None:
        """Change fields of a turn: the answer so far, its end, its rating.

        Raises TurnNotFound, and SessionsFull if an answer has no room.
        """
        with self._changing() as transaction:
            ends = changes.get("finish_reason") is not None
            _lock(transaction, owner, conversation_id, ends)
            session = _read_without_turns(transaction, owner, conversation_id)
            turn = transaction.get(StoredTurn, (session.key, turn_id))
            if turn is None:
                raise _turn_not_found(turn_id)
            before, length = turn_size(turn), len(turn.answer)
            for name, value in changes.items():
                # What is empty has the size of what is missing.
                is_optional = name in ("reasoning", "tool_calls")
                setattr(turn, name, (value or None) if is_optional else value)
            growth = turn_size(turn) - before
            if growth:
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
                check_room(transaction, self._limits, owner)

    def purge(self, age_s: float = PURGE_AFTER_S) -> int:
        """Remove the conversations that were deleted `age_s` seconds ago; return their number."""
        with self._changing() as transaction:
            removal = sql.delete(Session).where(Session.deleted < time.time() - age_s)
            count = transaction.execute(removal).rowcount
        if count:
            self._database.free_disk_space()
        return count

    def _purge_at_intervals(self) -> None:
        now = time.monotonic()
        if not self._last_purge or now - self._last_purge > _PURGE_INTERVAL_S:
            self._last_purge = now
            self.purge()

    @contextmanager
    def _changing(self) -> Iterator[orm.Session]:
        """A transaction whose first statement waits for others that change the same conversation."""
        with self._database.changing(_conflict(), waits=True) as transaction:
            yield transaction


def _lock(
    transaction: orm.Session,
    owner: str,
    conversation_id: str,
    is_new_version: bool,
    is_deleted: bool = False,
    **changes: Any,
) -> None:
    """Begin a change of a conversation, as the first statement of a transaction.

    Raises ConversationNotFound.
    """
    state = Session.deleted.is_not(None) if is_deleted else Session.deleted.is_(None)
    changed = transaction.execute(
        sql.update(Session)
        .where(Session.owner == owner, Session.id == conversation_id, state)
        .values(version=Session.version + int(is_new_version), **changes)
        .execution_options(synchronize_session=False)
    )
    if not changed.rowcount:
        raise _not_found(conversation_id)


def _read(transaction: orm.Session, owner: str, conversation_id: str) -> Session:
    transaction.expire_all()
    session = transaction.scalar(_query(owner, conversation_id).options(orm.selectinload(Session.tree)))
    if session is None:
        raise _not_found(conversation_id)
    return session


def _read_without_turns(transaction: orm.Session, owner: str, conversation_id: str) -> Session:
    return transaction.scalars(_query(owner, conversation_id)).one()


def _query(owner: str, conversation_id: str) -> sql.Select[tuple[Session]]:
    return sql.select(Session).where(
        Session.owner == owner, Session.id == conversation_id, Session.deleted.is_(None)
    )


def _find_turn(turns: Sequence[StoredTurn], turn_id: int) -> StoredTurn:
    turn = next((turn for turn in turns if turn.id == turn_id), None)
    if turn is None:
        raise _turn_not_found(turn_id)
    return turn


def _to_conversation(session: Session) -> Conversation:
    return Conversation(
        id=session.id,
        title=session.title or "",
        system=session.system,
        parameters=session.parameters,
        head=session.head,
        version=session.version,
        turns=[_to_turn(turn) for turn in session.tree],
        pinned=session.pinned,
        created=session.created,
        updated=session.updated,
    )


def _to_turn(turn: StoredTurn) -> Turn:
    return Turn(
        id=turn.id,
        parent=turn.parent,
        question=turn.question,
        answer=turn.answer,
        reasoning=turn.reasoning or "",
        tool_calls=turn.tool_calls or [],
        finish_reason=turn.finish_reason,
        usage=turn.usage,
        timings=turn.timings,
        parameters=turn.parameters,
        rating=turn.rating,
        attachments=[Attachment(**file) for file in turn.attachments or ()],
        created=turn.created,
    )


def _conflict() -> StoreConflict:
    return StoreConflict("somebody else has changed the conversation at the same time; try again.")


def _not_found(conversation_id: str) -> ConversationNotFound:
    return ConversationNotFound(
        f"there is no conversation {conversation_id}; it may have been deleted.", "id"
    )


def _turn_not_found(turn_id: int) -> TurnNotFound:
    return TurnNotFound(f"the conversation has no turn {turn_id}; it may have been removed.")
