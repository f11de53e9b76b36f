"""Models that see, with random weights, as two files for llama.cpp and this project alike.

    python benchmarks/making/image_models.py SHAPE FOLDER

writes FOLDER/model.gguf and FOLDER/mmproj.gguf, whose matrices are Q8_0. Needs the package gguf.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np

Q8_0 = gguf.GGMLQuantizationType.Q8_0
TEMPLATE = """{% for m in messages %}{% for part in m.content %}{% if part.type == 'image' %}IMAGE{% else %}\
{{ part.text }}{% endif %}{% endfor %}{% endfor %}"""
SHAPES: dict[str, dict[str, Any]] = {
    "smolvlm2-256m": {
        "architecture": "llama",
        "text": {"width": 576, "inner": 1536, "layers": 30, "heads": 9, "kv_heads": 3, "head": 64},
        "vocabulary": 49280,
        "tower": {"width": 768, "inner": 3072, "layers": 12, "heads": 12, "patch": 16, "image": 512},
        "tokens": ["<fake_token_around_image>", "<global-img>", "<image>"]
        + [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)],
        "placeholder": "<image>",
    },
    "qwen3-vl-2b": {
        "architecture": "qwen3vl",
        "text": {"width": 2048, "inner": 6144, "layers": 28, "heads": 16, "kv_heads": 8, "head": 128},
        "vocabulary": 151936,
        "tower": {"width": 1024, "inner": 4096, "layers": 24, "heads": 16, "patch": 16, "image": 768},
        "tokens": ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>"],
        "placeholder": "<|vision_start|><|image_pad|><|vision_end|>",
        "deepstack": [5, 11, 17],
    },
}


class Writer:
    """A GGUF file that gets random matrices."""

    def __init__(self, path: Path, architecture: str) -> None:
        self.file, self._rng = gguf.GGUFWriter(path, architecture), np.random.default_rng(0)

    def matrix(self, name: str, rows: int, columns: int) -> None:
        """Add a matrix in Q8_0."""
        values = self._rng.standard_normal((rows, columns), np.float32) / np.float32(columns**0.5)
        self.file.add_tensor(name, gguf.quants.quantize(values, Q8_0), raw_dtype=Q8_0)

    def linear(self, name: str, rows: int, columns: int) -> None:
        """Add a matrix, and its bias."""
        self.matrix(f"{name}.weight", rows, columns)
        self.file.add_tensor(f"{name}.bias", np.zeros(rows, np.float32))

    def norm(self, name: str, size: int, has_bias: bool) -> None:
        """Add the weights of a norm."""
        self.file.add_tensor(f"{name}.weight", np.ones(size, np.float32))
        if has_bias:
            self.file.add_tensor(f"{name}.bias", np.zeros(size, np.float32))

    def close(self) -> None:
        """Write it all."""
        self.file.write_header_to_file()
        self.file.write_kv_data_to_file()
        self.file.write_tensors_to_file()
        self.file.close()


def write_text(shape: dict[str, Any], path: Path) -> None:
    """Write the text model, with a vocabulary of bytes and of the shape's control tokens."""
    text, w = shape["text"], Writer(path, shape["architecture"])
    width, kv = text["width"], text["kv_heads"] * text["head"]
    w.file.add_context_length(8192)
    w.file.add_embedding_length(width)
    w.file.add_block_count(text["layers"])
    w.file.add_feed_forward_length(text["inner"])
    w.file.add_head_count(text["heads"])
    w.file.add_head_count_kv(text["kv_heads"])
    w.file.add_key_length(text["head"])
    w.file.add_value_length(text["head"])
    w.file.add_rope_dimension_count(text["head"])
    w.file.add_rope_freq_base(1e6)
    w.file.add_layer_norm_rms_eps(1e-6)
    w.file.add_vocab_size(shape["vocabulary"])
    if "deepstack" in shape:
        w.file.add_rope_dimension_sections([24, 20, 20, 0])
        w.file.add_num_deepstack_layers(len(shape["deepstack"]))
    plain = [*list_bytes(), "ĊĊ"]  # of which llama.cpp expects one in front of a whole image
    tokens = [*plain, "<end>", *shape["tokens"]]
    control = len(tokens) - len(plain)
    tokens += [f"<unused_{number}>" for number in range(shape["vocabulary"] - len(tokens))]
    kinds = [1] * len(plain) + [3] * control + [5] * (len(tokens) - len(plain) - control)
    w.file.add_tokenizer_model("gpt2")
    w.file.add_tokenizer_pre("qwen2" if "deepstack" in shape else "smollm")
    w.file.add_token_list(tokens)
    w.file.add_token_types(kinds)
    w.file.add_token_merges(["Ċ Ċ"])
    w.file.add_eos_token_id(len(plain))
    w.file.add_add_bos_token(False)
    w.file.add_chat_template(TEMPLATE.replace("IMAGE", shape["placeholder"]))
    w.matrix("token_embd.weight", shape["vocabulary"], width)
    w.norm("output_norm", width, has_bias=False)
    for layer in (f"blk.{number}" for number in range(text["layers"])):
        w.norm(f"{layer}.attn_norm", width, has_bias=False)
        w.norm(f"{layer}.ffn_norm", width, has_bias=False)
        w.matrix(f"{layer}.attn_q.weight", text["heads"] * text["head"], width)
        w.matrix(f"{layer}.attn_k.weight", kv, width)
        w.matrix(f"{layer}.attn_v.weight", kv, width)
        w.matrix(f"{layer}.attn_output.weight", width, text["heads"] * text["head"])
        w.matrix(f"{layer}.ffn_gate.weight", text["inner"], width)
        w.matrix(f"{layer}.ffn_up.weight", text["inner"], width)
        w.matrix(f"{layer}.ffn_down.weight", width, text["inner"])
        if "deepstack" in shape:
            w.norm(f"{layer}.attn_q_norm", text["head"], has_bias=False)
            w.norm(f"{layer}.attn_k_norm", text["head"], has_bias=False)
    w.close()


