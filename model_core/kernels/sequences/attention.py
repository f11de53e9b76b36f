"""Attention over paged KV memory, for prompts and single tokens alike, causal or in both directions.

The positions are divided into segments. Each has a softmax of its own, and their results are merged in order
(online_softmax.py). Segments begin at multiples of SEGMENT, so a
row's bits do not depend on which thread computes a segment.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..block_sizes import block_rows, even_rows
from ..blocks import Ahead, Strided, Sums
from ..emit import FLOAT_ROWS, HAS_WIDE_VECTORS, ROWS
from ..float_blocks import QUERY_ROWS, FloatCase, Pages, Weights, float_block, page_block, turn_block
from ..inner import inner
from ..layout import FLOAT16, FLOAT32, INT8, INT16, PAGE
from ..pointwise import add_row, scale_row
from ..simd import get_f32, get_i32, keep_lanes, load_f32, multiply, set_f32, store_f32
from .online_softmax import STATE_HEAD, Positions, mask_row, pad, softmax_row, state_bytes
from .selection import hide_others, is_any_chosen
from .words import NextPages, Part, mix_words, score_words, weigh_words, word_places, write_query_words

SEGMENT = 512  # positions
# Rows of queries, a token and a head each, that read a page together.
MAX_QUERY_ROWS = 24
# Blocks of these that a thread takes together, segment by segment: keys and values of a segment, 128 KiB with
# heads of 64 numbers in 16 bits, come from a far cache once for all of them.
BLOCKS_TOGETHER = 4
# Pages of values that all blocks of rows go through before the next ones, so that a near cache keeps them.
_PAGES_OF_VALUES = 8
# Vectors of values that a block multiplies: two for more rows than ROWS.
_VALUE_TILES = 2 if HAS_WIDE_VECTORS else 4
_KINDS = (FLOAT32, FLOAT16, INT8)  # of keys and values
_SCORES_ROW = 4 * (SEGMENT + PAGE)  # bytes; a power of two would make rows compete for the same cache lines


@register_jitable
def scratch_rows(group):
    """Rows of queries that the scratch memory of `attend` holds, with `group` query heads a KV head."""
    return max(MAX_QUERY_ROWS, group) + max(QUERY_ROWS)


@register_jitable
def attention_scratch(key_dim, value_dim, group):
    """Bytes that a thread needs to attend, with `group` query heads a KV head."""
    states = (BLOCKS_TOGETHER + 1) * scratch_rows(group) * state_bytes(value_dim)
    return states_start(key_dim, group) + states + 2 * _turned_bytes(key_dim)


@register_jitable
def states_start(key_dim, group):
    """Bytes of that memory before the states of blocks, which follow queries, scores and scales of values."""
    return scratch_rows(group) * (4 * pad(key_dim) + _SCORES_ROW) + 4 * SEGMENT


@register_jitable
def _turned_bytes(key_dim):
    """Bytes of a page of latents as keys."""
    return 4 * PAGE * pad(key_dim)


@inner
def _next_rows(remaining, largest):
    """How many of the `remaining` rows the next block takes, at most `largest`, or one more than remain.

    With wide vectors, blocks are as equal as they can be.
    """
    if not HAS_WIDE_VECTORS:
        return block_rows(remaining, largest)
    rows = even_rows(remaining, largest)
    return rows + 1 if rows == 3 or rows == 5 else rows


@inner
def first_segment(position, window):
    """The first segment that a block of queries attends to, whose first token is at `position`."""
    return 0 if window == 0 else max(0, position - window + 1) // SEGMENT


@inner
def end_segment(end):
    """The segment behind the last that a block of queries attends to, up to the position `end`."""
    return -(-end // SEGMENT)


class Queries(NamedTuple):
    """The queries of consecutive tokens of one sequence, for one KV head.

    Attributes:
        at: address of those of the first token: floats [tokens, all heads, key_dim]. Tokens are `stride`
            bytes apart.
        table: address of int32, the pages of the positions 0 to 15, 16 to 31 and so on.
        position: that of the first token.
        tokens: how many; tokens * group is at most MAX_QUERY_ROWS, or tokens is 1.
        end: behind the last position that the last token attends to.
        bounds: address of int32 [tokens, 2], positions that each token sees besides, and the end of these; 0:
            none.
        group: query heads a KV head.
        head: the KV head.
        relative: address of what scores get from the numbers of each query at its distances: floats [tokens,
            all heads, numbers]; 0: nothing. `relative_row`: bytes from one token to the next.
        of_keys: the same from numbers of each key of the sequence, [positions, all heads, numbers], and its
            `of_keys_row`.
        chosen: address of int32, the bits of the units that the first token attends to (selection.py), those
            of the next one `chosen_row` bytes on; 0: all take part.
    """

    at: int
    stride: int
    table: int
    position: int
    tokens: int
    end: int
    bounds: int
    group: int
    head: int
    relative: int
    relative_row: int
    of_keys: int
    of_keys_row: int
    chosen: int
    chosen_row: int


@inner
def attend_segment(p, i, q, segment, next_pages, states, scratch):
    """What some queries find in one segment: the states of their rows, written to `states`.

    p: KV_MEMORY. i: INSTRUCTION, with the layer, the window (how many positions up to its own a token attends
    to; 0: all), the size of a `chunk`, if it attends only within its own (the window then; 0: none), how many
    `ahead` after its own (0: causal attention), the scale of scores, their cap (see pointwise.softcap; 0:
    none), as `weight` the address of a sink for each query head (see operations.Attend; 0: none) and as
    `bias` that of what a head adds at the distance 0 (see tape/distances.py; 0: nothing), where heads are
    `weight_step` bytes apart. q: Queries. next_pages: NextPages, which may be prefetched. scratch: of the
    calling thread's own, see attention_scratch; what is behind states_start stays.

    Every sum runs over the positions in order, a page at a time, and masked positions add zeros. So a row's
    bits do not depend on the other rows.
    """
    if p.kind == INT16:
        _attend_words(p, i, q, segment, next_pages, states, scratch)
    else:
        _attend_floats(p, i, q, segment, states, scratch)


@inner
def find_next_pages(q, segment, window):
    """The NextPages of Queries in a segment."""
    first, last, _ = _find_pages(q, segment, window)
    return NextPages(q.table + 4 * first, last - first, q.head)


@inner
def no_next_pages():
    """The NextPages of a thread that does not know what comes next."""
    return NextPages(np.int64(0), np.int64(0), np.int64(0))


@inner
def _attend_words(p, i, q, segment, next_pages, states, scratch):
    """attend_segment where keys and values are words."""
    group, rows = q.group, q.tokens * q.group
    first_page, last_page, length = _find_pages(q, segment, i.window)
    query_row = 4 * pad(p.key_dim)
    scores = scratch + scratch_rows(group) * query_row
    value_scales = scores + scratch_rows(group) * _SCORES_ROW
    rows_of_scores = scores, _SCORES_ROW, np.int64(4 * SEGMENT), value_scales
    part = Part(q.table, first_page, last_page, rows, scratch, *rows_of_scores, states)
    places = word_places(p, i.layer, q.head)
    for row in range(rows):
        source = q.at + (row // group) * q.stride + 4 * (q.head * group + row % group) * p.key_dim
        write_query_words(source, p.key_dim, i.scale, scratch + row * query_row)
    score_words(p, places, part)
    of_rows = Scores(scores, first_page, last_page, value_scales)
    _gather_scales(p, q.table, of_rows, places.value_scales, length)
    _add_to_scores(i, q, segment, of_rows)
    for row in range(rows):
        peak, sink = _mask_row(i, q, segment, of_rows, row)
        weigh_words(p, places, part, row, peak, sink)
    mix_words(p, places, part, next_pages, word_places(p, i.layer, next_pages.head))


@inner
def _find_pages(q, segment, window):
    """The pages of a segment that queries attend to, from the first up to the last, and where they end."""
    length, first_page = min(q.end, (segment + 1) * SEGMENT), segment * (SEGMENT // PAGE)
    if window > 0:
        first = q.position - window + 1
        if q.bounds:
            first = min(first, get_i32(q.bounds, 0))
        first_page = max(first_page, first // PAGE)
    return first_page, -(-length // PAGE), length


@inner
def _attend_floats(p, i, q, segment, states, scratch):
    """attend_segment where keys and values are floats, or bytes."""
    table, group, head = q.table, q.group, q.head
    dim, padded, rows = p.key_dim, p.padded_dim, q.tokens * group
    size = 4 if p.kind == FLOAT32 else 2 if p.kind == FLOAT16 else 1
    is_latent = p.keys == 0
    key_kind = FLOAT32 if is_latent else p.kind
    key_bytes = 4 * PAGE if is_latent else PAGE * size  # from one number of the keys of a page to the next
    at = i.layer * p.layer_stride
    first_keys, first_values = (
        (p.values if is_latent else p.keys + head * dim * PAGE * size) + at,
        p.values + at + head * PAGE * padded * size,
    )
    key_scales, value_scales = p.key_scales + at + head * 4 * PAGE, p.value_scales + at + head * 4 * PAGE
    first_page, last_page, length = _find_pages(q, segment, i.window)
    row_bytes, state_row, value_tiles = _SCORES_ROW, state_bytes(p.value_dim), pad(p.value_dim) // 16
    queries, scores = scratch, scratch + 4 * scratch_rows(group) * pad(dim)
    turned = scratch + attention_scratch(dim, p.value_dim, group) - 2 * _turned_bytes(dim)

    for row in range(rows):
        source = q.at + (row // group) * q.stride + 4 * (head * group + row % group) * dim
        scale_row(source, dim, i.scale, queries + 4 * row * dim)

    # Tall blocks (see FLOAT_ROWS) have one vector of keys or values.
    is_tall = not HAS_WIDE_VECTORS and rows > FLOAT_ROWS
    largest = QUERY_ROWS[0] if HAS_WIDE_VECTORS else FLOAT_ROWS if is_tall else ROWS[0]
    parts = 2 if HAS_WIDE_VECTORS and 1 < rows <= largest else 1
    # Two pages at a time, to hide the latency of memory. The values and the next keys are prefetched
    # meanwhile, because the hardware prefetcher cannot know the page table.
    for number in range(first_page, last_page, 2):
        pages = min(2, last_page - number)
        if q.chosen and not is_any_chosen(q, i.unit, number, number + pages):
            continue  # the scores stay as they are, and are hidden
        keys = first_keys + _page_offset(p, table, number)
        distance = first_keys + _page_offset(p, table, number + pages - 1) - keys
        if is_latent:
            for page in range(pages):
                rows_of_page = first_values + _page_offset(p, table, number + page)
                for j in range(0, dim, 16):
                    columns = turned + page * _turned_bytes(dim) + 4 * PAGE * j
                    turn_block(_KINDS, p.kind, Strided(rows_of_page + j * size, padded * size), columns)
            keys, distance = turned, _turned_bytes(dim)
        to = scores + 4 * PAGE * (number - first_page)
        row = block = 0
        while row < rows:
            height = _next_rows(rows - row, largest)
            y = to + row * row_bytes
            tiles = 1 if is_tall and height > ROWS[0] else pages
            # A wide block that is alone has two parts. The first two blocks, or its parts, prefetch a page
            # each: its next keys and its values.
            for part in range(parts):
                page = min(number + 2 + block, last_page - 1)
                prefetch_a = first_keys + _page_offset(p, table, page)
                page = min(number + block, last_page - 1)
                prefetch_b = first_values + _page_offset(p, table, page)
                count = -height if block < 2 and height > 1 else height
                start = part * dim // parts
                ahead = parts * PAGE * size
                for first in range(0, pages, tiles):
                    float_block(
                        _KINDS,
                        (1, 2),
                        FloatCase(key_kind, height if first else count, tiles),
                        Weights(keys + first * distance + start * key_bytes, key_bytes, distance),
                        Ahead(prefetch_a, ahead, prefetch_b, ahead),
                        Strided(queries + 4 * (row * dim + start), 4 * dim),
                        (part + 1) * dim // parts - start,
                        Sums(y + 4 * PAGE * first, row_bytes, part),
                    )
                block += 1
            row += height
        if p.kind == INT8:
            for page in range(number, number + pages):
                scales = load_f32(key_scales, _page_offset(p, table, page))
                for row in range(rows):
                    at = row * row_bytes + 4 * PAGE * (page - number)
                    store_f32(to, at, multiply(load_f32(to, at), scales))

    of_rows = Scores(scores, first_page, last_page, np.int64(0))
    if p.kind == INT8:
        of_rows = Scores(scores, first_page, last_page, scores + scratch_rows(group) * row_bytes)
        _gather_scales(p, table, of_rows, value_scales, length)
    _add_to_scores(i, q, segment, of_rows)
    for row in range(rows):
        peak, sink = _mask_row(i, q, segment, of_rows, row)
        at, state = scores + row * row_bytes, states + row * state_row
        softmax_row(at, PAGE * (last_page - first_page), peak, sink, of_rows.value_scales, state)

    for number in range(first_page, last_page, _PAGES_OF_VALUES):
        # Slots beyond the sequence's end may hold another sequence's data or NaN: they are not read.
        count = min(_PAGES_OF_VALUES * PAGE, length - number * PAGE)
        end = min(number + _PAGES_OF_VALUES, last_page)
        if q.chosen and number > first_page and not is_any_chosen(q, i.unit, number, end):
            continue  # the weights are zeros
        weights = scores + 4 * PAGE * (number - first_page)
        tile = 0
        while tile < value_tiles:
            row, tiles = 0, _VALUE_TILES if value_tiles - tile >= _VALUE_TILES and not is_tall else 1
            while row < rows:
                height = _next_rows(rows - row, largest)
                page_block(
                    _KINDS,
                    (1, _VALUE_TILES),
                    FloatCase(p.kind, height, tiles),
                    Pages(table + 4 * number, p.page_stride),
                    Weights(first_values + 16 * tile * size, padded * size, 16 * size),
                    Strided(weights + row * row_bytes, row_bytes),
                    count,
                    Sums(states + row * state_row + STATE_HEAD + 64 * tile, state_row, number - first_page),
                )
                row += height
            tile += tiles


class Scores(NamedTuple):
    """Scores of rows at an address, _SCORES_ROW bytes apart, for the positions of pages from first to last.

    value_scales: address of the scales of values, floats [positions], by which weights are multiplied; 0: by
    none.
    """

    at: int
    first_page: int
    last_page: int
    value_scales: int


@inner
def _gather_scales(p, table, of_rows, scales, length):
    """Copy the scales of values of a segment to its Scores, where all rows find them in a near cache.

    scales: address of those of the first page of memory. length: where the positions end.
    """
    for number in range(of_rows.first_page, of_rows.last_page):
        of_page = load_f32(scales, _page_offset(p, table, number))
        if (number + 1) * PAGE > length:  # the other slots may hold anything
            of_page = keep_lanes(of_page, length - number * PAGE)
        store_f32(of_rows.value_scales, 4 * PAGE * (number - of_rows.first_page), of_page)


@inner
def _add_to_scores(i, q, segment, of_rows):
    """Add what Scores get besides products, and hide those of positions that were not chosen."""
    scores, first_page, last_page, _ = of_rows
    group, head, rows = q.group, q.head, q.tokens * q.group
    if i.bias:
        for row in range(rows):
            distance = first_page * PAGE - q.position - row // group
            by_distance = i.bias + (head * group + row % group) * i.weight_step + 4 * distance
            columns = (last_page - first_page) * PAGE
            add_row(by_distance, columns, np.float32(1), scores + row * _SCORES_ROW)

    if q.relative:
        length = min(q.end, (segment + 1) * SEGMENT)
        for row in range(rows):
            _add_relative(i, q, row, first_page * PAGE, length, scores + row * _SCORES_ROW)

    if q.chosen:
        for row in range(rows):
            bits = q.chosen + row // group * q.chosen_row
            hide_others(bits, i.unit, first_page, last_page, scores + row * _SCORES_ROW)


@inner
def _mask_row(i, q, segment, of_rows, row):
    """Hide the Scores of a row that it does not attend to. Returns what mask_row does, and its sink."""
    own = q.position + row // q.group
    start = 0 if i.window == 0 else max(0, own + 1 - i.window)
    if i.chunk:
        start = own - own % i.chunk  # within the window, which is as long
    stop = min(own + 1 + i.ahead, q.end)
    if q.bounds:
        at = 8 * (row // q.group)
        start, stop = min(start, get_i32(q.bounds, at)), max(stop, get_i32(q.bounds, at + 4))
    sink = np.float32(-np.inf)
    if i.weight and start // SEGMENT == segment:  # the first of this row
        sink = get_f32(i.weight, 4 * (q.head * q.group + row % q.group))
    positions = Positions(of_rows.first_page * PAGE, of_rows.last_page * PAGE)
    peak = mask_row(of_rows.at + row * _SCORES_ROW, positions, Positions(start, stop), i.cap, sink)
    return peak, sink


@inner
def _page_offset(p, table, i):
    """Bytes from the first page to the i-th of a sequence."""
    return get_i32(table, 4 * i) * p.page_stride


@inner
def _add_relative(i, q, row, first, end, scores):
    """Add to the scores of a row what belongs to its distances to the positions `first` to `end`.

    i: its `columns` is the address of int32, the place of the numbers for distance 0.
    """
    head = q.head * q.group + row % q.group
    of_query = q.relative + row // q.group * q.relative_row + head * i.input_0.head_step
    of_keys, columns = q.of_keys + head * i.input_1.head_step, i.columns - 4 * (q.position + row // q.group)
    for position in range(first, end):
        at = 4 * np.int64(get_i32(columns, 4 * position))
        added = get_f32(of_query, at) + get_f32(of_keys, position * q.of_keys_row + at)
        place = 4 * (position - first)
        set_f32(scores, place, get_f32(scores, place) + added * i.scale)
