"""Where a tensor lies in a file of weights."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Record:
    """A file inside a file of torch.save.

    Attributes:
        header: where its header begins, which says where its bytes begin; from the beginning of the file.
        size: of its bytes.
    """

    header: int
    size: int


@dataclass(frozen=True)
class TensorEntry:
    """A tensor of a file.

    Attributes:
        dtype: its type, as safetensors name it.
        start, end: bytes from the beginning of the file, or of the record.
        record: the record that it lies in, None if it lies in the file itself.
    """

    path: Path
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int
    record: Record | None = None
