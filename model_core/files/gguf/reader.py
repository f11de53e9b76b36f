"""Reads GGUF files: their metadata, and where their tensors are. Files are memory-mapped, and checked.

A file has a header (magic, version, number of tensors, number of metadata fields), the fields, an entry for
each tensor (name, dimensions, type, offset), and then the bytes of the tensors, each at a multiple of
`general.alignment`. A large model is split into several such files.
"""

import mmap
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...machine.memory import check_memory_refusal
from .blocks import BLOCKS, type_name

MAGIC = b"GGUF"
SPLIT_NAME = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")
_VERSIONS = (2, 3)
_MAX_FIELDS, _MAX_TENSORS, _MAX_DIMENSIONS = 2**14, 2**17, 4
_MAX_TEXTS = 2**21  # in one array; vocabularies have up to 300 thousand tokens, and twice as many merges
_MAX_NAME, _MAX_TEXT = 2**10, 2**24  # bytes
_MAX_FILES = 2**10
# value type in the file -> NumPy type
_NUMBERS: dict[int, np.dtype] = {
    0: np.dtype("<u1"),
    1: np.dtype("<i1"),
    2: np.dtype("<u2"),
    3: np.dtype("<i2"),
    4: np.dtype("<u4"),
    5: np.dtype("<i4"),
    6: np.dtype("<f4"),
    7: np.dtype(np.bool_),
    10: np.dtype("<u8"),
    11: np.dtype("<i8"),
    12: np.dtype("<f8"),
}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True)
class TensorEntry:
    """A tensor in a file. `shape` is in NumPy's order: the last axis is contiguous."""

    path: Path
    type: int
    shape: tuple[int, ...]
    start: int  # bytes from the beginning of the file
    end: int


