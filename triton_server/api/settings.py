"""What the process of the HTTP service is started with."""

from functools import cached_property

from pydantic import model_validator

from model_core.errors import TritonchatError
from model_core.llm.settings import LLMSettings

from ..contract.api_keys import ApiKeys
from ..settings import server as groups
from ..system.body_encoding import BodyLimit
from ..system.hosts import is_loopback


class ServiceSettings(
    groups.AddressSettings,
    groups.TlsSettings,
    groups.FrontSettings,
    groups.HttpSettings,
    groups.ImageSettings,
    groups.ImageUrlSettings,
    groups.LimitSettings,
    groups.McpSettings,
    groups.StorageSettings,
    groups.TraceSettings,
):
    """The settings of the HTTP service.

    Raises TritonchatError as ApiKeys does, and for a network address with neither keys nor `open_to_all`.

    Attributes:
        server: Triton's gRPC endpoint, as `wire.parse_endpoint` reads it.
        max_streams: as many as the engine accepts, if nobody says another number.
        max_concurrency: requests that the engine computes together.
        keeps_prefixes: the engine keeps its prefix cache, or answers, on disk.
        restarts_folder: of `restarts.Restarts`; None: no supervisor restarts the service.
    """

    server: str = "127.0.0.1:8001"
    max_streams: int = LLMSettings.max_concurrency + LLMSettings.max_queue
    max_concurrency: int = LLMSettings.max_concurrency
    keeps_prefixes: bool = False
    restarts_folder: str | None = None

    @model_validator(mode="after")
    def _check_access(self) -> "ServiceSettings":
        if not (self.has_keys or self.open_to_all or is_loopback(self.host)):
            raise TritonchatError(
                f"--host {self.host} opens the service to the network; give it an --api-key or "
                "--stored-keys, or say --open-to-all if anybody who can reach it may use it."
            )
        return self

    @property
    def has_keys(self) -> bool:
        """Whether requests need a key."""
        return self.stored_keys or bool(self.keys)

    @cached_property
    def body_limit(self) -> BodyLimit:
        """How large a request may be, or a conversation with what it continues."""
        return BodyLimit(self.max_body_bytes, "--max-body", self.max_body_images_bytes)

    @cached_property
    def keys(self) -> ApiKeys:
        """The valid keys with their owners."""
        return ApiKeys(key.get_secret_value() for key in self.api_keys)
