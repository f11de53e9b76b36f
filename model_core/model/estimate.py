"""How much memory a model will take, from its configuration and the headers of its files."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from ..cache.memory import KVCache, group_layers
from ..cache.states import state_offsets
from ..errors import ModelError, NoMemory
from ..families import read_model_config, write_tape
from ..families.config import stretch
from ..families.vision.parts import Stage
from ..families.vision.registry import write_tower
from ..files.model_files import ModelFiles
from ..files.source import TensorSource, find_name
from ..files.vision import PatchSource, read_vision
from ..kernels.layout import BFLOAT16, FLOAT16, FLOAT32, GROUP, INT8, PAGE, STEPPED_BITS
from ..tape.distances import PositionRows
from ..tape.operations import Attend, Experts, Linear
from ..tape.passes import (
    buffer_widths,
    distinct_products,
    drop_head,
    head_products,
    products,
    tables,
    vector_refs,
)
from ..tape.references import WeightRef
from ..tape.tape import Tape
from .draft_heads import find_mtp_tape
from .packer import choose_head_kind, choose_matrix_kind
from .tied_head import untie_stored_head

# Bits of a weight in memory by its kind, with its share of the scales of groups.
_BITS = {FLOAT32: 32.0, BFLOAT16: 16.0, FLOAT16: 16.0, INT8: 8.0 + 16 / GROUP} | {
    kind: bits + 0.25 for kind, bits in STEPPED_BITS.items()
}
# Weights that are quantized in the file become indices of 4 bits or numbers of 8 bits in memory, with scales
# that are less packed: (most bits in the file, bits in memory). Those of 8 bits and more stay as they are.
_CODES_BITS = ((2.1, 4.3), (2.6, 4.6), (2.7, 5.1), (5.2, 4.6), (7.9, 8.6))
_CONTEXT = 4096  # positions that the memory should at least be enough for, if the user does not say
_PROCESS = 256 * 2**20  # the program with its kernels and buffers; 212 MiB with the embedded model


@dataclass(frozen=True)
class MemoryFlags:
    """The settings of a model that say how much memory it takes, see LLMSettings."""

    weights: str
    max_context: int | None
    kv_cache_memory: int | None
    kv_cache_dtype: str
    mtp: bool = True  # whether an MTP head is loaded where there is one


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory that a model will take, in bytes.

    Attributes:
        weights: of the weights.
        kv: of keys and values, and of recurrent states.
        context: positions of the one request that `kv` is for; None if the user says how large `kv` is.
        image: of what the tower computes for the largest image, and forgets.
    """

    weights: int
    kv: int
    context: int | None
    image: int

    @property
    def total(self) -> int:
        """All together, with the program."""
        return self.weights + self.kv + self.image + _PROCESS


@dataclass(frozen=True)
class StepEstimate:
    """What a step of one token takes.

    Attributes:
        read_bytes: of the weights that it reads: of experts those that it chooses.
        multiplications: of the layers.
        head_multiplications: of the head, which a prompt has for its last token alone.
        attended: numbers of the queries of all layers, each of which meets every position.
    """

    read_bytes: int
    multiplications: int
    head_multiplications: int
    attended: int


class ModelTooLarge(NoMemory):
    """A model that needs more memory than there is.

    Attributes:
        needed: the memory that it needs. free: bytes that there are.
        facts, advice: the two halves of the message.
    """

    def __init__(self, needed: MemoryEstimate, free: int, facts: str, advice: str) -> None:
        super().__init__(f"{facts}; {advice}.")
        self.needed, self.free, self.facts, self.advice = needed, free, facts, advice


def check_memory(name: str, files: ModelFiles, flags: MemoryFlags, free: int) -> MemoryEstimate:
    """The memory that a model needs.

    Raises ModelTooLarge if this is more than `free` bytes, and ModelError if a file is damaged.
    """
    needed = estimate_memory(files, flags)
    if needed.total <= free:
        return needed
    what = "its KV memory" if needed.context is None else f"keys and values of {needed.context} tokens"
    image = f", {gibibytes(needed.image)} for an image" if needed.image else ""
    facts = (
        f"{name} needs {gibibytes(needed.total)} of memory ({gibibytes(needed.weights)} for its weights, "
        f"{gibibytes(needed.kv)} for {what}{image}), but there are only {gibibytes(free)}"
    )
    raise ModelTooLarge(needed, free, facts, _advise(files, flags, free))


def estimate_memory(files: ModelFiles, flags: MemoryFlags) -> MemoryEstimate:
    """The memory for a model, and for the keys and values of one request.

    Tensors that are missing take none. Raises ModelError if a file is damaged.
    """
    config, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    config = untie_stored_head(stretch(config, flags.max_context), source)
    tape = write_tape(config)
    weights = _weight_bytes(tape, source, flags.weights, files)
    if flags.mtp and (head := find_mtp_tape(config, tape, source)) is not None:
        own = replace(head, records=drop_head(head.records), embeddings={})  # the others are the model's
        weights += _weight_bytes(own, source, flags.weights, files)
    tower_weights, image = _tower_bytes(files, flags.weights)
    weights += tower_weights
    if flags.kv_cache_memory is not None:
        return MemoryEstimate(weights, flags.kv_cache_memory, None, image)
    context = min(flags.max_context or _CONTEXT, config.max_context)
    return MemoryEstimate(weights, _kv_bytes(tape, context, flags.kv_cache_dtype), context, image)


