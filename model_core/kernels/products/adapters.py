"""Products with the adapters of requests: y = W x + scale * B (A x), each row with those of its request.

Low-rank adaptation (Hu et al., 2021, arXiv:2106.09685). The rows of a step are divided into runs, which have
one adapter or none. The team computes A x before the product, and adds B (A x) to its strips. Each output is
summed over its k and its ranks in order, so its bits depend neither on other rows nor on other adapters.
"""

import numpy as np

from ..block_sizes import block_rows
from ..blocks import Strided
from ..compiler import njit
from ..inner import inner
from ..layout import FLOAT32, INT8, MATRIX, STRIP, record_type
from ..simd import broadcast, get_i32, load_f32, multiply, store_f32
from ..team import barrier, claim, claim_ahead
from .linear import store_outputs
from .low_rank import RANKS, dot_block, prefetch_line, rank_block
from .strips import SUMS, multiply_strip

# What an adapter adds to one tensor of the checkpoint: B diag(scales) A, with A [rank, k] and B [n, rank] of
# a kind. Sizes, and addresses: a is padded to multiples of 16 on both axes; b is packed in tiles of 16
# outputs as float matrices are; scales is float32 [rank], padded to a multiple of 16. Products with A are at
# `column` of the low-rank rows. If the first half of a strip has another tensor than the second, both have
# the same kind and rank. `matrix` replaces the tensor, if its n is not 0.
FACTORS = record_type("kind", "rank", "k", "a", "b", "scales", "column", matrix=MATRIX)
RUN_FIELDS = 3  # a run is int32: its first row, how many rows, and their slot; -1 for none
_ITEM_ROWS = 24  # of which a thread computes the products with 16 ranks of A together


@inner
def is_adapted(s, i, factors):
    """Whether an adapter of the step changes the matrix of an instruction."""
    for run in range(s.run_count):
        slot = _get_run(s.runs, run)[2]
        for tensor in range(i.tensor, i.tensor + i.tensors if slot >= 0 else i.tensor):
            if factors[slot, tensor].rank or factors[slot, tensor].matrix.n:
                return True
    return False


@njit(nogil=True, inline="always")
def adapted_linear(s, threads, i, a, y, factors, scratch):
    """`linear` for rows that have adapters.

    s: STEP. i: INSTRUCTION. a, y: ACTIVATIONS. factors: FACTORS [slots, tensors]. scratch: address of
    scratch_bytes, private to the thread.
    """
    runs = s.logit_runs if i.for_logit_rows else s.runs
    run_count = s.logit_run_count if i.for_logit_rows else s.run_count
    _multiply_a(s, i, a, runs, run_count, factors, scratch)
    barrier(s.team, threads)
    strips = i.matrix.n // STRIP
    strip = claim(s.team)
    next_strip = claim_ahead(s.team, strips)
    while strip < strips:
        last, run = next_strip if 0 <= next_strip < strips else strip, 0
        _prefetch_b(i, runs, run_count, strip, factors)
        while run < run_count:
            m, first, end = _matrix_of(i, runs, run, factors), run, run + 1
            while end < run_count and _matrix_of(i, runs, end, factors).data == m.data:
                end += 1
            row, (last_row, last_rows, _) = _get_run(runs, first)[0], _get_run(runs, end - 1)
            rows = last_row + last_rows - row
            multiply_strip(m, a, row, rows, strip, last, scratch)
            extra = scratch + SUMS + 4 * STRIP * (rows + 1)
            for run in range(first, end):
                at, count, slot = _get_run(runs, run)
                _multiply_b(s, i, at, count, slot, strip, factors, extra + 4 * STRIP * (at - row))
            to = y.floats + i.y_start + row * y.row
            store_outputs(m, rows, strip, to, y.row, i.mode, scratch + SUMS, extra)
            run = end
        strip = next_strip if next_strip >= 0 else claim(s.team)
        next_strip = claim_ahead(s.team, strips)


@inner
def _get_run(runs, run):
    """The first row of a run, its rows and its slot, as wide as indices are: see experts._get."""
    at = runs + 4 * RUN_FIELDS * run
    return np.int64(get_i32(at, 0)), np.int64(get_i32(at, 4)), np.int64(get_i32(at, 8))


