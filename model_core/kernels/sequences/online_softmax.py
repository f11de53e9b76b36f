"""The softmax of attention in parts, which are merged in order (Milakov and Gimelshein, arXiv:1805.02867).

The state of a row of queries is its largest score and the sum of its weights, both in all lanes of a vector,
and then the values, mixed by weights relative to the largest score.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..inner import inner
from ..layout import PAGE
from ..pointwise import scale_row, softcap
from ..simd import (
    add,
    broadcast,
    exp_of_negative,
    get_f32,
    keep_lanes,
    largest_of,
    load_f32,
    mask_outside,
    maximum,
    multiply,
    store_f32,
    subtract,
    sum_of,
)

STATE_HEAD = 128  # bytes of a state before the mixed values


@register_jitable
def pad(size):
    """Rounded up to whole vectors."""
    return -(-size // 16) * 16


@register_jitable
def state_bytes(value_dim):
    """Bytes of the state of a row."""
    return STATE_HEAD + 4 * pad(value_dim)


class Positions(NamedTuple):
    """Positions from `start` up to `end`."""

    start: int
    end: int


@inner
def mask_row(scores, positions, own, cap, sink):
    """Cap the scores of whole pages of `positions`, unless `cap` is 0, and hide all but those of `own`.

    Returns the largest, that of the sink included, in all lanes; -inf if there is none. scores: address of
    floats, one for each of `positions`. sink: -inf for none.
    """
    first, last = positions
    start, end = own
    peak = broadcast(sink)
    for position in range(first, last, PAGE):
        at = 4 * (position - first)
        value = load_f32(scores, at)
        is_cut = position < start or position + PAGE > end
        if cap > 0 or is_cut:  # most pages are not
            if cap > 0:
                value = softcap(value, cap)
            if is_cut:
                value = mask_outside(value, position, start, end)
            store_f32(scores, at, value)
        peak = maximum(peak, value)
    return broadcast(largest_of(peak))


@inner
def softmax_row(scores, count, peak, sink, factors, state):
    """exp(score - peak) in place, for `count` scores of whole pages, and the head of the `state` of the row.

    peak: see mask_row. sink: a score that takes part in the sum. factors: address of floats by which the
    results are multiplied once they are summed; 0: by none.
    """
    largest = finite(peak)
    total = broadcast(np.float32(0))
    for at in range(0, 4 * count, 4 * PAGE):
        value = exp_of_negative(subtract(load_f32(scores, at), largest))
        total = add(total, value)
        store_f32(scores, at, multiply(value, load_f32(factors, at)) if factors else value)
    write_state_head(state, peak, total, sink)


@inner
def write_state_head(state, peak, total, sink):
    """Write the head of a state at an address. peak: see mask_row.

    total: a vector, whose lanes add up to the sum of the weights of all positions, the sink's excepted.
    """
    of_sink = exp_of_negative(subtract(broadcast(sink), finite(peak)))
    store_f32(state, 0, peak)
    store_f32(state, 64, broadcast(sum_of(total) + sum_of(keep_lanes(of_sink, 1))))


@inner
def finite(peak):
    """The peak, or a low number if no position took part, from which -inf can be subtracted."""
    return maximum(peak, broadcast(np.float32(-1e30)))


@inner
def merge_states(states, part, rows, value_dim):
    """Merge the states of rows with those of the next segment, `part`."""
    size = state_bytes(value_dim)
    for at in range(0, rows * size, size):
        to, of = states + at, part + at
        peak = maximum(load_f32(to, 0), load_f32(of, 0))
        # A weight of the merged softmax is relative to the larger peak.
        old = exp_of_negative(subtract(load_f32(to, 0), finite(peak)))
        new = exp_of_negative(subtract(load_f32(of, 0), finite(peak)))
        store_f32(to, 0, peak)
        for i in range(64, size, 64):  # the sum, then the mixed values
            store_f32(to, i, add(multiply(load_f32(to, i), old), multiply(load_f32(of, i), new)))


@inner
def write_outputs(states, value_dim, tokens, group, head, out, out_row):
    """Divide the mixed values of rows by the sums of their weights. Arguments as of attention.attend."""
    for row in range(tokens * group):
        state = states + row * state_bytes(value_dim)
        to = out + (row // group) * out_row + 4 * (head * group + row % group) * value_dim
        scale_row(state + STATE_HEAD, value_dim, np.float32(1) / get_f32(state, 64), to)
