"""Packs an adapter for the kernels, by the tensors that the products of a model have."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..checks.file_values import shorten
from ..errors import ModelError
from ..kernels.layout import BFLOAT16, BY_GROUP, EXACT, FLOAT16, FLOAT32, INT8, STRIP
from ..kernels.products.adapters import FACTORS
from ..machine.memory import aligned_zeros, round_up
from ..reference.operators import embed, low_rank
from ..tape.low_rank import Adapter, LowRank
from ..tape.operations import Linear
from ..tape.references import WeightRef
from ..weights.matrix import Matrix
from ..weights.pack import fill, pack, pack_codes, reserve
from ..weights.rounding import round_groups, round_int8

_HEAD_NAME = "lm_head.weight"
_KINDS = {"float32": FLOAT32, "bfloat16": BFLOAT16, "float16": FLOAT16}


@dataclass(frozen=True)
class AdaptedTensor:
    """A tensor of the checkpoint that is, or whose parts are, in the matrix of a product.

    Attributes:
        name: the one that adapters have for it.
        n, k: its shape, as [outputs, inputs].
        parts: in the order in which the matrix has them. part_rows: the outputs of each, padded.
        order: input j of the product is column order[j] of the tensor; None: column j.
        is_first: whether it is the first tensor of its product.
        is_up: whether it is the second one, which a gate multiplies.
        rounding: of the activations that the matrix multiplies, see kernels/layout.py.
        balance: of the matrix, see Matrix.
        is_head: whether the product is that of logits.
    """

    name: str
    n: int
    k: int
    parts: tuple[WeightRef, ...]
    part_rows: tuple[int, ...]
    order: tuple[int, ...] | None
    is_first: bool
    is_up: bool
    rounding: int
    balance: np.ndarray | None
    is_head: bool


def find_tensors(
    record: Linear, matrix: Matrix, rounding: int, embedding: str, order: tuple[int, ...] | None
) -> list[AdaptedTensor]:
    """The tensors of a product with this matrix.

    embedding: the name of the table that may be the head's matrix too. rounding, order: see AdaptedTensor.
    """
    tensors: list[AdaptedTensor] = []
    for name in dict.fromkeys(weight.name for weight in record.weights):
        parts = tuple(weight for weight in record.weights if weight.name == name)
        n, k = parts[0].shape[::-1] if parts[0].is_transposed else parts[0].shape
        rows = tuple(_padded_rows(record, part) for part in parts)
        known = _HEAD_NAME if record.is_head and name == embedding else name
        is_up = bool(record.gate and tensors)
        tensors.append(
            AdaptedTensor(
                known,
                n,
                k,
                parts,
                rows,
                order,
                not tensors,
                is_up,
                rounding,
                matrix.balance,
                record.is_head,
            )
        )
    return tensors


def find_half_strips(record: Linear) -> np.ndarray:
    """For each half of a strip of a product: which of its tensors, and from which tile of B on.

    int32 [strips, 2, 2]. A strip of a gated product has outputs of two parts.
    """
    names = list(dict.fromkeys(weight.name for weight in record.weights))
    tiles, halves = dict.fromkeys(names, 0), []
    for weight in record.weights:
        count = _padded_rows(record, weight) // 32
        first = tiles[weight.name]
        halves.append([(names.index(weight.name), first + 2 * half) for half in range(count)])
        tiles[weight.name] += 2 * count
    if record.gate:
        return np.stack([np.array(part, np.int32) for part in halves], axis=1)
    return np.concatenate([np.array(part, np.int32) for part in halves]).reshape(-1, 2, 2)


def _padded_rows(record: Linear, part: WeightRef) -> int:
    return round_up(part.rows, STRIP // 2 if record.gate else STRIP)


@dataclass(frozen=True)
class TableChange:
    """What an adapter changes of a table of embeddings: another table, a low-rank addition, or both."""

    table: np.ndarray | None
    addition: LowRank | None

    def apply(self, tokens: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The rows of tokens, where the model's own are `rows`, float32 [tokens, columns]."""
        if self.table is not None:
            rows = embed(tokens, self.table)
        if self.addition is not None:
            low = self.addition
            rows = rows + low_rank(embed(tokens, low.a), low.b, low.scale)
        return rows


