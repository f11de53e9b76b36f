"""KV memory as kernels see it: keys and values of positions, in pages."""

import numpy as np

from ..inner import inner
from ..layout import FLOAT16, FLOAT32, INT8, INT16, PAGE
from ..simd import (
    broadcast,
    get_f32,
    load_f32,
    multiply,
    set_f16,
    set_f32,
    set_i8,
    spread_f16,
    spread_f32,
    spread_rounded,
)
from .words import write_word_slot


@inner
def page_table(s, i, sequence):
    """Address of a sequence's page table for the group of a KV layer. s: STEP. i: INSTRUCTION."""
    return s.page_tables + i.group * s.page_tables_group + sequence * s.page_tables_row


@inner
def write_kv_slot(p, layer, page, slot, keys, values):
    """Write keys and values of one position and all KV heads of a layer to a page.

    slot: position within the page. keys: address of floats [kv_heads, key_dim]. values: address of floats
    [kv_heads, value_dim]; of latents that of the keys, whose first numbers they are.
    """
    if p.kind == INT16:
        write_word_slot(p, layer, page, slot, keys, values)
        return
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    value_dim = p.value_dim if p.keys else p.key_dim
    at = page * p.page_stride + layer * p.layer_stride
    for head in range(p.kv_heads):
        k, v = keys + 4 * head * p.key_dim, values + 4 * head * value_dim
        to_k = p.keys + at + (head * p.key_dim * PAGE + slot) * size
        to_v = p.values + at + (head * PAGE + slot) * p.padded_dim * size
        k_scale = v_scale = np.float32(0)
        if p.kind == INT8 and p.keys:
            k_scale = _scale(k, p.key_dim, p.key_scales + at + 4 * (head * PAGE + slot))
        if p.kind == INT8:
            v_scale = _scale(v, value_dim, p.value_scales + at + 4 * (head * PAGE + slot))
        if p.keys:
            _write(k, p.key_dim, p.kind, k_scale, to_k, size * PAGE)
        _write(v, value_dim, p.kind, v_scale, to_v, size)


@inner
def _write(x, count, kind, scale, to, stride):
    """Write `count` floats as numbers of a kind, `stride` bytes apart. scale: what brings them to int8."""
    whole = count // 16 * 16
    for i in range(0, whole, 16):
        at, value = to + i * stride, load_f32(x, 4 * i)
        if kind == FLOAT32:
            spread_f32(at, stride, value)
        elif kind == FLOAT16:
            spread_f16(at, stride, value)
        else:
            spread_rounded(at, stride, multiply(value, broadcast(scale)))
    for i in range(whole, count):
        at, number = to + i * stride, get_f32(x, 4 * i)
        if kind == FLOAT32:
            set_f32(at, 0, number)
        elif kind == FLOAT16:
            set_f16(at, 0, number)
        else:
            set_i8(at, 0, np.int32(np.rint(number * scale)))


@inner
def _scale(x, count, to):
    """Store the scale that maps `count` floats to int8; returns its inverse."""
    peak = np.float32(0)
    for i in range(count):
        size = abs(get_f32(x, 4 * i))
        if size > peak or np.isnan(size):  # NaN stays, so that the request fails instead of reading zeros
            peak = size
    set_f32(to, 0, peak / np.float32(127))
    return np.float32(127) / peak if peak > np.float32(1e-30) else np.float32(0)
