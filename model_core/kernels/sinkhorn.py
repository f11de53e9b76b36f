"""Small matrices of a row that are made doubly stochastic."""

import numpy as np

from .inner import inner
from .simd import broadcast, exp_of_negative, get_f32, set_f32, store_lanes


@inner
def sinkhorn_row(x, n, rounds, eps, out):
    """out = the matrix [n, n] at x, made doubly stochastic (operators.sinkhorn). x, out: addresses."""
    for row in range(0, 4 * n * n, 4 * n):
        peak, total = get_f32(x, row), np.float32(0)
        for i in range(row, row + 4 * n, 4):
            peak = max(peak, get_f32(x, i))
        for i in range(row, row + 4 * n, 4):
            store_lanes(out, i, exp_of_negative(broadcast(get_f32(x, i) - peak)), 1)
            total += get_f32(out, i)
        for i in range(row, row + 4 * n, 4):
            set_f32(out, i, get_f32(out, i) / total + eps)
    for turn in range(2 * rounds - 1):  # first columns, then rows
        first, step = (4 * n, 4) if turn % 2 else (4, 4 * n)
        for line in range(0, n * first, first):
            total = eps
            for i in range(line, line + n * step, step):
                total += get_f32(out, i)
            for i in range(line, line + n * step, step):
                set_f32(out, i, get_f32(out, i) / total)
