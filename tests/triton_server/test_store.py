"""The store of sessions, on SQLite and PostgreSQL: one process, several, a damaged file, a killed process."""

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import ROOT
from support import free_port

from model_core.errors import InvalidRequest
from triton_server.conversations.errors import SessionBusy, SessionExists, SessionNotFound, StoreError
from triton_server.conversations.sessions import SessionStore
from triton_server.conversations.tables import Session

ODD = [
    "",
    "'; DROP TABLE sessions; --",
    'He said "\\n" and \\ left\r\n\ttwice',
    "naïve café 你好 😀 \u202eright to left\u202c \u2028 \ufeff",
    "NUL \0 in the middle",
    "long " * 200_000,
]


@pytest.fixture
def url(database_url: str) -> str:
    """An empty database."""
    return database_url


@pytest.fixture
def store(url: str) -> Iterator[SessionStore]:
    """A store of the database."""
    with contextlib.closing(SessionStore(url)) as opened:
        yield opened


def say(store: SessionStore, session_id: str, *questions: str, owner: str = "") -> Session:
    """Append turns to a session. Each answer is the question in upper case."""
    for question in questions:
        session = store.get_session(owner, session_id)
        store.add_turn(session, question, question.upper(), "stop", {"prompt_tokens": 3}, {"seed": 1})
    return store.get_session(owner, session_id)


def questions(session: Session) -> list[str]:
    return [turn.question for turn in session.turns]


def test_session_is_stored_unchanged(url: str) -> None:
    with contextlib.closing(SessionStore(url)) as store:
        made = store.create("ada", "walk", "Be brief.", {"temperature": 0.5, "stop": ["\n"]})
        assert (made.turns, made.version, made.created) == ([], 1, made.updated)
        say(store, "walk", "one", "two", owner="ada")
    with contextlib.closing(SessionStore(url)) as store:
        session = store.get_session("ada", "walk")
        assert (session.id, session.system) == ("walk", "Be brief.")
        assert session.parameters == {"temperature": 0.5, "stop": ["\n"]}
        assert session.created == made.created < session.updated
        assert [(t.number, t.question, t.answer) for t in session.turns] == [
            (1, "one", "ONE"),
            (2, "two", "TWO"),
        ]
        assert session.turns[0].finish_reason == "stop"
        assert session.turns[0].usage == {"prompt_tokens": 3}
        assert session.turns[0].parameters == {"seed": 1}
        assert session.messages("three") == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "ONE"},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "TWO"},
            {"role": "user", "content": "three"},
        ]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_any_text_is_stored_unchanged(store: SessionStore, text: str) -> None:
    session = store.create("", "odd", text, {"stop": [text]})
    store.add_turn(session, text, text, "cancelled", None, {"stop": [text]})
    session = store.get_session("", "odd")
    assert (session.system, session.parameters) == (text, {"stop": [text]})
    assert (session.turns[0].question, session.turns[0].answer) == (text, text)
    assert session.turns[0].usage is None
    assert store.change(session, system=None).system is None


@pytest.mark.parametrize("hostile", ["' OR 1=1 --", '"; DROP TABLE sessions; --', "%", "_", "*", "a\nb"])
def test_ids_and_owners_are_not_run_as_sql(store: SessionStore, hostile: str) -> None:
    store.create("", "kept", None, {})
    with pytest.raises(SessionNotFound):
        store.get_session("", hostile)
    with pytest.raises(SessionNotFound):
        store.get_session(hostile, "kept")
    with pytest.raises(SessionNotFound):
        store.delete("", hostile)
    with pytest.raises(SessionNotFound):
        store.revert(hostile, "kept", 1)
    store.create(hostile, hostile, None, {})
    assert store.get_session(hostile, hostile).id == hostile
    assert [session.id for session, _ in store.list_sessions("", 9)] == ["kept"]


def test_owners_do_not_see_each_other(store: SessionStore) -> None:
    """The same id is another session for another owner."""
    for owner in ("ada", "bo"):
        store.create(owner, "user0", owner, {})
    say(store, "user0", "of Ada", owner="ada")
    assert questions(store.get_session("bo", "user0")) == []
    store.delete("bo", "user0")
    assert questions(store.get_session("ada", "user0")) == ["of Ada"]
    with pytest.raises(SessionNotFound):
        store.get_session("bo", "user0")
    with pytest.raises(SessionExists, match="user0"):
        store.create("ada", "user0", None, {})
    assert questions(store.get_session("ada", "user0")) == ["of Ada"]


