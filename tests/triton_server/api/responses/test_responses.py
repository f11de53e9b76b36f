"""OpenAI's Responses API, with OpenAI's client, its Agents SDK, and plain HTTP.

The SDK is imported where it is used, because that takes a second.
"""

import asyncio
import contextlib
import functools
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import httpx
import openai
import pydantic
import pytest
from conftest import Server
from http_service import Service
from openai.types.responses import Response
from reciter_services import client_of
from support import wait_until

from model_core import LLM
from triton_server.client import ChatClient

if TYPE_CHECKING:
    from agents import Agent

ASK = "/v1/responses"
HELLO = "Hello"
QUESTION = {"role": "user", "content": "What is two plus two?"}
DEEP: dict[str, Any] = functools.reduce(lambda inner, _: {"a": inner}, range(300), {})
WILD: dict[str, Any] = {"temperature": 1.5, "max_output_tokens": 30, "extra_body": {"seed": 7}}


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    """OpenAI's client with the address of the service."""
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_response_of_the_openai_client(gpt: openai.OpenAI, llm: LLM) -> None:
    response = gpt.responses.create(model="embedded", input=HELLO, metadata={"topic": "greeting"})
    expected = llm.chat([{"role": "user", "content": HELLO}])
    assert response.output_text == expected.text
    assert (response.status, response.model, response.error) == ("completed", "embedded", None)
    assert response.metadata == {"topic": "greeting"}
    assert response.usage is not None
    assert response.usage.input_tokens == expected.usage.prompt_tokens
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens
    Response.model_validate_json(response.model_dump_json(), strict=True)


def test_stored_response_is_read_and_removed(gpt: openai.OpenAI) -> None:
    items = [QUESTION, {"role": "assistant", "content": "Five."}, {"role": "user", "content": HELLO}]
    response = gpt.responses.create(model="default", input=items)
    assert gpt.responses.retrieve(response.id) == response
    pages = list(gpt.responses.input_items.list(response.id, order="asc", limit=2))
    assert [(item.role, item.content[0].text) for item in pages] == [
        (item["role"], item["content"]) for item in items
    ]
    newest = gpt.responses.input_items.list(response.id, limit=2)
    assert [item.id for item in newest.data] == [item.id for item in reversed(pages[1:])]
    assert newest.has_more
    gpt.responses.delete(response.id)
    for read in (gpt.responses.retrieve, gpt.responses.delete, gpt.responses.input_items.list):
        with pytest.raises(openai.NotFoundError, match=f"no response '{response.id}'"):
            read(response.id)


def test_stream_joins_to_the_stored_response(gpt: openai.OpenAI) -> None:
    whole = gpt.responses.create(model="default", input=HELLO, **WILD)
    assert whole.model_extra["seed"] == 7
    events = list(gpt.responses.create(model="default", input=HELLO, stream=True, **WILD))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == (
        whole.output_text
    )
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].type == f"response.{whole.status}"
    assert gpt.responses.retrieve(events[0].response.id) == events[-1].response
    with gpt.responses.stream(model="default", input=HELLO) as stream:
        final = stream.get_final_response()
    assert final.output_text == gpt.responses.create(model="default", input=HELLO).output_text


def test_previous_response_is_continued(gpt: openai.OpenAI) -> None:
    first = gpt.responses.create(model="default", input="My name is Ada.", instructions="Be brief.")
    second = gpt.responses.create(model="default", input="What is my name?", previous_response_id=first.id)
    third = gpt.responses.create(model="default", input="Hello", previous_response_id=second.id)
    assert third.previous_response_id == second.id
    conversation = [
        {"role": "user", "content": "My name is Ada."},
        *first.to_dict()["output"],
        {"role": "user", "content": "What is my name?"},
        *second.to_dict()["output"],
        {"role": "user", "content": "Hello"},
    ]
    whole = gpt.responses.create(model="default", input=conversation)
    assert third.output_text == whole.output_text
    assert third.usage is not None and whole.usage is not None
    assert third.usage.input_tokens == whole.usage.input_tokens > 20
    gpt.responses.delete(first.id)
    with pytest.raises(openai.BadRequestError, match=f"{first.id}.* has been removed") as raised:
        gpt.responses.create(model="default", input="Hello", previous_response_id=third.id)
    assert (raised.value.param, raised.value.code) == ("previous_response_id", "previous_response_not_found")


