"""Streams with ids through the proxy: servers fail behind it, and clients come back to it."""

import json
from typing import Any

import httpx
import pytest
from conftest import Endpoints, Server
from forwarder import Trap, forwarding
from support import wait_until
from test_proxy import LONG, Front, front, join, proxying  # noqa: F401 - front is a fixture

from triton_server.proxy.event_ids import IdStream, MessageStream

CHAT, TEXT, MESSAGES = "/v1/chat/completions", "/v1/completions", "/v1/messages"
ASK = {**LONG, "max_tokens": 200, "stream": True}
Events = list[tuple[str, dict[str, Any]]]  # their ids and data


def read(url: str, path: str, body: dict[str, Any], count: int | None = None, **headers: str) -> Events:
    """The first `count` events of a stream with ids, or all."""
    events: Events = []
    headers = {"Accept": "text/event-stream", **headers}
    with httpx.stream("POST", url + path, json=body, headers=headers, timeout=120) as response:
        assert response.status_code == 200, response.read()
        last = ""
        for line in response.iter_lines():
            if line.startswith("id: "):
                last = line[4:]
            elif line.startswith("data: {"):
                events.append((last, json.loads(line[6:])))
                assert "error" not in events[-1][1], events[-1]
                if len(events) == count:
                    break
    return events


def add_up(events: Events) -> Any:
    """The text of an answer, and what comes once."""
    data = [event for _, event in events]
    if "choices" in data[-1]:
        numbers = {choice["index"] for event in data for choice in event["choices"]}
        return [join([_choose(event, number) for event in data]) for number in sorted(numbers)]
    deltas = [event["delta"]["text"] for event in data if event["type"] == "content_block_delta"]
    others = [event["type"] for event in data if event["type"] not in ("content_block_delta", "ping")]
    return "".join(deltas), others


def _choose(event: dict[str, Any], number: int) -> dict[str, Any]:
    return {**event, "choices": [choice for choice in event["choices"] if choice["index"] == number]}


@pytest.mark.parametrize(
    ("path", "body", "mark"),
    [
        (CHAT, {**ASK, "logprobs": True}, b"data: {"),
        (TEXT, {**ASK, "prompt": "Once", "logprobs": 1, "return_token_ids": True}, b"data: {"),
        (CHAT, {**ASK, "n": 2}, b"data: {"),  # which has no ids
        (MESSAGES, ASK, b"event: content_block_delta"),
    ],
)
def test_server_fails_behind_the_proxy(
    front: Front,  # noqa: F811
    endless: Server,
    path: str,
    body: dict[str, Any],
    mark: bytes,
) -> None:
    expected = read(endless.api_url, path, body)
    front.cut_at(mark, 2)  # a fast server sends many tokens in an event
    events = read(front.url, path, body)
    assert add_up(events) == add_up(expected)
    assert front.metric("continued_total") >= 1
    if body.get("n") is None:
        assert len({event_id.rsplit(".", 2)[0] for event_id, _ in events}) == 1
        assert len({event_id for event_id, _ in events}) == len(events)


@pytest.mark.parametrize("path", [CHAT, MESSAGES])
def test_refusal_to_go_on_is_told(endless: Server, reciter: Endpoints, path: str) -> None:
    """The other server has another model."""
    with (
        forwarding(endless.api_url) as one,
        forwarding(reciter.api_url) as two,
        proxying([one.url, two.url], wait_s=2) as url,
    ):
        wait_until(lambda: all(each["ready"] for each in httpx.get(f"{url}/replicas").json()["servers"]))
        one.trap = two.trap = Trap(b"data: {", 2)
        headers = {"Accept": "text/event-stream"}
        answer = httpx.post(url + path, json=ASK, headers=headers, timeout=120)
    last = json.loads(answer.text.rstrip().rpartition("data: ")[2])
    assert "whose answer may be another one" in last["error"]["message"]


@pytest.mark.parametrize("path", [CHAT, MESSAGES])
def test_client_comes_back_to_the_proxy(front: Front, endless: Server, path: str) -> None:  # noqa: F811
    body = {name: value for name, value in ASK.items() if name != "seed"}
    first = read(front.url, path, body, 3)
    front.cut_at(b"data: {", 2)
    rest = read(front.url, path, body, **{"Last-Event-ID": first[-1][0]})
    seed = int(first[0][0].split(".")[3])
    assert add_up(first + rest) == add_up(read(endless.api_url, path, {**body, "seed": seed}))


def test_server_is_asked_to_go_on_after_the_last_whole_event() -> None:
    stream = IdStream()
    assert stream.last_id is None and stream.can_go_on
    stream.record(b": keep-alive\n\n")
    assert stream.last_id is None
    stream.record(b'id: 1.a\ndata: {"choices":[]}\n\nid: 1.b\ndata: {"text":"\\nid: 7"}\n\n')
    assert (stream.last_id, stream.is_complete) == ("1.b", False)
    stream.restart()
    assert stream.go_on(piece := b"id: 1.c\ndata: [DONE]\n\n") == piece
    assert (stream.last_id, stream.is_complete) == ("1.c", True)


def test_server_that_gives_ids_goes_on_where_one_has_given_none() -> None:
    def chunk(text: str) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return f"data: {json.dumps({'id': 'a', 'choices': [choice]})}\n\n".encode()

    stream = IdStream()
    stream.record(chunk("Hello "))
    stream.record(chunk("wor"))
    stream.restart()
    (piece,) = stream.go_on(b"id: 1.a\n" + chunk("Hello world")).split(b"\n\n")[:-1]
    assert json.loads(piece[6:])["choices"][0]["delta"]["content"] == "ld"


def test_messages_without_ids_end_with_their_server() -> None:
    stream = MessageStream()
    stream.record(b'event: message_start\ndata: {"type":"message_start"}\n\n')
    assert not stream.can_go_on
    stream = MessageStream()
    stream.record(b'id: 1.a\nevent: message_start\ndata: {"type":"message_start"}\n\n')
    assert stream.can_go_on
    error = {"type": "error", "error": {"details": {"error_code": "shutting_down"}}}
    assert stream.is_broken(f"event: error\ndata: {json.dumps(error)}\n\n".encode())
    error["error"] = {"details": {"error_code": "timeout"}}
    piece = f"event: error\ndata: {json.dumps(error)}\n\n".encode()
    assert not stream.is_broken(piece)
    stream.record(piece)
    assert stream.is_complete
