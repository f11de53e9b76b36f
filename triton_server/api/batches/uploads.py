"""Reads a file that is uploaded as a form (multipart/form-data, RFC 7578), without holding it in memory."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from fastapi import Request
from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from ..errors import ApiError

_FIELDS = ("purpose", "expires_after[anchor]", "expires_after[seconds]")
_MAX_FIELD_BYTES = 1024
_MAX_NAME_BYTES = 1024  # of the file
_FLUSH_BYTES = 2**20  # are written at a time
_HOW = "send a form (multipart/form-data) with the fields `purpose` and `file`."


@dataclass
class Upload:
    """A form that was read: its fields, and the name and the size of the file in it."""

    fields: dict[str, str] = field(default_factory=dict)
    filename: str | None = None
    size: int = 0


async def read_upload(request: Request, path: Path, max_bytes: int) -> Upload:
    """Read the form in the body of a request, and write its file to `path`.

    `max_bytes`: of the file; 0: any number. Raises ApiError for what is no such form, or too large.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise _wrong_form(f"this is no form; {_HOW}")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        reader = _FormReader(boundary, max_bytes)
        async for chunk in request.stream():
            reader.feed(chunk)
            if len(reader.content) >= _FLUSH_BYTES:
                await asyncio.to_thread(_write, file, reader.take_content())
        upload = reader.finish()
        await asyncio.to_thread(_write, file, reader.take_content())
        await asyncio.to_thread(os.fsync, file.fileno())
    return upload


def _write(file: BinaryIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


class _FormReader:
    """Reads a form, chunk by chunk. `content` is what came of the file, and was not taken yet."""

    def __init__(self, boundary: bytes, max_bytes: int) -> None:
        self.content, self._upload, self._max_bytes = bytearray(), Upload(), max_bytes
        self._has_ended, self._disposition = False, b""
        self._header_name, self._header_value = bytearray(), bytearray()
        self._name, self._value, self._is_file = "", bytearray(), False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._add_header_name,
                    "on_header_value": self._add_header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._open_part,
                    "on_part_data": self._add_data,
                    "on_part_end": self._end_part,
                    "on_end": self._end,
                },
            )
        except FormParserError as error:
            raise _wrong_form(f"the body is no form: {error}.") from None

    def feed(self, chunk: bytes) -> None:
        """Read more of the body. Raises ApiError."""
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise _wrong_form(f"the body is no form: {str(error).rstrip('.')}.") from None

    def take_content(self) -> bytes:
        """Remove and return `content`."""
        taken, self.content = bytes(self.content), bytearray()
        return taken

    def finish(self) -> Upload:
        """What was read, at the end of the body. Raises ApiError if something is missing."""
        if not self._has_ended:
            raise _wrong_form("the body ends before the form does.")
        if self._upload.filename is None:
            raise _wrong_form(f"the form has no file; {_HOW}", "file")
        return self._upload

    def _begin_part(self) -> None:
        self._disposition = b""

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name, self._header_value = bytearray(), bytearray()

    def _open_part(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        self._value, self._is_file = bytearray(), self._name == "file"
        if self._is_file:
            filename = options.get(b"filename")
            if filename is None or self._upload.filename is not None or len(filename) > _MAX_NAME_BYTES:
                raise _wrong_form("the form needs one `file`, with a name of at most 1024 bytes.", "file")
            self._upload.filename = filename.decode("utf-8", "replace").replace("\0", "?")
        elif self._name not in _FIELDS or self._name in self._upload.fields:
            message = f"the form has a field {self._name[:64]!r} that is not known, or there twice."
            raise _wrong_form(message, self._name[:64])

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        if not self._is_file:
            self._value += data[start:end]
            if len(self._value) > _MAX_FIELD_BYTES:
                raise _wrong_form(f"{self._name} has more than {_MAX_FIELD_BYTES} bytes.", self._name)
            return
        self._upload.size += end - start
        if self._max_bytes and self._upload.size > self._max_bytes:
            message = f"the file has more than {self._max_bytes} bytes (--max-file)."
            raise ApiError(413, message, "too_large", "file")
        self.content += data[start:end]

    def _end_part(self) -> None:
        if not self._is_file:
            self._upload.fields[self._name] = self._value.decode("utf-8", "replace")

    def _end(self) -> None:
        self._has_ended = True


def _wrong_form(message: str, param: str | None = None) -> ApiError:
    return ApiError(400, message, "invalid_request", param)
