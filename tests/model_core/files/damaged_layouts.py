"""Damaged copies of folders in other layouts: tokenizers, Mistral's, MLX, torch. See damaged_folders.py."""

import base64
import io
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sentencepiece
from damaged_folders import damage_file
from paths import CHECKPOINTS
from quantized_folders import write_folder as write_quantized
from test_mistral import write_folder
from torch_writer import archive, pickle_weights

from model_core.checks.file_values import read_json
from model_core.families.config import write_json
from model_core.files.gguf.pre_tokenizers import TEKKEN
from model_core.files.safetensors import SafetensorsFolder, write_safetensors

FILES = (".json", ".jinja", ".safetensors", ".bin", ".model", ".tiktoken", ".txt")
_SIZE = 512  # of vocabularies, at most
NUMBERS = [-1, 0, 1, 7, 2**16, 2**24, 2**31, 2**63, 1e308, float("inf"), float("nan"), "9", [9], None, True]
_TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
_WORDS = ["the", "th", "he", "ab", "quick", "ick"]
_MLX = ("mlx-2", "mlx-4", "mlx-6", "mlx-mixed")


def make_bases(folder: Path) -> list[Path]:
    """Undamaged model folders, one for each reader."""
    writers: dict[str, Callable[[Path], object]] = {
        "tekken": _write_tekken,
        "tiktoken": _write_tiktoken,
        "sentencepiece-bpe": lambda path: _write_sentencepiece(path, "bpe"),
        "sentencepiece-unigram": lambda path: _write_sentencepiece(path, "unigram"),
        "merges": _write_merges,
    }
    bases = []
    for name, write in writers.items():
        path = _write_wide(folder / name)
        write(path)
        (path / "chat_template.json").write_text(json.dumps({"chat_template": _TEMPLATE}))
        bases.append(path)
    for name in ("mistral-window", "mixtral", "ministral3"):
        bases.append(write_folder(name, folder / f"own-{name}"))
    for kind in _MLX:
        write_quantized(kind, folder / kind)
        bases.append(folder / kind)
    for name in ("llama-tied-gqa", "llama-bfloat16"):
        bases.append(Path(shutil.copytree(CHECKPOINTS / name, folder / f"torch-{name}")))
        pickle_weights(bases[-1])
    return bases


def _write_wide(folder: Path) -> Path:
    """A model with as many tokens as the tokenizers have."""
    folder.mkdir()
    source = SafetensorsFolder(CHECKPOINTS / "llama-tied-gqa")
    tensors = {name: np.array(source[name]) for name in source.unread()}
    embedding = tensors["model.embed_tokens.weight"]
    tensors["model.embed_tokens.weight"] = np.resize(embedding, (_SIZE, embedding.shape[1]))
    write_safetensors(folder / "model.safetensors", tensors)
    config = read_json(CHECKPOINTS / "llama-tied-gqa" / "config.json")
    write_json(folder / "config.json", config | {"vocab_size": _SIZE})
    return folder


def _make_ranks() -> list[bytes]:
    return [*(bytes([byte]) for byte in range(256)), *map(str.encode, sorted(_WORDS, key=len))]


def _write_tekken(folder: Path) -> None:
    words = _make_ranks()
    vocab = [{"rank": i, "token_bytes": base64.b64encode(w).decode()} for i, w in enumerate(words)]
    special = [{"rank": i, "token_str": text} for i, text in enumerate(("<unk>", "<s>", "</s>"))]
    config = {
        "pattern": TEKKEN,
        "default_vocab_size": len(words) + 10,
        "default_num_special_tokens": 10,
        "version": "v3",
    }
    (folder / "tekken.json").write_text(
        json.dumps({"config": config, "vocab": vocab, "special_tokens": special})
    )


def _write_tiktoken(folder: Path) -> None:
    lines = [base64.b64encode(word) + b" %d\n" % rank for rank, word in enumerate(_make_ranks())]
    (folder / "qwen.tiktoken").write_bytes(b"".join(lines))


def _write_sentencepiece(folder: Path, kind: str) -> None:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick ab", "he th ab the quick fox"] * 50),
        model_prefix=str(folder / "tokenizer"),
        minloglevel=2,
        model_type=kind,
        vocab_size=320,
        byte_fallback=True,
        hard_vocab_limit=False,
    )
    (folder / "tokenizer.vocab").unlink()
    added = {"1": {"content": "<s>", "special": True}, "319": {"content": "<|end|>", "special": True}}
    config = {"tokenizer_class": "LlamaTokenizer", "legacy": False, "added_tokens_decoder": added}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "added_tokens.json").write_text(json.dumps({"<extra>": 320}))


def _write_merges(folder: Path) -> None:
    words = [*"abcdefghijklmnopqrstuvwxyz", "Ġ", "Ċ", "th", "the", "ab", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e\na b\n", "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "Qwen2Tokenizer"}))


def damage(number: int, bases: list[Path], folder: Path) -> str:
    """Copy an undamaged folder to a new one and damage it. Returns what was changed."""
    rng = random.Random(number)
    base = rng.choice(bases)
    folder.mkdir()
    for path in base.iterdir():
        if path.suffix in FILES:
            os.symlink(path.resolve(), folder / path.name)
    done = [base.name]
    # Weights and sizes have their own tests; half of the damages are in what only this layout has.
    names = sorted(path.name for path in folder.iterdir())
    own = [name for name in names if name not in ("config.json", "model.safetensors")] or names
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        path = folder / rng.choice(own if rng.random() < 0.8 else names)
        data = path.read_bytes()
        path.unlink()
        if path.suffix == ".bin":
            path.write_bytes(_damage_torch(rng, path, data))
        else:
            path.write_bytes(_damage_tokens(rng, data) or damage_file(rng, path, data))
        done.append(path.name)
    return ", ".join(done)


def _damage_torch(rng: random.Random, path: Path, data: bytes) -> bytes:
    """Damage a file of torch.save, or the pickle in it alone."""
    if rng.random() < 0.4:
        return damage_file(rng, path, data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as records:
            storages = {n.rpartition("/")[2]: records.read(n) for n in records.namelist() if "/data/" in n}
            return archive(damage_file(rng, path, records.read("archive/data.pkl")), storages)
    except (zipfile.BadZipFile, LookupError, OSError, ValueError):  # damaged before
        return damage_file(rng, path, data)


def _damage_tokens(rng: random.Random, data: bytes) -> bytes | None:
    """Give a vocabulary numbers that are too large, or a token that is too long; None if it is not chosen."""
    if rng.random() < 0.7:
        return None
    try:
        value = json.loads(data)
        if "vocab" in value and rng.random() < 0.5:
            rng.choice(value["vocab"])["token_bytes"] = "QUFB" * rng.choice((1, 100, 2**19))
        elif "vocab" in value:
            value["config"][rng.choice(list(value["config"]))] = rng.choice(NUMBERS)
        else:
            value[rng.choice(list(value))] = rng.choice(NUMBERS)
        return json.dumps(value).encode()
    except (ValueError, TypeError, LookupError):  # it is no object of JSON, or was damaged before
        place = rng.randrange(len(data) + 1)
        return data[:place] + rng.choice((b"QUFB" * 2**19, b" %d\n" % rng.choice(NUMBERS[:8]))) + data[place:]
