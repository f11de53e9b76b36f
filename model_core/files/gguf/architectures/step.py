"""The architecture of Step 3.5 Flash."""

from ....errors import ModelError
from ....tape.rope import part_of
from ..config import Config, read_rope, read_sizes, read_stated_windows, with_layer_ropes
from ..metadata import Metadata
from ..names import Places, change
from .architecture import LLAMA, SIGMOID, Architecture, has_bias, in_layers, read_expert_counts


def _read_step35(m: Metadata) -> Config:
    """MTP heads, further layers at the end, are left out.

    llama.cpp rotates half of the dimensions that the file names, in layers without a window.
    """
    m.expect("expert_gating_func", SIGMOID)
    m.expect("expert_weights_norm", True)
    m.ignore("leading_dense_block_count", "moe_every_n_layers", "interleave_moe_layer_step")
    further = m.size("nextn_predict_layers", 0)
    layers, windows = max(0, m.layers - further), read_stated_windows(m)
    types = windows["layer_types"][:layers]
    head_dim, sparse = m.size("attention.key_length"), m.layers_with("ffn_gate_inp.weight")
    counts = list(zip(m.sizes("attention.head_count")[:layers], types, strict=True))
    heads, window_heads = (
        {count for count, kind in counts if kind == wanted}
        for wanted in ("full_attention", "sliding_attention")
    )
    if len(heads) > 1 or len(window_heads) > 1:
        raise ModelError("attention.head_count should be the same in all layers of a kind.")
    config = with_layer_ropes(m, {**read_sizes(m), **read_rope(m, head_dim)})
    rotated, ropes = m.size("rope.dimension_count", head_dim), config["rope_parameters"]
    windowed = m.size("rope.dimension_count_swa", rotated)
    for kind, size in (("full_attention", rotated // 2), ("sliding_attention", windowed)):
        ropes[kind]["partial_rotary_factor"] = part_of(size, head_dim)
    if (factors := ropes["full_attention"].get("short_factor")) is not None:
        ropes["full_attention"]["short_factor"] = factors[: rotated // 4]  # files have twice as many
    return config | {
        "model_type": "step3p5",
        "attention_bias": has_bias(m),
        "head_dim": head_dim,
        "intermediate_size": m.size("feed_forward_length"),
        "layer_types": types,
        "mlp_layer_types": ["sparse" if i in sparse else "dense" for i in range(layers)],
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "moe_router_scaling_factor": m.number("expert_weights_scale", 1.0),
        "num_attention_heads": max(heads or window_heads),
        "num_hidden_layers": layers,
        "num_key_value_heads": m.size("attention.head_count_kv"),
        "num_nextn_predict_layers": further,
        "num_sliding_attention_heads": max(window_heads or heads),
        "share_expert_dim": m.size("expert_shared_feed_forward_length"),
        "sliding_window": windows["sliding_window"],
        "swiglu_limits": _read_limits(m, "swiglu_clamp_exp", layers),
        "swiglu_limits_shared": _read_limits(m, "swiglu_clamp_shexp", layers),
        **read_expert_counts(m, "n_routed_experts"),
    }


def _read_limits(m: Metadata, name: str, layers: int) -> list[float]:
    """A limit for each layer, 0 for none."""
    values = m.get(name)
    if values is None:
        return [0.0] * layers
    if not isinstance(values, list) or len(values) < layers:
        raise ModelError(f"{m.architecture}.{name} should have a number for each of {layers} layers.")
    return values[:layers]


def _subtract_one(places: Places, config: Config) -> None:
    """Norms have the 1 that the family adds."""
    change(places, ("norm.weight",), offset=-1.0)


_STEP = LLAMA | in_layers(
    attn_gate="self_attn.g_proj",
    ffn_gate_inp="moe.gate",
    ffn_gate_exps="moe.gate_proj",
    ffn_up_exps="moe.up_proj",
    ffn_down_exps="moe.down_proj",
    ffn_gate_shexp="share_expert.gate_proj",
    ffn_up_shexp="share_expert.up_proj",
    ffn_down_shexp="share_expert.down_proj",
    **{"exp_probs_b.bias": "moe.router_bias", "exp_probs_b": "moe.router_bias"},
)
STEP = {"step35": Architecture(_read_step35, _STEP, _subtract_one)}
