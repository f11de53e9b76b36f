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
from paths import PYTHONPATH
from stores import answer, create, ids, open_store, questions
from support import free_port

from model_core.errors import InvalidRequest
from triton_server.contract.conversation_errors import (
    ConversationNotFound,
    SessionBusy,
    SessionExists,
    StoreConflict,
    StoreError,
)
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.tree import Conversation

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
def store(url: str) -> Iterator[ConversationStore]:
    """A store of the database."""
    with open_store(url) as opened:
        yield opened


def say(store: ConversationStore, session_id: str, *texts: str, owner: str = "") -> Conversation:
    """Append turns to a session. Each answer is the question in upper case."""
    for text in texts:
        details = {"usage": {"prompt_tokens": 3}, "parameters": {"seed": 1}}
        answer(store, store.get(owner, session_id), text, text.upper(), owner, **details)
    return store.get(owner, session_id)


def test_session_is_stored_unchanged(url: str) -> None:
    with open_store(url) as store:
        made = create(store, "ada", "walk", "Be brief.", {"temperature": 0.5, "stop": ["\n"]})
        assert (made.turns, made.version, made.created) == ([], 1, made.updated)
        say(store, "walk", "one", "two", owner="ada")
    with open_store(url) as store:
        session = store.get("ada", "walk")
        assert (session.id, session.system) == ("walk", "Be brief.")
        assert session.parameters == {"temperature": 0.5, "stop": ["\n"]}
        assert session.created == made.created < session.updated
        assert [(t.question, t.answer) for t in session.path()] == [("one", "ONE"), ("two", "TWO")]
        assert session.turns[0].finish_reason == "stop"
        assert session.turns[0].usage == {"prompt_tokens": 3}
        assert session.turns[0].parameters == {"seed": 1}
        assert session.messages() == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "ONE"},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "TWO"},
        ]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_any_text_is_stored_unchanged(store: ConversationStore, text: str) -> None:
    session = create(store, "", "odd", text, {"stop": [text]})
    answer(store, session, text, text, finish_reason="cancelled", parameters={"stop": [text]})
    session = store.get("", "odd")
    assert (session.system, session.parameters) == (text, {"stop": [text]})
    assert (session.turns[0].question, session.turns[0].answer) == (text, text)
    assert session.turns[0].usage is None
    assert store.change("", "odd", {"system": None}, session).system is None


@pytest.mark.parametrize("hostile", ["' OR 1=1 --", '"; DROP TABLE sessions; --', "%", "_", "*", "a\nb"])
def test_ids_and_owners_are_not_run_as_sql(store: ConversationStore, hostile: str) -> None:
    create(store, "", "kept", None, {})
    with pytest.raises(ConversationNotFound):
        store.get("", hostile)
    with pytest.raises(ConversationNotFound):
        store.get(hostile, "kept")
    with pytest.raises(ConversationNotFound):
        store.remove("", hostile)
    with pytest.raises(ConversationNotFound):
        store.revert(hostile, "kept", 1)
    create(store, hostile, hostile, None, {})
    assert store.get(hostile, hostile).id == hostile
    assert ids(store, "") == ["kept"]


def test_owners_do_not_see_each_other(store: ConversationStore) -> None:
    """The same id is another session for another owner."""
    for owner in ("ada", "bo"):
        create(store, owner, "user0", owner, {})
    say(store, "user0", "of Ada", owner="ada")
    assert questions(store.get("bo", "user0")) == []
    store.remove("bo", "user0")
    assert questions(store.get("ada", "user0")) == ["of Ada"]
    with pytest.raises(ConversationNotFound):
        store.get("bo", "user0")
    with pytest.raises(SessionExists, match="user0"):
        create(store, "ada", "user0", None, {})
    assert questions(store.get("ada", "user0")) == ["of Ada"]


def test_generated_ids_differ(store: ConversationStore) -> None:
    made = {create(store, "", None, None, {}).id for _ in range(50)}
    assert len(made) == 50
    assert all(len(name) == 32 for name in made)


def test_many_sessions_are_paged_newest_first(store: ConversationStore) -> None:
    for number in range(80):
        create(store, "ada", f"s{number}", None, {})
        create(store, "bo", f"s{number}", None, {})
    say(store, "s7", "one", "two", owner="ada")
    seen, before = [], None
    while page := store.list_by_age("ada", 30, before):
        seen += [(session.id, session.turns) for session in page.values()]
        before = min(page)
        if len(seen) == 60:
            store.remove("ada", page[before].id)  # the next page is correct even if this session is gone
    assert seen == [(f"s{number}", 2 if number == 7 else 0) for number in reversed(range(80))]


def test_revert_goes_back_to_before_a_question(store: ConversationStore) -> None:
    create(store, "", "a", None, {})
    say(store, "a", "one", "two", "three")
    assert questions(store.revert("", "a", 4)) == ["one", "two", "three"]
    assert questions(store.revert("", "a", 3)) == ["one", "two"]
    assert questions(say(store, "a", "another")) == ["one", "two", "another"]
    for wrong in (0, -1, 5, 10**30):
        with pytest.raises(InvalidRequest, match="has 3 questions; to must be 1 to 4, not"):
            store.revert("", "a", wrong)
    assert questions(store.get("", "a")) == ["one", "two", "another"]
    assert questions(store.revert("", "a", 1)) == []
    with pytest.raises(ConversationNotFound):
        store.revert("", "b", 1)


