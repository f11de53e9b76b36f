"""The Files API with OpenAI's client: uploads that are large, hostile or half-sent, and limits."""

import contextlib
import errno
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI
from starlette.testclient import TestClient

from triton_server.api.app import create_app
from triton_server.api.batches import file_routes
from triton_server.api.settings import ServiceSettings

MIB = 2**20
START = b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
FILE = b'--x\r\nContent-Disposition: form-data; name="file"; filename="in.jsonl"\r\n\r\n'
END = b"\r\n--x--\r\n"
FORM = {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., OpenAI]]:
    """Starts the HTTP service in this process, with no server behind it, and connects OpenAI's client."""
    with contextlib.ExitStack() as stack:

        def start(**settings: object) -> OpenAI:
            given = {"server": "127.0.0.1:1", "database": f"sqlite:///{tmp_path / 'sessions.db'}", **settings}
            app = create_app(ServiceSettings(**given))
            web = stack.enter_context(TestClient(app, base_url="http://localhost/v1/"))
            return OpenAI(base_url="http://localhost/v1", api_key="none", max_retries=0, http_client=web)

        yield start


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "sessions-files").iterdir())


def test_files_are_kept_listed_and_removed(serve: Callable[..., OpenAI], tmp_path: Path) -> None:
    client, content = serve(), os.urandom(3 * MIB) + b"\r\n--x"
    first = client.files.create(file=("ä\r\n.jsonl", content), purpose="batch")
    expiry: Any = {"anchor": "created_at", "seconds": 3600}
    second = client.files.create(file=("b", b""), purpose="batch", expires_after=expiry)
    assert (first.bytes, first.object, first.status, first.purpose) == (
        len(content),
        "file",
        "processed",
        "batch",
    )
    assert first.expires_at == first.created_at + 30 * 86400
    assert (second.bytes, second.expires_at) == (0, second.created_at + 3600)
    assert client.files.content(first.id).content == content
    assert client.files.retrieve(first.id) == first
    assert [file.id for file in client.files.list()] == [second.id, first.id]
    assert [file.id for file in client.files.list(limit=1, order="asc")] == [first.id, second.id]
    assert not list(client.files.list(purpose="batch_output"))
    assert client.files.delete(first.id).deleted
    assert left_in(tmp_path) == [second.id]
    for ask in (client.files.retrieve, client.files.content, client.files.delete):
        for file_id in (first.id, "x", "..%2F..%2Fsessions.db", "%00"):
            with pytest.raises((openai.NotFoundError, ValueError)):
                ask(file_id)


@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        (b"{}", {"Content-Type": "application/json"}, "this is no form"),
        (b"{}", {"Content-Type": "multipart/form-data"}, "this is no form"),
        (b"", {"Content-Type": f"multipart/form-data; boundary={'x' * 300}"}, "no form"),
        (b"no form", FORM, "no form"),
        (START, FORM, "ends before"),
        (START + FILE + b"{}", FORM, "ends before"),
        (START + FILE + b"{}\r\n" + START[:-2] + END, FORM, "there twice"),
        (START + FILE + b"{}\r\n" + FILE + b"{}" + END, FORM, "one `file`"),
        (START[:-2] + END, FORM, "no file"),
        (FILE + b"{}" + END, FORM, "no `purpose`"),
        (START.replace(b"batch", b"fine-tune") + FILE + b"{}" + END, FORM, "'fine-tune'"),
        (START.replace(b"batch", b"x" * 2000) + FILE + b"{}" + END, FORM, "more than 1024 bytes"),
        (START.replace(b"purpose", b"colour") + FILE + b"{}" + END, FORM, "'colour'"),
        (START + FILE.replace(b"in.", b"x" * 2000) + b"{}" + END, FORM, "at most 1024 bytes"),
        (START.replace(b"batch", b"x\r\n" * 90) * 90 + END, FORM, "there twice"),
        (b"--x\r\n" + b"A: b\r\n" * 10_000, FORM, "no form"),
        (b"--x\r\nA: " + b"b" * MIB, FORM, "no form"),
    ],
)
def test_wrong_forms_are_refused_and_leave_nothing(
    serve: Callable[..., OpenAI], tmp_path: Path, body: bytes, headers: dict[str, str], message: str
) -> None:
    response = serve()._client.post("files", content=body, headers=headers)
    error = response.json()["error"]
    assert response.status_code == 400 and message in error["message"], error
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    "expiry", [{"anchor": "created_at"}, {"seconds": 3600}, {"anchor": "created_at", "seconds": 1}]
)
def test_wrong_expiry_is_refused(serve: Callable[..., OpenAI], tmp_path: Path, expiry: Any) -> None:
    with pytest.raises(openai.BadRequestError, match="expires_after"):
        serve().files.create(file=b"{}", purpose="batch", expires_after=expiry)
    assert left_in(tmp_path) == []


