"""Causal attention over paged KV memory, for prompts and single tokens alike."""

import numpy as np
from numba import njit

from .blocks import float_block
from .emit import FLOAT16, FLOAT32, INT8, ROWS
from .linear import block_rows
from .pointwise import scaled
from .simd import (
    add,
    broadcast,
    exp,
    get_f32,
    get_i32,
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
QUERY_ROWS = 24

# KV memory as kernels see it (see model_core/kv_cache.py): sizes, and the addresses of keys and values, and
# of their scales where they are bytes.
PAGES = np.dtype(
    [
        (name, np.int64)
        for name in (
            "kind",
            "pages",
            "kv_heads",
            "head_dim",
            "padded_dim",
            "keys",
            "values",
            "key_scales",
            "value_scales",
        )
    ]
)


@njit(nogil=True)
def write_page(p, layer_page, slot, keys, values):
    """Put keys and values of one position and all KV heads into a page.

    layer_page: number of the page, counted through all layers. slot: place in the page. keys, values:
    addresses of floats [kv_heads, head_dim].
    """
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    for head in range(p.kv_heads):
        place = layer_page * p.kv_heads + head
        k, v = keys + 4 * head * p.head_dim, values + 4 * head * p.head_dim
        to_k = p.keys + (place * p.head_dim * PAGE + slot) * size
        to_v = p.values + (place * PAGE + slot) * p.padded_dim * size
        k_scale = v_scale = np.float32(0)
        if p.kind == INT8:
            k_scale = _scale(k, p.head_dim, p.key_scales + 4 * (place * PAGE + slot))
            v_scale = _scale(v, p.head_dim, p.value_scales + 4 * (place * PAGE + slot))
        for i in range(p.head_dim):
            a, b = get_f32(k, 4 * i), get_f32(v, 4 * i)
            if p.kind == FLOAT32:
                set_f32(to_k, 4 * PAGE * i, a)
                set_f32(to_v, 4 * i, b)
            elif p.kind == FLOAT16:
                set_f16(to_k, 2 * PAGE * i, a)
                set_f16(to_v, 2 * i, b)
            else:
                set_i8(to_k, PAGE * i, np.int32(np.rint(a * k_scale)))
                set_i8(to_v, i, np.int32(np.rint(b * v_scale)))


@njit(nogil=True)
def _scale(x, count, to):
    """Note the scale that makes int8 of `count` floats; returns its inverse."""
    most = np.float32(0)
    for i in range(count):
        most = max(most, abs(get_f32(x, 4 * i)))
    set_f32(to, 0, most / np.float32(127))
    return np.float32(127) / most if most > np.float32(1e-30) else np.float32(0)


@njit(nogil=True)
def query_rows(group):
    """Rows of queries that `attend` has room for, with `group` query heads a KV head."""
    return max(QUERY_ROWS, group) + max(ROWS)


@njit(nogil=True)
def attention_scratch(context, padded_dim, group):
    """Bytes that a thread needs to attend to `context` positions."""
    return 4 * query_rows(group) * (2 * padded_dim + context + 2 * PAGE + 1)


@njit(nogil=True)
def attend(p, layer, table, window, q, q_row, position, tokens, group, head, out, out_row, scratch):
    """Attention of `tokens` consecutive tokens of one sequence through one KV head (operators.attention).

    p: PAGES. layer, head: the KV head. table: address of int32, the pages of the positions 0 to 15, 16 to 31
    and so on. window: how many latest positions a token attends to; 0: all. q: address of the queries of the
    first token, rotated and scaled: floats [tokens, all heads, head_dim], rows q_row bytes apart. position:
    that of the first token. group: query heads a KV head; tokens * group is at most QUERY_ROWS, or tokens is
    1. out: as q, for the mixed values. scratch: attention_scratch bytes of the calling thread's own.

    The scores of all positions are kept, so that each row has one softmax: every sum runs over the positions
    in order, a page at a time, and what a mask hides adds zeros. So a row's bits do not depend on which
    rows it shares its pages with.
    """
    dim, padded, rows = p.head_dim, p.padded_dim, tokens * group
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    length = position + tokens
    first_page = 0 if window == 0 else max(0, position - window + 1) // PAGE
    last_page = -(-length // PAGE)
    row_bytes = 4 * (last_page - first_page) * PAGE
    room = query_rows(group)
    queries, mixed = scratch, scratch + 4 * room * padded
    scores = mixed + 4 * room * padded
    sums = scores + room * row_bytes

    for row in range(rows):
        source = q + (row // group) * q_row + 4 * (head * group + row % group) * dim
        scaled(source, dim, np.float32(1), queries + 4 * row * dim)

    # Two pages at a time, however far from each other, for one alone would leave the processor waiting. The
    # values, and the keys that come next, are fetched meanwhile: pages lie anywhere in memory.
    for i in range(first_page, last_page, 2):
        pages = min(2, last_page - i)
        keys = p.keys + _place(p, layer, head, table, i) * dim * PAGE * size
        apart = p.keys + _place(p, layer, head, table, i + pages - 1) * dim * PAGE * size - keys
        to = scores + 4 * PAGE * (i - first_page)
        row = block = 0
        while row < rows:
            some = block_rows(rows - row)
            x, y = queries + 4 * row * dim, to + row * row_bytes
            # The first blocks fetch a page each: its keys further on, and its values.
            page = min(i + 2 + block, last_page - 1)
            ahead = p.keys + _place(p, layer, head, table, page) * dim * PAGE * size
            page = min(i + block, last_page - 1)
            also = p.values + _place(p, layer, head, table, page) * PAGE * padded * size
            count = -some if block < 2 and some > 1 else some
            if pages == 2:
                _tiles2(
                    p.kind, count, keys, PAGE * size, apart, ahead, also, x, 4 * dim, dim, y, row_bytes, 0
                )
            else:
                _tiles1(p.kind, count, keys, PAGE * size, 0, ahead, also, x, 4 * dim, dim, y, row_bytes, 0)
            row += some
            block += 1
        if p.kind == INT8:
            for page in range(i, i + pages):
                scales = load_f32(p.key_scales, 4 * PAGE * _place(p, layer, head, table, page))
                for row in range(rows):
                    at = row * row_bytes + 4 * PAGE * (page - i)
                    store_f32(to, at, multiply(load_f32(to, at), scales))

    for row in range(rows):
        end = position + row // group + 1
        start = 0 if window == 0 else max(0, end - window)
        total = _softmax(scores + row * row_bytes, first_page * PAGE, last_page * PAGE, start, end)
        set_f32(sums, 4 * row, total)

    for i in range(first_page, last_page):
        place = _place(p, layer, head, table, i)
        weights = scores + 4 * PAGE * (i - first_page)
        if p.kind == INT8:
            scales = load_f32(p.value_scales, 4 * place * PAGE)
            for row in range(rows):
                store_f32(weights, row * row_bytes, multiply(load_f32(weights, row * row_bytes), scales))
        # What lies beyond the sequence's end may be another's that ended, even no number: it is not read.
        count = min(PAGE, length - i * PAGE)
        values = p.values + place * PAGE * padded * size
        tile = 0
        while tile < padded // 16:
            row = 0
            wide = padded // 16 - tile >= 4
            while row < rows:
                some = block_rows(rows - row)
                to = mixed + 4 * (row * padded + 16 * tile)
                w, x = values + 16 * tile * size, weights + row * row_bytes
                on = i - first_page
                if wide:
                    _tiles4(
                        p.kind,
                        some,
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
                        on,
                    )
                else:
                    _tiles1(
                        p.kind,
                        some,
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
                        on,
                    )
                row += some
            tile += 4 if wide else 1

    for row in range(rows):
        to = out + (row // group) * out_row + 4 * (head * group + row % group) * dim
        scaled(mixed + 4 * row * padded, dim, np.float32(1) / get_f32(sums, 4 * row), to)


@njit(nogil=True)
def _place(p, layer, head, table, i):
    """Where the keys and values of the i-th page of a sequence stand among all, of one layer and KV head."""
    return (layer * p.pages + get_i32(table, 4 * i)) * p.kv_heads + head


@njit(nogil=True)
def _tiles1(kind, rows, w, w_step, w_tile, ahead, also, x, x_row, steps, y, y_row, on):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        1,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        ahead,
        also,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        on,
    )


@njit(nogil=True)
def _tiles2(kind, rows, w, w_step, w_tile, ahead, also, x, x_row, steps, y, y_row, on):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        2,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        ahead,
        also,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        on,
    )


@njit(nogil=True)
def _tiles4(kind, rows, w, w_step, w_tile, ahead, also, x, x_row, steps, y, y_row, on):
    float_block(
        (FLOAT32, FLOAT16, INT8),
        4,
        kind,
        rows,
        w,
        w_step,
        w_tile,
        ahead,
        also,
        w_step,
        x,
        x_row,
        steps,
        y,
        y_row,
        on,
    )


@njit(nogil=True)
def _softmax(scores, first, last, start, end):
    """exp(score - largest) in place for positions start to end of those from `first` to `last`, 0 elsewhere.

    Returns the sum.
    """
    most = broadcast(np.float32(-np.inf))
    for position in range(first, last, PAGE):
        at = 4 * (position - first)
        value = mask_outside(load_f32(scores, at), position, start, end)
        store_f32(scores, at, value)
        most = maximum(most, value)
    largest = broadcast(largest_of(most))
    total = broadcast(np.float32(0))
    for position in range(first, last, PAGE):
        at = 4 * (position - first)
        value = exp(subtract(load_f32(scores, at), largest))
        store_f32(scores, at, value)
        total = add(total, value)
    return sum_of(total)
