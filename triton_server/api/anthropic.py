"""Anthropic's Messages API: /v1/messages and /v1/messages/count_tokens."""

import json
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from itertools import chain, groupby
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic_core import from_json
from starlette.responses import Response

from model_core.events import Accepted, Done, Event, Failed, Reasoning, Text, ToolCallDelta

from ..vocabulary import Request, fields_of_request
from .anthropic_schemas import (
    Answer,
    Block,
    CountRequest,
    CustomTool,
    MessagesRequest,
    TextContent,
    TokenCount,
    ToolChoice,
)
from .errors import (
    ANTHROPIC_ERROR_RESPONSES,
    ANTHROPIC_PATH,
    ApiError,
    anthropic_body_of,
    cut_off,
    failure_of,
    unsupported,
)
from .generation import end_with_failure, stream_answers, wait_until_accepted
from .request_body import repeat
from .stream_response import StreamResponse

_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}
NumberedEvents = AsyncIterator[tuple[int, Event]]
# Clients send back only those blocks of thinking that have a signature. This service does not check it.
SIGNATURE = "unsigned"
_TOOL_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
# The type of the deltas of a content block, and their field.
_DELTAS = {
    "text": ("text_delta", "text"),
    "thinking": ("thinking_delta", "thinking"),
    "tool_use": ("input_json_delta", "partial_json"),
}
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

router = APIRouter(prefix=ANTHROPIC_PATH, tags=["Anthropic"], responses=ANTHROPIC_ERROR_RESPONSES)


@router.post("", responses={200: {"model": Answer, "content": _EVENT_STREAM}})
async def messages(request: HttpRequest, body: MessagesRequest) -> Response:
    """Answer a conversation, as one body or as a stream. The header X-Seed has the seed that was used."""
    model = await request.app.state.served_models.resolve(body.model)
    (answer,) = repeat([parse(body)])
    events, headers = stream_answers(request, [answer]), {"X-Seed": str(answer.seed)}
    message_id, request_id = f"msg_{secrets.token_hex(12)}", request.state.request_id
    if not body.stream:
        content = await render_message(events, model.name, message_id)
        return Response(content, media_type="application/json", headers=headers)
    events = end_with_failure(await wait_until_accepted(events))
    stream = render_events(events, model.name, message_id, request_id)
    return StreamResponse(stream, "text/event-stream", headers)


@router.post("/count_tokens")
async def count_tokens(request: HttpRequest, body: CountRequest) -> TokenCount:
    """Count the tokens of a conversation, as the model's chat template renders it."""
    await request.app.state.served_models.resolve(body.model)
    counting = parse(body).model_copy(update={"count_only": True})
    async with aclosing(stream_answers(request, [counting])) as events:
        done = await anext(event async for _, event in events if isinstance(event, Done))
    return TokenCount(input_tokens=done.usage.prompt_tokens)


def parse(body: CountRequest) -> Request:
    """The request for the answer. Raises ApiError or InvalidRequest."""
    if isinstance(body, MessagesRequest):
        _refuse_unsupported_fields(body)
    fields = fields_of_request(body)
    turns = groupby(body.messages, lambda message: message.role)
    parsed = (_parse_turn(role, chain.from_iterable(m.blocks for m in turn)) for role, turn in turns)
    system = [{"role": "system", "content": _join_text(body.system)}] if body.system else []
    fields["messages"] = [*system, *chain.from_iterable(parsed)]
    if body.messages[-1].role == "assistant":
        fields["continue_final_message"] = True
    if body.tools:
        fields["tools"] = [_parse_tool(tool) for tool in body.tools]
    if body.tool_choice is not None:
        fields |= _parse_tool_choice(body.tool_choice)
    if body.thinking is not None and body.thinking.type != "adaptive":
        fields["enable_thinking"] = body.thinking.type == "enabled"
        fields["reasoning_budget"] = body.thinking.budget_tokens
    effort = body.output_config and body.output_config.effort
    if effort:
        fields["reasoning_effort"] = "xhigh" if effort == "max" else effort
    output_format = body.output_format or (body.output_config and body.output_config.format)
    if output_format:
        fields["form"] = {"json_schema": output_format.json_schema}
    return Request(**fields)


def _refuse_unsupported_fields(body: MessagesRequest) -> None:
    if body.thread:
        # With this code, Anthropic's tool runner sends the whole conversation instead.
        message = "this service stores no threads; send the whole conversation."
        raise ApiError(400, message, "thread_unsupported_request", "thread")
    for name in ("compaction", "container", "mcp_servers"):
        if getattr(body, name):
            raise unsupported(name, f"{name} is not supported; leave it out.")
    if body.logprobs is not None:
        raise unsupported("logprobs", "this form of answer has no place for logprobs; leave it out.")
    body.refuse_prompt_logprobs()


