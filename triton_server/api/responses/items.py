"""The items of a conversation in OpenAI's Responses API: their ids, and the messages that they stand for."""

import json
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from model_core.errors import InvalidRequest

from ..custom_tools import INPUT
from ..foreign_content import describe_part
from ..images.parts import join_parts, text_part
from ..mcp_tools.calls import OWN, Failure, Finding, Result
from .calls import CallForm, write_arguments
from .citations import tell_findings
from .compaction import COMPACTION, read_compaction
from .item_schemas import (
    ITEMS,
    ActionItem,
    ActionOutputItem,
    CallOutputItem,
    CustomCallItem,
    FileSearchCallItem,
    FunctionCallItem,
    ImagePart,
    Item,
    ItemReference,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    McpCallItem,
    McpListToolsItem,
    MessageItem,
    OtherItem,
    ReasoningItem,
    ReasoningPart,
    TextPart,
)
from .tools import FILE_SEARCH, function_name

_ITEM_ID = re.compile("[a-z]+_([0-9a-f]{32})[0-9a-f]{4}")
_STORED_ID = re.compile("[A-Za-z0-9_-]{1,64}")  # of an item in a conversation
_ID_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
    "shell_call": "sh",
    "local_shell_call": "lsh",
    "apply_patch_call": "apc",
    "mcp_list_tools": "mcpl",
    "mcp_call": "mcp",
    "mcp_approval_request": "mcpr",
    "mcp_approval_response": "mcpa",
    "file_search_call": "fs",
    "reasoning": "rs",
}
_NO_FUNCTIONS: Mapping[tuple[str, str], str] = MappingProxyType({})
_DENIED = "Error: a person has not approved this call. "
# Items of other services that have no text: a picture, a summary that only they can read.
_WITHOUT_TEXT = ("image_generation_call", "computer_call_output")


def new_response_id() -> str:
    """An id that nobody can guess."""
    return f"resp_{secrets.token_hex(16)}"


def item_id(kind: str, response_id: str, index: int) -> str:
    """The id of an item of the type `kind`. `index` counts the items of a response, input and output."""
    return f"{_ID_PREFIXES.get(kind, 'item')}_{response_id.removeprefix('resp_')}{index:04x}"


def find_response_id(name: str) -> str | None:
    """The id of the response to which the item with this id belongs; None if no response has such items."""
    match = _ITEM_ID.fullmatch(name)
    return None if match is None else f"resp_{match[1]}"


def list_input(items: list[Item], response_id: str) -> list[dict[str, Any]]:
    """The input of a response in JSON, each item with an id."""
    listed = []
    for index, fields in enumerate(ITEMS.dump_python(items, exclude_none=True)):
        if fields["type"] == "message" and isinstance(fields["content"], str):
            kind = "output_text" if fields["role"] == "assistant" else "input_text"
            fields["content"] = [{"type": kind, "text": fields["content"]}]
        name = item_id(fields["type"], response_id, index)
        listed.append({"id": name, "status": "completed", **fields})
    return listed


def check_ids(listed: list[dict[str, Any]], field: str) -> None:
    """Raises InvalidRequest for items, of a field of the request, that cannot be stored one by one."""
    for number, item in enumerate(listed):
        if not _STORED_ID.fullmatch(item["id"]):
            raise InvalidRequest(
                f"{field}[{number}].id must have 1 to 64 letters, digits, _ or -; leave it out.",
                f"{field}[{number}].id",
            )


def list_left_out(items: Iterable[Item], labels: Collection[str] = ()) -> list[str]:
    """The types of the items that say nothing to the model. `labels`: of MCP servers that it may use."""
    return [
        item.type
        for item in items
        if isinstance(item, ItemReference)
        or (isinstance(item, OtherItem) and not _describe(item))
        or (isinstance(item, McpListToolsItem) and item.server_label not in labels)
        or (isinstance(item, FileSearchCallItem) and item.results is None)
    ]


def list_unread_reasons(items: Iterable[Item]) -> list[str]:
    """The reasons of approvals in `input`. The model is told of a reason only where a call must not run."""
    return [
        f"input[{number}].reason"
        for number, item in enumerate(items)
        if isinstance(item, McpApprovalResponseItem) and item.approve and item.reason
    ]


def list_images(items: Iterable[Item], field: str) -> list[tuple[str, ImagePart]]:
    """The images of items in their order, each with its place in a `field`."""
    found = []
    for number, item in enumerate(items):
        name = "output" if isinstance(item, CallOutputItem) else "content"
        content = getattr(item, name) if isinstance(item, CallOutputItem | MessageItem) else None
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, ImagePart):
                where = "image_url" if part.image_url is not None else "file_id"
                found.append((f"{field}[{number}].{name}[{place}].{where}", part))
    return found


def list_unread_files(items: Iterable[Item], field: str) -> list[tuple[str, TextPart]]:
    """The files of items that are only named, each with its place in a `field`."""
    found = []
    for number, item in enumerate(items):
        name = "output" if isinstance(item, CallOutputItem) else "content"
        content = getattr(item, name) if isinstance(item, CallOutputItem | MessageItem) else None
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, TextPart) and part.type == "input_file" and not part.text:
                found.append((f"{field}[{number}].{name}[{place}].file_id", part))
    return found


