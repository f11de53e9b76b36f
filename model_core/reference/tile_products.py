"""What tiles multiply, in NumPy: the rounding of TDPBF16PS (Intel, Software Developer's Manual, volume 2)."""

import numpy as np
from ml_dtypes import bfloat16


def round_bfloat16(x: np.ndarray) -> np.ndarray:
    """Numbers rounded to bfloat16, half to even, in float32."""
    return x.astype(bfloat16).astype(np.float32)


def flush(x: np.ndarray) -> np.ndarray:
    """Denormal numbers as 0, in place: tiles neither read nor write them."""
    x[np.abs(x) < np.finfo(np.float32).tiny] = 0
    return x


def multiply_on_tiles(x: np.ndarray, w: np.ndarray, parts: int) -> np.ndarray:
    """x [rows, k] times w [n, k] transposed, in steps of 32 k: float32 [rows, n].

    Weights are rounded to bfloat16, and activations split into one bfloat16 number or two (parts). Within a
    step, the even and the odd products are summed apart, by fused multiply-adds in order of k; then both
    together, then that to the sum so far. Denormal numbers are taken for 0, and become 0. Products are exact
    in float64, and so is nearly every sum.
    """
    padding = ((0, 0), (0, -x.shape[1] % 32))
    x, w = np.pad(x, padding), flush(np.pad(round_bfloat16(w), padding)).astype(np.float64)
    high = round_bfloat16(x)
    y = np.zeros((len(x), len(w)), np.float32)
    for first in range(0, x.shape[1], 32):
        for part in map(flush, (high.copy(), round_bfloat16(x - high))[:parts]):
            even, odd = np.zeros_like(y), np.zeros_like(y)
            for k in range(first, first + 32, 2):
                even = flush((part[:, k, None].astype(np.float64) * w[:, k] + even).astype(np.float32))
                odd = flush((part[:, k + 1, None].astype(np.float64) * w[:, k + 1] + odd).astype(np.float32))
            y = flush(y + flush(even + odd))
    return y
