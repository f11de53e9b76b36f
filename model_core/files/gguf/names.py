"""The tensors of GGUF files by the names that the rooms of families/ know."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

_STORED = re.compile(r"(?:blk\.(\d+)\.)?(.*?)(\.weight|\.bias)?", re.DOTALL)


@dataclass(frozen=True)
class Place:
    """How a tensor of a family is stored.

    Attributes:
        names: of stored tensors, whose rows follow each other.
        expert: its index in their first axis, None for all.
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
    order: np.ndarray | None = None
    columns: np.ndarray | None = None
    offset: float = 0.0
    shape: tuple[int, ...] | None = None
    is_transposed: bool = False
    first_is_transposed: bool = False
    is_negative_exp: bool = False
    value: np.ndarray | None = None
    is_difference: bool = False


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
