"""One file with all that a person keeps: conversations with branches, presets, prompts and folders.

It has a JSON object a line, so that neither side holds more than one conversation as objects. The first says
how many of each follow: a file that was cut short is refused. Files are not trusted; what is wrong with one
raises InvalidRequest, in one sentence, before anything is added.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from model_core.checks.request_values import JsonObject, StrictModel
from model_core.errors import InvalidRequest
from streamlit_client.kept import folders
from streamlit_client.library import prompts
from streamlit_client.shared import presets
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import ConversationNotFound
from triton_server.conversations.exchange import from_json, to_json
from triton_server.conversations.fields import LongText, Name
from triton_server.conversations.tree import Conversation

FORMAT, VERSION = "tritonchat archive", 1
MAX_BYTES = 2**29

_Count = Annotated[int, Field(ge=0)]


class _Header(StrictModel):
    format: Literal["tritonchat archive"]
    version: Literal[1]
    conversations: _Count
    folders: _Count
    presets: _Count
    prompts: _Count


class _ConversationLine(StrictModel):
    conversation: JsonObject
    pinned: bool = False
    folder: Name | None = None


class _FolderLine(StrictModel):
    folder: Name


class _PresetLine(StrictModel):
    preset: Name
    value: JsonObject


class _PromptLine(StrictModel):
    prompt: Name
    text: LongText


_LINES: dict[str, type[StrictModel]] = {
    "conversation": _ConversationLine,
    "folder": _FolderLine,
    "preset": _PresetLine,
    "prompt": _PromptLine,
}


@dataclass(frozen=True)
class Item:
    """A line of an archive: its kind, its name, what it is, and the folder of a conversation."""

    kind: str
    name: str
    value: Any
    folder: str | None = None


def write(conversations: Conversations) -> str:
    """All that the owner of `conversations` keeps, the oldest conversation first."""
    kept = folders.list_folders(conversations)
    lines: list[dict[str, Any]] = []
    for summary in reversed(list(folders.walk(conversations))):
        try:
            described = json.loads(to_json(conversations.get(summary.id)))
        except ConversationNotFound:  # it has just been deleted
            continue
        folder = folders.find_folder(kept, summary.id)
        lines.append({"conversation": described, "pinned": summary.pinned, "folder": folder})
    count = len(lines)
    lines += [{"folder": name} for name in kept]
    found = conversations.list_documents(presets.KIND)
    lines += [{"preset": name, "value": value} for name, value in found.items()]
    texts = conversations.list_documents(prompts.KIND)
    lines += [{"prompt": name, "text": value["text"]} for name, value in texts.items()]
    header = {"format": FORMAT, "version": VERSION, "conversations": count}
    header |= {"folders": len(kept), "presets": len(found), "prompts": len(texts)}
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [header, *lines])


def read(data: bytes) -> Iterator[Item]:
    """The lines of an archive. Raises InvalidRequest for what is wrong with it."""
    if len(data) > MAX_BYTES:
        raise InvalidRequest(f"the file has {len(data)} bytes; at most {MAX_BYTES} are read.")
    lines = data.split(b"\n")
    first = _parse(lines[0], 1)
    if first.get("format") != FORMAT:
        raise InvalidRequest(f'the file is not an archive of tritonchat: its format is not "{FORMAT}".')
    header, counts = _Header(**first), Counter[str]()
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            item = _read_line(_parse(line, number), number)
            counts[f"{item.kind}s"] += 1
            yield item
    for kind in (f"{kind}s" for kind in _LINES):
        if counts[kind] != getattr(header, kind):
            raise InvalidRequest(
                f"the file is damaged: it has {counts[kind]} of {getattr(header, kind)} {kind}."
            )


def add(conversations: Conversations, data: bytes, added: Counter[str]) -> None:
    """Add what an archive has, after all of it was read once. Nothing is replaced.

    A preset or prompt whose name is taken by another one gets a number, and one that is there already is
    left out. `added` counts, by kind, what was added before an error, too. Raises TritonchatError.
    """
    for _ in read(data):
        pass
    kept = folders.list_folders(conversations)
    before = {kind: conversations.list_documents(kind) for kind in (presets.KIND, prompts.KIND)}
    inside: dict[str, list[str]] = {}
    try:
        for item in read(data):
            if item.kind == "conversation":
                made = conversations.add(item.value)
                if item.value.pinned:
                    conversations.change(made.id, pinned=True)
                if item.folder is not None:
                    inside.setdefault(item.folder, []).append(made.id)
            elif item.kind == "folder":
                inside.setdefault(item.name, [])
                continue
            elif not _add_document(conversations, item, before[item.kind]):
                continue
            added[item.kind] += 1
    finally:
        for name, ids in inside.items():
            if ids or name not in kept:
                folder = {"conversations": [*kept.get(name, []), *ids]}
                conversations.put_document(folders.KIND, name, folder)
            added["folder"] += name not in kept


def _add_document(conversations: Conversations, item: Item, before: Mapping[str, Any]) -> bool:
    """Add a preset or a prompt under a name that is free. Whether it was new."""
    name, number = item.name, 1
    while name in before:
        if before[name] == item.value:
            return False
        number += 1
        name = f"{item.name}-{number}"
    conversations.put_document(item.kind, name, item.value)
    return True


def _read_line(line: dict[str, Any], number: int) -> Item:
    kind = next((kind for kind in _LINES if kind in line), None)
    if kind is None:
        raise InvalidRequest(f"the file is damaged: line {number} is nothing that an archive has.")
    try:
        parsed: Any = _LINES[kind](**line)
        if isinstance(parsed, _ConversationLine):
            conversation = _read_conversation(parsed)
            return Item(kind, conversation.title, conversation, parsed.folder)
    except InvalidRequest as error:
        raise InvalidRequest(f"the file is damaged: line {number}: {error}") from None
    if isinstance(parsed, _PromptLine):
        return Item(kind, parsed.prompt, {"text": parsed.text})
    return Item(kind, line[kind], line.get("value"))


def _read_conversation(line: _ConversationLine) -> Conversation:
    return replace(from_json(json.dumps(line.conversation)), pinned=line.pinned)


def _parse(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise InvalidRequest(f"the file is damaged: line {number} is not JSON.") from None
    if not isinstance(value, dict):
        raise InvalidRequest(f"the file is damaged: line {number} is not a JSON object.")
    return value
