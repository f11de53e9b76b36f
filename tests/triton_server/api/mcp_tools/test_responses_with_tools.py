"""Responses for which the service calls tools of MCP servers, through OpenAI's client."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from http_service import Service, services
from in_process import Endpoints
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter
from reciter import ARGUMENTS, REPORT
from support import wait_until
from test_chats_with_tools import command

STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
Open = Callable[..., openai.OpenAI]


@pytest.fixture
def open_with(reciter: Endpoints, tmp_path: Path) -> Iterator[Open]:
    """A client of a service with one MCP server, `weather`."""
    with services(reciter.grpc_url, tmp_path) as start:

        def connect(**entry: Any) -> openai.OpenAI:
            file = tmp_path / "mcp.json"
            servers = {"weather": {**command(tmp_path), "type": "stdio", **entry}}
            file.write_text(json.dumps({"servers": servers, "inputs": []}))
            service: Service = start(mcp_config=file)
            return openai.OpenAI(base_url=f"{service.url}/v1", api_key="none", max_retries=0)

        yield connect


def tool(**fields: Any) -> list[Any]:
    return [{"type": "mcp", "server_label": "weather", **fields}]


def test_items_of_calls_and_their_events(open_with: Open) -> None:
    client = open_with()
    tools = tool(require_approval="never", allowed_tools=["get_weather"])
    arguments: dict[str, Any] = {"model": "default", "input": "Hello", "tools": tools}
    response = client.responses.create(**arguments, extra_body={"seed": 1})
    Response.model_validate_json(response.model_dump_json(by_alias=True), strict=True)
    listed, call, message = response.output
    assert [item.type for item in response.output] == ["mcp_list_tools", "mcp_call", "message"]
    assert [each.name for each in listed.tools] == ["get_weather"]
    assert (call.status, call.name, call.arguments, call.output) == (
        "completed",
        "get_weather",
        ARGUMENTS,
        "Rain in Paris.",
    )
    assert response.output_text == REPORT and message.status == "completed"

    events = list(client.responses.create(**arguments, stream=True, extra_body={"seed": 1}))
    for event in events:
        STREAM_EVENT.validate_json(event.model_dump_json(exclude_unset=True, by_alias=True), strict=True)
    kinds = [event.type for event in events]
    for kind in ("mcp_list_tools.completed", "mcp_call_arguments.done", "mcp_call.completed"):
        assert kinds.count(f"response.{kind}") == 1
    streamed = [item.to_dict() | {"id": ""} for item in events[-1].response.output]
    assert streamed == [item.to_dict() | {"id": ""} for item in response.output]

    more = client.responses.create(**{**arguments, "input": "And?"}, previous_response_id=response.id)
    assert "mcp_list_tools" not in [item.type for item in more.output]  # it knows them


@pytest.mark.parametrize("in_background", [True, False])
@pytest.mark.parametrize("approval", ["never", "always"])
def test_stored_streams_have_the_same_events(open_with: Open, in_background: bool, approval: str) -> None:
    client = open_with()
    tools = tool(require_approval=approval)
    events = list(
        client.responses.create(
            model="default", input="Hello", tools=tools, background=in_background, stream=True
        )
    )
    assert {"mcp_list_tools", "mcp_call" if approval == "never" else "mcp_approval_request"} <= {
        item.type for item in events[-1].response.output
    }
    name = events[0].response.id
    for after in (0, 3, len(events) // 2):
        rest = list(client.responses.retrieve(name, stream=True, starting_after=after))
        assert rest == events[after + 1 :]


def test_conversation_keeps_calls(open_with: Open) -> None:
    client = open_with()
    conversation = client.conversations.create().id
    tools = tool(require_approval="never")
    for _ in range(2):
        client.responses.create(model="default", input="Hello", tools=tools, conversation=conversation)
    kinds = [item.type for item in client.conversations.items.list(conversation, order="asc")]
    assert kinds[:4] == ["message", "mcp_list_tools", "mcp_call", "message"]
    assert "mcp_list_tools" not in kinds[4:]


@pytest.mark.parametrize("approve", [True, False])
def test_a_person_approves_calls(open_with: Open, approve: bool) -> None:
    client = open_with()
    asked = client.responses.create(model="default", input="Hello", tools=tool())
    _, request = asked.output
    assert (request.type, request.name, request.arguments) == (
        "mcp_approval_request",
        "get_weather",
        ARGUMENTS,
    )
    answer: Any = {"type": "mcp_approval_response", "approval_request_id": request.id, "approve": approve}
    answer["reason"] = "because"
    raw = client.responses.with_raw_response.create(
        model="default", input=[answer], tools=tool(), previous_response_id=asked.id
    )
    response = raw.parse()
    # A model is told why a call must not run, and not why it may.
    assert raw.headers.get("X-Ignored-Fields") == ("input[0].reason" if approve else None)
    Response.model_validate_json(response.model_dump_json(by_alias=True), strict=True)
    assert [item.type for item in response.output] == [*(["mcp_call"] if approve else []), "message"]
    assert response.output_text == REPORT
    if approve:
        call = response.output[0]
        assert (call.output, call.approval_request_id) == ("Rain in Paris.", request.id)
        history = [item.to_dict() for item in asked.output] + [answer]
        history += [item.to_dict() for item in response.output]
        question = {"role": "user", "content": "Hello"}
        again = client.responses.create(
            model="default", input=[question, *history, question], tools=tool(), store=False
        )
        assert [item.type for item in again.output] == ["mcp_approval_request"]  # nothing runs twice


@pytest.mark.parametrize(
    ("in_file", "in_request", "asks"),
    [
        (None, None, True),
        (None, "never", False),
        ("never", None, False),
        ("never", "always", True),
        ("always", "never", True),
        ("never", {"always": {"tool_names": ["get_weather"]}}, True),
        (None, {"never": {"tool_names": ["get_weather"]}}, False),
    ],
)
def test_the_stricter_approval_counts(open_with: Open, in_file: Any, in_request: Any, asks: bool) -> None:
    client = open_with(**({} if in_file is None else {"approval": in_file}))
    fields = {} if in_request is None else {"require_approval": in_request}
    response = client.responses.create(model="default", input="Hello", tools=tool(**fields))
    assert ("mcp_approval_request" in [item.type for item in response.output]) == asks


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"server_label": "other"}, "there is no MCP server 'other'"),
        ({"server_label": "other", "server_url": "https://example.com"}, "server_url is not one of"),
        ({"server_url": "https://example.com"}, "server_url is not that of the server"),
        ({"allowed_tools": ["nothing"]}, "has no tool 'nothing'"),
        ({"headers": {"Authorization": "x"}}, "headers is not supported"),
        ({"connector_id": "connector_gmail"}, "connector_id is not supported"),
        ({"allowed_callers": ["programmatic"]}, "allowed_callers must have direct"),
    ],
)
def test_only_servers_of_the_file_are_used(open_with: Open, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(openai.BadRequestError, match=words) as error:
        open_with().responses.create(model="default", input="Hello", tools=tool(**fields))
    assert str(error.value.param).startswith("tools[0]")


def test_what_has_no_effect_is_named(open_with: Open) -> None:
    tools = tool(defer_loading=True, server_description="Rain and sun", allowed_callers=["direct"])
    response = open_with().responses.with_raw_response.create(model="default", input="Hello", tools=tools)
    ignored = response.headers["X-Ignored-Fields"]
    assert ignored == "tools[0].defer_loading, tools[0].server_description"


def test_log_probabilities_are_refused(open_with: Open) -> None:
    include: Any = ["message.output_text.logprobs"]
    with pytest.raises(openai.BadRequestError, match="do not go together"):
        open_with().responses.create(model="default", input="Hello", tools=tool(), include=include)


def test_a_batch_calls_no_tools(open_with: Open) -> None:
    client = open_with(approval="never")
    body = {"model": "default", "input": "Hello", "tools": tool()}
    line = {"custom_id": "1", "method": "POST", "url": "/v1/responses", "body": body}
    file = client.files.create(file=("lines.jsonl", json.dumps(line).encode()), purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
    wait_until(lambda: client.batches.retrieve(batch.id).status == "completed")
    errors = client.files.content(client.batches.retrieve(batch.id).error_file_id or "").text
    assert "a batch may send a request twice" in errors


def test_an_approval_needs_its_request(open_with: Open) -> None:
    answer: Any = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    with pytest.raises(openai.BadRequestError, match="has not asked for"):
        open_with().responses.create(model="default", input=[answer], tools=tool())


def test_number_of_calls_has_a_limit(open_with: Open, tmp_path: Path) -> None:
    client = open_with(args=command(tmp_path, "again")["args"], approval="never")
    response = client.responses.create(model="default", input="Hello", tools=tool(), max_tool_calls=2)
    calls = [item for item in response.output if item.type == "mcp_call"]
    assert [call.status for call in calls] == ["completed", "completed", "failed"]
    assert response.output_text == REPORT
