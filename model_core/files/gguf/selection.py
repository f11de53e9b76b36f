"""Which of a repository's .gguf files are the model that is asked for."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from ...checks.file_values import shorten
from ...errors import ModelError
from .reader import SPLIT_NAME

# The quantizations of which one is taken unless a name says which: the usual one, which answers well in
# little memory; else the best that is rounded, what is not rounded, and at last what is much worse.
_PREFERRED = (
    *("Q4_K_M", "Q8_0", "Q6_K_L", "Q6_K", "Q5_K_L", "Q5_K_M", "Q5_K_S", "Q5_1", "Q5_0", "MXFP4", "MXFP4_MOE"),
    *("UD-Q4_K_XL", "Q4_K_XL", "Q4_K_L", "Q4_K_S", "IQ4_NL", "IQ4_XS", "Q4_1", "Q4_0"),
    *("Q3_K_L", "Q3_K_M", "Q3_K_S", "IQ3_M", "IQ3_S", "IQ3_XS", "IQ3_XXS", "Q2_K_L", "Q2_K"),
    *("BF16", "F16", "FP16", "F32", "FP32"),
    *("IQ2_M", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S"),
)
# Files beside a model: encoders of images, statistics, and heads that only make drafts. A model with such a
# head has "MTP" inside its name.
_OTHERS = re.compile(r"(.*[-._])?(mmproj|imatrix)([-._].*)?|mtp[-._].*", re.IGNORECASE)
_TOWER = re.compile(r"(.*[-._])?mmproj([-._].*)?\.gguf", re.IGNORECASE)
_QUANTIZATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_\w+)?|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16|FP32))(?=[-._]|$)",
    re.IGNORECASE,
)


def choose_files(
    names: Iterable[str], quantization: str | None = None, fits: Callable[[list[str]], bool] | None = None
) -> list[str]:
    """The files of one model, in order: one, or all parts of a split one.

    `names`: all paths in a repository. `quantization`: such as "Q4_K_M", in any case, or the name of a file.
    Without it, or with "latest", the model in Q4_K_M is taken, or else the best of those for whose files
    `fits` is true (the best of all, if it is true for none).

    Raises ModelError if there is no such model, or if one of its parts is missing.
    """
    models = _group_parts(names)
    if not models:
        raise ModelError("there is no .gguf file.")
    if quantization and quantization != "latest":
        chosen = _find(models, quantization)
        if chosen is None:
            known = ", ".join(sorted({quantization_of(stem) or stem for stem in models}))
            raise ModelError(f"there is no .gguf file of {shorten(quantization)}; there are {known}.")
        return _check_complete(models[chosen])
    usual, order = _find(models, _PREFERRED[0]), _order_by_quality(models)
    fitting = [stem for stem in order if fits is None or fits(models[stem])]
    return _check_complete(models[usual or (fitting or order)[0]])


def list_models(names: Iterable[str]) -> dict[str, list[str]]:
    """The models among files, without those of which parts are missing: a name for `choose_files` -> files.

    The name is the quantization, or that of the file, if several have the same quantization, or none.
    """
    models = _group_parts(names)
    quantizations = {stem: quantization_of(stem) for stem in models}
    counts = Counter(quantizations.values())
    named = {}
    for stem, parts in models.items():
        quantization = quantizations[stem]
        try:
            is_unique = quantization is not None and counts[quantization] == 1
            name = quantization if is_unique else PurePosixPath(stem).stem
            named[str(name)] = _check_complete(parts)
        except ModelError:
            continue
    return named


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
        first = ", ".join(parts[0] for parts in models.values())
        raise ModelError(f"{folder} has several .gguf files; give the path of one: {first}.")
    return next((folder / _check_complete(parts)[0] for parts in models.values()), None)


def list_towers(path: Path) -> list[Path]:
    """The files of towers beside a model's, the most exact first. `path`: of the model."""
    order = ("F32", "FP32", "BF16", "F16", "FP16")
    try:
        names = [name for name in os.listdir(path.parent) if _TOWER.fullmatch(name)]
    except OSError:
        return []

    def rank(name: str) -> tuple[int, str]:
        kind = quantization_of(name)
        return order.index(kind) if kind in order else len(order), name

    return [path.parent / name for name in sorted(names, key=rank)]


def quantization_of(name: str) -> str | None:
    """The quantization that the name of a .gguf file says, such as "Q4_K_M", or None."""
    stem = PurePosixPath(name).name.removesuffix(".gguf")
    found = _QUANTIZATION.findall(stem)
    return found[-1].upper() if found else None


def _group_parts(names: Iterable[str]) -> dict[str, list[str]]:
    """Path without the number of the part -> the parts of a model."""
    models = defaultdict(list)
    paths = [PurePosixPath(name) for name in sorted(names)]
    for path in paths:
        if path.suffix.lower() == ".gguf" and not _OTHERS.fullmatch(path.name):
            match = SPLIT_NAME.fullmatch(path.name)
            models[str(path.with_name(f"{match['stem']}.gguf") if match else path)].append(str(path))
    return dict(models)


def _order_by_quality(models: Iterable[str]) -> list[str]:
    """In the order of _PREFERRED; others after them."""
    stems = sorted(models)
    known = [stem for name in _PREFERRED if (stem := _find(stems, name))]
    return list(dict.fromkeys([*known, *stems]))


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
