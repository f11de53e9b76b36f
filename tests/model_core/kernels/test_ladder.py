"""Each step of the ladder computes the product."""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from paths import ROOT

sys.path.append(str(ROOT / "benchmarks"))
from ladder import STEPS, make_numbers, multiply


@pytest.mark.parametrize("step", STEPS)
def test_step_computes_the_product(step: Callable[..., None]) -> None:
    x, w, y = make_numbers(12, 64, 40)
    expected = x.astype(np.float64) @ w.astype(np.float64).T
    np.testing.assert_allclose(multiply(step, x, w, y), expected, rtol=1e-5, atol=1e-5)
