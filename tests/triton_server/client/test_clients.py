"""Clients and frameworks that others wrote, unchanged but for the address of the service.

With the embedded model, which has never seen a tool or a schema, answers are valid by construction. The
reciting model calls a tool of its own accord, and reports what the tool says. Each client is imported by its
fixture, because an import takes up to six seconds.
"""

import json
import os
from collections.abc import Iterator
from typing import Any, Literal

import openai
import pydantic
import pytest
from conftest import Server
from in_process import Endpoints
from reciter import ARGUMENTS, GREETING, REASONING, REPORT

ASK: list[Any] = [{"role": "user", "content": "Make a plan for tomorrow."}]
WEATHER: list[Any] = [{"role": "user", "content": "How is the weather in Paris?"}]


class Place(pydantic.BaseModel):
    """A place to go to."""

    name: str = pydantic.Field(max_length=12)
    kind: Literal["town", "lake", "hill"]


class Plan(pydantic.BaseModel):
    """A plan for a day."""

    hours: int = pydantic.Field(ge=1, le=9)
    places: list[Place] = pydantic.Field(min_length=1, max_length=2)


def get_weather(city: str) -> str:
    """The weather in a city."""
    assert city == json.loads(ARGUMENTS)["city"]
    return "Rain."


FUNCTION = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
PLAN_TOOL: Any = openai.pydantic_function_tool(Plan)
TOOLS: list[Any] = [{"type": "function", "function": FUNCTION}]


def url_of(server: Endpoints) -> str:
    return f"{server.api_url}/v1"


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=url_of(api), api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def thinker(reciter: Endpoints) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=url_of(reciter), api_key="none", max_retries=0) as client:
        yield client


def test_openai_parses_an_answer(gpt: openai.OpenAI) -> None:
    answer = gpt.chat.completions.parse(model="default", messages=ASK, response_format=Plan, temperature=1.5)
    (choice,) = answer.choices
    assert choice.finish_reason == "stop" and isinstance(choice.message.parsed, Plan)
    with gpt.chat.completions.stream(
        model="default", messages=ASK, response_format=Plan, temperature=1.5, seed=choice.model_extra["seed"]
    ) as stream:
        streamed = stream.get_final_completion()
    assert streamed.choices[0].message.parsed == choice.message.parsed


def test_openai_parses_a_call(gpt: openai.OpenAI) -> None:
    answer = gpt.chat.completions.parse(
        model="default", messages=ASK, tools=[PLAN_TOOL], tool_choice="required", parallel_tool_calls=False
    )
    (call,) = answer.choices[0].message.tool_calls
    assert isinstance(call.function.parsed_arguments, Plan)


@pytest.mark.parametrize("streamed", [False, True])
def test_openai_takes_a_result_of_a_call(thinker: openai.OpenAI, streamed: bool) -> None:
    if streamed:
        with thinker.chat.completions.stream(model="default", messages=WEATHER, tools=TOOLS) as stream:
            (choice,) = stream.get_final_completion().choices
    else:
        (choice,) = thinker.chat.completions.create(model="default", messages=WEATHER, tools=TOOLS).choices
    assert choice.finish_reason == "tool_calls"
    (call,) = choice.message.tool_calls
    assert (call.function.name, call.function.arguments) == ("get_weather", ARGUMENTS)
    result = {"role": "tool", "tool_call_id": call.id, "content": "Rain."}
    messages = [*WEATHER, choice.message.to_dict(), result]
    (choice,) = thinker.chat.completions.create(model="default", messages=messages, tools=TOOLS).choices
    assert (choice.finish_reason, choice.message.content) == ("stop", REPORT)


def test_openai_has_the_reasoning(thinker: openai.OpenAI) -> None:
    (choice,) = thinker.chat.completions.create(model="default", messages=ASK).choices
    assert choice.message.content == GREETING
    assert choice.message.model_extra["reasoning_content"] == REASONING
    parts = list(thinker.chat.completions.create(model="default", messages=ASK, stream=True))
    deltas = [part.choices[0].delta for part in parts]
    assert "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas) == REASONING
    assert "".join(delta.content or "" for delta in deltas) == GREETING
    answer = thinker.chat.completions.create(model="default", messages=ASK, reasoning_effort="none")
    assert answer.choices[0].message.content == "Hello from the reciter."


