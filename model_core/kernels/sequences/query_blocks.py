"""Attention of a step: which thread computes which queries, and in which order."""

from typing import NamedTuple

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..simd import get_i32
from ..team import barrier, claim, claim_ahead, divide_rows, own_part
from .attention import (
    BLOCKS_TOGETHER,
    SEGMENT,
    Queries,
    attend_segment,
    end_segment,
    find_next_pages,
    first_segment,
    no_next_pages,
    scratch_rows,
    states_start,
)
from .kv_slots import page_table
from .online_softmax import merge_states, state_bytes, write_outputs

_ITEMS = 6  # of prompts, for each thread, at least, so that no thread waits long for another


@inner
def _end_of_block(s, i, block):
    """The position behind the last that a block of queries attends to."""
    row, tokens = get_i32(s.blocks, 12 * block), get_i32(s.blocks, 12 * block + 4)
    last_row = get_i32(s.starts, 4 * get_i32(s.blocks, 12 * block + 8) + 4) - 1
    length = get_i32(s.positions, 4 * last_row) + 1
    end = min(get_i32(s.positions, 4 * row) + tokens + i.ahead, length)
    if i.bounded and s.bounds:  # the bounds of later rows are not before those of earlier ones
        end = max(end, get_i32(s.bounds, 8 * (row + tokens - 1) + 4))
    return end


