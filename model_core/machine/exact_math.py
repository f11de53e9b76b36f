"""Elementary functions with the same bits on every machine, where few numbers are computed.

NumPy's functions use other instructions, and round differently, on different processors. Here they consist
of additions and multiplications of float64, which IEEE 754 defines exactly.
"""

import math

import numpy as np

# ln 2 in two parts; the first has 32 bits, so that its product with a small whole number is exact (fdlibm,
# Sun Microsystems, 1993, e_exp.c).
_LN_2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_TERMS = tuple(1 / math.factorial(n) for n in range(14, -1, -1))  # of the series of e^x, for |x| < 0.35


def exp(x: np.ndarray) -> np.ndarray:
    """e^x for numbers of any float type: float64, to about one unit in the last place."""
    x = np.clip(x.astype(np.float64), -700, 700)
    n = np.rint(x * (1 / math.log(2)))
    rest = (x - n * _LN_2[0]) - n * _LN_2[1]
    result = np.full_like(rest, _TERMS[0])
    for term in _TERMS[1:]:
        result = result * rest + term
    return np.ldexp(result, n.astype(np.int32))


def log1p(x: np.ndarray) -> np.ndarray:
    """log(1 + x) for finite numbers from 0 on, of any float type: float64, with an error of 1e-16 or less for
    small x, and of about two units in the last place for others."""
    mantissa, exponent = np.frexp(1 + x.astype(np.float64))
    is_low = mantissa < math.sqrt(0.5)
    mantissa, exponent = np.where(is_low, 2 * mantissa, mantissa), exponent - is_low
    t = (mantissa - 1) / (mantissa + 1)  # as in `log`
    square, series = t * t, np.zeros_like(t)
    for n in range(23, 0, -2):
        series = series * square + 1 / n
    return exponent * _LN_2[0] + (exponent * _LN_2[1] + 2 * t * series)


def log(x: float) -> float:
    """The natural logarithm of a positive finite number, to about two units in the last place."""
    mantissa, exponent = math.frexp(x)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = 2 * mantissa, exponent - 1
    t = (mantissa - 1) / (mantissa + 1)  # log(m) = 2 (t + t^3 / 3 + t^5 / 5 + ...)
    square, series = t * t, 0.0
    for n in range(23, 0, -2):
        series = series * square + 1 / n
    return exponent * _LN_2[0] + (exponent * _LN_2[1] + 2 * t * series)


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x [m, k] times y [n, k] transposed, of any float type: float64 [m, n], to 2^-38 of the largest numbers.

    BLAS sums in another order on every machine. So numbers are split into parts of 20 bits, relative to the
    largest of their row, whose products it sums without rounding (Ozaki et al., 2012), up to k = 4096.
    """
    (x_high, x_low), (y_high, y_low) = _parts_of_20_bits(x), _parts_of_20_bits(y)
    return x_high @ y_high.T + (x_high @ y_low.T + x_low @ y_high.T)


def _parts_of_20_bits(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two parts of each number, multiples of steps that a row shares."""
    x = x.astype(np.float64)
    _, exponent = np.frexp(np.abs(x).max(axis=1, keepdims=True))
    step = np.ldexp(1.0, exponent - 20)
    high = np.rint(x / step) * step
    return high, np.rint((x - high) / (step * 2.0**-20)) * (step * 2.0**-20)
