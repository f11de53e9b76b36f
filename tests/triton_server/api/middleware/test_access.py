"""Access to the HTTP service under attack: API keys, body sizes, request rates, web pages of other sites."""

import contextlib
import json
import socket
from collections.abc import Callable

import httpx
import pytest
from http_service import CHAT, HELLO, Service, all_of, status

from triton_server.api.middleware.access import client_network
from triton_server.api.middleware.rate_limit import MAX_BUCKETS, RateLimit, format_duration

KEY, OTHER = "sk-correct-horse-battery", "sk-another"


def test_body_limit_counts_the_body_once_for_each_answer(start: Callable[..., Service]) -> None:
    service = start(max_body_bytes=10_000)
    body = {**HELLO, "messages": [{"role": "user", "content": "x " * 500}]}
    assert service.ask({**body, "n": 2}).status_code == 200
    refused = service.ask({**body, "n": 64})
    assert refused.status_code == 413
    assert "--max-body" in refused.json()["error"]["message"]


# Keys.


def test_requests_need_a_valid_key(start: Callable[..., Service]) -> None:
    service = start(process=True, api_keys=(KEY, OTHER))
    wrong = ["", "x", KEY[:-1], KEY + "x", KEY.upper(), f"{KEY},{OTHER}", "x" * 10_000, "ключ", "\x80\xff"]
    for key in wrong:
        for name, value in (("Authorization", f"Bearer {key}"), ("X-Api-Key", key), ("Authorization", key)):
            raw = f"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{name}: {value}\r\n\r\n"
            answer = all_of(service.connect(raw.encode()))
            head, _, body = answer.partition(b"\r\n\r\n")
            assert status(answer) == 401, (name, value)
            assert b"www-authenticate: bearer" in head.lower()
            assert set(json.loads(body)["error"]) == {"message", "type", "param", "code"}
            assert json.loads(body)["error"]["code"] == "invalid_api_key"
    for path in ("/v1/models", "/healthz/", "//healthz", "/healthz/../v1/models", "/HEALTHZ", "/docs/", "/x"):
        assert service.get(path).status_code == 401, path
    assert service.get("/docs").status_code == 200  # a page where users can enter a key
    assert service.get("/openapi.json").json()["components"]["securitySchemes"]
    for headers in (
        {"Authorization": f"Bearer {KEY}"},
        {"authorization": f"bearer {OTHER}"},
        {"X-Api-Key": KEY},
        {"Authorization": "Basic dXNlcg==", "X-Api-Key": OTHER},
    ):
        assert service.get("/v1/models", **headers).status_code == 200
        assert service.ask(**headers).status_code == 200
    # The log contains no key.
    everything = service.log.read_text() + service.get("/metrics").text
    for key in (KEY, OTHER, KEY[:-1]):
        assert key not in everything
    refusals = service.metrics()
    assert refusals['tritonchat_api_refusals_total{reason="wrong_key"}'] >= len(wrong)
    assert refusals['tritonchat_api_refusals_total{reason="no_key"}'] > 0


def test_without_keys_no_key_is_needed(start: Callable[..., Service]) -> None:
    service = start()
    assert service.get("/v1/models").status_code == 200
    assert service.get("/v1/models", Authorization="Bearer anything").status_code == 200


def test_probes_and_metrics_on_loopback_need_no_key(start: Callable[..., Service]) -> None:
    local, network = start(api_keys=(KEY,)), start(api_keys=(KEY,), host="0.0.0.0", requests_per_minute=1)
    for _ in range(3):
        for service in (local, network):
            assert service.get("/healthz").json() == {"status": "ok"}
            assert service.get("/readyz").json()["status"] == "ready"
    assert local.get("/metrics").status_code == 200
    assert network.get("/metrics").status_code == 401
    for _ in range(3):
        assert network.get("/metrics", Authorization=f"Bearer {KEY}").status_code == 200


def test_each_key_has_its_own_sessions(start: Callable[..., Service]) -> None:
    service = start(api_keys=(KEY, OTHER))
    made = httpx.post(f"{service.url}/sessions", json={"id": "mine"}, headers={"X-Api-Key": KEY}, timeout=60)
    assert made.status_code in (200, 201)
    assert service.get("/sessions/mine", **{"X-Api-Key": KEY}).status_code == 200
    assert service.get("/sessions/mine", **{"X-Api-Key": OTHER}).status_code == 404


# Sizes.


