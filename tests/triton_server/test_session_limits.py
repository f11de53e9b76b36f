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
from support import wait_until

from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings
from triton_server.cli import cli
from triton_server.conversations import sessions as store_module
from triton_server.conversations.errors import SessionNotFound, SessionsFull
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.sessions import SessionStore
from triton_server.options import Duration

ADA, BO = "sk-of-ada", "sk-of-bo"
MIB = 2**20


def bytes_on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


@pytest.fixture
def limited(database_url: str) -> Iterator[Callable[..., SessionStore]]:
    """Opens stores of one database with limits."""
    with contextlib.ExitStack() as stack:

        def open_store(**limits: int) -> SessionStore:
            return stack.enter_context(
                contextlib.closing(SessionStore(database_url, SessionLimits(**limits)))
            )

        yield open_store


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    """Starts the HTTP service in this process; no server is behind it."""
    with contextlib.ExitStack() as stack:

        def start(**settings: object) -> TestClient:
            given = {"server": "127.0.0.1:1", "database": f"sqlite:///{tmp_path / 'sessions.db'}", **settings}
            client = TestClient(create_app(ServiceSettings(**given)), base_url="http://localhost")
            return stack.enter_context(client)

        yield start


def test_number_of_sessions_is_limited(limited: Callable[..., SessionStore]) -> None:
    store = limited(sessions=3)
    for number in range(3):
        store.create("ada", f"s{number}", None, {})
    for name in ("more", None):
        with pytest.raises(SessionsFull, match="--max-sessions"):
            store.create("ada", name, None, {})
    store.create("bo", "more", None, {})
    assert [session.id for session, _ in store.list_sessions("ada", 9)] == ["s2", "s1", "s0"]
    store.delete("ada", "s1")
    store.create("ada", "more", None, {})


def test_size_of_sessions_is_limited(limited: Callable[..., SessionStore]) -> None:
    store = limited(bytes=100_000)
    text = "ü" * 20_000  # 40,000 bytes
    store.create("ada", "a", text, {})
    session = store.get_session_for_question("ada", "a", text)
    store.add_turn(session, text, "An answer.", "stop", None, {})
    before = store.get_session("ada", "a")
    for attempt in (
        lambda: store.create("ada", "b", text, {}),
        lambda: store.create("ada", "b", None, {"stop": [text]}),
        lambda: store.get_session_for_question("ada", "a", text),
        lambda: store.change(before, system=text * 2),
        lambda: store.change(before, parameters={"stop": [text]}),
    ):
        with pytest.raises(SessionsFull, match="--max-session-bytes"):
            attempt()
    assert store.get_session("ada", "a").version == before.version
    assert store.get_session_for_question("ada", "a", "short").version == before.version
    store.create("bo", "b", text, {})
    # Every removal makes room.
    assert store.change(before, system=None).bytes < before.bytes - 40_000
    store.get_session_for_question("ada", "a", text)
    store.revert("ada", "a", 1)
    store.create("ada", "b", text, {})
    store.delete("ada", "b")
    store.create("ada", "c", text, {})


