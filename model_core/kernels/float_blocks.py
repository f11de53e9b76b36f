"""Blocks of products with floats: of weights, and of keys and values, which lie in pages. See blocks.py."""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..layout import PAGE
from . import emit
from .blocks import HEIGHTS, cases_of, emit_addresses, emit_cases, emit_loop, initial_sum, prefetch
from .emit import ROWS

_n = types.intp


@intrinsic(prefer_literal=True)
def float_block(
    typing_context,
    kinds,
    widths,
    tiles,
    kind,
    rows,
    w,
    w_step,
    w_tile,
    prefetch_a,
    prefetch_b,
    prefetch_b_step,
    x,
    x_row,
    steps,
    y,
    y_row,
    accumulate,
):
    """y[row, tile] (+)= sum over steps of x[row, step] * w[step, tile].

    kinds, widths: constant tuples of the kinds that w may hold, and of the tiles that a block may have.
    tiles, kind: one of each. rows: one of CASES; with one tile, more rows than that are possible.
    w: address of the weights; w_step bytes from step to step, w_tile from tile to tile.
    prefetch_a, prefetch_b: addresses to prefetch, advancing w_step and prefetch_b_step bytes a step.
    x: address of floats, one a step; x_row bytes from row to row.
    y: address of floats, 16 a tile; y_row bytes from row to row. accumulate: whether to add to them.
    """

    def block(b: ir.IRBuilder, kind: int, rows: int, tiles: int, *args: ir.Value) -> None:
        w, w_step, w_tile, prefetch_a, prefetch_b, prefetch_b_step, x, x_row, steps, *to = args
        fetched = [(prefetch_a, w_step), (prefetch_b, prefetch_b_step)] if rows < 0 else []
        ws, xs = emit_addresses(b, w, w_tile, tiles), emit_addresses(b, x, x_row, abs(rows))

        def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            for address, size in fetched:
                prefetch(b, b.add(address, b.mul(step, size)))
            return _add_products(b, kind, ws, b.mul(step, w_step), xs, step, sums)

        _sum(b, abs(rows), tiles, *to, lambda sums: emit_loop(b, steps, sums, add_step))

    return types.void(kinds, widths, *[_n] * 15), _emit_blocks(kinds, widths, block, prefetches=True)


@intrinsic(prefer_literal=True)
def page_block(
    typing_context,
    kinds,
    widths,
    tiles,
    kind,
    rows,
    table,
    page_stride,
    w,
    w_step,
    w_tile,
    x,
    x_row,
    steps,
    y,
    y_row,
    accumulate,
):
    """As float_block, but the weights of each PAGE steps lie in another page.

    table: address of int32, the number of each page; it begins page_stride times its number bytes after `w`.
    rows: one of ROWS; with one tile, more than that are possible.
    """

    def block(b: ir.IRBuilder, kind: int, rows: int, tiles: int, *args: ir.Value) -> None:
        table, page_stride, w, w_step, w_tile, x, x_row, steps, *to = args
        xs = emit_addresses(b, x, x_row, rows)

        def add_page(page: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            number = emit.load(b, b.add(table, b.mul(page, page.type(4))), emit.I32)
            start = b.add(w, b.mul(b.sext(number, emit.I64), page_stride))
            ws = emit_addresses(b, start, w_tile, tiles)
            first = b.mul(page, page.type(PAGE))
            left = b.sub(steps, first)
            count = b.select(b.icmp_signed("<", left, left.type(PAGE)), left, left.type(PAGE))

            def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                return _add_products(b, kind, ws, b.mul(step, w_step), xs, b.add(first, step), sums)

            return emit_loop(b, count, sums, add_step)

        pages = b.sdiv(b.add(steps, steps.type(PAGE - 1)), steps.type(PAGE))
        _sum(b, rows, tiles, *to, lambda sums: emit_loop(b, pages, sums, add_page))

    return types.void(kinds, widths, *[_n] * 14), _emit_blocks(kinds, widths, block, prefetches=False)


def _emit_blocks(
    kinds: types.Type,
    widths: types.Type,
    block: Callable[..., None],
    prefetches: bool,
) -> Callable[..., Any]:
    """The code of an intrinsic that chooses among variants of a block: by its tiles, the kind, and its rows.

    prefetches: whether there are variants that prefetch, see cases_of.
    """
    kinds_, widths_ = ([value.literal_value for value in values] for values in (kinds, widths))

    def codegen(context: Any, b: ir.IRBuilder, signature: Any, args: tuple) -> Any:
        tiles, kind, rows, *rest = args[2:]

        def blocks_of_rows(tiles: int, kind: int) -> None:
            heights = HEIGHTS if tiles == 1 else ROWS
            cases = cases_of(heights) if prefetches else heights
            emit_cases(b, rows, cases, lambda r: block(b, kind, r, tiles, *rest))

        def blocks_of_kinds(tiles: int) -> None:
            emit_cases(b, kind, kinds_, lambda k: blocks_of_rows(tiles, k))

        emit_cases(b, tiles, widths_, blocks_of_kinds)
        return context.get_dummy_value()

    return codegen


def _sum(
    b: ir.IRBuilder,
    rows: int,
    tiles: int,
    y: ir.Value,
    y_row: ir.Value,
    accumulate: ir.Value,
    add: Callable[[list[ir.Value]], list[ir.Value]],
) -> None:
    """Load the sums of a block, or zeros, add to them, and store them. A row's tiles follow each other."""
    addresses = [
        b.add(address, address.type(64 * t))
        for address in emit_addresses(b, y, y_row, rows)
        for t in range(tiles)
    ]
    sums = add([initial_sum(b, address, accumulate) for address in addresses])
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
