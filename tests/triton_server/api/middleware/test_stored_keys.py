"""Keys of the database: they come and go while the service runs, with limits and models of their own."""

import contextlib
import csv
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from http_service import CHAT, HELLO, Service, services
from in_process import Endpoints
from support import wait_until

from model_core.errors import TritonchatError
from triton_server.api.middleware import metrics, stored_keys
from triton_server.api.middleware.metrics import ServiceMetrics
from triton_server.api.settings import ServiceSettings
from triton_server.cli.tritonchat import cli
from triton_server.conversations.api_keys.store import KeyRules, KeyStore
from triton_server.conversations.api_keys.usage import KeyCounts
from triton_server.conversations.transactions import Database

MESSAGES = HELLO["messages"]
LONG = {"model": "default", "messages": MESSAGES, "max_tokens": 200, "ignore_eos": True}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are read often, so that tests need not wait."""
    monkeypatch.setattr(stored_keys, "REFRESH_S", 0.03)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'sessions.db'}")) as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> KeyStore:
    return KeyStore(database)


@pytest.fixture
def start(several: Endpoints, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts services with the database of `store`."""
    with services(several.grpc_url, tmp_path) as starter:
        yield lambda **given: starter(**{"stored_keys": True, **given})


def bearer(key: str) -> dict[str, str]:
    return {"X-Api-Key": key}


def status(service: Service, key: str) -> int:
    return service.get("/v1/models", **bearer(key)).status_code


def test_keys_come_and_go_while_the_service_runs(
    start: Callable[..., Service], store: KeyStore, database: Database
) -> None:
    service = start()
    assert status(service, "") == status(service, "x") == 401  # there are no keys yet
    key = store.add("ada", KeyRules())
    wait_until(lambda: status(service, key) == 200)
    for wrong in ("ada", f"ada:{key}", key[:-1], key.upper(), f"{key}x"):
        assert status(service, wrong) == 401
    made = httpx.post(f"{service.url}/sessions", json={"id": "walk"}, headers=bearer(key), timeout=60)
    assert made.status_code in (200, 201)
    new = store.rotate("ada")
    wait_until(lambda: status(service, key) == 401)
    refused = service.get("/v1/models", **bearer(key))
    assert "expired, or was revoked" in refused.json()["error"]["message"]
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert service.get("/sessions/walk", **bearer(new)).status_code == 200  # it belongs to the name
    store.revoke("ada")
    wait_until(lambda: status(service, new) == 401)
    earlier = KeyStore(database, lambda: time.time() - 100)
    expired, valid = earlier.rotate("ada", 99, keep_old_s=500), earlier.rotate("ada", 9999, keep_old_s=500)
    wait_until(lambda: status(service, valid) == 200)
    assert status(service, expired) == 401
    assert service.get("/healthz").status_code == 200


def test_keys_of_the_settings_and_of_the_database_open_it_alike(
    start: Callable[..., Service], store: KeyStore
) -> None:
    key = store.add("ada", KeyRules())
    both, neither = start(api_keys=("bo:secret",)), start(stored_keys=False)
    assert status(both, key) == status(both, "secret") == 200
    assert status(both, "x") == 401
    assert status(neither, "x") == 200
    closed = ServiceSettings(host="0.0.0.0", stored_keys=True)
    assert closed.has_keys
    with pytest.raises(TritonchatError, match="--stored-keys"):
        ServiceSettings(host="0.0.0.0")


