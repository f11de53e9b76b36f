"""Whether a model's head is its embedding: configurations say it, but the stored tensors decide.

A fine-tuned model may have a head of its own while its config.json still has `tie_word_embeddings`, as when
a LoRA adapter was merged into it. Transformers takes the stored head then.
"""

from dataclasses import replace

import numpy as np

from ..families import write_tape
from ..families.config import ModelConfig
from ..files.source import TensorSource, find_name
from ..tape.passes import products

_ROWS = 4096  # compared at a time


def untie_stored_head(config: ModelConfig, source: TensorSource) -> ModelConfig:
    """The configuration of a tied model; without `tie_word_embeddings` if another head is stored.

    Raises ModelError if a tensor is damaged.
    """
    if not config.tie_word_embeddings:
        return config
    untied = replace(config, tie_word_embeddings=False)
    tape = write_tape(untied)
    heads = [product.weights[0] for product in products(tape.records) if product.is_head]
    if not heads:
        return config
    head, embedding = find_name(source, heads[0]), find_name(source, tape.embedding)
    if head not in source or embedding not in source or head == embedding:
        return config
    is_same = _are_equal(source, head, embedding)
    source.drop_file_pages()
    return config if is_same else untied


def _are_equal(source: TensorSource, first: str, second: str) -> bool:
    """Whether two tensors have the same numbers. Quantized ones count as different."""
    names = (first, second)
    if source.shape(first) != source.shape(second) or any(source.layout(name) is not None for name in names):
        return False
    a, b = (source[name] for name in names)
    parts = (slice(start, start + _ROWS) for start in range(0, len(a), _ROWS))
    return all(np.array_equal(np.float32(a[part]), np.float32(b[part])) for part in parts)
