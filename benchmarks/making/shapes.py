"""The shapes of known models, and checkpoints of them with random weights, in Hugging Face layout.

The speed of an engine depends on the shape of a model, not on the values of its weights.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from model_core.families import read_model_config, write_tape
from model_core.tape.operations import Experts, Linear
from model_core.tape.passes import head_products, products, vector_refs
from model_core.tape.references import WeightRef
from model_core.tape.tape import Tape

from .checkpoints import write_checkpoint

COMMON: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_act": "silu",
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
SHAPES: dict[str, dict[str, Any]] = {
    "tinyllama": COMMON  # TinyLlama/TinyLlama-1.1B-Chat-v1.0
    | {
        "hidden_size": 2048,
        "intermediate_size": 5632,
        "num_hidden_layers": 22,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "vocab_size": 32000,
    },
    "minueza": COMMON  # Felladrin/Minueza-32M-Base
    | {
        "architectures": ["MistralForCausalLM"],
        "model_type": "mistral",
        "hidden_size": 312,
        "intermediate_size": 1092,
        "num_hidden_layers": 10,
        "num_attention_heads": 12,
        "num_key_value_heads": 4,
        "head_dim": 26,
        "vocab_size": 32002,
        "sliding_window": 1024,
        "rms_norm_eps": 1e-6,
        "torch_dtype": "float32",
    },
    "qwen2.5-0.5b": COMMON  # Qwen/Qwen2.5-0.5B
    | {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "attention_bias": True,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "tie_word_embeddings": True,
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
        "vocab_size": 151936,
    },
    "qwen3-0.6b": COMMON  # Qwen/Qwen3-0.6B
    | {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "head_dim": 128,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "tie_word_embeddings": True,
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "vocab_size": 151936,
    },
    "minilm-l6": {  # sentence-transformers/all-MiniLM-L6-v2
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": 384,
        "intermediate_size": 1536,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "vocab_size": 30522,
        "max_position_embeddings": 512,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "type_vocab_size": 2,
        "torch_dtype": "float32",
    },
    "gemma3-270m": COMMON  # google/gemma-3-270m
    | {
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "hidden_size": 640,
        "intermediate_size": 2048,
        "num_hidden_layers": 18,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "head_dim": 256,
        "vocab_size": 262144,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 256,
        "sliding_window": 512,
        "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 3,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "rope_local_base_freq": 10000.0,
        "tie_word_embeddings": True,
    },
    "qwen3-moe": COMMON  # Qwen3-MoE with about 1 B weights, of which a token reads 0.1 B
    | {
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "moe_intermediate_size": 768,
        "num_experts": 64,
        "num_experts_per_tok": 4,
        "norm_topk_prob": True,
        "num_hidden_layers": 6,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "head_dim": 64,
        "vocab_size": 32000,
    },
    "glm-4.7-flash-6": COMMON  # zai-org/GLM-4.7-Flash with 6 of its 47 layers, and 16 of 64 experts
    | {
        "architectures": ["Glm4MoeLiteForCausalLM"],
        "model_type": "glm4_moe_lite",
        "hidden_size": 2048,
        "intermediate_size": 10240,
        "moe_intermediate_size": 1536,
        "n_routed_experts": 16,
        "n_shared_experts": 1,
        "num_experts_per_tok": 4,
        "routed_scaling_factor": 1.8,
        "n_group": 1,
        "topk_group": 1,
        "norm_topk_prob": True,
        "mlp_layer_types": ["dense"] + ["sparse"] * 5,
        "num_hidden_layers": 6,
        "num_attention_heads": 20,
        "num_key_value_heads": 20,
        "q_lora_rank": 768,
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 192,
        "qk_rope_head_dim": 64,
        "v_head_dim": 256,
        "vocab_size": 32000,
        "max_position_embeddings": 16384,
    },
    "qwen3.5-0.8b": {  # Qwen/Qwen3.5-0.8B, the text model
        "architectures": ["Qwen3_5ForCausalLM"],
        "model_type": "qwen3_5_text",
        "hidden_size": 1024,
        "intermediate_size": 3584,
        "num_hidden_layers": 24,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 16,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "vocab_size": 248320,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.25},
        "tie_word_embeddings": True,
        "mtp_num_hidden_layers": 1,
        "torch_dtype": "bfloat16",
    },
    "lfm2-350m": COMMON  # LiquidAI/LFM2-350M
    | {
        "architectures": ["Lfm2ForCausalLM"],
        "model_type": "lfm2",
        "hidden_size": 1024,
        "intermediate_size": 6656,
        "block_auto_adjust_ff_dim": True,
        "block_multiple_of": 256,
        "num_hidden_layers": 16,
        "full_attn_idxs": [2, 5, 8, 10, 12, 14],
        "conv_L_cache": 3,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "vocab_size": 65536,
        "rope_theta": 1e6,
        "tie_word_embeddings": True,
    },
    "llama-350m": COMMON  # a Llama that reads as many weights for a token as LFM2-350M
    | {
        "hidden_size": 1024,
        "intermediate_size": 4832,
        "num_hidden_layers": 16,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "vocab_size": 65536,
        "tie_word_embeddings": True,
    },
    "rwkv7-0.1b": {  # BlinkDL/rwkv7-g1, 0.1B
        "architectures": ["RWKV7ForCausalLM"],
        "model_type": "rwkv7",
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_hidden_layers": 12,
        "head_dim": 64,
        "decay_low_rank_dim": 64,
        "a_low_rank_dim": 64,
        "v_low_rank_dim": 32,
        "gate_low_rank_dim": 128,
        "max_position_embeddings": 2048,
        "vocab_size": 65536,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
    },
    "llama-0.1b": COMMON  # a Llama that reads as many weights for a token as RWKV-7 0.1B
    | {
        "hidden_size": 768,
        "intermediate_size": 2240,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "num_key_value_heads": 12,
        "vocab_size": 65536,
    },
    "tiny": COMMON  # a quick check that every engine works
    | {
        "hidden_size": 256,
        "intermediate_size": 512,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 1024,
    },
}
TITLES = {
    "tinyllama": "TinyLlama-1.1B",
    "minueza": "Minueza-32M",
    "qwen2.5-0.5b": "Qwen2.5-0.5B",
    "qwen3-0.6b": "Qwen3-0.6B",
    "minilm-l6": "MiniLM-L6",
    "gemma3-270m": "Gemma 3 270M",
    "qwen3-moe": "Qwen3-MoE with 1 B weights, 64 experts, 4 active",
    "glm-4.7-flash-6": "GLM-4.7-Flash with 6 of 47 layers and 16 of 64 experts",
    "qwen3.5-0.8b": "Qwen3.5-0.8B",
    "lfm2-350m": "LFM2-350M",
    "llama-350m": "a Llama of 350 million weights",
    "rwkv7-0.1b": "RWKV-7 0.1B",
    "llama-0.1b": "a Llama of 0.1 billion weights",
    "tiny": "a toy with 2 layers",
}


def read_tape(config: dict[str, Any]) -> Tape:
    """The operations of a model with this config.json."""
    return write_tape(read_model_config(Path("config.json"), config))


def list_weights(tape: Tape) -> Iterator[WeightRef]:
    """All weights of a model, in the order of its operations. A tied embedding comes twice."""
    yield from tape.embeddings.values()
    for product in products(tape.records):
        yield from product.weights
        yield from product.biases
    for by_head in head_products(tape.records):
        yield by_head.weight
    yield from vector_refs(tape.records)


def weights_read_per_token(config: dict[str, Any]) -> int:
    """How many weights of matrices a decoding step reads: of the experts those that it chooses."""
    records = read_tape(config).records
    count = sum(map(_count_weights, products(records)))
    for record in records:
        if isinstance(record, Experts):
            experts = _count_weights(record.gate_up) + _count_weights(record.down)
            count -= experts - experts * record.routing.top_k // record.count
    return count


def _count_weights(product: Linear) -> int:
    return product.x.width * sum(weight.rows for weight in product.weights)


def make_checkpoint(config: dict[str, Any], folder: Path) -> None:
    """Write config.json and model.safetensors: norm weights are 1, all others normal(0, 0.02)."""
    rng = np.random.default_rng(0)

    def values(shape: tuple[int, ...]) -> np.ndarray:
        if len(shape) == 1:
            return np.ones(shape, np.float32)
        return rng.standard_normal(shape, np.float32) * np.float32(0.02)

    write_checkpoint(folder, config, {w.name: w.shape for w in list_weights(read_tape(config))}, values)
