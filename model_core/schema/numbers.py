"""Which numbers of a schema llguidance keeps.

It reads numbers as float64, and writes the bounds of integers by way of int64 (parser/src/json/schema.rs and
numeric.rs). So it rounds integers beyond 2^53, and fails for bounds with more than 18 digits.
"""

from collections.abc import Mapping
from typing import Any

BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_BOUND_LIMIT = 10**18
_MAX_COEFFICIENT = 10**6  # of multipleOf as a decimal fraction; its automaton has as many states
_MAX_DECIMALS = 30
_EXACT_LIMIT, _INT64_LIMIT = 2**53, 2**63


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def can_enforce_bound(value: int | float) -> bool:
    """Whether llguidance enforces exactly this bound."""
    is_read = value % 1 == 0 or _is_read_exactly(value)
    return abs(value) < _BOUND_LIMIT and float(value) == value and is_read


def can_enforce_multiple(value: int | float) -> bool:
    """Whether llguidance enforces multiples of exactly this number."""
    if abs(value) > _MAX_COEFFICIENT:
        return False
    scaled, decimals = abs(float(value)), 0
    while scaled % 1 and decimals < _MAX_DECIMALS:  # the same steps as llguidance, which go wrong for 0.07
        scaled, decimals = scaled * 10, decimals + 1
    return scaled % 1 == 0 and 0 < scaled <= _MAX_COEFFICIENT


def needs_text(schema: Any) -> bool:
    """Whether `enum` or `const` of a prepared schema has a number that llguidance would change."""
    if isinstance(schema, list):
        return any(map(needs_text, schema))
    if not isinstance(schema, Mapping):
        return False
    values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    if any(map(_is_rounded, values)):
        return True
    for keyword, part in schema.items():
        if keyword in ("properties", "patternProperties", "$defs"):
            part = list(part.values())
        elif keyword in ("enum", "const"):
            continue
        if needs_text(part):
            return True
    return False


def _is_rounded(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_rounded, value.values()))
    if isinstance(value, list):
        return any(map(_is_rounded, value))
    if not is_number(value):
        return False
    if isinstance(value, float):
        return not _is_read_exactly(value)
    return abs(value) > _EXACT_LIMIT and (abs(value) >= _INT64_LIMIT or float(value) != value)


def _is_read_exactly(value: float) -> bool:
    """Whether llguidance reads exactly this float. Its reader may miss by one unit in the last place.

    It divides or multiplies the digits by a power of ten, which is exact for so few digits and such powers.
    """
    digits = repr(value).partition("e")[0].replace(".", "").replace("-", "").strip("0")
    return len(digits) <= 15 and (value == 0 or 1e-7 < abs(value) <= _EXACT_LIMIT)
