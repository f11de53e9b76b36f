"""Sparse attention: which positions a row attends to, as an indexer chooses them (see tape/selection.py).

The threads compute scores of a few rows and all units of positions, and then choose for each row. The scores
of a row, and so its choice, do not depend on other rows.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from .. import emit
from ..block_sizes import block_rows
from ..blocks import Ahead, Strided, Sums
from ..emit import HAS_WIDE_VECTORS, ROWS, f32x16
from ..float_blocks import QUERY_ROWS, FloatCase, Weights, float_block
from ..inner import inner
from ..layout import FLOAT16, FLOAT32, INT8, PAGE
from ..simd import (
    add,
    broadcast,
    find_lanes,
    fma,
    get_f32,
    get_i32,
    largest_of,
    load_f32,
    lowest_bit,
    mask_outside,
    maximum,
    multiply,
    select_negative,
    set_f32,
    set_i32,
    store_f32,
    subtract,
    sum_of,
)
from ..team import barrier, claim
from .kv_slots import page_table

SCORED_ROWS = 16  # rows, or heads of them, whose scores are in memory at a time
_PAGES = 32  # that a thread computes scores of at a time
_KINDS = (FLOAT32, FLOAT16, INT8)  # of keys
_LARGEST = QUERY_ROWS[0] if HAS_WIDE_VECTORS else ROWS[0]  # heads of a block
_MOST = np.float32(3e38)  # the score of units that are chosen in any case


@intrinsic
def keep_chosen(typing_context, x, bits):
    """x in lanes whose bit is set, else minus infinity."""

    def code(b: ir.IRBuilder, x: ir.Value, bits: ir.Value) -> ir.Value:
        lanes = b.bitcast(b.trunc(bits, ir.IntType(emit.LANES)), ir.VectorType(emit.I1, emit.LANES))
        return b.select(lanes, x, emit.splat(float("-inf"), emit.F32X16))

    return emit.typed(f32x16, (f32x16, types.int64), code)


@register_jitable
def selection_scratch(heads):
    """Bytes that a thread needs to choose, with so many heads of an indexer."""
    return 64 * (heads + max(QUERY_ROWS))


@inner
def select(s, threads, i, buffers, p, scratch):
    """Choose for all rows of a step (operations.Select).

    s: STEP. i: INSTRUCTION with the layer, `heads` of a `size`, `unit`, `top` and `local`, the weights as
    input_0, which has no buffer if each head chooses, and input_1, the bits. p: KV_MEMORY. scratch:
    selection_scratch bytes of the calling thread's own.
    """
    is_weighted = i.input_0.buffer >= 0
    heads = 1 if is_weighted else i.heads
    together = max(1, SCORED_ROWS // heads)
    for first in range(0, s.tokens, together):
        count, pages = min(together, s.tokens - first), 0
        for row in range(first, first + count):
            pages = max(pages, get_i32(s.positions, 4 * row) // PAGE + 1)
        parts = -(-pages // _PAGES)
        item = claim(s.team)
        while item < count * parts:
            row, page = _row_of(s, i, buffers, first, item % count, heads), item // count * _PAGES
            end = min(page + _PAGES, row.position // PAGE + 1)
            if row.position >= i.top * i.unit:  # else all are chosen
                score_pages(p, i, row, page, end, scratch)
            item = claim(s.team)
        barrier(s.team, threads)
        item = claim(s.team)
        while item < count * heads:
            row, head = _row_of(s, i, buffers, first, item // heads, heads), item % heads
            bits = buffers[i.y].floats + (first + item // heads) * buffers[i.y].row + i.y_start
            scores = row.scores + head * row.scores_row
            choose_units(i, row.position, is_weighted, scores, bits + head * i.input_1.head_step, scratch)
            item = claim(s.team)
        barrier(s.team, threads)


@inner
def _row_of(s, i, buffers, first, number, heads):
    """The row `number` of those from `first` on: Indexed."""
    row, weights = first + number, np.int64(0)
    x = buffers[i.x]
    if i.input_0.buffer >= 0:
        of_heads = buffers[i.input_0.buffer]
        weights = of_heads.floats + row * of_heads.row + i.input_0.start
    table = page_table(s, i, get_i32(s.sequences, 4 * row))
    scores = s.unit_scores + number * heads * s.unit_scores_row
    position = np.int64(get_i32(s.positions, 4 * row))
    return Indexed(x.floats + row * x.row + i.x_start, weights, position, table, scores, s.unit_scores_row)


class Indexed(NamedTuple):
    """A row that an indexer chooses for.

    Attributes:
        q: address of the queries of its heads: floats [heads, size].
        weights: that of a weight for each head; 0: each head chooses.
        position: of the row.
        table: address of int32, the pages of the positions 0 to 15, 16 to 31 and so on.
        scores: address of floats [heads that choose, units], heads `scores_row` bytes apart.
    """

    q: int
    weights: int
    position: int
    table: int
    scores: int
    scores_row: int


@inner
def score_pages(p, i, row, first, end, scratch):
    """The scores of a row for the units of the pages from `first` to `end`.

    p: KV_MEMORY. i: INSTRUCTION with the layer, `heads` of a `size`, and the `unit`. row: Indexed. scratch:
    selection_scratch bytes of the calling thread's own.
    """
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    for page in range(first, end):
        at = get_i32(row.table, 4 * page) * p.page_stride + i.layer * p.layer_stride
        head = 0
        while head < i.heads:
            height = _next_heads(i.heads - head)
            float_block(
                _KINDS,
                (1,),
                FloatCase(p.kind, height, 1),
                Weights(p.keys + at, PAGE * size, 0),
                Ahead(0, 0, 0, 0),
                Strided(row.q + 4 * head * i.size, 4 * i.size),
                i.size,
                Sums(scratch + 64 * head, 64, 0),
            )
            head += height
        if p.kind == INT8:
            scales = load_f32(p.key_scales + at, 0)
            for head in range(i.heads):
                store_f32(scratch, 64 * head, multiply(load_f32(scratch, 64 * head), scales))
        if row.weights:
            _score_ends(i, row, page, scratch)
        else:
            _score_largest(i, row, page, scratch)


@inner
def _next_heads(remaining):
    """How many heads the next block takes, or one more than remain."""
    if not HAS_WIDE_VECTORS:
        return block_rows(remaining, _LARGEST)
    blocks = -(-remaining // _LARGEST)
    heads = -(-remaining // blocks)
    return heads + 1 if heads == 3 or heads == 5 else heads


@inner
def _score_ends(i, row, page, products):
    """Store the scores of the units that end in a page: the weighted sum of the products of all heads."""
    zero = broadcast(np.float32(0))
    total = zero
    for head in range(i.heads):
        value = maximum(load_f32(products, 64 * head), zero)
        total = fma(broadcast(get_f32(row.weights, 4 * head)), value, total)
    if i.unit == 1:
        store_f32(row.scores, 64 * page, total)
        return
    store_f32(products, 0, total)
    for lane in range(PAGE):
        position = PAGE * page + lane
        if (position + 1) % i.unit == 0:
            set_f32(row.scores, 4 * (position // i.unit), get_f32(products, 4 * lane))


@inner
def _score_largest(i, row, page, products):
    """Raise the score of the unit of a page, a multiple of PAGE, to the largest product, head by head."""
    unit = 4 * (page * PAGE // i.unit)
    for head in range(i.heads):
        to = row.scores + head * row.scores_row
        value = mask_outside(load_f32(products, 64 * head), page * PAGE, 0, row.position + 1)
        best = largest_of(value)
        if page * PAGE % i.unit:
            best = max(best, get_f32(to, unit))
        set_f32(to, unit, best)


@inner
def choose_units(i, position, is_weighted, scores, bits, scratch):
    """Write the bits of the units that a row, or a head of it, attends to.

    i: INSTRUCTION with `unit`, `top` and `local`. scores: address of floats, one for each unit. bits: that of
    int32, 32 units each, up to that of the position. scratch: 64 bytes.
    """
    own = position // i.unit
    count = (position + 1) // i.unit if is_weighted else own + 1  # units that have scores
    words = own // 32 + 1
    if count <= i.top:
        for word in range(words):
            set_i32(bits, 4 * word, np.int32(-1))
        return
    for number in range(i.local):
        set_f32(scores, 4 * max(own - number, 0), _MOST)
    threshold, above, ties = _find_threshold(scores, count, i.top, scratch)
    for word in range(words):
        chosen = np.int64(0)
        for half in range(2):
            first = 32 * word + 16 * half
            if first < count:
                value = mask_outside(load_f32(scores, 4 * first), first, 0, count)
                lanes = find_lanes(value, broadcast(above), broadcast(np.float32(np.inf)))
                equal = find_lanes(value, broadcast(threshold), broadcast(above))
                while equal != 0 and ties > 0:
                    lanes |= np.int64(1) << lowest_bit(equal)
                    equal &= equal - 1
                    ties -= 1
                chosen |= lanes << (16 * half)
        if own >= count and own // 32 == word:
            chosen |= np.int64(1) << (own % 32)
        set_i32(bits, 4 * word, np.int32(chosen))


@inner
def _find_threshold(scores, count, top, scratch):
    """The score of the last of the `top` best units, the next number, and how many with that score they are.

    Halves the range of floats, which are in the order of integers.
    """
    low, high = np.int64(-0x7F800000), np.int64(0x7F800000)  # minus infinity and infinity
    over = 0  # scores that are at least `high`
    while high - low > 1:
        middle = (low + high) >> 1
        seen = _count_from(scores, count, _float_of(middle, scratch))
        if seen >= top:
            low = middle
        else:
            high, over = middle, seen
    return _float_of(low, scratch), _float_of(high, scratch), top - over


@inner
def _float_of(order, scratch):
    """The float at a place in the order of floats, where 0 is at 0."""
    set_i32(scratch, 0, np.int32(order if order >= 0 else -order | 0x80000000))
    return get_f32(scratch, 0)


@inner
def _count_from(scores, count, limit):
    """How many of the scores are at least `limit`."""
    limits, one = broadcast(limit), broadcast(np.float32(1))
    zero = broadcast(np.float32(0))
    total = zero
    for first in range(0, count, PAGE):
        value = mask_outside(load_f32(scores, 4 * first), first, 0, count)
        total = add(total, select_negative(subtract(value, limits), zero, one))
    return np.int64(sum_of(total))


@inner
def page_bits(bits, unit, page):
    """A bit for each position of a page, as rows choose units."""
    first = page * PAGE // unit
    word = np.int64(get_i32(bits, 4 * (first // 32))) >> (first % 32)
    if unit == 1:
        return word & 0xFFFF
    if unit >= PAGE:
        return -(word & 1) & 0xFFFF
    result = np.int64(0)
    for number in range(PAGE // unit):
        if word >> number & 1:
            result |= ((np.int64(1) << unit) - 1) << (number * unit)
    return result


@inner
def hide_others(bits, unit, first, end, scores):
    """Minus infinity for the scores of the pages from `first` to `end` whose positions are not chosen."""
    for page in range(first, end):
        at = 4 * PAGE * (page - first)
        store_f32(scores, at, keep_chosen(load_f32(scores, at), page_bits(bits, unit, page)))


@inner
def is_any_chosen(q, unit, first, end):
    """Whether one of the tokens of some queries attends to a position of the pages from `first` to `end`."""
    for token in range(q.tokens):
        for page in range(first, end):
            if page_bits(q.chosen + token * q.chosen_row, unit, page) != 0:
                return True
    return False
