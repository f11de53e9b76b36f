"""Mixtures of experts: how a row chooses its experts, and the products with them.

The rows of a step are grouped by expert, so that each expert's weights are read once. A row is in the groups
of all experts that it chose: a pair of a row and an expert. The bits of a row do not depend on the other
rows: products do not (see linear.py), and the outputs of a row's experts are added in the order of experts.
"""

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..layout import EXACT, GROUP, MATRIX, STRIP, record_type
from ..pointwise import sigmoid
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
from ..team import barrier, claim, claim_ahead
from .activations import RUN_BYTES, quantize_row
from .linear import SWIGLU, store_outputs, strip_output
from .strips import SUMS, multiply_strip

SCORES = ("softmax", "sigmoid", "sparsemixer")
_SIGMOID, _SPARSEMIXER = SCORES.index("sigmoid"), SCORES.index("sparsemixer")
# What ROUTE and EXPERTS have beside other instructions (see operations.Routing).
MIXTURE = record_type(
    "experts",
    "top_k",
    "score",  # an index of SCORES
    "normalizes",
    "groups",
    "top_groups",
    "group_top",
    "routing_weights",  # indices of buffers
    "gathered",
    "inner",
    down=MATRIX,
)


def group_table_bytes(experts: int, pairs: int) -> int:
    """Bytes of the table that says which rows chose which expert. See `_group_rows`."""
    return 4 * (2 * experts + 2 + pairs)


