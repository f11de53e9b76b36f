"""Messages of conversations, and the errors of malformed ones."""

from typing import Any

import pytest
from pydantic import ValidationError

from model_core.errors import InvalidRequest
from model_core.requests.messages import ChatFields, Message, ToolCall, ToolName, parse_messages

HELLO = {"role": "user", "content": "Hello"}


def test_messages_are_parsed() -> None:
    call = {"id": "1", "name": "add", "arguments": '{"a": 1}'}
    parts = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]
    messages = parse_messages(
        [
            {"role": "developer", "content": parts},
            {"role": "assistant", "content": None, "reasoning": "A sum.", "tool_calls": [call]},
            {"role": "tool", "content": "3", "tool_call_id": "1", "name": "add"},
        ]
    )
    assert [message.text for message in messages] == ["Hello\nthere", "", "3"]
    assert messages[1].tool_calls == [ToolCall(id="1", name="add", arguments='{"a": 1}')]
    assert messages[1].reasoning == "A sum."
    assert messages[2] == Message(role="tool", content="3", tool_call_id="1", name="add")


@pytest.mark.parametrize(
    ("value", "param", "sentence"),
    [
        (5, "messages", "messages must be a list, not 5."),
        ([], "messages", "messages must be a list of 1 or more, not []."),
        ([HELLO, "x"], "messages[1]", "messages[1] must be an object, not 'x'."),
        ([{"content": "x"}], "messages[0].role", "messages[0].role is missing."),
        (
            [HELLO, {"role": "wizard"}],
            "messages[1].role",
            "messages[1].role must be 'system', 'developer', 'user', 'assistant' or 'tool', not 'wizard'.",
        ),
        (
            [{**HELLO, "content": 5}],
            "messages[0].content",
            "messages[0].content must be a string or a list, not 5.",
        ),
        (
            [{**HELLO, "content": [{"type": "video_url"}]}],
            "messages[0].content[0]",
            "messages[0].content[0] must be an object of the type 'text' or 'image_url'.",
        ),
        ([{**HELLO, "mood": "good"}], "messages[0].mood", "unknown parameter 'messages[0].mood'."),
    ],
)
def test_malformed_messages_are_refused_with_their_path(value: Any, param: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        parse_messages(value)
    assert (raised.value.param, str(raised.value)) == (param, sentence)


def test_only_the_first_of_many_wrong_messages_is_reported() -> None:
    with pytest.raises(InvalidRequest, match=r"messages\[0\] must be an object"):
        parse_messages([5] * 1_000_000)


def test_tool_choice_is_a_word_or_a_name() -> None:
    assert ChatFields(tool_choice="required").tool_choice == "required"
    assert ChatFields.model_validate({"tool_choice": {"name": "add"}}).tool_choice == ToolName(name="add")
    with pytest.raises(ValidationError):
        ChatFields.model_validate({"tool_choice": "perhaps"})
