"""What BERT and its like have in common: their configuration, their layers, and names without use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_number
from ...tape.classifier import Classifier, ClassifierLayer
from ...tape.distances import DistanceBias, RelativeScores
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config


def read_encoder_config(
    raw: dict[str, Any], kind: type[ModelConfig], positions: str = "absolute", **family: Any
) -> Any:
    """The fields of BERT's config.json, as a `kind`. See read_decoder_config.

    positions: the only position_embedding_type that is allowed.
    """
    expect(raw, position_embedding_type=positions, is_decoder=False, add_cross_attention=False)
    ignore(raw, "output_past", "directionality", "tie_word_embeddings")
    ignore(raw, *(f"pooler_{name}" for name in _POOLER))
    fields = {"norm_eps": read_number(raw, "layer_norm_eps", 1e-12, 1e-30, 1), "ropes": None, **family}
    if "activation" not in fields:
        fields["activation"] = read_activation(raw, "hidden_act", "gelu", is_gate=False)
    return read_decoder_config(raw, kind, **fields)


# Fields of old files about a layer after the last, which is not computed.
_POOLER = ("fc_size", "num_attention_heads", "num_fc_layers", "size_per_head", "type")
_POOLER_TENSORS = {"pooler.dense.weight", "pooler.dense.bias"}
_UNUSED = {
    "embeddings.position_ids",
    *(f"cls.predictions.{name}" for name in ("bias", "decoder.weight", "decoder.bias")),
    *(
        f"cls.predictions.transform.{part}.{name}"
        for part in ("dense", "LayerNorm")
        for name in ("weight", "bias")
    ),
    *(f"cls.seq_relationship.{name}" for name in ("weight", "bias")),
    *(f"lm_head.{name}" for name in ("bias", "decoder.weight", "decoder.bias")),
    *(f"lm_head.{part}.{name}" for part in ("dense", "layer_norm") for name in ("weight", "bias")),
}


@dataclass(frozen=True)
class EncoderNames:
    """The names of the tensors of a layer, behind its own. The fields are in the order of the computation.

    Attributes:
        qkv: three matrices, or one with the rows of queries, keys and values.
        inner: of a gated MLP, the rows of gate and up projections, without biases.
        gate: which half of them is the gate, 0 or 1; None: there is no gate.
        first_norm: that of embeddings, its whole name.
    """

    layer: str
    qkv: tuple[str, ...]
    attention_out: str
    attention_norm: str
    inner: str
    out: str
    norm: str
    gate: int | None = None
    first_norm: str = "embeddings.LayerNorm"


BERT_NAMES = EncoderNames(
    "encoder.layer",
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def write_bert(
    t: Tape,
    c: ModelConfig,
    types: int,
    first_position: int | None = 0,
    names: EncoderNames = BERT_NAMES,
    distances: DistanceBias | None = None,
    relative: Callable[[Span, Span, int], RelativeScores] | None = None,
) -> Span:
    """BERT's hidden states (Devlin et al., 2018, arXiv:1810.04805).

    x is the sum of the embeddings of token, type and position; x = norm(x + attention(x)) and
    x = norm(x + mlp(x)) in each layer. `types`: how many types of tokens there are; 0: no embedding of types.
    `first_position`: the row of the first position in its table; None: there is no table. `distances`: what
    attention adds to scores. relative: writes what it adds for queries and keys of a layer. Layers with a
    RoPE rotate queries and keys.
    """
    t.unused |= _UNUSED | (set() if c.labels else _POOLER_TENSORS)
    p, eps = "embeddings", c.norm_eps
    x = t.embed(f"{p}.word_embeddings", c.vocab_size, c.hidden_size)
    if types:
        x = t.add(x, t.embed_types(f"{p}.token_type_embeddings", types, c.hidden_size))
    if first_position is not None:
        x = t.add_position(x, f"{p}.position_embeddings", c.max_context, first_position)
    x = t.layer_norm(x, names.first_norm, eps, to="x", bias=True)
    for i in range(c.layers):
        p = f"{names.layer}.{i}"
        shape = (c.heads, c.head_dim)
        if len(names.qkv) == 1:
            q, k, v = t.linear_split(x, "qkv", f"{p}.{names.qkv[0]}", [shape] * 3, bias=True)
        else:
            q, k, v = t.linear(x, "qkv", {f"{p}.{name}": shape for name in names.qkv}, bias=True)
        q, k = t.rope(q, c.ropes[i]), t.rope(k, c.ropes[i])
        added = relative and relative(q, k, i)
        scale = (q.size * (3 if added else 1)) ** -0.5
        mixed = t.attend(q, k, v, scale, ahead=None, distances=distances, relative=added)
        x = t.add(x, t.project(mixed, "out", f"{p}.{names.attention_out}", c.hidden_size, bias=True))
        x = t.layer_norm(x, f"{p}.{names.attention_norm}", eps, to="x", bias=True)
        inner = _write_inner(t, c, x, f"{p}.{names.inner}", names.gate)
        x = t.add(x, t.project(inner, "out", f"{p}.{names.out}", c.hidden_size, bias=True))
        x = t.layer_norm(x, f"{p}.{names.norm}", eps, to="x", bias=True)
    return t.take_rows(x)


def _write_inner(t: Tape, c: ModelConfig, x: Span, name: str, gate: int | None) -> Span:
    """What an MLP computes before its last matrix. gate: see EncoderNames."""
    if gate is None:
        return t.map(c.activation, t.project(x, "inner", name, c.intermediate_size, bias=True))
    halves = t.linear_split(x, "inner", name, [(1, c.intermediate_size)] * 2)
    t.map(c.activation, halves[gate])
    return t.map("multiply", *halves)


def attend_to_all(t: Tape, q: Span, k: Span, v: Span, distances: DistanceBias | None = None) -> Span:
    """Attention to all positions of a text."""
    return t.attend(q, k, v, q.size**-0.5, ahead=None, distances=distances)


def write_logits_of_words(t: Tape, c: ModelConfig, activation: str, dense: str, norm: str, bias: str) -> None:
    """The logits of words for the rows that `write_bert` has taken: the head of a masked language model.

    dense, norm, bias: the names of its tensors. Its last matrix is that of the embedding.
    """
    x = Span("last", 0, c.hidden_size)
    h = t.map(activation, t.project(x, "head", dense, c.hidden_size, bias=True))
    h = t.layer_norm(h, norm, c.norm_eps, to="head", bias=True)
    (words,) = t.matmul(h, "words", [(t.embedding, 1)])
    t.map("add", words, WeightRef(bias, (c.vocab_size,)))


def write_classifier(
    t: Tape, c: ModelConfig, dense: str, activation: str, out: str, pooling: str = "cls"
) -> None:
    """The layers that make a cross encoder's score of pooled hidden states: by default the first token's."""
    n, layers = c.hidden_size, []
    for name, size, function in ((dense, n, activation), (out, 1, "identity")):
        weight, bias = WeightRef(f"{name}.weight", (size, n)), WeightRef(f"{name}.bias", (size,))
        layers.append(ClassifierLayer(weight, bias, function))
    t.classifier = Classifier(pooling, tuple(layers))
