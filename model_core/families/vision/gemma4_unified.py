"""How Gemma 4 12B sees: without a tower. A patch of 48 by 48 pixels goes through norms and a dense layer.

Columns and rows have learned positions. The rows of an image see each other both ways in the text model.
Source: Transformers 5.24, modeling_gemma4_unified.py and image_processing_gemma4_unified.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import Fields, ignore, read_number, read_size
from ...errors import InvalidRequest, ModelError
from ...images.image import Pixels
from ...tape.tape import Tape
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
    place_patches,
    resize_pixels,
)
from .processor import read_processor

_P = "model.vision_embedder"
_TABLE = f"{_P}.pos_embedding"
_LAYER_NORM_EPS = 1e-5


@dataclass(frozen=True)
class Gemma4UnifiedVisionConfig(VisionConfig):
    """positions: rows and columns that have a position. most_rows: in the prompt, of an image."""

    positions: int
    most_rows: int


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Gemma4UnifiedVisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    vision, text = Fields(raw["vision_config"]), raw["text_config"]
    ignore(vision, "output_proj_dims", "model_patch_size")
    small, pool = (
        read_size(vision, "patch_size", default=16),
        read_size(vision, "pooling_kernel_size", default=3),
    )
    most_rows = read_size(processor, "max_soft_tokens", default=280)
    both_ways = text.get("use_bidirectional_attention") == "vision"
    window = text.get("sliding_window", 512)
    if both_ways and isinstance(window, int) and most_rows > window:
        raise ModelError(f"images of {most_rows} rows are longer than the window of {window} positions.")
    hidden = read_size(vision, "mm_embed_dim", default=3840)
    expected = {"patch_size": small, "pooling_kernel_size": pool, "do_normalize": False}
    config = Gemma4UnifiedVisionConfig(
        family=raw["model_type"],
        hidden_size=hidden,
        intermediate_size=hidden,
        layers=0,
        heads=1,
        out_size=read_size(text, "hidden_size"),
        patch_size=small * pool,
        norm_eps=read_number(vision, "rms_norm_eps", 1e-6, 1e-30, 1),
        activation="gelu_tanh",
        placeholder="<|image|>",
        row_token="<|image|>",
        row_token_id=int(read_number(raw, "image_token_id", 258880, 0, 2**31)),
        parts=1,
        **read_processor(processor, "bicubic", (0.0,) * 3, (1.0,) * 3, **expected),
        sees_both_ways=both_ways,
        positions=read_size(vision, "mm_posemb_size", default=1120),
        most_rows=most_rows,
    )
    vision.check_all_read()
    return config


def prepare(c: Gemma4UnifiedVisionConfig, pixels: Pixels) -> PreparedImage:
    """The pixels of an image, and where its rows are. Raises InvalidRequest."""
    height, width = _choose_size(c, *pixels.values.shape[:2])
    values = resize_pixels(pixels, height, width, c.resample)
    grid = height // c.patch_size, width // c.patch_size
    rows = grid[0] * grid[1]
    part = ImagePart(values, grid, digest_part(values), rows, axes=None, advance=rows)
    return PreparedImage((part,), f"<|image>{c.row_token * rows}<image|>")


def count_tokens(c: Gemma4UnifiedVisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of this size. Raises InvalidRequest."""
    new_height, new_width = _choose_size(c, height, width)
    return new_height * new_width // c.patch_size**2


def _choose_size(c: Gemma4UnifiedVisionConfig, height: int, width: int) -> tuple[int, int]:
    """The largest size of about the same ratio that is within the budget."""
    unit, most = c.patch_size, c.most_rows
    factor = math.sqrt(most * unit**2 / (height * width))
    rows, columns = (math.floor(factor * side / unit) for side in (height, width))
    if not rows:
        rows, columns = 1, min(width // height, most)
    elif not columns:
        rows, columns = min(height // width, most), 1
    if not rows * columns <= most or max(rows, columns) > c.positions:
        raise InvalidRequest(f"an image of {width} x {height} pixels is too narrow for this model.")
    return rows * unit, columns * unit


def write_tower(c: Gemma4UnifiedVisionConfig) -> Tower:
    """The one stage."""
    t, n = Tape(), c.hidden_size

    def feed(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        pixels = normalize(part.values, c.mean, c.std)
        patches, places = cut_patches(pixels, c.patch_size, channels_last=True), place_patches(*part.grid)
        table = tables[_TABLE]  # of columns, then of rows
        return StageInput(
            part.rows, {"patches": patches, "places": table[places[:, 1], 0] + table[places[:, 0], 1]}
        )

    patches = t.take_input("patches", 3 * c.patch_size**2)
    h = t.layer_norm(patches, f"{_P}.patch_ln1", _LAYER_NORM_EPS, to="h", bias=True)
    x = t.project(h, "x", f"{_P}.patch_dense", n, bias=True)
    x = t.layer_norm(x, f"{_P}.patch_ln2", _LAYER_NORM_EPS, to="x", bias=True)
    x = t.add(x, t.take_input("places", n))
    x = t.layer_norm(x, f"{_P}.pos_norm", _LAYER_NORM_EPS, to="x", bias=True)
    x = t.norm(x, None, c.norm_eps, to="h")
    x = t.scale(x, c.out_size**-0.5)  # by its inverse the text model multiplies all embeddings
    rows = t.project(x, "rows", "model.embed_vision.embedding_projection", c.out_size)
    return Tower((Stage(t, (rows,), feed, c.most_rows),), {_TABLE: (c.positions, 2, n)})
