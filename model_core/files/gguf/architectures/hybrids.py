"""Architectures with layers that do not only attend: LFM2, Qwen3.5, Qwen3-Next, Granite 4 and Falcon-H1."""

from dataclasses import astuple
from operator import methodcaller

import numpy as np

from ....errors import ModelError
from ....families.mtp import layer_names
from ....families.recurrent.qwen3_next import MTP_NAMES
from ..config import Config, read_common, read_decoder, read_granite_multipliers, read_rope
from ..metadata import Metadata
from ..names import Places, change
from .architecture import (
    ATTENTION,
    GRANITE_EXPERTS,
    LAYER,
    LLAMA,
    MTP,
    QWEN_EXPERTS,
    QWEN_MIXTURE,
    SIGMOID,
    TOP,
    Architecture,
    in_layers,
    read_expert_counts,
    reader,
    undo_pairs,
)
from .mambas import MAMBA2, adapt_mamba2, read_mamba2


def _read_lfm2(m: Metadata) -> Config:
    kv_heads = m.sizes("attention.head_count_kv")
    common = read_common(m)
    return {
        **common,
        **read_rope(m, common["head_dim"]),
        "model_type": "lfm2",
        "intermediate_size": m.size("feed_forward_length"),
        "block_auto_adjust_ff_dim": False,
        "num_key_value_heads": max(kv_heads),
        "layer_types": ["full_attention" if count else "conv" for count in kv_heads],
        "norm_eps": m.number("attention.layer_norm_rms_epsilon"),
        "conv_L_cache": m.size("shortconv.l_cache"),
    }


def _read_lfm2_moe(m: Metadata) -> Config:
    m.expect("expert_gating_func", SIGMOID)
    return _read_lfm2(m) | {
        "model_type": "lfm2_moe",
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "num_dense_layers": m.size("leading_dense_block_count", 0),
        "norm_topk_prob": True,
        "routed_scaling_factor": m.number("expert_weights_scale", 1.0),
        "use_expert_bias": bool(m.layers_with("exp_probs_b.bias")),
        **read_expert_counts(m, "num_experts"),
    }


def _adapt_lfm2(places: Places, config: Config) -> None:
    """Weights of convolutions have an axis more in the family."""
    change(places, ("conv.conv.weight",), shape=(config["hidden_size"], 1, config["conv_L_cache"]))


def _read_delta_net(m: Metadata) -> Config:
    """What Qwen3.5 and Qwen3-Next have in common."""
    further, layers = m.size("nextn_predict_layers", 0), m.layers
    interval, value_heads = m.size("full_attention_interval", 4), m.size("ssm.time_step_rank")
    kv_heads = m.get("attention.head_count_kv")
    if not interval > 0 or not value_heads > 0 or not further < layers:
        raise ModelError("full_attention_interval, ssm.time_step_rank or nextn_predict_layers cannot be.")
    common = read_common(m)
    return {
        **common,
        **read_rope(m, common["head_dim"]),
        "num_hidden_layers": layers - further,
        "num_nextn_predict_layers": further,
        "num_key_value_heads": max(kv_heads) if isinstance(kv_heads, list) else kv_heads,
        "intermediate_size": m.size("feed_forward_length", 0) or 1,
        "layer_types": [
            "linear_attention" if (i + 1) % interval else "full_attention" for i in range(layers - further)
        ],
        "linear_conv_kernel_dim": m.size("ssm.conv_kernel"),
        "linear_key_head_dim": m.size("ssm.state_size"),
        "linear_num_key_heads": m.size("ssm.group_count"),
        "linear_num_value_heads": value_heads,
        "linear_value_head_dim": m.size("ssm.inner_size") // value_heads,
    }


_SHARED_EXPERT = {
    "shared_expert_intermediate_size": methodcaller("size", "expert_shared_feed_forward_length")
}
_read_qwen3_next = reader("qwen3_next", _read_delta_net, **QWEN_EXPERTS, **_SHARED_EXPERT)
_read_qwen35_moe = reader("qwen3_5_moe_text", _read_delta_net, **QWEN_EXPERTS, **_SHARED_EXPERT)


def _delta_net_sizes(config: Config) -> tuple[int, int, int, int]:
    """Key heads, value heads of each, and the sizes of both."""
    keys, values = config["linear_num_key_heads"], config["linear_num_value_heads"]
    if not keys or values % keys:
        raise ModelError(f"{values} heads of values do not divide among {keys} heads of keys.")
    return keys, values // keys, config["linear_key_head_dim"], config["linear_value_head_dim"]


