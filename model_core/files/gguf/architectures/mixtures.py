"""Architectures of later models with mixtures of experts, among them Llama 4, MiniMax-M2 and MiMo."""

from ....errors import ModelError
from ..config import (
    Config,
    read_decoder,
    read_rope,
    read_sizes,
    read_stated_windows,
    read_window,
    read_windows,
    with_layer_ropes,
)
from ..metadata import Metadata
from ..names import Places, change
from .architecture import (
    EXPERTS,
    LAYER,
    LLAMA,
    MIXTRAL,
    SHARED_EXPERTS,
    SIGMOID,
    Architecture,
    has_bias,
    in_layers,
    read_expert_counts,
    read_shared_experts,
)


def _read_ernie_moe(m: Metadata) -> Config:
    return read_decoder(m) | {
        "model_type": "ernie4_5_moe",
        "moe_num_experts": m.size("expert_count"),
        "moe_k": m.size("expert_used_count"),
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "moe_num_shared_experts": m.size("expert_shared_count", 0),
        "moe_layer_start_index": m.size("leading_dense_block_count", 0),
        "moe_layer_interval": m.size("interleave_moe_layer_step", 1),
        # Files do not say it.
        "moe_layer_end_index": max(m.layers_with("ffn_gate_inp.weight"), default=-1),
    }


def _adapt_ernie_moe(places: Places, config: Config) -> None:
    """The bias of the choice has an axis more in the family."""
    change(places, ("moe_statics.e_score_correction_bias",), shape=(1, config["moe_num_experts"]))


def _read_hunyuan_moe(m: Metadata) -> Config:
    return read_decoder(m) | {
        "model_type": "hunyuan_v1_moe",
        "num_experts": m.size("expert_count"),
        "moe_topk": m.size("expert_used_count"),
        "num_shared_expert": m.size("expert_shared_count", 1),
        "intermediate_size": m.size("expert_feed_forward_length"),
        "attention_bias": has_bias(m),
    }


def _read_hy_v3(m: Metadata) -> Config:
    """An MTP head, further layers at the end, is left out."""
    m.expect("expert_gating_func", SIGMOID)
    further, size = m.size("nextn_predict_layers", 0), m.size("expert_feed_forward_length")
    layers = max(0, m.layers - further)
    sparse = m.layers_with("ffn_gate_inp.weight")
    return read_decoder(m) | {
        "model_type": "hy_v3",
        "attention_bias": has_bias(m),
        "mlp_layer_types": ["sparse" if i in sparse else "dense" for i in range(layers)],
        "moe_intermediate_size": size,
        "num_hidden_layers": layers,
        "num_nextn_predict_layers": further,
        "num_shared_experts": m.size("expert_shared_feed_forward_length", size) // max(1, size),
        "route_norm": bool(m.get("expert_weights_norm", False)),
        "router_scaling_factor": m.number("expert_weights_scale", 1.0),
        **read_expert_counts(m, "num_experts"),
    }


def _read_phimoe(m: Metadata) -> Config:
    """Files do not have router_jitter_noise, and llama.cpp has another router: both are as published."""
    return read_decoder(m) | {
        "model_type": "phimoe",
        "num_local_experts": m.size("expert_count"),
        "num_experts_per_tok": m.size("expert_used_count"),
        "router_jitter_noise": 0.01,
        "sliding_window": read_window(m),
        "attention_bias": has_bias(m),
        "lm_head_bias": m.has_tensor("output.bias"),
    }


