"""Which types of numbers weights get with --weights: one for all, or fewer bits where that costs least.

Fewer bits cost least in the first products of MLPs, which have half of the weights, and several times as much
for each weight in the inputs of attention, the last product of an MLP and the head (docs/performance.md).
"""

from typing import NamedTuple

from ..kernels.layout import BFLOAT16, FLOAT16, FLOAT32, INT4, INT5, INT6, INT8, STEPPED_BITS
from ..tape.operations import Linear


class Preset(NamedTuple):
    """The kinds of matrices: of the first products of MLPs, and of all others."""

    inner: int
    others: int


PRESETS = {
    "float32": Preset(FLOAT32, FLOAT32),
    "bfloat16": Preset(BFLOAT16, BFLOAT16),
    "float16": Preset(FLOAT16, FLOAT16),
    "int8": Preset(INT8, INT8),
    "mixed": Preset(INT5, INT6),
    "int4": Preset(INT4, INT5),
}
# Those of the folders that `tritonchat quantize` writes. Other programs know 4 and 8 bits alone.
FOLDER_PRESETS = PRESETS | {"int4": Preset(INT4, INT4)}
_ROUNDED = ("int8", "mixed", "int4")


def choose_kind(product: Linear, weights: str) -> int | None:
    """The kind of a product's matrix with these --weights; None: as its weights are stored."""
    if weights == "auto" or (product.is_router and weights in _ROUNDED):
        return None
    return _choose(PRESETS[weights], product)


def choose_bits(product: Linear, weights: str) -> int:
    """The bits of a product's weights in a folder with weights "mixed" or "int4"."""
    return STEPPED_BITS[_choose(FOLDER_PRESETS[weights], product)]


def _choose(preset: Preset, product: Linear) -> int:
    return preset.inner if product.is_inner else preset.others
