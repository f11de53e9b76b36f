"""What is done to each row by itself: norms, rotary positions and the gate of the MLP."""

import numpy as np
from numba import njit

from .simd import (
    absolute,
    add,
    broadcast,
    divide,
    exp,
    fma,
    get_f32,
    load_f32,
    multiply,
    select_negative,
    set_f32,
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
def swiglu(gate, up):
    """gate / (1 + exp(-gate)) * up, for vectors (operators.swiglu)."""
    one, zero = broadcast(np.float32(1)), broadcast(np.float32(0))
    # exp only of what is negative: 1 / (1 + e^-|g|) for g >= 0, and e^-|g| times that for g < 0.
    e = exp(subtract(zero, absolute(gate)))
    return multiply(multiply(gate, divide(select_negative(gate, e, one), add(one, e))), up)


@njit(nogil=True)
def scaled(x, count, factor, out):
    """out = x * factor. x, out: addresses of `count` floats."""
    whole = count // 16 * 64
    factors = broadcast(factor)
    for i in range(0, whole, 64):
        store_f32(out, i, multiply(load_f32(x, i), factors))
    for i in range(whole, 4 * count, 4):
        set_f32(out, i, get_f32(x, i) * factor)


@njit(nogil=True)
def rotate(x, head_dim, cos, sin, scale):
    """Turn one head, head_dim floats at address x, by its position, and scale it (operators.rotate).

    cos, sin: addresses of head_dim / 2 floats. Dimension i is paired with i + head_dim / 2.
    """
    half = 4 * (head_dim // 2)
    whole = half // 64 * 64
    factor = broadcast(scale)
    for i in range(0, whole, 64):
        first, second = load_f32(x, i), load_f32(x, half + i)
        c, s = multiply(load_f32(cos, i), factor), multiply(load_f32(sin, i), factor)
        store_f32(x, i, subtract(multiply(first, c), multiply(second, s)))
        store_f32(x, half + i, add(multiply(second, c), multiply(first, s)))
    for i in range(whole, half, 4):
        a, b = get_f32(x, i), get_f32(x, half + i)
        cosine, sine = get_f32(cos, i) * scale, get_f32(sin, i) * scale
        set_f32(x, i, a * cosine - b * sine)
        set_f32(x, half + i, b * cosine + a * sine)
