"""What attention adds by distance: T5's buckets, and ALiBi's slopes."""

import math

import numpy as np
import pytest

from model_core.tape.distances import DistanceBias, alibi
from model_core.tape.references import WeightRef


@pytest.mark.parametrize(("buckets", "max_distance"), [(32, 128), (32, 100), (12, 40)])
def test_buckets_are_those_of_t5(buckets: int, max_distance: int) -> None:
    """The definition with logarithms, which may be just below a whole number at the first of a bucket."""
    table = np.arange(2 * buckets, dtype=np.float32).reshape(buckets, 2)
    rows = DistanceBias(WeightRef("table", table.shape), max_distance).rows(table, 300)
    assert rows.shape == (2, 600)
    half, quarter = buckets // 2, buckets // 4
    for distance in range(-300, 300):
        n = abs(distance)
        bucket = n
        if n >= quarter:
            ratio = math.log(n / quarter) / math.log(max_distance / quarter) + 1e-9
            bucket = min(half - 1, quarter + int(ratio * (half - quarter)))
        bucket += half if distance > 0 else 0
        assert rows[:, distance + 300].tolist() == table[bucket].tolist()


def test_slopes_are_those_of_the_paper() -> None:
    assert alibi(8).slopes == tuple(2.0**-i for i in range(1, 9))
    assert alibi(6).slopes == (2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3)
    rows = alibi(2).rows(None, 3)
    assert rows.tolist() == [
        [-3 / 16, -2 / 16, -1 / 16, 0, -1 / 16, -2 / 16],
        [n / 256 for n in (-3, -2, -1, 0, -1, -2)],
    ]