@pytest.mark.parametrize("chunked", [True, False])
def test_endless_body_is_refused_in_bounded_memory(start: Callable[..., Service], chunked: bool) -> None:
    service = start(process=True, max_body_bytes=2**20)
    service.ask()
    before = service.process.memory_info().rss
    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {2**40}"
    connection = service.connect(f"{head}{length}\r\n\r\n".encode())
    some = b"10000\r\n" + b" " * 2**16 + b"\r\n" if chunked else b" " * 2**16
    with contextlib.suppress(ConnectionError):
        for _ in range(2**14):  # a gigabyte, if it goes on so long
            connection.sendall(some)
        pytest.fail("it read everything")
    assert service.process.memory_info().rss - before < 32 * 2**20
    assert service.ask().status_code == 200
    values = service.metrics()
    assert values['tritonchat_api_refusals_total{reason="body_too_large"}'] == 1
    assert values["tritonchat_api_refused_bytes_total"] > 2**20


def test_large_body_gets_413(start: Callable[..., Service]) -> None:
    """The client gets the answer even if it reads only after it has sent the whole body."""
    service = start(max_body_bytes=100_000)
    large = {**HELLO, "messages": [{"role": "user", "content": "x " * 250_000}]}
    content = json.dumps(large).encode()
    kind = {"Content-Type": "application/json"}
    for body in (content, iter([content[i : i + 1000] for i in range(0, len(content), 1000)])):
        answer = httpx.post(service.url + CHAT, content=body, headers=kind, timeout=60)
        assert answer.status_code == 413
        assert "100000" in answer.json()["error"]["message"]
        assert answer.headers["connection"] == "close"
        assert "x-request-id" in answer.headers
    exact = json.dumps(HELLO).encode()
    exact += b" " * (100_000 - len(exact))
    assert httpx.post(service.url + CHAT, content=exact, headers=kind, timeout=60).status_code == 200
    assert httpx.post(service.url + CHAT, content=exact + b" ", headers=kind, timeout=60).status_code == 413


def test_connection_survives_a_refused_body_that_was_read(start: Callable[..., Service]) -> None:
    service = start(api_keys=(KEY,))
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for _ in range(3):
            answer = client.post(CHAT, json=HELLO)
            assert answer.status_code == 401
            assert "connection" not in answer.headers
        assert client.post(CHAT, json=HELLO, headers={"X-Api-Key": KEY}).status_code == 200


@pytest.mark.parametrize("length", ["-1", "1e3", "0x10", "1, 2", "99999999999999999999999999"])
def test_invalid_content_length_is_refused(start: Callable[..., Service], length: str) -> None:
    service = start()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{{}}"
    connection = service.connect(head.encode())
    connection.shutdown(socket.SHUT_WR)
    answer = all_of(connection)
    assert not answer or status(answer) in (400, 413)
    assert service.get("/healthz").status_code == 200


# Rates.


def test_requests_per_minute(start: Callable[..., Service]) -> None:
    service = start(api_keys=(KEY, OTHER), requests_per_minute=3)
    mine, others = {"Authorization": f"Bearer {KEY}"}, {"X-Api-Key": OTHER}
    left = []
    for _ in range(3):
        answer = service.get("/v1/models", **mine)
        assert answer.status_code == 200
        assert answer.headers["x-ratelimit-limit-requests"] == "3"
        left.append(int(answer.headers["x-ratelimit-remaining-requests"]))
    assert left == [2, 1, 0]
    refused = service.ask(**mine)
    assert refused.status_code == 429
    assert refused.json()["error"]["type"] == "rate_limit_error"
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert refused.headers["x-ratelimit-remaining-requests"] == "0"
    assert refused.headers["x-ratelimit-reset-requests"].endswith("s")
    # Each key has its own rate. Requests with invalid keys count for their address.
    assert service.get("/v1/models", **others).status_code == 200
    guesses = [service.get("/v1/models", Authorization=f"Bearer {i}").status_code for i in range(6)]
    assert guesses == [401] * 3 + [429] * 3
    assert service.get("/v1/models", **others).status_code == 200
    assert service.get("/healthz").status_code == 200
    assert service.metrics()['tritonchat_api_refusals_total{reason="too_many_requests"}'] == 4


def test_rate_limit_holds_for_each_of_1000_addresses(start: Callable[..., Service]) -> None:
    """All addresses of 127.0.0.0/8 are this machine. Each has its own rate, which headers do not change."""
    service = start(requests_per_minute=1)
    request = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n"
    forwarded = b"X-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.2\r\n"
    for i in range(1000):
        address = f"127.0.{i // 250}.{1 + i % 250}"
        assert status(all_of(service.connect(request % b"", address))) == 200
        if i % 10 == 0:  # at once: a minute later, it would be answered
            again = service.connect(request % forwarded, address)
            assert status(all_of(again)) == 429


