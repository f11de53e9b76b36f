"""The names of models on the hub."""

import re
from dataclasses import dataclass

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from ..checks.file_values import shorten
from ..errors import ModelError

# As pages and other programs write names.
_PREFIX = re.compile(r"(https://)?(hf\.co|huggingface\.co)/", re.IGNORECASE)
_NAME = re.compile(r"(\w[\w.-]*/\w[\w.-]*?)(?::(\w[\w.-]*))?", re.ASCII)


@dataclass(frozen=True)
class HubName:
    """A model on the hub.

    Attributes:
        repository: `owner/name`.
        quantization: such as Q4_K_M, which chooses some of the repository's .gguf files; None: not given.
        revision: a branch, tag or commit; None: the branch main.
    """

    repository: str
    quantization: str | None = None
    revision: str | None = None

    def __str__(self) -> str:
        quantization = "" if self.quantization is None else f":{self.quantization}"
        return f"{self.repository}{quantization}"


def parse_name(text: str, revision: str | None = None) -> HubName:
    """Parse `owner/name` or `owner/name:Q4_K_M`, also as a URL of the hub. Raises ModelError otherwise."""
    match = _NAME.fullmatch(_PREFIX.sub("", text, count=1).removesuffix("/") if _PREFIX.match(text) else text)
    try:
        validate_repo_id(match[1] if match else "")
    except HFValidationError as error:
        raise ModelError(
            f"{shorten(text)} is neither a folder nor a file, nor a name on the hub (owner/name)."
        ) from error
    assert match is not None  # "" is no name
    return HubName(match[1], match[2], revision)
