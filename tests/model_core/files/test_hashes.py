"""Hashes of files, which are kept, and never those of what a file was before."""

import hashlib
import os
from pathlib import Path

import pytest

from model_core.errors import ModelError
from model_core.files import hashes
from model_core.files.hashes import FileState, hash_files

LARGE = bytes(range(256)) * 2**13  # 2 MiB


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept hashes, of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tritonchat" / "hashes"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hashes, "_SETTLED_NS", -(10**12))  # as if it were written long ago
    path = tmp_path / "weights"
    path.write_bytes(LARGE)
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_hashes_are_those_that_other_programs_compute(file: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"abc")
    states = [FileState.of(file), FileState.of(small)]
    assert hash_files(states) == hash_files(reversed(states))[::-1] == [sha256(LARGE), sha256(b"abc")]


def test_hash_of_a_large_file_is_kept_until_the_file_changes(file: Path, cache: Path) -> None:
    state = FileState.of(file)
    assert hash_files([state]) == [sha256(LARGE)]
    (kept,) = cache.iterdir()
    kept.write_text("ab" * 32)
    assert hash_files([state]) == ["ab" * 32]  # so it was not read again
    for damaged in ("", "ab" * 31, "no" * 32, "ab" * 32 + "\n"):
        kept.write_text(damaged)
        assert hash_files([state]) == [sha256(LARGE)]


def test_changed_file_is_found_whatever_its_size_and_time(file: Path) -> None:
    state, stat = FileState.of(file), file.stat()
    assert hash_files([state]) == [sha256(LARGE)]
    changed = b"x" + LARGE[1:]
    file.write_bytes(changed)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert file.stat().st_size == state.size and file.stat().st_mtime_ns == state.modified_ns
    with pytest.raises(ModelError, match="weights has changed since the model was opened"):
        hash_files([state])
    assert hash_files([FileState.of(file)]) == [sha256(changed)]


def test_link_to_another_file_is_another_state(file: Path, tmp_path: Path) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.write_bytes(LARGE[::-1])
    link.symlink_to(file)
    assert hash_files([FileState.of(link)]) == [sha256(LARGE)]
    link.unlink()
    link.symlink_to(other)
    assert hash_files([FileState.of(link)]) == [sha256(LARGE[::-1])]


def test_fresh_file_is_hashed_again(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change again within the same tick of the file system's clock."""
    monkeypatch.setattr(hashes, "_SETTLED_NS", 10**15)
    assert hash_files([FileState.of(file)]) == [sha256(LARGE)]
    assert not list(cache.iterdir())


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nothing cannot be read: No such file"):
        FileState.of(tmp_path / "nothing")