class GGUFFile:
    """The metadata and the tensors of a GGUF model, of one file or all files of a split one.

    Attributes:
        path: the file, or the first of several.
        metadata: numbers, booleans, texts, and arrays of these by name. Arrays of numbers are NumPy arrays,
            arrays of texts are lists.
        entries: the tensors by name.
    """

    def __init__(self, path: Path) -> None:
        """`path`: any file of a model. Raises ModelError if a file is missing or damaged."""
        self.metadata: dict[str, Any] = {}
        self.entries: dict[str, TensorEntry] = {}
        self._maps: dict[Path, mmap.mmap] = {}
        paths = find_parts(path)
        self.path = paths[0]
        for number, part in enumerate(paths):
            file_map = self._maps[part] = _map_file(part)
            metadata, entries = _read_part(part, file_map)
            _check_split(part, metadata, number, len(paths))
            for name in entries.keys() & self.entries.keys():
                raise ModelError(f"{part} is damaged: another file of the model has {shorten(name)}, too.")
            self.metadata = metadata | self.metadata
            self.entries |= entries

    def bytes_of(self, entry: TensorEntry) -> np.ndarray:
        """The bytes of a tensor: uint8, a view of the mapped file."""
        return np.frombuffer(self._maps[entry.path], np.uint8, entry.end - entry.start, entry.start)

    def files(self) -> list[Path]:
        """The files, which are all mapped."""
        return list(self._maps)

    def drop_file_pages(self) -> None:
        """Free the memory of what was read from the files. It is read again when it is needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for file_map in self._maps.values():
                file_map.madvise(mmap.MADV_DONTNEED)


def find_parts(path: Path) -> list[Path]:
    """All files of a model of which `path` is one. Raises ModelError if one is missing."""
    match = SPLIT_NAME.fullmatch(path.name)
    if not match:
        return [path]
    count = int(match["count"])
    if not 1 <= int(match["number"]) <= count <= _MAX_FILES:
        raise ModelError(f"{path} is named as part {match['number']} of {match['count']}, which cannot be.")
    parts = [path.with_name(f"{match['stem']}-{i:05}-of-{count:05}.gguf") for i in range(1, count + 1)]
    missing = [part.name for part in parts if not os.path.isfile(part)]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ModelError(
            f"{path} is one of {count} files, of which {', '.join(missing[:3])}{more} is missing."
        )
    return parts


def _map_file(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        check_memory_refusal(error, path)
        raise ModelError(f"{path} cannot be read: {error}.") from error


def _check_split(path: Path, metadata: dict[str, Any], number: int, count: int) -> None:
    """Raises ModelError unless the file says that it is this part of a model of `count` files."""
    told_number, told_count = metadata.get("split.no", 0), metadata.get("split.count", 0) or 1
    if told_count == count and told_number == number:
        return
    if count == 1:
        raise ModelError(
            f"{path} is part {shorten(told_number)} of {shorten(told_count)} (from 0); all parts must be in "
            "one folder with names such as model-00001-of-00002.gguf."
        )
    raise ModelError(f"{path} is damaged: it is another part of a model than its name says.")


class _Cursor:
    """Reads values one after the other. Raises ValueError where the file ends or a length is too large."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self.position = data, 0

    def take(self, size: int) -> bytes:
        start, self.position = self.position, self.position + size
        if self.position > len(self._data):
            raise ValueError("it is cut short; download it again")
        return self._data[start : self.position]

    def number(self, value_type: int) -> Any:
        dtype = _NUMBERS[value_type]
        return np.frombuffer(self.take(dtype.itemsize), dtype)[0].item()

    def count(self, limit: int, what: str) -> int:
        (value,) = struct.unpack("<Q", self.take(8))
        if value > limit:
            raise ValueError(f"it has {value} {what}, more than {limit}")
        return value

    def text(self, limit: int = _MAX_TEXT) -> str:
        return self.take(self.count(limit, "bytes in a text")).decode(errors="replace")

    def value(self) -> Any:
        value_type = self.number(4)
        if value_type == _TEXT:
            return self.text()
        if value_type in _NUMBERS:
            return self.number(value_type)
        if value_type != _ARRAY:
            raise ValueError(f"a value of type {value_type} is not known")
        item_type = self.number(4)
        if item_type == _TEXT:
            return self._texts()
        if item_type not in _NUMBERS:
            raise ValueError(f"an array of type {item_type} is not known")
        dtype = _NUMBERS[item_type]
        count = self.count(len(self._data) // dtype.itemsize, "values in an array")
        return np.frombuffer(self.take(count * dtype.itemsize), dtype)

    def _texts(self) -> list[str]:
        """An array of texts. Vocabularies are such arrays, so this loop is written for speed."""
        count = self.count(min(_MAX_TEXTS, len(self._data) // 8), "texts in an array")
        data, position, end, texts = self._data, self.position, len(self._data), []
        unpack = struct.Struct("<Q").unpack_from
        for _ in range(count):
            if position + 8 > end:
                raise ValueError("it is cut short; download it again")
            start = position + 8
            position = start + unpack(data, position)[0]
            if position > end or position - start > _MAX_TEXT:
                raise ValueError("a text is longer than the file")
            texts.append(data[start:position].decode(errors="replace"))
        self.position = position
        return texts


def _read_part(path: Path, data: mmap.mmap) -> tuple[dict[str, Any], dict[str, TensorEntry]]:
    """The metadata and the tensors of one file."""
    cursor = _Cursor(data)
    try:
        if cursor.take(4) != MAGIC:
            raise ModelError(
                f"{path} is not a GGUF file, perhaps a pointer of Git LFS or a web page in its place; "
                "download it again."
            )
        version = cursor.number(4)
        if version not in _VERSIONS:
            raise ModelError(
                f"{path} is a GGUF file of version {version}, or for another byte order; little-endian files "
                "of the versions 2 and 3 are supported."
            )
        tensors = cursor.count(_MAX_TENSORS, "tensors")
        fields = cursor.count(_MAX_FIELDS, "metadata fields")
        metadata = dict((cursor.text(_MAX_NAME), cursor.value()) for _ in range(fields))
        infos = dict(_read_infos(cursor, tensors))
        alignment = metadata.get("general.alignment", 32)
        if type(alignment) is not int or not 1 <= alignment <= 2**20:
            raise ValueError(f"general.alignment is {shorten(alignment)}")
    except (ValueError, KeyError, OverflowError) as error:
        raise ModelError(f"{path} is damaged: {shorten(str(error))[1:-1]}.") from error
    base = -(-cursor.position // alignment) * alignment
    entries = {name: _locate(path, name, *info, base, alignment) for name, info in infos.items()}
    _check_places(path, entries, len(data))
    return metadata, entries


def _read_infos(cursor: _Cursor, count: int) -> Iterator[tuple[str, tuple[int, tuple[int, ...], int]]]:
    """(name, (type, shape, offset)) of each tensor."""
    names = set()
    for _ in range(count):
        name = cursor.text(_MAX_NAME)
        dimensions = cursor.number(4)
        if name in names or not 0 < dimensions <= _MAX_DIMENSIONS:
            raise ValueError(f"{name} is there twice, or has {dimensions} dimensions")
        names.add(name)
        sizes = [cursor.number(10) for _ in range(dimensions)]
        yield name, (cursor.number(4), tuple(reversed(sizes)), cursor.number(10))


def _locate(
    path: Path, name: str, tensor_type: int, shape: tuple[int, ...], offset: int, base: int, alignment: int
) -> TensorEntry:
    """The entry of a tensor `offset` bytes behind `base`. Raises ModelError if it is impossible."""
    block = BLOCKS.get(tensor_type)
    if block is None:
        known = ", ".join(block.name for block in BLOCKS.values())
        raise ModelError(
            f"{path}: {shorten(name)} has the type {type_name(tensor_type)}, which is not supported; {known} "
            "are."
        )
    count = 1
    for size in shape:
        count *= size
    if not 0 < count < 2**48 or shape[-1] % block.weights or offset % alignment or offset >= 2**63:
        raise ModelError(
            f"{path} is damaged: {shorten(name)} cannot have the shape {list(shape)} in {block.name} at "
            f"{offset}."
        )
    start = base + offset
    return TensorEntry(path, tensor_type, shape, start, start + count // block.weights * block.size)


def _check_places(path: Path, entries: dict[str, TensorEntry], size: int) -> None:
    """Raises ModelError if a tensor is outside the file or overlaps another one."""
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].start):
        if entry.end > size:
            raise ModelError(
                f"{path} is damaged: {shorten(name)} lies outside the file, which may be cut short; "
                "download it again."
            )
        if entry.start < end:
            raise ModelError(f"{path} is damaged: {shorten(name)} overlaps another tensor.")
        end = entry.end
