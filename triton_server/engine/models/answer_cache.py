"""Whole answers on disk, by all that they depend on, so that the same request costs nothing the second time.

An answer belongs to its model's fingerprint, to the request, to the seed and to the cache salt, which the
HTTP service makes of the owner: nobody gets an answer that another one has asked for. Equal requests under
way wait for the first one of them. What is kept is data: a damaged file is no answer.
"""

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from model_core.answers.writer import join_events
from model_core.chat.template import CLOCK
from model_core.errors import InvalidRequest, StorageError
from model_core.requests.events import Event, ToolCallDelta, Usage
from model_core.requests.results import Completion

from ...contract.codec import decode_piece, encode_stream
from ...contract.request_fields import Request
from ...receipts.canonical import content_of, to_canonical

LOGGER = logging.getLogger(__name__)
_FORMAT = b"tritonchat-answer-1\n"
_HASH_BYTES = 32
_MAX_SHARE = 8  # an answer takes at most this part of the cache
_MAX_UNWRITTEN = 64  # answers that wait for the disk; while there are so many, further ones are not kept
_MAX_TIDY_INTERVAL_S = 3600.0


@dataclass(frozen=True)
class Key:
    """Where an answer is kept.

    Attributes:
        salt, name: of its folder, which has all answers of an owner, and of its file.
        fingerprint: of what computes it.
        has_seed: whether it is that of one seed alone.
        is_common: whether equal requests have the same answer in any case.
    """

    salt: str
    name: str
    fingerprint: str
    has_seed: bool
    is_common: bool


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


class Computation:
    """A request that is being computed, while equal ones may wait for it. `finish` ends their waiting.

    Attributes:
        key: where the answer is to be kept.
        answer: for those who wait; None: there is none.
        is_own: whether there is none because it belongs to this request alone, so that each computes its own.
        is_forgotten: whether the answer is not to be kept any more.
    """

    def __init__(self, key: Key, end: Callable[["Computation"], None]) -> None:
        self.key = key
        self.answer: Future[KeptAnswer | None] = Future()
        self.is_own = self.is_forgotten = False
        self._end = end

    def finish(self, answer: KeptAnswer | None = None) -> None:
        """Give the others the answer; None: there is none, and one of them computes it."""
        if not self.answer.done():
            self._end(self)
            self.answer.set_result(answer)


class _File(NamedTuple):
    """A file of the cache. `used`, `created`: when it was, in seconds since 1970."""

    used: float
    created: float
    size: int
    path: Path