def test_change_of_an_older_version_is_refused(url: str) -> None:
    """Two stores on one database: the second has not read the change of the first."""
    with open_store(url) as one, open_store(url) as other:
        seen = create(one, "", "a", None, {})
        say(other, "a", "of the other")
        with pytest.raises(StoreConflict):
            answer(one, seen, "late", "LATE")
        with pytest.raises(StoreConflict):
            one.change("", "a", {"system": "late"}, seen)
        seen = one.get("", "a")
        other.revert("", "a", 1)
        say(other, "a", "as many as before")
        with pytest.raises(StoreConflict):
            answer(one, seen, "late", "LATE")
        assert questions(one.get("", "a")) == ["as many as before"]


def test_recreated_session_is_a_different_one(url: str) -> None:
    with open_store(url) as one, open_store(url) as other:
        seen = create(one, "", "a", None, {})
        other.remove("", "a")
        with pytest.raises(StoreConflict):
            answer(one, seen, "late", "LATE")
        anew = create(other, "", "a", None, {})
        assert anew.version == seen.version
        with pytest.raises(StoreConflict):
            answer(one, seen, "late", "LATE")
        assert one.get("", "a").turns == []


def test_delete_removes_the_turns(store: ConversationStore, url: str) -> None:
    create(store, "", "a", None, {})
    say(store, "a", "one", "two")
    store.remove("", "a")
    create(store, "", "a", None, {})
    assert questions(store.get("", "a")) == []
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            assert connection.execute("SELECT count(*) FROM turns").fetchone() == (0,)


def test_concurrent_turns_are_stored_once(url: str) -> None:
    """Threads of two stores add turns to one session: each turn that was accepted is stored at its number."""
    with open_store(url) as one, open_store(url) as other:
        create(one, "", "a", None, {})
        kept: dict[int, str] = {}

        def insist(name: int) -> None:
            for number in range(5):
                while True:
                    store = (one, other)[name % 2]
                    try:
                        turn = answer(store, store.get("", "a"), f"{name}.{number}", "")
                        break
                    except StoreConflict:
                        continue
                kept[turn] = f"{name}.{number}"

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(insist, range(8)))
        session = one.get("", "a")
        assert questions(session) == [kept[number] for number in range(1, 41)]
        assert session.version == 41


def test_readers_see_no_half_changed_session(url: str) -> None:
    """The version always matches the turns, even while another process changes both."""
    with open_store(url) as one, open_store(url) as other:
        create(one, "", "a", None, {})
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
            session = one.get("", "a")
            assert len(session.path()) == (session.version - 1) % 4
        writer.join()


def test_only_one_request_holds_a_session(store: ConversationStore) -> None:
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
from stores import answer, create, open_store
with open_store(sys.argv[1]) as store:
    session = create(store, "", sys.argv[2])
    print("made", flush=True)
    while len(sys.argv) > 3:
        print(answer(store, session, "question", "answer"), flush=True)
        session = store.get("", session.id)
"""


def child(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_together_create_one_database(url: str) -> None:
    children = [child(url, f"s{number}") for number in range(4)]
    for process in children:
        process.communicate(timeout=60)
    assert [process.returncode for process in children] == [0] * 4
    with open_store(url) as store:
        assert len(ids(store, "")) == 4


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
    with open_store(url) as store:
        turns = store.get("", "a").path()
        assert len(turns) in (last, last + 1)  # the process was killed before it could print the last one
        say(store, "a", "and on")


def test_only_the_user_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "sessions.db"
    before = os.umask(0)
    try:
        with open_store(f"sqlite:///{path}") as store:
            create(store, "", "a", None, {})
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
    with open_store(newer) as store:
        create(store, "", "a", None, {})
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
        with pytest.raises(StoreError, match=complaint) as refused, open_store(url) as store:
            store.get("", "a")
        assert "secret" not in str(refused.value) + caplog.text
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)
    with contextlib.closing(sqlite3.connect(tmp_path / "other")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("sessions",)]


def test_database_errors_quote_no_texts(
    url: str, store: ConversationStore, caplog: pytest.LogCaptureFixture
) -> None:
    session = create(store, "", "a", None, {})
    if url.startswith("sqlite"):
        sql_file(Path(url.removeprefix("sqlite:///")), "DROP TABLE turns")
    else:
        with pytest.importorskip("psycopg").connect(url) as connection:
            connection.execute("DROP TABLE turns CASCADE")
    with pytest.raises(StoreError) as failed:
        answer(store, session, "my secret", "your secret")
    said, error = caplog.text, failed.value
    while error is not None:
        said, error = f"{said}{error}", error.__cause__
    assert "turns" in said
    assert "secret" not in said
