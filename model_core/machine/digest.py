"""Digests of plain values and arrays."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_PIECE = 2**24  # bytes of an array that a thread hashes at a time


def digest(value: Any) -> str:
    """A hash of plain values, arrays, and data classes, mappings, tuples and lists of these."""
    total = hashlib.sha256()
    _feed(total, value)
    return total.hexdigest()[:32]


def _feed(total: "hashlib._Hash", value: Any) -> None:
    if isinstance(value, np.ndarray):
        for piece in cut(value):
            total.update(hash_piece(piece))
    elif is_dataclass(value):
        _feed(total, {field.name: getattr(value, field.name) for field in fields(value)})
    elif isinstance(value, Mapping):
        _feed(total, list(value.items()))
    elif isinstance(value, list | tuple):
        total.update(f"[{len(value)}".encode())
        for item in value:
            _feed(total, item)
    else:
        total.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")


def cut(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The type and shape of an array with each piece of its bytes."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    for start in range(0, max(1, data.size), _PIECE):
        yield f"{array.dtype} {array.shape}", data[start : start + _PIECE]


def hash_piece(piece: tuple[str, np.ndarray]) -> bytes:
    """The hash of a piece that `cut` gives."""
    kind, data = piece
    return hashlib.sha256(kind.encode()).digest() + hashlib.sha256(data.data).digest()
