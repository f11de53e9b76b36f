"""Image files for tests: written by Pillow, or by hand where Pillow would not."""

import io
import struct
import zlib
from typing import Any

from PIL import Image

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def write_image(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    """A file with an image."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def corner_image(mode: str = "RGB") -> Image.Image:
    """40 x 30 pixels, red, with a green corner at the upper left and a blue one at the upper right."""
    image = Image.new("RGB", (40, 30), RED)
    image.paste(GREEN, (0, 0, 10, 10))
    image.paste(BLUE, (30, 0, 40, 10))
    return image.convert(mode)


def write_png(
    width: int, height: int, color_type: int, rows: bytes, *, depth: int = 8, extra: bytes = b""
) -> bytes:
    """A PNG file of any header, which need not fit its rows. extra: further chunks."""
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, 0)
    chunks = write_chunk(b"IHDR", header) + extra + write_chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + chunks + write_chunk(b"IEND", b"")


def write_chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
