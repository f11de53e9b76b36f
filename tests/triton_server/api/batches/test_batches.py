"""Batches over HTTP, with OpenAI's client on a real server."""

import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from batching import CHAT, TEXT, begin, end_of, read, to_file, to_line
from http_service import HELLO, Service
from reciter_services import client_of
from support import wait_until

EMBED, RESPONSES = "/v1/embeddings", "/v1/responses"
BODIES: dict[str, dict[str, Any]] = {
    CHAT: {**HELLO, "seed": 7},
    TEXT: {"model": "default", "prompt": ["Once", "Twice"], "max_tokens": 2, "seed": 7},
    EMBED: {"model": "default", "input": "Hello"},
    RESPONSES: {"model": "default", "input": "Hello", "max_output_tokens": 3, "store": False, "seed": 7},
}
LONG = {**HELLO, "max_tokens": 10_000, "ignore_eos": True}


@pytest.fixture(scope="module")
def ada() -> str:
    return "ada:sk-of-ada"


def _without_times(value: Any) -> Any:
    """A response without what each request has of its own."""
    changing = {"id", "created", "created_at", "completed_at", "cached_tokens"}
    if isinstance(value, dict):
        return {key: _without_times(part) for key, part in value.items() if key not in changing}
    return [_without_times(part) for part in value] if isinstance(value, list) else value


@pytest.fixture
def service(start: Callable[..., Service]) -> Service:
    return start()


@pytest.mark.parametrize("url", BODIES)
def test_answers_are_those_of_the_route(service: Service, url: str) -> None:
    client, body = client_of(service), BODIES[url]
    lines = [
        to_line("good ♥", body, url),
        to_line("wrong", {**body, "temperature": "hot", "dimensions": 0}, url),
    ]
    batch = begin(client, to_file(lines), url, metadata={"for": "a test"})
    assert (batch.status, batch.metadata) == ("validating", {"for": "a test"})
    done = end_of(client, batch)
    assert (done.status, done.errors, done.request_counts.to_dict()) == (
        "completed",
        None,
        {"total": 2, "completed": 1, "failed": 1},
    )
    assert done.in_progress_at and done.finalizing_at and done.completed_at and done.expires_at
    (good,), (wrong,) = read(client, done.output_file_id), read(client, done.error_file_id)
    assert good.keys() == wrong.keys() == {"id", "custom_id", "response", "error"}
    assert (good["custom_id"], wrong["custom_id"]) == ("good ♥", "wrong")
    assert good["id"].startswith("batch_req_") and good["error"] is wrong["error"] is None
    assert good["response"].keys() == {"status_code", "request_id", "body"}
    direct = client.post(url.removeprefix("/v1"), cast_to=object, body=body)
    assert _without_times(good["response"]["body"]) == _without_times(direct)
    usage = good["response"]["body"]["usage"]
    assert done.usage is not None and done.usage.total_tokens == usage["total_tokens"]
    read_tokens = usage.get("input_tokens", usage.get("prompt_tokens"))
    assert done.usage.input_tokens == done.usage.total_tokens - done.usage.output_tokens == read_tokens
    assert wrong["response"]["status_code"] == 400
    assert wrong["response"]["body"]["error"]["type"] == "invalid_request_error"
    output = client.files.retrieve(done.output_file_id)
    assert (output.purpose, output.filename) == ("batch_output", f"{done.id}_output.jsonl")
    assert [each.id for each in client.batches.list(limit=1)] == [done.id]


def test_wrong_lines_are_named(service: Service) -> None:
    client, good = client_of(service), to_line("1", HELLO)
    lines = [
        good,
        "\n",
        good,
        "{no JSON}\n",
        '{"custom_id": "\udc80"}\n'.encode("utf-8", "surrogateescape").decode("latin-1"),
        [1],
        to_line(7, HELLO),
        to_line("2", HELLO, EMBED),
        {**to_line("3", HELLO), "metod": "GET"},
        "[" * 100_000 + "\n",
        to_line("4", "no object"),
        json.dumps(to_line("5", {"x": "y " * 2_500_000})) + "\n",
    ]
    batch = end_of(client, begin(client, to_file(lines)))
    assert batch.status == "failed" and batch.failed_at and batch.errors is not None
    found = [(problem.line, problem.code) for problem in batch.errors.data or ()]
    assert found == [
        (3, "duplicate_custom_id"),
        (4, "invalid_json_line"),
        (5, "invalid_request"),
        (6, "invalid_request"),
        (7, "invalid_request"),
        (8, "mismatched_endpoint"),
        (9, "invalid_request"),
        (10, "invalid_json_line"),
        (11, "invalid_request"),
        (12, "line_too_large"),
    ]
    assert all(f"line {problem.line}" in problem.message for problem in batch.errors.data or ())
    assert batch.output_file_id is batch.error_file_id is None
    empty = end_of(client, begin(client, b"\n \n"))
    assert empty.errors is not None and [each.code for each in empty.errors.data or ()] == ["empty_file"]


def test_cancelled_batch_has_each_line_once(service: Service) -> None:
    client = client_of(service)
    lines = [to_line("short", HELLO), *(to_line(f"long {number}", LONG) for number in range(300))]
    batch = begin(client, to_file(lines))
    wait_until(lambda: (client.batches.retrieve(batch.id).request_counts or batch).completed == 1)
    with pytest.raises(openai.ConflictError, match="cancel it first"):
        client.files.delete(batch.input_file_id)
    assert client.batches.cancel(batch.id).status == "cancelling"
    done = end_of(client, batch)
    assert (done.status, done.request_counts.to_dict()) == (
        "cancelled",
        {"total": 301, "completed": 1, "failed": 300},
    )
    found = [*read(client, done.output_file_id), *read(client, done.error_file_id)]
    assert sorted(line["custom_id"] for line in found) == sorted(line["custom_id"] for line in lines)
    assert {line["error"]["code"] for line in found if line["error"]} == {"batch_cancelled"}
    with pytest.raises(openai.ConflictError, match="cancelled"):
        client.batches.cancel(batch.id)
    client.files.delete(batch.input_file_id)


def test_batches_belong_to_the_owner_of_the_key(start: Callable[..., Service]) -> None:
    service = start(api_keys=["ada:sk-of-ada", "bo:sk-of-bo"])
    ada, bo = client_of(service, "sk-of-ada"), client_of(service, "sk-of-bo")
    batch = end_of(ada, begin(ada, to_file([to_line("1", HELLO)])))
    assert batch.status == "completed"
    for ask in (
        lambda: bo.batches.retrieve(batch.id),
        lambda: bo.batches.cancel(batch.id),
        lambda: bo.files.retrieve(batch.input_file_id),
        lambda: bo.files.content(batch.output_file_id),
        lambda: bo.files.delete(batch.output_file_id),
        lambda: bo.batches.create(input_file_id=batch.input_file_id, endpoint=CHAT, completion_window="24h"),
        lambda: list(bo.files.list(after=batch.input_file_id)),
    ):
        with pytest.raises(openai.NotFoundError):
            ask()
    assert not list(bo.files.list()) and not list(bo.batches.list())
