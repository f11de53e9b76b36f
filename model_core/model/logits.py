"""The logits after each token of a text, in KV memory of their own."""

from collections.abc import Sequence

import numpy as np

from ..adapters.table import NO_SLOT
from ..errors import InvalidRequest, NotFinite, PromptTooLong
from ..machine.all_finite import all_finite
from .batch import STEP_TOKENS, BatchBuilder
from .transformer import Transformer


def compute_logits(
    model: Transformer, tokens: Sequence[int], max_context: int, kv_cache_dtype: str, adapter: str | None
) -> np.ndarray:
    """Logits after each of the tokens: float32 [len(tokens), vocabulary].

    `adapter`: the name of a loaded one. Raises InvalidRequest, PromptTooLong for more than `max_context`
    tokens, or NotFinite for logits that are infinite or not a number.
    """
    if not tokens or not all(0 <= token < model.config.vocab_size for token in tokens):
        raise InvalidRequest("logits() needs token ids within the model's vocabulary, at least one.")
    check_length(tokens, max_context)
    cache, tables = model.create_cache(1, len(tokens), kv_cache_dtype)
    parts, loaded = [], model.adapters.acquire(adapter)
    slot = np.array([NO_SLOT if loaded is None else loaded.slot], np.int32)
    try:
        for start in range(0, len(tokens), STEP_TOKENS):  # chunks, which need no more memory than a step
            builder, chunk = BatchBuilder(), tokens[start : start + STEP_TOKENS]
            builder.add(chunk, start, range(start, start + len(chunk)))
            parts.append(model.forward(builder.build(tables, adapters=slot), cache))
    finally:
        model.adapters.release(loaded)
    logits = np.concatenate(parts)
    if not all_finite(logits):
        raise NotFinite()
    return logits


def check_length(tokens: Sequence[int], max_context: int) -> None:
    """Raises PromptTooLong for positions that the model does not know, or the user does not allow."""
    if len(tokens) > max_context:
        raise PromptTooLong(
            f"This model's maximum context length is {max_context} tokens (--max-context), but the prompt "
            f"has {len(tokens)}."
        )
