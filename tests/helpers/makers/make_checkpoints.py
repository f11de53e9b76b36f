"""Make the tiny checkpoints of `tests/data/checkpoints` and what Transformers computes with them.

    PYTHONPATH=tests/helpers/models python tests/helpers/makers/make_checkpoints.py [--out F] [--only N ...]

Each variant is a folder in Hugging Face layout (random weights, no tokenizer) with an `expected.npz`:

    prompt  int64 [T]              token ids
    logits  float32 [T, vocab]     of the prompt, in float32 arithmetic from the weights as stored
    greedy  int64 [40]             the greedy continuation of the prompt, end-of-sequence tokens ignored

Needs PyTorch and Transformers 5; the tests themselves only read the files.
"""

import argparse
import json
import re
import shutil
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import mtp_heads
import numpy as np
import own_code
import rwkv7
import torch
from safetensors.numpy import load_file, save_file
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    Mistral4Config,
    Mistral4ForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.utils import logging

PROMPT_LENGTH = 26
NEW_TOKENS = 40
MIN_MARGIN = 0.02  # between the best and the second-best logit of every greedy step: no ties, however rounded
MIN_DISTINCT = 10  # different tokens in the greedy path: one that repeats itself would hide errors
MAX_SEEDS = 200  # that are tried for such a path
MIN_DIFFERENCE = 0.1  # in some logit, once a feature that the variant exists for is left out

