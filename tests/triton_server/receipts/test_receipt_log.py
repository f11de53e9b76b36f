"""The log of receipts: whatever is changed, left out or broken off is found, and it goes on after any end."""

import asyncio
import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from model_core.errors import StorageError, TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Timings, Usage
from model_core.requests.results import Completion
from triton_server.contract.request_fields import Request
from triton_server.receipts import log as log_file
from triton_server.receipts.canonical import content_of, hash_json, to_canonical
from triton_server.receipts.keys import SigningKey, load_key
from triton_server.receipts.log import ReceiptLog, read_log
from triton_server.receipts.receipt import Facts, chain_hash, make_receipt, strip
from triton_server.receipts.signer import ReceiptSigner


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return load_key(tmp_path / "key")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log"


def facts(text: str) -> Facts:
    content = content_of(Request(messages=text))
    completion = Completion(text, [1, 2], "stop", Usage(1, 2), Timings(0.0, 0.0, 0.0), 7)
    return Facts(
        "m", "fp_1", {"semantics": 1}, content, hash_json(content), [5], completion, AnswerParts(text)
    )


def write(log: ReceiptLog, key: SigningKey, *texts: str) -> list[dict[str, Any]]:
    receipts = []
    for text in texts:
        receipts.append(make_receipt(facts(text), key, log.next_place()))
        log.add(receipts[-1])
    return receipts


@pytest.fixture
def full(folder: Path, key: SigningKey) -> Iterator[Path]:
    """A log of three receipts, which nobody writes."""
    log = ReceiptLog(folder)
    write(log, key, "a", "b", "c")
    log.close()
    yield folder


def faults(folder: Path) -> list[str | None]:
    return [line.fault for line in read_log(folder)]


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def test_log_has_each_receipt_with_the_hash_of_the_one_before(full: Path) -> None:
    lines = list(read_log(full))
    assert [line.number for line in lines] == [1, 2, 3] and faults(full) == [None] * 3
    receipts = [line.receipt or {} for line in lines]
    assert "previous" not in receipts[0]["log"]
    for before, after in pairwise(receipts):
        assert after["log"]["previous"] == chain_hash(before)
    assert only_file(full).stat().st_mode & 0o777 == 0o600


def test_any_changed_byte_is_found(full: Path) -> None:
    file = only_file(full)
    raw = file.read_bytes()
    for place in range(0, len(raw), 13):
        changed = bytearray(raw)
        changed[place] ^= 1
        file.write_bytes(changed)
        found = list(read_log(full))
        assert any(line.fault for line in found) or len(found) < 3, place


def test_lines_that_are_missing_or_in_another_order_are_found(full: Path) -> None:
    file = only_file(full)
    first, second, third = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + third)
    assert faults(full) == [None, "receipt 2 should be here, and 3 is."]
    file.write_bytes(second + first + third)
    assert faults(full)[1] == "receipt 3 should be here, and 1 is."
    file.write_bytes(first + first + second + third)
    assert faults(full)[1] == "receipt 2 should be here, and 1 is."


def test_receipt_that_was_signed_anew_breaks_the_chain(full: Path, key: SigningKey) -> None:
    """Whoever has the key may write another receipt, but not in the middle."""
    file = only_file(full)
    first, _, third = file.read_bytes().splitlines(keepends=True)
    place = next(line.receipt for line in read_log(full) if line.number == 2)
    assert place is not None
    forged = to_canonical(make_receipt(facts("forged"), key, place["log"])) + b"\n"
    file.write_bytes(first + forged + third)
    assert faults(full) == [None, None, "the receipt before it is another one than when it was written."]


def test_line_that_was_written_in_another_form_is_found(full: Path) -> None:
    file = only_file(full)
    file.write_bytes(file.read_bytes().replace(b'":', b'": ', 1))
    assert "written anew" in (faults(full)[0] or "")


def test_attachments_may_be_taken_away(full: Path) -> None:
    receipts = [line.receipt or {} for line in read_log(full)]
    only_file(full).write_bytes(b"".join(to_canonical(strip(receipt)) + b"\n" for receipt in receipts))
    assert faults(full) == [None] * 3


def test_log_goes_on_where_it_ended(full: Path, key: SigningKey) -> None:
    log = ReceiptLog(full)
    (receipt,) = write(log, key, "d")
    log.close()
    assert receipt["log"]["number"] == 4 and faults(full) == [None] * 4
    assert only_file(full).name == "receipts-000000000001.jsonl"


