"""OpenAI's Responses API: items as messages, and events of an answer as events of the stream."""

import json
from typing import Any

import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from model_core.requests.events import (
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
from triton_server.api.responses.item_schemas import ITEMS
from triton_server.api.responses.items import list_input, to_messages
from triton_server.api.responses.render import ResponseWriter, new_response, render_event
from triton_server.api.responses.schemas import ResponsesRequest

ID = "resp_" + "0" * 32
USAGE, TIMINGS = Usage(5, 9, 4), Timings(0.1, 0.2, 0.3)
STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def done(reason: Any = "stop") -> Done:
    return Done(reason, USAGE, TIMINGS, 7)


def entry(token: str) -> dict[str, Any]:
    return {"token": token, "token_id": 1, "logprob": -0.5, "top_logprobs": []}


def write(*events: Event) -> list[dict[str, Any]]:
    """The events of the stream, which are all valid for OpenAI's client, and numbered."""
    writer = ResponseWriter(new_response(ResponsesRequest(input="Hello"), ID, "tiny"), 1)
    written = [
        *writer.start(),
        *writer.accept(),
        *(made for event in events for made in writer.write(event)),
        writer.end(),
    ]
    assert [event["sequence_number"] for event in written] == list(range(len(written)))
    for event in written:
        STREAM_EVENT.validate_json(json.dumps(event), strict=True)
    return written


def shorten(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Without what is always there: the type, the place, and what is new."""
    return [
        (
            event["type"].removeprefix("response."),
            event.get("output_index"),
            event.get("delta", event.get("text", event.get("arguments"))),
        )
        for event in events
    ]


def test_stream_of_a_text() -> None:
    events = write(Text("Hel"), Text("lo"), done())
    assert shorten(events) == [
        ("created", None, None),
        ("in_progress", None, None),
        ("output_item.added", 0, None),
        ("content_part.added", 0, None),
        ("output_text.delta", 0, "Hel"),
        ("output_text.delta", 0, "lo"),
        ("output_text.done", 0, "Hello"),
        ("content_part.done", 0, None),
        ("output_item.done", 0, None),
        ("completed", None, None),
    ]
    name = "msg_" + "0" * 32 + "0001"
    added = {"id": name, "type": "message", "status": "in_progress", "role": "assistant", "content": []}
    part = {"type": "output_text", "text": "Hello", "annotations": [], "logprobs": []}
    place = {"item_id": name, "output_index": 0, "content_index": 0}
    assert events[2:9] == [
        {"type": "response.output_item.added", "sequence_number": 2, "output_index": 0, "item": added},
        {
            "type": "response.content_part.added",
            "sequence_number": 3,
            **place,
            "part": {**part, "text": ""},
        },
        {
            "type": "response.output_text.delta",
            "sequence_number": 4,
            **place,
            "delta": "Hel",
            "logprobs": [],
        },
        {
            "type": "response.output_text.delta",
            "sequence_number": 5,
            **place,
            "delta": "lo",
            "logprobs": [],
        },
        {
            "type": "response.output_text.done",
            "sequence_number": 6,
            **place,
            "text": "Hello",
            "logprobs": [],
        },
        {"type": "response.content_part.done", "sequence_number": 7, **place, "part": part},
        {
            "type": "response.output_item.done",
            "sequence_number": 8,
            "output_index": 0,
            "item": {**added, "status": "completed", "content": [part]},
        },
    ]
    first, last = events[0]["response"], events[-1]["response"]
    assert (first["status"], first["output"], first["usage"]) == ("in_progress", [], None)
    assert (last["status"], last["output"], last["seed"]) == ("completed", [events[8]["item"]], 7)
    assert last["usage"]["input_tokens_details"]["cached_tokens"] == 4
    response = Response.model_validate(last)
    assert response.output_text == "Hello"
    assert response.usage is not None and response.usage.total_tokens == 14


def test_stream_of_reasoning_text_and_calls() -> None:
    events = write(
        Reasoning("A sum, "),
        Reasoning("so add."),
        Text("Sure."),
        ToolCallDelta(0, "call_1", "add", ""),
        ToolCallDelta(0, arguments='{"a": 1'),
        ToolCallDelta(0, arguments="}"),
        ToolCallDelta(1, "call_2", "now", "{}"),
        done("tool_calls"),
    )
    assert shorten(events)[2:-1] == [
        ("output_item.added", 0, None),
        ("content_part.added", 0, None),
        ("reasoning_text.delta", 0, "A sum, "),
        ("reasoning_text.delta", 0, "so add."),
        ("reasoning_text.done", 0, "A sum, so add."),
        ("content_part.done", 0, None),
        ("output_item.done", 0, None),
        ("output_item.added", 1, None),
        ("content_part.added", 1, None),
        ("output_text.delta", 1, "Sure."),
        ("output_text.done", 1, "Sure."),
        ("content_part.done", 1, None),
        ("output_item.done", 1, None),
        ("output_item.added", 2, None),
        ("function_call_arguments.delta", 2, '{"a": 1'),
        ("function_call_arguments.delta", 2, "}"),
        ("function_call_arguments.done", 2, '{"a": 1}'),
        ("output_item.done", 2, None),
        ("output_item.added", 3, None),
        ("function_call_arguments.delta", 3, "{}"),
        ("function_call_arguments.done", 3, "{}"),
        ("output_item.done", 3, None),
    ]
    reasoning, message, add, now = events[-1]["response"]["output"]
    assert events[-1]["response"]["status"] == "completed"
    assert reasoning["content"] == [{"type": "reasoning_text", "text": "A sum, so add."}]
    assert message["content"][0]["text"] == "Sure."
    assert add == {
        "id": "fc_" + "0" * 32 + "0003",
        "type": "function_call",
        "status": "completed",
        "call_id": "call_1",
        "name": "add",
        "arguments": '{"a": 1}',
    }
    assert (now["call_id"], now["name"], now["arguments"]) == ("call_2", "now", "{}")
    done_items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done_items == [reasoning, message, add, now]


def test_log_probabilities_come_with_the_text_of_their_tokens() -> None:
    events = write(
        Logprobs([entry("<think>")]),
        Text(""),
        Logprobs([entry("Hm")]),
        Reasoning("Hm"),
        Logprobs([entry("A")]),
        Text(""),
        Logprobs([entry("B")]),
        Text("AB"),
        Logprobs([entry("C")]),
        Text("C"),
        Logprobs([entry("</s>")]),
        Text(""),
        done(),
    )
    deltas = [event for event in events if event["type"] == "response.output_text.delta"]
    tokens = [(delta["delta"], [made["token"] for made in delta["logprobs"]]) for delta in deltas]
    assert tokens == [("AB", ["A", "B"]), ("C", ["C"]), ("", ["</s>"])]
    (text,) = [event for event in events if event["type"] == "response.output_text.done"]
    part = events[-1]["response"]["output"][1]["content"][0]
    assert part["text"] == text["text"] == "ABC"
    assert part["logprobs"] == text["logprobs"] == [made for delta in deltas for made in delta["logprobs"]]
    assert part["logprobs"][0] == {"token": "A", "logprob": -0.5, "bytes": [65], "top_logprobs": []}


@pytest.mark.parametrize("answer", [Text("cut"), Reasoning("cut"), ToolCallDelta(0, "c", "f", '{"a')])
def test_answer_that_reaches_its_limit_is_incomplete(answer: Event) -> None:
    *_, item, end = write(answer, done("length"))
    assert (item["type"], item["item"]["status"]) == ("response.output_item.done", "incomplete")
    assert (end["type"], end["response"]["status"]) == ("response.incomplete", "incomplete")
    assert end["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert end["response"]["output"] == [item["item"]]
    assert end["response"]["completed_at"] is None


def test_empty_answer_is_an_empty_message() -> None:
    (item,) = write(done())[-1]["response"]["output"]
    assert (item["type"], item["content"][0]["text"]) == ("message", "")


@pytest.mark.parametrize(
    ("end", "error", "code"),
    [
        (Failed("queue_full", "full", None, 429), "queue_full", "rate_limit_exceeded"),
        (Failed("timeout", "late", "timeout_s", 408), "timeout", "invalid_prompt"),
        (Failed("", "broken"), None, "server_error"),
    ],
)
def test_failure_ends_the_stream(end: Failed, error: str | None, code: str) -> None:
    *_, item, failure, last = write(Text("Hel"), end)
    assert item["item"]["status"] == "incomplete"
    assert (failure["type"], failure["code"]) == ("error", error)
    assert (last["type"], last["response"]["status"]) == ("response.failed", "failed")
    assert last["response"]["error"] == {"code": code, "message": failure["message"]}
    assert last["response"]["output"] == [item["item"]]
    assert (failure["message"], failure["param"]) == (end.message, end.param)


def test_event_is_sent_with_its_name() -> None:
    assert render_event({"type": "error", "message": "ü\n"}) == (
        'event: error\ndata: {"type":"error","message":"ü\\n"}\n\n'.encode()
    )


def call(number: int) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"c{number}", "name": "f", "arguments": f"[{number}]"}


def made(number: int) -> dict[str, Any]:
    return {"id": f"c{number}", "name": "f", "arguments": f"[{number}]"}


REASONING = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
ANSWER = {"role": "assistant", "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "2"}


@pytest.mark.parametrize(
    ("items", "messages"),
    [
        ([{"role": "user", "content": "Hi"}], [{"role": "user", "content": "Hi"}]),
        (
            [
                {
                    "type": "message",
                    "role": "developer",
                    "content": [{"type": "input_text", "text": text} for text in ("a", "b")],
                }
            ],
            [{"role": "developer", "content": "a\nb"}],
        ),
        (
            [REASONING, ANSWER, call(1), call(2), RESULT],
            [
                {
                    "role": "assistant",
                    "reasoning": "Hm.",
                    "content": "Yes.",
                    "tool_calls": [made(1), made(2)],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "2"},
            ],
        ),
        (
            [ANSWER, ANSWER, REASONING, call(1)],
            [
                {"role": "assistant", "content": "Yes."},
                {"role": "assistant", "content": "Yes."},
                {"role": "assistant", "reasoning": "Hm.", "tool_calls": [made(1)]},
            ],
        ),
        (
            [call(1), {**RESULT, "output": [{"type": "input_text", "text": "2"}]}, call(2)],
            [
                {"role": "assistant", "tool_calls": [made(1)]},
                {"role": "tool", "tool_call_id": "c1", "content": "2"},
                {"role": "assistant", "tool_calls": [made(2)]},
            ],
        ),
        ([{"type": "reasoning", "summary": [], "encrypted_content": "x"}], []),
    ],
)
def test_items_are_messages(items: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
    assert to_messages(ITEMS.validate_python(items)) == messages


def test_input_is_listed_with_ids() -> None:
    text = {"type": "input_text", "text": "Hi"}
    name = "msg_" + "0" * 32 + "0000"
    (item,) = list_input(ResponsesRequest(input="Hi").items(), ID)
    assert item == {"id": name, "type": "message", "status": "completed", "role": "user", "content": [text]}
    items = ITEMS.validate_python([ANSWER, {**call(1), "id": "mine", "async": False}, RESULT])
    answer, listed_call, result = list_input(items, ID)
    assert answer["content"] == [{"type": "output_text", "text": "Yes."}]
    assert listed_call == {**call(1), "id": "mine", "status": "completed"}
    assert result["id"] == "fco_" + "0" * 32 + "0002"
    assert to_messages(ITEMS.validate_python(list_input(items, ID))) == to_messages(items)


def test_the_usage_names_parts_of_schemas_that_are_not_enforced() -> None:
    left_out = ("text.format.schema.properties.a.not",)
    end = Done("stop", Usage(5, 9, 4, ignored_schema=left_out), TIMINGS, 7)
    assert write(Text("Hi"), end)[-1]["response"]["usage"]["ignored_schema"] == [*left_out]
    assert "ignored_schema" not in write(Text("Hi"), done())[-1]["response"]["usage"]
