"""Architectures with latent attention: DeepSeek-V2 to V3.2, GLM-4.7-Flash, GLM-5, Mistral 4, Kimi Linear."""

from ..config import Config, read_rope, read_sizes
from ..metadata import Metadata
from ..names import Places, change
from .architecture import (
    LLAMA,
    MIXTRAL,
    MLP,
    MTP,
    SHARED_EXPERTS,
    SIGMOID,
    Architecture,
    in_layers,
    read_shared_experts,
)


def _read_deepseek2(m: Metadata) -> Config:
    """All are read as DeepSeek-V2 or V3, which differ in how rows choose their experts."""
    return {
        **read_sizes(m),
        **_read_stretched_rope(m, m.size("rope.dimension_count")),
        **read_shared_experts(m, normalizes=False),
        **(_V3_ROUTING if _has_sigmoid(m) else _read_v2_routing(m)),
        **read_latent_sizes(m),
        "intermediate_size": m.size("feed_forward_length"),
        "attention_bias": m.has_tensor("blk.0.attn_output.bias"),
    }


def read_latent_sizes(m: Metadata) -> Config:
    """The sizes of latent attention. Files say that there is one KV head, that of latents."""
    heads, rotated = m.size("attention.head_count"), m.size("rope.dimension_count")
    m.ignore("attention.head_count_kv")
    plain = m.size("attention.key_length_mla", m.size("attention.key_length")) - rotated
    return {
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "qk_nope_head_dim": plain,
        "qk_rope_head_dim": rotated,
        "v_head_dim": m.size("attention.value_length_mla", m.size("attention.value_length")),
        "q_lora_rank": m.size("attention.q_lora_rank", 0) or None,
        "kv_lora_rank": m.size("attention.kv_lora_rank"),
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
    return function == SIGMOID or (not function and bool(m.layers_with("exp_probs_b.bias")))


def _read_v2_routing(m: Metadata) -> Config:
    has_groups = m.size("expert_group_count", 1) > 1
    return {
        "model_type": "deepseek_v2",
        "scoring_func": "softmax",
        "topk_method": "group_limited_greedy" if has_groups else "greedy",
        "mlp_bias": m.has_tensor("blk.0.ffn_gate.bias"),
    }


def join_expansions(places: Places, config: Config) -> None:
    """Newer files have the expansions of keys and values one by one, that of keys as [heads, latent, key]."""
    heads, plain, values = (config[x] for x in ("num_attention_heads", "qk_nope_head_dim", "v_head_dim"))
    shape = (heads * (plain + values), config["kv_lora_rank"])
    joined = [name for name, place in places.items() if "kv_b_proj" in name and len(place.names) > 1]
    change(places, joined, first_is_transposed=True, shape=shape)


_GROWTH = 0.1  # of Mistral Small 4, whose files do not always say it


def _read_mistral4(m: Metadata) -> Config:
    """Queries grow after as many positions as YaRN stretches."""
    config = _read_deepseek2(m)
    for name in ("scoring_func", "topk_method", "mlp_bias"):
        config.pop(name, None)
    if isinstance(scaling := config.get("rope_scaling"), dict):
        scaling["llama_4_scaling_beta"] = m.number("attention.temperature_scale", _GROWTH)
        if (length := scaling.get("original_max_position_embeddings")) is not None:
            m.expect("attention.temperature_length", length)
    return config | {"model_type": "mistral4"}


# From this context on, files of GLM are of 5.2 and later, where not all layers have an indexer (llama.cpp).
_SHARED_CONTEXT = 2**20


def _read_sparse(m: Metadata) -> Config:
    """DeepSeek-V3.2 and GLM-5, which have the same tensors."""
    config, is_glm = _read_deepseek2(m), m.architecture == "glm-dsa"
    layers = m.layers - m.size("nextn_predict_layers", 0)
    types = m.get("attention.indexer.types")  # truth values or numbers
    if types is None and is_glm and config["max_position_embeddings"] >= _SHARED_CONTEXT:
        types = [i < 3 or i % 4 == 2 for i in range(layers)]
    if is_glm and isinstance(types, list):
        config["indexer_types"] = ["full" if kind else "shared" for kind in types[:layers]]
    for name in ("top_k_frequency", "skip_top_k_offset"):  # of which the types are made
        m.ignore(f"attention.indexer.{name}")
    return config | {
        **_V3_ROUTING,
        "model_type": "glm_moe_dsa" if is_glm else "deepseek_v32",
        "index_topk": m.size("attention.indexer.top_k"),
        "index_n_heads": m.size("attention.indexer.head_count"),
        "index_head_dim": m.size("attention.indexer.key_length"),
    }


def _read_kimi_linear(m: Metadata) -> Config:
    """Layers without KV heads are delta nets, whose heads the matrix of their rates counts."""
    m.expect("expert_gating_func", SIGMOID)
    m.ignore("rope.freq_base")  # there are no positions
    heads, shared = m.size("attention.head_count"), m.size("rope.dimension_count")
    kv_heads = m.sizes("attention.head_count_kv")
    sizes = read_sizes(m)
    return {
        **sizes,
        "model_type": "kimi_linear",
        "model_max_length": sizes["max_position_embeddings"],
        "intermediate_size": m.size("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "qk_nope_head_dim": m.size("attention.key_length_mla") - shared,
        "qk_rope_head_dim": shared,
        "v_head_dim": m.size("attention.value_length_mla"),
        "q_lora_rank": m.size("attention.q_lora_rank", 0) or None,
        "kv_lora_rank": m.size("attention.kv_lora_rank"),
        "layer_types": ["full_attention" if count else "linear_attention" for count in kv_heads],
        "linear_num_heads": m.shape(f"blk.{kv_heads.index(0) if 0 in kv_heads else 0}.ssm_beta.weight")[0],
        "linear_head_dim": m.size("kda.head_dim"),
        "linear_conv_kernel_dim": m.size("ssm.conv_kernel"),
        "num_experts": m.size("expert_count"),
        "num_experts_per_token": m.size("expert_used_count"),
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "num_shared_experts": m.size("expert_shared_count", 1),
        "first_k_dense_replace": m.size("leading_dense_block_count", 0),
        "moe_renormalize": bool(m.get("expert_weights_norm", True)),
        "routed_scaling_factor": m.number("expert_weights_scale", 1.0),
        "num_expert_group": m.size("expert_group_count", 1),
        "topk_group": m.size("expert_group_used_count", 1),
    }


def _adapt_kimi_linear(places: Places, config: Config) -> None:
    join_expansions(places, config)
    heads, width = config["linear_num_heads"], config["linear_conv_kernel_dim"]
    columns = heads * config["linear_head_dim"]
    change(places, ("self_attn.A_log",), shape=(1, 1, heads, 1), is_negative_exp=True)
    change(places, ("_conv1d.weight",), shape=(columns, 1, width))


_LATENTS = in_layers(
    attn_q_a="self_attn.q_a_proj",
    attn_q_a_norm="self_attn.q_a_layernorm",
    attn_q_b="self_attn.q_b_proj",
    attn_kv_a_mqa="self_attn.kv_a_proj_with_mqa",
    attn_kv_a_norm="self_attn.kv_a_layernorm",
    attn_kv_b="self_attn.kv_b_proj",  # of older files
    attn_k_b="self_attn.kv_b_proj",
    attn_v_b="self_attn.kv_b_proj",
)
# Of delta nets.
KIMI_NAMES = in_layers(
    ssm_conv1d_q="self_attn.q_conv1d",
    ssm_conv1d_k="self_attn.k_conv1d",
    ssm_conv1d_v="self_attn.v_conv1d",
    ssm_f_a="self_attn.f_a_proj",
    ssm_f_b="self_attn.f_b_proj",
    ssm_g_a="self_attn.g_a_proj",
    ssm_g_b="self_attn.g_b_proj",
    ssm_beta="self_attn.b_proj",
    ssm_norm="self_attn.o_norm",
    ssm_a="self_attn.A_log",
    **{"ssm_dt.bias": "self_attn.dt_bias"},
)
_KIMI_LINEAR = {
    **MIXTRAL,
    **MLP,
    **_LATENTS,
    **KIMI_NAMES,
    **in_layers(
        ffn_gate_shexp="block_sparse_moe.shared_experts.gate_proj",
        ffn_up_shexp="block_sparse_moe.shared_experts.up_proj",
        ffn_down_shexp="block_sparse_moe.shared_experts.down_proj",
        **{"exp_probs_b.bias": "block_sparse_moe.gate.e_score_correction_bias"},
    ),
}
KIMI_LINEAR = Architecture(_read_kimi_linear, _KIMI_LINEAR, _adapt_kimi_linear)
_LATENT_EXPERTS = LLAMA | SHARED_EXPERTS | MTP | _LATENTS
SPARSE_NAMES = _LATENT_EXPERTS | {
    f"indexer.{name}": f"model.layers.{{i}}.self_attn.indexer.{own}"
    for name, own in (("attn_q_b", "wq_b"), ("attn_k", "wk"), ("k_norm", "k_norm"), ("proj", "weights_proj"))
}
SPARSE = Architecture(_read_sparse, SPARSE_NAMES, join_expansions)
MISTRAL4 = Architecture(_read_mistral4, _LATENT_EXPERTS, join_expansions)
DEEPSEEK2 = Architecture(_read_deepseek2, _LATENT_EXPERTS, join_expansions)
