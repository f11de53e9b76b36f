"""Vectors of 16 lanes in Python: types and instructions that numba lowers to LLVM.

numba has no vector type, but a type of its own may lower to an LLVM vector, and an intrinsic may emit any
LLVM instruction. Kernels say `fma(a, b, c)` on `f32x16`, and where a processor has no vectors of 16 lanes
LLVM splits them. Memory is addressed by plain integers: an address and an offset in bytes.

The one thing written for each processor is `dot4`, the sum of four byte products a lane. All of its forms
are exact, so they agree to the bit.

All intrinsics stand at module level: numba finds a kernel again in its cache on disk only if everything it
refers to has the same identity at the next start.
"""

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic, models, register_model

LANES = 16
# The kinds of numbers a vector is widened from, as kernels name them.
FLOAT32, BFLOAT16, FLOAT16, INT8, INT4 = range(5)

_I1, _I8, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
_F32 = ir.FloatType()
_I8X16, _I8X64 = ir.VectorType(_I8, LANES), ir.VectorType(_I8, 4 * LANES)
_I32X16, _F32X16 = ir.VectorType(_I32, LANES), ir.VectorType(_F32, LANES)


def host_has(*features: str) -> bool:
    """Whether this processor has all these features, as LLVM names them."""
    there = llvm.get_host_cpu_features()
    return all(there.get(feature, False) for feature in features)


def _instruction_set() -> str:
    """The widest instructions that numba compiles for here: avx512, avxvnni, avx2 or generic.

    That is this processor, or the one that NUMBA_CPU_NAME names.
    """
    if config.CPU_NAME is None:
        if host_has("avx512f", "avx512bw", "avx512vl", "avx512vnni"):
            return "avx512"
        if host_has("avx2", "fma", "f16c"):
            return "avxvnni" if host_has("avxvnni") else "avx2"
        return "generic"
    for instructions, names in {
        "avx512": "cascadelake cooperlake icelake-client icelake-server tigerlake rocketlake sapphirerapids "
        "emeraldrapids graniterapids znver4 znver5",
        "avxvnni": "alderlake raptorlake meteorlake arrowlake lunarlake sierraforest",
        "avx2": "haswell broadwell skylake skylake-avx512 cannonlake znver1 znver2 znver3",
    }.items():
        if config.CPU_NAME in names.split():
            return instructions
    return "generic"


INSTRUCTIONS = _instruction_set()
# VNNI multiplies unsigned by signed bytes. Weights are stored as w + 128 for it, and its sums start at
# -OFFSET * sum(x); the other forms of `dot4` take the 128 off by themselves.
OFFSET = 128 if INSTRUCTIONS in ("avx512", "avxvnni") else 0
# How many rows of activations, and how many vectors of weights, a product keeps the sums of in registers:
# up to 24 of the 32 registers of AVX-512, or 8 of 16 elsewhere (a vector of 16 lanes takes two of those).
ROWS, TILES = ((6, 4, 2, 1), 4) if INSTRUCTIONS == "avx512" else ((2, 1), 2)


class _Vector(types.Type):
    """A numba type that lowers to one LLVM vector."""

    def __init__(self, name: str, llvm_type: ir.Type) -> None:
        self.llvm_type = llvm_type
        super().__init__(name=name)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: _Vector) -> None:
        super().__init__(manager, vector, vector.llvm_type)


f32x16, i32x16 = _Vector("f32x16", _F32X16), _Vector("i32x16", _I32X16)


# What follows emits LLVM instructions; `b` is the builder.


