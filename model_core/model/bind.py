"""Binds a tape to its weights for the compiled interpreter: names become addresses."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..adapters.packing import AdaptedTensor, find_half_strips, find_tensors
from ..cache.memory import group_layers
from ..cache.states import state_offsets
from ..kernels.interpreter import INSTRUCTION, Operation
from ..kernels.layout import EXACT, PAGE, STATE_COLUMNS, STRIP
from ..kernels.pointwise import OPERAND, Function
from ..kernels.products import linear
from ..kernels.products.experts import MIXTURE, SCORES
from ..machine.exact_math import exp, log
from ..machine.memory import aligned_zeros, round_up
from ..tape import operations
from ..tape.distances import DistanceBias, RelativeScores
from ..tape.operations import Record, Routing
from ..tape.references import Span, WeightRef
from ..tape.rope import RopeConfig
from ..tape.selection import Chosen
from ..tape.tape import Tape
from ..weights.matrix import Matrix
from .loaded_weights import LoadedWeights
from .program import Buffer, Program
from .rope_table import RopeTable

# activation of a product, or of its gate -> mode of the kernel
_MODES = {
    None: linear.SET,
    "relu_squared": linear.RELU_SQUARED,
    "silu": linear.SWIGLU,
    "gelu_tanh": linear.GEGLU,
    "clamped_swiglu": linear.CLAMPED_SWIGLU,
    "swiglu_to_10": linear.SWIGLU_TO_10,
    "capped_swiglu_to_7": linear.CAPPED_SWIGLU_TO_7,
    "capped_swiglu_to_16": linear.CAPPED_SWIGLU_TO_16,
}
_ALL_POSITIONS = 2**31
_TINY = 1e-30  # changes no sum of scores that are
_GATES = {"silu": "swiglu", "gelu_tanh": "geglu"}  # activation -> function of a map, if it is another name


def bind(tape: Tape, weights: LoadedWeights, max_context: int, arithmetic: str, parts: int) -> Program:
    """Bind a tape to its weights. Raises NotImplementedError for a record that has no kernel.

    max_context: positions that tables of RoPE need. For the others see Transformer.
    """
    binder = _Binder(tape, weights, max_context, arithmetic, parts)
    sources: list[int] = []
    for number, record in enumerate(weights.records):
        binder.bind(record)
        sources += [number] * (len(binder.instructions) - len(sources))
    mixtures = [record for record in weights.records if isinstance(record, operations.Experts)]
    return Program(
        instructions=np.concatenate(binder.instructions),
        buffers=binder.buffers,
        ropes=list(binder.ropes.values()),
        kv_groups=binder.kv_groups,
        weights=binder.weights,
        tensors=binder.tensors,
        experts=max((mixture.count for mixture in mixtures), default=0),
        experts_per_token=max((mixture.routing.top_k for mixture in mixtures), default=0),
        head=len(binder.instructions) if binder.head is None else binder.head,
        sources=sources,
    )


class _Binder:
    """Writes instructions. The arguments are those of `bind`."""

    def __init__(
        self, tape: Tape, weights: LoadedWeights, max_context: int, arithmetic: str, parts: int
    ) -> None:
        self.instructions: list[np.ndarray] = []
        self.buffers: dict[str, Buffer] = {}
        self.ropes: dict[tuple[RopeConfig, int], RopeTable] = {}
        self.weights: list[np.ndarray | Matrix] = []
        self.tensors: list[AdaptedTensor] = []
        self.head: int | None = None
        self.kv_groups = group_layers(tape.kv_layers)
        self._matrices, self._vectors, self._max_context = weights.matrices, weights.vectors, max_context
        self._arithmetic, self._parts = arithmetic, parts
        self._embedding = tape.embedding.name if tape.embeddings else ""
        self._state_starts = state_offsets(tape.states)[0]  # bytes into a slot
        self._kv_places = {  # of each KV layer
            layer: {"group": number, "layer": index}
            for number, group in enumerate(self.kv_groups)
            for index, layer in enumerate(group.layers)
        }
        self._distances: dict[DistanceBias, dict[str, int]] = {}  # that layers share
        self._orders: dict[str, tuple[int, ...]] = {}  # of permuted inputs, by the buffer
        # Buffers that are quantized since they were last written: the rounding and the address of the balance
        # that their codes have; and those that are split.
        self._quantized: dict[str, tuple[int, int]] = {}
        self._split: set[str] = set()
        self._for_logit_rows = False

    def bind(self, record: Record) -> None:
        """Write the instructions of a record."""
        fields: dict[str, Any]
        match record:
            case operations.Norm(x, y, weight, eps, floor):
                factors = np.ones(x.size, np.float32) if weight is None else self._read(weight)
                factors = factors.reshape(-1, x.size)  # the heads share them, or have a row each
                step = 4 * round_up(x.size, STRIP) if len(factors) > 1 else 0
                self._emit("norm", x, y, weight=self._store(factors), weight_step=step, eps=eps, floor=floor)
            case operations.Center(x, y):
                self._emit("center", x, y)
            case operations.Linear():
                self._bind_linear(record)
            case operations.HeadLinear(x, y, weight):
                matrix = self._matrices[weight,]
                self._prepare_input(x, matrix)
                self._emit("linear", x, y, mode=linear.SET, matrix=matrix.record())
            case operations.Permute(x, y, order):
                self._orders[y.buffer] = order
                indices = aligned_zeros((len(order),), np.int32)
                indices[:] = order
                self.weights.append(indices)
                self._emit("permute", x, y, weight=indices.ctypes.data)
            case operations.Rope(x, rope, scale):
                table = self.ropes.get((rope, x.size))
                if table is None:
                    table = self.ropes[rope, x.size] = RopeTable(rope, x.size, self._max_context)
                fields = {"cos": table.cos.ctypes.data, "sin": table.sin.ctypes.data}
                fields |= {"table_row": table.cos.strides[0], "mode": rope.is_interleaved}
                self._emit("rope", x, x, scale=scale, **fields)
            case operations.AddPosition(x, table):
                step = 4 * round_up(x.width, STRIP)
                self._emit("add_position", x, x, weight=self._store(self._read(table)), weight_step=step)
            case operations.WriteKV(keys, values, layer):
                self._emit("write_kv", keys, values, **self._kv_places[layer])
            case operations.Attend(q, y, layer, scale, window, softcap, sinks, ahead, distances):
                fields = {"window": window or 0, "cap": softcap or 0, "weight": self._address_of(sinks)}
                fields["ahead"] = _ALL_POSITIONS if ahead is None else ahead
                fields["chunk"] = window if record.is_chunked else 0
                fields["bounded"] = record.is_bounded
                fields |= {} if distances is None else self._bias_by_distance(distances)
                fields |= {} if record.relative is None else self._numbers_by_distance(record.relative, q)
                fields |= {} if record.chosen is None else self._chosen(record.chosen, layer)
                self._emit("attend", q, y, **self._kv_places[layer], scale=scale, **fields)
            case operations.Add(x, y, factor):
                self._emit("add", x, y, scale=factor)
            case operations.AddGiven(x, given_part):
                self._emit("add_given", x, x, part=given_part)
            case operations.Scale(x, factor, offset):
                self._emit("scale", x, x, scale=factor, offset=offset)
            case operations.Softcap(x, cap):
                self._emit("softcap", x, x, cap=cap)
            case operations.TakeRows(x, y):
                self._for_logit_rows = True
                self._emit("take_rows", x, y)
            case operations.Route(x, y, routing, bias):
                # Of scores that are no numbers none is chosen. Their sum, 0, must not be divided by.
                fields = {"eps": routing.nearness or routing.epsilon or _TINY, "scale": routing.scale}
                fields |= {"weight": self._address_of(bias), "mixture": mixture_record(routing, x.width)}
                self._emit("route", x, y, **fields)
            case operations.Experts():
                self._bind_experts(record)
            case operations.Gate(gate, up, y, activation):
                self._emit_map(_GATES.get(activation, activation), (gate, up), y)
            case operations.Map(function, inputs, y):
                self._emit_map(function, inputs, y)
            case operations.XIELU(x, y):
                self._emit("xielu", x, y, weight=self._store(self._xielu_numbers(record)))
            case operations.Sinkhorn(x, y, n, rounds, eps):
                self._emit("sinkhorn", x, y, width=n, rounds=rounds, eps=eps)
            case operations.Dot(x, z, y):
                self._emit("dot", x, y, **self._operands((x, z), x))
            case operations.Join(parts, y):
                start = y.start
                for part in parts:
                    to, operands = replace(y, start=start), self._operands((part,), y)
                    self._emit("join", part, to, heads=y.heads, size=y.size, **operands)
                    start += part.size
            case operations.Conv(x, y, weight, bias, state):
                fields = {"width": 2, "bias": self._address_of(bias), "state": self._state_starts[state]}
                if weight is not None:
                    taps = self._read(weight).reshape(x.width, -1).T
                    fields |= {"weight": self._store(taps), "width": len(taps)}
                self._emit("conv", x, y, heads=1, size=x.width, **fields)
            case operations.Scan(w, v, k, r, y, state, a, b):
                fields = self._operands((w, v, k, r, a or k, b or k), y)
                fields |= {"state": self._state_starts[state], "mode": a is not None}
                self._emit("scan", v, y, keys=k.size, **fields)
            case operations.Select(q, y, factors, layer, unit, top, local):
                fields = {"unit": unit, "top": top, "local": local, **self._kv_places[layer]}
                fields |= self._operands((factors or q, y), y)
                if factors is None:
                    fields["input_0"]["buffer"] = -1
                self._emit("select", q, y, **fields)
            case operations.Pool(x, gates, y, bias, state):
                fields = {"width": bias.shape[0], "weight": self._store(self._read(bias))}
                fields |= self._operands((x, gates), x) | {"state": self._state_starts[state]}
                self._emit("pool", x, y, heads=1, size=x.width, **fields)
            case operations.SelectiveScan(dt, v, k, r, y, rates, state):
                fields = self._operands((dt, v, k, r), y) | {"state": self._state_starts[state]}
                columns = round_up(v.width, STATE_COLUMNS)
                padded = np.pad(self._read(rates), ((0, columns - v.width), (0, 0)))
                blocks = padded.reshape(-1, STATE_COLUMNS, k.width).swapaxes(1, 2)
                fields["weight"] = self._store(blocks.reshape(-1, STATE_COLUMNS))
                self._emit("selective_scan", v, y, keys=k.width, **fields)
            case _:
                raise NotImplementedError(f"{type(record).__name__} has no kernel")

    def _xielu_numbers(self, record: operations.XIELU) -> np.ndarray:
        """p, n, beta and eps of xIELU: float32 [1, 4]."""
        alpha_p, alpha_n, beta, eps = (self._read(weight) for weight in record.weights)
        p, n = (log(1 + exp(alpha).item()) for alpha in (alpha_p, alpha_n))
        return np.array([[p, beta.item() + n, beta.item(), eps.item()]], np.float32)

    def _bind_linear(self, record: operations.Linear) -> None:
        x, y, matrix = record.x, record.y, self._matrices[record.weights]
        if record.is_head:
            self.head = len(self.instructions)
        self._prepare_input(x, matrix)
        mode = linear.ADD if record.adds else _MODES[record.gate or record.activation]
        rounding, order = matrix.rounding(self._arithmetic), self._orders.get(x.buffer)
        tensors = find_tensors(record, matrix, rounding, self._embedding, order)
        half_strips = find_half_strips(record)
        self.weights.append(half_strips)
        fields = {
            "tensor": len(self.tensors),
            "tensors": len(tensors),
            "half_strips": half_strips.ctypes.data,
        }
        self.tensors += tensors
        record_of_matrix = matrix.record(self._arithmetic, self._parts)
        if record_of_matrix["parts"] and x.buffer not in self._split:
            self.buffers[x.buffer].parts = self._parts
            self._emit("split", x, x, size=x.width, matrix=record_of_matrix)
            self._split.add(x.buffer)
        self._emit("linear", x, y, mode=mode, matrix=record_of_matrix, **fields)
        width = matrix.n // 2 if record.gate else matrix.n
        self.buffers[y.buffer].width = max(self.buffers[y.buffer].width, y.start + width)

    def _bias_by_distance(self, distances: DistanceBias) -> dict[str, int]:
        """The fields for what attention adds by distance: pages may reach beyond the last position."""
        if distances not in self._distances:
            reach = round_up(self._max_context, PAGE)
            rows = distances.read_rows(self._read, reach)
            address, step = self._store(rows), 4 * round_up(rows.shape[1], STRIP)
            self._distances[distances] = {"bias": address + 4 * reach, "weight_step": step}
        return self._distances[distances]

    def _numbers_by_distance(self, relative: RelativeScores, q: Span) -> dict[str, Any]:
        """The fields for what attention adds from numbers of queries and keys."""
        reach = round_up(self._max_context, PAGE)
        columns = aligned_zeros((2 * reach,), np.int32)
        columns[:] = relative.columns_of(reach)
        self.weights.append(columns)
        operands = self._operands((relative.of_queries, relative.of_keys), q)
        return operands | {"columns": columns.ctypes.data + 4 * reach}

    def _chosen(self, chosen: Chosen, layer: int) -> dict[str, Any]:
        """The fields for the positions that attention is confined to: heads of bits serve KV heads."""
        group = self.kv_groups[self._kv_places[layer]["group"]]
        heads = replace(chosen.bits, heads=group.shape.kv_heads, width=group.shape.kv_heads)
        operand = self._operands((chosen.bits,), heads)["input_0"]
        return {"unit": chosen.unit, "input_2": operand}

    def _bind_experts(self, record: operations.Experts) -> None:
        x, gate_up = record.x, record.gate_up
        matrix, down = self._matrices[gate_up.weights], self._matrices[record.down.weights]
        self._prepare_input(x, matrix)
        self.weights.append(down)
        inner = self.buffers.setdefault(gate_up.y.buffer, Buffer())
        gathered = self.buffers.setdefault("gathered", Buffer())
        outputs = matrix.n // record.count // (2 if gate_up.gate else 1)
        inner.width = max(inner.width, outputs, round_up(down.k, STRIP))
        gathered.width = max(gathered.width, self.buffers[x.buffer].width)
        for buffer in (inner, gathered):
            buffer.is_input = True
            buffer.rows_per_token = max(buffer.rows_per_token, record.routing.top_k)
            buffer.is_quantized |= any(m.rounding(self._arithmetic) != EXACT for m in (matrix, down))
        mixture = mixture_record(record.routing, record.count)
        mixture["routing_weights"], mixture["inner"] = map(self._index, (record.routing_weights, gate_up.y))
        mixture["gathered"] = list(self.buffers).index("gathered")
        mixture["down"] = down.record(self._arithmetic)
        mode = _MODES[gate_up.gate or gate_up.activation]
        fields = {"mode": mode, "matrix": matrix.record(self._arithmetic), "mixture": mixture}
        self._emit("experts", x, record.y, **fields)

    def _prepare_input(self, x: Span, matrix: Matrix) -> None:
        """Prepare the buffer of x as the input of a product."""
        self.weights.append(matrix)
        buffer = self.buffers.setdefault(x.buffer, Buffer())
        buffer.width, buffer.is_input = max(buffer.width, round_up(matrix.k, STRIP)), True
        rounding = matrix.rounding(self._arithmetic)
        codes = rounding, 0 if matrix.balance is None else matrix.balance.ctypes.data
        if rounding != EXACT and self._quantized.get(x.buffer) != codes:
            buffer.is_quantized = True
            self._emit("quantize", x, x, size=x.width, matrix=matrix.record(self._arithmetic))
            self._quantized[x.buffer] = codes

    def _emit_map(self, function: str, inputs: tuple[Span | WeightRef, ...], y: Span) -> None:
        sizes = [i.width if isinstance(i, Span) else self._read(i).size for i in inputs]
        if all(size == y.width for size in sizes):  # nothing is repeated: as one head, in whole vectors
            inputs = tuple(replace(i, heads=1) if isinstance(i, Span) else i for i in inputs)
            y = replace(y, heads=1)
        inputs = (*inputs, *inputs[:1] * (3 - len(inputs)))  # kernels read three
        self._emit("map", y, y, mode=Function[function.upper()], **self._operands(inputs, y))

    def _emit(self, operation: str, x: Span, y: Span, **fields: Any) -> None:
        """Write an instruction."""
        instruction = np.zeros(1, INSTRUCTION)
        values = {
            "op": Operation[operation.upper()],
            "x": self._index(x),
            "y": self._index(y),
            "x_start": 4 * x.start,
            "y_start": 4 * y.start,
            "heads": x.heads,
            "size": x.size,
            "for_logit_rows": self._for_logit_rows,
        }
        for name, value in (values | fields).items():
            instruction[name] = value
        self.instructions.append(instruction)
        if operation not in ("quantize", "split", "write_kv"):
            self._quantized.pop(y.buffer, None)
            self._split.discard(y.buffer)

    def _operands(self, sources: Iterable[Span | WeightRef], y: Span) -> dict[str, Any]:
        """The fields for the inputs of an operation with the heads of y."""
        fields = {}
        for number, source in enumerate(sources):
            if isinstance(source, Span):
                buffer, start = self._index(source), 4 * source.start
                heads, size = source.heads, source.size
            else:
                vector = self._read(source).reshape(1, -1)
                buffer, start = -1, self._store(vector)
                heads, size = y.heads, vector.size // y.heads
            operand = (buffer, start, y.heads // heads, 4 * size, 4 if size > 1 else 0)
            fields[f"input_{number}"] = np.array(operand, OPERAND)
        return fields

    def _index(self, span: Span) -> int:
        """The index of a span's buffer, which is as wide as its widest span."""
        buffer = self.buffers.setdefault(span.buffer, Buffer())
        buffer.width = max(buffer.width, round_up(span.start + span.width, STRIP))
        return list(self.buffers).index(span.buffer)

    def _read(self, weight: WeightRef) -> np.ndarray:
        """A weight that is no matrix, in its own shape."""
        return weight.read(self._vectors[weight])

    def _store(self, rows: np.ndarray) -> int:
        """The address of a copy of rows that kernels read, padded to STRIP numbers."""
        copy = aligned_zeros((len(rows), round_up(rows.shape[1], STRIP)), np.float32)
        copy[:, : rows.shape[1]] = rows
        self.weights.append(copy)
        return copy.ctypes.data

    def _address_of(self, weight: WeightRef | None) -> int:
        """The address of a vector, 0 for None."""
        return 0 if weight is None else self._store(self._read(weight).reshape(1, -1))


def mixture_record(routing: Routing, experts: int) -> np.ndarray:
    """The settings of a mixture as kernels see them."""
    mixture = np.zeros(1, MIXTURE)
    mixture["experts"], mixture["score"] = experts, SCORES.index(routing.score)
    for name in ("top_k", "normalizes", "groups", "top_groups", "group_top"):
        mixture[name] = getattr(routing, name)
    return mixture
