"""How much memory a model will take, from its configuration and the headers of its files."""

import math
from dataclasses import dataclass, replace

from .errors import NoMemory
from .kv_cache import KVCache, group_layers
from .layout import PAGE
from .model_files import ModelFiles
from .models import read_model_config, write_tape
from .packer import rounds_head_to_int8
from .passes import fuse, products, vector_refs
from .records import Linear, WeightRef
from .state import state_offsets
from .tape import Tape
from .tensors import TensorSource, find_name

# Bits of a weight in memory, with its share of the scales of groups.
_BITS = {"float32": 32.0, "bfloat16": 16.0, "float16": 16.0, "int8": 8.0, "int4": 4.25}
# Weights that are quantized in the file become indices of 4 bits or numbers of 8 bits in memory, with scales
# that are less packed: (most bits in the file, bits in memory). Those of 8 bits and more stay as they are.
_CODES_BITS = ((3.9, 5.1), (5.2, 4.6), (7.9, 8.6))
_CONTEXT = 4096  # positions that the memory should at least be enough for, if the user does not say
_PROCESS = 256 * 2**20  # the program with its kernels and buffers; 212 MiB with the embedded model


@dataclass(frozen=True)
class MemoryFlags:
    """The arguments of `LLM` that say how much memory a model takes."""

    weights: str = "auto"
    max_context: int | None = None
    kv_cache_memory: int | None = None
    kv_cache_dtype: str = "float32"


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory that a model will take, in bytes.

    Attributes:
        weights: of the weights.
        kv: of keys and values, and of recurrent states.
        context: positions of the one request that `kv` is for; None if the user says how large `kv` is.
    """

    weights: int
    kv: int
    context: int | None

    @property
    def total(self) -> int:
        """All together, with the program."""
        return self.weights + self.kv + _PROCESS


class ModelTooLarge(NoMemory):
    """A model that needs more memory than there is.

    Attributes:
        needed: the memory that it needs. free: bytes that there are.
        facts, advice: the two halves of the message.
    """

    def __init__(self, needed: MemoryEstimate, free: int, facts: str, advice: str) -> None:
        super().__init__(f"{facts}; {advice}.")
        self.needed, self.free, self.facts, self.advice = needed, free, facts, advice


def check_memory(name: str, files: ModelFiles, flags: MemoryFlags, free: int) -> None:
    """Raises ModelTooLarge if a model needs more than `free` bytes, and ModelError if a file is damaged."""
    needed = estimate_memory(files, flags)
    if needed.total <= free:
        return
    what = "its KV memory" if needed.context is None else f"keys and values of {needed.context} tokens"
    facts = (
        f"{name} needs {gibibytes(needed.total)} of memory ({gibibytes(needed.weights)} for its weights, "
        f"{gibibytes(needed.kv)} for {what}), but there are only {gibibytes(free)}"
    )
    raise ModelTooLarge(needed, free, facts, _advise(files, flags, free))


def estimate_memory(files: ModelFiles, flags: MemoryFlags) -> MemoryEstimate:
    """The memory for a model, and for the keys and values of one request.

    Tensors that are missing take none. Raises ModelError if a file is damaged.
    """
    config = read_model_config(files.named("config.json"), files.config)
    tape = write_tape(config)
    weights = _weight_bytes(tape, files, flags.weights)
    if flags.kv_cache_memory is not None:
        return MemoryEstimate(weights, flags.kv_cache_memory, None)
    context = min(flags.max_context or _CONTEXT, config.max_context)
    return MemoryEstimate(weights, _kv_bytes(tape, context, flags.kv_cache_dtype), context)


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
    for weights in ("int8", "int4"):
        needed = estimate_memory(files, replace(least, weights=weights))
        if needed.total <= free:
            return f"--weights {weights} needs {gibibytes(needed.total)}"
    return "it fits with no --weights"


def _weight_bytes(tape: Tape, files: ModelFiles, weights: str) -> int:
    source, records = files.open_tensors(), fuse(tape.records)
    linears = list(products(records))
    is_tied = any(tape.embedding in linear.weights for linear in linears)
    tables = [table for table in tape.embeddings.values() if not (is_tied and table == tape.embedding)]
    rounds_head = rounds_head_to_int8(files, weights)
    size = sum(_matrix_bits(linear, source, weights, rounds_head) for linear in linears) / 8
    size += sum(math.prod(table.shape) * _bits_as_stored(table, source) for table in tables) / 8
    size += 4 * sum(math.prod(weight.shape) for weight in vector_refs(records))
    return round(size)


def _matrix_bits(linear: Linear, source: TensorSource, weights: str, rounds_head: bool) -> float:
    """Bits that the matrix of a product takes."""

    def bits(weight: WeightRef) -> float:
        if linear.is_head and rounds_head:
            return _BITS["int8"]
        if weights == "auto" or (linear.is_router and weights in ("int8", "int4")):
            return _bits_as_stored(weight, source)
        return _BITS[weights]

    numbers = sum(weight.rows * linear.x.width * bits(weight) for weight in linear.weights)
    return numbers + 32 * sum(bias.rows for bias in linear.biases)


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
