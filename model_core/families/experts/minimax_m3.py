"""MiniMax-M3 (2026): gpt-oss' gates, shared experts, and attention to blocks that an indexer chooses.

The indexer chooses `index_topk_blocks` blocks of positions for each token. In a text of so many blocks it
chooses all. Longer texts are refused. Stored norms are smaller by 1. Source: Transformers,
modeling_minimax_m3_vl.py.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...checks.known_fields import LAYER_ROPES
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count, read_layer_types
from ..parts import write_attention, write_head, write_named_mlp
from .mixture import SharedMixtureConfig, read_mixture, read_mlp_types, separate_experts, write_experts

_INDEXER = ("index_q_proj", "index_k_proj", "index_q_norm", "index_k_norm")
_FULL, _SPARSE = "full_attention", "minimax_m3_sparse"


def read_config(raw: dict[str, Any]) -> SharedMixtureConfig:
    """The text_config of MiniMax-M3. The context ends where blocks would be left out."""
    ignore(raw, "hidden_act")  # the gate is the one below, whatever it says
    expect(raw, swiglu_alpha=1.702, swiglu_limit=7.0, use_qk_norm=True, use_gemma_norm=True)
    expect(raw, scoring_func="sigmoid", use_routing_bias=True, qk_norm_type="per_head")
    ignore(raw, "use_mtp", "num_mtp_modules", "mtp_transformer_layers", "router_jitter_noise")
    layers, sparse = read_layer_count(raw), _read_sparse(raw)
    types = read_layer_types(raw, sparse.pop("types") or [_FULL] * layers, (_FULL, _SPARSE))
    frequencies = raw.get("moe_layer_freq")
    has_experts = [bool(f) for f in frequencies] if isinstance(frequencies, list) else [True] * layers
    head_dim = read_size(raw, "head_dim", default=128)
    rotated = read_size(raw, "rotary_dim", default=min(64, head_dim), max_value=head_dim)
    mixture = read_mixture(
        raw,
        "num_local_experts",
        "intermediate_size",
        score="sigmoid",
        normalizes=True,
        scale=read_number(raw, "routed_scaling_factor", 2.0),
    )
    mixture["has_experts"] = read_mlp_types(raw, has_experts)
    config: SharedMixtureConfig = read_decoder_config(
        raw,
        SharedMixtureConfig,
        head_dim=head_dim,
        intermediate_size=read_size(raw, "dense_intermediate_size", default=12288),
        activation="clamped_swiglu",
        ropes=read_rope(raw, theta=5e6, partial=rotated / head_dim),
        shared_size=read_size(raw, "shared_intermediate_size", default=3072),
        has_choice_bias=True,
        **mixture,
    )
    seen = sparse["blocks"] * sparse["size"] if _SPARSE in types else config.max_context
    return replace(config, max_context=min(config.max_context, seen))


def _read_sparse(raw: dict[str, Any]) -> dict[str, Any]:
    """The blocks that an indexer chooses, their size, and the types of layers, if they are given here."""
    ignore(raw, "index_n_heads", "index_head_dim", "index_local_blocks")
    given = raw.get("sparse_attention_config") or {}
    if not isinstance(given, dict):
        raise ModelError(f"sparse_attention_config should be an object, not {shorten(given)}.")
    fields = Fields(given, LAYER_ROPES)
    expect(fields, use_sparse_attention=True, sparse_score_type="max", sparse_init_block=0)
    ignore(fields, "sparse_num_index_heads", "sparse_index_dim", "sparse_local_block")
    ignore(fields, "sparse_disable_index_value")
    frequencies, own = fields.get("sparse_attention_freq"), ("index_topk_blocks", "index_block_size")
    published = [fields.get(name) for name in ("sparse_topk_blocks", "sparse_block_size")]
    values = {
        name: raw.get(name) if value is None else value for name, value in zip(own, published, strict=True)
    }
    fields.check_all_read()
    return {
        "blocks": read_size(values, "index_topk_blocks", default=16),
        "size": read_size(values, "index_block_size", default=128),
        "types": [_SPARSE if f else _FULL for f in frequencies] if isinstance(frequencies, list) else None,
    }


def write_tape(t: Tape, c: SharedMixtureConfig) -> None:
    """Llama's layers, with experts instead of most MLPs."""
    norm = partial(t.norm, eps=c.norm_eps, offset=1.0)
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = norm(x, f"{p}.input_layernorm", to="h")
        x = t.add(x, write_attention(t, c, h, i, head_norm=True, offset=1.0))
        h = norm(x, f"{p}.post_attention_layernorm", to="h")
        if c.has_experts[i]:
            x = t.add(x, _write_mixture(t, c, h, f"{p}.block_sparse_moe"))
        else:
            x = t.add(x, write_named_mlp(t, c, h, f"{p}.mlp", c.intermediate_size))
        t.unused |= {f"{p}.self_attn.{name}.weight" for name in _INDEXER}
    write_head(t, c, x, offset=1.0)


def _write_mixture(t: Tape, c: SharedMixtureConfig, h: Span, p: str) -> Span:
    """The experts that a row chooses, and those that all rows share."""
    experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
    mixture = write_experts(t, c, h, f"{p}.gate", experts, choice_bias=f"{p}.e_score_correction_bias")
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
