"""Operations on single rows: norms, rotary positions, activations, and maps of numbers."""

from enum import IntEnum

import numpy as np

from .inner import inner
from .layout import record_type
from .simd import (
    absolute,
    add,
    broadcast,
    divide,
    even_lanes,
    exp_of_negative,
    fma,
    get_f32,
    interleave_high,
    interleave_low,
    keep_lanes,
    load_f32,
    maximum,
    minimum,
    multiply,
    odd_lanes,
    select_negative,
    set_f32,
    store_f32,
    store_lanes,
    subtract,
    sum_of,
)


class Function(IntEnum):
    """What `map_row` computes of its inputs x, z and w (operators.FUNCTIONS)."""

    ADD = 0
    MULTIPLY = 1
    MULTIPLY_ADD = 2
    MIX = 3
    SIGMOID = 4
    SOFTPLUS = 5
    TANH = 6
    DECAY = 7
    RELU = 8
    RELU_SQUARED = 9
    SILU = 10
    GELU = 11
    GELU_TANH = 12
    SWIGLU = 13
    GEGLU = 14
    CLAMP = 15
    CLAMPED_SWIGLU = 16
    SWIGLU_TO_10 = 17
    CAPPED_SWIGLU_TO_7 = 18
    CAPPED_SWIGLU_TO_16 = 19


# An input of a map or a scan: a part of a buffer's rows, or with buffer -1 an address of weights.
OPERAND = record_type(
    "buffer",
    "start",  # bytes into a row, or the address
    "repeats",  # so many heads in a row read the same head
    "head_step",  # bytes from one head to the next
    "step",  # bytes from one number to the next: 4, or 0 for one number a head
)


@inner
def rms_norm(x, weight, size, eps, floor, out):
    """out = x / sqrt(max(mean(x^2) + eps, floor)) * weight for `size` floats (operators.rms_norm).

    x, weight, out: addresses. What follows the floats of x in their last vector is read, but not used.
    """
    vector_end = size // 16 * 64
    total = broadcast(np.float32(0))
    for i in range(0, vector_end, 64):
        value = load_f32(x, i)
        total = fma(value, value, total)
    if size % 16:
        value = keep_lanes(load_f32(x, vector_end), size % 16)
        total = fma(value, value, total)
    mean = sum_of(total) / np.float32(size)
    factor = np.float32(1) / np.sqrt(max(mean + eps, floor))
    factors = broadcast(factor)
    for i in range(0, vector_end, 64):
        store_f32(out, i, multiply(multiply(load_f32(x, i), factors), load_f32(weight, i)))
    for i in range(vector_end, 4 * size, 4):
        set_f32(out, i, get_f32(x, i) * factor * get_f32(weight, i))


