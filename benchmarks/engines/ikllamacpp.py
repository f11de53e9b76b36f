"""ik_llama.cpp, a fork of llama.cpp with kernels of its own, through its C interface.

It reads the files that llama.cpp has quantized.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from ik_llama_cpp import _ctypes_api as ik

from . import Generate, Prompts, llama_contexts
from .llama_contexts import generator, text_logits, weight_bytes

__all__ = ["load", "logits", "weight_bytes"]


class Sequences(llama_contexts.Sequences):
    """A context of ik_llama.cpp."""

    def __init__(self, model: int, count: int, threads: int) -> None:
        super().__init__(ik, model, count, threads)

    def adjust(self, params: Any) -> None:
        """Leave out flash attention for several sequences.

        Version 0.1.5 aborts there now and then: `GGML_ASSERT(S > 0)` of iqk_fa_templates.h.
        """
        params.flash_attn = params.n_seq_max == 1

    def clear(self) -> None:
        """Remove all sequences from the context."""
        ik.llama_kv_cache_clear(self.context)

    def sample(self, index: int) -> int:
        """Refused: its samplers have another interface."""
        raise RuntimeError("ik_llama.cpp is measured with greedy requests alone")


def load_model(folder: Path) -> int:
    """Load the model of a folder."""
    ik.llama_backend_init()
    path = str(folder / "model.gguf").encode()
    model = ik.llama_model_load_from_file(path, ik.llama_model_default_params())
    if not model:
        raise RuntimeError(f"ik_llama.cpp cannot load {folder}")
    return model


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load the model; create a context for each number of sequences when it is first needed."""
    model = load_model(folder)
    with generator(lambda count: Sequences(model, count, threads)) as generate:
        yield generate
    ik.llama_free_model(model)


def logits(folder: Path, threads: int, texts: Prompts) -> Iterator[np.ndarray]:
    """Float32 [tokens, vocabulary] of each text."""
    model = load_model(folder)
    yield from text_logits(Sequences(model, 1, threads), texts)
    ik.llama_free_model(model)
