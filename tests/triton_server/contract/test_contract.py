"""Requests that the server accepts, and its errors for all others."""

import json
from typing import Any

import numpy as np
import pytest

from model_core.errors import InvalidRequest, PromptTooLong
from model_core.requests.messages import Message
from triton_server.contract.json_tensors import decode, encode, encode_padded
from triton_server.contract.request_fields import Request
from triton_server.engine.models import request_parser

HELLO = [{"role": "user", "content": "Hello"}]


def parse_request(messages: np.ndarray | None, parameters: np.ndarray | None, max_context: int) -> Request:
    return request_parser.parse_request(messages, request_parser.parse_parameters(parameters), max_context)


def to_array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def test_request_is_parsed() -> None:
    request = parse_request(
        encode([{"role": "system", "content": "Be brief."}, *HELLO]),
        encode({"temperature": 0.5, "stop": ["x"], "request_id": "abc", "cache_salt": "mine"}),
        1024,
    )
    assert request.messages[1] == Message(**HELLO[0])
    params = request.sampling_params()
    assert (params.temperature, params.stop, request.request_id) == (0.5, ("x",), "abc")
    assert request.cache_salt == "mine"
    assert parse_request(encode("Once"), None, 1024).messages == "Once"
    assert parse_request(encode("Once"), encode({"cache_salt": None}), 1024).cache_salt == ""
    assert parse_request(encode([1, 2]), None, 1024).messages == [1, 2]


@pytest.mark.parametrize("messages", [HELLO, "Once", [1, 2]], ids=str)
def test_request_travels_without_loss(messages: Any) -> None:
    parameters = {"stop": "x", "logit_bias": {"3": -1}, "seed": None, "continue_final_message": False}
    request = Request(messages=messages, **parameters)
    assert request.prompt() == messages
    assert request.parameters() == {
        "stop": ["x"],
        "logit_bias": {"3": -1.0},
        "continue_final_message": False,
    }
    assert parse_request(encode(request.prompt()), encode(request.parameters()), 1024) == request


def test_padding_changes_only_the_size() -> None:
    sizes = {len(encode_padded([{"role": "user", "content": "é" * n}])) for n in range(0, 2000, 7)}
    assert sizes == {1024, 4096}
    assert decode(encode_padded("naïve 🦊"), "messages") == "naïve 🦊"


MALFORMED: dict[str, tuple[np.ndarray, np.ndarray | None, str]] = {
    "not JSON": (to_array(b"Hello"), None, "messages is not JSON"),
    "not UTF-8": (to_array(b'"\xff\xfe"'), None, "messages is not UTF-8"),
    "half a surrogate": (to_array(b'"\\ud83d"'), None, "surrogate"),
    "empty": (to_array(b""), None, "messages is empty"),
    "only spaces": (to_array(b"    "), None, "messages is empty"),
    "two values": (to_array(b"[] []"), None, "messages is not JSON"),
    "a number": (encode(5), None, "must be a list"),
    "null": (encode(None), None, "messages is missing"),
    "an object": (encode({"role": "user", "content": "x"}), None, "must be a list"),
    "no messages": (encode([]), None, "messages is empty"),
    "empty prompt": (encode(""), None, "messages is empty"),
    "ids and text": (encode([1, "x"]), None, "messages[0]"),
    "id is true": (encode([True]), None, "messages[0]"),
    "message is text": (encode(["x"]), None, "messages[0]"),
    "no content": (encode([*HELLO, {"role": "user"}]), None, "messages[1] has no content"),
    "more fields": (encode([{"role": "user", "content": "x", "mood": "y"}]), None, "messages[0].mood"),
    "unknown role": (encode([{"role": "wizard", "content": "x"}]), None, "'wizard'"),
    "role is a list": (encode([{"role": ["user"], "content": "x"}]), None, "messages[0].role"),
    "content is null": (encode([{"role": "user", "content": None}]), None, "messages[0] has no content"),
    "content is a list": (encode([{"role": "user", "content": ["x"]}]), None, "messages[0].content[0]"),
    "messages twice": (encode(HELLO), encode({"messages": HELLO}), "an input of its own"),
    "tools of a text": (encode("x"), encode({"tools": [{"name": "add"}]}), "tools need messages"),
    "no tools": (encode(HELLO), encode({"tool_choice": "required"}), "tool_choice is only allowed"),
    "text continued": (encode("x"), encode({"continue_final_message": True}), "continue_final_message"),
    "deep nesting": (to_array(b"[" * 20000), None, "messages"),
    "parameters not JSON": (encode(HELLO), to_array(b"{"), "parameters is not JSON"),
    "parameters a list": (encode(HELLO), encode([1]), "JSON object"),
    "parameters NaN": (encode(HELLO), to_array(b'{"temperature": NaN}'), "NaN"),
    "parameters infinite": (encode(HELLO), to_array(b'{"temperature": 1e999}'), "temperature"),
    "unknown parameter": (encode(HELLO), encode({"temprature": 1}), "temprature"),
    "out of range": (encode(HELLO), encode({"top_p": 7}), "top_p"),
    "huge number": (encode(HELLO), to_array(b'{"seed": ' + b"9" * 5000 + b"}"), "parameters"),
    "request_id a number": (encode(HELLO), encode({"request_id": 5}), "request_id"),
    "request_id too long": (encode(HELLO), encode({"request_id": "x" * 200}), "request_id"),
    "cache_salt a number": (encode(HELLO), encode({"cache_salt": 5}), "cache_salt"),
    "client a list": (encode(HELLO), encode({"client": ["x"]}), "client"),
    "client too long": (encode(HELLO), encode({"client": "x" * 129}), "client"),
    "cache_salt too long": (encode(HELLO), encode({"cache_salt": "x" * 129}), "cache_salt"),
    "parameters too large": (encode(HELLO), to_array(b" " * (2**20 + 1)), "parameters"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_request_is_refused_in_one_sentence(name: str) -> None:
    messages, parameters, expected = MALFORMED[name]
    with pytest.raises(InvalidRequest) as raised:
        parse_request(messages, parameters, 1024)
    message = str(raised.value)
    assert expected in message
    assert len(message) < 300
    assert "\n" not in message


def test_too_long_prompt_is_refused_before_parsing() -> None:
    with pytest.raises(PromptTooLong, match="--max-context"):
        parse_request(to_array(b"x" * 2_000_000), None, 1024)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_request_is_parsed_or_refused(seed: int) -> None:
    random = np.random.default_rng(seed)
    valid = json.dumps([{"role": "user", "content": "Hello é"}]).encode()
    for _ in range(50):
        damaged = bytearray(valid)
        for _ in range(random.integers(1, 4)):
            damaged[random.integers(len(damaged))] = random.integers(256)
        request: Any = None
        try:
            request = parse_request(to_array(bytes(damaged)), to_array(bytes(damaged)), 1024)
        except InvalidRequest:
            continue
        assert request is not None
