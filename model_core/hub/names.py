"""The names of models on the hub."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from ..checks.file_values import shorten
from ..errors import ModelError
from ..files.gguf.reader import SPLIT_NAME

# As pages and other programs write names.
_PREFIX = re.compile(r"(https://)?(hf\.co|huggingface\.co)/", re.IGNORECASE)
# The page of a folder or a file, behind the name: /tree/main, /blob/main/model-Q4_K_M.gguf.
_PAGE = re.compile(r"(?P<name>[^/]+/[^/]+)/(?:tree|blob|resolve)/(?P<revision>[^/]+)(?:/(?P<path>.+))?")
# Names without an owner, from the hub's first years, that pages and programs still have.
_FIRST_NAMES = {
    **{name: f"openai-community/{name}" for name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")},
    "distilgpt2": "distilbert/distilgpt2",
    **{
        name: f"sentence-transformers/{name}"
        for name in ("all-MiniLM-L6-v2", "all-MiniLM-L12-v2", "all-mpnet-base-v2")
    },
}
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
    """Parse `owner/name` or `owner/name:Q4_K_M`, also as a URL of the hub. Raises ModelError otherwise.

    A few much used models are also known without their owner, such as gpt2.

    The page of a .gguf file stands for this file, that of a branch, tag or commit for this revision, unless
    `revision` is given.
    """
    name, quantization = text, None
    if prefix := _PREFIX.match(text):
        name = re.split("[?#]", text[prefix.end() :])[0].removesuffix("/")
        if page := _PAGE.fullmatch(name):
            name = page["name"]
            revision = revision or (None if page["revision"] == "main" else page["revision"])
            quantization = _file_name(page["path"] or "")
    name = _FIRST_NAMES.get(name, name)
    match = _NAME.fullmatch(name)
    try:
        validate_repo_id(match[1] if match else "")
    except HFValidationError as error:
        raise ModelError(
            f"{shorten(text)} is neither a folder nor a file, nor a name on the hub (owner/name); "
            "`tritonchat list` shows the models on this machine."
        ) from error
    assert match is not None  # "" is no name
    return HubName(match[1], quantization or match[2], revision)


def _file_name(path: str) -> str | None:
    """The name of a .gguf file without the number of its part; None for other files."""
    name = PurePosixPath(path).name
    if not name.lower().endswith(".gguf"):
        return None
    part = SPLIT_NAME.fullmatch(name)
    return part["stem"] if part else name