def list_bytes() -> Iterator[str]:
    """The characters by which byte-level vocabularies name the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    yield from map(chr, plain)
    yield from (chr(256 + number) for number in range(256 - len(plain)))


def write_tower(shape: dict[str, Any], path: Path) -> None:
    """Write the tower."""
    tower, out, deep = shape["tower"], shape["text"]["width"], shape.get("deepstack")
    width, patch = tower["width"], tower["patch"]
    w = Writer(path, "clip")
    w.file.add_type("mmproj")
    w.file.add_bool("clip.has_vision_encoder", True)
    w.file.add_string("clip.projector_type", "qwen3vl_merger" if deep else "idefics3")
    w.file.add_bool("clip.use_gelu", True)
    sizes = {
        "projection_dim": out,
        "image_size": tower["image"],
        "patch_size": patch,
        "embedding_length": width,
        "feed_forward_length": tower["inner"],
        "block_count": tower["layers"],
        "attention.head_count": tower["heads"],
    }
    sizes |= {"spatial_merge_size": 2} if deep else {"projector.scale_factor": 4, "preproc_image_size": 2048}
    for name, value in sizes.items():
        w.file.add_uint32(f"clip.vision.{name}", value)
    w.file.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    w.file.add_array("clip.vision.image_mean", [0.5] * 3)
    w.file.add_array("clip.vision.image_std", [0.5] * 3)
    places = (tower["image"] // patch) ** 2
    kernel = np.random.default_rng(1).standard_normal((width, 3, patch, patch), np.float32) / 28
    w.file.add_tensor("v.patch_embd.weight", kernel)
    w.file.add_tensor("v.patch_embd.bias", np.zeros(width, np.float32))
    w.file.add_tensor("v.position_embd.weight", np.zeros((places, width), np.float32))
    w.norm("v.post_ln", width, has_bias=True)
    for layer in (f"v.blk.{number}" for number in range(tower["layers"])):
        w.norm(f"{layer}.ln1", width, has_bias=True)
        w.norm(f"{layer}.ln2", width, has_bias=True)
        for part in ["qkv"] if deep else ["q", "k", "v"]:
            w.linear(f"{layer}.attn_{part}", len(part) * width, width)
        w.linear(f"{layer}.attn_out", width, width)
        w.linear(f"{layer}.ffn_up", tower["inner"], width)
        w.linear(f"{layer}.ffn_down", width, tower["inner"])
    if deep:
        w.file.add_tensor("v.patch_embd.weight.1", kernel)
        flags = [number in deep for number in range(tower["layers"])]
        w.file.add_array("clip.vision.is_deepstack_layers", flags)
        w.linear("mm.0", 4 * width, 4 * width)
        w.linear("mm.2", out, 4 * width)
        for number in deep:
            w.norm(f"v.deepstack.{number}.norm", 4 * width, has_bias=True)
            w.linear(f"v.deepstack.{number}.fc1", 4 * width, 4 * width)
            w.linear(f"v.deepstack.{number}.fc2", out, 4 * width)
    else:
        w.matrix("mm.model.fc.weight", out, 16 * width)
    w.close()


if __name__ == "__main__":
    chosen, folder = SHAPES[sys.argv[1]], Path(sys.argv[2])
    write_text(chosen, folder / "model.gguf")
    write_tower(chosen, folder / "mmproj.gguf")
