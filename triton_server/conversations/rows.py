"""The rows of conversations and turns: their sizes, their titles, and what readers see of them."""

from collections.abc import Sequence
from dataclasses import fields

import sqlalchemy as sql
from sqlalchemy import orm

from . import search
from .limits import measure
from .tables import SearchText, Session, StoredTurn
from .tree import Attachment, Conversation, Turn, find_subtree

OPTIONAL_COLUMNS = ("reasoning", "tool_calls")  # of a turn, stored as missing if they are empty
_MAX_IDS = 10_000  # of one statement


def to_conversation(session: Session) -> Conversation:
    """The conversation of a row whose turns were read."""
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
        receipt=turn.receipt,
        attachments=[Attachment(**file) for file in turn.attachments or ()],
        created=turn.created,
    )


def to_row(turn: Turn, number: int) -> StoredTurn:
    """The row of a turn, without the key of its conversation. Empty fields are as missing ones."""
    values = {field.name: getattr(turn, field.name) for field in fields(Turn)}
    values |= {name: values[name] or None for name in OPTIONAL_COLUMNS}
    values["attachments"] = [file.to_json() for file in turn.attachments] or None
    return StoredTurn(number=number, **values)


def title_fields(title: str) -> dict[str, str | None]:
    """The columns of a title; "" for none, until the next question."""
    return {"title": title or None, "search_title": search.fold(title) if title else None}


def count_questions() -> sql.ColumnElement[int]:
    """The number of questions of the path to the head, as a column of a query for conversations."""
    number = sql.select(StoredTurn.number).where(
        StoredTurn.session_key == Session.key, StoredTurn.id == Session.head
    )
    return sql.func.coalesce(number.scalar_subquery(), 0)


def turn_size(turn: StoredTurn) -> int:
    """The size of a turn as `limits.measure` counts."""
    values = turn.question, turn.answer, turn.parameters, turn.reasoning, turn.tool_calls, turn.attachments
    return measure(*values, turn.receipt)


def add_turns(transaction: orm.Session, session_key: int, turns: Sequence[StoredTurn]) -> None:
    """Add turns to a conversation, so that the search finds them."""
    for turn in turns:
        turn.session_key = session_key
    transaction.add_all(turns)
    transaction.flush()
    transaction.add_all(
        SearchText(session_key=session_key, turn=turn.id, text=search.text_of(turn)) for turn in turns
    )


def remove_turns(transaction: orm.Session, session: Session, first: StoredTurn) -> None:
    """Remove a turn and all that follow it. The one before becomes the head."""
    removed = find_subtree({turn.id: turn.parent for turn in session.tree}, first.id)
    session.head = first.parent
    session.bytes -= sum(turn_size(turn) for turn in session.tree if turn.id in removed)
    transaction.flush()
    ids = sorted(removed)
    for start in range(0, len(ids), _MAX_IDS):
        batch = StoredTurn.id.in_(ids[start : start + _MAX_IDS])
        transaction.execute(sql.delete(StoredTurn).where(StoredTurn.session_key == session.key, batch))
