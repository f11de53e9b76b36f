"""The blocks of quantized weights in GGUF files -> `Codes`, without rounding.

A row of weights is stored as blocks of 32 or 256, each with scales of its own. In the K types, a block of 256
has small integers as scales of its groups, and one float16 that multiplies them (github.com/ggml-org/ggml,
src/ggml-common.h). The functions here take blocks [b, bytes] in uint8, and return arrays [b, ...] with the
names of the fields of `Codes`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from ...weights.codes import Codes
from . import grid_blocks as grids
from .bits import Arrays, bits, halves, nibbles, pairs, planes

SLICE = 2**19  # weights decoded at a time, to limit temporary memory


@dataclass(frozen=True)
class Block:
    """How a type of tensor is stored.

    Attributes:
        name: as llama.cpp calls it.
        weights, size: weights of a block, and its bytes.
        dtype: of types that store floats, else None.
        decode: of the others.
        group: weights that share a scale.
        table: see Codes.
    """

    name: str
    weights: int
    size: int
    dtype: np.dtype | None = None
    decode: Callable[[np.ndarray], Arrays] | None = None
    group: int = 32
    table: np.ndarray | None = None


def read_codes(data: np.ndarray, shape: tuple[int, ...], block: Block) -> Codes:
    """The codes of a tensor with this shape from its bytes.

    Raises ValueError if a scale or an offset is infinite or not a number.
    """
    assert block.decode is not None
    blocks = data.reshape(-1, block.size)
    arrays: Arrays = {}
    step = SLICE // block.weights
    for first in range(0, len(blocks), step):
        with np.errstate(invalid="ignore", over="ignore"):  # such numbers are refused below
            decoded = block.decode(blocks[first : first + step])
        for name, part in decoded.items():
            if name not in arrays:
                arrays[name] = np.empty((len(blocks), *part.shape[1:]), part.dtype)
            arrays[name][first : first + step] = part
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} that are infinite or not a number")
        arrays[name] = array.reshape(*shape[:-1], -1)
    return Codes(group=block.group, table=block.table, **arrays)


def read_floats(data: np.ndarray, shape: tuple[int, ...], block: Block) -> np.ndarray:
    """The numbers of a tensor that is stored as floats: a view of its bytes, if they are aligned."""
    assert block.dtype is not None
    is_aligned = data.ctypes.data % block.dtype.itemsize == 0
    return (data if is_aligned else data.copy()).view(block.dtype).reshape(shape)


def _q4_0(blocks: np.ndarray) -> Arrays:
    return {"codes": nibbles(blocks[:, 2:]), "scales": halves(blocks, 0)}


def _q4_1(blocks: np.ndarray) -> Arrays:
    return {"codes": nibbles(blocks[:, 4:]), "scales": halves(blocks, 0), "offsets": halves(blocks, 2)}


def _q5_0(blocks: np.ndarray) -> Arrays:
    codes = nibbles(blocks[:, 6:]) | bits(blocks[:, 2:6]) << 4
    return {"codes": codes.view(np.int8) - np.int8(16), "scales": halves(blocks, 0)}


def _q5_1(blocks: np.ndarray) -> Arrays:
    codes = nibbles(blocks[:, 8:]) | bits(blocks[:, 4:8]) << 4
    return {
        "codes": codes.view(np.int8),
        "scales": halves(blocks, 0),
        "offsets": halves(blocks, 2),
    }


def _q8_0(blocks: np.ndarray) -> Arrays:
    return {"codes": blocks[:, 2:].view(np.int8), "scales": halves(blocks, 0)}


def _mxfp4(blocks: np.ndarray) -> Arrays:
    """A scale is a power of 2 with a bias of 127. The numbers of the table are doubled."""
    scales = np.ldexp(np.float32(1), blocks[:, :1].astype(np.int32) - 128)
    scales[blocks[:, :1] == 255] = np.nan
    return {"codes": nibbles(blocks[:, 1:]), "scales": scales}


def _q2_k(blocks: np.ndarray) -> Arrays:
    return {
        "codes": pairs(blocks[:, 16:80]),
        "scales": blocks[:, :16] & 15,
        "super_scales": halves(blocks, 80).astype(np.float32),
        "offsets": blocks[:, :16] >> 4,
        "super_offsets": -halves(blocks, 82).astype(np.float32),
    }


def _q3_k(blocks: np.ndarray) -> Arrays:
    low, high = nibbles(blocks[:, 96:104]), blocks[:, 104:108]
    high = np.concatenate([high >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    return {
        "codes": pairs(blocks[:, 32:96]) | planes(blocks[:, :32]) << 2,
        "scales": (low | high << 4).view(np.int8) - np.int8(32),
        "super_scales": halves(blocks, 108).astype(np.float32),
    }


def _scales_k(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[b, 12] bytes -> 8 scales and 8 offsets of 6 bits each."""
    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=1)
    offsets = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=1)
    return scales, offsets


