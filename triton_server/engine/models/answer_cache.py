"""Whole answers on disk, by all that they depend on, so that the same request costs nothing the second time.

An answer belongs to its model's fingerprint, to the request, to the seed and to the cache salt, which the
HTTP service makes of the owner: nobody gets an answer that another one has asked for. Equal requests under
way wait for the first one of them. What is kept is data: a damaged file is no answer.
"""

import hashlib
import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from model_core.chat.template import CLOCK
from model_core.errors import InvalidRequest
from model_core.requests.events import Event, Reasoning, Text, ToolCallDelta, Usage
from model_core.requests.results import Completion

from ...contract.codec import decode_piece, encode_stream
from ...contract.request_fields import Request
from ...receipts.canonical import content_of, to_canonical

LOGGER = logging.getLogger(__name__)
_FORMAT = b"tritonchat-answer-1\n"
_HASH_BYTES = 32
_MAX_SHARE = 8  # an answer takes at most this part of the cache


@dataclass(frozen=True)
class Key:
    """Where an answer is kept. `has_seed`: it is that of one seed alone."""

    salt: str
    name: str
    has_seed: bool


@dataclass(frozen=True)
class KeptAnswer:
    """An answer.

    Attributes:
        pieces: its events but the last, as codec.py writes them.
        created: when it was computed, in seconds since 1970.
        token_ids, prompt_ids: its tokens, and those of its prompt.
        finish_reason, usage, stop_string: see Done.
    """

    pieces: list[Any]
    created: float
    token_ids: list[int]
    prompt_ids: list[int]
    finish_reason: Any
    usage: dict[str, Any]
    stop_string: str | None

    def events(self) -> list[Event]:
        """Its events but the last."""
        return [event for text, details in self.pieces for event in decode_piece(text, details)]

    def usage_of_hit(self) -> Usage:
        """The usage of an answer that was not computed."""
        usage = Usage.from_dict(self.usage)
        return replace(usage, cached_tokens=usage.prompt_tokens, answer_cached=True)


class Flight:
    """A request that is computed while equal ones wait for it. `land` ends their waiting."""

    def __init__(self, end: Callable[[], None]) -> None:
        self.answer: Future[KeptAnswer | None] = Future()
        self._end = end

    def land(self, answer: KeptAnswer | None = None) -> None:
        """Give the others the answer; None: there is none, and one of them computes it."""
        if not self.answer.done():
            self._end()
            self.answer.set_result(answer)


