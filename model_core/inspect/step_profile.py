"""One step of a model, operation by operation: its time, and the time that the machine allows.

What is allowed follows the roofline model (Williams et al., 2009): an operation takes at least the time in
which memory gives its bytes, and the time of its multiplications and additions. An operation whose numbers
are still in a cache may be faster than memory allows.
"""

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cache.memory import PAGE, KVCache
from ..errors import InvalidRequest, NoMemory
from ..kernels.interpreter import Operation
from ..kernels.roofline import measure_arithmetic, measure_bandwidth
from ..llm.llm import LLM
from ..machine.resources import available_memory
from ..model.batch import Batch, BatchBuilder
from ..tape.operations import Attend, Experts, Linear, Record
from ..tape.passes import place_of_taking

MAX_CONTEXT = 128
# name -> sequences, and tokens of each that the step computes
LOADS = {"one answer": (1, 1), "eight answers": (8, 1), "a prompt": (1, 256)}
_SPARE_MEMORY = 2**29  # bytes that must be left, for the measurement of the machine too
_MAX_STEPS, _MAX_SECONDS = 5, 0.3


@dataclass(frozen=True)
class OperationTime:
    """All operations of one kind in a step.

    Attributes:
        name: of the operation; products are told apart by the buffers that they write.
        count: how many there are in the step.
        seconds: of all of them together.
        memory_bytes: of weights, keys and values that they read; what stays in caches is not counted.
        arithmetic: their multiplications and additions.
        least_seconds: what the machine allows.
        limit: "memory" or "arithmetic", whichever takes longer; "" for operations that need little of both.
    """

    name: str
    count: int
    seconds: float
    memory_bytes: int
    arithmetic: int
    least_seconds: float
    limit: str


@dataclass(frozen=True)
class StepProfile:
    """A step, its load, and the limits of the machine in bytes and operations a second."""

    load: str
    sequences: int
    tokens: int
    context: int
    threads: int
    seconds: float
    bandwidth: float
    operations_per_second: float
    operations: list[OperationTime]


def profile_step(llm: LLM, load: str) -> StepProfile:
    """Compute a few steps of random tokens in memory of their own; the fastest one is described.

    Requests go on between these steps. Raises InvalidRequest for an unknown load or a model without a head,
    or NoMemory.
    """
    if load not in LOADS:
        raise InvalidRequest(f"profile must be one of {', '.join(LOADS)}.", "profile")
    model = llm.model
    if not model.has_head:
        raise InvalidRequest("this model makes no text; its steps are not profiled.", "model")
    (sequences, tokens), room = LOADS[load], llm.engine.limits.max_context
    tokens = min(tokens, room)
    context = max(0, min(MAX_CONTEXT, room) - tokens) if tokens == 1 else 0  # before the tokens of the step
    batch, cache = _make_load(llm, sequences, tokens, context)
    with model.turns:
        bandwidth, rate = measure_machine(model.threads, model.arithmetic_kind)
    times, end = list[np.ndarray](), time.monotonic() + _MAX_SECONDS
    while len(times) < 2 or (len(times) < _MAX_STEPS and time.monotonic() < end):  # the first one is slow
        _rewind(cache, sequences, context)
        times.append(model.profile_step(batch, cache))
    seconds = min(times, key=lambda step: float(step.sum()))
    operations = _group_operations(llm, seconds, sequences, tokens, context, bandwidth, rate)
    return StepProfile(
        load, sequences, tokens, context, model.threads, float(seconds.sum()), bandwidth, rate, operations
    )


_machine_lock = threading.Lock()  # two measurements at once would share the machine
_best: dict[tuple[int, int], tuple[float, float]] = {}  # by threads and kind of numbers


def measure_machine(threads: int, kind: int) -> tuple[float, float]:
    """Bytes and operations a second: the best so far, for other programs may have disturbed a measurement."""
    with _machine_lock:
        measured = measure_bandwidth(threads), measure_arithmetic(kind, threads)
        bandwidth, rate = _best.get((threads, kind), measured)
        _best[threads, kind] = max(bandwidth, measured[0]), max(rate, measured[1])
        return _best[threads, kind]


