"""Reading GGUF files: metadata, places of tensors, and what is wrong with damaged files."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_writer import write_gguf

from model_core.errors import ModelError
from model_core.files.gguf.reader import GGUFFile

ONES = (0, (2, 4), np.ones(8, np.float32).tobytes())
METADATA = {
    "a": "text",
    "b": ["x", "y ä"],
    "c": np.array([1.5, 2.5], np.float32),
    "d": True,
    "e": 7,
    "f": 0.5,
    "g": np.array([1, -2], np.int32),
}


def write(path: Path, metadata: dict[str, Any] | None = None, tensors: Any = None) -> Path:
    write_gguf(path, METADATA if metadata is None else metadata, {"t": ONES} if tensors is None else tensors)
    return path


def test_metadata_and_tensors_are_read(tmp_path: Path) -> None:
    file = GGUFFile(write(tmp_path / "a.gguf"))
    assert file.metadata.keys() == METADATA.keys()
    for name, value in METADATA.items():
        assert np.array_equal(file.metadata[name], value)
    entry = file.entries["t"]
    assert entry.shape == (2, 4)
    assert (file.bytes_of(entry).view(np.float32) == 1).all()


def test_version_2_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf")
    path.write_bytes(path.read_bytes()[:4] + struct.pack("<I", 2) + path.read_bytes()[8:])
    assert GGUFFile(path).metadata["a"] == "text"


def split(folder: Path) -> list[Path]:
    paths = [folder / f"m-{i:05}-of-00002.gguf" for i in (1, 2)]
    write(paths[0], {"a": "text", "split.no": 0, "split.count": 2}, {"t": ONES})
    write(paths[1], {"split.no": 1, "split.count": 2}, {"u": ONES})
    return paths


def test_all_parts_of_a_split_model_are_read(tmp_path: Path) -> None:
    paths = split(tmp_path)
    for path in paths:
        file = GGUFFile(path)
        assert file.path == paths[0] and file.metadata["a"] == "text" and file.entries.keys() == {"t", "u"}
        assert file.entries["u"].path == paths[1]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    paths = split(tmp_path)
    paths[1].unlink()
    with pytest.raises(ModelError, match=r"one of 2 files, of which m-00002-of-00002\.gguf is missing"):
        GGUFFile(paths[0])


def test_a_part_alone_is_refused(tmp_path: Path) -> None:
    path = split(tmp_path)[1].rename(tmp_path / "model.gguf")
    with pytest.raises(ModelError, match="part 1 of 2"):
        GGUFFile(path)
    write(tmp_path / "x-00001-of-00002.gguf", {"split.no": 1, "split.count": 2}, {"t": ONES})
    write(tmp_path / "x-00002-of-00002.gguf", {"split.no": 0, "split.count": 2}, {"u": ONES})
    with pytest.raises(ModelError, match="another part"):
        GGUFFile(tmp_path / "x-00001-of-00002.gguf")


def test_a_tensor_of_two_parts_is_refused(tmp_path: Path) -> None:
    paths = split(tmp_path)
    write(paths[1], {"split.no": 1, "split.count": 2}, {"t": ONES})
    with pytest.raises(ModelError, match="another file of the model has 't'"):
        GGUFFile(paths[0])


def patch(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return path


NAME = struct.pack("<Q", 1) + b"t"


@pytest.mark.parametrize(
    "old, new, message",
    [
        (b"GGUF\3", b"GGUX\3", "is not a GGUF file.*download it again"),
        (b"GGUF\3\0\0\0", b"GGUF\1\0\0\0", "version 1"),
        (b"GGUF\3\0\0\0", b"GGUF\0\0\0\3", "byte order"),
        (struct.pack("<QQ", 1, 7), struct.pack("<QQ", 2**60, 7), "1152921504606846976 tensors, more than"),
        (struct.pack("<QQ", 1, 7), struct.pack("<QQ", 1, 2**60), "metadata fields, more than"),
        (struct.pack("<QQ", 1, 7), struct.pack("<QQ", 1, 9), "damaged"),
        (struct.pack("<IQ", 8, 2), struct.pack("<IQ", 8, 2**62), "texts in an array, more than"),
        (struct.pack("<IQ", 6, 2), struct.pack("<IQ", 6, 2**40), "values in an array, more than"),
        (struct.pack("<IQ", 6, 2), struct.pack("<IQ", 9, 2), "an array of type 9 is not known"),
        (struct.pack("<Q", 4) + b"text", struct.pack("<Q", 2**40) + b"text", "bytes in a text"),
        (NAME + struct.pack("<I", 2), NAME + struct.pack("<I", 2**31), "dimensions"),
        (NAME + struct.pack("<IQ", 2, 4), NAME + struct.pack("<IQ", 2, 2**40), "outside the file"),
        (NAME + struct.pack("<IQ", 2, 4), NAME + struct.pack("<IQ", 2, 2**63), "cannot have the shape"),
        (NAME + struct.pack("<IQ", 2, 4), NAME + struct.pack("<IQ", 2, 0), "cannot have the shape"),
        (struct.pack("<QQI", 4, 2, 0), struct.pack("<QQI", 4, 2, 24), "'t' has the type I8, .* Q4_K"),
        (struct.pack("<QQI", 4, 2, 0), struct.pack("<QQI", 4, 2, 999), "the type number 999"),
        (
            struct.pack("<QQI", 4, 2, 0),
            struct.pack("<QQI", 4, 2, 2),
            r"cannot have the shape \[2, 4\] in Q4_0",
        ),
        (struct.pack("<QIQ", 2, 0, 0), struct.pack("<QIQ", 2, 0, 1), "cannot have the shape"),
    ],
)
def test_a_damaged_header_is_refused_in_one_sentence(
    tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    path = patch(write(tmp_path / "a.gguf"), old, new)
    with pytest.raises(ModelError, match=message) as info:
        GGUFFile(path)
    assert str(path) in str(info.value) and len(str(info.value)) < 400


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    content = write(tmp_path / "a.gguf").read_bytes()
    for size in range(len(content) - 1, -1, -3):
        (tmp_path / "b.gguf").write_bytes(content[:size])
        with pytest.raises(ModelError, match=r"b\.gguf"):
            GGUFFile(tmp_path / "b.gguf")


def test_tensors_may_not_overlap(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", tensors={"t": ONES, "u": ONES})
    patch(path, struct.pack("<QIQ", 2, 0, 32), struct.pack("<QIQ", 2, 0, 0))
    with pytest.raises(ModelError, match="'u' overlaps another tensor"):
        GGUFFile(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"x\.gguf cannot be read"):
        GGUFFile(tmp_path / "x.gguf")