@inner
def _segments_of_block(s, i, block):
    """The first segment that a block of queries attends to, and the one behind the last."""
    row = get_i32(s.blocks, 12 * block)
    first = first_segment(get_i32(s.positions, 4 * row), i.window)
    if i.bounded and s.bounds:
        first = min(first, get_i32(s.bounds, 8 * row) // SEGMENT)
    return first, end_segment(_end_of_block(s, i, block))


@inner
def _queries(s, i, buffers, p, block, head):
    """The Queries of a block for one KV head."""
    x = buffers[i.x]
    row, tokens = get_i32(s.blocks, 12 * block), get_i32(s.blocks, 12 * block + 4)
    table, position = page_table(s, i, get_i32(s.blocks, 12 * block + 8)), get_i32(s.positions, 4 * row)
    bounds = s.bounds + 8 * row if i.bounded and s.bounds else 0
    of_queries, of_keys = buffers[i.input_0.buffer], buffers[i.input_1.buffer]  # if it has columns
    relative, keys = np.int64(0), np.int64(0)
    if i.columns:  # then a step has whole sequences
        relative = of_queries.floats + row * of_queries.row + i.input_0.start
        keys = of_keys.floats + (row - position) * of_keys.row + i.input_1.start
    chosen, chosen_row = np.int64(0), np.int64(0)
    if i.unit:
        bits = buffers[i.input_2.buffer]
        chosen = bits.floats + row * bits.row + i.input_2.start
        chosen += head // i.input_2.repeats * i.input_2.head_step
        chosen_row = bits.row
    numbers = relative, of_queries.row, keys, of_keys.row, chosen, chosen_row
    end, group = _end_of_block(s, i, block), i.heads // p.kv_heads
    at = x.floats + row * x.row + i.x_start
    return Queries(at, x.row, table, position, tokens, end, bounds, group, head, *numbers)


@inner
def _write_block(s, i, buffers, p, block, head, states):
    """Write the mixed values of a block for one KV head from its states."""
    row, tokens, out = get_i32(s.blocks, 12 * block), get_i32(s.blocks, 12 * block + 4), buffers[i.y]
    to = out.floats + row * out.row + i.y_start
    write_outputs(states, p.value_dim, tokens, i.heads // p.kv_heads, head, to, out.row)


class Item(NamedTuple):
    """What a thread computes at a time: consecutive blocks of queries through a KV head."""

    head: int
    first_block: int
    end_block: int


@inner
def _attend_in_turn(s, i, buffers, p, item, next_item, scratch):
    """Attention of an Item, segment by segment. next_item: the Item that the thread computes next."""
    group, head = i.heads // p.kv_heads, item.head
    size = scratch_rows(group) * state_bytes(p.value_dim)
    states = scratch + states_start(p.key_dim, group)
    part = states + BLOCKS_TOGETHER * size
    first, end = _segments_of_block(s, i, item.first_block)
    for block in range(item.first_block + 1, item.end_block):
        own, own_end = _segments_of_block(s, i, block)
        first, end = min(first, own), max(end, own_end)
    for segment in range(first, end):
        for block in range(item.first_block, item.end_block):
            own, own_end = _segments_of_block(s, i, block)
            if own <= segment < own_end:
                q, to = _queries(s, i, buffers, p, block, head), states + (block - item.first_block) * size
                next_pages = no_next_pages()
                if block == item.end_block - 1:
                    next_pages = _next_pages(s, i, buffers, p, item, segment + 1)
                    if next_pages.count == 0:
                        next_pages = _next_pages(s, i, buffers, p, next_item, np.int64(0))
                attend_segment(p, i, q, segment, next_pages, to if segment == own else part, scratch)
                if segment > own:
                    merge_states(to, part, q.tokens * group, p.value_dim)
    for block in range(item.first_block, item.end_block):
        _write_block(s, i, buffers, p, block, head, states + (block - item.first_block) * size)


@inner
def _next_pages(s, i, buffers, p, item, segment):
    """The NextPages of an Item's last block, in a segment or the first one behind it to which it attends."""
    if item.first_block == item.end_block:
        return no_next_pages()
    block = item.end_block - 1
    own, end = _segments_of_block(s, i, block)
    segment = max(segment, own)
    if segment >= end:
        return no_next_pages()
    return find_next_pages(_queries(s, i, buffers, p, block, item.head), segment, i.window)


@inner
def _item(s, p, number, together):
    """The Item with a number; without blocks, if there is none with it."""
    block = number // p.kv_heads * together
    if number < 0 or block >= s.block_count:
        return Item(np.int64(0), np.int64(0), np.int64(0))
    return Item(number % p.kv_heads, block, min(block + together, s.block_count))


@inner
def _share_segments(s, threads, i, buffers, p, segments, scratch):
    """Attention of few blocks, each of whose segments, at most so many, may be another thread's."""
    group, count = i.heads // p.kv_heads, s.block_count * p.kv_heads
    size = scratch_rows(group) * state_bytes(p.value_dim)
    items = count * segments
    number = claim(s.team)
    next_number = claim_ahead(s.team, items)
    while number < items:
        item, part = _item(s, p, number % count, 1), number // count
        first, end = _segments_of_block(s, i, item.first_block)
        if first + part < end:
            q = _queries(s, i, buffers, p, item.first_block, item.head)
            next_pages = no_next_pages()
            if 0 <= next_number < items:
                following = _item(s, p, next_number % count, 1)
                own, _ = _segments_of_block(s, i, following.first_block)
                next_pages = _next_pages(s, i, buffers, p, following, own + next_number // count)
            attend_segment(p, i, q, first + part, next_pages, s.states_of_parts + number * size, scratch)
        number = next_number if next_number >= 0 else claim(s.team)
        next_number = claim_ahead(s.team, items)
    barrier(s.team, threads)
    item = claim(s.team)
    while item < count:
        block, states = item // p.kv_heads, s.states_of_parts + item * size
        first, end = _segments_of_block(s, i, block)
        rows = group * get_i32(s.blocks, 12 * block + 4)
        for other in range(1, end - first):
            merge_states(states, states + other * count * size, rows, p.value_dim)
        _write_block(s, i, buffers, p, block, item % p.kv_heads, states)
        item = claim(s.team)


@njit(nogil=True, inline="always")
def attend(s, thread, threads, i, buffers, p, scratch):
    """Attention of each block of queries through each KV head (operators.attention_weights and mix_values).

    s: STEP. i: INSTRUCTION and p: KV_MEMORY, see attention.attend_segment. scratch: attention_scratch bytes
    of the calling thread's own.

    If there are few blocks and long texts, the threads share the segments of each. Otherwise a thread takes
    some blocks of a prompt together, so that a near cache keeps the keys and values of a segment for all of
    them. A row meets its segments in order in any case, so its bits are the same.
    """
    group, count, together = i.heads // p.kv_heads, s.block_count * p.kv_heads, 1
    has_prompts = s.tokens > s.block_count
    if has_prompts:
        together = max(1, min(BLOCKS_TOGETHER, count // (_ITEMS * threads)))
    segments = 1
    if count < 2 * threads:
        for block in range(s.block_count):
            first, end = _segments_of_block(s, i, block)
            segments = max(segments, end - first)
    size = scratch_rows(group) * state_bytes(p.value_dim)
    if threads > 1 and segments > 1 and count * segments * size <= s.states_of_parts_size:
        _share_segments(s, threads, i, buffers, p, segments, scratch)
    else:
        parts, height = divide_rows(s.tokens, threads)
        own = own_part(thread, threads, parts)
        for turn in range(parts):
            part = (own + turn) % parts
            first = _first_group(s, height * part, together) * p.kv_heads
            items = _first_group(s, height * (part + 1), together) * p.kv_heads - first
            # Memory does not limit prompts, and their items are long: a thread keeps none from others.
            items_ahead = 0 if has_prompts else items
            number = claim(s.team, part)
            next_number = claim_ahead(s.team, items_ahead, part, parts)
            while number < items:
                item = _item(s, p, first + number, together)
                next_item = _item(s, p, first + next_number if 0 <= next_number < items else -1, together)
                _attend_in_turn(s, i, buffers, p, item, next_item, scratch)
                number = next_number if next_number >= 0 else claim(s.team, part)
                next_number = claim_ahead(s.team, items_ahead, part, parts)


@inner
def _first_group(s, row, together):
    """The first group of so many blocks that begins at a row or behind it."""
    group = 0
    while group * together < s.block_count and get_i32(s.blocks, 12 * group * together) < row:
        group += 1
    return group
