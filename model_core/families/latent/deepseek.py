"""DeepSeek-V2 and V3, and GLM-4.7-Flash: multi-head latent attention, and routed and shared experts.

Multi-head latent attention (DeepSeek-V2, 2024, arXiv:2405.04434) projects keys and values from one narrow
row, their latent, which all heads share. It is stored, and the matrices that would expand it are applied to
queries and mixed latents instead: q (W c) = (q W) c. Latents of sizes that do not fill strips are expanded,
and the keys and values of all heads stored.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...kernels.layout import STRIP
from ...tape.references import Span, WeightRef
from ...tape.rope import RopeConfig, find_rope_fields, read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config
from ..experts.mixture import (
    SharedMixtureConfig,
    read_mlp_types,
    read_shared_mixture,
    with_mtp_layer,
    write_shared_mixture,
)
from ..indexer import Indexer, write_indexer
from ..mtp import layer_names, write_mtp_head
from ..parts import write_head, write_layer, write_mlp

_LATENT_EPS = 1e-6  # of the norms of latents, whatever the config says


@dataclass(frozen=True)
class DeepSeekConfig(SharedMixtureConfig):
    """The shapes of latent attention. head_dim is plain_dim + rotated_dim.

    Attributes:
        query_rank: columns of the latent of queries; None: they are projected from hidden states.
        kv_rank: columns of the latent of keys and values.
        plain_dim, rotated_dim: columns of a head's queries and keys without and with rotary positions.
        value_dim: columns of a head's values.
        score_scale: factor of the scores.
    """

    query_rank: int | None
    kv_rank: int
    plain_dim: int
    rotated_dim: int
    value_dim: int
    score_scale: float

    @property
    def stores_latents(self) -> bool:
        """Whether latents are stored."""
        return self.kv_rank % STRIP == 0 and self.value_dim % STRIP == 0


def read_config(raw: dict[str, Any]) -> DeepSeekConfig:
    """The config.json of DeepSeek-V2, DeepSeek-V3 or GLM-4.7-Flash."""
    is_v2 = raw["model_type"] == "deepseek_v2"
    mixture = _read_v2_mixture(raw) if is_v2 else _read_mixture(raw)
    rope = replace(read_rope(raw), is_interleaved=is_v2 or bool(raw.get("rope_interleave", True)))
    if rope.partial != 1 or rope.query_growth:
        raise ModelError("partial_rotary_factor and llama_4_scaling_beta are not supported here.")
    return read_latent_config(raw, rope, mlp_bias=is_v2 and bool(raw.get("mlp_bias", False)), **mixture)


def read_latent_config(raw: dict[str, Any], rope: RopeConfig, **family: Any) -> DeepSeekConfig:
    """The fields of latent attention. rope: of rotated dimensions. family: those of a mixture, and others."""
    heads = read_size(raw, "num_attention_heads")
    plain_dim, rotated_dim = read_size(raw, "qk_nope_head_dim"), read_size(raw, "qk_rope_head_dim")
    if rotated_dim % 2:
        raise ModelError(f"qk_rope_head_dim is {rotated_dim}, but rotary embeddings need an even size.")
    expect(raw, num_key_value_heads=heads, moe_layer_freq=1, qk_head_dim=plain_dim + rotated_dim)
    ignore(raw, "ep_size", "head_dim")  # processes of the training; head_dim follows from the others
    return read_decoder_config(
        raw,
        DeepSeekConfig,
        head_dim=plain_dim + rotated_dim,
        ropes=rope,
        query_rank=None if raw.get("q_lora_rank") is None else read_size(raw, "q_lora_rank"),
        kv_rank=read_size(raw, "kv_lora_rank"),
        plain_dim=plain_dim,
        rotated_dim=rotated_dim,
        value_dim=read_size(raw, "v_head_dim"),
        score_scale=_read_score_scale(raw, rope, plain_dim + rotated_dim),
        **read_attention_bias(raw),
        **family,
    )


def _read_score_scale(raw: dict[str, Any], rope: RopeConfig, head_dim: int) -> float:
    """head_dim^-0.5, times the square of YaRN's factor for all dimensions, as published with DeepSeek-V2."""
    weight = read_number(find_rope_fields(raw), "mscale_all_dim", 0.0, 0, 1e6)
    is_stretched = rope.kind != "default" and rope.factor > 1
    return head_dim**-0.5 * (0.1 * weight * math.log(rope.factor) + 1 if is_stretched else 1) ** 2


