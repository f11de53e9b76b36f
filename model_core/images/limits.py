"""How large an image may be. It imports nothing, so that the command line starts fast."""

from dataclasses import dataclass

MAX_PIXELS = 2**26  # that the process which decodes images has memory for


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