def _make_load(llm: LLM, sequences: int, tokens: int, context: int) -> tuple[Batch, KVCache]:
    groups, dtype, end = llm.model.kv_groups, llm.kv_cache_dtype, context + tokens
    pages = len(groups) * sequences * -(-end // PAGE)
    if pages * KVCache.bytes_per_page(groups, dtype) + _SPARE_MEMORY > available_memory():
        raise NoMemory("the server has too little free memory to profile a step; try again later.")
    cache, tables = llm.model.create_cache(sequences, end, dtype)
    cache.memory[...] = 0  # the system provides the memory now
    builder, random = BatchBuilder(), np.random.default_rng(0)
    for _ in range(sequences):
        drawn = random.integers(0, llm.model.config.vocab_size, tokens).tolist()
        builder.add(drawn, context, range(end - 1, end))
    return builder.build(tables), cache


def _rewind(cache: KVCache, sequences: int, position: int) -> None:
    """Let the next step begin at this position again."""
    if cache.states is not None:
        for slot in range(sequences):
            cache.states.write(slot, np.zeros(cache.states.slot_bytes // 4, np.float32), position)


def _group_operations(
    llm: LLM, seconds: np.ndarray, sequences: int, tokens: int, context: int, bandwidth: float, rate: float
) -> list[OperationTime]:
    """The operations of a step by their names, the longest first."""
    model = llm.model
    place = place_of_taking(model.records)
    totals: dict[str, list[Any]] = {}  # count, seconds, bytes, arithmetic, least seconds
    for name, source, taken in zip(model.operation_names, model.sources, seconds, strict=True):
        record = model.records[source]
        size, work = 0, 0
        if Operation[name.split()[0].upper()] >= Operation.LINEAR:  # and no preparation of one
            rows = sequences if source > place else sequences * tokens
            size, work = _demand(llm, record, rows, sequences, tokens, context)
        least = max(size / bandwidth, work / rate)
        total = totals.setdefault(name, [0, 0.0, 0, 0, 0.0])
        for index, value in enumerate((1, float(taken), size, work, least)):
            total[index] += value
    return [
        OperationTime(name, count, seconds, size, work, least, _name_limit(size / bandwidth, work / rate))
        for name, (count, seconds, size, work, least) in sorted(totals.items(), key=lambda item: -item[1][1])
    ]


def _name_limit(memory_seconds: float, arithmetic_seconds: float) -> str:
    if not memory_seconds and not arithmetic_seconds:
        return ""
    return "memory" if memory_seconds >= arithmetic_seconds else "arithmetic"


def _demand(
    llm: LLM, record: Record, rows: int, sequences: int, tokens: int, context: int
) -> tuple[int, int]:
    """The bytes that an operation of a step reads from memory, and its multiplications and additions.

    rows: that it computes, all tokens or only those that need logits.
    """
    model = llm.model
    match record:
        case Linear():
            matrix = model.weights.matrices[record.weights]
            return matrix.nbytes, 2 * rows * matrix.n * matrix.k
        case Experts():
            top_k, count = record.routing.top_k, record.count
            matrices = [model.weights.matrices[product.weights] for product in (record.gate_up, record.down)]
            used = min(count, rows * top_k)
            size = sum(matrix.nbytes for matrix in matrices) * used // count
            return size, sum(2 * rows * top_k * m.n * m.k for m in matrices) // count
        case Attend():
            layer = model.tape.kv_layers[record.layer]
            length = context + tokens if record.window is None else min(record.window, context + tokens)
            itemsize = {"float32": 4, "float16": 2, "int16": 2, "int8": 1}[llm.kv_cache_dtype]
            seen = (length + 1) / 2 if context == 0 else length  # the mean of a prompt's tokens
            per_position = layer.key_dim + layer.value_dim
            return (
                sequences * length * layer.size * itemsize,
                int(2 * rows * record.q.heads * per_position * seen),
            )
    return 0, 0
