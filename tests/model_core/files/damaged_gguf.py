"""Damaged copies of GGUF files. The same number always makes the same damage."""

import itertools
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
from damaged_folders import TEMPLATES, VALUES
from gguf_encoders import read_encoder
from gguf_models import copy_model, read_model
from gguf_tokenizers import tokenizer_metadata
from gguf_writer import write_gguf
from paths import DATA
from test_gguf_models import stack

from model_core.files.gguf.blocks import BLOCKS

Model = tuple[dict[str, Any], dict[str, tuple[int, tuple[int, ...], bytes]]]  # metadata, tensors
NAMES = (
    *("llama-tied-gqa", "mixtral", "gemma3", "gpt-oss", "phi3-longrope", "granitemoe", "lfm2"),
    *("muse-glimmer", "minimax-m3", "hy-v4", "glm5-next"),
)
NEW_NAMES = ["x", "", "output.weight", "rope_freqs.weight", "y" * 500]
SIZES = [0, 1, 2, 3, 5, 31, 32, 33, 48, 64, 256, 2**16, 2**31, 2**32, 2**40, 2**62, 2**63, 2**64 - 1]
ARRAYS = [np.zeros(3, np.int32), np.full(4, np.nan, np.float32), np.ones(2, bool), np.arange(64), ["a"], [""]]


def make_bases(folder: Path, chat: Path) -> list[Model]:
    """Undamaged models. chat: a folder with a tokenizer and a chat template."""
    tokenizer = tokenizer_metadata(chat)
    bases = [read_model(copy_model(name, folder)) for name in NAMES]
    quantized = read_model(folder / "llama-tied-gqa", quantize=True)
    sentencepiece = tokenizer | {"tokenizer.ggml.model": "llama", "tokenizer.ggml.pre": "default"}
    sentencepiece["tokenizer.ggml.scores"] = -np.arange(len(tokenizer["tokenizer.ggml.tokens"]), dtype=float)
    del sentencepiece["tokenizer.ggml.merges"]
    chats = [(quantized[0] | extra, quantized[1]) for extra in (tokenizer, sentencepiece)]
    encoders = [read_encoder(DATA / "embedders" / name) for name in ("bert", "nomic_bert")]
    joined = [(fields, stack(tensors)) for fields, tensors in (bases[0], bases[1], quantized)]
    return [*bases, *chats, *chats, *chats, _make_wide(tokenizer), *encoders, *joined]


def _make_wide(tokenizer: dict[str, Any]) -> Model:
    """A model wide enough for blocks of 256, with a tensor of each type."""
    metadata = {
        "general.architecture": "llama",
        "llama.block_count": 4,
        "llama.context_length": 64,
        "llama.embedding_length": 256,
        "llama.feed_forward_length": 256,
        "llama.attention.head_count": 4,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
    }
    shapes = {"token_embd": (64, 256), "output_norm": (256,)}
    for i in range(4):
        shapes |= {f"blk.{i}.{name}_norm": (256,) for name in ("attn", "ffn")}
        names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
        shapes |= {f"blk.{i}.{name}": (256, 256) for name in names}
    tensors, quantized = {}, [number for number, block in BLOCKS.items() if block.decode is not None]
    assert sum(len(shape) > 1 for shape in shapes.values()) >= len(quantized)
    numbers = itertools.cycle(quantized)
    for name, shape in shapes.items():
        number = next(numbers) if len(shape) > 1 else 0
        size = int(np.prod(shape)) // BLOCKS[number].weights * BLOCKS[number].size
        tensors[f"{name}.weight"] = (number, shape, bytes([1]) * size if number else bytes(size))
    return metadata | tokenizer, tensors


