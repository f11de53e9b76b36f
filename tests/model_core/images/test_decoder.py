"""Image files are decoded to pixels, or refused in one sentence, in bounded memory and time."""

import io
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from image_files import BLUE, GREEN, RED, WHITE, corner_image, write_chunk, write_image, write_png
from PIL import Image

from model_core.errors import InvalidRequest
from model_core.images.decoder import ImageDecoder
from model_core.images.limits import ImageLimits

PLACE = "messages[0].content[1]"


@pytest.fixture(scope="module")
def decoder() -> Iterator[ImageDecoder]:
    decoder = ImageDecoder()
    yield decoder
    decoder.close()


def refusal(decoder: ImageDecoder, data: bytes) -> str:
    with pytest.raises(InvalidRequest) as caught:
        decoder.decode(data, PLACE)
    assert caught.value.param == PLACE
    sentence = str(caught.value)
    assert sentence.startswith(f"{PLACE} ") and sentence.endswith(".") and "\n" not in sentence
    return sentence


def colors(decoder: ImageDecoder, data: bytes) -> list[tuple[int, ...]]:
    """The colors of the corners: upper left, upper right, lower left, lower right."""
    values = decoder.decode(data, PLACE).values
    return [tuple(values[row, column].tolist()) for row in (0, -1) for column in (0, -1)]


@pytest.mark.parametrize("form", ["PNG", "GIF", "WEBP"])
def test_lossless_files_have_the_pixels_that_were_written(decoder: ImageDecoder, form: str) -> None:
    data = write_image(corner_image(), form, **({"lossless": True} if form == "WEBP" else {}))

    values = decoder.decode(data, PLACE).values

    assert values.dtype == np.uint8
    np.testing.assert_array_equal(values, np.asarray(corner_image()))


def test_jpeg_files_are_decoded(decoder: ImageDecoder) -> None:
    data = write_image(corner_image(), "JPEG", quality=100, subsampling=0)

    values = decoder.decode(data, PLACE).values

    np.testing.assert_allclose(values.astype(int), np.asarray(corner_image()).astype(int), atol=3)
    gray = decoder.decode(write_image(corner_image("L"), "JPEG"), PLACE).values
    assert (gray[..., 0] == gray[..., 1]).all()


def test_inks_of_printers_become_colors(decoder: ImageDecoder) -> None:
    data = write_image(corner_image("CMYK"), "JPEG", quality=100)

    assert np.abs(np.subtract(colors(decoder, data)[2], RED)).max() < 10


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_few_colors_become_three_channels(decoder: ImageDecoder, mode: str) -> None:
    image = corner_image(mode)

    values = decoder.decode(write_image(image), PLACE).values

    np.testing.assert_array_equal(values, np.asarray(image.convert("RGB")))


def test_what_is_transparent_is_white(decoder: ImageDecoder) -> None:
    image = corner_image("RGBA")
    image.putpixel((0, 0), (0, 0, 0, 0))
    image.putpixel((39, 0), (0, 0, 255, 128))

    for form in ("PNG", "WEBP"):
        data = write_image(image, form, **({"lossless": True} if form == "WEBP" else {}))
        assert colors(decoder, data) == [WHITE, (127, 127, 255), RED, RED]


def test_transparent_entries_of_palettes_and_shades_are_white(decoder: ImageDecoder) -> None:
    palette = Image.new("P", (2, 1))
    palette.putpalette([*RED, *GREEN])
    palette.putpixel((1, 0), 1)
    gray = Image.new("L", (2, 1))
    gray.putpixel((1, 0), 90)

    assert colors(decoder, write_image(palette, transparency=1))[:2] == [RED, WHITE]
    assert colors(decoder, write_image(palette, "GIF", transparency=0))[:2] == [WHITE, GREEN]
    assert colors(decoder, write_image(gray, transparency=90))[:2] == [(0, 0, 0), WHITE]


def test_gray_of_16_bits_has_its_upper_half(decoder: ImageDecoder) -> None:
    row = b"\0" + struct.pack(">3H", 0x12FF, 0xFE00, 0x1200)

    values = decoder.decode(write_png(3, 1, 0, row, depth=16), PLACE).values
    with_shade = write_png(3, 1, 0, row, depth=16, extra=write_chunk(b"tRNS", struct.pack(">H", 0x1200)))

    assert values[0, :, 0].tolist() == [0x12, 0xFE, 0x12]
    assert decoder.decode(with_shade, PLACE).values[0, :, 0].tolist() == [0x12, 0xFE, 0xFF]


def test_colors_of_16_bits_have_their_upper_half(decoder: ImageDecoder) -> None:
    row = b"\0" + struct.pack(">3H", 0x1234, 0xABCD, 0x00FF)

    assert decoder.decode(write_png(1, 1, 2, row, depth=16), PLACE).values.tolist() == [[[0x12, 0xAB, 0]]]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_photos_are_upright(decoder: ImageDecoder, orientation: int) -> None:
    image, exif = corner_image(), Image.Exif()
    exif[0x0112] = orientation
    undo = {
        2: [Image.Transpose.FLIP_LEFT_RIGHT],
        3: [Image.Transpose.ROTATE_180],
        4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE],
        6: [Image.Transpose.ROTATE_90],
        7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }
    for step in undo.get(orientation, []):
        image = image.transpose(step)

    for form in ("PNG", "JPEG", "WEBP"):
        options = {"lossless": True} if form == "WEBP" else {"quality": 100, "subsampling": 0}
        values = decoder.decode(write_image(image, form, exif=exif, **options), PLACE).values
        np.testing.assert_allclose(values.astype(int), np.asarray(corner_image()).astype(int), atol=3)


