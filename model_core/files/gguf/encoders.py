"""Encoders in GGUF files, which make embeddings: BERT, RoBERTa and their like, Nomic BERT, EmbeddingGemma."""

from .architecture import Architecture
from .config import Config, read_rope
from .gemmas import GEMMAS
from .metadata import Metadata

_EMBEDDINGS = {
    "token_embd": "embeddings.word_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "position_embd": "embeddings.position_embeddings",
}
_BERT_LAYER, _NOMIC_LAYER = "encoder.layer.{i}.", "encoder.layers.{i}."
_BERT = {
    **_EMBEDDINGS,
    "token_embd_norm": "embeddings.LayerNorm",
    "attn_q": _BERT_LAYER + "attention.self.query",
    "attn_k": _BERT_LAYER + "attention.self.key",
    "attn_v": _BERT_LAYER + "attention.self.value",
    "attn_output": _BERT_LAYER + "attention.output.dense",
    "attn_output_norm": _BERT_LAYER + "attention.output.LayerNorm",
    "ffn_up": _BERT_LAYER + "intermediate.dense",
    "ffn_down": _BERT_LAYER + "output.dense",
    "layer_output_norm": _BERT_LAYER + "output.LayerNorm",
}
_NOMIC = {
    **_EMBEDDINGS,
    "token_embd_norm": "emb_ln",
    "attn_qkv": _NOMIC_LAYER + "attn.Wqkv",
    "attn_output": _NOMIC_LAYER + "attn.out_proj",
    "attn_output_norm": _NOMIC_LAYER + "norm1",
    "ffn_up": _NOMIC_LAYER + "mlp.fc11",
    "ffn_gate": _NOMIC_LAYER + "mlp.fc12",
    "ffn_down": _NOMIC_LAYER + "mlp.fc2",
    "layer_output_norm": _NOMIC_LAYER + "norm2",
}


def _read_sizes(m: Metadata) -> Config:
    """What all have. A file without types of tokens has one type."""
    return {
        "vocab_size": m.shape("token_embd.weight")[0],
        "type_vocab_size": m.shape("token_types.weight")[0],
        "hidden_size": m.size("embedding_length"),
        "intermediate_size": m.size("feed_forward_length"),
        "num_hidden_layers": m.layers,
        "num_attention_heads": m.size("attention.head_count"),
        "layer_norm_eps": m.number("attention.layer_norm_epsilon"),
    }


def _read_bert(m: Metadata) -> Config:
    """BERT, or RoBERTa without the rows of its table of positions that no token has."""
    positions = m.shape("position_embd.weight")[0]
    m.ignore("context_length")
    return {**_read_sizes(m), "model_type": "bert", "max_position_embeddings": positions}


def _read_nomic(m: Metadata) -> Config:
    config = _read_sizes(m)
    head_dim = config["hidden_size"] // max(1, config["num_attention_heads"])
    return {
        **config,
        **read_rope(m, head_dim),
        "model_type": "nomic_bert",
        "max_position_embeddings": m.size("context_length"),
        "hidden_act": "silu",
    }


def _read_gemma_embedding(m: Metadata) -> Config:
    """Gemma 3, whose tokens attend both ways; Transformers takes half of the window on each side."""
    m.ignore(*(f"dense_{number}_feat_{side}" for number in (2, 3) for side in ("in", "out")))
    return GEMMAS["gemma3"].read_config(m) | {"use_bidirectional_attention": True}


ENCODERS = {
    "bert": Architecture(_read_bert, _BERT),
    "gemma-embedding": Architecture(_read_gemma_embedding, GEMMAS["gemma3"].names, GEMMAS["gemma3"].adapt),
    "nomic-bert": Architecture(_read_nomic, _NOMIC),
}
