"""What a model on the disk is: its format, its context, and whether it can be run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..families import read_model_config
from ..files.gguf.selection import quantization_of
from ..files.model_files import ModelFiles, open_model_files


@dataclass(frozen=True)
class Description:
    """What a model is.

    Attributes:
        format: the type of its weights, such as "bfloat16", "gptq, 4 bits" or "Q4_K_M"; "" if it is unknown.
        max_context: positions that it was trained for; None if it cannot be run.
        is_chat: whether it has a chat template; else it continues texts.
        problem: a sentence that says why it cannot be run; None if it can.
    """

    format: str
    max_context: int | None
    is_chat: bool
    problem: str | None


def describe(path: Path) -> Description:
    """Describe the model at `path`. Only its configuration and the headers of its files are read."""
    try:
        files = open_model_files(path)
    except ModelError as error:
        return Description(quantization_of(path.name) or "", None, False, str(error))
    stored = _format(files)
    try:
        config = read_model_config(files.named("config.json"), files.config)
        files.open_tensors()
        return Description(stored, config.max_context, files.has_chat_template(), None)
    except ModelError as error:
        return Description(stored, None, False, str(error))


def _format(files: ModelFiles) -> str:
    """The type of a model's weights, as its name or its configuration says."""
    if not files.path.is_dir():
        return quantization_of(files.path.name) or files.main_type
    settings = files.config.get("quantization_config")
    if isinstance(settings, dict):
        return _quantization(settings)
    stored = files.config.get("dtype") or files.config.get("torch_dtype")
    return stored if isinstance(stored, str) else ""


def _quantization(settings: dict[str, Any]) -> str:
    """The way of quantizing that `quantization_config` names."""
    method, groups = settings.get("quant_method"), settings.get("config_groups")
    schemes = groups.values() if isinstance(groups, dict) else ()  # of compressed-tensors
    weights = [scheme.get("weights") for scheme in schemes if isinstance(scheme, dict)]
    widths = [scheme.get("num_bits") for scheme in weights if isinstance(scheme, dict)]
    bits = next(iter(widths), settings.get("bits"))
    name = method if isinstance(method, str) else "quantized"
    return f"{name}, {bits} bits" if type(bits) is int else name
