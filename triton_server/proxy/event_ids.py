"""Streams whose events have ids: another server goes on after the last one, which it is told."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import Headers

from ..contract.event_ids import takes_ids
from .continuation import PASSING_CODES, EventStream, LineStream, Stream

_CHAT, _TEXT, _LINES, _MESSAGES = "/v1/chat/completions", "/v1/completions", "/stream", "/v1/messages"
SEEDED = (_CHAT, _TEXT, _LINES)  # paths whose requests get a seed, so that answers can be repeated
_ID, _EVENT = b"id: ", b"data: {"
_MESSAGE_ENDS = (b"event: message_stop\n", b"event: error\n")


class IdStream(EventStream):
    """Events of /v1/chat/completions or /v1/completions, which may have ids: one with `n` has none."""

    def __init__(self) -> None:
        super().__init__()
        self._has_others = False  # events without ids

    def record(self, pieces: bytes) -> None:
        """See Stream."""
        if (place := (b"\n" + pieces).rfind(b"\n" + _ID)) >= 0:
            self.last_id = pieces[place + len(_ID) :].partition(b"\n")[0].decode()
        if self.last_id is None:
            self._has_others = self._has_others or _EVENT in pieces
            super().record(pieces)
        else:
            self._note_end(pieces)

    def restart(self) -> None:
        """See Stream."""
        if self._has_others:
            super().restart()

    def go_on(self, pieces: bytes) -> bytes:
        """See Stream."""
        if self._has_others:  # of the answer, whose events this server may give ids
            lines = pieces.splitlines(keepends=True)
            return super().go_on(b"".join(line for line in lines if not line.startswith(_ID)))
        self.record(pieces)
        return pieces


class MessageStream(IdStream):
    """Events of /v1/messages. Without ids, no other server can go on with them."""

    @property
    def can_go_on(self) -> bool:
        """See Stream."""
        return not self._has_others

    def is_broken(self, pieces: bytes) -> bool:
        """See Stream."""
        for event in pieces.split(self.separator):
            if event.startswith(b"event: error\n"):
                error = json.loads(event.partition(b"\ndata: ")[2]).get("error", {})
                return error.get("details", {}).get("error_code") in PASSING_CODES
        return False

    def render_failure(self, message: str) -> bytes:
        """See Stream."""
        error = {
            "type": "overloaded_error",
            "message": message,
            "details": {"error_code": "server_unavailable"},
        }
        return f"event: error\ndata: {json.dumps({'type': 'error', 'error': error})}\n\n".encode()

    def _note_end(self, pieces: bytes) -> None:
        self.is_complete = self.is_complete or any(end in pieces for end in _MESSAGE_ENDS)


_STREAMS: dict[str, Callable[[], Stream]] = {_CHAT: EventStream, _TEXT: EventStream}
_ID_STREAMS: dict[str, Callable[[], Stream]] = {_CHAT: IdStream, _TEXT: IdStream, _MESSAGES: MessageStream}


def begin_stream(path: str, fields: Mapping[str, Any], headers: Headers) -> Stream | None:
    """The stream of an answer with which another server can go on; None if there is none."""
    if path == _LINES:
        return LineStream()
    if not fields.get("stream"):
        return None
    kinds = _ID_STREAMS if takes_ids(headers) else _STREAMS
    return kinds[path]() if path in kinds else None
