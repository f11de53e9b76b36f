"""Calibration: choose the codes of weights for the inputs that a model has.

GPTQ (Frantar et al., 2022, arXiv:2210.17323) needs the second moments of each matrix's inputs. They are
collected layer by layer, while texts pass through the layers that are already quantized. So later layers
correct errors of earlier ones.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

import numpy as np

from ..files.source import TensorSource
from ..kernels.layout import INT8
from ..model.presets import choose_bits
from ..reference import interpreter
from ..reference import operators as op
from ..tape.operations import Attend, Conv, Experts, Linear, Pool, Scan, Select, SelectiveScan, TakeRows
from ..tape.passes import products
from ..tape.references import WeightRef
from ..tape.tape import Tape
from ..weights.rounding import Stepped, dequantize, round_as_packed, round_by_gptq, round_stepped

# An expert that fewer inputs reach is rounded: the second moments of so few say little about others.
MIN_EXPERT_ROWS = 128


def quantize_layers(
    tape: Tape,
    tensors: Mapping[str, np.ndarray] | TensorSource,
    token_lists: Sequence[Sequence[int]],
    weights: str = "int4",
    report: Callable[[str], None] = lambda _: None,
) -> Generator[tuple[str, Stepped], None, list[np.ndarray]]:
    """Quantize the matrices of all layers, in the order in which texts pass through them.

    Memory holds one matrix in float32 with its Hessian, and the buffers of one layer for each token. The
    embedding is rounded to int8, as when the folder is loaded. Activations are not rounded here: their
    rounding changes much less than that of weights.

    Args:
        tape: what the model computes.
        tensors: by their Hugging Face names, in any float type.
        token_lists: texts to calibrate on, each within the model's context. A few thousand tokens are enough;
            experts need as many each.
        weights: "int4" or "mixed", see presets.FOLDER_PRESETS.
        report: called with a sentence if experts are rounded, because few tokens chose them.

    Yields:
        The label of a weight and its codes.

    Returns:
        The hidden states after the last layer, float32 [tokens, hidden] for each text.

    Raises:
        ModelError: a tensor is missing, or a number is not finite.
    """
    read = interpreter.make_weight_reader(tensors)
    quantized: dict[WeightRef, np.ndarray] = {}  # of the current product
    shared: dict[tuple[WeightRef, ...], dict[WeightRef, np.ndarray]] = {}  # of products that layers share
    uses = Counter(product.weights for product in products(tape.records))
    rounded_experts = 0
    table = tensors[tape.embedding.name if tape.embedding.name in tensors else "lm_head.weight"]
    sequences = [interpreter.Sequence() for _ in token_lists]
    for sequence, tokens in zip(sequences, token_lists, strict=True):
        rows = {
            name: op.embed(np.array(tokens), tensors[t.name])
            for name, t in tape.embeddings.items()
            if name != "x"
        }
        sequence.begin({"x": round_as_packed(op.embed(np.array(tokens), table), INT8), **rows})
    last_readers = {r.layer: r for r in tape.records if isinstance(r, Attend | Select)}
    last = next(record.x for record in tape.records if isinstance(record, TakeRows))
    for record in tape.records:
        if isinstance(record, TakeRows):
            break
        if isinstance(record, Experts):
            rounded_experts += yield from _quantize_experts(record, read, sequences, weights)
            continue
        if isinstance(record, Linear) and not record.is_router:
            quantized.clear()
            if record.weights in shared:  # with an earlier layer, for whose inputs they were quantized
                quantized.update(shared[record.weights])
            else:
                hessian = compute_hessian(sequence.rows(record.x) for sequence in sequences)
                for weight in record.weights:
                    bits = choose_bits(record, weights)
                    quantized[weight] = yield from _quantize(weight, read, hessian, bits)
            if uses[record.weights] > 1:
                shared[record.weights] = dict(quantized)
        for sequence in sequences:
            interpreter.execute(record, lambda w: quantized[w] if w in quantized else read(w), sequence)
            if isinstance(record, Conv | Pool | Scan | SelectiveScan):  # what it keeps is not needed again
                sequence.states.clear()
            if isinstance(record, Attend | Select) and record is last_readers[record.layer]:
                del sequence.keys[record.layer], sequence.values[record.layer]
    if rounded_experts:
        experts = sum(record.count for record in tape.records if isinstance(record, Experts))
        report(
            f"{rounded_experts} of {experts} experts were chosen by fewer than {MIN_EXPERT_ROWS} tokens of "
            "the text; their weights are rounded. A longer text reaches more of them."
        )
    return [sequence.rows(last) for sequence in sequences]


def _quantize(
    weight: WeightRef, read: interpreter.WeightReader, hessian: np.ndarray | None, bits: int
) -> Generator[tuple[str, Stepped], None, np.ndarray]:
    """Quantize a matrix, by GPTQ if there is a Hessian. Returns the numbers that its codes stand for."""
    w = read(weight)
    codes = round_stepped(w, bits) if hessian is None else round_by_gptq(w, hessian, bits)
    yield weight.label, codes
    return dequantize(codes)


def _quantize_experts(
    record: Experts,
    read: interpreter.WeightReader,
    sequences: Sequence[interpreter.Sequence],
    weights: str,
) -> Generator[tuple[str, Stepped], None, int]:
    """Quantize a mixture, one expert after the other, and compute its outputs.

    Returns how many experts were rounded.
    """
    x = np.concatenate([sequence.rows(record.x) for sequence in sequences])
    routing_weights = np.concatenate([sequence.rows(record.routing_weights) for sequence in sequences])
    y = np.zeros((len(x), record.y.width), np.float32)
    rounded_experts = 0
    inner_bits, bits = (choose_bits(product, weights) for product in (record.gate_up, record.down))
    for expert in range(record.count):
        rows = np.flatnonzero(routing_weights[:, expert])
        is_rounded = len(rows) < MIN_EXPERT_ROWS
        rounded_experts += is_rounded
        quantized: dict[WeightRef, np.ndarray] = {}

        def read_quantized(weight: WeightRef, quantized: dict = quantized) -> np.ndarray:
            return quantized[weight] if weight in quantized else read(weight)

        hessian = None if is_rounded else compute_hessian([x[rows]])
        for weight in record.gate_up.weights[record.inner_weights(expert)]:
            quantized[weight] = yield from _quantize(weight, read, hessian, inner_bits)
        inner = interpreter.expert_inner(record, expert, read_quantized, x[rows])
        hessian = None if is_rounded else compute_hessian([inner])
        weight = record.down.weights[expert]
        quantized[weight] = yield from _quantize(weight, read, hessian, bits)
        output = interpreter.expert_down(record, expert, read_quantized, inner)
        y[rows] += routing_weights[rows, expert, None] * output
    sizes = [len(sequence.positions) for sequence in sequences]
    for sequence, part in zip(sequences, np.split(y, np.cumsum(sizes[:-1])), strict=True):
        sequence.put(record.y, part)
    return rounded_experts


def compute_hessian(inputs: Iterable[np.ndarray]) -> np.ndarray:
    """Inputs of a matrix, float32 [..., k] each -> 2 / N times the sum of x x^T, float64 [k, k].

    The Hessian of the squared error of each output, averaged over the N inputs. ValueError: no inputs.
    """
    total, count = None, 0
    for x in inputs:
        x = x.reshape(-1, x.shape[-1])
        moments = x.T @ x
        total = moments.astype(np.float64) if total is None else np.add(total, moments, out=total)
        count += len(x)
    if total is None:
        raise ValueError("there is nothing to calibrate on")
    total *= 2 / count
    return total
