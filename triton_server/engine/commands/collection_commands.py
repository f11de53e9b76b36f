"""The commands of collections of files that are searched.

They use the database of the HTTP service, which reads, cuts and embeds the files that are added here
(api/vector_stores/indexer.py). Vectors of queries come with the commands.
"""

import base64
import binascii
import time
from pathlib import Path
from typing import Any

import numpy as np

from model_core.errors import InvalidRequest

from ...collections.passages import Chunking
from ...collections.search import CollectionSearch, WrongEmbedder
from ...collections.store import CollectionStore, Contents, NewFile, new_collection
from ...conversations.files import FileStore, files_folder, new_file_id
from ...conversations.limits import SessionLimits
from ...conversations.tables import CollectionFile, StoredFile
from ...conversations.transactions import Database

_PURPOSE = "user_data"  # OpenAI's for files of vector stores
_MAX_COLLECTIONS, _MAX_FILES = 200, 1000  # in a list
_KEPT_S = 3600.0  # a file that no collection has is removed after so long


class CollectionCommands:
    """Runs the commands. The methods may be called from several threads."""

    def __init__(self, database: Database, url: str, limits: SessionLimits) -> None:
        """`url` is that of the database, beside which files lie."""
        self._store, self._search = CollectionStore(database, limits), CollectionSearch(database)
        self._files = FileStore(database, limits, files_folder(url))

    def list_collections(self, command: Any) -> list[dict[str, Any]]:
        """The collections, those that were created first in front."""
        found = self._store.list_collections(command.owner, _MAX_COLLECTIONS, None, None, oldest_first=True)
        return [_describe(contents) for contents in found]

    def create(self, command: Any) -> dict[str, Any]:
        """Create a collection."""
        made = new_collection(command.owner, command.name, {}, command.embedder)
        return _describe(self._store.create(made))

    def delete(self, command: Any) -> None:
        """Remove a collection. Files that no other one has follow it after a while."""
        self._store.delete(command.owner, command.id)

    def list_files(self, command: Any) -> list[dict[str, Any]]:
        """The files of a collection, those that were added first in front."""
        found = self._store.list_files(command.owner, command.id, _MAX_FILES, oldest_first=True)
        return [_describe_file(file) for file in found]

    def add_file(self, command: Any) -> dict[str, Any]:
        """Add a file, which is read and embedded in the background."""
        self._store.get(command.owner, command.id)  # before anything is written
        try:
            data = base64.b64decode(command.data, validate=True)
        except binascii.Error:
            raise InvalidRequest("data must be a file in base64.", "data") from None
        file_id, now = new_file_id(), time.time()
        self._files.check_room(command.owner, len(data))
        self._files.create_folder()
        _write(self._files.path(file_id), data)
        self._files.add(
            StoredFile(
                owner=command.owner,
                id=file_id,
                purpose=_PURPOSE,
                filename=command.name,
                bytes=len(data),
                created=now,
                expires=now + _KEPT_S,
            )
        )
        new = NewFile(file_id, {}, Chunking(command.size, command.overlap).to_json())
        (file,) = self._store.add_files(command.owner, command.id, [new])
        return _describe_file(file)

    def delete_file(self, command: Any) -> None:
        """Remove a file from a collection."""
        self._store.delete_file(command.owner, command.id, command.file)

    def search(self, command: Any) -> list[dict[str, Any]]:
        """The passages of a collection that are nearest to a vector, best first."""
        (collection,) = self._search.find_collections(command.owner, [command.id], "id")
        query = np.asarray([command.vector], np.float32)
        try:
            found = self._search.search(collection, query, command.count, fingerprint=command.fingerprint)
        except WrongEmbedder:
            raise InvalidRequest(
                f"the files of {collection.name!r} were read for another model than the one that is called "
                f"{collection.embedder!r} now; add them again.",
                "id",
            ) from None
        self._store.note_use([collection])
        return [
            {"file": f.file_id, "name": f.filename, "place": f.place, "text": f.text, "score": f.score}
            for f in found
        ]


def _write(path: Path, data: bytes) -> None:
    """Write a file whole: whoever sees it sees all of it."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.rename(path)


def _describe(contents: Contents) -> dict[str, Any]:
    collection = contents.collection
    about = {"id": collection.id, "name": collection.name, "embedder": collection.embedder}
    return {**about, "files": dict(contents.counts)}


def _describe_file(file: CollectionFile) -> dict[str, Any]:
    error = None if file.error is None else file.error["message"]
    return {"id": file.file_id, "name": file.filename, "status": file.status, "error": error}
