"""Stores of conversations for tests, and what the service does with them for a session."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import sqlalchemy as sql

from triton_server.conversations.database import create_engine
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.tables import Session
from triton_server.conversations.transactions import Database
from triton_server.conversations.tree import Conversation, Turn


@contextmanager
def open_store(
    url: str, names: Mapping[str, str] | None = None, **limits: int
) -> Iterator[ConversationStore]:
    """A store of the database."""
    with closing(Database(url, names)) as database:
        yield ConversationStore(database, SessionLimits(**limits))


def create(
    store: ConversationStore,
    owner: str,
    session_id: str | None,
    system: str | None = None,
    parameters: dict[str, Any] | None = None,
) -> Conversation:
    """A new session."""
    return store.create(owner, "", system, parameters or {}, session_id)


def answer(
    store: ConversationStore, seen: Conversation, question: str, text: str, owner: str = "", **fields: Any
) -> int:
    """Append an answered question to a session as it was `seen`; return its number on the path, from 1."""
    fields = {"finish_reason": "stop", **fields}
    turn = store.add_turn(owner, seen.id, Turn(0, seen.head, question, text, **fields), seen)
    return [turn.id for turn in store.get(owner, seen.id).path()].index(turn) + 1


def questions(session: Conversation) -> list[str]:
    """Those of the path to the head."""
    return [turn.question for turn in session.path()]


def ids(store: ConversationStore, owner: str, limit: int = 9) -> list[str]:
    """Those of an owner's sessions, the newest first."""
    return [session.id for session in store.list_by_age(owner, limit).values()]


def size_of(url: str, owner: str, session_id: str) -> int:
    """The bytes of a conversation, as the limits count them."""
    engine = create_engine(url)
    with engine.connect() as connection:
        query = sql.select(Session.bytes).where(Session.owner == owner, Session.id == session_id)
        size = connection.execute(query).scalar_one()
    engine.dispose()
    return size
