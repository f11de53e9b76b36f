"""The client of collections of files that are searched, over gRPC: `ChatClient.collections()`."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from model_core.errors import InvalidRequest, ModelUnavailable

from ..collections.embedder import Embedder, read_embedder
from ..contract.wire import Vectors
from ..conversations.commands import STORE_COMMANDS

NO_EMBEDDER = (
    "this server has no model that embeds files; start it with one beside the others, such as "
    "--model sentence-transformers/all-MiniLM-L6-v2."
)
_RANKED = 50  # how many of the nearest passages a reranker is shown


@dataclass(frozen=True)
class Collection:
    """A collection.

    Attributes:
        embedder: the model that made its vectors.
        files: their numbers by status: "in_progress", "completed", "failed" and "cancelled".
    """

    id: str
    name: str
    embedder: str
    files: Mapping[str, int]


@dataclass(frozen=True)
class File:
    """A file of a collection. `error` says why it has failed."""

    id: str
    name: str
    status: str
    error: str | None


@dataclass(frozen=True)
class Passage:
    """A passage that was found. `name` is that of its file, and `place` where in the file it is."""

    file: str
    name: str
    place: str
    text: str
    score: float


class Models(Protocol):
    """What a `ChatClient` knows of models that embed and rank."""

    def stats(self) -> dict[str, Any]:
        """The state of the server."""

    def embed(self, texts: list[str], **parameters: Any) -> Vectors:
        """The vectors of texts."""

    def score(self, query: str, documents: Sequence[str], **parameters: Any) -> list[float]:
        """How well documents answer a query."""


Found = list[Collection]
Files = list[File]
Passages = list[Passage]


class Collections:
    """The collections of one owner. The HTTP service knows them as vector stores.

    The methods may be called from several threads. They raise a class of `contract.conversation_errors` or of
    `model_core.errors`, and ServerUnavailable if no server answers.
    """

    def __init__(self, client: Models, ask: Callable[..., Any], owner: str) -> None:
        """`ask` is that of the client."""
        self._client, self._ask, self._owner = client, ask, owner

    def list(self) -> Found:
        """The collections, those that were created first in front."""
        return [Collection(**each) for each in self._run("list_collections")]

    def create(self, name: str) -> Collection:
        """Create a collection for the first model of the server that embeds.

        Raises InvalidRequest if there is none.
        """
        return Collection(**self._run("create_collection", name=name, embedder=self.find_embedder().name))

    def delete(self, collection_id: str) -> None:
        """Remove a collection with its passages. Raises CollectionNotFound."""
        self._run("delete_collection", id=collection_id)

    def list_files(self, collection_id: str) -> Files:
        """The files of a collection, those that were added first in front. Raises CollectionNotFound."""
        return [File(**each) for each in self._run("list_collection_files", id=collection_id)]

    def add_file(self, collection: Collection, name: str, data: bytes) -> File:
        """Add a file of at most 24 MiB. The HTTP service reads and embeds it in the background.

        Raises InvalidRequest if its model is not served, CollectionNotFound, CollectionFull and SessionsFull.
        """
        sizes = self.find_embedder(collection.embedder).chunking()
        encoded = base64.b64encode(data).decode()
        fields = {"name": name, "data": encoded, "size": sizes.size, "overlap": sizes.overlap}
        return File(**self._run("add_collection_file", id=collection.id, **fields))

    def delete_file(self, collection_id: str, file_id: str) -> None:
        """Remove a file from a collection. Raises CollectionNotFound and CollectionFileNotFound."""
        self._run("delete_collection_file", id=collection_id, file=file_id)

    def search(self, collections: Sequence[Collection], query: str, count: int) -> Passages:
        """The `count` passages of collections that fit a query best, the best first.

        A reranker of the server ranks those that are nearest, if there is one. Raises InvalidRequest if a
        model of the collections is not served.
        """
        found: dict[tuple[str, str, str], Passage] = {}  # a file may be in several collections
        reranker = self._find_reranker()
        most = count if reranker is None else max(count, _RANKED)
        for name in dict.fromkeys(collection.embedder for collection in collections):
            embedder, vector = self._embed(name, query)
            fields = {"vector": vector, "fingerprint": embedder.fingerprint, "count": most}
            for collection in collections:
                if collection.embedder == name:
                    for each in self._run("search_collection", id=collection.id, **fields):
                        passage = Passage(**each)
                        found.setdefault((passage.file, passage.place, passage.text), passage)
        best = sorted(found.values(), key=lambda passage: -passage.score)[:most]
        if reranker is not None and best:
            scores = self._client.score(query, [p.text for p in best], model=reranker, truncate=True)
            ranked = sorted(zip(scores, best, strict=True), key=lambda pair: -pair[0])
            best = [passage for _, passage in ranked]
        return best[:count]

    def find_embedder(self, name: str | None = None) -> Embedder:
        """The model of the server that embeds: the first, or the one with a name. It may be loaded for that.

        Raises InvalidRequest if there is none.
        """
        for entry in self._client.stats()["models"]:
            if name not in (None, entry["name"]):
                continue
            if entry["description"] is None:  # nobody knows what it does before it was loaded
                self._try_to_load(entry["name"])
                entry = self._look_up(entry["name"])
            found = read_embedder(entry["name"], entry["description"], entry["fingerprint"])
            if found is not None:
                return found
        if name is None:
            raise InvalidRequest(NO_EMBEDDER)
        raise InvalidRequest(
            f"the collection was made with the model {name!r}, which this server does not have now; start it "
            "with this model, or make the collection again."
        )

    def _embed(self, name: str, query: str) -> tuple[Embedder, Sequence[float]]:
        """The vector of a query, and the model that has made it."""
        embedder = self.find_embedder(name)
        while True:
            # Truncated, because a question may be longer than what such models read.
            found = self._client.embed([query], model=name, truncate=True, **embedder.prompt_for("query"))
            former, embedder = embedder, self.find_embedder(name)
            if embedder.fingerprint is None:
                raise ModelUnavailable(f"the model {name!r} was unloaded at once; try again later.")
            if former.fingerprint in (None, embedder.fingerprint):
                return embedder, found.vectors[0].tolist()

    def _find_reranker(self) -> str | None:
        models = self._client.stats()["models"]
        able = (entry for entry in models if entry["description"] is not None)
        return next((entry["name"] for entry in able if "score" in entry["description"]["tasks"]), None)

    def _try_to_load(self, name: str) -> None:
        try:
            self._client.embed(["a"], model=name)
        except (InvalidRequest, ModelUnavailable):  # it is of another kind, or cannot be loaded
            return

    def _look_up(self, name: str) -> Mapping[str, Any]:
        return next(entry for entry in self._client.stats()["models"] if entry["name"] == name)

    def _run(self, command: str, **fields: Any) -> Any:
        result = self._ask("conversations", command, owner=self._owner, **fields)
        return STORE_COMMANDS[command].read_result(result)
