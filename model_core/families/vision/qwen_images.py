"""How Qwen's models see images: sizes that are multiples of merged patches, within a budget of pixels.

Source: Transformers 5.24, image_processing_qwen2_vl.py, processing_qwen3_vl.py.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...errors import InvalidRequest, ModelError
from ...images.image import Pixels
from ...images.limits import is_too_narrow
from .parts import (
    ImagePart,
    PreparedImage,
    VisionConfig,
    cut_patches,
    digest_part,
    normalize,
    resize_pixels,
    spread_axes,
)
from .processor import read_processor

# Rows of the prompt for an image. Models were trained with fewer; more would take gigabytes of memory.
MAX_ROWS = 4096
_CLIP_MEAN, _CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
_ACTIVATIONS = {
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "silu": "silu",
}


@dataclass(frozen=True)
class QwenVisionConfig(VisionConfig):
    """merge: patches of a side of what is one row. min_pixels, max_pixels: of an image. theta: of RoPE."""

    merge: int
    min_pixels: int
    max_pixels: int
    theta: float

    @property
    def most_rows(self) -> int:
        """In the prompt, of an image."""
        return self.max_pixels // (self.patch_size * self.merge) ** 2


def read_config(
    raw: Mapping[str, Any],
    vision: Fields,
    processor: Mapping[str, Any],
    kind: type[Any],
    **family: Any,
) -> Any:
    """The fields that Qwen's towers share, as a `kind`. Raises ModelError.

    vision: vision_config. family: further fields, and the defaults {patch,hidden,intermediate}_default.
    """
    patch_default, hidden_default = family.pop("patch_default"), family.pop("hidden_default")
    intermediate_default = family.pop("intermediate_default")
    expect(vision, in_channels=3, in_chans=3, temporal_patch_size=2)
    ignore(vision, "model_type", "initializer_range", "tokens_per_second", "spatial_patch_size", "depth")
    activation = vision.get("hidden_act", "gelu_pytorch_tanh")
    if activation not in _ACTIVATIONS:
        raise ModelError(f"hidden_act {shorten(activation)} of the tower is not supported.")
    rope = vision.get("rope_parameters") or {}
    if not isinstance(rope, Mapping) or rope.get("rope_type", "axial") != "axial":
        raise ModelError(f"rope_parameters of the tower should be axial, not {shorten(rope)}.")
    patch, merge = (
        read_size(vision, "patch_size", default=patch_default),
        read_size(vision, "spatial_merge_size", default=2),
    )
    hidden, heads = (
        read_size(vision, "hidden_size", default=hidden_default),
        read_size(vision, "num_heads", default=16),
    )
    if hidden % (4 * heads):
        raise ModelError(f"a tower of {hidden} columns cannot have {heads} heads with axial RoPE.")
    unit = (patch * merge) ** 2
    size = processor.get("size") or {}
    least = processor.get("min_pixels") or size.get("shortest_edge") or 56 * 56
    most = processor.get("max_pixels") or size.get("longest_edge") or 28 * 28 * 1280
    least, most = (int(read_number({"size": n}, "size", None, 1, 2**40)) for n in (least, most))
    expected = {"patch_size": patch, "merge_size": merge, "temporal_patch_size": 2}
    fields = dict(
        family=raw["model_type"],
        hidden_size=hidden,
        intermediate_size=read_size(vision, "intermediate_size", default=intermediate_default),
        heads=heads,
        out_size=read_size(vision, "out_hidden_size"),
        patch_size=patch,
        activation=_ACTIVATIONS[activation],
        placeholder="<|image_pad|>",
        row_token="<|image_pad|>",
        row_token_id=int(read_number(raw, "image_token_id", 151655, 0, 2**31)),
        **read_processor(processor, "bicubic", _CLIP_MEAN, _CLIP_STD, **expected),
        has_axes=True,
        merge=merge,
        min_pixels=least,
        max_pixels=max(min(most, MAX_ROWS * unit), unit),
        theta=read_number(rope, "rope_theta", 10000.0, 1, 1e15),
    )
    config = kind(**fields | family)
    vision.check_all_read()
    return config


def choose_size(c: QwenVisionConfig, height: int, width: int) -> tuple[int, int]:
    """The size to which an image is resized. Raises InvalidRequest if it is too long for its width."""
    if is_too_narrow(width, height):
        raise InvalidRequest(f"an image of {width} x {height} pixels is too narrow.", "messages")
    unit = c.patch_size * c.merge
    new_height, new_width = round(height / unit) * unit, round(width / unit) * unit
    if new_height * new_width > c.max_pixels:
        shrink = math.sqrt(height * width / c.max_pixels)
        new_height, new_width = (
            max(unit, math.floor(side / shrink / unit) * unit) for side in (height, width)
        )
    elif new_height * new_width < c.min_pixels:
        grow = math.sqrt(c.min_pixels / (height * width))
        new_height, new_width = (math.ceil(side * grow / unit) * unit for side in (height, width))
    return new_height, new_width


def prepare(c: QwenVisionConfig, pixels: Pixels) -> PreparedImage:
    """The patches of an image, and where its rows are. Raises InvalidRequest."""
    height, width = choose_size(c, *pixels.values.shape[:2])
    values = resize_pixels(pixels, height, width, c.resample)
    grid = height // c.patch_size, width // c.patch_size
    rows, columns = grid[0] // c.merge, grid[1] // c.merge
    part = ImagePart(
        values=values,
        grid=grid,
        digest=digest_part(values),
        rows=rows * columns,
        axes=spread_axes(rows, columns),
        advance=max(rows, columns),
    )
    return PreparedImage((part,), c.row_token * part.rows)


def make_patches(c: QwenVisionConfig, part: ImagePart) -> np.ndarray:
    """The patches of a part of an image: float32 [patches, values]."""
    return cut_patches(normalize(part.values, c.mean, c.std), c.patch_size, c.merge)


def count_tokens(c: QwenVisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of this size. Raises InvalidRequest."""
    new_height, new_width = choose_size(c, height, width)
    return new_height * new_width // (c.patch_size * c.merge) ** 2
