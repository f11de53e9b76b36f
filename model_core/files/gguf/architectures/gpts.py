"""GPT-2 and models like it in GGUF files: layer norms, MLPs without gate, and one matrix for attention."""

import numpy as np

from ..config import Config, read_common, read_decoder, read_rope
from ..metadata import Metadata
from ..names import Places, change
from .architecture import EPSILON, Architecture


def _read_gpt2(m: Metadata) -> Config:
    m.ignore("rope.freq_base")  # there are no rotary positions
    common = read_common(m)
    return {
        "model_type": "gpt2",
        "vocab_size": common["vocab_size"],
        "n_embd": common["hidden_size"],
        "n_layer": common["num_hidden_layers"],
        "n_head": common["num_attention_heads"],
        "n_positions": common["max_position_embeddings"],
        "n_inner": m.size("feed_forward_length"),
        "layer_norm_epsilon": EPSILON(m),
        "tie_word_embeddings": common["tie_word_embeddings"],
    }


def _transpose(places: Places, config: Config) -> None:
    matrices = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    change(places, matrices, is_transposed=True)


def _read_starcoder(m: Metadata) -> Config:
    m.expect("attention.head_count_kv", 1)
    return _read_gpt2(m) | {"model_type": "gpt_bigcode", "activation_function": "gelu"}


def _read_gpt_neox(m: Metadata) -> Config:
    config = read_decoder(m)
    return config | {
        "model_type": "gpt_neox",
        "layer_norm_eps": EPSILON(m),
        "rotary_pct": config.pop("partial_rotary_factor", 1.0),
        "use_parallel_residual": bool(m.get("use_parallel_residual", True)),
        "attention_bias": m.has_tensor("blk.0.attn_qkv.bias"),
    }


def _read_falcon(m: Metadata) -> Config:
    """As 40B and 11B say it. 7B, with its one KV head, is the same then."""
    common = read_common(m)
    return {
        **common,
        **read_rope(m, common["head_dim"]),
        "model_type": "falcon",
        "ffn_hidden_size": m.size("feed_forward_length"),
        "layer_norm_epsilon": EPSILON(m),
        "new_decoder_architecture": True,
        "num_kv_heads": m.size("attention.head_count_kv", 1),
        "num_ln_in_parallel_attn": 2 if m.has_tensor("blk.0.attn_norm_2.weight") else 1,
        "bias": m.has_tensor("blk.0.attn_qkv.bias"),
    }


def _read_bloom(m: Metadata) -> Config:
    common = read_common(m)
    m.expect("feed_forward_length", 4 * common["hidden_size"])
    return {
        "model_type": "bloom",
        "vocab_size": common["vocab_size"],
        "hidden_size": common["hidden_size"],
        "n_layer": common["num_hidden_layers"],
        "num_attention_heads": common["num_attention_heads"],
        "seq_length": common["max_position_embeddings"],
        "layer_norm_epsilon": EPSILON(m),
        "tie_word_embeddings": common["tie_word_embeddings"],
    }


def _read_mpt(m: Metadata) -> Config:
    common = read_common(m)
    heads, slope = common["num_attention_heads"], m.number("attention.max_alibi_bias", 0.0)
    m.expect("feed_forward_length", 4 * common["hidden_size"])
    m.expect("attention.head_count_kv", heads)
    return {
        "model_type": "mpt",
        "vocab_size": common["vocab_size"],
        "d_model": common["hidden_size"],
        "n_layers": common["num_hidden_layers"],
        "n_heads": heads,
        "max_seq_len": common["max_position_embeddings"],
        "layer_norm_epsilon": EPSILON(m),
        "tie_word_embeddings": common["tie_word_embeddings"],
        "attn_config": {
            "alibi": slope > 0,
            "alibi_bias_max": slope or None,
            "clip_qkv": m.number("attention.clamp_kqv", 0.0) or None,
        },
    }


