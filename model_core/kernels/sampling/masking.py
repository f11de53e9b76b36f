"""Masks of tokens: one bit for each token of the vocabulary, in words of 32 bits, the lowest bit first."""

import numpy as np

from ..compiler import njit

MASK_BITS = 32  # in a word


@njit(nogil=True, cache=True)
def apply_mask(logits: np.ndarray, mask: np.ndarray) -> int:
    """Set the logits of all tokens outside a mask to -inf.

    Args:
        logits: float32 [vocabulary], contiguous.
        mask: uint32 [words], with a bit for each logit at least.

    Returns the number of tokens in the mask: 0, 1, or 2 for all larger numbers.
    """
    count = 0
    size = len(logits)
    forbidden = np.float32(-np.inf)
    for index in range(-(-size // MASK_BITS)):
        word = mask[index]
        start = index * MASK_BITS
        stop = min(start + MASK_BITS, size)
        if stop - start < MASK_BITS:
            word &= (np.uint32(1) << np.uint32(stop - start)) - np.uint32(1)
        if word != 0:
            count += 1 if word & (word - np.uint32(1)) == 0 else 2
        for i in range(stop - start):  # without a branch, so that it is compiled to vectors
            is_allowed = (word >> np.uint32(i)) & np.uint32(1)
            logits[start + i] = logits[start + i] if is_allowed else forbidden
    return min(count, 2)
