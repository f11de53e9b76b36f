"""Empty databases for tests: SQLite, and a PostgreSQL of our own where its programs are on this machine."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import free_port


def postgresql_programs() -> Path | None:
    """The folder of PostgreSQL's server programs; Debian keeps it outside the path."""
    found = shutil.which("initdb") or next(
        iter(sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), reverse=True)), None
    )
    return None if found is None else Path(found).resolve().parent


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL that runs as long as the tests."""
    pytest.importorskip("psycopg")
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not on this machine")
    user, as_user = None, list[str]()
    if os.geteuid() == 0:  # as whom it does not run
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL needs a user of its own")
        # Not subprocess's `user`: it forks, which Linux refuses to a process with more addresses than memory.
        as_user = ["runuser", "-u", user, "--"]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data, port = f"{folder}/data", free_port()
        settings = ["-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync"]
        initdb = [*as_user, programs / "initdb", "-D", data, *settings]
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder)
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        control = [*as_user, programs / "pg_ctl", "-D", data, "-w"]
        started = [*control, "-l", f"{folder}/log", "-o", options, "start"]
        subprocess.run(started, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        try:
            yield f"postgresql://tester@127.0.0.1:{port}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], capture_output=True, cwd=folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'sessions.db'}"
    psycopg = pytest.importorskip("psycopg")
    server = request.getfixturevalue("postgresql")
    name = f"db_{abs(hash(request.node.name)):x}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"
