"""Vectors of 16 lanes in Python: instructions that numba lowers to LLVM.

numba has no vector type, but a type of its own may lower to an LLVM vector, and an intrinsic may emit any
LLVM instruction. Kernels say `fma(a, b, c)` on `f32x16`, and where a processor has no vectors of 16 lanes
LLVM splits them. Memory is addressed by plain integers: an address and an offset in bytes.

All intrinsics stand at module level: numba finds a kernel again in its cache on disk only if everything it
refers to has the same identity at the next start.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from . import emit
from .emit import LANES, f32x16

_n = types.intp


@intrinsic
def load_f32(typing_context, address, offset):
    """Load 16 floats."""
    return emit.typed(f32x16, (_n, _n), lambda b, a, o: emit.load(b, b.add(a, o), emit.F32X16))


@intrinsic
def store_f32(typing_context, address, offset, value):
    """Store 16 floats."""
    return emit.typed(types.void, (_n, _n, f32x16), lambda b, a, o, v: emit.store(b, b.add(a, o), v))


@intrinsic
def get_f32(typing_context, address, offset):
    """Load one float."""
    return emit.typed(types.float32, (_n, _n), lambda b, a, o: emit.load(b, b.add(a, o), emit.F32))


@intrinsic
def set_f32(typing_context, address, offset, value):
    """Store one float."""
    return emit.typed(types.void, (_n, _n, types.float32), lambda b, a, o, v: emit.store(b, b.add(a, o), v))


@intrinsic
def set_i32(typing_context, address, offset, value):
    """Store one 32-bit integer."""
    return emit.typed(types.void, (_n, _n, types.int32), lambda b, a, o, v: emit.store(b, b.add(a, o), v))


@intrinsic
def get_i32(typing_context, address, offset):
    """Load one 32-bit integer."""
    return emit.typed(types.int32, (_n, _n), lambda b, a, o: emit.load(b, b.add(a, o), emit.I32))


@intrinsic
def set_i8(typing_context, address, offset, value):
    """Store the lowest byte of an integer."""
    return emit.typed(
        types.void, (_n, _n, types.int32), lambda b, a, o, v: emit.store(b, b.add(a, o), b.trunc(v, emit.I8))
    )


@intrinsic
def set_f16(typing_context, address, offset, value):
    """Store one float as float16 (see emit.float_to_half)."""

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value) -> None:
        emit.store(b, b.add(a, o), emit.float_to_half(b, v))

    return emit.typed(types.void, (_n, _n, types.float32), code)


def spread_lanes(convert: Callable[[ir.IRBuilder, ir.Value], ir.Value]) -> tuple[Any, Any]:
    """What an intrinsic returns that stores the numbers of `convert`, `stride` bytes apart."""

    def code(b: ir.IRBuilder, address: ir.Value, stride: ir.Value, value: ir.Value) -> None:
        numbers = convert(b, value)
        size = 4 if numbers.type == emit.F32X16 else numbers.type.element.width // 8
        with b.if_else(b.icmp_signed("==", stride, stride.type(size))) as (are_neighbours, are_apart):
            with are_neighbours:
                emit.store(b, address, numbers)
            with are_apart:
                for lane in range(numbers.type.count):
                    at = b.add(address, b.mul(stride, stride.type(lane)))
                    emit.store(b, at, b.extract_element(numbers, ir.Constant(emit.I32, lane)))

    return emit.typed(types.void, (_n, _n, f32x16), code)


@intrinsic
def spread_f32(typing_context, address, stride, value):
    """Store 16 floats, `stride` bytes apart."""
    return spread_lanes(lambda b, v: v)


@intrinsic
def spread_f16(typing_context, address, stride, value):
    """Store 16 floats as float16 (see emit.float_to_half), `stride` bytes apart."""
    return spread_lanes(emit.float_to_half)


@intrinsic
def spread_rounded(typing_context, address, stride, value):
    """Store 16 floats from -127 to 127 as signed bytes, rounded half to even, `stride` bytes apart."""
    return spread_lanes(emit.float_to_byte)


@intrinsic
def broadcast(typing_context, scalar):
    """A float in all lanes."""
    return emit.typed(f32x16, (types.float32,), emit.broadcast)


@intrinsic
def fma(typing_context, x, y, z):
    """x * y + z, rounded once where the processor can."""
    return emit.typed(f32x16, (f32x16,) * 3, emit.fma)


@intrinsic
def add(typing_context, x, y):
    """x + y."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.fadd(x, y))


