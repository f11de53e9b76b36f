"""KV memory as kernels see it: keys and values of positions, in pages."""

import numpy as np

from ..inner import inner
from ..layout import FLOAT16, FLOAT32, INT8, PAGE
from ..simd import get_f32, set_f16, set_f32, set_i8


@inner
def write_kv_slot(p, layer, page, slot, keys, values):
    """Write keys and values of one position and all KV heads of a layer to a page.

    slot: position within the page. keys: address of floats [kv_heads, key_dim]. values: address of floats
    [kv_heads, value_dim].
    """
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    at = page * p.page_stride + layer * p.layer_stride
    for head in range(p.kv_heads):
        k, v = keys + 4 * head * p.key_dim, values + 4 * head * p.value_dim
        to_k = p.keys + at + (head * p.key_dim * PAGE + slot) * size
        to_v = p.values + at + (head * PAGE + slot) * p.padded_dim * size
        k_scale = v_scale = np.float32(0)
        if p.kind == INT8:
            k_scale = _scale(k, p.key_dim, p.key_scales + at + 4 * (head * PAGE + slot))
            v_scale = _scale(v, p.value_dim, p.value_scales + at + 4 * (head * PAGE + slot))
        for i in range(p.key_dim):
            a = get_f32(k, 4 * i)
            if p.kind == FLOAT32:
                set_f32(to_k, 4 * PAGE * i, a)
            elif p.kind == FLOAT16:
                set_f16(to_k, 2 * PAGE * i, a)
            else:
                set_i8(to_k, PAGE * i, np.int32(np.rint(a * k_scale)))
        for i in range(p.value_dim):
            b = get_f32(v, 4 * i)
            if p.kind == FLOAT32:
                set_f32(to_v, 4 * i, b)
            elif p.kind == FLOAT16:
                set_f16(to_v, 2 * i, b)
            else:
                set_i8(to_v, i, np.int32(np.rint(b * v_scale)))


@inner
def _scale(x, count, to):
    """Store the scale that maps `count` floats to int8; returns its inverse."""
    peak = np.float32(0)
    for i in range(count):
        size = abs(get_f32(x, 4 * i))
        if size > peak or np.isnan(size):  # which stays, so that attention reads numbers that are none
            peak = size
    set_f32(to, 0, peak / np.float32(127))
    return np.float32(127) / peak if peak > np.float32(1e-30) else np.float32(0)
