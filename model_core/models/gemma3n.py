"""Gemma 3n (Google, 2025): several copies of the hidden states, of which each layer computes one.

AltUp (Baykal et al., 2023, arXiv:2301.13310): a layer predicts all copies from those before it, computes the
active one, and corrects all predictions by the error of this one. Beside attention there is a residual of low
rank (LAuReL, arXiv:2411.07501). In the first layers few gates are open. The embeddings for layers, and the
keys and values that layers share, are those of Gemma 4.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ..config import read_activation, read_decoder_config, read_layer_types
from ..errors import ModelError
from ..fields import ignore, read_number, read_size
from ..records import Span, WeightRef
from ..tape import Tape
from .gemma4 import Gemma4Config, no_experts, write_attention, write_layer_embeddings
from .olmo3 import read_ropes_by_layer_type
from .parts import write_head


@dataclass(frozen=True)
class Gemma3nConfig(Gemma4Config):
    """The shapes of Gemma 3n.

    Attributes:
        layer_vocab_size: rows of the embeddings for layers. Tokens beyond them have the first row.
        inner_sizes: activations of each layer's MLP.
        sparsities: the share of gates that are closed in each layer, if gates are normally distributed.
        copies: of the hidden states.
        active: the copy that layers compute.
        scales_output: whether the active copy is scaled before the layer's embedding is added.
        rank: of the residual beside attention.
    """

    layer_vocab_size: int
    inner_sizes: tuple[int, ...]
    sparsities: tuple[float, ...]
    copies: int
    active: int
    scales_output: bool
    rank: int


def read_config(raw: dict[str, Any]) -> Gemma3nConfig:
    """The config.json of Gemma 3n (its text part)."""
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    types = read_layer_types(
        raw, ["sliding_attention" if (i + 1) % 5 else "full_attention" for i in range(layers)]
    )
    shared = 15 if raw.get("num_kv_shared_layers") is None else raw["num_kv_shared_layers"]
    if type(shared) is not int or not 0 <= shared < layers:
        raise ModelError(f"num_kv_shared_layers should be a whole number from 0 to {layers - 1}.")
    if set(types[layers - shared :]) - set(types[: layers - shared]):
        raise ModelError("num_kv_shared_layers leaves a type of layers without keys and values.")
    sparse = 10 if layers > 10 else 0
    sparsities = raw.get("activation_sparsity_pattern") or [0.95] * sparse + [0.0] * (layers - sparse)
    sizes = raw.get("intermediate_size", 16_384)
    sizes = sizes if isinstance(sizes, list) else [sizes] * layers
    if len(sparsities) != layers or len(sizes) != layers:
        raise ModelError("activation_sparsity_pattern or intermediate_size has not a number for each layer.")
    copies, active = read_size(raw, "altup_num_inputs", 4, max_value=64), raw.get("altup_active_idx", 0)
    if type(active) is not int or not 0 <= active < copies:
        raise ModelError(f"altup_active_idx should be a whole number from 0 to {copies - 1}.")
    # Layers scale no scores, and coefficients are clipped in training only.
    ignore(raw, "query_pre_attn_scalar", "altup_coef_clip", "altup_lr_multiplier")
    ignore(raw, "hidden_act")  # hidden_activation counts
    window, bias = read_size(raw, "sliding_window", 512), bool(raw.get("attention_bias", False))
    kv_heads, head_dim = read_size(raw, "num_key_value_heads", 2), read_size(raw, "head_dim", 256)
    return read_decoder_config(
        raw,
        Gemma3nConfig,
        vocab_size=read_size(raw, "vocab_size", 262_400),
        head_dim=head_dim,
        kv_heads=kv_heads,
        intermediate_size=max(sizes),
        activation=read_activation(raw, "hidden_activation", "gelu_pytorch_tanh"),
        ropes=read_ropes_by_layer_type(raw, types, 1e6, 1e4),
        windows=tuple(window if kind == "sliding_attention" else None for kind in types),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        qkv_bias=bias,
        output_bias=bias,
        layer_heads=((kv_heads, head_dim),) * layers,
        is_shared=tuple(i >= layers - shared for i in range(layers)),
        has_wide_mlp=False,
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
        **no_experts(layers),
    )


def write_tape(t: Tape, c: Gemma3nConfig) -> None:
    """The first copy is the embedding, and the others are projections of it. The head reads their mean."""
    eps = c.rms_norm_eps
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    x = t.scale(x, float(np.float32(c.hidden_size**0.5)))
    embeddings = write_layer_embeddings(t, c, x, c.layer_vocab_size)
    copies = [x]
    magnitude = t.root_mean_square(x, "magnitude")
    for j in range(1, c.copies):
        y = t.project(x, f"copy_{j}", f"model.altup_projections.{j - 1}", c.hidden_size)
        copies.append(_rescale(t, y, magnitude))
    kv_layers: dict[int | None, int] = {}  # by window, the last one so far
    for i in range(c.layers):
        p = f"model.layers.{i}"
        predictions = _write_predictions(t, c, copies, f"{p}.altup")
        active = predictions[c.active]
        h = t.norm(active, f"{p}.input_layernorm", eps, to="normed")
        y = t.norm(write_attention(t, c, h, i, kv_layers), f"{p}.post_attention_layernorm", eps)
        low = t.project(h, "low_rank", f"{p}.laurel.linear_left", c.rank)
        low = t.project(low, "residual", f"{p}.laurel.linear_right", c.hidden_size)
        low = t.add(t.norm(low, f"{p}.laurel.post_laurel_norm", eps), h)
        y = t.scale(t.add(t.map("add", y, active, to="activated"), low), 2**-0.5)
        h = t.norm(y, f"{p}.pre_feedforward_layernorm", eps, to="h")
        y = t.add(y, t.norm(_write_mlp(t, c, h, i), f"{p}.post_feedforward_layernorm", eps))
        _write_corrections(t, c, copies, predictions, y, f"{p}.altup")
        h = copies[c.active]
        if c.scales_output:
            scale = WeightRef(f"{p}.altup.correct_output_scale", (c.hidden_size,))
            h = t.map("multiply", h, scale, to="h")
        else:
            t.unused.add(f"{p}.altup.correct_output_scale")
        gate = t.project(h, "gate", f"{p}.per_layer_input_gate", c.layer_embedding)
        y = t.gate(gate, embeddings[i], c.activation)
        y = t.project(y, "out", f"{p}.per_layer_projection", c.hidden_size)
        y = t.norm(y, f"{p}.post_per_layer_input_norm", eps)
        for copy in copies[1:]:
            t.add(copy, y)
    magnitude = t.root_mean_square(x, "magnitude")
    for j in range(1, c.copies):
        y = t.project(copies[j], "out", f"model.altup_unembed_projections.{j - 1}", c.hidden_size)
        t.add(x, _rescale(t, y, magnitude))
    t.softcap(write_head(t, c, t.scale(x, 1 / c.copies)), c.logits_cap)


def _rescale(t: Tape, x: Span, magnitude: Span) -> Span:
    """x with the root mean square `magnitude`."""
    return t.map("multiply", t.norm(x, None, 0.0, floor=1e-5), magnitude)


def _write_router(t: Tape, c: Gemma3nConfig, x: Span, p: str, coefficients: str, count: int) -> Span:
    """The coefficients of AltUp that a router gives for the copy x."""
    h = t.scale(t.norm(x, f"{p}.router_norm", c.rms_norm_eps, to="h"), 1 / c.hidden_size)
    modalities = t.map("tanh", t.score(h, f"{p}.modality_router", c.copies))
    return t.project(modalities, "coefficients", f"{p}.{coefficients}", count)


def _write_predictions(t: Tape, c: Gemma3nConfig, copies: list[Span], p: str) -> list[Span]:
    """Each copy plus a sum of all copies, weighted by coefficients."""
    weights = _write_router(t, c, copies[c.active], p, "prediction_coefs", c.copies**2)
    predictions = []
    for j, y in enumerate(copies):
        for i, copy in enumerate(copies):
            weight = Span(weights.buffer, j * c.copies + i, 1)
            y = t.map("multiply_add", y, copy, weight, to=f"prediction_{j}")
        predictions.append(y)
    return predictions


def _write_corrections(
    t: Tape, c: Gemma3nConfig, copies: list[Span], predictions: list[Span], y: Span, p: str
) -> None:
    """Write predictions + (1 + coefficients) * (y - active prediction) to the copies. y is overwritten."""
    weights = _write_router(t, c, y, p, "correction_coefs", c.copies)
    error = t.add(y, predictions[c.active], -1.0)
    for j, (copy, prediction) in enumerate(zip(copies, predictions, strict=True)):
        weight = Span(weights.buffer, j, 1)
        t.map("multiply_add", t.add(prediction, error), error, weight, to=copy.buffer)


def _write_mlp(t: Tape, c: Gemma3nConfig, h: Span, i: int) -> Span:
    """The gated MLP. A sparse one opens only gates so many standard deviations above the mean of the row."""
    p, size = f"model.layers.{i}.mlp", c.inner_sizes[i]
    gate, up = t.linear(h, "inner", {f"{p}.gate_proj": (1, size), f"{p}.up_proj": (1, size)})
    if c.sparsities[i] > 0:
        gate = t.center(gate, "open_gates")
        deviation = t.root_mean_square(gate, "deviation")
        # Rounded, since logarithms of processors differ in the last bit of a float64.
        deviations = float(np.float32(NormalDist().inv_cdf(c.sparsities[i])))
        cutoff = t.scale(deviation, -deviations)
        gate = t.map("relu", t.map("add", gate, cutoff))
    return t.project(t.gate(gate, up, c.activation), "out", f"{p}.down_proj", c.hidden_size)
