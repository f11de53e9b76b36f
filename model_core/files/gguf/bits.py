"""How the blocks of GGUF files pack small integers and scales. Functions take blocks [b, bytes] in uint8."""

import numpy as np

Arrays = dict[str, np.ndarray]  # the fields of Codes (weights/codes.py) that a decoder returns


def halves(blocks: np.ndarray, start: int) -> np.ndarray:
    """The float16 at byte `start` of each block: [b, 1]."""
    return np.ascontiguousarray(blocks[:, start : start + 2]).view("<f2")


def nibbles(packed: np.ndarray) -> np.ndarray:
    """[..., n] bytes -> the n low halves, then the n high halves: [..., 2 n]."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def pairs(packed: np.ndarray) -> np.ndarray:
    """[b, 64] bytes -> [b, 256] numbers of 2 bits. 32 bytes hold 4 times 32, the lowest bits first."""
    shifts = np.arange(0, 8, 2, dtype=np.uint8)[:, None]
    return (packed.reshape(-1, 2, 1, 32) >> shifts & 3).reshape(-1, 256)


def planes(packed: np.ndarray) -> np.ndarray:
    """[b, 32] bytes -> [b, 256] bits: the lowest bits of all bytes first."""
    return (packed[:, None, :] >> np.arange(8, dtype=np.uint8)[:, None] & 1).reshape(-1, 256)


def bits(packed: np.ndarray) -> np.ndarray:
    """[b, n] bytes -> [b, 8 n] bits, the lowest bit of the first byte first."""
    return np.unpackbits(packed, axis=1, bitorder="little")


def fields(packed: np.ndarray, width: int, count: int) -> np.ndarray:
    """[b, n] integers -> [b, n * count] fields of `width` bits in them, the lowest first."""
    shifts = (np.arange(count) * width).astype(packed.dtype)
    return (packed[:, :, None] >> shifts & packed.dtype.type(2**width - 1)).reshape(len(packed), -1)
