"""The models to choose from, with what decides whether they fit, and how fast they are."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class CatalogueModel:
    """A published model, as it is best run here. `benchmarks/models/recommended.py` computes the figures.

    Attributes:
        name: on the hub, as --model takes it.
        licence: as its page says.
        family: its model_type.
        weights: --weights; None: as they are stored.
        download_bytes: of its weights.
        memory_bytes: all that it needs for one request of 4096 tokens, with the program.
        weight_bytes: of the weights in memory.
        read_bytes, multiplications, head_multiplications, attended: as in StepEstimate.
        kv_bytes: keys and values of one token, as they are stored by default.
    """

    name: str
    licence: str
    family: str
    weights: str | None
    download_bytes: int
    memory_bytes: int
    weight_bytes: int
    read_bytes: int
    multiplications: int
    head_multiplications: int
    attended: int
    kv_bytes: int

    @property
    def form(self) -> str:
        """What is downloaded: a folder in Hugging Face layout, or a .gguf file."""
        return "GGUF" if ":" in self.name else "folder"

    @property
    def arguments(self) -> str:
        """What follows `--model`."""
        return self.name if self.weights is None else f"{self.name} --weights {self.weights}"


@cache
def list_catalogue() -> tuple[CatalogueModel, ...]:
    """All models, from the least able to the ablest by what their makers publish."""
    text = resources.files("model_core").joinpath("recommend", "models.json").read_text()
    return tuple(CatalogueModel(**fields) for fields in json.loads(text))
