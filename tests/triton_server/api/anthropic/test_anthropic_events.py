"""Anthropic's Messages API as two functions: from a body to a request, and from events to bytes."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from pydantic import TypeAdapter

from model_core.requests.events import (
    Accepted,
    Done,
    Event,
    Failed,
    FinishReason,
    Reasoning,
    Text,
    Timings,
    ToolCallDelta,
    Usage,
)
from triton_server.api.anthropic.render import render_events, render_message
from triton_server.api.anthropic.routes import parse
from triton_server.api.anthropic.schemas import MessagesRequest
from triton_server.api.anthropic.tools import list_left_out
from triton_server.api.errors import ApiError

CALLS = [
    Reasoning("A sum, "),
    Reasoning("so add."),
    Text(""),
    Text("Sure. "),
    Text("Wait."),
    ToolCallDelta(0, "c1", "add", '{"a": 1'),
    ToolCallDelta(0, arguments=', "b": 2}'),
    ToolCallDelta(1, "c2", "now"),
    ToolCallDelta(1, arguments="{}"),
]


def done(reason: FinishReason = "stop", stop_string: str | None = None) -> Done:
    return Done(reason, Usage(5, 9, 4), Timings(0.1, 0.2, 0.3), 7, stop_string)


async def number(events: list[Event]) -> AsyncIterator[tuple[int, Event]]:
    for event in events:
        yield 0, event


def answer(*events: Event) -> dict[str, Any]:
    """The body, which Anthropic's types accept."""
    content = json.loads(asyncio.run(render_message(number([*events]), "tiny", "msg_1")))
    assert Message.model_validate(content).id == "msg_1"
    return content


def stream(*events: Event) -> str:
    """The data of the events after message_start, a line for each. Anthropic's types accept each of them."""

    async def collect() -> bytes:
        return b"".join([part async for part in render_events(number([*events]), "tiny", "msg_1", "id_1")])

    data = []
    for event in asyncio.run(collect()).decode().removesuffix("\n\n").split("\n\n"):
        name, line = event.split("\n")
        data.append(line.removeprefix("data: "))
        assert name == f"event: {json.loads(data[-1])['type']}"
        if name not in ("event: ping", "event: error"):
            TypeAdapter(RawMessageStreamEvent).validate_json(data[-1])
    assert data[0] == (
        '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"tiny",'
        '"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}}'
    )
    return "\n".join(data[1:])


def test_body_has_thinking_text_and_calls() -> None:
    assert answer(Accepted(), *CALLS, done("tool_calls")) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "tiny",
        "content": [
            {"type": "thinking", "thinking": "A sum, so add.", "signature": "unsigned"},
            {"type": "text", "text": "Sure. Wait."},
            {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1, "b": 2}},
            {"type": "tool_use", "id": "c2", "name": "now", "input": {}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 4,
            "output_tokens": 9,
        },
    }


END = """{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":%s},"usage":{"input_tokens":1,\
"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":9}}
{"type":"message_stop"}"""


def test_stream_has_thinking_text_and_calls() -> None:
    expected = r"""
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"A sum, "}}
{"type":"ping"}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"so add."}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"unsigned"}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Sure. "}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Wait."}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"add","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 1"}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":", \"b\": 2}"}}
{"type":"content_block_stop","index":2}
{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"c2","name":"now","input":{}}}
{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}
{"type":"content_block_stop","index":3}
""".lstrip()
    events = stream(CALLS[0], Accepted(), *CALLS[1:], done("tool_calls"))
    assert events == expected + END % ('"tool_use"', "null")


@pytest.mark.parametrize(
    ("end", "reason", "sequence"),
    [
        (done(), "end_turn", None),
        (done("length"), "max_tokens", None),
        (done("stop", "\nUser:"), "stop_sequence", "\nUser:"),
        (done("tool_calls"), "tool_use", None),
    ],
)
def test_ends_have_their_reasons(end: Done, reason: str, sequence: str | None) -> None:
    body = answer(end)
    assert (body["content"], body["stop_reason"], body["stop_sequence"]) == ([], reason, sequence)
    assert stream(end) == END % (json.dumps(reason), json.dumps(sequence))


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [("", {}), ('{"city": "Par', {"city": "Par"}), ("[1]", {}), ("{oops}", {}), ('{"x": NaN}', {})],
)
def test_input_of_a_call_is_always_an_object(arguments: str, parsed: dict[str, Any]) -> None:
    (block,) = answer(ToolCallDelta(0, "c1", "weather", arguments), done("length"))["content"]
    assert block["input"] == parsed


