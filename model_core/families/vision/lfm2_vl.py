"""The tower of LFM2-VL and LFM2.5-VL (Liquid AI, 2025, arXiv:2511.23404): SigLIP 2 of any ratio, on tiles.

An image is resized to a budget of rows. A larger one is cut into tiles, each with marks of its row and column
before it in the prompt, and may come once more as a whole. The learned positions of patches (SigLIP 2,
arXiv:2502.14786, NaFlex) are resized to the grid of each. Neighbouring patches become a row of the prompt.
Source: Transformers 5.24, modeling_lfm2_vl.py, modeling_siglip2.py, image_processing_lfm2_vl.py and
processing_lfm2_vl.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import expect, read_flag, read_number, read_size, shorten
from ...errors import ModelError
from ...images.image import Pixels
from ...images.limits import MAX_RATIO
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
    resize_table,
)
from .processor import read_processor

_HALF = (0.5,) * 3
_TOWER = "model.vision_tower"
_TABLE = f"{_TOWER}.embeddings.position_embedding.weight"
_PROJECTOR = "model.multi_modal_projector"
_LAYER_NORM_EPS = 1e-5
_START, _END, _WHOLE = "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>"
_MOST_ROWS = 4096  # in the prompt, of a part of an image; more would take gigabytes of memory
_MOST_TILES = 100  # published models have marks for 10 rows and 10 columns


@dataclass(frozen=True)
class Lfm2VisionConfig(VisionConfig):
    """Of an image.

    Attributes:
        merge: patches of a side of what is one row. positions: rows of the table of positions.
        least_rows, most_rows: in the prompt, of an image that is not cut.
        tolerance: how many times as large it may be before it is cut.
        tile: pixels of a side of a tile. tiles: how many there may be, at least and at most; 1: none is cut.
        has_whole: whether an image that is cut comes once more as a whole.
        projector_size: width between the two products of the projector; projector_activation: between them.
        projector_norm: whether the projector begins with a norm. projector_bias: whether it has biases.
    """

    merge: int
    positions: int
    least_rows: int
    most_rows: int
    tolerance: float
    tile: int
    tiles: tuple[int, int]
    has_whole: bool
    projector_size: int
    projector_activation: str
    projector_norm: bool
    projector_bias: bool

    @property
    def unit(self) -> int:
        """Pixels of a side of what is one row."""
        return self.patch_size * self.merge

    @property
    def tile_rows(self) -> int:
        """Rows in the prompt of a tile."""
        return (self.tile // self.unit) ** 2

    @property
    def largest(self) -> int:
        """Rows in the prompt of the largest part of an image: of a long one, sides are rounded up."""
        grown = self.least_rows + 1 + math.ceil(sum((MAX_RATIO**e * self.least_rows) ** 0.5 for e in (1, -1)))
        return max(self.most_rows, grown, math.ceil((MAX_RATIO * self.most_rows) ** 0.5), self.tile_rows)


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Lfm2VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    fields = siglip.read_fields(raw, 768, 3072, 12, 12, "num_patches")
    expect(raw, vision_feature_layer=-1, use_image_special_tokens=True)
    positions = read_size(raw["vision_config"], "num_patches", default=256)
    merge = read_size(raw, "downsample_factor", default=2)
    tile = read_size(processor, "tile_size", default=512, max_value=2**14)
    least = read_size(processor, "min_image_tokens", default=64, max_value=_MOST_ROWS)
    most = read_size(processor, "max_image_tokens", default=256, max_value=_MOST_ROWS)
    few = read_size(processor, "min_tiles", default=2, max_value=_MOST_TILES)
    many = read_size(processor, "max_tiles", default=10, max_value=_MOST_TILES)
    activation = raw.get("projector_hidden_act", "gelu")
    if activation not in siglip.ACTIVATIONS:
        raise ModelError(f"projector_hidden_act {shorten(activation)} is not supported.")
    if math.isqrt(positions) ** 2 != positions:
        raise ModelError(f"num_patches should be a square, not {positions}.")
    if least > most or few > many:
        raise ModelError("min_image_tokens and min_tiles should not be above max_image_tokens and max_tiles.")
    unit = fields["patch_size"] * merge
    if tile % unit or (tile // unit) ** 2 > _MOST_ROWS:
        raise ModelError(f"tiles of {tile} pixels cannot be cut into rows of {unit} pixels.")
    expected = {"encoder_patch_size": fields["patch_size"], "downsample_factor": merge}
    fields |= read_processor(processor, "bilinear", _HALF, _HALF, **expected)
    return Lfm2VisionConfig(
        **fields,
        placeholder="<image>",
        row_token="<image>",
        row_token_id=int(read_number(raw, "image_token_id", 396, 0, 2**31)),
        merge=merge,
        positions=positions,
        least_rows=least,
        most_rows=most,
        tolerance=read_number(processor, "max_pixels_tolerance", 2.0, 1e-3, 1e6),
        tile=tile,
        tiles=(few, many) if read_flag(processor, "do_image_splitting", True) else (1, 1),
        has_whole=read_flag(processor, "use_thumbnail", True),
        projector_size=read_size(raw, "projector_hidden_size", default=2560),
        projector_activation=siglip.ACTIVATIONS[activation],
        projector_norm=read_flag(raw, "projector_use_layernorm", True),
        projector_bias=read_flag(raw, "projector_bias", True),
    )


def prepare(c: Lfm2VisionConfig, pixels: Pixels) -> PreparedImage:
    """The image or its tiles, and what stands for them in the prompt."""
    size = pixels.values.shape[:2]
    rows, columns = _find_tiles(c, *size)
    whole = resize_pixels(pixels, *_find_size(c, *size), c.resample)
    if not rows:
        part = _make_part(c, whole)
        return PreparedImage((part,), _START + c.row_token * part.rows + _END)
    parts, text = [], _START
    values = resize_pixels(pixels, rows * c.tile, columns * c.tile, c.resample)
    for row in range(rows):
        for column in range(columns):
            top, left = row * c.tile, column * c.tile
            parts.append(_make_part(c, values[top : top + c.tile, left : left + c.tile]))
            mark = f"<|img_row_{row + 1}_col_{column + 1}|>" if rows * columns > 1 else ""
            text += mark + c.row_token * c.tile_rows
    if c.has_whole and rows * columns > 1:
        parts.append(_make_part(c, whole))
        text += _WHOLE + c.row_token * parts[-1].rows
    return PreparedImage(tuple(parts), text + _END)


def count_tokens(c: Lfm2VisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of this size."""
    rows, columns = _find_tiles(c, height, width)
    new_height, new_width = _find_size(c, height, width)
    whole = new_height * new_width // c.unit**2 if not rows or (c.has_whole and rows * columns > 1) else 0
    return rows * columns * c.tile_rows + whole


