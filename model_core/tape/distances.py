"""What attention adds to a score because of how far apart two positions are, for each head."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..machine.exact_math import log, product
from .references import Span, WeightRef


@dataclass(frozen=True)
class DistanceBias:
    """A learned table, or slopes.

    Attributes:
        table: [buckets, heads], with the buckets of T5 (Raffel et al., 2019, arXiv:1910.10683), one half of
            them for positions after one's own. Near distances have a bucket each, the others share those of
            ranges that grow up to `max_distance`.
        slopes: of each head, without a table: -slope * |distance| (ALiBi, Press et al., 2021,
            arXiv:2108.12409, in both directions).
    """

    table: WeightRef | None = None
    max_distance: int = 128
    slopes: tuple[float, ...] = ()

    def read_rows(self, read: Callable[[WeightRef], np.ndarray], reach: int) -> np.ndarray:
        """See `rows`. read: gives the weights of the table."""
        return self.rows(None if self.table is None else read(self.table), reach)

    def rows(self, table: np.ndarray | None, reach: int) -> np.ndarray:
        """What is added for the distances -reach to reach - 1: float32 [heads, 2 * reach].

        The distance is the position that is attended to minus one's own. table: the weights, float32.
        """
        distances = np.arange(-reach, reach)
        if table is None:
            return (-np.abs(distances) * np.array(self.slopes)[:, None]).astype(np.float32)
        size = len(table) // 2
        of_distance = _buckets(size, self.max_distance, reach)
        return table[of_distance[np.abs(distances)] + size * (distances > 0)].T


def _buckets(count: int, max_distance: int, reach: int) -> np.ndarray:
    """The buckets of the distances 0 to reach: int [reach + 1].

    The first half of them has a distance each. Distance n of the others has the bucket
    half + floor(log(n / half) / log(max_distance / half) * (count - half)).
    """
    half = count // 2
    # The first distances of the later buckets, in whole numbers: logarithms may be just below them.
    starts = [
        next(n for n in range(half, max_distance + 1) if _is_in_or_after(n, step, half, count, max_distance))
        for step in range(1, count - half)
    ]
    distances = np.arange(reach + 1)
    return np.minimum(distances, half) + np.searchsorted(starts, distances, side="right")


def _is_in_or_after(n: int, step: int, half: int, count: int, max_distance: int) -> bool:
    """Whether log(n / half) / log(max_distance / half) * (count - half) >= step."""
    return bool(n ** (count - half) * half**step >= half ** (count - half) * max_distance**step)


def alibi(heads: int, scale: float = 1.0) -> DistanceBias:
    """ALiBi. Its slopes are `scale` times 2^(-8 i / n) for i of 1 to n, if n heads are a power of two.

    Otherwise there are those of the next lower power of two, and then every second of twice as many heads.
    """
    n = 1 << (heads.bit_length() - 1)
    exponents = [8 * (i + 1) / n for i in range(n)] + [4 * (2 * i + 1) / n for i in range(heads - n)]
    return DistanceBias(slopes=tuple(scale * 2.0**-exponent for exponent in exponents))


@dataclass(frozen=True)
class PositionRows:
    """norm(table) weight^T + bias: rows for distances, [rows of the table, columns], in float32.

    Attributes:
        table: [rows, hidden]. weight: [columns, hidden], with its `bias`.
        norm: the weights of a layer norm of each row, with its bias and `eps`; None: there is none.
    """

    table: WeightRef
    weight: WeightRef
    norm: WeightRef | None
    eps: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.table.rows, self.weight.rows

    @property
    def weights(self) -> tuple[WeightRef, ...]:
        """The tensors that they are made of."""
        norm = () if self.norm is None else (self.norm, self.norm.bias)
        return self.table, self.weight, self.weight.bias, *norm

    def read(self, read: Callable[[WeightRef], np.ndarray]) -> np.ndarray:
        """The rows, float32. read: gives a weight in float32."""
        rows = read(self.table).astype(np.float64)
        if self.norm is not None:
            rows = rows - rows.mean(axis=1, keepdims=True)
            rows = rows / np.sqrt(np.mean(rows * rows, axis=1, keepdims=True) + self.eps)
            rows = rows * read(self.norm) + read(self.norm.bias)
        return (product(rows, read(self.weight)) + read(self.weight.bias)).astype(np.float32)


@dataclass(frozen=True)
class RelativeScores:
    """What is added to the score of a query and a key: numbers of both, at the column of their distance.

    They are products of the query with rows for distances, and of the key with others (DeBERTa, He et al.,
    2020, arXiv:2006.03654). Near distances have a column each, the others share those of ranges that grow.

    Attributes:
        of_queries, of_keys: `2 * columns` numbers for each head, padded: column n is for the distance
            n - columns, one's own position minus that which is attended to.
        columns: on each side. near: distances on each side with a column of their own, half of the columns;
            None: all have.
        reach: the distance of the last column.
    """

    of_queries: Span
    of_keys: Span
    columns: int
    near: int | None
    reach: int

    def columns_of(self, reach: int) -> np.ndarray:
        """The column for each distance from -reach to reach - 1: int32 [2 * reach].

        The distance is the position that is attended to minus one's own.
        """
        size = np.arange(reach + 1)
        if self.near is not None:
            # Column near + c is for the distances n whose log(n / near) / log(reach / near) * (near - 1) is
            # above c - 1, and not above c.
            far, farthest = np.maximum(size, self.near) / self.near, self.reach / self.near
            logarithms = np.array([log(n) for n in far.tolist()]) / log(farthest)
            columns = self.near + np.ceil(logarithms * (self.near - 1) - 1e-9)
            size = np.where(size <= self.near, size, columns)
        distances = np.arange(-reach, reach)
        signed = -np.sign(distances) * size[np.abs(distances)]
        return np.clip(signed + self.columns, 0, 2 * self.columns - 1).astype(np.int32)
