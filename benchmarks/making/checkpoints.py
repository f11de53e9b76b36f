"""Read and write checkpoints in Hugging Face layout, with NumPy alone."""

import json
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

STORED_TYPES = {"bfloat16": ("BF16", np.dtype("<u2")), "float32": ("F32", np.dtype("<f4"))}


def build_folder(folder: Path, build: Callable[[Path], None]) -> Path:
    """Return `folder`. If it does not exist, `build` fills a temporary one, which is renamed at the end."""
    if not folder.is_dir():
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        build(partial)
        partial.rename(folder)
    return folder


def write_checkpoint(
    folder: Path,
    config: dict[str, Any],
    shapes: dict[str, tuple[int, ...]],
    values_of: Callable[[tuple[int, ...]], np.ndarray],
) -> None:
    """Write config.json, and model.safetensors in its type. values_of: float32 values for a shape."""
    tag, dtype = STORED_TYPES[config["torch_dtype"]]
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + math.prod(shape) * dtype.itemsize
        header[name] = {"dtype": tag, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for shape in shapes.values():
            values = values_of(shape)
            file.write((to_bfloat16(values) if tag == "BF16" else values).tobytes())
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """Read the config.json that `write_checkpoint` wrote."""
    return json.loads((folder / "config.json").read_text())


def read_tensors(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and values in the order of the file; bfloat16 values as uint16 with their bits."""
    path = folder / "model.safetensors"
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    dtypes = dict(STORED_TYPES.values())
    for name, entry in header.items():
        if name != "__metadata__":
            offset = 8 + size + entry["data_offsets"][0]
            yield name, np.memmap(path, dtypes[entry["dtype"]], "r", offset, tuple(entry["shape"]))


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Round float32 values to bfloat16; return their bits as uint16. Values must not be NaN."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_float32(values: np.ndarray) -> np.ndarray:
    """Convert values of `read_tensors` to float32."""
    return (values.astype(np.uint32) << 16).view(np.float32) if values.dtype == np.uint16 else values
