"""Checkpoints with the shapes of known models and random weights, in Hugging Face layout, by NumPy alone.

How fast an engine is depends on the shape of a model, not on what its weights are worth.
"""

import json
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

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
        "torch_dtype": "bfloat16",
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
    "tiny": COMMON  # no model's: shows in a minute that every engine works
    | {
        "hidden_size": 256,
        "intermediate_size": 512,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 1024,
        "torch_dtype": "bfloat16",
    },
}
TITLES = {
    "tinyllama": "TinyLlama-1.1B",
    "minueza": "Minueza-32M",
    "tiny": "a toy with 2 layers",
}
STORED_TYPES = {"bfloat16": ("BF16", np.dtype("<u2")), "float32": ("F32", np.dtype("<f4"))}


def built(folder: Path, build: Callable[[Path], None]) -> Path:
    """The folder; where it is not there yet, `build` fills it, and what is half done never has its name."""
    if not folder.is_dir():
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        build(partial)
        partial.rename(folder)
    return folder


def tensor_shapes(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every tensor of a Llama with this configuration, by the name that Transformers gives it."""
    hidden, inner, vocab = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", hidden // heads)
    q, kv = heads * head_dim, config["num_key_value_heads"] * head_dim
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (vocab, hidden)}
    for i in range(config["num_hidden_layers"]):
        attention, mlp = f"model.layers.{i}.self_attn", f"model.layers.{i}.mlp"
        shapes |= {
            f"model.layers.{i}.input_layernorm.weight": (hidden,),
            f"{attention}.q_proj.weight": (q, hidden),
            f"{attention}.k_proj.weight": (kv, hidden),
            f"{attention}.v_proj.weight": (kv, hidden),
            f"{attention}.o_proj.weight": (hidden, q),
            f"model.layers.{i}.post_attention_layernorm.weight": (hidden,),
            f"{mlp}.gate_proj.weight": (inner, hidden),
            f"{mlp}.up_proj.weight": (inner, hidden),
            f"{mlp}.down_proj.weight": (hidden, inner),
        }
    return shapes | {"model.norm.weight": (hidden,), "lm_head.weight": (vocab, hidden)}


def weights_read_per_token(config: dict[str, Any]) -> int:
    """How many weights one step of decoding reads: all but the embedding, of which it takes a row."""
    shapes = tensor_shapes(config)
    return sum(math.prod(shape) for name, shape in shapes.items() if name != "model.embed_tokens.weight")


def make_checkpoint(config: dict[str, Any], folder: Path) -> None:
    """Write config.json and model.safetensors: norms are one, everything else is normal(0, 0.02)."""
    tag, dtype = STORED_TYPES[config["torch_dtype"]]
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    shapes, end = tensor_shapes(config), 0
    for name, shape in shapes.items():
        start, end = end, end + math.prod(shape) * dtype.itemsize
        header[name] = {"dtype": tag, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    rng = np.random.default_rng(0)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for shape in shapes.values():
            values = rng.standard_normal(shape, np.float32) * np.float32(0.02)
            if len(shape) == 1:
                values = np.ones(shape, np.float32)
            file.write((to_bfloat16(values) if tag == "BF16" else values).tobytes())
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """What `make_checkpoint` wrote as config.json."""
    return json.loads((folder / "config.json").read_text())


def read_tensors(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Names and values, in the order of the file; bfloat16 comes as the uint16 that holds its bits."""
    path = folder / "model.safetensors"
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    dtypes = dict(STORED_TYPES.values())
    for name, entry in header.items():
        if name != "__metadata__":
            offset = 8 + size + entry["data_offsets"][0]
            yield name, np.memmap(path, dtypes[entry["dtype"]], "r", offset, tuple(entry["shape"]))


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The bits of float32 values rounded to bfloat16, as uint16; not for NaN."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_float32(values: np.ndarray) -> np.ndarray:
    """What `read_tensors` gives, as float32."""
    return (values.astype(np.uint32) << 16).view(np.float32) if values.dtype == np.uint16 else values
