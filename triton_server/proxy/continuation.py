"""What a client has got of a stream, and how the same stream of another server goes on from there.

The same request gives the same bytes on every server, but cut into other pieces. So the parts that were sent
are counted, and cut off from the beginning of the other stream. Ids and times stay those of the first stream.
Where events have ids, the other server does that (event_ids.py).
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

_DONE = b"data: [DONE]"  # the last event; texts cannot have its line ends
_ERROR = b'data: {"error"'
# Failures after which another server can go on. Others, such as a timeout, are the request's own.
PASSING_CODES = {"cancelled", "server_unavailable", "shutting_down", "model_unavailable", "internal"}
_MAX_UNREAD_BYTES = 2**16
_HEAD = ("id", "created", "system_fingerprint")
_LISTS = ("content", "tokens", "token_logprobs", "top_logprobs", "text_offset")  # of `logprobs`
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Channel = tuple[Any, ...]  # the name of a text or list that grows from piece to piece, or of what comes once
# A channel with the object that has its new part, and the key there.
Place = tuple[Channel, dict[str, Any], str]
Mark = tuple[Channel, dict[str, Any], str | None]  # the same of what comes once; None for what may come again


class Diverged(Exception):
    """Another server answers differently."""


class Stream(Protocol):
    """A stream on its way to a client.

    Attributes:
        separator: ends each piece that can be sent.
        is_complete: whether the client has all of it.
        last_id: of the last event that the client has got, after which another server goes on by itself.
    """

    separator: bytes
    is_complete: bool
    last_id: str | None

    @property
    def can_go_on(self) -> bool:
        """Whether another server can go on with it."""
        return True

    def record(self, pieces: bytes) -> None:
        """Note pieces of the first server, which are sent as they are."""

    def restart(self) -> None:
        """Another server begins from the start."""

    def go_on(self, pieces: bytes) -> bytes:
        """What to send of pieces of another server. Raises Diverged."""

    def is_broken(self, pieces: bytes) -> bool:
        """Whether the server says in these pieces that it cannot go on."""

    def end(self) -> None:
        """The server has closed the stream in order."""

    def render_failure(self, message: str) -> bytes:
        """The last piece of a stream that cannot go on."""


class Sent:
    """What a client has got of an answer, and what is left of that of another server."""

    def __init__(self) -> None:
        self._texts: defaultdict[Channel, str] = defaultdict(str)
        self._counts: Counter[Channel] = Counter()  # of lists: items sent
        self._marks: set[Channel] = set()  # what comes once
        self._position: Counter[Channel] = Counter()  # in the answer of the other server

    def note(self, grown: Iterable[Place], told: Iterable[Mark]) -> None:
        """Count what was sent as it is: what grows from piece to piece, and what comes once."""
        for channel, holder, name in grown:
            value = holder[name]
            if isinstance(value, str):
                self._texts[channel] += value
            else:
                self._counts[channel] += len(value)
        self._marks.update(mark for mark, _, _ in told)

    def restart(self) -> None:
        """Another server begins from the start."""
        self._position.clear()

    def cut(self, grown: Iterable[Place], told: Iterable[Mark]) -> bool:
        """Leave out what was sent. False if nothing is left. Raises Diverged."""
        is_left = False
        for mark, holder, name in list(told):
            if mark in self._marks:
                if name is not None:
                    del holder[name]
            else:
                self._marks.add(mark)
                is_left = True
        for channel, holder, name in list(grown):
            value, start = holder[name], self._position[channel]
            self._position[channel] += len(value)
            if isinstance(value, str):
                sent = self._texts[channel]
                cut = max(0, min(len(value), len(sent) - start))
                if sent[start : start + cut] != value[:cut]:
                    raise Diverged
                self._texts[channel] += value[cut:]
            else:
                cut = max(0, min(len(value), self._counts[channel] - start))
                self._counts[channel] += len(value) - cut
            holder[name] = value[cut:]
            is_left = is_left or len(value) > cut
            if not holder[name] and name != "text":
                del holder[name]
        return is_left


class EventStream(Stream):
    """Events of /v1/chat/completions or /v1/completions."""

    separator = b"\n\n"

    def __init__(self) -> None:
        self.is_complete = False
        self.last_id: str | None = None
        self._unread: list[bytes] = []  # of what was sent: it is read only if it must be
        self._unread_bytes = 0
        self._head: dict[str, Any] = {}
        self._sent = Sent()

    def record(self, pieces: bytes) -> None:
        """See Stream."""
        self._unread.append(pieces)
        self._unread_bytes += len(pieces)
        if self._unread_bytes > _MAX_UNREAD_BYTES:
            self._read()
        self._note_end(pieces)

    def _note_end(self, pieces: bytes) -> None:
        self.is_complete = self.is_complete or pieces.endswith(_DONE + self.separator) or _ERROR in pieces

    def is_broken(self, pieces: bytes) -> bool:
        """See Stream."""
        if _ERROR not in pieces:
            return False
        errors = [event["error"] for event in _parse(pieces) if isinstance(event.get("error"), dict)]
        return any(error.get("code") in PASSING_CODES for error in errors)

    def end(self) -> None:
        """See Stream. The last event says whether it is complete."""

    def restart(self) -> None:
        """See Stream."""
        self._read()
        self._sent.restart()

    def go_on(self, pieces: bytes) -> bytes:
        """See Stream."""
        sent: list[bytes] = []
        for piece in pieces.split(self.separator)[:-1]:
            if not piece.startswith(b"data: {"):  # a comment, or the end
                self.is_complete = self.is_complete or piece == _DONE
                sent.append(piece + self.separator)
                continue
            chunk = json.loads(piece[6:])
            if "error" in chunk:
                self.is_complete = True
            elif not self._cut(chunk):
                continue
            sent.append(f"data: {_to_json(chunk)}\n\n".encode())
        return b"".join(sent)

    def render_failure(self, message: str) -> bytes:
        """See Stream."""
        error = {"message": message, "type": "server_error", "param": None, "code": "server_unavailable"}
        return f"data: {_to_json({'error': error})}\n\n".encode()

    def _read(self) -> None:
        """Count what was sent."""
        data, self._unread, self._unread_bytes = b"".join(self._unread), [], 0
        for chunk in _parse(data):
            self._head = self._head or {name: chunk[name] for name in _HEAD if name in chunk}
            for choice in chunk.get("choices", ()):
                self._sent.note(_grow(choice), _once(choice))

    def _cut(self, chunk: dict[str, Any]) -> bool:
        """Leave what was sent out of a chunk of another server. False if nothing is left."""
        self._head = self._head or {name: chunk[name] for name in _HEAD if name in chunk}
        chunk.update(self._head)
        choices = chunk.get("choices", [])
        had_choices = bool(choices)
        chunk["choices"] = [choice for choice in choices if self._sent.cut(_grow(choice), _once(choice))]
        for choice in chunk["choices"]:
            _tidy(choice)
        return bool(chunk["choices"]) or not had_choices


class LineStream(Stream):
    """Lines of /stream: each is a JSON string without its quotes."""

    separator = b"\n"
    last_id: str | None = None

    def __init__(self) -> None:
        self.is_complete = False
        self._text, self._position = "", 0
        self._unread: list[bytes] = []

    def record(self, pieces: bytes) -> None:
        """See Stream."""
        self._unread.append(pieces)

    def is_broken(self, pieces: bytes) -> bool:
        """See Stream. This stream has no place for it."""
        return False

    def end(self) -> None:
        """See Stream."""
        self.is_complete = True

    def restart(self) -> None:
        """See Stream."""
        self._text += _join_lines(b"".join(self._unread))
        self._unread, self._position = [], 0

    def go_on(self, pieces: bytes) -> bytes:
        """See Stream."""
        text = _join_lines(pieces)
        start, self._position = self._position, self._position + len(text)
        cut = max(0, min(len(text), len(self._text) - start))
        if self._text[start : start + cut] != text[:cut]:
            raise Diverged
        self._text += text[cut:]
        # JSON without characters beyond ASCII has no line ends.
        return f"{json.dumps(text[cut:])[1:-1]}\n".encode() if len(text) > cut else b""

    def render_failure(self, message: str) -> bytes:
        """See Stream."""
        return b""


def _join_lines(pieces: bytes) -> str:
    return "".join(json.loads(f'"{line}"') for line in pieces.decode().split("\n")[:-1])


def _parse(events: bytes) -> list[dict[str, Any]]:
    """The JSON of events."""
    pieces = events.split(EventStream.separator)
    return [json.loads(piece[6:]) for piece in pieces if piece.startswith(b"data: {")]


def _grow(choice: dict[str, Any]) -> Iterator[Place]:
    """The texts and lists of a choice that grow from chunk to chunk: name, holder, and key there."""
    number, delta = choice["index"], choice.get("delta", choice)
    for name in ("content", "reasoning_content", "reasoning", "text"):
        if isinstance(delta.get(name), str):
            yield (number, name), delta, name
    for call in delta.get("tool_calls", ()):
        function = call.get("function", {})
        if "arguments" in function:
            yield (number, "call", call["index"]), function, "arguments"
    for name in _LISTS:
        if isinstance((choice.get("logprobs") or {}).get(name), list):
            yield (number, "logprobs", name), choice["logprobs"], name
    if "token_ids" in choice:
        yield (number, "token_ids"), choice, "token_ids"


def _once(choice: dict[str, Any]) -> Iterator[Mark]:
    """What comes once in a choice: a name, and where it is, if it must not come again."""
    number, delta = choice["index"], choice.get("delta", {})
    yield (number, "start"), delta, None
    if "role" in delta:
        yield (number, "role"), delta, "role"
    for call in delta.get("tool_calls", ()):
        for name in ("id", "type"):
            if name in call:
                yield (number, "call", call["index"], name), call, name
        if "name" in call.get("function", {}):
            yield (number, "call", call["index"], "name"), call["function"], "name"
    for name in ("prompt_token_ids", "finish_reason"):
        if choice.get(name) is not None:
            yield (number, name), choice, name


def _tidy(choice: dict[str, Any]) -> None:
    """Leave out what is empty."""
    delta = choice.get("delta")
    if delta is not None and "tool_calls" in delta:
        calls = [call for call in delta["tool_calls"] if "id" in call or call.get("function")]
        if calls:
            delta["tool_calls"] = calls
        else:
            del delta["tool_calls"]
    if not _has_entries(choice.get("logprobs")):
        choice["logprobs"] = None
    choice.setdefault("finish_reason", None)


def _has_entries(logprobs: Mapping[str, Any] | None) -> bool:
    return any((logprobs or {}).get(name) for name in _LISTS)
