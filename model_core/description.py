"""The description of a loaded model, for `LLM.describe`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .llm import LLM


def describe_model(llm: "LLM") -> dict[str, Any]:
    """What `LLM.describe` returns."""
    config, limits = llm.model.config, llm.engine.limits
    sampling = asdict(llm.defaults)
    del sampling["eos_token_ids"]
    template = None if llm.tokenizer is None else llm.tokenizer.chat_template
    return {
        "name": llm.name,
        "family": config.family,
        "weights": llm.model.weight_dtype,
        "weight_bytes": llm.model.weight_bytes,
        "tasks": [*["generate"] * llm.model.has_head, "embed", *["score"] * llm.embedder.can_score],
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
        "sampling": sampling,
    }
