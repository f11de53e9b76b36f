"""The fields of conversations with their limits: for commands, and for files that people bring."""

import json
import re
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import JsonObject, StrictModel, check_text
from model_core.errors import InvalidRequest
from model_core.images.data_url import check_data_url
from model_core.requests.events import FinishReason, Timings, Usage
from model_core.requests.messages import ChatFields, FailFastList
from model_core.requests.sampling import SamplingFields

from ..contract.request_fields import ModelFields

MAX_TITLE_LENGTH = 200
MAX_TEXT_LENGTH = 2**22  # of a question, an answer or an attachment
MAX_IMAGE_LENGTH = 2**23  # of the data URL of an image: a file of 6 MiB
MAX_ATTACHMENTS = 50  # of a question
MAX_TOOL_CALLS = 1000  # of an answer

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_USAGE, _TIMINGS = TypeAdapter(Usage), TypeAdapter(Timings)
_PRINTABLE = r"^[^\x00-\x1f\x7f]*$"  # PostgreSQL stores no NUL in such columns


class _ConversationParameters(SamplingFields, ChatFields, ModelFields, StrictModel):
    """The parameters of a conversation, which all interfaces understand."""


def _check_parameters(values: dict[str, Any]) -> dict[str, Any]:
    _ConversationParameters(**values)
    return {name: value for name, value in values.items() if value is not None}


def _check_image(url: str) -> str:
    try:
        text = check_data_url(url, "image")
    except InvalidRequest as error:
        raise PydanticCustomError(
            "image", "{reason}", {"reason": str(error).removeprefix("image ")[:-1]}
        ) from None
    if not _BASE64.fullmatch(text):
        raise PydanticCustomError("image", "is not valid base64")
    return url


def _parse_usage(value: dict[str, Any]) -> dict[str, Any]:
    return _parse(_USAGE, value).to_dict()


def _parse_timings(value: dict[str, Any]) -> dict[str, Any]:
    return asdict(_parse(_TIMINGS, value))


def _parse(kind: TypeAdapter[Any], value: dict[str, Any]) -> Any:
    try:
        # From JSON, because Python's objects would have to be of the type already.
        return kind.validate_json(json.dumps(value), strict=True)
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
# Whoever shows a conversation shows its images, so none may be an address on the web.
ImageText = Annotated[str, Field(max_length=MAX_IMAGE_LENGTH), AfterValidator(_check_image)]
Place = Annotated[str, Field(max_length=2000), _Unicode]
TokenCount = Annotated[int, Field(ge=0, le=2**31 - 1)]
ConversationParameters = Annotated[JsonObject, AfterValidator(_check_parameters)]
UsageObject = Annotated[JsonObject, AfterValidator(_parse_usage)]
TimingsObject = Annotated[JsonObject, AfterValidator(_parse_timings)]


class StrictFields(BaseModel):
    """Fields of a command or a file, of which all others are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class AttachmentFields(StrictFields):
    """An attachment of a question: a text, or an image, which has no text."""

    name: Name
    text: LongText
    tokens: TokenCount | None = None
    image: ImageText | None = None
    place: Place | None = None

    @model_validator(mode="after")
    def _check_kind(self) -> "AttachmentFields":
        if self.image is not None and self.text:
            raise PydanticCustomError("kind", "has a text beside its image; make two attachments of them")
        return self


class AnswerFields(StrictFields):
    """What a turn has beside its question."""

    answer: LongText = ""
    reasoning: LongText = ""
    tool_calls: Annotated[FailFastList[JsonObject], Field(max_length=MAX_TOOL_CALLS)] = Field(
        default_factory=list
    )
    finish_reason: FinishReason | None = None
    usage: UsageObject | None = None
    timings: TimingsObject | None = None
    rating: Literal[-1, 0, 1] = 0
    receipt: JsonObject | None = None


Attachments = Annotated[FailFastList[AttachmentFields], Field(max_length=MAX_ATTACHMENTS)]
