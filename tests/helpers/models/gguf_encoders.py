"""Makes GGUF files of encoders, as llama.cpp's converter does."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from gguf_models import read_model
from gguf_tokenizers import tokenizer_metadata
from gguf_writer import Tensors, pack_q8_0, write_gguf

from model_core.families.config import read_config
from model_core.files.safetensors import SafetensorsFolder

_LAYER = r"(?:encoder\.)?layers?\.(\d+)\."
_NAMES = {
    r"embeddings\.(word|tok)_embeddings": "token_embd",
    r"embeddings\.position_embeddings": "position_embd",
    r"embeddings\.token_type_embeddings": "token_types",
    r"embeddings\.LayerNorm|emb_ln|embeddings\.norm": "token_embd_norm",
    _LAYER + r"attention\.self\.(q|k|v)\w+": r"blk.\1.attn_\2",
    _LAYER + r"(?:attention\.output\.dense|attn\.out_proj|attn\.Wo|mixer\.out_proj)": r"blk.\1.attn_output",
    _LAYER + r"(?:attention\.output\.LayerNorm|norm1)": r"blk.\1.attn_output_norm",
    _LAYER + r"(?:intermediate\.dense|mlp\.fc11|mlp\.fc1|mlp\.Wi|mlp\.gated_layers)": r"blk.\1.ffn_up",
    _LAYER + r"(?:output\.dense|mlp\.fc2|mlp\.Wo|mlp\.wo)": r"blk.\1.ffn_down",
    _LAYER + r"(?:output\.LayerNorm|norm2|mlp\.layernorm)": r"blk.\1.layer_output_norm",
    _LAYER + r"mlp\.fc12": r"blk.\1.ffn_gate",
    _LAYER + r"(?:attn|mixer)\.Wqkv": r"blk.\1.attn_qkv",
    _LAYER + r"attn_norm": r"blk.\1.attn_norm",
    _LAYER + r"mlp_norm": r"blk.\1.ffn_norm",
    _LAYER + r"mlp\.router\.layer": r"blk.\1.ffn_gate_inp",
    _LAYER + r"mlp\.experts\.mlp\.w1": r"blk.\1.ffn_up_exps",
    _LAYER + r"mlp\.experts\.mlp\.w2": r"blk.\1.ffn_down_exps",
    r"embed_tokens": "token_embd",
    _LAYER + r"self_attn\.(q|k|v)_proj": r"blk.\1.attn_\2",
    _LAYER + r"self_attn\.o_proj": r"blk.\1.attn_output",
    _LAYER + r"input_layernorm": r"blk.\1.attn_norm",
    _LAYER + r"post_attention_layernorm": r"blk.\1.ffn_norm",
    _LAYER + r"mlp\.(gate|up|down)_proj": r"blk.\1.ffn_\2",
    r"final_norm|norm": "output_norm",
    r"classifier\.dense|head\.dense": "cls",
    r"head\.norm": "cls.norm",
    r"classifier\.out_proj|classifier": "cls.output",
}
_SPECIAL = {"cls": "[CLS]", "seperator": "[SEP]", "unknown": "[UNK]", "padding": "[PAD]", "mask": "[MASK]"}
_ARCHITECTURES = {
    "bert": "bert",
    "eurobert": "eurobert",
    "jina_embeddings_v3": "jina-bert-v3",
    "modernbert": "modern-bert",
    "nomic_bert": "nomic-bert",
    "xlm-roberta": "bert",
}
# Fields of files -> their names in config.json.
_FIELDS = {
    "context_length": ("max_position_embeddings", "n_positions"),
    "embedding_length": ("hidden_size", "n_embd"),
    "feed_forward_length": ("intermediate_size", "n_inner"),
    "block_count": ("num_hidden_layers", "n_layer"),
    "attention.head_count": ("num_attention_heads", "n_head"),
    "attention.layer_norm_epsilon": ("layer_norm_eps", "norm_eps", "layer_norm_epsilon"),
    "attention.head_count_kv": ("num_key_value_heads",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "rope.freq_base": ("rotary_emb_base",),
    "moe_every_n_layers": ("moe_every_n_layers",),
    "expert_count": ("num_experts",),
    "expert_used_count": ("moe_top_k",),
    "attention.sliding_window": ("local_attention",),
}


def write_encoder(folder: Path, path: Path, quantize: bool = False, join: bool = False) -> None:
    """Write an encoder with its tokenizer.

    quantize: matrices are in Q8_0. join: queries, keys and values have one matrix, as in jina-reranker-v2.
    """
    metadata, tensors = read_encoder(folder, quantize)
    for key in [key for key in tensors if join and ".attn_q." in key]:
        (kind, shape, first), *others = (tensors.pop(key.replace("attn_q", f"attn_{part}")) for part in "qkv")
        data = b"".join([first, *(other[2] for other in others)])
        tensors[key.replace("attn_q", "attn_qkv")] = (kind, (3 * shape[0], *shape[1:]), data)
    write_gguf(path, metadata, tensors)


def read_encoder(folder: Path, quantize: bool = False) -> tuple[dict[str, Any], Tensors]:
    """The metadata and the tensors of such a file."""
    raw, source = read_config(folder), SafetensorsFolder(folder)
    architecture = _ARCHITECTURES[raw["model_type"]]
    if raw.get("position_embedding_type") == "alibi":
        architecture = "jina-bert-v2"
    if "moe_top_k" in raw:
        architecture = "nomic-bert-moe"
    fields = {name: raw[key] for name, keys in _FIELDS.items() for key in keys if raw.get(key) is not None}
    is_reranker = str((raw.get("architectures") or [""])[0]).endswith("ForSequenceClassification")
    fields |= {"attention.causal": False, "pooling_type": 4 if is_reranker else 1}
    ropes = raw.get("rope_parameters") or {}
    if "full_attention" in ropes:
        every = next(i for i, kind in enumerate(raw["layer_types"]) if i and kind == "full_attention")
        fields |= {"attention.sliding_window_pattern": every, "rope.scaling.type": "none"}
        fields["rope.freq_base_swa"] = ropes["sliding_attention"]["rope_theta"]
        ropes = ropes["full_attention"]
    if ropes:
        fields["rope.freq_base"] = ropes["rope_theta"]
    is_roberta = raw["model_type"] == "xlm-roberta"
    if is_roberta:  # no token has the first rows of the table of positions
        fields["context_length"] -= raw["pad_token_id"] + 1
    metadata = {"general.architecture": architecture}
    metadata |= {f"{architecture}.{name}": value for name, value in fields.items()}
    metadata |= _tokenizer(folder, raw)
    metadata["tokenizer.ggml.token_type_count"] = raw.get("type_vocab_size", 1)
    tensors: Tensors = {}
    for name in source.unread():
        plain = name.removeprefix("model.")
        base, dot, ending = (
            plain.rpartition(".") if not plain.endswith(("w1", "w2")) else (plain, ".", "weight")
        )
        for pattern, new in _NAMES.items():
            if re.fullmatch(pattern, base):
                array = np.ascontiguousarray(source[name], np.float32)
                if is_roberta and new == "position_embd":
                    array = array[raw["pad_token_id"] + 1 :].copy()
                key = re.sub(pattern, new, base) + dot + ending
                if "_exps" in key:
                    array = array.reshape(raw["num_experts"], -1, array.shape[-1])
                    array = np.ascontiguousarray(array.swapaxes(1, 2)) if "down" in key else array
                is_matrix = (
                    array.ndim == 2 and array.shape[1] % 32 == 0 and not key.startswith(("pos", "token_t"))
                )
                if quantize and is_matrix:
                    tensors[key] = (8, array.shape, pack_q8_0(array))
                else:
                    tensors[key] = (0, array.shape, array.tobytes())
    return metadata, tensors


def _tokenizer(folder: Path, raw: dict[str, Any]) -> dict[str, Any]:
    kind = json.loads((folder / "tokenizer.json").read_text())["model"]["type"]
    if kind == "BPE":
        ends = {"tokenizer.ggml.eos_token_id": raw["pad_token_id"], "tokenizer.ggml.add_eos_token": True}
        return tokenizer_metadata(folder, "gpt-2") | ends
    return _unigram(folder, raw) if kind == "Unigram" else _wordpiece(folder)


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


def write_qwen3_reranker(folder: Path, path: Path) -> None:
    """Write Qwen3-Reranker: of its head there are only the rows for yes and no."""
    fields, tensors = read_model(folder)
    metadata, vocabulary = (
        tokenizer_metadata(folder, "gpt-2"),
        json.loads((folder / "tokenizer.json").read_text()),
    )
    ids = [vocabulary["model"]["vocab"][word] for word in ("yes", "no")]
    head = np.ascontiguousarray(SafetensorsFolder(folder)["lm_head.weight"], np.float32)[ids]
    tensors = {name: tensor for name, tensor in tensors.items() if name != "output.weight"}
    tensors["cls.output.weight"] = (0, head.shape, head.tobytes())
    labels = {"qwen3.pooling_type": 4, "qwen3.classifier.output_labels": ["yes", "no"]}
    write_gguf(path, fields | metadata | labels, tensors)
