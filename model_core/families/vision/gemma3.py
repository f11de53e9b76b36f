"""The tower of Gemma 3 (arXiv:2503.19786): SigLIP on a square image, whose outputs are pooled to few rows.

The rows of an image see each other both ways in the text model. Crops of long images (pan and scan) are off,
as they are by default. Source: Transformers 5.24, modeling_gemma3.py and processing_gemma3.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import read_number, read_size
from ...errors import ModelError
from ...images.image import Pixels
from ...tape.references import WeightRef
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
_TOWER = "model.vision_tower"
_TABLE = f"{_TOWER}.embeddings.position_embedding.weight"
_PROJECTOR = "model.multi_modal_projector"


@dataclass(frozen=True)
class Gemma3VisionConfig(VisionConfig):
    """side: patches in a column and in a row. pool: patches of a side of what is one row of the prompt."""

    side: int
    pool: int


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Gemma3VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    fields = siglip.read_fields(raw, 1152, 4304, 27, 16)
    image_size = read_size(raw["vision_config"], "image_size", default=896)
    rows = read_size(raw, "mm_tokens_per_image", default=256)
    side, rows_side = image_size // fields["patch_size"], round(rows**0.5)
    if rows_side**2 != rows or side % rows_side:
        raise ModelError(f"{side} by {side} patches cannot be pooled to {rows} rows.")
    size = {"height": image_size, "width": image_size}
    fields |= read_processor(processor, "bilinear", _HALF, _HALF, size=size, do_pan_and_scan=False)
    return Gemma3VisionConfig(
        **fields,
        placeholder="<start_of_image>",
        row_token="<image_soft_token>",
        row_token_id=int(read_number(raw, "image_token_index", read_number(raw, "image_token_id", 262144))),
        sees_both_ways=True,
        side=side,
        pool=side // rows_side,
    )


def prepare(c: Gemma3VisionConfig, pixels: Pixels) -> PreparedImage:
    """The pixels of an image, and where its rows are."""
    size = c.side * c.patch_size
    values, rows = resize_pixels(pixels, size, size, c.resample), (c.side // c.pool) ** 2
    part = ImagePart(values, (c.side, c.side), digest_part(values), rows, axes=None, advance=rows)
    return PreparedImage((part,), f"\n\n<start_of_image>{c.row_token * rows}<end_of_image>\n\n")


def count_tokens(c: Gemma3VisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of any size."""
    return (c.side // c.pool) ** 2


def write_tower(c: Gemma3VisionConfig) -> Tower:
    """SigLIP's layers, and the projector behind them."""
    layers, projector, n = Tape(), Tape(), c.hidden_size

    def feed_layers(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        patches = cut_patches(normalize(part.values, c.mean, c.std), c.patch_size)
        return StageInput(len(patches), {"patches": patches, "places": tables[_TABLE]})

    def feed_projector(
        part: ImagePart, _: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]
    ) -> StageInput:
        side = c.side // c.pool
        pooled = rows[0].reshape(side, c.pool, side, c.pool, n).mean(axis=(1, 3), dtype=np.float32)
        return StageInput(part.rows, {"pooled": pooled.reshape(part.rows, n)})

    outputs = (siglip.write_layers(layers, c, _TOWER),)
    x = projector.take_input("pooled", n)
    h = projector.norm(x, f"{_PROJECTOR}.mm_soft_emb_norm", c.norm_eps, to="h", offset=1.0)
    h = projector.scale(h, c.out_size**-0.5)  # by its inverse the text model multiplies all embeddings
    weight = WeightRef(f"{_PROJECTOR}.mm_input_projection_weight", (n, c.out_size), is_transposed=True)
    rows = projector.matmul(h, "rows", [(weight, 1)])[0]
    first = Stage(layers, outputs, feed_layers, c.side**2)
    stages = (first, Stage(projector, (rows,), feed_projector, (c.side // c.pool) ** 2))
    return Tower(stages, {_TABLE: (c.side**2, n)})