# Far from the usual values, so that a setting nobody reads shows: theta = 100 makes every frequency count in
# heads of 8 dimensions and prompts of 26 tokens, and the large epsilon is not lost beside small activations.
ROPE = {"rope_type": "default", "rope_theta": 100.0}
BASE = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-3,
    "rope_parameters": ROPE,
}
LINEAR_2 = ROPE | {"rope_type": "linear", "factor": 2.0}
LINEAR_4 = ROPE | {"rope_type": "linear", "factor": 4.0}
# Of the four wavelengths (6.3, 20, 63 and 199 tokens) one is kept, one is blended and two are stretched.
LLAMA3 = ROPE | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = ROPE | {
    "rope_type": "yarn",
    "factor": 4.0,
    "beta_fast": 4.0,
    "original_max_position_embeddings": 64,
}
DYNAMIC = ROPE | {"rope_type": "dynamic", "factor": 4.0}
ALPHA = DYNAMIC | {"alpha": 50.0}
# Used up to 128 positions; the other factors are for longer texts.
LONGROPE = ROPE | {
    "rope_type": "longrope",
    "short_factor": [1.0, 1.5, 3.0, 5.0],
    "long_factor": [2.0, 4.0, 8.0, 16.0],
    "original_max_position_embeddings": 128,
}
# Queries grow four times within the prompt.
GROWTH = YARN | {"original_max_position_embeddings": 6, "llama_4_scaling_beta": 0.4, "mscale_all_dim": 1.0}
WIDER_LOCALLY = {"full_attention": ROPE | {"rope_theta": 1000.0}, "sliding_attention": ROPE}
# Small enough to show with weights that are not trained.
CAPS = {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 12.0}
GEMMA = {"head_dim": 12, "query_pre_attn_scalar": 20, "sliding_window": 6, "tie_word_embeddings": True}
# The last two layers attend to the keys and values of the fourth and the second.
GEMMA4 = {
    "num_hidden_layers": 6,
    "layer_types": [
        f"{kind}_attention" for kind in ("sliding", "full", "sliding", "sliding", "sliding", "full")
    ],
    "head_dim": 8,
    "global_head_dim": 16,
    "sliding_window": 6,
    "num_kv_shared_layers": 2,
    "use_double_wide_mlp": True,
    "hidden_size_per_layer_input": 6,
    "vocab_size_per_layer_input": 64,
    "final_logit_softcapping": 12.0,
    "tie_word_embeddings": True,
    "rope_parameters": {
        "sliding_attention": ROPE,
        "full_attention": ROPE | {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    },
}
# The last two layers attend to the keys and values of the first two. There are three copies, of which layers
# compute the second. Tokens from 50 on share their embeddings for layers.
GEMMA3N = {
    "num_hidden_layers": 4,
    "layer_types": [f"{kind}_attention" for kind in ("sliding", "full") * 2],
    "intermediate_size": [48, 40, 48, 56],
    "activation_sparsity_pattern": [0.6, 0.0, 0.3, 0.0],
    "head_dim": 12,
    "sliding_window": 6,
    "num_kv_shared_layers": 2,
    "hidden_size_per_layer_input": 6,
    "vocab_size_per_layer_input": 50,
    "altup_num_inputs": 3,
    "altup_active_idx": 1,
    "laurel_rank": 5,
    "final_logit_softcapping": 12.0,
    "tie_word_embeddings": True,
    "rope_parameters": WIDER_LOCALLY,
}
MULTIPLIERS = {
    "embedding_multiplier": 3.0,
    "attention_multiplier": 0.6,
    "residual_multiplier": 0.4,
    "logits_scaling": 1.7,
}
# Some experts that each row leaves out, and sizes that no strip or tile of a kernel divides.
EXPERTS = {
    "num_experts": 6,
    "num_local_experts": 6,
    "num_experts_per_tok": 3,
    "output_router_logits": False,
}
SMALL_EXPERTS = EXPERTS | {"moe_intermediate_size": 20}
MAMBA = {
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
    "num_hidden_layers": 3,
    "mamba_n_heads": 8,
    "mamba_d_head": 8,
    "mamba_n_groups": 2,
    "mamba_d_state": 10,
    "pad_token_id": 0,
}
FALCON_H1 = {name: value for name, value in MAMBA.items() if name != "layer_types"} | {
    "num_hidden_layers": 2,
    "mamba_d_ssm": 64,
    "head_dim": 8,
    "embedding_multiplier": 1.5,
    "lm_head_multiplier": 0.8,
    "key_multiplier": 0.5,
    "attention_in_multiplier": 1.3,
    "attention_out_multiplier": 0.9,
    "ssm_in_multiplier": 0.7,
    "ssm_out_multiplier": 1.2,
    "mlp_multipliers": [0.6, 1.4],
    "ssm_multipliers": [0.5, 0.8, 1.2, 1.1, 0.9],
}
# Columns that are not `expand` times the hidden ones.
NEMOTRON_H = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 12,
    "max_position_embeddings": 256,
    "layer_norm_epsilon": 1e-3,
    "mamba_num_heads": 8,
    "mamba_head_dim": 6,
    "n_groups": 2,
    "ssm_state_size": 10,
}
NEMOTRON_EXPERTS = {
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "n_group": 4,
    "topk_group": 2,
    "moe_intermediate_size": 20,
    "moe_shared_expert_intermediate_size": 24,
    "routed_scaling_factor": 1.7,
}
ZAMBA2_BASE = BASE | {"num_key_value_heads": 4, "mamba_d_state": 10, "adapter_rank": 5}
# Smaller steps than any, so that no step is raised.
ZAMBA2_BASE |= {"n_mamba_heads": 8, "mamba_ngroups": 2, "pad_token_id": 0, "time_step_min": 1e-9}
ZAMBA2 = {
    "num_hidden_layers": 5,
    "layers_block_type": ["linear_attention", "hybrid", "hybrid", "linear_attention", "hybrid"],
    "num_mem_blocks": 2,
    "use_mem_rope": True,
    "use_shared_attention_adapter": True,
}
MAMBA2 = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_heads": 8,
    "head_dim": 8,
    "n_groups": 2,
    "state_size": 10,
    "layer_norm_epsilon": 1e-3,
}
MAMBA1 = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "state_size": 10,
    "time_step_rank": 5,
    "layer_norm_epsilon": 1e-3,
}
JAMBA = {
    "num_hidden_layers": 3,
    "attn_layer_period": 3,
    "attn_layer_offset": 1,
    "expert_layer_period": 2,
    "expert_layer_offset": 0,
    "mamba_d_state": 10,
    "mamba_dt_rank": 5,
    "intermediate_size": 20,
    "num_experts": 6,
    "num_experts_per_tok": 3,
}
DELTA_NET = {
    "head_dim": 16,
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
    "num_hidden_layers": 3,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 12,
    "linear_value_head_dim": 8,
    "rope_parameters": ROPE | {"partial_rotary_factor": 0.5},
}
OLMO_HYBRID = {
    "num_hidden_layers": 3,
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
    "linear_num_key_heads": 3,
    "linear_num_value_heads": 3,
    "linear_key_head_dim": 10,
    "linear_value_head_dim": 12,
    "linear_conv_kernel_dim": 3,
    "pad_token_id": 0,
}
# Key heads and value heads whose order is not its own inverse.
DELTA_NET_EXPERTS = {
    **DELTA_NET,
    **SMALL_EXPERTS,
    "linear_num_key_heads": 3,
    "linear_num_value_heads": 6,
    "shared_expert_intermediate_size": 12,
}
# The smallest parts that see, which are never computed.
QWEN2_VISION = {
    "depth": 1,
    "embed_dim": 8,
    "hidden_size": 32,
    "num_heads": 2,
    "mlp_ratio": 1,
    "patch_size": 2,
}
QWEN2_5_VISION = {
    "depth": 1,
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_heads": 2,
    "out_hidden_size": 32,
    "patch_size": 2,
    "fullatt_block_indexes": [0],
}
QWEN_VISION = {
    "depth": 1,
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_heads": 2,
    "out_hidden_size": 32,
    "num_position_embeddings": 16,
    "patch_size": 2,
}
QWEN3_VISION = QWEN_VISION | {"deepstack_visual_indexes": [0]}
THREE_AXES = {"rope_parameters": ROPE | {"mrope_section": [2, 1, 1]}}
MIXED_AXES = {"rope_parameters": ROPE | {"mrope_section": [2, 2, 2], "mrope_interleaved": True}}
STEP_VISION = {
    "width": 8,
    "layers": 1,
    "heads": 2,
    "image_size": 28,
    "mlp_ratio": 1.0,
}
MINIMAX_VISION = {
    "hidden_size": 24,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 2,
}
MUSE_VISION = {
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "pos_emb_height": 2,
    "pos_emb_width": 2,
    "patch_size": 2,
}
GLM5_VISION = {
    "depth": 1,
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_heads": 2,
    "out_hidden_size": 32,
    "projection_intermediate_size": 8,
    "patch_size": 2,
}
SHORT_CONV = {
    "num_hidden_layers": 3,
    "layer_types": ["conv", "full_attention", "conv"],
    "norm_eps": 1e-3,
}
LFM2 = SHORT_CONV | {"block_multiple_of": 16, "block_ffn_dim_multiplier": 1.1}
LFM3 = {
    "pad_token_id": 0,
    "num_hidden_layers": 4,
    "layer_types": ["conv", "sliding_attention", "full_attention", "conv"],
    "norm_eps": 1e-3,
    "head_dim": 12,
    "sliding_window": 6,
    "rope_parameters": {
        "sliding_attention": ROPE,
        "full_attention": ROPE | {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    },
}
SHARED_EXPERTS = {
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "n_group": 4,
    "topk_group": 2,
    "n_shared_experts": 2,
    "moe_intermediate_size": 20,
    "routed_scaling_factor": 1.7,
    "first_k_dense_replace": 1,
    "num_hidden_layers": 3,
    "num_mtp_layers": 0,
}
LATENTS = SHARED_EXPERTS | {
    "num_key_value_heads": 4,
    "q_lora_rank": 14,
    "kv_lora_rank": 18,
    "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 8,
    "v_head_dim": 10,
}
MISTRAL4 = LATENTS | {
    "n_group": 1,
    "topk_group": 1,
    "norm_topk_prob": True,
    "pad_token_id": 0,
    "rope_parameters": GROWTH | {"mscale": 1.0, "partial_rotary_factor": 0.4},
}
MSCALE = YARN | {"mscale": 0.5, "mscale_all_dim": 1.0}
GPT2 = {
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 128,
    "layer_norm_epsilon": 1e-3,
    "tie_word_embeddings": False,
}
CHOSEN = {"index_topk": 16, "index_n_heads": 10, "index_head_dim": 12}
INDEXER = {"index_topk": 128, "index_n_heads": 3, "index_head_dim": 12}
KIMI_LINEAR = {
    "pad_token_id": 0,
    "num_hidden_layers": 3,
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
    "num_key_value_heads": 4,
    "kv_lora_rank": 18,
    "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 8,
    "v_head_dim": 10,
    "linear_head_dim": 12,
    "linear_num_heads": 4,
    "num_local_experts": 8,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 20,
    "n_shared_experts": 2,
    "n_group": 4,
    "topk_group": 2,
    "routed_scaling_factor": 1.7,
}
LLAMA4 = {
    "head_dim": 12,
    "num_hidden_layers": 4,
    "num_local_experts": 6,
    "intermediate_size": 20,
    "intermediate_size_mlp": 48,
    "moe_layers": [0, 2, 3],
    "attention_chunk_size": 6,
    "floor_scale": 5,
    "attn_scale": 0.4,
    "rope_parameters": LLAMA3,
}
USUAL_THETA = ROPE | {"rope_theta": 10000.0}
ODD = {
    "vocab_size": 61,
    "hidden_size": 30,
    "intermediate_size": 44,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "head_dim": 10,
}
FALCON = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "layer_norm_epsilon": 1e-3,
    "rope_parameters": ROPE,
}
NEW_FALCON = {
    "new_decoder_architecture": True,
    "hidden_size": 48,
    "num_attention_heads": 6,
    "num_kv_heads": 2,
}
OLD_FALCON = {"alibi": True, "multi_query": False, "parallel_attn": False, "bias": True}
GPT = {name: GPT2[name] for name in ("n_embd", "n_layer", "n_head", "n_positions", "layer_norm_epsilon")}
GPT |= {"vocab_size": 64}
OPT = {
    "vocab_size": 64,
    "hidden_size": 32,
    "ffn_dim": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
}
# The first `max_window_layers` layers see everything, the others the last 6 tokens.
WINDOW = {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1, "num_hidden_layers": 3}
BIASES = {"attention_bias": True, "mlp_bias": True}


@dataclass
class Variant:
    """A checkpoint: how its configuration differs from `BASE`, and how it is stored."""

    model_type: str
    config: dict[str, Any]
    without: dict[str, Any] = field(default_factory=dict)  # settings that overlook what the variant is about
    dtype: torch.dtype = torch.float32
    max_shard_size: str = "1GB"
    std: float = 0.3  # of the weights
    old_dialect: bool = False
    base: dict[str, Any] = field(default_factory=BASE.copy)
    vision: dict[str, Any] | None = None  # of a model that sees; `config` is that of its text model
    outer: dict[str, Any] = field(default_factory=dict)  # fields beside text_config and vision_config
    has_mtp: bool = False  # an MTP head, whose logits `expected.npz` has too: see mtp_heads.py
    attention: str = "eager"  # the implementation of Transformers
    length: int = PROMPT_LENGTH
    is_converted: bool = True  # from names and shapes of Transformers to those that it takes for published

    @property
    def auto_class(self) -> Any:
        """Makes models of this kind."""
        return AutoModelForCausalLM if self.vision is None else AutoModelForImageTextToText


def choosing(name: str, config: dict[str, Any], without: dict[str, Any], **settings: Any) -> Variant:
    """A variant whose indexers choose fewer positions than there are. without: choose all."""
    variant = VARIANTS[name]
    without = without if variant.vision is None else {"text_config": without}
    return replace(variant, config=variant.config | config, without=without, **settings)


