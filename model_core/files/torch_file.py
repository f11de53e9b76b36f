"""Finds the tensors in a file of torch.save (`pytorch_model.bin`), without torch and without running code.

Since torch 1.6 such a file is a ZIP archive without compression: `NAME/data.pkl` is a pickle that describes
the tensors (see state_dict.py), and `NAME/data/KEY` has the bytes of a storage, so that it can be mapped.
Sources: caffe2/serialize/inline_container.cc of PyTorch, and PKWARE's APPNOTE.TXT for ZIP.
"""

import math
import mmap
import struct
from pathlib import Path
from typing import Any

from ..checks.file_values import shorten
from ..errors import ModelError
from .entry import Record, TensorEntry
from .state_dict import read_state_dict

_PICKLE, _BYTE_ORDER = "data.pkl", "byteorder"
# Parts of a ZIP archive: how each begins, and its numbers.
_END, _END_FORMAT = b"PK\5\6", struct.Struct("<4s4H2IH")
_LOCATOR, _LOCATOR_FORMAT = b"PK\6\7", struct.Struct("<4sIQI")
_LARGE_END, _LARGE_END_FORMAT = b"PK\6\6", struct.Struct("<4sQ2H2I4Q")
_LISTED, _LISTED_FORMAT = b"PK\1\2", struct.Struct("<4s6H3I5H2I")
_HEADER, _HEADER_FORMAT = b"PK\3\4", struct.Struct("<4s5H3I2H")
_UNSAID = 2**32 - 1  # a number that an extra field has instead, with 8 bytes
_LARGE_NUMBERS = 1  # the kind of this field
# Bytes behind the list of records, at most: a comment of 64 KiB, and the three parts that end an archive.
END_SIZE = 2**16 + _END_FORMAT.size + _LOCATOR_FORMAT.size + _LARGE_END_FORMAT.size
_MAX_HEADER = 2**17 + _HEADER_FORMAT.size  # of a record: its name and extra fields take up to 64 KiB each
_MAX_BYTES = 16 * 2**20  # of the list of records, and of the pickle
# Before torch 1.6: a pickle of a long number, or before 0.1.10 a tar archive.
_OLD_BEGINNING, _OLD_ARCHIVE = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e"), b"ustar"


def read_entries(path: Path, file_map: mmap.mmap) -> dict[str, TensorEntry]:
    """The tensors of a file by name. Only the list of records and the pickle are read.

    Raises ModelError if the file is damaged, or has more than tensors.
    """
    records = _read_list(path, file_map)
    folder = _find_folder(path, records)
    order = records.get(f"{folder}/{_BYTE_ORDER}")
    if order is not None and _read(path, file_map, order) != b"little":
        raise ModelError(f"{path} has its numbers in another byte order than little endian.")
    try:
        tensors = read_state_dict(_read(path, file_map, records[f"{folder}/{_PICKLE}"]))
    except ModelError as error:
        raise ModelError(f"{path} {error}") from error
    entries = {}
    for name, tensor in tensors.items():
        storage = tensor.storage
        record = records.get(f"{folder}/data/{storage.key}")
        if record is None:
            raise ModelError(f"{path} is damaged: it has no numbers of {shorten(name)}; download it again.")
        if record.size != storage.count * storage.item_size:
            raise ModelError(f"{path} is damaged: the numbers of {shorten(name)} have another size.")
        start = tensor.offset * storage.item_size
        end = start + math.prod(tensor.shape) * storage.item_size
        entries[name] = TensorEntry(path, storage.dtype, tensor.shape, start, end, record)
    return entries


def data_start(path: Path, file_map: mmap.mmap, record: Record) -> int:
    """Where the bytes of a record begin. Raises ModelError if they are not inside the file."""
    head = _unpack(path, file_map, _HEADER, _HEADER_FORMAT, record.header)
    start = record.header + _HEADER_FORMAT.size + head[9] + head[10]
    if start + record.size > len(file_map):
        raise ModelError(f"{path} is damaged: it is cut short; download it again.")
    return start


