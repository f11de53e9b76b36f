"""The commands of the store of conversations.

They use the same database as the HTTP service. It is opened by the first command, in a thread: a database
that is slow, or fails, delays nothing but these commands.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from model_core.checks.request_values import explain, shorten
from model_core.errors import InvalidRequest, QueueFull

from ...contract.commands import Conversations
from ...contract.conversation_errors import StoreError
from ...conversations.commands import STORE_COMMANDS
from ...conversations.exchange import from_json
from ...conversations.limits import SessionLimits
from ...conversations.tree import Attachment, Turn

if TYPE_CHECKING:
    from ...conversations.documents import DocumentStore
    from ...conversations.store import ConversationStore
    from ...conversations.usage import UsageStore
    from .collection_commands import CollectionCommands

_THREADS = 4
_MAX_WAITING = 64  # commands
# For the database. Other commands wait as long, because Triton joins them to batches.
_TIMEOUT_S, _OPENING_TIMEOUT_S = 5.0, 9.0


class ConversationCommands:
    """Runs the commands in threads."""

    def __init__(self, database: str | None = None, limits: SessionLimits | None = None) -> None:
        """`database` is as for `conversations.database.create_engine`; None: SQLite in the data folder."""
        self._url, self._limits = database, limits or SessionLimits()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="conversations")
        self._lock, self._waiting = threading.Lock(), 0
        self._is_open = False  # whether a command has succeeded

    def load_modules(self) -> None:
        """Begin to import what the first command needs, but do not open the database."""
        self._threads.submit(lambda: self._stores)

    async def run(self, command: Conversations) -> str:
        """The result of a command, as JSON. Raises TritonchatError."""
        name, fields = command.conversations, command.model_extra or {}
        if name not in STORE_COMMANDS:
            raise InvalidRequest(
                f"conversations has no command {shorten(name)}; it has {', '.join(STORE_COMMANDS)}.",
                "conversations",
            )
        with self._lock:
            if self._waiting >= _MAX_WAITING:
                raise QueueFull("too many commands wait for the database of conversations; try again.")
            self._waiting += 1
        job = self._threads.submit(self._run, name, fields)
        job.add_done_callback(self._count_end)
        waiting = asyncio.wrap_future(job)
        timeout_s = _TIMEOUT_S if self._is_open else _OPENING_TIMEOUT_S
        done, _ = await asyncio.wait([waiting], timeout=timeout_s)
        if not done:
            waiting.cancel()  # a command that has begun goes on
            raise StoreError(
                f"the database of conversations has not answered within {timeout_s:.0f} s; try again in a "
                "moment."
            )
        return waiting.result()

    def _run(self, name: str, fields: Mapping[str, Any]) -> str:
        (model,) = STORE_COMMANDS[name].fields
        try:
            command = model(**fields)
        except ValidationError as error:
            raise InvalidRequest(*explain(error.errors(), model.model_fields)) from None
        result = STORE_COMMANDS[name].make_result(_HANDLERS[name](self, command))
        self._is_open = True
        return json.dumps(result, ensure_ascii=False)

    def _count_end(self, _: Future[str]) -> None:
        with self._lock:
            self._waiting -= 1

    @cached_property
    def _stores(self) -> "tuple[ConversationStore, DocumentStore, CollectionCommands, UsageStore]":
        # Imported here because SQLAlchemy is large; `load_modules` does it while Triton starts.
        from ...conversations.database import default_url
        from ...conversations.documents import DocumentStore
        from ...conversations.store import ConversationStore
        from ...conversations.transactions import Database
        from ...conversations.usage import UsageStore
        from .collection_commands import CollectionCommands

        url = self._url or default_url()
        database, limits = Database(url), self._limits
        collections = CollectionCommands(database, url, limits)
        documents = DocumentStore(database, limits)
        return ConversationStore(database, limits), documents, collections, UsageStore(database)

    @property
    def conversations(self) -> "ConversationStore":
        """The store, which is opened when it is first used."""
        return self._stores[0]

    @property
    def documents(self) -> "DocumentStore":
        """The store of documents and votes, in the same database."""
        return self._stores[1]

    @property
    def collections(self) -> "CollectionCommands":
        """The commands of collections, in the same database."""
        return self._stores[2]

    @property
    def usage(self) -> "UsageStore":
        """What answers took, in the same database."""
        return self._stores[3]


def _list(stores: ConversationCommands, command: Any) -> list[dict[str, Any]]:
    before = command.before and (command.before.pinned, command.before.updated, command.before.id)
    found = stores.conversations.list_conversations(command.owner, command.search, command.limit, before)
    return [asdict(summary) for summary in found]


def _get(stores: ConversationCommands, command: Any) -> dict[str, Any]:
    conversation, known = stores.conversations.get(command.owner, command.id), set(command.known)
    turns = [replace(turn, attachments=[]) if turn.id in known else turn for turn in conversation.turns]
    return asdict(replace(conversation, turns=turns))


def _add_turn(stores: ConversationCommands, command: Any) -> int:
    attachments = [Attachment(**dict(file)) for file in command.attachments]
    turn = Turn(0, command.parent, command.question, parameters=command.parameters, attachments=attachments)
    return stores.conversations.add_turn(command.owner, command.id, turn)


def _given(command: BaseModel) -> dict[str, Any]:
    """The fields that a command gives, without those that name what it is about."""
    return {name: getattr(command, name) for name in command.model_fields_set - {"owner", "id", "turn"}}


# What each command answers, in the form of JSON.
_HANDLERS: dict[str, Callable[[ConversationCommands, Any], Any]] = {
    "list": _list,
    "get": _get,
    "create": lambda stores, c: asdict(stores.conversations.create(c.owner, c.title, c.system, c.parameters)),
    "import": lambda stores, c: asdict(stores.conversations.add(c.owner, from_json(c.file))),
    "change": lambda stores, c: asdict(stores.conversations.change(c.owner, c.id, _given(c))),
    "delete": lambda stores, c: stores.conversations.delete(c.owner, c.id),
    "restore": lambda stores, c: asdict(stores.conversations.restore(c.owner, c.id)),
    "add_turn": _add_turn,
    "change_turn": lambda stores, c: stores.conversations.change_turn(c.owner, c.id, c.turn, _given(c)),
    "list_documents": lambda stores, c: stores.documents.list_documents(c.owner, c.kind),
    "get_document": lambda stores, c: stores.documents.get(c.owner, c.kind, c.name),
    "put_document": lambda stores, c: stores.documents.put(c.owner, c.kind, c.name, c.value),
    "delete_document": lambda stores, c: stores.documents.delete(c.owner, c.kind, c.name),
    "usage": lambda stores, c: stores.usage.count(c.owner, c.since),
    "list_votes": lambda stores, c: stores.documents.list_votes(c.owner),
    "add_vote": lambda stores, c: stores.documents.add_vote(c.owner, c.vote),
    "list_collections": lambda stores, c: stores.collections.list_collections(c),
    "create_collection": lambda stores, c: stores.collections.create(c),
    "delete_collection": lambda stores, c: stores.collections.delete(c),
    "list_collection_files": lambda stores, c: stores.collections.list_files(c),
    "add_collection_file": lambda stores, c: stores.collections.add_file(c),
    "delete_collection_file": lambda stores, c: stores.collections.delete_file(c),
    "search_collection": lambda stores, c: stores.collections.search(c),
}
