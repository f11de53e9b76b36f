"""Causal attention over paged KV memory, for prompts and single tokens alike."""

import numpy as np
from numba import njit

from .blocks import float_block
from .emit import FLOAT16, FLOAT32, INT8, ROWS
from .linear import block_rows
from .pointwise import scale_row, softcap
from .simd import (
    add,
    broadcast,
    exp_of_negative,
    get_f32,
    get_i32,
    keep_lanes,
    largest_of,
    load_f32,
    mask_outside,
    maximum,
    multiply,
    set_f16,
    set_f32,
    set_i8,
    store_f32,
    subtract,
    sum_of,
)

PAGE = 16  # positions in a page of KV memory: the lanes of a vector
# Rows of queries, a token and a head each, that read a page together.
MAX_QUERY_ROWS = 24

# KV memory as kernels see it, for a group of layers (see model_core/kv_cache.py): sizes, and the addresses of
# the first layer's keys and values in the first page, and of their scales where they are bytes. Pages and
# layers are page_stride and layer_stride bytes apart.
KV_MEMORY = np.dtype(
    [
        (name, np.int64)
        for name in (
            "kind",
            "kv_heads",
            "key_dim",
            "value_dim",
            "padded_dim",  # of values
            "page_stride",
            "layer_stride",
            "keys",
            "values",
            "key_scales",
            "value_scales",
        )
    ]
)


@njit(nogil=True)
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


@njit(nogil=True)
def _scale(x, count, to):
    """Store the scale that maps `count` floats to int8; returns its inverse."""
    peak = np.float32(0)
    for i in range(count):
        peak = max(peak, abs(get_f32(x, 4 * i)))
    set_f32(to, 0, peak / np.float32(127))
    return np.float32(127) / peak if peak > np.float32(1e-30) else np.float32(0)


@njit(nogil=True)
def scratch_rows(group):
    """Rows of queries that the scratch memory of `attend` holds, with `group` query heads a KV head."""
    return max(MAX_QUERY_ROWS, group) + max(ROWS)


@njit(nogil=True)
def attention_scratch(context, key_dim, value_dim, group):
    """Bytes that a thread needs to attend to `context` positions, with `group` query heads a KV head."""
    return 4 * scratch_rows(group) * (_pad(key_dim) + _pad(value_dim) + context + 2 * PAGE + 1)


