"""The speed of a model by the roofline of a machine (Williams et al., 2009), of which a part is reached."""

from collections.abc import Callable
from dataclasses import dataclass

from ..kernels.layout import FLOAT32, INT8
from ..kernels.roofline import measure_arithmetic, measure_bandwidth
from .catalogue import CatalogueModel

PROMPT = 512  # tokens, whose speed is said; those of an answer follow them
# What real models reach of the limits (docs/models.md).
_BANDWIDTH_REACHED, _ARITHMETIC_REACHED = 0.85, 0.6
_BETWEEN_STEPS_S = 0.0004  # in which the engine schedules and samples


@dataclass(frozen=True)
class Machine:
    """The limits of a machine, a second: bytes that it reads, and operations in int8 and in float32."""

    bandwidth: float
    arithmetic: float
    float_arithmetic: float


@dataclass(frozen=True)
class Speed:
    """Tokens a second of a prompt of 512 tokens, and of one answer after it."""

    prompt: float
    answer: float


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


def expect_speed(model: CatalogueModel, machine: Machine) -> Speed:
    """The speed of a model: the slower of what is read and what is computed limits each.

    A query meets two operations for its score at each position, and two for the value that is mixed.
    """
    bandwidth = _BANDWIDTH_REACHED * machine.bandwidth
    products_s = 2 * model.multiplications / machine.arithmetic
    attention_s = 4 * model.attended * PROMPT / machine.float_arithmetic
    # Of a prompt, a token meets half of the positions on average.
    computed_s = PROMPT * (products_s + attention_s / 2) / _ARITHMETIC_REACHED
    prompt_s = max(computed_s, model.weight_bytes / bandwidth)
    head_s = 2 * model.head_multiplications / machine.arithmetic
    read_s = (model.read_bytes + PROMPT * model.kv_bytes) / bandwidth
    token_s = max(read_s, (products_s + head_s + attention_s) / _ARITHMETIC_REACHED) + _BETWEEN_STEPS_S
    return Speed(PROMPT / prompt_s, 1 / token_s)
