"""Blocks of products with floats: of weights, and of keys and values, which lie in pages. See blocks.py."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit
from .block_sizes import HEIGHTS, cases_of
from .blocks import Strided, Sums, emit_addresses, emit_cases, emit_loop, initial_sum, prefetch
from .emit import HAS_WIDE_VECTORS, ROWS
from .layout import PAGE

# The rows of queries that blocks of one or two tiles may have. Seven or eight of them are a usual group of
# query heads, so that one token reads, and widens, a page once.
QUERY_ROWS = (8, 7, *HEIGHTS) if HAS_WIDE_VECTORS else HEIGHTS


class FloatCase(NamedTuple):
    """Which block of floats it is. rows: one of CASES; with one tile, more rows than that are possible."""

    kind: int
    rows: int
    tiles: int


class Weights(NamedTuple):
    """Weights of a block of floats: an address, and bytes from step to step and from tile to tile."""

    at: int
    step: int
    tile: int


class Pages(NamedTuple):
    """Where weights lie in pages. table: address of int32, their numbers; page p is p * stride bytes on."""

    table: int
    stride: int


@intrinsic(prefer_literal=True)
def float_block(typing_context, kinds, widths, case, w, ahead, x, steps, y):
    """y[row, tile] (+)= sum over steps of x[row, step] * w[step, tile].

    kinds, widths: constant tuples of the kinds that w may hold, and of the tiles that a block may have.
    case: FloatCase. w: Weights. ahead: Ahead. x: Strided, rows of floats, one a step. y: Sums.
    """

    def block(b: ir.IRBuilder, case: FloatCase, *args: Any) -> None:
        w, ahead, x, steps, y = args
        fetched = [(ahead.a, ahead.a_step), (ahead.b, ahead.b_step)] if case.rows < 0 else []
        ws = emit_addresses(b, (w.at, w.tile), case.tiles)
        xs = emit_addresses(b, x, abs(case.rows))

        def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            for address, size in fetched:
                prefetch(b, b.add(address, b.mul(step, size)))
            return _add_products(b, case.kind, ws, b.mul(step, w.step), xs, step, sums)

        _sum(b, case, y, lambda sums: emit_loop(b, steps, sums, add_step))

    code = _emit_blocks(kinds, widths, block, cases_of)
    return emit.typed(types.void, (kinds, widths, case, w, ahead, x, types.intp, y), code)


@intrinsic(prefer_literal=True)
def page_block(typing_context, kinds, widths, case, pages, w, x, steps, y):
    """As float_block, but the weights of each PAGE steps lie in another page.

    pages: Pages, whose bytes are counted from w. case: with rows of ROWS; with one tile, more are possible.
    """

    def block(b: ir.IRBuilder, case: FloatCase, *args: Any) -> None:
        pages, w, x, steps, y = args
        xs = emit_addresses(b, x, case.rows)

        def add_page(page: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            number = emit.load(b, b.add(pages.table, b.mul(page, page.type(4))), emit.I32)
            start = b.add(w.at, b.mul(b.sext(number, emit.I64), pages.stride))
            ws = emit_addresses(b, (start, w.tile), case.tiles)
            first = b.mul(page, page.type(PAGE))
            left = b.sub(steps, first)
            count = b.select(b.icmp_signed("<", left, left.type(PAGE)), left, left.type(PAGE))

            def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                return _add_products(b, case.kind, ws, b.mul(step, w.step), xs, b.add(first, step), sums)

            return emit_loop(b, count, sums, add_step)

        count = b.sdiv(b.add(steps, steps.type(PAGE - 1)), steps.type(PAGE))
        _sum(b, case, y, lambda sums: emit_loop(b, count, sums, add_page))

    code = _emit_blocks(kinds, widths, block, lambda heights: heights)
    return emit.typed(types.void, (kinds, widths, case, pages, w, x, types.intp, y), code)


# Which lanes of two vectors to take in turn: their first halves, or their second ones.
_HALVES = [
    ir.Constant(emit.I32X16, [lane for i in range(first, first + 8) for lane in (i, 16 + i)])
    for first in (0, 8)
]


@intrinsic(prefer_literal=True)
def turn_block(typing_context, kinds, kind, rows, columns):
    """columns[j][i] = rows[i][j] as floats, for 16 rows of 16 numbers of a kind.

    kinds: a constant tuple of the kinds that there may be. rows: Strided. columns: address of floats
    [16, 16].
    """
    kinds_ = [value.literal_value for value in kinds]

    def code(b: ir.IRBuilder, _: Any, kind: ir.Value, rows: Strided, columns: ir.Value) -> None:
        addresses = emit_addresses(b, rows, 16)

        def turn(kind: int) -> None:
            vectors = [emit.load_widened(b, address, kind) for address in addresses]
            for _ in range(4):  # each moves the highest bit of a row's number to that of the column
                vectors = [
                    b.shuffle_vector(vectors[i // 2], vectors[8 + i // 2], _HALVES[i % 2]) for i in range(16)
                ]
            for i, vector in enumerate(vectors):
                emit.store(b, emit.at(b, columns, 64 * i), vector)

        emit_cases(b, kind, kinds_, turn)

    return emit.typed(types.void, (kinds, kind, rows, types.intp), code)


def _emit_blocks(
    kinds: types.Type,
    widths: types.Type,
    block: Callable[..., None],
    cases_of: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Callable[..., None]:
    """The code of an intrinsic that chooses among cases of a block: by its tiles, the kind, and its rows.

    cases_of: the cases for some numbers of rows.
    """
    kinds_, widths_ = ([value.literal_value for value in values] for values in (kinds, widths))

    def code(b: ir.IRBuilder, _: Any, __: Any, case: FloatCase, *rest: Any) -> None:
        def blocks_of_rows(tiles: int, kind: int) -> None:
            has_queries = tiles == 1 or (tiles == 2 and HAS_WIDE_VECTORS)
            cases = cases_of(QUERY_ROWS if has_queries else ROWS)
            emit_cases(b, case.rows, cases, lambda rows: block(b, FloatCase(kind, rows, tiles), *rest))

        def blocks_of_kinds(tiles: int) -> None:
            emit_cases(b, case.kind, kinds_, lambda kind: blocks_of_rows(tiles, kind))

        emit_cases(b, case.tiles, widths_, blocks_of_kinds)

    return code


def _sum(
    b: ir.IRBuilder,
    case: FloatCase,
    y: Sums,
    add: Callable[[list[ir.Value]], list[ir.Value]],
) -> None:
    """Load the sums of a block, or zeros, add to them, and store them. A row's tiles follow each other."""
    addresses = [
        b.add(address, address.type(64 * t))
        for address in emit_addresses(b, y[:2], abs(case.rows))
        for t in range(case.tiles)
    ]
    sums = add([initial_sum(b, address, y.accumulate) for address in addresses])
    for address, value in zip(addresses, sums, strict=True):
        emit.store(b, address, value)


def _add_products(
    b: ir.IRBuilder,
    kind: int,
    ws: Sequence[ir.Value],
    offset: ir.Value,
    xs: Sequence[ir.Value],
    step: ir.Value,
    sums: list[ir.Value],
) -> list[ir.Value]:
    """The sums after a step: weights are `offset` bytes behind `ws`, activations at index `step` of `xs`."""
    weights = [emit.load_widened(b, b.add(address, offset), kind) for address in ws]
    next_sums = []
    for row, address in enumerate(xs):
        value = emit.broadcast(b, emit.load(b, b.add(address, b.mul(step, step.type(4))), emit.F32))
        next_sums += [emit.fma(b, w, value, sums[row * len(ws) + t]) for t, w in enumerate(weights)]
    return next_sums
