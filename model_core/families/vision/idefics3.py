"""The tower of Idefics3 (arXiv:2408.12637) and SmolVLM (arXiv:2504.05299): SigLIP on tiles of an image.

A large image is cut into tiles, each with marks of its row and column before it in the prompt, and comes once
more as a whole. Neighbouring patches become a row of the prompt (pixel shuffle).
Source: Transformers 5.24, modeling_idefics3.py, image_processing_pil_idefics3.py and processing_idefics3.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import read_flag, read_number, read_size
from ...errors import ModelError
from ...images.image import Pixels
from ...tape.tape import Tape
from . import siglip
from .parts import (
    ImagePart,
    PreparedImage,
    Stage,
    StageInput,
    Tower,
    VisionConfig,
    cut_patches,
    digest_part,
    normalize,
    resize_pixels,
)
from .processor import read_processor

_HALF = (0.5,) * 3
_TOWER = "model.vision_model"
_TABLE = f"{_TOWER}.embeddings.position_embedding.weight"
_PROJECTION = "model.connector.modality_projection.proj"
_FAKE, _WHOLE = "<fake_token_around_image>", "<global-img>"
_MOST_SIDE = 4096  # pixels of an image before it is cut


@dataclass(frozen=True)
class Idefics3VisionConfig(VisionConfig):
    """Sizes are pixels of a side.

    Attributes:
        tile: of a tile. longest: of the longer side of an image before it is cut.
        side: patches in a column and in a row of a tile. merge: patches of a side of what is one row.
        cuts: whether large images are cut.
    """

    tile: int
    longest: int
    side: int
    merge: int
    cuts: bool


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Idefics3VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    fields = siglip.read_fields(raw, 1152, 3072, 12, 16)
    image_size = read_size(raw["vision_config"], "image_size", default=224)
    merge = read_size(raw, "scale_factor", default=2)
    tile = read_size(processor.get("max_image_size") or {}, "longest_edge", default=image_size)
    longest = read_size(processor.get("size") or {}, "longest_edge", default=4 * tile)
    side = image_size // fields["patch_size"]
    if tile != image_size or side % merge:
        raise ModelError(f"tiles of {tile} pixels do not fit a tower for {image_size}.")
    fields |= read_processor(processor, "lanczos", _HALF, _HALF)
    return Idefics3VisionConfig(
        **fields,
        placeholder="<image>",
        row_token="<image>",
        row_token_id=int(read_number(raw, "image_token_id", 128257)),
        tile=tile,
        longest=longest,
        side=side,
        merge=merge,
        cuts=read_flag(processor, "do_image_splitting", True),
    )


def prepare(c: Idefics3VisionConfig, pixels: Pixels) -> PreparedImage:
    """The tiles of an image, and what stands for them in the prompt."""
    height, width, rows, columns = _find_sizes(c, *pixels.values.shape[:2])
    first = _find_first_size(c, *pixels.values.shape[:2])
    values = resize_pixels(pixels, *first, c.resample)
    tiles, text = [], ""
    if rows:
        values = resize_pixels(Pixels(values, b""), height, width, c.resample)
        for row in range(rows):
            for column in range(columns):
                top, left = row * c.tile, column * c.tile
                tiles.append(values[top : top + c.tile, left : left + c.tile])
                text += f"{_FAKE}<row_{row + 1}_col_{column + 1}>{c.row_token * _rows(c)}"
            text += "\n"
        text += "\n"
    tiles.append(resize_pixels(Pixels(values, b""), c.tile, c.tile, c.resample))
    text += f"{_FAKE}{_WHOLE}{c.row_token * _rows(c)}{_FAKE}"
    return PreparedImage(tuple(_make_part(c, tile) for tile in tiles), text)


def count_tokens(c: Idefics3VisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of this size."""
    _, _, rows, columns = _find_sizes(c, height, width)
    return (rows * columns + 1) * _rows(c)


def _rows(c: Idefics3VisionConfig) -> int:
    """Rows in the prompt of a tile."""
    return (c.side // c.merge) ** 2


def _make_part(c: Idefics3VisionConfig, values: np.ndarray) -> ImagePart:
    values, rows = np.ascontiguousarray(values), _rows(c)
    return ImagePart(values, (c.side, c.side), digest_part(values), rows, axes=None, advance=rows)


def _find_first_size(c: Idefics3VisionConfig, height: int, width: int) -> tuple[int, int]:
    """The size in which the longer side is as long as it should be."""
    ratio, longest = width / height, c.longest
    if width >= height:
        new_height = int(longest / ratio)
        sizes = (new_height + new_height % 2, longest)
    else:
        new_width = int(longest * ratio)
        sizes = (longest, new_width + new_width % 2)
    new_height, new_width = (max(side, 1) for side in sizes)
    ratio = new_width / new_height
    if new_width >= new_height and new_width > _MOST_SIDE:
        new_height, new_width = int(_MOST_SIDE / ratio), _MOST_SIDE
    elif new_height > _MOST_SIDE:
        new_height, new_width = _MOST_SIDE, int(_MOST_SIDE * ratio)
    return max(new_height, 1), max(new_width, 1)


def _find_sizes(c: Idefics3VisionConfig, height: int, width: int) -> tuple[int, int, int, int]:
    """The size of which tiles are cut, and the rows and columns of tiles; 0 if there is one tile alone."""
    if not c.cuts:
        return c.tile, c.tile, 0, 0
    height, width = _find_first_size(c, height, width)
    ratio = width / height
    if width >= height:
        width = math.ceil(width / c.tile) * c.tile
        height = math.ceil(int(width / ratio) / c.tile) * c.tile
    else:
        height = math.ceil(height / c.tile) * c.tile
        width = math.ceil(int(height * ratio) / c.tile) * c.tile
    if height <= c.tile and width <= c.tile:
        return height, width, 0, 0
    return height, width, height // c.tile, width // c.tile


def write_tower(c: Idefics3VisionConfig) -> Tower:
    """SigLIP's layers, and the projection behind them."""
    layers, projector, n, side = Tape(), Tape(), c.hidden_size, c.side // c.merge
    width = n * c.merge**2

    def feed_layers(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        patches = cut_patches(normalize(part.values, c.mean, c.std), c.patch_size)
        return StageInput(len(patches), {"patches": patches, "places": tables[_TABLE]})

    def feed_projector(
        part: ImagePart, _: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]
    ) -> StageInput:
        blocks = rows[0].reshape(side, c.merge, side, c.merge, n).transpose(0, 2, 1, 3, 4)
        return StageInput(part.rows, {"shuffled": blocks.reshape(part.rows, width)})

    outputs = (siglip.write_layers(layers, c, _TOWER),)
    rows = projector.project(projector.take_input("shuffled", width), "rows", _PROJECTION, c.out_size)
    first = Stage(layers, outputs, feed_layers, c.side**2)
    stages = (first, Stage(projector, (rows,), feed_projector, _rows(c)))
    return Tower(stages, {_TABLE: (c.side**2, n)})