def test_generated_ids_differ(store: SessionStore) -> None:
    made = {store.create("", None, None, {}).id for _ in range(50)}
    assert len(made) == 50
    assert all(len(name) == 32 for name in made)


def test_many_sessions_are_paged_newest_first(store: SessionStore) -> None:
    for number in range(80):
        store.create("ada", f"s{number}", None, {})
        store.create("bo", f"s{number}", None, {})
    say(store, "s7", "one", "two", owner="ada")
    seen, before = [], None
    while page := store.list_sessions("ada", 30, before):
        seen += [(session.id, count) for session, count in page]
        before = page[-1][0].key
        if len(seen) == 60:
            store.delete("ada", page[-1][0].id)  # the next page is correct even if this session is gone
    assert seen == [(f"s{number}", 2 if number == 7 else 0) for number in reversed(range(80))]


def test_revert_goes_back_to_before_a_question(store: SessionStore) -> None:
    store.create("", "a", None, {})
    say(store, "a", "one", "two", "three")
    assert questions(store.revert("", "a", 4)) == ["one", "two", "three"]
    assert questions(store.revert("", "a", 3)) == ["one", "two"]
    assert questions(say(store, "a", "another")) == ["one", "two", "another"]
    for wrong in (0, -1, 5, 10**30):
        with pytest.raises(InvalidRequest, match="question 1 to 4"):
            store.revert("", "a", wrong)
    assert questions(store.get_session("", "a")) == ["one", "two", "another"]
    assert questions(store.revert("", "a", 1)) == []
    with pytest.raises(SessionNotFound):
        store.revert("", "b", 1)


def test_change_of_an_older_version_is_refused(url: str) -> None:
    """Two stores on one database: the second has not read the change of the first."""
    with contextlib.closing(SessionStore(url)) as one, contextlib.closing(SessionStore(url)) as other:
        seen = one.create("", "a", None, {})
        say(other, "a", "of the other")
        with pytest.raises(SessionBusy):
            one.add_turn(seen, "late", "LATE", "stop", None, {})
        with pytest.raises(SessionBusy):
            one.change(seen, system="late")
        seen = one.get_session("", "a")
        other.revert("", "a", 1)
        say(other, "a", "as many as before")
        with pytest.raises(SessionBusy):
            one.add_turn(seen, "late", "LATE", "stop", None, {})
        assert questions(one.get_session("", "a")) == ["as many as before"]


def test_recreated_session_is_a_different_one(url: str) -> None:
    with contextlib.closing(SessionStore(url)) as one, contextlib.closing(SessionStore(url)) as other:
        seen = one.create("", "a", None, {})
        other.delete("", "a")
        with pytest.raises(SessionBusy):
            one.add_turn(seen, "late", "LATE", "stop", None, {})
        anew = other.create("", "a", None, {})
        assert anew.version == seen.version
        with pytest.raises(SessionBusy):
            one.add_turn(seen, "late", "LATE", "stop", None, {})
        assert one.get_session("", "a").turns == []


def test_delete_removes_the_turns(store: SessionStore, url: str) -> None:
    store.create("", "a", None, {})
    say(store, "a", "one", "two")
    store.delete("", "a")
    store.create("", "a", None, {})
    assert questions(store.get_session("", "a")) == []
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            assert connection.execute("SELECT count(*) FROM turns").fetchone() == (0,)


def test_concurrent_turns_are_stored_once(url: str) -> None:
    """Threads of two stores add turns to one session: each turn that was accepted is stored at its number."""
    with contextlib.closing(SessionStore(url)) as one, contextlib.closing(SessionStore(url)) as other:
        one.create("", "a", None, {})
        kept: dict[int, str] = {}

        def insist(name: int) -> None:
            for number in range(5):
                while True:
                    store = (one, other)[name % 2]
                    try:
                        turn = store.add_turn(
                            store.get_session("", "a"), f"{name}.{number}", "", "stop", None, {}
                        )
                        break
                    except SessionBusy:
                        continue
                kept[turn] = f"{name}.{number}"

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(insist, range(8)))
        session = one.get_session("", "a")
        assert [turn.number for turn in session.turns] == list(range(1, 41))
        assert questions(session) == [kept[number] for number in range(1, 41)]
        assert session.version == 41


def test_readers_see_no_half_changed_session(url: str) -> None:
    """The version always matches the turns, even while another process changes both."""
    with contextlib.closing(SessionStore(url)) as one, contextlib.closing(SessionStore(url)) as other:
        one.create("", "a", None, {})
        over = threading.Event()

        def write() -> None:
            try:
                for _ in range(20):
                    say(other, "a", "one", "two", "three")
                    other.revert("", "a", 1)
            finally:
                over.set()

        writer = threading.Thread(target=write)
        writer.start()
        while not over.is_set():
            session = one.get_session("", "a")
            assert len(session.turns) == (session.version - 1) % 4
        writer.join()


