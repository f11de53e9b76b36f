"""Writes GGUF files, from the definition of the format."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

ALIGNMENT = 32
Tensors = dict[str, tuple[int, tuple[int, ...], bytes]]  # name -> (type, shape, bytes)


def write_gguf(path: Path, metadata: Mapping[str, Any], tensors: Tensors) -> None:
    """Write a file. Values of metadata: bool, int, float, str, lists of texts, NumPy arrays."""
    header = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    for name, value in metadata.items():
        header += _text(name) + _typed(value)
    offset, data = 0, []
    for name, (kind, shape, content) in tensors.items():
        header += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        header += struct.pack("<IQ", kind, offset)
        content += bytes(-len(content) % ALIGNMENT)
        data.append(content)
        offset += len(content)
    path.write_bytes(b"".join([header, bytes(-len(header) % ALIGNMENT), *data]))


def pack_q8_0(weights: np.ndarray) -> bytes:
    """float [..., n * 32] -> blocks of Q8_0."""
    blocks = weights.astype(np.float32).reshape(-1, 32)
    scales = np.abs(blocks).max(axis=1, keepdims=True) / 127
    codes = np.round(blocks / np.where(scales, scales, 1)).astype(np.int8)
    return np.concatenate([scales.astype("<f2").view(np.uint8), codes.view(np.uint8)], axis=1).tobytes()


def _text(text: str | bytes) -> bytes:
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def _typed(value: Any) -> bytes:
    """The type of a value, and the value."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        kind, code = (4, "I") if 0 <= value < 2**32 else (11, "q") if value < 2**63 else (10, "Q")
        return struct.pack(f"<I{code}", kind, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str | bytes):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list) and isinstance(value[0], str | bytes):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    array = np.asarray(value)
    kind, dtype = {"b": (7, "?"), "i": (5, "<i4"), "u": (0, "<u1"), "f": (6, "<f4")}[array.dtype.kind]
    return struct.pack("<IIQ", 9, kind, len(array)) + array.astype(dtype).tobytes()
