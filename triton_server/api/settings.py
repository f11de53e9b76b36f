"""How the HTTP service is run: where it listens, who may use it, and how much of it."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from model_core import TritonchatError

from ..hosts import is_loopback

_VARIABLE = "TRITONCHAT_API_SETTINGS"


@dataclass(frozen=True)
class Settings:
    """What an operator may choose. Limits of 0 are none.

    Attributes:
        host, port: where the service listens.
        server: Triton's gRPC endpoint, as `wire.endpoint` reads it.
        api_keys: any of these opens the service; none: nobody is asked for one.
        open_to_all: the operator has said that anybody who can reach the service may use it.
        cors: origins of web pages that may call the service; "*": all. None by default.
        database: SQLAlchemy URL of the sessions' database; None: SQLite in the user's data folder.
        max_body_bytes: of a request.
        max_messages: of a conversation.
        max_answer_tokens: an answer is cut here, whatever was asked for.
        requests_per_minute: of one key, or of one address where there are no keys.
        max_streams: answers under way at once, all clients together.
        client_timeout_s: a client that takes, or sends, nothing for so long is cut off.
        log_content: write what is said into the log.
        tls_certificate, tls_key: PEM files; None: no TLS.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    server: str = "127.0.0.1:8001"
    api_keys: tuple[str, ...] = ()
    open_to_all: bool = False
    cors: tuple[str, ...] = ()
    database: str | None = None
    max_body_bytes: int = 4 * 2**20
    max_messages: int = 1000
    max_answer_tokens: int = 0
    requests_per_minute: int = 0
    max_streams: int = 256
    client_timeout_s: float = 30.0
    log_content: bool = False
    tls_certificate: str | None = None
    tls_key: str | None = None

    def __post_init__(self) -> None:
        """Raises TritonchatError for a key that no header can carry, and for a network address with neither
        keys nor `open_to_all`."""
        if not (self.api_keys or self.open_to_all or is_loopback(self.host)):
            raise TritonchatError(
                f"--host {self.host} opens the service to the network; give it an --api-key, or say "
                "--open-to-all if anybody who can reach it may use it."
            )
        if not all(key.isascii() and key.isprintable() and key == key.strip() != "" for key in self.api_keys):
            raise TritonchatError(
                "an API key must be of printable ASCII characters, without spaces around it."
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """What `to_environment` of another process wrote; the defaults where there is none."""
        values = json.loads(environment.get(_VARIABLE, "{}"))
        lists = {f.name for f in fields(cls) if isinstance(f.default, tuple)}
        return cls(**{name: tuple(value) if name in lists else value for name, value in values.items()})

    def to_environment(self) -> dict[str, str]:
        """The variable that hands these to the service's process; never on a command line, for all to see."""
        return {_VARIABLE: json.dumps(asdict(self))}
