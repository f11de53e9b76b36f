"""Keys, values, queries and weights of attention as 16-bit integers, words: sums of products are exact.

reference/word_attention.py is the specification. A row of keys or of a query has a scale of its own, so that
no sum of products leaves 32 bits (Cauchy and Schwarz: it is at most the product of both norms). So has a row
of values; it becomes part of the weights, which have a scale for each row of queries and block of positions.
Blocks begin at multiples of WORD_BLOCK pages. So a row's bits depend neither on the other rows nor on the
processor.
"""

from typing import NamedTuple

import numpy as np

from ..block_sizes import even_rows
from ..blocks import Strided
from ..inner import inner
from ..layout import PAGE
from ..simd import (
    absolute,
    add,
    broadcast,
    exp_of_negative,
    fma,
    get_f32,
    get_i32,
    largest_of,
    load_f32,
    maximum,
    multiply,
    set_f32,
    store_f32,
    subtract,
    sum_of,
)
from ..word_blocks import (
    WORD_ROWS,
    WORD_TILES,
    NextKeys,
    WordAhead,
    WordCase,
    WordPages,
    mix_block,
    prefetch_line,
    score_block,
    set_i16,
    spread_pairs,
    spread_words,
)
from .online_softmax import STATE_HEAD, finite, pad, state_bytes, write_state_head

WORD_BLOCK = 8  # pages whose weights have a scale together
_LARGEST = np.float32(32767)  # word
# The norm of keys and queries in words, whose square fits into 32 bits; and the sum of weights, that times
# _LARGEST does. Both leave room for rounding.
_NORM, _SUM = np.float32(46000), np.float32(65000)
_TINY = np.float32(1e-35)


class WordPlaces(NamedTuple):
    """Where the first page has keys and values of one layer and KV head, and their scales: addresses."""

    keys: int
    values: int
    key_scales: int
    value_scales: int


class NextPages(NamedTuple):
    """The pages that a thread attends to after a segment, with their KV head. table: address of int32."""

    table: int
    count: int
    head: int


class Part(NamedTuple):
    """What a block of queries attends to in one segment, and where its rows are.

    Attributes:
        table: address of int32, the pages of the sequence, of which `first` to `last` take part.
        rows: how many rows of queries there are, at the address `queries`.
        scores: address of float32 [rows, positions], in whose place weigh_words writes the words of weights,
            int16 [rows, positions]. Rows are score_row bytes apart.
        factors: bytes from the start of a row to the scales of its blocks, floats, one for WORD_BLOCK pages.
        value_scales: address of the scales of values, floats [positions], by which weights are multiplied.
        states: see online_softmax.py.
    """

    table: int
    first: int
    last: int
    rows: int
    queries: int
    scores: int
    score_row: int
    factors: int
    value_scales: int
    states: int


