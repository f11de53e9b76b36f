"""A stand-in for the Hugging Face hub, on this machine.

It speaks the part of the hub's protocol that `huggingface_hub` needs to download models, so that tests load
a model by its hub name without a network:

    with HubServer({"someone/tiny": folder}) as hub:
        ...  # in a process started with HF_ENDPOINT=hub.url and HF_HOME=<an empty folder>

Like the hub, it keeps weights in large file storage: it names them by SHA-256, and redirects to another URL
for their content, which can be read in parts.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

API = re.compile(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?")
RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
STORED = re.compile(r"/storage/(.+)")
RANGE = re.compile(r"bytes=(\d+)-(\d*)")
LARGE = (".safetensors", ".gguf", ".bin")


@dataclass(frozen=True)
class Content:
    """What a file holds: `data`, and zeros up to its size."""

    data: bytes
    size: int
    is_large: bool

    @property
    def git_id(self) -> str:
        """The name that git has for it, or for the file that stands for it."""
        return hashlib.sha1(b"blob %d\0" % len(self.data) + self.data).hexdigest()

    @cached_property
    def etag(self) -> str:
        return hashlib.sha256(self.data).hexdigest() if self.is_large else self.git_id

    def describe(self) -> dict[str, Any]:
        lfs = {"lfs": {"oid": self.etag, "sha256": self.etag, "size": self.size, "pointerSize": 130}}
        return {"size": self.size, **(lfs if self.is_large else {})}


@dataclass(frozen=True)
class Commit:
    """The files of a revision, by their paths inside the repository."""

    files: dict[str, Content]

    @classmethod
    def of(cls, folder: Path, sizes: Mapping[str, int]) -> "Commit":
        files = {}
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name, data = path.relative_to(folder).as_posix(), path.read_bytes()
            files[name] = Content(data, sizes.get(name, len(data)), path.suffix in LARGE)
        return cls(files)

    @cached_property
    def id(self) -> str:
        names = [f"{path} {content.etag}" for path, content in self.files.items()]
        return hashlib.sha1("\n".join(names).encode()).hexdigest()

    def siblings(self) -> list[dict[str, Any]]:
        return [
            {"rfilename": path, "blobId": content.git_id, **content.describe()}
            for path, content in self.files.items()
        ]

    def tree(self) -> list[dict[str, Any]]:
        return [
            {"type": "file", "path": path, "oid": content.git_id, **content.describe()}
            for path, content in self.files.items()
        ]


@dataclass
class Repository:
    """One model.

    Attributes:
        folder: the files of the revision "main".
        revisions: folders of other revisions.
        token: the only one with which files can be read; None: everybody can.
        sizes: by path, those of files that are larger than they are in the folder; zeros follow.
        tells_sizes: whether it says how large files are, and how their contents are called.
    """

    folder: Path
    revisions: Mapping[str, Path] = field(default_factory=dict)
    token: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    tells_sizes: bool = True

    @cached_property
    def commits(self) -> dict[str, Commit]:
        """By revision."""
        folders = {"main": self.folder, **self.revisions}
        return {name: Commit.of(folder, self.sizes) for name, folder in folders.items()}

    def find(self, revision: str | None) -> Commit | None:
        by_id = {commit.id: commit for commit in self.commits.values()}
        return (self.commits | by_id).get(revision or "main")


class HubHandler(BaseHTTPRequestHandler):
    """Answers one request from the repositories of its `HubServer`."""

    server: "HubServer"

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.requests.append((self.command, path))
        if stored := STORED.fullmatch(path):
            return self.answer_content(self.server.find_stored(stored[1]))
        if match := API.fullmatch(path):
            name, kind, revision = match.groups()
        elif match := RESOLVE.fullmatch(path):
            name, revision, kind = match[1], match[2], "file"
        else:
            return self.refuse(404, "RepoNotFound")

        repository = self.server.repositories.get(name)
        if repository is None:  # the hub does not tell strangers which private repositories there are
            return self.refuse(401, "RepoNotFound")
        commit = repository.find(revision)
        if commit is None:
            return self.refuse(404, "RevisionNotFound")

        headers = {"X-Repo-Commit": commit.id}
        if kind == "file":
            return self.answer_file(repository, commit.files.get(match[3]), headers)
        siblings = commit.siblings()
        if not repository.tells_sizes:
            siblings = [{"rfilename": sibling["rfilename"]} for sibling in siblings]
        description = {"id": name, "sha": commit.id, "siblings": siblings}
        reply = commit.tree() if kind == "tree" else description
        return self.answer(200, json.dumps(reply).encode(), headers | {"Content-Type": "application/json"})

    do_HEAD = do_GET

    def answer_file(self, repository: Repository, content: Content | None, headers: dict[str, str]) -> None:
        authorization = self.headers.get("Authorization")
        if repository.token is not None and authorization != f"Bearer {repository.token}":
            return self.refuse(401 if authorization is None else 403, "GatedRepo")
        if content is None:
            return self.refuse(404, "EntryNotFound", headers)
        if not content.is_large:
            return self.answer(200, content.data, headers | {"ETag": f'"{content.etag}"'})
        linked = {"X-Linked-Etag": f'"{content.etag}"', "X-Linked-Size": str(content.size)}
        location = {"Location": f"{self.server.storage_url}/storage/{content.etag}"}
        return self.answer(302, b"", headers | linked | location)

    def answer_content(self, content: Content) -> None:
        """A file of the large storage, or the part that the request asks for."""
        headers = {"ETag": f'"{content.etag}"', "Accept-Ranges": "bytes"}
        if asked := RANGE.fullmatch(self.headers.get("Range") or ""):
            start, stop = int(asked[1]), min(int(asked[2] or content.size) + 1, content.size)
            self.server.ranges.append((start, stop))
            if start >= stop:
                return self.answer(416, b"", {"Content-Range": f"bytes */{content.size}"})
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{content.size}"
            return self.answer(206, content.data[start:stop].ljust(stop - start, b"\0"), headers)
        return self.answer(200, content.data, headers)

    def refuse(self, status: int, error_code: str, headers: Mapping[str, str] | None = None) -> None:
        """The hub says in a header of its own what was not found; the client turns it into an exception."""
        self.answer(status, b"", {"X-Error-Code": error_code, **(headers or {})})

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.server.send(self.wfile, body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: `HubServer.requests` is the log."""


