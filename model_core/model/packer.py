"""Packs the matrices of a model for the kernels, from tensors in any format."""

import logging
from collections.abc import Callable, Sequence

import numpy as np

from ..errors import ModelError
from ..files.model_files import ModelFiles
from ..files.source import TensorSource, find_name, read_tensor, read_weights
from ..kernels.layout import FLOAT32, INT4, INT8
from ..machine.memory import aligned_zeros
from ..tape.operations import Linear
from ..tape.passes import PERMUTED
from ..tape.references import WeightRef
from ..weights.codes import Codes, dequantize_codes
from ..weights.exact_rows import to_int4, to_int8
from ..weights.matrix import KINDS, Matrix, pack, pack_codes
from ..weights.rotation import rotate
from ..weights.rounding import Int4, Int8, dequantize, round_int4, round_int8

LOGGER = logging.getLogger(__name__)
# In quantization_config: the type to which the head is rounded while loading. `tritonchat quantize` stores it
# as it was, because other programs cannot read quantized embeddings, whose matrix it may be.
HEAD_FIELD = "tritonchat_head"


def rounds_head_to_int8(files: ModelFiles, weights: str) -> bool:
    """Whether the head is rounded to int8 with this type of weights.

    With int4 it is, because 4 bits of the head would cost more quality than their memory is worth.
    """
    settings = files.config.get("quantization_config")
    is_written_here = isinstance(settings, dict) and settings.get(HEAD_FIELD) == "int8"
    return weights == "int4" or (weights == "auto" and is_written_here)


def choose_kind(product: Linear, weights: str, rounds_head: bool) -> int | None:
    """The kind of a product's matrix with this type of weights; None: as its weights are stored."""
    if product.is_head and rounds_head:
        return INT8
    if weights == "auto" or (product.is_router and weights in ("int8", "int4")):
        return None
    return KINDS[weights]


class Packer:
    """Packs matrices of the type `weights`, and measures what is lost where quantized ones are rounded again.

    With "auto", quantized weights stay as they are.
    """

    def __init__(self, files: ModelFiles, source: TensorSource, weights: str) -> None:
        self._path, self._source, self._weights = files.path, source, weights
        self._rounds_head = rounds_head_to_int8(files, weights)
        self._squares = self._squared_errors = 0.0
        self._unpacked_bytes = self._unpacked_file_bytes = 0  # of codes that became float32

    def pack(self, product: Linear) -> Matrix:
        """The matrix of a product. Raises ModelError."""
        stored = [read_weights(self._source, weight) for weight in product.weights]
        biases = [bias.select(read_tensor(self._source, bias)) for bias in product.biases] or None
        gated = product.gate is not None
        try:
            codes = [part for part in stored if isinstance(part, Codes)]
            if self._weights == "auto" and len(codes) == len(stored):
                if _fits_inputs(codes, product):
                    return _pack_codes(codes, biases, gated, product.is_head)
                return self._pack_as_floats(product, codes, biases)
            kind = choose_kind(product, self._weights, self._rounds_head)
            if kind is None:
                kind = FLOAT32 if isinstance(stored[0], Codes) else KINDS[stored[0].dtype.name]
            return pack(self._convert(stored, kind), kind, biases, gated, _are_rotated(stored))
        except ModelError as error:
            names = [weight.label for weight in product.weights]
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            path = self._source.path_of(find_name(self._source, product.weights[0]))
            raise ModelError(f"{path}: {', '.join(names[:3])}{more}: {error}") from error

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
                "computed in float32, and take %.1f GiB instead of %.1f; --weights int8 or int4 takes less.",
                self._path,
                self._unpacked_bytes / 2**30,
                self._unpacked_file_bytes / 2**30,
            )
        if self._squares:
            LOGGER.warning(
                "The quantized weights of %s were rounded to %s, with a relative error of %.2g; --weights "
                "auto keeps them as they are.",
                self._path,
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

    def _convert(
        self, parts: Sequence[np.ndarray | Codes], kind: int
    ) -> Sequence[np.ndarray] | Sequence[Int4 | Int8]:
        """Weights for `pack`. If codes are to be rounded, the loss is added up."""
        exact = None
        if kind in (INT8, INT4):
            exact = _find_exact(parts, to_int8 if kind == INT8 else to_int4)
        if exact is not None:
            return exact
        floats = [dequantize_codes(part) if isinstance(part, Codes) else part for part in parts]
        if kind in (INT8, INT4):
            round_rows = round_int8 if kind == INT8 else round_int4
            for part in (x for x, stored in zip(floats, parts, strict=True) if isinstance(stored, Codes)):
                rotated = rotate(part)
                error = dequantize(round_rows(rotated)) - rotated
                self._squared_errors += float(np.square(error).sum(dtype=np.float64))
                self._squares += float(np.square(part).sum(dtype=np.float64))
        return floats


def _fits_inputs(parts: Sequence[Codes], product: Linear) -> bool:
    """Whether codes have their columns in the order of the product's inputs. Those of experts may not."""
    return product.x.buffer == PERMUTED or all(part.order is None for part in parts)


def _pack_codes(
    parts: Sequence[Codes], biases: Sequence[np.ndarray] | None, gated: bool, is_head: bool
) -> Matrix:
    """Pack codes as they are, in the fastest kind for the same numbers."""
    # Rows of a head may be those of the embedding, which INT4 does not give one by one.
    for kind, convert in ((INT8, to_int8),) if is_head else ((INT8, to_int8), (INT4, to_int4)):
        exact = _find_exact(parts, convert)
        if exact is not None:
            return pack(exact, kind, biases, gated, _are_rotated(parts))
    return pack_codes(parts, biases, gated)


def _find_exact(
    parts: Sequence[np.ndarray | Codes], convert: Callable[[Codes], Int8 | Int4 | None]
) -> list[Int8 | Int4] | None:
    """All parts converted; None if one cannot be without rounding, or only some are rotated."""
    if len({isinstance(part, Codes) and part.is_rotated for part in parts}) > 1:
        return None
    exact: list[Int8 | Int4] = []
    for part in parts:
        converted = convert(part) if isinstance(part, Codes) else None
        if converted is None:
            return None
        exact.append(converted)
    return exact


def _are_rotated(parts: Sequence[np.ndarray | Codes]) -> bool:
    return all(isinstance(part, Codes) and part.is_rotated for part in parts)
