"""Renders answers as Ollama's: one body, or a line of JSON for each part."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime, timezone
from typing import Any

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Done, Failed, Reasoning, Text, ToolCallDelta
from model_core.requests.messages import complete_object

from ..errors import ollama_body_of
from ..stream_response import NumberedEvents, to_json


async def render_body(events: NumberedEvents, model: str) -> bytes:
    """The JSON body of an answer. Raises its error."""
    answer = AnswerParts()
    async with aclosing(events):
        async for _, event in events:
            answer.add(event)
    message: dict[str, Any] = {"content": answer.text}
    if answer.reasoning:
        message["thinking"] = answer.reasoning
    return to_json(_make_part(model, message | _render_calls(answer)) | _describe_end(answer.done)).encode()


async def render_lines(events: NumberedEvents, model: str) -> AsyncGenerator[bytes, None]:
    """The answer as lines of JSON. The last one is done, or an error if the answer fails."""
    async with aclosing(_make_parts(events, model)) as parts:
        async for part in parts:
            yield f"{to_json(part)}\n".encode()


async def _make_parts(events: NumberedEvents, model: str) -> AsyncGenerator[dict[str, Any], None]:
    """The parts of an answer as JSON. Calls of tools come whole."""
    answer = AnswerParts()  # its calls
    async with aclosing(events):
        async for _, event in events:
            match event:
                case Accepted():  # a reader of lines expects JSON in each, so this keeps the connection
                    yield _make_part(model, {})
                case Text(text) if text:
                    yield _make_part(model, {"content": text})
                case Reasoning(text) if text:
                    yield _make_part(model, {"thinking": text})
                case ToolCallDelta():
                    answer.add(event)
                case Failed():
                    yield ollama_body_of(event)
                case Done():
                    if answer.calls:
                        yield _make_part(model, _render_calls(answer))
                    yield _make_part(model, {}) | _describe_end(event)


def _make_part(model: str, added: dict[str, Any]) -> dict[str, Any]:
    now = datetime.now(timezone.utc).isoformat()
    message = {"role": "assistant", "content": "", **added}
    return {"model": model, "created_at": now, "message": message, "done": False}


def _render_calls(answer: AnswerParts) -> dict[str, Any]:
    """The calls of an answer as a field of its message, if there are some."""
    calls = [
        {"function": {"name": call.name, "arguments": complete_object(call.arguments)}}
        for call in answer.tool_calls
    ]
    return {"tool_calls": calls} if calls else {}


def _describe_end(done: Done) -> dict[str, Any]:
    usage, total = done.usage, done.timings.total
    first = total if done.timings.first_token is None else done.timings.first_token
    return {
        "done": True,
        "done_reason": "length" if done.finish_reason == "length" else "stop",
        "total_duration": _nanoseconds(total),
        "load_duration": 0,
        "prompt_eval_count": usage.prompt_tokens,
        "prompt_eval_duration": _nanoseconds(first),
        "eval_count": usage.completion_tokens,
        "eval_duration": _nanoseconds(total - first),
        **usage.ignored,
    }


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