@inner
def write_word_slot(p, layer, page, slot, keys, values):
    """Write keys and values of a position as words. Arguments as of kv_slots.write_kv_slot."""
    at, steps = page * p.page_stride + layer * p.layer_stride, (p.key_dim + 1) // 2
    for head in range(p.kv_heads):
        k, v, of_slot = keys + 4 * head * p.key_dim, values + 4 * head * p.value_dim, 4 * (head * PAGE + slot)
        scale = _norm_scale(k, p.key_dim)
        set_f32(p.key_scales, at + of_slot, scale)
        _write_pairs(k, p.key_dim, scale, p.keys + at + 64 * head * steps + 4 * slot, 4 * PAGE)
        scale = _peak(v, p.value_dim) / _LARGEST
        set_f32(p.value_scales, at + of_slot, scale)
        inverse, whole = _inverse(scale), p.value_dim // 16 * 16
        to = p.values + at + 4 * (head * (PAGE // 2) + slot // 2) * p.padded_dim + 2 * (slot % 2)
        for i in range(0, whole, 16):
            spread_words(to + 4 * i, 4, multiply(load_f32(v, 4 * i), broadcast(inverse)))
        for i in range(whole, p.value_dim):
            set_i16(to, 4 * i, np.int32(np.rint(get_f32(v, 4 * i) * inverse)))


@inner
def write_query_words(x, count, factor, to):
    """Write a row of `count` floats as words to `to`, and behind them its scale times `factor`."""
    scale = _norm_scale(x, count)
    _write_pairs(x, count, scale, to, 4)
    set_f32(to, 4 * ((count + 1) // 2), scale * factor)


@inner
def _write_pairs(x, count, scale, to, stride):
    """Write `count` floats divided by their scale as words, of which pairs are `stride` bytes apart."""
    inverse, whole = _inverse(scale), count // 16 * 16
    for i in range(0, whole, 16):
        spread_pairs(to + i // 2 * stride, stride, multiply(load_f32(x, 4 * i), broadcast(inverse)))
    for i in range(whole, count):
        set_i16(to + i // 2 * stride, 2 * (i % 2), np.int32(np.rint(get_f32(x, 4 * i) * inverse)))
    if count % 2:
        set_i16(to + count // 2 * stride, 2, np.int32(0))


@inner
def _inverse(scale):
    """1 / scale, or 0 if it is that of zeros, or no number: a product with that scale will be none either."""
    return np.float32(1) / scale if scale > _TINY else np.float32(0)


@inner
def _peak(x, count):
    """The largest size of `count` floats; NaN if one is not finite."""
    peak = wrong = broadcast(np.float32(0))  # a product with 0 is 0, or NaN, which stays
    whole = count // 16 * 16
    for i in range(0, whole, 16):
        value = load_f32(x, 4 * i)
        peak, wrong = maximum(peak, absolute(value)), fma(value, broadcast(np.float32(0)), wrong)
    result, others = largest_of(peak), sum_of(wrong)
    for i in range(whole, count):
        value = get_f32(x, 4 * i)
        result, others = max(result, abs(value)), others + value * np.float32(0)
    return result + others


@inner
def _norm_scale(x, count):
    """The scale of `count` floats with which words have a norm of at most _NORM."""
    squares, whole = broadcast(np.float32(0)), count // 16 * 16
    for i in range(0, whole, 16):
        value = load_f32(x, 4 * i)
        squares = fma(value, value, squares)
    total = sum_of(squares)
    for i in range(whole, count):
        total += get_f32(x, 4 * i) * get_f32(x, 4 * i)
    scale, other = np.float32(np.sqrt(total)) / _NORM, _peak(x, count) / _LARGEST
    return other if other > scale else scale


@inner
def word_places(p, layer, head):
    """The WordPlaces of a layer and KV head. p: KV_MEMORY."""
    at = layer * p.layer_stride
    return WordPlaces(
        p.keys + at + 4 * PAGE * head * ((p.key_dim + 1) // 2),
        p.values + at + 4 * (PAGE // 2) * head * p.padded_dim,
        p.key_scales + at + 4 * PAGE * head,
        p.value_scales + at + 4 * PAGE * head,
    )


@inner
def score_words(p, places, part):
    """The scores of rows, whose words (write_query_words) are 4 * pad(key_dim) bytes apart at `queries`.

    p: KV_MEMORY. places: WordPlaces.
    """
    steps, query_row, number = (p.key_dim + 1) // 2, 4 * pad(p.key_dim), part.first
    while number < part.last:
        tiles = WORD_TILES[0] if part.last - number >= WORD_TILES[0] else 1
        to, here = part.scores + 4 * PAGE * (number - part.first), part.table + 4 * number
        # The hardware prefetcher cannot know the page table: the first block fetches values and next keys.
        following = part.table + 4 * min(number + tiles, part.last - tiles)
        row = 0
        while row < part.rows:
            height = _block_rows(part.rows - row)
            score_block(
                WordCase(height if row else -height, tiles),
                WordPages(here, p.page_stride, places.keys),
                places.key_scales,
                WordAhead(following, places.values),
                Strided(part.queries + row * query_row, query_row),
                steps,
                Strided(to + row * part.score_row, part.score_row),
            )
            row += height
        number += tiles


@inner
def mix_words(p, places, part, next_pages, next_places):
    """Write the values of rows, mixed by their words (weigh_words), to their states.

    next_pages: NextPages, whose keys are prefetched. next_places: their WordPlaces. For the others see
    score_words.
    """
    state_row, tile_count = state_bytes(p.value_dim), pad(p.value_dim) // 16
    for row in range(part.rows):
        for i in range(row * state_row + STATE_HEAD, (row + 1) * state_row, 64):
            store_f32(part.states, i, broadcast(np.float32(0)))
    number, block = part.first, 0
    while number < part.last:
        end = min((number // WORD_BLOCK + 1) * WORD_BLOCK, part.last)
        weights, tile = part.scores + 2 * PAGE * (number - part.first), 0
        next_table = next_pages.table + 4 * (number - part.first)
        has_next = end - part.first <= next_pages.count
        while tile < tile_count:
            row, tiles = 0, WORD_TILES[0] if tile_count - tile >= WORD_TILES[0] else 1
            next_keys = next_places.keys + 64 * tile
            while row < part.rows:
                height = _block_rows(part.rows - row)
                mix_block(
                    WordCase(-height if has_next and not row else height, tiles),
                    WordPages(part.table + 4 * number, p.page_stride, places.values + 64 * tile),
                    4 * p.padded_dim,
                    NextKeys(next_table, next_keys, next_places.key_scales, next_places.value_scales),
                    Strided(weights + row * part.score_row, part.score_row),
                    part.scores + row * part.score_row + part.factors + 4 * block,
                    end - number,
                    Strided(part.states + row * state_row + STATE_HEAD + 64 * tile, state_row),
                )
                row += height
            tile += tiles
        number, block = end, block + 1


@inner
def _block_rows(remaining):
    """The rows of the next block; one more than remain if these are 5."""
    rows = even_rows(remaining, WORD_ROWS[0])
    return 6 if rows == 5 else rows


@inner
def weigh_words(p, places, part, row, peak, sink):
    """Scores of a row -> weights times the scales of values, as words in their place; and its state's head.

    p: KV_MEMORY. places: WordPlaces. row: its number. peak, sink: see online_softmax.mask_row.

    Each row prefetches its share of the values. Processors of AMD drop what is prefetched faster than memory
    gives it, so it is asked for again after score_words, and slowly.
    """
    weights, lines = part.scores + row * part.score_row, PAGE // 2 * (p.padded_dim // 16)
    share = -(-lines // part.rows)
    first_line, last_line = 64 * row * share, 64 * min((row + 1) * share, lines)
    largest, total = finite(peak), broadcast(np.float32(0))
    number, block = part.first, 0
    while number < part.last:
        end = min((number // WORD_BLOCK + 1) * WORD_BLOCK, part.last)
        block_sum = most = broadcast(np.float32(0))
        for page in range(number, end):
            at, offset = 4 * PAGE * (page - part.first), get_i32(part.table, 4 * page) * p.page_stride
            for line in range(first_line, last_line, 64):
                prefetch_line(places.values + offset + line)
            value = exp_of_negative(subtract(load_f32(weights, at), largest))
            total = add(total, value)
            value = multiply(value, load_f32(part.value_scales, at))
            store_f32(weights, at, value)
            block_sum, most = add(block_sum, value), maximum(most, value)
        scale, other = sum_of(block_sum) / _SUM, largest_of(most) / _LARGEST
        scale = other if other > scale else scale
        set_f32(weights, part.factors + 4 * block, scale)
        inverse = broadcast(_inverse(scale))
        for page in range(number, end):  # words take half the place, so none is written over what is to come
            i = PAGE * (page - part.first)
            spread_words(weights + 2 * i, 2, multiply(load_f32(weights, 4 * i), inverse))
        number, block = end, block + 1
    write_state_head(part.states + row * state_bytes(p.value_dim), peak, total, sink)
