"""The layout of a model's memory, for kernels and for what only computes sizes.

Nothing here needs the compiler, which takes longer to import than most commands take.
"""

import numpy as np

# The kinds of numbers that matrices have, as kernels name them (see weights.Matrix), and UINT8 for zeros.
# GROUPED6 is how a block takes bytes of GROUPED8 and GROUPED4 that are known to be from -32 to 31.
FLOAT32, BFLOAT16, FLOAT16, INT8, INT4, INT5, INT6, GROUPED8, GROUPED4, FLOAT8, UINT8, GROUPED6 = range(12)
# Keys and values may also be words: signed 16-bit integers, with a scale for each position and head.
INT16 = 12
# Bits of a code of the kinds that stand for int8 rows, see weights/rounding.py.
STEPPED_BITS = {INT4: 4, INT5: 5, INT6: 6}

# Outputs that a thread computes together: weights are padded to strips of this many.
STRIP = 64
STRIP_TILES = STRIP // 16  # vectors of a strip
# Products with integer weights are summed in chunks of this many k.
GROUP = 256
NIBBLE_GROUP = 32  # consecutive inputs of a row of codes that share a step and a zero point
# How activations are rounded to int8 for a matrix: not at all; with a scale for each GROUP; the same after a
# rotation of each GROUP of k, or BLOCK of what is left, which the weights have in them (weights/rotation.py);
# or with a scale for each ACTIVATION_GROUP, where the weights have scales by group.
EXACT, BY_CHUNK, ROTATED, BY_GROUP = range(4)
BLOCK = 64
ACTIVATION_GROUP = 32
# States are padded to this many floats on their last axis.
STATE_COLUMNS = 64
# Columns in bfloat16 are padded to whole steps of tiles.
BFLOAT16_STEP = 32


def record_type(*integers: str, **others: np.dtype | type) -> np.dtype:
    """The type of a record as kernels see it: integers, and behind them fields of other types."""
    return np.dtype([(name, np.int64) for name in integers] + list(others.items()))


# A packed matrix (see weights/matrix.py) as kernels see it: kinds, sizes and addresses, 0 for none.
MATRIX = record_type(
    "kind",
    "n",
    "k",
    "inputs",  # columns without padding
    "head_strips",  # strips that multiply the same columns of activations; the next ones multiply the next
    "rounding",  # of activations that it multiplies: EXACT, BY_CHUNK, ROTATED or BY_GROUP
    "is_rotated",  # whether its weights are
    "balance",  # address of what activations are multiplied by before they are rotated, float32 [k]
    "parts",  # in bfloat16 of activations that it multiplies, with its columns in pairs; 0: float32
    "is_small",  # whether numbers by group are from -32 to 31
    "data",
    "high",
    "scales",
    "bias",
    "table",
    "group",
    "groups",
    "scale_kind",
    "supers",
    "offsets",
    "offset_kind",
    "offset_supers",
)

PAGE = 16  # positions in a page of KV memory: the lanes of a vector

# KV memory as kernels see it, for a group of layers (see cache/memory.py): sizes, and the addresses of
# the first layer's keys and values in the first page, and of their scales where they are bytes. Pages and
# layers are page_stride and layer_stride bytes apart. Without an address of keys, the values are latents.
KV_MEMORY = record_type(
    "kind",
    "kv_heads",
    "key_dim",
    "value_dim",
    "padded_dim",  # of values; of latents, which are keys and values
    "page_stride",
    "layer_stride",
    "keys",
    "values",
    "key_scales",
    "value_scales",
)
