"""What is done to each row by itself: norms and the gate of the MLP."""

import numpy as np
from numba import njit

from .simd import (
    absolute,
    add,
    broadcast,
    divide,
    exp,
    fma,
    load_f32,
    multiply,
    select_negative,
    store_f32,
    subtract,
    sum_of,
)


@njit(nogil=True)
def rms_norm(x, weight, size, padded, eps, out):
    """out = x / sqrt(mean(x^2) + eps) * weight for one row (operators.rms_norm).

    x, weight, out: addresses of floats; `size` of them count, those up to `padded` are zeros.
    """
    total = broadcast(np.float32(0))
    for i in range(0, 4 * padded, 64):
        value = load_f32(x, i)
        total = fma(value, value, total)
    mean = sum_of(total) / np.float32(size)
    factor = broadcast(np.float32(1) / np.sqrt(mean + eps))
    for i in range(0, 4 * padded, 64):
        store_f32(out, i, multiply(multiply(load_f32(x, i), factor), load_f32(weight, i)))


@njit(nogil=True)
def swiglu(gate, up, count, out):
    """out = gate / (1 + exp(-gate)) * up (operators.swiglu).

    gate, up, out: addresses of `count` floats, a multiple of 16.
    """
    one, zero = broadcast(np.float32(1)), broadcast(np.float32(0))
    for i in range(0, 4 * count, 64):
        g = load_f32(gate, i)
        # exp only of what is negative: 1 / (1 + e^-|g|) for g >= 0, and e^-|g| times that for g < 0.
        e = exp(subtract(zero, absolute(g)))
        sigmoid = divide(select_negative(g, e, one), add(one, e))
        store_f32(out, i, multiply(multiply(g, sigmoid), load_f32(up, i)))
