"""AutoRound (Cheng et al., 2023, arXiv:2309.05516): its own name for the layouts of GPTQ and AWQ.

`packing_format` says which: GPTQ with zeros minus 1 (version 1) or as they are (version 2), with 2 to 8 bits,
or AWQ. Source: auto-round, inference/convert_model.py.
"""

from collections.abc import Mapping
from typing import Any

from ...checks.file_values import shorten
from ...errors import ModelError
from ..safetensors import SafetensorsFolder
from .awq import Awq
from .gptq import Gptq

_DEFAULT = "auto_round:auto_gptq"
# packing_format -> version of GPTQ, None for AWQ
_FORMATS = {
    "auto": "gptq",
    "auto_round:gptq": "gptq",
    _DEFAULT: "gptq",
    "auto_round": "gptq_v2",
    "auto_round:gptqmodel": "gptq_v2",
    "auto_round:awq": None,
    "auto_round:auto_awq": None,
}


def open_auto_round(settings: Mapping[str, Any], stored: SafetensorsFolder) -> Gptq | Awq:
    """The format of a folder. Raises ModelError for another `packing_format`."""
    packing = settings.get("packing_format") or _DEFAULT
    if not isinstance(packing, str) or packing not in _FORMATS:
        raise ModelError(
            f"AutoRound in the layout {shorten(packing)} is not supported, only {', '.join(_FORMATS)}; take "
            "another copy of the model."
        )
    version = _FORMATS[packing]
    return Awq(settings, stored) if version is None else Gptq(settings, stored, version)
