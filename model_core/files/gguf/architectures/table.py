"""The architectures of llama.cpp that are supported: the family of each, its configuration and its names."""

from operator import methodcaller

import numpy as np

from ....checks.file_values import shorten
from ....errors import ModelError
from ....families import name_near
from ..config import (
    Config,
    is_reranker,
    read_common,
    read_decoder,
    read_granite_multipliers,
    read_window,
    read_windows,
    with_layer_ropes,
)
from ..metadata import Metadata
from ..names import Places, change, order_of_halves
from .architecture import (
    AFTER,
    ATTENTION,
    EPSILON,
    EXPERT_COUNTS,
    EXPERTS,
    GRANITE_EXPERTS,
    JOINED_MLP,
    LAYER,
    LLAMA,
    MIXTRAL,
    MTP,
    QWEN_EXPERTS,
    QWEN_MIXTURE,
    SHARED_EXPERTS,
    SIGMOID,
    TOP,
    Architecture,
    has_bias,
    in_layers,
    read_expert_counts,
    read_shared_experts,
    reader,
    undo_pairs,
)
from .deepseek import DEEPSEEK2, KIMI_LINEAR, MISTRAL4, SPARSE
from .encoders import ENCODERS
from .gemmas import GEMMAS
from .gpts import GPTS
from .hybrids import HYBRIDS
from .hyper import HYPER
from .mambas import MAMBAS
from .mixtures import MIXTURES
from .muse import MUSE
from .rwkv7 import RWKV7
from .step import STEP

_HAS_MLP_BIAS = methodcaller("has_tensor", "blk.0.ffn_up.bias")
_read_arcee = reader("arcee", hidden_act="relu2", attention_bias=has_bias, mlp_bias=_HAS_MLP_BIAS)
# llama.cpp does not divide by the sum of the chosen ones.
_read_qwen2_moe = reader(
    "qwen2_moe",
    **QWEN_EXPERTS | {"norm_topk_prob": False, "qkv_bias": has_bias},
    shared_expert_intermediate_size=methodcaller("size", "expert_shared_feed_forward_length"),
)
_read_qwen3_decoder = reader("qwen3")
_read_llama = reader(
    "llama",
    hidden_act="silu",
    attention_bias=has_bias,
    mlp_bias=methodcaller("has_tensor", "blk.0.ffn_gate.bias"),
)


def _read_llama_or_mixtral(m: Metadata) -> Config:
    config = _read_llama(m)
    if config["attention_bias"] and not m.has_tensor("blk.0.attn_output.bias"):
        # Biases of queries, keys and values alone: what Qwen2 adds to Llama.
        del config["mlp_bias"]
        config |= {"model_type": "qwen2"}
    if m.size("expert_count", 0):
        config |= {"model_type": "mixtral", **read_expert_counts(m, "num_local_experts")}
    return config


def _read_ministral3(m: Metadata) -> Config:
    config = _read_llama(m)
    if isinstance(scaling := config.get("rope_scaling"), dict) and scaling["rope_type"] == "yarn":
        weight = m.number("rope.scaling.yarn_log_multiplier", 0.0)
        if weight:
            scaling |= {"attention_factor": None, "mscale": 1.0, "mscale_all_dim": weight}
        scaling["llama_4_scaling_beta"] = m.number("attention.temperature_scale", 0.0)
    return config | {"model_type": "ministral3", "attention_bias": False, "mlp_bias": False}


def _read_qwen3(m: Metadata) -> Config:
    """Qwen3, or Qwen3-Reranker, whose files have the rows of the head for yes and no."""
    config = _read_qwen3_decoder(m)
    if not is_reranker(m):
        return config
    m.expect("classifier.output_labels", ["yes", "no"])
    if m.shape("cls.output.weight")[0] != 2:
        raise ModelError("cls.output.weight should have two rows, for yes and no.")
    return config | {"architectures": ["Qwen3ForSequenceClassification"], "num_labels": 1}


def _score_by_difference(places: Places, config: Config) -> None:
    """The score of Qwen3-Reranker is the logit of yes minus that of no."""
    change(places, ("score.weight",), is_difference=True)


def _read_granite(m: Metadata) -> Config:
    config = _read_llama(m)
    return config | {"model_type": "granite", **read_granite_multipliers(m, config["head_dim"])}


def _read_granitemoe(m: Metadata) -> Config:
    config = _read_granite(m) | {"model_type": "granitemoe", **read_expert_counts(m, "num_local_experts")}
    del config["mlp_bias"]
    return config


