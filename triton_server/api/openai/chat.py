"""Conversations in OpenAI's form: the requests of /v1/chat/completions."""

import base64
import json
import re
from collections.abc import Sequence
from typing import Any, Literal

from fastapi import Request as HttpRequest
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from model_core.requests.messages import Arguments, ChatFields, FailFastList
from model_core.requests.sampling import MAX_LOGPROBS

from ...contract.request_fields import Request, check_image_count, fields_of_request
from ..body import Body
from ..custom_tools import INPUT
from ..errors import ApiError, unsupported
from ..foreign_content import read_stored_texts, read_text_file
from ..images.parts import text_part, url_part
from ..request_body import LLAMA_CPP_NAMES, other_names, repeat
from .chat_tools import ChatTool, Functions, FunctionSchema, ToolName, ToolSelection, find_functions
from .fields import OpenAIFields
from .service_calls import McpCallRecord, replay_calls

_CONTENTS = ("text", "image_url", "refusal", "file")  # of a part
_NO_TEXT = re.compile("image|audio|video")  # types of parts


class File(Body):
    """A file: in base64, or its id among the files of /v1/files. Only text is understood."""

    file_data: str | None = None
    file_id: str | None = None
    filename: str | None = None


class ImageUrl(Body):
    """An image."""

    url: str = Field(
        description="A data URL with base64, or an https address of a host of --allow-image-urls."
    )
    detail: Literal["auto", "low", "high", "original"] | None = Field(
        None, description="low: at most 512 pixels a side; others: as many as the model takes."
    )


class ContentPart(Body):
    """A part of a message: text, or an image for models that see. Others are refused, such as sound."""

    type: str
    text: str | None = None
    image_url: ImageUrl | None = None
    refusal: str | None = None
    file: File | None = None


class Function(Body):
    """A function that the model calls. `arguments` is JSON as text."""

    name: str
    arguments: Arguments = ""


class CustomInput(Body):
    """A custom tool that the model calls."""

    name: str
    input: str = ""


class FunctionCall(Body):
    """A call of a tool: of a function, or of a custom tool."""

    id: str
    type: Literal["function", "custom"] = "function"
    function: Function | None = None
    custom: CustomInput | None = None

    @model_validator(mode="after")
    def _check_call(self) -> "FunctionCall":
        if getattr(self, self.type) is None:
            raise PydanticCustomError("missing", "has no {field}", {"field": self.type})
        return self


class ChatMessage(Body):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="developer is another name for system, function for tool."
    )
    content: str | FailFastList[ContentPart] | None = Field(
        None, description="Text, or parts that are text or images. Texts are joined by line ends."
    )
    refusal: str | None = Field(None, description="The text of an assistant that has refused to answer.")
    reasoning_content: str | None = Field(
        None, description="Not OpenAI's: what the assistant thought before its answer."
    )
    reasoning: str | None = Field(None, description="Another name of reasoning_content.")
    tool_calls: FailFastList[FunctionCall] | None = Field(None, description="Calls that the assistant made.")
    function_call: Function | None = Field(None, description="A call in the older form.")
    mcp_calls: FailFastList[McpCallRecord] | None = Field(
        None, description="Not OpenAI's: calls of MCP servers that the service made for an earlier answer."
    )
    tool_call_id: str | None = Field(None, description="The call of which a tool message is the result.")
    name: str | None = None


class ChatRequest(OpenAIFields, ChatFields):
    """A conversation to answer."""

    model_config = other_names(LLAMA_CPP_NAMES, max_completion_tokens="max_tokens")

    messages: FailFastList[ChatMessage]
    logprobs: bool | None = Field(False, description="Report log probabilities.")
    top_logprobs: int | None = Field(
        None, ge=0, le=MAX_LOGPROBS, description="Alternatives for each token; it needs logprobs."
    )
    tools: FailFastList[ChatTool] | None = Field(  # type: ignore[assignment]  # these two in OpenAI's form
        None, description="What the model may call. X-Ignored-Tools names tools that are left out."
    )
    tool_choice: Literal["auto", "none", "required"] | ToolSelection | None = "auto"  # type: ignore[assignment]
    functions: FailFastList[FunctionSchema] | None = Field(None, description="The older form of tools.")
    function_call: Literal["none", "auto"] | ToolName | None = Field(
        None, description="The older form of tool_choice."
    )
    mcp: bool | FailFastList[str] | None = Field(
        None,
        description="Not OpenAI's: let the service call tools of its MCP servers (--mcp-config): true for "
        "all servers, or their names. Only tools that need no approval.",
    )
    modalities: FailFastList[str] | None = Field(None, description="text; others are refused.")

    @model_validator(mode="before")
    @classmethod
    def _read_probabilities(cls, values: Any) -> Any:
        # llama.cpp's n_probs asks for both.
        if not isinstance(values, dict) or "n_probs" not in values:
            return values
        others = {name: value for name, value in values.items() if name != "n_probs"}
        if not values["n_probs"] or values.get("logprobs") is not None:
            return others
        return {**others, "logprobs": True, "top_logprobs": values["n_probs"]}


_SAID = {"content", "tool_calls", "reasoning"}


def find_tools(body: ChatRequest) -> Functions:
    """The functions that the model may call. Raises ApiError or InvalidRequest."""
    if not body.functions:
        if body.function_call not in ((None, "auto") if body.tools else (None, "auto", "none")):
            raise _invalid("function_call", "function_call is only allowed when functions are given.")
        return find_functions(body.tools or (), body.tool_choice)
    if body.tools:
        raise _invalid("functions", "functions is the older form of tools; send one of them.")
    if body.tool_choice not in (None, "auto"):
        raise _invalid("tool_choice", "tool_choice is for tools; send function_call with functions.")
    called = body.function_call
    choice = {"name": called.name} if isinstance(called, ToolName) else called or "auto"
    return Functions(
        tools=[function.model_dump(exclude_none=True) for function in body.functions],
        choice=choice,
        custom=frozenset(),
        sent_names={"tools": "functions", "tool_choice": "function_call"},
        left_out=[],
    )


