"""Binds a tape to its weights for the compiled interpreter: names become addresses."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .kernels import linear
from .kernels.emit import INT8
from .kernels.experts import MIXTURE
from .kernels.interpreter import (
    ADD,
    ADD_POSITION,
    ATTEND,
    CENTER,
    CONV,
    DOT,
    EXPERTS,
    INSTRUCTION,
    JOIN,
    LINEAR,
    MAP,
    NORM,
    QUANTIZE,
    ROPE,
    ROUTE,
    SCALE,
    SCAN,
    SOFTCAP,
    TAKE_ROWS,
    WRITE_KV,
)
from .kernels.linear import STRIP
from .kernels.pointwise import FUNCTIONS, OPERAND
from .kv_cache import KVGroup, group_layers
from .records import (
    Add,
    AddPosition,
    Attend,
    Center,
    Conv,
    Dot,
    Experts,
    Gate,
    Join,
    KVLayer,
    Linear,
    Map,
    Norm,
    Record,
    Rope,
    Route,
    Routing,
    Scale,
    Scan,
    Softcap,
    Span,
    TakeRows,
    WeightRef,
    WriteKV,
)
from .rope import RopeConfig
from .rope_table import RopeTable
from .state import state_offsets
from .weights import Matrix, aligned_zeros, round_up

MODES = {
    None: linear.SET,
    "silu": linear.SWIGLU,
    "gelu_tanh": linear.GEGLU,
    "clamped_swiglu": linear.CLAMPED_SWIGLU,
}
_GATES = {"silu": "swiglu", "gelu_tanh": "geglu"}  # activation -> function of a map


@dataclass
class Buffer:
    """A buffer of rows. `width`: floats of a row, a multiple of STRIP."""

    width: int = 0
    rows_per_token: int = 1
    is_input: bool = False  # of a product
    is_quantized: bool = False


@dataclass(frozen=True)
class Program:
    """A bound tape. `weights` keeps alive the weights whose addresses it has.

    Attributes:
        instructions: INSTRUCTION [n]; x and y are indices of `buffers`.
        buffers: by name, in the order of their indices.
        ropes: the tables of RoPE that instructions point into.
        kv_groups: the groups of KV layers that instructions name.
        experts: the largest number of experts of a mixture, 0 if there is none.
        experts_per_token: how many of them a token chooses at most.
    """

    instructions: np.ndarray
    buffers: dict[str, Buffer]
    ropes: list[RopeTable]
    kv_groups: list[KVGroup]
    weights: list[np.ndarray | Matrix]
    experts: int = 0
    experts_per_token: int = 0


def bind(
    records: list[Record],
    kv_layers: Sequence[KVLayer],
    matrix_of: Callable[[Linear], Matrix],
    vector_of: Callable[[WeightRef], np.ndarray],
    max_context: int,
    states: list[tuple[int, ...]],
) -> Program:
    """Bind fused records to weights. Raises NotImplementedError for an operation that has no kernel.

    Args:
        matrix_of: the matrix of a product.
        vector_of: the stored tensor of a weight that is no matrix.
        max_context: positions that tables of RoPE need.
        states: their shapes, by number (see Tape.states).
    """
    groups = group_layers(kv_layers)
    program = Program(np.zeros(0, INSTRUCTION), {}, [], groups, [])
    instructions: list[np.ndarray] = []
    tables: dict[tuple[RopeConfig, int], RopeTable] = {}
    quantized: set[str] = set()  # buffers that are quantized since they were last written
    for_logit_rows = False
    places = {  # of each KV layer
        layer: {"group": number, "layer": index}
        for number, group in enumerate(groups)
        for index, layer in enumerate(group.layers)
    }
    offsets, _ = state_offsets(states)

    def read(weight: WeightRef) -> np.ndarray:
        """A weight that is no matrix, in its own shape."""
        return weight.read(vector_of(weight))

    def store(rows: np.ndarray) -> int:
        """The address of a copy of rows that kernels read, padded to STRIP numbers."""
        copy = aligned_zeros((len(rows), round_up(rows.shape[1], STRIP)), np.float32)
        copy[:, : rows.shape[1]] = rows
        program.weights.append(copy)
        return copy.ctypes.data

    def operands(sources: Iterable[Span | WeightRef], y: Span) -> dict[str, np.ndarray]:
        """The fields for the inputs of an operation with the heads of y."""
        fields = {}
        for number, source in enumerate(sources):
            if isinstance(source, Span):
                buffer, start = _index(program, source), 4 * source.start
                heads, size = source.heads, source.size
            else:
                vector = read(source).reshape(1, -1)
                buffer, start = -1, store(vector)
                heads, size = y.heads, vector.size // y.heads
            operand = (buffer, start, y.heads // heads, 4 * size, 4 if size > 1 else 0)
            fields[f"input_{number}"] = np.array(operand, OPERAND)
        return fields

    def emit_map(function: str, inputs: tuple[Span | WeightRef, ...], y: Span) -> None:
        sizes = [i.width if isinstance(i, Span) else read(i).size for i in inputs]
        if all(size == y.width for size in sizes):  # nothing is repeated: as one head, in whole vectors
            inputs = tuple(replace(i, heads=1) if isinstance(i, Span) else i for i in inputs)
            y = replace(y, heads=1)
        inputs = (*inputs, *inputs[:1] * (3 - len(inputs)))  # kernels read three
        emit(MAP, y, y, mode=FUNCTIONS.index(function), **operands(inputs, y))

    def emit(op: int, x: Span, y: Span, **fields: Any) -> None:
        instruction = np.zeros(1, INSTRUCTION)
        values = {
            "op": op,
            "x": _index(program, x),
            "y": _index(program, y),
            "for_logit_rows": for_logit_rows,
        }
        values |= {"x_start": 4 * x.start, "y_start": 4 * y.start, "heads": x.heads, "size": x.size}
        for name, value in (values | fields).items():
            instruction[name] = value
        instructions.append(instruction)
        if op not in (QUANTIZE, WRITE_KV):
            quantized.discard(y.buffer)

    def address_of(weight: WeightRef | None) -> int:
        """The address of a vector, 0 for None."""
        return 0 if weight is None else store(read(weight).reshape(1, -1))

    def read_input(x: Span, matrix: Matrix) -> None:
        """Prepare the buffer of x as the input of a product."""
        program.weights.append(matrix)
        buffer = program.buffers.setdefault(x.buffer, Buffer())
        buffer.width, buffer.is_input = max(buffer.width, matrix.k), True
        if matrix.kind >= INT8 and x.buffer not in quantized:
            buffer.is_quantized = True
            emit(QUANTIZE, x, x, size=x.width, matrix=matrix.record())
            quantized.add(x.buffer)

    for record in records:
        match record:
            case Norm(x, y, weight, eps, floor):
                factors = np.ones(x.size, np.float32) if weight is None else read(weight)
                factors = factors.reshape(-1, x.size)  # the heads share them, or have a row each
                step = 4 * round_up(x.size, STRIP) if len(factors) > 1 else 0
                emit(NORM, x, y, weight=store(factors), weight_step=step, eps=eps, floor=floor)
            case Center(x, y):
                emit(CENTER, x, y)
            case Linear(x, y):
                matrix = matrix_of(record)
                read_input(x, matrix)
                mode = linear.ADD if record.adds else MODES[record.gate]
                emit(LINEAR, x, y, mode=mode, matrix=matrix.record())
                width = matrix.n // 2 if record.gate else matrix.n
                program.buffers[y.buffer].width = max(program.buffers[y.buffer].width, y.start + width)
            case Rope(x, rope, scale):
                if (rope, x.size) not in tables:
                    tables[rope, x.size] = RopeTable(rope, x.size, max_context)
                table = tables[rope, x.size]
                cos, sin = table.cos.ctypes.data, table.sin.ctypes.data
                fields = {"cos": cos, "sin": sin, "table_row": table.cos.strides[0]}
                emit(ROPE, x, x, mode=rope.is_interleaved, scale=scale, **fields)
            case AddPosition(x, table):
                rows = read(table)
                step = 4 * round_up(x.width, STRIP)
                emit(ADD_POSITION, x, x, weight=store(rows), weight_step=step)
            case WriteKV(keys, values, layer):
                emit(WRITE_KV, keys, values, **places[layer])
            case Attend(q, y, layer, scale, window, softcap, sinks):
                fields = {"window": window or 0, "cap": softcap or 0, "weight": address_of(sinks)}
                emit(ATTEND, q, y, **places[layer], scale=scale, **fields)
            case Add(x, y, factor):
                emit(ADD, x, y, scale=factor)
            case Scale(x, factor):
                emit(SCALE, x, x, scale=factor)
            case Softcap(x, cap):
                emit(SOFTCAP, x, x, cap=cap)
            case TakeRows(x, y):
                for_logit_rows = True
                emit(TAKE_ROWS, x, y)
            case Route(x, y, routing, bias):
                fields = {"eps": routing.epsilon, "scale": routing.scale}
                fields |= {"weight": address_of(bias), "mixture": mixture_record(routing, x.width)}
                emit(ROUTE, x, y, **fields)
            case Experts(x, routing_weights, y, routing, gate_up):
                matrix, down = matrix_of(gate_up), matrix_of(record.down)
                read_input(x, matrix)
                program.weights.append(down)
                inner = program.buffers.setdefault(gate_up.y.buffer, Buffer())
                gathered = program.buffers.setdefault("gathered", Buffer())
                widths = (gathered, program.buffers[x.buffer].width), (inner, matrix.n // record.count // 2)
                for buffer, width in widths:
                    buffer.width, buffer.is_input = max(buffer.width, width), True
                    buffer.rows_per_token = max(buffer.rows_per_token, routing.top_k)
                    buffer.is_quantized |= max(matrix.kind, down.kind) >= INT8
                mixture = mixture_record(routing, record.count)
                for name, span in (("routing_weights", routing_weights), ("inner", gate_up.y)):
                    mixture[name] = _index(program, span)
                mixture["gathered"] = list(program.buffers).index("gathered")
                mixture["down"] = down.record()
                emit(EXPERTS, x, y, mode=MODES[gate_up.gate], matrix=matrix.record(), mixture=mixture)
            case Gate(gate, up, y, activation):
                emit_map(_GATES[activation], (gate, up), y)
            case Map(function, inputs, y):
                emit_map(function, inputs, y)
            case Dot(x, z, y):
                emit(DOT, x, y, **operands((x, z), x))
            case Join(parts, y):
                start = y.start
                for part in parts:
                    to = replace(y, start=start)
                    emit(JOIN, part, to, heads=y.heads, size=y.size, **operands((part,), y))
                    start += part.size
            case Conv(x, y, weight, bias, state):
                fields = {"width": 2, "bias": address_of(bias), "state": offsets[state]}
                if weight is not None:
                    taps = read(weight).reshape(x.width, -1).T
                    fields |= {"weight": store(taps), "width": len(taps)}
                emit(CONV, x, y, heads=1, size=x.width, **fields)
            case Scan(w, v, k, r, y, state, a, b):
                fields = operands((w, v, k, r, a or k, b or k), y)
                mode = int(a is not None)
                emit(SCAN, v, y, keys=k.size, mode=mode, state=offsets[state], **fields)
            case _:
                raise NotImplementedError(f"{type(record).__name__} has no kernel")
    program.ropes.extend(tables.values())
    mixtures = [record for record in records if isinstance(record, Experts)]
    return replace(
        program,
        instructions=np.concatenate(instructions),
        experts=max((mixture.count for mixture in mixtures), default=0),
        experts_per_token=max((mixture.routing.top_k for mixture in mixtures), default=0),
    )


def mixture_record(routing: Routing, experts: int) -> np.ndarray:
    """The settings of a mixture as kernels see them."""
    mixture = np.zeros(1, MIXTURE)
    mixture["experts"], mixture["is_sigmoid"] = experts, routing.score == "sigmoid"
    for name in ("top_k", "normalizes", "groups", "top_groups", "group_top"):
        mixture[name] = getattr(routing, name)
    return mixture


def _index(program: Program, span: Span) -> int:
    """The index of a span's buffer, which is as wide as its widest span."""
    buffer = program.buffers.setdefault(span.buffer, Buffer())
    buffer.width = max(buffer.width, round_up(span.start + span.width, STRIP))
    return list(program.buffers).index(span.buffer)
