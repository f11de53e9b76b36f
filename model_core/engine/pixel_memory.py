"""How much memory the images of unfinished requests take."""

from collections import Counter
from collections.abc import Sequence

from ..errors import QueueFull
from ..families.vision.parts import ImagePart, ImageSpan

MAX_BYTES = 2**30  # of pixels: those of 400 images of Gemma 3


class PixelMemory:
    """Counts the pixels that requests hold until they end. An image that several of them hold counts once."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.bytes, self._max_bytes = 0, max_bytes
        self._held: dict[object, list[ImagePart]] = {}  # by request
        self._holders: Counter[ImagePart] = Counter()

    def check(self, images: Sequence[ImageSpan]) -> None:
        """Raises QueueFull if there is no room for these images. If no others are held, there is."""
        new = sum(part.values.nbytes for part in {image.part for image in images} - self._holders.keys())
        if new and self.bytes and self.bytes + new > self._max_bytes:
            raise QueueFull(
                f"the images of the requests that run and wait take {self.bytes / 2**20:.0f} MiB of memory, "
                f"and {self._max_bytes >> 20} are the limit; try again in a moment."
            )

    def add(self, holder: object, images: Sequence[ImageSpan]) -> None:
        """Note that a request holds images."""
        if images:
            self._held[holder] = parts = [image.part for image in images]
            for part in parts:
                self.bytes += 0 if self._holders[part] else part.values.nbytes
                self._holders[part] += 1

    def remove(self, holder: object) -> None:
        """Note that a request has ended. Does nothing if it holds no images."""
        for part in self._held.pop(holder, ()):
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self.bytes -= part.values.nbytes