def parse(body: ChatRequest, functions: Functions | None = None) -> list[Request]:
    """The requests for the answers. `functions`: see find_tools. Raises ApiError or InvalidRequest."""
    functions = functions or find_tools(body)
    if body.modalities is not None and body.modalities != ["text"]:
        raise unsupported("modalities", "this service answers in text only.")
    if body.top_logprobs and not body.logprobs:
        raise _invalid("top_logprobs", "top_logprobs needs logprobs to be true.")
    fields = fields_of_request(body) | {
        "messages": parse_messages(body.messages),
        "logprobs": (body.top_logprobs or 0) if body.logprobs else None,
        "tools": functions.tools,
        "tool_choice": functions.choice,
    }
    if body.functions:
        fields["parallel_tool_calls"] = False
    names = {**body.sent_names, **functions.sent_names, **name_messages(body.messages)}
    return repeat([Request.of(fields, names)], body.n)


async def read_files(request: HttpRequest, messages: Sequence[ChatMessage]) -> None:
    """Give files that are only named their bytes. Raises as `read_stored_texts`."""
    named = [
        (f"messages[{number}].content[{place}].file.file_id", part.file)
        for number, message in enumerate(messages)
        for place, part in enumerate(message.content if isinstance(message.content, list) else ())
        if part.file is not None and part.file.file_id is not None and part.file.file_data is None
    ]
    texts = await read_stored_texts(request, [(param, file.file_id or "") for param, file in named])
    for (_, file), text in zip(named, texts, strict=True):
        file.file_data = base64.b64encode(text.encode()).decode()


def parse_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """The messages as the fields of model_core.requests.messages.Message.

    The results of calls in the older form, which have no ids, belong to the last call.
    """
    contents = (message.content for message in messages if isinstance(message.content, list))
    check_image_count(sum(part.type == "image_url" for parts in contents for part in parts), "messages")
    parsed = []
    call_id: str | None = None  # of the last call in the older form
    for number, message in enumerate(messages):
        if message.mcp_calls and message.role != "assistant":
            param = f"messages[{number}].mcp_calls"
            raise _invalid(param, f"{param} can only be in a message of the assistant.")
        parsed += replay_calls(message.mcp_calls or ())
        fields = _parse_message(f"messages[{number}]", message)
        if message.function_call is not None and message.role == "assistant":
            call_id = f"function_call_{number}"
            fields.setdefault("tool_calls", []).append({"id": call_id, **vars(message.function_call)})
        elif message.role == "function":
            fields |= {"role": "tool", "tool_call_id": call_id} if call_id else {"role": "tool"}
        if "content" in message.model_fields_set and not fields.keys() & _SAID:
            fields["content"] = ""  # it is null
        parsed.append(fields)
    return parsed


def name_messages(messages: Sequence[ChatMessage]) -> dict[str, str]:
    """What the client has called the messages of `parse_messages`, for errors, where that is not the same."""
    names, added = dict[str, str](), 0
    for number, message in enumerate(messages):
        calls = len(replay_calls(message.mcp_calls or ()))
        first, added = number + added, added + calls
        names |= dict.fromkeys(
            (f"messages[{first + place}]" for place in range(calls)), f"messages[{number}].mcp_calls"
        )
        if added:
            names[f"messages[{number + added}]"] = f"messages[{number}]"
    return names


def _parse_message(param: str, message: ChatMessage) -> dict[str, Any]:
    content: Any = message.content
    if isinstance(content, list):
        content = [_read_part(param, part) for part in content]
    calls: Any = message.tool_calls and [_parse_call(call) for call in message.tool_calls]
    fields = {
        "role": message.role,
        "content": message.refusal if content is None else content,
        "reasoning": message.reasoning_content or message.reasoning,
        "tool_calls": calls,
        "tool_call_id": message.tool_call_id,
        "name": message.name,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _read_part(param: str, part: ContentPart) -> dict[str, Any]:
    """A part with text or an image. Raises ApiError if it has neither, or several contents."""
    contents = [name for name in _CONTENTS if getattr(part, name) is not None]
    if len(contents) > 1:
        reason = f"{param} has a part with {contents[0]} and {contents[1]}; send a part for each."
        raise unsupported(param, reason)
    if part.type == "image_url" and part.image_url is not None:
        return url_part(part.image_url.url, part.image_url.detail)
    text = part.refusal if part.type == "refusal" else part.text
    if part.type == "file" and part.file is not None:
        text = read_text_file(part.file.file_data)
        text = f"{part.file.filename}:\n{text}" if text is not None and part.file.filename else text
    if text is None or _NO_TEXT.search(part.type):  # whose text is not all that it has
        raise unsupported(
            param,
            f"{param} has a part of type {part.type[:40]!r} {'without' if text is None else 'with a'} text, "
            "but models are shown texts, and images of the type 'image_url', only.",
        )
    return text_part(text)


def _parse_call(call: FunctionCall) -> dict[str, Any]:
    if call.custom is not None:
        arguments = json.dumps({INPUT: call.custom.input}, ensure_ascii=False)
        return {"id": call.id, "name": call.custom.name, "arguments": arguments}
    return {"id": call.id, **vars(call.function)}


def _invalid(param: str, message: str) -> ApiError:
    return ApiError(400, message, "invalid_request", param)
