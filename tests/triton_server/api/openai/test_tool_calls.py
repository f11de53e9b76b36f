"""Tools and reasoning through gRPC and the API in OpenAI's form, with the embedded model.

It has never seen a tool, so calls that are required are valid by construction alone.
"""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import openai
import pytest
from conftest import Server

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Done
from triton_server.client import ChatClient

HELLO: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 12}, "days": {"enum": [1, 2, 3]}},
    "required": ["city", "days"],
}
WEATHER = {"name": "get_weather", "description": "The weather in a city.", "parameters": SCHEMA}
TIME = {"name": "get_time"}
TOOLS: list[Any] = [{"type": "function", "function": tool} for tool in (WEATHER, TIME)]
NAMED: Any = {"type": "function", "function": {"name": "get_weather"}}


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_calls_travel_over_grpc(client: ChatClient) -> None:
    parameters = {"tools": [WEATHER, TIME], "tool_choice": "required", "seed": 4, "max_tokens": 300}
    answer = client.chat(HELLO, **parameters)
    assert (answer.text, answer.finish_reason) == ("", "tool_calls")
    with client.stream(HELLO, **parameters) as stream:
        events = list(stream.events)
    assert isinstance(events[-1], Done) and events[-1].finish_reason == "tool_calls"
    assert AnswerParts().add(*events).tool_calls == answer.tool_calls == stream.answer.tool_calls


@pytest.mark.parametrize("choice", ["required", NAMED])
def test_a_required_call_is_valid(gpt: openai.OpenAI, choice: Any) -> None:
    options: dict[str, Any] = {"tools": TOOLS, "tool_choice": choice, "parallel_tool_calls": False, "seed": 1}
    (whole,) = gpt.chat.completions.create(model="default", messages=HELLO, **options).choices
    assert whole.finish_reason == "tool_calls" and whole.message.content is None
    (call,) = whole.message.tool_calls
    arguments = json.loads(call.function.arguments)
    jsonschema.validate(arguments, SCHEMA if call.function.name == "get_weather" else {"maxProperties": 0})
    if choice is NAMED:
        assert call.function.name == "get_weather"
    with gpt.chat.completions.stream(model="default", messages=HELLO, **options) as stream:
        (streamed,) = stream.get_final_completion().choices
    assert streamed.finish_reason == "tool_calls"
    (streamed_call,) = streamed.message.tool_calls
    assert streamed_call.id == call.id and streamed_call.function.name == call.function.name
    assert streamed_call.function.arguments == call.function.arguments


def test_answers_of_one_request_have_calls_of_their_own(gpt: openai.OpenAI) -> None:
    answer = gpt.chat.completions.create(
        model="default", messages=HELLO, tools=TOOLS, tool_choice="required", n=2, seed=3
    )
    ids = [call.id for choice in answer.choices for call in choice.message.tool_calls]
    assert len(set(ids)) == len(ids) >= 2


def test_a_result_of_a_call_goes_back(gpt: openai.OpenAI) -> None:
    (choice,) = gpt.chat.completions.create(
        model="default", messages=HELLO, tools=TOOLS, tool_choice=NAMED
    ).choices
    (call,) = choice.message.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": "Sunny."}
    messages = [*HELLO, choice.message, result]
    answer = gpt.chat.completions.create(model="default", messages=messages, tools=TOOLS, temperature=0)
    assert answer.choices[0].message.content and answer.choices[0].finish_reason == "stop"


def test_no_call_is_made_where_none_is_allowed(gpt: openai.OpenAI) -> None:
    options: dict[str, Any] = {"model": "default", "messages": HELLO, "seed": 1}
    plain = gpt.chat.completions.create(**options)
    none = gpt.chat.completions.create(**options, tools=TOOLS, tool_choice="none")
    assert none.choices == plain.choices and none.usage.prompt_tokens == plain.usage.prompt_tokens


def test_strict_tools_and_text_go_together(gpt: openai.OpenAI) -> None:
    strict: Any = {"type": "function", "function": {**WEATHER, "strict": True}}
    (choice,) = gpt.chat.completions.create(
        model="default", messages=HELLO, tools=[strict], temperature=0
    ).choices
    for call in choice.message.tool_calls or ():
        jsonschema.validate(json.loads(call.function.arguments), SCHEMA)
    assert choice.message.content or choice.message.tool_calls


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tool_choice": {"type": "function", "function": {"name": "other"}}}, "'other'"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "array"}}}]},
            "'f'",
        ),
    ],
)
def test_wrong_tools_are_refused(gpt: openai.OpenAI, fields: dict[str, Any], message: str) -> None:
    options = {"tools": TOOLS, "tool_choice": "required", **fields}
    with pytest.raises(openai.BadRequestError, match=message) as error:
        gpt.chat.completions.create(model="default", messages=HELLO, **options)
    assert error.value.param in ("tools[0].function.parameters", "tool_choice")
