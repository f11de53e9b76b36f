"""What happens to a tape before it is bound: its weights are listed, and operations are fused."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import groupby, pairwise

import numpy as np

from ..errors import ModelError
from ..kernels.layout import STRIP
from ..machine.memory import round_up
from . import operations
from .operations import Record
from .references import Span, WeightRef
from .tape import Tape

PERMUTED = "permuted"  # the buffer of inputs in another order
FEATURES = "features"  # the buffer of hidden states that an EAGLE-3 head takes


def products(tape: Iterable[Record]) -> Iterator[operations.Linear]:
    """The products of a tape, those within mixtures of experts too."""
    for record in tape:
        if isinstance(record, operations.Linear):
            yield record
        elif isinstance(record, operations.Experts):
            yield from (record.gate_up, record.down)


def distinct_products(tape: Iterable[Record]) -> list[operations.Linear]:
    """The products of a tape, one of those with the same weights: layers may share them."""
    return list({record.weights: record for record in products(tape)}.values())


def head_products(tape: Iterable[Record]) -> list[operations.HeadLinear]:
    """The products of a tape with a matrix for each head."""
    return [record for record in tape if isinstance(record, operations.HeadLinear)]


def vector_refs(tape: Iterable[Record]) -> Iterator[WeightRef]:
    """The weights of a tape that are not part of a product."""
    for record in tape:
        match record:
            case operations.Norm(weight=WeightRef() as weight) | operations.AddPosition(table=weight):
                yield weight
            case operations.Route(bias=WeightRef() as weight):
                yield weight
            case operations.Attend(sinks=sinks, distances=distances):
                table = None if distances is None else distances.table
                yield from (ref for ref in (sinks, table) if ref is not None)
            case operations.Conv(weight=weight, bias=bias):
                yield from (ref for ref in (weight, bias) if ref is not None)
            case operations.SelectiveScan(rates=weight) | operations.Pool(bias=weight):
                yield weight
            case operations.Map(inputs=inputs):
                yield from (ref for ref in inputs if isinstance(ref, WeightRef))
            case operations.XIELU():
                yield from record.weights


def buffer_widths(tape: Tape) -> dict[str, int]:
    """The columns of each buffer of a tape."""
    widths = dict(tape.inputs)

    def note(value: object) -> None:
        if isinstance(value, Span):
            widths[value.buffer] = max(widths.get(value.buffer, 0), value.start + value.width)
        elif isinstance(value, tuple):
            for item in value:
                note(item)
        elif isinstance(value, Record):
            for item in fields(value):
                note(getattr(value, item.name))

    note(tuple(tape.records))
    return widths


def tables(tape: Tape) -> dict[str, WeightRef]:
    """The embeddings of a tape by buffer, without the one that is also the head's matrix."""
    heads = {weight for product in products(tape.records) for weight in product.weights if product.is_head}
    return {buffer: table for buffer, table in tape.embeddings.items() if table not in heads}


def drop_head(tape: Sequence[Record]) -> list[Record]:
    """The tape without the product that gives logits, and what follows it."""
    heads = (i for i, r in enumerate(tape) if isinstance(r, operations.Linear) and r.is_head)
    return list(tape[: next(heads, len(tape))])


def place_of_taking(records: Sequence[Record]) -> int:
    """The number of the record that takes the rows that need logits; that behind the last if none does."""
    takes = (number for number, record in enumerate(records) if isinstance(record, operations.TakeRows))
    return next(takes, len(records))


def hand_on_hidden_states(tape: Tape) -> Tape:
    """The tape with the final norm before the rows that need logits are taken: what an MTP head takes.

    The norm of a row has the same bits.
    """
    records = list(tape.records)
    at = place_of_taking(records)
    take, norm = records[at], records[at + 1]
    assert isinstance(take, operations.TakeRows) and isinstance(norm, operations.Norm) and norm.x == take.y
    hidden = replace(take.x, buffer="normed")
    records[at : at + 2] = [replace(norm, x=take.x, y=hidden), operations.TakeRows(hidden, norm.y)]
    return replace(tape, records=records, handed_on=hidden)


def is_of_all_rows(records: Sequence[Record], span: Span) -> bool:
    """Whether a span has the rows of all tokens in the end: it is written before some are taken for logits.

    A model hands on such hidden states, and its head those that it took.
    """
    outputs = ((n, vars(record).get("y")) for n, record in enumerate(records))
    last = max(n for n, y in outputs if isinstance(y, Span) and y.buffer == span.buffer)
    return last < place_of_taking(records)


def find_hidden_states(records: Sequence[Record]) -> Span:
    """The last hidden states: the input of the head, or the last output of a tape without one."""
    for before, record in pairwise(records):
        if isinstance(record, operations.Linear) and record.is_head:
            return before.x if isinstance(before, operations.Permute) else record.x
    last: Span = vars(records[-1])["y"]
    return last


