"""A log of receipts: files to which lines are only added, each with the hash of the one before it."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from model_core.errors import StorageError, TritonchatError

from .receipt import ReceiptError, chain_hash, check_written, encode_receipt, read_receipt, strip

_FILE_BYTES = 2**26  # after which the next file begins
_NAME = re.compile(r"receipts-\d{12}(\.\d+)?\.jsonl")
_LOCK = "lock"


@dataclass(frozen=True)
class Line:
    """A line of a log.

    Attributes:
        place: the file and the number of the line, for messages.
        number: what its receipt says that it is.
        receipt: None if the line is wrong. fault: what is wrong with it, or with its place in the chain.
    """

    place: str
    number: int | None
    receipt: dict[str, Any] | None
    fault: str | None = None


class ReceiptLog:
    """Writes a log. One process at a time may; its methods are called by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Raises TritonchatError if the folder cannot be used, or another process writes there."""
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = FileLock(folder / _LOCK)
            self._lock.acquire(timeout=0)
        except Timeout:
            raise TritonchatError(
                f"another server writes to {folder}; give each its own --receipt-log."
            ) from None
        except OSError as error:
            raise TritonchatError(f"--receipt-log {folder} cannot be used: {error.strerror}.") from error
        try:
            self._number, self._previous, self._is_torn = _find_end(folder)
        except TritonchatError:
            self._lock.release()
            raise
        self._file: int | None = None
        self._size = 0

    def next_place(self) -> dict[str, Any]:
        """The part `log` of the next receipt."""
        previous = {} if self._previous is None else {"previous": self._previous}
        return {"number": self._number + 1, **previous}

    def add(self, receipt: Mapping[str, Any]) -> None:
        """Write a receipt that has the next place. Raises StorageError; then it is not in the log."""
        chained = encode_receipt(strip(receipt))
        has_attachments = "content" in receipt["request"] or "token_ids" in receipt["answer"]
        line = (encode_receipt(receipt) if has_attachments else chained) + b"\n"
        try:
            check_written(line[:-1])  # or the log would be unreadable
        except ReceiptError as error:
            raise StorageError(f"the receipt cannot be written to {self._folder}: {error}") from error
        try:
            if self._file is None or self._size + len(line) > _FILE_BYTES:
                self._open(receipt["log"]["number"])
            assert self._file is not None
            if os.write(self._file, line) < len(line):  # the disk is full
                raise OSError(0, "a part of a line was written")
        except OSError as error:
            self._close_file()  # what there is of the line stays alone at the end of its file
            raise StorageError(
                f"the receipt cannot be written to {self._folder}: {error.strerror}."
            ) from error
        self._size += len(line)
        self._number, self._previous = receipt["log"]["number"], sha256(chained).hexdigest()

    def _open(self, number: int) -> None:
        """Begin the file whose first line has this number, or go on in the last one."""
        self._close_file()
        last = max(_list_files(self._folder), default=None)
        goes_on = last is not None and not self._is_torn and last.stat().st_size < _FILE_BYTES // 2
        path = last if last is not None and goes_on else self._name_file(number)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = os.open(path, flags, 0o600)
        self._size, self._is_torn = os.fstat(self._file).st_size, False

    def _name_file(self, number: int) -> Path:
        """A new file. One of the same number may have the beginning of a line that was never finished."""
        name = f"receipts-{number:012d}"
        others = sum(path.name.startswith(f"{name}.") for path in _list_files(self._folder))
        return self._folder / (f"{name}.{others}.jsonl" if others else f"{name}.jsonl")

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file, self._is_torn = None, True

    def close(self) -> None:
        """Let another process write."""
        self._close_file()
        self._lock.release()


def read_log(folder: Path) -> Iterator[Line]:
    """All lines of a log, each checked with its signature and its place in the chain.

    A line that was never finished, at the end of a file, has no fault: its receipt was never given to
    anybody. Raises TritonchatError if there is no log.
    """
    files = sorted(_list_files(folder))
    if not files:
        raise TritonchatError(f"{folder} has no log of receipts.")
    expected: int | None = None  # the number of the next line
    previous: str | None = None
    for path in files:
        for count, raw in enumerate(_read_lines(path), 1):
            place = f"{path.name}:{count}"
            if not raw.endswith(b"\n"):
                continue
            line = _check_line(place, raw[:-1], expected, previous)
            yield line
            if line.receipt is None:
                expected = previous = None  # the next line is checked by itself
            else:
                expected, previous = line.receipt["log"]["number"] + 1, chain_hash(line.receipt)


def _check_line(place: str, raw: bytes, expected: int | None, previous: str | None) -> Line:
    try:
        receipt = read_receipt(raw)
        if encode_receipt(receipt) != raw:
            raise ReceiptError("the line was written anew: it is not in canonical form.")
        if "log" not in receipt:
            raise ReceiptError("the receipt is of no log.")
    except ReceiptError as error:
        return Line(place, None, None, str(error))
    number, fault = receipt["log"]["number"], None
    if expected is not None and number != expected:
        fault = f"receipt {expected} should be here, and {number} is."
    elif previous is not None and receipt["log"].get("previous") != previous:
        fault = "the receipt before it is another one than when it was written."
    elif expected is None and number == 1 and "previous" in receipt["log"]:
        fault = "the first receipt has one before it."
    return Line(place, number, receipt, fault)


def _find_end(folder: Path) -> tuple[int, str | None, bool]:
    """The number and the hash of the last receipt, and whether its file ends with a part of a line."""
    is_torn = False
    for path in sorted(_list_files(folder), reverse=True):
        last: bytes | None = None
        for raw in _read_lines(path):
            if raw.endswith(b"\n"):
                last = raw
            else:
                is_torn = True
        if last is not None:
            try:
                receipt = read_receipt(last)
                return receipt["log"]["number"], chain_hash(receipt), is_torn
            except (ReceiptError, KeyError) as error:
                raise TritonchatError(
                    f"{path} is damaged, so the log cannot go on: {error} Choose another --receipt-log, and "
                    "keep this one."
                ) from error
    return 0, None, is_torn


def _read_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise TritonchatError(f"{path} cannot be read: {error.strerror}.") from error


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("receipts-*.jsonl") if _NAME.fullmatch(path.name)]
