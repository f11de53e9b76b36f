"""The logits after each token of a text, in KV memory of their own."""

from collections.abc import Sequence

import numpy as np

from .adapters.table import NO_SLOT
from .errors import InvalidRequest, NotFinite
from .kv_cache import PAGE, Batch, KVCache
from .scheduler import STEP_TOKENS
from .state import StateCache
from .tensors import all_finite
from .transformer import Transformer


def compute_logits(
    model: Transformer, tokens: Sequence[int], kv_cache_dtype: str, adapter: str | None
) -> np.ndarray:
    """Logits after each of the tokens: float32 [len(tokens), vocabulary].

    `adapter`: the name of a loaded one. Raises InvalidRequest, or NotFinite for logits that are infinite or
    not a number.
    """
    if not tokens or not all(0 <= token < model.config.vocab_size for token in tokens):
        raise InvalidRequest("logits() needs token ids within the model's vocabulary, at least one.")
    groups, shapes = model.kv_groups, model.tape.states
    shape = (len(groups), 1, -(-len(tokens) // PAGE))
    pages = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    cache = KVCache(groups, pages.size, kv_cache_dtype, StateCache(shapes, 1) if shapes else None)
    parts, loaded = [], model.adapters.acquire(adapter)
    slot = np.int32([NO_SLOT if loaded is None else loaded.slot])
    try:
        for start in range(0, len(tokens), STEP_TOKENS):  # chunks, which need no more memory than a step
            chunk = np.array(tokens[start : start + STEP_TOKENS], np.int32)
            rows = np.arange(len(chunk), dtype=np.int32)
            starts = np.array([0, len(chunk)], np.int32)
            batch = Batch(chunk, rows + np.int32(start), starts, pages, rows, adapters=slot)
            parts.append(model.forward(batch, cache))
    finally:
        model.adapters.release(loaded)
    logits = np.concatenate(parts)
    if not all_finite(logits):
        raise NotFinite()
    return logits
