"""DeBERTa V2 and V3 (He et al., 2020, arXiv:2006.03654; 2021, arXiv:2111.09543): BERT without positions.

Attention compares a query with a key, with a vector for their distance, and that key with another one. So a
score is (q k + q k_distance + q_distance k) / sqrt(3 d). All layers share the table of distances, which they
project. Source: Transformers, modeling_deberta_v2.py.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_size, shorten
from ...errors import ModelError
from ...kernels.layout import STRIP
from ...machine.memory import round_up
from ...tape.distances import PositionRows, RelativeScores
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation
from .layers import BERT_NAMES, read_encoder_config, write_bert, write_classifier

_ATTENTION = "attention.self"
_QKV = tuple(f"{_ATTENTION}.{name}_proj" for name in ("query", "key", "value"))
_NAMES = replace(BERT_NAMES, qkv=_QKV)
_HEADS = ("lm_predictions.lm_head", "mask_predictions")  # of the two tasks of the training


@dataclass(frozen=True)
class DebertaConfig(ModelConfig):
    """`types`: of tokens; 0: they have none. has_positions: learned ones are added to the embedding, too.

    Attributes:
        distances: columns of the table on each side, see RelativeScores. near: half of them, or None.
        reach: the distance of the last column.
        has_norm: whether the table is normed.
        shares_projections: distances are projected as keys and queries are.
        pooler_activation: of a classifier.
    """

    types: int
    has_positions: bool
    distances: int
    near: int | None
    reach: int
    has_norm: bool
    shares_projections: bool
    pooler_activation: str


def read_config(raw: dict[str, Any]) -> DebertaConfig:
    """DeBERTa's config.json."""
    hidden, heads = read_size(raw, "hidden_size"), read_size(raw, "num_attention_heads")
    expect(raw, relative_attention=True, conv_kernel_size=0, embedding_size=hidden)
    expect(raw, attention_head_size=hidden // heads, pooler_hidden_size=hidden)
    ignore(raw, "legacy", "pooler_dropout", "conv_act", "padding_idx")
    kinds = raw.get("pos_att_type")
    kinds = kinds.split("|") if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or sorted(map(str, kinds)) != ["c2p", "p2c"]:
        raise ModelError(f"pos_att_type should be c2p and p2c, not {shorten(kinds)}.")
    norm = raw.get("norm_rel_ebd", "none")
    if norm not in ("none", "layer_norm"):
        raise ModelError(f"norm_rel_ebd should be none or layer_norm, not {shorten(norm)}.")
    buckets = raw.get("position_buckets", -1)
    reach = raw.get("max_relative_positions", -1)
    if not (type(buckets) is int and type(reach) is int and buckets < 2**20 and reach < 2**20):
        raise ModelError("position_buckets and max_relative_positions should be whole numbers below 2^20.")
    config: DebertaConfig = read_encoder_config(
        raw,
        DebertaConfig,
        types=read_size(raw, "type_vocab_size", default=0) if raw.get("type_vocab_size") else 0,
        has_positions=bool(raw.get("position_biased_input", True)),
        distances=0,
        near=None,
        reach=0,
        has_norm=norm == "layer_norm",
        shares_projections=bool(raw.get("share_att_key", False)),
        pooler_activation=read_activation(raw, "pooler_hidden_act", "gelu", is_gate=False),
    )
    reach = reach if reach >= 1 else config.max_context
    if buckets < 1:
        return replace(config, distances=reach, reach=reach)
    if buckets < 4 or buckets // 2 >= reach - 1:
        raise ModelError(f"{buckets} position_buckets do not fit {reach} positions.")
    return replace(config, distances=buckets, near=buckets // 2, reach=reach - 1)


def write_tape(t: Tape, c: DebertaConfig) -> None:
    """BERT's layers. A cross encoder's score comes from the hidden states of the first token."""

    def add_distances(q: Span, k: Span, i: int) -> RelativeScores:
        size = round_up(2 * c.distances, STRIP)
        of_queries = t.multiply_heads(q, "of_queries", _rows(c, i, "key"), size)
        of_keys = t.multiply_heads(t.join(k, to="keys"), "of_keys", _rows(c, i, "query"), size)
        return RelativeScores(of_queries, of_keys, c.distances, c.near, c.reach)

    write_bert(t, c, c.types, 0 if c.has_positions else None, _NAMES, relative=add_distances)
    names = [f"{p}.{layer}" for p in _HEADS for layer in ("dense", "LayerNorm", "classifier")]
    t.unused |= {f"{name}.{kind}" for name in names for kind in ("weight", "bias")}
    t.unused |= {f"{p}.{name}" for p in _HEADS for name in ("bias", "LayerNorm.weight", "LayerNorm.bias")}
    if c.labels:
        write_classifier(t, c, "pooler.dense", c.pooler_activation, "classifier")


def _rows(c: DebertaConfig, i: int, which: str) -> PositionRows:
    """The rows that are the `which` of distances in layer i: "key" or "query"."""
    n, p = c.hidden_size, f"encoder.layer.{i}.{_ATTENTION}"
    name = f"{p}.{which}_proj" if c.shares_projections else f"{p}.pos_{which}_proj"
    table = WeightRef("encoder.rel_embeddings.weight", (2 * c.distances, n))
    norm = WeightRef("encoder.LayerNorm.weight", (n,)) if c.has_norm else None
    return PositionRows(table, WeightRef(f"{name}.weight", (n, n)), norm, c.norm_eps)