def test_items_of_stored_responses_are_referred_to(gpt: openai.OpenAI) -> None:
    first = gpt.responses.create(model="default", input="My name is Ada.")
    (question,) = gpt.responses.input_items.list(first.id)
    items = [{"type": "item_reference", "id": item.id} for item in (question, *first.output)]
    last = {"role": "user", "content": "What is my name?"}
    second = gpt.responses.create(model="default", input=[*items, last])
    expected = gpt.responses.create(model="default", input=last["content"], previous_response_id=first.id)
    assert second.output_text == expected.output_text
    listed = list(gpt.responses.input_items.list(second.id, order="asc"))
    assert [item.id for item in listed[:2]] == [item["id"] for item in items]
    gpt.responses.delete(first.id)
    alone = gpt.responses.create(model="default", input=[last])
    for name in (items[0]["id"], "msg_1"):
        reference = {"type": "item_reference", "id": name}
        raw = gpt.responses.with_raw_response.create(model="default", input=[reference, last])
        assert raw.headers["X-Ignored-Items"] == "item_reference"
        assert raw.parse().output_text == alone.output_text


def test_instructions_are_the_system_prompt(gpt: openai.OpenAI, llm: LLM) -> None:
    messages = [{"role": "system", "content": "You are a pirate."}, {"role": "user", "content": HELLO}]
    expected = llm.chat(messages)
    response = gpt.responses.create(model="default", input=HELLO, instructions="You are a pirate.")
    assert (response.output_text, response.instructions) == (expected.text, "You are a pirate.")
    assert response.usage is not None and response.usage.input_tokens == expected.usage.prompt_tokens


@pytest.mark.parametrize("streamed", [False, True])
def test_response_that_is_not_stored_is_not_found(gpt: openai.OpenAI, streamed: bool) -> None:
    with contextlib.ExitStack() as stack:
        if streamed:
            stream = stack.enter_context(gpt.responses.stream(model="default", input=HELLO, store=False))
            response: Response = stream.get_final_response()
        else:
            response = gpt.responses.create(model="default", input=HELLO, store=False)
    assert response.model_extra["store"] is False
    with pytest.raises(openai.NotFoundError, match="not stored"):
        gpt.responses.retrieve(response.id)
    with pytest.raises(openai.BadRequestError, match="to continue"):
        gpt.responses.create(model="default", input=HELLO, previous_response_id=response.id)


def test_answer_of_limited_length_is_incomplete(gpt: openai.OpenAI) -> None:
    response = gpt.responses.create(model="default", input="Tell me a story.", max_output_tokens=3)
    assert response.status == "incomplete" and response.output[0].status == "incomplete"
    assert response.incomplete_details is not None
    assert response.incomplete_details.reason == "max_output_tokens"
    assert response.usage is not None and response.usage.output_tokens == 3