def test_openai_counts_the_tokens_of_the_reasoning(thinker: openai.OpenAI) -> None:
    answer = thinker.chat.completions.create(model="default", messages=ASK)
    assert answer.usage.completion_tokens_details.reasoning_tokens == 3  # two, and the mark at the end
    response = thinker.responses.create(model="default", input=ASK, store=False)
    assert response.usage.output_tokens_details.reasoning_tokens == 3


@pytest.fixture(scope="module")
def langchain(api: Server) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=url_of(api), api_key="none", model="default", max_retries=0)


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_has_structured_output(langchain: Any, method: str) -> None:
    assert isinstance(langchain.with_structured_output(Plan, method=method).invoke("Make a plan."), Plan)


def test_langchain_streams_a_call(langchain: Any) -> None:
    bound = langchain.bind_tools([Plan], tool_choice="Plan", parallel_tool_calls=False)
    first, *others = bound.stream("Make a plan.")
    for part in others:
        first += part
    (call,) = first.tool_calls
    assert call["name"] == "Plan" and Plan(**call["args"])


def test_langchain_takes_a_result_of_a_call(langchain: Any, reciter: Endpoints) -> None:
    from langchain_core.messages import HumanMessage, ToolMessage

    model = type(langchain)(base_url=url_of(reciter), api_key="none", model="default", max_retries=0)
    bound, question = model.bind_tools([get_weather]), HumanMessage("How is the weather in Paris?")
    answer = bound.invoke([question])
    (call,) = answer.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", json.loads(ARGUMENTS))
    result = ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"])
    assert bound.invoke([question, answer, result]).content == REPORT


def agent(server: Endpoints, **options: Any) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=url_of(server), api_key="none")
    return Agent(OpenAIChatModel("default", provider=provider), retries=0, **options)


def test_pydantic_ai_has_an_output_type(api: Server) -> None:
    from pydantic_ai import NativeOutput

    for output_type in (Plan, NativeOutput(Plan)):
        assert isinstance(agent(api, output_type=output_type).run_sync("Make a plan.").output, Plan)


def test_pydantic_ai_calls_a_tool(reciter: Endpoints) -> None:
    result = agent(reciter, tools=[get_weather]).run_sync("How is the weather in Paris?")
    assert result.output == REPORT
    assert [type(message).__name__ for message in result.all_messages()] == [
        "ModelRequest",
        "ModelResponse",
        "ModelRequest",
        "ModelResponse",
    ]


def test_pydantic_ai_has_the_reasoning(reciter: Endpoints) -> None:
    result = agent(reciter).run_sync("Hello")
    parts = {part.part_kind: part.content for part in result.all_messages()[-1].parts}
    assert parts == {"thinking": REASONING, "text": GREETING}


@pytest.fixture(scope="module")
def litellm() -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch prices from the network
    import litellm

    return litellm


def ask_litellm(litellm: Any, server: Endpoints, messages: list[Any], **options: Any) -> Any:
    address = {"api_base": url_of(server), "api_key": "none", "max_retries": 0}
    return litellm.completion(model="openai/default", messages=messages, **address, **options)


def test_litellm_has_a_response_format(litellm: Any, api: Server) -> None:
    answer = ask_litellm(litellm, api, ASK, response_format=Plan)
    assert Plan.model_validate_json(answer.choices[0].message.content)


@pytest.mark.parametrize("streamed", [False, True])
def test_litellm_calls_a_tool(litellm: Any, reciter: Endpoints, streamed: bool) -> None:
    answer = ask_litellm(litellm, reciter, WEATHER, tools=TOOLS, stream=streamed)
    if streamed:
        answer = litellm.stream_chunk_builder(list(answer))
    assert answer.choices[0].finish_reason == "tool_calls"
    (call,) = answer.choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("get_weather", ARGUMENTS)
    result = {"role": "tool", "tool_call_id": call.id, "content": "Rain."}
    messages = [*WEATHER, answer.choices[0].message.model_dump(), result]
    assert ask_litellm(litellm, reciter, messages, tools=TOOLS).choices[0].message.content == REPORT


def test_litellm_has_the_reasoning(litellm: Any, reciter: Endpoints) -> None:
    message = ask_litellm(litellm, reciter, ASK).choices[0].message
    assert (message.content, message.reasoning_content) == (GREETING, REASONING)
