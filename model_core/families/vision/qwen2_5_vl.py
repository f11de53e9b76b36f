"""The tower of Qwen2.5-VL (arXiv:2502.13923): most layers attend within windows of the image.

Patches are in the order of the windows, and have axial RoPE. Four patches become a row of the prompt.
Source: Transformers 5.24, modeling_qwen2_5_vl.py and vision_utils.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import Fields, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import AXIAL, RopeConfig
from ...tape.tape import Tape
from . import qwen_images
from .parts import (
    ImagePart,
    Stage,
    StageInput,
    Tower,
    attend_to_image,
    embed_patches,
    merge_rows,
    place_patches,
)
from .qwen_images import QwenVisionConfig

_P = "model.visual"
_EPS = 1e-6  # of all norms


@dataclass(frozen=True)
class Qwen25VisionConfig(QwenVisionConfig):
    """window: of a side, in rows of the prompt. full_layers: those that attend to the whole image."""

    window: int
    full_layers: tuple[int, ...]


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Qwen25VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    vision = Fields(raw["vision_config"])
    full, layers = (
        vision.get("fullatt_block_indexes", [7, 15, 23, 31]),
        read_size(vision, "depth", default=32),
    )
    if not isinstance(full, list | tuple) or not all(type(i) is int for i in full):
        raise ModelError(f"fullatt_block_indexes should be a list of layers, not {shorten(full)}.")
    patch = read_size(vision, "patch_size", default=14)
    merge = read_size(vision, "spatial_merge_size", default=2)
    window = read_size(vision, "window_size", default=112) // merge // patch
    if not window:
        raise ModelError("window_size should be that of a row of the prompt at least.")
    vision.setdefault("hidden_act", "silu")
    return qwen_images.read_config(
        raw,
        vision,
        processor,
        Qwen25VisionConfig,
        parts=1,
        layers=layers,
        norm_eps=_EPS,
        window=window,
        full_layers=tuple(full),
        patch_default=14,
        hidden_default=3584,
        intermediate_default=3420,
    )


prepare, count_tokens = qwen_images.prepare, qwen_images.count_tokens


def write_tower(c: Qwen25VisionConfig) -> Tower:
    """The layers, and the merger behind them."""
    layers, merger, merged = Tape(), Tape(), c.merge**2

    def feed_layers(part: ImagePart, _: Mapping[str, np.ndarray], __: Sequence[np.ndarray]) -> StageInput:
        order, bounds = _find_windows(c, part.grid)
        patches = qwen_images.make_patches(c, part)
        patches = patches.reshape(len(order), -1)[order].reshape(patches.shape)
        places = place_patches(*part.grid, c.merge).reshape(-1, merged, 2)[order].reshape(-1, 2)
        return StageInput(len(patches), {"patches": patches}, places, np.repeat(bounds, merged, axis=0))

    def feed_merger(part: ImagePart, _: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]) -> StageInput:
        order, _bounds = _find_windows(c, part.grid)
        return StageInput(part.rows, {"merged": merge_rows(rows[0], merged)[np.argsort(order)]})

    outputs = (_write_layers(layers, c),)
    width = merged * c.hidden_size
    x = merger.take_input("merged", width)
    inner = merger.map("gelu", merger.project(x, "inner", f"{_P}.merger.mlp.0", width, bias=True))
    rows = merger.project(inner, "rows", f"{_P}.merger.mlp.2", c.out_size, bias=True)
    first = Stage(layers, outputs, feed_layers, c.most_rows * merged)
    return Tower((first, Stage(merger, (rows,), feed_merger, c.most_rows)), {})


def _write_layers(t: Tape, c: Qwen25VisionConfig) -> Span:
    """x += attention(norm(x)), x += mlp(norm(x)). Returns the norm of the last x."""
    n, size = c.hidden_size, c.intermediate_size
    x = embed_patches(t, c, f"{_P}.patch_embed.proj", bias=False)
    rope = RopeConfig(c.theta, AXIAL, sections=(c.head_dim // 4, c.head_dim // 4))
    for i in range(c.layers):
        p = f"{_P}.blocks.{i}"
        h = t.norm(x, f"{p}.norm1", _EPS, to="h")
        q, k, v = t.linear_split(h, "qkv", f"{p}.attn.qkv", [(c.heads, c.head_dim)] * 3, bias=True)
        mixed = attend_to_image(t, q, k, v, rope, in_bounds=i not in c.full_layers)
        x = t.add(x, t.project(mixed, "out", f"{p}.attn.proj", n, bias=True))
        h = t.norm(x, f"{p}.norm2", _EPS, to="h")
        parts = {f"{p}.mlp.gate_proj": (1, size), f"{p}.mlp.up_proj": (1, size)}
        gate, up = t.linear(h, "inner", parts, bias=True)
        inner = t.gate(gate, up, c.activation)
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.down_proj", n, bias=True))
    return t.norm(x, f"{_P}.merger.ln_q", _EPS, to="main")


def _find_windows(c: Qwen25VisionConfig, grid: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the prompt in the order of windows, and for each of these its window.

    int [rows] of their places from left to right and down, and the patches of the window: int32 [rows, 2].
    """
    rows, columns = (side // c.merge for side in grid)
    places = place_patches(rows, columns)
    windows = places[:, 0] // c.window * (-(-columns // c.window)) + places[:, 1] // c.window
    order = np.argsort(windows, kind="stable")
    sizes = np.bincount(windows) * c.merge**2
    ends = np.cumsum(sizes)
    bounds = np.stack([ends - sizes, ends], axis=1)[windows[order]]
    return order, bounds.astype(np.int32)