def _q4_k(blocks: np.ndarray) -> Arrays:
    return _with_offsets(blocks, nibbles(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 256))


def _q5_k(blocks: np.ndarray) -> Arrays:
    low = nibbles(blocks[:, 48:].reshape(-1, 4, 32)).reshape(-1, 256)
    return _with_offsets(blocks, (low | planes(blocks[:, 16:48]) << 4).view(np.int8))


def _with_offsets(blocks: np.ndarray, codes: np.ndarray) -> Arrays:
    """Codes with what begins the blocks of Q4_K and Q5_K."""
    scales, offsets = _scales_k(blocks[:, 4:16])
    return {
        "codes": codes,
        "scales": scales,
        "super_scales": halves(blocks, 0).astype(np.float32),
        "offsets": offsets,
        "super_offsets": -halves(blocks, 2).astype(np.float32),
    }


def _q6_k(blocks: np.ndarray) -> Arrays:
    low = nibbles(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 256)
    codes = low | pairs(blocks[:, 128:192]) << 4
    return {
        "codes": codes.view(np.int8) - np.int8(32),
        "scales": blocks[:, 192:208].view(np.int8),
        "super_scales": halves(blocks, 208).astype(np.float32),
    }


def _iq4_xs(blocks: np.ndarray) -> Arrays:
    low = blocks[:, 4:8, None] >> np.array([0, 4], np.uint8) & 15
    high = blocks[:, 2:4, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
    scales = low.reshape(-1, 8) | high.reshape(-1, 8) << 4
    return {
        "codes": nibbles(blocks[:, 8:].reshape(-1, 8, 16)).reshape(-1, 256),
        "scales": scales.view(np.int8) - np.int8(32),
        "super_scales": halves(blocks, 0).astype(np.float32),
    }


def _tq1_0(blocks: np.ndarray) -> Arrays:
    """Five numbers from 0 to 2 in a byte, the digits of byte / 256 in base 3; four in the last bytes."""
    codes = []
    for start, end, count in ((0, 32, 5), (32, 48, 5), (48, 52, 4)):
        powers = (3 ** np.arange(count)).astype(np.uint8)[:, None]
        rests = blocks[:, None, start:end] * powers  # modulo 256
        codes.append(((rests > 85).view(np.uint8) + (rests > 170).view(np.uint8)).reshape(len(blocks), -1))
    return {"codes": np.concatenate(codes, axis=1), "scales": halves(blocks, 52)}


def _tq2_0(blocks: np.ndarray) -> Arrays:
    return {"codes": pairs(blocks[:, :64]), "scales": halves(blocks, 64)}


def _q1_0(blocks: np.ndarray) -> Arrays:
    return {"codes": bits(blocks[:, 2:]), "scales": halves(blocks, 0)}


def _q2_0(blocks: np.ndarray) -> Arrays:
    """Four numbers in a byte, the first one in its lowest bits."""
    shifts = np.arange(0, 8, 2, dtype=np.uint8)
    codes = (blocks[:, 2:, None] >> shifts) & np.uint8(3)
    return {"codes": codes.reshape(len(blocks), -1), "scales": halves(blocks, 0)}


def _nvfp4(blocks: np.ndarray) -> Arrays:
    """A scale is in E4M3 without sign. The numbers of the table are doubled."""
    octets = np.ascontiguousarray(blocks[:, :4])
    scales = octets.view(ml_dtypes.float8_e4m3fn).astype(np.float16) / np.float16(2)
    scales[octets > 127] = np.nan
    return {"codes": nibbles(blocks[:, 4:].reshape(-1, 4, 8)).reshape(-1, 64), "scales": scales}


_UNSIGNED = np.arange(16, dtype=np.int8)
_TERNARY = np.array([-1, 0, 1, 2, *[0] * 12], np.int8)
_SIGN = np.array([-1, 1, *[0] * 14], np.int8)
_Q3_NUMBERS = np.array([*range(-4, 4), *[0] * 8], np.int8)
_IQ4_NUMBERS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)
_FP4_NUMBERS = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)

