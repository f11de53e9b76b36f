"""Encodes images beside a running engine, and keeps the rows of the last ones."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..errors import ShuttingDown
from ..families.vision.parts import ImagePart
from ..requests.cache_salts import is_of_salt
from .tower import LoadedTower
from .tower_model import EncodingStopped, PiecePace

LOGGER = logging.getLogger(__name__)
# Bytes of rows that are kept: 32 images of 1,024 rows for a text model with 2,048 columns. A second question
# on an image finds its pages in the prefix cache, and needs no rows; they are for pages that were evicted.
MAX_KEPT_BYTES = 2**28
# The cache salt of a request, and the digest of a part of its image: requests of different salts share no
# rows, so that no time tells one of them which images another has sent.
_Key = tuple[str, bytes]


@dataclass
class _Wanted:
    """A part of an image to encode, and who wants it."""

    part: ImagePart
    owners: set[object] = field(default_factory=set)


class ImageEncoder:
    """One thread that encodes images in turns with a text model. Its methods may be called from any thread.

    Attributes:
        tower: computes the rows. config: of the tower.
        encoded: how many parts of images were encoded.
    """

    def __init__(self, tower: LoadedTower, piece_s: float, max_bytes: int = MAX_KEPT_BYTES) -> None:
        """`piece_s`: seconds that others wait for a turn, about. `max_bytes`: of rows that are kept."""
        self.config, self.encoded = tower.config, 0
        self.tower, self._piece_s, self._max_bytes = tower, piece_s, max_bytes
        self._condition = threading.Condition()  # guards what follows
        self._listeners: list[Callable[[], None]] = []
        self._wanted: OrderedDict[_Key, _Wanted] = OrderedDict()  # the first one is next
        self._rows: OrderedDict[_Key, np.ndarray] = OrderedDict()  # the least recently used first
        self._errors: dict[tuple[_Key, object], BaseException] = {}  # by owner, who asks once more
        self._bytes = 0
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="encoder", daemon=True)
        self._thread.start()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function whenever an image is encoded, or cannot be. Twice the same is called once."""
        with self._condition:
            if listener not in self._listeners:
                self._listeners.append(listener)

    def find(self, part: ImagePart, salt: str, owner: object) -> np.ndarray | None:
        """The rows of a part of an image, float32 [parts, rows, width]. None: they will be encoded.

        Then the listeners are called. `salt`: the cache salt of the owner. Raises what encoding has raised
        for this owner.
        """
        key = salt, part.digest
        with self._condition:
            error = self._errors.pop((key, owner), None)
            if error is not None:
                raise error
            rows = self._rows.get(key)
            if rows is not None:
                self._rows.move_to_end(key)
                return rows
            if key not in self._wanted:
                self._wanted[key] = _Wanted(part)
                self._condition.notify_all()
            self._wanted[key].owners.add(owner)
            return None

    def wait_for(self, part: ImagePart, salt: str, owner: object) -> np.ndarray:
        """The rows of a part of an image, as `find`, when they are there. Raises ShuttingDown, too."""
        with self._condition:
            while (rows := self.find(part, salt, owner)) is None:
                if self._is_closing:
                    raise ShuttingDown("the model is closed.")
                self._condition.wait()
        return rows

    def leave(self, owner: object) -> None:
        """Note that an owner wants nothing any more. What nobody wants is not encoded."""
        with self._condition:
            for key, wanted in list(self._wanted.items()):
                wanted.owners.discard(owner)
                if not wanted.owners:
                    del self._wanted[key]
            for of_owner in [each for each in self._errors if each[1] is owner]:
                del self._errors[of_owner]

    def forget(self, salt: str) -> None:
        """Delete the rows that are kept for a cache salt, and for those that go on after it with a slash."""
        with self._condition:
            for key in [key for key in self._rows if is_of_salt(salt, key[0])]:
                self._bytes -= self._rows.pop(key).nbytes

    def close(self) -> None:
        """End the thread."""
        with self._condition:
            self._is_closing = True
            self._wanted.clear()
            self._condition.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._wanted or self._is_closing)
                if self._is_closing:
                    return
                key, wanted = next(iter(self._wanted.items()))
            pace = PiecePace(self._piece_s, lambda key=key: key in self._wanted)  # type: ignore[misc]
            try:
                rows: np.ndarray | BaseException = self.tower.encode(wanted.part, pace)
            except EncodingStopped:
                continue
            except BaseException as error:  # whatever it is, it concerns these requests alone
                LOGGER.exception("An image could not be encoded")
                rows = error
            with self._condition:
                self._finish(key, rows)
                self._condition.notify_all()
                listeners = list(self._listeners)
            for listener in listeners:
                listener()

    def _finish(self, key: _Key, rows: np.ndarray | BaseException) -> None:
        """Keep rows, or tell those who want them why there are none."""
        wanted = self._wanted.pop(key, None)
        if isinstance(rows, BaseException):
            for owner in () if wanted is None else wanted.owners:
                self._errors[key, owner] = rows
            return
        self.encoded += 1
        self._rows[key] = rows
        self._bytes += rows.nbytes
        while self._bytes > self._max_bytes and len(self._rows) > 1:
            _, oldest = self._rows.popitem(last=False)
            self._bytes -= oldest.nbytes