def _read_olmo2(m: Metadata) -> Config:
    config = read_decoder(m) | {"model_type": "olmo2"}
    if m.get("attention.sliding_window") is None:
        return config
    return with_layer_ropes(m, config) | read_windows(m, 4) | {"model_type": "olmo3"}


def _read_glm4_moe(m: Metadata) -> Config:
    """GLM-4.5, or Solar Open, which has no norms of heads and rotates whole ones."""
    m.expect("expert_gating_func", SIGMOID)
    return {
        "partial_rotary_factor": 1.0,  # where the file has no other
        **read_decoder(m),
        **read_shared_experts(m, normalizes=True),
        "model_type": "glm4_moe",
        "attention_bias": has_bias(m),
        "use_qk_norm": m.has_tensor("blk.0.attn_q_norm.weight"),
    }


def _read_dots1(m: Metadata) -> Config:
    config = _read_glm4_moe(m) | {"model_type": "dots1", "sliding_window": None}
    del config["use_qk_norm"]
    return config


def _read_xielu(m: Metadata) -> dict[str, np.ndarray]:
    """The numbers of xIELU, which are lists of fields without the name of the architecture."""
    values = {}
    for name, shape in (("alpha_p", (1,)), ("alpha_n", (1,)), ("beta", ()), ("eps", ())):
        numbers = m.file.metadata.get(f"xielu.{name}")
        numbers = np.full(m.layers, numbers) if isinstance(numbers, float) else numbers
        if not isinstance(numbers, np.ndarray) or len(numbers) < m.layers or not np.isfinite(numbers).all():
            raise ModelError(f"xielu.{name} should have a number for each of {m.layers} layers.")
        for i in range(m.layers):
            values[f"{LAYER}mlp.act_fn.{name}".replace("{i}", str(i))] = np.full(
                shape, numbers[i], np.float32
            )
    return values


def _read_exaone4(m: Metadata) -> Config:
    config = read_decoder(m) | {"model_type": "exaone4"}
    m.expect("rope.freq_base_swa", config["rope_theta"])
    return config | (read_windows(m, 4) if m.get("attention.sliding_window") else {})


def _read_cohere2(m: Metadata) -> Config:
    config = read_decoder(m) | read_windows(m, 4)
    m.expect("rope.freq_base_swa", config["rope_theta"])
    return config | {
        "model_type": "cohere2",
        "layer_norm_eps": EPSILON(m),
        "logit_scale": m.number("logit_scale"),
        "attention_bias": has_bias(m),
    }


def _read_command_r(m: Metadata) -> Config:
    return read_decoder(m) | {
        "model_type": "cohere",
        "layer_norm_eps": EPSILON(m),
        "logit_scale": m.number("logit_scale"),
        "attention_bias": has_bias(m),
    }


def _read_stablelm(m: Metadata) -> Config:
    m.ignore("use_parallel_residual")  # the norms that are there say it
    return read_decoder(m) | {
        "model_type": "stablelm",
        "layer_norm_eps": EPSILON(m),
        "use_parallel_residual": not m.has_tensor("blk.0.ffn_norm.weight"),
        "use_qkv_bias": has_bias(m),
        "qk_layernorm": m.has_tensor("blk.0.attn_q_norm.weight"),
    }


def _read_baichuan(m: Metadata) -> Config:
    m.expect("rope.freq_base", 10000.0)
    config = read_decoder(m) | {"model_type": "baichuan", "model_max_length": m.size("context_length")}
    del config["rope_theta"]  # which the family does not have
    return config


def _read_minicpm(m: Metadata) -> Config:
    """As Granite, which is the same with these multipliers. Older files, which lack them, are refused."""
    for name in ("embedding_scale", "residual_scale", "logit_scale"):
        m.number(name)
    config = read_decoder(m) | {"model_type": "granite"}
    return config | read_granite_multipliers(m, config["head_dim"])