# the number of a type in files -> how it is stored
BLOCKS = {
    0: Block("F32", 1, 4, np.dtype("<f4")),
    1: Block("F16", 1, 2, np.dtype("<f2")),
    2: Block("Q4_0", 32, 18, decode=_q4_0, table=_UNSIGNED - np.int8(8)),
    3: Block("Q4_1", 32, 20, decode=_q4_1, table=_UNSIGNED),
    6: Block("Q5_0", 32, 22, decode=_q5_0),
    7: Block("Q5_1", 32, 24, decode=_q5_1),
    8: Block("Q8_0", 32, 34, decode=_q8_0),
    10: Block("Q2_K", 256, 84, decode=_q2_k, group=16, table=_UNSIGNED),
    11: Block("Q3_K", 256, 110, decode=_q3_k, group=16, table=_Q3_NUMBERS),
    12: Block("Q4_K", 256, 144, decode=_q4_k, table=_UNSIGNED),
    13: Block("Q5_K", 256, 176, decode=_q5_k),
    14: Block("Q6_K", 256, 210, decode=_q6_k, group=16),
    16: Block("IQ2_XXS", 256, 66, decode=grids.iq2_xxs, table=grids.NUMBERS2),
    17: Block("IQ2_XS", 256, 74, decode=grids.iq2_xs, group=16, table=grids.NUMBERS2),
    18: Block("IQ3_XXS", 256, 98, decode=grids.iq3_xxs, table=grids.NUMBERS3_XXS),
    19: Block("IQ1_S", 256, 50, decode=grids.iq1_s, table=grids.NUMBERS1),
    20: Block("IQ4_NL", 32, 18, decode=_q4_0, table=_IQ4_NUMBERS),
    21: Block("IQ3_S", 256, 110, decode=grids.iq3_s, table=grids.NUMBERS3_S),
    22: Block("IQ2_S", 256, 82, decode=grids.iq2_s, group=16, table=grids.NUMBERS2),
    23: Block("IQ4_XS", 256, 136, decode=_iq4_xs, table=_IQ4_NUMBERS),
    29: Block("IQ1_M", 256, 56, decode=grids.iq1_m, group=16, table=grids.NUMBERS1),
    30: Block("BF16", 1, 2, np.dtype(ml_dtypes.bfloat16)),
    34: Block("TQ1_0", 256, 54, decode=_tq1_0, group=256, table=_TERNARY),
    35: Block("TQ2_0", 256, 66, decode=_tq2_0, group=256, table=_TERNARY),
    39: Block("MXFP4", 32, 17, decode=_mxfp4, table=_FP4_NUMBERS),
    40: Block("NVFP4", 64, 36, decode=_nvfp4, group=16, table=_FP4_NUMBERS),
    41: Block("Q1_0", 128, 18, decode=_q1_0, group=128, table=_SIGN),
    42: Block("Q2_0", 64, 18, decode=_q2_0, group=64, table=_TERNARY),
}
_OTHER_TYPES = {9: "Q8_1", 15: "Q8_K", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64"}


def type_name(number: int) -> str:
    """The name of a type that BLOCKS lacks."""
    return _OTHER_TYPES.get(number, f"number {number}")
