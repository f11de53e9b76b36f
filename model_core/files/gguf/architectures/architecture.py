"""How files of an architecture of llama.cpp are read, and what most of them have in common.

A name of a tensor is that in the file without layer and ending. See names.find_places.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import methodcaller
from typing import Any

import numpy as np

from ..config import Config, read_decoder
from ..metadata import Metadata
from ..names import Places, change, order_of_halves

LAYER = "model.layers.{i}."
EPSILON = methodcaller("number", "attention.layer_norm_epsilon")  # of layer norms
SIGMOID = 2  # of expert_gating_func
_Names = Mapping[str, str]


@dataclass(frozen=True)
class Architecture:
    """How files of an architecture are read.

    Attributes:
        read_config: metadata -> the fields of config.json.
        names: name in files -> name in the family.
        adapt: changes the places of tensors that are stored in another way than the family has them.
        read_values: metadata -> tensors of the family that are fields of files, by their names.
    """

    read_config: Callable[[Metadata], Config]
    names: _Names
    adapt: Callable[[Places, Config], None] = lambda places, config: None
    read_values: Callable[[Metadata], dict[str, np.ndarray]] = lambda m: {}


def reader(
    model_type: str, base: Callable[[Metadata], Config] = read_decoder, **fields: Any
) -> Callable[[Metadata], Config]:
    """A function that reads a configuration: the fields of `base`, the model_type, and `fields`.

    Each of `fields` is a value, or a function of the metadata.
    """

    def read_config(m: Metadata) -> Config:
        config = base(m) | {"model_type": model_type}
        return config | {name: field(m) if callable(field) else field for name, field in fields.items()}

    return read_config


def in_layers(**names: str) -> dict[str, str]:
    """Names of tensors in layers, which follow `model.layers.{i}.` in the family."""
    return {name: LAYER + target for name, target in names.items()}


TOP = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
ATTENTION = in_layers(
    attn_q="self_attn.q_proj",
    attn_k="self_attn.k_proj",
    attn_v="self_attn.v_proj",
    attn_output="self_attn.o_proj",
    attn_q_norm="self_attn.q_norm",
    attn_k_norm="self_attn.k_norm",
    attn_norm="input_layernorm",
)
MLP = in_layers(ffn_gate="mlp.gate_proj", ffn_up="mlp.up_proj", ffn_down="mlp.down_proj")
LLAMA = {**TOP, **ATTENTION, **MLP, **in_layers(ffn_norm="post_attention_layernorm")}
MIXTRAL = LLAMA | in_layers(
    ffn_gate_inp="block_sparse_moe.gate",
    ffn_gate_exps="block_sparse_moe.experts.{e}.w1",
    ffn_up_exps="block_sparse_moe.experts.{e}.w3",
    ffn_down_exps="block_sparse_moe.experts.{e}.w2",
)
EXPERTS = in_layers(
    ffn_gate_inp="mlp.gate",
    ffn_gate_exps="mlp.experts.{e}.gate_proj",
    ffn_up_exps="mlp.experts.{e}.up_proj",
    ffn_down_exps="mlp.experts.{e}.down_proj",
)
# With one that is always chosen, as in Qwen.
QWEN_MIXTURE = EXPERTS | in_layers(
    ffn_gate_shexp="mlp.shared_expert.gate_proj",
    ffn_up_shexp="mlp.shared_expert.up_proj",
    ffn_down_shexp="mlp.shared_expert.down_proj",
    ffn_gate_inp_shexp="mlp.shared_expert_gate",
)
SHARED_EXPERTS = {
    **EXPERTS,
    **in_layers(
        ffn_gate_shexp="mlp.shared_experts.gate_proj",
        ffn_up_shexp="mlp.shared_experts.up_proj",
        ffn_down_shexp="mlp.shared_experts.down_proj",
        **{"exp_probs_b.bias": "mlp.gate.e_score_correction_bias"},
    ),
}
GRANITE_EXPERTS = in_layers(
    ffn_gate_inp="block_sparse_moe.router.layer",
    ffn_gate_exps="block_sparse_moe.input_linear",
    ffn_up_exps="block_sparse_moe.input_linear",
    ffn_down_exps="block_sparse_moe.output_linear",
)
JOINED_MLP = in_layers(ffn_up="mlp.gate_up_proj")
AFTER = in_layers(post_attention_norm="post_attention_layernorm", post_ffw_norm="post_feedforward_layernorm")
# Of an MTP head, which is a further layer.
MTP = in_layers(
    **{
        "nextn.eh_proj": "eh_proj",
        "nextn.enorm": "enorm",
        "nextn.hnorm": "hnorm",
        "nextn.shared_head_norm": "shared_head.norm",
    }
)
FOUR_NORMS = AFTER | in_layers(ffn_norm="pre_feedforward_layernorm")


def has_bias(m: Metadata) -> bool:
    """Whether queries have biases."""
    return m.has_tensor("blk.0.attn_q.bias") or m.has_tensor("blk.0.attn_qkv.bias")


def undo_pairs(places: Places, config: Config) -> None:
    """Put the rows of queries and keys back into the order of the family."""
    dim = config["head_dim"]
    for part, heads in (("q", config["num_attention_heads"]), ("k", config["num_key_value_heads"])):
        order = order_of_halves(heads * dim, heads) if dim % 2 == 0 else None
        change(places, (f"self_attn.{part}_proj.weight", f"self_attn.{part}_proj.bias"), order=order)


EXPERT_COUNTS: dict[str, Any] = {
    "num_experts": methodcaller("size", "expert_count"),
    "num_experts_per_tok": methodcaller("size", "expert_used_count"),
}
# Experts of Qwen3 and Qwen3-Next.
QWEN_EXPERTS = EXPERT_COUNTS | {
    "moe_intermediate_size": methodcaller("size", "expert_feed_forward_length"),
    "norm_topk_prob": True,  # which llama.cpp takes for granted
    "mlp_only_layers": methodcaller("layers_with", "ffn_up.weight"),
}


def read_expert_counts(m: Metadata, count: str) -> Config:
    """The numbers of experts. `count`: the family's name for how many there are."""
    return {count: m.size("expert_count"), "num_experts_per_tok": m.size("expert_used_count")}


def read_shared_experts(m: Metadata, normalizes: bool) -> Config:
    """The fields of experts that rows choose beside shared ones. normalizes: where the file does not say."""
    further = m.size("nextn_predict_layers", 0)
    return {
        "num_hidden_layers": max(0, m.layers - further),
        "num_nextn_predict_layers": further,
        "moe_intermediate_size": m.size("expert_feed_forward_length"),
        "n_shared_experts": m.size("expert_shared_count", 1),
        "first_k_dense_replace": m.size("leading_dense_block_count", 0),
        "norm_topk_prob": bool(m.get("expert_weights_norm", normalizes)),
        "routed_scaling_factor": m.number("expert_weights_scale", 1.0),
        "n_group": m.size("expert_group_count", 1),
        "topk_group": m.size("expert_group_used_count", 1),
        **read_expert_counts(m, "n_routed_experts"),
    }