@pytest.mark.parametrize("kept", [1, 100])
def test_line_that_was_never_finished_is_left_alone(full: Path, key: SigningKey, kept: int) -> None:
    file = only_file(full)
    lines = file.read_bytes().splitlines(keepends=True)
    torn = b"".join(lines[:2]) + lines[2][:kept]
    file.write_bytes(torn)
    for text in ("again", "more"):
        log = ReceiptLog(full)
        write(log, key, text)
        log.close()
    assert file.read_bytes() == torn
    assert faults(full) == [None] * 4
    assert [line.number for line in read_log(full)] == [1, 2, 3, 4]


def test_line_that_broke_off_at_the_beginning_of_a_file_is_left_alone(folder: Path, key: SigningKey) -> None:
    folder.mkdir()
    torn = folder / "receipts-000000000001.jsonl"
    torn.write_bytes(b'{"answer"')
    log = ReceiptLog(folder)
    write(log, key, "a", "b")
    log.close()
    assert torn.read_bytes() == b'{"answer"' and faults(folder) == [None, None]


def test_files_are_rotated(folder: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "_FILE_BYTES", 3000)
    log = ReceiptLog(folder)
    write(log, key, *"abcdefgh")
    log.close()
    files = sorted(folder.glob("*.jsonl"))
    assert len(files) > 2 and all(file.stat().st_size <= 3000 for file in files)
    assert faults(folder) == [None] * 8
    files[1].unlink()
    (fault,) = filter(None, faults(folder))
    assert "should be here" in fault


def test_one_process_writes(folder: Path) -> None:
    log = ReceiptLog(folder)
    with pytest.raises(TritonchatError, match="another server writes"):
        ReceiptLog(folder)
    log.close()
    ReceiptLog(folder).close()


def test_damaged_log_does_not_go_on(full: Path) -> None:
    file = only_file(full)
    file.write_bytes(file.read_bytes().replace(b'"fp_1"', b'"fp_2"'))
    for _ in range(2):
        with pytest.raises(TritonchatError, match="is damaged, so the log cannot go on"):
            ReceiptLog(full)


def test_full_disk_fails_the_answer_and_not_the_log(
    full: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, write_all = ReceiptLog(full), os.write

    def write_half(descriptor: int, content: bytes) -> int:
        return write_all(descriptor, content[: len(content) // 2])

    def refuse(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for broken in (write_half, refuse):
        monkeypatch.setattr(log_file.os, "write", broken)
        with pytest.raises(StorageError, match="cannot be written"):
            write(log, key, "lost")
        monkeypatch.undo()
    (receipt,) = write(log, key, "d")
    log.close()
    assert receipt["log"]["number"] == 4 and faults(full) == [None] * 4


def test_desk_logs_hashes_alone_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    async def make(signer: ReceiptSigner, receipt: Any) -> dict[str, Any] | None:
        planned = signer.plan(Request(messages="SECRET", receipt=receipt))
        assert planned is not None
        return await signer.make(planned, facts("SECRET"))

    for name, logs_content in (("hashes", False), ("whole", True)):
        signer = ReceiptSigner(lambda: tmp_path, log=tmp_path / name, logs_content=logs_content)
        shown = [asyncio.run(make(signer, receipt)) for receipt in (None, True, "whole")]
        signer.close()
        assert shown[0] is None and "SECRET" not in str(shown[1]) and "SECRET" in str(shown[2])
        assert (b"SECRET" in only_file(tmp_path / name).read_bytes()) is logs_content
        assert faults(tmp_path / name) == [None] * 3


def test_missing_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(TritonchatError, match="has no log of receipts"):
        list(read_log(tmp_path))


@pytest.mark.parametrize("content", [{"messages": "a", "maximum": 1e16}, {"messages": "a", "n": -1e20}])
def test_receipt_that_could_not_be_read_is_not_written(
    folder: Path, key: SigningKey, content: dict[str, Any]
) -> None:
    """One line that nobody can read would end the log for good."""
    log = ReceiptLog(folder)
    write(log, key, "a")
    damaged = replace(facts("b"), content=content, content_hash=hash_json(content))
    with pytest.raises(StorageError, match="cannot be written"):
        log.add(make_receipt(damaged, key, log.next_place()))
    write(log, key, "c")
    log.close()
    assert faults(folder) == [None, None]
    ReceiptLog(folder).close()  # and it goes on


def test_log_of_any_seed_and_schema_goes_on(folder: Path, key: SigningKey) -> None:
    log = ReceiptLog(folder)
    form = {"json_schema": {"maximum": 1e16, "minimum": -(2**70)}}
    for seed in (-1, -(2**63), 2**63 - 1):
        content = content_of(Request(messages="a", form=form, seed=seed))
        told = facts("a")
        each = replace(
            told,
            content=content,
            content_hash=hash_json(content),
            completion=replace(told.completion, seed=seed),
        )
        log.add(make_receipt(each, key, log.next_place()))
    log.close()
    assert faults(folder) == [None] * 3
    ReceiptLog(folder).close()