@njit(nogil=True)
def _pad(size):
    """Rounded up to whole vectors."""
    return -(-size // 16) * 16


@njit(nogil=True)
def attend(
    p, layer, table, window, q, q_row, scale, cap, sinks, position, tokens, group, head, out, out_row, scratch
):
    """Attention of `tokens` consecutive tokens of one sequence through one KV head (operators.attention).

    p: KV_MEMORY. layer, head: the KV head. table: address of int32, the pages of the positions 0 to 15, 16 to
    31 and so on. window: how many latest positions a token attends to; 0: all. q: address of the queries of
    the first token: floats [tokens, all heads, key_dim], rows q_row bytes apart. scale: of the scores. cap:
    see pointwise.softcap; 0: none. sinks: address of a score for each query head, see records.Attend; 0:
    none. position: that of the first token. group: query heads a KV head; tokens * group is at most
    MAX_QUERY_ROWS, or tokens is 1. out: for the mixed values, floats [tokens, all heads, value_dim]. scratch:
    attention_scratch bytes of the calling thread's own.

    The scores of all positions are kept for one softmax per row. Every sum runs over the positions in
    order, a page at a time, and masked positions add zeros. So a row's bits do not depend on the other rows.
    """
    dim, padded, rows = p.key_dim, p.padded_dim, tokens * group
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    at = layer * p.layer_stride
    first_keys, first_values = (
        p.keys + at + head * dim * PAGE * size,
        p.values + at + head * PAGE * padded * size,
    )
    key_scales, value_scales = p.key_scales + at + head * 4 * PAGE, p.value_scales + at + head * 4 * PAGE
    length = position + tokens
    first_page = 0 if window == 0 else max(0, position - window + 1) // PAGE
    last_page = -(-length // PAGE)
    row_bytes = 4 * (last_page - first_page) * PAGE
    capacity = scratch_rows(group)
    queries, mixed = scratch, scratch + 4 * capacity * _pad(dim)
    scores = mixed + 4 * capacity * padded
    sums = scores + capacity * row_bytes

    for row in range(rows):
        source = q + (row // group) * q_row + 4 * (head * group + row % group) * dim
        scale_row(source, dim, scale, queries + 4 * row * dim)

    # Two pages at a time, to hide the latency of memory. The values and the next keys are prefetched
    # meanwhile, because the hardware prefetcher cannot know the page table.
    for i in range(first_page, last_page, 2):
        pages = min(2, last_page - i)
        keys = first_keys + _page_offset(p, table, i)
        distance = first_keys + _page_offset(p, table, i + pages - 1) - keys
        to = scores + 4 * PAGE * (i - first_page)
        row = block = 0
        while row < rows:
            height = block_rows(rows - row)
            x, y = queries + 4 * row * dim, to + row * row_bytes
            # The first two blocks prefetch a page each: its next keys and its values.
            page = min(i + 2 + block, last_page - 1)
            prefetch_a = first_keys + _page_offset(p, table, page)
            page = min(i + block, last_page - 1)
            prefetch_b = first_values + _page_offset(p, table, page)
            count = -height if block < 2 and height > 1 else height
            if pages == 2:
                _tiles2(
                    p.kind,
                    count,
                    keys,
                    PAGE * size,
                    distance,
                    prefetch_a,
                    prefetch_b,
                    x,
                    4 * dim,
                    dim,
                    y,
                    row_bytes,
                    0,
                )
            else:
                _tiles1(
                    p.kind,
                    count,
                    keys,
                    PAGE * size,
                    0,
                    prefetch_a,
                    prefetch_b,
                    x,
                    4 * dim,
                    dim,
                    y,
                    row_bytes,
                    0,
                )
            row += height
            block += 1
        if p.kind == INT8:
            for page in range(i, i + pages):
                scales = load_f32(key_scales, _page_offset(p, table, page))
                for row in range(rows):
                    at = row * row_bytes + 4 * PAGE * (page - i)
                    store_f32(to, at, multiply(load_f32(to, at), scales))

    for row in range(rows):
        end = position + row // group + 1
        start = 0 if window == 0 else max(0, end - window)
        sink = get_f32(sinks, 4 * (head * group + row % group)) if sinks else np.float32(-np.inf)
        weights = scores + row * row_bytes
        total = _softmax(weights, first_page * PAGE, last_page * PAGE, start, end, cap, sink)
        set_f32(sums, 4 * row, total)

    for i in range(first_page, last_page):
        offset = _page_offset(p, table, i)
        weights = scores + 4 * PAGE * (i - first_page)
        if p.kind == INT8:
            scales = load_f32(value_scales, offset)
            for row in range(rows):
                store_f32(weights, row * row_bytes, multiply(load_f32(weights, row * row_bytes), scales))
        # Slots beyond the sequence's end may hold another sequence's data or NaN: they are not read.
        count = min(PAGE, length - i * PAGE)
        values = first_values + offset
        tile = 0
        while tile < padded // 16:
            row = 0
            four_tiles = padded // 16 - tile >= 4
            while row < rows:
                height = block_rows(rows - row)
                to = mixed + 4 * (row * padded + 16 * tile)
                w, x = values + 16 * tile * size, weights + row * row_bytes
                accumulate = i - first_page
                if four_tiles:
                    _tiles4(
                        p.kind,
                        height,
                        w,
                        padded * size,
                        16 * size,
                        w,
                        w,
                        x,
                        row_bytes,
                        count,
                        to,
                        4 * padded,
                        accumulate,
                    )
                else:
                    _tiles1(
                        p.kind,
                        height,
                        w,
                        padded * size,
                        16 * size,
                        w,
                        w,
                        x,
                        row_bytes,
                        count,
                        to,
                        4 * padded,
                        accumulate,
                    )
                row += height
            tile += 4 if four_tiles else 1

    for row in range(rows):
        to = out + (row // group) * out_row + 4 * (head * group + row % group) * p.value_dim
        scale_row(mixed + 4 * row * padded, p.value_dim, np.float32(1) / get_f32(sums, 4 * row), to)


@njit(nogil=True)
def _page_offset(p, table, i):
    """Bytes from the first page to the i-th of a sequence."""
    return get_i32(table, 4 * i) * p.page_stride


@njit(nogil=True)
def _tiles1(kind, rows, w, w_step, w_tile, prefetch_a, prefetch_b, x, x_row, steps, y, y_row, accumulate):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        1,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        prefetch_a,
        prefetch_b,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        accumulate,
    )


@njit(nogil=True)
def _tiles2(kind, rows, w, w_step, w_tile, prefetch_a, prefetch_b, x, x_row, steps, y, y_row, accumulate):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        2,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        prefetch_a,
        prefetch_b,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        accumulate,
    )


@njit(nogil=True)
def _tiles4(kind, rows, w, w_step, w_tile, prefetch_a, prefetch_b, x, x_row, steps, y, y_row, accumulate):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        4,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        prefetch_a,
        prefetch_b,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        accumulate,
    )


@njit(nogil=True)
def _softmax(scores, first, last, start, end, cap, sink):
    """exp(score - largest) in place for positions start to end of those from `first` to `last`, 0 elsewhere.

    Scores are capped before, unless `cap` is 0. Returns the sum, to which the score `sink` adds its part.
    """
    peak = broadcast(sink)
    for position in range(first, last, PAGE):
        at = 4 * (position - first)
        value = load_f32(scores, at)
        if cap > 0:
            value = softcap(value, cap)
        value = mask_outside(value, position, start, end)
        store_f32(scores, at, value)
        peak = maximum(peak, value)
    largest = broadcast(largest_of(peak))
    total = broadcast(np.float32(0))
    for position in range(first, last, PAGE):
        at = 4 * (position - first)
        value = exp_of_negative(subtract(load_f32(scores, at), largest))
        store_f32(scores, at, value)
        total = add(total, value)
    of_sink = exp_of_negative(subtract(broadcast(sink), largest))
    return sum_of(total) + sum_of(keep_lanes(of_sink, 1))
