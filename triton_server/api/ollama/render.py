"""Renders answers as Ollama's: one body, or a line of JSON for each part."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime, timezone
from typing import Any

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Done, Failed, Logprobs, Reasoning, Text, ToolCallDelta
from model_core.requests.messages import complete_object

from ..errors import text_body_of
from ..openai.chat_answers import render_logprob
from ..stream_response import NumberedEvents, to_json

Part = dict[str, Any]
# The name of a model, and fields of Ollama's message that are not empty -> a part of an answer.
MakePart = Callable[[str, Part], Part]


async def render_body(events: NumberedEvents, model: str, make_part: MakePart) -> bytes:
    """The JSON body of an answer. Raises its error."""
    answer = AnswerParts()
    async with aclosing(events):
        async for _, event in events:
            answer.add(event)
    message: dict[str, Any] = {"content": answer.text}
    if answer.reasoning:
        message["thinking"] = answer.reasoning
    part = make_part(model, message | _render_calls(answer)) | _render_logprobs(answer.logprobs or [])
    return to_json(part | _describe_end(answer.done)).encode()


async def render_lines(
    events: NumberedEvents, model: str, make_part: MakePart
) -> AsyncGenerator[bytes, None]:
    """The answer as lines of JSON. The last one is done, or an error if the answer fails."""
    async with aclosing(_make_parts(events, model, make_part)) as parts:
        async for part in parts:
            yield f"{to_json(part)}\n".encode()


async def _make_parts(events: NumberedEvents, model: str, make_part: MakePart) -> AsyncGenerator[Part, None]:
    """The parts of an answer as JSON. Calls of tools come whole."""
    answer = AnswerParts()  # its calls
    entries: list[Part] = []  # log probabilities of the next part
    async with aclosing(events):
        async for _, event in events:
            match event:
                case Accepted():  # a reader of lines expects JSON in each, so this keeps the connection
                    yield make_part(model, {})
                case Logprobs():
                    entries += event.entries
                case Text(text) | Reasoning(text) if text:
                    name = "thinking" if isinstance(event, Reasoning) else "content"
                    yield make_part(model, {name: text}) | _render_logprobs(entries)
                    entries = []
                case ToolCallDelta():
                    answer.add(event)
                case Failed():
                    yield text_body_of(event)
                case Done():
                    if answer.calls:
                        yield make_part(model, _render_calls(answer))
                    yield make_part(model, {}) | _render_logprobs(entries) | _describe_end(event)


def make_chat_part(model: str, added: Part) -> Part:
    """A part of an answer in a chat."""
    return _begin_part(model) | {"message": {"role": "assistant", "content": "", **added}, "done": False}


def make_generated_part(model: str, added: Part) -> Part:
    """A part of the answer to a prompt."""
    content = {"response": added.get("content", "")}
    if "thinking" in added:
        content["thinking"] = added["thinking"]
    return _begin_part(model) | content | {"done": False}


def _begin_part(model: str) -> Part:
    return {"model": model, "created_at": datetime.now(timezone.utc).isoformat()}


def _render_calls(answer: AnswerParts) -> dict[str, Any]:
    """The calls of an answer as a field of its message, if there are some."""
    calls = [
        {"function": {"name": call.name, "arguments": complete_object(call.arguments)}}
        for call in answer.tool_calls
    ]
    return {"tool_calls": calls} if calls else {}


def _render_logprobs(entries: list[Part]) -> Part:
    return {"logprobs": list(map(render_logprob, entries))} if entries else {}


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
        **usage.remarks,
    }


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