@inner
def route(x, y, count, bias, epsilon, scale, m):
    """The routing weights of a row (operators.route).

    x: address of `count` logits, which are overwritten. y, bias: addresses of as many floats; bias may be 0.
    epsilon: that of Routing; of sparsemixer, its nearness. m: MIXTURE.
    """
    if m.score == _SPARSEMIXER:
        _mix_sparsely(x, y, count, epsilon, m.top_k)
        return
    total = np.float32(1)
    if m.score == _SIGMOID:
        for i in range(0, 4 * count, 64):
            score = sigmoid(load_f32(x, i))
            store_f32(y, i, score)
            store_f32(x, i, add(score, load_f32(bias, i)) if bias else score)
    else:
        peak = broadcast(np.float32(-np.inf))
        for i in range(0, 4 * count, 64):
            peak = maximum(peak, mask_outside(load_f32(x, i), i // 4, 0, count))
        largest, sums = broadcast(largest_of(peak)), broadcast(np.float32(0))
        for i in range(0, 4 * count, 64):
            score = exp_of_negative(subtract(mask_outside(load_f32(x, i), i // 4, 0, count), largest))
            store_f32(y, i, score)
            sums = add(sums, score)
        total = sum_of(sums)
        if bias:
            factors = broadcast(np.float32(1) / total)
            for i in range(0, 4 * count, 64):
                store_f32(x, i, fma(load_f32(y, i), factors, load_f32(bias, i)))
    if m.groups > 1:
        _close_groups(x, count // m.groups, m)
    chosen_total = np.float32(0)
    for _ in range(m.top_k):
        best, score = -1, np.float32(-np.inf)
        for expert in range(count):
            value = get_f32(x, 4 * expert)
            if value > score:
                best, score = expert, value
        if best >= 0:
            set_f32(x, 4 * best, np.float32(np.nan))  # chosen, and never above another score again
            chosen_total += get_f32(y, 4 * best)
    factor = scale / (chosen_total + epsilon if m.normalizes else total)
    left = m.top_k  # logits that are no numbers must not choose more
    for expert in range(count):
        is_chosen = left > 0 and np.isnan(get_f32(x, 4 * expert))
        left -= is_chosen
        set_f32(y, 4 * expert, get_f32(y, 4 * expert) * factor if is_chosen else np.float32(0))


@inner
def _mix_sparsely(x, y, count, nearness, top_k):
    """The routing weights of sparsemixer (operators.route). x, y: addresses of `count` logits and weights."""
    zero, lowest = broadcast(np.float32(0)), np.float32(-np.inf)
    for i in range(0, 4 * count, 64):
        store_f32(y, i, zero)
    for _ in range(top_k):
        best, peak = -1, lowest
        for expert in range(count):
            value = get_f32(x, 4 * expert)
            if value > peak:
                best, peak = expert, value
        if best >= 0:
            peaks, total = broadcast(peak), zero
            for i in range(0, 4 * count, 64):
                value = mask_outside(load_f32(x, i), i // 4, 0, count)
                below = subtract(value, peaks)
                limit = multiply(broadcast(nearness), maximum(absolute(value), peaks))
                total = add(total, select_negative(add(limit, below), zero, exp_of_negative(below)))
            set_f32(y, 4 * best, np.float32(1) / sum_of(total))
            set_f32(x, 4 * best, lowest)


@inner
def _close_groups(x, size, m):
    """Minus infinity for the scores at address x of all experts that are not in the best groups."""
    for group in range(m.groups):
        score, better = _group_score(x, group, size, m.group_top), 0
        for other in range(m.groups):
            value = _group_score(x, other, size, m.group_top)
            better += value > score or (value == score and other < group)
        # The scores of groups that are closed already do not matter here: the best ones never are.
        if better >= m.top_groups:
            for expert in range(group * size, (group + 1) * size):
                set_f32(x, 4 * expert, np.float32(-np.inf))


@inner
def _group_score(x, group, size, group_top):
    """The sum of the best `group_top` scores of a group, 1 or 2."""
    first = second = np.float32(-np.inf)
    for expert in range(group * size, (group + 1) * size):
        value = get_f32(x, 4 * expert)
        second = max(second, min(first, value))
        first = max(first, value)
    return first + second if group_top > 1 else first


@njit(nogil=True, inline="always")
def mix_experts(s, threads, rows, i, buffers, scratch):
    """The mixture of experts of all rows (operations.Experts), by a team of threads.

    s: STEP. i: INSTRUCTION; its matrices have the experts one below the other. buffers: ACTIVATIONS, by
    index. scratch: address of scratch_bytes(rows), private to the thread.
    """
    team, table, mixture = s.team, s.group_table, i.mixture
    experts, down = mixture.experts, mixture.down
    a, w, y = buffers[i.x], buffers[mixture.routing_weights], buffers[i.y]
    gathered, inner = buffers[mixture.gathered], buffers[mixture.inner]  # inputs and activations of pairs
    if claim(team) == 0:
        _group_rows(rows, experts, w, table)
    barrier(team, threads)
    groups, starts = _get(table, experts), table + 4 * (experts + 1)
    members = starts + 4 * (experts + 1)

    pair, pairs = claim(team), _get(starts, groups)
    while pair < pairs:
        _copy_row(a, _get(members, pair), gathered, pair, i.matrix)
        pair = claim(team)
    barrier(team, threads)

    strips = i.matrix.n // STRIP // experts
    outputs = STRIP // 2 if i.mode >= SWIGLU else STRIP  # of a strip
    item = claim(team)
    next_item = claim_ahead(team, groups * strips)
    while item < groups * strips:
        last = next_item if 0 <= next_item < groups * strips else item
        prefetch = _get(table, last // strips) * strips + last % strips
        group = item // strips
        expert, start = _get(table, group), _get(starts, group)
        count, strip = _get(starts, group + 1) - start, expert * strips + item % strips
        multiply_strip(i.matrix, gathered, start, count, strip, prefetch, scratch)
        to = inner.floats + start * inner.row - 4 * outputs * expert * strips
        sums, none = scratch + SUMS, np.int64(0)
        store_outputs(i.matrix, count, strip, to, inner.row, i.mode, sums, none)
        item = next_item if next_item >= 0 else claim(team)
        next_item = claim_ahead(team, groups * strips)
    barrier(team, threads)

    if down.rounding != EXACT:
        pair = claim(team)
        while pair < pairs:
            quantize_row(inner, pair, strips * outputs, down)
            pair = claim(team)
        barrier(team, threads)

    # A thread computes a strip of the outputs through all experts, so that it can add them in their order.
    strips = down.n // STRIP // experts
    strip = claim(team)
    while strip < strips:
        to = y.floats + i.y_start + 4 * STRIP * strip
        for row in range(rows):
            for j in range(0, 4 * STRIP, 64):
                store_f32(to + row * y.row, j, broadcast(np.float32(0)))
        for group in range(groups):
            expert, start = _get(table, group), _get(starts, group)
            count = _get(starts, group + 1) - start
            at, last = expert * strips + strip, min(group + 1, groups - 1)
            prefetch = _get(table, last) * strips + strip
            multiply_strip(down, inner, start, count, at, prefetch, scratch)
            for pair in range(count):
                row = _get(members, start + pair)
                factor = broadcast(get_f32(w.floats + row * w.row, 4 * expert))
                for tile in range(STRIP // 16):
                    output = strip_output(down, at, tile, pair, scratch + SUMS, np.int64(0))
                    mixed = load_f32(to + row * y.row, 64 * tile)
                    store_f32(to + row * y.row, 64 * tile, add(mixed, multiply(factor, output)))
        strip = claim(team)


@inner
def _get(table, index):
    """A number of the table, as wide as indices are: other types would compile other copies of kernels."""
    return np.int64(get_i32(table, 4 * index))


@inner
def _group_rows(rows, experts, w, table):
    """Group rows by the experts that they chose.

    table: address of int32: the experts that any row chose, in order, up to [experts]; how many these are;
    the first pair of each, and behind them the number of pairs, up to [experts + 1]; the row of each pair.
    """
    starts = table + 4 * (experts + 1)
    members = starts + 4 * (experts + 1)
    groups = pairs = 0
    for expert in range(experts):
        start = pairs
        for row in range(rows):
            if get_f32(w.floats + row * w.row, 4 * expert) != 0:
                set_i32(members, 4 * pairs, np.int32(row))
                pairs += 1
        if pairs > start:
            set_i32(table, 4 * groups, np.int32(expert))
            set_i32(starts, 4 * groups, np.int32(start))
            groups += 1
    set_i32(table, 4 * experts, np.int32(groups))
    set_i32(starts, 4 * groups, np.int32(pairs))


@inner
def _copy_row(a, row, to, target, m):
    """Copy a row of activations to a row of others, in the form that a matrix multiplies."""
    if m.rounding != EXACT:
        _copy_bytes(a.codes + row * a.codes_row, to.codes + target * to.codes_row, m.k)
        size = -(-m.k // GROUP) * RUN_BYTES
        _copy_bytes(a.runs + row * a.runs_row, to.runs + target * to.runs_row, size)
    else:
        _copy_bytes(a.floats + row * a.row, to.floats + target * to.row, 4 * m.k)


@inner
def _copy_bytes(source, target, count):
    """Copy bytes, in units of 64."""
    for i in range(0, count, 64):
        store_f32(target, i, load_f32(source, i))
