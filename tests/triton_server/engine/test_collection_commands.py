"""Collections over gRPC: files are added, read by the HTTP service, found, and nobody else's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from in_process import local_server
from paths import CHECKPOINTS
from reciter import write_reciter
from support import wait_until

from model_core.errors import InvalidRequest
from triton_server.client import ChatClient
from triton_server.client.collections import Collection, Collections
from triton_server.contract.conversation_errors import CollectionFileNotFound, CollectionNotFound
from triton_server.engine.models.model_pool import create_pool

EMBEDDERS = CHECKPOINTS.parent / "embedders"
BIRDS = "The heron eats fish.\n"


def start(folder: Path, names: list[str]) -> Any:
    """A server with a model that writes and others, and an HTTP service with the same database."""
    models = [write_reciter(folder / "reciter"), *(EMBEDDERS / name for name in names)]
    pool = create_pool(
        [(None, str(model)) for model in models], None, {"kv_cache_memory": 2**26, "max_queue": 256}
    )
    return local_server(pool, folder)


@pytest.fixture(scope="module", params=["plain", "reranked"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatClient]:
    """A client of a server with an embedder, and perhaps a reranker."""
    folder = tmp_path_factory.mktemp("collections")
    names = ["bert"] if request.param == "plain" else ["bert", "bert-reranker"]
    with start(folder, names) as server, ChatClient(server.grpc_url) as connected:
        yield connected


def make(collections: Collections, **files: str) -> Collection:
    """A collection with text files that are read."""
    made = collections.create("birds")
    for name, text in files.items():
        collections.add_file(made, f"{name}.txt", text.encode())
    wait_until(lambda: all(file.status != "in_progress" for file in collections.list_files(made.id)))
    return made


def test_passages_are_found_with_their_places(client: ChatClient) -> None:
    collections = client.collections()
    made = make(collections, birds=BIRDS, cars="A lorry has wheels.\n")
    (listed,) = [each for each in collections.list() if each.id == made.id]
    assert (listed.name, listed.embedder, listed.files["completed"]) == ("birds", "bert", 2)
    found = collections.search([made], BIRDS.strip(), 5)
    assert sorted((p.name, p.place, p.text) for p in found) == [
        ("birds.txt", "line 1", BIRDS.strip()),
        ("cars.txt", "line 1", "A lorry has wheels."),
    ]
    assert collections.search([made, made], BIRDS, 1) == collections.search([made], BIRDS, 1)
    assert len(collections.search([made], "word " * 2000, 1)) == 1  # longer than the model reads
    (birds, _) = collections.list_files(made.id)
    collections.delete_file(made.id, birds.id)
    assert [p.name for p in collections.search([made], BIRDS, 5)] == ["cars.txt"]
    collections.delete(made.id)
    assert made.id not in [each.id for each in collections.list()]


def test_file_that_cannot_be_read_says_why(client: ChatClient) -> None:
    collections = client.collections()
    made = collections.create("broken")
    assert collections.add_file(made, "a.pdf", b"%PDF-1.4 nothing").status == "in_progress"
    wait_until(lambda: collections.list_files(made.id)[0].status == "failed")
    assert "a.pdf" in str(collections.list_files(made.id)[0].error)
    assert collections.search([made], "anything", 3) == []


def test_owners_find_their_own_alone(client: ChatClient) -> None:
    made, other = make(client.collections("a"), birds=BIRDS), client.collections("b")
    assert other.list() == []
    file = client.collections("a").list_files(made.id)[0]
    for act in (
        lambda: other.list_files(made.id),
        lambda: other.add_file(made, "x.txt", b"x"),
        lambda: other.search([made], "x", 1),
        lambda: other.delete_file(made.id, file.id),
        lambda: other.delete(made.id),
    ):
        with pytest.raises(CollectionNotFound):
            act()
    with pytest.raises(CollectionFileNotFound):
        client.collections("a").delete_file(made.id, "file-none")


def test_wrong_fields_are_refused(client: ChatClient) -> None:
    collections = client.collections()
    made = collections.create("wrong")
    fields = {"id": made.id, "name": "a.txt", "size": 100, "overlap": 0}
    with pytest.raises(InvalidRequest, match="base64"):
        collections._run("add_collection_file", data="%%%", **fields)
    with pytest.raises(InvalidRequest, match="name"):
        collections._run("add_collection_file", data="", **{**fields, "name": ""})
    with pytest.raises(InvalidRequest, match="does not have now"):
        collections.find_embedder("gone")


def test_server_without_an_embedder_says_what_to_do(tmp_path: Path) -> None:
    with (
        start(tmp_path, []) as server,
        ChatClient(server.grpc_url) as client,
        pytest.raises(InvalidRequest, match="--model sentence-transformers"),
    ):
        client.collections().create("x")
