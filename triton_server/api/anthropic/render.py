"""Renders answers as Anthropic's messages: one body, or a stream of events."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from model_core.requests.events import Accepted, Done, Event, Failed, Reasoning, Text, ToolCallDelta
from model_core.requests.messages import complete_object

from ..errors import anthropic_body_of
from ..stream_response import NumberedEvents, to_json

# Clients send back only those blocks of thinking that have a signature. This service does not check it.
SIGNATURE = "unsigned"
_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


# The type of the deltas of a content block, and their field.
_DELTAS = {
    "text": ("text_delta", "text"),
    "thinking": ("thinking_delta", "thinking"),
    "tool_use": ("input_json_delta", "partial_json"),
}


async def render_message(events: NumberedEvents, model: str, message_id: str) -> bytes:
    """The JSON body of an answer. Raises its error."""
    blocks: list[dict[str, Any]] = []
    texts: list[list[str]] = []  # of the blocks
    ending: dict[str, Any] = {}
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Done):
                ending = _describe_end(event)
            elif block := _start_block(event):
                if not blocks or _is_next(block, blocks[-1]):
                    blocks.append(block)
                    texts.append([])
                texts[-1].append(_text_of(event))
    content = [_fill_block(block, "".join(parts)) for block, parts in zip(blocks, texts, strict=True)]
    return to_json(_start_message(model, message_id) | {"content": content} | ending).encode()


async def render_events(
    events: NumberedEvents, model: str, message_id: str, request_id: str, prompt_tokens: int = 0
) -> AsyncGenerator[bytes, None]:
    """The answer as server-sent events. The last one is message_stop, or error if the answer fails.

    What an event of an answer makes comes in one piece. `prompt_tokens`: 0: they are not known yet.
    """
    yield _render("message_start", message=_start_message(model, message_id, prompt_tokens))
    index, block = -1, None  # of the content block that is open
    async with aclosing(events):
        async for _, event in events:
            piece, started = b"", _start_block(event)
            is_new = started is not None and (block is None or _is_next(started, block))
            if block is not None and (is_new or isinstance(event, Done)):
                if block["type"] == "thinking":
                    piece += _render_delta(index, {"type": "signature_delta", "signature": SIGNATURE})
                piece += _render("content_block_stop", index=index)
            if is_new:
                index, block = index + 1, started
                piece += _render("content_block_start", index=index, content_block=block)
            if started is not None and (text := _text_of(event)):
                kind, field = _DELTAS[started["type"]]
                piece += _render_delta(index, {"type": kind, field: text})
            elif isinstance(event, Accepted):
                piece += _render("ping")
            elif isinstance(event, Failed):
                piece += _render("error", **anthropic_body_of(event, request_id))
            elif isinstance(event, Done):
                ending = _describe_end(event)
                own = {name: ending.pop(name) for name in ("usage", "receipt") if name in ending}
                piece += _render("message_delta", delta=ending, **own) + _render("message_stop")
            if piece:
                yield piece


def _start_message(model: str, message_id: str, prompt_tokens: int = 0) -> dict[str, Any]:
    """An answer without content. Which of its tokens the cache had is known at the end only."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": prompt_tokens, "output_tokens": 0},
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
    if isinstance(event, ToolCallDelta):
        return event.arguments
    return event.text if isinstance(event, Text | Reasoning) else ""


def _fill_block(block: dict[str, Any], text: str) -> dict[str, Any]:
    if block["type"] == "text":
        return block | {"text": text}
    if block["type"] == "thinking":
        return block | {"thinking": text, "signature": SIGNATURE}
    return block | {"input": complete_object(text)}


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
            **usage.remarks,
        },
        **({} if done.receipt is None else {"receipt": done.receipt}),
    }


def _render_delta(index: int, delta: dict[str, str]) -> bytes:
    return _render("content_block_delta", index=index, delta=delta)


def _render(kind: str, **fields: Any) -> bytes:
    """A server-sent event."""
    return f"event: {kind}\ndata: {to_json({'type': kind, **fields})}\n\n".encode()