def _group_heads(places: Places, config: Config) -> None:
    """Rows of files: queries of all heads, then keys, then values. Of the family: those of each KV head."""
    heads = config["num_attention_heads"]
    size = config["hidden_size"] // heads
    groups: int = config.get("num_kv_heads") or heads
    rows = np.arange((heads + 2 * groups) * size)
    parts = np.split(rows, [heads * size, (heads + groups) * size])
    order = np.concatenate([part.reshape(groups, -1) for part in parts], axis=1).reshape(-1)
    change(places, ("query_key_value.weight", "query_key_value.bias"), order=order)


def _adapt_falcon(places: Places, config: Config) -> None:
    """Of two norms, `attn_norm` is that of the MLP."""
    _group_heads(places, config)
    if config["num_ln_in_parallel_attn"] == 1:
        for name in [name for name in places if ".ln_mlp." in name]:
            places[name.replace("ln_mlp", "input_layernorm")] = places.pop(name)


_GPT2 = {
    "token_embd": "wte",
    "position_embd": "wpe",
    "output_norm": "ln_f",
    "output": "lm_head",
    "attn_norm": "h.{i}.ln_1",
    "attn_qkv": "h.{i}.attn.c_attn",
    "attn_output": "h.{i}.attn.c_proj",
    "ffn_norm": "h.{i}.ln_2",
    "ffn_up": "h.{i}.mlp.c_fc",
    "ffn_down": "h.{i}.mlp.c_proj",
}
_GPT_NEOX = {
    "token_embd": "gpt_neox.embed_in",
    "output_norm": "gpt_neox.final_layer_norm",
    "output": "embed_out",
    "attn_norm": "gpt_neox.layers.{i}.input_layernorm",
    "attn_qkv": "gpt_neox.layers.{i}.attention.query_key_value",
    "attn_output": "gpt_neox.layers.{i}.attention.dense",
    "ffn_norm": "gpt_neox.layers.{i}.post_attention_layernorm",
    "ffn_up": "gpt_neox.layers.{i}.mlp.dense_h_to_4h",
    "ffn_down": "gpt_neox.layers.{i}.mlp.dense_4h_to_h",
}
_BLOOM = {
    "token_embd": "word_embeddings",
    "token_embd_norm": "word_embeddings_layernorm",
    "output_norm": "ln_f",
    "output": "lm_head",
    "attn_norm": "h.{i}.input_layernorm",
    "attn_qkv": "h.{i}.self_attention.query_key_value",
    "attn_output": "h.{i}.self_attention.dense",
    "ffn_norm": "h.{i}.post_attention_layernorm",
    "ffn_up": "h.{i}.mlp.dense_h_to_4h",
    "ffn_down": "h.{i}.mlp.dense_4h_to_h",
}
_MPT = {
    "token_embd": "wte",
    "output_norm": "norm_f",
    "output": "lm_head",
    "attn_norm": "blocks.{i}.norm_1",
    "attn_qkv": "blocks.{i}.attn.Wqkv",
    "attn_output": "blocks.{i}.attn.out_proj",
    "ffn_norm": "blocks.{i}.norm_2",
    "ffn_up": "blocks.{i}.ffn.up_proj",
    "ffn_down": "blocks.{i}.ffn.down_proj",
}
GPTS = {
    "bloom": Architecture(_read_bloom, _BLOOM, _group_heads),
    "falcon": Architecture(
        _read_falcon,
        _BLOOM | {"attn_norm": "h.{i}.ln_mlp", "attn_norm_2": "h.{i}.ln_attn"},
        _adapt_falcon,
    ),
    "gpt2": Architecture(_read_gpt2, _GPT2, _transpose),
    "gptneox": Architecture(_read_gpt_neox, _GPT_NEOX, _group_heads),
    "mpt": Architecture(_read_mpt, _MPT),
    "starcoder": Architecture(_read_starcoder, _GPT2),
}