def test_broken_notes_of_the_camera_say_nothing(decoder: ImageDecoder) -> None:
    data = write_image(corner_image(), "JPEG", exif=b"Exif\0\0MM\0\x2a\xff\xff\xff\xff nonsense")

    assert decoder.decode(data, PLACE).values.shape == (30, 40, 3)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_of_animations_the_first_frame_counts(decoder: ImageDecoder, form: str) -> None:
    frames = [corner_image(), Image.new("RGB", (40, 30), BLUE), Image.new("RGB", (40, 30), WHITE)]
    options = {"lossless": True} if form == "WEBP" else {}

    data = write_image(frames[0], form, save_all=True, append_images=frames[1:], **options)

    assert colors(decoder, data) == [GREEN, BLUE, RED, RED]


def test_pixels_have_the_same_digest_whatever_the_file(decoder: ImageDecoder) -> None:
    png, gif = (decoder.decode(write_image(corner_image(), form), PLACE) for form in ("PNG", "GIF"))
    other = decoder.decode(write_image(corner_image("L")), PLACE)

    assert png.digest == gif.digest != other.digest


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is no PNG, JPEG, WebP or GIF"),
        (b"hello", "is no PNG, JPEG, WebP or GIF"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is no PNG, JPEG, WebP or GIF"),
        (b"%PDF-1.7\n", "is no PNG, JPEG, WebP or GIF"),
        (write_image(corner_image(), "BMP"), "is no PNG, JPEG, WebP or GIF"),
        (write_image(corner_image(), "TIFF"), "is no PNG, JPEG, WebP or GIF"),
        (write_image(corner_image())[:60], "is damaged"),
        (write_image(corner_image(), "JPEG")[:-200], "is damaged"),
        (write_image(corner_image(), "WEBP")[:-20], "is"),
        (write_image(corner_image(), "GIF")[:90], "is damaged"),
        (write_png(10, 10, 2, b"\0" * 50), "is damaged"),
        (
            write_png(60_000, 60_000, 2, b"\0"),
            "has 60000 x 60000 pixels, but 40000000 together are the limit",
        ),
        (write_png(2**31 - 1, 2**31 - 1, 2, b"\0"), "are the limit"),
        (write_png(0, 10, 2, b"\0"), "is"),
        (b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0) + b";", "is"),
        (b"\xff\xd8\xff\xe0" + b"\xff" * 1000, "is"),
    ],
)
def test_other_files_are_refused_in_one_sentence(decoder: ImageDecoder, data: bytes, reason: str) -> None:
    assert reason in refusal(decoder, data)


def test_what_unpacks_to_far_more_is_refused() -> None:
    decoder = ImageDecoder(ImageLimits(pixels=1000))
    rows = b"\0" * 2**25
    notes = write_chunk(b"zTXt", b"a\0\0" + write_png(1, 1, 0, rows)[41:-16])

    assert "1000 together" in refusal(decoder, write_png(1001, 1, 0, b"\0" * 1002))
    assert decoder.decode(write_png(10, 10, 0, b"\0" * 110 + rows), PLACE).values.shape == (10, 10, 3)
    assert "is damaged" in refusal(decoder, write_png(1, 1, 0, b"\0\0", extra=notes))
    decoder.close()


def test_large_files_are_refused_unread() -> None:
    assert "has 101 bytes, but 100 are the limit" in refusal(ImageDecoder(ImageLimits(bytes=100)), b"x" * 101)


@pytest.mark.parametrize("size", [(100_000, 1), (1, 201), (4020, 20)])
def test_long_lines_are_refused(decoder: ImageDecoder, size: tuple[int, int]) -> None:
    """Resizing takes time for each row and column, and some models take an image of any ratio."""
    assert "a side may be at most 200 times" in refusal(decoder, write_image(Image.new("RGB", size, RED)))


def test_lines_are_images(decoder: ImageDecoder) -> None:
    data = write_image(Image.new("RGB", (20_000, 100), RED))
    assert decoder.decode(data, PLACE).values.shape == (100, 20_000, 3)


def test_frame_beyond_its_animation_stays_within_limits() -> None:
    decoder = ImageDecoder(ImageLimits(pixels=2000))
    data = bytearray(write_image(corner_image(), "GIF"))
    at = data.index(b",\0\0\0\0")
    data[at + 5 : at + 9] = struct.pack("<HH", 60_000, 60_000)

    try:
        values = decoder.decode(bytes(data), PLACE).values
    except InvalidRequest:
        pass
    else:
        assert values.size <= 3 * 2000
    decoder.close()


def test_process_that_has_ended_is_started_again(decoder: ImageDecoder) -> None:
    data = write_image(corner_image())
    first = decoder.decode(data, PLACE)
    decoder.close()

    assert decoder.decode(data, PLACE).digest == first.digest


def test_largest_images_fit_into_the_memory_of_the_process(decoder: ImageDecoder) -> None:
    image, exif = Image.new("RGBA", (8000, 5000), (0, 0, 0, 0)), Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1, exif=exif)

    values = decoder.decode(file.getvalue(), PLACE).values

    assert values.shape == (8000, 5000, 3) and (values[::1000] == 255).all()
