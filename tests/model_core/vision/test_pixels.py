"""Images are resized and cut as the image processors of Transformers do it (see make_pixels.py)."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from paths import ROOT
from seeing_folders import SEEING

from model_core.chat.images import ImageReader
from model_core.errors import InvalidRequest, ModelError
from model_core.families.vision.lfm2_vl import Lfm2VisionConfig, _find_size
from model_core.families.vision.parts import VisionConfig, cut_patches, normalize
from model_core.families.vision.registry import read_vision_config
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


@pytest.mark.parametrize("number", range(5))
def test_the_parts_of_lfm2(number: int) -> None:
    """Its processor resizes with PyTorch, which rounds weights to 16 bits: few bytes differ, by one."""
    reader = ImageReader(replace(config_of("lfm2_5-vl"), least_rows=4, most_rows=8, tiles=(2, 6)))
    image, grids = EXPECTED[f"lfm2_5-vl_{number}_image"], EXPECTED[f"lfm2_5-vl_{number}_grids"]
    prepared, pixels = reader.prepare(make_pixels(image)), EXPECTED[f"lfm2_5-vl_{number}_pixels"]
    assert prepared.text == str(EXPECTED[f"lfm2_5-vl_{number}_text"])
    assert prepared.tokens == reader.count_tokens(*image.shape[:2]) == prepared.text.count("<image>")
    assert [part.grid for part in prepared.parts] == [tuple(grid) for grid in grids.tolist()]
    values = [cut_patches(part.values, 4, channels_last=True) for part in prepared.parts]
    expected = [patches[: len(own)] for own, patches in zip(values, pixels, strict=True)]
    levels = np.rint((np.concatenate(expected) + 1) * 127.5)
    np.testing.assert_allclose(levels / 127.5 - 1, np.concatenate(expected), atol=1e-6)
    differences = np.abs(levels - np.concatenate(values))
    assert differences.max() <= 1 and (differences > 0).mean() < 0.02


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


@pytest.mark.parametrize("name", ["gemma3", "idefics3", "lfm2_5-vl", "qwen3-vl"])
@pytest.mark.parametrize("size", [(100_000, 1), (1, 201)])
def test_long_lines_are_refused(name: str, size: tuple[int, int]) -> None:
    """Resizing takes time for each row and column."""
    with pytest.raises(InvalidRequest, match="too narrow"):
        ImageReader(config_of(name)).prepare(make_pixels(np.zeros((*size, 3), np.uint8)))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tile_size": 36}, "tiles of 36 pixels cannot be cut into rows of 8 pixels"),
        ({"tile_size": 2**14}, "cannot be cut into rows"),
        ({"max_tiles": 10**9}, "max_tiles should be a whole number from 1 to 100"),
        ({"min_tiles": 7, "max_tiles": 6}, "should not be above"),
        ({"max_image_tokens": 10**6}, "max_image_tokens should be a whole number from 1 to 4096"),
        ({"encoder_patch_size": 8}, "encoder_patch_size of preprocessor_config.json is 8"),
        ({"max_pixels_tolerance": "much"}, "max_pixels_tolerance should be a number"),
        ({"use_thumbnail": 1}, "use_thumbnail should be true or false"),
    ],
)
def test_settings_of_lfm2_that_cannot_be(changes: dict[str, Any], reason: str) -> None:
    files = open_model_files(SEEING / "lfm2_5-vl").vision
    assert files is not None
    with pytest.raises(ModelError, match=reason):
        read_vision_config(files.config, files.read_processor() | changes)


def test_the_memory_for_parts_of_lfm2_is_enough() -> None:
    """Long images have more rows than the budget says, because sides are rounded up."""
    for least, most in ((64, 256), (256, 256), (1, 4)):
        found = config_of("lfm2_5-vl")
        assert isinstance(found, Lfm2VisionConfig)
        config = replace(found, least_rows=least, most_rows=most)
        reader, most_seen = ImageReader(config), 0
        for height in (1, 2, 3, 5, 8, 9, 30, 100, 500):
            for ratio in (1, 2, 3, 7, 20, 64, 129, 200):
                sizes = _find_size(config, height, ratio * height)
                most_seen = max(most_seen, sizes[0] * sizes[1] // 64)
                assert reader.count_tokens(height, ratio * height) > 0
        assert most_seen <= config.largest
        assert most_seen > most or least < most
