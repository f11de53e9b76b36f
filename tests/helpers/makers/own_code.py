"""InternLM2 and Baichuan, whose code is not in Transformers: as the Llama that computes the same.

The layouts are those of modeling_internlm2.py and modeling_baichuan.py, which lie beside the models.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import LlamaForCausalLM

# checkpoint -> how its Llama differs from make_checkpoints.BASE
LLAMAS: dict[str, dict[str, Any]] = {
    "internlm2": {"attention_bias": True},
    "baichuan": {
        "num_key_value_heads": 4,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    },
    # Six heads, whose slopes are not all powers of 1/2.
    "baichuan2-13b": {"hidden_size": 36, "num_attention_heads": 6, "num_key_value_heads": 6},
}
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


def convert(name: str, llama: LlamaForCausalLM) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and the config.json of a model as its makers publish it."""
    stored = {key: value.detach().numpy().copy() for key, value in llama.state_dict().items()}
    c, tensors = llama.config, {}
    for key, array in stored.items():
        if ".q_proj." in key:
            q, k, v = (stored[key.replace("q_proj", f"{part}_proj")] for part in "qkv")
            if name == "internlm2":
                parts = [part.reshape(c.num_key_value_heads, -1, *part.shape[1:]) for part in (q, k, v)]
                joined = np.concatenate(parts, axis=1).reshape(-1, *q.shape[1:])
                tensors[key.replace("self_attn.q_proj", "attention.wqkv")] = joined
            else:
                tensors[key.replace("q_proj", "W_pack")] = np.concatenate([q, k, v])
        elif ".k_proj." not in key and ".v_proj." not in key:
            for old, new in _INTERNLM2.items() if name == "internlm2" else ():
                key = key.replace(f"{old}.", f"{new}.")
            tensors[key] = array
    return tensors, _write_config(name, llama)


def _write_config(name: str, llama: LlamaForCausalLM) -> dict[str, Any]:
    c = llama.config
    names = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    config = {key: getattr(c, key) for key in (*names, "rms_norm_eps", "hidden_act", "tie_word_embeddings")}
    if name == "internlm2":
        theta = c.rope_parameters["rope_theta"]
        scaling = {"type": "dynamic", "factor": 2.0}  # of longer texts
        config |= {"bias": True, "num_key_value_heads": c.num_key_value_heads, "rope_scaling": scaling}
        return config | {"model_type": "internlm2", "rope_theta": theta, "max_position_embeddings": 256}
    config |= {"model_type": "baichuan", "model_max_length": 256}
    if name == "baichuan2-13b":
        return config | {"z_loss_weight": 0}
    return config | {"max_position_embeddings": 256}


def as_published(name: str, llama: LlamaForCausalLM) -> Any:
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
