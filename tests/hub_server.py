"""A stand-in for the Hugging Face hub, on this machine.

It speaks the part of the hub's protocol that `huggingface_hub.snapshot_download` needs, so that tests
load a model by its hub name without a network:

    with HubServer({"someone/tiny": folder}) as hub:
        ...  # in a process started with HF_ENDPOINT=hub.url and HF_HOME=<an empty folder>
"""

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

API = re.compile(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?")
RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")


def git_blob_id(content: bytes) -> str:
    """The hub names a file's content as git does, and sends that name as its ETag."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass(frozen=True)
class Repository:
    """One model: what its files hold, by their path inside the repository."""

    files: dict[str, bytes]

    @classmethod
    def of(cls, folder: Path) -> "Repository":
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    @cached_property
    def commit(self) -> str:
        names = [f"{path} {git_blob_id(content)}" for path, content in self.files.items()]
        return hashlib.sha1("\n".join(names).encode()).hexdigest()

    def tree(self) -> list[dict[str, Any]]:
        return [
            {"type": "file", "path": path, "size": len(content), "oid": git_blob_id(content)}
            for path, content in self.files.items()
        ]


class HubHandler(BaseHTTPRequestHandler):
    """Answers one request from the repositories of its `HubServer`."""

    server: "HubServer"

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.requests.append((self.command, path))
        if match := API.fullmatch(path):
            name, kind, revision = match.groups()
        elif match := RESOLVE.fullmatch(path):
            name, revision, kind = match[1], match[2], "file"
        else:
            return self.refuse("RepoNotFound")

        repository = self.server.repositories.get(name)
        if repository is None:
            return self.refuse("RepoNotFound")
        if revision not in (None, "main", repository.commit):
            return self.refuse("RevisionNotFound")

        headers = {"X-Repo-Commit": repository.commit}
        if kind == "file":
            content = repository.files.get(match[3])
            if content is None:
                return self.refuse("EntryNotFound", headers)
            return self.answer(200, content, headers | {"ETag": f'"{git_blob_id(content)}"'})

        # Older clients take the list of files from the model's description, newer ones from the tree.
        siblings = [{"rfilename": file} for file in repository.files]
        description = {"id": name, "sha": repository.commit, "siblings": siblings}
        reply = repository.tree() if kind == "tree" else description
        return self.answer(200, json.dumps(reply).encode(), headers | {"Content-Type": "application/json"})

    do_HEAD = do_GET

    def refuse(self, error_code: str, headers: Mapping[str, str] | None = None) -> None:
        """The hub says in a header of its own what was not found; the client turns it into an exception."""
        self.answer(404, b"", {"X-Error-Code": error_code, **(headers or {})})

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: `HubServer.requests` is the log."""


class HubServer(ThreadingHTTPServer):
    """Serves folders as hub repositories on a free port of 127.0.0.1 for as long as its `with` block lasts.

    The folders are read once, at the start. `requests` lists the (method, path) pairs seen so far.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.repositories = {name: Repository.of(folder) for name, folder in folders.items()}
        self.requests: list[tuple[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "HubServer":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()
