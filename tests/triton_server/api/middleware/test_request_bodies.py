"""Bodies of requests: compressed ones, and what is said of those that cannot be read."""

import gzip
import json
import zlib
from collections.abc import Callable

import httpx
import pytest
from conftest import Server
from http_service import CHAT, HELLO, Service
from test_proxy import proxying

ASKED = json.dumps({**HELLO, "seed": 3, "max_tokens": 8}).encode()
JSON = {"Content-Type": "application/json"}


def post(url: str, body: bytes, path: str = CHAT, **headers: str) -> httpx.Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(url + path, content=body, headers=JSON | given, timeout=60)


def error_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(ASKED)),
        ("X-GZIP", gzip.compress(ASKED[:9]) + gzip.compress(ASKED[9:])),
        ("deflate", zlib.compress(ASKED)),
        ("identity", ASKED),
    ],
    ids=["gzip", "gzip twice", "deflate", "identity"],  # gzip writes the time into its header
)
def test_compressed_bodies_are_read(server: Server, encoding: str, body: bytes) -> None:
    expected = post(server.api_url, ASKED).json()["choices"]
    answer = post(server.api_url, body, Content_Encoding=encoding)
    assert answer.status_code == 200 and answer.json()["choices"] == expected


def test_proxy_reads_compressed_bodies(server: Server) -> None:
    with proxying([server.api_url]) as url:
        body = gzip.compress(json.dumps({**json.loads(ASKED), "stream": True}).encode())
        answer = post(url, body, Content_Encoding="gzip")
        assert answer.status_code == 200 and answer.text.endswith("data: [DONE]\n\n")
        assert error_of(post(url, gzip.compress(bytes(2**23)), Content_Encoding="gzip"))[0] == 413
        assert error_of(post(url, b"?", Content_Encoding="zstd"))[0] == 415


def test_what_is_small_only_while_it_is_compressed_is_refused(start: Callable[..., Service]) -> None:
    service = start(max_body_bytes=1000)
    for size, expected in ((1000, 400), (1001, 413), (2**24, 413)):
        body = gzip.compress(bytes(size))
        status, message = error_of(post(service.url, body, Content_Encoding="gzip"))
        assert status == expected, message
        assert status == 400 or ("more than the 1000 bytes" in message and "--max-body" in message)
    assert service.metrics()['tritonchat_api_refusals_total{reason="body_too_large"}'] >= 2


@pytest.mark.parametrize(
    "body",
    [b"x" * 20, gzip.compress(ASKED)[:-9], gzip.compress(ASKED) + b"more"],
    ids=["none", "cut", "more"],  # gzip writes the time into its header
)
def test_body_that_is_not_gzip_is_refused(server: Server, body: bytes) -> None:
    status, message = error_of(post(server.api_url, body, Content_Encoding="gzip"))
    assert (status, message) == (400, "the body is not what its Content-Encoding says: gzip.")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
def test_unknown_encoding_is_refused_by_name(server: Server, encoding: str) -> None:
    answer = post(server.api_url, ASKED, Content_Encoding=encoding)
    status, message = error_of(answer)
    assert status == 415 and repr(encoding) in message and "gzip" in message
    assert answer.headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("path", [CHAT, "/v1/messages", "/v1/responses", "/v1/embeddings", "/tokenize"])
def test_each_fault_of_a_body_has_its_own_sentence(server: Server, path: str) -> None:
    faults = {
        b'{"model": "\xff"}': "the body is not UTF-8, in which JSON is sent: byte 11 is wrong.",
        b'{"a":' * 100_000: "the body is nested more than 100 deep.",
        b'{"n": 1' + b"0" * 5000 + b"}": "the body has a whole number of too many digits.",
        b'{"model": }': "the body is not JSON: Expecting value.",
        b"null": "the body must be an object, not null.",
        b"true": "the body must be an object, not true.",
    }
    for body, expected in faults.items():
        assert error_of(post(server.api_url, body, path)) == (400, expected)


@pytest.mark.parametrize("depth", [90, 200, 400, 600, 800, 900, 950])
@pytest.mark.parametrize("field", ["messages", "tools", "response_format", "metadata", "unknown"])
def test_deep_nesting_is_never_an_error_of_the_server(server: Server, field: str, depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"type":', "}")):
        value = opening * depth + "1" + closing * depth
        body = f'{ASKED.decode()[:-1]}, "{field}": {value}}}'
        assert post(server.api_url, body.encode()).status_code in (200, 400)


@pytest.mark.parametrize("depth", [90, 200, 300, 400, 600])
def test_deep_parts_of_other_services_are_refused_by_name(server: Server, depth: int) -> None:
    value = '{"a":[' * (depth // 2) + "1" + "]}" * (depth // 2)
    part = f'{{"type": "strange", "data": {value}}}'
    bodies = {
        "/v1/responses": (f'{{"max_output_tokens": 2, "input": [{part}]}}', "input[0]"),
        "/v1/messages": (
            f'{{"model": "default", "max_tokens": 2, "messages": [{{"role": "user", "content": [{part}]}}]}}',
            "messages[0].content[0]",
        ),
    }
    for path, (body, name) in bodies.items():
        answer = post(server.api_url, body.encode(), path)
        if depth < 100:
            assert answer.status_code == 200
        else:
            assert error_of(answer) == (400, f"{name} is nested more than 100 deep.")


def test_body_without_content_type_is_read_as_json(server: Server) -> None:
    assert httpx.post(server.api_url + CHAT, content=ASKED, timeout=60).status_code == 200
    form = "application/x-www-form-urlencoded"  # of `curl -d`
    assert post(server.api_url, ASKED, Content_Type=form).status_code == 200
    assert post(server.api_url, ASKED, Content_Type=form, Origin="http://evil.example").status_code == 403
    status, message = error_of(post(server.api_url, ASKED, Content_Type="text/plain"))
    assert (status, message) == (
        400,
        "the body must be JSON, sent with the header `Content-Type: application/json`.",
    )
