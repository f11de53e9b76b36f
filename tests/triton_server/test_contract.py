"""What the server takes, and what it says to everything else."""

import json
from typing import Any

import numpy as np
import pytest

from model_core.errors import InvalidRequest, PromptTooLong
from triton_server.contract import decode, encode, encode_padded, parse_request

HELLO = [{"role": "user", "content": "Hello"}]


def raw(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def test_messages_and_parameters_arrive() -> None:
    request = parse_request(
        encode([{"role": "system", "content": "Be brief."}, *HELLO]),
        encode({"temperature": 0.5, "stop": ["x"], "request_id": "abc"}),
        1024,
    )
    assert request.messages[1] == HELLO[0]
    assert (request.params.temperature, request.params.stop, request.request_id) == (0.5, ("x",), "abc")
    assert parse_request(encode("Once"), None, 1024).messages == "Once"
    assert parse_request(encode([1, 2]), None, 1024).messages == [1, 2]


def test_padding_changes_nothing_but_the_size() -> None:
    sizes = {len(encode_padded([{"role": "user", "content": "é" * n}])) for n in range(0, 2000, 7)}
    assert sizes == {1024, 4096}
    assert decode(encode_padded("naïve 🦊"), "messages") == "naïve 🦊"


MALFORMED: dict[str, tuple[np.ndarray, np.ndarray | None, str]] = {
    "not JSON": (raw(b"Hello"), None, "messages is not JSON"),
    "not UTF-8": (raw(b'"\xff\xfe"'), None, "messages is not UTF-8"),
    "half a surrogate": (raw(b'"\\ud83d"'), None, "surrogate"),
    "empty": (raw(b""), None, "messages is empty"),
    "only spaces": (raw(b"    "), None, "messages is empty"),
    "two values": (raw(b"[] []"), None, "messages is not JSON"),
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
    "deep nesting": (raw(b"[" * 20000), None, "messages"),
    "parameters not JSON": (encode(HELLO), raw(b"{"), "parameters is not JSON"),
    "parameters a list": (encode(HELLO), encode([1]), "JSON object"),
    "parameters NaN": (encode(HELLO), raw(b'{"temperature": NaN}'), "NaN"),
    "parameters infinite": (encode(HELLO), raw(b'{"temperature": 1e999}'), "temperature"),
    "unknown parameter": (encode(HELLO), encode({"temprature": 1}), "temprature"),
    "out of range": (encode(HELLO), encode({"top_p": 7}), "top_p"),
    "huge number": (encode(HELLO), raw(b'{"seed": ' + b"9" * 5000 + b"}"), "parameters"),
    "request_id a number": (encode(HELLO), encode({"request_id": 5}), "request_id"),
    "request_id too long": (encode(HELLO), encode({"request_id": "x" * 200}), "request_id"),
    "parameters too large": (encode(HELLO), raw(b" " * (2**20 + 1)), "parameters"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_requests_get_one_clear_sentence(name: str) -> None:
    messages, parameters, expected = MALFORMED[name]
    with pytest.raises(InvalidRequest) as raised:
        parse_request(messages, parameters, 1024)
    message = str(raised.value)
    assert expected in message
    assert len(message) < 300
    assert "\n" not in message


def test_two_megabytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(PromptTooLong, match="--max-context"):
        parse_request(raw(b"x" * 2_000_000), None, 1024)


@pytest.mark.parametrize("seed", range(20))
def test_random_damage_never_surprises(seed: int) -> None:
    random = np.random.default_rng(seed)
    good = json.dumps([{"role": "user", "content": "Hello é"}]).encode()
    for _ in range(50):
        damaged = bytearray(good)
        for _ in range(random.integers(1, 4)):
            damaged[random.integers(len(damaged))] = random.integers(256)
        value: Any = None
        try:
            value = parse_request(raw(bytes(damaged)), raw(bytes(damaged)), 1024)
        except InvalidRequest:
            continue
        assert value is not None
