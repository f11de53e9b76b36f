"""Connections break in the middle of streams, and another HTTP service goes on, which knows only the id."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import anthropic
import httpx
import openai
import pytest
from http_service import services
from in_process import Endpoints

from triton_server.contract.request_fields import DRAWN_SEED_HEADER

CHAT, TEXT, MESSAGES = "/v1/chat/completions", "/v1/completions", "/v1/messages"
ASK = [{"role": "user", "content": "Tell me of a fox"}]
SAID = {"model": "default", "messages": ASK, "max_tokens": 40, "stream": True}
TOLD = {"temperature": 1.0, "logprobs": True, "top_logprobs": 2, "return_token_ids": True}
TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
ASKED = {"Accept": "application/json, text/event-stream"}
Events = list[tuple[str, dict[str, Any]]]  # their ids and data


@pytest.fixture(scope="module")
def urls(several: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two HTTP services."""
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp("service") for _ in range(2)]
        yield [stack.enter_context(services(several.grpc_url, folder))().url for folder in folders]


def read(url: str, path: str, body: dict[str, Any], count: int | None = None, **headers: str) -> Events:
    """The first `count` events of a stream, or all; then the connection is closed."""
    events: Events = []
    with httpx.stream("POST", url + path, json=body, headers={**ASKED, **headers}, timeout=60) as response:
        assert response.status_code == 200, response.read()
        event: dict[str, str] = {}
        for line in response.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
                continue
            if event.get("data", "").startswith("{"):
                events.append((event.get("id", ""), json.loads(event["data"])))
            event = {}
            if len(events) == count:
                break
    return events