def test_only_one_request_holds_a_session(store: SessionStore) -> None:
    with store.hold("", "a"), store.hold("", "b"), store.hold("ada", "a"):
        with pytest.raises(SessionBusy) as refused, store.hold("", "a"):
            pass
        assert refused.value.retry_after_s == 1
    with pytest.raises(KeyError), store.hold("", "a"):
        raise KeyError
    with store.hold("", "a"):
        pass


CHILD = """
import sys
from triton_server.conversations.sessions import SessionStore
store = SessionStore(sys.argv[1])
session = store.create("", sys.argv[2], None, {})
print("made", flush=True)
while len(sys.argv) > 3:
    number = store.add_turn(session, "question", "answer", "stop", None, {})
    print(number, flush=True)
    session = store.get_session("", session.id)
"""


def child(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_processes_that_start_together_create_one_database(url: str) -> None:
    children = [child(url, f"s{number}") for number in range(4)]
    for process in children:
        process.communicate(timeout=60)
    assert [process.returncode for process in children] == [0] * 4
    with contextlib.closing(SessionStore(url)) as store:
        assert len(store.list_sessions("", 9)) == 4


def test_killed_process_loses_no_committed_turn(url: str) -> None:
    process = child(url, "a", "for ever")
    assert process.stdout is not None
    last = 0
    for line in process.stdout:
        last = 0 if line == "made\n" else int(line)
        if last == 30:
            process.kill()
            break
    rest = process.stdout.read().splitlines(keepends=True)
    last = max([last, *(int(line) for line in rest if line.endswith("\n"))])
    process.wait()
    with contextlib.closing(SessionStore(url)) as store:
        turns = store.get_session("", "a").turns
        assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
        assert len(turns) in (last, last + 1)  # the process was killed before it could print the last one
        say(store, "a", "and on")


def test_only_the_user_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "sessions.db"
    before = os.umask(0)
    try:
        with contextlib.closing(SessionStore(f"sqlite:///{path}")) as store:
            store.create("", "a", None, {})
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {name: 0o600 for name in ("sessions.db", "sessions.db-wal", "sessions.db-shm")}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def sql_file(path: Path, *statements: str) -> str:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return f"sqlite:///{path}"


def test_foreign_database_is_refused_in_a_sentence(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "text").write_text("Dear diary, " * 500)
    other = sql_file(tmp_path / "other", "CREATE TABLE sessions (cookie TEXT)")
    newer = f"sqlite:///{tmp_path / 'newer'}"
    with contextlib.closing(SessionStore(newer)) as store:
        store.create("", "a", None, {})
    sql_file(tmp_path / "newer", "UPDATE tritonchat_version SET version_num = '9999'")
    for url, complaint in {
        f"sqlite:///{tmp_path / 'text'}": "not a database",
        f"sqlite:///{tmp_path}": "unable to open",
        f"sqlite:///{tmp_path / 'text' / 'below'}": "cannot be",
        other: "another program",
        newer: "version 9999",
        f"postgresql://ada:secret@127.0.0.1:{free_port()}/x": "psycopg|log of the service",
        "sqlite://": "neither a SQLite file",
        "sqlite:///:memory:": "neither a SQLite file",
        "mysql://ada:secret@host/name": "neither a SQLite file",
        "sessions.db": "must be a URL",
        "": "must be a URL",
    }.items():
        with pytest.raises(StoreError, match=complaint) as refused:
            SessionStore(url).get_session("", "a")
        assert "secret" not in str(refused.value) + caplog.text
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)
    with contextlib.closing(sqlite3.connect(tmp_path / "other")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("sessions",)]


def test_database_errors_quote_no_texts(
    url: str, store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    session = store.create("", "a", None, {})
    if url.startswith("sqlite"):
        sql_file(Path(url.removeprefix("sqlite:///")), "DROP TABLE turns")
    else:
        with pytest.importorskip("psycopg").connect(url) as connection:
            connection.execute("DROP TABLE turns CASCADE")
    with pytest.raises(StoreError) as failed:
        store.add_turn(session, "my secret", "your secret", "stop", None, {})
    said, error = caplog.text, failed.value
    while error is not None:
        said, error = f"{said}{error}", error.__cause__
    assert "turns" in said
    assert "secret" not in said
