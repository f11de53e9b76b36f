"""ik_llama.cpp, a fork of llama.cpp with kernels of its own, through its C interface.

It reads the files that llama.cpp has quantized.
"""

from pathlib import Path
from typing import Any

from ik_llama_cpp import _ctypes_api as ik

from . import llama_contexts
from .llama_contexts import make_functions, weight_bytes

__all__ = ["load", "logits", "weight_bytes"]


class Sequences(llama_contexts.Sequences):
    """A context of ik_llama.cpp."""

    def __init__(self, model: int, count: int, positions: int, threads: int) -> None:
        super().__init__(ik, model, count, positions, threads)

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


load, logits = make_functions(load_model, ik.llama_free_model, Sequences)