def _make_part(c: Lfm2VisionConfig, values: np.ndarray) -> ImagePart:
    values = np.ascontiguousarray(values)
    grid = values.shape[0] // c.patch_size, values.shape[1] // c.patch_size
    rows = grid[0] * grid[1] // c.merge**2
    return ImagePart(values, grid, digest_part(values), rows, axes=None, advance=rows)


def _find_size(c: Lfm2VisionConfig, height: int, width: int) -> tuple[int, int]:
    """The size of about the same ratio that is within the budget of rows."""
    unit, least, most = c.unit, c.least_rows * c.unit**2, c.most_rows * c.unit**2
    new_height, new_width = (max(unit, round(side / unit) * unit) for side in (height, width))
    if new_height * new_width > most:
        shrink = math.sqrt(height * width / most)
        return (
            max(unit, math.floor(height / shrink / unit) * unit),
            max(unit, math.floor(width / shrink / unit) * unit),
        )
    if new_height * new_width < least:
        grow = math.sqrt(least / (height * width))
        return math.ceil(height * grow / unit) * unit, math.ceil(width * grow / unit) * unit
    return new_height, new_width


def _find_tiles(c: Lfm2VisionConfig, height: int, width: int) -> tuple[int, int]:
    """The rows and columns of tiles whose ratio is nearest to that of the image; 0 if it is not cut."""
    few, many = c.tiles
    new_height, new_width = (max(c.patch_size, round(side / c.unit) * c.unit) for side in (height, width))
    if many == 1 or new_height * new_width <= c.most_rows * c.unit**2 * c.tolerance:
        return 0, 0
    best, least = (1, 1), math.inf
    for count in range(few, many + 1):
        for columns in range(1, count + 1):
            if count % columns:
                continue
            rows = count // columns
            difference = abs(width / height - columns / rows)
            # Of grids as near, the one with more tiles, if the image fills half of it.
            fills = difference == least and height * width > 0.5 * c.tile**2 * count
            if difference < least or fills:
                best, least = (rows, columns), difference
    return best


def write_tower(c: Lfm2VisionConfig) -> Tower:
    """SigLIP's layers, and the projector behind them."""
    layers, projector, n = Tape(), Tape(), c.hidden_size
    width = n * c.merge**2

    def feed_layers(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        patches = cut_patches(normalize(part.values, c.mean, c.std), c.patch_size, channels_last=True)
        return StageInput(
            len(patches), {"patches": patches, "places": resize_table(tables[_TABLE], part.grid)}
        )

    def feed_projector(
        part: ImagePart, _: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]
    ) -> StageInput:
        height, columns = (side // c.merge for side in part.grid)
        blocks = rows[0].reshape(height, c.merge, columns, c.merge, n).transpose(0, 2, 1, 3, 4)
        return StageInput(part.rows, {"merged": np.ascontiguousarray(blocks).reshape(part.rows, width)})

    outputs = (siglip.write_layers(layers, c, _TOWER),)
    x, bias = projector.take_input("merged", width), c.projector_bias
    if c.projector_norm:
        x = projector.layer_norm(x, f"{_PROJECTOR}.layer_norm", _LAYER_NORM_EPS, to="h", bias=True)
    inner = projector.project(x, "inner", f"{_PROJECTOR}.linear_1", c.projector_size, bias)
    inner = projector.map(c.projector_activation, inner)
    rows = projector.project(inner, "rows", f"{_PROJECTOR}.linear_2", c.out_size, bias)
    first = Stage(layers, outputs, feed_layers, c.largest * c.merge**2)
    stages = (first, Stage(projector, (rows,), feed_projector, c.largest))
    return Tower(stages, {_TABLE: (c.positions, n)})
