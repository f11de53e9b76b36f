"""Ways of quantizing weights on top of safetensors, as `quantization_config` in config.json names them.

A format is a file with a class, and has a line in FORMATS. It knows from the names of stored tensors which
weights it holds, and reads them into `Codes` (weights/codes.py) without rounding. Nothing here knows how
kernels use them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...checks.file_values import Fields, shorten
from ...checks.known_fields import QUANTIZATION
from ...errors import ModelError
from ...weights.codes import Codes
from ..safetensors import SafetensorsFolder
from .auto_round import open_auto_round
from .awq import Awq
from .bitnet import BitNet
from .bitsandbytes import BitsAndBytes
from .compressed_tensors import CompressedTensors
from .fp8 import Fp8
from .gptq import Gptq
from .hqq import Hqq
from .mlx import Mlx
from .modelopt import ModelOpt
from .mxfp4 import Mxfp4
from .quark import Quark
from .torchao import TorchAo


class Format(Protocol):
    """The quantized weights of a folder, by the names that they have as floats. Errors are ModelError."""

    def __init__(self, settings: Mapping[str, Any], stored: SafetensorsFolder) -> None:
        """`settings`: quantization_config. Raises ModelError for a setting that is not supported."""

    def parts(self, name: str) -> list[str]:
        """The names of stored tensors that hold the weights `name`; none if they are not quantized."""

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of quantized weights as floats."""

    def codes(self, name: str, expert: int | None) -> Codes:
        """Quantized weights; see TensorSource.codes."""

    def order(self, name: str) -> np.ndarray | None:
        """The order of columns of quantized weights; see Codes."""

    def is_unused(self, name: str) -> bool:
        """Whether a stored tensor is needed by nobody, such as a scale of activations."""


# quant_method -> how its files are read
FORMATS: dict[str, Callable[[Mapping[str, Any], SafetensorsFolder], Format]] = {
    "gptq": Gptq,
    "auto-round": open_auto_round,
    "awq": Awq,
    "bitnet": BitNet,
    "bitsandbytes": BitsAndBytes,
    "compressed-tensors": CompressedTensors,
    "fp8": Fp8,
    "fbgemm_fp8": Fp8,
    "modelopt": ModelOpt,
    "hqq": Hqq,
    "mlx": Mlx,
    "mxfp4": Mxfp4,
    "quark": Quark,
    "torchao": TorchAo,
}


def open_format(settings: Any, path: Path, stored: SafetensorsFolder) -> Format | None:
    """The format of a folder with these `quantization_config`; None without.

    `path` of config.json is named in errors. Raises ModelError if the format or a setting is not supported.
    """
    if not settings:
        return None
    method = settings.get("quant_method") if isinstance(settings, Mapping) else None
    if method == "tritonchat":
        raise ModelError(
            f"{path}: the weights are packed as older versions of tritonchat did; run `tritonchat quantize` "
            "again on the original model."
        )
    if not isinstance(method, str) or method not in FORMATS:
        raise ModelError(
            f"{path}: weights quantized by {shorten(method)} are not supported; take a copy of the model in "
            f"one of the formats {', '.join(FORMATS)}, or the original with --weights int8, mixed or int4."
        )
    fields = Fields(settings, QUANTIZATION)
    try:
        opened = FORMATS[method](fields, stored)
        fields.check_all_read()
        return opened
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
