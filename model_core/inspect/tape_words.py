"""A tape in words: what each operation does, for people who learn how a model computes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..tape import operations
from ..tape.distances import PositionRows
from ..tape.operations import Record
from ..tape.references import Span, WeightRef
from ..tape.tape import Tape

MAX_RECORDS = 120  # of a layer, and of what comes before and after the layers
_LAYER = re.compile(r"(?:^|\.)(\d+)\.")  # the first number in the name of a weight
_SHARED = re.compile(r"\.shared_transformer\.")  # of Zamba2, behind the number of the layer
_MAP_WORDS = {
    "add": "the sum of {}",
    "multiply": "the product of {}, number by number",
    "multiply_add": "first plus second times third: {}",
    "mix": "a mixture of {}",
    "decay": "exp(-x) of {}",
    "swiglu": "silu of the first times the second: {}",
    "geglu": "gelu of the first times the second: {}",
}


@dataclass(frozen=True)
class Step:
    """An operation in words.

    Attributes:
        operation: its name, such as "attend".
        words: one sentence.
        writes: the buffer that it writes. shape: rows and columns of what it writes.
        weights: the names of its tensors, without what they have in common with other layers.
    """

    operation: str
    words: str
    writes: str
    shape: tuple[int, int]
    weights: tuple[str, ...]


@dataclass(frozen=True)
class TapeWords:
    """A tape: what happens before the layers, in the layer `layer` of `layers`, and after them."""

    begin: list[Step]
    inside: list[Step]
    end: list[Step]
    layer: int
    layers: int


def describe_tape(tape: Tape, layer: int, tokens: int) -> TapeWords:
    """The operations of a step of `tokens` tokens, one of which needs logits.

    `layer` is clipped to those that the tape has.
    """
    places = _find_layers(tape.records)
    layers = 1 + max((place for place in places if place is not None), default=-1)
    layer = min(layer, max(layers - 1, 0))
    parts: dict[str, list[Step]] = {"begin": [_describe_embedding(tape, tokens)], "inside": [], "end": []}
    rows, part = tokens, "begin"
    for record, place in zip(tape.records, places, strict=True):
        if isinstance(record, operations.TakeRows):
            rows = 1
        part = "inside" if place is not None else "begin" if part == "begin" else "end"
        if place in (None, layer) and len(parts[part]) < MAX_RECORDS:
            parts[part].append(_describe(record, rows, tape))
    return TapeWords(**parts, layer=layer, layers=layers)


def find_attends(tape_records: Sequence[Record]) -> list[tuple[int, int]]:
    """Where a tape attends: the number of the record, and of its layer."""
    return [
        (number, place or 0)
        for number, (record, place) in enumerate(zip(tape_records, _find_layers(tape_records), strict=True))
        if isinstance(record, operations.Attend)
    ]


def _find_layers(tape_records: Sequence[Record]) -> list[int | None]:
    """The layer of each record; None before the first and after the last one.

    Where layers share matrices, which have the name of the first, they are those of the layer that follows.
    """
    places: list[int | None] = []
    current: int | None = None
    shared: int | None = None  # the first record of a later layer that has had names of earlier ones only
    for number, record in enumerate(tape_records):
        match = next(filter(None, (_LAYER.search(weight.name) for weight in _weights(record))), None)
        found = None if match is None else int(match[1])
        is_shared = match is not None and _SHARED.match(match.string, match.end() - 1) is not None
        if found is not None and current is not None and is_shared and found < current:
            shared = number if shared is None else shared
        elif found is not None and (shared is None or current is None or found > current):
            if shared is not None:
                places[shared:] = [found] * (len(places) - shared)
            current, shared = found, None
        places.append(current)
    # What follows the last layer has weights without a number, or takes rows.
    for number in range(len(places) - 1, -1, -1):
        weights = _weights(tape_records[number])
        if weights and all(_LAYER.search(weight.name) for weight in weights):
            break
        if weights or isinstance(tape_records[number], operations.TakeRows | operations.Softcap):
            places[number:] = [None] * (len(places) - number)
    return places


def _weights(record: Record) -> tuple[WeightRef, ...]:
    """The weights of a record; of experts those of the first."""
    match record:
        case operations.Experts(gate_up=gate_up, down=down):
            return (*gate_up.weights[record.inner_weights(0)], *down.weights[:1])
        case operations.Linear(weights=weights, biases=biases):
            return (*weights, *biases)
        case operations.Map(inputs=inputs):
            return tuple(i for i in inputs if isinstance(i, WeightRef))
        case operations.XIELU():
            return record.weights
    values = (getattr(record, name, None) for name in ("weight", "bias", "table", "sinks", "rates"))
    return tuple(value for value in values if isinstance(value, WeightRef))


def _describe_embedding(tape: Tape, tokens: int) -> Step:
    table = tape.embedding
    words = f"Look up the row of each token in a table of {table.shape[0]:,} rows."
    return Step("embed", words, "x", (tokens, table.shape[1]), (table.name,))


def _describe(record: Record, rows: int, tape: Tape) -> Step:
    operation = _NAMES.get(type(record).__name__, type(record).__name__.lower())
    to: Span = next(getattr(record, name) for name in ("y", "x", "keys") if hasattr(record, name))
    names = tuple(dict.fromkeys(_LAYER.sub(".", weight.name).strip(".") for weight in _weights(record)))
    return Step(operation, _say(record, tape), to.buffer, (rows, to.width), names[:8])


_NAMES = {
    "WriteKV": "write_kv",
    "TakeRows": "take_rows",
    "AddPosition": "add_position",
    "SelectiveScan": "selective_scan",
}


def _say(record: Record, tape: Tape) -> str:
    """One sentence about a record."""
    match record:
        case operations.Norm(x, _, weight, _):
            each = f"each of the {x.heads} heads of " if x.heads > 1 else "each row of "
            scaled = "" if weight is None else ", and multiply by learned weights"
            return f"Divide {each}{x.buffer} by its root mean square{scaled}."
        case operations.Center(x, _):
            return f"Subtract the mean of each row of {x.buffer}."
        case operations.Linear(x, y, weights):
            parts = [weight.name.removesuffix(".weight").rpartition(".")[2] for weight in weights]
            sizes = " and ".join(
                f"{name} ({weight.rows})" for name, weight in zip(parts, weights, strict=True)
            )
            sense = ": the scores of all tokens of the vocabulary" if record.is_head else ""
            return f"Multiply {x.buffer} ({x.width} columns) by the matrix {sizes}{sense}."
        case operations.HeadLinear(x, y, PositionRows()):
            return f"Multiply each head of {x.buffer} by learned vectors of {y.size} distances."
        case operations.HeadLinear(x, _, WeightRef() as weight):
            name = weight.name.removesuffix(".weight").rpartition(".")[2]
            return f"Multiply each of the {x.heads} heads of {x.buffer} by its own part of the matrix {name}."
        case operations.Permute(x, y, _):
            return f"Put the columns of {x.buffer} in the order in which the next matrix was quantized."
        case operations.Rope(x, rope, _):
            part = "" if rope.partial == 1 else f" the first {rope.partial:.0%} of"
            whole = f"{part} each of {x.heads} heads of {x.buffer}"
            return f"Rotate{whole} by an angle that grows with the position."
        case operations.AddPosition(x, _):
            return f"Add the learned vector of each position to {x.buffer}."
        case operations.WriteKV(keys, values, layer):
            return (
                f"Keep the keys ({_heads(keys)}) and values ({_heads(values)}) of these positions "
                f"in KV layer {layer}."
            )
        case operations.Select(q, _, _, layer, unit, top):
            units = "positions" if unit == 1 else f"runs of {unit} positions"
            return f"Choose the {top} {units} to attend to, by {_heads(q)} and KV layer {layer} (indexer)."
        case operations.Attend():
            return _say_attend(record, tape)
        case operations.Gate(gate, _, _, activation):
            return f"Let {activation} of the first half of {gate.buffer} gate the second half."
        case operations.Add(x, y, factor):
            times = "" if factor == 1 else f"{factor:.4g} times "
            return f"Add {times}{x.buffer} to {y.buffer}: the residual connection."
        case operations.AddGiven(x, part):
            return f"Add part {part} of the rows of images to {x.buffer}, where there are some."
        case operations.Scale(x, factor, offset):
            more = f", and add {offset:.4g}" if offset else ""
            return f"Multiply {x.buffer} by {factor:.4g}{more}."
        case operations.Softcap(x, cap):
            return f"Keep {x.buffer} between -{cap:g} and {cap:g}, by tanh."
        case operations.TakeRows(x, _):
            return f"Go on with the rows of {x.buffer} that need logits: of a prompt the last."
        case operations.Route(x, _, routing, _):
            return f"Choose {routing.top_k} of {x.width} experts for each row, by their scores."
        case operations.Experts(x):
            return (
                f"Send each row of {x.buffer} through its experts, of {record.count}, and mix their outputs."
            )
        case operations.Map(function, inputs, _):
            names = ", ".join(i.buffer if isinstance(i, Span) else "learned numbers" for i in inputs)
            return _capitalize(_MAP_WORDS.get(function, function.replace("_", " ") + " of {}").format(names))
        case operations.XIELU(x, _):
            return f"Compute xIELU of {x.buffer}: a parabola above zero, an exponential curve below."
        case operations.Sinkhorn(x, _, n, _, _):
            return f"Scale the {n} x {n} matrix in {x.buffer} until its rows and columns sum to 1."
        case operations.Dot(x, z, _):
            return f"Sum {x.buffer} times {z.buffer} over the numbers of each head."
        case operations.Join(parts, _):
            return f"Put heads together: {', '.join(part.buffer for part in parts)}."
        case operations.Conv(x, _, weight, _, _):
            if weight is None:
                return f"Take {x.buffer} of the token before."
            return f"Mix each column of {x.buffer} over the last {weight.shape[-1]} tokens (convolution)."
        case operations.Pool(x, _, _, bias):
            return f"Mix each column of {x.buffer} over {bias.shape[0]} tokens, by the softmax of gates."
        case operations.Scan(v=v, k=k):
            return (
                f"Update the state of {v.heads} heads, {k.size} times {v.size} numbers each, "
                "token by token, and read it."
            )
        case operations.SelectiveScan(v=v, k=k):
            return (
                f"Update the state of {v.width} columns, {k.width} numbers each, which decay at their own "
                "rates, token by token, and read it."
            )
    raise NotImplementedError(f"{type(record).__name__} has no words")


def _say_attend(record: operations.Attend, tape: Tape) -> str:
    layer = tape.kv_layers[record.layer]
    shared = "" if layer.kv_heads == record.q.heads else f", which share {layer.kv_heads} heads of keys"
    window = "" if record.window is None else f" of the last {record.window} positions"
    if record.is_chunked:
        window = f" in their own chunk of {record.window} positions"
    added = ", to which a number is added by the distance" if record.distances or record.relative else ""
    whom = "all positions" if record.ahead is None else "the positions so far"
    whom = whom if record.chosen is None else "the chosen positions"
    return (
        f"Attend with {_heads(record.q)}{shared}: compare each query with the keys of {whom}{window}, "
        f"and mix their values by the softmax of the scores{added}."
    )


def _heads(span: Span) -> str:
    return f"{span.heads} heads of {span.size}" if span.heads > 1 else f"1 head of {span.size}"


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