@dataclass
class PackedAdapter:
    """An adapter in the form of the kernels.

    Attributes:
        factors: FACTORS [tensors of the model].
        columns: floats that A x has at most, of all tensors of a product.
        tables: the changes of embeddings, by the buffers of their rows.
        memory: the arrays that `factors` points into.
        digest: a hash of the adapter, for fingerprints.
    """

    factors: np.ndarray
    columns: int = 0
    tables: dict[str, TableChange] = field(default_factory=dict)
    memory: list[np.ndarray | Matrix] = field(default_factory=list)
    digest: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = [a for change in self.tables.values() for a in _arrays_of(change)]
        return sum(array.nbytes for array in (*self.memory, *arrays))


def pack_adapter(
    adapter: Adapter, tensors: list[AdaptedTensor], embeddings: Mapping[str, WeightRef]
) -> PackedAdapter:
    """Pack an adapter for a model with these tensors in its products, and these embeddings (Tape.embeddings).

    Raises ModelError, without the name of the adapter, if it changes what the model has not, or has in
    another shape, or what no adapter can change.
    """
    _check_names(adapter, tensors, embeddings)
    packed = PackedAdapter(np.zeros(len(tensors), FACTORS))
    parts: list[tuple[np.ndarray, str, np.ndarray]] = []  # what belongs where in `factors`
    column = 0
    for tensor, factors, low in zip(tensors, packed.factors, _find_products(adapter, tensors), strict=True):
        column = 0 if tensor.is_first else column
        if low is not None:
            kind, a, b, scales = _convert(low, tensor.rounding != EXACT)
            a = a if tensor.order is None else a[:, tensor.order]
            factors["kind"], factors["column"] = kind, column
            factors["rank"], factors["k"] = low.rank, tensor.k
            column += round_up(low.rank, 16)
            packed.columns = max(packed.columns, column)
            part_of = LowRank(a, b, low.scale).part
            rows_of = zip(tensor.parts, tensor.part_rows, strict=True)
            b_tiles = [_tiles(part_of(part), rows) for part, rows in rows_of]
            parts.append((factors, "a", np.pad(a, [(0, -size % 16) for size in a.shape])))
            parts.append((factors, "b", np.concatenate(b_tiles)))
            parts.append((factors, "scales", np.pad(scales, (0, -low.rank % 16))))
        if tensor.is_head and (matrix := adapter.replaced.get(tensor.name)) is not None:
            _check_shape(tensor.name, matrix.shape, (tensor.n, tensor.k))
            replacement = _pack_head(matrix, tensor)
            packed.memory.append(replacement)
            factors["matrix"] = replacement.record()[0]
    packed.memory.append(_store(parts))
    for buffer, table in embeddings.items():
        if change := _read_table(adapter, table):
            packed.tables[buffer] = change
    return packed


def _pack_head(weights: np.ndarray, head: AdaptedTensor) -> Matrix:
    """A head that multiplies activations which are rounded as those of the model's own head are."""
    if head.rounding == EXACT:
        return pack([weights], _KINDS[weights.dtype.name])
    floats = weights.astype(np.float32)
    if head.rounding == BY_GROUP:
        return pack_codes([round_groups(floats)])
    matrix = reserve([floats.shape], INT8, bias=False, rotated=head.balance is not None)
    if head.balance is not None:
        matrix.set_balance(head.balance)
    fill(matrix, [floats])
    return matrix


def _find_products(adapter: Adapter, tensors: list[AdaptedTensor]) -> list[LowRank | None]:
    """What an adapter adds to each tensor, None for nothing.

    The two tensors of a gated product have the same rank and type, filled up with zeros.
    """
    found = [adapter.products.get(tensor.name) for tensor in tensors]
    for tensor, low in zip(tensors, found, strict=True):
        if low is not None:
            _check_shape(tensor.name, (len(low.b), low.a.shape[1]), (tensor.n, tensor.k))
    for at, tensor in enumerate(tensors[1:], 1):
        if tensor.is_up and (found[at - 1] or found[at]):
            found[at - 1], found[at] = _make_equal(found[at - 1 : at + 1], tensors[at - 1 : at + 1])
    return found


