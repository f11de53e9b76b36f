"""The models that are served, in OpenAI's form."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from model_core.llm.description import ModelDescription, sees_images

from ..served_models import ModelInfo


class ModelMeta(BaseModel):
    """The measures of a model, by llama.cpp's names, as far as they are known."""

    n_vocab: int | None = Field(None, description="Tokens of the vocabulary.")
    n_ctx: int | None = Field(None, description="The same as max_model_len.")
    n_ctx_train: int | None = Field(None, description="The same, under its older name.")
    n_embd: int | None = Field(None, description="Numbers of a vector, of a model that makes embeddings.")
    n_params: int | None = Field(None, description="Weights, about.")
    size: int | None = Field(None, description="Bytes of the weights in memory.")


class ModelEntry(BaseModel):
    """A model that is served."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    state: Literal["unloaded", "loading", "ready", "failed"] = Field(
        description="Not OpenAI's: whether it is in memory. An unloaded model is loaded by the first request."
    )
    progress: float | None = Field(None, description="While it is loaded: which part, from 0 to 1.")
    error: str | None = Field(None, description="Why it could not be loaded.")
    parent: str | None = Field(None, description="Of an adapter: the model that it changes.")
    root: str = Field(description="The same as id, for clients of vLLM.")
    fingerprint: str | None = Field(
        None, description="The `system_fingerprint` of its answers, while it is loaded."
    )
    input_modalities: list[str] | None = Field(
        None,
        description="text, and image if it sees, once the model was loaded for the first time. null if "
        "another server computes the model, which does not say.",
    )
    max_model_len: int | None = Field(
        None,
        description="Tokens of prompt and answer together, once the model was loaded for the first time.",
    )
    meta: ModelMeta | None = Field(
        None, description="What llama.cpp's server tells of a model, once it was loaded for the first time."
    )


class ModelList(BaseModel):
    """The models that are served. The first one is called `default`, too."""

    object: Literal["list"]
    data: list[ModelEntry]


def list_models(models: Sequence[ModelInfo]) -> ModelList:
    """All of them."""
    return ModelList(object="list", data=[describe_model(model) for model in models])


def input_modalities(description: ModelDescription) -> list[str] | None:
    """What a model can be shown; None if nobody knows."""
    sees = sees_images(description)
    return None if sees is None else ["text", "image"] if sees else ["text"]


def describe_model(model: ModelInfo) -> ModelEntry:
    """One of them."""
    return ModelEntry(
        id=model.name,
        object="model",
        created=model.start_time,
        owned_by="tritonchat",
        state=model.state,
        progress=model.progress,
        error=model.error,
        parent=model.parent,
        root=model.name,
        fingerprint=model.fingerprint,
        input_modalities=None if model.description is None else input_modalities(model.description),
        max_model_len=None if model.description is None else model.description["max_context"],
        meta=None if model.description is None else _measure(model.description),
    )


def _measure(description: ModelDescription) -> ModelMeta:
    return ModelMeta(
        n_vocab=description["vocab_size"],
        n_ctx=description["max_context"],
        n_ctx_train=description["max_context"],
        n_embd=(description["embedding"] or {}).get("dimensions"),
        n_params=description["parameters"],
        size=description["weight_bytes"],
    )
