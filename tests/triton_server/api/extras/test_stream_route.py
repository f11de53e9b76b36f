"""POST /stream: one line for each delta, whatever its text is."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import Server

from model_core import LLM, SamplingParams
from triton_server.api.extras.stream import render_line


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def decode_line(line: str) -> str:
    """Decode a line as a client does."""
    return json.loads(f'"{line}"')


def ask(web: httpx.Client, **body: Any) -> list[str]:
    with web.stream("POST", "/stream", json=body) as response:
        response.read()
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        return response.text.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "a\nb\r\n\n",
        'He said "\\n".',
        "\\",
        "\\\\n",
        "tab\tvertical\x0bform\x0cfile\x1cgroup\x1drecord\x1eunit\x1f",
        "next\x85line\u2028paragraph\u2029end",
        "\x00\x7f",
        "日本語 🦊 עברית",
    ],
)
def test_text_is_encoded_as_one_line(text: str) -> None:
    encoded = render_line(text)
    assert encoded.endswith(b"\n")
    (decoded,) = encoded.decode().splitlines()
    assert decode_line(decoded) == text


def test_lines_join_to_the_text(web: httpx.Client, llm: LLM) -> None:
    *lines, last_line = ask(web, prompt="Once upon a time", num_predict=300, temp=0)
    assert last_line == ""
    assert len(lines) > 1
    expected = llm.generate("Once upon a time", SamplingParams(max_tokens=300, temperature=0)).text
    assert "".join(map(decode_line, lines)) == expected


def test_parameter_names_are_translated(web: httpx.Client, llm: LLM) -> None:
    cases = [
        ({"repeat_penalty": 1.5}, {"repetition_penalty": 1.5}),
        ({"num_predict": 7}, {"max_tokens": 7}),
        ({"temp": 0.0, "top_k": 3, "top_p": 0.5, "n_batch": 8, "cache": 1}, {"temperature": 0}),
        ({"temp": 1.5, "top_k": 1}, {"temperature": 0}),
    ]
    for body, parameters in cases:
        lines = ask(web, prompt="Hello", **{"num_predict": 30, **body})
        expected = llm.generate("Hello", SamplingParams(**{"max_tokens": 30, **parameters}))
        assert "".join(map(decode_line, lines)) == expected.text


def test_each_request_gets_its_own_seed(web: httpx.Client) -> None:
    def ask_wildly(**more: Any) -> tuple[str, str]:
        """The seed and the text of an answer."""
        response = web.post("/stream", json={"prompt": "Once", "num_predict": 60, "temp": 2, **more})
        return response.headers["x-seed"], "".join(map(decode_line, response.text.split("\n")))

    first, second = ask_wildly(), ask_wildly()
    assert first[0] != second[0] and first[1] != second[1]
    assert ask_wildly(seed=int(first[0])) == first


def test_other_names_take_precedence(web: httpx.Client) -> None:
    body = {"prompt": "Once", "ignore_eos": True, "temp": 0}
    short, preferred, null = (
        "".join(map(decode_line, ask(web, **body, **tokens)))
        for tokens in (
            {"max_tokens": 4},
            {"num_predict": 4, "max_tokens": 9},
            {"num_predict": None, "max_tokens": 4},
        )
    )
    assert short == preferred == null != ""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"prompt": 5}, 400),
        ({"prompt": ""}, 400),
        ({"prompt": "Hello", "temp": 9}, 400),
        ({"prompt": "Hello", "num_predict": -1}, 400),
        ({"prompt": "word " * 5000}, 400),
    ],
)
def test_invalid_request_is_refused_before_the_first_line(
    web: httpx.Client, body: dict[str, Any], status: int
) -> None:
    response = web.post("/stream", json=body)
    assert response.status_code == status
    assert len(response.json()["error"]["message"]) > 10