def _make_equal(pair: list[LowRank | None], tensors: list[AdaptedTensor]) -> list[LowRank]:
    """Two changes with the same rank and type, of zeros where there was none."""
    present = [low for low in pair if low is not None]
    rank, types = max(low.rank for low in present), {x.dtype for low in present for x in (low.a, low.b)}
    dtype = types.pop() if len(types) == 1 else np.dtype(np.float32)
    equal = []
    for low, tensor in zip(pair, tensors, strict=True):
        a, b = np.zeros((rank, tensor.k), dtype), np.zeros((tensor.n, rank), dtype)
        if low is not None:
            a[: low.rank], b[:, : low.rank] = low.a, low.b
        equal.append(LowRank(a, b, low.scale if low else 0.0))
    return equal


def _check_names(adapter: Adapter, tensors: list[AdaptedTensor], embeddings: Mapping[str, WeightRef]) -> None:
    """Raises ModelError for a tensor that the model has not, or that adapters cannot change."""
    tables = {table.name for table in embeddings.values()}
    heads = {tensor.name for tensor in tensors if tensor.is_head}
    for names, known in (
        (adapter.products, {tensor.name for tensor in tensors}),
        (adapter.embeddings, tables),
        (adapter.replaced, tables | heads),
    ):
        for name in names:
            if name in known:
                continue
            if ".experts." in name:
                raise ModelError(f"it changes {shorten(name)}, but experts cannot have adapters.")
            if names is adapter.replaced:
                raise ModelError(f"it replaces {shorten(name)}, but only embeddings and the head can be.")
            raise ModelError(f"it changes {shorten(name)}, which this model does not have.")


def _check_shape(name: str, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if shape != expected:
        raise ModelError(f"it is for another model: {name} is {list(shape)} in it, not {list(expected)}.")


def _convert(low: LowRank, is_rounded: bool) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """The kind of the packed factors, and A, B and scales (see kernels/products/adapters.py).

    They are as stored. Where activations are rounded to int8, they are too, with a scale for each rank. Their
    products with activations stay in floats.
    """
    if is_rounded:
        a, a_scales = round_int8(low.a.astype(np.float32))
        b, b_scales = round_int8(low.b.T.astype(np.float32))
        return INT8, a, b.T, a_scales * b_scales * np.float32(low.scale)
    scales = np.full(low.rank, low.scale, np.float32)
    if low.a.dtype == low.b.dtype:
        return _KINDS[low.a.dtype.name], low.a, low.b, scales
    return FLOAT32, low.a.astype(np.float32), low.b.astype(np.float32), scales


def _tiles(array: np.ndarray, rows: int) -> np.ndarray:
    """[n, k] -> [rows / 16, k, 16]: 16 rows side by side, and rows of zeros behind them."""
    padded = np.zeros((rows, array.shape[1]), array.dtype)
    padded[: len(array)] = array
    return padded.reshape(-1, 16, array.shape[1]).transpose(0, 2, 1)


def _store(parts: list[tuple[np.ndarray, str, np.ndarray]]) -> np.ndarray:
    """Copy arrays into one block of memory, and write their addresses to their fields."""
    sizes = [round_up(array.nbytes, 64) for _, _, array in parts]
    memory = aligned_zeros((sum(sizes),), np.uint8)
    start = 0
    for (factors, name, array), size in zip(parts, sizes, strict=True):
        view = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        factors[name] = view.ctypes.data
        start += size
    return memory


def _read_table(adapter: Adapter, table: WeightRef) -> TableChange | None:
    """What an adapter changes of an embedding, copied to memory."""
    replaced, low = adapter.replaced.get(table.name), adapter.embeddings.get(table.name)
    if replaced is not None:
        _check_shape(table.name, replaced.shape, table.shape)
        replaced = replaced.copy()
    if low is not None:
        _check_shape(table.name, (len(low.a), len(low.b)), table.shape)
        low = LowRank(low.a.astype(np.float32), low.b.astype(np.float32), low.scale)
    return None if replaced is None and low is None else TableChange(replaced, low)


def _arrays_of(change: TableChange) -> list[np.ndarray]:
    low = change.addition
    return [array for array in (change.table, low and low.a, low and low.b) if array is not None]
