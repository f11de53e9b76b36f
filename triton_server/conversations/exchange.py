"""Conversations as files: Markdown to read, JSON with all branches, and JSONL as OpenAI's fine-tuning has it.

Files that people bring are not trusted. What is wrong with one raises InvalidRequest, in one sentence.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from model_core.checks.request_values import JsonObject, StrictModel, Text, shorten
from model_core.errors import InvalidRequest
from model_core.requests.messages import FailFastList

from ..contract.image_bytes import MAX_IMAGES_BYTES, count_image_bytes
from .fields import (
    MAX_ATTACHMENTS,
    MAX_TITLE_LENGTH,
    AnswerFields,
    Attachments,
    ConversationParameters,
    ImageText,
    LongText,
    Title,
    TurnId,
)
from .tree import Attachment, Conversation, Turn, make_title

MAX_FILE_BYTES = 2**24  # beside images
MAX_CONVERSATIONS = 1000  # of a file
MAX_TURNS = 10_000  # of a conversation
FORMAT = "tritonchat conversation"

# A heading of our own in Markdown. In a text, such a line has a backslash more.
_HEADING = re.compile(r"## (?:(System prompt)|(Question|Attachments|Reasoning|Answer) ([1-9]\d{0,8}))")
_ESCAPED = re.compile(r"\\*" + _HEADING.pattern)

_Time = Annotated[float, Field(ge=0, le=1e11)]


class _FileTurn(AnswerFields):
    id: TurnId
    parent: TurnId | None = None
    question: LongText
    parameters: JsonObject = Field(default_factory=dict)
    attachments: Attachments = Field(default_factory=list)
    created: _Time = 0.0


class _File(StrictModel):
    format: Literal["tritonchat conversation"]
    version: Literal[1]
    title: Title = ""
    system: LongText | None = None
    parameters: ConversationParameters = Field(default_factory=dict)
    head: TurnId | None = None
    created: _Time = 0.0
    turns: Annotated[FailFastList[_FileTurn], Field(max_length=MAX_TURNS)]


class _Part(BaseModel):
    """What others write has more fields than we read."""

    model_config = ConfigDict(strict=True, frozen=True)


class _TextPart(_Part):
    text: Text


class _ImageUrl(_Part):
    url: ImageText


class _ImagePart(_Part):
    type: Literal["image_url"]
    image_url: _ImageUrl


def _kind_of_part(value: Any) -> str:
    return "Image" if isinstance(value, dict) and value.get("type") == "image_url" else "Text"


_ContentPart = Annotated[
    Annotated[_TextPart, Tag("Text")] | Annotated[_ImagePart, Tag("Image")], Discriminator(_kind_of_part)
]


class _Function(_Part):
    name: Text
    arguments: Text = "{}"


class _Call(_Part):
    id: Text = ""
    function: _Function


class _Message(_Part):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Text | FailFastList[_ContentPart] | None = None
    tool_calls: FailFastList[_Call] | None = None
    tool_call_id: Text | None = None

    @property
    def text(self) -> str:
        parts = self.content or ""
        if isinstance(parts, str):
            return parts
        return "\n".join(part.text for part in parts if isinstance(part, _TextPart))

    @property
    def images(self) -> list[Attachment]:
        parts = self.content if isinstance(self.content, list) else []
        urls = [part.image_url.url for part in parts if isinstance(part, _ImagePart)]
        return [Attachment(f"image {number}", "", image=url) for number, url in enumerate(urls, 1)]


class _Line(StrictModel):
    model_config = ConfigDict(extra="ignore")

    messages: Annotated[FailFastList[_Message], Field(min_length=1, max_length=2 * MAX_TURNS)]
    rating: Literal[-1, 0, 1] = 0


def to_markdown(conversation: Conversation) -> str:
    """The path that is shown, as Markdown. `from_markdown` reads it again."""
    parts = [f"# {' '.join(conversation.title.split())}"]

    def add(heading: str, text: str) -> None:
        parts.append(f"## {heading}")
        parts.append(_escape(text))

    if conversation.system is not None:
        add("System prompt", conversation.system)
    for number, turn in enumerate(conversation.path(), 1):
        if turn.attachments:
            add(f"Attachments {number}", "\n".join(f"- {file.name}" for file in turn.attachments))
        add(f"Question {number}", turn.question)
        if turn.reasoning:
            add(f"Reasoning {number}", turn.reasoning)
        add(f"Answer {number}", turn.answer)
    return "\n\n".join(parts) + "\n"


def from_markdown(text: str) -> Conversation:
    """The conversation in Markdown that `to_markdown` has written. Attachments are only names there."""
    title, sections = _split_sections(text)
    system, turns = None, list[Turn]()
    for kind, content in sections:
        if kind == "System prompt":
            system = content
        elif kind == "Question":
            number = len(turns) + 1
            turns.append(Turn(number, number - 1 or None, content, finish_reason="stop"))
        elif kind in ("Answer", "Reasoning"):
            if not turns:
                raise InvalidRequest(f"the Markdown has an {kind.lower()} before the first question.")
            field: dict[str, Any] = {kind.lower(): content}
            turns[-1] = replace(turns[-1], **field)
    if not turns:
        raise InvalidRequest(
            "the Markdown is not a conversation of tritonchat: it has no line `## Question 1`."
        )
    return _new(title, system, turns)


def to_json(conversation: Conversation) -> str:
    """All branches of a conversation, as JSON."""
    names = ("title", "system", "parameters", "head", "created")
    value = {"format": FORMAT, "version": 1, **{name: getattr(conversation, name) for name in names}}
    value["turns"] = [_describe_turn(turn) for turn in conversation.turns]
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _describe_turn(turn: Turn) -> dict[str, Any]:
    """Its fields. Without a receipt, versions that know none can read it, too."""
    described = {**asdict(turn), "attachments": [file.to_json() for file in turn.attachments]}
    if turn.receipt is None:
        del described["receipt"]
    return described


def from_json(text: str) -> Conversation:
    """The conversation in JSON that `to_json` has written."""
    value = _load(text, "the file")
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InvalidRequest(f'the JSON is not a conversation of tritonchat: its format is not "{FORMAT}".')
    file = _File(**value)
    known: set[int] = set()
    for turn in file.turns:
        if turn.id in known:
            raise InvalidRequest(f"two turns have the id {turn.id}.", "turns")
        if turn.parent is not None and turn.parent not in known:
            raise InvalidRequest(f"the parent of turn {turn.id} is not a turn before it.", "turns")
        known.add(turn.id)
    if file.head is not None and file.head not in known:
        raise InvalidRequest(f"there is no turn {file.head}, which should be the head.", "head")
    turns = [_to_turn(turn) for turn in file.turns]
    made = _new(file.title, file.system, turns, file.parameters)
    return replace(made, head=file.head, created=file.created or made.created)


def to_jsonl(conversations: Iterable[Conversation]) -> str:
    """The shown paths of conversations, a line {"messages": [...]} each, without turns without an answer."""
    lines = (_to_messages(conversation, conversation.path()) for conversation in conversations)
    return _to_lines({"messages": messages} for messages in lines if _has_answer(messages))


def rated_to_jsonl(conversations: Iterable[Conversation], rating: int | None = None) -> str:
    """The answers with a rating, or those with this `rating`, each with all messages before it.

    Their lines are {"messages": [...], "rating": 1 or -1}, or {"messages": [...]} for a given `rating`.
    """
    found = (
        (turn.rating, _to_messages(conversation, conversation.path(turn.id)))
        for conversation in conversations
        for turn in conversation.turns
        if turn.answer and (turn.rating if rating is None else turn.rating == rating)
    )
    return _to_lines(
        {"messages": messages} | ({"rating": given} if rating is None else {}) for given, messages in found
    )


def from_jsonl(text: str) -> list[Conversation]:
    """The conversations of a file in OpenAI's form, one a line."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > MAX_CONVERSATIONS:
        raise InvalidRequest(
            f"the file has {len(lines)} conversations; at most {MAX_CONVERSATIONS} are read at a time."
        )
    if not lines:
        raise InvalidRequest("the file is empty; it should have a conversation a line.")
    return [_from_line(number, line) for number, line in lines]


