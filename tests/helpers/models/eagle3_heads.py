"""A model of seven layers, and EAGLE-3 heads for it, in both layouts, with random weights."""

from pathlib import Path
from typing import Any

import numpy as np

from model_core.families.config import write_json
from model_core.files.safetensors import write_safetensors

VOCABULARY, DRAFTED, WIDTH, LAYERS, HEADS, KV_HEADS, SIZE = 96, 40, 72, 7, 4, 2, 18
OWN_WIDTH = 56  # of a head that is narrower than its model
EPS, THETA = 1e-5, 10_000.0
Tensors = dict[str, np.ndarray]


def random(rng: np.random.Generator, *shape: int) -> np.ndarray:
    if len(shape) == 1:
        return rng.uniform(0.5, 1.5, shape).astype(np.float32)
    return (rng.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)


def layer_tensors(rng: np.random.Generator, p: str, width: int, inputs: int, inner: int) -> Tensors:
    shapes = {
        "self_attn.q_proj": (HEADS * SIZE, inputs),
        "self_attn.k_proj": (KV_HEADS * SIZE, inputs),
        "self_attn.v_proj": (KV_HEADS * SIZE, inputs),
        "self_attn.o_proj": (width, HEADS * SIZE),
        "mlp.gate_proj": (inner, width),
        "mlp.up_proj": (inner, width),
        "mlp.down_proj": (width, inner),
        "input_layernorm": (width,),
        "post_attention_layernorm": (width,),
    }
    return {f"{p}.{name}.weight": random(rng, *shape) for name, shape in shapes.items()}


def config_of(width: int, inner: int, layers: int) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "vocab_size": VOCABULARY,
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": SIZE,
        "rms_norm_eps": EPS,
        "rope_theta": THETA,
        "max_position_embeddings": 512,
    }


def write_deep(folder: Path) -> Path:
    """A model with more layers than the tiny checkpoints have, and a width that is no multiple of a strip."""
    rng = np.random.default_rng(0)
    tensors = {"model.embed_tokens.weight": random(rng, VOCABULARY, WIDTH) * WIDTH**0.5}
    for layer in range(LAYERS):
        tensors |= layer_tensors(rng, f"model.layers.{layer}", WIDTH, WIDTH, 100)
    tensors |= {"model.norm.weight": random(rng, WIDTH), "lm_head.weight": random(rng, VOCABULARY, WIDTH)}
    write_safetensors(folder / "model.safetensors", tensors)
    write_json(
        folder / "config.json", config_of(WIDTH, 100, LAYERS) | {"architectures": ["LlamaForCausalLM"]}
    )
    return folder


def make_head(nested: bool, narrow: bool = False, seed: int = 1) -> tuple[Tensors, dict[str, Any]]:
    """The tensors and the config.json of a head."""
    rng, width = np.random.default_rng(seed), OWN_WIDTH if narrow else WIDTH
    p = "layers.0" if nested else "midlayer"
    tensors = layer_tensors(rng, p, width, 2 * width, 88)
    tensors[f"{p}.hidden_norm.weight"] = random(rng, width)
    tensors["fc.weight"] = random(rng, width, 3 * WIDTH)
    tensors["norm.weight"] = random(rng, width)
    tensors["lm_head.weight"] = random(rng, DRAFTED, width) * 3
    known = np.sort(rng.choice(VOCABULARY, DRAFTED, replace=False))
    tensors["d2t"] = known - np.arange(DRAFTED)
    tensors["t2d"] = np.isin(np.arange(VOCABULARY), known).astype(np.uint8)
    if narrow:
        tensors["embed_tokens.weight"] = random(rng, VOCABULARY, width) * width**0.5
    shape = config_of(width, 88, 1)
    if nested:
        config = {
            "architectures": ["Eagle3DraftModel"],
            "speculators_model_type": "eagle3",
            "transformer_layer_config": shape,
            "draft_vocab_size": DRAFTED,
            "norm_before_residual": True,
            "speculators_config": {"algorithm": "eagle3"},
        }
    else:
        config = shape | {"architectures": ["LlamaForCausalLMEagle3"], "draft_vocab_size": DRAFTED}
    return tensors, config | ({"target_hidden_size": WIDTH} if narrow else {})


def write_head(folder: Path, tensors: Tensors, config: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    write_safetensors(folder / "model.safetensors", tensors)
    write_json(folder / "config.json", config)
    return folder
