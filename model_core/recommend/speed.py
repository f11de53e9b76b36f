"""The speed of a model by the roofline of a machine (Williams et al., 2009), of which a part is reached."""

from dataclasses import dataclass

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


# Two channels of DDR5, and 2 to 4 cores with AVX-512: what is assumed of a machine that was not measured.
TYPICAL = Machine(bandwidth=50e9, arithmetic=1500e9, float_arithmetic=400e9)


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
