"""How large an image may be. It imports nothing, so that the command line starts fast."""

from dataclasses import dataclass

MAX_PIXELS = 2**26  # that the process which decodes images has memory for
MAX_RATIO = 200  # of the sides: that of Qwen's image processors. Resizing takes time for each row and column.


@dataclass(frozen=True)
class ImageLimits:
    """How large an image may be.

    Attributes:
        pixels: of an image.
        bytes: of its file.
    """

    pixels: int = 40_000_000
    bytes: int = 20 * 2**20


DEFAULT_LIMITS = ImageLimits()


def is_too_narrow(width: int, height: int) -> bool:
    """Whether one side is too long for the other."""
    return max(width, height) > MAX_RATIO * min(width, height)
