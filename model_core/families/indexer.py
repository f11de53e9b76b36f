"""The indexer of DeepSeek sparse attention (2025, arXiv:2512.02556), which chooses positions for each token.

Sources: Transformers, modeling_deepseek_v32.py, modeling_glm_moe_dsa.py, modeling_hy_v4.py and
modeling_glm5_next.py. Their Hadamard transforms and float8 are left out, as there.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..checks.file_values import ignore, read_number, read_size, shorten
from ..errors import ModelError
from ..tape.operations import KVLayer, WriteKV
from ..tape.recurrences import Pool
from ..tape.references import Span, WeightRef
from ..tape.rope import RopeConfig
from ..tape.selection import WORD, Chosen, Select
from ..tape.tape import Tape
from .config import read_layer_count

_NAMES = ("wq_b.weight", "wk.weight", "k_norm.weight", "k_norm.bias", "weights_proj.weight")
_POOL_NAMES = ("index_kpool_compress_ape", "index_kpool_compress_gate")


@dataclass(frozen=True)
class Indexer:
    """An indexer.

    Attributes:
        heads, size: of its queries.
        top: positions that it chooses.
        chooses: for each layer, whether it has an indexer, or takes what the layer before has taken.
        rotates: "halves" of the first dimensions, as those of other models; "pairs"; or halves of the "last".
        rotated: dimensions that are.
        norm_eps: of keys.
        pool: positions that are chosen together, by a mean of their keys; 1: they are chosen one by one.
    """

    heads: int
    size: int
    top: int
    chooses: tuple[bool, ...]
    rotated: int
    rotates: str = "halves"
    norm_eps: float = 1e-6
    pool: int = 1


def read_indexer(raw: dict[str, Any], heads: int, rotated: int, **settings: Any) -> Indexer:
    """The fields of an indexer. heads: the default. rotated: the dimensions that attention rotates."""
    size = read_size(raw, "index_head_dim", default=128)
    if size < rotated:
        raise ModelError(f"index_head_dim is {size}, which is smaller than the {rotated} rotated dimensions.")
    ignore(raw, "indexer_rope_interleave")
    return Indexer(
        heads=read_size(raw, "index_n_heads", default=heads),
        size=size,
        top=read_size(raw, "index_topk", default=2048),
        rotated=rotated,
        **settings,
    )


def read_shared_indexers(
    raw: dict[str, Any], attends: list[bool] | None = None, default: list[str] | None = None
) -> tuple[bool, ...]:
    """For each layer, whether it chooses itself. attends: of the layers that attend, if not all do.

    default: what the field that names layers has, if it is not given; None: it is made of other fields.
    """
    layers = read_layer_count(raw)
    pattern, given = raw.get("index_topk_pattern"), raw.get("indexer_types") or default
    every = max(int(read_number(raw, "index_topk_freq", 1, 0, 1e6)), 1)
    skipped = int(read_number(raw, "index_skip_topk_offset", 2, 0, 1e6))
    if given is None and isinstance(pattern, str):
        given = [{"F": "full", "S": "shared"}.get(letter, letter) for letter in pattern]
    elif given is None:
        given = pattern
    if given is None:
        given = ["full" if max(i - skipped + 1, 0) % every == 0 else "shared" for i in range(layers)]
    if not isinstance(given, list) or len(given) != layers or any(x not in ("full", "shared") for x in given):
        raise ModelError(f"indexer_types should name {layers} layers full or shared, not {shorten(given)}.")
    chooses = tuple(kind == "full" for kind in given)
    first = next((i for i in range(layers) if attends is None or attends[i]), 0)
    if not chooses[first]:
        raise ModelError(f"layer {first} shares positions with the one before, but there is none.")
    return chooses


def write_indexer(
    t: Tape, indexer: Indexer, h: Span, q_latent: Span, i: int, rope: RopeConfig | None, context: int
) -> Chosen:
    """The positions that a layer attends to, of at most `context`.

    h: the input of layer i. q_latent: that of its queries. rope: of the layer's attention, None: of none.
    """
    p, bits = f"model.layers.{i}.self_attn.indexer", bits_of(1, indexer.pool, context)
    if not indexer.chooses[i]:
        t.unused |= {f"{p}.{name}" for name in (*_NAMES, *_POOL_NAMES)}
        return Chosen(bits, indexer.pool)
    k = _write_keys(t, indexer, h, p)
    factors = WeightRef(f"{p}.weights_proj.weight", (indexer.heads, h.width))
    (weights,) = t.matmul(h, "index_weights", [(factors, indexer.heads)], is_router=True)
    shape, rotated = (indexer.heads * indexer.size, q_latent.width), indexer.rotated
    parts = [(0, rotated), (rotated, indexer.size)]
    if indexer.rotates == "last":
        parts = [(0, indexer.size - rotated), (indexer.size - rotated, indexer.size)]
    refs = [
        (WeightRef(f"{p}.wq_b.weight", shape, *part, groups=indexer.heads), indexer.heads)
        for part in parts
        if part[0] < part[1]
    ]
    q, *others = spans = t.matmul(q_latent, "index_q", refs)
    if rope is not None:
        rope = replace(rope, is_interleaved=indexer.rotates == "pairs", query_growth=0.0)
        start, _ = parts[number := int(indexer.rotates == "last" and bool(others))]
        t.rope(spans[number], rope)
        t.rope(replace(k, start=k.start + start, width=rotated), rope)
    if others:
        q = t.join(*spans, to="index_queries")
    if indexer.pool > 1:
        k = _write_pool(t, indexer, h, k, p)
    return write_selection(t, q, k, bits, weights, indexer.pool, indexer.top // indexer.pool)


def _write_keys(t: Tape, indexer: Indexer, h: Span, p: str) -> Span:
    """The keys of an indexer, normed."""
    k = t.project(h, "index_k", f"{p}.wk", indexer.size)
    return t.layer_norm(k, f"{p}.k_norm", indexer.norm_eps, to=None, bias=True)


def _write_pool(t: Tape, indexer: Indexer, h: Span, k: Span, p: str) -> Span:
    """The mean of the last keys, with weights for each column, of which the last of each pool is needed."""
    bias, gate = (f"{p}.{name}" for name in _POOL_NAMES)
    (gates,) = t.matmul(h, "index_gates", [(WeightRef(gate, (indexer.size, h.width)), 1)])
    y = replace(k, buffer="index_pooled", start=0)
    t.records.append(Pool(k, gates, y, WeightRef(bias, (indexer.pool, indexer.size)), len(t.states)))
    t.states.append((2, indexer.pool - 1, indexer.size))
    return y


def write_selection(
    t: Tape, q: Span, k: Span, bits: Span, weights: Span | None, unit: int, top: int, local: int = 0
) -> Chosen:
    """Write keys, one head, to a KV layer without values, and choose by them (see Select)."""
    layer = len(t.kv_layers)
    t.kv_layers.append(KVLayer(1, k.size, 0, None))
    t.records.append(WriteKV(k, replace(k, width=0), layer))
    t.records.append(Select(q, bits, weights, layer, unit, top, local))
    return Chosen(bits, unit)


def bits_of(heads: int, unit: int, context: int) -> Span:
    """The buffer of the units that heads choose of so many positions."""
    words = -(-context // (unit * WORD))
    return Span("chosen", 0, heads * words, heads)