class AnswerCache:
    """Keeps answers in a folder. Any thread may call the methods; those with files take a while."""

    def __init__(self, folder: Path, max_bytes: int, expiry_s: float = 0.0) -> None:
        """`expiry_s`: after which an answer is not given any more, and soon deleted; 0: never."""
        self._folder, self._max_bytes, self._expiry_s = folder, max_bytes, expiry_s
        self._lock = threading.Lock()  # guards the fields below
        self._shared: dict[Key, Computation] = {}  # for which others wait
        self._running: set[Computation] = set()
        self._unwritten: dict[Key, KeptAnswer] = {}  # that wait for the writer
        self._bytes = 0
        self._is_closed = threading.Event()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="answer-cache")
        self._submit(self._tidy)
        if expiry_s:
            threading.Thread(target=self._tidy_often, name="answer-cache-expiry", daemon=True).start()

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
        salt = request.cache_salt or ""
        name = hashlib.sha256(_hash(salt).encode() + content).hexdigest()
        return Key(_folder_of(salt), name, fingerprint, has_seed, has_seed or not request.tools)

    def begin(self, key: Key, waits: bool = True) -> tuple[Computation, bool]:
        """The computation of a request, and whether it begins with this caller, who must finish it.

        `waits`: whether the caller may wait for that of an equal request.
        """
        with self._lock:
            known = self._shared.get(key)
            if known is not None and waits:
                return known, False
            computation = Computation(key, self._end)
            self._running.add(computation)
            if known is None and key.is_common:
                self._shared[key] = computation
            return computation, True

    def read(self, key: Key) -> KeptAnswer | None:
        """The answer that is kept; None if there is none."""
        path = self._path(key)
        with self._lock:
            unwritten = self._unwritten.get(key)
        if unwritten is not None:
            return unwritten
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
        with suppress(OSError):  # it was used; the other time is that of its age
            os.utime(path, (time.time(), answer.created))
        return answer

    def keep(
        self, computation: Computation, events: Sequence[Event], completion: Completion, prompt: Sequence[int]
    ) -> KeptAnswer | None:
        """Finish a computation, keep and return its answer; None if that is for a drawn seed alone."""
        if not computation.key.has_seed and any(isinstance(event, ToolCallDelta) for event in events):
            computation.is_own = True  # the ids of calls are made of the seed
            computation.finish()
            return None
        answer = KeptAnswer(
            [list(piece) for piece in encode_stream(join_events(events))],
            time.time(),
            list(completion.token_ids),
            list(prompt),
            completion.finish_reason,
            completion.usage.to_dict(),
            completion.stop_string,
        )
        with self._lock:
            is_kept = not computation.is_forgotten and len(self._unwritten) < _MAX_UNWRITTEN
            if is_kept and self._submit(self._write, computation.key, answer) is not None:
                self._unwritten[computation.key] = answer
        computation.finish(answer)
        return answer

    def forget(self, salt: str) -> None:
        """Delete all answers to requests whose cache salts begin as this one, up to the first slash.

        Of those that are computed just now, none is kept. Raises StorageError.
        """
        folder = _folder_of(salt)
        with self._lock:
            for computation in self._running:
                computation.is_forgotten |= computation.key.salt == folder
            for key in [key for key in self._unwritten if key.salt == folder]:
                del self._unwritten[key]
            done = self._submit(self._forget, folder)
        if done is None:
            self._forget(folder)
        else:
            done.result()

    def close(self) -> None:
        """Wait until all is written."""
        self._is_closed.set()
        self._writer.shutdown()

    def _submit(self, work: Callable[..., None], *arguments: Any) -> Future[None] | None:
        """Let the only thread that writes do something; None after the end."""
        try:
            return self._writer.submit(work, *arguments)
        except RuntimeError:
            return None

    def _end(self, computation: Computation) -> None:
        with self._lock:
            self._running.discard(computation)
            if self._shared.get(computation.key) is computation:
                del self._shared[computation.key]

    def _forget(self, name: str) -> None:
        folder = self._folder / name
        try:
            for path in folder.glob("*"):
                path.unlink(missing_ok=True)
            if folder.exists():
                folder.rmdir()
        except OSError as error:
            raise StorageError(f"the answers in {folder} cannot be deleted: {error.strerror}.") from error
        finally:
            self._tidy()

    def _write(self, key: Key, answer: KeptAnswer) -> None:
        try:
            self._write_file(key, answer)
        finally:
            with self._lock:
                self._unwritten.pop(key, None)

    def _write_file(self, key: Key, answer: KeptAnswer) -> None:
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
            self._tidy()

    def _tidy_often(self) -> None:
        while not self._is_closed.wait(min(max(self._expiry_s / 10, 1.0), _MAX_TIDY_INTERVAL_S)):
            self._submit(self._tidy)

    def _tidy(self) -> None:
        """Delete what is too old, and, if there is no room, what was not used for the longest time.

        Then there is a tenth of the size for others. Only the writer deletes folders, so that none goes while
        an answer is written.
        """
        files = sorted(self._list_files())
        total = sum(file.size for file in files)
        limit = self._max_bytes if total <= self._max_bytes else 0.9 * self._max_bytes
        oldest = time.time() - self._expiry_s if self._expiry_s else 0.0
        for file in files:
            if file.created < oldest or total > limit:
                with suppress(OSError):
                    file.path.unlink()
                    total -= file.size
        for folder in self._folder.glob("*"):
            with suppress(OSError):  # it is not empty
                folder.rmdir()
        with self._lock:
            self._bytes = total

    def _remove(self, path: Path, size: int) -> None:
        with suppress(OSError):
            path.unlink()
            with self._lock:
                self._bytes -= size

    def _list_files(self) -> Iterator[_File]:
        for path in self._folder.glob("*/*"):
            with suppress(OSError):
                stat = path.stat()
                yield _File(stat.st_atime, stat.st_mtime, stat.st_size, path)

    def _path(self, key: Key) -> Path:
        return self._folder / key.salt / key.name


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _folder_of(salt: str) -> str:
    """The name of the folder with the answers of all salts that begin so, up to the first slash."""
    return _hash(salt.partition("/")[0])


def _reads_clock(request: Request, made_of: Any) -> bool:
    """Whether the prompt may be another one tomorrow."""
    own = request.chat_template
    return request.is_chat and (bool(made_of.get("clock")) if own is None else CLOCK in own)


def _seal(key: Key, body: bytes) -> bytes:
    return hashlib.sha256(f"{key.salt} {key.name} ".encode() + body).digest()