@inner
def _bytes_of(kind):
    """The bytes of a number."""
    return 4 if kind == FLOAT32 else 1 if kind == INT8 else 2


@inner
def _matrix_of(i, runs, run, factors):
    """The matrix that the rows of a run are multiplied with."""
    slot = _get_run(runs, run)[2]
    if slot >= 0 and factors[slot, i.tensor].matrix.n:
        return factors[slot, i.tensor].matrix
    return i.matrix


@inner
def _multiply_a(s, i, a, runs, run_count, factors, scratch):
    """diag(scales) A x of all rows with adapters, for all tensors of a product. Threads share the tiles."""
    item, index = claim(s.team), 0
    for run in range(run_count):
        first, count, slot = _get_run(runs, run)
        for tensor in range(i.tensor, i.tensor + i.tensors if slot >= 0 else i.tensor):
            f = factors[slot, tensor]
            for start in range(0, count, _ITEM_ROWS):
                for column in range(0, f.rank, 16):
                    if index == item:
                        rows = min(_ITEM_ROWS, count - start)
                        _multiply_ranks(s, a, first + start, rows, f, column, scratch)
                        item = claim(s.team)
                    index += 1


@inner
def _multiply_ranks(s, a, first, rows, f, column, scratch):
    """diag(scales) A x of `rows` rows from `first` on, for 16 ranks from `column` on."""
    w_row = (f.k + 15) // 16 * 16 * _bytes_of(f.kind)
    for rank in range(0, 16, RANKS):
        w, row = f.a + (column + rank) * w_row, 0
        while row < rows:
            height = block_rows(rows - row)
            x, y = a.floats + (first + row) * a.row, scratch + 64 * row + 4 * rank
            dot_block(f.kind, height, Strided(w, w_row), Strided(x, a.row), f.k, Strided(y, 64))
            row += height
    scales = load_f32(f.scales, 4 * column)
    for row in range(rows):
        to = s.low_rank + (first + row) * s.low_rank_row
        store_f32(to, 4 * (f.column + column), multiply(scales, load_f32(scratch, 64 * row)))


@inner
def _prefetch_b(i, runs, run_count, strip, factors):
    """Prefetch what adapters have of B for a strip. It arrives while the strip is multiplied.

    Otherwise the processor would wait for each adapter: their parts are too short for its own prefetching.
    """
    for run in range(run_count):
        slot = _get_run(runs, run)[2]
        for half in range(2 if slot >= 0 else 0):
            tensor, w = _find_b(i, slot, strip, half, factors)
            f = factors[slot, tensor]
            for line in range(0, 32 * f.rank * _bytes_of(f.kind), 64):
                prefetch_line(w + line)


@inner
def _find_b(i, slot, strip, half, factors):
    """The tensor of half a strip, and the address of its two tiles of B."""
    part = i.half_strips + 8 * (2 * strip + half)
    tensor, tile = i.tensor + np.int64(get_i32(part, 0)), np.int64(get_i32(part, 4))
    f = factors[slot, tensor]
    return tensor, f.b + 16 * tile * f.rank * _bytes_of(f.kind)


@inner
def _multiply_b(s, i, first, rows, slot, strip, factors, extra):
    """What an adapter adds to a strip of outputs of `rows` rows from `first` on: float32 [rows, STRIP].

    It is written to the address `extra`, and to one more row. Without an adapter it is -0, which changes not
    even the sign of what it is added to.
    """
    rank = np.int64(0)
    if slot >= 0:
        (tensor, w), (up, w_up) = _find_b(i, slot, strip, 0, factors), _find_b(i, slot, strip, 1, factors)
        f, x_half = factors[slot, tensor], 4 * (factors[slot, up].column - factors[slot, tensor].column)
        rank, row = f.rank, 0
        while row < rows and rank:
            height = block_rows(rows - row)
            x, y = s.low_rank + (first + row) * s.low_rank_row + 4 * f.column, extra + 4 * STRIP * row
            halves, to = Strided(w, w_up - w), Strided(y, 4 * STRIP)
            rank_block(f.kind, height, halves, Strided(x, s.low_rank_row), x_half, rank, to)
            row += height
    if rank == 0:
        for at in range(0, 4 * STRIP * rows, 64):
            store_f32(extra, at, broadcast(np.float32(-0.0)))
