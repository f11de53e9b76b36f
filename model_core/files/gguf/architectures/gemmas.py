"""Gemma 2, 3, 3n and 4 in GGUF files."""

from statistics import NormalDist

from ....errors import ModelError
from ..config import Config, read_decoder, read_sizes, read_stated_windows, read_windows
from ..metadata import Metadata
from ..names import Places, change
from .architecture import FOUR_NORMS, LLAMA, Architecture, in_layers, read_expert_counts, reader


def _subtract_one(places: Places, config: Config) -> None:
    """Norms of Gemma 2 and 3 add 1 to their weights, which files have added already."""
    change(places, ("norm.weight",), offset=-1.0)


def _read_gemma2(m: Metadata) -> Config:
    head_dim, layers = read_decoder(m)["head_dim"], m.layers
    scalar = m.size("embedding_length") / m.size("attention.head_count") if layers == 46 else head_dim
    return read_decoder(m) | {
        "model_type": "gemma2",
        "query_pre_attn_scalar": scalar,  # 27B, of 46 layers, has another than head_dim
        "attn_logit_softcapping": m.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": m.number("final_logit_softcapping", 30.0),
        **read_windows(m, 2),
    }


def _read_gemma3(m: Metadata) -> Config:
    config = read_decoder(m) | read_windows(m, 6)
    head_dim, layers = config["head_dim"], m.layers
    full = {"rope_theta": m.number("rope.freq_base", 1e6), **config.pop("rope_scaling", {})}
    local = {"rope_type": "default", "rope_theta": m.number("rope.freq_base_swa", 1e4)}
    full.setdefault("rope_type", "default")
    del config["rope_theta"]
    if config["sliding_window"] is None:
        config["layer_types"] = ["full_attention"] * layers
    scalar = m.size("embedding_length") / m.size("attention.head_count") if layers == 62 else head_dim
    return config | {
        "model_type": "gemma3_text",
        "query_pre_attn_scalar": scalar,  # 27B, of 62 layers, has another than head_dim
        "rope_parameters": {"full_attention": full, "sliding_attention": local},
        "final_logit_softcapping": m.number("final_logit_softcapping", 0.0) or None,
    }


def _read_ropes(m: Metadata, full: Config) -> Config:
    """The rotary positions of full layers, and those of the others."""
    local = {"rope_type": "default", "rope_theta": m.number("rope.freq_base_swa", 1e4)}
    full = {"rope_theta": m.number("rope.freq_base", 1e6), **full}
    return {"rope_parameters": {"full_attention": full, "sliding_attention": local}}


def _read_common(m: Metadata) -> Config:
    """What Gemma 3n and 4 have in common."""
    return {
        **read_sizes(m),
        "num_attention_heads": m.size("attention.head_count"),
        "num_kv_shared_layers": m.size("attention.shared_kv_layers", 0),
        "hidden_size_per_layer_input": m.size("embedding_length_per_layer_input", 0),
        "final_logit_softcapping": m.number("final_logit_softcapping", 0.0) or None,
        **read_stated_windows(m),
    }


def _read_gemma3n(m: Metadata) -> Config:
    scales = m.get("activation_sparsity_scale")
    if not isinstance(scales, list) or len(scales) < m.layers:
        raise ModelError("gemma3n.activation_sparsity_scale should have a number for each layer.")
    return {
        **_read_common(m),
        **_read_ropes(m, {"rope_type": "default"}),
        "model_type": "gemma3n_text",
        "head_dim": m.size("attention.key_length"),
        "num_key_value_heads": m.size("attention.head_count_kv"),
        "intermediate_size": m.sizes("feed_forward_length"),
        "activation_sparsity_pattern": [NormalDist().cdf(scale) for scale in scales[: m.layers]],
        "altup_active_idx": m.size("altup.active_idx"),
        "altup_num_inputs": m.size("altup.num_inputs"),
        "altup_correct_scale": m.has_tensor("blk.0.altup_correct_scale.weight"),
        "laurel_rank": m.shape("blk.0.laurel_l.weight")[0],
        "vocab_size_per_layer_input": m.shape("per_layer_token_embd.weight")[0],
        "final_logit_softcapping": m.number("final_logit_softcapping", 30.0),
    }


