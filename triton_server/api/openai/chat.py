"""Conversations in OpenAI's form: the bodies of /v1/chat/completions."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Reasoning, Text, ToolCallDelta
from model_core.requests.messages import Arguments, ChatFields, FailFastList
from model_core.requests.sampling import MAX_LOGPROBS

from ...contract.request_fields import Request, fields_of_request
from ..body import Body
from ..errors import ApiError, unsupported
from ..request_body import other_names, repeat
from ..stream_response import to_json
from .fields import Choice, Completion, OpenAIFields, VllmPromptLogprobs
from .render import AnswerFormat, LogprobEntries


class ContentPart(Body):
    """A part of a message. Only those of the type "text" are understood."""

    type: str
    text: str | None = None


class Function(Body):
    """A function that the model calls. `arguments` is JSON as text."""

    name: str
    arguments: Arguments = ""


class FunctionCall(Body):
    """A call of a tool."""

    id: str
    type: Literal["function"] = "function"
    function: Function


class ChatMessage(Body):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="developer is another name for system; function is refused."
    )
    content: str | FailFastList[ContentPart] | None = Field(
        None, description="Text, or parts of the type text, which are joined by line ends."
    )
    reasoning_content: str | None = Field(
        None, description="Not OpenAI's: what the assistant thought before its answer."
    )
    reasoning: str | None = Field(None, description="Another name of reasoning_content.")
    tool_calls: FailFastList[FunctionCall] | None = Field(None, description="Calls that the assistant made.")
    tool_call_id: str | None = Field(None, description="The call of which a tool message is the result.")
    name: str | None = None


class FunctionSchema(Body):
    """A function that the model may call."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = Field(None, description="The JSON schema of its arguments.")
    strict: bool | None = None


class FunctionTool(Body):
    """A tool of the type function. There are no others."""

    type: Literal["function"]
    function: FunctionSchema


class FunctionName(Body):
    """The function that the model must call."""

    name: str


class FunctionChoice(Body):
    """The tool that the model must call."""

    type: Literal["function"]
    function: FunctionName


class ChatRequest(OpenAIFields, ChatFields):
    """A conversation to answer."""

    model_config = other_names(max_completion_tokens="max_tokens")

    messages: FailFastList[ChatMessage]
    logprobs: bool | None = Field(False, description="Report log probabilities.")
    top_logprobs: int | None = Field(
        None, ge=0, le=MAX_LOGPROBS, description="Alternatives for each token; it needs logprobs."
    )
    tools: FailFastList[FunctionTool] | None = Field(  # type: ignore[assignment]  # these two in OpenAI's form
        None, description="Functions that the model may call."
    )
    tool_choice: Literal["auto", "none", "required"] | FunctionChoice | None = "auto"  # type: ignore[assignment]
    functions: FailFastList[Any] | None = Field(None, description='Refused, unless function_call is "none".')
    function_call: Any = None
    modalities: FailFastList[str] | None = Field(None, description="text; others are refused.")


class TopLogprob(BaseModel):
    """A token with its log probability. If the token is a part of a character, only `bytes` is exact."""

    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(TopLogprob):
    """A token of the answer, and the likeliest tokens at its position."""

    top_logprobs: list[TopLogprob]


class ChatLogprobs(BaseModel):
    """Log probabilities of the tokens of an answer."""

    content: list[TokenLogprob]
    refusal: None


class AnswerMessage(BaseModel):
    """An answer."""

    role: Literal["assistant"]
    content: str | None = Field(description="null where the answer is calls of tools only.")
    refusal: None
    reasoning_content: str | None = Field(
        None, description="Not OpenAI's: what the model thought before its answer."
    )
    reasoning: str | None = Field(None, description="The same, as vLLM calls it.")
    tool_calls: list[FunctionCall] | None = None


class ChatChoice(Choice):
    """One of the answers to a conversation."""

    message: AnswerMessage
    logprobs: ChatLogprobs | None


class ChatCompletion(Completion):
    """The answers to a conversation."""

    object: Literal["chat.completion"]
    choices: list[ChatChoice]
    prompt_token_ids: list[int] | None = Field(
        None, description="Not OpenAI's: of the prompt, with return_token_ids."
    )
    prompt_logprobs: VllmPromptLogprobs | None = Field(
        None, description="Not OpenAI's: of the prompt, in vLLM's form, with prompt_logprobs."
    )


