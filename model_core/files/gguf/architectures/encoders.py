"""Encoders in GGUF files, which make embeddings and scores: BERT and its like, ModernBERT, EmbeddingGemma."""

from ....errors import ModelError
from ....families.encoders.bert import JOINED_QKV
from ..config import Config, is_reranker, read_rope, read_scorer
from ..metadata import Metadata
from .architecture import LLAMA, Architecture, reader
from .gemmas import GEMMAS

_EMBEDDINGS = {
    "token_embd": "embeddings.word_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "position_embd": "embeddings.position_embeddings",
}
_BERT_LAYER, _NOMIC_LAYER = "encoder.layer.{i}.", "encoder.layers.{i}."
_ATTENTION = {
    "token_embd_norm": "embeddings.LayerNorm",
    "attn_qkv": _BERT_LAYER + "attention.self.qkv",
    "attn_q": _BERT_LAYER + "attention.self.query",
    "attn_k": _BERT_LAYER + "attention.self.key",
    "attn_v": _BERT_LAYER + "attention.self.value",
    "attn_output": _BERT_LAYER + "attention.output.dense",
    "attn_output_norm": _BERT_LAYER + "attention.output.LayerNorm",
}
_BERT = {
    **_EMBEDDINGS,
    **_ATTENTION,
    "ffn_up": _BERT_LAYER + "intermediate.dense",
    "ffn_down": _BERT_LAYER + "output.dense",
    "layer_output_norm": _BERT_LAYER + "output.LayerNorm",
    "cls": "pooler.dense",
    "cls.output": "classifier",
}
# Older files have gate and up projections as two tensors.
_JINA_V2 = {
    **_EMBEDDINGS,
    **_ATTENTION,
    "ffn_gate": _BERT_LAYER + "mlp.gated_layers",
    "ffn_up": _BERT_LAYER + "mlp.gated_layers",
    "ffn_down": _BERT_LAYER + "mlp.wo",
    "layer_output_norm": _BERT_LAYER + "mlp.layernorm",
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
_JINA_V3 = _NOMIC | {
    "attn_qkv": _NOMIC_LAYER + "mixer.Wqkv",
    "attn_output": _NOMIC_LAYER + "mixer.out_proj",
    "ffn_up": _NOMIC_LAYER + "mlp.fc1",
}
_NOMIC_MIXTURE = _NOMIC | {
    "ffn_up": _NOMIC_LAYER + "mlp.fc1",
    "ffn_gate_inp": _NOMIC_LAYER + "mlp.router.layer",
    "ffn_up_exps": _NOMIC_LAYER + "mlp.experts.{e}.fc1",
    "ffn_down_exps": _NOMIC_LAYER + "mlp.experts.{e}.fc2",
}
_MODERN_LAYER = "model.layers.{i}."
_MODERN = {
    "token_embd": "model.embeddings.tok_embeddings",
    "token_embd_norm": "model.embeddings.norm",
    "attn_norm": _MODERN_LAYER + "attn_norm",
    "attn_qkv": _MODERN_LAYER + "attn.Wqkv",
    "attn_output": _MODERN_LAYER + "attn.Wo",
    "ffn_norm": _MODERN_LAYER + "mlp_norm",
    "ffn_up": _MODERN_LAYER + "mlp.Wi",
    "ffn_down": _MODERN_LAYER + "mlp.Wo",
    "output_norm": "model.final_norm",
    "cls": "head.dense",
    "cls.norm": "head.norm",
    "cls.output": "classifier",
}


def _read_sizes(m: Metadata) -> Config:
    """What most have."""
    return {"type_vocab_size": m.shape("token_types.weight")[0], **_read_shape(m)}


def _read_shape(m: Metadata) -> Config:
    return {
        "vocab_size": m.shape("token_embd.weight")[0],
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
    if is_reranker(m) and not m.has_tensor("cls.output.weight"):
        raise ModelError(
            "it lacks the layer between hidden states and the score (cls.weight with cls.output.weight), "
            "which is not converted of this model; take its folder."
        )
    return {
        **_read_sizes(m),
        **read_scorer(m, "BertForSequenceClassification", "cls.weight"),
        "model_type": "bert",
        "max_position_embeddings": positions,
        JOINED_QKV: m.has_tensor("blk.0.attn_qkv.weight"),
    }


def _read_jina_v2(m: Metadata) -> Config:
    """Jina's BERT 2, whose ALiBi has the usual slopes. That for code (with norms of queries) is not known."""
    if m.has_tensor("blk.0.attn_q_norm.weight"):
        raise ModelError(
            "a jina-bert-v2 with norms of queries (for code) is not supported; take another model."
        )
    m.expect("attention.max_alibi_bias", 8.0)
    return {
        **_read_sizes(m),
        "model_type": "bert",
        "position_embedding_type": "alibi",
        "max_position_embeddings": m.size("context_length"),
    }


def _read_nomic(m: Metadata) -> Config:
    """Nomic BERT with gated MLPs."""
    config = _read_sizes(m)
    head_dim = config["hidden_size"] // max(1, config["num_attention_heads"])
    return {
        **config,
        **read_rope(m, head_dim),
        "model_type": "nomic_bert",
        "max_position_embeddings": m.size("context_length"),
        "hidden_act": "silu",
    }


def _read_jina_v3(m: Metadata) -> Config:
    """Jina Embeddings 3, without the adapters for tasks."""
    return _read_nomic(m) | {"model_type": "jina_embeddings_v3", "hidden_act": "gelu"}


def _read_nomic_mixture(m: Metadata) -> Config:
    """Nomic BERT 2, with experts in every n-th layer. Their one bias is not in files: llama.cpp has none."""
    return _read_nomic(m) | {
        "activation_function": "gelu",
        "hidden_act": "gelu",
        "moe_every_n_layers": m.size("moe_every_n_layers"),
        "num_experts": m.size("expert_count"),
        "moe_top_k": m.size("expert_used_count"),
    }


def _read_modern(m: Metadata) -> Config:
    """ModernBERT. llama.cpp pools a cross encoder's hidden states by their mean."""
    every, theta = m.size("attention.sliding_window_pattern", 3), m.number("rope.freq_base")
    kinds = ("full_attention", "sliding_attention")
    thetas = (theta, m.number("rope.freq_base_swa", theta))
    m.expect("rope.scaling.type", "none")
    config = _read_shape(m)
    m.expect("rope.dimension_count", config["hidden_size"] // max(1, config["num_attention_heads"]))
    return {
        **config,
        **read_scorer(m, "ModernBertForSequenceClassification", "cls.weight"),
        "model_type": "modernbert",
        "norm_eps": config["layer_norm_eps"],
        "max_position_embeddings": m.size("context_length"),
        "hidden_activation": m.get("hidden_activation", "gelu"),
        "local_attention": m.size("attention.sliding_window"),
        "layer_types": [kinds[every > 0 and i % every != 0] for i in range(m.layers)],
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": base}
            for kind, base in zip(kinds, thetas, strict=True)
        },
        "classifier_pooling": "mean",
        "classifier_bias": m.has_tensor("cls.bias"),
    }


def _read_gemma_embedding(m: Metadata) -> Config:
    """Gemma 3, whose tokens attend both ways; Transformers takes half of the window on each side."""
    m.ignore(*(f"dense_{number}_feat_{side}" for number in (2, 3) for side in ("in", "out")))
    return GEMMAS["gemma3"].read_config(m) | {"use_bidirectional_attention": True}


ENCODERS = {
    "bert": Architecture(_read_bert, _BERT),
    "eurobert": Architecture(reader("eurobert"), LLAMA),
    "gemma-embedding": Architecture(_read_gemma_embedding, GEMMAS["gemma3"].names, GEMMAS["gemma3"].adapt),
    "jina-bert-v2": Architecture(_read_jina_v2, _JINA_V2),
    "jina-bert-v3": Architecture(_read_jina_v3, _JINA_V3),
    "modern-bert": Architecture(_read_modern, _MODERN),
    "nomic-bert": Architecture(_read_nomic, _NOMIC),
    "nomic-bert-moe": Architecture(_read_nomic_mixture, _NOMIC_MIXTURE),
}
