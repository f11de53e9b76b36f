"""The values of some flags. It imports nothing large, so that the command line starts fast."""

from ..errors import ModelError

# --weights: the type of matrices in memory; auto: the type in the checkpoint
WEIGHTS = ("auto", "float32", "bfloat16", "float16", "int8", "mixed", "int4")
# --arithmetic: what activations are rounded to when weights are integers; float32: to nothing. bfloat16: to
# int8 for integers, and to bfloat16 for bfloat16 weights.
ARITHMETIC = ("int8", "float32", "bfloat16")
KV_CACHE_DTYPES = ("float32", "float16", "int8")  # --kv-cache-dtype


def check_weights(weights: str) -> None:
    """Raises ModelError for a type of weights that is not one of WEIGHTS."""
    if weights not in WEIGHTS:
        raise ModelError(f"weights '{weights}' are not known; {', '.join(WEIGHTS)} are.")
