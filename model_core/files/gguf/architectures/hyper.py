"""The architectures of Hy4 and GLM-5.3 Flash: latent attention with indexers, between hyper-connections."""

from ....errors import ModelError
from ..config import Config, read_sizes
from ..metadata import Metadata
from ..names import Places, change
from .architecture import LAYER, SIGMOID, Architecture, read_shared_experts
from .deepseek import KIMI_NAMES, SPARSE_NAMES, join_expansions, read_latent_sizes

_LIMIT = 10.0  # of what gates let through
_KEY_EPSILON = 1e-6  # of the norm of the indexer's keys


def _read_hyper(m: Metadata) -> Config:
    """The fields of both. MTP heads, further layers at the end, are left out."""
    for name in ("swiglu_clamp_exp", "swiglu_clamp_shexp"):
        limits = m.get(name)
        if any(limit != _LIMIT for limit in (limits if isinstance(limits, list) else [limits or _LIMIT])):
            raise ModelError(f"{m.architecture}.{name} should be {_LIMIT:g} for each layer.")
    m.expect("expert_gating_func", SIGMOID)
    config = {
        **read_sizes(m),
        **read_shared_experts(m, normalizes=True),
        **read_latent_sizes(m),
        "attention_bias": False,
        "hc_eps": m.number("hyper_connection.epsilon"),
        "hc_mult": m.size("hyper_connection.count"),
        "index_head_dim": m.size("attention.indexer.key_length"),
        "index_n_heads": m.size("attention.indexer.head_count"),
        "index_topk": m.size("attention.indexer.top_k"),
        "intermediate_size": m.size("feed_forward_length"),
    }
    types = m.get("attention.indexer.types", m.get("attention.indexer.is_full"))
    if types is not None and not isinstance(types, list):
        raise ModelError(f"{m.architecture}.attention.indexer.types should have a value for each layer.")
    if types is not None:
        names = ["full" if kind else "shared" for kind in types]
        config["indexer_types"] = names[: config["num_hidden_layers"]]
    return config


def _read_hy_v4(m: Metadata) -> Config:
    """Files of Tencent have another name of the architecture, and of the layers that choose."""
    return _read_hyper(m) | {
        "model_type": "hy_v4",
        "hc_magnitude": m.number("hyper_connection.magnitude"),
        "rope_theta": m.number("rope.freq_base"),
    }


def _read_glm5_next(m: Metadata) -> Config:
    """Layers without KV heads are delta nets, whose heads the matrix of their rates counts."""
    m.expect("attention.indexer.kpool_select_tail", True)
    m.expect("rope.dimension_count", 0)
    if m.number("attention.layer_norm_epsilon", _KEY_EPSILON) != _KEY_EPSILON:
        raise ModelError(f"glm5-next.attention.layer_norm_epsilon should be {_KEY_EPSILON}.")
    m.ignore("rope.freq_base")  # there are no positions
    config = _read_hyper(m)
    kv_heads = m.sizes("attention.head_count_kv")[: config["num_hidden_layers"]]
    bound = m.get("kda.gate_lower_bound")
    return config | {
        "model_type": "glm5_next_text",
        "hc_sinkhorn_iters": m.size("hyper_connection.sinkhorn_iterations"),
        "index_kpool": m.size("attention.indexer.kpool"),
        "layer_types": ["indexed_attention" if count else "linear_attention" for count in kv_heads],
        "linear_conv_kernel_dim": m.size("ssm.conv_kernel"),
        "linear_head_dim": m.size("kda.head_dim"),
        "linear_lower_bound": None if bound is None else m.number("kda.gate_lower_bound"),
        "linear_num_heads": m.shape(f"blk.{kv_heads.index(0) if 0 in kv_heads else 0}.ssm_beta.weight")[0],
    }


def _adapt_glm5_next(places: Places, config: Config) -> None:
    join_expansions(places, config)
    columns = config["linear_num_heads"] * config["linear_head_dim"]
    change(places, ("self_attn.A_log",), shape=(config["linear_num_heads"],), is_negative_exp=True)
    change(places, ("_conv1d.weight",), shape=(columns, 1, config["linear_conv_kernel_dim"]))


def _hyper_names(pattern: str) -> dict[str, str]:
    """Tensors of hyper-connections. pattern: the name in the family, of {kind} and {part}."""
    return {
        f"hc_{kind}_{part}.weight": LAYER + pattern.format(kind=kind, part=part)
        for kind in ("attn", "ffn")
        for part in ("fn", "scale", "base")
    }


_HY_V4 = {
    **SPARSE_NAMES,
    **_hyper_names("{kind}_hc.{part}"),
    **{f"output_hc_{part}.weight": f"model.hc_head.hc_{part}" for part in ("fn", "scale", "base")},
    "attn_gate": f"{LAYER}self_attn.gate_proj",
    "attn_sinks.weight": f"{LAYER}self_attn.sinks",
}
_GLM5_NEXT = {
    **SPARSE_NAMES,
    **KIMI_NAMES,
    **_hyper_names("hc_{kind}_{part}"),
    "indexer_compressor_gate.weight": f"{LAYER}self_attn.indexer.index_kpool_compress_gate",
    "indexer_compressor_ape.weight": f"{LAYER}self_attn.indexer.index_kpool_compress_ape",
}
HYPER = {
    **dict.fromkeys(("hy_v4", "hyv4"), Architecture(_read_hy_v4, _HY_V4, join_expansions)),
    "glm5-next": Architecture(_read_glm5_next, _GLM5_NEXT, _adapt_glm5_next),
}
