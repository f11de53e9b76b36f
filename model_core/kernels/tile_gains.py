"""What measured times of tiles (Intel AMX) and vectors decide: functions of numbers alone.

Other work on the machine makes some times longer, and never shorter. So a load is measured in pairs, tiles
and vectors one after the other, until it is clear; and tiles are refused only if no way to look at the times
speaks for them.
"""

from collections.abc import Mapping, Sequence
from statistics import median

# Pairs that are measured of a load: so many at least, and at most.
LEAST_PAIRS, MOST_PAIRS = 8, 40
# The gain from which products of many rows use tiles.
LEAST_GAIN = 1.05
# A load is clear if both estimates are that far above, and such a part of pairs speaks for tiles.
_CLEAR, _AGREEING = 1.25, 0.85
# The loads: many rows of int8 and of bfloat16, and one row of bfloat16. One row of int8 takes no tiles.
LOADS = ("int8", "bfloat16", "one row")


def estimate_gains(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Two estimates of the speed of tiles in parts of that of vectors.

    pairs: seconds in vectors, and on tiles right afterwards. The first estimate compares the shortest times,
    which are right if each had one quiet moment; the second is the median of the pairs' ratios, which is
    right if most pairs had the same neighbours.
    """
    in_vectors, on_tiles = zip(*pairs, strict=True)
    return min(in_vectors) / min(on_tiles), median(vectors / tiles for vectors, tiles in pairs)


def find_gain(pairs: Sequence[tuple[float, float]]) -> float:
    """The larger of both estimates."""
    return max(estimate_gains(pairs))


def is_clear(pairs: Sequence[tuple[float, float]]) -> bool:
    """Whether more pairs are not needed: there are enough, or they clearly speak for tiles."""
    if len(pairs) < LEAST_PAIRS or len(pairs) >= MOST_PAIRS:
        return len(pairs) >= MOST_PAIRS
    agreeing = sum(vectors >= LEAST_GAIN * tiles for vectors, tiles in pairs)
    return min(estimate_gains(pairs)) >= LEAST_GAIN * _CLEAR and agreeing >= _AGREEING * len(pairs)


def decide(gains: Mapping[str, float]) -> tuple[bool, bool]:
    """Whether products of int8 use tiles, and whether those of bfloat16 do. gains: by LOADS.

    Products of int8 take tiles for many rows only. Those of bfloat16 have the bits of tiles for a single row,
    too: what many rows gain must outweigh what one row loses.
    """
    of_floats = gains["bfloat16"] * min(1.0, gains["one row"])
    return gains["int8"] >= LEAST_GAIN, of_floats >= LEAST_GAIN
