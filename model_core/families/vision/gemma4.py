"""The tower of Gemma 4, of all sizes but 12B: norms before and after each part, and axial RoPE.

Patches have a learned position for their column and one for their row. Products may be clipped before and
after. Outputs are pooled. In the larger models, the rows of an image see each other both ways.
Source: Transformers 5.24, modeling_gemma4.py and image_processing_pil_gemma4.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.file_values import Fields, expect, ignore, read_flag, read_number, read_size, shorten
from ...errors import ModelError
from ...images.image import Pixels
from ...tape.references import Span, WeightRef
from ...tape.rope import AXIAL, RopeConfig
from ...tape.tape import Tape
from . import gemma4_unified
from .gemma4_unified import Gemma4UnifiedVisionConfig
from .parts import (
    ImagePart,
    PreparedImage,
    Stage,
    StageInput,
    Tower,
    attend_to_image,
    cut_patches,
    normalize,
    place_patches,
)
from .processor import read_processor

_TOWER = "model.vision_tower"
_TABLE = f"{_TOWER}.patch_embedder.position_embedding_table"
_STANDARD = (f"{_TOWER}.std_bias", f"{_TOWER}.std_scale")


@dataclass(frozen=True)
class Gemma4VisionConfig(Gemma4UnifiedVisionConfig):
    """patch_size is that of `pool` by `pool` patches, which become one row of the prompt.

    Attributes:
        pool: see above. theta: of RoPE. kv_heads: of keys and values. head_size: of a head.
        is_clipped: whether products are. is_standardized: whether pooled outputs have a bias and a scale.
    """

    pool: int
    theta: float
    kv_heads: int
    head_size: int
    is_clipped: bool
    is_standardized: bool

    @property
    def head_dim(self) -> int:
        """Numbers of a head."""
        return self.head_size


def read_config(raw: Mapping[str, Any], processor: Mapping[str, Any]) -> Gemma4VisionConfig:
    """From config.json and preprocessor_config.json. Raises ModelError."""
    vision, text = Fields(raw["vision_config"]), raw["text_config"]
    expect(vision, attention_bias=False, hidden_activation="gelu_pytorch_tanh")
    ignore(vision, "max_position_embeddings", "default_output_length")
    rope = vision.get("rope_parameters") or {}
    if not isinstance(rope, Mapping) or rope.get("rope_type", AXIAL) != AXIAL:
        raise ModelError(f"rope_parameters of the tower should be axial, not {shorten(rope)}.")
    small = read_size(vision, "patch_size", default=16)
    pool = read_size(vision, "pooling_kernel_size", default=3)
    most_rows = read_size(processor, "max_soft_tokens", default=280)
    both_ways, window = text.get("use_bidirectional_attention") == "vision", text.get("sliding_window", 512)
    if both_ways and isinstance(window, int) and most_rows > window:
        raise ModelError(f"images of {most_rows} rows are longer than the window of {window} positions.")
    heads, hidden = (
        read_size(vision, "num_attention_heads", default=12),
        read_size(vision, "hidden_size", default=768),
    )
    head_size = read_size(vision, "head_dim", default=64)
    if head_size % 4:
        raise ModelError(f"a tower with heads of {head_size} columns cannot have axial RoPE.")
    expected = {"patch_size": small, "pooling_kernel_size": pool, "do_normalize": False}
    half = (0.5,) * 3  # 2 (pixel - 0.5)
    config = Gemma4VisionConfig(
        family=raw["model_type"],
        hidden_size=hidden,
        intermediate_size=read_size(vision, "intermediate_size", default=3072),
        layers=read_size(vision, "num_hidden_layers", default=16),
        heads=heads,
        out_size=read_size(text, "hidden_size"),
        patch_size=small * pool,
        norm_eps=read_number(vision, "rms_norm_eps", 1e-6, 1e-30, 1),
        activation="gelu_tanh",
        placeholder="<|image|>",
        row_token="<|image|>",
        row_token_id=int(read_number(raw, "image_token_id", 258880, 0, 2**31)),
        parts=1,
        **read_processor(processor, "bicubic", half, half, **expected) | {"mean": half, "std": half},
        sees_both_ways=both_ways,
        filler_id=int(read_number(text, "pad_token_id", 0, 0, 2**31)),
        positions=read_size(vision, "position_embedding_size", default=10240),
        most_rows=most_rows,
        pool=pool,
        theta=read_number(rope, "rope_theta", 100.0, 1, 1e15),
        kv_heads=read_size(vision, "num_key_value_heads", default=heads),
        head_size=head_size,
        is_clipped=read_flag(vision, "use_clipped_linears", False),
        is_standardized=read_flag(vision, "standardize", False),
    )
    vision.check_all_read()
    return config


def prepare(c: Gemma4VisionConfig, pixels: Pixels) -> PreparedImage:
    """The pixels of an image, and where its rows are. Raises InvalidRequest."""
    return gemma4_unified.prepare(c, pixels)


def count_tokens(c: Gemma4VisionConfig, height: int, width: int) -> int:
    """Rows in the prompt of an image of this size. Raises InvalidRequest."""
    return gemma4_unified.count_tokens(c, height, width)


def write_tower(c: Gemma4VisionConfig) -> Tower:
    """The layers, and the projection of what is pooled."""
    layers, projector, n, small = Tape(), Tape(), c.hidden_size, c.patch_size // c.pool

    def grid_of(part: ImagePart) -> tuple[int, int]:
        return part.grid[0] * c.pool, part.grid[1] * c.pool

    def feed_layers(part: ImagePart, tables: Mapping[str, np.ndarray], _: Sequence[np.ndarray]) -> StageInput:
        patches = cut_patches(normalize(part.values, c.mean, c.std), small, channels_last=True)
        places = place_patches(*grid_of(part))[:, ::-1]  # the column, then the row
        table = tables[_TABLE]
        rows = table[0, places[:, 0]] + table[1, places[:, 1]]
        axes = np.ascontiguousarray(places)
        return StageInput(len(patches), {"patches": patches, "places": rows}, axes)

    def feed_projector(
        part: ImagePart, tables: Mapping[str, np.ndarray], rows: Sequence[np.ndarray]
    ) -> StageInput:
        blocks = rows[0].reshape(part.grid[0], c.pool, part.grid[1], c.pool, n)
        pooled = blocks.mean(axis=(1, 3), dtype=np.float32).reshape(part.rows, n) * np.float32(n**0.5)
        if c.is_standardized:
            pooled = (pooled - tables[_STANDARD[0]]) * tables[_STANDARD[1]]
        return StageInput(part.rows, {"pooled": pooled})

    outputs = (_write_layers(layers, c, 3 * small**2),)
    x = projector.norm(projector.take_input("pooled", n), None, c.norm_eps, to="h")
    x = projector.scale(x, c.out_size**-0.5)  # by its inverse the text model multiplies all embeddings
    rows = projector.project(x, "rows", "model.embed_vision.embedding_projection", c.out_size)
    tables = {_TABLE: (2, c.positions, n)} | {name: (n,) for name in _STANDARD if c.is_standardized}
    first = Stage(layers, outputs, feed_layers, c.most_rows * c.pool**2)
    stages = (first, Stage(projector, (rows,), feed_projector, c.most_rows))
    return Tower(stages, tables, _find_orders(c))


def _write_layers(t: Tape, c: Gemma4VisionConfig, values: int) -> Span:
    """x += norm(attention(norm(x))), x += norm(mlp(norm(x))) in each layer."""
    n, eps, size = c.hidden_size, c.norm_eps, c.intermediate_size
    x = t.project(t.take_input("patches", values), "x", f"{_TOWER}.patch_embedder.input_proj", n)
    x = t.add(x, t.take_input("places", n))
    rope = RopeConfig(c.theta, AXIAL, sections=(c.head_dim // 4, c.head_dim // 4))
    for i in range(c.layers):
        p = f"{_TOWER}.encoder.layers.{i}"
        h = t.norm(x, f"{p}.input_layernorm", eps, to="h")
        shapes = {"q": c.heads, "k": c.kv_heads, "v": c.kv_heads}
        q, k, v = (
            _write_linear(t, c, h, name, f"{p}.self_attn.{name}_proj", heads, heads * c.head_dim)
            for name, heads in shapes.items()
        )
        q, k = t.norm(q, f"{p}.self_attn.q_norm", eps), t.norm(k, f"{p}.self_attn.k_norm", eps)
        mixed = attend_to_image(t, q, k, t.norm(v, None, eps), rope, scale=1.0)
        y = _write_linear(t, c, mixed, "out", f"{p}.self_attn.o_proj", 1, n)
        x = t.add(x, t.norm(y, f"{p}.post_attention_layernorm", eps))
        h = t.norm(x, f"{p}.pre_feedforward_layernorm", eps, to="h")
        gate, up = (
            _write_linear(t, c, h, f"inner_{name}", f"{p}.mlp.{name}_proj", 1, size)
            for name in ("gate", "up")
        )
        y = _write_linear(t, c, t.map("geglu", gate, up), "out", f"{p}.mlp.down_proj", 1, n)
        x = t.add(x, t.norm(y, f"{p}.post_feedforward_layernorm", eps))
    return x


def _write_linear(
    t: Tape, c: Gemma4VisionConfig, x: Span, to: str, name: str, heads: int, width: int
) -> Span:
    """x times a matrix, both clipped if products are."""
    if c.is_clipped:
        x = t.map("clamp", Span(x.buffer, x.start, x.width), *_limits(name, "input"), to="clipped")
    y = t.linear(x, to, {f"{name}.linear": (heads, width // heads)})[0]
    if c.is_clipped:
        t.map("clamp", Span(y.buffer, y.start, y.width), *_limits(name, "output"))
    return y


def _limits(name: str, side: str) -> tuple[WeightRef, WeightRef]:
    """The least and the largest number, of one side of a product."""
    return WeightRef(f"{name}.{side}_min", ()), WeightRef(f"{name}.{side}_max", ())


def _find_orders(c: Gemma4VisionConfig) -> dict[str, np.ndarray]:
    """Orders of the rows of queries, keys and their norms.

    In the files, the first half of a head is rotated by the column, and the second by the row. Here, pairs
    are in the two halves, as elsewhere. The scores of attention are the same.
    """
    head = np.arange(c.head_dim).reshape(2, 2, -1).swapaxes(0, 1).reshape(-1)
    orders = {}
    for i in range(c.layers):
        p = f"{_TOWER}.encoder.layers.{i}.self_attn"
        for name, heads in (("q", c.heads), ("k", c.kv_heads)):
            rows = np.arange(heads)[:, None] * c.head_dim + head
            orders[f"{p}.{name}_proj.linear.weight"] = rows.reshape(-1)
            orders[f"{p}.{name}_norm.weight"] = head
    return orders
