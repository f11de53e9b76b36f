"""The tower of Qwen3-VL (arXiv:2511.21631), and of Qwen3.5 and 3.6, which give no rows to later layers.

Patches have learned positions, resized bilinearly, and axial RoPE. Four patches become a row of the prompt.
With DeepStack, so do the outputs of some layers; the text model adds them to its first hidden states.
Source: Transformers 5.24, modeling_qwen3_vl.py and image_processing_qwen2_vl.py.
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
    interpolate_table,
    merge_rows,
    place_patches,
)
from .qwen_images import QwenVisionConfig

_P = "model.visual"
_TABLE = f"{_P}.pos_embed.weight"
_EPS = 1e-6  # of all norms


@dataclass(frozen=True)
class Qwen3VisionConfig(QwenVisionConfig):
    """positions: rows of the table. deep_layers: those whose outputs are handed on, besides the last."""

    positions: int
    deep_layers: tuple[int, ...]


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Qwen3VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    vision = Fields(raw["vision_config"])
    deep = vision.get("deepstack_visual_indexes", [])
    layers = read_size(vision, "depth", default=27)
    if not isinstance(deep, list) or not all(type(i) is int and 0 <= i < layers for i in deep):
        raise ModelError(f"deepstack_visual_indexes should be a list of layers, not {shorten(deep)}.")
    if sorted(set(deep)) != deep:
        raise ModelError("deepstack_visual_indexes should name layers once, in their order.")
    if raw["model_type"].startswith("qwen3_5"):
        deep = []
    return qwen_images.read_config(
        raw,
        vision,
        processor,
        Qwen3VisionConfig,
        parts=1 + len(deep),
        layers=layers,
        patch_default=16,
        norm_eps=_EPS,
        positions=read_size(vision, "num_position_embeddings", default=2304),
        deep_layers=tuple(deep),
        hidden_default=1152,
        intermediate_default=4304,
    )


prepare, count_tokens = qwen_images.prepare, qwen_images.count_tokens


def write_tower(c: Qwen3VisionConfig) -> Tower:
    """The layers, and the mergers behind them."""
    layers = Tape()
    outputs = _write_layers(layers, c)

    def feed_layers(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        places = interpolate_table(tables[_TABLE], part.grid, c.merge)
        inputs = {"patches": qwen_images.make_patches(c, part), "places": places}
        return StageInput(len(places), inputs, axes=place_patches(*part.grid, c.merge))

    def feed_mergers(
        part: ImagePart, tables: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]
    ) -> StageInput:
        inputs = {f"merged{i}": merge_rows(x, c.merge**2) for i, x in enumerate(rows)}
        return StageInput(part.rows, inputs)

    mergers = Tape()
    merged = tuple(_write_merger(mergers, c, i) for i in range(c.parts))
    first = Stage(layers, outputs, feed_layers, c.most_rows * c.merge**2)
    stages = (first, Stage(mergers, merged, feed_mergers, c.most_rows))
    return Tower(stages, {_TABLE: (c.positions, c.hidden_size)})


def _write_layers(t: Tape, c: Qwen3VisionConfig) -> tuple[Span, ...]:
    """x += attention(norm(x)), x += mlp(norm(x)). The outputs: the normed x, and those of deep layers."""
    n, deep = c.hidden_size, list[Span]()
    x = t.add(embed_patches(t, c, f"{_P}.patch_embed.proj"), t.take_input("places", n))
    rope = RopeConfig(c.theta, AXIAL, sections=(c.head_dim // 4, c.head_dim // 4))
    for i in range(c.layers):
        p = f"{_P}.blocks.{i}"
        h = t.layer_norm(x, f"{p}.norm1", _EPS, to="h", bias=True)
        q, k, v = t.linear_split(h, "qkv", f"{p}.attn.qkv", [(c.heads, c.head_dim)] * 3, bias=True)
        x = t.add(x, t.project(attend_to_image(t, q, k, v, rope), "out", f"{p}.attn.proj", n, bias=True))
        h = t.layer_norm(x, f"{p}.norm2", _EPS, to="h", bias=True)
        inner = t.project(h, "inner", f"{p}.mlp.linear_fc1", c.intermediate_size, bias=True)
        inner = t.map(c.activation, inner)
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.linear_fc2", n, bias=True))
        if i in c.deep_layers:
            deep.append(t.join(x, to=f"deep{len(deep)}"))
    return t.layer_norm(x, f"{_P}.merger.norm", _EPS, to="main", bias=True), *deep


def _write_merger(t: Tape, c: Qwen3VisionConfig, number: int) -> Span:
    """Two products with GELU between them. Those of deep layers begin with their norm."""
    width = c.merge**2 * c.hidden_size
    x, p = t.take_input(f"merged{number}", width), f"{_P}.merger"
    if number:
        p = f"{_P}.deepstack_merger_list.{number - 1}"
        x = t.layer_norm(x, f"{p}.norm", _EPS, to="h", bias=True)
    inner = t.map("gelu", t.project(x, "inner", f"{p}.linear_fc1", width, bias=True))
    return t.project(inner, f"rows{number}", f"{p}.linear_fc2", c.out_size, bias=True)
