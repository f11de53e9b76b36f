"""Makes GGUF files of encoders, as llama.cpp's converter does."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from gguf_models import read_model
from gguf_writer import Tensors, pack_q8_0, write_gguf

from model_core.families.config import read_config
from model_core.files.safetensors import SafetensorsFolder

_BERT = {
    r"embeddings\.word_embeddings": "token_embd",
    r"embeddings\.position_embeddings": "position_embd",
    r"embeddings\.token_type_embeddings": "token_types",
    r"embeddings\.LayerNorm|emb_ln": "token_embd_norm",
    r"encoder\.layers?\.(\d+)\.attention\.self\.(q|k|v)\w+": r"blk.\1.attn_\2",
    r"encoder\.layers?\.(\d+)\.(attention\.output\.dense|attn\.out_proj)": r"blk.\1.attn_output",
    r"encoder\.layers?\.(\d+)\.(attention\.output\.LayerNorm|norm1)": r"blk.\1.attn_output_norm",
    r"encoder\.layers?\.(\d+)\.(intermediate\.dense|mlp\.fc11)": r"blk.\1.ffn_up",
    r"encoder\.layers?\.(\d+)\.(output\.dense|mlp\.fc2)": r"blk.\1.ffn_down",
    r"encoder\.layers?\.(\d+)\.(output\.LayerNorm|norm2)": r"blk.\1.layer_output_norm",
    r"encoder\.layers?\.(\d+)\.mlp\.fc12": r"blk.\1.ffn_gate",
    r"encoder\.layers?\.(\d+)\.attn\.Wqkv": r"blk.\1.attn_qkv",
}
_SPECIAL = {"cls": "[CLS]", "seperator": "[SEP]", "unknown": "[UNK]", "padding": "[PAD]", "mask": "[MASK]"}
_ARCHITECTURES = {"bert": "bert", "xlm-roberta": "bert", "nomic_bert": "nomic-bert"}


def write_encoder(folder: Path, path: Path, quantize: bool = False) -> None:
    """Write BERT, XLM-RoBERTa or Nomic BERT with its tokenizer. quantize: matrices are in Q8_0."""
    write_gguf(path, *read_encoder(folder, quantize))


def read_encoder(folder: Path, quantize: bool = False) -> tuple[dict[str, Any], Tensors]:
    """The metadata and the tensors of such a file."""
    raw, source = read_config(folder), SafetensorsFolder(folder)
    architecture = _ARCHITECTURES[raw["model_type"]]
    fields = {
        "context_length": raw["max_position_embeddings"],
        "embedding_length": raw["hidden_size"],
        "feed_forward_length": raw["intermediate_size"],
        "block_count": raw["num_hidden_layers"],
        "attention.head_count": raw["num_attention_heads"],
        "attention.layer_norm_epsilon": raw["layer_norm_eps"],
        "attention.causal": False,
        "pooling_type": 1,
    }
    if architecture == "nomic-bert":
        fields["rope.freq_base"] = raw["rope_parameters"]["rope_theta"]
    metadata = {"general.architecture": architecture}
    metadata |= {f"{architecture}.{name}": value for name, value in fields.items()}
    is_roberta = raw["model_type"] == "xlm-roberta"
    metadata |= _unigram(folder, raw) if is_roberta else _wordpiece(folder)
    tensors: Tensors = {}
    for name in source.unread():
        base, dot, ending = name.rpartition(".")
        for pattern, new in _BERT.items():
            if re.fullmatch(pattern, base):
                array = np.ascontiguousarray(source[name], np.float32)
                if is_roberta and new == "position_embd":  # no token has the first rows
                    array = array[raw["pad_token_id"] + 1 :].copy()
                key = re.sub(pattern, new, base) + dot + ending
                is_matrix = (
                    array.ndim == 2 and array.shape[1] % 32 == 0 and not key.startswith(("pos", "token_t"))
                )
                if quantize and is_matrix:
                    tensors[key] = (8, array.shape, pack_q8_0(array))
                else:
                    tensors[key] = (0, array.shape, array.tobytes())
    return metadata, tensors


def _wordpiece(folder: Path) -> dict[str, Any]:
    """The tokenizer: a space in front of tokens that begin a word, and no "##" in front of the others."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    names = sorted(vocabulary, key=vocabulary.__getitem__)
    ids = {f"tokenizer.ggml.{name}_token_id": vocabulary[token] for name, token in _SPECIAL.items()}
    special = set(_SPECIAL.values())

    def write(token: str) -> str:
        if token.startswith("[") and token.endswith("]"):
            return token
        return token[2:] if token.startswith("##") else f"▁{token}"

    return {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.pre": "jina-v2-en",
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.tokens": list(map(write, names)),
        "tokenizer.ggml.token_type": np.int32([3 if name in special else 1 for name in names]),
        **ids,
    }


def _unigram(folder: Path, raw: dict[str, Any]) -> dict[str, Any]:
    """The tokenizer of XLM-RoBERTa, without what its normalizer does."""
    pieces = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    names = [token for token, _ in pieces]
    special = {"bos": "<s>", "eos": "</s>", "unknown": "<unk>", "padding": "<pad>"}
    kinds = [2 if token == "<unk>" else 3 if token in special.values() else 1 for token in names]
    return {
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": names,
        "tokenizer.ggml.scores": np.float32([score for _, score in pieces]),
        "tokenizer.ggml.token_type": np.int32(kinds),
        "tokenizer.ggml.add_space_prefix": True,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.add_eos_token": True,
        **{f"tokenizer.ggml.{name}_token_id": names.index(token) for name, token in special.items()},
    }


def write_gemma_embedding(folder: Path, path: Path) -> None:
    """Write EmbeddingGemma without its tokenizer, with the dense layers behind it."""
    fields, tensors = read_model(folder)
    renamed: dict[str, Any] = {}
    for name, value in fields.items():
        key = name.replace(f"{fields['general.architecture']}.", "gemma-embedding.")
        renamed[key] = value
    raw = read_config(folder)
    kinds = [kind == "sliding_attention" for kind in raw["layer_types"]]
    renamed |= {
        "general.architecture": "gemma-embedding",
        "gemma-embedding.pooling_type": 1,
        "gemma-embedding.attention.sliding_window": raw["sliding_window"],
        "gemma-embedding.attention.sliding_window_pattern": np.array(kinds),
        "tokenizer.ggml.model": "no_vocab",
    }
    for number, dense in enumerate(sorted(folder.glob("*_Dense")), 2):
        weight = np.ascontiguousarray(SafetensorsFolder(dense)["linear.weight"], np.float32)
        tensors[f"dense_{number}.weight"] = (0, weight.shape, weight.tobytes())
        renamed[f"gemma-embedding.dense_{number}_feat_in"] = weight.shape[1]
        renamed[f"gemma-embedding.dense_{number}_feat_out"] = weight.shape[0]
    write_gguf(path, renamed, tensors)
