"""Blocks of products: rows times tiles whose sums stay in registers. Here with integers, see float_blocks.py.

A tile is a vector of 16 outputs. There is code for each number of rows in ROWS, with every sum in a
register from the first step to the last. Each output is summed over the steps in order, whatever the block,
so that it does not matter to the bits in which block a row was computed.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit
from .block_sizes import CASES, CODE_ROWS, LOOKED_UP_ROWS, block_tiles
from .emit import ROWS
from .layout import BFLOAT16, GROUPED4, GROUPED6, GROUPED8, INT8, STEPPED_BITS, STRIP

L1, L2 = 3, 2  # as LLVM names them for prefetching
# Where codes of 4 bits are prefetched to. On AMD's processors, fewer lines can be on their way to L1 than to
# L2: products of one row take 1.3 times as long with L1.
CODES_CACHE = L2 if emit.IS_ZEN else L1


class Strided(NamedTuple):
    """Rows or tiles: the address of the first, and how many bytes each is behind the one before."""

    at: int
    stride: int


class Sums(NamedTuple):
    """Where a block adds its sums, or writes them if not `accumulate`: rows of floats, 16 a tile."""

    at: int
    stride: int
    accumulate: int


class Ahead(NamedTuple):
    """Two addresses to prefetch, and how many bytes they advance in each step."""

    a: int
    a_step: int
    b: int
    b_step: int


class IntegerCase(NamedTuple):
    """Which block of integers it is.

    kind: INT8, GROUPED8 or GROUPED6; or codes of 4 to 6 bits with up to CODE_ROWS rows, with a table up to
    LOOKED_UP_ROWS, and 8 quads. They prefetch in any case.
    rows: one of CASES. quads: 8, or with GROUPED8 and GROUPED6 4 if there are groups of 16 k. A step has so
    many times 4 k.
    """

    kind: int
    rows: int
    quads: int


class Codes(NamedTuple):
    """Weights of a block of integers.

    at: address of weights + 128, 4 consecutive k of the 16 outputs of a tile in 64 bytes; or of codes of 4
    bits, 8 consecutive k, the first four in the low halves of bytes and the others in the high ones. A tile
    is `tile` bytes on: so a strip is read as several streams, which processors fetch ahead better than one.
    extra: of STEPPED_BITS, address of a byte for each 32 k and output (see emit.load_steps); a tile is
    extra_tile bytes on. Of GROUPED4, address of a table of 16 bytes, numbers + 128. high: of INT5 and INT6,
    address of the bits above the lowest four (see weights.Matrix); a tile is high_tile bytes on.
    """

    at: int
    tile: int
    extra: int
    extra_tile: int
    high: int
    high_tile: int


class Groups(NamedTuple):
    """How many steps there are, and the scales of weights by group.

    scales, offsets: addresses of floats [groups, STRIP]; offsets are divided by -128, and may be 0 for none.
    A step `i` is in the group i >> shift. Of INT8, scales is the address of the only ones, in bfloat16.
    """

    steps: int
    shift: int
    scales: int
    offsets: int


class Runs(NamedTuple):
    """What is known of rows of codes.

    at: address of the scale of x, a float; with weights by group, of those of each 32 k. starts: of -128
    times the sums of x in int32: of all of them, or of each step. Both are `stride` bytes on in the next row.
    """

    at: int
    starts: int
    stride: int


def emit_loop(
    b: ir.IRBuilder, steps: ir.Value, sums: list[ir.Value], body: Callable[[ir.Value, list], list[ir.Value]]
) -> list[ir.Value]:
    """Emit `for step in range(steps): sums = body(step, sums)`, at least once; returns the last sums."""
    entry, repeat, done = b.block, b.append_basic_block("step"), b.append_basic_block("done")
    b.branch(repeat)
    b.position_at_end(repeat)
    step = b.phi(steps.type)
    phis = [b.phi(value.type) for value in sums]
    next_sums = body(step, phis)
    next_step = b.add(step, steps.type(1))
    for phi, first, updated in zip(
        (step, *phis), (steps.type(0), *sums), (next_step, *next_sums), strict=True
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(updated, b.block)  # the body may consist of several blocks
    b.cbranch(b.icmp_signed("<", next_step, steps), repeat, done)
    b.position_at_end(done)
    return next_sums


def emit_addresses(b: ir.IRBuilder, strided: tuple[ir.Value, ir.Value], count: int) -> list[ir.Value]:
    """The first `count` addresses of a Strided."""
    base, stride = strided
    return [base if i == 0 else b.add(base, b.mul(stride, stride.type(i))) for i in range(count)]


def initial_sum(b: ir.IRBuilder, address: ir.Value, accumulate: ir.Value) -> ir.Value:
    """The 16 floats at an address, or zeros. A masked load costs nothing; a select would become a branch."""
    mask = emit.broadcast(b, b.icmp_signed("!=", accumulate, accumulate.type(0)))
    where, zeros = emit.pointer(b, address, emit.F32X16), emit.splat(0.0, emit.F32X16)
    return emit.call(b, "llvm.masked.load.v16f32.p0", emit.F32X16, where, emit.I32(4), mask, zeros)


def emit_cases(
    b: ir.IRBuilder, value: ir.Value, cases: Iterable[int], emit_case: Callable[[int], None]
) -> None:
    """Emit code for each case and the switch between them. Any other value ends the process.

    A block without code would leave sums that look like results.
    """
    after, unknown = b.append_basic_block("chosen"), b.append_basic_block("unknown")
    choice = b.switch(value, unknown)
    for case in cases:
        block = b.append_basic_block(f"case{case}")
        choice.add_case(value.type(case), block)
        b.position_at_end(block)
        emit_case(case)
        b.branch(after)
    b.position_at_end(unknown)
    emit.call(b, "llvm.trap", ir.VoidType())
    b.unreachable()
    b.position_at_end(after)


@intrinsic(prefer_literal=True)
def integer_block(typing_context, kinds, case, w, x, groups, runs, ahead, y):
    """y[row, tile] (+)= sum over steps of scale[row] * x[row, k] * (w[k, tile] * scale[tile] + offset[tile]).

    It computes block_tiles(kind, rows) tiles. With GROUPED8, GROUPED6 and GROUPED4, each group has its own
    scale and offset of each output, and each 32 k of x have a scale. With INT8 and STEPPED_BITS, x has
    one scale for all steps, and so has each output with INT8. Of STEPPED_BITS, weights have none here.

    kinds: a constant tuple of the kinds that there are at this place.
    case, w, groups, runs: see IntegerCase, Codes, Groups and Runs. x: Strided, rows of signed bytes.
    ahead: Ahead. With codes of 4 bits and in blocks of one row, `a` is the address of as many weights again,
    to be read next. y: Sums.
    """

    kinds_ = [value.literal_value for value in kinds]

    def code(b, _, case, *rest):
        def blocks_of_rows(kind: int, quads: int, heights: Iterable[int] = CASES) -> None:
            emit_cases(b, case.rows, heights, lambda r: _integers(b, IntegerCase(kind, r, quads), *rest))

        def blocks(kind: int) -> None:
            if kind in STEPPED_BITS or kind == GROUPED4:
                most = LOOKED_UP_ROWS if kind == GROUPED4 else CODE_ROWS
                blocks_of_rows(kind, 8, [r for r in ROWS if r <= most])
            elif kind == INT8:
                blocks_of_rows(INT8, 8)
            else:
                emit_cases(b, case.quads, (8, 4), lambda q: blocks_of_rows(kind, q))

        emit_cases(b, case.kind, kinds_, blocks)

    return emit.typed(types.void, (kinds, case, w, x, groups, runs, ahead, y), code)


def _integers(
    b: ir.IRBuilder,
    case: IntegerCase,
    w: Codes,
    x: Strided,
    groups: Groups,
    runs: Runs,
    ahead: Ahead,
    y: Sums,
) -> None:
    kind, rows, quads = case.kind, abs(case.rows), case.quads
    fetched = [(ahead.a, ahead.a_step), (ahead.b, ahead.b_step)] if case.rows < 0 else []
    tiles = block_tiles(kind, rows)
    xs, ys = emit_addresses(b, x, rows), emit_addresses(b, y[:2], rows)
    ws, aheads = (emit_addresses(b, (at, w.tile), tiles) for at in (w.at, ahead.a))
    extras = emit_addresses(b, (w.extra, w.extra_tile), tiles)
    highs = emit_addresses(b, (w.high, w.high_tile), tiles)
    starts_of_rows = emit_addresses(b, (runs.starts, runs.stride), rows)
    factors_of_rows = emit_addresses(b, (runs.at, runs.stride), rows)
    parts = [b.sdiv(size, size.type(quads)) for _, size in fetched]
    table = emit.load(b, w.extra, emit.I8X16) if kind == GROUPED4 else None

    def at(address: ir.Value, index: ir.Value, size: int, offset: int = 0) -> ir.Value:
        # The constant comes last, as processors add it: as the first, LLVM would keep each sum in a register.
        return b.add(b.add(address, b.mul(index, index.type(size))), address.type(offset))

    def start(row: int, step: ir.Value) -> ir.Value:
        return emit.load(b, at(starts_of_rows[row], step, 4), emit.I32)

    def vectors(address: ir.Value, step: ir.Value) -> list[ir.Value]:
        """The scales or offsets of a step."""
        group = b.lshr(step, groups.shift)
        return [emit.load(b, at(address, group, 4 * STRIP, 64 * t), emit.F32X16) for t in range(tiles)]

    def factor(row: int, step: ir.Value) -> ir.Value:
        """The scale of a row's activations in a step by group."""
        return emit.load(b, at(factors_of_rows[row], b.lshr(step, step.type(8 // quads - 1)), 4), emit.F32)

    def tile_bytes(index: ir.Value) -> Callable[[int], list[ir.Value]]:
        """What gives the weights of all tiles for a quad of a step, or the codes of STEPPED_BITS."""
        if kind in (INT8, GROUPED8, GROUPED6):
            # One row reads weights from memory. Where k is short, they end before hardware fetches ahead.
            def read(quad: int) -> list[ir.Value]:
                if case.rows == 1:
                    for address in aheads:
                        prefetch(b, at(address, index, 64 * quads, 64 * quad), CODES_CACHE)
                return [emit.load(b, at(address, index, 64 * quads, 64 * quad), emit.I8X64) for address in ws]

            return read
        width = STEPPED_BITS.get(kind, 4) - 4
        # How many bytes the codes that are read next are behind these. What belongs to them, bits above the
        # lowest four and steps, is a part of that behind what belongs to these: a power of two of it.
        distances = [b.sub(there, here) for there, here in zip(aheads, ws, strict=True)]

        def fetch_next(addresses: list[ir.Value], shift: int, size: int, offset: int) -> None:
            for address, distance in zip(addresses, distances, strict=True):
                there = b.add(address, b.ashr(distance, distance.type(shift)))
                prefetch(b, at(there, index, size, offset), CODES_CACHE)

        def expand(quad: int) -> list[ir.Value]:
            codes = [
                emit.load(b, at(address, index, 32 * quads, 64 * (quad // 2)), emit.I8X64) for address in ws
            ]
            if kind in STEPPED_BITS and quad == 0:
                fetch_next(extras, 4, 16, 0)
            if quad % 2:
                for address in aheads:
                    prefetch(b, at(address, index, 32 * quads, 64 * (quad // 2)), CODES_CACHE)
            codes = [emit.nibbles(b, code)[quad % 2] for code in codes]
            if width:
                vector, shift = divmod(width * quad, 8)
                if shift == 0:
                    fetch_next(highs, 3 - width, 64 * width, 64 * vector)
                planes = (emit.load(b, at(a, index, 64 * width, 64 * vector), emit.I8X64) for a in highs)
                codes = [
                    b.or_(code, emit.high_bits(b, plane, shift, width))
                    for code, plane in zip(codes, planes, strict=True)
                ]
            return codes if kind in STEPPED_BITS else [emit.look_up(b, table, code) for code in codes]

        return expand

    def copies(row: int, step: ir.Value, quad: int) -> ir.Value:
        word = emit.load(b, at(xs[row], step, 4 * quads, 4 * quad), emit.I32)
        return b.bitcast(emit.broadcast(b, word), emit.I8X64)

    def add_step(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        weights_of = tile_bytes(step)
        count = 2 if kind == GROUPED6 else 1  # quads together
        for quads_now in (range(i, i + count) for i in range(0, quads, count)):
            weights = [weights_of(quad) for quad in quads_now]
            for quad, ((address, size), part) in product(quads_now, zip(fetched, parts, strict=True)):
                offset = b.add(b.mul(step, size), b.mul(part, part.type(quad)))
                prefetch(b, b.add(address, offset))
            next_sums = []
            for row in range(rows):
                words = [copies(row, step, quad) for quad in quads_now]
                for t in range(tiles):
                    total, w = sums[row * tiles + t], [of_tiles[t] for of_tiles in weights]
                    if kind == GROUPED6:  # bytes from -32 to 31, which count as if they were larger by 32
                        w = [b.sub(number, emit.splat(96, number.type)) for number in w]
                        next_sums.append(emit.dot8(b, total, w, words))
                    else:
                        next_sums.append(emit.dot4(b, total, *w, *words, 128))
            sums = next_sums
        return sums

    def add_codes(step: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
        """Add step * (sum(code * x) - zero * sum(x)) of 32 k: exact, like sums of what codes stand for."""
        weights_of = tile_bytes(step)
        of_tiles = [emit.load_steps(b, at(address, step, 16), STEPPED_BITS[kind]) for address in extras]
        sums = []
        for row in range(rows):
            less = emit.broadcast(b, b.ashr(start(row, step), emit.I32(7)))  # -sum(x)
            sums += [b.mul(zero, less) for _, zero in of_tiles]
        for quad in range(0, quads, 2):
            codes = list(zip(weights_of(quad), weights_of(quad + 1), strict=True))
            words = [[copies(row, step, quad + i) for i in (0, 1)] for row in range(rows)]
            sums = [emit.dot8(b, total, codes[i % tiles], words[i // tiles]) for i, total in enumerate(sums)]
        products = [b.mul(total, of_tiles[i % tiles][0]) for i, total in enumerate(sums)]
        return [b.add(total, product) for total, product in zip(totals, products, strict=True)]

    def first_sums(step: ir.Value) -> list[ir.Value]:
        """What the sums of integers begin with."""
        zero, values = emit.splat(0, emit.I32X16), []
        for row in range(rows):
            if kind == GROUPED6:
                values.append(
                    b.ashr(emit.broadcast(b, start(row, step)), emit.splat(2, emit.I32X16))
                )  # -32 sum(x)
            else:
                values.append(emit.broadcast(b, start(row, step)) if emit.OFFSET else zero)
        return [value for value in values for _ in range(tiles)]

    def add_offsets(step: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
        offset = vectors(groups.offsets, step)
        sums = [
            emit.broadcast(b, b.fmul(b.sitofp(start(row, step), emit.F32), factor(row, step)))
            for row in range(rows)
        ]
        return [emit.fma(b, sums[i // tiles], offset[i % tiles], total) for i, total in enumerate(totals)]

    def add_group(step: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
        sums, scale = add_step(step, first_sums(step)), vectors(groups.scales, step)
        factors = [emit.broadcast(b, factor(row, step)) for row in range(rows)]
        return [
            emit.fma(b, b.sitofp(sums[i], emit.F32X16), b.fmul(scale[i % tiles], factors[i // tiles]), total)
            for i, total in enumerate(totals)
        ]

    targets = [b.add(address, address.type(64 * t)) for address in ys for t in range(tiles)]
    if kind == INT8 or kind in STEPPED_BITS:
        zeros = [emit.splat(0, emit.I32X16)] * (rows * tiles)
        initial, add = (first_sums(groups.steps.type(0)), add_step) if kind == INT8 else (zeros, add_codes)
        sums = emit_loop(b, groups.steps, initial, add)
        of_rows = [emit.broadcast(b, emit.load(b, address, emit.F32)) for address in factors_of_rows]
        factors = [factor for factor in of_rows for _ in range(tiles)]
        if kind == INT8:
            scales = [emit.load_widened(b, emit.at(b, groups.scales, 32 * t), BFLOAT16) for t in range(tiles)]
            factors = [b.fmul(scales[i % tiles], factor) for i, factor in enumerate(factors)]
        # One at a time: with all that was there before, the sums would not fit into the registers.
        for target, value, factor in zip(targets, sums, factors, strict=True):
            before = initial_sum(b, target, y.accumulate)
            emit.store(b, target, emit.fma(b, b.sitofp(value, emit.F32X16), factor, before))
    else:
        initial = [initial_sum(b, target, y.accumulate) for target in targets]
        totals = _add_groups(b, groups, initial, add_offsets, add_group)
        for target, total in zip(targets, totals, strict=True):
            emit.store(b, target, total)


def _add_groups(
    b: ir.IRBuilder,
    groups: Groups,
    totals: list[ir.Value],
    add_offsets: Callable[[ir.Value, list], list[ir.Value]],
    add_group: Callable[[ir.Value, list], list[ir.Value]],
) -> list[ir.Value]:
    """The totals with all steps: first with their offsets, if there are any."""
    has_offsets = b.icmp_signed("!=", groups.offsets, groups.offsets.type(0))
    before, with_offsets, ready = b.block, b.append_basic_block("offsets"), b.append_basic_block("ready")
    b.cbranch(has_offsets, with_offsets, ready)
    b.position_at_end(with_offsets)
    added = emit_loop(b, groups.steps, totals, add_offsets)
    after = b.block
    b.branch(ready)
    b.position_at_end(ready)
    phis = [b.phi(emit.F32X16) for _ in totals]
    for phi, total, value in zip(phis, totals, added, strict=True):
        phi.add_incoming(total, before)
        phi.add_incoming(value, after)
    return emit_loop(b, groups.steps, phis, add_group)


def prefetch(b: ir.IRBuilder, address: ir.Value, cache: int = L2) -> None:
    """Prefetch a cache line, to the cache L1 or L2."""
    pointer = ir.PointerType(ir.IntType(8))
    kind = ir.FunctionType(ir.VoidType(), [pointer, emit.I32, emit.I32, emit.I32])
    name = "llvm.prefetch.p0"
    function = b.module.globals.get(name) or ir.Function(b.module, kind, name)
    b.call(function, [b.inttoptr(address, pointer), emit.I32(0), emit.I32(cache), emit.I32(1)])
