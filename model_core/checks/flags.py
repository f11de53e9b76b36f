"""The values of some flags. It imports nothing large, so that the command line starts fast."""

from ..errors import ModelError

# --weights: the type of matrices in memory; auto: the type in the checkpoint
WEIGHTS = ("auto", "float32", "bfloat16", "float16", "int8", "mixed", "int4")
# --arithmetic: what activations are rounded to. float32: nothing. int8: 8 bits, where weights are integers.
# bfloat16: also bfloat16, where weights are. auto: bfloat16 if the processor computes it, else int8.
ARITHMETIC = ("auto", "float32", "int8", "bfloat16")
KV_CACHE_DTYPES = ("float32", "float16", "int16", "int8")


def choose_kv_cache_dtype(kv_cache_dtype: str, arithmetic: str) -> str:
    """The type of the KV cache: that of the flag, or with "auto" what suits the arithmetic."""
    if kv_cache_dtype != "auto":
        return kv_cache_dtype
    return "float32" if arithmetic == "float32" else "int16"


def check_weights(weights: str) -> None:
    """Raises ModelError for a type of weights that is not one of WEIGHTS."""
    if weights not in WEIGHTS:
        raise ModelError(f"weights '{weights}' are not known; {', '.join(WEIGHTS)} are.")
