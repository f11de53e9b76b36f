"""Conversations through the engine: what their options do, and what a completion says of the answer."""

import pytest

from model_core import LLM, SamplingParams
from model_core.errors import InvalidRequest
from model_core.events import Text

GREEDY = SamplingParams(temperature=0)
HELLO = [{"role": "user", "content": "Hello!"}]
WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def test_tools_are_in_the_prompt_unless_no_call_is_allowed(llm: LLM) -> None:
    plain = llm.chat(HELLO, GREEDY)
    auto, none = (llm.chat(HELLO, GREEDY, tools=[WEATHER], tool_choice=choice) for choice in ("auto", "none"))
    assert none.usage.prompt_tokens == plain.usage.prompt_tokens < auto.usage.prompt_tokens
    assert (none.text, none.token_ids) == (plain.text, plain.token_ids)
    assert auto.text and auto.finish_reason == "stop" and auto.tool_calls == []


def test_a_conversation_may_have_calls_and_results(llm: LLM) -> None:
    call = {"id": "call_1", "name": "get_weather", "arguments": '{"city": "Paris"}'}
    messages = [
        *HELLO,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."},
    ]
    assert llm.chat(messages, GREEDY, tools=[WEATHER]).text


def test_events_make_up_the_answer(llm: LLM) -> None:
    events = list(llm.stream_chat_events(HELLO, GREEDY))
    assert all(isinstance(event, Text) for event in events)
    text = llm.chat(HELLO, GREEDY).text
    assert "".join(event.text for event in events) == text == "".join(llm.stream_chat(HELLO, GREEDY))


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tool_choice": "sometimes", "tools": [WEATHER]}, "tool_choice"),
        ({"tools": [{"name": ""}]}, "tools[0].name"),
        ({"toolz": []}, "toolz"),
    ],
)
def test_wrong_options_are_refused(llm: LLM, options: dict, param: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        llm.chat(HELLO, **options)
    assert error.value.param == param
