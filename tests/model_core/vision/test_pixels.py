"""Images are resized and cut as the image processors of Transformers do it (see make_pixels.py)."""

from dataclasses import replace

import numpy as np
import pytest
from paths import ROOT
from seeing import SEEING

from model_core.chat.images import ImageReader
from model_core.errors import InvalidRequest
from model_core.families.vision.parts import VisionConfig, cut_patches, normalize
from model_core.files.model_files import open_model_files
from model_core.files.vision import find_vision
from model_core.images.image import make_pixels

EXPECTED = np.load(ROOT / "tests" / "data" / "vision_pixels.npz")


def config_of(name: str) -> VisionConfig:
    config = find_vision(open_model_files(SEEING / name))
    assert config is not None
    return config


@pytest.mark.parametrize("number", range(5))
def test_patches_of_qwen(number: int) -> None:
    reader = ImageReader(replace(config_of("qwen3-vl"), min_pixels=400, max_pixels=2500))
    image = EXPECTED[f"qwen3-vl_{number}_image"]
    (part,) = reader.prepare(make_pixels(image)).parts
    expected = EXPECTED[f"qwen3-vl_{number}_pixels"].reshape(-1, 3, 2, 16)
    assert part.rows == reader.count_tokens(*image.shape[:2]) == len(expected) // 4
    patches = cut_patches(normalize(part.values, reader.config.mean, reader.config.std), 4, 2)
    for frame in (0, 1):  # equal ones
        np.testing.assert_allclose(patches.reshape(-1, 3, 16), expected[:, :, frame], atol=1e-6)


@pytest.mark.parametrize("number", range(5))
def test_the_square_of_gemma3(number: int) -> None:
    reader = ImageReader(config_of("gemma3"))
    (part,) = reader.prepare(make_pixels(EXPECTED[f"gemma3_{number}_image"])).parts
    pixels = normalize(part.values, reader.config.mean, reader.config.std)
    np.testing.assert_allclose(pixels.transpose(2, 0, 1), EXPECTED[f"gemma3_{number}_pixels"][0], atol=1e-6)


@pytest.mark.parametrize("number", range(5))
def test_the_tiles_of_idefics3(number: int) -> None:
    reader = ImageReader(replace(config_of("idefics3"), longest=48))
    image = EXPECTED[f"idefics3_{number}_image"]
    prepared, expected = reader.prepare(make_pixels(image)), EXPECTED[f"idefics3_{number}_pixels"][0]
    assert prepared.tokens == reader.count_tokens(*image.shape[:2])
    tiles = [normalize(part.values, (0.5,) * 3, (0.5,) * 3).transpose(2, 0, 1) for part in prepared.parts]
    assert len(tiles) == len(expected)
    np.testing.assert_allclose(np.stack(tiles), expected, atol=1e-6)


def test_the_text_of_tiles() -> None:
    """Each tile has its mark, and lines follow each other."""
    reader = ImageReader(replace(config_of("idefics3"), longest=48))
    prepared = reader.prepare(make_pixels(EXPECTED["idefics3_0_image"]))
    fake, rows = "<fake_token_around_image>", "<image>" * 4
    assert prepared.text == (
        f"{fake}<row_1_col_1>{rows}{fake}<row_1_col_2>{rows}\n"
        f"{fake}<row_2_col_1>{rows}{fake}<row_2_col_2>{rows}\n"
        f"\n{fake}<global-img>{rows}{fake}"
    )


@pytest.mark.parametrize("name", ["gemma3", "idefics3", "qwen3-vl"])
@pytest.mark.parametrize("size", [(100_000, 1), (1, 201)])
def test_long_lines_are_refused(name: str, size: tuple[int, int]) -> None:
    """Resizing takes time for each row and column."""
    with pytest.raises(InvalidRequest, match="too narrow"):
        ImageReader(config_of(name)).prepare(make_pixels(np.zeros((*size, 3), np.uint8)))
