"""Custom tools, the older form of tools, and histories of other services in OpenAI's chats."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from conftest import Server
from openai.types.chat import ChatCompletion

from model_core.errors import InvalidRequest, TritonchatError
from triton_server.api.errors import ApiError
from triton_server.api.openai.chat import ChatMessage, ChatRequest, find_tools, parse, parse_messages

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
DIGIT = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}}
DIGIT |= {"required": ["a"], "additionalProperties": False}
ADD = {"name": "add", "parameters": DIGIT}
WORD = {"type": "grammar", "grammar": {"syntax": "regex", "definition": "[a-z]{2,4}"}}
SAY = {"type": "custom", "custom": {"name": "say", "description": "Say it.", "format": WORD}}


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    """OpenAI's client with the address of the service."""
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_custom_tools_are_called_with_text(gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {
        "model": "default",
        "messages": HELLO,
        "tools": [{"type": "web_search"}, SAY, {"type": "function", "function": ADD}],
        "tool_choice": {"type": "custom", "custom": {"name": "say"}},
        "parallel_tool_calls": False,
    }
    raw = gpt.chat.completions.with_raw_response.create(**arguments)
    assert raw.headers["X-Ignored-Tools"] == "web_search"
    answer = raw.parse()
    ChatCompletion.model_validate_json(answer.model_dump_json(exclude_unset=True), strict=True)
    message = answer.choices[0].message
    (call,) = message.tool_calls or ()
    assert call.type == "custom" and call.custom.name == "say" and 2 <= len(call.custom.input) <= 4
    streamed: list[Any] = []
    for chunk in gpt.chat.completions.create(**arguments, stream=True):
        streamed += chunk.choices[0].delta.tool_calls or ()
    assert [part.to_dict()["custom"] for part in streamed] == [call.custom.to_dict()]
    result = {"role": "tool", "tool_call_id": call.id, "content": "Said."}
    follow_up = [*HELLO, message.to_dict(), result]
    assert gpt.chat.completions.create(model="default", messages=follow_up).choices[0].message.content


def test_expressions_that_are_not_enforced_are_named_as_they_were_sent(api: Server) -> None:
    bounds = {"syntax": "regex", "definition": r"\b[a-z]{2}"}
    say = {"name": "say", "format": {"type": "grammar", "grammar": bounds}}
    tools: list[Any] = [{"type": "web_search"}, {"type": "custom", "custom": say}]
    body = {"messages": HELLO, "tools": tools, "tool_choice": "required", "max_tokens": 8}
    usage = httpx.post(f"{api.api_url}/v1/chat/completions", json=body).json()["usage"]
    assert usage["ignored_schema"] == ["tools[1].custom.format.grammar.definition"]
    flat = {"type": "custom", "name": "say", "format": {"type": "grammar", **bounds}}
    body = {"input": "Hi", "tools": [flat], "tool_choice": "required", "max_output_tokens": 8}
    usage = httpx.post(f"{api.api_url}/v1/responses", json=body).json()["usage"]
    assert usage["ignored_schema"] == ["tools[0].format.definition"]


def test_older_form_of_tools(gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {
        "model": "default",
        "messages": HELLO,
        "functions": [ADD],
        "function_call": {"name": "add"},
    }
    (choice,) = gpt.chat.completions.create(**arguments).choices
    call = choice.message.function_call
    assert choice.finish_reason == "function_call" and choice.message.tool_calls is None
    assert call is not None and call.name == "add" and [*json.loads(call.arguments)] == ["a"]
    chunks = [chunk.choices[0] for chunk in gpt.chat.completions.create(**arguments, stream=True)]
    deltas = [chunk.delta.function_call for chunk in chunks if chunk.delta.function_call]
    assert deltas[0].name == "add" and chunks[-1].finish_reason == "function_call"
    assert "".join(delta.arguments or "" for delta in deltas) == call.arguments
    result = {"role": "function", "name": "add", "content": "3"}
    follow_up = [*HELLO, choice.message.to_dict(), result]
    answer = gpt.chat.completions.create(model="default", messages=follow_up, functions=[ADD])
    newer = [
        *HELLO,
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "add", "arguments": call.arguments},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c", "name": "add", "content": "3"},
    ]
    tools: Any = [{"type": "function", "function": ADD}]
    expected = gpt.chat.completions.create(
        model="default", messages=newer, tools=tools, parallel_tool_calls=False
    )
    assert answer.choices[0].message.content == expected.choices[0].message.content
    assert answer.usage is not None and expected.usage is not None
    assert answer.usage.prompt_tokens == expected.usage.prompt_tokens


@pytest.mark.parametrize(
    ("fields", "names", "choice"),
    [
        ({"tools": [SAY]}, ["say"], "auto"),
        ({"functions": [ADD]}, ["add"], "auto"),
        ({"functions": [ADD], "function_call": "none"}, ["add"], "none"),
        (
            {
                "tools": [SAY, {"type": "function", "function": ADD}],
                "tool_choice": {
                    "type": "allowed_tools",
                    "allowed_tools": {
                        "mode": "required",
                        "tools": [{"type": "function", "function": {"name": "add"}}],
                    },
                },
            },
            ["add"],
            "required",
        ),
    ],
)
def test_tools_and_their_choice(fields: dict[str, Any], names: list[str], choice: Any) -> None:
    body = ChatRequest(messages=HELLO, **fields)
    (request,) = parse(body)
    assert [tool.name for tool in request.tools or ()] == names
    assert request.tool_choice == choice
    assert request.parallel_tool_calls is ("functions" not in fields)


@pytest.mark.parametrize(
    ("fields", "error", "param"),
    [
        ({"functions": [ADD], "tools": [SAY]}, ApiError, "functions"),
        ({"function_call": {"name": "add"}}, ApiError, "function_call"),
        ({"tools": [SAY], "function_call": "none"}, ApiError, "function_call"),
        ({"functions": [ADD], "tool_choice": "none"}, ApiError, "tool_choice"),
        (
            {"tools": [{"type": "web_search", "tools": 5}], "tool_choice": "required"},
            InvalidRequest,
            "tool_choice",
        ),
        ({"tools": [SAY], "tool_choice": {"type": "custom"}}, InvalidRequest, "tool_choice.custom"),
        (
            {
                "tools": [SAY],
                "tool_choice": {
                    "type": "allowed_tools",
                    "allowed_tools": {"tools": [{"type": "custom", "custom": {"name": "other"}}]},
                },
            },
            InvalidRequest,
            "tool_choice",
        ),
    ],
)
def test_wrong_choices_are_refused(fields: dict[str, Any], error: type[TritonchatError], param: str) -> None:
    with pytest.raises(error) as raised:
        find_tools(ChatRequest(messages=HELLO, **fields))
    assert raised.value.param == param


def test_errors_name_the_place_of_a_tool_as_it_was_sent(api: Server) -> None:
    wrong = {"type": "function", "function": {"name": "f", "parameters": {"type": "x"}, "strict": True}}
    body = {"messages": HELLO, "tools": [{"type": "web_search"}, wrong], "tool_choice": "required"}
    error = httpx.post(f"{api.api_url}/v1/chat/completions", json=body).json()["error"]
    assert error["param"] == "tools[1].function.parameters"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tools": [{"type": "web_search"}, {**SAY, "custom": {"name": "a b"}}]}, "tools[1].custom.name"),
        ({"functions": [{"name": "a b"}]}, "functions[0].name"),
        ({"functions": [ADD], "function_call": {"name": "\udc00"}}, "function_call.name"),
    ],
)
def test_refused_fields_have_the_names_that_were_sent(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        parse(ChatRequest(messages=HELLO, **fields))
    assert raised.value.param == path and str(raised.value).startswith(f"{path} ")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "assistant", "content": None}, {"role": "assistant", "content": ""}),
        ({"role": "user", "content": None}, {"role": "user", "content": ""}),
        (
            {"role": "assistant", "content": None, "refusal": "No."},
            {"role": "assistant", "content": "No."},
        ),
        (
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
            {"role": "assistant", "content": [{"type": "text", "text": "No."}]},
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "type": "file",
                        "file": {"filename": "a.md", "file_data": "data:text/plain;base64,SGk="},
                    }
                ],
            },
            {"role": "user", "content": [{"type": "text", "text": "a.md:\nHi"}]},
        ),
        (
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "say", "input": "é"}}],
            },
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "name": "say", "arguments": '{"input": "é"}'}],
            },
        ),
    ],
)
def test_histories_of_other_services_continue(message: dict[str, Any], expected: dict[str, Any]) -> None:
    assert parse_messages([ChatMessage.model_validate(message)]) == [expected]
