"""The program that decodes image files, in its own process with limits.

A file of a few bytes may unpack to gigabytes, and decoders are large programs in C. `decoder.py` starts this
process and keeps it. A request is the most pixels that an image may have, as 8 bytes, little-endian, and a
file. The reply is height and width, of 4 bytes each, and the pixels: three bytes each, red, green and blue,
by rows. Or it begins with 8 zero bytes; an error follows, as the end of a sentence about the image.
"""

import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[2:]

import io
import logging
import warnings

from PIL import Image, ImageChops, WebPImagePlugin

from model_core.images.limits import MAX_RATIO, is_too_narrow
from model_core.machine.limited_program import serve

MEMORY = 2**30  # bytes of address space; the largest images take two thirds of it
TIME_LIMIT_S = 20.0  # of processor time; 40 million pixels take 1 to 3 s
FORMATS = ("PNG", "JPEG", WebPImagePlugin.WebPImageFile.format, "GIF")
_NO_SIZE = bytes(8)
_ORIENTATION = 0x0112  # the tag in EXIF
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class _Refused(Exception):
    """An image that is not decoded; the message is the end of a sentence."""


def decode(data: bytes, max_pixels: int) -> Image.Image:
    """The first frame of a file as RGB, upright, and with white where it is transparent.

    Raises any exception for damaged files.
    """
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.UnidentifiedImageError:
        raise _Refused("is no PNG, JPEG, WebP or GIF file, or its beginning is damaged") from None
    _check_size(image, max_pixels)
    image.load()
    _check_size(image, max_pixels)
    flat, turn = _flatten(image), _TURNS.get(_find_orientation(image))
    return flat if turn is None else flat.transpose(turn)


def _check_size(image: Image.Image, max_pixels: int) -> None:
    width, height = image.size
    if width * height > max_pixels:
        raise _Refused(
            f"has {width} x {height} pixels, but {max_pixels} together are the limit (--max-image-pixels); "
            "send a smaller one"
        )
    if not width * height:
        raise _Refused("has no pixels")
    if is_too_narrow(width, height):
        raise _Refused(
            f"has {width} x {height} pixels, but a side may be at most {MAX_RATIO} times as long as the other"
        )


def _find_orientation(image: Image.Image) -> int:
    """How the camera was held, 1 to 8. Broken notes of the camera say nothing."""
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:
        return 1


def _flatten(image: Image.Image) -> Image.Image:
    """The pixels as RGB, on white."""
    if image.mode.startswith("I;16"):
        return _flatten_16_bit(image)
    if not image.has_transparency_data:
        return image if image.mode == "RGB" else image.convert("RGB")
    if image.mode != "RGBA":
        image = image.convert("RGBA")
    flat = Image.new("RGB", image.size, "white")
    flat.paste(image, mask=image)
    return flat


def _flatten_16_bit(image: Image.Image) -> Image.Image:
    """Gray of 16 bits, of which the upper eight count. One shade may be transparent."""
    data, is_big_endian = image.tobytes(), image.mode.endswith("B")
    upper, lower = (
        Image.frombytes("L", image.size, data[start::2]) for start in ((0, 1) if is_big_endian else (1, 0))
    )
    flat, shade = upper.convert("RGB"), image.info.get("transparency")
    if isinstance(shade, int):
        masks = [
            part.point([255 * (value == wanted) for value in range(256)])
            for part, wanted in ((upper, shade >> 8), (lower, shade & 255))
        ]
        flat.paste("white", mask=ImageChops.darker(*masks))
    return flat


def _handle(request: bytes) -> bytes:
    try:
        image = decode(request[8:], int.from_bytes(request[:8], "little"))
        width, height = image.size
        return height.to_bytes(4, "little") + width.to_bytes(4, "little") + image.tobytes()
    except _Refused as error:
        reason = str(error)
    except MemoryError:
        reason = f"needs more than {MEMORY >> 20} MiB of memory to be read"
    except Exception:  # of damaged files, decoders raise all kinds
        reason = "is damaged"
    return _NO_SIZE + reason.encode()


if __name__ == "__main__":
    logging.disable()
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # each request has a limit of its own
    Image.preinit()  # imports what reads the other formats
    serve(_handle, MEMORY, lambda _: TIME_LIMIT_S)