def _adapt_delta_net(places: Places, config: Config) -> None:
    keys, group, key_dim, value_dim = _delta_net_sizes(config)
    columns = keys * (2 * key_dim + group * value_dim)
    # Norms add 1 to their weights, but for the one of the delta net; files have added it already.
    norms = [name for name in places if name.endswith("norm.weight") and "linear_attn" not in name]
    change(places, norms, offset=-1.0)
    change(places, ("linear_attn.A_log",), is_negative_exp=True)
    change(places, ("conv1d.weight",), shape=(columns, 1, config["linear_conv_kernel_dim"]))
    change(places, ("shared_expert_gate.weight",), shape=(1, config["hidden_size"]))
    _rename_mtp_head(places, config["num_hidden_layers"])


def _rename_mtp_head(places: Places, layer: int) -> None:
    """The family has names of its own for the MTP head, which files have as a further layer."""
    stored, prefix = layer_names(layer), f"model.layers.{layer}."
    pairs = zip(astuple(stored), astuple(MTP_NAMES), strict=True)
    renamed = {f"{old}.weight": f"{new}.weight" for old, new in pairs}
    for name in [name for name in places if name.startswith(prefix)]:
        places[renamed.get(name, f"mtp.layers.0.{name.removeprefix(prefix)}")] = places.pop(name)


def _adapt_qwen35(places: Places, config: Config) -> None:
    """Files have the first value head of each key head, then the second ones, and so on."""
    _adapt_delta_net(places, config)
    keys, group, key_dim, value_dim = _delta_net_sizes(config)
    if group == 1:
        return

    def order(dim: int) -> np.ndarray:
        return np.arange(keys * group * dim).reshape(group, keys, dim).swapaxes(0, 1).reshape(-1)

    first = 2 * keys * key_dim
    both = np.concatenate([np.arange(first), first + order(value_dim)])
    change(places, ("in_proj_qkv.weight", "conv1d.weight"), order=both)
    change(places, ("in_proj_z.weight",), order=order(value_dim))
    change(places, ("in_proj_a.weight", "in_proj_b.weight", "A_log", "dt_bias"), order=order(1))
    change(places, ("linear_attn.out_proj.weight",), columns=order(value_dim))


def _adapt_qwen3_next(places: Places, config: Config) -> None:
    """Newer files have queries, keys, values and gates of all heads; the family those of each key head."""
    _adapt_delta_net(places, config)
    keys, group, key_dim, value_dim = _delta_net_sizes(config)
    sizes = (key_dim, key_dim, group * value_dim, group * value_dim)
    parts, first = [], 0
    for size in sizes:
        parts.append(first + np.arange(keys * size).reshape(keys, size))
        first += keys * size
    for name, place in places.items():
        if name.endswith("in_proj_qkvz.weight") and len(place.names) > 1:
            change(places, (name,), order=np.concatenate(parts, axis=1).reshape(-1))


def _read_granite_hybrid(m: Metadata) -> Config:
    common, kv_heads = read_common(m), m.sizes("attention.head_count_kv")
    experts, inner = m.size("expert_count", 0), m.size("ssm.inner_size")
    if inner % common["hidden_size"]:
        raise ModelError("ssm.inner_size does not fit embedding_length.")
    name = "expert_shared_feed_forward_length" if experts else "feed_forward_length"
    config = {
        **common,
        **read_rope(m, common["head_dim"]),
        **read_granite_multipliers(m, common["head_dim"]),
        **read_mamba2(m),
        "model_type": "granitemoehybrid",
        "intermediate_size": m.size("feed_forward_length"),
        "shared_intermediate_size": m.size(name),
        "num_key_value_heads": max(kv_heads),
        "layer_types": ["attention" if count else "mamba" for count in kv_heads],
        "position_embedding_type": "rope" if m.get("rope.scaling.finetuned") else None,
        "num_local_experts": experts,
        "mamba_expand": inner // common["hidden_size"],
    }
    return config | (read_expert_counts(m, "num_local_experts") if experts else {})


def _adapt_granite_hybrid(places: Places, config: Config) -> None:
    undo_pairs(places, config)
    adapt_mamba2(places, config)


