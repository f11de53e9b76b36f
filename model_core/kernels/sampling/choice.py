"""Chooses tokens by their logits, one for each of many rows at once. sampling/methods.py says how.

A row is read a few times in order. What top_k and top_p keep is found without sorting
(sampling/top_k_top_p.py).

All sums are in a fixed order. So a choice does not depend on the other rows, the threads or the processor.
"""

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..simd import (
    add,
    broadcast,
    count_equal,
    exp_of_negative,
    get_f32,
    get_i32,
    keep_from,
    largest_of,
    load_f32,
    maximum,
    multiply,
    set_f32,
    set_i32,
    store_f32,
    subtract,
    sum_of,
)
from ..team import barrier, claim
from .masking import apply_mask
from .top_k_top_p import BITS_ABOVE_ALL, BLOCK, bits_of, find_nucleus, find_threshold

NOT_FINITE = -1  # instead of a token

# How a token is chosen. row, mask: indices; mask -1 for none. checks: whether the logits must be finite. The
# others are as in sampling/methods.py; temperature 0 takes the largest logit. token: the result.
CHOICE = np.dtype(
    [
        ("row", np.int64),
        ("mask", np.int64),
        ("checks", np.int64),
        ("temperature", np.float32),
        ("min_p", np.float32),
        ("top_k", np.int64),
        ("top_p", np.float64),
        ("fraction", np.float64),
        ("token", np.int64),
    ],
    align=True,
)


@njit(nogil=True, cache=True)
def choose_tokens(thread, threads, team, logits, size, masks, choices, weights, ids, peaks, sums, counts):
    """Choose a token for each of `choices`, in the threads of a team.

    logits: float32 [rows, at least size], of which the first `size` are those of the vocabulary; a mask
    changes its row. masks: uint32 [masks, words], see masking.py. choices: CHOICE. The rest is memory, a row
    for each thread: for all weights, then those that are kept, and their ids: float32 and int32 [threads,
    vocabulary rounded up to 16]; peaks float32 [threads, blocks]; sums float64 and counts int32 [threads,
    blocks, or BUCKETS if there are more].
    """
    index = claim(team)
    while index < len(choices):
        choices[index].token = _choose(
            logits[choices[index].row, :size],
            masks,
            choices[index],
            weights[thread],
            ids[thread],
            peaks[thread],
            sums[thread],
            counts[thread],
        )
        index = claim(team)
    barrier(team, threads)


@inner
def _choose(logits, masks, choice, weights, ids, peaks, sums, counts):
    """The token of a row. The arguments after `choice` are memory to work in."""
    size = len(logits)
    largest, is_finite = _find_peaks(logits, peaks)
    if choice.checks and not is_finite:
        return NOT_FINITE
    if choice.mask >= 0:
        apply_mask(logits, masks[choice.mask])
        largest, _ = _find_peaks(logits, peaks)
    if choice.temperature == 0:
        return _find(logits, peaks, largest)
    total = _weigh(logits, largest, choice.temperature, weights, peaks, sums)
    if choice.top_k > 0:
        return _choose_among_largest(choice, weights, size, ids, peaks, sums, counts)
    if choice.top_p >= 1 and choice.min_p == 0:
        return _draw(weights, size, sums, choice.fraction * total)
    # A weight is kept if its bits are larger, and the first `ties` weights that equal them.
    bits, ties = bits_of(choice.min_p, ids) - 1, 0
    if choice.top_p < 1:
        smallest, count = find_nucleus(weights, size, choice.top_p, total, ids, peaks, sums, counts)
        if smallest > bits:
            bits, ties = smallest, count
    return _draw_kept(weights, size, bits, ties, choice.fraction, ids, peaks, sums, counts)


