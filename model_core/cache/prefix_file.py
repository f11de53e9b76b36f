"""Files of saved prompts: the keys and values of a prompt's pages, and the states after them.

A file is in the safetensors format (safetensors.py), so it is data. Its tensors are:

    tokens   int32 [tokens] of the whole prompt
    pages.N  uint8 [pages, bytes of a page], for each group of KV layers those that the next token reads
    state    float32 [numbers], if the model has recurrent states
    crc32    int64 [1], of all bytes of the file before it

The pages and the state are those of the prompt's whole pages (`saved_length`). The metadata name the model
that has computed them. A file appears at its path only when it is complete, and only its owner may read it.
"""

import fcntl
import json
import os
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import PromptFileError, PromptReplaced, StorageError
from ..kernels.layout import PAGE

SUFFIX = ".safetensors"
_PART = ".part"  # of a file that is being written
_FORMAT_NAME = "tritonchat prompt"
_FORMAT = f"{_FORMAT_NAME} 1"
_MAX_HEADER_BYTES = 2**24  # it has the text of the prompt
_DTYPES = {"tokens": "I32", "pages": "U8", "state": "F32", "crc32": "I64"}
_SIZES = {"I32": 4, "U8": 1, "F32": 4, "I64": 8}


def saved_length(tokens: int) -> int:
    """How many first tokens of a prompt are saved: those of whole pages, but never the last token.

    The next request computes at least one token, because the prefix cache has no logits.
    """
    return max(0, (tokens - 1) // PAGE * PAGE)


@dataclass(frozen=True)
class Layout:
    """What a file has of a prompt.

    Attributes:
        page_bytes: of a page. windows: by group, the pages before a page that its queries read; None: all.
        state_size: floats of the states, 0 for none.
    """

    page_bytes: int
    windows: tuple[int | None, ...]
    state_size: int

    @property
    def is_divisible(self) -> bool:
        """Whether a file is of use for a prompt that has only a part of its tokens.

        Windowed groups have only the pages before the end, and states belong to the end.
        """
        return not self.state_size and all(window is None for window in self.windows)

    def first_pages(self, tokens: int) -> list[int]:
        """By group, the first page in the file of a prompt."""
        count = saved_length(tokens) // PAGE
        return [0 if window is None else max(0, count - window) for window in self.windows]

    def shapes(self, tokens: int) -> dict[str, list[int]]:
        """The shapes of all tensors, in the order of the file."""
        count = saved_length(tokens) // PAGE
        pages = {
            f"pages.{group}": [count - first, self.page_bytes]
            for group, first in enumerate(self.first_pages(tokens))
        }
        state = {"state": [self.state_size]} if self.state_size else {}
        return {"tokens": [tokens], **pages, **state, "crc32": [1]}


@dataclass(frozen=True)
class PromptFile:
    """A file of a saved prompt, as its header says.

    Attributes:
        fingerprint: of the model (fingerprint.py).
        owner: the cache salt of those who may use it; None: everybody.
        source: what the prompt was made from, as JSON.
        created: seconds since 1970.
        tokens: of the whole prompt, int32.
        shapes: of the tensors, in the order of the file.
        size: bytes of the file. start: the byte at which the tensors begin.
    """

    path: Path
    fingerprint: str
    owner: str | None
    source: str
    created: float
    tokens: np.ndarray
    shapes: dict[str, list[int]]
    size: int
    start: int

    @property
    def beginning(self) -> np.ndarray:
        """The tokens whose pages are in the file."""
        return self.tokens[: saved_length(len(self.tokens))]

    def begins(self, tokens: Sequence[int]) -> bool:
        """Whether a prompt begins with the tokens whose pages are in the file."""
        beginning = self.beginning
        return len(tokens) > len(beginning) and np.array_equal(tokens[: len(beginning)], beginning)

    def check(self, fingerprint: str, layout: Layout) -> None:
        """Raises PromptFileError if another model has computed it, or if its tensors are not those of one."""
        if self.fingerprint != fingerprint:
            raise PromptFileError(
                f"{self.path} was computed by another model, or with other weights, types or adapters; save "
                "the prompt again."
            )
        if [*self.shapes.items()] != [*layout.shapes(len(self.tokens)).items()]:
            raise damaged(self.path, "its tensors do not have the shapes of this model")

    def read(self, targets: Iterable[np.ndarray]) -> None:
        """Read pages and state, in the order of the file, into arrays of their sizes.

        Raises PromptFileError if the file is damaged, or PromptReplaced; then the arrays have any contents.
        """
        with _opened(self.path) as file:
            now = _read_header(self.path, file)
            if (now.fingerprint, now.shapes) != (self.fingerprint, self.shapes) or not np.array_equal(
                now.tokens, self.tokens
            ):
                raise PromptReplaced(f"{self.path} is that of another prompt now.")
            file.seek(0)
            crc = zlib.crc32(file.read(now.start + now.tokens.nbytes))
            for target in targets:
                view = target.data.cast("B")
                if file.readinto(view) != len(view):
                    raise damaged(self.path, "it is cut short")
                crc = zlib.crc32(view, crc)
            if file.read() != np.int64(crc).tobytes():
                raise damaged(self.path, "its checksum is wrong")


def damaged(path: Path, reason: str) -> PromptFileError:
    """The error for a damaged file."""
    return PromptFileError(f"{path} is damaged: {reason}; save the prompt again.")


def open_prompt_file(path: Path) -> PromptFile:
    """Read the header and the tokens of a file.

    Raises PromptFileError if it cannot be read, is damaged, or is no file of a prompt.
    """
    with _opened(path) as file:
        return _read_header(path, file)


@contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    """A file to read. Raises PromptFileError if it cannot be read, or what is read cannot be parsed."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise PromptFileError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PromptFileError(f"{path} is damaged, or is no file of a saved prompt.") from error


def _read_header(path: Path, file: BinaryIO) -> PromptFile:
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if length > min(_MAX_HEADER_BYTES, size - 8):
        raise damaged(path, "it is cut short, or is no file of a saved prompt")
    header = json.loads(file.read(length))
    metadata = header.pop("__metadata__")
    if not metadata["format"].startswith(_FORMAT_NAME):
        raise ValueError("format")
    if metadata["format"] != _FORMAT:
        raise PromptFileError(f"{path} is of another version of tritonchat; save the prompt again.")
    shapes = {str(name): entry["shape"] for name, entry in header.items()}
    if header != _entries(shapes) or next(iter(shapes)) != "tokens":
        raise damaged(path, "its header contradicts itself")
    if size != 8 + length + max(entry["data_offsets"][1] for entry in header.values()):
        raise damaged(path, "it has not the size that its header says")
    return PromptFile(
        path=path,
        fingerprint=metadata["fingerprint"],
        owner=metadata.get("owner"),
        source=metadata["source"],
        created=float(metadata["created"]),
        tokens=np.frombuffer(file.read(4 * shapes["tokens"][0]), np.int32),
        shapes=shapes,
        size=size,
        start=8 + length,
    )


def _entries(shapes: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """The tensors of a header. Raises ValueError, TypeError or KeyError for shapes that cannot be."""
    entries, end = {}, 0
    for name, shape in shapes.items():
        if not all(type(n) is int and 0 <= n < 2**40 for n in shape) or not 1 <= len(shape) <= 2:
            raise ValueError(name)
        dtype = _DTYPES[name.partition(".")[0]]
        start, end = end, end + int(np.prod(shape, dtype=object)) * _SIZES[dtype]
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    return entries


def file_size(tokens: int, layout: Layout, source: str) -> int:
    """About how many bytes a file will have: all but a few hundred of its header."""
    entries = _entries(layout.shapes(tokens))
    return entries["crc32"]["data_offsets"][1] + len(source)


def write_prompt_file(
    path: Path,
    tokens: Sequence[int],
    arrays: Iterable[np.ndarray],
    layout: Layout,
    fingerprint: str,
    owner: str | None = None,
    source: str = "",
) -> PromptFile:
    """Write a file. `arrays`: its pages, group by group, and the state.

    Raises StorageError if it cannot be written; then a file that was there before is as it was.
    """
    metadata = {"format": _FORMAT, "fingerprint": fingerprint, "created": repr(time.time()), "source": source}
    if owner is not None:
        metadata["owner"] = owner
    shapes, ids = layout.shapes(len(tokens)), np.array(tokens, np.int32)
    text = json.dumps({"__metadata__": metadata, **_entries(shapes)}, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    if len(text) > _MAX_HEADER_BYTES:
        raise StorageError(f"the text of the prompt has more than {_MAX_HEADER_BYTES // 2**20} MiB.")
    replace_file(path, _with_checksum([len(text).to_bytes(8, "little") + text, ids, *arrays]))
    size = 8 + len(text) + _entries(shapes)["crc32"]["data_offsets"][1]
    return PromptFile(
        path, fingerprint, owner, source, float(metadata["created"]), ids, shapes, size, 8 + len(text)
    )


def _with_checksum(parts: Iterable[Any]) -> Iterator[memoryview | bytes]:
    crc = 0
    for part in parts:
        view = memoryview(part).cast("B")
        crc = zlib.crc32(view, crc)
        yield view
    yield np.int64(crc).tobytes()


def replace_file(path: Path, parts: Iterable[memoryview | bytes]) -> None:
    """Write a file that only its owner may read. It appears, or replaces another one, when it is complete.

    Raises StorageError; then nothing of it remains.
    """
    part = path.with_name(f".{uuid.uuid4().hex}{_PART}")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed, remove_parts leaves it alone
                for view in parts:
                    _write_all(file, view)
                os.fsync(file.fileno())
                part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}; make room there, or choose another place."
        ) from error


def _write_all(file: Any, view: memoryview | bytes) -> None:
    view = memoryview(view)
    while view:
        view = view[file.write(view) :]


def _sync_folder(folder: Path) -> None:
    """Make the names of files in a folder last, also if the machine fails."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_parts(folder: Path) -> None:
    """Remove what processes that were killed have left half-written in a folder."""
    for part in folder.glob(f".*{_PART}"):
        with suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held by whoever still writes it
            part.unlink()
