"""Which of a repository's .gguf files are the model that is asked for."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from ...checks.file_values import shorten
from ...errors import ModelError
from .reader import SPLIT_NAME

_PREFERRED = ("Q4_K_M", "Q4_K_S", "Q4_0", "Q5_K_M", "Q6_K", "Q8_0")
# Files beside a model: encoders of images, statistics, drafts of other models.
_OTHERS = re.compile(r"(^|[-._])(mmproj|imatrix|mtp)([-._]|$)", re.IGNORECASE)
_QUANTIZATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_\w+)?|TQ\d_\d|MXFP4(?:_MOE)?|BF16|F16|F32|FP16|FP32))(?=[-._]|$)",
    re.IGNORECASE,
)


def choose_files(names: Iterable[str], quantization: str | None = None) -> list[str]:
    """The files of one model, in order: one, or all parts of a split one.

    `names`: all paths in a repository. `quantization`: such as "Q4_K_M", in any case, or the name of a file.
    Without it, or with "latest", the model in Q4_K_M is taken, or the next best.

    Raises ModelError if there is no such model, or if one of its parts is missing.
    """
    models = _group_parts(names)
    if not models:
        raise ModelError("there is no .gguf file.")
    if not quantization or quantization == "latest":
        wanted = [*_PREFERRED, *sorted(filter(None, map(quantization_of, models)))]
        chosen: str | None = next((found for name in wanted if (found := _find(models, name))), min(models))
    else:
        chosen = _find(models, quantization)
    if chosen is None:
        known = sorted({quantization_of(stem) or stem for stem in models})
        raise ModelError(f"there is no .gguf file of {shorten(quantization)}; there are {', '.join(known)}.")
    return _check_complete(models[chosen])


def quantization_of(name: str) -> str | None:
    """The quantization that the name of a .gguf file says, such as "Q4_K_M", or None."""
    stem = PurePosixPath(name).name.removesuffix(".gguf")
    found = _QUANTIZATION.findall(stem)
    return found[-1].upper() if found else None


def _group_parts(names: Iterable[str]) -> dict[str, list[str]]:
    """Path without the number of the part -> the parts of a model."""
    models = defaultdict(list)
    for name in sorted(names):
        path = PurePosixPath(name)
        if path.suffix.lower() == ".gguf" and not _OTHERS.search(path.name):
            match = SPLIT_NAME.fullmatch(path.name)
            models[str(path.with_name(f"{match['stem']}.gguf")) if match else name].append(name)
    return dict(models)


def _find(models: Iterable[str], quantization: str) -> str | None:
    """The model with this quantization in its name; the shortest name of several."""
    wanted = quantization.lower().removesuffix(".gguf")
    pattern = re.compile(rf"(^|[-._/]){re.escape(wanted)}([-._/]|$)")
    found = [stem for stem in models if pattern.search(stem.lower().removesuffix(".gguf"))]
    return min(found, key=lambda stem: (len(PurePosixPath(stem).name), stem), default=None)


def _check_complete(parts: list[str]) -> list[str]:
    match = SPLIT_NAME.fullmatch(PurePosixPath(parts[0]).name)
    if match and len(parts) != int(match["count"]):
        raise ModelError(f"of {match['count']} files with names like {parts[0]}, there are {len(parts)}.")
    return parts
