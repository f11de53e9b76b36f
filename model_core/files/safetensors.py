"""Reads and writes `.safetensors` files, one or several. Files are memory-mapped, and checked.

Where a folder has none, files of torch.save are read in their place (torch_file.py).

The format: 8 bytes with the length of a JSON header, the header (name -> dtype, shape, offsets), then
the bytes (https://github.com/huggingface/safetensors). The `safetensors` package is not used, because it
copies bfloat16 from the map to NumPy, and because errors must name the file and the tensor that is wrong.
"""

import json
import math
import mmap
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from tqdm import tqdm

from ..checks.file_values import read_json, shorten
from ..errors import ModelError
from ..machine.memory import check_memory_refusal
from .entry import TensorEntry
from .torch_file import data_start, read_entries

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
# name in the header -> type
DTYPES: dict[str, np.dtype] = {
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "BF16": BFLOAT16,
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E8M0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "U8": np.dtype(np.uint8),
    "I8": np.dtype(np.int8),
    "I32": np.dtype(np.int32),
    "U32": np.dtype(np.uint32),
    "I64": np.dtype(np.int64),
}
# BERT's first files name the parts of norms by other letters.
_OLD_NORM = re.compile(r"\bLayerNorm\.(gamma|beta)$")
_NORM_NAMES = {"gamma": "weight", "beta": "bias"}
# Names of Hy4's first files -> those that Transformers has for them.
_HYPER = re.compile(r"\.hc_(attn|mlp)_layer\.(?:hc_pre\.)?hc_(?=\w+$)")
_HYPER_HEAD = re.compile(r"\.(?:hc_pre\.)?hc_head_(?=\w+$)")
# Of the decoder of OPT, whose files were published without the prefix of the model.
_OPT_PARTS = ("layers.", "embed_", "final_layer_norm.", "project_")
_ATTENTION_PARTS = {"self_attn.linear_gate.weight": "self_attn.gate_proj.weight"} | {
    "self_attn.learnable_sink_param": "self_attn.sinks"
}
# Names of files of torch.save, which are read where the others are not there.
_PICKLED = {
    "model.safetensors": "pytorch_model.bin",
    "adapter_model.safetensors": "adapter_model.bin",
}
_PICKLED_SUFFIX = ".bin"
_ALIGNMENT = 64  # bytes of a cache line
_MAX_HEADER_BYTES = 100 * 2**20  # the limit of the reference implementation


def text_model_name(name: str) -> str:
    """The name of a tensor as the text model alone has it. Models that see or hear add a prefix."""
    for prefix, plain in (
        ("model.language_model.", "model."),
        ("model.text_model.", "model."),  # Idefics3, SmolVLM
        ("language_model.model.", "model."),
        ("language_model.lm_head.", "lm_head."),
        *((f"decoder.{part}", f"model.decoder.{part}") for part in _OPT_PARTS),
        ("transformer.", ""),  # GPT-2, in newer files
        ("bert.", ""),  # in files for other tasks than embeddings
        ("roberta.", ""),
        ("deberta.", ""),
        ("mpnet.", ""),
        ("new.", ""),
        ("distilbert.transformer.", ""),
        ("distilbert.", ""),
    ):
        if name.startswith(prefix):
            name = plain + name.removeprefix(prefix)
            break
    for old, new in _ATTENTION_PARTS.items():
        name = name.removesuffix(old) + new if name.endswith(old) else name
    name = _HYPER.sub(lambda match: f".{'attn' if match[1] == 'attn' else 'ffn'}_hc.", name)
    name = _HYPER_HEAD.sub(".hc_", name)
    return _OLD_NORM.sub(lambda match: f"LayerNorm.{_NORM_NAMES[match[1]]}", name)


