"""What happens to a tape before it is bound: its weights are listed, and operations are fused."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from . import records
from .layout import STRIP
from .memory import round_up
from .records import Record, Span, WeightRef

PERMUTED = "permuted"  # the buffer of inputs in another order


def products(tape: Iterable[Record]) -> Iterator[records.Linear]:
    """The products of a tape, those within mixtures of experts too."""
    for record in tape:
        if isinstance(record, records.Linear):
            yield record
        elif isinstance(record, records.Experts):
            yield from (record.gate_up, record.down)


def vector_refs(tape: Iterable[Record]) -> Iterator[WeightRef]:
    """The weights of a tape that are not part of a product."""
    for record in tape:
        match record:
            case records.Norm(weight=WeightRef() as weight) | records.AddPosition(table=weight):
                yield weight
            case records.Route(bias=WeightRef() as weight) | records.Attend(sinks=WeightRef() as weight):
                yield weight
            case records.Conv(weight=weight, bias=bias):
                yield from (ref for ref in (weight, bias) if ref is not None)
            case records.Map(inputs=inputs):
                yield from (ref for ref in inputs if isinstance(ref, WeightRef))


def drop_head(tape: Sequence[Record]) -> list[Record]:
    """The tape without the product that gives logits, and what follows it."""
    heads = (i for i, r in enumerate(tape) if isinstance(r, records.Linear) and r.is_head)
    return list(tape[: next(heads, len(tape))])


def fuse(tape: Iterable[Record]) -> list[Record]:
    """Join operations that kernels compute together.

    These are a product and the addition or gate that follows it, and the scale of scores and the rotation of
    queries. The kernels compute the same bits: sums keep their order.
    """
    fused: list[Record] = []
    for record in tape:
        previous = fused[-1] if fused else None
        if isinstance(previous, records.Linear) and not previous.adds and previous.gate is None:
            if isinstance(record, records.Add) and record.x == previous.y and record.factor == 1:
                fused[-1] = replace(previous, y=record.y, adds=True)
                continue
            if isinstance(record, records.Gate) and _is_gate_of(record, previous):
                fused[-1] = replace(previous, y=record.y, gate=record.activation)
                continue
        if isinstance(record, records.Attend):
            record = _fold_scale(fused, record)
        fused.append(record)
    return fused


def split_products(tape: Iterable[Record], layout_of: Callable[[WeightRef], Hashable]) -> list[Record]:
    """Split products with several matrices, where neighbours have different layouts (see grouped.layout).

    They could only be packed as one in a larger layout. It must come before `fuse`.
    """
    split: list[Record] = []
    for record in tape:
        if not isinstance(record, records.Linear):
            split.append(record)
            continue
        start = record.y.start
        biases = record.biases or (None,) * len(record.weights)
        pairs = zip(record.weights, biases, strict=True)
        for _, members in groupby(pairs, key=lambda pair: layout_of(pair[0])):
            weights, some_biases = zip(*members, strict=True)
            y, width = record.y, sum(round_up(weight.rows, STRIP) for weight in weights)
            if len(weights) < len(record.weights):
                y = Span(y.buffer, start, weights[0].rows if len(weights) == 1 else width)
            some_biases = some_biases if record.biases else ()
            split.append(replace(record, y=y, weights=weights, biases=some_biases))
            start += width
    return split


def permute_inputs(
    tape: Iterable[Record], order_of: Callable[[WeightRef], np.ndarray | None]
) -> list[Record]:
    """Permute the inputs of products whose matrices have columns in another order (see Codes.order).

    The matrices of a product must have the same order. It must come before `fuse`.
    """
    permuted: list[Record] = []
    for record in tape:
        order = order_of(record.weights[0]) if isinstance(record, records.Linear) else None
        if order is not None:
            x = Span(PERMUTED, 0, record.x.width)
            permuted.append(records.Permute(record.x, x, tuple(order.tolist())))
            record = replace(record, x=x)
        permuted.append(record)
    return permuted


def _is_gate_of(gate: records.Gate, product: records.Linear) -> bool:
    """Whether the gate reads the two outputs of a product, the gated one second."""
    buffers = {gate.gate.buffer, gate.up.buffer, product.y.buffer}
    return len(product.weights) == 2 and len(buffers) == 1 and gate.gate.start < gate.up.start


def _fold_scale(fused: list[Record], attend: records.Attend) -> records.Attend:
    """Move the scale of scores into the rotation of queries, if that is their last operation."""
    for number in range(len(fused) - 1, -1, -1):
        match fused[number]:
            case records.Rope(x=x, scale=scale) as rope if x == attend.q:
                fused[number] = replace(rope, scale=scale * attend.scale)
                return replace(attend, scale=1.0)
            case records.Rope() | records.WriteKV():
                pass
            case _:
                break
    return attend