def test_large_files_are_refused(serve: Callable[..., OpenAI], tmp_path: Path) -> None:
    client = serve(max_file_bytes=MIB, max_body_bytes=1000)
    client.files.create(file=b"x" * MIB, purpose="batch")
    for size in (MIB + 1, 4 * MIB):
        with pytest.raises(openai.APIStatusError, match="--max-file") as refusal:
            client.files.create(file=b"x" * size, purpose="batch")
        assert refusal.value.status_code == 413

    def send() -> Iterator[bytes]:  # without Content-Length
        yield START + FILE
        for _ in range(100):
            yield b"x" * MIB

    assert client._client.post("files", content=send(), headers=FORM).status_code == 413
    assert len(left_in(tmp_path)) == 1


def test_owner_has_limits(serve: Callable[..., OpenAI], tmp_path: Path) -> None:
    client = serve(max_session_bytes=MIB, max_sessions=2)
    client.files.create(file=b"x" * 1000, purpose="batch")
    with pytest.raises(openai.PermissionDeniedError, match="--max-session-bytes"):
        client.files.create(file=b"x" * MIB, purpose="batch")
    file = client.files.create(file=b"{}", purpose="batch")
    with pytest.raises(openai.PermissionDeniedError, match="--max-sessions"):
        client.files.create(file=b"{}", purpose="batch")
    assert len(left_in(tmp_path)) == 2
    for _ in range(2):
        client.batches.create(input_file_id=file.id, endpoint="/v1/embeddings", completion_window="24h")
    with pytest.raises(openai.PermissionDeniedError, match="2 batches"):
        client.batches.create(input_file_id=file.id, endpoint="/v1/embeddings", completion_window="24h")


def test_only_a_few_uploads_at_a_time(serve: Callable[..., OpenAI], monkeypatch: pytest.MonkeyPatch) -> None:
    client = serve()
    monkeypatch.setitem(file_routes._uploads, "", file_routes.MAX_UPLOADS)
    with pytest.raises(openai.RateLimitError, match="uploads are running"):
        client.files.create(file=b"{}", purpose="batch")


def test_full_disk_is_said(
    serve: Callable[..., OpenAI], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    client = serve()
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(openai.InternalServerError, match="cannot be stored: No space left on device") as full:
        client.files.create(file=("b", b"text"), purpose="batch")
    assert full.value.status_code == 503
    assert left_in(tmp_path) == []


def test_files_expire_and_strays_are_removed(serve: Callable[..., OpenAI], tmp_path: Path) -> None:
    client = serve()
    old, kept = (client.files.create(file=b"{}", purpose="batch") for _ in range(2))
    with contextlib.closing(sqlite3.connect(tmp_path / "sessions.db")) as database:
        database.execute("UPDATE files SET expires = 1 WHERE id = ?", [old.id])
        database.commit()
    folder = tmp_path / "sessions-files"
    for name, age_s in (("file-stray", 90_000), ("file-stray.part", 90_000), ("file-new.part", 10)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age_s,) * 2)
    os.utime(folder / kept.id, (1, 1))
    files = client._client.app.state.files  # type: ignore[attr-defined]
    assert files.remove_expired(86_400) == 1
    assert left_in(tmp_path) == sorted([kept.id, "file-new.part"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_file_id": "file-x"}, "there is no file 'file-x'"),
        ({"endpoint": "/v1/moderations"}, "endpoint"),
        ({"completion_window": "1h"}, "completion_window"),
        ({"metadata": {"x": 1}}, "metadata"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
        ({"metadata": {"x": "\ud800"}}, "half of a surrogate pair"),
        ({"output_expires_after": {"anchor": "created_at", "seconds": 1}}, "seconds"),
    ],
)
def test_wrong_batches_are_refused(
    serve: Callable[..., OpenAI], changes: dict[str, Any], message: str
) -> None:
    client = serve()
    file = client.files.create(file=b"{}", purpose="batch")
    body = {"input_file_id": file.id, "endpoint": "/v1/embeddings", "completion_window": "24h", **changes}
    content = json.dumps(body)
    response = client._client.post("batches", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 404) and message in response.json()["error"]["message"]
    assert client._client.get("batches").json()["data"] == []
