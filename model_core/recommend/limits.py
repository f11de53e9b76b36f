"""Measures the limits of this machine."""

from collections.abc import Callable

from ..kernels.layout import FLOAT32, INT8
from ..kernels.roofline import measure_arithmetic, measure_bandwidth
from .speed import Machine


def measure_machine(threads: int, advance: Callable[[], object] = lambda: None) -> Machine:
    """Measure this machine with so many threads, in about a second once the kernels are compiled.

    `advance` is called after each of the three measurements.
    """
    limits = []
    for measure in (
        lambda: measure_bandwidth(threads),
        lambda: measure_arithmetic(INT8, threads),
        lambda: measure_arithmetic(FLOAT32, threads),
    ):
        limits.append(measure())
        advance()
    return Machine(*limits)
