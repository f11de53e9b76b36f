"""Which of a repository's .gguf files are the model that is asked for."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ...checks.file_values import shorten
from ...errors import ModelError
from .reader import SPLIT_NAME

# The quantizations of which one is taken unless a name says which, the best choice first: what answers well
# in little memory, what answers better, what is smaller, what is not rounded, and what is much worse.
_PREFERRED = (
    *("Q4_K_M", "Q4_K_S", "Q4_K_L", "Q4_K_XL", "UD-Q4_K_XL", "MXFP4", "Q4_0", "Q4_1", "IQ4_NL", "IQ4_XS"),
    *("Q5_K_M", "Q5_K_S", "Q5_K_L", "Q5_0", "Q5_1", "Q6_K", "Q6_K_L", "Q8_0"),
    *("Q3_K_L", "Q3_K_M", "Q3_K_S", "IQ3_M", "IQ3_S", "IQ3_XS", "IQ3_XXS", "Q2_K_L", "Q2_K"),
    *("BF16", "F16", "FP16", "F32", "FP32"),
    *("IQ2_M", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S"),
)
# Files beside a model: encoders of images, and statistics.
_OTHERS = re.compile(r"(^|[-._])(mmproj|imatrix)([-._]|$)", re.IGNORECASE)
_DRAFTS = re.compile(r"(^|[-._])mtp([-._]|$)", re.IGNORECASE)  # or models that have such a head
_QUANTIZATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_\w+)?|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16|FP32))(?=[-._]|$)",
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
        named = {stem: quantization_of(stem) or "" for stem in models}
        wanted = [*_PREFERRED, *sorted(filter(None, named.values()))]
        found = (_find(models, name) for name in wanted)
        chosen: str | None = next(filter(None, found), min(models))
    else:
        chosen = _find(models, quantization)
    if chosen is None:
        known = sorted({quantization_of(stem) or stem for stem in models})
        raise ModelError(f"there is no .gguf file of {shorten(quantization)}; there are {', '.join(known)}.")
    return _check_complete(models[chosen])


def find_only_model(folder: Path) -> Path | None:
    """The first .gguf file of the one model in a folder that has no .safetensors files; None without any.

    Raises ModelError if there are several models, one of its parts is missing, or the folder cannot be read.
    """
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise ModelError(f"{folder} cannot be read: {error.strerror}.") from error
    models = {} if any(name.endswith(".safetensors") for name in names) else _group_parts(names)
    if len(models) > 1:
        raise ModelError(f"{folder} has several .gguf files; give the path of one: {', '.join(models)}.")
    return next((folder / _check_complete(parts)[0] for parts in models.values()), None)


def quantization_of(name: str) -> str | None:
    """The quantization that the name of a .gguf file says, such as "Q4_K_M", or None."""
    stem = PurePosixPath(name).name.removesuffix(".gguf")
    found = _QUANTIZATION.findall(stem)
    return found[-1].upper() if found else None


def _group_parts(names: Iterable[str]) -> dict[str, list[str]]:
    """Path without the number of the part -> the parts of a model."""
    models = defaultdict(list)
    paths = [PurePosixPath(name) for name in sorted(names)]
    paths = [path for path in paths if path.suffix.lower() == ".gguf" and not _OTHERS.search(path.name)]
    for path in [path for path in paths if not _DRAFTS.search(path.name)] or paths:
        match = SPLIT_NAME.fullmatch(path.name)
        models[str(path.with_name(f"{match['stem']}.gguf") if match else path)].append(str(path))
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