@intrinsic
def subtract(typing_context, x, y):
    """x - y."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.fsub(x, y))


@intrinsic
def multiply(typing_context, x, y):
    """x * y."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.fmul(x, y))


@intrinsic
def divide(typing_context, x, y):
    """x / y."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.fdiv(x, y))


@intrinsic
def maximum(typing_context, x, y):
    """The larger of two numbers, in each lane."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.select(b.fcmp_ordered(">", x, y), x, y))


@intrinsic
def minimum(typing_context, x, y):
    """The smaller of two numbers, in each lane."""
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.select(b.fcmp_ordered("<", x, y), x, y))


@intrinsic
def select_negative(typing_context, x, yes, no):
    """`yes` in lanes where x < 0, else `no`."""

    def code(b: ir.IRBuilder, x: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
        return b.select(b.fcmp_ordered("<", x, emit.splat(0.0, emit.F32X16)), yes, no)

    return emit.typed(f32x16, (f32x16,) * 3, code)


@intrinsic
def keep_from(typing_context, x, limit):
    """x in lanes where x >= limit, else 0."""

    def code(b: ir.IRBuilder, x: ir.Value, limit: ir.Value) -> ir.Value:
        return b.select(b.fcmp_ordered(">=", x, limit), x, emit.splat(0.0, emit.F32X16))

    return emit.typed(f32x16, (f32x16,) * 2, code)


def _bit_mask(b: ir.IRBuilder, lanes: ir.Value) -> ir.Value:
    """<16 x i1> -> a bit for each lane."""
    return b.zext(b.bitcast(lanes, ir.IntType(LANES)), emit.I64)


@intrinsic
def find_lanes(typing_context, x, low, high):
    """The lanes where low <= x < high, as bits of an integer."""

    def code(b: ir.IRBuilder, x: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
        return _bit_mask(b, b.and_(b.fcmp_ordered(">=", x, low), b.fcmp_ordered("<", x, high)))

    return emit.typed(types.int64, (f32x16,) * 3, code)


@intrinsic
def count_equal(typing_context, x, y):
    """In how many lanes two numbers are equal."""

    def code(b: ir.IRBuilder, x: ir.Value, y: ir.Value) -> ir.Value:
        return b.ctpop(_bit_mask(b, b.fcmp_ordered("==", x, y)))

    return emit.typed(types.int64, (f32x16,) * 2, code)


@intrinsic
def lowest_bit(typing_context, bits):
    """The number of the lowest bit that is set, if there is one."""
    return emit.typed(types.int64, (types.int64,), lambda b, x: b.cttz(x, ir.Constant(emit.I1, 1)))


@intrinsic
def absolute(typing_context, x):
    """|x|."""
    return emit.typed(f32x16, (f32x16,), lambda b, x: emit.call(b, "llvm.fabs.v16f32", emit.F32X16, x))


@intrinsic
def sum_of(typing_context, x):
    """The sum of the lanes, as a tree: 8 + 8, 4 + 4, 2 + 2, 1 + 1."""
    return emit.typed(types.float32, (f32x16,), lambda b, x: emit.reduce(b, x, b.fadd))


@intrinsic
def largest_of(typing_context, x):
    """The largest lane."""

    def larger(b: ir.IRBuilder) -> Callable[..., ir.Value]:
        return lambda x, y: b.select(b.fcmp_ordered(">", x, y), x, y)

    return emit.typed(types.float32, (f32x16,), lambda b, x: emit.reduce(b, x, larger(b)))


@intrinsic
def exp_of_negative(typing_context, x):
    """e^x for x <= 0, with a relative error below 2e-7; 0 below -87.

    2^n * 2^f, n whole and |f| <= 1/2, the second as the polynomial of degree 5 in f * ln 2 that begins with
    1 and has the least largest relative error, 9e-8 (found by linear programming).
    """

    def code(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
        n = emit.call(
            b, "llvm.rint.v16f32", emit.F32X16, b.fmul(x, emit.splat(1.4426950408889634, emit.F32X16))
        )
        # ln 2 in two parts, so that x - n ln 2 keeps its last bits (Cody and Waite).
        r = emit.fma(b, n, emit.splat(-0.693145751953125, emit.F32X16), x)
        r = emit.fma(b, n, emit.splat(-1.428606765330187e-06, emit.F32X16), r)
        result = emit.splat(0.00829029832765628, emit.F32X16)
        for term in (0.04189797658334934, 0.16667636734981003, 0.4999914918143452, 0.9999997069468278, 1.0):
            result = emit.fma(b, result, r, emit.splat(term, emit.F32X16))
        result = emit.scale_by_power(b, result, n)
        # What was computed below -87 is out of its range, and not used.
        under = b.fcmp_ordered("<", x, emit.splat(-87.0, emit.F32X16))
        return b.select(under, emit.splat(0.0, emit.F32X16), result)

    return emit.typed(f32x16, (f32x16,), code)


@intrinsic
def mask_outside(typing_context, x, first, low, high):
    """x where low <= first + lane < high, else minus infinity."""

    def code(b: ir.IRBuilder, x: ir.Value, first: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
        lane = ir.Constant(emit.I32X16, list(range(LANES)))
        position = b.add(emit.broadcast(b, b.trunc(first, emit.I32)), lane)
        above = b.icmp_signed(">=", position, emit.broadcast(b, b.trunc(low, emit.I32)))
        below = b.icmp_signed("<", position, emit.broadcast(b, b.trunc(high, emit.I32)))
        return b.select(b.and_(above, below), x, emit.splat(float("-inf"), emit.F32X16))

    return emit.typed(f32x16, (f32x16, _n, _n, _n), code)


@intrinsic
def keep_lanes(typing_context, x, count):
    """x in the first `count` lanes, 0 in the others."""

    def code(b: ir.IRBuilder, x: ir.Value, count: ir.Value) -> ir.Value:
        lane = ir.Constant(emit.I32X16, list(range(LANES)))
        is_inside = b.icmp_signed("<", lane, emit.broadcast(b, b.trunc(count, emit.I32)))
        return b.select(is_inside, x, emit.splat(0.0, emit.F32X16))

    return emit.typed(f32x16, (f32x16, _n), code)


def _pick_lanes(lanes: Sequence[int]) -> tuple[Any, Any]:
    """What an intrinsic returns that picks lanes of two vectors; lane 16 is the first of the second one."""
    mask = ir.Constant(emit.I32X16, list(lanes))
    return emit.typed(f32x16, (f32x16,) * 2, lambda b, x, y: b.shuffle_vector(x, y, mask))


@intrinsic
def even_lanes(typing_context, x, y):
    """Lanes 0, 2, ... of x, then of y."""
    return _pick_lanes(range(0, 32, 2))


@intrinsic
def odd_lanes(typing_context, x, y):
    """Lanes 1, 3, ... of x, then of y."""
    return _pick_lanes(range(1, 32, 2))


@intrinsic
def interleave_low(typing_context, x, y):
    """Lanes 0 of x, 0 of y, 1 of x, 1 of y, ..., 7 of y."""
    return _pick_lanes([lane for i in range(8) for lane in (i, 16 + i)])


@intrinsic
def interleave_high(typing_context, x, y):
    """Lanes 8 of x, 8 of y, ..., 15 of y."""
    return _pick_lanes([lane for i in range(8, 16) for lane in (i, 16 + i)])


@intrinsic
def round_to_even(typing_context, x):
    """The nearest whole numbers, ties to even."""
    return emit.typed(f32x16, (f32x16,), lambda b, x: emit.call(b, "llvm.rint.v16f32", emit.F32X16, x))


@intrinsic
def butterfly(typing_context, x):
    """The 16 lanes times the Hadamard matrix of ones: sums and differences of lanes 1, 2, 4 and 8 apart."""

    def code(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
        for distance in (1, 2, 4, 8):
            partners = ir.Constant(emit.I32X16, [lane ^ distance for lane in range(LANES)])
            signs = ir.Constant(emit.F32X16, [-1.0 if lane & distance else 1.0 for lane in range(LANES)])
            x = emit.fma(b, x, signs, b.shuffle_vector(x, x, partners))
        return x

    return emit.typed(f32x16, (f32x16,), code)


@intrinsic
def store_lanes(typing_context, address, offset, value, count):
    """Store the first `count` lanes; all if it is 16 or more."""

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value, count: ir.Value) -> None:
        lane = ir.Constant(emit.I32X16, list(range(LANES)))
        is_inside = b.icmp_signed("<", lane, emit.broadcast(b, b.trunc(count, emit.I32)))
        target = emit.pointer(b, b.add(a, o), emit.F32X16)
        align = ir.Constant(emit.I32, 4)
        emit.call(b, "llvm.masked.store.v16f32.p0", ir.VoidType(), v, target, align, is_inside)

    return emit.typed(types.void, (_n, _n, f32x16, _n), code)


@intrinsic
def store_rounded(typing_context, address, offset, value):
    """Store 16 floats from -127 to 127 as signed bytes, rounded half to even."""

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value) -> None:
        emit.store(b, b.add(a, o), emit.float_to_byte(b, v))

    return emit.typed(types.void, (_n, _n, f32x16), code)


@intrinsic
def sum_codes(typing_context, codes, sums):
    """Sums of runs of 256 signed bytes, times -128, as a tree: int32 [32].

    Number 16 + i is that of the codes 16 i to 16 i + 15, and number i the sum of the numbers 2 i and 2 i + 1.
    So the first of 256 / n runs of n codes is number 256 / n. Number 0 has no meaning.
    """

    def code(b: ir.IRBuilder, codes: ir.Value, sums: ir.Value) -> None:
        zero, ratio = emit.splat(0, emit.I32X16), emit.splat(128, emit.I8X64)

        def join(x: ir.Value, y: ir.Value) -> ir.Value:
            masks = (ir.Constant(emit.I32X16, list(range(first, 32, 2))) for first in (0, 1))
            return b.add(*(b.shuffle_vector(x, y, mask) for mask in masks))

        vectors = [emit.load(b, b.add(codes, codes.type(64 * i)), emit.I8X64) for i in range(4)]
        fours = [b.sub(zero, emit.dot4(b, zero, ratio, vector, 0)) for vector in vectors]
        levels = [join(join(fours[0], fours[1]), join(fours[2], fours[3]))]
        while len(levels) < 5:
            levels.append(join(levels[-1], levels[-1]))
        for level in reversed(range(5)):  # each overwrites what the one before has too much
            emit.store(b, b.add(sums, sums.type(4 * (16 >> level))), levels[level])

    return emit.typed(types.void, (_n, _n), code)


@intrinsic
def read_cycles(typing_context):
    """The processor's cycle counter, which counts at a constant rate."""
    return emit.typed(types.int64, (), lambda b: emit.call(b, "llvm.readcyclecounter", emit.I64))
