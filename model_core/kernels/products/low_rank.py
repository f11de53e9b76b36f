"""The inner loops of adapters: products with a few rows of weights, and with a few ranks.

Adapters of many requests are multiplied with one or two rows each. So these loops read each weight once, and
keep enough sums in registers that no addition waits for another.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .. import emit
from ..blocks import Strided, emit_addresses, emit_cases, emit_loop, prefetch
from ..emit import LANES, ROWS, TILES
from ..layout import BFLOAT16, FLOAT16, FLOAT32, INT8

# Of A, whose products a block computes together.
RANKS = 4
_KINDS = {FLOAT32: 4, BFLOAT16: 2, FLOAT16: 2, INT8: 1}  # and the bytes of a number

_n = types.intp


@intrinsic
def prefetch_line(typing_context, address):
    """Fetch a cache line that is read soon."""
    return emit.typed(types.void, (_n,), prefetch)


@intrinsic
def dot_block(typing_context, kind, rows, w, x, k, y):
    """y[row, rank] = sum over k of x[row, k] * w[rank, k], for RANKS ranks.

    Lane i of a vector sums the k that are i modulo 16, in order; the lanes are added as a tree. So the bits
    do not depend on `rows`, which is one of ROWS. w, x, y: Strided; w has numbers of the kind, and rows that
    are padded to 16; x and y have floats.
    """
    return emit.typed(types.void, (_n, _n, w, x, _n, y), _of_each_case(_dots))


def _of_each_case(block: Callable[..., None]) -> Callable[..., None]:
    """The code that chooses among those of a block for each kind and number of rows."""

    def code(b: ir.IRBuilder, kind: ir.Value, rows: ir.Value, *rest: Any) -> None:
        emit_cases(b, kind, _KINDS, lambda k: emit_cases(b, rows, ROWS, lambda r: block(b, k, r, *rest)))

    return code


def _dots(
    b: ir.IRBuilder,
    kind: int,
    rows: int,
    w: Strided,
    x: Strided,
    k: ir.Value,
    y: Strided,
) -> None:
    xs, ws = emit_addresses(b, x, rows), emit_addresses(b, w, RANKS)
    lane = ir.Constant(emit.I32X16, list(range(LANES)))
    count = emit.broadcast(b, b.trunc(k, emit.I32))

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        first = b.mul(step, step.type(LANES))
        is_inside = b.icmp_signed("<", b.add(emit.broadcast(b, b.trunc(first, emit.I32)), lane), count)
        offset = b.mul(first, first.type(_KINDS[kind]))
        weights = [emit.load_widened(b, b.add(address, offset), kind) for address in ws]
        next_sums = []
        for row in range(rows):
            value = emit.load(b, b.add(xs[row], b.mul(first, first.type(4))), emit.F32X16)
            value = b.select(is_inside, value, emit.splat(0.0, emit.F32X16))
            next_sums += [emit.fma(b, weights[r], value, sums[row * RANKS + r]) for r in range(RANKS)]
        return next_sums

    zeros = [emit.splat(0.0, emit.F32X16)] * (rows * RANKS)
    steps = b.sdiv(b.add(k, k.type(LANES - 1)), k.type(LANES))
    sums = emit_loop(b, steps, zeros, body)
    for row, address in enumerate(emit_addresses(b, y, rows)):
        for rank in range(RANKS):
            total = emit.reduce(b, sums[row * RANKS + rank], b.fadd)
            emit.store(b, b.add(address, address.type(4 * rank)), total)


@intrinsic
def rank_block(typing_context, kind, rows, w, x, x_half, ranks, y):
    """y[row, tile] = sum over ranks of x[tile // 2][row, rank] * w[tile][rank], for the 4 tiles of a strip.

    The two halves of a strip have their own x, because one may be of a gate. w: Strided, the tiles of
    [ranks, 16] weights of the kind, for each half. x, y: Strided, rows of floats; x for the second half is
    x_half bytes on. rows: one of ROWS.
    """
    return emit.typed(types.void, (_n, _n, w, x, _n, _n, y), _of_each_case(_ranks))


def _ranks(
    b: ir.IRBuilder,
    kind: int,
    rows: int,
    w: Strided,
    x: Strided,
    x_half: ir.Value,
    ranks: ir.Value,
    y: Strided,
) -> None:
    size = LANES * _KINDS[kind]
    w_tile = b.mul(ranks, ranks.type(size))
    starts = zip((x.at, b.add(x.at, x_half)), emit_addresses(b, w, 2), strict=True)
    halves = [
        (emit_addresses(b, (at, x.stride), rows), emit_addresses(b, (tile, w_tile), 2)) for at, tile in starts
    ]
    for first in range(0, 4, TILES):
        tiles = range(first, first + TILES)

        def body(rank: ir.Value, sums: list[ir.Value], tiles: range = tiles) -> list[ir.Value]:
            values = [
                [
                    emit.broadcast(b, emit.load(b, b.add(x, b.mul(rank, rank.type(4))), emit.F32))
                    for x in halves[half][0]
                ]
                if 2 * half in tiles
                else []
                for half in range(2)
            ]
            next_sums = []
            for number, tile in enumerate(tiles):
                address = b.add(halves[tile // 2][1][tile % 2], b.mul(rank, rank.type(size)))
                weights = emit.load_widened(b, address, kind)
                for row in range(rows):
                    total = sums[number * rows + row]
                    next_sums.append(emit.fma(b, weights, values[tile // 2][row], total))
            return next_sums

        sums = emit_loop(b, ranks, [emit.splat(0.0, emit.F32X16)] * (rows * len(tiles)), body)
        for row, address in enumerate(emit_addresses(b, y, rows)):
            for number, tile in enumerate(tiles):
                emit.store(b, b.add(address, address.type(64 * tile)), sums[number * rows + row])