def _parse_turn(role: str, blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """The blocks of neighbouring messages of a role, as fields of model_core.messages.Message."""
    if role == "assistant":
        return [_parse_assistant(list(blocks))]
    messages: list[dict[str, Any]] = []
    for kind, group in groupby(blocks, lambda block: block.type):
        if kind == "text":
            messages.append({"role": role, "content": _join_text(list(group))})
            continue
        for result in group:
            error = "Error: " if result.is_error else ""
            content = error + _join_text(result.content or "")
            messages.append({"role": "tool", "tool_call_id": result.tool_use_id, "content": content})
    return messages


def _parse_assistant(blocks: list[Block]) -> dict[str, Any]:
    text = _join_text([block for block in blocks if block.type == "text"])
    thoughts = [block.thinking for block in blocks if block.type == "thinking"]
    calls = [
        {"id": block.id, "name": block.name, "arguments": json.dumps(block.input, ensure_ascii=False)}
        for block in blocks
        if block.type == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thoughts:
        message["reasoning"] = "\n".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    return message


def _join_text(content: TextContent) -> str:
    return content if isinstance(content, str) else "\n".join(block.text for block in content)


def _parse_tool(tool: CustomTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": bool(tool.strict),
    }


def _parse_tool_choice(choice: ToolChoice) -> dict[str, Any]:
    return {
        "tool_choice": {"name": choice.name} if choice.type == "tool" else _TOOL_CHOICES[choice.type],
        "parallel_tool_calls": not choice.disable_parallel_tool_use,
    }


async def render_message(events: NumberedEvents, model: str, message_id: str) -> bytes:
    """The JSON body of an answer. Raises ApiError if the server cancels the answer."""
    blocks: list[dict[str, Any]] = []
    texts: list[list[str]] = []  # of the blocks
    ending: dict[str, Any] = {}
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Done) and event.finish_reason == "cancelled":
                raise cut_off()
            if isinstance(event, Done):
                ending = _describe_end(event)
            elif block := _start_block(event):
                if not blocks or _is_next(block, blocks[-1]):
                    blocks.append(block)
                    texts.append([])
                texts[-1].append(_text_of(event))
    content = [_fill_block(block, "".join(parts)) for block, parts in zip(blocks, texts, strict=True)]
    return _to_json(_start_message(model, message_id) | {"content": content} | ending).encode()


async def render_events(
    events: NumberedEvents, model: str, message_id: str, request_id: str
) -> AsyncIterator[bytes]:
    """The answer as server-sent events. The last one is message_stop, or error if the answer fails."""
    yield _render("message_start", message=_start_message(model, message_id))
    index, block = -1, None  # of the content block that is open
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Done) and event.finish_reason == "cancelled":
                event = failure_of(cut_off())
            started = _start_block(event)
            is_new = started is not None and (block is None or _is_next(started, block))
            if block is not None and (is_new or isinstance(event, Done)):
                if block["type"] == "thinking":
                    yield _render_delta(index, {"type": "signature_delta", "signature": SIGNATURE})
                yield _render("content_block_stop", index=index)
            if is_new:
                index, block = index + 1, started
                yield _render("content_block_start", index=index, content_block=block)
            if started is not None and (text := _text_of(event)):
                kind, field = _DELTAS[started["type"]]
                yield _render_delta(index, {"type": kind, field: text})
            elif isinstance(event, Accepted):
                yield _render("ping")
            elif isinstance(event, Failed):
                yield _render("error", **anthropic_body_of(event, request_id))
            elif isinstance(event, Done):
                ending = _describe_end(event)
                usage = ending.pop("usage")
                yield _render("message_delta", delta=ending, usage=usage)
                yield _render("message_stop")


def _start_message(model: str, message_id: str) -> dict[str, Any]:
    """An answer without content. Its usage is known at the end only."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _start_block(event: Event) -> dict[str, Any] | None:
    """The content block to which an event belongs, empty; None if it adds no content."""
    match event:
        case Text(text) if text:
            return {"type": "text", "text": ""}
        case Reasoning(text) if text:
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolCallDelta(_, call_id, name):
            return {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return None


def _is_next(block: dict[str, Any], previous: dict[str, Any]) -> bool:
    """Whether `block` comes after `previous`, and does not continue it."""
    return block["type"] != previous["type"] or block.get("id") is not None


def _text_of(event: Event) -> str:
    return event.arguments if isinstance(event, ToolCallDelta) else event.text


def _fill_block(block: dict[str, Any], text: str) -> dict[str, Any]:
    if block["type"] == "text":
        return block | {"text": text}
    if block["type"] == "thinking":
        return block | {"thinking": text, "signature": SIGNATURE}
    return block | {"input": _parse_input(text)}


def _parse_input(arguments: str) -> dict[str, Any]:
    """The arguments of a call as an object: what there is of them, if the answer ended before they did."""
    try:
        value = from_json(arguments, allow_inf_nan=False, allow_partial="trailing-strings")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _describe_end(done: Done) -> dict[str, Any]:
    usage = done.usage
    is_stopped = done.finish_reason == "stop" and done.stop_string is not None
    return {
        "stop_reason": "stop_sequence" if is_stopped else _STOP_REASONS[done.finish_reason],
        "stop_sequence": done.stop_string if is_stopped else None,
        "usage": {
            # Without those that were found in the cache, as Anthropic counts.
            "input_tokens": usage.prompt_tokens - usage.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.cached_tokens,
            "output_tokens": usage.completion_tokens,
        },
    }


def _render_delta(index: int, delta: dict[str, str]) -> bytes:
    return _render("content_block_delta", index=index, delta=delta)


def _render(kind: str, **fields: Any) -> bytes:
    """A server-sent event."""
    return f"event: {kind}\ndata: {_to_json({'type': kind, **fields})}\n\n".encode()
