"""A file of the servers behind the proxy, which commands change, and which version gets a request.

Servers of a new version of the model or of tritonchat answer differently, so each server has a version, a
number. One version gets the requests; a canary, of another version, gets a share of the conversations.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from filelock import FileLock
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from model_core.errors import TritonchatError

_HASHES = 2**64


def check_url(url: str) -> str:
    """The address of a server without a slash at its end. Raises ValueError."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url} is no HTTP address; give one such as http://10.0.0.2:8080.")
    return url.rstrip("/")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Server(_Model):
    """A server. One that is draining gets no new requests."""

    url: Annotated[str, AfterValidator(check_url)]
    version: int = 1
    is_draining: bool = False


class Canary(_Model):
    """The version that is tried: it gets a share, from 0 to 1, of the conversations, or of the API keys."""

    version: int
    share: float = Field(ge=0, le=1)
    by: Literal["conversation", "key"] = "conversation"


class Fleet(_Model):
    """All servers. `version` is the one that gets the requests which the canary does not get."""

    version: int = 1
    canary: Canary | None = None
    servers: tuple[Server, ...] = ()

    @property
    def versions(self) -> set[int]:
        """The versions that get new requests."""
        return {self.version} | ({self.canary.version} if self.canary else set())

    def choose_version(self, conversation: str | None, api_key: str) -> int:
        """The version for a request. All requests of a conversation, or of a key, get the same one.

        If the share of the canary grows, it keeps those that it had. `conversation` is None for a request
        that has none; the key then chooses.
        """
        canary = self.canary
        if canary is None:
            return self.version
        name = api_key if canary.by == "key" or conversation is None else conversation
        number = hashlib.blake2b(f"canary\0{name}".encode(errors="surrogatepass"), digest_size=8).digest()
        return canary.version if int.from_bytes(number, "big") < canary.share * _HASHES else self.version

    def with_servers(self, urls: Sequence[str], version: int) -> "Fleet":
        """Add servers of a version. Those that are there already get it."""
        kept = tuple(server for server in self.servers if server.url not in urls)
        return self.model_copy(
            update={"servers": kept + tuple(Server(url=url, version=version) for url in urls)}
        )

    def without(self, urls: Sequence[str]) -> "Fleet":
        """Remove servers."""
        kept = tuple(server for server in self.servers if server.url not in urls)
        return self.model_copy(update={"servers": kept})

    def draining(self, urls: Sequence[str]) -> "Fleet":
        """Send these servers no new requests."""
        servers = tuple(
            server.model_copy(update={"is_draining": True}) if server.url in urls else server
            for server in self.servers
        )
        return self.model_copy(update={"servers": servers})


def load_fleet(path: Path) -> Fleet:
    """Read a file. One that does not exist has no servers. Raises TritonchatError."""
    try:
        return Fleet.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Fleet()
    except OSError as error:
        raise TritonchatError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise TritonchatError(f"{path} is no list of servers: {place}: {first['msg']}.") from error


def change_fleet(path: Path, change: Callable[[Fleet], Fleet]) -> Fleet:
    """Change a file; the proxy sees the old one or the new one. Raises TritonchatError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            fleet = change(load_fleet(path))
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
                file.write(fleet.model_dump_json(indent=1, exclude_defaults=True) + "\n")
            os.replace(file.name, path)
    except OSError as error:
        raise TritonchatError(f"{path} cannot be written: {error.strerror}.") from error
    return fleet