def damage(number: int, bases: list[Model], path: Path) -> str:
    """Write a damaged model to `path`. Returns what was changed."""
    rng = random.Random(number)
    metadata, tensors = (dict(part) for part in rng.choice(bases))
    done = [metadata["general.architecture"]]
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 4))):
        done.append(_damage_tensor(rng, tensors) if rng.random() < 0.3 else _damage_metadata(rng, metadata))
    try:
        write_gguf(path, metadata, tensors)
    except (
        TypeError,
        ValueError,
        IndexError,
        KeyError,
        OverflowError,
        struct.error,
    ):  # it cannot be said in GGUF
        write_gguf(path, {"general.architecture": "llama"}, tensors)
    if len(done) == 1 or rng.random() < 0.3:
        done.append(_damage_bytes(rng, path, sum(len(content) for _, _, content in tensors.values())))
    return ", ".join(done)


def _damage_metadata(rng: random.Random, metadata: dict[str, Any]) -> str:
    name = rng.choice(list(metadata))
    value, kind = metadata[name], rng.random()
    if kind < 0.15:
        del metadata[name]
        return f"{name} is left out"
    if isinstance(value, list | np.ndarray) and len(value) and kind < 0.6:
        changed = list(value)
        place = rng.randrange(len(changed))
        if kind < 0.3:
            changed[place] = rng.choice(changed)
        elif kind < 0.4:
            del changed[place:]
        elif isinstance(value, list):
            changed[place] = rng.choice(["", "a", "\0", "x" * 300, b"\xff\xfe", "<|end|>", " ", "a b"])
        else:
            changed[place] = rng.choice([0, -1, 2, 3, 6, 99, 2**31 - 1])
        metadata[name] = changed if isinstance(value, list) or not changed else np.array(changed)
    elif name.endswith("chat_template"):
        metadata[name] = rng.choice(TEMPLATES)
    elif isinstance(value, int) and kind < 0.6:
        metadata[name] = rng.choice([*SIZES, value + 1, value - 1, value * 2])
    else:
        metadata[name] = rng.choice([*VALUES, *ARRAYS, rng.choice(list(metadata.values()))])
    return f"{name} is {str(metadata[name])[:60]!r}"


def _damage_tensor(rng: random.Random, tensors: dict[str, Any]) -> str:
    name = rng.choice(list(tensors))
    number, shape, content = tensors[name]
    kind = rng.randrange(12)
    if kind == 0:
        del tensors[name]
    elif kind == 1:
        tensors[rng.choice(["x", "", "output.weight", "rope_freqs.weight", "y" * 500, name])] = tensors.pop(
            name
        )
    elif kind == 2:
        tensors[name] = (rng.choice([*BLOCKS, 5, 15, 24, 99, 2**31]), shape, content)
    elif kind == 3:
        place = rng.randrange(len(shape))
        tensors[name] = (number, (*shape[:place], rng.choice(SIZES), *shape[place + 1 :]), content)
    elif kind == 4:
        tensors[name] = (number, rng.choice([shape[::-1], (1, *shape), shape[1:] or (1,)]), content)
    elif kind == 5:
        tensors[name] = (number, shape, content[: rng.randrange(len(content))])
    else:
        place = rng.randrange(len(content)) // 4 * 4
        noise = rng.choice([bytes(40), bytes([255]) * 8, bytes([0, 0, 128, 127])])
        tensors[name] = (
            number,
            shape,
            (content[:place] + noise + content[place + len(noise) :])[: len(content)],
        )
    return f"{name} has damage {kind}"


def _damage_bytes(rng: random.Random, path: Path, data_size: int) -> str:
    data = path.read_bytes()
    place = rng.randrange(max(1, len(data) - data_size)) if rng.random() < 0.8 else rng.randrange(len(data))
    place = rng.randrange(24) if rng.random() < 0.1 else place
    kind = rng.randrange(5)
    if kind == 0:
        data = data[:place]
    elif kind == 1:
        data = data[:place] + rng.randbytes(rng.randrange(1, 40)) + data[place:]
    elif kind == 2:
        data = data[:place] + data[place + rng.randrange(1, 40) :]
    elif kind == 3:
        data = data[:place] + rng.choice(SIZES).to_bytes(8, "little") + data[place + 8 :]
    else:
        data = data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
    path.write_bytes(data)
    return f"bytes at {place} have damage {kind}"