def to_messages(
    items: Iterable[Item], functions: Mapping[tuple[str, str], str] = _NO_FUNCTIONS
) -> list[dict[str, Any]]:
    """The messages, in JSON, that the items stand for.

    `functions`: what the model calls tools of MCP servers, by server and name; others by their own name.
    Reasoning, text and calls of the assistant that follow each other in this order are one message.
    """
    messages: list[dict[str, Any]] = []
    call_ids: dict[str, str] = {}  # of commands, by the id of their item
    asked: dict[str, McpApprovalRequestItem] = {}
    findings = 0
    for item in items:
        if isinstance(item, MessageItem) and item.role != "assistant":
            messages.append({"role": item.role, "content": _content(item.content)})
        elif isinstance(item, MessageItem):
            _turn(messages, "content", "tool_calls")["content"] = _text(item.content)
        elif isinstance(item, FunctionCallItem | CustomCallItem | ActionItem):
            _turn(messages).setdefault("tool_calls", []).append(_read_call(item))
            call_ids[item.id or item.call_id] = item.call_id
        elif isinstance(item, CallOutputItem):
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": _content(item.output)})
        elif isinstance(item, ActionOutputItem):
            call_id = item.call_id or call_ids.get(item.id or "", item.id or "")
            messages.append({"role": "tool", "tool_call_id": call_id, "content": _read_output(item)})
        elif isinstance(item, McpApprovalRequestItem):
            asked[item.id] = item
        elif isinstance(item, McpCallItem):
            messages += _tell_call(messages, item, _read_result(item), functions)
        elif isinstance(item, FileSearchCallItem):
            if item.results is not None:
                found = [Finding(n, fields) for n, fields in enumerate(item.results, findings + 1)]
                messages += _tell_search(messages, item, tell_findings(found), functions)
                findings += len(found)
        elif isinstance(item, McpApprovalResponseItem):
            if not item.approve and (request := asked.get(item.approval_request_id)) is not None:
                messages += _tell_call(messages, request, _DENIED + (item.reason or ""), functions)
        elif isinstance(item, ReasoningItem) and item.content:
            _turn(messages, "reasoning", "content", "tool_calls")["reasoning"] = _text(item.content)
        elif isinstance(item, OtherItem) and (text := _describe(item)):
            _turn(messages, "content", "tool_calls")["content"] = text
    return messages


def _turn(messages: list[dict[str, Any]], *later: str) -> dict[str, Any]:
    """The assistant's last message, or a new one if the last has one of the fields `later` already."""
    if not messages or messages[-1]["role"] != "assistant" or messages[-1].keys() & later:
        messages.append({"role": "assistant"})
    return messages[-1]


def _tell_call(
    messages: list[dict[str, Any]],
    item: McpCallItem | McpApprovalRequestItem,
    result: str,
    functions: Mapping[tuple[str, str], str],
) -> list[dict[str, Any]]:
    """Add a call that the service has made, or was not allowed to make; return the message of its result."""
    call_id = getattr(item, "approval_request_id", None) or item.id or item.name
    name = functions.get((item.server_label, item.name), item.name)
    call = {"id": call_id, "name": name, "arguments": item.arguments}
    _turn(messages).setdefault("tool_calls", []).append(call)
    return [{"role": "tool", "tool_call_id": call_id, "content": result}]


def _tell_search(
    messages: list[dict[str, Any]],
    item: FileSearchCallItem,
    result: str,
    functions: Mapping[tuple[str, str], str],
) -> list[dict[str, Any]]:
    """Add a search that the service has made; return the message of its result."""
    call_id, arguments = item.id or FILE_SEARCH, json.dumps({"query": "\n".join(item.queries)})
    name = functions.get((OWN, FILE_SEARCH), FILE_SEARCH)
    _turn(messages).setdefault("tool_calls", []).append({"id": call_id, "name": name, "arguments": arguments})
    return [{"role": "tool", "tool_call_id": call_id, "content": result}]


def _read_result(item: McpCallItem) -> str:
    if isinstance(item.error, dict):
        return Result(failure=Failure.from_dict(item.error)).text
    return f"Error: {item.error}" if item.error else item.output or ""


def _read_call(item: FunctionCallItem | CustomCallItem | ActionItem) -> dict[str, Any]:
    """The call of a function that an item stands for."""
    if isinstance(item, ActionItem):
        name = item.type.removesuffix("_call")
        arguments = write_arguments(item.type, item.action or item.operation or {})
    else:
        name = function_name(CallForm(item.type, item.name, item.namespace))
        if isinstance(item, CustomCallItem):
            arguments = json.dumps({INPUT: item.input}, ensure_ascii=False)
        else:
            arguments = item.arguments
    return {"id": item.call_id, "name": name, "arguments": arguments}


def _read_output(item: ActionOutputItem) -> str:
    """What a command has printed, and how it ended."""
    if not isinstance(item.output, list):
        return item.output or item.status or ""
    parts = []
    for part in item.output:
        printed = f"{part.get('stdout') or ''}{part.get('stderr') or ''}"
        match part.get("outcome"):
            case {"type": "exit", "exit_code": code}:
                printed += f"\n(exit code {code})"
            case {"type": "timeout"}:
                printed += "\n(timeout)"
        parts.append(printed.strip())
    return "\n".join(parts)


def _describe(item: OtherItem) -> str:
    """What an item of another service, or a summary, says as text; "" if it says nothing."""
    if item.type == COMPACTION:
        return read_compaction(item.model_extra or {})
    return "" if item.type in _WITHOUT_TEXT else describe_part(item.type, item.model_extra or {})


def _content(content: str | list[TextPart | ImagePart]) -> str | list[dict[str, Any]]:
    """The content of a message: text, or parts if it has images."""
    if isinstance(content, str):
        return content
    return join_parts(
        [part.to_part() if isinstance(part, ImagePart) else text_part(part.text) for part in content]
    )


def _text(content: str | list[TextPart | ImagePart] | list[ReasoningPart]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content if not isinstance(part, ImagePart))
