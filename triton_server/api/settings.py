"""The settings of the HTTP service: where it listens, who may use it, and how much."""

import json
from typing import Any

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from model_core.errors import TritonchatError

from ..hosts import is_loopback

_PREFIX = "TRITONCHAT_SERVICE_"


class ServiceSettings(BaseSettings):
    """The operator's settings. A limit of 0 means no limit. Keys and passwords are never printed.

    Fields that are not given are read from the environment, which `to_environment` makes in another process.
    Raises TritonchatError for a key that cannot be sent in a header, and for a network address with neither
    keys nor `open_to_all`.

    Attributes:
        host, port: where the service listens.
        server: Triton's gRPC endpoint, as `wire.parse_endpoint` reads it.
        api_keys: the valid keys; none: the service needs no key.
        open_to_all: anybody who can reach the service may use it.
        cors_origins: origins of web pages that may call the service; "*": all.
        database: SQLAlchemy URL of what is stored: sessions and responses; None: SQLite in the user's data
            folder.
        max_body_bytes: the maximum size of a request.
        max_messages: the maximum of messages in a conversation.
        max_answer_tokens: the maximum of every answer, whatever the request says.
        requests_per_minute: of one key, or of one address if there are no keys.
        max_streams: running answers of all clients together.
        max_streams_per_key: running answers of one key, or of one address if there are no keys.
        max_sessions, max_session_bytes: stored for one key, or for all clients if there are no keys; the same
            limits hold for responses.
        session_expiry_s: sessions that have not changed for so long are removed.
        response_expiry_s: conversations of responses to which nothing was added for so long are removed.
        keeps_prefixes: the engine keeps its prefix cache on disk.
        client_timeout_s: a client that neither reads nor sends for so long is disconnected.
        log_content: write prompts and answers to the log.
        vllm_metrics: /metrics has the engine's metrics under vLLM's names, too.
        tls_certificate, tls_key: PEM files; None: no TLS.
        restarts_folder: of `restarts.Restarts`; None: no supervisor restarts the service.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_parse_none_str="null", frozen=True, hide_input_in_errors=True
    )

    host: str = "127.0.0.1"
    port: int = 8080
    server: str = "127.0.0.1:8001"
    api_keys: tuple[SecretStr, ...] = ()
    open_to_all: bool = False
    cors_origins: tuple[str, ...] = ()
    database: SecretStr | None = None
    max_body_bytes: int = 4 * 2**20
    max_messages: int = 1000
    max_answer_tokens: int = 0
    requests_per_minute: int = 0
    max_streams: int = 256
    max_streams_per_key: int = 0
    max_sessions: int = 10_000
    max_session_bytes: int = 2**30
    session_expiry_s: float = 0
    response_expiry_s: float = 30 * 86400
    keeps_prefixes: bool = False
    client_timeout_s: float = 30.0
    log_content: bool = False
    vllm_metrics: bool = False
    tls_certificate: str | None = None
    tls_key: str | None = None
    restarts_folder: str | None = None

    @field_validator("api_keys")
    @classmethod
    def _check_keys(cls, keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for key in (secret.get_secret_value() for secret in keys):
            if not (key.isascii() and key.isprintable() and key == key.strip() != ""):
                raise TritonchatError(
                    "an API key must consist of printable ASCII characters, without spaces at its ends."
                )
        return keys

    @model_validator(mode="after")
    def _check_host(self) -> "ServiceSettings":
        if not (self.api_keys or self.open_to_all or is_loopback(self.host)):
            raise TritonchatError(
                f"--host {self.host} opens the service to the network; give it an --api-key, or say "
                "--open-to-all if anybody who can reach it may use it."
            )
        return self

    def to_environment(self) -> dict[str, str]:
        """The environment variables for the service's process. Other users could read a command line."""
        values: dict[str, Any] = {
            **self.model_dump(mode="json"),
            "api_keys": [key.get_secret_value() for key in self.api_keys],
            "database": None if self.database is None else self.database.get_secret_value(),
        }
        return {
            _PREFIX + name.upper(): value if isinstance(value, str) else json.dumps(value)
            for name, value in values.items()
        }


def default_value(name: str) -> Any:
    """The default value of the setting called `name`."""
    return ServiceSettings.model_fields[name].default
