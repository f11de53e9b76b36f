"""The embedded model with tokens to fill in the middle of a text, and its tokenizer with those of others."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tokenizers

from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.hub import embedded_model
from model_core.text.tokenizer import Tokenizer

QWEN = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|repo_name|>", "<|file_sep|>", "<|fim_pad|>")


def tokenizer_with(names: Sequence[str], is_special: bool = False) -> Tokenizer:
    """The embedded model's tokenizer with these tokens, from id 3072 on."""
    inner = tokenizers.Tokenizer.from_file(str(embedded_model() / "tokenizer.json"))
    inner.add_tokens([tokenizers.AddedToken(name, normalized=False, special=is_special) for name in names])
    return Tokenizer(inner, {"eos_token": "<|im_end|>"})


def write_infill_model(folder: Path, names: Sequence[str] = QWEN) -> Path:
    """Copy the embedded model and add these tokens, which change no answer that has none of them."""
    folder.mkdir()
    for file in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(embedded_model() / file, folder / file)
    config = json.loads((folder / "config.json").read_text())
    source, count = SafetensorsFolder(embedded_model()), config["vocab_size"]
    tensors = {name: source[name] for name in source}
    words = [name for name, tensor in tensors.items() if tensor.shape[0] == count]
    assert words  # the embeddings, and the head if it has weights of its own
    for name in words:
        added = np.zeros((len(names), *tensors[name].shape[1:]), tensors[name].dtype)
        tensors[name] = np.concatenate([tensors[name], added])
    write_safetensors(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": count + len(names)}))
    path = folder / "tokenizer.json"
    inner = tokenizers.Tokenizer.from_file(str(path))
    inner.add_tokens([tokenizers.AddedToken(name, normalized=False, special=False) for name in names])
    inner.save(str(path))
    return folder