def _read_v2_mixture(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of SharedMixtureConfig for DeepSeek-V2. The best expert stands for its group."""
    routing: dict[str, Any] = {"score": "softmax", "normalizes": False, "group_top": 1}
    method = raw.get("topk_method") or "greedy"
    if method not in ("greedy", "group_limited_greedy"):
        raise ModelError(
            f"topk_method {shorten(method)} is not supported; greedy and group_limited_greedy are."
        )
    if method == "greedy":
        routing |= {"groups": 1, "top_groups": 1}
    expect(raw, norm_topk_prob=False, scoring_func="softmax")
    return read_shared_mixture(raw, dense_layers=0, has_choice_bias=False, **routing)


def _read_mixture(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of SharedMixtureConfig for the others. Newer families name the layers that have experts."""
    expect(raw, scoring_func="sigmoid", topk_method="noaux_tc")
    mixture = read_shared_mixture(raw, dense_layers=1 if raw["model_type"] == "glm4_moe_lite" else 3)
    if raw["model_type"] != "deepseek_v3":
        mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    return mixture


def write_tape(t: Tape, c: DeepSeekConfig, indexer: Indexer | None = None) -> None:
    """Llama's layers with latent attention, and with experts instead of most MLPs.

    indexer: chooses the positions that layers attend to; None: these are all.
    """
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = _write_layer(t, c, x, i, indexer)
    write_head(t, c, x)


def write_mtp_tape(t: Tape, c: DeepSeekConfig) -> None:
    """The MTP head: a further layer. GLM's hands its normed hidden states on."""
    names, further, is_glm = layer_names(c.layers), with_mtp_layer(c), c.family == "glm4_moe_lite"
    write_mtp_head(t, c, names, lambda x: _write_layer(t, further, x, c.layers), hands_on_normed=is_glm)


def _write_layer(t: Tape, c: DeepSeekConfig, x: Span, i: int, indexer: Indexer | None = None) -> Span:
    mlp = write_shared_mixture if c.has_experts[i] else write_mlp
    attention = partial(write_latent_attention, t, c, indexer=indexer)
    return write_layer(t, c, x, i, partial(mlp, t, c), attention)


def write_latent_attention(
    t: Tape,
    c: DeepSeekConfig,
    h: Span,
    i: int,
    latent_eps: float = _LATENT_EPS,
    sinks: str | None = None,
    gate: str | None = None,
    indexer: Indexer | None = None,
) -> Span:
    """Queries and keys may have a part that is rotated. All heads share that of the keys.

    latent_eps: of the norms of latents. sinks: the name of attention sinks, if there are some. gate: that of
    a projection, whose sigmoid multiplies what is mixed. indexer: see write_tape.
    """
    p, rope = f"model.layers.{i}.self_attn", c.ropes[i]
    source, name = h, "q_proj"
    if c.query_rank is not None:
        source = t.project(h, "q_latent", f"{p}.q_a_proj", c.query_rank, bias=c.qkv_bias)
        source, name = t.norm(source, f"{p}.q_a_layernorm", latent_eps), "q_b_proj"
    chosen = None
    if indexer is not None:
        chosen = write_indexer(t, indexer, h, source, i, rope, c.max_context)
    q, *q_rotated = _expand(t, c, source, "q", f"{p}.{name}", (c.plain_dim, c.rotated_dim))
    q_rotated = [t.rope(part, rope) for part in q_rotated]
    if rope is not None and rope.query_growth:  # of the whole queries, but not of keys
        length, growth = rope.original_max_position, rope.query_growth
        q = t.rope(q, RopeConfig(original_max_position=length, query_growth=growth, is_still=True))
        rope = replace(rope, query_growth=0.0)
    parts = [(1, size) for size in (c.kv_rank, c.rotated_dim) if size]
    latent, *k_rotated = t.linear_split(h, "kv_latent", f"{p}.kv_a_proj_with_mqa", parts, bias=c.qkv_bias)
    latent = t.norm(latent, f"{p}.kv_a_layernorm", latent_eps, to="kv_normed")
    k_rotated = [t.rope(part, rope) for part in k_rotated]
    sizes = (c.plain_dim, c.value_dim)
    if c.stores_latents:
        of_keys, of_values = _split_rows(c, f"{p}.kv_b_proj", sizes, c.kv_rank)
        q = t.multiply_heads(q, "q_latent_keys", of_keys, c.kv_rank, is_transposed=True)
        q, latents = t.join(q, *q_rotated, to="queries"), t.join(latent, *k_rotated, to="keys")
        mixed = t.attend_to_latents(q, latents, c.kv_rank, c.score_scale, sinks=sinks, chosen=chosen)
        mixed = t.multiply_heads(mixed, "mixed_values", of_values, c.value_dim)
    else:
        k, v = _expand(t, c, latent, "kv", f"{p}.kv_b_proj", sizes)
        q, k = t.join(q, *q_rotated, to="queries"), t.join(k, *k_rotated, to="keys")
        mixed = t.attend(q, k, v, c.score_scale, sinks=sinks, chosen=chosen)
    if gate is not None:
        gates = t.map("sigmoid", t.project(h, "gate", gate, mixed.width))
        mixed = t.map("multiply", replace(mixed, heads=1), gates)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)


def _expand(t: Tape, c: DeepSeekConfig, x: Span, to: str, name: str, sizes: tuple[int, int]) -> list[Span]:
    """x times a matrix with the rows of two parts for each head. sizes: columns of a head in each part."""
    return t.matmul(x, to, [(weight, c.heads) for weight in _split_rows(c, name, sizes, x.width)])


def _split_rows(c: DeepSeekConfig, name: str, sizes: tuple[int, int], columns: int) -> list[WeightRef]:
    """The two parts of a matrix with so many rows of each for each head."""
    parts = ((0, sizes[0]), (sizes[0], sum(sizes))) if sizes[1] else ((0, sizes[0]),)
    shape = (c.heads * sum(sizes), columns)
    return [WeightRef(f"{name}.weight", shape, *part, groups=c.heads) for part in parts]
