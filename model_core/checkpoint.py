"""Tensors out of `.safetensors` files, one or sharded, memory-mapped and never trusted.

The format: 8 bytes with the length of a JSON header, the header (name -> dtype, shape, offsets), then
the bytes (https://github.com/huggingface/safetensors). Read here rather than through the
`safetensors` package because that copies bfloat16 out of the map under NumPy, and because a damaged
file must be named together with the tensor that is wrong.
"""

import json
import math
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from tqdm import tqdm

from .config import read_json
from .errors import ModelError

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
# U8 holds packed integers (see loader.py).
_DTYPES = {
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "BF16": BFLOAT16,
    "U8": np.dtype(np.uint8),
}
_ALIGNMENT = 64  # bytes; a cache line, at which packed matrices begin
_MAX_HEADER = 100 * 2**20  # the limit of the reference implementation


@dataclass(frozen=True)
class _Entry:
    path: Path
    dtype: str
    shape: tuple[int, ...]
    start: int  # bytes from the beginning of the file
    end: int


class Checkpoint:
    """The tensors of a model folder by name: `checkpoint["model.norm.weight"]` is an array.

    Arrays are views of the mapped file in the type they are stored in (float32, float16 or bfloat16),
    so opening costs nothing and the pages are shared between processes.
    """

    def __init__(self, folder: Path) -> None:
        """Raises ModelError where a file is missing, damaged or does not hold what the index says."""
        self._maps: dict[Path, mmap.mmap] = {}
        self._entries: dict[str, _Entry] = {}
        for path, names in _files(folder).items():
            entries = self._open(path)
            for name in names if names is not None else entries:
                if name not in entries:
                    raise ModelError(f"{path} is damaged: the index says that it holds {name}, it does not.")
                self._entries[name] = entries[name]

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> np.ndarray:
        """The tensor called `name`. Raises ModelError if there is none or its type is unknown."""
        entry = self._entries.get(name)
        if entry is None:
            raise ModelError(f"The checkpoint has no tensor {name}.")
        if entry.dtype not in _DTYPES:
            raise ModelError(
                f"{entry.path}: {name} is {entry.dtype}, but only float32, float16 and bfloat16 are known."
            )
        dtype = _DTYPES[entry.dtype]
        if math.prod(entry.shape) * dtype.itemsize != entry.end - entry.start:
            raise ModelError(f"{entry.path} is damaged: the size of {name} does not match its shape.")
        count = math.prod(entry.shape)
        array = np.frombuffer(self._maps[entry.path], dtype, count, entry.start).reshape(entry.shape)
        # An odd header length leaves tensors unaligned, and BLAS would copy them at every call.
        return array if array.flags.aligned else array.copy()

    def forget(self) -> None:
        """Give back the memory of what has been read; it is read again from the file where it is needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in self._maps.values():
                mapped.madvise(mmap.MADV_DONTNEED)

    def _open(self, path: Path) -> dict[str, _Entry]:
        try:
            with path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read: {error}.") from error
        length = int.from_bytes(mapped[:8], "little")
        if len(mapped) < 8 or length > min(_MAX_HEADER, len(mapped) - 8):
            raise ModelError(f"{path} is damaged: it is cut short, or is not a safetensors file.")
        try:
            header = json.loads(mapped[8 : 8 + length])
            entries = _entries(path, header, 8 + length)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ModelError(f"{path} is damaged: its header cannot be understood.") from error
        for name, entry in entries.items():
            if not 8 + length <= entry.start <= entry.end <= len(mapped):
                raise ModelError(f"{path} is damaged: {name} lies outside the file; it may be cut short.")
        self._maps[path] = mapped
        return entries


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """Write tensors to a file. Raises OSError; then there is no file.

    Those of a multiple of 64 bytes come first and so begin at one; the format has no room for gaps.
    """
    tensors = dict(sorted(tensors.items(), key=lambda item: item[1].nbytes % _ALIGNMENT > 0))
    header: dict[str, Any] = {}
    end = 0
    for name, array in tensors.items():
        dtype = next(key for key, value in _DTYPES.items() if value == array.dtype)
        start, end = end, end + array.nbytes
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for array in tqdm(tensors.values(), f"Writing {path.name}", delay=2):
                file.write(memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _entries(path: Path, header: Mapping, base: int) -> dict[str, _Entry]:
    entries = {}
    for name, value in header.items():
        if name == "__metadata__":
            continue
        shape, (start, end) = tuple(value["shape"]), value["data_offsets"]
        if not all(isinstance(n, int) and n >= 0 for n in (*shape, start, end)):
            raise ValueError(name)
        entries[name] = _Entry(path, str(value["dtype"]), shape, base + start, base + end)
    return entries


def _files(folder: Path) -> dict[Path, list[str] | None]:
    """The files of a checkpoint, each with the names it should hold (None: whatever it holds)."""
    single, index_path = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return {single: None}
    if index_path.is_file():
        index = read_json(index_path).get("weight_map")
        if not isinstance(index, dict) or not all(isinstance(file, str) for file in index.values()):
            raise ModelError(f"{index_path} is damaged: it has no weight_map from names to files.")
        files: dict[Path, list[str] | None] = {}
        for name, file in index.items():
            if Path(file).name != file:
                raise ModelError(f"{index_path} names a file outside the model folder: {file}.")
            files.setdefault(folder / file, []).append(name)
        missing = sorted(path.name for path in files if not path.is_file())
        if missing:
            raise ModelError(f"{folder} is incomplete: {', '.join(missing)} is missing.")
        return files
    if any(folder.glob("*.bin")) or any(folder.glob("*.bin.index.json")):
        raise ModelError(
            f"{folder} has only pickled weights (.bin), which can run code when loaded; "
            "convert them to safetensors first."
        )
    raise ModelError(f"{folder} has no weights: neither model.safetensors nor model.safetensors.index.json.")
