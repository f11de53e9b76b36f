"""Writes files as torch.save does, and what only an attacker writes. PyTorch is not needed.

The functions with short names make pieces of a pickle; `archive` puts a pickle and storages into a file.
Files that torch itself has written are in tests/data/torch (make_torch.py).
"""

import io
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import ml_dtypes
import numpy as np

from model_core.files.safetensors import SafetensorsFolder

STORAGES = {
    np.dtype(np.float32): "FloatStorage",
    np.dtype(np.float16): "HalfStorage",
    np.dtype(ml_dtypes.bfloat16): "BFloat16Storage",
    np.dtype(np.int64): "LongStorage",
    np.dtype(np.int32): "IntStorage",
    np.dtype(np.int8): "CharStorage",
    np.dtype(np.uint8): "ByteStorage",
    np.dtype(bool): "BoolStorage",
}


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def row(*values: bytes) -> bytes:
    """A tuple."""
    return b"(" + b"".join(values) + b"t"


def name(module: str, attribute: str) -> bytes:
    """A class or a function."""
    return f"c{module}\n{attribute}\n".encode()


def call(function: bytes, *arguments: bytes) -> bytes:
    return function + row(*arguments) + b"R"


def ordered(values: Mapping[str, bytes] | None = None) -> bytes:
    """An OrderedDict."""
    items = b"".join(text(key) + value for key, value in (values or {}).items())
    return call(name("collections", "OrderedDict")) + b"(" + items + b"u"


def storage(key: str = "0", kind: str = "FloatStorage", count: int = 6) -> bytes:
    return row(text("storage"), name("torch", kind), text(key), text("cpu"), number(count)) + b"Q"


def tensor(
    stored: bytes | None = None,
    shape: tuple[int, ...] = (2, 3),
    strides: tuple[int, ...] = (3, 1),
    offset: int = 0,
) -> bytes:
    """A tensor, by default of 2 rows and 3 columns."""
    return call(
        name("torch._utils", "_rebuild_tensor_v2"),
        storage() if stored is None else stored,
        number(offset),
        row(*map(number, shape)),
        row(*map(number, strides)),
        b"\x89",
        ordered(),
    )


def program(body: bytes) -> bytes:
    """A whole pickle of protocol 2."""
    return b"\x80\x02" + body + b"."


def archive(pickled: bytes, storages: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file with a pickle and the bytes of storages."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as records:
        records.writestr("archive/data.pkl", pickled)
        records.writestr("archive/byteorder", b"little")
        for key, data in storages.items():
            records.writestr(f"archive/data/{key}", data)
        records.writestr("archive/version", b"3\n")
    return file.getvalue()


def write_torch(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write a dict of tensors. Arrays that are one object share a storage."""
    keys: dict[int, str] = {}
    storages, tensors = {}, {}
    for key, array in arrays.items():
        stored = keys.setdefault(id(array), str(len(keys)))
        storages[stored] = array.tobytes()
        strides = tuple(stride // array.itemsize for stride in np.ascontiguousarray(array).strides)
        # A scalar has no sizes, but ascontiguousarray makes a row of it.
        strides = strides[: array.ndim]
        tensors[key] = tensor(storage(stored, STORAGES[array.dtype], array.size), array.shape, strides)
    path.write_bytes(archive(program(ordered(tensors)), storages))


def pickle_weights(folder: Path, rename: Callable[[str], str] = str, name: str = "model.safetensors") -> None:
    """Put the weights of a folder into a file of torch.save instead, under other names."""
    stored = SafetensorsFolder(folder, name, rename)
    tensors = {key: np.array(stored[key]) for key in stored}
    (folder / name).unlink()
    pickled = {"model.safetensors": "pytorch_model.bin", "adapter_model.safetensors": "adapter_model.bin"}
    write_torch(folder / pickled[name], tensors)
