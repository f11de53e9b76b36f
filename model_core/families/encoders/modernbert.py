"""ModernBERT (Warner et al., 2024, arXiv:2412.13663): an encoder with rotary positions and gated MLPs.

Two of three layers attend to a window on both sides.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.classifier import ACTIVATIONS, Classifier, ClassifierLayer
from ...tape.references import Span, WeightRef
from ...tape.rope import read_layer_ropes, read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config, read_layer_types


@dataclass(frozen=True)
class ModernBertConfig(ModelConfig):
    """`reaches`: how many positions on each side a layer attends to, None for all.

    `norm_bias`: whether norms have biases. The rest is about the layers behind a cross encoder.
    """

    reaches: tuple[int | None, ...]
    norm_bias: bool
    classifier_pooling: str
    classifier_bias: bool
    classifier_activation: str


def read_config(raw: dict[str, Any]) -> ModernBertConfig:
    """ModernBERT's config.json. Newer files have `layer_types` and `rope_parameters`."""
    ignore(raw, "decoder_bias", "deterministic_flash_attn", "reference_compile", "repad_logits_with_grad")
    ignore(raw, "sparse_prediction", "sparse_pred_ignore_index", "tie_word_embeddings")
    ignore(raw, "layer_norm_eps", "position_embedding_type")  # norm_eps and rotary positions count
    every = read_size(raw, "global_attn_every_n_layers", default=3)
    layers = read_size(raw, "num_hidden_layers", max_value=10_000)
    kinds = ("full_attention", "sliding_attention")
    types = read_layer_types(raw, [kinds[i % every != 0] for i in range(layers)])
    reach = read_size(raw, "local_attention", default=128) // 2
    thetas = {
        kind: read_number(raw, f"{name}_rope_theta", default, 1, 1e15)
        for kind, name, default in zip(kinds, ("global", "local"), (160000.0, 10000.0), strict=True)
    }
    if raw.get("rope_parameters"):
        ropes = read_layer_ropes(raw, types, *thetas.values())
    else:
        ropes = tuple(read_rope(raw, {"rope_theta": thetas[kind]}) for kind in types)
    pooling, activation = raw.get("classifier_pooling", "cls"), raw.get("classifier_activation", "gelu")
    if pooling not in ("cls", "mean") or activation not in ACTIVATIONS:
        raise ModelError(
            f"classifier_pooling {shorten(pooling)} with classifier_activation {shorten(activation)} is not "
            "supported."
        )
    bias = bool(raw.get("attention_bias", False))
    return read_decoder_config(
        raw,
        ModernBertConfig,
        activation=read_activation(raw, "hidden_activation", "gelu", is_gate=False),
        norm_eps=read_number(raw, "norm_eps", 1e-5, 1e-30, 1),
        ropes=ropes,
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=bool(raw.get("mlp_bias", False)),
        reaches=tuple(reach if kind == "sliding_attention" else None for kind in types),
        norm_bias=bool(raw.get("norm_bias", False)),
        classifier_pooling=pooling,
        classifier_bias=bool(raw.get("classifier_bias", False)),
        classifier_activation=activation,
    )


def write_tape(t: Tape, c: ModernBertConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer; x is a norm already in the first."""
    x = t.embed("model.embeddings.tok_embeddings", c.vocab_size, c.hidden_size)
    x = _norm(t, c, x, "model.embeddings.norm", "x")
    for i in range(c.layers):
        p = f"model.layers.{i}"
        h = x if i == 0 else _norm(t, c, x, f"{p}.attn_norm", "h")
        x = t.add(x, _write_attention(t, c, h, i))
        h = _norm(t, c, x, f"{p}.mlp_norm", "h")
        inner, gate = t.linear_split(h, "inner", f"{p}.mlp.Wi", [(1, c.intermediate_size)] * 2, c.mlp_bias)
        inner = t.map("multiply", t.map(c.activation, inner), gate)
        x = t.add(x, t.project(inner, "out", f"{p}.mlp.Wo", c.hidden_size, c.mlp_bias))
    _norm(t, c, t.take_rows(x), "model.final_norm", "h")
    if c.labels:
        t.classifier = _classifier(c)
    else:
        t.unused |= {"decoder.weight", "decoder.bias", "head.dense.weight", "head.dense.bias"}
        t.unused |= {"head.norm.weight", "head.norm.bias"}


def _norm(t: Tape, c: ModernBertConfig, x: Span, name: str, to: str) -> Span:
    return t.layer_norm(x, name, c.norm_eps, to=to, bias=c.norm_bias)


def _write_attention(t: Tape, c: ModernBertConfig, h: Span, i: int) -> Span:
    p, reach = f"model.layers.{i}.attn", c.reaches[i]
    q, k, v = t.linear_split(h, "qkv", f"{p}.Wqkv", [(c.heads, c.head_dim)] * 3, c.qkv_bias)
    q, k = t.rope(q, c.ropes[i]), t.rope(k, c.ropes[i])
    window = None if reach is None else reach + 1
    mixed = t.attend(q, k, v, c.head_dim**-0.5, window, ahead=reach)
    return t.project(mixed, "out", f"{p}.Wo", c.hidden_size, c.output_bias)


def _classifier(c: ModernBertConfig) -> Classifier:
    """The score of a cross encoder."""
    if c.norm_bias:
        raise ModelError("a cross encoder with norm_bias is not supported.")
    n = c.hidden_size
    dense = ClassifierLayer(
        WeightRef("head.dense.weight", (n, n)),
        WeightRef("head.dense.bias", (n,)) if c.classifier_bias else None,
        c.classifier_activation,
        WeightRef("head.norm.weight", (n,)),
        c.norm_eps,
    )
    score = ClassifierLayer(WeightRef("classifier.weight", (1, n)), WeightRef("classifier.bias", (1,)))
    return Classifier(c.classifier_pooling, (dense, score))
