"""The fields of conversations with their limits: for commands, and for files that people bring."""

import json
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from model_core.events import Timings, Usage
from model_core.messages import ChatFields
from model_core.sampling import SamplingFields
from model_core.validation import JsonObject, StrictModel, check_text

from ..vocabulary import ModelFields

MAX_TITLE_LENGTH = 200
MAX_TEXT_LENGTH = 2**22  # of a question, an answer or an attachment
MAX_ATTACHMENTS = 50  # of a question
MAX_TOOL_CALLS = 1000  # of an answer

_USAGE, _TIMINGS = TypeAdapter(Usage), TypeAdapter(Timings)
_PRINTABLE = r"^[^\x00-\x1f\x7f]*$"  # PostgreSQL stores no NUL in such columns


class _ConversationParameters(SamplingFields, ChatFields, ModelFields, StrictModel):
    """The parameters of a conversation, which all interfaces understand."""


def _check_parameters(values: dict[str, Any]) -> dict[str, Any]:
    _ConversationParameters(**values)
    return {name: value for name, value in values.items() if value is not None}


def _parse_usage(value: dict[str, Any]) -> dict[str, Any]:
    return _parse(_USAGE, value)


def _parse_timings(value: dict[str, Any]) -> dict[str, Any]:
    return _parse(_TIMINGS, value)


def _parse(kind: TypeAdapter[Any], value: dict[str, Any]) -> dict[str, Any]:
    try:
        # From JSON, because Python's objects would have to be of the type already.
        return asdict(kind.validate_json(json.dumps(value), strict=True))
    except ValidationError:
        raise PydanticCustomError("numbers", "has not the numbers of an answer's details") from None


_Unicode = AfterValidator(check_text)
OwnerName = Annotated[str, Field(max_length=64, pattern=_PRINTABLE), _Unicode]
Kind = Annotated[str, Field(min_length=1, max_length=64, pattern=_PRINTABLE), _Unicode]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=_PRINTABLE), _Unicode]
# No dot at the beginning: clients take `.` and `..` in a path for folders.
ID_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"
Id = Annotated[str, Field(pattern=ID_PATTERN)]
TurnId = Annotated[int, Field(ge=1, le=2**31 - 1)]
Title = Annotated[str, Field(max_length=MAX_TITLE_LENGTH), _Unicode]
SearchWords = Annotated[str, Field(max_length=1000), _Unicode]
LongText = Annotated[str, Field(max_length=MAX_TEXT_LENGTH), _Unicode]
TokenCount = Annotated[int, Field(ge=0, le=2**31 - 1)]
ConversationParameters = Annotated[JsonObject, AfterValidator(_check_parameters)]
UsageObject = Annotated[JsonObject, AfterValidator(_parse_usage)]
TimingsObject = Annotated[JsonObject, AfterValidator(_parse_timings)]
