"""Finds the smallest weight that top_p or top_k keeps, without sorting the weights.

The sums of all weights from a few limits on show about where it is. Among the weights that are left it is
found by the sums of those whose bits begin alike, as a radix sort would find it. All sums are in a fixed
order.
"""

import numpy as np

from ..compiler import njit
from ..inner import inner
from ..simd import (
    add,
    broadcast,
    find_lanes,
    get_f32,
    get_i32,
    keep_from,
    load_f32,
    lowest_bit,
    set_f32,
    set_i32,
    sum_of,
)

BLOCK = 256  # weights whose largest is known
_DIGIT = 10  # bits of weights that are looked at together
BUCKETS = 2**_DIGIT
_SMALLEST, _ABOVE_ALL = np.float32(1e-38), np.float32(1 + 2**-23)  # weights are 0, or between these
BITS_ABOVE_ALL = int(_ABOVE_ALL.view(np.int32))
_FEW = 4096  # weights, among which the smallest kept one is looked for
_SAMPLES = 8  # times that a sample is looked at


@inner
def bits_of(number, memory):
    """The bits of a float32. memory: an array of int32, whose first number changes."""
    set_f32(memory.ctypes.data, 0, number)
    return np.int64(memory[0])


@njit(nogil=True, inline="always")
def find_nucleus(weights, size, top_p, total, ids, peaks, sums, counts):
    """The bits of the smallest weight that top_p keeps, and how many of those that equal it are kept.

    The arguments after `total` are as those of choice._choose; only the peaks are kept.
    """
    # All weights from `high` on are too few, and those from `low` on are enough.
    low, low_sum, high, high_sum = _SMALLEST, total, _ABOVE_ALL, 0.0
    # The first limits suit trained models. If many weights are left, a sample shows where to look.
    first, last, share = low, high, 1.0  # share: the sum of what is looked at, as a part of all
    for turn in range(_SAMPLES + 5):
        is_sample, is_next = 1 <= turn <= _SAMPLES, turn == _SAMPLES + 1
        step = (last - first) / np.float32(3 if is_next else 5)
        start = first if is_next else first + step
        limits = (start, start + step, start + step + step, start + step + step + step)
        if turn == 0:
            limits = (np.float32(2**-8), np.float32(2**-6), np.float32(2**-4), np.float32(2**-2))
        elif turn == 1:
            limits = (_SMALLEST, limits[1], limits[2], limits[3])
        found = _sum_from(limits, weights, size, peaks, is_sample)
        share = found[0] / total if turn == 1 else share if is_sample else 1.0
        target, margin = share * top_p * total, (0.01 if is_sample else 1e-4) * share * total
        for i in range(4):
            is_enough, is_too_few = found[i] >= target + margin, found[i] < target - margin
            if is_sample:
                first = max(first, limits[i]) if is_enough else first
                last = min(last, limits[i]) if is_too_few else last
            elif is_enough and limits[i] > low:
                low, low_sum = limits[i], found[i]
            elif is_too_few and limits[i] < high:
                high, high_sum = limits[i], found[i]
        if not is_sample:
            first, last = low, high
            if low_sum - high_sum <= _FEW * low:
                break
    count, above = _collect_between(weights, size, ids, peaks, low, high)
    lowest, end = bits_of(low, counts), bits_of(high, counts)
    return find_threshold(ids.ctypes.data, count, lowest, end, size, top_p * total - above, sums, counts)


@inner
def _sum_from(limits, weights, size, peaks, is_sample):
    """About the sums of the weights from each of four ascending limits on.

    is_sample: whether only the first vector of each block counts.
    """
    at = weights.ctypes.data
    a, b, c, d = broadcast(limits[0]), broadcast(limits[1]), broadcast(limits[2]), broadcast(limits[3])
    sum_a = sum_b = sum_c = sum_d = broadcast(np.float32(0))
    for block in range(-(-size // BLOCK)):
        if peaks[block] < limits[0]:
            continue
        start = block * BLOCK
        for i in range(start, start + 16 if is_sample else min(size, start + BLOCK), 16):
            weight = load_f32(at, 4 * i)
            sum_a, sum_b = add(sum_a, keep_from(weight, a)), add(sum_b, keep_from(weight, b))
            sum_c, sum_d = add(sum_c, keep_from(weight, c)), add(sum_d, keep_from(weight, d))
    return (
        np.float64(sum_of(sum_a)),
        np.float64(sum_of(sum_b)),
        np.float64(sum_of(sum_c)),
        np.float64(sum_of(sum_d)),
    )


@inner
def _collect_between(weights, size, memory, peaks, low, high):
    """Copy the weights from `low` to below `high` to memory. Their number, and the sum of larger ones."""
    at, to, count, above = weights.ctypes.data, memory.ctypes.data, 0, 0.0
    lows, highs = broadcast(low), broadcast(high)
    for block in range(-(-size // BLOCK)):
        if peaks[block] < low:
            continue
        larger = broadcast(np.float32(0))
        for i in range(block * BLOCK, min(size, (block + 1) * BLOCK), 16):
            weight = load_f32(at, 4 * i)
            larger = add(larger, keep_from(weight, highs))
            lanes = find_lanes(weight, lows, highs)
            while lanes:
                set_i32(to, 4 * count, get_i32(at, 4 * (i + lowest_bit(lanes))))
                count += 1
                lanes &= lanes - 1
        above += sum_of(larger)
    return count, above


@inner
def find_threshold(at, count, first, end, wanted, target, sums, counts):
    """The bits of the smallest weight to keep, and how many of those that equal it are kept.

    The largest weights are kept until there are `wanted`, or their sum reaches `target`. at: address of the
    weights, which are positive or 0, so that their bits have their order. first, end: between which bits they
    are. The upper bits of the differences to `first` are found first.
    """
    above, above_sum = 0, 0.0  # of the larger weights: how many, and their sum
    shift, window, bucket = 0, end - first, 0
    while window >> shift >= BUCKETS:
        shift += _DIGIT
    while True:
        buckets = (window >> shift) + 1
        counts[:buckets] = 0
        sums[:buckets] = 0
        for i in range(count):
            difference = get_i32(at, 4 * i) - first
            if 0 <= difference <= window:
                counts[difference >> shift] += 1
                sums[difference >> shift] += get_f32(at, 4 * i)
        bucket = buckets - 1
        while bucket > 0 and (
            counts[bucket] == 0 or (above + counts[bucket] < wanted and above_sum + sums[bucket] < target)
        ):
            above += counts[bucket]
            above_sum += sums[bucket]
            bucket -= 1
        first += bucket << shift
        if shift == 0:
            break
        window = (1 << shift) - 1
        shift -= _DIGIT
    ties = min(counts[bucket], wanted - above)
    if sums[bucket] > 0 and target < np.inf:
        weight = sums[bucket] / counts[bucket]
        ties = min(ties, max(1, int(np.ceil((target - above_sum) / weight))))
    return first, ties
