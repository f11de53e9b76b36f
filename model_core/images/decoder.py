"""Decodes image files, in a process with limits that is restarted if it has ended."""

import threading
from dataclasses import dataclass, field

import numpy as np
import PIL
from PIL import features

from ..errors import InvalidRequest, QueueFull
from ..machine.limited_process import WALL_TIME_LIMIT_S, LimitedProcess, ProcessEnded, TooSlow
from . import decode_program
from .image import Pixels, make_pixels
from .limits import DEFAULT_LIMITS, ImageLimits


@dataclass
class ImageDecoder:
    """Decodes one image at a time. May be called from any thread. `close` ends the process."""

    limits: ImageLimits = DEFAULT_LIMITS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _child: LimitedProcess | None = None

    def decode(self, data: bytes, place: str) -> Pixels:
        """The pixels of a PNG, JPEG, WebP or GIF file, of an animation its first frame.

        They are upright, and white where they are transparent. Raises InvalidRequest with one sentence about
        the image in a `place` of the request, such as messages[0].content[1], or QueueFull.
        """
        if len(data) > self.limits.bytes:
            raise refuse(
                place,
                f"has {len(data)} bytes, but {self.limits.bytes} are the limit (--max-image-bytes); send a "
                "smaller one",
            )
        reply = self._request(self.limits.pixels.to_bytes(8, "little") + data, place)
        height, width = (int.from_bytes(reply[start : start + 4], "little") for start in (0, 4))
        if not height:
            raise refuse(place, reply[8:].decode())
        return make_pixels(np.frombuffer(reply, np.uint8, offset=8).reshape(height, width, 3))

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._child is not None:
                self._child.end()

    def _request(self, request: bytes, place: str) -> bytes:
        if not self._lock.acquire(timeout=WALL_TIME_LIMIT_S):
            raise QueueFull(f"{place} waits for other images that are being read; try again.", place)
        try:
            if self._child is None or not self._child.is_alive():
                self._child = LimitedProcess(decode_program.__file__)
            return self._child.request(request)
        except TooSlow:
            raise refuse(place, f"takes longer than {decode_program.TIME_LIMIT_S:g} s to be read") from None
        except (ProcessEnded, OSError):
            raise refuse(place, "cannot be read: the process that reads it has ended") from None
        finally:
            self._lock.release()


def name_versions() -> dict[str, str]:
    """The versions of what decodes images; another one may give other pixels.

    PNG and GIF files lose nothing, so that Pillow's own version is enough for them.
    """
    found = {"pillow": PIL.__version__}
    for name in ("jpg", "libjpeg_turbo", "webp"):
        if number := features.version(name):
            found[name] = number
    return found


def refuse(place: str, reason: str) -> InvalidRequest:
    """The error for an image, whose sentence begins with its place in the request."""
    return InvalidRequest(f"{place} {reason}.", place)
