"""The commands {"conversations": ...} of `chat_control`, as contract.py describes them.

They use the same database as the HTTP service. It is opened by the first command, in a thread: a database
that is slow, or fails, delays nothing but these commands.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from model_core.errors import InvalidRequest, QueueFull
from model_core.events import FinishReason
from model_core.messages import FailFastList
from model_core.validation import JsonObject, Text, check_json, explain, shorten

from ..conversations.errors import StoreError
from ..conversations.exchange import from_json
from ..conversations.fields import (
    MAX_ATTACHMENTS,
    MAX_TOOL_CALLS,
    ConversationParameters,
    Id,
    Kind,
    LongText,
    Name,
    OwnerName,
    SearchWords,
    TimingsObject,
    Title,
    TokenCount,
    TurnId,
    UsageObject,
)
from ..conversations.limits import SessionLimits
from ..conversations.tree import Attachment

if TYPE_CHECKING:
    from ..conversations.documents import DocumentStore
    from ..conversations.store import ConversationStore

COMMAND = "conversations"
MAX_VALUE_BYTES = 2**20  # of a document or a vote, and of the parameters of a turn
MAX_PAGE = 200
_THREADS = 4
_MAX_WAITING = 64  # commands
# For the database. Other commands wait as long, because Triton joins them to batches.
_TIMEOUT_S, _OPENING_TIMEOUT_S = 5.0, 9.0


class _Fields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class _Command(_Fields):
    """A command. Fields that are not given do not change anything; null is a value."""

    owner: OwnerName = ""


class _Cursor(_Fields):
    pinned: bool
    updated: float
    id: Id


class _List(_Command):
    search: SearchWords = ""
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 50
    before: _Cursor | None = None


class _Create(_Command):
    title: Title = ""
    system: LongText | None = None
    parameters: ConversationParameters = Field(default_factory=dict)


class _Import(_Command):
    file: Text


class _WithId(_Command):
    id: Id


class _Change(_WithId):
    title: Title = ""
    pinned: bool = False
    system: LongText | None = None
    parameters: ConversationParameters = Field(default_factory=dict)
    head: TurnId | None = None


class _Attachment(_Fields):
    name: Name
    text: LongText
    tokens: TokenCount | None = None


class _AddTurn(_WithId):
    parent: TurnId | None
    question: LongText
    parameters: JsonObject = Field(default_factory=dict)
    attachments: Annotated[FailFastList[_Attachment], Field(max_length=MAX_ATTACHMENTS)] = Field(
        default_factory=list
    )


class _ChangeTurn(_WithId):
    turn: TurnId
    answer: LongText = ""
    reasoning: LongText = ""
    tool_calls: Annotated[FailFastList[JsonObject], Field(max_length=MAX_TOOL_CALLS)] = Field(
        default_factory=list
    )
    finish_reason: FinishReason | None = None
    usage: UsageObject | None = None
    timings: TimingsObject | None = None
    rating: Literal[-1, 0, 1] = 0


class _OfKind(_Command):
    kind: Kind


class _Document(_OfKind):
    name: Name


class _PutDocument(_Document):
    value: Annotated[Any, AfterValidator(check_json)]


class _AddVote(_Command):
    vote: JsonObject


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

    @staticmethod
    def has(command: Any) -> bool:
        """Whether this is one of the commands."""
        return isinstance(command, dict) and COMMAND in command

    async def run(self, command: Mapping[str, Any]) -> str:
        """The result of a command, as JSON. Raises TritonchatError."""
        name, fields = command[COMMAND], {key: value for key, value in command.items() if key != COMMAND}
        if not isinstance(name, str) or name not in _COMMANDS:
            raise InvalidRequest(
                f"conversations has no command {shorten(name)}; it has {', '.join(_COMMANDS)}.", COMMAND
            )
        model, function = _COMMANDS[name]
        with self._lock:
            if self._waiting >= _MAX_WAITING:
                raise QueueFull("too many commands wait for the database of conversations; try again.")
            self._waiting += 1
        job = self._threads.submit(self._run, model, function, fields)
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

    def _run(self, model: type[_Command], function: Callable[..., Any], fields: Mapping[str, Any]) -> str:
        try:
            command = model(**fields)
        except ValidationError as error:
            raise InvalidRequest(*explain(error.errors(), model.model_fields)) from None
        result = json.dumps(function(self, command), ensure_ascii=False)
        self._is_open = True
        return result

    def _count_end(self, _: Future[str]) -> None:
        with self._lock:
            self._waiting -= 1

    @cached_property
    def _stores(self) -> "tuple[ConversationStore, DocumentStore]":
        # Imported here because SQLAlchemy is large; `load_modules` does it while Triton starts.
        from ..conversations.database import default_url
        from ..conversations.documents import DocumentStore
        from ..conversations.store import ConversationStore
        from ..conversations.transactions import Database

        database = Database(self._url or default_url())
        return ConversationStore(database, self._limits), DocumentStore(database, self._limits)

    @property
    def conversations(self) -> "ConversationStore":
        """The store, which is opened when it is first used."""
        return self._stores[0]

    @property
    def documents(self) -> "DocumentStore":
        """The store of documents and votes, in the same database."""
        return self._stores[1]


def _list(stores: ConversationCommands, command: _List) -> dict[str, Any]:
    before = command.before and (command.before.pinned, command.before.updated, command.before.id)
    found = stores.conversations.list_conversations(command.owner, command.search, command.limit, before)
    return {"conversations": [asdict(summary) for summary in found]}


def _get(stores: ConversationCommands, command: _WithId) -> dict[str, Any]:
    return {"conversation": asdict(stores.conversations.get(command.owner, command.id))}


def _create(stores: ConversationCommands, command: _Create) -> dict[str, Any]:
    made = stores.conversations.create(command.owner, command.title, command.system, command.parameters)
    return {"conversation": asdict(made)}


def _import(stores: ConversationCommands, command: _Import) -> dict[str, Any]:
    return {"conversation": asdict(stores.conversations.add(command.owner, from_json(command.file)))}


def _change(stores: ConversationCommands, command: _Change) -> dict[str, Any]:
    changed = stores.conversations.change(command.owner, command.id, _given(command, "id"))
    return {"conversation": asdict(changed)}


def _delete(stores: ConversationCommands, command: _WithId) -> dict[str, Any]:
    stores.conversations.delete(command.owner, command.id)
    return {"deleted": True}


def _restore(stores: ConversationCommands, command: _WithId) -> dict[str, Any]:
    return {"conversation": asdict(stores.conversations.restore(command.owner, command.id))}


def _add_turn(stores: ConversationCommands, command: _AddTurn) -> dict[str, Any]:
    _check_size(command.parameters, "parameters")
    attachments = [Attachment(file.name, file.text, file.tokens) for file in command.attachments]
    turn = stores.conversations.add_turn(
        command.owner, command.id, command.parent, command.question, command.parameters, attachments
    )
    return {"turn": turn}


def _change_turn(stores: ConversationCommands, command: _ChangeTurn) -> dict[str, Any]:
    changes = _given(command, "id", "turn")
    stores.conversations.change_turn(command.owner, command.id, command.turn, changes)
    return {"changed": True}


def _list_documents(stores: ConversationCommands, command: _OfKind) -> dict[str, Any]:
    return {"documents": stores.documents.list_documents(command.owner, command.kind)}


def _get_document(stores: ConversationCommands, command: _Document) -> dict[str, Any]:
    return {"value": stores.documents.get(command.owner, command.kind, command.name)}


def _put_document(stores: ConversationCommands, command: _PutDocument) -> dict[str, Any]:
    _check_size(command.value, "value")
    stores.documents.put(command.owner, command.kind, command.name, command.value)
    return {"stored": True}


def _delete_document(stores: ConversationCommands, command: _Document) -> dict[str, Any]:
    stores.documents.delete(command.owner, command.kind, command.name)
    return {"deleted": True}


def _list_votes(stores: ConversationCommands, command: _Command) -> dict[str, Any]:
    return {"votes": stores.documents.list_votes(command.owner)}


def _add_vote(stores: ConversationCommands, command: _AddVote) -> dict[str, Any]:
    _check_size(command.vote, "vote")
    stores.documents.add_vote(command.owner, command.vote)
    return {"stored": True}


_COMMANDS: dict[str, tuple[type[_Command], Callable[..., dict[str, Any]]]] = {
    "list": (_List, _list),
    "get": (_WithId, _get),
    "create": (_Create, _create),
    "import": (_Import, _import),
    "change": (_Change, _change),
    "delete": (_WithId, _delete),
    "restore": (_WithId, _restore),
    "add_turn": (_AddTurn, _add_turn),
    "change_turn": (_ChangeTurn, _change_turn),
    "list_documents": (_OfKind, _list_documents),
    "get_document": (_Document, _get_document),
    "put_document": (_PutDocument, _put_document),
    "delete_document": (_Document, _delete_document),
    "list_votes": (_Command, _list_votes),
    "add_vote": (_AddVote, _add_vote),
}


def _given(command: _Command, *others: str) -> dict[str, Any]:
    """The fields that a command gives, without `owner` and `others`."""
    names = command.model_fields_set - {"owner", *others}
    return {name: getattr(command, name) for name in names}


def _check_size(value: Any, name: str) -> None:
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > MAX_VALUE_BYTES:
        raise InvalidRequest(f"{name} has {size} bytes; at most {MAX_VALUE_BYTES} are allowed.", name)
