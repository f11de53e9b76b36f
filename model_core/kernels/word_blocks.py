"""Blocks of products of attention with signed 16-bit integers, words. Their sums are exact. See blocks.py.

Two neighbours, of a row of queries or of weights, are multiplied by two words of each of 16 positions or
outputs at once.
"""

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit
from .blocks import Strided, emit_addresses, emit_cases, emit_loop, prefetch
from .emit import HAS_WIDE_VECTORS, INSTRUCTION_SET, LANES
from .layout import PAGE
from .simd import spread_lanes

# The rows that a block may have, and its tiles: pages of keys, or vectors of values. The largest takes 29 of
# 32 registers: 24 sums, 4 tiles and a pair of a row. With 7 rows, sums were spilled in every step.
WORD_ROWS, WORD_TILES = ((6, 4, 3, 2, 1), (4, 1)) if HAS_WIDE_VECTORS else ((4, 3, 2, 1), (1,))
_CASES = (*WORD_ROWS, *(-rows for rows in WORD_ROWS))
_WORDS, _SHORT_WORDS = ir.VectorType(emit.I16, 2 * LANES), ir.VectorType(emit.I16, LANES)

_n = types.intp


class WordCase(NamedTuple):
    """Which block of words it is. rows: one of WORD_ROWS; or its negative, to prefetch. tiles: WORD_TILES."""

    rows: int
    tiles: int


class WordPages(NamedTuple):
    """Words in pages. table: address of int32, their numbers; page p is p * stride bytes behind `at`."""

    table: int
    stride: int
    at: int


class WordAhead(NamedTuple):
    """What a block of scores prefetches: keys of the pages that a table lists, values of half of its own.

    values: address of those of the first page of memory.
    """

    table: int
    values: int


class NextKeys(NamedTuple):
    """What a block of values prefetches: keys of the pages that a table lists, and both scales.

    The others are addresses of those of the first page of memory.
    """

    table: int
    keys: int
    key_scales: int
    value_scales: int