def test_failures_are_errors() -> None:
    failed = Failed("timeout", "too late.", None, 408)
    error = '{"type":"timeout_error","message":"too late.","details":{"error_code":"timeout"}}'
    assert stream(failed) == f'{{"type":"error","error":{error},"request_id":"id_1"}}'


BODY: dict[str, Any] = {"model": "tiny", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}

WEATHER = {"name": "weather", "description": "How it is.", "input_schema": {"type": "object"}}


def sent(**fields: Any) -> dict[str, Any]:
    """The messages and parameters that the engine gets."""
    request = parse(MessagesRequest.model_validate({**BODY, **fields}))
    return {"messages": request.prompt(), **request.parameters()}


def test_conversation_becomes_messages() -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]},
        {"role": "user", "content": "b"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "c"},
            ],
        },
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "d"},
        {"role": "assistant", "content": "The answer is"},
    ]
    system = [{"type": "text", "text": "You are"}, {"type": "text", "text": "kind."}]
    request = sent(messages=messages, system=system)
    assert request["messages"] == [
        {"role": "system", "content": "You are\nkind."},
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c", "reasoning": "Hm."},
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "d"},
        {"role": "assistant", "content": "The answer is"},
    ]
    assert request["continue_final_message"] is True


def test_calls_and_results_become_messages() -> None:
    calls = [
        {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Köln"}},
        {"type": "tool_use", "id": "t2", "name": "weather", "input": {}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "Sun"},
        {
            "type": "tool_result",
            "tool_use_id": "t2",
            "is_error": True,
            "content": [{"type": "text", "text": "no"}, {"type": "text", "text": "city"}],
        },
        {"type": "tool_result", "tool_use_id": "t3"},
        {"type": "text", "text": "And now?"},
    ]
    messages = [
        {"role": "user", "content": "How is it?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *calls]},
        {"role": "user", "content": results},
    ]
    assert sent(messages=messages, tools=[WEATHER])["messages"] == [
        {"role": "user", "content": "How is it?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "t1", "name": "weather", "arguments": '{"city": "Köln"}'},
                {"id": "t2", "name": "weather", "arguments": "{}"},
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "Sun"},
        {"role": "tool", "tool_call_id": "t2", "content": "Error: no\ncity"},
        {"role": "tool", "tool_call_id": "t3", "content": ""},
        {"role": "user", "content": "And now?"},
    ]


SEARCH_RESULT = {
    "type": "search_result",
    "source": "https://a.b",
    "title": "Rain",
    "content": [{"type": "text", "text": "It rains."}],
    "citations": {"enabled": True},
}


@pytest.mark.parametrize(
    ("role", "block", "text"),
    [
        (
            "user",
            {
                "type": "document",
                "title": "Notes",
                "source": {"type": "text", "media_type": "text/plain", "data": "Hi"},
            },
            "Notes\nHi",
        ),
        (
            "user",
            {"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": "SGk="}},
            "Hi",
        ),
        (
            "user",
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "Hi"}]}},
            "Hi",
        ),
        (
            "user",
            SEARCH_RESULT,
            'search_result: {"source": "https://a.b", "title": "Rain", "content": [{"text": "It rains."}]}',
        ),
        (
            "assistant",
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
            'server_tool_use: {"name": "web_search", "input": {"query": "rain"}}',
        ),
        (
            "assistant",
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [
                    {"type": "web_search_result", "title": "Rain", "encrypted_content": "Eo8=", "url": "u"}
                ],
            },
            'web_search_tool_result: {"content": [{"title": "Rain", "url": "u"}]}',
        ),
    ],
)
def test_blocks_of_other_services_are_text(role: str, block: dict[str, Any], text: str) -> None:
    hello = {"role": "user", "content": "Hello"}
    turn = {"role": role, "content": [block]}
    messages = [hello, turn, hello] if role == "assistant" else [turn]
    expected = {"role": role, "content": text}
    assert expected in sent(messages=messages)["messages"]


