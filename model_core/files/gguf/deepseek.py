"""deepseek2: DeepSeek-V2 and V3, and GLM-4.7-Flash in GGUF files."""

from .architecture import LLAMA, MTP, SHARED_EXPERTS, SIGMOID, Architecture, in_layers, read_shared_experts
from .config import Config, read_rope, read_sizes
from .metadata import Metadata
from .names import Places, change


def _read_deepseek2(m: Metadata) -> Config:
    """All are read as DeepSeek-V2 or V3, which differ in how rows choose their experts."""
    heads, rotated = m.size("attention.head_count"), m.size("rope.dimension_count")
    plain = m.size("attention.key_length_mla", m.size("attention.key_length")) - rotated
    return {
        **read_sizes(m),
        **_read_stretched_rope(m, rotated),
        **read_shared_experts(m, normalizes=False),
        **(_V3_ROUTING if _has_sigmoid(m) else _read_v2_routing(m)),
        "intermediate_size": m.size("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "qk_nope_head_dim": plain,
        "qk_rope_head_dim": rotated,
        "v_head_dim": m.size("attention.value_length_mla", m.size("attention.value_length")),
        "q_lora_rank": m.size("attention.q_lora_rank", 0) or None,
        "kv_lora_rank": m.size("attention.kv_lora_rank"),
        "attention_bias": m.has_tensor("blk.0.attn_output.bias"),
    }


def _read_stretched_rope(m: Metadata, rotated: int) -> Config:
    """The fields of rotary positions. YaRN's factor of cosines and sines is 1: it is in the scores."""
    fields = read_rope(m, rotated)
    scaling, weight = fields.get("rope_scaling", {}), 10 * m.number("rope.scaling.yarn_log_multiplier", 0.0)
    if scaling.get("rope_type") == "yarn":
        if weight:
            scaling |= {"attention_factor": None, "mscale": weight, "mscale_all_dim": weight}
        # Files of Mistral Large 3 have it. The family refuses it.
        scaling["llama_4_scaling_beta"] = m.number("attention.temperature_scale", 0.0)
    return fields


_V3_ROUTING = {"model_type": "deepseek_v3", "scoring_func": "sigmoid", "topk_method": "noaux_tc"}


def _has_sigmoid(m: Metadata) -> bool:
    """Whether experts are chosen as in V3. Files of GLM-4.7-Flash do not say it, but have its biases."""
    function = m.size("expert_gating_func", 0)
    has_biases = any(m.has_tensor(f"blk.{i}.exp_probs_b.bias") for i in range(m.layers))
    return function == SIGMOID or (not function and has_biases)


def _read_v2_routing(m: Metadata) -> Config:
    has_groups = m.size("expert_group_count", 1) > 1
    return {
        "model_type": "deepseek_v2",
        "scoring_func": "softmax",
        "topk_method": "group_limited_greedy" if has_groups else "greedy",
        "mlp_bias": m.has_tensor("blk.0.ffn_gate.bias"),
    }


def _join_expansions(places: Places, config: Config) -> None:
    """Newer files have the expansions of keys and values one by one, that of keys as [heads, latent, key]."""
    heads, plain, values = (config[x] for x in ("num_attention_heads", "qk_nope_head_dim", "v_head_dim"))
    shape = (heads * (plain + values), config["kv_lora_rank"])
    joined = [name for name, place in places.items() if "kv_b_proj" in name and len(place.names) > 1]
    change(places, joined, first_is_transposed=True, shape=shape)


_NAMES = {
    **LLAMA,
    **SHARED_EXPERTS,
    **MTP,
    **in_layers(
        attn_q_a="self_attn.q_a_proj",
        attn_q_a_norm="self_attn.q_a_layernorm",
        attn_q_b="self_attn.q_b_proj",
        attn_kv_a_mqa="self_attn.kv_a_proj_with_mqa",
        attn_kv_a_norm="self_attn.kv_a_layernorm",
        attn_kv_b="self_attn.kv_b_proj",  # of older files
        attn_k_b="self_attn.kv_b_proj",
        attn_v_b="self_attn.kv_b_proj",
    ),
}
DEEPSEEK2 = Architecture(_read_deepseek2, _NAMES, _join_expansions)