def read_file(name: str, data: bytes) -> list[Conversation]:
    """The conversations of a file whose name ends in .md, .json or .jsonl. Raises InvalidRequest."""
    reader = _READERS.get(name.lower().rpartition(".")[2])
    if reader is None:
        raise InvalidRequest(f"{shorten(name)} cannot be read: its name must end in .md, .json or .jsonl.")
    images = count_image_bytes(data) if len(data) > MAX_FILE_BYTES else 0
    if (size := len(data) - images) > MAX_FILE_BYTES:
        raise InvalidRequest(f"{shorten(name)} has {size} bytes; at most {MAX_FILE_BYTES} are read.")
    if images > MAX_IMAGES_BYTES:
        raise InvalidRequest(
            f"{shorten(name)} has images of {images} bytes; at most {MAX_IMAGES_BYTES} are read."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{shorten(name)} is not UTF-8: byte {error.start} does not belong.") from error
    return reader(text)


_READERS: dict[str, Callable[[str], list[Conversation]]] = {
    "md": lambda text: [from_markdown(text)],
    "json": lambda text: [from_json(text)],
    "jsonl": from_jsonl,
}


def _split_sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The title, and the kinds and texts of the sections."""
    title, sections, lines = "", list[tuple[str, str]](), list[str]()
    for line in [*text.replace("\r\n", "\n").split("\n"), "## Answer 1"]:  # which ends the last section
        match = _HEADING.fullmatch(line)
        if match is None:
            lines.append(line[1:] if line.startswith("\\") and _ESCAPED.fullmatch(line) else line)
            continue
        if sections:
            # An empty line is after the heading, and another before the next one.
            start, end = int(lines[:1] == [""]), len(lines) - int(lines[1:][-1:] == [""])
            sections[-1] = (sections[-1][0], "\n".join(lines[start:end]))
        elif lines and lines[0].startswith("# "):
            title = lines[0][2:].strip()
        sections.append((match[1] or match[2], ""))
        lines = []
    return title, sections[:-1]


def _escape(text: str) -> str:
    return "\n".join("\\" + line if _ESCAPED.fullmatch(line) else line for line in text.split("\n"))


def _from_line(number: int, line: str) -> Conversation:
    value = _load(line, f"line {number}")
    if not isinstance(value, dict):
        raise InvalidRequest(f"line {number} is not an object with messages.")
    try:
        parsed = _Line(**{str(name): part for name, part in value.items()})
    except InvalidRequest as error:
        raise InvalidRequest(f"line {number}: {error}", error.param) from None
    system, turns = _from_messages(parsed.messages)
    if not turns:
        raise InvalidRequest(f"line {number} has no message of a user.")
    turns[-1] = replace(turns[-1], rating=parsed.rating)
    return _new("", system, turns)


def _from_messages(messages: Sequence[_Message]) -> tuple[str | None, list[Turn]]:
    """The system prompt and the turns of a list of messages."""
    system: list[str] = []
    turns: list[Turn] = []
    for message in messages:
        if message.images and message.role != "user":
            raise InvalidRequest(f"a message of the role {message.role} has an image; only questions can.")
        if len(message.images) > MAX_ATTACHMENTS:
            raise InvalidRequest(f"a message has more than {MAX_ATTACHMENTS} images.")
        if message.role in ("system", "developer"):
            system.append(message.text)
        elif message.role == "user" or not turns:
            number, question = len(turns) + 1, message.text if message.role == "user" else ""
            images = message.images if message.role == "user" else []
            turn = Turn(number, number - 1 or None, question, finish_reason="stop", attachments=images)
            turns.append(turn)
        if turns and message.role == "assistant":
            last = turns[-1]
            calls = [
                {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
                for call in message.tool_calls or ()
            ]
            answer = "\n\n".join(filter(None, [last.answer, message.text]))
            turns[-1] = replace(last, answer=answer, tool_calls=[*last.tool_calls, *calls])
        elif turns and message.role == "tool":
            calls = [
                {**call, "result": message.text} if call["id"] == message.tool_call_id else call
                for call in turns[-1].tool_calls
            ]
            turns[-1] = replace(turns[-1], tool_calls=calls)
    return "\n\n".join(system) if system else None, turns


def _to_messages(conversation: Conversation, path: Sequence[Turn]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if conversation.system is not None:
        messages.append({"role": "system", "content": conversation.system})
    for turn in path:
        if turn.answer:
            messages.append({"role": "user", "content": turn.prompt})
            messages.append({"role": "assistant", "content": turn.answer})
    return messages


def _has_answer(messages: Sequence[dict[str, Any]]) -> bool:
    return any(message["role"] == "assistant" for message in messages)


def _to_lines(values: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _to_turn(turn: _FileTurn) -> Turn:
    values = {field.name: getattr(turn, field.name) for field in fields(Turn)}
    return Turn(**{**values, "attachments": [Attachment(**dict(file)) for file in turn.attachments]})


def _new(
    title: str, system: str | None, turns: list[Turn], parameters: dict[str, Any] | None = None
) -> Conversation:
    """A conversation that no store has yet."""
    if len(turns) > MAX_TURNS:
        raise InvalidRequest(f"the conversation has {len(turns)} turns; at most {MAX_TURNS} are read.")
    now = time.time()
    return Conversation(
        id="",
        title=title[:MAX_TITLE_LENGTH] or (make_title(turns[0].question) if turns else ""),
        system=system,
        parameters=parameters or {},
        head=turns[-1].id if turns else None,
        version=0,
        turns=turns,
        created=now,
        updated=now,
    )


def _load(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except RecursionError as error:
        raise InvalidRequest(f"{name} is nested too deeply.") from error
    except ValueError as error:
        raise InvalidRequest(f"{name} is not JSON: {error}.") from error


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
