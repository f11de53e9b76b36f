"""Packs the matrices of a model for the kernels, from tensors in any format."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ..errors import ModelError
from ..files.model_files import ModelFiles
from ..files.source import TensorSource, find_name, read_tensor, read_weights
from ..kernels.layout import FLOAT16, FLOAT32, INT8, STEPPED_BITS
from ..machine.memory import aligned_zeros
from ..tape.distances import PositionRows
from ..tape.operations import HeadLinear, Linear
from ..tape.passes import PERMUTED
from ..tape.references import WeightRef
from ..weights.balance import choose_balance, sum_squares
from ..weights.codes import Codes, dequantize_codes
from ..weights.exact_rows import is_int8, to_stepped
from ..weights.matrix import FLOATS, KINDS, Matrix
from ..weights.pack import fill, pack, pack_codes, reserve
from ..weights.rounding import Stepped, round_as_packed
from .loaded_weights import MatrixKey
from .presets import choose_kind

LOGGER = logging.getLogger(__name__)
# In quantization_config: the type to which the head is rounded while loading. `tritonchat quantize` stores it
# as it was, because other programs cannot read quantized embeddings, whose matrix it may be.
HEAD_FIELD = "tritonchat_head"


def choose_matrix_kind(product: Linear, weights: str, files: ModelFiles) -> int | None:
    """The kind of a product's matrix with these --weights; None: as its weights are stored."""
    settings = files.config.get("quantization_config")
    is_written_here = isinstance(settings, dict) and settings.get(HEAD_FIELD) == "int8"
    if weights == "auto" and product.is_head and is_written_here:
        return INT8
    return choose_kind(product, weights)


def choose_head_kind(weights: str, stored: str | None) -> int:
    """The kind of a matrix by heads with these --weights. stored: the type of its floats; None for codes."""
    if KINDS.get(weights) in FLOATS:
        return KINDS[weights]
    return FLOAT16 if stored is None else KINDS[stored]