class AnswerCache:
    """Keeps answers in a folder. Any thread may call the methods; those with files take a while."""

    def __init__(self, folder: Path, max_bytes: int, expiry_s: float = 0.0) -> None:
        """`expiry_s`: after which an answer is not given any more; 0: never."""
        self._folder, self._max_bytes, self._expiry_s = folder, max_bytes, expiry_s
        self._lock = threading.Lock()
        self._flights: dict[Key, Flight] = {}
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="answer-cache")
        self._bytes = sum(size for _, size, _ in self._list_files())

    def find_key(self, request: Request, fingerprint: str | None, made_of: Any) -> Key | None:
        """Where the answer to a request is kept; None if it depends on more than that,
        such as a seed that nobody has chosen.

        `made_of`: see `LLM.made_of`; None for a model of another server, whose answers are not kept.
        """
        if fingerprint is None or made_of is None or request.answer_cache == "off":
            return None
        if request.count_only or request.choices is not None:
            return None
        if _reads_clock(request, made_of):
            return None
        temperature = request.temperature
        if temperature is None:
            temperature = made_of["defaults"]["temperature"]
        has_seed = request.seed is not None and request.answer_cache != "greedy"
        if not has_seed and temperature > 0:
            return None
        try:
            seed = str(request.seed) if has_seed else None
            content = to_canonical([fingerprint, seed, content_of(request)])
        except InvalidRequest:  # numbers that have no canonical form
            return None
        salt = hashlib.sha256((request.cache_salt or "").encode("utf-8", "surrogatepass")).hexdigest()
        return Key(salt, hashlib.sha256(content).hexdigest(), has_seed)

    def join(self, key: Key) -> tuple[Flight, bool]:
        """The flight of a request, and whether it begins with this caller, who must let it land."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = Flight(lambda: self._forget_flight(key))
            return flight, True

    def read(self, key: Key) -> KeptAnswer | None:
        """The answer that is kept; None if there is none."""
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        head = len(_FORMAT) + _HASH_BYTES
        body = raw[head:]
        if raw[:head] != _FORMAT + _seal(key, body):  # damaged, or of another place or version
            self._remove(path, len(raw))
            return None
        answer = KeptAnswer(**json.loads(body))
        if self._expiry_s and time.time() - answer.created > self._expiry_s:
            self._remove(path, len(raw))
            return None
        with suppress(OSError):
            os.utime(path)  # it was used
        return answer

    def land(
        self, flight: Flight, key: Key, events: Sequence[Event], completion: Completion, prompt: Sequence[int]
    ) -> None:
        """Let a flight land with its answer, and keep that."""
        flight.land(self.keep(key, events, completion, prompt))

    def keep(
        self, key: Key, events: Sequence[Event], completion: Completion, prompt: Sequence[int]
    ) -> KeptAnswer | None:
        """Keep an answer, and return it; None if it depends on a seed that was drawn."""
        if not key.has_seed and any(isinstance(event, ToolCallDelta) for event in events):
            return None  # the ids of calls are made of the seed
        answer = KeptAnswer(
            [list(piece) for piece in encode_stream(_join(events))],
            time.time(),
            list(completion.token_ids),
            list(prompt),
            completion.finish_reason,
            completion.usage.to_dict(),
            completion.stop_string,
        )
        self._writer.submit(self._write, key, answer)
        return answer

    def forget(self, salt: str) -> None:
        """Delete all answers to requests with a cache salt."""
        name = hashlib.sha256(salt.encode("utf-8", "surrogatepass")).hexdigest()
        self._writer.submit(self._forget, name).result()

    def close(self) -> None:
        """Wait until all is written."""
        self._writer.shutdown()

    def _forget(self, name: str) -> None:
        with suppress(OSError):
            shutil.rmtree(self._folder / name)
        with self._lock:
            self._bytes = sum(size for _, size, _ in self._list_files())

    def _forget_flight(self, key: Key) -> None:
        with self._lock:
            self._flights.pop(key, None)

    def _write(self, key: Key, answer: KeptAnswer) -> None:
        body = json.dumps(asdict(answer)).encode()
        raw = _FORMAT + _seal(key, body) + body
        if len(raw) > self._max_bytes // _MAX_SHARE:
            return
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = path.with_name(f"{path.name}.part")
            part.write_bytes(raw)
            part.chmod(0o600)
            before = path.stat().st_size if path.exists() else 0
            part.replace(path)
        except OSError as error:
            LOGGER.warning("An answer cannot be kept in %s: %s", self._folder, error.strerror)
            return
        with self._lock:
            self._bytes += len(raw) - before
            is_full = self._bytes > self._max_bytes
        if is_full:
            self._make_room()

    def _make_room(self) -> None:
        """Delete what was not used for the longest time, down to nine tenths of the size."""
        files = sorted(self._list_files())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total <= 0.9 * self._max_bytes:
                break
            with suppress(OSError):
                path.unlink()
            total -= size
        with self._lock:
            self._bytes = total

    def _remove(self, path: Path, size: int) -> None:
        with suppress(OSError):
            path.unlink()
            with self._lock:
                self._bytes -= size

    def _list_files(self) -> Iterator[tuple[float, int, Path]]:
        """When each file was last used, its size and its path."""
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                stat = path.stat()
                yield stat.st_mtime, stat.st_size, path

    def _path(self, key: Key) -> Path:
        return self._folder / key.salt / key.name


def _reads_clock(request: Request, made_of: Any) -> bool:
    """Whether the prompt may be another one tomorrow."""
    own = request.chat_template
    return request.is_chat and (bool(made_of.get("clock")) if own is None else CLOCK in own)


def _seal(key: Key, body: bytes) -> bytes:
    return hashlib.sha256(f"{key.salt} {key.name} ".encode() + body).digest()


def _join(events: Sequence[Event]) -> list[Event]:
    """The events, neighbours of the same text joined."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, Text) and isinstance(last, Text):
            joined[-1] = Text(last.text + event.text)
        elif isinstance(event, Reasoning) and isinstance(last, Reasoning):
            joined[-1] = Reasoning(last.text + event.text)
        else:
            joined.append(event)
    return joined