def hand_on_layer_inputs(tape: Tape, layers: Sequence[int], width: int) -> Tape:
    """The tape with copies of the hidden states that go into these layers, side by side, as an EAGLE-3 head
    takes them.

    Raises ModelError if the hidden states of the family are not found there.
    """
    records: list[Record] = []
    pending = [(f"model.layers.{layer}.", number) for number, layer in enumerate(layers)]
    for record in tape.records:
        names = [weight.name for weight in _weights_of(record)]
        for item in [item for item in pending if any(name.startswith(item[0]) for name in names)]:
            if getattr(record, "x", None) != Span("x", 0, width):
                break
            pending.remove(item)
            y = Span(FEATURES, item[1] * width, width)
            records.append(operations.Join((Span("x", 0, width),), y))
        records.append(record)
    if pending:
        raise ModelError(
            "an EAGLE-3 head cannot draft for a model of this family, whose layers have other inputs; leave "
            "--draft-model out."
        )
    return replace(tape, records=records, handed_on=Span(FEATURES, 0, len(layers) * width))


def _weights_of(record: Record) -> list[WeightRef]:
    """The weights of an operation."""
    return [
        *(weight for product in products([record]) for weight in product.weights),
        *vector_refs([record]),
    ]


def fuse(tape: Iterable[Record]) -> list[Record]:
    """Join operations that kernels compute together.

    These are a product and the addition or gate that follows it, and the scale of scores and the rotation of
    queries. The kernels compute the same bits: sums keep their order.
    """
    fused: list[Record] = []
    for record in tape:
        previous = fused[-1] if fused else None
        if isinstance(previous, operations.Linear) and not previous.adds and previous.gate is None:
            if isinstance(record, operations.Add) and record.x == previous.y and record.factor == 1:
                fused[-1] = replace(previous, y=record.y, adds=True)
                continue
            if isinstance(record, operations.Gate) and _is_gate_of(record, previous):
                fused[-1] = replace(previous, y=record.y, gate=record.activation)
                continue
        if isinstance(record, operations.Attend):
            record = _fold_scale(fused, record)
        fused.append(record)
    return fused


def split_products(tape: Iterable[Record], layout_of: Callable[[WeightRef], Hashable]) -> list[Record]:
    """Split products with several matrices, where neighbours have different layouts (see grouped.layout).

    They could only be packed as one in a larger layout. It must come before `fuse`.
    """
    split: list[Record] = []
    for record in tape:
        if not isinstance(record, operations.Linear):
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
        if isinstance(record, operations.Linear) and (order := order_of(record.weights[0])) is not None:
            x = Span(PERMUTED, 0, record.x.width)
            permuted.append(operations.Permute(record.x, x, tuple(order.tolist())))
            record = replace(record, x=x)
        permuted.append(record)
    return permuted


def attend_both_ways(tape: Tape) -> None:
    """Let tokens attend to those after them, as far as to those before. A window does not count one's own.

    Raises ModelError if layers are recurrent, which read a text in one direction only, or attend in chunks or
    to chosen positions, or if something is added by distance, as models disagree about positions ahead.
    """
    if tape.states:
        raise ModelError("is_causal is false, which is not supported for a model with recurrent layers.")
    attends = [record for record in tape.records if isinstance(record, operations.Attend)]
    if any(record.is_chunked for record in attends):
        raise ModelError("is_causal is false, which is not supported for a model that attends in chunks.")
    if any(record.chosen for record in attends):
        raise ModelError("is_causal is false, which is not supported for a model with sparse attention.")
    if any(record.distances for record in attends):
        raise ModelError("is_causal is false, which is not supported for a model with ALiBi.")
    tape.kv_layers = [
        layer if layer.window is None else replace(layer, window=layer.window + 1) for layer in tape.kv_layers
    ]
    for number, record in enumerate(tape.records):
        if isinstance(record, operations.Attend):
            window = tape.kv_layers[record.layer].window
            tape.records[number] = replace(record, window=window, ahead=record.window)


def _is_gate_of(gate: operations.Gate, product: operations.Linear) -> bool:
    """Whether the gate reads the two outputs of a product, the gated one second."""
    buffers = {gate.gate.buffer, gate.up.buffer, product.y.buffer}
    return len(product.weights) == 2 and len(buffers) == 1 and gate.gate.start < gate.up.start


def _fold_scale(fused: list[Record], attend: operations.Attend) -> operations.Attend:
    """Move the scale of scores into the rotation of queries, if that is their last operation."""
    for number in range(len(fused) - 1, -1, -1):
        match fused[number]:
            case operations.Rope(x=x, scale=scale) as rope if x == attend.q:
                fused[number] = replace(rope, scale=scale * attend.scale)
                return replace(attend, scale=1.0)
            case operations.Rope() | operations.WriteKV():
                pass
            case _:
                break
    return attend