def estimate_step(files: ModelFiles, weights: str) -> StepEstimate:
    """What a step of one token will read and compute, with these --weights. Raises ModelError."""
    config, source = read_model_config(files.named("config.json"), files.config), files.open_tensors()
    tape = write_tape(untie_stored_head(config, source))
    shares = {
        product.weights: Fraction(record.routing.top_k, record.count)
        for record in tape.records
        if isinstance(record, Experts)
        for product in (record.gate_up, record.down)
    }
    bits, multiplications, of_head = 0.0, Fraction(0), 0
    for linear in products(tape.records):
        share = shares.get(linear.weights, Fraction(1))
        bits += float(share) * _matrix_bits(linear, source, weights, files)
        count = sum(weight.rows for weight in linear.weights) * linear.x.width
        multiplications += share * count * (not linear.is_head)
        of_head += count * linear.is_head
    bits += sum(_head_bits(record.weight, source, weights) for record in head_products(tape.records))
    attended = sum(record.q.width for record in tape.records if isinstance(record, Attend))
    return StepEstimate(round(bits / 8), int(multiplications), of_head, attended)


def gibibytes(size: int) -> str:
    """A number of bytes in GiB, as text."""
    return f"{size / 2**30:.1f} GiB"


def bits_in_memory(stored: float) -> float:
    """Bits of a weight in memory, as it is stored in so many bits of a file."""
    return max(stored, next((memory for most, memory in _CODES_BITS if stored <= most), 0))


def _advise(files: ModelFiles, flags: MemoryFlags, free: int) -> str:
    """The flags that make a model small enough."""
    least = replace(flags, max_context=None, kv_cache_memory=None)
    if estimate_memory(files, least).total <= free:
        flag = "--max-context" if flags.kv_cache_memory is None else "--kv-cache-memory"
        return f"a smaller {flag} makes it fit"
    for weights in ("int8", "mixed", "int4"):
        needed = estimate_memory(files, replace(least, weights=weights))
        if needed.total <= free:
            return f"--weights {weights} needs {gibibytes(needed.total)}"
    return "it fits with no --weights"


def _tower_bytes(files: ModelFiles, weights: str) -> tuple[int, int]:
    """Bytes of the weights of a model's tower, and of what it computes for an image; 0 if it sees none."""
    try:
        config = read_vision(files)
    except ModelError:  # then the text model is loaded alone
        return 0, 0
    if config is None or files.vision is None:
        return 0, 0
    tower, source = write_tower(config), PatchSource(files.vision.open_tensors())
    tables = 4 * sum(math.prod(shape) for shape in tower.tables.values())
    matrices = sum(_weight_bytes(stage.tape, source, weights, files) for stage in tower.stages)
    return tables + matrices, max(map(_activation_bytes, tower.stages))


def _activation_bytes(stage: Stage) -> int:
    """Bytes of what a stage computes for the largest image, about. The next stage takes its place."""
    widths = buffer_widths(stage.tape)
    inputs = {linear.x.buffer for linear in products(stage.tape.records)}
    rounded = sum(widths[name] for name in inputs) / 2  # copies of two bytes at most
    given, handed_on = stage.tape.inputs.values(), (span.width for span in stage.outputs)
    columns = sum(widths.values()) + rounded + sum(given) + sum(handed_on)
    kv = _kv_bytes(stage.tape, stage.most_rows, "float32") if stage.tape.kv_layers else 0
    return round(4 * stage.most_rows * columns) + kv


def _weight_bytes(tape: Tape, source: TensorSource, weights: str, files: ModelFiles) -> int:
    bits = sum(_matrix_bits(linear, source, weights, files) for linear in distinct_products(tape.records))
    bits += sum(_head_bits(record.weight, source, weights) for record in head_products(tape.records))
    bits += sum(math.prod(table.shape) * _bits_as_stored(table, source) for table in tables(tape).values())
    bits += 32 * sum(math.prod(weight.shape) for weight in vector_refs(tape.records))
    return round(bits / 8)


def _matrix_bits(linear: Linear, source: TensorSource, weights: str, files: ModelFiles) -> float:
    """Bits that the matrix of a product takes."""
    kind, bits = choose_matrix_kind(linear, weights, files), 32.0 * sum(bias.rows for bias in linear.biases)
    for weight in linear.weights:
        each = _bits_as_stored(weight, source) if kind is None else _BITS[kind]
        bits += weight.rows * linear.x.width * each
    return bits


def _head_bits(weight: WeightRef | PositionRows, source: TensorSource, weights: str) -> float:
    """Bits that the matrix of a product by heads takes; 0 if it is missing."""
    if isinstance(weight, PositionRows):
        return math.prod(weight.shape) * _BITS[choose_head_kind(weights, "float32")]
    stored = _bits_as_stored(weight, source)
    kinds = {32: "float32", 16: "float16"}  # as many bits as bfloat16
    kind = choose_head_kind(weights, kinds.get(round(stored)))
    return weight.rows * weight.shape[1] * _BITS[kind] if stored else 0


def _bits_as_stored(weight: WeightRef, source: TensorSource) -> float:
    """Bits of a weight in memory, if it stays as it is stored; 0 if it is missing."""
    name = find_name(source, weight)
    if name not in source:
        return 0
    return bits_in_memory(8 * source.stored_bytes(name) / math.prod(weight.shape))


def _kv_bytes(tape: Tape, context: int, dtype: str) -> int:
    """Bytes for the keys and values of `context` positions, and for one recurrent state."""
    groups = group_layers(tape.kv_layers)
    positions = [min(context, (group.shape.window or context) + PAGE) for group in groups]
    pages = sum(-(-count // PAGE) for count in positions)
    return pages * KVCache.bytes_per_page(groups, dtype) + state_offsets(tape.states)[1]