@njit(nogil=True, inline="always")
def _choose_among_largest(choice, weights, size, ids, peaks, sums, counts):
    """The token of a row with top_k. The arguments after `size` are memory to work in."""
    count = _collect(weights, size, ids, peaks, _find_cut(choice.top_k, size, peaks, sums, counts))
    wanted, target = choice.top_k, np.inf
    for _ in range(2 if choice.top_p < 1 else 1):
        count = _keep_largest(weights, ids, count, wanted, target, sums, counts)
        wanted, target = size, choice.top_p * _sum(weights, count)
    if choice.min_p > 0:
        count = _keep_from(weights, ids, count, choice.min_p)
    return ids[_walk(weights, 0, count, choice.fraction * _sum(weights, count))]


@inner
def _find_peaks(x, peaks):
    """Write the largest number of each block to `peaks`. The largest of all, and whether all are finite."""
    size, at = len(x), x.ctypes.data
    rests = broadcast(np.float32(0))  # x - x is 0, or not a number
    rest, largest = np.float32(0), np.float32(-np.inf)
    for block in range(-(-size // BLOCK)):
        stop = min(size, (block + 1) * BLOCK)
        end = stop // 16 * 16
        peak = np.float32(-np.inf)
        if end > block * BLOCK:
            numbers = broadcast(peak)
            for i in range(block * BLOCK, end, 16):
                row = load_f32(at, 4 * i)
                rests = add(rests, subtract(row, row))
                numbers = maximum(numbers, row)
            peak = largest_of(numbers)
        for i in range(end, stop):
            rest += x[i] - x[i]
            peak = max(peak, x[i])
        peaks[block] = peak
        largest = max(largest, peak)
    return largest, sum_of(rests) + rest == 0


@inner
def _find(x, peaks, value):
    """The index of the first number that is `value`, the largest of all."""
    block = 0
    while block < -(-len(x) // BLOCK) - 1 and peaks[block] != value:
        block += 1
    index = block * BLOCK
    while index < len(x) - 1 and x[index] != value:
        index += 1
    return index


@inner
def _weigh(logits, largest, temperature, weights, peaks, sums):
    """Write exp((logits - largest) / temperature), and the peak and sum of each block. The sum of all.

    The weights have the same bits as those of `weigh_tokens`.
    """
    size, source, to = len(logits), logits.ctypes.data, weights.ctypes.data
    shift, factor = broadcast(largest), broadcast(np.float32(1) / temperature)
    total = 0.0
    for block in range(-(-size // BLOCK)):
        stop = min(size, (block + 1) * BLOCK)
        end = stop // 16 * 16
        peak, sums_of_lanes = broadcast(np.float32(0)), broadcast(np.float32(0))
        for i in range(block * BLOCK, end, 16):
            weight = exp_of_negative(multiply(subtract(load_f32(source, 4 * i), shift), factor))
            store_f32(to, 4 * i, weight)
            peak, sums_of_lanes = maximum(peak, weight), add(sums_of_lanes, weight)
        if end < stop:  # the vocabulary ends within a vector
            for i in range(end, end + 16):
                set_f32(to, 4 * i, logits[i] if i < stop else np.float32(-np.inf))
            weight = exp_of_negative(multiply(subtract(load_f32(to, 4 * end), shift), factor))
            store_f32(to, 4 * end, weight)
            peak, sums_of_lanes = maximum(peak, weight), add(sums_of_lanes, weight)
        peaks[block] = largest_of(peak)
        sums[block] = sum_of(sums_of_lanes)
        total += sums[block]
    return total


@inner
def _draw_kept(weights, size, bits, ties, fraction, ids, peaks, sums, counts):
    """The index at which the running sum of the weights that are kept exceeds `fraction` of their sum.

    A weight is kept if its bits are larger than `bits`; and the first `ties` of those that equal them.
    """
    memory, at = ids.ctypes.data, weights.ctypes.data
    set_i32(memory, 0, np.int32(bits + 1))
    set_i32(memory, 4, np.int32(bits))
    limit, tie = get_f32(memory, 0), get_f32(memory, 4)
    limits, equal = broadcast(limit), broadcast(tie)
    total, left, blocks = 0.0, ties, -(-size // BLOCK)
    for block in range(blocks):
        sums[block] = counts[block] = 0
        if peaks[block] < limit and (left == 0 or peaks[block] < tie):
            continue
        kept, same = broadcast(np.float32(0)), 0
        for i in range(block * BLOCK, min(size, (block + 1) * BLOCK), 16):
            weight = load_f32(at, 4 * i)
            kept = add(kept, keep_from(weight, limits))
            if left:
                same += count_equal(weight, equal)
        same = min(same, left)
        left -= same
        sums[block], counts[block] = sum_of(kept) + same * np.float64(tie), same
        total += sums[block]
    point, block = fraction * total, 0
    while block < blocks - 1 and sums[block] <= point:
        point -= sums[block]
        block += 1
    while sums[block] == 0 and block > 0:  # by rounding, the point may be the sum of all
        block -= 1
        point = np.inf
    running, last, left = 0.0, block * BLOCK, np.int64(counts[block])
    for i in range(block * BLOCK, min(size, (block + 1) * BLOCK)):
        own = get_i32(at, 4 * i)
        if own > bits or (own == bits and left > 0):
            left -= own == bits
            last = i
            running += weights[i]
            if running > point:
                break
    return last


@inner
def _find_cut(top_k, size, peaks, sums, counts):
    """A weight that the `top_k` largest ones reach, and not many others."""
    blocks = -(-size // BLOCK)
    if top_k > blocks:
        return np.float32(0)
    # So many blocks have a weight of at least this.
    bits, _ = find_threshold(peaks.ctypes.data, blocks, 0, BITS_ABOVE_ALL, top_k, np.inf, sums, counts)
    cut = np.float32(1)
    for block in range(blocks):
        if get_i32(peaks.ctypes.data, 4 * block) >= bits:
            cut = min(cut, peaks[block])
    return cut


@inner
def _collect(weights, size, ids, peaks, cut):
    """Move the weights from `cut` on to the front, in order, and note their ids. How many these are."""
    at, count = weights.ctypes.data, 0
    for block in range(-(-size // BLOCK)):
        if peaks[block] < cut:
            continue
        for i in range(block * BLOCK, min(size, (block + 1) * BLOCK)):
            weight = get_f32(at, 4 * i)
            set_f32(at, 4 * count, weight)
            ids[count] = i
            count += weight >= cut
    return count


@inner
def _keep_from(weights, ids, count, cut):
    """Keep the weights from `cut` on. How many are left."""
    kept = 0
    for i in range(count):
        if weights[i] >= cut:
            weights[kept], ids[kept] = weights[i], ids[i]
            kept += 1
    return kept


@inner
def _keep_largest(weights, ids, count, wanted, target, sums, counts):
    """Keep the largest weights until there are `wanted`, or their sum reaches `target`. How many are left.

    Of equal weights the first are kept.
    """
    at = weights.ctypes.data
    bits, ties = find_threshold(at, count, 0, BITS_ABOVE_ALL, wanted, target, sums, counts)
    kept = 0
    for i in range(count):
        own = get_i32(weights.ctypes.data, 4 * i)
        is_tie = own == bits
        if own > bits or (is_tie and ties > 0):
            weights[kept], ids[kept] = weights[i], ids[i]
            kept += 1
        ties -= is_tie
    return kept


@inner
def _sum(weights, count):
    """The sum of the first weights."""
    total = 0.0
    for i in range(count):
        total += weights[i]
    return total


@inner
def _draw(weights, size, sums, point):
    """The index at which the running sum of all weights exceeds `point`."""
    block, before = 0, 0.0
    while block < -(-size // BLOCK) - 1 and before + sums[block] <= point:
        before += sums[block]
        block += 1
    while sums[block] == 0 and block > 0:  # by rounding, the point may be the sum of all
        block -= 1
        before -= sums[block]
    return _walk(weights, block * BLOCK, min(size, (block + 1) * BLOCK), point - before)


@inner
def _walk(weights, start, stop, point):
    """The index at which the running sum of weights exceeds `point`, or that of the last positive weight."""
    running, last = 0.0, start
    for i in range(start, stop):
        if weights[i] > 0:
            last = i
            running += weights[i]
            if running > point:
                break
    return last