def join(events: Events) -> dict[str, Any]:
    """What the events say together."""
    told: dict[str, Any] = {"once": []}

    def add(name: Any, value: Any) -> None:
        if value:
            told[name] = told[name] + value if name in told else value

    for _, event in events:
        assert "error" not in event, event
        if event.get("type") == "content_block_delta":
            kind, text = event["delta"].values()
            add((event["index"], kind), text)
        elif "type" in event and event["type"] != "ping":
            # The prompt is cached the second time.
            told["once"].append({name: value for name, value in event.items() if name != "usage"})
        for choice in event.get("choices", ()):
            delta = choice.get("delta", choice)
            for name in ("content", "reasoning", "text"):
                add(name, delta.get(name))
            for call in delta.get("tool_calls", ()):
                add((call["index"], "name"), call["function"].get("name"))
                add((call["index"], "arguments"), call["function"]["arguments"])
            for name, values in (choice["logprobs"] or {}).items():
                add(("logprobs", name), values)
            add("ids", choice.get("token_ids"))
            add("end", choice["finish_reason"])
            add("seed", choice.get("seed"))
            told["once"] += ["role"] if "role" in delta else []
    told["names"] = {(event.get("id"), event.get("created")) for _, event in events}
    return told


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, {**SAID, **TOLD}),
        (TEXT, {**SAID, "prompt": "Once", "logprobs": 1}),
        (CHAT, {**SAID, "seed": -5, "model": "speaker", "tools": [{"type": "function", "function": TOOL}]}),
        (CHAT, {**SAID, "model": "speaker"}),
        (MESSAGES, {**SAID, "temperature": 1.0}),
        (MESSAGES, {**SAID, "model": "speaker"}),
    ],
)
def test_stream_goes_on_elsewhere(urls: list[str], path: str, body: dict[str, Any]) -> None:
    whole = read(urls[0], path, body)
    expected = join(whole)
    for count in range(1, len(whole), max(1, len(whole) // 4)):
        last = [event_id for event_id, _ in whole[:count] if event_id][-1]
        rest = read(urls[1], path, body, **{"Last-Event-ID": last})
        assert join(whole[:count] + rest) == expected
        assert {event_id for event_id, _ in rest if event_id}.isdisjoint({i for i, _ in whole[:count]})


def test_stream_that_is_cut_twice_is_whole(urls: list[str]) -> None:
    body = {**SAID, "temperature": 1.0}
    first = read(urls[0], CHAT, body, 1)
    second = read(urls[1], CHAT, body, 1, **{"Last-Event-ID": first[-1][0]})
    third = read(urls[0], CHAT, body, **{"Last-Event-ID": second[-1][0]})
    told = join(first + second + third)
    seed = {"seed": told["seed"]}
    whole = httpx.post(urls[1] + CHAT, json={**body, **seed, "stream": False}, timeout=60).json()
    assert told["content"] == whole["choices"][0]["message"]["content"]
    drawn = {DRAWN_SEED_HEADER: "true", "Last-Event-ID": first[-1][0]}  # as a proxy sends it
    assert join(first + read(urls[0], CHAT, {**body, "seed": 99}, **drawn)) == told


def test_refusals_say_what_is_wrong(urls: list[str]) -> None:
    last = read(urls[0], CHAT, {**SAID, "seed": 7}, 1)[-1][0]
    for path, changes, event_id, code in (
        (CHAT, {}, "7", "invalid_event_id"),
        (CHAT, {}, "", "invalid_event_id"),
        (CHAT, {}, last[:-1], "invalid_event_id"),
        (CHAT, {}, "1" * 60_000, "invalid_event_id"),
        (CHAT, {"seed": 8}, last, "other_seed"),
        (CHAT, {"max_tokens": 41}, last, "other_request"),
        (CHAT, {"messages": [*ASK, *ASK]}, last, "other_request"),
        (CHAT, {"model": "speaker"}, last, "other_model"),
        (CHAT, {"n": 2}, last, "unsupported"),
        (CHAT, {"stream": False}, last, "unsupported"),
        (MESSAGES, {}, last, "other_request"),
        (TEXT, {"prompt": ["One", "Two"]}, last, "unsupported"),
        ("/v1/responses", {"input": "Hello"}, last, "unsupported"),
        ("/api/chat", {}, last, "unsupported"),
        ("/stream", {"prompt": "Hello"}, last, "unsupported"),
        ("/completion", {"prompt": "Hello"}, last, "unsupported"),
    ):
        body = {**SAID, "seed": 7, **changes}
        answer = httpx.post(urls[1] + path, json=body, headers={"Last-Event-ID": event_id}, timeout=60)
        assert answer.status_code == 400, (path, changes, answer.text)
        error = answer.json()["error"]
        if isinstance(error, dict) and path in (CHAT, TEXT):
            assert (error["code"], error["param"]) == (code, "Last-Event-ID")
        assert "Last-Event-ID" in answer.text or "after an event" in answer.text
    twice = [("Last-Event-ID", last), ("Last-Event-ID", last)]
    answer = httpx.post(urls[1] + CHAT, json={**SAID, "seed": 7}, headers=twice, timeout=60)
    assert answer.json()["error"]["code"] == "invalid_event_id"
    answer = httpx.get(f"{urls[1]}/v1/responses/resp_1?stream=true", headers={"Last-Event-ID": last})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "Last-Event-ID")
    assert read(urls[1], CHAT, {**SAID, "seed": 7}, 2, **{"Last-Event-ID": last})  # and it can go on


def test_clients_get_ids_only_if_they_read_event_streams(urls: list[str]) -> None:
    for path in (CHAT, MESSAGES):
        with httpx.stream("POST", urls[0] + path, json=SAID, timeout=60) as response:
            assert not [line for line in response.iter_lines() if line.startswith("id:")]
    several = {**SAID, "n": 2}
    assert not any(event_id for event_id, _ in read(urls[0], CHAT, several))


def test_official_clients_read_streams_with_ids(urls: list[str]) -> None:
    ids = {"Accept": "text/event-stream"}
    gpt = openai.OpenAI(base_url=f"{urls[0]}/v1", api_key="none", max_retries=0)
    claude = anthropic.Anthropic(base_url=urls[0], api_key="none", max_retries=0)
    asked = {"model": "default", "messages": ASK, "max_tokens": 20}
    texts = []
    for headers in ({}, ids):
        chunks = gpt.chat.completions.create(**asked, seed=3, stream=True, extra_headers=headers)
        texts.append("".join(chunk.choices[0].delta.content or "" for chunk in chunks))
        body = {"seed": 3}
        with claude.messages.stream(**asked, extra_headers=headers, extra_body=body) as stream:
            texts.append(stream.get_final_text())
    assert texts[0] and texts[0] == texts[2] and texts[1] and texts[1] == texts[3]
    ((last, _),) = read(urls[1], CHAT, {**asked, "seed": 3, "stream": True}, 1)
    rest = gpt.chat.completions.create(**asked, seed=3, stream=True, extra_headers={"Last-Event-ID": last})
    said = "".join(chunk.choices[0].delta.content or "" for chunk in rest)
    assert said == texts[0]
