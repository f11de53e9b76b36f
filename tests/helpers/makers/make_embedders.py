"""Make the tiny models of `tests/data/embedders` and what sentence-transformers computes with them.

    python tests/helpers/makers/make_embedders.py [--only NAME ...]

Each is a folder as sentence-transformers writes it (random weights, a tokenizer of some hundred tokens), with
an `expected.npz`: `vectors` float32 [texts, dimensions] of TEXTS, `prompted` the same with the prompt "query"
where the model has one; for rerankers `scores` float32 [texts] of TEXTS for QUERY.

Needs PyTorch, Transformers 5 and sentence-transformers 6; the tests themselves only read the files.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from embedder_texts import QUERY, TEXTS
from remote_encoders import hidden_states, make_weights
from safetensors.numpy import save_file
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    BertTokenizerFast,
    PreTrainedTokenizerFast,
)

FOLDER = Path(__file__).parents[2] / "data" / "embedders"
# Far from the usual values, so that a setting nobody reads shows.
BERT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 192,
    "layer_norm_eps": 1e-3,
}
MPNET = BERT | {"max_position_embeddings": 194}
# Of encoders whose code is with their files, which remote_encoders.py defines.
REMOTE = BERT | {"hidden_size": 48, "num_attention_heads": 6, "type_vocab_size": 2, "hidden_act": "gelu"}
REMOTES = {
    "jina-bert-v2": REMOTE
    | {"model_type": "bert", "position_embedding_type": "alibi", "feed_forward_type": "geglu"},
    "nomic-moe": {
        "model_type": "nomic_bert",
        "activation_function": "gelu",
        "layer_norm_epsilon": 1e-3,
        "mlp_fc1_bias": True,
        "mlp_fc2_bias": True,
        "moe_every_n_layers": 2,
        "moe_top_k": 2,
        "n_embd": 32,
        "n_head": 4,
        "n_inner": 24,
        "n_layer": 3,
        "n_positions": 192,
        "num_experts": 5,
        "qkv_proj_bias": True,
        "rotary_emb_base": 100.0,
        "type_vocab_size": 1,
    },
    "new": REMOTE
    | {
        "model_type": "new",
        "pack_qkv": True,
        "position_embedding_type": "rope",
        "rope_theta": 100.0,
        "rope_scaling": {"type": "ntk", "factor": 3.0},
    },
    "gte": REMOTE
    | {
        "model_type": "gte",
        "type_vocab_size": 0,
        "pack_qkv": False,
        "position_embedding_type": "rope",
        "rope_theta": 1000.0,
    },
}
# Columns for 1 to 8 tokens, and ranges up to 39; texts are longer.
DEBERTA = BERT | {
    "layer_norm_eps": 1e-3,
    "hidden_act": "gelu",
    "position_biased_input": False,
    "type_vocab_size": 0,
    "relative_attention": True,
    "max_relative_positions": 40,
    "position_buckets": 16,
    "norm_rel_ebd": "layer_norm",
    "pos_att_type": "p2c|c2p",
    "share_att_key": True,
    "num_attention_heads": 2,
}
DISTILBERT = {
    "dim": 32,
    "hidden_dim": 48,
    "n_layers": 2,
    "n_heads": 4,
    "max_position_embeddings": 192,
    "activation": "gelu_new",
}
DECODER = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-3,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100.0},
}
MODERN = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
    "norm_eps": 1e-3,
    "local_attention": 10,
    "global_attn_every_n_layers": 3,
    "rope_parameters": {
        "full_attention": {"rope_type": "default", "rope_theta": 1000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
    },
}


@dataclass(frozen=True)
class Variant:
    """A model: its configuration, its tokenizer, and how hidden states become vectors or scores.

    `pooling`: None for a reranker. `head`: of a reranker, classification or the logits of yes and no.
    """

    model_type: str
    config: dict[str, Any]
    tokenizer: Callable[[], PreTrainedTokenizerFast]
    pooling: str | None = "mean"
    normalizes: bool = True
    dense: tuple[Any, ...] = ()
    prompts: dict[str, str] = field(default_factory=dict)
    lowers_case: bool = False
    kind: Any = AutoModel


def wordpiece() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special))
    ids = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=ids
    )
    return BertTokenizerFast(  # which gives the types of tokens
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=150,
    )


def unigram() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=180, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(TEXTS, trainer)
    ids = [(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ids
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        cls_token="<s>",
        sep_token="</s>",
        model_max_length=150,
    )


def byte_level(ends: bool = True, chat_template: str | None = None) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator([*TEXTS, *["yes", "no"] * 200], trainer)
    if ends:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A <|endoftext|>",
            pair="$A $B <|endoftext|>",
            special_tokens=[("<|endoftext|>", tokenizer.token_to_id("<|endoftext|>"))],
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
        model_max_length=250 if chat_template is None else 900,
        chat_template=chat_template,
    )


# What Qwen3-Reranker asks, with an instruction as the system message.
QUESTION = """{% set ns = namespace() %}
{% set ns.system = "Given a web search query, retrieve relevant passages that answer the query" %}
{% for message in messages %}
{% if message.role == "system" %}{% set ns.system = message.content %}{% endif %}
{% if message.role == "query" %}{% set ns.query = message.content %}{% endif %}
{% if message.role == "document" %}{% set ns.document = message.content %}{% endif %}
{% endfor %}
<|im_start|>system
Judge whether the Document meets the requirements based on the Query and the Instruct provided. Note that \
the answer can only be "yes" or "no".<|im_end|>
<|im_start|>user
<Instruct>: {{ ns.system }}
<Query>: {{ ns.query }}
<Document>: {{ ns.document }}<|im_end|>
<|im_start|>assistant
<think>

