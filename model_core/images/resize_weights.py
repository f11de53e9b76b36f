"""The weights of the input pixels in each pixel of a resized image."""

import math
from collections.abc import Callable

import numpy as np

BITS = 22  # of the fractions of weights


def _bilinear(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _bicubic(x: float) -> float:
    """Keys' kernel with a = -0.5."""
    x, a = abs(x), -0.5
    if x < 1.0:
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2.0 else 0.0


def _sinc(x: float) -> float:
    return 1.0 if x == 0.0 else math.sin(x * math.pi) / (x * math.pi)


def _lanczos(x: float) -> float:
    return _sinc(x) * _sinc(x / 3) if -3.0 <= x < 3.0 else 0.0


# Kernel, and how far it reaches.
_KERNELS: dict[str, tuple[Callable[[float], float], float]] = {
    "bilinear": (_bilinear, 1.0),
    "bicubic": (_bicubic, 2.0),
    "lanczos": (_lanczos, 3.0),
}


def find_weights(size: int, new_size: int, kind: str) -> list[tuple[int, list[float]]]:
    """For each output pixel the first input pixel, and the weights of it and of those behind it.

    The order of the operations is Pillow's.
    """
    kernel, support = _KERNELS[kind]
    scale = size / new_size
    filter_scale = max(scale, 1.0)
    support *= filter_scale
    found = []
    for index in range(new_size):
        center = (index + 0.5) * scale
        first = max(int(center - support + 0.5), 0)
        count = min(int(center + support + 0.5), size) - first
        own = [kernel((place + first - center + 0.5) * (1.0 / filter_scale)) for place in range(count)]
        total = 0.0
        for weight in own:  # `sum` rounds otherwise since Python 3.12
            total += weight
        found.append((first, [weight / total for weight in own] if total != 0.0 else own))
    return found


def weigh(size: int, new_size: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each output pixel the first input pixel, the number of them, and their weights.

    int64 [new_size], int64 [new_size], int32 [new_size, most], of which BITS bits are fractions.
    """
    found = find_weights(size, new_size, kind)
    firsts = np.array([first for first, _ in found], np.int64)
    counts = np.array([len(own) for _, own in found], np.int64)
    weights = np.zeros((new_size, max(map(len, (own for _, own in found)))), np.int32)
    for index, (_, own) in enumerate(found):
        weights[index, : len(own)] = [int(w * (1 << BITS) + (-0.5 if w < 0 else 0.5)) for w in own]
    return firsts, counts, weights
