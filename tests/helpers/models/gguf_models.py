"""Makes GGUF files of the tiny checkpoints, as llama.cpp's converter does.

data/gguf/names.json has the names of tensors, from the package `gguf` of llama.cpp.
"""

import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from gguf_tensors import convert_rwkv7, multiply_falcon_h1, split_expansion, split_groups
from gguf_writer import Tensors, pack_q8_0, write_gguf
from paths import DATA

from model_core.checks.file_values import read_json
from model_core.families.config import read_config, write_json
from model_core.files.safetensors import SafetensorsFolder, write_safetensors

CHECKPOINTS_FOLDER = DATA / "checkpoints"
NAMES = DATA / "gguf" / "names.json"
# checkpoint -> architecture
CHECKPOINTS = {
    **dict.fromkeys(("llama-tied-gqa", "llama-untied-mha", "llama-biases", "llama-head-dim"), "llama"),
    **dict.fromkeys(("llama-bfloat16", "llama-float16"), "llama"),
    **dict.fromkeys(("llama-rope-llama3", "llama-rope-linear", "llama-rope-yarn"), "llama"),
    **dict.fromkeys(("mistral-full", "mixtral"), "llama"),
    "ministral3": "mistral3",
    "smollm3": "smollm3",
    "granite": "granite",
    "granitemoe": "granitemoe",
    "apertus": "apertus",
    "arcee": "arcee",
    **dict.fromkeys(("ernie4-5-moe", "ernie4-5-moe-interval"), "ernie4_5-moe"),
    **dict.fromkeys(("llama4", "llama4-plain"), "llama4"),
    "dots1": "dots1",
    "hunyuan-moe": "hunyuan-moe",
    "kimi-linear": "kimi-linear",
    "afmoe": "afmoe",
    **dict.fromkeys(("cohere2-moe", "cohere2-moe-dense"), "cohere2moe"),
    "hy-v3": "hy_v3",
    "mellum": "mellum",
    "mimo-v2": "mimo2",
    "exaone-moe": "exaone-moe",
    "step3p5": "step35",
    "muse-glimmer": "muse-glimmer",
    **dict.fromkeys(("minimax-m3", "minimax-m3-chosen"), "minimax-m3"),
    **dict.fromkeys(("hy-v4", "hy-v4-chosen"), "hy_v4"),
    **dict.fromkeys(("glm5-next", "glm5-next-chosen"), "glm5-next"),
    **dict.fromkeys(("glm-moe-dsa", "glm-moe-dsa-chosen"), "glm-dsa"),
    **dict.fromkeys(("deepseek-v32", "deepseek-v32-chosen"), "deepseek32"),
    **dict.fromkeys(("mistral4", "mistral4-latents"), "mistral4"),
    "phi": "phi2",
    "phimoe": "phimoe",
    "gemma": "gemma",
    "olmoe": "olmoe",
    "minimax-m2": "minimax-m2",
    "qwen2-moe": "qwen2moe",
    "qwen2-biases": "qwen2",
    "qwen3": "qwen3",
    "qwen3-moe": "qwen3moe",
    **dict.fromkeys(("qwen2-vl", "qwen2_5-vl"), "qwen2vl"),
    "qwen3-vl": "qwen3vl",
    "qwen3-vl-moe": "qwen3vlmoe",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    **dict.fromkeys(("phi3", "phi3-longrope", "phi3-partial"), "phi3"),
    **dict.fromkeys(("olmo2", "olmo3"), "olmo2"),
    "glm4": "glm4",
    **dict.fromkeys(("glm4-moe", "glm4-moe-mtp", "solar-open"), "glm4moe"),
    **dict.fromkeys(("exaone4", "exaone4-full"), "exaone4"),
    "hunyuan": "hunyuan-dense",
    "cohere": "command-r",
    "cohere2": "cohere2",
    **dict.fromkeys(("stablelm", "stablelm-parallel", "stablelm-head-norms"), "stablelm"),
    "internlm2": "internlm2",
    "internlm3": "llama",
    "baichuan": "baichuan",
    "exaone": "exaone",
    "minicpm": "minicpm",
    **dict.fromkeys(("chatglm", "glm"), "chatglm"),
    **dict.fromkeys(("falcon", "falcon-two-norms", "falcon-one-norm"), "falcon"),
    "gpt-bigcode": "starcoder",
    "bloom": "bloom",
    "mpt": "mpt",
    "starcoder2": "starcoder2",
    "gpt2": "gpt2",
    **dict.fromkeys(("gpt-neox", "gpt-neox-serial"), "gptneox"),
    "gpt-oss": "gpt-oss",
    "lfm2": "lfm2",
    "lfm2-moe": "lfm2moe",
    **dict.fromkeys(("qwen3_5", "qwen3_5-16-16", "qwen3_5-16-32", "qwen3_5-16-48"), "qwen35"),
    "qwen3_5-mtp": "qwen35",
    **dict.fromkeys(("qwen3_5-moe", "qwen3_5-moe-mtp"), "qwen35moe"),
    "qwen3-next": "qwen3next",
    **dict.fromkeys(("granitemoehybrid", "granitemoehybrid-dense"), "granitehybrid"),
    **dict.fromkeys(("deepseek-v2", "deepseek-v2-lite", "deepseek-v3"), "deepseek2"),
    **dict.fromkeys(("deepseek-v3-halves", "deepseek-v3-latents", "deepseek-v3-mtp"), "deepseek2"),
    "ernie4-5": "ernie4_5",
    **dict.fromkeys(("falcon-h1", "falcon-h1-plain"), "falcon-h1"),
    "rwkv7": "rwkv7",
    "bamba": "granitehybrid",
    "nemotron-h": "nemotron_h",
    **dict.fromkeys(("nemotron-h-experts", "nemotron-h-latents"), "nemotron_h_moe"),
    **dict.fromkeys(("mamba2", "mamba2-biases"), "mamba2"),
    **dict.fromkeys(("mamba", "mamba-biases", "falcon-mamba"), "mamba"),
    **dict.fromkeys(("jamba", "jamba-dense"), "jamba"),
    "gemma3n": "gemma3n",
    **dict.fromkeys(("gemma4", "gemma4-experts", "gemma4-unified"), "gemma4"),
}
_SEEING = dict.fromkeys(("gemma4-small", "gemma4-large"), "gemma4")  # of tests/data/vision
_YARN = {
    "rope_type": "yarn",
    "rope_theta": 100.0,
    "factor": 4.0,
    "beta_fast": 4.0,
    "original_max_position_embeddings": 64,
}
_LLAMA3_HALF = {
    "rope_type": "llama3",
    "rope_theta": 100.0,
    "partial_rotary_factor": 0.5,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
_PHI_FACTOR = math.sqrt(1 + math.log(2) / math.log(128))  # which llama.cpp takes instead of that of the file
_PHI_LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 100.0,
    "short_factor": [1.0, 1.5, 3.0, 5.0],
    "long_factor": [2.0, 4.0, 8.0, 16.0],
    "original_max_position_embeddings": 128,
    "short_mscale": _PHI_FACTOR,
    "long_mscale": _PHI_FACTOR,
}
_LLAMA4 = {"attention_chunk_size": 8192, "floor_scale": 8192, "attn_scale": 0.1, "use_qk_norm": True}
# What files cannot say: other values of config.json.
_OVERRIDES = {
    "deepseek-v2": {"rope_parameters": {**_YARN, "mscale": 0.7, "mscale_all_dim": 0.7}},
    "deepseek-v2-lite": {"n_group": 1, "topk_group": 1},
    "deepseek-v3": {"rope_parameters": {**_YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek-v3-mtp": {"rope_parameters": {**_YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek-v3-latents": {"rope_parameters": {**_YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek-v32": {"rope_parameters": {**_YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek-v32-chosen": {"rope_parameters": {**_YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek-v3-halves": {"rope_interleave": True},
    "gpt-bigcode": {"activation_function": "gelu"},
    "mpt": {"attn_config": {"alibi": True}},
    "mixtral": {"sliding_window": None},
    "starcoder2": {"sliding_window": None},
    "gemma2": {"query_pre_attn_scalar": 12, "tie_word_embeddings": True},
    "cohere": {"tie_word_embeddings": True},
    "cohere2": {"tie_word_embeddings": True},
    "gemma3": {"query_pre_attn_scalar": 12},
    "qwen3-moe": {"norm_topk_prob": True},
    "olmoe": {"norm_topk_prob": False},
    **{name: {**_LLAMA4} for name in ("llama4", "llama4-plain")},
    "dots1": {"sliding_window": None, "layer_types": None},
    "phimoe": {"router_jitter_noise": 0.01, "rope_parameters": _PHI_LONGROPE},
    "qwen2-moe": {"use_sliding_window": False},
    "lfm2-moe": {"routed_scaling_factor": 1.0},
    "falcon-mamba": {"mixer_rms_eps": 1e-6},
    # Heads of keys and of values, as in files of 2B, 9B and 27B.
    **{
        f"qwen3_5-16-{values}": {
            "linear_num_key_heads": 16,
            "linear_key_head_dim": 4,
            "linear_num_value_heads": values,
            "linear_value_head_dim": 16,
        }
        for values in (16, 32, 48)
    },
    "step3p5": {
        "rope_parameters": {
            "full_attention": {**_LLAMA3_HALF},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        }
    },
    "muse-glimmer": {"post_norm_eps": 1e-8},
    "gemma4-unified": {"model_type": "gemma4_text", "hidden_size_per_layer_input": 0},
    "ministral3": {
        "rope_parameters": {
            **_YARN,
            "original_max_position_embeddings": 6,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "llama_4_scaling_beta": 0.4,
        }
    },
}
_PAIRED = (
    "arcee",
    "llama",
    "minicpm",
    "mistral3",
    "smollm3",
    "granite",
    "granitemoe",
    "granitehybrid",
    "muse-glimmer",
)  # q and k are reordered
# Names that llama.cpp has for other architectures only.
_FALLBACKS = {
    "lm_head": "output",
    "feed_forward.expert_bias": "blk.{i}.exp_probs_b",
    "feed_forward.experts.w1": "blk.{i}.ffn_gate_exps",
    "feed_forward.experts.w2": "blk.{i}.ffn_down_exps",
    "feed_forward.experts.w3": "blk.{i}.ffn_up_exps",
    "mlp.gate.e_score_correction_bias": "blk.{i}.exp_probs_b",
    "mlp.e_score_correction_bias": "blk.{i}.exp_probs_b",
    "mixer.gate.e_score_correction_bias": "blk.{i}.exp_probs_b",
    **{f"mixer.experts.{x}_proj": f"blk.{{i}}.ffn_{x}_exps" for x in ("up", "down")},
    **{f"feed_forward.experts.{x}_proj": f"blk.{{i}}.ffn_{x}_exps" for x in ("gate", "up", "down")},
    "block_sparse_moe.e_score_correction_bias": "blk.{i}.exp_probs_b",
    "block_sparse_moe.gate.e_score_correction_bias": "blk.{i}.exp_probs_b",
    "mlp.moe_statics.e_score_correction_bias": "blk.{i}.exp_probs_b",
    **{x: f"blk.{{i}}.nextn.{x}" for x in ("eh_proj", "enorm", "hnorm")},
    "shared_head.norm": "blk.{i}.nextn.shared_head_norm",
    "router.scale": "blk.{i}.ffn_gate_inp.scale",
    "router.per_expert_scale": "blk.{i}.ffn_down_exps.scale",
} | {f"mlp.{x}_proj": f"blk.{{i}}.ffn_{x}" for x in ("gate", "up", "down")}
_SHIFTED = (
    "gemma",
    "gemma2",
    "gemma3",
    "qwen35",
    "qwen35moe",
    "qwen3next",
    "step35",
    "minimax-m3",
)  # 1 is added to weights of norms
_STACKED = ("hy_v4", "llama4", "qwen35moe", "qwen3vlmoe")  # experts of a layer in one tensor
_OF_TOWERS = (
    *("visual.", "model.visual.", "vision_", "vit_", "model.vision_"),
    *("multi_modal_projector.", "patch_merge_mlp."),
)
# Of the MTP head of Qwen3.5, which becomes a further layer.
_MTP = {
    "mtp.fc": "eh_proj",
    "mtp.pre_fc_norm_embedding": "enorm",
    "mtp.pre_fc_norm_hidden": "hnorm",
    "mtp.norm": "shared_head.norm",
}
_TYPES = {"float32": 0, "float16": 1, "bfloat16": 30}
_Q8_0 = 8


def _indexer_types(raw: dict[str, Any]) -> np.ndarray | None:
    """Which layers have an indexer; None if all have."""
    has_indexer = np.array([kind == "full" for kind in raw.get("indexer_types", [])])
    return None if has_indexer.all() else has_indexer.astype(np.int32)


def copy_model(name: str, folder: Path) -> Path:
    """A tiny checkpoint that a GGUF file can hold: a copy in `folder`, with a few other values."""
    source, has_other_heads, _ = name.partition("-16-")
    copy = shutil.copytree(CHECKPOINTS_FOLDER / source, folder / name)
    config = read_json(copy / "config.json")
    config.get("text_config", config).update(_OVERRIDES.get(name, {}))
    if _OVERRIDES.get(name, {}).get("tie_word_embeddings"):
        _drop_head(copy / "model.safetensors")
    if has_other_heads:
        _write_delta_nets(copy / "model.safetensors", config.get("text_config", config))
    write_json(copy / "config.json", config)
    return copy


def _drop_head(path: Path) -> None:
    """Leave out a head that differs from the embedding, as files of these architectures have none."""
    source = SafetensorsFolder(path.parent)
    tensors = {name: np.array(source[name]) for name in source.unread() if name != "lm_head.weight"}
    path.unlink()
    write_safetensors(path, tensors)


def _write_delta_nets(path: Path, config: dict[str, Any]) -> None:
    """Give the delta nets of Qwen3.5 random weights for the heads of its configuration."""
    source, random = SafetensorsFolder(path.parent), np.random.default_rng(1)
    tensors = {name: np.array(source[name]) for name in source.unread()}
    hidden, heads, size = (
        config[x] for x in ("hidden_size", "linear_num_value_heads", "linear_value_head_dim")
    )
    values = heads * size
    columns = 2 * config["linear_num_key_heads"] * config["linear_key_head_dim"] + values
    shapes = {
        "in_proj_qkv.weight": (columns, hidden),
        "in_proj_z.weight": (values, hidden),
        "conv1d.weight": (columns, 1, config["linear_conv_kernel_dim"]),
        "norm.weight": (size,),
        "out_proj.weight": (hidden, values),
        **dict.fromkeys(("in_proj_a.weight", "in_proj_b.weight"), (heads, hidden)),
        **dict.fromkeys(("A_log", "dt_bias"), (heads,)),
    }
    for name, array in tensors.items():
        if "linear_attn" in name:
            shape = shapes[name.rpartition("linear_attn.")[2]]
            tensors[name] = random.normal(0, 0.5, shape).astype(array.dtype)
    path.unlink()
    write_safetensors(path, tensors)


def write_model(
    folder: Path, path: Path, metadata: dict[str, Any] | None = None, quantize: bool = False
) -> None:
    """Write the model in a folder as one file. `metadata` is added to that of the model: the tokenizer."""
    fields, tensors = read_model(folder, quantize)
    write_gguf(path, fields | (metadata or {"tokenizer.ggml.model": "no_vocab"}), tensors)


def read_model(folder: Path, quantize: bool = False) -> tuple[dict[str, Any], Tensors]:
    """The metadata and the tensors of the model in a folder, without its tokenizer.

    quantize: matrices are in Q8_0, where their columns allow it.
    """
    raw = read_config(folder)
    architecture = (CHECKPOINTS | _SEEING).get(folder.name, raw["model_type"])
    fields = {"general.architecture": architecture, "general.name": folder.name}
    fields |= {f"{architecture}.{key}": value for key, value in _metadata(raw, architecture).items()}
    if architecture == "apertus":
        fields |= _xielu(folder, raw)
    tensors = {}
    made = _muse_norms(raw) if architecture == "muse-glimmer" else ()
    for name, array in [*_tensors(folder, raw, architecture), *_factors(raw), *made]:
        array = np.ascontiguousarray(array)
        is_matrix = array.ndim > 1 and name.endswith(".weight") and not re.search("conv|gate_inp", name)
        if quantize and is_matrix and array.shape[-1] % 32 == 0:
            tensors[name] = (_Q8_0, array.shape, pack_q8_0(array))
        else:
            tensors[name] = (_TYPES[array.dtype.name], array.shape, array.tobytes())
    return fields, tensors


def _tensors(folder: Path, raw: dict[str, Any], architecture: str) -> Iterator[tuple[str, np.ndarray]]:
    """Names and values of the tensors of a file."""
    source, names = SafetensorsFolder(folder), json.loads(NAMES.read_text())[architecture]
    if architecture == "rwkv7":
        yield from convert_rwkv7({name: source[name] for name in source.unread()}, names)
        return
    stacks: dict[str, dict[int, np.ndarray]] = {}
    for stored in source.unread():
        array, name = source[stored], stored
        if stored.startswith("mtp."):
            name = _MTP.get(stored.removesuffix(".weight"), stored.removeprefix("mtp.layers.0."))
            name = f"model.layers.{raw['num_hidden_layers']}.{name.removesuffix('.weight')}"
            name += ".weight" * stored.endswith(".weight")
        if name.startswith(_OF_TOWERS) or ".act_fn." in name:
            continue
        if architecture == "llama4" and ".experts." in name:
            array = array.swapaxes(1, 2)  # of the inputs and outputs
        if architecture in _STACKED and name.endswith("experts.gate_up_proj"):
            for kind, part in zip(("gate", "up"), np.split(array, 2, axis=1), strict=True):
                new = name.replace("gate_up_proj", f"{kind}_proj.weight")
                yield from _convert(new, part, raw, architecture, names)
            continue
        stack, count = re.subn(r"(experts|_projections|norms)\.\d+\.", r"\1.", name)
        if count:
            number = re.search(r"(?:experts|_projections|norms)\.(\d+)", name)[1]
            stacks.setdefault(stack, {})[int(number)] = array
        elif name == "lm_head.weight" and raw.get("tie_word_embeddings", False):
            if "model.embed_tokens.weight" not in source:
                yield "token_embd.weight", array
        else:
            yield from _convert(name, array, raw, architecture, names)
    for name, matrices in stacks.items():
        stack = np.stack([matrices[i] for i in range(len(matrices))])
        yield from _convert(name, stack, raw, architecture, names)


def _convert(
    name: str, array: np.ndarray, raw: dict[str, Any], architecture: str, names: dict[str, str]
) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of a file that one tensor of a family becomes."""
    heads = {"q_proj": raw.get("num_attention_heads"), "k_proj": raw.get("num_key_value_heads")}
    part = name.split(".")[-2] if "." in name else ""
    if architecture in _PAIRED and part in heads:
        array = _pair(array, heads[part])
    if architecture in _SHIFTED and name.endswith("norm.weight") and "linear_attn" not in name:
        array = array + np.float32(1)
    if architecture == "muse-glimmer" and name.endswith("layernorm.weight"):
        array = array + np.float32(1)
    if architecture == "gpt2" and array.ndim == 2 and ".c_" in name:
        array = array.T
    if "query_key_value" in name and architecture != "chatglm":
        n = raw.get("num_attention_heads", raw.get("n_head"))
        kv_heads = _falcon_kv_heads(raw) if architecture == "falcon" else n
        array = np.concatenate(split_groups(array, n, kv_heads))
    if "attention.wqkv" in name or "W_pack" in name:
        yield from _split_attention(name, array, raw, names)
        return
    if "moe_statics" in name:
        array = array[0]
    if "conv.conv" in name or "conv1d.weight" in name:
        array = array[:, 0]
    if name.endswith("A_log"):
        array = -np.exp(array)
    if name.endswith("dt_bias"):
        name = name.replace("dt_bias", "dt_proj.bias")
    if architecture == "falcon-h1":
        array = multiply_falcon_h1(name, array, raw)
        if name.endswith("pre_ff_layernorm.weight"):
            yield f"blk.{name.split('.')[2]}.ffn_norm", array  # without an ending
            return
    if architecture == "kimi-linear" and "conv1d" in name:
        array = array.reshape(1, len(array), 1, -1)
    if name.endswith("kv_b_proj.weight"):
        yield from split_expansion(name, array, raw)
        return
    if architecture in ("granitehybrid", "falcon-h1", "mamba2", "nemotron_h", "nemotron_h_moe"):
        if name.endswith(("A_log", "mamba.D", "mixer.D")):
            array = array[:, None]
        if name.endswith(("mamba.norm.weight", "mixer.norm.weight")):
            array = array.reshape(raw.get("mamba_n_groups", raw.get("n_groups")), -1)
    if architecture in ("qwen35", "qwen35moe"):
        array = _tile_values(name, array, raw)
    if "in_proj_qkvz" in name:
        yield from _split_qkvz(name, array, raw)
        return
    if name.endswith("input_linear.weight"):
        gate, up = np.split(array, 2, axis=-2)
        layer, kind = name.split(".")[2], "exps"
        if "shared" in name:
            kind = "shexp" if raw["num_local_experts"] else ""
        yield f"blk.{layer}.ffn_gate_{kind}".rstrip("_") + ".weight", gate
        yield f"blk.{layer}.ffn_up_{kind}".rstrip("_") + ".weight", up
        return
    if "output_linear" in name and "shared" in name and not raw["num_local_experts"]:
        yield f"blk.{name.split('.')[2]}.ffn_down.weight", array
        return
    if architecture == "gpt-oss" and ".experts." in name:
        yield from _convert_gpt_oss(name, array)
        return
    if array.ndim == 1 or "gate_inp" in name or part in ("gate", "router", "layer"):
        array = array.astype(np.float32)
    yield _new_name(name, names), array


def _falcon_kv_heads(raw: dict[str, Any]) -> int:
    return raw["num_kv_heads"] if raw["new_decoder_architecture"] else 1


def _split_attention(
    name: str, array: np.ndarray, raw: dict[str, Any], names: dict[str, str]
) -> Iterator[tuple[str, np.ndarray]]:
    """Queries, keys and values of InternLM2 or Baichuan, the first two with pairs as neighbours."""
    heads, ending = raw["num_attention_heads"], name.rpartition(".")[2]
    kv_heads = raw.get("num_key_value_heads", heads)
    q, k, v = split_groups(array, heads, kv_heads) if "wqkv" in name else np.split(array, 3)
    for part, rows in (("q", _pair(q, heads)), ("k", _pair(k, kv_heads)), ("v", v)):
        yield _new_name(f"model.layers.{name.split('.')[2]}.self_attn.{part}_proj.{ending}", names), rows


def _tile_values(name: str, array: np.ndarray, raw: dict[str, Any]) -> np.ndarray:
    """The first value head of each key head, then the second ones, and so on."""
    keys, values = raw["linear_num_key_heads"], raw["linear_num_value_heads"]
    start = 2 * keys * raw["linear_key_head_dim"] if "in_proj_qkv" in name or "conv1d" in name else 0
    if "out_proj" in name:
        return _tile_values("in_proj_z", array.T, raw).T
    if not re.search("in_proj|conv1d|A_log|dt_proj", name):
        return array
    part = array[start:]
    tiled = part.reshape(keys, values // keys, -1, *part.shape[1:]).swapaxes(0, 1).reshape(part.shape)
    return np.concatenate([array[:start], tiled])


def _split_qkvz(name: str, array: np.ndarray, raw: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Queries, keys and values of all heads in one tensor, gates in another."""
    keys, size = raw["linear_num_key_heads"], raw["linear_key_head_dim"]
    width = raw["linear_num_value_heads"] // keys * raw["linear_value_head_dim"]
    parts = np.split(array.reshape(keys, -1, array.shape[1]), [size, 2 * size, 2 * size + width], axis=1)
    q, k, v, z = (part.reshape(-1, array.shape[1]) for part in parts)
    layer = name.split(".")[2]
    yield f"blk.{layer}.attn_qkv.weight", np.concatenate([q, k, v])
    yield f"blk.{layer}.attn_gate.weight", z


def _convert_gpt_oss(name: str, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    layer, ending = name.split(".")[2], "bias" if name.endswith("_bias") else "weight"
    array = array if ending == "bias" else array.swapaxes(1, 2)
    if "gate_up" in name:
        yield f"blk.{layer}.ffn_gate_exps.{ending}", array[:, ::2]
        yield f"blk.{layer}.ffn_up_exps.{ending}", array[:, 1::2]
    else:
        yield f"blk.{layer}.ffn_down_exps.{ending}", array


def _new_name(name: str, names: dict[str, str]) -> str:
    base, ending = name, "" if name.endswith(("A_log", ".D")) else ".weight"
    if name.endswith(("expert_bias", "e_score_correction_bias", "router_bias")):
        is_hy3 = "mlp.expert_bias" in name and "model.layers.{i}.mlp.shared_mlp.up_proj" in names
        ending = "" if is_hy3 else ".bias"
    for suffix in (".weight", ".bias"):
        if name.endswith(suffix):
            base, ending = name.removesuffix(suffix), suffix
    layer = re.search(r"(?<=layers\.)\d+|(?<=\bh\.)\d+|(?<=\bblocks\.)\d+", base)
    pattern = re.sub(r"(layers|\bh|\bblocks)\.\d+\.", r"\1.{i}.", base).removesuffix(".norms")
    for candidate in (pattern, f"transformer.{pattern}", f"model.{pattern}"):
        if candidate in names:
            return names[candidate].replace("{i}", layer[0] if layer else "") + ending
    new = _FALLBACKS[pattern.rpartition("}.")[2]].replace("{i}", layer[0] if layer else "")
    return new if new.endswith(".scale") else new + ending


def _pair(array: np.ndarray, heads: int) -> np.ndarray:
    """Rows i and i + half of each head become neighbours."""
    return array.reshape(heads, 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)


def _metadata(raw: dict[str, Any], architecture: str) -> dict[str, Any]:
    """The fields of a model, without the name of the architecture."""
    values = {
        "context_length": raw.get("max_position_embeddings", raw.get("n_positions")),
        "embedding_length": raw.get("hidden_size", raw.get("n_embd")),
        "block_count": raw.get("num_hidden_layers", raw.get("n_layer")),
        "feed_forward_length": raw.get("intermediate_size", 4 * raw.get("n_embd", 0)),
        "attention.head_count": raw.get("num_attention_heads", raw.get("n_head")),
        "attention.head_count_kv": raw.get("num_key_value_heads"),
        "attention.key_length": raw.get("head_dim"),
        "attention.value_length": raw.get("head_dim"),
        "vocab_size": raw.get("vocab_size", raw.get("padded_vocab_size")),
        "expert_count": raw.get("num_local_experts", raw.get("num_experts")),
        "expert_used_count": raw.get("num_experts_per_tok"),
        "expert_feed_forward_length": raw.get("moe_intermediate_size"),
        "attention.layer_norm_rms_epsilon": raw.get("rms_norm_eps", raw.get("norm_eps")),
    }
    for name in ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"):
        values["attention.layer_norm_epsilon"] = raw.get(name, values.get("attention.layer_norm_epsilon"))
    values |= _rope(raw, architecture)
    values |= _OTHERS.get(architecture, lambda raw: {})(raw)
    if further := raw.get("mtp_num_hidden_layers", raw.get("num_nextn_predict_layers")):
        values |= {"nextn_predict_layers": further, "block_count": raw["num_hidden_layers"] + further}
    return {key: value for key, value in values.items() if value is not None}


def _xielu(folder: Path, raw: dict[str, Any]) -> dict[str, np.ndarray]:
    """The numbers of xIELU, which are fields of files."""
    source, layers = SafetensorsFolder(folder), range(raw["num_hidden_layers"])
    names = ("alpha_p", "alpha_n", "beta", "eps")
    return {
        f"xielu.{name}": np.float32([source[f"model.layers.{i}.mlp.act_fn.{name}"].item() for i in layers])
        for name in names
    }


def _rope(raw: dict[str, Any], architecture: str) -> dict[str, Any]:
    parameters = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    local = parameters.get("sliding_attention", {})
    parameters = parameters.get("full_attention", parameters)
    head_dim = raw.get("head_dim") or raw.get("hidden_size", 0) // (raw.get("num_attention_heads") or 1)
    partial = parameters.get(
        "partial_rotary_factor", raw.get("partial_rotary_factor", raw.get("rotary_pct", 1))
    )
    values = {
        "rope.freq_base": float(parameters.get("rope_theta", raw.get("rope_theta", 10000.0))),
        "rope.freq_base_swa": local.get("rope_theta"),
        "rope.dimension_count": int(head_dim * partial) or None,
    }
    kind = parameters.get("rope_type", "default")
    if kind in ("linear", "yarn"):
        values |= {"rope.scaling.type": kind, "rope.scaling.factor": float(parameters["factor"])}
    if kind == "yarn":
        values |= {
            "rope.scaling.original_context_length": parameters["original_max_position_embeddings"],
            "rope.scaling.yarn_beta_fast": float(parameters.get("beta_fast", 32)),
            "rope.scaling.yarn_beta_slow": float(parameters.get("beta_slow", 1)),
        }
    if kind == "longrope":
        original = parameters.get("original_max_position_embeddings")
        original = original or raw["original_max_position_embeddings"]
        scale = raw["max_position_embeddings"] / original
        values |= {
            "rope.scaling.original_context_length": original,
            "rope.scaling.attn_factor": math.sqrt(1 + math.log(scale) / math.log(original)),
        }
    return values


def _factors(raw: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Tensors with factors of rotary frequencies."""
    parameters = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if parameters.get("rope_type") == "longrope":
        yield "rope_factors_long.weight", np.array(parameters["long_factor"], np.float32)
        yield "rope_factors_short.weight", np.array(parameters["short_factor"], np.float32)
    if (full := parameters.get("full_attention", {})).get("rope_type") == "proportional":
        half = next(iter(raw["per_layer_config"].values()))["head_dim"] // 2
        rotated = int(half * full["partial_rotary_factor"])
        yield "rope_freqs.weight", np.array([1.0] * rotated + [1e30] * (half - rotated), np.float32)
    parameters = full if full.get("rope_type") == "llama3" else parameters
    if parameters.get("rope_type") == "llama3":
        dim = raw.get("head_dim") or raw["hidden_size"] // raw["num_attention_heads"]
        dim = int(dim * parameters.get("partial_rotary_factor", 1))
        frequencies = parameters["rope_theta"] ** -(np.arange(0, dim, 2) / dim)
        turns = parameters["original_max_position_embeddings"] * frequencies / (2 * math.pi)
        low, high = parameters["low_freq_factor"], parameters["high_freq_factor"]
        share = np.clip((turns - low) / (high - low), 0, 1)
        factors = (1 / (share + (1 - share) / parameters["factor"])).astype(np.float32)
        more = raw["head_dim"] // 2 - len(factors) if full else 0
        yield "rope_freqs.weight", np.pad(factors, (0, more), constant_values=1)


def _muse_norms(raw: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """The factor of queries as weights of a norm."""
    for i in range(raw["num_hidden_layers"]):
        for part, factor in (("q", raw["qk_scale_factor"]), ("k", 1.0)):
            yield f"blk.{i}.attn_{part}_norm.weight", np.full(raw["head_dim"], factor, np.float32)


_OTHERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "gemma2": lambda raw: {
        "attn_logit_softcapping": raw["attn_logit_softcapping"],
        "final_logit_softcapping": raw["final_logit_softcapping"],
        "attention.sliding_window": raw["sliding_window"],
    },
    "gemma3": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "attention.sliding_window_pattern": raw.get("sliding_window_pattern", 6),
    },
    "granite": lambda raw: {
        "attention.scale": raw["attention_multiplier"],
        "embedding_scale": float(raw["embedding_multiplier"]),
        "residual_scale": raw["residual_multiplier"],
        "logit_scale": float(raw["logits_scaling"]),
    },
    "granitemoe": lambda raw: _OTHERS["granite"](raw),
    "phi3": lambda raw: {"attention.sliding_window": raw.get("sliding_window") or 0},
    "olmo2": lambda raw: {"attention.sliding_window": raw.get("sliding_window")},
    "exaone4": lambda raw: {"attention.sliding_window": raw.get("sliding_window")},
    "command-r": lambda raw: {"logit_scale": raw["logit_scale"]},
    "cohere2": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "logit_scale": raw["logit_scale"],
    },
    "mistral3": lambda raw: {
        "rope.scaling.yarn_log_multiplier": float(raw["rope_parameters"].get("mscale_all_dim", 0)),
        "attention.temperature_scale": raw["rope_parameters"]["llama_4_scaling_beta"],
    },
    "gptneox": lambda raw: {"use_parallel_residual": raw["use_parallel_residual"]},
    "stablelm": lambda raw: {"use_parallel_residual": raw["use_parallel_residual"]},
    "falcon": lambda raw: {
        "feed_forward_length": raw["ffn_hidden_size"],
        "attention.head_count_kv": _falcon_kv_heads(raw),
        "tensor_data_layout": "jploski",
    },
    "starcoder": lambda raw: {"attention.head_count_kv": 1},
    "exaone": lambda raw: {
        "block_count": raw["num_layers"],
        "attention.layer_norm_rms_epsilon": raw["layer_norm_epsilon"],
    },
    "minicpm": lambda raw: {
        "embedding_scale": raw["scale_emb"],
        "residual_scale": raw["scale_depth"] * raw["num_hidden_layers"] ** -0.5,
        "logit_scale": raw["hidden_size"] / raw["dim_model_base"],
    },
    "chatglm": lambda raw: (
        {}
        if raw["model_type"] == "glm"
        else {
            "context_length": raw["seq_length"],
            "block_count": raw["num_layers"],
            "feed_forward_length": raw["ffn_hidden_size"],
            "attention.head_count_kv": raw["multi_query_group_num"],
            "attention.layer_norm_rms_epsilon": raw["layernorm_epsilon"],
            "rope.dimension_count": raw["kv_channels"] // 2,
            "rope.freq_base": 10000.0 * raw["rope_ratio"],
        }
    ),
    "bloom": lambda raw: {
        "context_length": 2048,
        "feed_forward_length": 4 * raw["hidden_size"],
        "rope.freq_base": None,
        "rope.dimension_count": None,
    },
    "mpt": lambda raw: {
        "context_length": raw["max_seq_len"],
        "embedding_length": raw["d_model"],
        "block_count": raw["n_layers"],
        "feed_forward_length": 4 * raw["d_model"],
        "attention.head_count": raw["n_heads"],
        "attention.max_alibi_bias": 8.0,
        "rope.freq_base": None,
    },
    "glm4moe": lambda raw: {
        "expert_count": raw["n_routed_experts"],
        "expert_shared_count": raw["n_shared_experts"],
        "leading_dense_block_count": raw.get("first_k_dense_replace", 0),
        "expert_weights_scale": raw["routed_scaling_factor"],
        "expert_weights_norm": raw["norm_topk_prob"],
        "expert_group_count": raw["n_group"],
        "expert_group_used_count": raw["topk_group"],
        "expert_gating_func": 2,
    },
    "dots1": lambda raw: _OTHERS["glm4moe"](raw),
    "deepseek2": lambda raw: {
        **_OTHERS["glm4moe"](raw),
        "expert_gating_func": 1 if raw["model_type"] == "deepseek_v2" else 2,
        "attention.head_count_kv": 1,
        "attention.q_lora_rank": raw["q_lora_rank"],
        "attention.kv_lora_rank": raw["kv_lora_rank"],
        "attention.key_length": raw["kv_lora_rank"] + raw["qk_rope_head_dim"],
        "attention.value_length": raw["kv_lora_rank"],
        "attention.key_length_mla": raw["qk_nope_head_dim"] + raw["qk_rope_head_dim"],
        "attention.value_length_mla": raw["v_head_dim"],
        "rope.scaling.yarn_log_multiplier": 0.1 * (raw["rope_parameters"] or {}).get("mscale_all_dim", 0.0),
    },
    "rwkv7": lambda raw: {
        "context_length": 2**20,
        "attention.head_count": 0,
        "attention.key_length": None,
        "attention.value_length": None,
        "attention.layer_norm_epsilon": 1e-5,
        "wkv.head_size": raw["head_dim"],
        "attention.decay_lora_rank": raw["decay_low_rank_dim"],
        "attention.iclr_lora_rank": raw["a_low_rank_dim"],
        "attention.value_residual_mix_lora_rank": raw["v_low_rank_dim"],
        "attention.gate_lora_rank": raw["gate_low_rank_dim"],
    },
    "gpt-oss": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "expert_feed_forward_length": raw["intermediate_size"],
    },
    "lfm2moe": lambda raw: {
        **_OTHERS["lfm2"](raw),
        "leading_dense_block_count": raw["num_dense_layers"],
        "expert_gating_func": 2,
    },
    "minimax-m2": lambda raw: {
        "expert_feed_forward_length": raw["intermediate_size"],
        "expert_gating_func": 2,
        "rope.dimension_count": int(raw["head_dim"] * raw["rope_parameters"]["partial_rotary_factor"]),
    },
    "ernie4_5-moe": lambda raw: {
        "expert_count": raw["moe_num_experts"],
        "expert_used_count": raw["moe_k"],
        "expert_shared_count": raw["moe_num_shared_experts"],
        "expert_shared_feed_forward_length": raw["intermediate_size"] // raw["num_key_value_heads"],
        "interleave_moe_layer_step": raw["moe_layer_interval"],
        "leading_dense_block_count": raw["moe_layer_start_index"],
    },
    "hunyuan-moe": lambda raw: {
        "expert_used_count": raw["moe_topk"],
        "expert_shared_count": 1,
        "expert_feed_forward_length": raw["intermediate_size"],
        "expert_shared_feed_forward_length": raw["intermediate_size"],
    },
    "afmoe": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "expert_shared_count": raw["num_shared_experts"],
        "leading_dense_block_count": raw["num_dense_layers"],
        "expert_weights_scale": raw["route_scale"],
        "expert_weights_norm": True,
        "expert_gating_func": 2,
    },
    "exaone-moe": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "attention.sliding_window_pattern": np.array([k == "sliding_attention" for k in raw["layer_types"]]),
        "expert_shared_count": raw["num_shared_experts"],
        "expert_shared_feed_forward_length": raw["moe_intermediate_size"] * raw["num_shared_experts"],
        "leading_dense_block_count": raw["first_k_dense_replace"],
        "expert_weights_scale": raw["routed_scaling_factor"],
        "expert_weights_norm": raw["norm_topk_prob"],
        "expert_group_count": raw["n_group"],
        "expert_group_used_count": raw["topk_group"],
        "expert_gating_func": 2,
    },
    "mistral4": lambda raw: {
        **_OTHERS["deepseek2"](raw),
        "expert_gating_func": 1,
        "rope.dimension_count": raw["qk_rope_head_dim"],
        "attention.temperature_scale": raw["rope_parameters"]["llama_4_scaling_beta"],
        "attention.temperature_length": raw["rope_parameters"]["original_max_position_embeddings"],
    },
    "glm-dsa": lambda raw: {
        **_OTHERS["deepseek2"](raw),
        "leading_dense_block_count": raw["mlp_layer_types"].count("dense"),
        "attention.indexer.head_count": raw["index_n_heads"],
        "attention.indexer.key_length": raw["index_head_dim"],
        "attention.indexer.top_k": raw["index_topk"],
        "attention.indexer.types": _indexer_types(raw),
    },
    "deepseek32": lambda raw: _OTHERS["glm-dsa"](raw),
    "kimi-linear": lambda raw: {
        "context_length": raw["model_max_length"],
        "expert_count": raw["num_experts"],
        "expert_used_count": raw["num_experts_per_token"],
        "expert_shared_count": raw["num_shared_experts"],
        "expert_weights_scale": raw["routed_scaling_factor"],
        "expert_weights_norm": raw["moe_renormalize"],
        "expert_group_count": raw["num_expert_group"],
        "expert_group_used_count": raw["topk_group"],
        "expert_gating_func": 2,
        "leading_dense_block_count": raw["mlp_layer_types"].count("dense"),
        "attention.head_count_kv": np.array([int("full" in kind) for kind in raw["layer_types"]]),
        "attention.kv_lora_rank": raw["kv_lora_rank"],
        "attention.key_length": raw["kv_lora_rank"] + raw["qk_rope_head_dim"],
        "attention.value_length": None,
        "attention.key_length_mla": raw["qk_nope_head_dim"] + raw["qk_rope_head_dim"],
        "attention.value_length_mla": raw["v_head_dim"],
        "rope.dimension_count": raw["qk_rope_head_dim"],
        "kda.head_dim": raw["linear_head_dim"],
        "ssm.conv_kernel": raw["linear_conv_kernel_dim"],
    },
    "cohere2moe": lambda raw: {
        **_OTHERS["mellum"](raw),
        "expert_feed_forward_length": raw["intermediate_size"],
        "expert_shared_count": raw["num_shared_experts"] or None,
        "expert_weights_norm": raw["norm_topk_prob"],
        "feed_forward_length": raw["prefix_dense_intermediate_size"] or raw["intermediate_size"],
        "leading_dense_block_count": raw["mlp_layer_types"].count("dense"),
        "logit_scale": raw["logit_scale"],
        "rope.scaling.type": "none",
    },
    "hy_v3": lambda raw: {
        "expert_shared_feed_forward_length": raw["num_shared_experts"] * raw["moe_intermediate_size"],
        "expert_weights_norm": True,
        "expert_weights_scale": raw["router_scaling_factor"],
        "expert_gating_func": 2,
    },
    "mimo2": lambda raw: {
        **_OTHERS["mellum"](raw),
        "attention.head_count_kv": np.array(
            [raw["num_key_value_heads"] * (1 + (kind != "full_attention")) for kind in raw["layer_types"]]
        ),
        "attention.sliding_window": raw["sliding_window"] - 1,
        "attention.value_length": raw["v_head_dim"],
        "attention.value_scale": raw["attention_value_scale"],
        "expert_count": raw["n_routed_experts"],
        "expert_group_count": raw["n_group"],
        "expert_group_used_count": raw["topk_group"],
        "expert_weights_scale": raw["routed_scaling_factor"],
        "expert_gating_func": 2,
    },
    "step35": lambda raw: {
        **_OTHERS["mellum"](raw),
        "attention.head_count": np.array(
            [
                raw["num_attention_heads" if kind == "full_attention" else "num_sliding_attention_heads"]
                for kind in raw["layer_types"]
            ]
        ),
        "attention.head_count_kv": np.array([raw["num_key_value_heads"]] * raw["num_hidden_layers"]),
        "expert_count": raw["n_routed_experts"],
        "expert_gating_func": 2,
        "expert_shared_feed_forward_length": raw["share_expert_dim"],
        "expert_weights_norm": True,
        "expert_weights_scale": raw["moe_router_scaling_factor"],
        "leading_dense_block_count": raw["mlp_layer_types"].index("sparse"),
        "rope.dimension_count": raw["head_dim"],  # of which llama.cpp rotates half in full layers
        "swiglu_clamp_exp": np.float32(raw["swiglu_limits"]),
        "swiglu_clamp_shexp": np.float32(raw["swiglu_limits_shared"]),
    },
    "muse-glimmer": lambda raw: {
        **_OTHERS["mellum"](raw),
        "final_logit_softcapping": raw["final_logit_softcapping"],
        "logit_scale": raw["output_multiplier"],
    },
    "minimax-m3": lambda raw: {
        "expert_feed_forward_length": raw["intermediate_size"],
        "expert_gating_func": 2,
        "expert_shared_count": 1,
        "expert_weights_norm": True,
        "expert_weights_scale": raw["routed_scaling_factor"],
        "feed_forward_length": raw["dense_intermediate_size"],
        "leading_dense_block_count": raw["mlp_layer_types"].count("dense"),
        "rope.dimension_count": raw["rotary_dim"],
        "attention.indexer.block_size": raw["index_block_size"],
        "attention.indexer.head_count": raw["index_n_heads"],
        "attention.indexer.key_length": raw["index_head_dim"],
        "attention.indexer.local_blocks": raw["index_local_blocks"],
        "attention.indexer.top_k": raw["index_topk_blocks"],
    },
    "hy_v4": lambda raw: {
        **_OTHERS["glm5-next"](raw),
        "attention.head_count_kv": 1,
        "expert_group_count": None,
        "expert_group_used_count": None,
        "hyper_connection.magnitude": raw["hc_magnitude"],
        "rope.dimension_count": raw["qk_rope_head_dim"],
        "swiglu_clamp_shexp": None,
        **dict.fromkeys(("attention.layer_norm_epsilon", "hyper_connection.sinkhorn_iterations")),
        **dict.fromkeys(("attention.indexer.kpool", "attention.indexer.kpool_select_tail")),
        **dict.fromkeys(("kda.head_dim", "kda.gate_lower_bound", "ssm.conv_kernel")),
    },
    "glm5-next": lambda raw: {
        **_OTHERS["glm-dsa"](raw),
        "attention.head_count_kv": np.array([int("indexed" in kind) for kind in raw["layer_types"]]),
        "attention.layer_norm_epsilon": 1e-6,
        "attention.indexer.kpool": raw.get("index_kpool"),
        "attention.indexer.kpool_select_tail": True,
        "attention.indexer.types": np.array([kind == "full" for kind in raw["indexer_types"]]),
        "hyper_connection.count": raw["hc_mult"],
        "hyper_connection.epsilon": raw["hc_eps"],
        "hyper_connection.sinkhorn_iterations": raw.get("hc_sinkhorn_iters"),
        "kda.head_dim": raw.get("linear_head_dim"),
        "kda.gate_lower_bound": raw.get("linear_lower_bound"),
        "rope.freq_base": (raw["rope_parameters"] or {}).get("rope_theta", 10000.0),
        "rope.dimension_count": 0,
        "rope.scaling.yarn_log_multiplier": None,
        "ssm.conv_kernel": raw.get("linear_conv_kernel_dim"),
        "swiglu_clamp_exp": np.full(raw["num_hidden_layers"], 10, np.float32),
        "swiglu_clamp_shexp": np.full(raw["num_hidden_layers"], 10, np.float32),
    },
    "mellum": lambda raw: {
        "attention.sliding_window": raw["sliding_window"],
        "attention.sliding_window_pattern": np.array([k == "sliding_attention" for k in raw["layer_types"]]),
    },
    "llama4": lambda raw: {
        "feed_forward_length": raw["intermediate_size_mlp"],
        "expert_feed_forward_length": raw["intermediate_size"],
        "interleave_moe_layer_step": raw["interleave_moe_layer_step"],
    },
    "qwen2moe": lambda raw: {
        "expert_shared_feed_forward_length": raw["shared_expert_intermediate_size"],
    },
    "qwen35": lambda raw: {
        "full_attention_interval": 2,
        "ssm.conv_kernel": raw["linear_conv_kernel_dim"],
        "ssm.state_size": raw["linear_key_head_dim"],
        "ssm.group_count": raw["linear_num_key_heads"],
        "ssm.time_step_rank": raw["linear_num_value_heads"],
        "ssm.inner_size": raw["linear_num_value_heads"] * raw["linear_value_head_dim"],
        "rope.dimension_sections": np.array([2, 1, 1, 0]),
    },
    "qwen35moe": lambda raw: _OTHERS["qwen3next"](raw),
    "qwen3next": lambda raw: {
        **_OTHERS["qwen35"](raw),
        "expert_shared_feed_forward_length": raw["shared_expert_intermediate_size"],
    },
    "qwen2vl": lambda raw: {"rope.dimension_sections": np.array([2, 1, 1, 0])},
    "qwen3vl": lambda raw: {
        "rope.dimension_sections": np.array([2, 2, 2, 0]),
        "n_deepstack_layers": 1,
    },
    "qwen3vlmoe": lambda raw: _OTHERS["qwen3vl"](raw),
    "falcon-h1": lambda raw: {
        "ssm.conv_kernel": raw["mamba_d_conv"],
        "ssm.state_size": raw["mamba_d_state"],
        "ssm.group_count": raw["mamba_n_groups"],
        "ssm.time_step_rank": raw["mamba_n_heads"],
        "ssm.inner_size": raw.get("mamba_d_ssm", raw["mamba_expand"] * raw["hidden_size"]),
    },
    "granitehybrid": lambda raw: (
        _bamba(raw)
        if raw["model_type"] == "bamba"
        else {
            **_OTHERS["granite"](raw),
            **_OTHERS["falcon-h1"](raw),
            "rope.scaling.finetuned": raw["position_embedding_type"] == "rope",
            "attention.head_count_kv": np.array(
                [raw["num_key_value_heads"] * (kind == "full_attention") for kind in raw["layer_types"]]
            ),
            "expert_shared_feed_forward_length": raw["shared_intermediate_size"],
            "feed_forward_length": raw[("" if raw["num_local_experts"] else "shared_") + "intermediate_size"],
        }
    ),
    "nemotron_h": lambda raw: {
        **_nemotron_layers(raw, raw["intermediate_size"], "mlp"),
        "attention.layer_norm_rms_epsilon": raw["layer_norm_epsilon"],
        "expert_count": None,
        "expert_used_count": None,
        "expert_feed_forward_length": None,
        "ssm.conv_kernel": raw["conv_kernel"],
        "ssm.state_size": raw["ssm_state_size"],
        "ssm.group_count": raw["n_groups"],
        "ssm.time_step_rank": raw["mamba_num_heads"],
        "ssm.inner_size": raw["mamba_num_heads"] * raw["mamba_head_dim"],
        "rope.scaling.finetuned": False,
        "rope.dimension_count": raw["head_dim"],
    },
    "nemotron_h_moe": lambda raw: {
        **_OTHERS["nemotron_h"](raw),
        **_nemotron_layers(raw, raw["moe_intermediate_size"], "moe"),
        "expert_count": raw["n_routed_experts"],
        "expert_used_count": raw["num_experts_per_tok"],
        "expert_feed_forward_length": raw["moe_intermediate_size"],
        "expert_shared_feed_forward_length": raw["moe_shared_expert_intermediate_size"],
        "expert_shared_count": raw["n_shared_experts"],
        "expert_weights_norm": raw["norm_topk_prob"],
        "expert_weights_scale": raw["routed_scaling_factor"],
        "expert_group_count": raw["n_group"],
        "expert_group_used_count": raw["topk_group"],
        "moe_latent_size": raw["moe_latent_size"],
    },
    "mamba": lambda raw: {
        **_mamba(raw),
        "ssm.inner_size": raw["intermediate_size"],
        "ssm.time_step_rank": raw["time_step_rank"],
        "ssm.dt_b_c_rms": raw["model_type"] == "falcon_mamba",
    },
    "mamba2": lambda raw: {
        **_mamba(raw),
        "ssm.inner_size": raw["expand"] * raw["hidden_size"],
        "ssm.time_step_rank": raw["num_heads"],
        "ssm.group_count": raw["n_groups"],
    },
    "jamba": lambda raw: {
        "attention.head_count_kv": np.array(
            [
                raw["num_key_value_heads"] * (i % raw["attn_layer_period"] == raw["attn_layer_offset"])
                for i in range(raw["num_hidden_layers"])
            ]
        ),
        "attention.key_length": None,
        "attention.value_length": None,
        "expert_count": raw["num_experts"],
        "rope.freq_base": None,
        "rope.dimension_count": None,
        "ssm.conv_kernel": raw["mamba_d_conv"],
        "ssm.state_size": raw["mamba_d_state"],
        "ssm.time_step_rank": raw["mamba_dt_rank"],
        "ssm.inner_size": raw["mamba_expand"] * raw["hidden_size"],
    },
    "gemma3n": lambda raw: {
        **_gemma_layers(raw),
        "feed_forward_length": np.array(raw["intermediate_size"]),
        "activation_sparsity_scale": np.array(
            [NormalDist().inv_cdf(part) if part else -np.inf for part in raw["activation_sparsity_pattern"]]
        ),
        "altup.active_idx": raw["altup_active_idx"],
        "altup.num_inputs": raw["altup_num_inputs"],
    },
    "gemma4": lambda raw: {
        **_gemma_layers(raw),
        **_gemma4_heads(raw),
        "expert_used_count": raw.get("top_k_experts"),
    },
    "lfm2": lambda raw: {
        "shortconv.l_cache": raw["conv_L_cache"],
        "attention.head_count_kv": np.array(
            [raw["num_key_value_heads"] if kind != "conv" else 0 for kind in raw["layer_types"]]
        ),
    },
}


def _nemotron_layers(raw: dict[str, Any], size: int, kind: str) -> dict[str, Any]:
    """Which layers of Nemotron-H have keys and values, and which an MLP or experts of this size."""
    kinds = raw["layers_block_type"]
    return {
        "attention.head_count_kv": np.array(
            [raw["num_key_value_heads"] * (k == "full_attention") for k in kinds]
        ),
        "feed_forward_length": np.array([size * (k == kind) for k in kinds]),
        "block_count": len(kinds),
    }


def _mamba(raw: dict[str, Any]) -> dict[str, Any]:
    """What files of Mamba and of Mamba-2 have in common."""
    return {
        "context_length": 2**20,
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "attention.key_length": None,
        "attention.value_length": None,
        "attention.layer_norm_rms_epsilon": raw["layer_norm_epsilon"],
        "attention.layer_norm_epsilon": None,
        "rope.freq_base": None,
        "rope.dimension_count": None,
        "ssm.conv_kernel": raw["conv_kernel"],
        "ssm.state_size": raw["state_size"],
    }


def _bamba(raw: dict[str, Any]) -> dict[str, Any]:
    """Files of Bamba, which is a Granite with positions and without multipliers."""
    return {
        **_OTHERS["falcon-h1"](raw),
        "rope.scaling.finetuned": True,
        "attention.head_count_kv": np.array(
            [
                raw["num_key_value_heads"] * (i in raw["attn_layer_indices"])
                for i in range(raw["num_hidden_layers"])
            ]
        ),
    }


def _gemma_layers(raw: dict[str, Any]) -> dict[str, Any]:
    return {
        "attention.sliding_window": raw["sliding_window"],
        "attention.sliding_window_pattern": np.array([k == "sliding_attention" for k in raw["layer_types"]]),
        "attention.shared_kv_layers": raw["num_kv_shared_layers"],
        "embedding_length_per_layer_input": raw.get("hidden_size_per_layer_input", 0),
        "final_logit_softcapping": raw["final_logit_softcapping"],
    }


def _gemma4_heads(raw: dict[str, Any]) -> dict[str, Any]:
    layers, shared = raw["num_hidden_layers"], raw["num_kv_shared_layers"]
    full = next(iter(raw["per_layer_config"].values()))
    heads = [raw["per_layer_config"].get(str(i), {}).get("num_key_value_heads") for i in range(layers)]
    wide = raw["use_double_wide_mlp"] and shared
    return {
        "attention.key_length": full["head_dim"],
        "attention.value_length": full["head_dim"],
        "attention.key_length_swa": raw["head_dim"],
        "attention.value_length_swa": raw["head_dim"],
        "attention.head_count_kv": np.array([count or raw["num_key_value_heads"] for count in heads]),
        "feed_forward_length": np.array(
            [raw["intermediate_size"] * (2 if wide and i >= layers - shared else 1) for i in range(layers)]
        ),
        "rope.dimension_count": full["head_dim"],
        "rope.dimension_count_swa": raw["head_dim"],
    }
