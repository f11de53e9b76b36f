"""Chats for which the service calls tools of MCP servers, with a model that calls `get_weather`."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from http_service import Service, services
from in_process import Endpoints
from paths import TESTS
from reciter import ARGUMENTS, REPORT
from support import wait_until

from triton_server.receipts.canonical import hash_text
from triton_server.receipts.receipt import check_receipt

SERVER = TESTS / "helpers" / "servers" / "raw_mcp_server.py"
QUESTION: list[Any] = [{"role": "user", "content": "How is the weather?"}]
Start = Callable[..., Service]


def command(folder: Path, what: str = "get_weather", **more: Any) -> dict[str, Any]:
    """A server of which get_weather does what another tool does."""
    return {"command": sys.executable, "args": [str(SERVER), str(folder), what], **more}


@pytest.fixture
def start_with(reciter: Endpoints, tmp_path: Path) -> Iterator[Start]:
    """Starts a service with MCP servers, by their names."""
    with services(reciter.grpc_url, tmp_path) as start:

        def start_service(servers: dict[str, Any], **settings: Any) -> Service:
            file = tmp_path / "mcp.json"
            file.write_text(json.dumps({"mcpServers": servers}))
            return start(mcp_config=file, **settings)

        yield start_service


def ask(service: Service, **fields: Any) -> dict[str, Any]:
    body = {"messages": QUESTION, "mcp": True, "seed": 1, **fields}
    response = httpx.post(f"{service.url}/v1/chat/completions", json=body, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()


def refuse(service: Service, **fields: Any) -> tuple[int, dict[str, Any]]:
    body = {"messages": QUESTION, "mcp": True, **fields}
    response = httpx.post(f"{service.url}/v1/chat/completions", json=body, timeout=60)
    return response.status_code, response.json()["error"]


def test_service_calls_a_tool_and_the_model_reports_it(start_with: Start, tmp_path: Path) -> None:
    service = start_with({"weather": command(tmp_path, approval="never")})
    answer = ask(service)
    (choice,) = answer["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (REPORT, "stop")
    (call,) = choice["message"]["mcp_calls"]
    assert call | {"id": ""} == {
        "id": "",
        "server_label": "weather",
        "name": "get_weather",
        "arguments": ARGUMENTS,
        "round": 0,
        "output": "Rain in Paris.",
    }
    again = ask(service)
    assert again["choices"] == answer["choices"]  # the same results, so the same bytes
    assert again["usage"]["completion_tokens"] == answer["usage"]["completion_tokens"] > 8

    with openai.OpenAI(base_url=f"{service.url}/v1", api_key="none", max_retries=0) as client:
        chunks = list(
            client.chat.completions.create(
                model="default", messages=QUESTION, stream=True, seed=1, extra_body={"mcp": ["weather"]}
            )
        )
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert "".join(delta.content or "" for delta in deltas) == REPORT
    parts = [part for delta in deltas for part in (delta.model_extra or {}).get("mcp_calls", ())]
    assert [part.pop("index") for part in parts] == [0, 0]
    assert {**parts[0], **parts[1]} == call

    follow_up = [*QUESTION, choice["message"], {"role": "user", "content": "And now?"}]
    shown = httpx.post(f"{service.url}/apply-template", json={"messages": follow_up}).json()["prompt"]
    assert "get_weather" in shown and "Rain in Paris." in shown and REPORT in shown


def test_receipt_is_that_of_the_last_turn(start_with: Start, tmp_path: Path) -> None:
    service = start_with({"weather": command(tmp_path, approval="never")})
    (choice,) = ask(service, receipt="whole")["choices"]
    receipt = check_receipt(choice["receipt"])
    assert receipt["answer"]["text_sha256"] == hash_text(REPORT)
    *_, call, result = receipt["request"]["content"]["messages"]
    assert call["tool_calls"][0]["name"] == "get_weather" and result["content"] == "Rain in Paris."
    found = httpx.post(f"{service.url}/v1/receipts/verify", json={"receipt": receipt}, timeout=60).json()
    assert found["equal"], found


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("die", "has ended with status 3"),
        ("endless", "a message of more than"),
        ("chatter", "said too much"),
        ("only_junk", "no JSON-RPC"),
        ("fail", "The sky is closed."),
        ("refuse", "There is no such city"),
    ],
)
def test_what_a_server_does_wrong_is_the_result_of_its_call(
    start_with: Start, tmp_path: Path, what: str, words: str
) -> None:
    limits = {"mcp_call_time_s": 0.5} if what == "only_junk" else {}
    service = start_with({"bad": command(tmp_path, what, approval="never")}, **limits)
    (choice,) = ask(service)["choices"]
    (call,) = choice["message"]["mcp_calls"]
    assert words in json.dumps(call["error"]) and "output" not in call
    assert "out of luck" not in json.dumps(choice)  # standard error is for the log
    assert choice["message"]["content"] == REPORT
    assert service.get("/v1/models").status_code == 200


def test_rounds_and_time_have_limits(start_with: Start, tmp_path: Path) -> None:
    servers = {"loop": command(tmp_path, "again", approval="never")}
    (choice,) = ask(start_with(servers, mcp_max_rounds=3))["choices"]
    calls = choice["message"]["mcp_calls"]
    assert [call["round"] for call in calls] == [0, 1, 2] and len({call["id"] for call in calls}) == 3
    assert choice["message"]["content"] == REPORT and choice["finish_reason"] == "stop"
    (choice,) = ask(start_with(servers, mcp_total_time_s=1e-6))["choices"]
    assert "--mcp-total-time" in choice["message"]["mcp_calls"][0]["error"]["message"]
    (choice,) = ask(start_with(servers), max_tokens=5)["choices"]
    assert choice["finish_reason"] == "length"
    assert "before its calls were complete" in choice["message"]["mcp_calls"][0]["error"]["message"]


def test_a_call_takes_no_longer_than_its_request_may(start_with: Start, tmp_path: Path) -> None:
    service = start_with({"slow": command(tmp_path, "hang", approval="never")}, mcp_call_time_s=1000)
    status, error = refuse(service, timeout_s=2)
    assert status == 408 and "timeout_s" in error["message"]


def test_tools_that_need_approval_are_not_offered(start_with: Start, tmp_path: Path) -> None:
    service = start_with({"weather": command(tmp_path)})
    status, error = refuse(service)
    assert (status, error["code"]) == (400, "no_mcp_tools") and "weather.get_weather" in error["message"]
    only = {"weather": command(tmp_path, tools={"get_weather": {"approval": "never"}})}
    service = start_with(only)
    body = {"messages": QUESTION, "mcp": True}
    response = httpx.post(f"{service.url}/v1/chat/completions", json=body, timeout=60)
    assert "mcp:weather.hang" in response.headers["X-Ignored-Tools"]
    assert response.json()["choices"][0]["message"]["content"] == REPORT


def test_a_server_that_does_not_run_harms_no_other(start_with: Start, tmp_path: Path) -> None:
    missing = {"command": "/no/such/program", "approval": "never"}
    service = start_with({"missing": missing, "weather": command(tmp_path, approval="never")})

    def is_refused() -> bool:
        status, error = refuse(service, mcp=["missing"])
        return status == 503 and "127" in error["message"]

    wait_until(is_refused)
    response = httpx.post(f"{service.url}/v1/chat/completions", json={"messages": QUESTION, "mcp": True})
    assert response.headers["X-Ignored-Tools"] == "mcp:missing"
    assert response.json()["choices"][0]["message"]["mcp_calls"][0]["output"] == "Rain in Paris."


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"mcp": ["other"]}, "mcp"),
        ({"n": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"return_token_ids": True}, "return_token_ids"),
        ({"continue_final_message": True}, "continue_final_message"),
        ({"functions": [{"name": "f"}]}, "functions"),
    ],
)
def test_what_does_not_go_with_tools_is_refused(
    start_with: Start, tmp_path: Path, fields: dict[str, Any], param: str
) -> None:
    service = start_with({"weather": command(tmp_path, approval="never")})
    status, error = refuse(service, **fields)
    assert (status, error["param"]) == (400, param)


def test_without_servers_the_field_is_refused(reciter: Endpoints) -> None:
    status, error = refuse(Service(reciter.api_url, 0))
    assert status == 400 and "--mcp-config" in error["message"]


def test_only_the_assistant_has_made_calls(reciter: Endpoints) -> None:
    call = {"id": "1", "server_label": "weather", "name": "get_weather", "output": "Rain"}
    messages = [{"role": "user", "content": "Hello", "mcp_calls": [call]}]
    status, error = refuse(Service(reciter.api_url, 0), messages=messages, mcp=None)
    assert (status, error["param"]) == (400, "messages[0].mcp_calls")


def test_calls_of_the_client_end_the_answer(start_with: Start, tmp_path: Path) -> None:
    servers = {"a": command(tmp_path, approval="never"), "b": command(tmp_path, approval="never")}
    own = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
    (choice,) = ask(start_with(servers), tools=[own])["choices"]
    assert choice["finish_reason"] == "tool_calls" and "mcp_calls" not in choice["message"]
    (call,) = choice["message"]["tool_calls"]
    assert (
        call["function"]["name"] == "get_weather"
    )  # those of the servers are a__get_weather, b__get_weather


def test_a_client_that_leaves_stops_the_calls(start_with: Start, tmp_path: Path) -> None:
    service = start_with({"slow": command(tmp_path, "hang", approval="never")})
    connection = service.post("/v1/chat/completions", {"messages": QUESTION, "mcp": True, "stream": True})
    received = b""
    while b"mcp_calls" not in received:
        received += connection.recv(65536)
    (name,) = [name for name in service.metrics() if "answers_open" in name]
    assert service.metrics()[name] == 1
    connection.close()
    wait_until(lambda: service.metrics()[name] == 0)


def test_errors_count_messages_as_the_client_does(reciter: Endpoints) -> None:
    """Each record of a call stands for two messages of the prompt or more."""
    calls = [
        {"id": str(n), "server_label": "weather", "name": "get_weather", "output": "Rain", "round": n}
        for n in range(2)
    ]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    answer = {"role": "assistant", "content": "Rain.", "mcp_calls": calls}
    messages = [*QUESTION, answer, {"role": "user", "content": [picture]}]
    status, error = refuse(Service(reciter.api_url, 0), messages=messages, mcp=None)
    assert (status, error["param"]) == (400, "messages[2].content[0].image_url"), error