def _read_falcon_h1(m: Metadata) -> Config:
    """Files have the weights times all multipliers."""
    return {
        **read_decoder(m),
        **read_mamba2(m),
        "model_type": "falcon_h1",
        "mamba_d_ssm": m.size("ssm.inner_size"),
        "mamba_rms_norm": bool(m.layers_with("ssm_norm.weight")),
        "mamba_norm_before_gate": False,  # which llama.cpp takes for granted
    }


_LFM2 = {
    **TOP,
    "token_embd_norm": "model.embedding_norm",
    **ATTENTION,
    **in_layers(
        attn_norm="operator_norm",
        ffn_norm="ffn_norm",
        attn_output="self_attn.out_proj",
        attn_q_norm="self_attn.q_layernorm",
        attn_k_norm="self_attn.k_layernorm",
        ffn_gate="feed_forward.w1",
        ffn_up="feed_forward.w3",
        ffn_down="feed_forward.w2",
    ),
    **{f"shortconv.{part}": f"{LAYER}conv.{part}" for part in ("conv", "in_proj", "out_proj")},
}
_LFM2_MOE = _LFM2 | in_layers(
    ffn_gate_inp="feed_forward.gate",
    ffn_gate_exps="feed_forward.experts.{e}.w1",
    ffn_up_exps="feed_forward.experts.{e}.w3",
    ffn_down_exps="feed_forward.experts.{e}.w2",
    **{"exp_probs_b.bias": "feed_forward.expert_bias"},
)
_DELTA_NET = (
    LLAMA
    | MTP
    | in_layers(
        post_attention_norm="post_attention_layernorm",
        ssm_a="linear_attn.A_log",
        ssm_conv1d="linear_attn.conv1d",
        ssm_norm="linear_attn.norm",
        ssm_out="linear_attn.out_proj",
        **{"ssm_dt.bias": "linear_attn.dt_bias"},
    )
)
_QWEN35 = _DELTA_NET | in_layers(
    attn_qkv="linear_attn.in_proj_qkv",
    attn_gate="linear_attn.in_proj_z",
    ssm_alpha="linear_attn.in_proj_a",
    ssm_beta="linear_attn.in_proj_b",
)
_QWEN3_NEXT = {
    **_DELTA_NET,
    **QWEN_MIXTURE,
    **in_layers(
        attn_qkv="linear_attn.in_proj_qkvz",
        attn_gate="linear_attn.in_proj_qkvz",
        ssm_in="linear_attn.in_proj_qkvz",  # of older files
        ssm_ba="linear_attn.in_proj_ba",
    ),
}
_FALCON_H1 = {
    **TOP,
    "output_norm": "model.final_layernorm",
    **ATTENTION,
    **MAMBA2,
    **in_layers(
        **{f"ffn_{x}": f"feed_forward.{x}_proj" for x in ("gate", "up", "down")},
        # llama.cpp's converter leaves out the ending of this name.
        **dict.fromkeys(("ffn_norm", "ffn_norm.weight"), "pre_ff_layernorm.weight"),
    ),
}
_GRANITE_HYBRID = {
    **LLAMA,
    **MAMBA2,
    **GRANITE_EXPERTS,
    **in_layers(
        ffn_gate="shared_mlp.input_linear",
        ffn_up="shared_mlp.input_linear",
        ffn_down="shared_mlp.output_linear",
        ffn_gate_shexp="shared_mlp.input_linear",
        ffn_up_shexp="shared_mlp.input_linear",
        ffn_down_shexp="shared_mlp.output_linear",
    ),
}
HYBRIDS = {
    "falcon-h1": Architecture(_read_falcon_h1, _FALCON_H1, adapt_mamba2),
    "granitehybrid": Architecture(_read_granite_hybrid, _GRANITE_HYBRID, _adapt_granite_hybrid),
    "lfm2": Architecture(_read_lfm2, _LFM2, _adapt_lfm2),
    "lfm2moe": Architecture(_read_lfm2_moe, _LFM2_MOE, _adapt_lfm2),
    "qwen35": Architecture(reader("qwen3_5_text", _read_delta_net), _QWEN35, _adapt_qwen35),
    "qwen35moe": Architecture(_read_qwen35_moe, _QWEN35 | QWEN_MIXTURE, _adapt_qwen35),
    "qwen3next": Architecture(_read_qwen3_next, _QWEN3_NEXT, _adapt_qwen3_next),
}
