"""The form of the sessions' database: from nothing, from every older form, and with several at once."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sql
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from paths import PYTHONPATH, ROOT
from stores import answer, create, open_store, questions, size_of

from triton_server.contract.conversation_errors import SessionsFull, StoreError
from triton_server.conversations import database, schema
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.responses import ResponseStore
from triton_server.conversations.store import ConversationStore
from triton_server.conversations.tables import Base
from triton_server.conversations.transactions import Database
from triton_server.conversations.tree import Turn

OLD = ROOT / "tests" / "data" / "sessions"


@pytest.fixture
def old_url(database_url: str) -> str:
    """A database as the version before Alembic made it, with three turns in two sessions."""
    if database_url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript((OLD / "version1.sqlite.sql").read_text())
    else:
        with pytest.importorskip("psycopg").connect(database_url) as connection:
            connection.execute((OLD / "version1.postgresql.sql").read_text())
    return database_url


def differences(url: str) -> list:
    """What Alembic would have to change to make the database as the present code wants it."""
    engine = database.create_engine(url)
    try:
        with engine.connect() as connection:
            context = MigrationContext.configure(
                connection,
                opts={
                    "version_table": "tritonchat_version",
                    "compare_type": True,
                    "include_name": lambda name, kind, _: (
                        not (
                            kind == "table"
                            and name.startswith("search_index")  # SQLite's, with its own tables
                        )
                    ),
                },
            )
            return compare_metadata(context, Base.metadata)
    finally:
        engine.dispose()


def test_the_last_migration_is_the_one_that_the_code_names() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [schema.REVISION]


def test_migrations_make_what_the_code_wants(database_url: str) -> None:
    with open_store(database_url) as store:
        create(store, "", "a", None, {})
    assert differences(database_url) == []


def test_an_old_database_is_brought_up_to_date(old_url: str) -> None:
    for _ in range(2):  # and is found so the second time
        with open_store(old_url) as store:
            ada, bo = store.get("ada", "walk"), store.get("bo", "walk")
            assert list(store.list_by_age("ada", 9)) == [1]
            assert (ada.system, ada.version) == ("Be brief. 你好", 3)
            assert ada.parameters == {"temperature": 0.5, "stop": ["\n"]}
            assert (ada.created, ada.updated) == (1790000001.5, 1790000003.25)
            assert [(turn.question, turn.answer) for turn in ada.turns] == [
                ("one", "ONE"),
                ("two ü", "TWO Ü"),
            ]
            assert (bo.turns[0].answer, bo.turns[0].usage) == ("NUL \0", None)
    assert differences(old_url) == []
    with open_store(old_url) as store:
        create(store, "ada", "new")
        assert list(store.list_by_age("ada", 9)) == [4, 1]  # 3 was used by a session that is gone
        answer(store, ada, "three", "THREE", "ada")
        assert len(store.get("ada", "walk").turns) == 3


def test_sessions_of_the_version_before_trees_become_trees(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = database.create_engine(database_url)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "REVISION", "0003")
        schema.prepare(engine, {})
    texts = {1: "  What's in\nthe Straße?", 2: "NUL \0 and 'quotes'", 3: "你好"}
    insert = "INSERT INTO {} VALUES (:key, :n, :question, :answer, 'stop', NULL, '{{}}', 5.5)"
    with engine.begin() as connection:
        for key, owner in ((7, "ada"), (8, "bo")):
            connection.execute(
                sql.text(
                    "INSERT INTO sessions (key, owner, id, system, parameters, created, updated, version, "
                    "bytes) VALUES (:key, :owner, 'walk', NULL, '{\"seed\": 1}', 1.5, 2.5, 4, 1234)"
                ),
                {"key": key, "owner": owner},
            )
        for number, text in texts.items():
            values = {"key": 7, "n": number, "question": json.dumps(text), "answer": json.dumps(text.upper())}
            connection.execute(sql.text(insert.format("turns")), values)
        connection.execute(
            sql.text(
                "INSERT INTO responses (owner, id, previous, conversation, input, response, created, bytes)"
                " VALUES ('ada', :id, NULL, :id, '[]', '{}', 1.5, 99)"
            ),
            {"id": "resp_" + "0" * 32},
        )
    engine.dispose()
    with contextlib.closing(Database(database_url)) as opened:
        store = ConversationStore(opened, SessionLimits())
        tree = store.get("ada", "walk")
        assert [(turn.id, turn.parent, turn.question) for turn in tree.turns] == [
            (1, None, texts[1]),
            (2, 1, texts[2]),
            (3, 2, texts[3]),
        ]
        assert (tree.head, tree.version, tree.title, tree.updated) == (3, 4, "What's in", 2.5)
        assert (tree.turns[0].answer, tree.turns[0].created) == (texts[1].upper(), 5.5)
        assert (tree.turns[0].rating, tree.turns[0].attachments, tree.turns[0].timings) == (0, [], None)
        empty = store.get("bo", "walk")
        assert (empty.head, empty.title, empty.turns) == (None, "", [])
        for query in ("strasse", "NUL", "好", "what's"):
            assert [summary.id for summary in store.list_conversations("ada", query, 9)] == ["walk"], query
        assert store.add_turn("ada", "walk", Turn(0, 1, "And now?")) == 4
        assert questions(store.get("ada", "walk")) == [texts[1], "And now?"]
        assert ResponseStore(opened, SessionLimits()).get("ada", "resp_" + "0" * 32).bytes == 99
    assert size_of(database_url, "ada", "walk") > 1234
    assert differences(database_url) == []


def test_old_sessions_are_measured_as_new_ones(old_url: str) -> None:
    with open_store(old_url) as store:
        ada = store.get("ada", "walk")
        create(store, "cy", "walk", ada.system, ada.parameters)
        for turn in ada.turns:
            details = {"usage": turn.usage, "parameters": turn.parameters}
            answer(store, store.get("cy", "walk"), turn.question, turn.answer, "cy", **details)
        assert size_of(old_url, "ada", "walk") == size_of(old_url, "cy", "walk") > 0
        store.revert("ada", "walk", 1)
        create(store, "di", "x", ada.system, ada.parameters)
        assert size_of(old_url, "ada", "walk") == size_of(old_url, "di", "x")
    with open_store(old_url, bytes=100) as store, pytest.raises(SessionsFull):
        store.get("bo", "walk", "one more?")


def test_processes_that_meet_an_old_database_together_upgrade_it_once(old_url: str) -> None:
    code = (
        "import sys; from stores import open_store\n"
        "with open_store(sys.argv[1]) as store: print(len(store.get('ada', 'walk').turns))"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, old_url],
            env={**os.environ, "PYTHONPATH": PYTHONPATH},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    ends = [child.communicate(timeout=60) for child in children]
    assert [output for output, _ in ends] == [b"2\n"] * 4, ends


def test_an_upgrade_that_is_interrupted_leaves_the_old_database(
    old_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.drop_table", fail)  # the last step of the migration
        with open_store(old_url) as store, pytest.raises(KeyboardInterrupt):
            store.get("ada", "walk")
    with open_store(old_url) as store:
        assert len(store.get("ada", "walk").turns) == 2
    assert differences(old_url) == []


def test_a_sqlite_file_of_an_old_version_can_shrink_from_now_on(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript((OLD / "version1.sqlite.sql").read_text())
        text = "x" * 100_000
        for number in range(3, 100):
            connection.execute(
                "INSERT INTO turns VALUES (1, ?, json_quote(?), '\"\"', 'stop', NULL, '{}', 1)",
                (number, text),
            )
        connection.commit()
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    assert path.stat().st_size > 9_000_000
    with open_store(f"sqlite:///{path}") as store:
        assert len(store.get("ada", "walk").turns) == 99
        store.revert("ada", "walk", 1)
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2_000_000


def test_an_upgrade_waits_for_a_reader_of_the_old_version(tmp_path: Path) -> None:
    """The old program may still run: a short transaction of its own is no reason to fail."""
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path, check_same_thread=False)) as old:
        old.executescript((OLD / "version1.sqlite.sql").read_text())
        old.execute("PRAGMA journal_mode = WAL")
        old.isolation_level = None
        old.execute("BEGIN IMMEDIATE")
        old.execute("UPDATE sessions SET version = 7 WHERE key = 1")
        end = threading.Timer(0.5, old.execute, ("COMMIT",))
        end.start()
        try:
            with open_store(f"sqlite:///{path}") as store:
                assert store.get("ada", "walk").version == 7
        finally:
            end.join()


def test_what_only_looks_like_ours_is_left_alone(tmp_path: Path) -> None:
    for name, statements in {
        "other": "CREATE TABLE turns (wheel TEXT)",
        "half": "CREATE TABLE sessions (x TEXT); CREATE TABLE tritonchat_schema (version INTEGER)",
        "newer": "CREATE TABLE tritonchat_version (version_num TEXT);"
        "INSERT INTO tritonchat_version VALUES ('0099')",
    }.items():
        path = tmp_path / name
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(statements)
            before = connection.execute("SELECT sql FROM sqlite_master").fetchall()
            with (
                open_store(f"sqlite:///{path}") as store,
                pytest.raises(StoreError) as refused,
            ):
                create(store, "", "a", None, {})
            assert "another" in str(refused.value)
            assert connection.execute("SELECT sql FROM sqlite_master").fetchall() == before
    # A table of another program that uses Alembic, too, is in nobody's way.
    path = tmp_path / "neighbour"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('abc')"
        )
        with open_store(f"sqlite:///{path}") as store:
            create(store, "", "a", None, {})
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [("abc",)]


def test_a_database_that_is_up_to_date_needs_no_alembic(tmp_path: Path) -> None:
    """It takes a third of a second to import, which every start would wait for."""
    url = f"sqlite:///{tmp_path / 'sessions.db'}"
    code = (
        "import sys; import triton_server.api.app\n"
        "from triton_server.conversations.transactions import Database\n"
        "with Database(sys.argv[1]).reading(): print('alembic' in sys.modules)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, url], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        for _ in range(2)
    ]
    assert [run.stdout for run in runs] == ["True\n", "False\n"], runs


def test_migrations_are_found_in_an_odd_folder(tmp_path: Path) -> None:
    """Alembic reads its settings as a file of format strings, and the package may lie in any folder."""
    folder = tmp_path / "50% of #1"
    ignored = shutil.ignore_patterns("__pycache__", "*.safetensors")
    for package in ("triton_server", "model_core"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    code = (
        "import sys; from triton_server.conversations import schema\n"
        "from triton_server.conversations.transactions import Database\n"
        "with Database(sys.argv[1]).reading(): print(schema.__file__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, f"sqlite:///{tmp_path / 'sessions.db'}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert str(folder) in run.stdout, run.stderr
