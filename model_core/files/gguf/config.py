"""The metadata of GGUF files -> the fields of config.json and generation_config.json."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...tape.rope import part_of
from .metadata import Metadata

Config = dict[str, Any]
# Names of tokens that end an answer, whatever the metadata say.
_END_TOKENS = frozenset(
    [
        "<|eot_id|>",
        "<|eom_id|>",
        "<|im_end|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<EOT>",
        "[EOT]",
        "<end_of_utterance>",
        "<turn|>",
        "<\uff5cend▁of▁sentence\uff5c>",
        "[|endofturn|]",
        "<|END_OF_TURN_TOKEN|>",
        "<|user|>",
        "<|observation|>",
    ]
)
_CONTROL = 3  # in tokenizer.ggml.token_type


def read_sizes(m: Metadata) -> Config:
    """The fields that all families have."""
    config: Config = {
        "vocab_size": m.shape("token_embd.weight")[0],
        "hidden_size": m.size("embedding_length"),
        "num_hidden_layers": m.layers,
        "max_position_embeddings": m.size("context_length"),
        "tie_word_embeddings": not m.has_tensor("output.weight"),
    }
    if m.get("attention.layer_norm_rms_epsilon") is not None:
        config["rms_norm_eps"] = m.number("attention.layer_norm_rms_epsilon")
    return config


def read_common(m: Metadata) -> Config:
    """The fields of families whose heads have keys and values of one size."""
    config, heads = read_sizes(m), m.size("attention.head_count")
    if not 0 < heads <= config["hidden_size"]:
        raise ModelError(f"{config['hidden_size']} columns cannot be divided among {heads} heads.")
    return config | {"num_attention_heads": heads, "head_dim": read_head_dim(m)}


def read_decoder(m: Metadata) -> Config:
    """The fields of a family like Llama."""
    heads = m.size("attention.head_count")
    return {
        **read_common(m),
        "intermediate_size": m.size("feed_forward_length"),
        "num_key_value_heads": m.size("attention.head_count_kv", heads),
        **read_rope(m, read_head_dim(m)),
    }


def read_head_dim(m: Metadata) -> int:
    """The columns of a head of queries, keys and values."""
    default = m.size("embedding_length") // max(1, m.size("attention.head_count"))
    size = m.size("attention.key_length", default)
    if size != m.size("attention.value_length", default):
        raise ModelError("heads of keys and of values have different sizes, which is not supported here.")
    return size


# Architectures whose positions have three axes.
_SEEING = ("qwen2vl", "qwen3vl", "qwen35")


def read_rope(m: Metadata, head_dim: int) -> Config:
    """The fields of rotary positions.

    Tensors with factors for the frequencies (of Llama 3.1 and LongRoPE) are read as LongRoPE's.
    """
    fields: Config = {"rope_theta": m.number("rope.freq_base", 10000.0)}
    rotated = m.size("rope.dimension_count", head_dim)
    if rotated != head_dim:
        fields["partial_rotary_factor"] = part_of(rotated, head_dim)
    context = m.size("context_length")
    kind, factor = m.get("rope.scaling.type"), m.number("rope.scaling.factor", 0.0)
    original = m.size("rope.scaling.original_context_length", context)
    if kind is None and m.get("rope.scale_linear") is not None:  # in files of 2023
        kind, factor = "linear", m.number("rope.scale_linear")
    if m.has_tensor("rope_factors_short.weight"):
        fields["rope_scaling"] = {
            "rope_type": "longrope",
            "short_factor": m.floats("rope_factors_short.weight"),
            "original_max_position_embeddings": original,
            "attention_factor": m.number("rope.scaling.attn_factor", 1.0),
        }
        if m.has_tensor("rope_factors_long.weight"):
            fields["rope_scaling"]["long_factor"] = m.floats("rope_factors_long.weight")
    elif m.has_tensor("rope_freqs.weight"):
        fields["rope_scaling"] = {
            "rope_type": "longrope",
            "short_factor": m.floats("rope_freqs.weight"),
            "original_max_position_embeddings": context,
            "attention_factor": 1.0,
        }
    elif kind == "linear" and factor:
        fields["rope_scaling"] = {"rope_type": "linear", "factor": factor}
    elif kind == "yarn" and factor:
        fields["rope_scaling"] = {"rope_type": "yarn", **_read_yarn(m, factor)}
    elif kind not in (None, "none", "linear", "longrope", "yarn"):
        raise ModelError(f"rope.scaling.type {shorten(kind)} is not supported.")
    sections = m.get("rope.dimension_sections")
    if m.architecture.startswith(_SEEING) and sections is not None:
        axes = sections[:3] if isinstance(sections, list) else sections
        scaling = fields.get("rope_scaling", {"rope_type": "default"})
        fields["rope_scaling"] = scaling | {"mrope_section": axes}
    return fields


def with_layer_ropes(m: Metadata, config: Config) -> Config:
    """The same fields, where layers with a window have a base of their own, and are never scaled."""
    theta, partial = config["rope_theta"], config.get("partial_rotary_factor")
    shared = {} if partial is None else {"partial_rotary_factor": partial}
    scaling = config.get("rope_scaling", {"rope_type": "default"})
    windowed = {"rope_type": "default", "rope_theta": m.number("rope.freq_base_swa", theta)}
    ropes = {
        "full_attention": scaling | {"rope_theta": theta} | shared,
        "sliding_attention": windowed | shared,
    }
    others = ("rope_theta", "rope_scaling", "partial_rotary_factor")
    return {name: value for name, value in config.items() if name not in others} | {"rope_parameters": ropes}


def _read_yarn(m: Metadata, factor: float) -> Config:
    """llama.cpp multiplies its own factor of attention by the usual one of YaRN."""
    own_factor = m.number("rope.scaling.yarn_attn_factor", m.number("rope.scaling.attn_factor", 1.0))
    original = m.get("rope.scaling.original_context_length")
    return ({} if original is None else {"original_max_position_embeddings": original}) | {
        "factor": factor,
        "beta_fast": m.number("rope.scaling.yarn_beta_fast", 32.0),
        "beta_slow": m.number("rope.scaling.yarn_beta_slow", 1.0),
        "attention_factor": own_factor * (0.1 * math.log(max(factor, 1e-6)) + 1.0),
    }


def read_granite_multipliers(m: Metadata, head_dim: int) -> Config:
    """The multipliers of Granite."""
    return {
        "embedding_multiplier": m.number("embedding_scale", 1.0),
        "attention_multiplier": m.number("attention.scale", 0.0) or max(1, head_dim) ** -0.5,
        "residual_multiplier": m.number("residual_scale", 1.0),
        "logits_scaling": m.number("logit_scale", 1.0),
    }


def read_windows(m: Metadata, interval: int) -> Config:
    """The sliding window, and which layers have it: those of the file, or all but every `interval`-th."""
    flags = m.flags("attention.sliding_window_pattern") if _has_list(m) else None
    if flags is None:
        interval = m.size("attention.sliding_window_pattern", interval)
        flags = [interval > 0 and (i + 1) % interval != 0 for i in range(m.layers)]
    return {"sliding_window": read_window(m), "layer_types": _layer_types(flags)}


def read_stated_windows(m: Metadata) -> Config:
    """The same for files that must say it for each layer."""
    flags = m.flags("attention.sliding_window_pattern")
    if flags is None:
        raise ModelError(f"{m.architecture}.attention.sliding_window_pattern is missing.")
    return {"sliding_window": m.size("attention.sliding_window"), "layer_types": _layer_types(flags)}


def _layer_types(flags: Sequence[bool]) -> list[str]:
    return ["sliding_attention" if flag else "full_attention" for flag in flags]


def read_window(m: Metadata) -> int | None:
    """The sliding window, if there is one."""
    return m.size("attention.sliding_window", 0) or None


def _has_list(m: Metadata) -> bool:
    return isinstance(m.get("attention.sliding_window_pattern"), list)


# pooling_type -> the name in pooling.POOLINGS (enum llama_pooling_type)
_POOLINGS = {0: "none", 1: "mean", 2: "cls", 3: "last"}
_RANK = 4


def is_reranker(m: Metadata) -> bool:
    """Whether the model scores documents."""
    return bool(m.get("pooling_type") == _RANK)


def read_scorer(m: Metadata, name: str, *layers: str) -> Config:
    """The fields of a cross encoder of the class `name`, none if the file is of another model.

    layers: tensors that it needs beside cls.output.weight.
    """
    if not is_reranker(m):
        return {}
    for layer in layers:
        m.shape(layer)
    return {"architectures": [name], "num_labels": m.shape("cls.output.weight")[0]}


def read_pooling(m: Metadata, has_score: bool) -> str | None:
    """How hidden states become a vector: a name in pooling.POOLINGS, "none", or None where the file does not
    say it. has_score: whether the score of a reranker is known."""
    if m.get("pooling_type") is None:
        return None
    number = m.size("pooling_type")
    if number == _RANK:
        if has_score:
            return None
        raise ModelError(
            f"{m.architecture}.pooling_type is 4 (rank): rerankers of this architecture are not supported in "
            "GGUF files; take the folder of the model."
        )
    if number not in _POOLINGS:
        raise ModelError(f"{m.architecture}.pooling_type cannot be {number}, only 0, 1, 2 or 3.")
    return _POOLINGS[number]


def read_direction(m: Metadata, is_encoder: bool) -> Config:
    """`is_causal`, where the file says whether tokens attend to those after them."""
    is_causal = m.get("attention.causal")
    if is_causal is None:
        return {}
    if not isinstance(is_causal, bool):
        raise ModelError(f"{m.architecture}.attention.causal should be true or false.")
    if not is_causal and not is_encoder and m.get("attention.sliding_window"):
        # llama.cpp lets such tokens attend to all after them, Transformers to a window.
        raise ModelError(f"{m.architecture}.attention.causal is false, which is not supported with a window.")
    return {"is_causal": is_causal}


def read_generation_config(m: Metadata) -> Config:
    """The end tokens, and how the model's makers want it to be sampled."""
    metadata = m.file.metadata
    values = [metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom")]
    ids = {value for value in values if type(value) is int and 0 <= value < 2**31}
    tokens, types = metadata.get("tokenizer.ggml.tokens"), metadata.get("tokenizer.ggml.token_type")
    if isinstance(tokens, list) and isinstance(types, np.ndarray) and len(types) == len(tokens):
        ids |= {int(i) for i in np.flatnonzero(types == _CONTROL) if tokens[i] in _END_TOKENS}
    config: Config = {"eos_token_id": sorted(ids)}
    names = {"temp": "temperature", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p"}
    for name, field in (names | {"penalty_repeat": "repetition_penalty"}).items():
        value = metadata.get(f"general.sampling.{name}")
        if isinstance(value, int | float) and math.isfinite(value):
            config[field] = value
    return config | {"do_sample": "temperature" in config}