def list_range(path: Path, file_map: mmap.mmap) -> tuple[int, int]:
    """Where the list of records begins and ends. Only the beginning and the last END_SIZE bytes are read.

    Raises ModelError if there is no list.
    """
    if file_map[: len(_OLD_BEGINNING)] == _OLD_BEGINNING or file_map[257:262] == _OLD_ARCHIVE:
        raise ModelError(
            f"{path} was written by torch before 1.6, in a layout that is not read; save it again with a "
            "newer torch, best as safetensors, or take another copy of the model."
        )
    end = file_map.rfind(_END, max(0, len(file_map) - END_SIZE))
    if end < 0:
        raise ModelError(f"{path} is damaged: it is cut short, or not written by torch; download it again.")
    *_, size, start, _ = _unpack(path, file_map, _END, _END_FORMAT, end)
    locator = end - _LOCATOR_FORMAT.size
    if locator >= 0 and file_map[locator : locator + 4] == _LOCATOR:
        end = _unpack(path, file_map, _LOCATOR, _LOCATOR_FORMAT, locator)[2]
        *_, size, start = _unpack(path, file_map, _LARGE_END, _LARGE_END_FORMAT, end)
    if start + size > end or size > _MAX_BYTES:
        raise ModelError(f"{path} is damaged: its list of records is not inside it; download it again.")
    return start, start + size


def head_size(path: Path, file_map: mmap.mmap) -> int:
    """Bytes from the beginning of the file that have all that `read_entries` reads, but for the list."""
    records = _read_list(path, file_map)
    folder = _find_folder(path, records)
    names = (f"{folder}/{_PICKLE}", f"{folder}/{_BYTE_ORDER}")
    heads = [records[name] for name in names if name in records]
    return max(record.header + record.size for record in heads) + _MAX_HEADER


def _read_list(path: Path, file_map: mmap.mmap) -> dict[str, Record]:
    """The records of the archive, by name."""
    place, end = list_range(path, file_map)
    records: dict[str, Record] = {}
    while place < end:
        listed = _unpack(path, file_map, _LISTED, _LISTED_FORMAT, place)
        flags, method, packed, size, header = listed[3], listed[4], listed[8], listed[9], listed[16]
        lengths = listed[10:13]  # of the name, of extra fields, of a comment
        name_start = place + _LISTED_FORMAT.size
        extra_start = name_start + lengths[0]
        place = name_start + sum(lengths)
        if place > end:
            raise ModelError(f"{path} is damaged: its list of records is cut short; download it again.")
        name = file_map[name_start:extra_start].decode("utf-8", "surrogateescape")
        extra = file_map[extra_start : extra_start + lengths[1]]
        size, packed, header = _read_large(path, extra, [size, packed, header])
        if name in records:
            raise ModelError(f"{path} is damaged: it has two records called {shorten(name)}.")
        if method or flags & 1 or packed != size:
            raise ModelError(f"{path} has compressed or encrypted records, which torch does not write.")
        if header + size > len(file_map):
            raise ModelError(f"{path} is damaged: {shorten(name)} lies outside it; download it again.")
        records[name] = Record(header, size)
    return records


def _read_large(path: Path, extra: bytes, numbers: list[int]) -> list[int]:
    """The numbers of a listed record; those that are not said in 4 bytes are in an extra field."""
    if _UNSAID not in numbers:
        return numbers
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        field = extra[place + 4 : place + 4 + length]
        place += 4 + length
        if kind != _LARGE_NUMBERS:
            continue
        large = iter(struct.unpack_from(f"<{len(field) // 8}Q", field))
        try:
            return [next(large) if number == _UNSAID else number for number in numbers]
        except StopIteration:
            break
    raise ModelError(f"{path} is damaged: its list of records has no size of one; download it again.")


def _find_folder(path: Path, records: dict[str, Record]) -> str:
    """The folder inside the archive that has everything."""
    pickles = [name for name in records if name.endswith(f"/{_PICKLE}") and name.count("/") == 1]
    if len(pickles) != 1:
        raise ModelError(f"{path} has no {_PICKLE}, or several, and so was not written by torch.save.")
    return pickles[0].removesuffix(f"/{_PICKLE}")


def _read(path: Path, file_map: mmap.mmap, record: Record) -> bytes:
    if record.size > _MAX_BYTES:
        raise ModelError(f"{path} is damaged: the description of its tensors is too long.")
    start = data_start(path, file_map, record)
    return file_map[start : start + record.size]


def _unpack(path: Path, file_map: mmap.mmap, mark: bytes, form: struct.Struct, place: int) -> tuple[Any, ...]:
    """The numbers of a part of the archive. Raises ModelError if it is not there."""
    if place + form.size <= len(file_map):
        values = form.unpack_from(file_map, place)
        if values[0] == mark:
            return values
    raise ModelError(f"{path} is damaged: it is cut short, or not written by torch; download it again.")
