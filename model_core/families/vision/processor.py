"""Reads preprocessor_config.json: how images are resized and normalized."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...checks.file_values import read_number, shorten
from ...errors import ModelError

_NAME = "preprocessor_config.json"
_RESAMPLES = {1: "lanczos", 2: "bilinear", 3: "bicubic"}  # as Pillow numbers them


def read_processor(
    processor: Mapping[str, Any], resample: str, mean: Sequence[float], std: Sequence[float], **expected: Any
) -> dict[str, Any]:
    """`resample`, `mean` and `std` of VisionConfig, with the family's defaults.

    expected: further fields, which may be missing or null. Raises ModelError for what is not supported.
    """
    for name in ("do_resize", "do_rescale", "do_normalize"):
        expected.setdefault(name, True)
    for name, value in expected.items():
        if (actual := processor.get(name)) is not None and actual != value:
            raise ModelError(
                f"{name} of {_NAME} is {shorten(actual)}, but only {shorten(value)} is supported."
            )
    if abs(read_number(processor, "rescale_factor", 1 / 255) - 1 / 255) > 1e-9:
        raise ModelError(f"rescale_factor of {_NAME} should be 1/255.")
    number = processor.get("resample")
    if number is not None and number not in _RESAMPLES:
        raise ModelError(f"resample {shorten(number)} of {_NAME} is not supported.")
    return {
        "resample": resample if number is None else _RESAMPLES[number],
        "mean": _read_channels(processor, "image_mean", mean),
        "std": _read_channels(processor, "image_std", std),
    }


def _read_channels(processor: Mapping[str, Any], name: str, default: Sequence[float]) -> tuple[float, ...]:
    """A number for each of the three channels."""
    values = processor.get(name)
    values = default if values is None else values
    if not isinstance(values, list | tuple) or len(values) != 3:
        raise ModelError(f"{name} of {_NAME} should have three numbers.")
    least = 1e-6 if name == "image_std" else -1e3
    return tuple(read_number({name: value}, name, None, least, 1e3) for value in values)