class HubServer(ThreadingHTTPServer):
    """Serves folders as hub repositories on a free port of 127.0.0.1 for as long as its `with` block lasts.

    The folders are read once, when they are first asked for. `requests` lists the (method, path) pairs seen
    so far, and `ranges` the parts (start, stop) of large files that were asked for.
    """

    daemon_threads = True

    def __init__(self, repositories: Mapping[str, Path | Repository]) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.repositories = {
            name: value if isinstance(value, Repository) else Repository(value)
            for name, value in repositories.items()
        }
        self.requests: list[tuple[str, str]] = []
        self.ranges: list[tuple[int, int]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.storage_url = f"http://localhost:{self.server_port}"  # to the client, this is another host
        self._limit: int | None = None
        self._is_limit_reached, self._is_resumed = threading.Event(), threading.Event()

    def __enter__(self) -> "HubServer":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_resumed.set()
        self.shutdown()
        self.server_close()

    @contextmanager
    def stalled_after(self, size: int) -> Iterator[threading.Event]:
        """Within the block, an answer stalls after so many bytes. Yields the event of the first that does."""
        self._limit = size
        self._is_limit_reached.clear()
        self._is_resumed.clear()
        try:
            yield self._is_limit_reached
        finally:
            self._limit = None
            self._is_resumed.set()

    def send(self, file: Any, body: bytes) -> None:
        """Send a body, whose end may have to wait."""
        try:
            if self._limit is not None and len(body) > self._limit:
                start, body = body[: self._limit], body[self._limit :]
                file.write(start)
                file.flush()
                self._is_limit_reached.set()
                self._is_resumed.wait()
            file.write(body)
        except OSError:  # the client has gone
            pass

    def find_stored(self, etag: str) -> Content:
        """The large file of this name."""
        commits = [
            commit for repository in self.repositories.values() for commit in repository.commits.values()
        ]
        return next(c for commit in commits for c in commit.files.values() if c.etag == etag)

    def fetched(self) -> list[str]:
        """The paths of the contents that were downloaded so far."""
        return [path for method, path in self.requests if method == "GET" and not path.startswith("/api/")]
