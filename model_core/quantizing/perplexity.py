"""The perplexity of a model: how badly it predicts a text. Quantizing a model raises it."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np


def compute_perplexity(
    logits_of: Callable[[Sequence[int]], np.ndarray], token_lists: Iterable[Sequence[int]]
) -> float:
    """exp of the mean of -log(probability), over all tokens after the first of their text.

    `logits_of` gives float32 [len(tokens), vocabulary], as `LLM.logits` does. ValueError: no text has two
    tokens.
    """
    total_nats, count = 0.0, 0
    for tokens in token_lists:
        if len(tokens) < 2:
            continue
        logits = logits_of(tokens[:-1]).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        logits_of_next = logits[np.arange(len(logits)), tokens[1:]]
        total_nats += float(np.sum(np.log(np.exp(logits).sum(axis=1)) - logits_of_next))
        count += len(logits_of_next)
    if not count:
        raise ValueError("perplexity needs a text of two tokens or more")
    return math.exp(total_nats / count)
