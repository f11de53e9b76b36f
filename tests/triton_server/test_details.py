"""Events of answers as responses, as contract.py describes them, and back."""

from model_core.event_writer import join_events
from model_core.events import Event, Reasoning, Text, ToolCallDelta
from triton_server.engine.details import make_response, make_responses
from triton_server.wire import make_events

EVENTS: list[Event] = [
    Reasoning("A sum."),
    Text("Sure."),
    ToolCallDelta(0, "call_1", "add", '{"a": 1'),
    ToolCallDelta(0, arguments="}"),
    ToolCallDelta(1, "call_2", "now", "{}"),
    Text("\nDone."),
    Reasoning("\nGood."),
]


def test_responses_keep_the_order_of_events() -> None:
    responses = make_responses(EVENTS)
    assert [text for text, _ in responses] == ["Sure.", "\nDone.", ""]
    events = [event for response in responses for event in make_events(*response)]
    assert join_events(events) == join_events(EVENTS)
    assert make_responses([]) == []


def test_a_whole_answer_is_one_response() -> None:
    assert make_response(join_events(EVENTS)) == (
        "Sure.\nDone.",
        {
            "reasoning": "A sum.\nGood.",
            "tool_calls": [
                {"index": 0, "id": "call_1", "name": "add", "arguments": '{"a": 1}'},
                {"index": 1, "id": "call_2", "name": "now", "arguments": "{}"},
            ],
        },
    )


def test_text_alone_has_no_details() -> None:
    assert make_responses([Text("Hello")]) == [("Hello", {})]