def _read_minimax_m3(m: Metadata) -> Config:
    """Layers with experts are those that choose blocks."""
    m.expect("expert_gating_func", SIGMOID)
    m.expect("expert_weights_norm", True)
    m.ignore("expert_shared_count")  # the tensors that are there say it
    dense, size = m.size("leading_dense_block_count", 0), m.size("expert_feed_forward_length")
    config, sparse = read_decoder(m), [i >= dense for i in range(m.layers)]
    inner = config["intermediate_size"]
    return config | {
        "model_type": "minimax_m3_vl_text",
        "dense_intermediate_size": inner,
        "intermediate_size": size,
        "index_block_size": m.size("attention.indexer.block_size"),
        "index_head_dim": m.size("attention.indexer.key_length"),
        "index_local_blocks": m.size("attention.indexer.local_blocks"),
        "index_n_heads": m.size("attention.indexer.head_count"),
        "index_topk_blocks": m.size("attention.indexer.top_k"),
        "layer_types": ["minimax_m3_sparse" if has_experts else "full_attention" for has_experts in sparse],
        "mlp_layer_types": ["sparse" if has_experts else "dense" for has_experts in sparse],
        "rotary_dim": m.size("rope.dimension_count", config["head_dim"]),
        "routed_scaling_factor": m.number("expert_weights_scale", 1.0),
        "shared_intermediate_size": m.shape(f"blk.{dense}.ffn_up_shexp.weight")[0],
        **read_expert_counts(m, "num_local_experts"),
    }


def _subtract_one(places: Places, config: Config) -> None:
    """Norms have the 1 that the family adds."""
    change(places, ("norm.weight",), offset=-1.0)


_NO_QK_NORM = 128  # experts, of Maverick


def _read_llama4(m: Metadata) -> Config:
    """llama.cpp takes for granted what the files do not say: chunks, growth, and which layers are rotated."""
    m.expect("expert_gating_func", SIGMOID)
    m.ignore("interleave_moe_layer_step")  # the tensors that are there say it
    experts = m.size("expert_count")
    is_plain = m.get("attention.sliding_window") == 0
    return read_decoder(m) | {
        "model_type": "llama4_text",
        "num_local_experts": experts,
        "num_experts_per_tok": m.size("expert_used_count"),
        "intermediate_size": m.size("expert_feed_forward_length"),
        "intermediate_size_mlp": m.size("feed_forward_length"),
        "moe_layers": m.layers_with("ffn_gate_inp.weight"),
        "use_qk_norm": experts != _NO_QK_NORM,
        "attention_chunk_size": None if is_plain else m.size("attention.chunk_size", 8192),
        "no_rope_layers": [1] * m.layers if is_plain else [],
        "attention_bias": has_bias(m),
    }


def _read_cohere2_moe(m: Metadata) -> Config:
    """llama.cpp averages shared and chosen experts, and rotates the first layers, those with an MLP."""
    config, layers = read_decoder(m), range(m.layers)
    m.expect("rope.freq_base_swa", config["rope_theta"])
    m.expect("expert_gating_func", SIGMOID)
    dense = m.size("leading_dense_block_count", 0)
    return {
        **config,
        **read_stated_windows(m),
        "model_type": "cohere2_moe",
        "attention_bias": has_bias(m),
        "expert_selection_fn": "sigmoid",
        "intermediate_size": m.size("expert_feed_forward_length"),
        "layer_norm_eps": m.number("attention.layer_norm_epsilon", 1e-5),
        "logit_scale": m.number("logit_scale"),
        "mlp_layer_types": ["dense" if i < dense else "sparse" for i in layers],
        "norm_topk_prob": bool(m.get("expert_weights_norm", False)),
        "num_shared_experts": m.size("expert_shared_count", 0),
        "prefix_dense_intermediate_size": config["intermediate_size"],
        **read_expert_counts(m, "num_experts"),
    }


def _read_afmoe(m: Metadata) -> Config:
    """llama.cpp takes for granted that embeddings are multiplied."""
    m.expect("expert_gating_func", SIGMOID)
    config = read_decoder(m)
    m.expect("rope.freq_base_swa", config["rope_theta"])
    return (
        config
        | read_windows(m, 4)
        | read_expert_counts(m, "num_experts")
        | {
            "model_type": "afmoe",
            "moe_intermediate_size": m.size("expert_feed_forward_length"),
            "num_shared_experts": m.size("expert_shared_count", 1),
            "num_dense_layers": m.size("leading_dense_block_count", 0),
            "route_norm": bool(m.get("expert_weights_norm", False)),
            "route_scale": m.number("expert_weights_scale", 1.0),
            "mup_enabled": True,
            "attention_bias": has_bias(m),
        }
    )


