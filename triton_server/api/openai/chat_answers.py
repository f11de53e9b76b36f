"""Answers to conversations in OpenAI's form, as bodies and as the parts of streams."""

from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, Field

from model_core.requests.events import Reasoning, Text, ToolCallDelta

from ..stream_response import to_json
from .chat import Function, FunctionCall
from .chat_tools import Functions
from .fields import Choice, Completion, VllmPromptLogprobs
from .render import AnswerFormat, LogprobEntries, Part
from .service_calls import ChatAnswer, McpCallRecord, render_call_delta, render_ended


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
    mcp_calls: list[McpCallRecord] | None = Field(
        None, description="Not OpenAI's: the calls of MCP servers that the service made (see mcp)."
    )
    function_call: Function | None = Field(None, description="The call, where the request has functions.")


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


def make_format(functions: Functions, is_older: bool) -> AnswerFormat:
    """The form of answers to a request with these functions. `is_older`: they have function_call."""
    if is_older:
        return replace(
            FORMAT,
            render_part=partial(_render_part, render_delta=_render_older_delta),
            render_choice=_render_older_choice,
            finish_reasons={"tool_calls": "function_call"},
        )
    if not functions.custom:
        return FORMAT
    render_call = partial(_render_call, custom=functions.custom)
    return replace(
        FORMAT,
        render_part=partial(_render_part, render_delta=partial(_render_delta, render_call=render_call)),
        render_choice=partial(_render_choice, render_call=render_call),
    )


def _render_call(
    call_id: str | None, name: str, arguments: str, custom: Container[str] = ()
) -> dict[str, Any]:
    """A call. Of a custom tool, `arguments` is the input."""
    if name in custom:
        return {"id": call_id, "type": "custom", "custom": {"name": name, "input": arguments}}
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _render_choice(answer: ChatAnswer, render_call: Callable[..., Any] = _render_call) -> dict[str, Any]:
    calls = answer.tool_calls
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if calls and not answer.text else answer.text,
        "refusal": None,
    }
    if answer.reasoning:
        message["reasoning_content"] = message["reasoning"] = answer.reasoning
    if calls:
        message["tool_calls"] = [render_call(call.id, call.name, call.arguments) for call in calls]
    if answer.ended:
        message["mcp_calls"] = list(map(render_ended, answer.ended))
    return {"message": message}


def _render_older_choice(answer: ChatAnswer) -> dict[str, Any]:
    message = _render_choice(answer)["message"]
    for call in message.pop("tool_calls", []):
        message["function_call"] = call["function"]
    return {"message": message}


def _render_delta(part: ToolCallDelta, render_call: Callable[..., Any] = _render_call) -> dict[str, Any]:
    if part.name is None:
        call: dict[str, Any] = {"function": {"arguments": part.arguments}}
    else:
        call = render_call(part.id, part.name, part.arguments)
    return {"tool_calls": [{"index": part.index, **call}]}


def _render_older_delta(part: ToolCallDelta) -> dict[str, Any]:
    name = {} if part.name is None else {"name": part.name}
    return {"function_call": {**name, "arguments": part.arguments}}


def _render_part(part: Part, render_delta: Callable[[ToolCallDelta], Any] = _render_delta) -> bytes:
    if isinstance(part, Text):
        return b',"delta":{"content":%b}' % to_json(part.text).encode()
    if isinstance(part, Reasoning):
        text = to_json(part.text).encode()
        return b',"delta":{"reasoning_content":%b,"reasoning":%b}' % (text, text)
    fields = render_delta(part) if isinstance(part, ToolCallDelta) else render_call_delta(part)
    return b',"delta":%b' % to_json(fields).encode()


def _render_logprobs(
    entries: LogprobEntries, offset: int, label: Callable[[dict[str, Any]], str] | None = None
) -> dict[str, Any]:
    if label is not None:
        entries = [
            {**_relabel(entry, label), "top_logprobs": [_relabel(e, label) for e in entry["top_logprobs"]]}
            for entry in entries
        ]
    return {"content": list(map(render_logprob, entries)), "refusal": None}


def _relabel(entry: dict[str, Any], label: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    return {"token": label(entry), "logprob": entry["logprob"]}


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