VARIANTS = {
    "llama-tied-gqa": Variant("llama", {"tie_word_embeddings": True}),
    "llama-untied-mha": Variant("llama", {"num_key_value_heads": 4}),
    "llama-biases": Variant("llama", BIASES, without=dict.fromkeys(BIASES, False)),
    "llama-head-dim": Variant("llama", {"head_dim": 12}),
    "llama-mqa-odd": Variant("llama", ODD),
    "llama-rope-linear": Variant("llama", {"rope_parameters": LINEAR_4}, without={"rope_parameters": ROPE}),
    "llama-rope-llama3": Variant("llama", {"rope_parameters": LLAMA3}, without={"rope_parameters": ROPE}),
    "llama-old-dialect": Variant(
        "llama", {"rope_parameters": LINEAR_2}, without={"rope_parameters": ROPE}, old_dialect=True
    ),
    "llama-new-dialect": Variant("llama", {}, without={"rope_parameters": USUAL_THETA}),
    "llama-bfloat16": Variant("llama", {}, dtype=torch.bfloat16),
    "llama-float16": Variant("llama", {}, dtype=torch.float16),
    "llama-sharded": Variant("llama", {}, max_shard_size="24KB"),
    "mistral-window": Variant("mistral", {"sliding_window": 6}, without={"sliding_window": None}),
    "mistral-full": Variant("mistral", {"sliding_window": None}),
    "llama-rope-yarn": Variant("llama", {"rope_parameters": YARN}, without={"rope_parameters": ROPE}),
    "llama-rope-dynamic": Variant("llama", {"rope_parameters": DYNAMIC}),
    "ministral3": Variant(
        "ministral3",
        {"rope_parameters": GROWTH | {"mscale": 0.5}, "head_dim": 12},
        without={"rope_parameters": GROWTH | {"mscale": 0.5, "llama_4_scaling_beta": 0.0}},
    ),
    "exaone4": Variant(
        "exaone4",
        {"num_hidden_layers": 4, "sliding_window": 6, "sliding_window_pattern": 4},
        without={"sliding_window": 100},
    ),
    "exaone4-full": Variant("exaone4", {"sliding_window": None, "layer_types": ["full_attention"] * 2}),
    "glm4": Variant(
        "glm4",
        {"head_dim": 12, "pad_token_id": 0, "rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"attention_bias": False},
    ),
    "cohere": Variant(
        "cohere",
        {"layer_norm_eps": 1e-3, "logit_scale": 1.5, "use_qk_norm": False},
        without={"logit_scale": 1.0},
    ),
    "cohere2": Variant(
        "cohere2",
        {"num_hidden_layers": 4, "sliding_window": 6, "tie_word_embeddings": False}
        | {"layer_norm_eps": 1e-3, "logit_scale": 1.5},
        without={"logit_scale": 1.0},
    ),
    "cohere2-biases": Variant(
        "cohere2",
        {"attention_bias": True, "sliding_window_pattern": 2, "logit_scale": 1.5, "num_hidden_layers": 3},
    ),
    "stablelm": Variant(
        "stablelm",
        {"layer_norm_eps": 1e-3, "use_qkv_bias": True}
        | {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"use_parallel_residual": True},
    ),
    "stablelm-parallel": Variant(
        "stablelm",
        {"layer_norm_eps": 1e-3, "use_parallel_residual": True},
        without={"use_parallel_residual": False},
    ),
    "starcoder2": Variant(
        "starcoder2",
        {"norm_epsilon": 1e-3, "sliding_window": 6, "tie_word_embeddings": False},
        without={"use_bias": False},
    ),
    "gpt-neox": Variant(
        "gpt_neox",
        {"layer_norm_eps": 1e-3, "num_key_value_heads": 4}
        | {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"use_parallel_residual": False},
    ),
    "gpt-neox-serial": Variant(
        "gpt_neox",
        {"use_parallel_residual": False, "attention_bias": False, "num_key_value_heads": 4},
    ),
    "gpt2": Variant("gpt2", GPT2, without={"activation_function": "relu"}, base={"vocab_size": 64}),
    "ernie4-5": Variant("ernie4_5", {"head_dim": 12, "use_bias": True, "tie_word_embeddings": True}),
    "hunyuan": Variant("hunyuan_v1_dense", {"head_dim": 12}),
    "hunyuan-alpha": Variant(
        "hunyuan_v1_dense",
        {"head_dim": 12, "rope_parameters": ALPHA},
        without={"rope_parameters": ROPE},
    ),
    "qwen3": Variant("qwen3", {"head_dim": 12, "tie_word_embeddings": True}),
    "seed-oss": Variant("seed_oss", {"head_dim": 12}),
    "seed-oss-biases": Variant("seed_oss", {"head_dim": 12, "attention_out_bias": True, "mlp_bias": True}),
    "smollm3": Variant(
        "smollm3",
        {"num_hidden_layers": 4, "pad_token_id": 0},
        without={"no_rope_layers": [1, 1, 1, 1]},
    ),
    "olmo2": Variant("olmo2", {"pad_token_id": 0}),
    "olmo3": Variant(
        "olmo3",
        {
            "num_hidden_layers": 4,
            "sliding_window": 6,
            "pad_token_id": 0,
            "rope_parameters": {"full_attention": YARN, "sliding_attention": ROPE},
        },
        without={"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}},
    ),
    "gemma2": Variant(
        "gemma2", GEMMA | CAPS | {"tie_word_embeddings": False}, without=dict.fromkeys(CAPS, 1000.0)
    ),
    "gemma3": Variant(
        "gemma3_text",
        GEMMA | {"num_hidden_layers": 3, "sliding_window_pattern": 3, "rope_parameters": WIDER_LOCALLY},
        without={"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}},
    ),
    "gemma3n": Variant("gemma3n_text", GEMMA3N, without={"activation_sparsity_pattern": [0.0] * 4}),
    "gemma3n-first": Variant(
        "gemma3n_text",
        GEMMA3N | {"altup_active_idx": 0, "altup_correct_scale": False},
        without={"sliding_window": 100},
    ),
    "gemma4": Variant("gemma4_text", GEMMA4, without={"final_logit_softcapping": None}),
    "gemma4-experts": Variant(
        "gemma4_text",
        GEMMA4
        | {
            "hidden_size_per_layer_input": 0,
            "num_kv_shared_layers": 0,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 1,
            "enable_moe_block": True,
            "num_experts": 5,
            "top_k_experts": 2,
            "moe_intermediate_size": 20,
        },
        without={"sliding_window": 100},
    ),
    "gemma4-unified": Variant(
        "gemma4_unified_text",
        {
            "num_hidden_layers": 3,
            "layer_types": ["sliding_attention", "full_attention", "full_attention"],
            "head_dim": 8,
            "global_head_dim": 16,
            "sliding_window": 6,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 1,
            "num_kv_shared_layers": 1,
            "rope_parameters": GEMMA4["rope_parameters"],
        },
        without={"sliding_window": 100},
    ),
    "phi3": Variant("phi3", {"pad_token_id": 0}),
    "phi3-partial": Variant(
        "phi3",
        {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}, "pad_token_id": 0},
        without={"rope_parameters": ROPE | {"partial_rotary_factor": 1.0}},
    ),
    "phi3-longrope": Variant(
        "phi3",
        {"rope_parameters": LONGROPE, "original_max_position_embeddings": 128, "pad_token_id": 0},
        without={"rope_parameters": LONGROPE | {"short_factor": [1.0] * 4}},
    ),
    "granite": Variant("granite", MULTIPLIERS, without=dict.fromkeys(MULTIPLIERS, 1.0)),
    # The first layer has an MLP, the others have experts.
    "qwen3-moe": Variant(
        "qwen3_moe",
        SMALL_EXPERTS | {"num_hidden_layers": 3, "mlp_only_layers": [0], "norm_topk_prob": True},
        without={"norm_topk_prob": False},
    ),
    "qwen3-moe-plain": Variant(
        "qwen3_moe", SMALL_EXPERTS | {"decoder_sparse_step": 2, "norm_topk_prob": False}
    ),
    "mixtral": Variant(
        "mixtral",
        EXPERTS | {"intermediate_size": 20, "sliding_window": 6},
        without={"num_experts_per_tok": 2},
    ),
    "granitemoe": Variant(
        "granitemoe",
        EXPERTS | MULTIPLIERS | {"intermediate_size": 20},
        without=dict.fromkeys(MULTIPLIERS, 1.0),
    ),
    # Its clamps need activations beyond 7, and its window of 6 is in every second layer.
    "gpt-oss": Variant(
        "gpt_oss",
        EXPERTS
        | {
            "intermediate_size": 20,
            "head_dim": 8,
            "sliding_window": 6,
            "rope_parameters": YARN | {"truncate": False},
        },
        without={"swiglu_limit": 1000.0},
        std=0.6,
    ),
    "falcon-h1": Variant(
        "falcon_h1",
        FALCON_H1 | {"mamba_rms_norm": True, "mamba_norm_before_gate": False},
        without={"ssm_multipliers": [1.0] * 5},
    ),
    "falcon-h1-plain": Variant("falcon_h1", FALCON_H1, without={"key_multiplier": 1.0}),
    "granitemoehybrid": Variant(
        "granitemoehybrid",
        MAMBA | EXPERTS | MULTIPLIERS | {"intermediate_size": 20, "shared_intermediate_size": 24},
        without=dict.fromkeys(MULTIPLIERS, 1.0),
    ),
    "granitemoehybrid-dense": Variant(
        "granitemoehybrid",
        MAMBA
        | {
            "num_local_experts": 0,
            "shared_intermediate_size": 24,
            "position_embedding_type": "rope",
            "mamba_proj_bias": True,
            "mamba_n_groups": 1,
        },
    ),
    "bamba": Variant(
        "bamba",
        {name: value for name, value in MAMBA.items() if name != "layer_types"}
        | {"attn_layer_indices": [1], "num_hidden_layers": 3, "head_dim": 8},
    ),
    # Layers take turns with two blocks, the third hybrid layer has the first one again.
    "zamba2": Variant("zamba2", ZAMBA2, without={"use_mem_rope": False}, base=ZAMBA2_BASE, std=0.15),
    "nemotron-h": Variant(
        "nemotron_h", {"hybrid_override_pattern": "M*M-", "use_bias": True}, base=NEMOTRON_H
    ),
    # Without groups, rows would choose among all experts.
    "nemotron-h-experts": Variant(
        "nemotron_h",
        NEMOTRON_EXPERTS | {"hybrid_override_pattern": "ME*E"},
        without={"topk_group": 4},
        base=NEMOTRON_H,
    ),
    "nemotron-h-latents": Variant(
        "nemotron_h",
        NEMOTRON_EXPERTS | {"hybrid_override_pattern": "ME*E", "moe_latent_size": 28},
        without={"routed_scaling_factor": 1.0},
        base=NEMOTRON_H,
    ),
    "mamba2": Variant("mamba2", {}, base=MAMBA2),
    "mamba2-biases": Variant(
        "mamba2",
        {
            "use_bias": True,
            "use_conv_bias": False,
            "n_groups": 1,
            "conv_kernel": 3,
            "tie_word_embeddings": True,
        },
        base=MAMBA2,
    ),
    "mamba": Variant("mamba", {}, base=MAMBA1),
    "mamba-biases": Variant(
        "mamba",
        {"use_bias": True, "use_conv_bias": False, "conv_kernel": 3, "intermediate_size": 72},
        base=MAMBA1,
    ),
    "falcon-mamba": Variant(
        "falcon_mamba",
        {"mixer_rms_eps": 0.3, "tie_word_embeddings": False},
        without={"mixer_rms_eps": 1e-6},
        base=MAMBA1,
    ),
    "jamba": Variant("jamba", JAMBA),
    "jamba-dense": Variant("jamba", JAMBA | {"num_experts": 1, "num_experts_per_tok": 1}),
    "qwen3_5": Variant(
        "qwen3_5_text", DELTA_NET | {"linear_num_value_heads": 2, "tie_word_embeddings": True}
    ),
    # As published: a model that sees, with the experts of a layer in one tensor.
    "qwen3_5-moe": Variant("qwen3_5_moe", DELTA_NET_EXPERTS, vision=QWEN_VISION, is_converted=False),
    "qwen3-next": Variant(
        "qwen3_next",
        DELTA_NET | SMALL_EXPERTS | {"shared_expert_intermediate_size": 12, "mlp_only_layers": [1]},
    ),
    "qwen3_5-mtp": Variant(
        "qwen3_5_text", DELTA_NET | {"num_key_value_heads": 1, "tie_word_embeddings": True}, has_mtp=True
    ),
    "qwen3_5-moe-mtp": Variant(
        "qwen3_5_moe", DELTA_NET_EXPERTS, vision=QWEN_VISION, is_converted=False, has_mtp=True
    ),
    "lfm2": Variant("lfm2", LFM2),
    "lfm2-biases": Variant("lfm2", LFM2 | {"conv_bias": True, "conv_L_cache": 4}),
    "lfm3": Variant("lfm3", LFM3, without={"rope_parameters": WIDER_LOCALLY}),
    "lfm3-plain": Variant(
        "lfm3",
        LFM3
        | {"use_sandwich_norm": False, "use_attention_gate": False, "conv_bias": True, "conv_L_cache": 4}
        | {"attention_bias": True, "tie_word_embeddings": False},
        without={"sliding_window": 100},
    ),
    # Without groups, rows would choose among all experts.
    "glm4-moe": Variant(
        "glm4_moe",
        SHARED_EXPERTS | {"use_qk_norm": True, "attention_bias": True, "num_key_value_heads": 2},
        without={"topk_group": 4},
    ),
    "glm4-moe-mtp": Variant("glm4_moe", SHARED_EXPERTS | {"attention_bias": True}, has_mtp=True),
    "deepseek-v3-mtp": Variant("deepseek_v3", LATENTS | {"rope_parameters": MSCALE}, has_mtp=True),
    "deepseek-v2": Variant(
        "deepseek_v2",
        LATENTS
        | BIASES
        | {"topk_method": "group_limited_greedy", "rope_parameters": MSCALE, "norm_topk_prob": False},
        without={"topk_group": 4},
    ),
    # Its groups do not count.
    "deepseek-v2-lite": Variant("deepseek_v2", LATENTS | {"q_lora_rank": None, "topk_method": "greedy"}),
    "deepseek-v3": Variant(
        "deepseek_v3",
        LATENTS | {"attention_bias": True, "rope_parameters": MSCALE},
        without={"rope_parameters": MSCALE | {"mscale_all_dim": 0.0}},
    ),
    # Of sizes that fill strips, the latents are stored.
    "deepseek-v3-latents": Variant(
        "deepseek_v3",
        LATENTS | {"attention_bias": True, "rope_parameters": MSCALE, "kv_lora_rank": 64, "v_head_dim": 128},
        without={"rope_parameters": MSCALE | {"mscale_all_dim": 0.0}},
        dtype=torch.bfloat16,
    ),
    "deepseek-v3-halves": Variant(
        "deepseek_v3",
        LATENTS | {"q_lora_rank": None, "rope_interleave": False, "attention_bias": True},
        without={"rope_interleave": True},
    ),
    "glm4-moe-lite": Variant(
        "glm4_moe_lite",
        {name: value for name, value in LATENTS.items() if name != "first_k_dense_replace"}
        | {"mlp_layer_types": ["sparse", "dense", "sparse"]},
        without={"topk_group": 4},
    ),
    "lfm2-moe": Variant(
        "lfm2_moe",
        SHORT_CONV
        | EXPERTS
        | {"num_dense_layers": 1, "moe_intermediate_size": 20, "routed_scaling_factor": 1.7},
        without={"routed_scaling_factor": 1.0},
    ),
    "qwen2-vl": Variant("qwen2_vl", THREE_AXES, vision=QWEN2_VISION),
    "qwen2_5-vl": Variant(
        "qwen2_5_vl", THREE_AXES | {"num_key_value_heads": 1}, vision=QWEN2_5_VISION, is_converted=False
    ),
    "qwen3-vl": Variant(
        "qwen3_vl", MIXED_AXES | {"head_dim": 12, "tie_word_embeddings": True}, vision=QWEN3_VISION
    ),
    "qwen3-vl-moe": Variant(
        "qwen3_vl_moe",
        SMALL_EXPERTS | MIXED_AXES | {"head_dim": 12, "num_hidden_layers": 3, "mlp_only_layers": [1]},
        vision=QWEN3_VISION,
    ),
    "stablelm-head-norms": Variant(
        "stablelm",
        {"layer_norm_eps": 1e-3, "use_parallel_residual": True, "qk_layernorm": True},
        without={"qk_layernorm": False},
    ),
    "glm": Variant(
        "glm",
        {"head_dim": 12, "pad_token_id": 0, "rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"attention_bias": False},
    ),
    "internlm3": Variant("internlm3", {"head_dim": 12, "attention_bias": True, "mlp_bias": True}),
    "falcon": Variant("falcon", {}, without={"rope_parameters": USUAL_THETA}, base=FALCON),
    "falcon-two-norms": Variant("falcon", NEW_FALCON, base=FALCON),
    "falcon-one-norm": Variant(
        "falcon",
        NEW_FALCON | {"num_ln_in_parallel_attn": 1, "ffn_hidden_size": 60, "tie_word_embeddings": False},
        base=FALCON,
    ),
    # Transformers' eager attention adds the slopes of Falcon twice, in the mask too.
    "falcon-rw": Variant(
        "falcon",
        OLD_FALCON | {"tie_word_embeddings": False},
        without={"alibi": False},
        attention="sdpa",
        base=FALCON,
    ),
    "gptj": Variant("gptj", {"rotary_dim": 4}, without={"rotary_dim": 8}, base=GPT),
    "codegen": Variant("codegen", {"n_embd": 48, "n_head": 8, "rotary_dim": 4}, base=GPT),
    "gpt-bigcode": Variant("gpt_bigcode", {}, without={"activation_function": "relu"}, base=GPT),
    "gpt-bigcode-heads": Variant("gpt_bigcode", {"multi_query": False, "n_inner": 40}, base=GPT),
    "opt": Variant("opt", {}, without={"activation_function": "gelu"}, base=OPT),
    "opt-narrow": Variant(
        "opt",
        {"do_layer_norm_before": False, "word_embed_proj_dim": 20, "tie_word_embeddings": False},
        base=OPT,
    ),
    "opt-plain": Variant(
        "opt",
        {"enable_bias": False, "layer_norm_elementwise_affine": False, "activation_function": "gelu"},
        base=OPT,
    ),
    # Its weights as floats; make_bitnet.py makes them as they are published.
    "bitnet": Variant("bitnet", {"attention_bias": True}),
    # Six heads, whose slopes are not all powers of 1/2.
    "bloom": Variant(
        "bloom",
        {"vocab_size": 64, "hidden_size": 48, "n_layer": 2, "n_head": 6, "layer_norm_epsilon": 1e-3}
        | {"tie_word_embeddings": False},
        base={},
    ),
    "mpt": Variant(
        "mpt",
        {"vocab_size": 64, "d_model": 48, "n_layers": 2, "n_heads": 6, "layer_norm_epsilon": 1e-3}
        | {"attn_config": {"softmax_scale": 0.3}, "max_seq_len": 256},
        without={"attn_config": {"softmax_scale": 0.4}},
        base={},
    ),
    "arcee": Variant("arcee", BIASES | {"head_dim": 12}),
    "nemotron": Variant(
        "nemotron",
        BIASES | {"norm_eps": 1e-3, "head_dim": 12, "rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"rope_parameters": ROPE | {"partial_rotary_factor": 1.0}},
    ),
    "jais2": Variant(
        "jais2", {"layer_norm_eps": 1e-3, "pad_token_id": 0}, without=dict.fromkeys(BIASES, False)
    ),
    "nanochat": Variant(
        "nanochat",
        {"attention_bias": True, "final_logit_softcapping": 12.0},
        without={"final_logit_softcapping": None},
    ),
    "gemma": Variant("gemma", {"head_dim": 12}),
    "olmoe": Variant(
        "olmoe",
        EXPERTS | {"intermediate_size": 20, "norm_topk_prob": True},
        without={"norm_topk_prob": False},
    ),
    "minimax-m2": Variant(
        "minimax_m2",
        EXPERTS
        | {"intermediate_size": 20, "head_dim": 12}
        | {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"rope_parameters": ROPE},
    ),
    "qwen2-moe": Variant(
        "qwen2_moe",
        SMALL_EXPERTS
        | {"num_hidden_layers": 3, "mlp_only_layers": [1], "shared_expert_intermediate_size": 12}
        | {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 2},
        without={"norm_topk_prob": True},
    ),
    # The inner size is that of llama.cpp's shared experts.
    "ernie4-5-moe": Variant(
        "ernie4_5_moe",
        {
            "head_dim": 12,
            "num_hidden_layers": 3,
            "tie_word_embeddings": False,
            "moe_intermediate_size": 12,
            "moe_num_experts": 6,
            "moe_k": 3,
        },
        without={"moe_num_shared_experts": 0},
    ),
    # Of four layers, the second has experts.
    "ernie4-5-moe-interval": Variant(
        "ernie4_5_moe",
        {
            "moe_intermediate_size": 20,
            "moe_num_experts": 6,
            "moe_k": 2,
            "moe_num_shared_experts": 0,
            "num_hidden_layers": 4,
            "moe_layer_start_index": 0,
            "moe_layer_end_index": 2,
            "moe_layer_interval": 2,
        },
    ),
    # Their texts are short enough for attention to all positions; `without` leaves some out.
    "deepseek-v32": Variant(
        "deepseek_v32",
        LATENTS | INDEXER | {"rope_parameters": MSCALE},
        without={"index_topk": 4},
    ),
    "glm-moe-dsa": Variant("glm_moe_dsa", LATENTS | INDEXER, without={"index_topk": 4}),
    # The first 16 tokens attend to all positions, later ones to those that many heads of an indexer choose:
    # with few of them, scores would be equal. Latents that fill strips are stored.
    "deepseek-v32-chosen": Variant(
        "deepseek_v32",
        LATENTS
        | CHOSEN
        | {"rope_parameters": MSCALE, "num_hidden_layers": 2, "kv_lora_rank": 64, "v_head_dim": 128},
        without={"index_topk": 128},
        dtype=torch.bfloat16,
    ),
    "glm-moe-dsa-chosen": Variant(
        "glm_moe_dsa",
        LATENTS | CHOSEN | {"indexer_types": ["full", "shared", "full"]},
        without={"index_topk": 128},
    ),
    "kimi-linear": Variant("kimi_linear", KIMI_LINEAR, without={"routed_scaling_factor": 1.0}),
    "mistral4": Variant(
        "mistral4",
        MISTRAL4,
        without={"rope_parameters": MISTRAL4["rope_parameters"] | {"llama_4_scaling_beta": 0.0}},
    ),
    # Of sizes that fill strips, the latents are stored.
    "mistral4-latents": Variant(
        "mistral4",
        MISTRAL4 | {"num_hidden_layers": 2, "kv_lora_rank": 64, "v_head_dim": 128},
        without={"norm_topk_prob": False},
        dtype=torch.bfloat16,
    ),
    "afmoe": Variant(
        "afmoe",
        EXPERTS
        | {"num_hidden_layers": 4, "head_dim": 12, "sliding_window": 6, "moe_intermediate_size": 20}
        | {"num_shared_experts": 2, "route_scale": 1.7, "mup_enabled": True},
        without={"route_scale": 1.0},
    ),
    "afmoe-plain": Variant(
        "afmoe",
        EXPERTS
        | {"num_hidden_layers": 3, "head_dim": 12, "sliding_window": 6, "moe_intermediate_size": 20}
        | {"num_shared_experts": 1, "global_attn_every_n_layers": 2, "attention_bias": True},
        without={"mup_enabled": True},
    ),
    # Without groups, rows would choose among all experts.
    "exaone-moe": Variant(
        "exaone_moe",
        {"num_experts": 8, "num_experts_per_tok": 3, "n_group": 4, "topk_group": 2, "head_dim": 12}
        | {"num_hidden_layers": 4, "sliding_window": 6, "moe_intermediate_size": 20, "num_shared_experts": 2},
        without={"topk_group": 4},
    ),
    "dots1": Variant(
        "dots1",
        SHARED_EXPERTS
        | {"head_dim": 12, "num_key_value_heads": 4, "norm_topk_prob": True}
        | {"sliding_window": 6, "max_window_layers": 1},
        without={"layer_types": ["full_attention"] * 3},
    ),
    # Its norms undo norm_topk_prob.
    "flex-olmo": Variant(
        "flex_olmo",
        EXPERTS | {"intermediate_size": 20, "attention_bias": True, "pad_token_id": 0},
        without={"num_experts_per_tok": 2},
    ),
    "hy-v3": Variant(
        "hy_v3",
        SMALL_EXPERTS
        | {"head_dim": 12, "num_shared_experts": 2, "router_scaling_factor": 1.7, "num_hidden_layers": 3}
        | {"attention_bias": True},
        without={"router_scaling_factor": 1.0},
    ),
    # As Command A Plus.
    "cohere2-moe": Variant(
        "cohere2_moe",
        EXPERTS
        | {"head_dim": 12, "intermediate_size": 20, "num_shared_experts": 2, "rms_norm_eps": None}
        | {"layer_norm_eps": 1e-3, "num_hidden_layers": 3, "sliding_window": 6, "logit_scale": 1.5}
        | {"sliding_window_pattern": 2, "expert_selection_fn": "sigmoid"},
        without={"shared_expert_combination_strategy": "sum"},
    ),
    # As North Mini Code, whose first layer is rotated and attends to everything.
    "cohere2-moe-dense": Variant(
        "cohere2_moe",
        EXPERTS
        | {"head_dim": 12, "intermediate_size": 20, "prefix_dense_intermediate_size": 48}
        | {"mlp_layer_types": ["dense", "sparse", "sparse"], "num_hidden_layers": 3, "logit_scale": 1.5}
        | {"layer_types": ["full_attention", "sliding_attention", "full_attention"], "sliding_window": 6}
        | {"expert_selection_fn": "sigmoid", "norm_topk_prob": False},
        without={"norm_topk_prob": True},
    ),
    "cohere2-moe-softmax": Variant(
        "cohere2_moe",
        EXPERTS
        | {"head_dim": 12, "intermediate_size": 20, "num_shared_experts": 1, "attention_bias": True}
        | {"mlp_layer_types": ["dense", "sparse", "sparse"], "num_hidden_layers": 3, "logit_scale": 1.5}
        | {"layer_types": ["full_attention", "sliding_attention", "full_attention"], "sliding_window": 6}
        | {"prefix_dense_sliding_window_pattern": 2, "shared_expert_combination_strategy": "sum"}
        | {"tie_word_embeddings": False},
        without={"prefix_dense_sliding_window_pattern": 1},
    ),
    "mellum": Variant(
        "mellum",
        SMALL_EXPERTS
        | {"head_dim": 12, "sliding_window": 6, "num_hidden_layers": 3}
        | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
        | {"rope_parameters": {"full_attention": YARN, "sliding_attention": ROPE | {"rope_theta": 50.0}}},
        without={"layer_types": ["full_attention"] * 3},
    ),
    "mellum-dense": Variant(
        "mellum",
        SMALL_EXPERTS
        | {"head_dim": 12, "attention_bias": True, "norm_topk_prob": False, "sliding_window": None}
        | {"mlp_layer_types": ["dense", "sparse"], "num_mtp_layers": 1}
        | {"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}},
        without={"norm_topk_prob": True},
    ),
    # Of 14 numbers of a head of queries, 6 are rotated.
    "mimo-v2": Variant(
        "mimo_v2_flash",
        {name: SHARED_EXPERTS[name] for name in ("n_routed_experts", "num_experts_per_tok")}
        | {"moe_intermediate_size": 20, "routed_scaling_factor": 1.7, "n_group": 4, "topk_group": 2}
        | {"head_dim": 14, "v_head_dim": 10, "num_hidden_layers": 3, "sliding_window": 6}
        | {"layer_types": ["full_attention", "sliding_attention", "sliding_attention"]}
        | {"attention_value_scale": 0.6, "attention_bias": True}
        | {
            "rope_parameters": {
                "full_attention": ROPE | {"partial_rotary_factor": 0.43},
                "sliding_attention": ROPE | {"partial_rotary_factor": 0.43, "rope_theta": 50.0},
            }
        },
        without={"attention_value_scale": 1.0},
    ),
    # Without positions, as published.
    "olmo-hybrid": Variant(
        "olmo_hybrid",
        OLMO_HYBRID | {"rope_parameters": {"rope_theta": None, "rope_type": "default"}},
        without={"linear_allow_neg_eigval": False},
    ),
    "olmo-hybrid-rope": Variant(
        "olmo_hybrid",
        OLMO_HYBRID | {"linear_allow_neg_eigval": False, "attention_bias": True},
        without={"rope_parameters": USUAL_THETA},
    ),
    # There are no groups, as in published ones, and 64 positions before YaRN.
    "solar-open": Variant(
        "solar_open",
        {
            "head_dim": 12,
            "attention_bias": True,
            "n_routed_experts": 8,
            "num_experts_per_tok": 3,
            "n_shared_experts": 2,
            "moe_intermediate_size": 20,
            "routed_scaling_factor": 1.7,
            "rope_parameters": YARN,
        },
        without={"routed_scaling_factor": 1.0},
    ),
    "hunyuan-moe": Variant(
        "hunyuan_v1_moe",
        {"head_dim": 12, "intermediate_size": 20, "num_experts": 6, "moe_topk": 3},
        without={"moe_topk": 2},
    ),
    "apertus": Variant(
        "apertus",
        {"head_dim": 12, "attention_bias": True, "rope_parameters": LLAMA3},
        without={"rope_parameters": ROPE},
        std=0.4,
    ),
    # So many experts are near the best one that the routing weights differ.
    "phimoe": Variant(
        "phimoe",
        {
            "intermediate_size": 20,
            "num_local_experts": 6,
            "router_jitter_noise": 0.3,
            "attention_bias": True,
            "lm_head_bias": True,
            "rope_parameters": LONGROPE | {"short_mscale": 1.3, "long_mscale": 1.3},
        },
        without={"router_jitter_noise": 0.01},
    ),
    "phi": Variant(
        "phi",
        {"layer_norm_eps": 1e-3, "num_key_value_heads": 4}
        | {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}},
        without={"rope_parameters": ROPE | {"partial_rotary_factor": 1.0}},
    ),
    # A prompt has five chunks, and queries of the fourth layer grow five times.
    "llama4": Variant("llama4_text", LLAMA4, without={"attention_chunk_size": 100}),
    "llama4-plain": Variant(
        "llama4_text",
        LLAMA4
        | {"use_qk_norm": False, "moe_layers": None, "interleave_moe_layer_step": 2, "floor_scale": 100},
        without={"use_qk_norm": True},
    ),
    # Layers with a window have more heads, and rotate whole heads; of the last layer, limits are felt.
    "step3p5": Variant(
        "step3p7",
        {
            "num_hidden_layers": 4,
            "layer_types": [f"{kind}_attention" for kind in ("full", "sliding", "sliding", "full")],
            "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"],
            "num_sliding_attention_heads": 6,
            "head_dim": 12,
            "sliding_window": 6,
            "moe_num_experts": 8,
            "moe_top_k": 3,
            "moe_intermediate_size": 20,
            "share_expert_dim": 28,
            "moe_router_scaling_factor": 1.7,
            "swiglu_limits": [0, 0, 7, 7],
            "swiglu_limits_shared": [16, 0, 0, 16],
            "rope_parameters": {
                "full_attention": LLAMA3 | {"partial_rotary_factor": 0.67},
                "sliding_attention": ROPE | {"rope_theta": 50.0},
            },
        },
        vision=STEP_VISION,
        std=1.2,
        without={"text_config": {"swiglu_limits": None}},
    ),
    "minimax-m3": Variant(
        "minimax_m3_vl",
        {
            "num_hidden_layers": 3,
            "layer_types": ["full_attention", "minimax_m3_sparse", "minimax_m3_sparse"],
            "mlp_layer_types": ["dense", "sparse", "sparse"],
            "head_dim": 12,
            "rotary_dim": 8,
            "rope_parameters": ROPE | {"partial_rotary_factor": 0.67},
            "num_local_experts": 8,
            "num_experts_per_tok": 3,
            "intermediate_size": 20,
            "dense_intermediate_size": 48,
            "shared_intermediate_size": 28,
            "routed_scaling_factor": 1.7,
            "index_n_heads": 2,
            "index_head_dim": 12,
            "index_block_size": 16,
            "index_topk_blocks": 6,
        },
        std=0.8,
        vision=MINIMAX_VISION,
        outer={"projector_hidden_size": 8},
        without={"text_config": {"swiglu_limit": 1e6}},
    ),
    "muse-glimmer": Variant(
        "muse_glimmer",
        {
            "num_hidden_layers": 5,
            "head_dim": 12,
            "sliding_window": 6,
            "qk_scale_factor": 1.9,
            "output_multiplier": 0.7,
            "final_logit_softcapping": 12.0,
            "post_norm_eps": 1e-2,
            "attention_bias": True,
        },
        vision=MUSE_VISION,
        outer={"out_hidden_size": 32, "projector_hidden_size": 8},
        without={"text_config": {"layer_rope_theta": [100.0] * 5}},
    ),
    "hy-v4": Variant(
        "hy_v4",
        LATENTS
        | {"n_group": 1, "topk_group": 1, "index_topk": 128, "index_head_dim": 16, "index_n_heads": 2}
        | {
            "mlp_layer_types": ["dense", "sparse", "sparse"],
            "indexer_types": ["full", "full", "shared"],
            "pad_token_id": 0,
        }
        | {"hc_mult": 3, "hc_magnitude": 1.7, "hc_eps": 1e-2},
        std=0.54,
        is_converted=False,
        without={"swiglu_limit": 1e6},
    ),
    "glm5-next": Variant(
        "glm5_next",
        LATENTS
        | {"qk_rope_head_dim": 0, "num_hidden_layers": 4, "rope_parameters": None}
        | {"mlp_layer_types": ["dense", "sparse", "sparse", "sparse"]}
        | {"layer_types": [f"{kind}_attention" for kind in ("linear", "indexed", "linear", "indexed")]}
        | {"indexer_types": ["full"] * 4, "pad_token_id": 0}
        | {"index_topk": 128, "index_kpool": 4, "index_head_dim": 16, "index_n_heads": 2}
        | {"linear_head_dim": 10, "linear_num_heads": 3, "linear_conv_kernel_dim": 3, "hc_mult": 3}
        | {"hc_sinkhorn_iters": 5, "hc_eps": 1e-2},
        vision=GLM5_VISION,
        std=0.6,
        without={"text_config": {"swiglu_limit": 1e6}},
    ),
    "qwen2-biases": Variant("qwen2", {"tie_word_embeddings": True}),
    "qwen2-window": Variant("qwen2", WINDOW, without={"layer_types": ["full_attention"] * 3}),
}
# The same, for texts that are longer than what indexers choose.
VARIANTS |= {
    "hy-v4-chosen": choosing("hy-v4", CHOSEN | {"index_head_dim": 16}, {"index_topk": 128}),
    "glm5-next-chosen": choosing("glm5-next", CHOSEN | {"index_head_dim": 16}, {"index_topk": 128}),
    "minimax-m3-chosen": choosing(
        "minimax-m3", {"index_topk_blocks": 2}, {"index_topk_blocks": 6}, length=60
    ),
}
# Transformers has it as a part of a model that sees.
AutoModelForCausalLM.register(Mistral4Config, Mistral4ForCausalLM, exist_ok=True)
NAMES = [*VARIANTS, *own_code.LLAMAS, "rwkv7"]


def random_model(variant: Variant, seed: int) -> PreTrainedModel:
    """A model whose weights are all random, biases and norms too, so that leaving any of them out shows."""
    torch.manual_seed(seed)
    fields = deepcopy(variant.base | variant.config)
    if variant.vision is not None:
        tied = {"tie_word_embeddings": fields.get("tie_word_embeddings", False)}
        fields = {"text_config": fields | tied, "vision_config": variant.vision, **tied, **variant.outer}
    model = variant.auto_class.from_config(AutoConfig.for_model(variant.model_type, **fields))
    initialize(model, variant.std)
    return model.to(variant.dtype)


def initialize(module: torch.nn.Module, std: float) -> None:
    """Draw all weights."""
    for name, parameter in module.named_parameters():
        if re.search(r"(norm|norm_[\df]|ln_\w+|norms\.\d+)\.weight$|scale$", name):
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        else:
            torch.nn.init.normal_(parameter, std=std)
    for name, buffer in module.named_buffers():
        if name.endswith("bias") and buffer.is_floating_point():  # of a router's choice
            torch.nn.init.normal_(buffer, std=std)
        elif name.endswith("layer_scalar"):
            torch.nn.init.uniform_(buffer, 0.5, 1.5)


def save(model: PreTrainedModel, variant: Variant, folder: Path) -> None:
    """Write the checkpoint as Transformers does, or with a configuration as its older releases wrote it."""
    model.save_pretrained(
        folder, max_shard_size=variant.max_shard_size, save_original_format=variant.is_converted
    )
    if variant.model_type == "kimi_linear":  # whose dense MLPs are stored as they were published
        path = folder / "model.safetensors"
        dense = re.compile(r"block_sparse_moe\.(?=(gate|up|down)_proj)")
        save_file({dense.sub("mlp.", name): array for name, array in load_file(path).items()}, path)
    if variant.model_type == "olmo_hybrid":
        publish_olmo_hybrid(folder / "model.safetensors", variant.config)
    if variant.old_dialect:
        path = folder / "config.json"
        config = json.loads(path.read_text())
        rope = config.pop("rope_parameters")
        config["rope_theta"] = rope["rope_theta"]
        config["rope_scaling"] = {"type": rope["rope_type"], "factor": rope["factor"]}
        config["torch_dtype"] = config.pop("dtype")
        config["transformers_version"] = "4.37.2"
        del config["head_dim"]
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def publish_olmo_hybrid(path: Path, config: dict[str, Any]) -> None:
    """Store tensors as they were published: norms of attention, and convolutions of the right sizes."""
    tensors, keys = load_file(path), config["linear_num_key_heads"] * config["linear_key_head_dim"]
    for i, kind in enumerate(config["layer_types"]):
        p = f"model.layers.{i}"
        if kind == "full_attention":
            norm = tensors.pop(f"{p}.feedforward_layer_norm.weight")
            tensors[f"{p}.post_attention_layernorm.weight"] = norm
            continue
        names = [f"{p}.linear_attn.{x}_conv1d.weight" for x in "qkv"]
        whole = np.concatenate([tensors[name] for name in names])
        tensors |= dict(zip(names, np.split(whole, [keys, 2 * keys]), strict=True))
    save_file(tensors, path, metadata={"format": "pt"})


def load(variant: Variant, folder: Path, config: PreTrainedConfig | None = None) -> PreTrainedModel:
    """The checkpoint as stored, in float32; `config` takes the place of the stored configuration."""
    return variant.auto_class.from_pretrained(
        folder, config=config, dtype=torch.float32, attn_implementation=variant.attention
    )


def logits(model: PreTrainedModel, tokens: list[int]) -> np.ndarray:
    """Float32 [T, vocab]."""
    with torch.inference_mode():
        return model(torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def continue_greedily(model: PreTrainedModel, prompt: list[int]) -> tuple[list[int], float]:
    """The new tokens, and the smallest margin by which one of them won.

    Everything is computed anew for each token, so that the expectation depends on no KV cache.
    """
    tokens, margin = list(prompt), np.inf
    for _ in range(NEW_TOKENS):
        last = logits(model, tokens)[-1]
        second, first = np.sort(last)[-2:]
        margin = min(margin, float(first - second))
        tokens.append(int(last.argmax()))
    return tokens[len(prompt) :], margin


def beyond_original(model: PreTrainedModel) -> dict[str, np.ndarray]:
    """A prompt beyond the original context of LongRoPE, and the logits of its last tokens."""
    config = model.config
    tokens = np.random.default_rng(1).integers(config.vocab_size, size=140).tolist()
    return {"long_prompt": np.int64(tokens), "long_logits": logits(model, tokens)[-8:]}


def check_feature_matters(variant: Variant, folder: Path, prompt: list[int], expected: np.ndarray) -> None:
    """Fail if a loader that overlooks what the variant is about would pass its tests."""
    config = AutoConfig.from_pretrained(folder, **deepcopy(variant.without))
    difference = np.abs(logits(load(variant, folder, config), prompt) - expected).max()
    if difference < MIN_DIFFERENCE:
        raise SystemExit(f"{folder.name}: {variant.without} changes the logits by no more than {difference}")


def make(name: str, variant: Variant, out: Path) -> None:
    """Try seeds until one gives a clear and varied greedy path, and keep that one in `out / name`."""
    for seed in range(MAX_SEEDS):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / name
            save(random_model(variant, seed), variant, folder)
            model = load(variant, folder)
            random = np.random.default_rng(seed)
            prompt = random.integers(model.config.get_text_config().vocab_size, size=variant.length).tolist()
            greedy, margin = continue_greedily(model, prompt)
            if margin < MIN_MARGIN or len(set(greedy)) < MIN_DISTINCT:
                continue
            expected = logits(model, prompt)
            if variant.without:
                check_feature_matters(variant, folder, prompt, expected)
            results = {"prompt": np.int64(prompt), "logits": expected, "greedy": np.int64(greedy)}
            if variant.config.get("rope_parameters") is LONGROPE:
                results |= beyond_original(model)
            if variant.has_mtp:
                text = getattr(model.model, "language_model", model.model)
                config = model.config.get_text_config()
                head = mtp_heads.make_head(text, config, partial(initialize, std=variant.std))
                results |= mtp_heads.compute(model, head, prompt)
                mtp_heads.store(head, model, folder)
            np.savez(folder / "expected.npz", **results)
            shutil.rmtree(out / name, ignore_errors=True)
            shutil.move(folder, out / name)
            size = sum(path.stat().st_size for path in (out / name).iterdir())
            print(f"{name:20} seed {seed:3}  {size:7,} bytes  top-2 margin {margin:.4f}")
            return
    raise SystemExit(f"{name}: none of {MAX_SEEDS} seeds gives a clear and varied greedy path")


def make_from_llama(name: str, out: Path) -> None:
    """A checkpoint of a family whose code is not in Transformers: see own_code.py."""
    for seed in range(MAX_SEEDS):
        model_type, fields = own_code.LLAMAS[name]
        llama = random_model(Variant(model_type, fields), seed)
        tensors, config = own_code.convert(name, llama)
        model = own_code.as_published(name, llama)
        prompt = np.random.default_rng(seed).integers(64, size=PROMPT_LENGTH).tolist()
        greedy, margin = continue_greedily(model, prompt)
        if margin >= MIN_MARGIN and len(set(greedy)) >= MIN_DISTINCT:
            break
    else:
        raise SystemExit(f"{name}: none of {MAX_SEEDS} seeds gives a clear and varied greedy path")
    folder = out / name
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    results = {"prompt": np.int64(prompt), "logits": logits(model, prompt), "greedy": np.int64(greedy)}
    np.savez(folder / "expected.npz", **results)
    print(f"{name:20} seed {seed:3}  top-2 margin {margin:.4f}")


def make_rwkv7(out: Path) -> None:
    """The checkpoint of RWKV-7, which Transformers does not have, with what rwkv7.py computes with it."""
    ranks = {"w": 6, "a": 5, "v": 4, "g": 7}
    sizes = {"vocab_size": 64, "hidden": 32, "inner": 48, "layers": 3, "head": 8}
    for seed in range(MAX_SEEDS):
        tensors = rwkv7.random_tensors(**sizes, ranks=ranks, seed=seed)
        tokens = np.random.default_rng(seed).integers(64, size=PROMPT_LENGTH).tolist()
        margin = np.inf
        for _ in range(NEW_TOKENS):
            last = rwkv7.logits(tensors, tokens)[-1]
            margin = min(margin, float(np.diff(np.sort(last)[-2:])[0]))
            tokens.append(int(last.argmax()))
        prompt, greedy = tokens[:PROMPT_LENGTH], tokens[PROMPT_LENGTH:]
        if margin >= MIN_MARGIN and len(set(greedy)) >= MIN_DISTINCT:
            break
    else:
        raise SystemExit(f"rwkv7: none of {MAX_SEEDS} seeds gives a clear and varied greedy path")
    folder = out / "rwkv7"
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    config = {
        "model_type": "rwkv7",
        "vocab_size": 64,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 3,
        "head_dim": 8,
        "decay_low_rank_dim": ranks["w"],
        "a_low_rank_dim": ranks["a"],
        "v_low_rank_dim": ranks["v"],
        "gate_low_rank_dim": ranks["g"],
        "max_position_embeddings": 256,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    results = {"prompt": np.int64(prompt), "logits": np.float32(rwkv7.logits(tensors, prompt))}
    np.savez(folder / "expected.npz", **results, greedy=np.int64(greedy))
    print(f"{'rwkv7':20} seed {seed:3}  top-2 margin {margin:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[2] / "data" / "checkpoints")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="not all variants")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums in one order, however many cores there are
    # It reports the weights that `check_feature_matters` leaves out on purpose.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    for name in arguments.only:
        if name == "rwkv7":
            make_rwkv7(out)
        elif name in own_code.LLAMAS:
            make_from_llama(name, out)
        else:
            make(name, VARIANTS[name], out)


if __name__ == "__main__":
    main()
