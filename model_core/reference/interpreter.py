"""Runs tapes in plain NumPy: the specification of kernels/interpreter.py. GPTQ calibrates with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..files.source import TensorSource, read_weights
from ..kernels.layout import STRIP
from ..machine.memory import round_up
from ..tape import operations
from ..tape.distances import PositionRows
from ..tape.low_rank import Adapter
from ..tape.operations import Record
from ..tape.references import Span, WeightRef
from ..tape.tape import Tape
from ..weights.codes import Codes, dequantize_codes
from . import operators as op
from . import selection

# Reads a weight as float32.
WeightReader = Callable[[WeightRef], np.ndarray]


def make_weight_reader(tensors: Mapping[str, np.ndarray] | TensorSource) -> WeightReader:
    """A function that reads weights from tensors of any float type, or from a source."""

    def read(weight: WeightRef) -> np.ndarray:
        if isinstance(tensors, Mapping):
            return weight.read(tensors[weight.name])
        stored = read_weights(tensors, weight)
        return dequantize_codes(stored) if isinstance(stored, Codes) else weight.finish(stored)

    return read


@dataclass
class Sequence:
    """One sequence: its keys, values and states so far, and the buffers of its present step.

    Attributes:
        keys, values: for each KV layer float32 [positions, kv_heads, head_dim].
        states: float32, by their numbers on the tape; those that are missing are zero.
        buffers: float32 [rows, columns] by name; float64 if the embeddings of the step are.
        adapter: changes products, but no embeddings; None: no change.
        positions: int [tokens] of the step. logit_rows: int, the rows of the step that need logits.
        axes, bounds: of the step, see model/batch.py; None: there are none.
        given: float32 [parts, tokens, width], what AddGiven adds; None: nothing.
    """

    keys: dict[int, np.ndarray] = field(default_factory=dict)
    values: dict[int, np.ndarray] = field(default_factory=dict)
    states: dict[int, np.ndarray] = field(default_factory=dict)
    buffers: dict[str, np.ndarray] = field(default_factory=dict)
    adapter: Adapter | None = None
    positions: np.ndarray = field(default_factory=lambda: np.arange(0))
    logit_rows: np.ndarray = field(default_factory=lambda: np.arange(0))
    axes: np.ndarray | None = None
    bounds: np.ndarray | None = None
    given: np.ndarray | None = None

    def begin(self, embeddings: Mapping[str, np.ndarray], logit_rows: np.ndarray | None = None) -> None:
        """Begin a step with embeddings [tokens, width], by their buffers. `logit_rows`: None for all."""
        tokens, start = len(embeddings["x"]), self.positions[-1] + 1 if len(self.positions) else 0
        self.positions = np.arange(start, start + tokens)
        self.logit_rows = np.arange(tokens) if logit_rows is None else logit_rows
        self.buffers = {name: rows.astype(_float_type(rows)) for name, rows in embeddings.items()}

    def rows(self, span: Span) -> np.ndarray:
        """float32 [rows, width]."""
        return self.buffers[span.buffer][:, span.columns]

    def get(self, span: Span) -> np.ndarray:
        """float32 [rows, heads, size]."""
        rows = self.rows(span)
        return rows.reshape(len(rows), span.heads, span.size)

    def put(self, span: Span, value: np.ndarray) -> None:
        """Write to the columns of a span, in a buffer that grows as needed."""
        rows, end = len(value), span.start + span.width
        buffer = self.buffers.get(span.buffer)
        if buffer is None or len(buffer) != rows:
            buffer = np.zeros((rows, end), _float_type(value))
        elif buffer.shape[1] < end:
            buffer = np.pad(buffer, ((0, 0), (0, end - buffer.shape[1])))
        buffer[:, span.start : end] = value.reshape(rows, -1)
        self.buffers[span.buffer] = buffer


def _float_type(values: np.ndarray) -> type[np.floating]:
    """What a step computes with: float64 if the values are, else float32."""
    return np.float64 if values.dtype == np.float64 else np.float32


def run(
    tape: Tape,
    weights: WeightReader,
    sequence: Sequence,
    embeddings: Mapping[str, np.ndarray],
    logit_rows: np.ndarray | None = None,
) -> np.ndarray:
    """Run one step of a sequence: embeddings (see Sequence.begin) -> logits [logit rows, vocabulary]."""
    sequence.begin(embeddings, logit_rows)
    for record in tape.records:
        execute(record, weights, sequence)
    return sequence.buffers["logits"]


def execute(record: Record, weights: WeightReader, s: Sequence) -> None:
    """Execute one record."""
    match record:
        case operations.Norm(x, y, weight, eps, floor):
            factors = 1.0 if weight is None else weights(weight).reshape(-1, x.size)
            s.put(y, op.rms_norm(s.get(x), factors, eps, floor))
        case operations.Center(x, y):
            s.put(y, op.center(s.get(x)))
        case operations.Linear():
            _linear(record, weights, s)
        case operations.HeadLinear(x, y, weight, is_transposed):
            if isinstance(weight, PositionRows):
                matrices = weight.read(weights).reshape(-1, x.heads, x.size).transpose(1, 2, 0)
                matrices = np.pad(matrices, ((0, 0), (0, 0), (0, y.size - matrices.shape[2])))
            else:
                stored = weights(weight).reshape(x.heads, -1, weight.shape[1])
                matrices = stored if is_transposed else stored.transpose(0, 2, 1)
            s.put(y, np.matmul(s.get(x).transpose(1, 0, 2), matrices).transpose(1, 0, 2))
        case operations.Permute(x, y, order):
            s.put(y, s.rows(x)[:, order])
        case operations.Rope(x, rope, scale):
            cos, sin = op.rope_table(s.positions, rope, x.size, s.axes)
            s.put(x, op.rotate(s.get(x), cos, sin, rope.is_interleaved) * np.float32(scale))
        case operations.AddPosition(x, table):
            s.put(x, s.rows(x) + weights(table)[s.positions])
        case operations.WriteKV(keys, values, layer):
            for cache, new in ((s.keys, s.get(keys)), (s.values, s.get(values))):
                cache[layer] = np.concatenate([cache[layer], new]) if layer in cache else new.copy()
        case operations.Attend(is_chunked=True):
            s.put(record.y, _attend_in_chunks(record, s))
        case operations.Attend(is_bounded=True) if s.bounds is not None:
            s.put(record.y, _attend_in_bounds(record, s))
        case operations.Attend(q, y, layer, scale, window, softcap, sinks, ahead, distances):
            past_keys, past_values = (cache[layer].transpose(1, 0, 2) for cache in (s.keys, s.values))
            added = None if distances is None else distances.read_rows(weights, past_keys.shape[1])
            if relative := record.relative:
                of_both = s.get(relative.of_queries), s.get(relative.of_keys)
                added = np.float32(scale) * op.relative_scores(*of_both, relative)
            if record.chosen is not None:
                bits, count = s.rows(record.chosen.bits), record.chosen.bits.heads
                kept = selection.read_chosen(bits, count, record.chosen.unit, past_keys.shape[1])
                added = np.where(np.repeat(kept, q.heads // count, axis=0), np.float32(0), -np.inf)
            scores = scale, window, softcap, sinks and weights(sinks), ahead, added
            s.put(y, op.attention(s.get(q), past_keys, past_values, *scores))
        case operations.Select(q, y, factors, layer):
            of_heads = None if factors is None else s.rows(factors)
            s.put(y, selection.select(record, s.get(q), s.keys[layer], of_heads, s.positions))
        case operations.Gate(gate, up, y, activation):
            s.put(y, op.gate(s.get(gate), s.get(up), activation))
        case operations.Add(x, y, factor):
            s.put(y, s.get(y) + np.float32(factor) * s.get(x))
        case operations.AddGiven(x, part):
            s.put(x, s.rows(x) if s.given is None else s.rows(x) + s.given[part])
        case operations.Scale(x, factor, offset):
            s.put(x, np.float32(factor) * s.get(x) + np.float32(offset))
        case operations.Softcap(x, cap):
            s.put(x, op.softcap(s.get(x), cap))
        case operations.TakeRows(x, y):
            s.put(y, s.get(x)[s.logit_rows])
        case operations.Route(x, y, routing, bias):
            s.put(y, op.route(s.rows(x), routing, None if bias is None else weights(bias)))
        case operations.Experts():
            s.put(record.y, _experts(record, weights, s))
        case operations.Map(function, inputs, y):
            s.put(y, op.FUNCTIONS[function](*(_input(i, y.heads, weights, s) for i in inputs)))
        case operations.XIELU(x, y):
            s.put(y, op.xielu(s.get(x), *(weights(weight).item() for weight in record.weights)))
        case operations.Sinkhorn(x, y, n, rounds, eps):
            s.put(y, op.sinkhorn(s.rows(x).reshape(-1, n, n), rounds, eps))
        case operations.Dot(x, z, y):
            s.put(y, np.sum(s.get(x) * s.get(z), axis=-1))
        case operations.Join(parts, y):
            s.put(y, np.concatenate([_input(part, y.heads, weights, s) for part in parts], axis=-1))
        case operations.Conv(x, y, weight, bias, state):
            taps = np.tile(np.array([1, 0], np.float32), (x.width, 1)) if weight is None else weights(weight)
            taps = taps.reshape(x.width, -1)
            before = s.states.get(state, np.zeros((taps.shape[1] - 1, x.width), np.float32))
            result, s.states[state] = op.conv(s.rows(x), taps, bias and weights(bias), before)
            s.put(y, result)
        case operations.Pool(x, gates, y, bias, state):
            before = s.states.get(state, np.zeros((2, bias.shape[0] - 1, x.width), np.float32))
            result, s.states[state] = selection.pool(s.rows(x), s.rows(gates), weights(bias), before)
            s.put(y, result)
        case operations.Scan():
            _scan(record, weights, s)
        case operations.SelectiveScan():
            _selective_scan(record, weights, s)


def _input(span: Span | WeightRef, heads: int, weights: WeightReader, s: Sequence) -> np.ndarray:
    """float32 [rows, heads, size]: the input of an operation with so many heads. A weight has one row."""
    if isinstance(span, Span):
        value = s.get(span)
    else:
        value = weights(span).reshape(1, -1)
        value = value.reshape(1, heads, -1)
    return np.repeat(value, heads // value.shape[1], axis=1)


def _attend_in_chunks(record: operations.Attend, s: Sequence) -> np.ndarray:
    """Attention of the tokens of each chunk to those before them in it: float32 [rows, heads * size]."""
    q, keys, values = s.get(record.q), s.keys[record.layer], s.values[record.layer]
    chunks, mixed = s.positions // record.window, []
    for chunk in np.unique(chunks):
        rows = chunks == chunk
        part = slice(chunk * record.window, s.positions[rows][-1] + 1)
        past_keys, past_values = (cache[part].transpose(1, 0, 2) for cache in (keys, values))
        mixed.append(op.attention(q[rows], past_keys, past_values, record.scale, None))
    return np.concatenate(mixed)


def _attend_in_bounds(record: operations.Attend, s: Sequence) -> np.ndarray:
    """Attention of tokens that also see the positions within their bounds: float32 [rows, heads * size]."""
    assert s.bounds is not None
    q, mixed = s.get(record.q), []
    for row, (position, (first, end)) in enumerate(zip(s.positions, s.bounds, strict=True)):
        start = 0 if record.window is None else max(0, position + 1 - record.window)
        seen = slice(min(start, first), max(position + 1, end))
        keys, values = (cache[record.layer][seen].transpose(1, 0, 2) for cache in (s.keys, s.values))
        mixed.append(op.attention(q[row : row + 1], keys, values, record.scale, None, record.softcap))
    return np.concatenate(mixed)


def _scan(record: operations.Scan, weights: WeightReader, s: Sequence) -> None:
    heads, keys, values = record.v.heads, record.k.size, record.v.size

    def get(span: Span) -> np.ndarray:
        value = _input(span, heads, weights, s)
        return np.broadcast_to(value, (*value.shape[:2], keys))

    state = s.states.get(record.state, np.zeros((heads, keys, values), np.float32))
    w, k, r = get(record.w), get(record.k), get(record.r)
    a, b = record.a and get(record.a), record.b and get(record.b)
    y, s.states[record.state] = op.scan(w, a, b, s.get(record.v), k, r, state)
    s.put(record.y, y)


def _selective_scan(record: operations.SelectiveScan, weights: WeightReader, s: Sequence) -> None:
    state = s.states.get(record.state, np.zeros((record.k.width, record.v.width), np.float32))
    dt, v, k, r = (s.rows(span) for span in (record.dt, record.v, record.k, record.r))
    y, s.states[record.state] = op.selective_scan(dt, v, k, r, weights(record.rates), state)
    s.put(record.y, y)


def _linear(record: operations.Linear, weights: WeightReader, s: Sequence) -> None:
    x, start = s.rows(record.x), record.y.start
    biases = record.biases or (None,) * len(record.weights)
    for weight, bias in zip(record.weights, biases, strict=True):
        width = weight.rows
        y = op.linear(x, weights(weight), bias and weights(bias))
        if s.adapter is not None and (low := s.adapter.products.get(weight.name)):
            y = y + op.low_rank(op.linear(x, low.a), low.part(weight), low.scale)
        s.put(Span(record.y.buffer, start, width), y)
        start += round_up(width, STRIP)


def _experts(record: operations.Experts, weights: WeightReader, s: Sequence) -> np.ndarray:
    x, routing_weights = s.rows(record.x), s.rows(record.routing_weights)
    y = np.zeros((len(x), record.y.width), x.dtype)
    for expert in range(record.count):
        rows = routing_weights[:, expert] != 0
        inner = expert_inner(record, expert, weights, x[rows])
        y[rows] += routing_weights[rows, expert, None] * expert_down(record, expert, weights, inner)
    return y


def expert_inner(record: operations.Experts, expert: int, weights: WeightReader, x: np.ndarray) -> np.ndarray:
    """activation(gate(x)) * up(x) of one expert, or activation(up(x)) of one without gate.

    float32 [rows, hidden] -> [rows, inner].
    """
    part, product = record.inner_weights(expert), record.gate_up
    biases = product.biases[part] or (None,) * len(product.weights[part])
    outputs = [
        op.linear(x, weights(weight), bias and weights(bias))
        for weight, bias in zip(product.weights[part], biases, strict=True)
    ]
    if product.gate is not None:
        gate, up = outputs
        return op.gate(gate, up, product.gate)
    assert product.activation is not None
    return op.FUNCTIONS[product.activation](*outputs)


def expert_down(
    record: operations.Experts, expert: int, weights: WeightReader, inner: np.ndarray
) -> np.ndarray:
    """The down projection of one expert: float32 [rows, inner] -> [rows, hidden]."""
    bias = record.down.biases[expert] if record.down.biases else None
    return op.linear(inner, weights(record.down.weights[expert]), bias and weights(bias))
