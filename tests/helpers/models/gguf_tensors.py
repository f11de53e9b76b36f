"""How llama.cpp's converter changes tensors of DeepSeek, Falcon, Falcon-H1 and RWKV-7. See gguf_models.py."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

NamedArrays = Iterator[tuple[str, np.ndarray]]


def split_expansion(name: str, array: np.ndarray, raw: dict[str, Any]) -> NamedArrays:
    """The expansions of latents: of keys as [heads, latent, key], of values as [heads, value, latent]."""
    layer, keys = name.split(".")[2], raw["qk_nope_head_dim"]
    expansions = array.reshape(raw["num_attention_heads"], -1, array.shape[-1])
    yield f"blk.{layer}.attn_k_b.weight", expansions[:, :keys].swapaxes(1, 2)
    yield f"blk.{layer}.attn_v_b.weight", expansions[:, keys:]


def split_groups(array: np.ndarray, heads: int, kv_heads: int) -> list[np.ndarray]:
    """Queries, keys and values of a tensor with those of the first KV head, then of the second, and so on."""
    group = heads // kv_heads
    rows = array.reshape(kv_heads, group + 2, -1, *array.shape[1:])
    parts = np.split(rows, [group, group + 1], axis=1)
    return [part.reshape(-1, *array.shape[1:]) for part in parts]


def multiply_falcon_h1(name: str, array: np.ndarray, raw: dict[str, Any]) -> np.ndarray:
    """A tensor of Falcon-H1 times its multipliers."""
    gate, down = raw["mlp_multipliers"]
    into = raw["attention_in_multiplier"]
    factors = {
        "down_proj": down,
        "gate_proj": gate,
        "k_proj": into * raw["key_multiplier"],
        "q_proj": into,
        "v_proj": into,
        "o_proj": raw["attention_out_multiplier"],
        "out_proj": raw["ssm_out_multiplier"],
        "lm_head": raw["lm_head_multiplier"],
        "embed_tokens": raw["embedding_multiplier"],
    }
    part = name.split(".")[-2]
    if part == "in_proj":
        inner, keys = raw["mamba_d_ssm"], raw["mamba_n_groups"] * raw["mamba_d_state"]
        sizes = (inner, inner, keys, keys, raw["mamba_n_heads"])
        array = array * np.repeat(np.float32(raw["ssm_multipliers"]), sizes)[:, None]
        return array * np.float32(raw["ssm_in_multiplier"])
    return array * np.float32(factors.get(part, 1))


def convert_rwkv7(tensors: dict[str, np.ndarray], names: dict[str, str]) -> NamedArrays:
    """All tensors of RWKV-7: matrices transposed, vectors joined, and values of layer 0 that nobody uses."""
    layers = {name.split(".")[1] for name in tensors if name.startswith("blocks")}
    for i in sorted(layers):
        mixed = [tensors.pop(f"blocks.{i}.att.x_{letter}") for letter in "rwkvag"]
        yield f"blk.{i}.time_mix_lerp_fused.weight", np.stack(mixed)
    for name, array in tensors.items():
        base, ending = re.fullmatch(r"(.*?)(\.weight|\.bias)?", name).groups(".weight")
        layer = re.search(r"(?<=blocks\.)\d+", base)
        new = names[re.sub(r"blocks\.\d+\.", "blocks.{i}.", base)] + ending
        new = new.replace("{i}", layer[0] if layer else "")
        array = array.reshape(-1) if base.endswith("r_k") else array.squeeze()
        array = array.T if re.fullmatch(r".*\.att\.[wavg][12]", base) else array
        yield new, array
        if new.startswith("blk.0.time_mix_a"):
            yield new.replace("time_mix_a", "time_mix_v"), array
