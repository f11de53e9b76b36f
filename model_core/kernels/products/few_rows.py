"""Products of a few rows in bfloat16 in vectors of float32, with the bits of tiles (tiles.py).

A tile would multiply 16 rows. One row only needs each weight once: it is widened, and multiplied as the
specification of tiles says. Vectors keep up with the memory.
"""

from itertools import product

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .. import emit
from ..blocks import emit_addresses, emit_cases, emit_loop
from ..layout import STRIP, STRIP_TILES

FEW_ROWS = 4
_PAIRS = 16  # of k in a step, whose even and odd products are summed apart
_FLUSHING = 0x8040  # the bits FTZ and DAZ of the register MXCSR, as tiles compute

_n = types.intp


@intrinsic
def flush_denormals(typing_context):
    """Let vectors take denormal numbers for 0, as tiles do. Returns how they took them before."""

    def code(b: ir.IRBuilder) -> ir.Value:
        place = b.alloca(emit.I32)
        pointer = b.bitcast(place, ir.PointerType(emit.I8))
        emit.call(b, "llvm.x86.sse.stmxcsr", ir.VoidType(), pointer)
        before = b.load(place)
        b.store(b.or_(before, emit.I32(_FLUSHING)), place)
        emit.call(b, "llvm.x86.sse.ldmxcsr", ir.VoidType(), pointer)
        return before

    return emit.typed(types.int32, (), code)


@intrinsic
def restore_denormals(typing_context, before):
    """Let vectors take denormal numbers as they did before `flush_denormals`."""

    def code(b: ir.IRBuilder, before: ir.Value) -> None:
        place = b.alloca(emit.I32)
        b.store(before, place)
        emit.call(b, "llvm.x86.sse.ldmxcsr", ir.VoidType(), b.bitcast(place, ir.PointerType(emit.I8)))

    return emit.typed(types.void, (types.int32,), code)


@intrinsic
def few_rows_block(typing_context, rows, parts, pairs, w, x, x_part, y, accumulate):
    """y (+)= the parts of x times w, for one or two rows and the outputs of a strip.

    parts: 1 or 2. pairs: how many times 2 k. w: Strided, tiles of weights in pairs: bfloat16 [pairs, 16, 2].
    x: Strided, rows of bfloat16 [2 * pairs], and the low parts x_part bytes on. y: address of floats
    [rows, STRIP]; accumulate: whether to add to them.
    """

    def code(b: ir.IRBuilder, *args: ir.Value) -> None:
        rows, parts, pairs, w, x, x_part, y, accumulate = args
        continues = b.icmp_signed("!=", accumulate, accumulate.type(0))
        ws = emit_addresses(b, w, STRIP_TILES)
        zeros = emit.splat(0.0, emit.F32X16)

        def spread(address: ir.Value) -> ir.Value:
            """One activation in all lanes."""
            word = b.shl(b.zext(emit.load(b, address, emit.I16), emit.I32), emit.I32(16))
            return emit.broadcast(b, b.bitcast(word, emit.F32))

        def widen(b: ir.IRBuilder, pairs: ir.Value, odd: int) -> ir.Value:
            """The even or the odd ones of 16 pairs, as floats."""
            if odd:
                return b.bitcast(b.and_(pairs, emit.splat(-65536, emit.I32X16)), emit.F32X16)
            return b.bitcast(b.shl(pairs, emit.splat(16, emit.I32X16)), emit.F32X16)

        def multiply(rows: int, parts: int) -> None:
            xs = emit_addresses(b, x, rows)
            offsets = list(product(range(rows), range(STRIP_TILES)))
            places = [emit.at(b, y, 4 * STRIP * row + 64 * tile) for row, tile in offsets]

            def add_step(step: ir.Value, totals: list[ir.Value]) -> list[ir.Value]:
                first = b.mul(step, step.type(_PAIRS))
                left = b.sub(pairs, first)
                count = b.select(b.icmp_signed("<", left, left.type(_PAIRS)), left, left.type(_PAIRS))

                def add_pair(pair: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                    k, sums = b.add(first, pair), list(sums)
                    both = [emit.load(b, b.add(at, b.mul(k, k.type(64))), emit.I32X16) for at in ws]
                    for odd in range(2):
                        weights = [widen(b, pair, odd) for pair in both]
                        for part, row in product(range(parts), range(rows)):
                            at = b.add(xs[row], b.mul(x_part, x_part.type(part)))
                            value = spread(emit.at(b, b.add(at, b.mul(k, k.type(4))), 2 * odd))
                            for tile in range(STRIP_TILES):
                                i = ((part * rows + row) * STRIP_TILES + tile) * 2 + odd
                                sums[i] = emit.fma(b, value, weights[tile], sums[i])
                    return sums

                sums = emit_loop(b, count, [zeros] * (parts * len(places) * 2), add_pair)
                for part in range(parts):
                    own = sums[2 * part * len(places) :]
                    totals = [
                        b.fadd(total, b.fadd(own[2 * i], own[2 * i + 1])) for i, total in enumerate(totals)
                    ]
                return totals

            before = [b.select(continues, emit.load(b, at, emit.F32X16), zeros) for at in places]
            steps = b.sdiv(b.add(pairs, pairs.type(_PAIRS - 1)), pairs.type(_PAIRS))
            for at, total in zip(places, emit_loop(b, steps, before, add_step), strict=True):
                emit.store(b, at, total)

        emit_cases(b, rows, (1, 2), lambda r: emit_cases(b, parts, (1, 2), lambda count: multiply(r, count)))

    return emit.typed(types.void, (_n, _n, _n, w, x, _n, _n, _n), code)
