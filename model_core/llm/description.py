"""The description of a loaded model, for `LLM.describe`, and for all who read what a model is."""

from dataclasses import asdict
from typing import Any, TypedDict

from ..chat.template import ChatTemplate
from ..kernels.emit import TILES_CHOICE
from .loaded import LoadedModel


class ModelDescription(TypedDict):
    """What may be read of a model. Every engine fills all fields; None is what it does not know.

    Attributes:
        name: of the model.
        family: its architecture; of a model that another server computes, whose API that server has.
        engine: URL of the server that computes it; None: this one.
        file_format: of the weights: "gguf" or "safetensors".
        parameters: about how many weights it has.
        weights, weight_bytes: how the weights are stored in memory, such as "int8", and their size.
        arithmetic: the type to which products round activations: int8 if any does, bfloat16, or float32 for
            none.
        tiles: whether products use tiles (Intel AMX), and why.
        tasks: of "generate", "embed" and "score".
        embedding: its dimensions, pooling, the most tokens of an input and the names of its prompts; None if
            it does not embed.
        layers, vocab_size: of the model.
        max_context: tokens of prompt and answer together.
        max_concurrency, max_queue: requests that are computed together, and that may wait.
        kv_cache_memory, kv_cache_dtype: bytes for keys and values, and how they are stored.
        threads: that compute it.
        chat_template: whether it answers conversations; otherwise it continues texts.
        enable_thinking: whether it reasons by default; None if that cannot be switched.
        tokenizer: whether it takes text; otherwise it takes token ids only.
        vision: what images it sees (ImageReader.describe); None for none, or if that is not known.
        counts_tokens: whether the tokens of a text can be asked for.
        sampling: the defaults of the sampling parameters of which the model has some.
    """

    name: str
    family: str
    engine: str | None
    file_format: str | None
    parameters: int | None
    weights: str | None
    weight_bytes: int | None
    arithmetic: str | None
    tiles: str | None
    tasks: list[str]
    embedding: dict[str, Any] | None
    layers: int | None
    vocab_size: int | None
    max_context: int | None
    max_concurrency: int | None
    max_queue: int | None
    kv_cache_memory: int | None
    kv_cache_dtype: str | None
    threads: int | None
    chat_template: bool
    enable_thinking: bool | None
    tokenizer: bool
    counts_tokens: bool
    vision: dict[str, Any] | None
    sampling: dict[str, float] | None


def sees_images(model: ModelDescription) -> bool | None:
    """Whether a model sees images; None if another server computes it, which does not say."""
    return None if model["vision"] is None and model["engine"] is not None else model["vision"] is not None


def describe_model(llm: LoadedModel) -> ModelDescription:
    """What `LLM.describe` returns."""
    config, limits = llm.model.config, llm.engine.limits
    sampling = asdict(llm.defaults)
    del sampling["eos_token_ids"]
    chat_template = None if llm.chat_tokenizer is None else llm.chat_tokenizer.chat_template
    template = chat_template if isinstance(chat_template, ChatTemplate) else None
    return {
        "name": llm.name,
        "family": config.family,
        "engine": None,
        "file_format": llm.file_format,
        "parameters": llm.model.weights.count,
        "weights": llm.model.weights.types,
        "weight_bytes": llm.model.weights.nbytes,
        "arithmetic": llm.model.arithmetic,
        "tiles": str(TILES_CHOICE),
        "tasks": [
            *["generate"] * llm.model.has_head,
            *["embed"] * llm.embedder.can_embed,
            *["score"] * llm.embedder.can_score,
        ],
        "embedding": llm.embedder.describe(),
        "layers": config.layers,
        "vocab_size": config.vocab_size,
        "max_context": limits.max_context,
        "max_concurrency": limits.max_concurrency,
        "max_queue": limits.max_queue,
        "kv_cache_memory": limits.kv_cache_memory,
        "kv_cache_dtype": llm.kv_cache_dtype,
        "threads": llm.model.threads,
        "chat_template": template is not None,
        "enable_thinking": None if template is None else template.enable_thinking,
        "tokenizer": llm.tokenizer is not None,
        "counts_tokens": llm.tokenizer is not None,
        "vision": None if llm.vision is None else llm.vision.describe(),
        "sampling": sampling,
    }