def dot2(b: ir.IRBuilder, acc: ir.Value, w: ir.Value, x: ir.Value) -> ir.Value:
    """acc + the sum of two products a lane: 16 integers, two words in each lane of both. Exact modulo 2^32.

    No words are -2^15, whose products would not fit.
    """
    if HAS_WIDE_VECTORS:
        w, x = b.bitcast(w, _WORDS), b.bitcast(x, _WORDS)
        if INSTRUCTION_SET == "avx512":
            return emit.call(b, "llvm.x86.avx512.vpdpwssd.512", emit.I32X16, acc, w, x)
        return b.add(acc, emit.call(b, "llvm.x86.avx512.pmaddw.d.512", emit.I32X16, w, x))
    if INSTRUCTION_SET == "generic":
        bits = emit.splat(16, emit.I32X16)
        acc = b.add(acc, b.mul(b.ashr(w, bits), b.ashr(x, bits)))
        return b.add(acc, b.mul(b.ashr(b.shl(w, bits), bits), b.ashr(b.shl(x, bits), bits)))
    halves, kind = [], ir.VectorType(emit.I32, LANES // 2)
    for i in (0, 1):
        of_w, of_x = (b.bitcast(emit.half(b, v, i), _SHORT_WORDS) for v in (w, x))
        if INSTRUCTION_SET == "avxvnni":
            args = (emit.half(b, acc, i), of_w, of_x)
            halves.append(emit.call(b, "llvm.x86.avx512.vpdpwssd.256", kind, *args))
        else:
            products = emit.call(b, "llvm.x86.avx2.pmadd.wd", kind, of_w, of_x)
            halves.append(b.add(emit.half(b, acc, i), products))
    return b.shuffle_vector(*halves, ir.Constant(emit.I32X16, list(range(LANES))))


def _float_to_word(b: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """16 floats from -32767 to 32767 as words, rounded half to even."""
    whole = emit.call(b, "llvm.rint.v16f32", emit.F32X16, value)
    return b.trunc(b.fptosi(whole, emit.I32X16), _SHORT_WORDS)


@intrinsic
def spread_words(typing_context, address, stride, value):
    """Store 16 floats from -32767 to 32767 as words, rounded half to even, `stride` bytes apart."""
    return spread_lanes(_float_to_word)


@intrinsic
def spread_pairs(typing_context, address, stride, value):
    """The same, but pairs of neighbours are `stride` bytes apart."""
    pairs = ir.VectorType(emit.I32, LANES // 2)
    return spread_lanes(lambda b, v: b.bitcast(_float_to_word(b, v), pairs))


@intrinsic
def prefetch_line(typing_context, address):
    """Prefetch a cache line."""
    return emit.typed(types.void, (_n,), prefetch)


@intrinsic
def set_i16(typing_context, address, offset, value):
    """Store the lowest 16 bits of an integer."""

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value) -> None:
        emit.store(b, b.add(a, o), b.trunc(v, emit.I16))

    return emit.typed(types.void, (_n, _n, types.int32), code)


def _page_offset(b: ir.IRBuilder, pages: WordPages, page: ir.Value) -> ir.Value:
    """Bytes from the first page of memory to one of a table."""
    number = emit.load(b, b.add(pages.table, b.mul(page, page.type(4))), emit.I32)
    return b.mul(b.sext(number, emit.I64), pages.stride)


def _hidden(b: ir.IRBuilder, number: int) -> ir.Value:
    """A number that LLVM does not know, so that it leaves a loop of so many steps as it is.

    It would unroll the loop and load early what it then spills: 1.04 times the time, 1.3 with AVX2.
    """
    kind = ir.FunctionType(emit.I64, [emit.I64])
    return b.asm(kind, "", "=r,0", [ir.Constant(emit.I64, number)], side_effect=False)


def _add_products(
    b: ir.IRBuilder, ws: list[ir.Value], xs: list[ir.Value], offset: ir.Value, sums: list[ir.Value]
) -> list[ir.Value]:
    """The sums after a step: of words at `ws`, and the pair of words of each row, at `offset` of `xs`."""
    weights = [emit.load(b, address, emit.I32X16) for address in ws]
    next_sums = []
    for row, address in enumerate(xs):
        pair = emit.broadcast(b, emit.load(b, b.add(address, offset), emit.I32))
        next_sums += [dot2(b, sums[row * len(ws) + t], w, pair) for t, w in enumerate(weights)]
    return next_sums


@intrinsic
def score_block(typing_context, case, keys, scales, ahead, x, steps, y):
    """y[row, tile] = (sum over steps of two products of x[row] and keys[tile]) * scales[tile] * factor[row].

    case: WordCase; a tile is a page. keys: WordPages of words [steps, PAGE, 2]. scales: address of those of
    the positions of the first page of memory, floats [PAGE]. ahead: WordAhead, a cache line a step and page.
    x: Strided, rows of words [steps, 2] and behind them the factor, a float. y: Strided, rows of floats
    [tiles, 16].
    """

    def block(b: ir.IRBuilder, rows: int, tiles: int, *args: Any) -> None:
        keys, scales, ahead, x, steps, y = args
        offsets = [_page_offset(b, keys, ir.Constant(emit.I64, tile)) for tile in range(tiles)]
        ws = [b.add(keys.at, offset) for offset in offsets]
        fetched = []
        if rows < 0:
            following = WordPages(ahead.table, keys.stride, keys.at)
            for tile in range(tiles):
                next_keys = _page_offset(b, following, ir.Constant(emit.I64, tile))
                fetched.append(b.add(following.at, next_keys))
            fetched += [b.add(ahead.values, offset) for offset in offsets[: -(-tiles // 2)]]
        xs = emit_addresses(b, x, abs(rows))

        def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            line = b.mul(step, step.type(64))
            for address in fetched:
                prefetch(b, b.add(address, line))
            return _add_products(b, [b.add(w, line) for w in ws], xs, b.mul(step, step.type(4)), sums)

        sums = emit_loop(b, steps, [emit.splat(0, emit.I32X16)] * (abs(rows) * tiles), add_step)
        of_positions = [emit.load(b, b.add(scales, offset), emit.F32X16) for offset in offsets]
        end = b.mul(steps, steps.type(4))
        for row, (address, to) in enumerate(zip(xs, emit_addresses(b, y, abs(rows)), strict=True)):
            factor = emit.broadcast(b, emit.load(b, b.add(address, end), emit.F32))
            for tile, scale in enumerate(of_positions):
                value = b.fmul(b.sitofp(sums[row * tiles + tile], emit.F32X16), scale)
                emit.store(b, emit.at(b, to, 64 * tile), b.fmul(value, factor))

    def code(b: ir.IRBuilder, case: WordCase, *rest: Any) -> None:
        def blocks(tiles: int) -> None:
            emit_cases(b, case.rows, _CASES, lambda rows: block(b, rows, tiles, *rest))

        emit_cases(b, case.tiles, WORD_TILES, blocks)

    return emit.typed(types.void, (case, keys, _n, ahead, x, _n, y), code)


@intrinsic
def mix_block(typing_context, case, values, pair, following, x, factors, pages, y):
    """y[row, tile] += factor[row] * (sum over the positions of pages of x[row] * values[tile]).

    case: WordCase; a tile is 16 numbers of values. values: WordPages of words [PAGE / 2, numbers, 2], `pair`
    bytes from one pair of positions to the next. following: NextKeys, as many pages as those of values, and
    as much of their keys as the block reads of values. x: Strided, rows of words [pages, PAGE]. factors:
    address of that of the first row, a float, as far apart as the rows. y: Strided, rows of floats [tiles,
    16].
    """

    def block(b: ir.IRBuilder, rows: int, tiles: int, *args: Any) -> None:
        values, pair, following, x, factors, pages, y = args
        next_pages, height = WordPages(following.table, values.stride, following.keys), abs(rows)
        xs = emit_addresses(b, x, height)

        def add_page(page: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            start = b.add(values.at, _page_offset(b, values, page))
            first, next_keys = b.mul(page, page.type(2 * PAGE)), None
            if rows < 0:
                next_page = _page_offset(b, next_pages, page)
                prefetch(b, b.add(following.key_scales, next_page))
                prefetch(b, b.add(following.value_scales, next_page))
                next_keys = b.add(following.keys, next_page)

            def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                offset = b.mul(step, pair)
                ws = [emit.at(b, b.add(start, offset), 64 * tile) for tile in range(tiles)]
                for tile in range(tiles if next_keys else 0):
                    prefetch(b, emit.at(b, b.add(next_keys, offset), 64 * tile))
                return _add_products(b, ws, xs, b.add(first, b.mul(step, step.type(4))), sums)

            return emit_loop(b, _hidden(b, PAGE // 2), sums, add_step)

        sums = emit_loop(b, pages, [emit.splat(0, emit.I32X16)] * (height * tiles), add_page)
        of_rows = emit_addresses(b, Strided(factors, x.stride), height)
        for row, (address, to) in enumerate(zip(of_rows, emit_addresses(b, y, height), strict=True)):
            factor = emit.broadcast(b, emit.load(b, address, emit.F32))
            for tile in range(tiles):
                target = emit.at(b, to, 64 * tile)
                mixed = b.sitofp(sums[row * tiles + tile], emit.F32X16)
                emit.store(b, target, emit.fma(b, mixed, factor, emit.load(b, target, emit.F32X16)))

    def code(b: ir.IRBuilder, case: WordCase, *rest: Any) -> None:
        def blocks(tiles: int) -> None:
            emit_cases(b, case.rows, _CASES, lambda rows: block(b, rows, tiles, *rest))

        emit_cases(b, case.tiles, WORD_TILES, blocks)

    return emit.typed(types.void, (case, values, _n, following, x, _n, _n, y), code)