</think>


"""  # Jinja drops the last line end
PROMPTS = {"query": "Find this: ", "document": ""}
VARIANTS = {
    "bert": Variant("bert", BERT, wordpiece),
    "bert-cls": Variant("bert", BERT | {"type_vocab_size": 1}, wordpiece, "cls", normalizes=False),
    "roberta": Variant("roberta", BERT | {"type_vocab_size": 1}, unigram, "cls", prompts=PROMPTS),
    "xlm-roberta": Variant("xlm-roberta", BERT | {"type_vocab_size": 1}, unigram),
    "distilbert": Variant("distilbert", DISTILBERT, wordpiece),
    "deberta-v2": Variant("deberta-v2", DEBERTA, unigram),
    "deberta-v2-positions": Variant(
        "deberta-v2",
        DEBERTA
        | {"position_biased_input": True, "type_vocab_size": 2, "share_att_key": False}
        | {"position_buckets": -1, "norm_rel_ebd": "none"},
        unigram,
        "cls",
    ),
    "eurobert": Variant("eurobert", DECODER, byte_level, "lasttoken"),
    "jina_embeddings_v3": Variant(
        "jina_embeddings_v3",
        BERT | {"type_vocab_size": 1, "rope_parameters": {"rope_type": "default", "rope_theta": 100.0}},
        unigram,
    ),
    "mpnet": Variant("mpnet", MPNET, unigram, "cls"),
    "nomic_bert": Variant("nomic_bert", BERT, wordpiece, prompts=PROMPTS),
    "modernbert": Variant("modernbert", MODERN, wordpiece, "cls"),
    "qwen3": Variant(
        "qwen3", DECODER | {"tie_word_embeddings": True}, byte_level, "lasttoken", prompts=PROMPTS
    ),
    "qwen2-both-ways": Variant(
        "qwen2",
        DECODER
        | {
            "is_causal": False,
            "use_sliding_window": True,
            "sliding_window": 9,
            "layer_types": ["full_attention", "sliding_attention"],
        },
        byte_level,
    ),
    "gemma3-both-ways": Variant(
        "gemma3_text",
        DECODER
        | {
            "use_bidirectional_attention": True,
            "sliding_window": 18,
            "layer_types": ["sliding_attention", "full_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 1000.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
            },
        },
        byte_level,
        dense=((32, 40, False, None),),
    ),
    "llama-dense": Variant(
        "llama", DECODER, byte_level, "mean", dense=((32, 48, True, torch.nn.Tanh()), (48, 20, False, None))
    ),
    "bert-reranker": Variant("bert", BERT, wordpiece, None, kind=AutoModelForSequenceClassification),
    "xlm-roberta-reranker": Variant(
        "xlm-roberta", BERT | {"type_vocab_size": 1}, unigram, None, kind=AutoModelForSequenceClassification
    ),
    "distilbert-reranker": Variant(
        "distilbert", DISTILBERT, wordpiece, None, kind=AutoModelForSequenceClassification
    ),
    "deberta-v2-reranker": Variant(
        "deberta-v2",
        DEBERTA | {"pooler_hidden_act": "gelu"},
        unigram,
        None,
        kind=AutoModelForSequenceClassification,
    ),
    "mpnet-reranker": Variant("mpnet", MPNET, unigram, None, kind=AutoModelForSequenceClassification),
    "eurobert-reranker": Variant(
        "eurobert",
        DECODER | {"classifier_pooling": "bos", "attention_bias": True, "mlp_bias": True},
        wordpiece,
        None,
        kind=AutoModelForSequenceClassification,
    ),
    "modernbert-reranker": Variant(
        "modernbert",
        MODERN | {"classifier_pooling": "mean"},
        wordpiece,
        None,
        kind=AutoModelForSequenceClassification,
    ),
    "qwen3-classifier": Variant(
        "qwen3", DECODER, lambda: byte_level(False), None, kind=AutoModelForSequenceClassification
    ),
    "qwen3-reranker": Variant(
        "qwen3",
        DECODER | {"max_position_embeddings": 1024},
        lambda: byte_level(False, QUESTION),
        None,
        kind=AutoModelForCausalLM,
    ),
}


def build(variant: Variant, folder: Path) -> None:
    """Write a Transformers model with random weights and its tokenizer."""
    tokenizer = variant.tokenizer()
    ids = {
        f"{name}_token_id": value
        for name in ("pad", "bos", "eos")
        if (value := getattr(tokenizer, f"{name}_token_id")) is not None
    }
    options = {"num_labels": 1} if variant.kind is AutoModelForSequenceClassification else {}
    config = AutoConfig.for_model(
        variant.model_type, **{**variant.config, **ids, **options, "vocab_size": len(tokenizer)}
    )
    torch.manual_seed(0)
    model = variant.kind.from_config(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # norms and biases differ from 1 and 0
            scale = 0.5 if parameter.ndim > 1 else 0.3
            mean = 1.0 if parameter.ndim == 1 and name.endswith("weight") else 0.0
            parameter.normal_(mean, scale)
    model.eval().float().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_embedder(variant: Variant, source: Path, out: Path) -> dict[str, np.ndarray]:
    transformer = Transformer(str(source), do_lower_case=variant.lowers_case)
    modules = [transformer, Pooling(transformer.get_embedding_dimension(), variant.pooling)]
    for inputs, outputs, bias, activation in variant.dense:
        modules.append(Dense(inputs, outputs, bias, activation))
    modules += [Normalize()] if variant.normalizes else []
    SentenceTransformer(modules=modules, prompts=variant.prompts or None, device="cpu").save(str(out))
    model = SentenceTransformer(str(out), device="cpu")
    expected = {"vectors": model.encode(TEXTS)}
    if "query" in variant.prompts:
        expected["prompted"] = model.encode(TEXTS, prompt_name="query")
    return expected


def make_reranker(variant: Variant, source: Path, out: Path) -> dict[str, np.ndarray]:
    CrossEncoder(str(source), device="cpu").save(str(out))
    model = CrossEncoder(str(out), device="cpu")
    return {"scores": model.predict([(QUERY, text) for text in TEXTS])}


def make_remote(config: dict[str, Any], out: Path) -> dict[str, np.ndarray]:
    """An encoder without files of sentence-transformers: its vectors are the mean, and have the length 1."""
    tokenizer = wordpiece()
    tokenizer.save_pretrained(out)
    config = config | {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    weights = make_weights(config)
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    vectors = []
    for text in TEXTS:
        tokens = tokenizer(text, truncation=True, max_length=192)["input_ids"]
        mean = hidden_states(config, weights, tokens).mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return {"vectors": np.array(vectors)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[*VARIANTS, *REMOTES])
    for name in parser.parse_args().only:
        out = FOLDER / name
        shutil.rmtree(out, ignore_errors=True)
        if name in REMOTES:
            expected = make_remote(REMOTES[name], out)
        else:
            variant = VARIANTS[name]
            with tempfile.TemporaryDirectory() as source:
                build(variant, Path(source))
                make = make_reranker if variant.pooling is None else make_embedder
                expected = make(variant, Path(source), out)
        (out / "README.md").unlink(missing_ok=True)
        np.savez(out / "expected.npz", **{key: np.asarray(v, np.float32) for key, v in expected.items()})
        print(name, {key: value.shape for key, value in expected.items()})


if __name__ == "__main__":
    main()
