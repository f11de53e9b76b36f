"""The results of a batch: a line for each request, in the order in which they end.

A line is the record that its request is done. It is appended as a whole, and what a process that died has
written of a line is cut off before another one goes on. So each request has one line, whatever ends a
process.
"""

import fcntl
import json
import os
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from model_core.errors import TritonchatError

_BEGINNING = b'{"id":"batch_req_'


class ResultsBusy(TritonchatError):
    """Another process writes the results."""


class ResultsDamaged(TritonchatError):
    """The file has something else than results."""


@dataclass(frozen=True)
class Answer:
    """The response of the service to a request: the body is JSON."""

    status: int
    request_id: str
    body: bytes

    @property
    def is_good(self) -> bool:
        """Whether it is no error."""
        return self.status == 200

    def render(self, custom_id: str) -> bytes:
        """The line of a request that has this response."""
        body = self.body if b"\n" not in self.body else json.dumps(json.loads(self.body)).encode()
        head = f'"status_code":{self.status},"request_id":{json.dumps(self.request_id)},"body":'
        return _start(custom_id) + b'"response":{' + head.encode() + body + b'},"error":null}\n'


def render_unanswered(custom_id: str, code: str, message: str) -> bytes:
    """The line of a request that was not answered."""
    error = json.dumps({"code": code, "message": message})
    return _start(custom_id) + f'"response":null,"error":{error}}}\n'.encode()


def _start(custom_id: str) -> bytes:
    return f'{{"id":"batch_req_{secrets.token_hex(16)}","custom_id":{json.dumps(custom_id)},'.encode()


class ResultFile:
    """One file with results, which only one process at a time may have open.

    Attributes:
        done: the custom_ids of the lines in it.
        failed: how many of the lines are no good answers.
        last: the last line that was there at the start; b"": none.
    """

    def __init__(self, path: Path, *, is_own: bool) -> None:
        """Open the file or create it. With `is_own`, whatever is no whole line was left by a dead process.

        Raises ResultsBusy, and ResultsDamaged for a file of somebody else.
        """
        self.path, self.done, self.failed, self.last = path, set[str](), 0, b""
        self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "rb+", 0)
        try:
            self._lock()
            self._size = self._read()
            if not is_own:
                self._check_rest()
            self._file.truncate(self._size)
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultsBusy(f"another process writes {self.path}; wait until it has ended.") from None

    def _read(self) -> int:
        """Note the whole lines. Returns where they end."""
        end = 0
        with self.path.open("rb") as file:
            for line in file:
                custom_id, is_good = _read_line(line)
                if custom_id is None:
                    break
                self.done.add(custom_id)
                self.failed += not is_good
                end, self.last = end + len(line), line
        return end

    def _check_rest(self) -> None:
        """Raises ResultsDamaged unless what follows is the beginning of a line."""
        with self.path.open("rb") as file:
            file.seek(self._size)
            rest = file.readline()
            is_last = not file.read(1)
        begins = rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)
        if not (is_last and begins and not rest.endswith(b"\n")):
            raise ResultsDamaged(
                f"{self.path} has something else than results of a batch; choose another file."
            )

    @property
    def size(self) -> int:
        """In bytes."""
        return self._size

    def add(self, custom_id: str, line: bytes, *, is_good: bool) -> None:
        """Append the line of a request. Raises OSError, and nothing is appended then."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(self._size)
            raise
        self._size += len(line)
        self.done.add(custom_id)
        self.failed += not is_good

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let another process have it."""
        self._file.close()


class Results:
    """The results of a batch, in a file for answers and one for errors, or both in one.

    It raises as ResultFile does.
    """

    def __init__(self, answers: Path, errors: Path | None = None, *, is_own: bool) -> None:
        """`errors`: None: in the same file."""
        self.answers = self.errors = ResultFile(answers, is_own=is_own)
        if errors is not None:
            try:
                self.errors = ResultFile(errors, is_own=is_own)
            except BaseException:
                self.answers.close()
                raise

    @property
    def files(self) -> Sequence[ResultFile]:
        """Each once."""
        return [self.answers] if self.errors is self.answers else [self.answers, self.errors]

    def has(self, custom_id: str) -> bool:
        """Whether a request has its line."""
        return any(custom_id in file.done for file in self.files)

    def count(self) -> tuple[int, int]:
        """The numbers of requests with a good answer, and with none."""
        failed = sum(file.failed for file in self.files)
        return sum(len(file.done) for file in self.files) - failed, failed

    def sum_usage(self) -> dict[str, Any]:
        """The tokens of all good answers, in OpenAI's form. It reads the file."""
        sums: Counter[str] = Counter()
        with self.answers.path.open("rb") as file:
            for line in file:
                response = json.loads(line)["response"]
                sums.update(_list_tokens(response["body"].get("usage") or {}) if response else {})
        return {
            "input_tokens": sums["input"],
            "input_tokens_details": {"cached_tokens": sums["cached"]},
            "output_tokens": sums["output"],
            "output_tokens_details": {"reasoning_tokens": sums["reasoning"]},
            "total_tokens": sums["input"] + sums["output"],
        }

    def add(self, custom_id: str, answer: Answer) -> None:
        """Append the line of a request."""
        file = self.answers if answer.is_good else self.errors
        file.add(custom_id, answer.render(custom_id), is_good=answer.is_good)

    def add_unanswered(self, custom_id: str, code: str, message: str) -> None:
        """Append the line of a request that was not answered."""
        self.errors.add(custom_id, render_unanswered(custom_id, code, message), is_good=False)

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        for file in self.files:
            file.sync()

    def close(self) -> None:
        """Let another process have them."""
        for file in self.files:
            file.close()


def _list_tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of an answer: input and output of Responses, prompt and completion of the other routes."""
    read = usage.get("input_tokens_details") or usage.get("prompt_tokens_details") or {}
    written = usage.get("output_tokens_details") or usage.get("completion_tokens_details") or {}
    return {
        "input": usage.get("input_tokens", usage.get("prompt_tokens", 0)),
        "cached": read.get("cached_tokens", 0),
        "output": usage.get("output_tokens", usage.get("completion_tokens", 0)),
        "reasoning": written.get("reasoning_tokens", 0),
    }


def _read_line(line: bytes) -> tuple[str | None, bool]:
    """The custom_id of a whole line, None of any other, and whether it has a good answer."""
    if not line.startswith(_BEGINNING) or not line.endswith(b"\n"):
        return None, False
    try:
        value = json.loads(line)
        response = value["response"]
        return str(value["custom_id"]), response is not None and response["status_code"] == 200
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, False