def _read_exaone_moe(m: Metadata) -> Config:
    """Layers after those of the model predict several tokens at once."""
    m.expect("expert_gating_func", SIGMOID)
    m.ignore("expert_shared_feed_forward_length")  # that of an expert times their number
    config, windows = read_decoder(m), read_windows(m, 4)
    m.expect("rope.freq_base_swa", config["rope_theta"])
    shared = read_shared_experts(m, normalizes=False)
    names = {"n_routed_experts": "num_experts", "n_shared_experts": "num_shared_experts"}
    config |= windows | {names.get(name, name): value for name, value in shared.items()}
    return config | {
        "model_type": "exaone_moe",
        "layer_types": windows["layer_types"][: config["num_hidden_layers"]],
    }


def _read_mellum(m: Metadata) -> Config:
    """Layers with a window are never stretched. llama.cpp normalizes, and has experts in all layers."""
    config = read_decoder(m)
    if read_window(m) is not None:
        config = with_layer_ropes(m, config) | read_windows(m, 4)
    return config | {
        "model_type": "mellum",
        "attention_bias": has_bias(m),
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "norm_topk_prob": True,
        **read_expert_counts(m, "num_experts"),
    }


def _read_minimax_m2(m: Metadata) -> Config:
    m.expect("expert_gating_func", SIGMOID)
    return {
        **read_decoder(m),
        **read_expert_counts(m, "num_local_experts"),
        "model_type": "minimax_m2",
        "intermediate_size": m.size("expert_feed_forward_length"),
    }


def _read_mimo2(m: Metadata) -> Config:
    """Files have the window as it was published, without the token itself, which llama.cpp counts."""
    m.expect("expert_gating_func", SIGMOID)
    windows = read_stated_windows(m)
    counts = list(zip(m.sizes("attention.head_count_kv"), windows["layer_types"], strict=True))
    kinds = ("full_attention", "sliding_attention")
    full, windowed = ({count for count, kind in counts if kind == wanted} for wanted in kinds)
    if len(full) > 1 or len(windowed) > 1:
        raise ModelError("attention.head_count_kv should be the same in all layers of a kind.")
    head_dim, sparse = m.size("attention.key_length"), m.layers_with("ffn_gate_inp.weight")
    return {
        **with_layer_ropes(m, {**read_sizes(m), **read_rope(m, head_dim)}),
        "model_type": "mimo_v2_flash",
        "attention_bias": has_bias(m),
        "attention_value_scale": m.number("attention.value_scale"),
        "head_dim": head_dim,
        "intermediate_size": m.size("feed_forward_length"),
        "layer_types": windows["layer_types"],
        "mlp_layer_types": ["sparse" if i in sparse else "dense" for i in range(m.layers)],
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "n_group": m.size("expert_group_count", 1),
        "norm_topk_prob": True,
        "num_attention_heads": m.size("attention.head_count"),
        "num_key_value_heads": max(full, default=1),
        "routed_scaling_factor": m.number("expert_weights_scale", 1.0),
        "sliding_window_size": windows["sliding_window"],
        "swa_num_key_value_heads": max(windowed, default=1),
        "topk_group": m.size("expert_group_used_count", 1),
        "v_head_dim": m.size("attention.value_length"),
        **read_expert_counts(m, "n_routed_experts"),
    }