def test_log_probabilities_are_reported(gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {"model": "default", "input": HELLO, "top_logprobs": 2}
    response = gpt.responses.create(**arguments, include=["message.output_text.logprobs"])
    part = response.output[0].content[0]
    assert "".join(entry.token for entry in part.logprobs) == part.text + "<|im_end|>"
    assert all(len(entry.top_logprobs) == 2 for entry in part.logprobs)
    with gpt.responses.stream(**arguments) as stream:
        deltas = [event for event in stream if event.type == "response.output_text.delta"]
    assert [entry.token for delta in deltas for entry in delta.logprobs] == [
        entry.token for entry in part.logprobs
    ]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"input": None}, "input"),
        ({"input": []}, "input"),
        ({"input": 5}, "input"),
        ({"input": [{"role": "robot", "content": "Hi"}]}, "input[0].role"),
        (
            {"input": [QUESTION, {"role": "user", "content": [{"type": "input_image"}]}]},
            "input[1].content[0]",
        ),
        ({"input": [QUESTION, {"type": ["message"]}]}, "input[1].type"),
        ({"input": [{"type": "function_call", "name": "f", "arguments": "{}"}]}, "input[0].call_id"),
        ({"input": "\ud800"}, "input"),
        ({"metadata": {"a": "\ud800"}}, "metadata.a"),
        ({"metadata": {"a": "x" * 513}}, "metadata.a"),
        ({"metadata": dict.fromkeys(map(str, range(17)), "x")}, "metadata"),
        ({"text": {"verbosity": "\ud800"}}, None),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"temperature": 3}, "temperature"),
        ({"top_logprobs": 21}, "top_logprobs"),
        ({"reasoning": {"effort": "huge"}}, "reasoning.effort"),
        ({"tools": [{"name": "f"}]}, "tools[0].type"),
        ({"tools": [{"type": "web_search"}], "tool_choice": "required"}, "tool_choice"),
        (
            {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "custom"}]}]},
            "tools[0].tools[0].name",
        ),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tool_choice": {"type": "mcp", "server_label": "x"}}, "tool_choice"),
        ({"text": {"format": {"type": "xml"}}}, "text.format.type"),
        ({"text": {"format": {"type": "json_schema", "name": "x"}}}, "text.format.schema"),
        ({"text": {"format": {"type": "json_schema", "schema": DEEP}}}, "text.format.schema"),
        ({"text": {"format": {"type": "json_schema", "schema": {"type": "x"}}}}, "text.format.schema"),
        ({"form": {"regex": "("}}, "form"),
        ({"tools": [{"type": "function", "name": "f", "parameters": DEEP}]}, "tools[0].parameters"),
        ({"text": {"format": {"type": "json_object"}}, "form": {"regex": "a"}}, "form"),
        ({"input": [QUESTION] * 1001}, "input"),
        ({"background": True, "store": False}, "background"),
        ({"conversation": "conv_1", "previous_response_id": "resp_1"}, "conversation"),
        ({"prompt": {"id": "p"}}, "prompt"),
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"model": "gpt-5"}, "model"),
    ],
)
def test_bad_request_names_the_field(api: Server, body: dict[str, Any], param: str | None) -> None:
    content = json.dumps({"input": HELLO, **body})
    response = httpx.post(api.api_url + ASK, content=content, headers={"Content-Type": "application/json"})
    error = response.json()["error"]
    assert (response.status_code, error["param"]) == (404 if param == "model" else 400, param)
    assert error["type"] == "invalid_request_error"
    assert error["message"].endswith(".") and "list[" not in error["message"]


