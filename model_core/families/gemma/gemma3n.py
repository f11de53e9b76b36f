"""Gemma 3n (Google, 2025): several copies of the hidden states (AltUp), of which each layer computes one.

A residual of low rank is added to attention (LAuReL, arXiv:2411.07501). In the first layers few gates are
open. The embeddings for layers, and the keys and values that layers share, are those of Gemma 4.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.rope import read_layer_ropes
from ...tape.tape import Tape
from ..config import (
    read_activation,
    read_attention_bias,
    read_decoder_config,
    read_layer_count,
    read_layer_types,
    windows_of,
)
from ..parts import write_head
from .altup import AltUpConfig, write_copies, write_corrections, write_mean, write_predictions
from .gemma import write_scaled_embedding
from .gemma_shared import (
    SharedKVConfig,
    read_shared_layers,
    write_attention,
    write_gated_embedding,
    write_layer_embeddings,
)


@dataclass(frozen=True)
class Gemma3nConfig(SharedKVConfig, AltUpConfig):
    """The shapes of Gemma 3n.

    Attributes:
        layer_vocab_size: rows of the embeddings for layers. Tokens beyond them have the first row.
        inner_sizes: activations of each layer's MLP.
        sparsities: the share of gates that are closed in each layer, if gates are normally distributed.
        scales_output: whether the active copy is scaled before the gate of the layer's embedding reads it.
        rank: of the residual that is added to attention.
    """

    layer_vocab_size: int
    inner_sizes: tuple[int, ...]
    sparsities: tuple[float, ...]
    scales_output: bool
    rank: int


def read_config(raw: dict[str, Any]) -> Gemma3nConfig:
    """The config.json of Gemma 3n (its text part)."""
    # Layers scale no scores, and coefficients are clipped in training only.
    ignore(raw, "query_pre_attn_scalar", "altup_coef_clip", "altup_lr_multiplier")
    ignore(raw, "hidden_act")  # hidden_activation counts
    expect(raw, mlp_bias=False)
    layers, types = read_layer_count(raw), read_layer_types(raw, default=5)
    sparse = 10 if layers > 10 else 0
    sparsities = raw.get("activation_sparsity_pattern") or [0.95] * sparse + [0.0] * (layers - sparse)
    sizes = raw.get("intermediate_size", 16_384)
    sizes = sizes if isinstance(sizes, list) else [sizes] * layers
    if len(sparsities) != layers or len(sizes) != layers:
        raise ModelError("activation_sparsity_pattern or intermediate_size has not a number for each layer.")
    copies, active = read_size(raw, "altup_num_inputs", 4, max_value=64), raw.get("altup_active_idx", 0)
    if type(active) is not int or not 0 <= active < copies:
        raise ModelError(f"altup_active_idx should be a whole number from 0 to {copies - 1}.")
    kv_heads, head_dim = read_size(raw, "num_key_value_heads", 2), read_size(raw, "head_dim", 256)
    return read_decoder_config(
        raw,
        Gemma3nConfig,
        vocab_size=read_size(raw, "vocab_size", 262_400),
        head_dim=head_dim,
        kv_heads=kv_heads,
        intermediate_size=max(sizes),
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=read_layer_ropes(raw, types, theta=1e6, local_theta=1e4),
        windows=windows_of(types, read_size(raw, "sliding_window", 512)),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        layer_heads=((kv_heads, head_dim),) * layers,
        is_shared=read_shared_layers(raw, types, default=15),
        has_values=(True,) * layers,
        layer_embedding=read_size(raw, "hidden_size_per_layer_input", 256),
        layer_vocab_size=read_size(raw, "vocab_size_per_layer_input", 262_144),
        logits_cap=read_number(raw, "final_logit_softcapping", 30.0, 0, 1e6) or None,
        inner_sizes=tuple(read_size({"intermediate_size": size}, "intermediate_size") for size in sizes),
        sparsities=tuple(
            read_number({"activation_sparsity_pattern": p}, "activation_sparsity_pattern", None, 0, 0.9999)
            for p in sparsities
        ),
        copies=copies,
        active=active,
        scales_output=bool(raw.get("altup_correct_scale", True)),
        rank=read_size(raw, "laurel_rank", 64),
        **read_attention_bias(raw),
    )


def write_tape(t: Tape, c: Gemma3nConfig) -> None:
    """Layers compute the active copy, and the others follow it. The head reads the mean of all copies."""
    x = write_scaled_embedding(t, c)
    embeddings = write_layer_embeddings(t, c, x, c.layer_vocab_size)
    copies = write_copies(t, c, x)
    kv_layers: dict[int | None, int] = {}
    for i in range(c.layers):
        predictions = write_predictions(t, c, copies, i)
        y = _write_layer(t, c, predictions[c.active], i, kv_layers)
        write_corrections(t, c, copies, predictions, y, i)
        y = write_gated_embedding(t, c, _write_output(t, c, copies[c.active], i), embeddings[i], i)
        for copy in copies[1:]:
            t.add(copy, y)
    t.softcap(write_head(t, c, write_mean(t, c, copies)), c.logits_cap)


def _write_layer(t: Tape, c: Gemma3nConfig, x: Span, i: int, kv_layers: dict[int | None, int]) -> Span:
    """Attention and the residual of low rank, then the MLP, added to x in the buffer "activated"."""
    p, eps = f"model.layers.{i}", c.norm_eps
    h = t.norm(x, f"{p}.input_layernorm", eps, to="normed")
    y = t.norm(write_attention(t, c, h, i, kv_layers), f"{p}.post_attention_layernorm", eps)
    residual = _write_low_rank_residual(t, c, h, i)
    y = t.scale(t.add(t.map("add", y, x, to="activated"), residual), 2**-0.5)
    h = t.norm(y, f"{p}.pre_feedforward_layernorm", eps, to="h")
    return t.add(y, t.norm(_write_mlp(t, c, h, i), f"{p}.post_feedforward_layernorm", eps))


def _write_low_rank_residual(t: Tape, c: Gemma3nConfig, h: Span, i: int) -> Span:
    """h + norm(A B h), where B has few rows."""
    p = f"model.layers.{i}.laurel"
    y = t.project(h, "low_rank", f"{p}.linear_left", c.rank)
    y = t.project(y, "residual", f"{p}.linear_right", c.hidden_size)
    return t.add(t.norm(y, f"{p}.post_laurel_norm", c.norm_eps), h)


def _write_mlp(t: Tape, c: Gemma3nConfig, h: Span, i: int) -> Span:
    """The gated MLP. A sparse one opens only gates so many standard deviations above the mean of the row."""
    p, size = f"model.layers.{i}.mlp", c.inner_sizes[i]
    gate, up = t.linear(h, "inner", {f"{p}.gate_proj": (1, size), f"{p}.up_proj": (1, size)})
    if c.sparsities[i] > 0:
        gate = t.center(gate, "open_gates")
        deviation = t.root_mean_square(gate, "deviation")
        cutoff = t.scale(deviation, -NormalDist().inv_cdf(c.sparsities[i]))
        gate = t.map("relu", t.map("add", gate, cutoff))
    return t.project(t.gate(gate, up, c.activation), "out", f"{p}.down_proj", c.hidden_size)


def _write_output(t: Tape, c: Gemma3nConfig, x: Span, i: int) -> Span:
    """The active copy x as the gate of the layer's embedding reads it."""
    scale = f"model.layers.{i}.altup.correct_output_scale"
    if c.scales_output:
        return t.map("multiply", x, WeightRef(scale, (c.hidden_size,)), to="h")
    t.unused.add(scale)
    return x