_AFMOE = (
    LLAMA
    | SHARED_EXPERTS
    | in_layers(
        attn_gate="self_attn.gate_proj",
        post_attention_norm="post_attention_layernorm",
        ffn_norm="pre_mlp_layernorm",
        post_ffw_norm="post_mlp_layernorm",
        ffn_gate_inp="mlp.router.gate",
        **{"exp_probs_b.bias": "mlp.expert_bias"},
    )
)
_EXAONE_MOE = LLAMA | SHARED_EXPERTS | in_layers(**{"exp_probs_b.bias": "mlp.e_score_correction_bias"})
_ERNIE_MOE = (
    LLAMA | SHARED_EXPERTS | in_layers(**{"exp_probs_b.bias": "mlp.moe_statics.e_score_correction_bias"})
)
_HUNYUAN_MOE = (
    LLAMA
    | EXPERTS
    | in_layers(
        attn_q_norm="self_attn.query_layernorm",
        attn_k_norm="self_attn.key_layernorm",
        ffn_gate_inp="mlp.gate.wg",
        ffn_gate_shexp="mlp.shared_mlp.gate_proj",
        ffn_up_shexp="mlp.shared_mlp.up_proj",
        ffn_down_shexp="mlp.shared_mlp.down_proj",
    )
)
_HY_V3 = (
    LLAMA
    | EXPERTS
    | in_layers(
        ffn_gate_inp="mlp.router.gate",
        exp_probs_b="mlp.expert_bias",
        **{"exp_probs_b.bias": "mlp.expert_bias"},
        ffn_gate_shexp="mlp.shared_mlp.gate_proj",
        ffn_up_shexp="mlp.shared_mlp.up_proj",
        ffn_down_shexp="mlp.shared_mlp.down_proj",
    )
)
_LLAMA4 = LLAMA | in_layers(
    ffn_gate="feed_forward.gate_proj",
    ffn_up="feed_forward.up_proj",
    ffn_down="feed_forward.down_proj",
    ffn_gate_inp="feed_forward.router",
    ffn_gate_exps="feed_forward.experts.{e}.gate_proj",
    ffn_up_exps="feed_forward.experts.{e}.up_proj",
    ffn_down_exps="feed_forward.experts.{e}.down_proj",
    ffn_gate_shexp="feed_forward.shared_expert.gate_proj",
    ffn_up_shexp="feed_forward.shared_expert.up_proj",
    ffn_down_shexp="feed_forward.shared_expert.down_proj",
)
_MINIMAX_M3 = (
    MIXTRAL
    | {
        f"indexer.{part}_{kind}": f"{LAYER}self_attn.index_{part}_{kind}"
        for part in ("q", "k")
        for kind in ("proj", "norm")
    }
    | in_layers(
        ffn_gate_shexp="block_sparse_moe.shared_experts.gate_proj",
        ffn_up_shexp="block_sparse_moe.shared_experts.up_proj",
        ffn_down_shexp="block_sparse_moe.shared_experts.down_proj",
        **{"exp_probs_b.bias": "block_sparse_moe.e_score_correction_bias"},
    )
)
_MINIMAX = MIXTRAL | in_layers(**{"exp_probs_b.bias": "block_sparse_moe.e_score_correction_bias"})
MIXTURES = {
    "afmoe": Architecture(_read_afmoe, _AFMOE),
    "cohere2moe": Architecture(_read_cohere2_moe, LLAMA | SHARED_EXPERTS),
    "ernie4_5-moe": Architecture(_read_ernie_moe, _ERNIE_MOE, _adapt_ernie_moe),
    "exaone-moe": Architecture(_read_exaone_moe, _EXAONE_MOE),
    "hunyuan-moe": Architecture(_read_hunyuan_moe, _HUNYUAN_MOE),
    "hy_v3": Architecture(_read_hy_v3, _HY_V3),
    "llama4": Architecture(_read_llama4, _LLAMA4),
    "mellum": Architecture(_read_mellum, LLAMA | EXPERTS),
    "minimax-m2": Architecture(_read_minimax_m2, _MINIMAX),
    "minimax-m3": Architecture(_read_minimax_m3, _MINIMAX_M3, _subtract_one),
    "mimo2": Architecture(
        _read_mimo2,
        LLAMA | SHARED_EXPERTS | {"attn_sinks.weight": f"{LAYER}self_attn.attention_sink_bias"},
    ),
    "phimoe": Architecture(_read_phimoe, MIXTRAL),
}