def _read_chatglm(m: Metadata) -> Config:
    """Of the model's own code, or of Transformers, which has queries, keys and values apart."""
    common = read_common(m)
    m.expect("rope.dimension_count", common["head_dim"] // 2)
    return {
        "model_type": "chatglm",
        "hidden_size": common["hidden_size"],
        "ffn_hidden_size": m.size("feed_forward_length"),
        "num_layers": common["num_hidden_layers"],
        "num_attention_heads": common["num_attention_heads"],
        "multi_query_group_num": m.size("attention.head_count_kv"),
        "kv_channels": common["head_dim"],
        "seq_length": common["max_position_embeddings"],
        "padded_vocab_size": common["vocab_size"],
        "layernorm_epsilon": common["rms_norm_eps"],
        "rope_ratio": m.number("rope.freq_base", 10000.0) / 10000.0,
        "add_qkv_bias": has_bias(m),
    }


def _undo_pairs_of_baichuan(places: Places, config: Config) -> None:
    """Queries and keys, which are the first and second third of W_pack, are in another order."""
    heads, rows = config["num_attention_heads"], config["num_attention_heads"] * config["head_dim"]
    pairs, values = order_of_halves(rows, heads), np.arange(2 * rows, 3 * rows)
    change(places, ("W_pack.weight",), order=np.concatenate([pairs, pairs + rows, values]))


def _read_vl(m: Metadata) -> Config:
    """The text model of a vision-language model."""
    m.ignore("n_deepstack_layers")  # which add features of images
    return read_decoder(m)


def _read_gpt_oss(m: Metadata) -> Config:
    config = read_decoder(m)
    m.expect("rope.freq_base_swa", config["rope_theta"])
    scaling = config.get("rope_scaling")
    if isinstance(scaling, dict):
        scaling["truncate"] = False
    return (
        config
        | read_windows(m, 2)
        | {
            "model_type": "gpt_oss",
            "intermediate_size": m.size("expert_feed_forward_length"),
            **read_expert_counts(m, "num_local_experts"),
        }
    )


def _interleave_experts(places: Places, config: Config) -> None:
    """Rows of gate and up projections alternate in the family, which has its matrices transposed."""
    size = config["intermediate_size"]
    order = np.arange(2 * size).reshape(2, size).T.reshape(-1)
    change(places, ("experts.gate_up_proj",), order=order, is_transposed=True)
    change(places, ("experts.gate_up_proj_bias",), order=order)
    change(places, ("experts.down_proj",), is_transposed=True)


_HEAD_NORMS = in_layers(
    attn_q_norm="self_attn.q_layernorm.norms.{e}", attn_k_norm="self_attn.k_layernorm.norms.{e}"
)
_BAICHUAN = LLAMA | dict.fromkeys(("attn_q", "attn_k", "attn_v"), f"{LAYER}self_attn.W_pack")
_CHATGLM = {
    "token_embd": "embedding.word_embeddings",
    "output_norm": "encoder.final_layernorm",
    "output": "output_layer",
    "attn_norm": "encoder.layers.{i}.input_layernorm",
    **dict.fromkeys(
        ("attn_qkv", "attn_q", "attn_k", "attn_v"), "encoder.layers.{i}.self_attention.query_key_value"
    ),
    "attn_output": "encoder.layers.{i}.self_attention.dense",
    "ffn_norm": "encoder.layers.{i}.post_attention_layernorm",
    "ffn_up": "encoder.layers.{i}.mlp.dense_h_to_4h",
    "ffn_down": "encoder.layers.{i}.mlp.dense_4h_to_h",
}
_GPT_OSS = {
    **TOP,
    **ATTENTION,
    **in_layers(post_attention_norm="post_attention_layernorm", ffn_gate_inp="mlp.router"),
    "attn_sinks.weight": f"{LAYER}self_attn.sinks",
    "ffn_gate_exps.weight": f"{LAYER}mlp.experts.gate_up_proj",
    "ffn_up_exps.weight": f"{LAYER}mlp.experts.gate_up_proj",
    "ffn_down_exps.weight": f"{LAYER}mlp.experts.down_proj",
    "ffn_gate_exps.bias": f"{LAYER}mlp.experts.gate_up_proj_bias",
    "ffn_up_exps.bias": f"{LAYER}mlp.experts.gate_up_proj_bias",
    "ffn_down_exps.bias": f"{LAYER}mlp.experts.down_proj_bias",
}

# general.architecture -> how it is read
ARCHITECTURES = {
    **ENCODERS,
    **GEMMAS,
    **GPTS,
    **HYBRIDS,
    **HYPER,
    **MAMBAS,
    **MIXTURES,
    **MUSE,
    **STEP,
    "apertus": Architecture(
        reader("apertus", attention_bias=has_bias),
        LLAMA | in_layers(attn_norm="attention_layernorm", ffn_norm="feedforward_layernorm"),
        read_values=_read_xielu,
    ),
    "arcee": Architecture(_read_arcee, LLAMA, undo_pairs),
    "baichuan": Architecture(_read_baichuan, _BAICHUAN, _undo_pairs_of_baichuan),
    "chatglm": Architecture(_read_chatglm, _CHATGLM),
    "cohere2": Architecture(_read_cohere2, LLAMA),
    "command-r": Architecture(_read_command_r, LLAMA),
    "deepseek2": DEEPSEEK2,
    "deepseek32": SPARSE,
    "dots1": Architecture(_read_dots1, LLAMA | SHARED_EXPERTS),
    "ernie4_5": Architecture(reader("ernie4_5", use_bias=has_bias), LLAMA),
    "exaone": Architecture(_read_llama, LLAMA),
    "exaone4": Architecture(_read_exaone4, LLAMA | AFTER),
    "glm4": Architecture(
        reader("glm4", attention_bias=has_bias),
        LLAMA
        | JOINED_MLP
        | in_layers(post_attention_norm="post_self_attn_layernorm", post_ffw_norm="post_mlp_layernorm"),
    ),
    "glm-dsa": SPARSE,
    "glm4moe": Architecture(_read_glm4_moe, LLAMA | SHARED_EXPERTS | AFTER | MTP),
    "gpt-oss": Architecture(_read_gpt_oss, _GPT_OSS, _interleave_experts),
    "granite": Architecture(_read_granite, LLAMA, undo_pairs),
    "granitemoe": Architecture(_read_granitemoe, LLAMA | GRANITE_EXPERTS, undo_pairs),
    "hunyuan-dense": Architecture(
        reader("hunyuan_v1_dense", _read_llama, use_qk_norm=True),
        LLAMA | in_layers(attn_q_norm="self_attn.query_layernorm", attn_k_norm="self_attn.key_layernorm"),
    ),
    "internlm2": Architecture(_read_llama, LLAMA, undo_pairs),
    "kimi-linear": KIMI_LINEAR,
    "llama": Architecture(_read_llama_or_mixtral, MIXTRAL, undo_pairs),
    "minicpm": Architecture(_read_minicpm, LLAMA, undo_pairs),
    "mistral4": MISTRAL4,
    "mistral3": Architecture(_read_ministral3, LLAMA, undo_pairs),
    "olmo2": Architecture(_read_olmo2, LLAMA | AFTER),
    "olmoe": Architecture(reader("olmoe", norm_topk_prob=False, **EXPERT_COUNTS), LLAMA | EXPERTS),
    "phi2": Architecture(
        reader("phi", layer_norm_eps=EPSILON, tie_word_embeddings=False),
        LLAMA
        | {"output_norm": "model.final_layernorm"}
        | in_layers(attn_output="self_attn.dense", ffn_up="mlp.fc1", ffn_down="mlp.fc2"),
    ),
    "phi3": Architecture(
        reader("phi3", sliding_window=read_window),
        LLAMA | JOINED_MLP | in_layers(attn_qkv="self_attn.qkv_proj"),
    ),
    "qwen2": Architecture(reader("qwen2"), LLAMA),
    "qwen2moe": Architecture(_read_qwen2_moe, LLAMA | QWEN_MIXTURE),
    "qwen2vl": Architecture(reader("qwen2_vl_text"), LLAMA),
    "qwen3": Architecture(_read_qwen3, LLAMA | {"cls.output": "score"}, _score_by_difference),
    "qwen3moe": Architecture(reader("qwen3_moe", **QWEN_EXPERTS), LLAMA | EXPERTS),
    "qwen3vl": Architecture(reader("qwen3_vl_text", _read_vl), LLAMA),
    "qwen3vlmoe": Architecture(reader("qwen3_vl_moe_text", _read_vl, **QWEN_EXPERTS), LLAMA | EXPERTS),
    "rwkv7": RWKV7,
    "smollm3": Architecture(reader("smollm3", _read_llama, no_rope_layer_interval=4), LLAMA, undo_pairs),
    "stablelm": Architecture(_read_stablelm, LLAMA | _HEAD_NORMS),
    "starcoder2": Architecture(
        reader("starcoder2", norm_epsilon=EPSILON, use_bias=has_bias),
        LLAMA | in_layers(ffn_up="mlp.c_fc", ffn_down="mlp.c_proj"),
    ),
}


def find_architecture(m: Metadata) -> Architecture:
    """The architecture of a file. Raises ModelError, without the name of the file, if it is unknown."""
    architecture = ARCHITECTURES.get(m.architecture)
    if architecture is None:
        refused = f"{shorten(m.architecture)} is not a supported architecture"
        near = name_near(m.architecture, ARCHITECTURES)
        raise ModelError(f"{refused}{near}; `tritonchat recommend` names models that run here.")
    return architecture
