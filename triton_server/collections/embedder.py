"""What has to be known of the model that embeds a collection."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import vectors
from .passages import Chunking

if TYPE_CHECKING:  # with it, clients would import the compiler
    from model_core.llm.description import ModelDescription

_AUTO = Chunking(800, 400)  # as OpenAI has it, where the model takes so much
_SPARE_TOKENS = 2  # that a model adds to a text
_PROMPTS = {"query": ("query", "search_query"), "document": ("document", "passage", "search_document")}


@dataclass(frozen=True)
class Embedder:
    """A model that embeds. `fingerprint` names all on which its vectors depend; None: it is not known."""

    name: str
    dimensions: int
    max_tokens: int
    prompts: tuple[str, ...]
    fingerprint: str | None

    def prompt_for(self, use: str) -> dict[str, str]:
        """The field of a request with the name of the model's own prompt for queries or documents, if any."""
        known = next((name for name in _PROMPTS[use] if name in self.prompts), None)
        return {} if known is None else {"prompt_name": known}

    def chunking(self) -> Chunking:
        """How files are cut unless a client says it."""
        if self.max_tokens >= _AUTO.size:
            return _AUTO
        size = self.max_tokens - _SPARE_TOKENS
        return Chunking(size, size // 5)


def read_embedder(
    name: str, description: "ModelDescription | None", fingerprint: str | None
) -> Embedder | None:
    """A model as one that embeds; None if it does not embed, or if nobody knows that yet.

    Models that generate text make vectors, too, but nobody has trained them for that.
    """
    if description is None or "generate" in description["tasks"] or "embed" not in description["tasks"]:
        return None
    details = description["embedding"]
    if details is None or details["pooling"] is None or details["dimensions"] > vectors.MAX_DIMENSIONS:
        return None
    sizes = int(details["dimensions"]), int(details["max_tokens"])
    return Embedder(name, *sizes, tuple(details["prompts"]), fingerprint)