def test_rate_limit_buckets_refill_and_are_bounded() -> None:
    now = 0.0
    limit = RateLimit(60, clock=lambda: now)
    assert [limit.count_request("a").next_in_s for _ in range(60)] == [0] * 60
    assert limit.count_request("a").next_in_s == pytest.approx(1)
    now = 0.5
    assert limit.count_request("a").next_in_s == pytest.approx(0.5)  # a refused request does not count
    now = 1.0
    assert limit.count_request("a").next_in_s == 0
    assert limit.count_request("a").remaining == 0
    now = 1000.0
    assert limit.count_request("a").remaining == 59
    for i in range(3 * MAX_BUCKETS):
        limit.count_request(str(i))
    oldest = 2 * MAX_BUCKETS
    assert limit.count_request(str(oldest)).remaining == 58
    assert limit.count_request(str(oldest - 1)).remaining == 59  # forgotten


def test_rate_limit_of_one_request_a_minute() -> None:
    now = 0.0
    limit = RateLimit(1, clock=lambda: now)
    assert limit.count_request("a").next_in_s == 0
    now = 59.0
    assert limit.count_request("a").next_in_s == pytest.approx(1)
    now = 60.0
    assert limit.count_request("a").next_in_s == 0


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        (("1.2.3.4", 5), "1.2.3.4"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::/64"),
        (("2001:db8:1:2:ffff::1", 5), "2001:db8:1:2::/64"),
        (("::ffff:1.2.3.4", 5), "1.2.3.4"),
        (("fe80::1%eth0", 5), "fe80::/64"),
        (None, ""),
        (("", 0), ""),
        (("ada", 0), "?ada"),  # what a proxy passed on; it is not the owner of that name
    ],
)
def test_client_network(client: tuple[str, int] | None, counted: str) -> None:
    assert client_network({"client": client}) == counted


def test_format_duration() -> None:
    assert [format_duration(s) for s in (0, 0.0201, 1, 1.5, 59.9999, 60, 400.2)] == [
        "0ms",
        "21ms",
        "1s",
        "1.5s",
        "60s",
        "1m0s",
        "6m40s",
    ]


# Web pages.


def test_cors_allows_only_named_origins(start: Callable[..., Service]) -> None:
    page = "https://chat.example"
    ask = {"Origin": page, "Access-Control-Request-Method": "POST"}
    ask["Access-Control-Request-Headers"] = "authorization, content-type, x-stainless-lang"
    closed, named = start(api_keys=(KEY,)), start(api_keys=(KEY,), cors_origins=(page,))
    answer = httpx.options(closed.url + CHAT, headers=ask, timeout=60)
    assert answer.status_code == 401
    assert "access-control-allow-origin" not in answer.headers
    answer = httpx.options(named.url + CHAT, headers=ask, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == page
    assert "access-control-allow-credentials" not in answer.headers
    for headers in ({}, {"X-Api-Key": KEY}):  # a page may read why it was refused
        answer = named.get("/v1/models", Origin=page, **headers)
        assert answer.headers["access-control-allow-origin"] == page
        exposed = {
            name.strip().lower() for name in answer.headers["access-control-expose-headers"].split(",")
        }
        assert {"x-request-id", "x-seed", "retry-after", "www-authenticate"} <= exposed
    answer = named.get("/v1/models", Origin="https://evil.example", **{"X-Api-Key": KEY})
    assert "access-control-allow-origin" not in answer.headers
    foreign = {**ask, "Origin": "https://evil.example"}
    refused = httpx.options(named.url + CHAT, headers=foreign, timeout=60)
    assert refused.status_code == 400


def test_without_keys_foreign_web_pages_are_refused(start: Callable[..., Service]) -> None:
    """Host names that resolve to this machine (DNS rebinding) and requests without CORS are refused too."""
    page = "https://chat.example"
    private, named, public = start(), start(cors_origins=(page,)), start(open_to_all=True)
    host = f"localhost:{private.port}"
    for headers, passes in [
        ({"Host": f"evil.example:{private.port}"}, False),
        ({"Host": "evil.example"}, False),
        ({"Host": "127.0.0.1.evil.example"}, False),
        ({"Host": "10.0.0.1"}, False),
        ({"Host": host, "Origin": "https://evil.example"}, False),
        ({"Host": host, "Origin": "null"}, False),
        ({"Host": host, "Origin": f"http://localhost:{private.port + 1}"}, False),
        ({"Host": host, "Origin": f"http://{host}"}, True),
        ({"Host": host}, True),
        ({"Host": "127.0.0.1"}, True),
        ({"Host": "[::1]:80"}, True),
        ({"Host": "[::1]"}, True),
    ]:
        assert (private.get("/v1/models", **headers).status_code == 200) is passes, headers
        assert (private.get("/metrics", **headers).status_code == 200) is passes, headers
        assert public.get("/v1/models", **headers).status_code == 200
    assert private.get("/v1/models", Origin=page).status_code == 403
    assert named.get("/v1/models", Origin=page).status_code == 200
