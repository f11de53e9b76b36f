"""Hunyuan (Tencent, 2025): Llama with a norm of each query and key head after they are rotated."""

from functools import partial
from typing import Any

from ...checks.file_values import expect, ignore
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig
from ..parts import write_layers, write_mlp, write_qkv
from . import llama

# Of images, of classifiers, and what the fields of `check_fields` switch off.
_NOT_COMPUTED = (
    *("attention_head_dim", "cla_share_factor", "dense_list", "class_num", "pool_type", "pad_id"),
    *("im_start_id", "im_end_id", "im_newline_id", "mask_init_id", "text_start_id", "text_end_id"),
    *("video_start_id", "video_end_id", "num_media_embeds", "xdrope_section", "skip_cls_token"),
    *("vit_path", "vit_type", "vit_input_resolution", "vit_token", "vit_patch", "vit_mapping_type"),
    *("vit_norm_type", "vit_used_rms_norm", "vit_remove_prenorm", "vit_add_patchemb_bias"),
    *("anyres_vit_max_image_size", "anyres_pooling_size", "anyres_vit_two_views"),
    *("kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"),
    *("moe_random_routing_dropped_token", "capacity_factor", "n_group", "topk_group"),
)
# Of siblings with experts.
_OF_EXPERTS = (
    *("num_shared_expert", "moe_topk", "moe_intermediate_size", "moe_drop_tokens", "moe_layer_num_skipped"),
    *("norm_topk_prob", "routed_scaling_factor", "group_limited_greedy"),
)


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """Hunyuan's config.json."""
    expect(raw, use_mixed_mlp_moe=False, num_experts=1)
    ignore(raw, *_OF_EXPERTS)
    check_fields(raw)
    return llama.read_config(raw)


def check_fields(raw: dict[str, Any]) -> None:
    """Raises ModelError for what no model computes here, with or without experts."""
    expect(raw, use_qk_norm=True, use_rotary_pos_emb=True, norm_type="rms", add_classification_head=False)
    expect(raw, use_cla=False, use_mla=False, position_embedding_xdrope=False)
    ignore(raw, *_NOT_COMPUTED)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers; queries and keys are normed after they are rotated."""
    write_layers(t, c, partial(write_mlp, t, c), partial(write_attention, t, c))


def write_attention(t: Tape, c: ModelConfig, h: Span, i: int) -> Span:
    """Attention of layer i, with a norm of each query and key head after they are rotated."""
    p, eps = f"model.layers.{i}.self_attn", c.norm_eps
    q, k, v = write_qkv(t, c, h, i)
    q = t.norm(t.rope(q, c.ropes[i]), f"{p}.query_layernorm", eps)
    k = t.norm(t.rope(k, c.ropes[i]), f"{p}.key_layernorm", eps)
    mixed = t.attend(q, k, v, c.head_dim**-0.5)
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)