def _pointer(b: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    return b.inttoptr(address, ir.PointerType(kind))


def _load(b: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    return b.load(_pointer(b, address, kind), align=1)


def _store(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
    b.store(value, _pointer(b, address, value.type), align=1)


def _call(b: ir.IRBuilder, name: str, result: ir.Type, *args: ir.Value) -> ir.Value:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return b.call(cgutils.get_or_insert_function(b.module, kind, name), args)


def _splat(value: Any, kind: ir.VectorType) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


def _broadcast(b: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    kind = ir.VectorType(scalar.type, LANES)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(_I32, 0))
    return b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), _splat(0, _I32X16))


def _fma(b: ir.IRBuilder, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
    # Without an instruction for it, llvm.fma calls a function for each lane; fmuladd then rounds twice.
    name = "llvm.fmuladd.v16f32" if INSTRUCTIONS == "generic" else "llvm.fma.v16f32"
    return _call(b, name, _F32X16, x, y, z)


def _half_to_float(b: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """<16 x i16> that hold float16 -> <16 x float>."""
    if INSTRUCTIONS != "generic":
        return b.fpext(b.bitcast(bits, ir.VectorType(ir.HalfType(), LANES)), _F32X16)
    # The exponent is moved into place and then corrected by a product, which is right for subnormals too.
    wide = b.zext(bits, _I32X16)
    magnitude = b.shl(b.and_(wide, _splat(0x7FFF, _I32X16)), _splat(13, _I32X16))
    scaled = b.fmul(b.bitcast(magnitude, _F32X16), _splat(2.0**112, _F32X16))
    sign = b.shl(b.and_(wide, _splat(0x8000, _I32X16)), _splat(16, _I32X16))
    return b.bitcast(b.or_(b.bitcast(scaled, _I32X16), sign), _F32X16)


_BYTES = {FLOAT32: 4, BFLOAT16: 2, FLOAT16: 2, INT8: 1}


def _load_widened(b: ir.IRBuilder, address: ir.Value, kind: int) -> ir.Value:
    """16 numbers of a kind -> <16 x float>."""
    if kind == FLOAT32:
        return _load(b, address, _F32X16)
    if kind == INT8:
        return b.sitofp(b.sext(_load(b, address, _I8X16), _I32X16), _F32X16)
    bits = _load(b, address, ir.VectorType(_I16, LANES))
    if kind == FLOAT16:
        return _half_to_float(b, bits)
    return b.bitcast(b.shl(b.zext(bits, _I32X16), _splat(16, _I32X16)), _F32X16)


def _dot4(b: ir.IRBuilder, acc: ir.Value, w: ir.Value, x: ir.Value, offset: int) -> ir.Value:
    """acc + the sum of four products a lane: i32x16, unsigned bytes less `offset`, signed bytes.

    VNNI does not take the offset off: its sums start lower instead (see OFFSET).
    """
    if INSTRUCTIONS == "avx512":
        return _call(b, "llvm.x86.avx512.vpdpbusd.512", _I32X16, acc, w, x)
    if INSTRUCTIONS in ("avxvnni", "avx2"):
        halves = [_dot4_half(b, *(_half(b, v, i) for v in (acc, w, x)), offset) for i in (0, 1)]
        return b.shuffle_vector(*halves, ir.Constant(_I32X16, list(range(16))))
    if offset:
        w = b.xor(w, _splat(offset, _I8X64))
    w, x = b.bitcast(w, _I32X16), b.bitcast(x, _I32X16)
    for byte in range(4):
        up, down = _splat(24 - 8 * byte, _I32X16), _splat(24, _I32X16)
        widen = b.ashr if offset else b.lshr
        product = b.mul(widen(b.shl(w, up), down), b.ashr(b.shl(x, up), down))
        acc = b.add(acc, product)
    return acc


def _half(b: ir.IRBuilder, vector: ir.Value, which: int) -> ir.Value:
    size = vector.type.count // 2
    mask = ir.Constant(ir.VectorType(_I32, size), list(range(which * size, (which + 1) * size)))
    return b.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _dot4_half(b: ir.IRBuilder, acc: ir.Value, w: ir.Value, x: ir.Value, offset: int) -> ir.Value:
    i8x32, i16x16, i32x8 = ir.VectorType(_I8, 32), ir.VectorType(_I16, 16), ir.VectorType(_I32, 8)
    if INSTRUCTIONS == "avxvnni":
        return _call(b, "llvm.x86.avx512.vpdpbusd.256", i32x8, acc, w, x)
    if offset:
        # Pairs of products are summed in 16 bits, where 255 * 127 twice would not fit, but 127 * 127 does.
        w = b.xor(w, _splat(offset, i8x32))
        x = _call(b, "llvm.x86.avx2.psign.b", i8x32, x, w)
        w = _call(b, "llvm.abs.v32i8", i8x32, w, ir.Constant(_I1, 0))
    pairs = _call(b, "llvm.x86.avx2.pmadd.ub.sw", i16x16, w, x)
    return b.add(acc, _call(b, "llvm.x86.avx2.pmadd.wd", i32x8, pairs, _splat(1, i16x16)))


def _emit(result: types.Type, argument_types: tuple, code: Callable[..., Any]) -> tuple[Any, Any]:
    """What an intrinsic returns: its signature, and the code that `code(builder, *args)` emits."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: tuple) -> Any:
        value = code(builder, *args)
        return context.get_dummy_value() if value is None else value

    return result(*argument_types), codegen


_n = types.intp


# Intrinsics: what kernels call.


@intrinsic
def load_f32(typing_context, address, offset):
    """16 floats."""
    return _emit(f32x16, (_n, _n), lambda b, a, o: _load(b, b.add(a, o), _F32X16))


@intrinsic
def store_f32(typing_context, address, offset, value):
    """Put 16 floats."""
    return _emit(types.void, (_n, _n, f32x16), lambda b, a, o, v: _store(b, b.add(a, o), v))


@intrinsic
def load_i32(typing_context, address, offset):
    """16 integers."""
    return _emit(i32x16, (_n, _n), lambda b, a, o: _load(b, b.add(a, o), _I32X16))


@intrinsic
def get_f32(typing_context, address, offset):
    """One float."""
    return _emit(types.float32, (_n, _n), lambda b, a, o: _load(b, b.add(a, o), _F32))


@intrinsic
def set_f32(typing_context, address, offset, value):
    """Put one float."""
    return _emit(types.void, (_n, _n, types.float32), lambda b, a, o, v: _store(b, b.add(a, o), v))


@intrinsic
def set_i32(typing_context, address, offset, value):
    """Put one integer of 32 bits."""
    return _emit(types.void, (_n, _n, types.int32), lambda b, a, o, v: _store(b, b.add(a, o), v))


@intrinsic
def get_i32(typing_context, address, offset):
    """One integer of 32 bits."""
    return _emit(types.int32, (_n, _n), lambda b, a, o: _load(b, b.add(a, o), _I32))


@intrinsic
def set_i8(typing_context, address, offset, value):
    """Put one byte, the lowest of an integer."""
    return _emit(
        types.void, (_n, _n, types.int32), lambda b, a, o, v: _store(b, b.add(a, o), b.trunc(v, _I8))
    )


@intrinsic
def set_f16(typing_context, address, offset, value):
    """Put one float as a float16, rounded to nearest even; beyond the largest it is the largest."""

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value) -> None:
        # In integers, so that it is the same everywhere: scale, round away 13 bits, keep the sign.
        limit = ir.Constant(_F32, 65504.0)
        bits = b.bitcast(v, _I32)
        sign = b.and_(b.lshr(bits, ir.Constant(_I32, 16)), ir.Constant(_I32, 0x8000))
        size = b.bitcast(b.and_(bits, ir.Constant(_I32, 0x7FFFFFFF)), _F32)
        size = b.select(b.fcmp_ordered("<", size, limit), size, limit)
        # Adding 2^-1 * ulp-aligned 0.5 puts a subnormal's bits where they belong.
        small = b.sub(b.bitcast(b.fadd(size, ir.Constant(_F32, 0.5)), _I32), ir.Constant(_I32, 0x3F000000))
        raw = b.bitcast(size, _I32)
        odd = b.and_(b.lshr(raw, ir.Constant(_I32, 13)), ir.Constant(_I32, 1))
        rounded = b.add(b.add(raw, ir.Constant(_I32, 0xFFF - (112 << 23) & 0xFFFFFFFF)), odd)
        normal = b.lshr(rounded, ir.Constant(_I32, 13))
        tiny = b.fcmp_ordered("<", size, ir.Constant(_F32, 2.0**-14))
        _store(b, b.add(a, o), b.trunc(b.or_(b.select(tiny, small, normal), sign), _I16))

    return _emit(types.void, (_n, _n, types.float32), code)


@intrinsic
def broadcast(typing_context, scalar):
    """A float in all lanes."""
    return _emit(f32x16, (types.float32,), _broadcast)


@intrinsic
def broadcast_i32(typing_context, scalar):
    """An integer in all lanes."""
    return _emit(i32x16, (types.int32,), _broadcast)


@intrinsic
def fma(typing_context, x, y, z):
    """x * y + z, rounded once where the processor can."""
    return _emit(f32x16, (f32x16,) * 3, _fma)


@intrinsic
def add(typing_context, x, y):
    """x + y."""
    return _emit(f32x16, (f32x16,) * 2, lambda b, x, y: b.fadd(x, y))


@intrinsic
def subtract(typing_context, x, y):
    """x - y."""
    return _emit(f32x16, (f32x16,) * 2, lambda b, x, y: b.fsub(x, y))


@intrinsic
def multiply(typing_context, x, y):
    """x * y."""
    return _emit(f32x16, (f32x16,) * 2, lambda b, x, y: b.fmul(x, y))


@intrinsic
def divide(typing_context, x, y):
    """x / y."""
    return _emit(f32x16, (f32x16,) * 2, lambda b, x, y: b.fdiv(x, y))


@intrinsic
def maximum(typing_context, x, y):
    """The larger of two, lane by lane."""
    return _emit(f32x16, (f32x16,) * 2, lambda b, x, y: b.select(b.fcmp_ordered(">", x, y), x, y))


@intrinsic
def select_negative(typing_context, x, yes, no):
    """yes where x < 0, else no."""

    def code(b: ir.IRBuilder, x: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
        return b.select(b.fcmp_ordered("<", x, _splat(0.0, _F32X16)), yes, no)

    return _emit(f32x16, (f32x16,) * 3, code)


@intrinsic
def absolute(typing_context, x):
    """|x|."""
    return _emit(f32x16, (f32x16,), lambda b, x: _call(b, "llvm.fabs.v16f32", _F32X16, x))


@intrinsic
def sum_of(typing_context, x):
    """The sum of the lanes, as a tree: 8 + 8, 4 + 4, 2 + 2, 1 + 1."""
    return _emit(types.float32, (f32x16,), lambda b, x: _reduce(b, x, b.fadd))


@intrinsic
def sum_of_i32(typing_context, x):
    """The sum of the lanes."""
    return _emit(types.int32, (i32x16,), lambda b, x: _reduce(b, x, b.add))


@intrinsic
def largest_of(typing_context, x):
    """The largest lane."""

    def larger(b: ir.IRBuilder) -> Callable[..., ir.Value]:
        return lambda x, y: b.select(b.fcmp_ordered(">", x, y), x, y)

    return _emit(types.float32, (f32x16,), lambda b, x: _reduce(b, x, larger(b)))


def _reduce(b: ir.IRBuilder, vector: ir.Value, join: Callable[..., ir.Value]) -> ir.Value:
    while vector.type.count > 1:
        vector = join(_half(b, vector, 0), _half(b, vector, 1))
    return b.extract_element(vector, ir.Constant(_I32, 0))


@intrinsic
def exp(typing_context, x):
    """e^x for x <= 0, with a relative error below 2e-7; 0 below -87.

    2^n * 2^f, n whole and |f| <= 1/2, the second as a polynomial (the series of exp(f * ln 2), whose
    terms from the seventh on are below half an ulp).
    """

    def code(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
        floor = _splat(-87.0, _F32X16)
        under = b.fcmp_ordered("<", x, floor)
        x = b.select(under, floor, x)
        n = _call(b, "llvm.rint.v16f32", _F32X16, b.fmul(x, _splat(1.4426950408889634, _F32X16)))
        # ln 2 in two parts, so that x - n ln 2 keeps its last bits (Cody and Waite).
        r = _fma(b, n, _splat(-0.693145751953125, _F32X16), x)
        r = _fma(b, n, _splat(-1.428606765330187e-06, _F32X16), r)
        result = _splat(1 / 5040, _F32X16)
        for term in (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
            result = _fma(b, result, r, _splat(term, _F32X16))
        power = b.shl(b.add(b.fptosi(n, _I32X16), _splat(127, _I32X16)), _splat(23, _I32X16))
        result = b.fmul(result, b.bitcast(power, _F32X16))
        return b.select(under, _splat(0.0, _F32X16), result)

    return _emit(f32x16, (f32x16,), code)


@intrinsic
def mask_outside(typing_context, x, first, low, high):
    """x where low <= first + lane < high, else minus infinity."""

    def code(b: ir.IRBuilder, x: ir.Value, first: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
        lane = ir.Constant(_I32X16, list(range(LANES)))
        position = b.add(_broadcast(b, b.trunc(first, _I32)), lane)
        above = b.icmp_signed(">=", position, _broadcast(b, b.trunc(low, _I32)))
        below = b.icmp_signed("<", position, _broadcast(b, b.trunc(high, _I32)))
        return b.select(b.and_(above, below), x, _splat(float("-inf"), _F32X16))

    return _emit(f32x16, (f32x16, _n, _n, _n), code)


@intrinsic
def store_rounded(typing_context, address, offset, value):
    """Put 16 floats as signed bytes, rounded half to even; they must lie within -127 and 127.

    Returns the integers, for their sum.
    """

    def code(b: ir.IRBuilder, a: ir.Value, o: ir.Value, v: ir.Value) -> ir.Value:
        integers = b.fptosi(_call(b, "llvm.rint.v16f32", _F32X16, v), _I32X16)
        _store(b, b.add(a, o), b.trunc(integers, _I8X16))
        return integers

    return _emit(i32x16, (_n, _n, f32x16), code)


@intrinsic
def add_i32(typing_context, x, y):
    """x + y."""
    return _emit(i32x16, (i32x16,) * 2, lambda b, x, y: b.add(x, y))


@intrinsic
def multiply_i32(typing_context, x, y):
    """x * y."""
    return _emit(i32x16, (i32x16,) * 2, lambda b, x, y: b.mul(x, y))
