"""The commands of the store of conversations: {"conversations": name, "owner": name, ...}."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import JsonObject, Text, check_json
from model_core.requests.messages import FailFastList

from ..contract.commands import Command
from .fields import (
    AnswerFields,
    Attachments,
    ConversationParameters,
    Id,
    Kind,
    LongText,
    Name,
    OwnerName,
    SearchWords,
    StrictFields,
    Title,
    TurnId,
)

_MAX_VALUE_BYTES = 2**20  # of a document or a vote, and of the parameters of a turn
_MAX_PAGE = 200
MAX_KNOWN = 1000  # turns
_MAX_FILE_LENGTH = 2**25  # of a file in base64
_MAX_FOUND = 50  # passages


def _check_size(value: Any) -> Any:
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > _MAX_VALUE_BYTES:
        raise PydanticCustomError(
            "size", "has {size} bytes; at most {limit} are allowed", {"size": size, "limit": _MAX_VALUE_BYTES}
        )
    return value


_SmallObject = Annotated[JsonObject, AfterValidator(_check_size)]


class _OfOwner(StrictFields):
    """What all commands have. Fields that are not given do not change anything; null is a value."""

    owner: OwnerName = ""


class _Cursor(StrictFields):
    pinned: bool
    updated: float
    id: Id


class _List(_OfOwner):
    search: SearchWords = ""
    limit: Annotated[int, Field(ge=1, le=_MAX_PAGE)] = 50
    before: _Cursor | None = None


class _Create(_OfOwner):
    title: Title = ""
    system: LongText | None = None
    parameters: ConversationParameters = Field(default_factory=dict)


class _Import(_OfOwner):
    file: Text


class _OfConversation(_OfOwner):
    id: Id


class _Get(_OfConversation):
    known: Annotated[list[TurnId], Field(max_length=MAX_KNOWN)] = Field(default_factory=list)


class _Change(_Create, _OfConversation):
    pinned: bool = False
    head: TurnId | None = None


class _AddTurn(_OfConversation):
    parent: TurnId | None
    question: LongText
    parameters: _SmallObject = Field(default_factory=dict)
    attachments: Attachments = Field(default_factory=list)


class _OfTurn(_OfConversation):
    turn: TurnId


class _ChangeTurn(AnswerFields, _OfTurn):
    pass


class _OfKind(_OfOwner):
    kind: Kind


class _OfDocument(_OfKind):
    name: Name


class _PutDocument(_OfDocument):
    value: Annotated[Any, AfterValidator(check_json), AfterValidator(_check_size)]


class _Usage(_OfOwner):
    since: Annotated[float, Field(ge=0, le=1e11)] = 0.0


class _AddVote(_OfOwner):
    vote: _SmallObject


class _NewCollection(_OfOwner):
    name: Name
    embedder: Name


class _OfCollection(_OfOwner):
    id: Id


class _AddFile(_OfCollection):
    name: Name
    data: Annotated[str, Field(max_length=_MAX_FILE_LENGTH)]
    size: Annotated[int, Field(ge=1, le=2**16)]
    overlap: Annotated[int, Field(ge=0, le=2**16)]


class _OfFile(_OfCollection):
    file: Id


class _SearchCollection(_OfCollection):
    vector: Annotated[FailFastList[float], Field(min_length=1, max_length=2**14)]
    fingerprint: str
    count: Annotated[int, Field(ge=1, le=_MAX_FOUND)]


STORE_COMMANDS = {
    "list": Command((_List,), "conversations"),
    "get": Command((_Get,), "conversation"),
    "create": Command((_Create,), "conversation"),
    "import": Command((_Import,), "conversation"),
    "change": Command((_Change,), "conversation"),
    "delete": Command((_OfConversation,), done="deleted"),
    "restore": Command((_OfConversation,), "conversation"),
    "add_turn": Command((_AddTurn,), "turn"),
    "change_turn": Command((_ChangeTurn,), done="changed"),
    "list_documents": Command((_OfKind,), "documents"),
    "get_document": Command((_OfDocument,), "value"),
    "put_document": Command((_PutDocument,), done="stored"),
    "delete_document": Command((_OfDocument,), done="deleted"),
    "usage": Command((_Usage,), "usage"),
    "list_votes": Command((_OfOwner,), "votes"),
    "add_vote": Command((_AddVote,), done="stored"),
    "list_collections": Command((_OfOwner,), "collections"),
    "create_collection": Command((_NewCollection,), "collection"),
    "delete_collection": Command((_OfCollection,), done="deleted"),
    "list_collection_files": Command((_OfCollection,), "files"),
    "add_collection_file": Command((_AddFile,), "file"),
    "delete_collection_file": Command((_OfFile,), done="deleted"),
    "search_collection": Command((_SearchCollection,), "passages"),
}
