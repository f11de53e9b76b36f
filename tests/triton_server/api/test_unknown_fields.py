"""Fields that a body does not have: named, refused, or without effect."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import Server
from http_service import Service

from triton_server.api.errors import ApiError
from triton_server.api.field_rules import REFUSED, WITHOUT_EFFECT, find_unknown
from triton_server.api.openai.chat import ChatRequest, parse
from triton_server.api.openai.completions import CompletionRequest
from triton_server.api.openai.completions import parse as parse_completion

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": HELLO, "max_tokens": 2},
    "/v1/completions": {"prompt": "Hello", "max_tokens": 2},
    "/v1/responses": {"input": "Hello", "max_output_tokens": 2},
    "/v1/messages": {"model": "default", "messages": HELLO, "max_tokens": 2},
    "/v1/messages/count_tokens": {"model": "default", "messages": HELLO},
    "/v1/embeddings": {"input": "Hello"},
    "/v1/choose": {"messages": HELLO, "choices": ["a", "b"]},
    "/tokenize": {"prompt": "Hello"},
    "/detokenize": {"tokens": [1]},
    "/apply-template": {"messages": HELLO},
    "/stream": {"prompt": "Hello", "max_tokens": 2},
    "/completion": {"prompt": "Hello", "n_predict": 2},
    "/api/chat": {"model": "default", "messages": HELLO, "stream": False, "options": {"num_predict": 2}},
}


@pytest.mark.parametrize("path", BODIES)
def test_each_body_names_what_it_does_not_know(api: Server, path: str) -> None:
    known = httpx.post(api.api_url + path, json=BODIES[path])
    assert known.status_code == 200 and "X-Ignored-Fields" not in known.headers
    unknown = httpx.post(api.api_url + path, json={**BODIES[path], "a": 1, "b": [2], "none": None})
    assert (unknown.status_code, unknown.headers["X-Ignored-Fields"]) == (200, "a, b")
    harmless = httpx.post(api.api_url + path, json={**BODIES[path], "prompt_cache_key": "x"})
    assert harmless.status_code == 200 and "X-Ignored-Fields" not in harmless.headers
    refused = httpx.post(api.api_url + path, json={**BODIES[path], "use_beam_search": True})
    assert refused.status_code == 400 and "use_beam_search is not supported" in refused.text


INSIDE: list[tuple[str, dict[str, Any], str]] = [
    ("/v1/chat/completions", {"messages": [{**HELLO[0], "mood": "x", "id": "1"}]}, "messages[0].mood"),
    (
        "/v1/chat/completions",
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "lang": "en"}]}]},
        "messages[0].content[0].lang",
    ),
    (
        "/v1/chat/completions",
        {"tools": [{"type": "function", "function": {"name": "f", "returns": {"type": "object"}}, "x": 1}]},
        "tools[0].x, tools[0].function.returns",
    ),
    (
        "/v1/chat/completions",
        {
            "stream": True,
            "stream_options": {"include_obfuscation": True, "y": 1},
            "response_format": {"type": "text", "z": 1},
        },
        "response_format.z, stream_options.y",
    ),
    ("/v1/completions", {"stream": True, "stream_options": {"y": 1}}, "stream_options.y"),
    ("/v1/responses", {"input": [{"role": "user", "content": "a", "mood": 1}]}, "input[0].mood"),
    (
        "/v1/messages",
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "a", "cache_control": {"type": "x"}, "b": 1}],
                }
            ]
        },
        "messages[0].content[0].b",
    ),
    ("/api/chat", {"messages": [{**HELLO[0], "mood": 1}]}, "messages[0].mood"),
]


@pytest.mark.parametrize(("path", "fields", "expected"), INSIDE, ids=str)
def test_fields_inside_parts_are_named_by_their_path(
    api: Server, path: str, fields: dict[str, Any], expected: str
) -> None:
    response = httpx.post(api.api_url + path, json={**BODIES[path], **fields})
    assert response.status_code == 200, response.text
    assert sorted(response.headers["X-Ignored-Fields"].split(", ")) == sorted(expected.split(", "))


def test_names_of_many_parts_fit_into_a_header(api: Server) -> None:
    messages = [{**HELLO[0], "x" * 5000: 1}] * 50
    response = httpx.post(api.api_url + "/v1/chat/completions", json={"messages": messages, "max_tokens": 1})
    assert response.status_code == 200 and len(response.headers["X-Ignored-Fields"]) < 2000


@pytest.mark.parametrize(("name", "value"), [("format", "json"), ("options", {"temperature": 0})])
def test_names_of_ollama_are_refused_in_other_bodies(api: Server, name: str, value: Any) -> None:
    path = "/v1/chat/completions"
    response = httpx.post(api.api_url + path, json={**BODIES[path], name: value})
    assert response.status_code == 400 and f"{name} is not supported: send " in response.text


def test_no_body_drops_unknown_fields(api: Server) -> None:
    description = httpx.get(f"{api.api_url}/openapi.json", timeout=60).json()
    bodies = {
        path: operation["requestBody"]["content"]["application/json"]["schema"]
        for path, operations in description["paths"].items()
        for operation in operations.values()
        if "application/json" in operation.get("requestBody", {}).get("content", ())
    }
    assert bodies.keys() >= BODIES.keys()
    for path, body in bodies.items():
        kinds = body.get("anyOf", body.get("oneOf", [body]))
        objects = [kind for kind in kinds if "$ref" in kind or "properties" in kind]
        assert objects
        for kind in objects:
            name = kind.get("$ref", "").rpartition("/")[2]
            # They are kept, and then named, or refused.
            assert "additionalProperties" in description["components"]["schemas"].get(name, kind), path


def test_tokens_are_counted_without_tools_that_are_left_out(api: Server) -> None:
    body = {"messages": HELLO, "tools": [{"type": "web_search"}]}
    response = httpx.post(f"{api.api_url}/tokenize", json=body)
    assert response.status_code == 200 and response.headers["X-Ignored-Tools"] == "web_search"


def test_streams_name_what_is_ignored(api: Server) -> None:
    body = {**BODIES["/v1/chat/completions"], "stream": True, "strange": 1}
    with httpx.stream("POST", f"{api.api_url}/v1/chat/completions", json=body) as response:
        assert response.headers["X-Ignored-Fields"] == "strange"
        assert "[DONE]" in response.read().decode()


def test_a_strict_service_refuses_what_it_does_not_know(start: Callable[..., Service]) -> None:
    service = start(strict_fields=True)
    body = {**BODIES["/v1/chat/completions"], "user": "me"}
    assert service.ask(body).status_code == 200
    error = service.ask({**body, "strange": 1}).json()["error"]
    assert error["message"] == "this service has no field 'strange'."
    assert (error["param"], error["code"]) == ("strange", "unknown_field")
    inside = service.ask({**body, "messages": [{**HELLO[0], "mood": 1}]}).json()["error"]
    assert (inside["param"], inside["code"]) == ("messages[0].mood", "unknown_field")


@pytest.mark.parametrize("name", REFUSED)
def test_fields_that_would_change_an_answer_are_refused(name: str) -> None:
    neutral, hint = REFUSED[name]
    assert not any(find_unknown({name: value}) for value in neutral)
    with pytest.raises(ApiError) as raised:
        find_unknown({name: "another value"})
    assert (raised.value.param, str(raised.value)) == (name, f"{name} is not supported: {hint}.")


def test_rules_name_no_field_that_bodies_have() -> None:
    fields = ChatRequest.model_fields
    assert fields.keys() & (WITHOUT_EFFECT | {*REFUSED}) == {"chat_template"}  # which other bodies lack
    assert not WITHOUT_EFFECT & {*REFUSED}


def test_names_of_llama_cpp_are_understood() -> None:
    names = {"n_predict": 5, "repeat_penalty": 1.5}
    (chat,) = parse(ChatRequest.model_validate({"messages": HELLO, **names, "n_probs": 3}))
    assert (chat.max_tokens, chat.repetition_penalty, chat.logprobs) == (5, 1.5, 3)
    body = CompletionRequest.model_validate({"prompt": "a", **names, "n_probs": 3})
    (completion,) = parse_completion(body)
    assert (completion.max_tokens, completion.repetition_penalty, completion.logprobs) == (5, 1.5, 3)
    (unlimited,) = parse(ChatRequest.model_validate({"messages": HELLO, "n_predict": -1}))
    assert unlimited.max_tokens is None
    (both,) = parse(ChatRequest.model_validate({"messages": HELLO, "max_tokens": 7, **names}))
    assert both.max_tokens == 7