def parse(body: ChatRequest) -> list[Request]:
    """The requests for the answers. Raises ApiError or InvalidRequest."""
    body.refuse_constraints()
    if body.functions and body.function_call != "none":
        raise unsupported("functions", "functions is the old form of tools; send tools, or leave it out.")
    if body.function_call not in (None, "none", "auto") and not body.functions:
        raise _invalid("function_call", "function_call is only allowed when functions are given.")
    if body.modalities is not None and body.modalities != ["text"]:
        raise unsupported("modalities", "this service answers in text only.")
    if body.top_logprobs and not body.logprobs:
        raise _invalid("top_logprobs", "top_logprobs needs logprobs to be true.")
    fields = fields_of_request(body) | {
        "messages": [parse_message(number, message) for number, message in enumerate(body.messages)],
        "logprobs": (body.top_logprobs or 0) if body.logprobs else None,
        "tools": [tool.function.model_dump(exclude_none=True) for tool in body.tools or ()],
    }
    if isinstance(body.tool_choice, FunctionChoice):
        fields["tool_choice"] = body.tool_choice.function.model_dump()
    names = {**body.sent_names, "tools[].parameters": "tools[].function.parameters"}
    return repeat([Request(**fields).sent_as(names)], body.n)


def parse_message(number: int, message: ChatMessage) -> dict[str, Any]:
    """A message as the fields of model_core.requests.messages.Message."""
    param = f"messages[{number}]"
    if message.role == "function":
        raise unsupported(param, f"{param} has the role function, the old form of tool; send that.")
    content: Any = message.content
    if isinstance(content, list):
        for part in content:
            if part.type != "text" or part.text is None:
                raise unsupported(
                    param, f"{param} has a part of type {part.type[:40]!r}, but only text is understood."
                )
        content = [{"type": "text", "text": part.text} for part in content]
    calls: Any = message.tool_calls and [{"id": c.id, **vars(c.function)} for c in message.tool_calls]
    fields = {
        "role": message.role,
        "content": content,
        "reasoning": message.reasoning_content or message.reasoning,
        "tool_calls": calls,
        "tool_call_id": message.tool_call_id,
        "name": message.name,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _invalid(param: str, message: str) -> ApiError:
    return ApiError(400, message, "invalid_request", param)


def _render_choice(answer: AnswerParts) -> dict[str, Any]:
    calls = answer.tool_calls
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if calls and not answer.text else answer.text,
        "refusal": None,
    }
    if answer.reasoning:
        message["reasoning_content"] = message["reasoning"] = answer.reasoning
    if calls:
        message["tool_calls"] = [_render_call(call.id, call.name, call.arguments) for call in calls]
    return {"message": message}


def _render_part(part: Text | Reasoning | ToolCallDelta) -> bytes:
    if isinstance(part, Text):
        return b',"delta":{"content":%b}' % to_json(part.text).encode()
    if isinstance(part, Reasoning):
        text = to_json(part.text).encode()
        return b',"delta":{"reasoning_content":%b,"reasoning":%b}' % (text, text)
    if part.name is None:
        call: dict[str, Any] = {"function": {"arguments": part.arguments}}
    else:
        call = _render_call(part.id, part.name, part.arguments)
    return b',"delta":{"tool_calls":[%b]}' % to_json({"index": part.index, **call}).encode()


def _render_call(call_id: str | None, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _render_logprobs(entries: LogprobEntries, offset: int) -> dict[str, Any]:
    return {"content": list(map(render_logprob, entries)), "refusal": None}


def render_logprob(entry: dict[str, Any]) -> dict[str, Any]:
    """The log probability of a token, as in `TokenLogprob`, from the contract's form."""
    return {**_render_token(entry), "top_logprobs": [_render_token(e) for e in entry["top_logprobs"]]}


def _render_token(entry: dict[str, Any]) -> dict[str, Any]:
    token = entry["token"]
    # The contract has `bytes` only for tokens that are parts of characters.
    return {"token": token, "logprob": entry["logprob"], "bytes": entry.get("bytes") or list(token.encode())}


FORMAT = AnswerFormat(
    id_prefix="chatcmpl-",
    body=ChatCompletion,
    object_name="chat.completion",
    event_object_name="chat.completion.chunk",
    first_fields=b',"delta":{"role":"assistant","content":"","refusal":null}',
    last_fields=b',"delta":{}',
    render_part=_render_part,
    render_choice=_render_choice,
    render_logprobs=_render_logprobs,
    has_one_prompt=True,
)