class Packer:
    """Packs matrices of the type `weights`, and measures what is lost where quantized ones are rounded again.

    With "auto", quantized weights stay as they are.

    Attributes:
        waiting: products whose weights are rounded when their inputs are known, with their matrices, of
            zeros until then.
    """

    def __init__(self, files: ModelFiles, source: TensorSource, weights: str) -> None:
        self.waiting: dict[MatrixKey, tuple[Linear, Matrix]] = {}
        self._files, self._source, self._weights = files, source, weights
        self._squares = self._squared_errors = 0.0
        self._unpacked_bytes = self._unpacked_file_bytes = 0  # of codes that became float32

    def pack(self, product: Linear, waits: bool = False) -> Matrix:
        """The matrix of a product. Raises ModelError.

        waits: if its weights are to be rounded, note it as waiting.
        """
        gated = product.gate is not None
        if waits and not any(self._source.layout(find_name(self._source, w)) for w in product.weights):
            kind = choose_matrix_kind(product, self._weights, self._files)
            if kind == INT8 or kind in STEPPED_BITS:  # of floats: they are read when it is filled
                return self._reserve(product, kind)
        stored, biases = self._read(product)
        with self._name_product(product):
            codes = [part for part in stored if isinstance(part, Codes)]
            kind = choose_matrix_kind(product, self._weights, self._files)
            if len(codes) == len(stored) and (self._weights == "auto" or _are_exact(codes, kind)):
                if _fits_inputs(codes, product):
                    return _pack_codes(codes, biases, gated)
                return self._pack_as_floats(product, codes, biases)
            if kind is None:
                kind = FLOAT32 if isinstance(stored[0], Codes) else KINDS[stored[0].dtype.name]
            if waits and (kind == INT8 or kind in STEPPED_BITS):
                return self._reserve(product, kind)
            return pack([self._convert(part, kind) for part in stored], kind, biases, gated)

    def fill(self, key: MatrixKey, squares: np.ndarray | None) -> None:
        """Pack the weights of a product that waits.

        squares: the sums of squares of its inputs, float64 [k]; None: it is not balanced. Raises ModelError.
        """
        product, matrix = self.waiting[key]
        stored, biases = self._read(product)
        floats = [dequantize_codes(part) if isinstance(part, Codes) else part for part in stored]
        with self._name_product(product):
            if squares is not None:
                matrix.set_balance(choose_balance(squares, sum_squares(floats)))
            for part, exact in zip(stored, floats, strict=True):
                if isinstance(part, Codes):
                    self._add_loss(exact, matrix.kind, matrix.balance)
            fill(matrix, floats, biases, product.gate is not None)
        del self.waiting[key]

    def _reserve(self, product: Linear, kind: int) -> Matrix:
        """The matrix of a product that waits."""
        sizes = [(weight.rows, product.x.width) for weight in product.weights]
        matrix = reserve(sizes, kind, bool(product.biases), product.gate is not None)
        self.waiting[product.weights] = product, matrix
        return matrix

    def pack_heads(self, product: HeadLinear) -> Matrix:
        """The matrix of a product by heads: floats, also of codes. Raises ModelError."""
        if isinstance(product.weight, PositionRows):
            rows = product.weight.read(self._read_floats)
            matrices = rows.reshape(len(rows), product.x.heads, -1).transpose(1, 0, 2)
            return replace(
                pack(list(matrices), choose_head_kind(self._weights, "float32")), heads=len(matrices)
            )
        stored = read_weights(self._source, product.weight)
        floats = dequantize_codes(stored) if isinstance(stored, Codes) else stored
        matrices = floats.reshape(product.x.heads, -1, floats.shape[1])
        matrices = matrices.transpose(0, 2, 1) if product.is_transposed else matrices
        kind = choose_head_kind(self._weights, None if isinstance(stored, Codes) else stored.dtype.name)
        return replace(pack(list(matrices), kind), heads=product.x.heads)

    def _read(self, product: Linear) -> tuple[list[np.ndarray | Codes], list[np.ndarray] | None]:
        """The weights and biases of a product as they are stored. Raises ModelError."""
        biases = [bias.select(read_tensor(self._source, bias)) for bias in product.biases]
        return [read_weights(self._source, weight) for weight in product.weights], biases or None

    @contextmanager
    def _name_product(self, product: Linear) -> Iterator[None]:
        """Name the weights of a product in a ModelError that is raised within the block."""
        try:
            yield
        except ModelError as error:
            names = [weight.label for weight in product.weights]
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            path = self._source.path_of(find_name(self._source, product.weights[0]))
            raise ModelError(f"{path}: {', '.join(names[:3])}{more}: {error}") from error

    def _read_floats(self, weight: WeightRef) -> np.ndarray:
        """A weight in float32. Raises ModelError."""
        stored = read_weights(self._source, weight)
        return dequantize_codes(stored) if isinstance(stored, Codes) else weight.finish(stored)

    def pack_table(self, table: WeightRef) -> np.ndarray | Matrix:
        """The rows of an embedding: in memory as they are stored. Raises ModelError."""
        stored = read_weights(self._source, table)
        if isinstance(stored, Codes):
            return pack_codes([stored])
        # A mapped file that is truncated would end the process that reads it (SIGBUS).
        copy = aligned_zeros(stored.shape, stored.dtype)
        copy[...] = stored
        return copy

    def report_loss(self) -> None:
        """Say what quantized weights lost: precision where they were rounded again, or their small size."""
        if self._unpacked_bytes:
            LOGGER.warning(
                "%s has experts with columns in different orders (desc_act), which have no kernel: they are "
                "computed in float32, and take %.1f GiB instead of %.1f; other --weights take less.",
                self._files.path,
                self._unpacked_bytes / 2**30,
                self._unpacked_file_bytes / 2**30,
            )
        if self._squares:
            LOGGER.warning(
                "The quantized weights of %s were rounded to %s, with a relative error of %.2g; --weights "
                "auto keeps them as they are.",
                self._files.path,
                self._weights,
                (self._squared_errors / self._squares) ** 0.5,
            )

    def _pack_as_floats(
        self, product: Linear, parts: Sequence[Codes], biases: Sequence[np.ndarray] | None
    ) -> Matrix:
        floats = [dequantize_codes(part) for part in parts]
        matrix = pack(floats, FLOAT32, biases, product.gate is not None)
        self._unpacked_bytes += matrix.nbytes
        names = {find_name(self._source, weight) for weight in product.weights}
        self._unpacked_file_bytes += sum(map(self._source.stored_bytes, names))
        return matrix

    def _convert(self, part: np.ndarray | Codes, kind: int) -> np.ndarray:
        """Weights as floats for `pack`. Where codes are to be rounded, the loss is added up."""
        if not isinstance(part, Codes):
            return part
        floats = dequantize_codes(part)
        if kind == INT8 or kind in STEPPED_BITS:
            self._add_loss(floats, kind, None)
        return floats

    def _add_loss(self, floats: np.ndarray, kind: int, balance: np.ndarray | None) -> None:
        """Add up what rounding changes of weights, float32 [n, k]. balance: that of their matrix."""
        k = floats.shape[1]
        factors = np.ones(k, np.float32) if balance is None else balance[:k]
        error = (round_as_packed(floats / factors, kind) - floats / factors) * factors
        self._squared_errors += float(np.square(error).sum(dtype=np.float64))
        self._squares += float(np.square(floats).sum(dtype=np.float64))


def _are_exact(codes: Sequence[Codes], kind: int | None) -> bool:
    """Whether codes have the precision of a kind already, so that they need not be rounded again."""
    if kind == INT8:
        return all(map(is_int8, codes))
    return kind in STEPPED_BITS and _find_stepped(codes, STEPPED_BITS[kind]) is not None


def _fits_inputs(parts: Sequence[Codes], product: Linear) -> bool:
    """Whether codes have their columns in the order of the product's inputs. Those of experts may not."""
    return product.x.buffer == PERMUTED or all(part.order is None for part in parts)


def _pack_codes(parts: Sequence[Codes], biases: Sequence[np.ndarray] | None, gated: bool) -> Matrix:
    """Pack codes as they are, in the fastest kind for the same numbers."""
    for kind, bits in STEPPED_BITS.items():
        if (exact := _find_stepped(parts, bits)) is not None:
            return pack(exact, kind, biases, gated)
    return pack_codes(parts, biases, gated)


def _find_stepped(parts: Sequence[Codes], bits: int) -> list[Stepped] | None:
    """The same codes as Stepped; None if that is not exact."""
    found: list[Stepped] = []
    for part in parts:
        if (exact := to_stepped(part, bits)) is None:
            return None
        found.append(exact)
    return found
