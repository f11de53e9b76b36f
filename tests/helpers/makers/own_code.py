"""Families whose code is not in Transformers: as the Llama, Granite or GLM that computes the same.

The layouts are those of modeling_internlm2.py, modeling_baichuan.py, modeling_exaone.py, modeling_minicpm.py
and modeling_chatglm.py, which lie beside the models on the hub.
"""

import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel

_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
# checkpoint -> the family that computes the same, and how its model differs from make_checkpoints.BASE
LLAMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "internlm2": ("llama", {"attention_bias": True}),
    "baichuan": ("llama", {"num_key_value_heads": 4, "rope_parameters": _ROPE}),
    # Six heads, whose slopes are not all powers of 1/2.
    "baichuan2-13b": ("llama", {"hidden_size": 36, "num_attention_heads": 6, "num_key_value_heads": 6}),
    "exaone": ("llama", {"head_dim": 12}),
    "minicpm": (
        "granite",
        {
            "embedding_multiplier": 3.0,
            "attention_multiplier": 8**-0.5,
            "residual_multiplier": 1.4 * 2**-0.5,
            "logits_scaling": 32 / 20,
        },
    ),
    "chatglm": (
        "glm",
        {"head_dim": 8, "pad_token_id": 0}
        | {"rope_parameters": _ROPE | {"rope_theta": 5000.0, "partial_rotary_factor": 0.5}},
    ),
}
# checkpoint -> the matrix of queries, keys and values
_JOINED = {
    "internlm2": "attention.wqkv",
    "baichuan": "self_attn.W_pack",
    "baichuan2-13b": "self_attn.W_pack",
    "chatglm": "self_attention.query_key_value",
}
# checkpoint -> parts of names, and what stands in their place
_INTERNLM2 = {
    "model.embed_tokens": "model.tok_embeddings",
    "lm_head": "output",
    "self_attn.o_proj": "attention.wo",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
}


_EXAONE = {
    "model.embed_tokens": "transformer.wte",
    "model.layers": "transformer.h",
    "model.norm": "transformer.ln_f",
    "self_attn.o_proj": "self_attn.out_proj",
    "self_attn": "attn.attention",
    "mlp.gate_proj": "mlp.c_fc_0",
    "mlp.up_proj": "mlp.c_fc_1",
    "mlp.down_proj": "mlp.c_proj",
    "input_layernorm": "ln_1",
    "post_attention_layernorm": "ln_2",
}
_CHATGLM = {
    "model.embed_tokens": "transformer.embedding.word_embeddings",
    "model.layers": "transformer.encoder.layers",
    "model.norm": "transformer.encoder.final_layernorm",
    "lm_head": "transformer.output_layer",
    "self_attn.o_proj": "self_attention.dense",
    "mlp.gate_up_proj": "mlp.dense_h_to_4h",
    "mlp.down_proj": "mlp.dense_4h_to_h",
}
_NAMES = {"internlm2": _INTERNLM2, "exaone": _EXAONE, "chatglm": _CHATGLM}


def convert(name: str, llama: PreTrainedModel) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and the config.json of a model as its makers publish it."""
    stored = {key: value.detach().numpy().copy() for key, value in llama.state_dict().items()}
    joined, names = _JOINED.get(name), _NAMES.get(name, {})
    tensors = {}
    for key, array in stored.items():
        if joined and ".q_proj." in key:
            parts = [stored[key.replace("q_proj", f"{part}_proj")] for part in "qkv"]
            if name == "internlm2":  # the rows of each KV head
                heads = llama.config.num_key_value_heads
                parts = [part.reshape(heads, -1, *part.shape[1:]) for part in parts]
                array = np.concatenate(parts, axis=1).reshape(-1, *array.shape[1:])
            else:
                array = np.concatenate(parts)
            tensors[key.replace("self_attn.q_proj", joined)] = array
        elif not (joined and re.search(r"\.[kv]_proj\.", key)):
            tensors[key] = array
    for old, new in names.items():
        tensors = {key.replace(old, new): array for key, array in tensors.items()}
    return tensors, _write_config(name, llama)


def _write_config(name: str, llama: PreTrainedModel) -> dict[str, Any]:
    c = llama.config
    names = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    config = {key: getattr(c, key) for key in (*names, "rms_norm_eps", "hidden_act", "tie_word_embeddings")}
    theta, positions = c.rope_parameters["rope_theta"], {"max_position_embeddings": 256}
    heads = {"num_key_value_heads": c.num_key_value_heads}
    config["model_type"] = name
    if name == "internlm2":
        scaling = {"type": "dynamic", "factor": 2.0}  # of longer texts
        return config | positions | heads | {"bias": True, "rope_scaling": scaling, "rope_theta": theta}
    if name == "exaone":
        own = {"num_layers": "num_hidden_layers", "layer_norm_epsilon": "rms_norm_eps"}
        own["activation_function"] = "hidden_act"
        config |= {new: config.pop(old) for new, old in own.items()}
        return config | positions | heads | {"rope_theta": theta, "head_dim": c.head_dim}
    if name == "minicpm":
        scales = {"scale_emb": 3.0, "scale_depth": 1.4, "dim_model_base": 20}
        return config | positions | heads | scales | {"rope_theta": theta}
    if name == "chatglm":
        return {
            "model_type": "chatglm",
            "add_bias_linear": False,
            "add_qkv_bias": True,
            "ffn_hidden_size": c.intermediate_size,
            "hidden_size": c.hidden_size,
            "kv_channels": c.head_dim,
            "layernorm_epsilon": c.rms_norm_eps,
            "multi_query_attention": True,
            "multi_query_group_num": c.num_key_value_heads,
            "num_attention_heads": c.num_attention_heads,
            "num_layers": c.num_hidden_layers,
            "padded_vocab_size": c.vocab_size,
            "rope_ratio": 0.5,
            "seq_length": 256,
        }
    if not name.startswith("baichuan"):
        raise ValueError(f"{name} has no config.json here.")
    config |= {"model_type": "baichuan", "model_max_length": 256}
    return config | ({"z_loss_weight": 0} if name == "baichuan2-13b" else positions)


def as_published(name: str, llama: PreTrainedModel) -> Any:
    """What computes the logits: the Llama, or one with ALiBi and a head whose rows have length 1."""
    if name != "baichuan2-13b":
        return llama
    with torch.no_grad():
        llama.lm_head.weight[:] = torch.nn.functional.normalize(llama.lm_head.weight)
        llama.model.rotary_emb.inv_freq.zero_()
    llama.set_attn_implementation("eager")
    slopes = torch.tensor(_slopes(llama.config.num_attention_heads))[:, None, None]

    def compute(tokens: torch.Tensor, use_cache: bool) -> SimpleNamespace:
        positions = torch.arange(tokens.shape[1])
        distance = positions[:, None] - positions
        mask = torch.where(distance < 0, -torch.inf, -slopes * distance)[None]
        return llama(tokens, attention_mask=mask, use_cache=use_cache)

    compute.config = llama.config  # type: ignore[attr-defined]
    return compute


def _slopes(heads: int) -> list[float]:
    """Of ALiBi, as its code makes them (arXiv:2108.12409, ofirpress/attention_with_linear_biases)."""
    n = 2 ** math.floor(math.log2(heads))
    first = [(2 ** (-8 / n)) ** (i + 1) for i in range(n)]
    return first if n == heads else first + _slopes(2 * n)[::2][: heads - n]
