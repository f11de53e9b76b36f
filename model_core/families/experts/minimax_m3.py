"""MiniMax-M3 (2026): gpt-oss' gates, shared experts, and attention to blocks that an indexer chooses.

In most layers, an indexer chooses blocks of positions for each token and KV head. Stored norms are smaller by
1. Source: Transformers, modeling_minimax_m3_vl.py.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...checks.known_fields import LAYER_ROPES
from ...errors import ModelError
from ...tape.references import Span
from ...tape.rope import part_of, read_rope
from ...tape.selection import Chosen
from ...tape.tape import Tape
from ..config import read_decoder_config, read_layer_count, read_layer_types
from ..indexer import bits_of, write_selection
from ..parts import PLAIN, Scores, write_attention, write_head, write_named_mlp
from .mixture import SharedMixtureConfig, read_mixture, read_mlp_types, separate_experts, write_experts

_FULL, _SPARSE = "full_attention", "minimax_m3_sparse"
# Fields of sparse_attention_config, as published -> those beside it, and their defaults.
_SPARSE_FIELDS = {
    "sparse_num_index_heads": ("index_n_heads", 4),
    "sparse_index_dim": ("index_head_dim", 128),
    "sparse_block_size": ("index_block_size", 128),
    "sparse_topk_blocks": ("index_topk_blocks", 16),
    "sparse_local_block": ("index_local_blocks", 1),
}


@dataclass(frozen=True)
class BlockIndexer:
    """Chooses `top` blocks of `block` positions for each of its heads, the last `local` ones among them."""

    heads: int
    size: int
    block: int
    top: int
    local: int


@dataclass(frozen=True)
class MiniMaxM3Config(SharedMixtureConfig):
    """`is_sparse`: of each layer. indexer: of layers that are; None if there is none."""

    is_sparse: tuple[bool, ...]
    indexer: BlockIndexer | None


def read_config(raw: dict[str, Any]) -> MiniMaxM3Config:
    """The text_config of MiniMax-M3."""
    ignore(raw, "hidden_act")  # the gate is the one below, whatever it says
    expect(raw, swiglu_alpha=1.702, swiglu_limit=7.0, use_qk_norm=True, use_gemma_norm=True)
    expect(raw, scoring_func="sigmoid", use_routing_bias=True, qk_norm_type="per_head", n_shared_experts=1)
    ignore(raw, "use_mtp", "num_mtp_modules", "mtp_transformer_layers", "router_jitter_noise")
    layers, (indexer, names) = read_layer_count(raw), _read_sparse(raw)
    types = read_layer_types(raw, names or [_FULL] * layers, (_FULL, _SPARSE))
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
    config: MiniMaxM3Config = read_decoder_config(
        raw,
        MiniMaxM3Config,
        head_dim=head_dim,
        intermediate_size=read_size(raw, "dense_intermediate_size", default=12288),
        activation="clamped_swiglu",
        ropes=read_rope(raw, theta=5e6, partial=rotated / head_dim),
        shared_size=read_size(raw, "shared_intermediate_size", default=3072),
        has_choice_bias=True,
        is_sparse=tuple(kind == _SPARSE for kind in types),
        indexer=indexer if _SPARSE in types else None,
        **mixture,
    )
    if config.indexer is not None:
        _check_indexer(config.indexer, config.kv_heads, rotated)
    return config


def _read_sparse(raw: dict[str, Any]) -> tuple[BlockIndexer, list[str] | None]:
    """The indexer, and the types of layers, if they are given here."""
    given = raw.get("sparse_attention_config") or {}
    if not isinstance(given, dict):
        raise ModelError(f"sparse_attention_config should be an object, not {shorten(given)}.")
    fields = Fields(given, LAYER_ROPES)
    expect(fields, use_sparse_attention=True, sparse_score_type="max", sparse_init_block=0)
    ignore(fields, "sparse_disable_index_value")
    frequencies = fields.get("sparse_attention_freq")
    values = {}
    for name, (own, default) in _SPARSE_FIELDS.items():
        stated, beside = fields.get(name), raw.get(own, default)
        values[own] = beside if stated is None else stated
    fields.check_all_read()
    indexer = BlockIndexer(
        heads=read_size(values, "index_n_heads"),
        size=read_size(values, "index_head_dim"),
        block=read_size(values, "index_block_size"),
        top=read_size(values, "index_topk_blocks"),
        local=int(read_number(values, "index_local_blocks", 1, 0, 1e6)),
    )
    return indexer, [_SPARSE if f else _FULL for f in frequencies] if isinstance(frequencies, list) else None


def _check_indexer(indexer: BlockIndexer, kv_heads: int, rotated: int) -> None:
    """Raises ModelError if kernels do not compute it."""
    if kv_heads % indexer.heads or indexer.size < rotated:
        raise ModelError(
            f"{kv_heads} KV heads do not divide among {indexer.heads} heads of the indexer, or these have "
            f"fewer than the {rotated} rotated dimensions."
        )
    if indexer.block not in (16, 32, 64, 128, 256, 512):
        raise ModelError(f"index_block_size should be a power of 2 from 16 to 512, not {indexer.block}.")
    if indexer.local > indexer.top:
        raise ModelError("index_local_blocks is larger than index_topk_blocks.")


def write_tape(t: Tape, c: MiniMaxM3Config) -> None:
    """Llama's layers, with experts instead of most MLPs."""
    norm = partial(t.norm, eps=c.norm_eps, offset=1.0)
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = norm(x, f"{p}.input_layernorm", to="h")
        scores = PLAIN
        if c.is_sparse[i] and c.indexer is not None:
            scores = Scores(chosen=_write_indexer(t, c, c.indexer, h, i))
        x = t.add(x, write_attention(t, c, h, i, head_norm=True, offset=1.0, scores=scores))
        h = norm(x, f"{p}.post_attention_layernorm", to="h")
        if c.has_experts[i]:
            x = t.add(x, _write_mixture(t, c, h, f"{p}.block_sparse_moe"))
        else:
            x = t.add(x, write_named_mlp(t, c, h, f"{p}.mlp", c.intermediate_size))
    write_head(t, c, x, offset=1.0)


def _write_indexer(t: Tape, c: MiniMaxM3Config, indexer: BlockIndexer, h: Span, i: int) -> Chosen:
    """The blocks that the KV heads of layer i attend to."""
    p, rope, heads, size = f"model.layers.{i}.self_attn", c.ropes[i], indexer.heads, indexer.size
    names = {f"{p}.index_q_proj": (heads, size), f"{p}.index_k_proj": (1, size)}
    q, k = t.linear(h, "index", names)
    for x, name in ((q, "index_q_norm"), (k, "index_k_norm")):
        t.norm(x, f"{p}.{name}", c.norm_eps, offset=1.0)
        if rope is not None:
            rotated = int(c.head_dim * rope.partial)
            t.rope(x, replace(rope, partial=part_of(rotated, size)))
    bits = bits_of(heads, indexer.block, c.max_context)
    return write_selection(t, q, k, bits, None, indexer.block, indexer.top, indexer.local)


def _write_mixture(t: Tape, c: SharedMixtureConfig, h: Span, p: str) -> Span:
    """The experts that a row chooses, and those that all rows share."""
    experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
    mixture = write_experts(t, c, h, f"{p}.gate", experts, choice_bias=f"{p}.e_score_correction_bias")
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
