"""Vector stores with OpenAI's client: files that are read, embedded, found and cited; others' stay theirs."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docx
import openai
import openpyxl
import pytest
from http_service import Service, services
from in_process import served
from openai import OpenAI
from openai.types import VectorStore
from paths import CHECKPOINTS
from reciter_services import client_of
from support import wait_until

from model_core.hub import embedded_model
from triton_server.engine.models.model_pool import create_pool

EMBEDDERS = CHECKPOINTS.parent / "embedders"
SETTINGS: dict[str, Any] = {"kv_cache_memory": 2**26, "max_queue": 256}
NOTES = "The heron waits in the reeds.\nIt eats fish.\n"
GUIDE = "# Guide\n\n## Engine\nThe engine takes oil of grade 40.\n\n## Paint\nThe paint is blue.\n"


@pytest.fixture(scope="module")
def grpc_url() -> Iterator[str]:
    """A server with an encoder beside a model that chats."""
    models = [(None, str(embedded_model())), (None, str(EMBEDDERS / "bert"))]
    pool = create_pool(models, None, SETTINGS)
    pool.load_all()
    with served(pool) as url:
        yield url


@pytest.fixture
def start(grpc_url: str, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    with services(grpc_url, tmp_path) as starter:
        yield starter


@pytest.fixture
def client(start: Callable[..., Service]) -> OpenAI:
    return client_of(start())


def upload(client: OpenAI, name: str, content: bytes | str) -> str:
    data = content.encode() if isinstance(content, str) else content
    return client.files.create(file=(name, data), purpose="assistants").id


def fill(client: OpenAI, **files: bytes | str) -> VectorStore:
    """A vector store with files, which are indexed. `__` in a name is a dot."""
    ids = [upload(client, name.replace("__", "."), content) for name, content in files.items()]
    store = client.vector_stores.create(name="kept", file_ids=ids)
    return wait(client, store.id)


def wait(client: OpenAI, store_id: str) -> VectorStore:
    """The vector store when nothing in it is in progress."""
    found: list[VectorStore] = []

    def is_done() -> bool:
        found[:] = [client.vector_stores.retrieve(store_id)]
        return found[0].status == "completed"

    wait_until(is_done)
    return found[0]


def write_docx() -> bytes:
    document, data = docx.Document(), io.BytesIO()
    document.add_heading("Setup", 1)
    document.add_paragraph("Turn the key to the left.")
    document.save(data)
    return data.getvalue()


def write_xlsx() -> bytes:
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Prices"
    book.active.append(["apple", 3])
    book.active.append(["pear", 4.5])
    book.save(data)
    return data.getvalue()


def test_files_are_found_with_their_places(client: OpenAI) -> None:
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1\n", "print(x)"]}]})
    store = fill(
        client,
        notes__txt=NOTES,
        guide__md=GUIDE,
        setup__docx=write_docx(),
        prices__xlsx=write_xlsx(),
        try__ipynb=notebook,
    )
    assert (store.file_counts.completed, store.file_counts.total, store.name) == (5, 5, "kept")
    assert store.usage_bytes > 0
    page = client.vector_stores.search(store.id, query="The engine takes oil", max_num_results=50)
    places = {(result.filename, result.content[0].to_dict()["place"]) for result in page.data}
    assert places == {
        ("notes.txt", "lines 1-2"),
        ("guide.md", "Guide, lines 1-2"),
        ("guide.md", "Guide > Engine, lines 3-5"),
        ("guide.md", "Guide > Paint, lines 6-7"),
        ("setup.docx", "Setup"),
        ("prices.xlsx", "sheet Prices, rows 1-2"),
        ("try.ipynb", "cell 1"),
    }
    scores = [result.score for result in page.data]
    assert scores == sorted(scores, reverse=True)
    exact = client.vector_stores.search(store.id, query="# Guide", max_num_results=1).data[0]
    assert exact.content[0].text.strip() == "# Guide"
    again = client.vector_stores.search(store.id, query="The engine takes oil", max_num_results=50)
    assert again.data == page.data
    few = client.vector_stores.search(store.id, query="The engine takes oil", max_num_results=3)
    assert few.data == page.data[:3]
    file_id = page.data[0].file_id
    content = client.vector_stores.files.content(file_id, vector_store_id=store.id)
    assert page.data[0].content[0].text in [part.text for part in content.data]
    client.files.delete(file_id)  # it is gone everywhere
    left = client.vector_stores.search(store.id, query="The engine takes oil", max_num_results=50)
    assert left.data and file_id not in {result.file_id for result in left.data}


def test_stores_and_files_are_listed_changed_and_removed(client: OpenAI) -> None:
    store = client.vector_stores.create(name="a", metadata={"k": "v"})
    assert (store.status, store.metadata, store.file_counts.total) == ("completed", {"k": "v"}, 0)
    other = client.vector_stores.create(expires_after={"anchor": "last_active_at", "days": 2})
    assert other.expires_at == other.last_active_at + 2 * 86400  # type: ignore[operator]
    assert [each.id for each in client.vector_stores.list()] == [other.id, store.id]
    assert [each.id for each in client.vector_stores.list(limit=1, order="asc")] == [store.id, other.id]
    assert client.vector_stores.update(store.id, name="b").name == "b"
    ids = [upload(client, f"{name}.txt", f"This is {name}.") for name in ("a", "b", "c")]
    batch = client.vector_stores.file_batches.create_and_poll(
        store.id, file_ids=ids, attributes={"kind": "letter"}, poll_interval_ms=20
    )
    assert (batch.status, batch.file_counts.completed) == ("completed", 3)
    files = client.vector_stores.file_batches.list_files(batch.id, vector_store_id=store.id)
    assert [file.id for file in files] == ids[::-1]
    assert [file.id for file in client.vector_stores.files.list(store.id, before=ids[0])] == [*ids[:0:-1]]
    changed = client.vector_stores.files.update(ids[0], vector_store_id=store.id, attributes={"year": 2001})
    assert changed.attributes == {"year": 2001}

    def found(**filters: Any) -> set[str]:
        page = client.vector_stores.search(store.id, query="letter", filters=filters)  # type: ignore[arg-type]
        return {result.file_id for result in page.data}

    assert found(type="eq", key="kind", value="letter") == set(ids[1:])
    assert found(type="gte", key="year", value=2001) == {ids[0]}
    assert found(type="or", filters=[{"type": "ne", "key": "kind", "value": "letter"}]) == {ids[0]}
    assert client.vector_stores.files.delete(ids[1], vector_store_id=store.id).deleted
    assert client.files.retrieve(ids[1]).id == ids[1]
    assert client.vector_stores.delete(store.id).deleted
    with pytest.raises(openai.NotFoundError, match="no vector store"):
        client.vector_stores.retrieve(store.id)


def test_hostile_files_fail_in_one_sentence_and_harm_nobody(client: OpenAI) -> None:
    bombs = {}
    for name, part in (("docx", "word/document.xml"), ("xlsx", "xl/worksheets/sheet1.xml")):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(part, "w") as file:
            for _ in range(300):
                file.write(bytes(2**20))
        bombs[f"bomb__{name}"] = data.getvalue()
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    xml = f'<!DOCTYPE d [<!ENTITY a0 "ha">{laughs}]><w:document>&a11;</w:document>'
    whole = zipfile.ZipFile(io.BytesIO(write_docx()))
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for entry in whole.namelist():
            archive.writestr(entry, xml if entry == "word/document.xml" else whole.read(entry))
    store = fill(
        client,
        **bombs,
        laughs__docx=data.getvalue(),
        broken__pdf=b"%PDF-1.4\nnothing",
        noise__bin=bytes(range(256)),
        deep__ipynb=b"[" * 100_000,
        long__txt=b"a b " * 600_000,
        empty__txt=b" ",
        good__txt=NOTES,
    )
    assert (store.file_counts.completed, store.file_counts.failed) == (1, 8)
    for file in client.vector_stores.files.list(store.id, filter="failed"):
        assert file.last_error is not None and file.last_error.code == "invalid_file"
        message = file.last_error.message
        assert message.endswith(".") and message.count(". ") == 0 and "\n" not in message, message
        assert client.files.retrieve(file.id).filename in message
    page = client.vector_stores.search(store.id, query="heron")
    assert [result.filename for result in page.data] == ["good.txt"]


def test_owners_do_not_see_what_others_have(start: Callable[..., Service]) -> None:
    service = start(api_keys=("ada", "bo"))
    alice, bob = client_of(service, "ada"), client_of(service, "bo")
    store = fill(alice, secret__txt=NOTES)
    (file,) = alice.vector_stores.files.list(store.id).data
    own = bob.vector_stores.create()
    stores, files, batches = bob.vector_stores, bob.vector_stores.files, bob.vector_stores.file_batches
    attempts: list[Callable[[], Any]] = [
        lambda: stores.retrieve(store.id),
        lambda: stores.update(store.id, name="mine"),
        lambda: stores.search(store.id, query="heron"),
        lambda: stores.delete(store.id),
        lambda: stores.list(after=store.id),
        lambda: stores.create(file_ids=[file.id]),
        lambda: files.list(store.id),
        lambda: files.retrieve(file.id, vector_store_id=store.id),
        lambda: files.retrieve(file.id, vector_store_id=own.id),
        lambda: files.content(file.id, vector_store_id=store.id),
        lambda: files.update(file.id, vector_store_id=store.id, attributes={}),
        lambda: files.delete(file.id, vector_store_id=store.id),
        lambda: files.create(own.id, file_id=file.id),
        lambda: files.create(store.id, file_id=file.id),
        lambda: batches.create(own.id, file_ids=[file.id]),
        lambda: batches.create(store.id, file_ids=[file.id]),
        lambda: bob.responses.create(
            model="default", input="?", tools=[{"type": "file_search", "vector_store_ids": [store.id]}]
        ),
    ]
    for attempt in attempts:
        with pytest.raises(openai.NotFoundError, match=r"no vector store|no file"):
            attempt()
    assert [each.id for each in stores.list()] == [own.id]
    assert not stores.search(own.id, query="heron").data
    assert [hit.file_id for hit in alice.vector_stores.search(store.id, query="heron")] == [file.id]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("", {"chunking_strategy": {"type": "static"}}, "static"),
        (
            "",
            {"chunking_strategy": {"type": "static", "static": {"max_chunk_size_tokens": 4000}}},
            "chunk_overlap_tokens",
        ),
        ("", {"metadata": {"a": 1}}, "metadata"),
        ("", {"file_ids": ["file-none"]}, "no file"),
        ("", {"file_ids": ["\0"]}, "no file"),
        ("/{id}/search", {"query": "a", "rewrite_query": True}, "rewrite"),
        ("/{id}/search", {"query": ""}, "query"),
        ("/{id}/search", {"query": "a", "max_num_results": 51}, "max_num_results"),
        ("/{id}/search", {"query": "a", "filters": {"type": "like", "key": "a", "value": "b"}}, "filters"),
        ("/{id}/search", {"query": "a", "ranking_options": {"hybrid_search": {}}}, "hybrid_search"),
        ("/{id}/files", {"file_id": "file-none"}, "no file"),
        ("/{id}/files", {"file_id": "x", "attributes": {"a": []}}, "attributes"),
        ("/{id}/file_batches", {}, "file_ids"),
        ("/{id}/file_batches", {"files": [{"file_id": "x"}], "attributes": {"a": 1}}, "attributes"),
        ("/{id}/file_batches", {"files": [{"file_id": "x"}] * 2}, "2 times"),
    ],
)
def test_wrong_requests_are_refused(client: OpenAI, path: str, body: dict[str, Any], message: str) -> None:
    store = client.vector_stores.create()
    answer = client._client.post(f"vector_stores{path.format(id=store.id)}", json=body)
    assert answer.status_code in (400, 404), answer.text
    assert message in answer.json()["error"]["message"]


def test_service_without_an_embedder_says_what_to_do(tmp_path: Path) -> None:
    pool = create_pool([(None, str(embedded_model()))], None, SETTINGS)
    pool.load_all()
    with served(pool) as url, services(url, tmp_path) as start:
        client = client_of(start())
        answer = client._client.post("vector_stores", json={})
        assert answer.status_code == 400 and "all-MiniLM-L6-v2" in answer.text


def test_what_was_interrupted_is_taken_up_again(start: Callable[..., Service]) -> None:
    first = start(process=True)
    client = client_of(first)
    text = "\n".join(f"Sentence number {number} says something." for number in range(300))
    done = fill(client, done__txt=NOTES)
    store = client.vector_stores.create(file_ids=[upload(client, "long.txt", text)])
    first.process.kill()
    client = client_of(start(process=True))
    assert [hit.filename for hit in client.vector_stores.search(done.id, query="heron")] == ["done.txt"]
    (file,) = client.vector_stores.files.list(wait(client, store.id).id).data
    assert file.status == "completed"
    content = client.vector_stores.files.content(file.id, vector_store_id=store.id)
    assert "number 299 " in [*content.data][-1].text  # type: ignore[operator]
