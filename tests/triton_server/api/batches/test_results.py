"""The results of a batch, cut off anywhere, and written by two at once."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from triton_server.api.batches.results import (
    Answer,
    ResultFile,
    Results,
    ResultsBusy,
    ResultsDamaged,
    render_unanswered,
)

GOOD, BAD = Answer(200, "r", b'{"text": "\\u2028 \xe2\x99\xa5"}'), Answer(400, "r", b'{\n"error": {}\n}')
IDS = ['a"\n', "♥", " ", "d" * 500]


def fill(path: Path) -> bytes:
    """Results of IDS in one file, and what is in it."""
    results = Results(path, is_own=True)
    for custom_id in IDS[:2]:
        results.add(custom_id, GOOD)
    results.add(IDS[2], BAD)
    results.add_unanswered(IDS[3], "batch_expired", "Too late.")
    results.sync()
    results.close()
    return path.read_bytes()


def test_lines_are_whole_and_have_the_form(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in fill(tmp_path / "r").splitlines()]
    assert [line.pop("custom_id") for line in lines] == IDS
    assert len({line.pop("id") for line in lines}) == 4
    assert lines[0] == {
        "response": {"status_code": 200, "request_id": "r", "body": {"text": "\u2028 ♥"}},
        "error": None,
    }
    assert lines[2]["response"]["body"] == {"error": {}}
    assert lines[3] == {"response": None, "error": {"code": "batch_expired", "message": "Too late."}}


def test_cut_off_anywhere_it_goes_on_at_the_last_whole_line(tmp_path: Path) -> None:
    whole, path = fill(tmp_path / "whole"), tmp_path / "cut"
    ends = [number + 1 for number, byte in enumerate(whole) if byte == ord("\n")]
    for length in range(len(whole) + 1):
        for is_own in (True, False):
            path.write_bytes(whole[:length])
            count = sum(end <= length for end in ends)
            results = Results(path, is_own=is_own)
            assert [results.has(custom_id) for custom_id in IDS] == [n < count for n in range(4)]
            assert results.count() == (min(count, 2), max(0, count - 2))
            assert path.stat().st_size == results.answers.size == ([0, *ends])[count]
            results.close()
    path.write_bytes(whole[: ends[1] + 30])
    with_more = Results(path, is_own=True)
    with_more.add("e", GOOD)
    with_more.close()
    assert [json.loads(line)["custom_id"] for line in path.read_bytes().splitlines()] == [*IDS[:2], "e"]


@pytest.mark.parametrize("content", [b"x", b"\n", b"{}\n", b"\0" * 20, b'{"id":"batch_req_1"}\n'])
def test_files_of_others_are_left_alone(tmp_path: Path, content: bytes) -> None:
    """A file that a person names is never cut, unless what is cut is the beginning of a line."""
    path, whole = tmp_path / "r", fill(tmp_path / "whole")
    for before in (b"", whole):
        path.write_bytes(before + content + whole[:1])
        with pytest.raises(ResultsDamaged, match="choose another"):
            ResultFile(path, is_own=False)
        assert path.read_bytes() == before + content + whole[:1]
        own = ResultFile(path, is_own=True)  # after a machine has lost power
        assert path.read_bytes() == before and own.size == len(before)
        own.close()


def test_only_one_writes(tmp_path: Path) -> None:
    first = Results(tmp_path / "a", tmp_path / "b", is_own=True)
    for again in (tmp_path / "a", tmp_path / "b"):
        with pytest.raises(ResultsBusy, match="another process"):
            ResultFile(again, is_own=True)
    first.close()
    second = Results(tmp_path / "a", tmp_path / "b", is_own=True)
    second.close()


def test_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    file = ResultFile(path, is_own=True)
    line = render_unanswered("a", "x", "y")
    file.add("a", line, is_good=False)
    written = file._file

    class Full:
        """A file on a disk that has room for ten bytes more."""

        def __init__(self) -> None:
            self.room = 10

        def write(self, data: memoryview) -> int:
            if not self.room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= (count := written.write(data[: self.room]))
            return count

        truncate = written.truncate

    monkeypatch.setattr(file, "_file", Full())
    with pytest.raises(OSError, match="No space"):
        file.add("b", line, is_good=False)
    assert path.read_bytes() == line and file.done == {"a"}
