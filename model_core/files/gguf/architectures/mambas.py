"""Architectures with Mamba layers, and what those in hybrids.py have of them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ....errors import ModelError
from ....families.recurrent.mamba import MAMBA_FIELDS
from ....families.recurrent.mamba2 import MAMBA2_FIELDS
from ....families.recurrent.nemotron_h import NEMOTRON_FIELDS
from ..config import Config, read_common, read_sizes
from ..metadata import Metadata
from ..names import Places, change
from .architecture import (
    ATTENTION,
    LAYER,
    SIGMOID,
    TOP,
    Architecture,
    in_layers,
    read_expert_counts,
    read_shared_experts,
)

_Fields = Mapping[str, tuple[str, Any]]  # see mamba.MAMBA_FIELDS


def read_mamba2(m: Metadata, fields: _Fields = MAMBA_FIELDS) -> Config:
    """The sizes of Mamba-2, by the family's names."""
    heads, inner = m.size("ssm.time_step_rank"), m.size("ssm.inner_size")
    if not 0 < heads <= inner:
        raise ModelError("ssm.inner_size does not fit ssm.time_step_rank.")
    values = {
        "heads": heads,
        "head_dim": inner // heads,
        "groups": m.size("ssm.group_count"),
        "state": m.size("ssm.state_size"),
        "conv_width": m.size("ssm.conv_kernel"),
        "conv_bias": bool(m.layers_with("ssm_conv1d.bias")),
        "bias": bool(m.layers_with("ssm_in.bias")),
    }
    return {fields[field][0]: value for field, value in values.items()}


def adapt_mamba2(
    places: Places, config: Config, fields: _Fields = MAMBA_FIELDS, prefix: str = "mamba"
) -> None:
    """Give weights of Mamba-2 the axes that they have in the family. prefix: of their names in a layer."""
    heads, head_dim, groups, state, width = (
        config[fields[field][0]] for field in ("heads", "head_dim", "groups", "state", "conv_width")
    )
    inner = heads * head_dim
    change(places, (f"{prefix}.A_log",), shape=(heads,), is_negative_exp=True)
    change(places, (f"{prefix}.D",), shape=(heads,))
    change(places, (f"{prefix}.norm.weight",), shape=(inner,))
    change(places, ("conv1d.weight",), shape=(inner + 2 * groups * state, 1, width))


def _read_nemotron_h(m: Metadata) -> Config:
    """A layer has keys and values, an MLP or experts, or else Mamba-2."""
    sizes, kv_heads = m.sizes("feed_forward_length"), m.sizes("attention.head_count_kv")
    layers, has_experts = m.layers - m.size("nextn_predict_layers", 0), m.size("expert_count", 0) > 0
    config = {
        **read_common(m),
        **read_mamba2(m, NEMOTRON_FIELDS),
        "model_type": "nemotron_h",
        "layer_norm_epsilon": m.number("attention.layer_norm_rms_epsilon"),
        "intermediate_size": max(1, *sizes),
        "num_key_value_heads": max(kv_heads),
        "num_hidden_layers": layers,
        "layers_block_type": [
            ("moe" if has_experts else "mlp") if size else "attention" if count else "mamba"
            for size, count in zip(sizes[:layers], kv_heads, strict=False)
        ],
    }
    m.ignore("rope.freq_base", "rope.scaling.finetuned")  # there are no rotary positions
    if not has_experts:
        return config
    m.expect("expert_gating_func", SIGMOID)
    mixture = read_shared_experts(m, normalizes=True)
    del mixture["first_k_dense_replace"]
    return {
        **config,
        **mixture,
        "moe_shared_expert_intermediate_size": m.size("expert_shared_feed_forward_length"),
        "moe_latent_size": m.size("moe_latent_size", 0) or None,
    }


def _read_mamba2(m: Metadata) -> Config:
    config = {**read_sizes(m), **read_mamba2(m, MAMBA2_FIELDS), "model_type": "mamba2"}
    inner = m.size("ssm.inner_size")
    if inner % max(1, config["hidden_size"]):
        raise ModelError("ssm.inner_size does not fit embedding_length.")
    return config | {
        "layer_norm_epsilon": m.number("attention.layer_norm_rms_epsilon"),
        "expand": inner // config["hidden_size"],
    }


def _read_mamba(m: Metadata) -> Config:
    """Of Falcon-Mamba, too, which norms steps, B and C with an epsilon that files do not have."""
    return {
        **read_sizes(m),
        "model_type": "falcon_mamba" if m.get("ssm.dt_b_c_rms") else "mamba",
        "layer_norm_epsilon": m.number("attention.layer_norm_rms_epsilon"),
        "intermediate_size": m.size("ssm.inner_size"),
        "state_size": m.size("ssm.state_size"),
        "time_step_rank": m.size("ssm.time_step_rank"),
        "conv_kernel": m.size("ssm.conv_kernel"),
        "use_conv_bias": m.has_tensor("blk.0.ssm_conv1d.bias"),
        "use_bias": m.has_tensor("blk.0.ssm_in.bias"),
    }


def _adapt_mamba(places: Places, config: Config) -> None:
    change(places, ("mixer.A_log",), is_negative_exp=True)
    change(places, ("conv1d.weight",), shape=(config["intermediate_size"], 1, config["conv_kernel"]))


