"""Masks of tokens forbid all others."""

import numpy as np
import pytest

from model_core.kernels.sampling.masking import MASK_BITS, apply_mask


@pytest.mark.parametrize("size", [1, 5, 31, 32, 33, 64, 100, 3072])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_logits_outside_a_mask_are_minus_infinity(size: int, share: float) -> None:
    rng = np.random.default_rng(size)
    logits = rng.standard_normal(size).astype(np.float32)
    allowed = rng.random(size) < share
    bits = np.ones(-(-size // MASK_BITS) * MASK_BITS, bool)  # of tokens that do not exist, too
    bits[:size] = allowed
    masked = logits.copy()
    count = apply_mask(masked, np.packbits(bits, bitorder="little").view(np.uint32))
    assert np.array_equal(masked, np.where(allowed, logits, np.float32(-np.inf)))
    assert count == min(2, allowed.sum())


def test_two_tokens_in_one_word_are_two() -> None:
    for tokens in ((0, 31), (30, 31), (31, 32)):
        mask = np.zeros(2, np.uint32)
        for token in tokens:
            mask[token // MASK_BITS] |= np.uint32(1 << token % MASK_BITS)
        assert apply_mask(np.zeros(64, np.float32), mask) == 2