def test_refusals_name_what_is_refused(api: Server) -> None:
    def refusal(**body: Any) -> str:
        return httpx.post(api.api_url + ASK, json={"input": HELLO, **body}).json()["error"]["message"]

    assert refusal(tool_choice={"type": "web_search"}) == (
        "tool_choice asks for 'web_search', which this service cannot run; send auto."
    )
    assert refusal(prompt={"id": "p"}) == "prompt is not supported; send instructions and input."
    image = {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AA"}]}
    assert refusal(input=[image]) == "this model sees no images; load one that does, or send text alone."


def test_page_after_an_item_that_is_not_there_is_refused(gpt: openai.OpenAI) -> None:
    response = gpt.responses.create(model="default", input=HELLO)
    with pytest.raises(openai.BadRequestError, match="no input item"):
        gpt.responses.input_items.list(response.id, after="msg_1")


def test_keys_do_not_see_responses_of_others(start: Callable[..., Service]) -> None:
    service = start(api_keys=("ada", "bo"))
    ada, bo = client_of(service, "ada"), client_of(service, "bo")
    response = ada.responses.create(model="default", input=HELLO)
    for read in (bo.responses.retrieve, bo.responses.delete, bo.responses.input_items.list):
        with pytest.raises(openai.NotFoundError):
            read(response.id)
    with pytest.raises(openai.BadRequestError, match="to continue"):
        bo.responses.create(model="default", input=HELLO, previous_response_id=response.id)
    reference = {"type": "item_reference", "id": response.output[0].id}
    raw = bo.responses.with_raw_response.create(model="default", input=[reference, QUESTION])
    assert raw.headers["X-Ignored-Items"] == "item_reference"
    assert ada.responses.retrieve(response.id) == response


def test_full_store_refuses_what_it_would_not_keep(start: Callable[..., Service]) -> None:
    gpt = client_of(start(max_sessions=1))
    response = gpt.responses.create(model="default", input=HELLO)
    with pytest.raises(openai.PermissionDeniedError, match="--max-sessions"):
        gpt.responses.create(model="default", input=HELLO)
    assert gpt.responses.create(model="default", input=HELLO, store=False).output_text == response.output_text
    gpt.responses.delete(response.id)
    gpt.responses.create(model="default", input=HELLO)


def test_answer_whose_client_leaves_is_not_stored(api: Server, gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {"max_output_tokens": 900, "extra_body": {"ignore_eos": True}}
    with gpt.responses.create(model="default", input=HELLO, stream=True, **arguments) as stream:
        created = next(iter(stream))
    assert created.type == "response.created"
    with ChatClient(api.grpc_url) as client:
        wait_until(lambda: client.stats()["running"] == 0)
    with pytest.raises(openai.NotFoundError):
        gpt.responses.retrieve(created.response.id)


def test_response_survives_the_service_that_has_completed_it(start: Callable[..., Service]) -> None:
    service = start(process=True)
    for event in client_of(service).responses.create(model="default", input=HELLO, stream=True):
        if event.type == "response.completed":
            service.process.kill()
            break
    stored = client_of(start()).responses.retrieve(event.response.id)
    assert stored == event.response


@pytest.mark.parametrize("limit", [0, 10])
def test_response_that_cannot_be_stored_is_not_completed(start: Callable[..., Service], limit: int) -> None:
    """With a limit the service looks for room first, without one it finds out when the answer is complete."""
    gpt = client_of(
        start(database="sqlite:////proc/responses.db", max_sessions=limit, max_session_bytes=limit)
    )
    with pytest.raises(openai.InternalServerError, match="database"):
        gpt.responses.create(model="default", input=HELLO)
    with contextlib.suppress(openai.InternalServerError):
        *_, error, last = gpt.responses.create(model="default", input=HELLO, stream=True)
        assert limit == 0
        assert (error.type, error.code) == ("error", "database")
        assert (last.type, last.response.status) == ("response.failed", "failed")
    assert gpt.responses.create(model="default", input=HELLO, store=False).status == "completed"


def test_responses_expire(start: Callable[..., Service]) -> None:
    service = start(response_expiry_s=0.1)
    response = client_of(service).responses.create(model="default", input=HELLO)
    wait_until(lambda: service.get(f"{ASK}/{response.id}").status_code == 404)


Guests = Annotated[int, pydantic.Field(ge=0, le=99)]


class Event(pydantic.BaseModel):
    """What the model has to extract."""

    name: Literal["fair", "party"]
    guests: Guests
    outdoors: bool


def test_answer_is_parsed_into_a_model(gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {"model": "default", "input": "A party of 12", "text_format": Event}
    parsed = gpt.responses.parse(**arguments)
    assert isinstance(parsed.output_parsed, Event)
    with gpt.responses.stream(**arguments) as stream:
        assert stream.get_final_response().output_parsed == parsed.output_parsed
    assert parsed.text is not None and parsed.text.format is not None
    assert parsed.text.format.type == "json_schema"


def test_answer_is_a_json_object(gpt: openai.OpenAI) -> None:
    response = gpt.responses.create(
        model="default", input="Ada is 36.", text={"format": {"type": "json_object"}}, max_output_tokens=200
    )
    assert response.status == "incomplete" or isinstance(json.loads(response.output_text), dict)
    assert response.output_text.lstrip().startswith("{")


def test_forced_call_of_a_function(gpt: openai.OpenAI) -> None:
    tool = {"type": "function", **openai.pydantic_function_tool(Event, name="plan")["function"]}
    arguments: dict[str, Any] = {"model": "default", "input": [QUESTION], "tools": [tool]}
    arguments["tool_choice"] = {"type": "function", "name": "plan"}
    response = gpt.responses.create(**arguments)
    (call,) = response.output
    assert (call.type, call.name, call.status) == ("function_call", "plan", "completed")
    assert response.tool_choice.name == "plan"
    Event.model_validate_json(call.arguments)
    with gpt.responses.stream(**arguments) as stream:
        events = list(stream)
    arguments_text = "".join(e.delta for e in events if e.type == "response.function_call_arguments.delta")
    assert arguments_text == call.arguments
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "planned"}
    answer = gpt.responses.create(
        model="default", input=[result], previous_response_id=response.id, tools=[tool], tool_choice="none"
    )
    assert answer.output[0].type == "message"


def run_agent(api: Server, agent: "Agent", *questions: str) -> list[Any]:
    """What an agent answers. Each question continues the response before it."""
    from agents import OpenAIResponsesModel, RunConfig, Runner

    async def ask() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
            agent.model = OpenAIResponsesModel("default", client)
            results, previous = [], None
            for question in questions:
                results.append(
                    await Runner.run(
                        agent,
                        question,
                        previous_response_id=previous,
                        max_turns=2,
                        run_config=RunConfig(tracing_disabled=True),
                    )
                )
                previous = results[-1].last_response_id
            return results

    return asyncio.run(ask())


def test_agent_talks(api: Server, gpt: openai.OpenAI) -> None:
    from agents import Agent

    first, second = run_agent(api, Agent("Helper", instructions="Be kind."), "My name is Ada.", "Hello")
    response = gpt.responses.retrieve(second.last_response_id)
    assert response.previous_response_id == first.last_response_id
    assert (response.output_text, response.instructions) == (second.final_output, "Be kind.")


def test_agent_calls_a_function(api: Server, gpt: openai.OpenAI) -> None:
    """The first answer must call it. The agent sends the result, and the second answer is text."""
    from agents import Agent, ModelSettings, function_tool

    planned: list[str] = []

    @function_tool
    def plan(name: Literal["fair", "party"], guests: Guests, outdoors: bool) -> str:
        """Plan an event."""
        planned.append(f"{name} of {guests}, outdoors: {outdoors}")
        return planned[-1]

    settings = ModelSettings(tool_choice="required", parallel_tool_calls=False)
    agent = Agent("Planner", tools=[plan], model_settings=settings)
    (result,) = run_agent(api, agent, "Plan a party of 12 guests.")
    assert len(planned) == 1
    outputs = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
    assert outputs == planned
    *_, last = gpt.responses.input_items.list(result.last_response_id, order="asc")
    assert (last.type, last.output) == ("function_call_output", planned[0])
    assert result.final_output == gpt.responses.retrieve(result.last_response_id).output_text != ""


def test_agent_streams(api: Server) -> None:
    from agents import Agent, OpenAIResponsesModel, RunConfig, Runner

    async def ask() -> tuple[str, str]:
        async with openai.AsyncOpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
            agent = Agent("Helper", model=OpenAIResponsesModel("default", client))
            result = Runner.run_streamed(agent, HELLO, run_config=RunConfig(tracing_disabled=True))
            raw = [event.data async for event in result.stream_events() if event.type == "raw_response_event"]
            text = "".join(event.delta for event in raw if event.type == "response.output_text.delta")
            return text, result.final_output

    text, output = asyncio.run(ask())
    assert text == output != ""
