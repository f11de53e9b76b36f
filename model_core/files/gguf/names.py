"""The tensors of GGUF files by the names that the rooms of families/ know."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import ModelError

_STORED = re.compile(r"(?:blk\.(\d+)\.)?(.*?)(\.weight|\.bias)?", re.DOTALL)


@dataclass(frozen=True)
class Place:
    """How a tensor of a family is stored.

    Attributes:
        names: of stored tensors, whose rows follow each other.
        expert: its index in their first axis, None for all.
        rows: the first row of the one stored tensor, or of its expert, that is meant, and the end; None: all.
        order: row i of the tensor is row order[i] of what is stored. None: in the same order.
        columns: column i of the tensor is column columns[i] of what is stored. None: in the same order.
        offset: is added to what is stored.
        shape: that of the family, where the same numbers have another shape.
        is_transposed: the family has it as [inputs, outputs].
        first_is_transposed: of several stored tensors [heads, rows, columns], the first has its last two axes
            swapped.
        is_negative_exp: what is stored is -exp(tensor).
        value: a tensor that is no tensor in files, but a field. There are no names then.
        is_difference: of two stored rows, the tensor is the first minus the second.
    """

    names: tuple[str, ...]
    expert: int | None = None
    rows: tuple[int, int] | None = None
    order: np.ndarray | None = None
    columns: np.ndarray | None = None
    offset: float = 0.0
    shape: tuple[int, ...] | None = None
    is_transposed: bool = False
    first_is_transposed: bool = False
    is_negative_exp: bool = False
    value: np.ndarray | None = None
    is_difference: bool = False


# Stored tensors that some converters stack, where the family has tensors of their own.
_JOINED = {
    "attn_qkv": ("attn_q", "attn_k", "attn_v"),
    "ffn_gate_up_exps": ("ffn_gate_exps", "ffn_up_exps"),
}
Places = dict[str, Place]  # name in the family -> place


def find_places(stored: Mapping[str, int], names: Mapping[str, str]) -> Places:
    """Where the tensors of a family are.

    stored: names of tensors, with the length of their first axis. names: name in files, without the layer and
    `.weight` or `.bias` -> name in the family, with {i} for the layer. A key with the ending comes first, and
    then the name has none. With {e}, each index of the first axis is a tensor of its own. Several keys with
    the same name are parts of one tensor, in the order of `names`.

    A tensor that has no name in the family keeps its own.
    """
    ranks = {key: rank for rank, key in enumerate(names)}
    parts: dict[str, list[tuple[int, str]]] = {}
    for name in stored:
        match = _STORED.fullmatch(name)
        assert match is not None
        layer, key, ending = match[1], match[2], match[3] or ""
        if key + ending in names:
            key, ending = key + ending, ""
        target = names.get(key)
        if target is None or ("{i}" in target) != (layer is not None):
            target, ending = name, ""
        target = target.replace("{i}", layer or "") + ending
        parts.setdefault(target, []).append((ranks.get(key, -1), name))
    places: Places = {}
    for target, ranked in parts.items():
        place = Place(tuple(name for _, name in sorted(ranked)))
        if "{e}" not in target:
            places[target] = place
            continue
        for expert in range(stored[place.names[0]]):
            places[target.replace("{e}", str(expert))] = replace(place, expert=expert)
    return places


def split_joined(
    places: Places, shapes: Mapping[str, tuple[int, ...]], names: Mapping[str, str], config: Mapping[str, Any]
) -> None:
    """Find the parts of stored tensors that stack queries, keys and values, or gates and ups of experts.

    places, names: those of find_places. shapes: of stored tensors. config: the fields of config.json. Raises
    ModelError without the name of the file if there are more or fewer rows than the configuration says.
    """
    for stored, shape in shapes.items():
        match = _STORED.fullmatch(stored)
        assert match is not None
        layer, key, ending = match[1], match[2], match[3] or ""
        parts = _JOINED.get(key)
        if layer is None or parts is None or key in names or key + ending in names:
            continue
        targets = [target for part in parts if (target := _target(names, part, ending, layer))]
        if len(set(targets)) == 1:  # the family stacks them, too
            places[targets[0]] = places.pop(stored)
            continue
        sizes = _row_counts(parts, shape, config)
        if sizes is None or len(targets) < len(parts):
            continue
        rows = shape[-1] if len(shape) == 1 else shape[-2]
        if sum(sizes) != rows:
            raise ModelError(f"{stored} has {rows} rows, not {' + '.join(map(str, sizes))}.")
        del places[stored]
        start = 0
        for target, size in zip(targets, sizes, strict=True):
            place = Place((stored,), rows=(start, start + size))
            start += size
            for expert in range(shape[0]) if "{e}" in target else (None,):
                places[target.replace("{e}", str(expert))] = replace(place, expert=expert)


def _target(names: Mapping[str, str], part: str, ending: str, layer: str) -> str | None:
    """The name in the family of a stored tensor in a layer; None without one."""
    target = names.get(part + ending)
    if target is None and part in names:
        target = names[part] + ending
    return None if target is None else target.replace("{i}", layer)


def _row_counts(
    parts: Sequence[str], shape: tuple[int, ...], config: Mapping[str, Any]
) -> Sequence[int] | None:
    """The rows of each part; None where the configuration does not say it."""
    if len(parts) == 2:
        return [shape[-2] // 2] * 2 if len(shape) == 3 else None
    heads = [config.get(f"num_{kind}_heads") for kind in ("attention", "key_value", "key_value")]
    dim = config.get("head_dim")
    if type(dim) is not int or not all(type(count) is int for count in heads):
        return None
    return [count * dim for count in heads if count is not None]


def change(places: Places, endings: Collection[str], **fields: Any) -> None:
    """Set fields of the places of all tensors whose names end so."""
    for name, place in places.items():
        if name.endswith(tuple(endings)):
            places[name] = replace(place, **fields)


def order_of_halves(rows: int, heads: int) -> np.ndarray:
    """The order of the rows of queries or keys in files of Llama and its like.

    llama.cpp rotates neighbouring rows of a head together. Families rotate row i with row i + half.
    """
    return np.arange(rows).reshape(heads, -1, 2).swapaxes(1, 2).reshape(-1)