def test_without_its_database_the_service_is_closed(
    start: Callable[..., Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: KeyStore
) -> None:
    (tmp_path / "broken.db").write_bytes(b"this is no database" * 1000)
    service = start(database=f"sqlite:///{tmp_path / 'broken.db'}")
    for key in ("", "x"):
        answer = service.get("/v1/models", **bearer(key))
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "keys_unavailable"
        assert "Retry-After" in answer.headers
    # One that is lost later is closed when what it knows of the keys is old.
    key = store.add("ada", KeyRules())
    lost = start()
    assert status(lost, key) == 200
    monkeypatch.setattr(stored_keys, "REFRESH_S", 60.0)
    monkeypatch.setattr(stored_keys, "MAX_AGE_S", 0.0)
    wait_until(lambda: status(lost, key) == 503)


def test_limits_hold_for_all_services_and_after_a_restart(
    start: Callable[..., Service], store: KeyStore, database: Database
) -> None:
    key = store.add("ada", KeyRules(requests_per_minute=100, requests_per_day=4, tokens_per_minute=10**6))
    free = store.add("bo", KeyRules())
    one, two = start(), start()
    for left, service in enumerate((one, two, one, two)):
        answer = service.ask(**bearer(key))
        assert answer.status_code == 200
        assert answer.headers["x-ratelimit-limit-requests"] == "4"
        assert answer.headers["x-ratelimit-remaining-requests"] == str(3 - left)
        assert answer.headers["x-ratelimit-limit-tokens"] == "1000000"
        assert "h" in answer.headers["x-ratelimit-reset-requests"] or (
            "m" in answer.headers["x-ratelimit-reset-requests"]
        )
    for service in (one, two, start()):
        refused = service.ask(**bearer(key))
        assert refused.status_code == 429
        error = refused.json()["error"]
        assert error["code"] == "rate_limit_exceeded" and "4 requests a day" in error["message"]
        assert 0 < int(refused.headers["Retry-After"]) <= 86400
        assert service.get("/healthz").status_code == 200
        assert service.ask(**bearer(free)).status_code == 200
    wait_until(lambda: KeyCounts(database).list_uses(0)["bo"].requests == 3)
    assert KeyCounts(database).list_uses(0)["ada"].requests == 4


def test_tokens_count_however_an_answer_ends(
    start: Callable[..., Service], store: KeyStore, database: Database
) -> None:
    """Whoever reads a stream and leaves before its end pays for what was computed."""
    key = store.add("ada", KeyRules(tokens_per_day=10**6))
    service, counts = start(), KeyCounts(database)

    def used() -> int:
        uses = counts.list_uses(0)
        return uses["ada"].completion_tokens if uses else 0

    usage = service.ask(**bearer(key)).json()["usage"]
    wait_until(lambda: used() == usage["completion_tokens"])
    assert counts.list_uses(0)["ada"].prompt_tokens == usage["prompt_tokens"]
    with httpx.stream(
        "POST", service.url + CHAT, json={**LONG, "stream": True}, headers=bearer(key), timeout=60
    ) as stream:
        next(line for line in stream.iter_lines() if '"content"' in line)
    wait_until(lambda: used() > usage["completion_tokens"])
    before = used()
    assert service.ask({**LONG, "timeout_s": 0.05}, **bearer(key)).status_code in (200, 408)
    wait_until(lambda: used() > before)


def test_usage_is_shown_by_key(start: Callable[..., Service], store: KeyStore, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        result = CliRunner().invoke(cli, ["keys", *words, f"--database=sqlite:///{tmp_path / 'sessions.db'}"])
        assert result.exit_code == 0, result.output
        return result.stdout

    key = run("add", "ada", "--expires=90d", "--models=all", "--requests-per-minute=9").strip()
    service = start()
    usage = service.ask(**bearer(key)).json()["usage"]
    expected = {"name": "ada", "requests": 1} | {
        name: usage[name] for name in ("prompt_tokens", "completion_tokens")
    }
    wait_until(lambda: json.loads(run("usage", "--format=json")) == [expected])
    (row,) = csv.DictReader(run("usage", "--since=1d", "--format=csv").splitlines())
    assert row == {name: str(value) for name, value in expected.items()}
    assert json.loads(run("usage", "--since=2199-01-01", "--format=json")) == []
    assert "ada" in run("usage")
    lines = service.get("/metrics").text.splitlines()
    assert 'tritonchat_api_key_requests_total{key="ada"} 1.0' in lines
    for kind in ("prompt", "completion"):
        count = float(usage[f"{kind}_tokens"])
        assert f'tritonchat_api_key_tokens_total{{key="ada",kind="{kind}"}} {count}' in lines
    run("change", "ada", "--models=small,big")
    assert store.rules("ada") == KeyRules(("small", "big"), requests_per_minute=9)
    listed = run("list")
    assert "ada" in listed and "9 requests/minute" in listed and key not in listed
    long = "a-name-of-a-model-that-is-longer-than-a-line-of-a-terminal/" + 80 * "x"
    run("change", "ada", f"--models={long},big")
    assert f"{long}, big" in run("list")
    run("revoke", "ada")
    assert "revoked" in run("list")
    assert key not in sqlite3.connect(tmp_path / "sessions.db").execute("SELECT * FROM api_keys").fetchone()


def test_many_keys_make_few_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_KEYS", 2)
    counted = ServiceMetrics()
    for number in range(5):
        for _ in range(2):
            counted.count_key(f"key{number}", requests=1)
    text = counted.render()
    assert 'key_requests_total{key="key1"} 2.0' in text
    assert 'key_requests_total{key="other keys"} 6.0' in text and "key4" not in text