@inner
def center_row(x, size, out):
    """out = x - mean(x) for `size` floats at address x (operators.center)."""
    vector_end = size // 16 * 64
    total = broadcast(np.float32(0))
    for i in range(0, vector_end, 64):
        total = add(total, load_f32(x, i))
    if size % 16:
        total = add(total, keep_lanes(load_f32(x, vector_end), size % 16))
    mean = sum_of(total) / np.float32(size)
    means = broadcast(mean)
    for i in range(0, 4 * size, 64):
        store_lanes(out, i, subtract(load_f32(x, i), means), size - i // 4)


@inner
def add_row(x, size, factor, out):
    """out += factor * x. x, out: addresses of `size` floats."""
    vector_end = size // 16 * 64
    factors = broadcast(factor)
    for i in range(0, vector_end, 64):
        store_f32(out, i, add(load_f32(out, i), multiply(load_f32(x, i), factors)))
    for i in range(vector_end, 4 * size, 4):
        set_f32(out, i, get_f32(out, i) + get_f32(x, i) * factor)


@inner
def sigmoid(x):
    """1 / (1 + e^-x), for vectors."""
    one, zero = broadcast(np.float32(1)), broadcast(np.float32(0))
    # only of what is negative: 1 / (1 + e^-|x|) for x >= 0, and e^-|x| times that for x < 0.
    e = exp_of_negative(subtract(zero, absolute(x)))
    return divide(select_negative(x, e, one), add(one, e))


@inner
def swiglu(gate, up):
    """silu(gate) * up, for vectors (operators.silu)."""
    return multiply(multiply(gate, sigmoid(gate)), up)


@inner
def geglu(gate, up):
    """gelu_tanh(gate) * up, for vectors (operators.gelu_tanh): (1 + tanh(x)) / 2 is sigmoid(2 x)."""
    cubic = fma(multiply(broadcast(np.float32(0.044715)), multiply(gate, gate)), gate, gate)
    inner = multiply(broadcast(np.float32(2 * (2 / np.pi) ** 0.5)), cubic)
    return multiply(multiply(gate, sigmoid(inner)), up)


@inner
def clamped_swiglu(gate, up):
    """gate * sigmoid(1.702 gate) * (up + 1) of clamped values, for vectors (operators.clamped_swiglu)."""
    seven, one = broadcast(np.float32(7)), broadcast(np.float32(1))
    gate = minimum(gate, seven)
    up = minimum(maximum(up, broadcast(np.float32(-7))), seven)
    product = multiply(gate, sigmoid(multiply(gate, broadcast(np.float32(1.702)))))
    return multiply(product, add(up, one))


@inner
def limited_swiglu(gate, up, limit):
    """silu(gate) * up of gates up to a limit, and ups from -limit to limit (operators.limited_swiglu)."""
    most, least = broadcast(limit), broadcast(-limit)
    return swiglu(minimum(gate, most), minimum(maximum(up, least), most))


@inner
def capped_swiglu(gate, up, limit):
    """silu(gate) up to a limit, times ups from -limit to limit, for vectors (operators.capped_swiglu)."""
    most, least = broadcast(limit), broadcast(-limit)
    opened = minimum(multiply(gate, sigmoid(gate)), most)
    return multiply(opened, minimum(maximum(up, least), most))


@inner
def gelu(x):
    """x * Phi(x), for vectors (operators.gelu).

    Phi(-|x|) = erfc(z) / 2 with z = |x| / sqrt(2), and erfc(z) = e^-z^2 (a_1 t + ... + a_5 t^5) + error with
    t = 1 / (1 + 0.3275911 z) and an error below 1.5e-7 (Abramowitz and Stegun, 1964, 7.1.26).
    """
    zero, one = broadcast(np.float32(0)), broadcast(np.float32(1))
    z = multiply(absolute(x), broadcast(np.float32(0.5**0.5)))
    t = divide(one, fma(broadcast(np.float32(0.3275911)), z, one))
    series = broadcast(np.float32(1.061405429 / 2))
    for a in (-1.453152027 / 2, 1.421413741 / 2, -0.284496736 / 2, 0.254829592 / 2):
        series = fma(series, t, broadcast(np.float32(a)))
    tail = multiply(multiply(series, t), exp_of_negative(subtract(zero, multiply(z, z))))
    return multiply(x, select_negative(x, tail, subtract(one, tail)))


@inner
def relu_squared(x):
    """The square of what is positive, for vectors."""
    positive = maximum(x, broadcast(np.float32(0)))
    return multiply(positive, positive)


@inner
def softcap(x, cap):
    """cap * tanh(x / cap), for vectors (operators.softcap): tanh(y) is 2 sigmoid(2 y) - 1."""
    one, two = broadcast(np.float32(1)), broadcast(np.float32(2))
    half = sigmoid(multiply(x, broadcast(np.float32(2) / cap)))
    return multiply(subtract(multiply(two, half), one), broadcast(cap))


@inner
def softcap_row(x, size, cap):
    """softcap in place of `size` floats at address x, and of those that fill the last vector."""
    for i in range(0, 4 * size, 64):
        store_f32(x, i, softcap(load_f32(x, i), cap))


@inner
def scale_row(x, count, factor, out):
    """out = x * factor. x, out: addresses of `count` floats."""
    vector_end = count // 16 * 64
    factors = broadcast(factor)
    for i in range(0, vector_end, 64):
        store_f32(out, i, multiply(load_f32(x, i), factors))
    for i in range(vector_end, 4 * count, 4):
        set_f32(out, i, get_f32(x, i) * factor)


@inner
def shift_row(x, count, number):
    """Add a number to `count` floats at address x."""
    numbers = broadcast(number)
    for i in range(0, 4 * count, 64):
        store_lanes(x, i, add(load_f32(x, i), numbers), count - i // 4)


@inner
def rotate(x, rotated, cos, sin, scale):
    """Rotate the first `rotated` floats of a head at address x by its position, and scale them
    (operators.rotate).

    cos, sin: addresses of rotated / 2 floats. Dimension i is paired with i + rotated / 2.
    """
    half = 4 * (rotated // 2)
    vector_end = half // 64 * 64
    factor = broadcast(scale)
    for i in range(0, vector_end, 64):
        first, second = load_f32(x, i), load_f32(x, half + i)
        c, s = multiply(load_f32(cos, i), factor), multiply(load_f32(sin, i), factor)
        store_f32(x, i, subtract(multiply(first, c), multiply(second, s)))
        store_f32(x, half + i, add(multiply(second, c), multiply(first, s)))
    for i in range(vector_end, half, 4):
        a, b = get_f32(x, i), get_f32(x, half + i)
        cosine, sine = get_f32(cos, i) * scale, get_f32(sin, i) * scale
        set_f32(x, i, a * cosine - b * sine)
        set_f32(x, half + i, b * cosine + a * sine)


@inner
def rotate_pairs(x, rotated, cos, sin, scale):
    """The same as `rotate`, but dimension 2 i is paired with 2 i + 1."""
    half = 4 * (rotated // 2)
    vector_end = half // 64 * 64
    factor = broadcast(scale)
    for i in range(0, vector_end, 64):
        low, high = load_f32(x, 2 * i), load_f32(x, 2 * i + 64)
        first, second = even_lanes(low, high), odd_lanes(low, high)
        c, s = multiply(load_f32(cos, i), factor), multiply(load_f32(sin, i), factor)
        a = subtract(multiply(first, c), multiply(second, s))
        b = add(multiply(second, c), multiply(first, s))
        store_f32(x, 2 * i, interleave_low(a, b))
        store_f32(x, 2 * i + 64, interleave_high(a, b))
    for i in range(vector_end, half, 4):
        a, b = get_f32(x, 2 * i), get_f32(x, 2 * i + 4)
        cosine, sine = get_f32(cos, i) * scale, get_f32(sin, i) * scale
        set_f32(x, 2 * i, a * cosine - b * sine)
        set_f32(x, 2 * i + 4, b * cosine + a * sine)


@inner
def softplus(x):
    """log(1 + e^x), for vectors: the larger of x and 0, plus log(1 + e^-|x|)."""
    zero, one, two = broadcast(np.float32(0)), broadcast(np.float32(1)), broadcast(np.float32(2))
    e = exp_of_negative(subtract(zero, absolute(x)))
    # log(1 + e) = 2 artanh(s) with s = e / (2 + e), which is at most 1/3: s + s^3 / 3 + s^5 / 5 + ...
    s = divide(e, add(two, e))
    square = multiply(s, s)
    series = broadcast(np.float32(1 / 15))
    for term in (1 / 13, 1 / 11, 1 / 9, 1 / 7, 1 / 5, 1 / 3):
        series = fma(series, square, broadcast(np.float32(term)))
    return add(maximum(x, zero), multiply(multiply(two, s), fma(series, square, one)))


@inner
def _function(function, x, z, w):
    """operators.FUNCTIONS, for vectors."""
    zero, one = broadcast(np.float32(0)), broadcast(np.float32(1))
    if function == Function.ADD:
        return add(x, z)
    if function == Function.MULTIPLY:
        return multiply(x, z)
    if function == Function.MULTIPLY_ADD:
        return fma(z, w, x)
    if function == Function.MIX:
        return fma(subtract(z, x), w, x)
    if function == Function.SIGMOID:
        return sigmoid(x)
    if function == Function.SOFTPLUS:
        return softplus(x)
    if function == Function.TANH:
        double = sigmoid(add(x, x))
        return subtract(add(double, double), one)
    if function == Function.DECAY:
        return exp_of_negative(subtract(zero, x))
    if function == Function.RELU:
        return maximum(x, zero)
    if function == Function.RELU_SQUARED:
        return relu_squared(x)
    if function == Function.SILU:
        return swiglu(x, one)
    if function == Function.GELU:
        return gelu(x)
    if function == Function.GELU_TANH:
        return geglu(x, one)
    if function == Function.SWIGLU:
        return swiglu(x, z)
    if function == Function.CLAMP:
        return minimum(maximum(x, z), w)
    if function == Function.CLAMPED_SWIGLU:
        return clamped_swiglu(x, z)
    if function == Function.SWIGLU_TO_10:
        return limited_swiglu(x, z, np.float32(10))
    if function == Function.CAPPED_SWIGLU_TO_7:
        return capped_swiglu(x, z, np.float32(7))
    if function == Function.CAPPED_SWIGLU_TO_16:
        return capped_swiglu(x, z, np.float32(16))
    return geglu(x, z)


@inner
def xielu_row(x, size, numbers, out):
    """out = xIELU of `size` floats at address x (operators.xielu). numbers: address of p, n, beta and eps.

    What follows the floats of x in their last vector is read, but not used.
    """
    zero, one, half = broadcast(np.float32(0)), broadcast(np.float32(1)), broadcast(np.float32(0.5))
    p, n = broadcast(get_f32(numbers, 0)), broadcast(get_f32(numbers, 4))
    beta, eps = broadcast(get_f32(numbers, 8)), broadcast(get_f32(numbers, 12))
    for i in range(0, 4 * size, 64):
        value = load_f32(x, i)
        low = minimum(value, eps)
        # e^low - 1 - low: as a series down to -1/2, where its first terms would cancel.
        series = broadcast(np.float32(1 / 362880))
        for term in (1 / 40320, 1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2):
            series = fma(series, low, broadcast(np.float32(term)))
        near = multiply(multiply(low, low), series)
        far = subtract(subtract(exp_of_negative(minimum(low, zero)), one), low)
        curve = select_negative(add(low, half), far, near)
        below = multiply(n, add(curve, subtract(low, value)))
        above = multiply(p, multiply(value, value))
        chosen = select_negative(subtract(zero, value), above, below)
        store_lanes(out, i, fma(beta, value, chosen), size - i // 4)


@inner
def _load(address, step, i):
    """16 numbers from the i-th on, or the only one of a head 16 times."""
    return load_f32(address, 4 * i) if step else broadcast(get_f32(address, 0))


@inner
def map_row(i, x_at, z_at, w_at, out):
    """out = function(x, z, w) for each number of some heads (operators.FUNCTIONS).

    i: INSTRUCTION, whose mode is the function and whose first three inputs are x, z and w. x_at, z_at, w_at:
    the addresses of their first heads. What follows the last head in memory is read, but not used.
    """
    x, z, w, function, size = i.input_0, i.input_1, i.input_2, i.mode, i.size
    for head in range(i.heads):
        a = x_at + head // x.repeats * x.head_step
        b = z_at + head // z.repeats * z.head_step
        c = w_at + head // w.repeats * w.head_step
        to = out + 4 * head * size
        for k in range(0, size, 16):
            value = _function(function, _load(a, x.step, k), _load(b, z.step, k), _load(c, w.step, k))
            store_lanes(to, 4 * k, value, size - k)


@inner
def dot_row(x, z, heads, size, out):
    """out = sum(x * z) of each head. x, z: addresses of floats [heads, size]; out: of floats [heads]."""
    for head in range(heads):
        total = broadcast(np.float32(0))
        for i in range(0, size, 16):
            at = 4 * (head * size + i)
            total = fma(keep_lanes(load_f32(x, at), size - i), load_f32(z, at), total)
        set_f32(out, 4 * head, sum_of(total))
