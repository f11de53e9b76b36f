"""Resized images have the bytes that Pillow had when models were trained.

The digests are those of Pillow 9.5 to 12.2. Newer versions resize tall images along columns first.
"""

import hashlib

import numpy as np
import pytest
from PIL import Image

from model_core.images.image import make_pixels
from model_core.images.resize import resize

KINDS = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}
KINDS["lanczos"] = Image.Resampling.LANCZOS


def noise(height: int, width: int) -> np.ndarray:
    """Pixels that every version of NumPy makes."""
    numbers = np.arange(height * width * 3, dtype=np.uint32) * np.uint32(2654435761)
    return (numbers >> np.uint32(24)).astype(np.uint8).reshape(height, width, 3)


@pytest.mark.parametrize(
    ("size", "new_size", "kind", "digest"),
    [
        ((300, 40), (28, 28), "bicubic", "59a656b7bd5d2a71"),
        ((300, 40), (28, 28), "bilinear", "0fd920fd7100d4ae"),
        ((300, 40), (28, 28), "lanczos", "9630d6b27460ee25"),
        ((64, 48), (224, 112), "bicubic", "53ee4627486a0ff4"),
        ((64, 48), (224, 112), "bilinear", "5974f4a177bdaa41"),
        ((64, 48), (224, 112), "lanczos", "8a7bdef93b84e437"),
        ((97, 201), (56, 84), "bicubic", "c68471d9f3f16aa0"),
        ((97, 201), (56, 84), "bilinear", "c4ee245ea91330e0"),
        ((97, 201), (56, 84), "lanczos", "8971bdc2b1a0e35b"),
        ((500, 3), (2, 9), "bicubic", "07519ee6f7d6334b"),
        ((500, 3), (2, 9), "bilinear", "e27802684e3618fd"),
        ((500, 3), (2, 9), "lanczos", "9785239aa22e3416"),
    ],
)
def test_bytes_are_those_of_the_old_pillow(
    size: tuple[int, int], new_size: tuple[int, int], kind: str, digest: str
) -> None:
    resized = resize(noise(*size), *new_size, kind)

    assert resized.shape == (*new_size, 3)
    assert hashlib.sha256(resized.tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_wide_images_are_those_of_any_pillow(kind: str) -> None:
    for size, new_size in (
        ((30, 90), (11, 40)),
        ((30, 90), (70, 20)),
        ((9, 9), (50, 70)),
        ((5, 400), (5, 1)),
    ):
        values = noise(*size)

        resized = resize(values, *new_size, kind)

        expected = Image.fromarray(values).resize(new_size[::-1], KINDS[kind])
        np.testing.assert_array_equal(resized, np.asarray(expected))


def test_same_size_has_the_same_bytes() -> None:
    values = noise(7, 5)

    np.testing.assert_array_equal(resize(values, 7, 5, "bicubic"), values)


def test_plain_colors_stay_as_they_are() -> None:
    for value in (0, 1, 127, 254, 255):
        values = np.full((13, 17, 3), value, np.uint8)

        assert (resize(values, 31, 5, "lanczos") == value).all()


def test_layout_in_memory_changes_nothing() -> None:
    values = noise(20, 30)

    flipped = resize(np.asfortranarray(values), 9, 13, "bicubic")

    np.testing.assert_array_equal(flipped, resize(values, 9, 13, "bicubic"))


def test_digests_tell_sizes_apart() -> None:
    assert make_pixels(noise(4, 6)).digest != make_pixels(noise(4, 6).reshape(6, 4, 3)).digest
    assert make_pixels(noise(4, 6)).digest == make_pixels(noise(4, 6)).digest
