"""AutoRound (Cheng et al., 2023, arXiv:2309.05516): its own name for the layouts of other formats.

`packing_format` says which: GPTQ with zeros minus 1 (version 1) or as they are (version 2), with 2 to 8 bits;
AWQ; or compressed-tensors, for MXFP4, MXFP8 and NVFP4. Source: auto-round, inference/convert_model.py.
"""

from collections.abc import Mapping
from typing import Any

from ...checks.file_values import ignore, shorten
from ...errors import ModelError
from ..safetensors import SafetensorsFolder
from .awq import Awq
from .compressed_tensors import CompressedTensors
from .gptq import Gptq

_DEFAULT = "auto_round:auto_gptq"
_GPTQ_VERSIONS = {
    "auto": "gptq",
    "auto_round:gptq": "gptq",
    _DEFAULT: "gptq",
    "auto_round": "gptq_v2",
    "auto_round:gptqmodel": "gptq_v2",
}
_AWQ = ("auto_round:awq", "auto_round:auto_awq")
_FLOATS = "auto_round:llm_compressor"
_FLOAT_TYPES = ("mx_fp", "nv_fp")


def open_auto_round(settings: Mapping[str, Any], stored: SafetensorsFolder) -> Gptq | Awq | CompressedTensors:
    """The format of a folder. Raises ModelError for another `packing_format` or type of numbers."""
    # Older files name the layout in `backend`.
    packing = settings.get("packing_format") or settings.get("backend") or _DEFAULT
    kind = settings.get("data_type") or "int"
    if packing == _FLOATS and kind in _FLOAT_TYPES:
        ignore(settings, "bits")  # which are those of the tensors
        return CompressedTensors(settings, stored)
    if kind == "int" and packing in _AWQ:
        return Awq(settings, stored)
    if kind == "int" and isinstance(packing, str) and packing in _GPTQ_VERSIONS:
        return Gptq(settings, stored, _GPTQ_VERSIONS[packing])
    raise ModelError(
        f"AutoRound in the layout {shorten(packing)} with {shorten(kind)} is not supported, only "
        f"{', '.join((*_GPTQ_VERSIONS, *_AWQ))} with 'int', and {_FLOATS} with {' or '.join(_FLOAT_TYPES)}; "
        "take another copy of the model."
    )
