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