def _read_gemma4(m: Metadata) -> Config:
    common, sizes = _read_common(m), m.sizes("feed_forward_length")
    kv_heads = m.sizes("attention.head_count_kv")
    is_full = [kind == "full_attention" for kind in common["layer_types"]]
    with_values = m.layers_with("attn_v.weight")
    first_shared = m.layers - common["num_kv_shared_layers"]
    factors = m.floats("rope_freqs.weight") if m.has_tensor("rope_freqs.weight") else [1.0]
    # Frequencies that are divided by 1e30 are zero.
    part = sum(factor < 1e20 for factor in factors) / max(1, len(factors))
    config: Config = {
        **common,
        **_read_ropes(m, {"rope_type": "proportional", "partial_rotary_factor": part}),
        "model_type": "gemma4_text",
        "head_dim": m.size("attention.key_length_swa"),
        "num_key_value_heads": next((n for n, full in zip(kv_heads, is_full, strict=True) if not full), 1),
        "per_layer_config": {
            str(i): {"head_dim": m.size("attention.key_length"), "num_key_value_heads": kv_heads[i]}
            for i, full in enumerate(is_full)
            if full
        },
        "attention_k_eq_v": any(
            full and i not in with_values for i, full in enumerate(is_full[:first_shared])
        ),
        "intermediate_size": min(sizes),
        "use_double_wide_mlp": max(sizes) > min(sizes),
        "vocab_size_per_layer_input": common["vocab_size"],
    }
    if m.size("expert_count", 0):
        counts = read_expert_counts(m, "num_experts")
        config |= {"enable_moe_block": True, "moe_intermediate_size": m.size("expert_feed_forward_length")}
        config |= {"num_experts": counts["num_experts"], "top_k_experts": counts["num_experts_per_tok"]}
    return config


_LAYER_EMBEDDINGS = {
    "per_layer_token_embd": "model.embed_tokens_per_layer",
    "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm",
} | in_layers(
    inp_gate="per_layer_input_gate", proj="per_layer_projection", post_norm="post_per_layer_input_norm"
)
_GEMMA3N = {
    **LLAMA,
    **FOUR_NORMS,
    **_LAYER_EMBEDDINGS,
    "altup_proj": "model.altup_projections.{e}",
    "altup_unembd_proj": "model.altup_unembed_projections.{e}",
    **in_layers(
        altup_correct_coef="altup.correction_coefs",
        altup_predict_coef="altup.prediction_coefs",
        altup_router="altup.modality_router",
        altup_router_norm="altup.router_norm",
        laurel_l="laurel.linear_left",
        laurel_r="laurel.linear_right",
        laurel_post_norm="laurel.post_laurel_norm",
    ),
    **in_layers(**{"altup_correct_scale.weight": "altup.correct_output_scale"}),
}
_GEMMA4 = {
    **LLAMA,
    **FOUR_NORMS,
    **_LAYER_EMBEDDINGS,
    **in_layers(
        ffn_gate_inp="router.proj",
        post_ffw_norm_1="post_feedforward_layernorm_1",
        post_ffw_norm_2="post_feedforward_layernorm_2",
        pre_ffw_norm_2="pre_feedforward_layernorm_2",
    ),
    **in_layers(
        **{
            "layer_output_scale.weight": "layer_scalar",
            "ffn_gate_inp.scale": "router.scale",
            "ffn_gate_up_exps.weight": "experts.gate_up_proj",
            "ffn_gate_exps.weight": "experts.gate_up_proj",
            "ffn_up_exps.weight": "experts.gate_up_proj",
            "ffn_down_exps.weight": "experts.down_proj",
            "ffn_down_exps.scale": "router.per_expert_scale",
        }
    ),
}
GEMMAS = {
    "gemma": Architecture(
        reader("gemma", hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True), LLAMA, _subtract_one
    ),
    "gemma2": Architecture(_read_gemma2, LLAMA | FOUR_NORMS, _subtract_one),
    "gemma3": Architecture(_read_gemma3, LLAMA | FOUR_NORMS, _subtract_one),
    "gemma3n": Architecture(_read_gemma3n, _GEMMA3N),
    "gemma4": Architecture(_read_gemma4, _GEMMA4),
}