def _read_jamba(m: Metadata) -> Config:
    """The layers with attention have keys and values, and those with experts a router."""
    common, kv_heads, inner = read_common(m), m.sizes("attention.head_count_kv"), m.size("ssm.inner_size")
    if inner % common["hidden_size"]:
        raise ModelError("ssm.inner_size does not fit embedding_length.")
    counts = read_expert_counts(m, "num_experts")
    sparse = m.layers_with("ffn_gate_inp.weight")
    return {
        **common,
        "model_type": "jamba",
        "intermediate_size": m.size("feed_forward_length"),
        "num_key_value_heads": max(kv_heads),
        "mamba_expand": inner // common["hidden_size"],
        "mamba_d_state": m.size("ssm.state_size"),
        "mamba_d_conv": m.size("ssm.conv_kernel"),
        "mamba_dt_rank": m.size("ssm.time_step_rank"),
        **_find_period("attn_layer", [i for i, count in enumerate(kv_heads) if count], m.layers),
        **_find_period("expert_layer", sparse, m.layers),
        **(counts if sparse else {"num_experts": 1}),
    }


def _find_period(name: str, found: list[int], layers: int) -> Config:
    """The fields that say which of all layers are of a kind: every so many, from one on."""
    offset = found[0] if found else layers
    period = found[1] - offset if len(found) > 1 else layers + 1
    if [i for i in range(layers) if i % period == offset] != found:
        raise ModelError("layers of a kind do not follow each other at equal distances.")
    return {f"{name}_period": period, f"{name}_offset": offset}


def _adapt_jamba(places: Places, config: Config) -> None:
    inner = config["mamba_expand"] * config["hidden_size"]
    change(places, ("mamba.A_log",), is_negative_exp=True)
    change(places, ("conv1d.weight",), shape=(inner, 1, config["mamba_d_conv"]))


MAMBA2 = in_layers(
    ssm_in="mamba.in_proj",
    ssm_conv1d="mamba.conv1d",
    ssm_a="mamba.A_log",
    ssm_d="mamba.D",
    ssm_norm="mamba.norm",
    ssm_out="mamba.out_proj",
    **{"ssm_dt.bias": "mamba.dt_bias"},
)
_BACKBONE = {
    "token_embd": "backbone.embeddings",
    "output_norm": "backbone.norm_f",
    "output": "lm_head",
    "attn_norm": "backbone.layers.{i}.norm",
    **{name: target.replace(f"{LAYER}mamba", "backbone.layers.{i}.mixer") for name, target in MAMBA2.items()},
}
_MAMBA = {name: target for name, target in _BACKBONE.items() if name != "ssm_dt.bias"} | {
    "ssm_x": "backbone.layers.{i}.mixer.x_proj",
    "ssm_dt": "backbone.layers.{i}.mixer.dt_proj",
}
_NEMOTRON_H = _BACKBONE | {
    name: f"backbone.layers.{{i}}.mixer.{target}"
    for name, target in {
        "attn_q": "q_proj",
        "attn_k": "k_proj",
        "attn_v": "v_proj",
        "attn_output": "o_proj",
        "ffn_up": "up_proj",
        "ffn_down": "down_proj",
        "ffn_gate_inp": "gate",
        "exp_probs_b.bias": "gate.e_score_correction_bias",
        "ffn_up_exps": "experts.{e}.up_proj",
        "ffn_down_exps": "experts.{e}.down_proj",
        "ffn_up_shexp": "shared_experts.up_proj",
        "ffn_down_shexp": "shared_experts.down_proj",
        "ffn_latent_down": "fc1_latent_proj",
        "ffn_latent_up": "fc2_latent_proj",
    }.items()
}
_JAMBA = {
    **TOP,
    "output_norm": "model.final_layernorm",
    **ATTENTION,
    **{name: target for name, target in MAMBA2.items() if name not in ("ssm_dt.bias", "ssm_norm")},
    **in_layers(
        ssm_x="mamba.x_proj",
        ssm_dt="mamba.dt_proj",
        **{f"ssm_{x}_norm": f"mamba.{x}_layernorm" for x in ("dt", "b", "c")},
        ffn_norm="pre_ff_layernorm",
        ffn_gate_inp="feed_forward.router",
        **{f"ffn_{x}": f"feed_forward.{x}_proj" for x in ("gate", "up", "down")},
        **{f"ffn_{x}_exps": f"feed_forward.experts.{{e}}.{x}_proj" for x in ("gate", "up", "down")},
    ),
}
_nemotron_h = Architecture(
    _read_nemotron_h, _NEMOTRON_H, partial(adapt_mamba2, fields=NEMOTRON_FIELDS, prefix="mixer")
)
MAMBAS = {
    "jamba": Architecture(_read_jamba, _JAMBA, _adapt_jamba),
    "mamba": Architecture(_read_mamba, _MAMBA, _adapt_mamba),
    "mamba2": Architecture(
        _read_mamba2, _BACKBONE, partial(adapt_mamba2, fields=MAMBA2_FIELDS, prefix="mixer")
    ),
    "nemotron_h": _nemotron_h,
    "nemotron_h_moe": _nemotron_h,
}
