"""What happens to a tape before it is bound: its weights are listed, and operations are fused."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from . import records
from .records import Record, WeightRef


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