class SafetensorsFolder:
    """The tensors in the safetensors files of a folder, by name, as they are stored; or in pytorch_model.bin.

    For multimodal models, tensors of the text model are listed without the multimodal prefix.

    Arrays are views of the mapped files. So opening a folder reads only headers, and processes share memory.
    """

    def __init__(
        self,
        folder: Path,
        file_name: str = "model.safetensors",
        rename: Callable[[str], str] = text_model_name,
    ) -> None:
        """`file_name`: of the only file; the index of several has it before ".index.json". rename: name in
        the files -> name in the family.

        Raises ModelError if a file is missing or damaged, or lacks a tensor that the index names.
        """
        self._folder = folder
        self._maps: dict[Path, mmap.mmap] = {}
        self._entries: dict[str, TensorEntry] = {}
        self._read: set[str] = set()
        for path, names in _find_files(folder, file_name).items():
            entries = self._open(path)
            for name in names if names is not None else entries:
                if name not in entries:
                    raise ModelError(
                        f"{path} is damaged: the index says that it holds {shorten(name)}, it does not."
                    )
                self._entries[rename(name)] = entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __getitem__(self, name: str) -> np.ndarray:
        """The tensor `name`. Raises ModelError if there is none, or its type or size is wrong."""
        self._read.add(name)
        entry = self._find(name)
        if entry.dtype not in DTYPES:
            raise ModelError(
                f"{entry.path}: {name} is {shorten(entry.dtype)}, but only {', '.join(DTYPES)} are known."
            )
        dtype = DTYPES[entry.dtype]
        count = math.prod(entry.shape)
        # NumPy counts the bytes of an empty array without its sizes that are 0.
        largest = math.prod(size for size in entry.shape if size) * dtype.itemsize
        if count * dtype.itemsize != entry.end - entry.start or largest >= 2**63:
            raise ModelError(f"{entry.path} is damaged: the size of {name} does not match its shape.")
        if not count:
            return np.empty(entry.shape, dtype)
        file_map, start = self._maps[entry.path], entry.start
        if entry.record is not None:
            start += data_start(entry.path, file_map, entry.record)
        array = np.frombuffer(file_map, dtype, count, start).reshape(entry.shape)
        # With an odd header length tensors are unaligned, and BLAS would copy them at every call.
        return array if array.flags.aligned else array.copy()

    def shape(self, name: str) -> tuple[int, ...]:
        """The stored shape of a tensor. Raises ModelError if there is none."""
        return self._find(name).shape

    def dtype(self, name: str) -> str:
        """The type of a tensor, as the file names it. Raises ModelError if there is none."""
        return self._find(name).dtype

    def size(self, name: str) -> int:
        """Bytes of a tensor. Raises ModelError if there is none."""
        entry = self._find(name)
        return entry.end - entry.start

    def path_of(self, name: str) -> Path:
        """The file of a tensor. Raises ModelError if there is none."""
        return self._find(name).path

    def place(self, name: str) -> str:
        """The file of a tensor and its name, for errors. Raises ModelError if there is none."""
        return f"{self.path_of(name)}: {name}"

    def unread(self) -> list[str]:
        """The names of tensors that nobody has read, in order."""
        return sorted(self._entries.keys() - self._read)

    def files(self) -> list[Path]:
        """The files, which are all mapped."""
        return list(self._maps)

    def places(self) -> dict[str, Path]:
        """See TensorSource. An index may choose between files, and leave tensors out."""
        return {name: entry.path for name, entry in self._entries.items()}

    def drop_file_pages(self) -> None:
        """Free the memory of what was read from the files. It is read again when it is needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for file_map in self._maps.values():
                file_map.madvise(mmap.MADV_DONTNEED)

    def _find(self, name: str) -> TensorEntry:
        entry = self._entries.get(name)
        if entry is None:
            raise ModelError(f"{self._folder} has no tensor {name}.")
        return entry

    def _open(self, path: Path) -> dict[str, TensorEntry]:
        """Map a file, and list its tensors."""
        try:
            with path.open("rb") as file:
                file_map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            check_memory_refusal(error, path)
            raise ModelError(f"{path} cannot be read: {error}.") from error
        read = read_entries if path.suffix == _PICKLED_SUFFIX else _read_header
        entries = read(path, file_map)
        self._maps[path] = file_map
        return entries


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """Write tensors to a file. Raises OSError; then there is no file.

    Tensors whose size is a multiple of 64 bytes come first, so that they begin at such multiples. The format
    allows no gaps.
    """
    tensors = dict(sorted(tensors.items(), key=lambda item: item[1].nbytes % _ALIGNMENT > 0))
    header: dict[str, Any] = {}
    end = 0
    for name, array in tensors.items():
        dtype = next(key for key, value in DTYPES.items() if value == array.dtype)
        start, end = end, end + array.nbytes
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for array in tqdm(tensors.values(), f"Writing {path.name}", delay=2):
                file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _read_header(path: Path, file_map: mmap.mmap) -> dict[str, TensorEntry]:
    length = int.from_bytes(file_map[:8], "little")
    if len(file_map) < 8 or length > min(_MAX_HEADER_BYTES, len(file_map) - 8):
        raise ModelError(
            f"{path} is damaged: it is cut short, or is not a safetensors file; download it again."
        )
    try:
        header = json.loads(file_map[8 : 8 + length])
        entries = _parse_entries(path, header, 8 + length)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: its header cannot be understood.") from error
    for name, entry in entries.items():
        if not 8 + length <= entry.start <= entry.end <= len(file_map):
            raise ModelError(
                f"{path} is damaged: {shorten(name)} lies outside the file, which may be cut short; "
                "download it again."
            )
    # The format has no gaps, so the last tensor ends with the file unless the header is damaged.
    if max((entry.end for entry in entries.values()), default=8 + length) != len(file_map):
        raise ModelError(f"{path} is damaged: it has more bytes than its header says.")
    return entries


def _parse_entries(path: Path, header: Mapping, base: int) -> dict[str, TensorEntry]:
    entries = {}
    for name, value in header.items():
        if name == "__metadata__":
            continue
        shape, (start, end) = tuple(value["shape"]), value["data_offsets"]
        if not all(type(n) is int and 0 <= n < 2**63 for n in (*shape, start, end)):
            raise ValueError(name)
        entries[name] = TensorEntry(path, str(value["dtype"]), shape, base + start, base + end)
    return entries


def _find_files(folder: Path, file_name: str) -> Mapping[Path, list[str] | None]:
    """The files of a checkpoint -> the names of tensors to read from them; None: all."""
    for name in (file_name, _PICKLED.get(file_name)):
        if name is not None and os.path.isfile(folder / name):
            return {folder / name: None}
        if name is not None and os.path.isfile(folder / f"{name}.index.json"):
            return _read_index(folder, folder / f"{name}.index.json")
    raise ModelError(
        f"{folder} has no weights: neither {file_name} nor {file_name}.index.json; download the folder whole."
    )


def _read_index(folder: Path, path: Path) -> dict[Path, list[str] | None]:
    """The files that an index names -> the names of tensors to read from them."""
    index = read_json(path).get("weight_map")
    if not isinstance(index, dict) or not all(isinstance(file, str) for file in index.values()):
        raise ModelError(f"{path} is damaged: it has no weight_map from names to files.")
    files: dict[Path, list[str]] = {}
    for name, file in index.items():
        if Path(file).name != file:
            raise ModelError(f"{path} names a file outside the model folder: {shorten(file)}.")
        files.setdefault(folder / file, []).append(name)
    missing = sorted(path.name for path in files if not os.path.isfile(path))
    if missing:
        raise ModelError(f"{folder} is incomplete: {', '.join(map(shorten, missing[:5]))} is missing.")
    return dict(files)
