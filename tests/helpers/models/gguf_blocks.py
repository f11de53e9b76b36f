"""Random blocks of the types of GGUF files, and digests of the weights that they hold. See make_gguf.py."""

import hashlib

import numpy as np

from model_core.files.gguf.blocks import BLOCKS

RANDOM_BLOCKS = 4096


def random_blocks(number: int) -> np.ndarray:
    """Blocks of random bytes of a type: uint8 [blocks, bytes]."""
    return np.random.default_rng([21, number]).integers(
        0, 256, (RANDOM_BLOCKS, BLOCKS[number].size), np.uint8
    )


def digest(weights: np.ndarray, number: int) -> str:
    """That of the weights of blocks, float32, of which none is infinite or not a number."""
    blocks = weights.reshape(-1, BLOCKS[number].weights)
    finite = blocks[np.isfinite(blocks).all(axis=1)]
    assert len(finite) > RANDOM_BLOCKS / 2
    return hashlib.sha256((finite + np.float32(0)).tobytes()).hexdigest()  # 0 and -0 are the same
