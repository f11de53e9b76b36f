"""The architecture of Muse Glimmer."""

from ....errors import ModelError
from ..config import Config, read_decoder, read_stated_windows
from ..metadata import Metadata
from ..names import Places, change
from .architecture import FOUR_NORMS, LLAMA, Architecture, has_bias, in_layers, undo_pairs

_POST_NORM_EPSILON = 1e-8  # which llama.cpp takes for granted


def _read_muse(m: Metadata) -> Config:
    """Files have the factor of queries as weights of a norm, which the family does not have."""
    config, windows = read_decoder(m), read_stated_windows(m)
    weights = {name: set[float]() for name in ("attn_q_norm", "attn_k_norm")}
    for i in range(m.layers):
        for name, values in weights.items():
            values.update(m.floats(f"blk.{i}.{name}.weight"))
    if len(weights["attn_q_norm"]) != 1 or weights["attn_k_norm"] != {1.0}:
        raise ModelError("weights of norms of queries should be one number, and those of keys 1.")
    theta = config["rope_theta"]
    m.expect("rope.freq_base_swa", theta)
    return {
        **config,
        **windows,
        "model_type": "muse_glimmer_text",
        "attention_bias": has_bias(m),
        "final_logit_softcapping": m.number("final_logit_softcapping"),
        "hidden_activation": "silu",
        "layer_rope_theta": [theta if kind == "sliding_attention" else 0 for kind in windows["layer_types"]],
        "output_multiplier": m.number("logit_scale"),
        "post_norm_eps": _POST_NORM_EPSILON,
        "qk_scale_factor": weights["attn_q_norm"].pop(),
    }


def _adapt_muse(places: Places, config: Config) -> None:
    """Queries and keys are in another order, and norms have the 1 that the family adds."""
    undo_pairs(places, config)
    change(places, ("layernorm.weight",), offset=-1.0)
    for name in [name for name in places if name.endswith(("q_norm.weight", "k_norm.weight"))]:
        del places[name]


MUSE = {
    "muse-glimmer": Architecture(
        _read_muse, LLAMA | FOUR_NORMS | in_layers(attn_gate="self_attn.gate_proj"), _adapt_muse
    )
}