def test_results_of_calls_may_have_blocks_of_other_services() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [SEARCH_RESULT]}
    *_, answered = sent(messages=[call, {"role": "user", "content": [result]}])["messages"]
    assert answered["role"] == "tool" and "It rains." in answered["content"]


def test_content_may_be_null() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": None}]
    assert sent(messages=[*messages, messages[0]])["messages"][1] == {"role": "assistant", "content": ""}


def test_tools_of_anthropics_types_are_functions() -> None:
    tools = [
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "bash_20250124", "name": "bash"},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9},
        {"type": "memory_20250818", "name": "memory"},
        {"type": "computer_20250124", "name": "computer", "display_width_px": 1, "display_height_px": 1},
        {"name": "x" * 128, "input_schema": {"type": "object"}},
    ]
    request = sent(tools=tools)
    names = [tool["name"] for tool in request["tools"]]
    assert names == ["bash", "str_replace_based_edit_tool", "memory", "x" * 128]
    bash, editor, memory = (tool["parameters"]["properties"] for tool in request["tools"][:3])
    assert {*bash} == {"command", "restart"}
    assert "view" in editor["command"]["enum"] and "rename" in memory["command"]["enum"]
    body = MessagesRequest.model_validate({**BODY, "tools": tools})
    assert list_left_out(body.tools or ()) == ["web_search_20250305", "computer_20250124"]
    assert "tools" not in sent(tools=tools[:1])


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto"}, {"tool_choice": "auto", "parallel_tool_calls": True}),
        ({"type": "any"}, {"tool_choice": "required", "parallel_tool_calls": True}),
        (
            {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
            {"tool_choice": {"name": "weather"}, "parallel_tool_calls": False},
        ),
        ({"type": "none"}, {"tool_choice": "none", "parallel_tool_calls": True}),
    ],
)
def test_tools_and_their_choice(choice: dict[str, Any], expected: dict[str, Any]) -> None:
    request = sent(
        tools=[WEATHER, {"type": "custom", "name": "now", "input_schema": {}, "strict": True}],
        tool_choice=choice,
    )
    assert request["tools"] == [
        {"name": "weather", "description": "How it is.", "parameters": {"type": "object"}, "strict": False},
        {"name": "now", "description": None, "parameters": {}, "strict": True},
    ]
    assert {name: request[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {}),
        ({"stop_sequences": ["END"]}, {"stop": ["END"]}),
        ({"stop": "END", "min_p": 0.1, "seed": 3}, {"stop": ["END"], "min_p": 0.1, "seed": 3}),
        ({"temperature": 1.0, "top_p": 0.5, "top_k": 4}, {"temperature": 1.0, "top_p": 0.5, "top_k": 4}),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 9}},
            {"enable_thinking": True, "reasoning_budget": 9},
        ),
        ({"thinking": {"type": "disabled"}}, {"enable_thinking": False}),
        (
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}},
            {"reasoning_effort": "xhigh"},
        ),
        ({"metadata": {"user_id": "me"}, "service_tier": "auto"}, {}),
    ],
)
def test_fields_become_those_of_a_request(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    request = sent(**fields)
    assert request.pop("messages") == [{"role": "user", "content": "Hi"}]
    assert request == {"model": "tiny", "max_tokens": 5, **expected}


def test_log_probabilities_are_refused() -> None:
    with pytest.raises(ApiError, match="no place for logprobs"):
        sent(logprobs=2)


def test_the_usage_names_parts_of_schemas_that_are_not_enforced() -> None:
    left_out = ("tools[0].input_schema.properties.a.not",)
    end = Done("stop", Usage(5, 9, 4, ignored_schema=left_out), Timings(0.1, 0.2, 0.3), 7)
    assert answer(Text("Hi"), end)["usage"]["ignored_schema"] == [*left_out]
    assert "ignored_schema" not in answer(Text("Hi"), done())["usage"]
    assert f'"ignored_schema":["{left_out[0]}"]' in stream(Text("Hi"), end)
