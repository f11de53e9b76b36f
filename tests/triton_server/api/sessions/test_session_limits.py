"""Attacks on disk space: many and large sessions, and the size of the file after they are removed."""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from stores import answer, create, ids, open_store, size_of
from support import wait_until

from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.cli.tritonchat import cli
from triton_server.contract.conversation_errors import ConversationNotFound, SessionsFull
from triton_server.conversations import store as store_module
from triton_server.conversations.store import ConversationStore
from triton_server.settings.values import read_duration

ADA, BO = "sk-of-ada", "sk-of-bo"
MIB = 2**20


def bytes_on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


@pytest.fixture
def limited(database_url: str) -> Iterator[Callable[..., ConversationStore]]:
    """Opens stores of one database with limits."""
    with contextlib.ExitStack() as stack:

        def opened(**limits: int) -> ConversationStore:
            return stack.enter_context(open_store(database_url, **limits))

        yield opened


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Starts the HTTP service in this process; no server is behind it."""
    with contextlib.ExitStack() as stack:

        def start(**settings: object) -> TestClient:
            given = {"server": "127.0.0.1:1", "database": f"sqlite:///{tmp_path / 'sessions.db'}", **settings}
            client = TestClient(create_app(ServiceSettings(**given)), base_url="http://localhost")
            return stack.enter_context(client)

        yield start


def test_number_of_sessions_is_limited(limited: Callable[..., ConversationStore]) -> None:
    store = limited(sessions=3)
    for number in range(3):
        create(store, "ada", f"s{number}", None, {})
    for name in ("more", None):
        with pytest.raises(SessionsFull, match="--max-sessions"):
            create(store, "ada", name, None, {})
    create(store, "bo", "more", None, {})
    assert ids(store, "ada") == ["s2", "s1", "s0"]
    store.remove("ada", "s1")
    create(store, "ada", "more", None, {})


def test_size_of_sessions_is_limited(limited: Callable[..., ConversationStore], database_url: str) -> None:
    store = limited(bytes=100_000)
    text = "ü" * 20_000  # 40,000 bytes
    create(store, "ada", "a", text, {})
    answer(store, store.get("ada", "a", text), text, "An answer.", "ada")
    before = store.get("ada", "a")
    for attempt in (
        lambda: create(store, "ada", "b", text, {}),
        lambda: create(store, "ada", "b", None, {"stop": [text]}),
        lambda: store.get("ada", "a", text),
        lambda: store.change("ada", "a", {"system": text * 2}, before),
        lambda: store.change("ada", "a", {"parameters": {"stop": [text]}}, before),
    ):
        with pytest.raises(SessionsFull, match="--max-session-bytes"):
            attempt()
    assert store.get("ada", "a").version == before.version
    assert store.get("ada", "a", "short").version == before.version
    create(store, "bo", "b", text, {})
    # Every removal makes room.
    size = size_of(database_url, "ada", "a")
    store.change("ada", "a", {"system": None}, before)
    assert size_of(database_url, "ada", "a") < size - 40_000
    store.get("ada", "a", text)
    store.revert("ada", "a", 1)
    create(store, "ada", "b", text, {})
    store.remove("ada", "b")
    create(store, "ada", "c", text, {})


def test_sizes_are_correct_after_any_change(
    limited: Callable[..., ConversationStore], database_url: str
) -> None:
    """The size of a session depends on its contents only, not on the changes that led to them."""
    store = limited()
    create(store, "", "long way", "Be brief.", {"seed": 1})
    for question in ("one", "two 😀", "three\0", "four"):
        answer(store, store.get("", "long way"), question, question * 3, parameters={"seed": 2})
    store.change("", "long way", {"system": None}, store.get("", "long way"))
    store.change("", "long way", {"system": "Be kind.\n", "parameters": {}}, store.get("", "long way"))
    store.revert("", "long way", 3)
    answer(store, store.get("", "long way"), "five", "", finish_reason="cancelled")
    create(store, "", "short way", "Be kind.\n", {})
    for question in ("one", "two 😀"):
        answer(store, store.get("", "short way"), question, question * 3, parameters={"seed": 2})
    answer(store, store.get("", "short way"), "five", "", finish_reason="cancelled")
    assert size_of(database_url, "", "long way") == size_of(database_url, "", "short way")


def test_posts_do_not_fill_the_disk(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    service = serve(api_keys=(ADA, BO), max_session_bytes=4 * MIB, max_sessions=50)
    ada, bo = {"X-Api-Key": ADA}, {"X-Api-Key": BO}
    refused = None
    for _ in range(20):
        answer = service.post("/sessions", json={"system": "x" * MIB}, headers=ada)
        if answer.status_code != 201:
            refused = refused or answer.json()["error"]
    assert refused is not None and refused["code"] == "sessions_full"
    assert "--max-session-bytes" in refused["message"] and "remove" in refused["message"]
    assert bytes_on_disk(tmp_path) < 12 * MIB  # with SQLite's write-ahead log
    assert service.post("/sessions", json={"id": "bo", "system": "x" * MIB}, headers=bo).status_code == 201
    statuses = [service.post("/sessions", headers=bo).status_code for _ in range(60)]
    assert statuses == [201] * 49 + [403] * 11
    body = {"prompt": "x" * 3 * MIB + "y" * (MIB // 2)}
    for stream in (True, False):
        answer = service.put("/sessions/bo/generate", json={**body, "stream": stream}, headers=bo)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "sessions_full")
    # Removing sessions makes room for the owner and on the disk.
    for headers in (ada, bo):
        while listed := service.get("/sessions", headers=headers).json()["sessions"]:
            for session in listed:
                assert service.delete(f"/sessions/{session['id']}", headers=headers).status_code == 204
    assert bytes_on_disk(tmp_path) < 2 * MIB
    assert service.post("/sessions", json={"system": "x" * MIB}, headers=ada).status_code == 201


@pytest.mark.parametrize("way", ["delete", "revert", "expire"])
def test_sqlite_file_shrinks(tmp_path: Path, way: str) -> None:
    with open_store(f"sqlite:///{tmp_path / 'sessions.db'}") as store:
        create(store, "", "kept", "Be brief.", {})
        create(store, "", "a", None, {})
        for _ in range(12):
            answer(store, store.get("", "a"), "x" * (MIB // 2), "")
        assert bytes_on_disk(tmp_path) > 6 * MIB
        if way == "delete":
            store.remove("", "a")
        elif way == "revert":
            store.revert("", "a", 1)
        else:
            time.sleep(0.01)
            with store.hold("", "kept"):
                assert store.remove_expired(0) == 1
        assert bytes_on_disk(tmp_path) < 2 * MIB
        assert store.get("", "kept").system == "Be brief."


def test_sqlite_file_shrinks_while_others_read_and_write(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sessions.db'}"
    over = threading.Event()
    with open_store(url) as store, open_store(url) as other:
        create(other, "", "busy", None, {})
        kept = []

        def write() -> None:
            while not over.is_set():
                kept.append(answer(other, other.get("", "busy"), "q", "a"))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                create(store, "", f"s{number}", None, {})
                for _ in range(10):
                    answer(store, store.get("", f"s{number}"), "x" * MIB, "")
                store.remove("", f"s{number}")
        finally:
            over.set()
            writer.join()
        assert len(store.get("", "busy").turns) == len(kept) > 0
        # A reader may have blocked the last step; the next removal then shrinks the file.
        create(store, "", "last", "x" * 2 * MIB, {})
        store.remove("", "last")
        assert bytes_on_disk(tmp_path) < 12 * MIB
        with contextlib.closing(sqlite3.connect(tmp_path / "sessions.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_sessions_expire(limited: Callable[..., ConversationStore], monkeypatch: pytest.MonkeyPatch) -> None:
    store = limited()
    now = time.time()
    for days in (40, 31, 29, 0):
        monkeypatch.setattr(store_module.time, "time", lambda days=days: now - days * 86400)
        create(store, "ada", f"made {days}", None, {})
        for number in range(130 if days == 40 else 0):  # more than are removed in one transaction
            create(store, "bo", f"old {number}", None, {})
    monkeypatch.setattr(store_module.time, "time", lambda: now)
    with store.hold("ada", "made 40"):
        assert store.remove_expired(30 * 86400) == 131
        assert ids(store, "ada") == ["made 0", "made 29", "made 40"]
    assert store.remove_expired(30 * 86400) == 1
    with pytest.raises(ConversationNotFound):
        store.get("ada", "made 40")
    assert ids(store, "bo") == []
    # A session with a new turn does not expire.
    monkeypatch.setattr(store_module.time, "time", lambda: now + 5 * 86400)
    answer(store, store.get("ada", "made 29"), "still", "here", "ada")
    assert store.remove_expired(30 * 86400) == 0
    assert store.remove_expired(5 * 86400 - 1) == 1
    assert ids(store, "ada") == ["made 29"]


def test_service_removes_expired_sessions(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with open_store(f"sqlite:///{path}") as store:
        create(store, "", "old", None, {})
        create(store, "", "new", None, {})
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE sessions SET updated = updated - 3600 WHERE id = 'old'")
        connection.commit()
    service = serve(session_expiry_s=1800)
    wait_until(lambda: service.get("/sessions/old").status_code == 404)
    assert service.get("/sessions/new").status_code == 200


def test_service_with_expiry_survives_a_database_failure(
    serve: Callable[..., TestClient], tmp_path: Path
) -> None:
    (tmp_path / "sessions.db").write_text("Dear diary, " * 500)
    service = serve(session_expiry_s=1)
    for _ in range(3):
        assert service.get("/sessions").status_code == 503
        assert service.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0), ("90", 90), ("90s", 90), ("1.5h", 5400), ("30d", 2592000), ("15M", 900)]
)
def test_durations_are_parsed(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "d", "-1d", "1w", "nan", "inf", "1e30d", "soon"])
def test_invalid_durations_are_refused(text: str) -> None:
    result = CliRunner().invoke(cli, ["serve", "--session-expiry", text])
    assert result.exit_code == 2
    assert "is not a time such as" in result.output
