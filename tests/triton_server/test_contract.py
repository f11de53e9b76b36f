"""Requests that the server accepts, and its errors for all others."""

import json
from typing import Any

import numpy as np
import pytest

from model_core.errors import InvalidRequest, PromptTooLong
from triton_server.engine.request_parser import parse_request
from triton_server.json_tensors import decode, encode, encode_padded

HELLO = [{"role": "user", "content": "Hello"}]


def to_array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def test_request_is_parsed() -> None:
    request = parse_request(
        encode([{"role": "system", "content": "Be brief."}, *HELLO]),
        encode({"temperature": 0.5, "stop": ["x"], "request_id": "abc", "cache_salt": "mine"}),
        1024,
    )
    assert request.prompt[1] == HELLO[0]
    assert (request.params.temperature, request.params.stop, request.request_id) == (0.5, ("x",), "abc")
    assert request.cache_salt == "mine"
    assert parse_request(encode("Once"), None, 1024).prompt == "Once"
    assert parse_request(encode("Once"), encode({"cache_salt": None}), 1024).cache_salt == ""
    assert parse_request(encode([1, 2]), None, 1024).prompt == [1, 2]


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
    "null": (encode(None), None, "must be a list"),
    "an object": (encode({"role": "user", "content": "x"}), None, "must be a list"),
    "no messages": (encode([]), None, "at least one message"),
    "empty prompt": (encode(""), None, "prompt is empty"),
    "ids and text": (encode([1, "x"]), None, "message 1"),
    "id is true": (encode([True]), None, "message 1"),
    "message is text": (encode(["x"]), None, "message 1"),
    "no content": (encode([*HELLO, {"role": "user"}]), None, "message 2"),
    "more fields": (encode([{"role": "user", "content": "x", "name": "y"}]), None, "message 1"),
    "unknown role": (encode([{"role": "wizard", "content": "x"}]), None, "'wizard'"),
    "role is a list": (encode([{"role": ["user"], "content": "x"}]), None, "message 1"),
    "content is null": (encode([{"role": "user", "content": None}]), None, "string"),
    "content is a list": (encode([{"role": "user", "content": ["x"]}]), None, "string"),
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