def test_sizes_are_correct_after_any_change(limited: Callable[..., SessionStore]) -> None:
    """The size of a session depends on its contents only, not on the changes that led to them."""
    store = limited()
    store.create("", "long way", "Be brief.", {"seed": 1})
    for question in ("one", "two 😀", "three\0", "four"):
        store.add_turn(store.get_session("", "long way"), question, question * 3, "stop", None, {"seed": 2})
    store.change(store.get_session("", "long way"), system=None)
    store.change(store.get_session("", "long way"), system="Be kind.\n", parameters={})
    store.revert("", "long way", 3)
    store.add_turn(store.get_session("", "long way"), "five", "", "cancelled", None, {})
    store.create("", "short way", "Be kind.\n", {})
    for question in ("one", "two 😀"):
        store.add_turn(store.get_session("", "short way"), question, question * 3, "stop", None, {"seed": 2})
    store.add_turn(store.get_session("", "short way"), "five", "", "cancelled", None, {})
    assert store.get_session("", "long way").bytes == store.get_session("", "short way").bytes


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
    with contextlib.closing(SessionStore(f"sqlite:///{tmp_path / 'sessions.db'}")) as store:
        store.create("", "kept", "Be brief.", {})
        store.create("", "a", None, {})
        for _ in range(12):
            store.add_turn(store.get_session("", "a"), "x" * (MIB // 2), "", "stop", None, {})
        assert bytes_on_disk(tmp_path) > 6 * MIB
        if way == "delete":
            store.delete("", "a")
        elif way == "revert":
            store.revert("", "a", 1)
        else:
            time.sleep(0.01)
            with store.hold("", "kept"):
                assert store.remove_expired(0) == 1
        assert bytes_on_disk(tmp_path) < 2 * MIB
        assert store.get_session("", "kept").system == "Be brief."


def test_sqlite_file_shrinks_while_others_read_and_write(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sessions.db'}"
    over = threading.Event()
    with contextlib.closing(SessionStore(url)) as store, contextlib.closing(SessionStore(url)) as other:
        other.create("", "busy", None, {})
        kept = []

        def write() -> None:
            while not over.is_set():
                kept.append(other.add_turn(other.get_session("", "busy"), "q", "a", "stop", None, {}))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                store.create("", f"s{number}", None, {})
                for _ in range(10):
                    store.add_turn(store.get_session("", f"s{number}"), "x" * MIB, "", "stop", None, {})
                store.delete("", f"s{number}")
        finally:
            over.set()
            writer.join()
        assert len(store.get_session("", "busy").turns) == len(kept) > 0
        # A reader may have blocked the last step; the next removal then shrinks the file.
        store.create("", "last", "x" * 2 * MIB, {})
        store.delete("", "last")
        assert bytes_on_disk(tmp_path) < 12 * MIB
        with contextlib.closing(sqlite3.connect(tmp_path / "sessions.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_sessions_expire(limited: Callable[..., SessionStore], monkeypatch: pytest.MonkeyPatch) -> None:
    store = limited()
    now = time.time()
    for days in (40, 31, 29, 0):
        monkeypatch.setattr(store_module.time, "time", lambda days=days: now - days * 86400)
        store.create("ada", f"made {days}", None, {})
        for number in range(130 if days == 40 else 0):  # more than are removed in one transaction
            store.create("bo", f"old {number}", None, {})
    monkeypatch.setattr(store_module.time, "time", lambda: now)
    with store.hold("ada", "made 40"):
        assert store.remove_expired(30 * 86400) == 131
        assert [session.id for session, _ in store.list_sessions("ada", 9)] == [
            "made 0",
            "made 29",
            "made 40",
        ]
    assert store.remove_expired(30 * 86400) == 1
    with pytest.raises(SessionNotFound):
        store.get_session("ada", "made 40")
    assert store.list_sessions("bo", 9) == []
    # A session with a new turn does not expire.
    monkeypatch.setattr(store_module.time, "time", lambda: now + 5 * 86400)
    store.add_turn(store.get_session("ada", "made 29"), "still", "here", "stop", None, {})
    assert store.remove_expired(30 * 86400) == 0
    assert store.remove_expired(5 * 86400 - 1) == 1
    assert [session.id for session, _ in store.list_sessions("ada", 9)] == ["made 29"]


def test_service_removes_expired_sessions(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with contextlib.closing(SessionStore(f"sqlite:///{path}")) as store:
        store.create("", "old", None, {})
        store.create("", "new", None, {})
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
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "d", "-1d", "1w", "nan", "inf", "1e30d", "soon"])
def test_invalid_durations_are_refused(text: str) -> None:
    result = CliRunner().invoke(cli, ["serve", "--session-expiry", text])
    assert result.exit_code == 2
    assert "is not a time such as" in result.output
