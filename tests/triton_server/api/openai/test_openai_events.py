"""Events as bytes in OpenAI's form: reasoning and tool calls, which the embedded model lacks; failures."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    Logprobs,
    Reasoning,
    Text,
    Timings,
    ToolCallDelta,
    Usage,
)
from triton_server.api.openai import chat as openai_chat
from triton_server.api.openai import chat_answers
from triton_server.api.openai.render import render_answer, render_events

MODEL, FINGERPRINT = "tiny", "fp_1"
DONE = Done("tool_calls", Usage(5, 9, 4), Timings(0.1, 0.2, 0.3), 7)
ENTRY = {"token": "Su", "token_id": 3, "logprob": -0.5, "top_logprobs": []}
EVENTS: list[Event] = [
    Reasoning("A sum, "),
    Reasoning("so add."),
    Logprobs([ENTRY]),
    Text("Sure. "),
    ToolCallDelta(0, "call_1", "add", '{"a": 1'),
    ToolCallDelta(0, arguments=', "b": 2}'),
    ToolCallDelta(1, "call_2", "now", "{}"),
    DONE,
]


async def number(events: list[Event]) -> AsyncIterator[tuple[int, Event]]:
    for event in events:
        yield 0, event


def answer(events: list[Event]) -> ChatCompletion:
    content = asyncio.run(render_answer(number(events), 1, 1, chat_answers.FORMAT, MODEL))
    return ChatCompletion.model_validate(json.loads(content), strict=True)


def stream(events: list[Event]) -> list[str]:
    """The data of each event."""

    async def collect() -> list[bytes]:
        parts = render_events(
            number(events), 1, 1, chat_answers.FORMAT, MODEL, FINGERPRINT, include_usage=False
        )
        return [part async for part in parts]

    events = b"".join(asyncio.run(collect())).decode().split("\n\n")[:-1]
    return [event.removeprefix("data: ") for event in events]


def test_body_has_reasoning_and_tool_calls() -> None:
    (choice,) = answer(EVENTS).choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "Sure. "
    assert choice.message.model_extra == {
        "reasoning_content": "A sum, so add.",
        "reasoning": "A sum, so add.",
    }
    assert choice.message.tool_calls is not None
    calls = [
        (call.id, call.type, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls
    ]
    assert calls == [
        ("call_1", "function", "add", '{"a": 1, "b": 2}'),
        ("call_2", "function", "now", "{}"),
    ]


def test_body_of_plain_answer_has_no_other_fields() -> None:
    message = answer([Text("Hello"), DONE]).choices[0].message
    assert message.model_dump(exclude_unset=True) == {
        "role": "assistant",
        "content": "Hello",
        "refusal": None,
    }


def test_content_of_calls_alone_is_null() -> None:
    message = answer([ToolCallDelta(0, "call_1", "now", "{}"), DONE]).choices[0].message
    assert message.content is None and message.tool_calls


def test_stream_has_reasoning_and_tool_calls() -> None:
    *parts, end = stream(EVENTS)
    assert end == "[DONE]"
    chunks = [ChatCompletionChunk.model_validate(json.loads(part), strict=True) for part in parts]
    deltas = [chunk.choices[0].delta.model_dump(exclude_unset=True) for chunk in chunks]
    assert deltas == [
        {"role": "assistant", "content": "", "refusal": None},
        {"reasoning_content": "A sum, ", "reasoning": "A sum, "},
        {"reasoning_content": "so add.", "reasoning": "so add."},
        {"content": "Sure. "},
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "add", "arguments": '{"a": 1'},
                }
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": ', "b": 2}'}}]},
        {
            "tool_calls": [
                {
                    "index": 1,
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "now", "arguments": "{}"},
                }
            ]
        },
        {},
    ]
    assert [chunk.choices[0].logprobs is not None for chunk in chunks].index(True) == 3
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    assert chunks[-1].choices[0].model_extra == {"seed": 7}


def test_answers_name_the_fingerprint_that_came_with_them() -> None:
    done = replace(DONE, fingerprint="fp_2")
    assert answer([Text("Hello"), done]).system_fingerprint == "fp_2"
    for events, expected in (([], "fp_1"), ([Accepted(), Accepted("fp_3")], "fp_3")):
        *parts, _ = stream([*events, Text("Hello"), done])
        chunks = [json.loads(part) for part in parts if part.startswith("{")]
        assert {chunk["system_fingerprint"] for chunk in chunks} == {expected}


def test_failure_ends_the_stream() -> None:
    *_, last = stream([Text("Hel"), Failed("timeout", "too late.", None, 408)])
    error = {"message": "too late.", "type": "invalid_request_error", "param": None, "code": "timeout"}
    assert json.loads(last) == {"error": error}


@pytest.mark.parametrize("arguments", [{"arguments": None}, {"arguments": ""}, {}])
def test_calls_of_a_history_may_have_no_arguments(arguments: dict[str, Any]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_time", **arguments}}
    body = {"model": "m", "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}
    (request,) = openai_chat.parse(openai_chat.ChatRequest.model_validate(body))
    (parsed,) = request.messages[0].tool_calls
    assert parsed.json_arguments == "{}"
