"""What kernels emit: the types and instructions of LLVM, and which of them this processor has.

Functions here take a builder `b` and values of LLVM, and emit code; `simd.py` and `blocks.py` make
intrinsics of them, which kernels call. Memory is addressed by plain integers.

The one thing written for each processor is `dot4`, the sum of four byte products a lane. All of its forms
are exact, so they agree to the bit.
"""

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import models, register_model

from .layout import FLOAT16, FLOAT32, INT8, UINT8
from .tile_choice import choose_tiles, refuse_tiles

LANES = 16

I1, I8, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
F32 = ir.FloatType()
I8X16, I8X64 = ir.VectorType(I8, LANES), ir.VectorType(I8, 4 * LANES)
I32X16, F32X16 = ir.VectorType(I32, LANES), ir.VectorType(F32, LANES)


def host_has(*features: str) -> bool:
    """Whether this processor has all these features, as LLVM names them."""
    host_features = llvm.get_host_cpu_features()
    return all(host_features.get(feature, False) for feature in features)


def _instruction_set() -> str:
    """The widest instructions that numba compiles for here: avx512, avx512bw, avxvnni, avx2 or generic.

    That is this processor, or the one that NUMBA_CPU_NAME names. avx512 has VNNI, and avx512bw has not.
    """
    if config.CPU_NAME is None:
        if host_has("avx512f", "avx512bw", "avx512dq", "avx512vl"):
            return "avx512" if host_has("avx512vnni") else "avx512bw"
        if host_has("avx2", "fma", "f16c"):
            return "avxvnni" if host_has("avxvnni") else "avx2"
        return "generic"
    for instructions, names in {
        "avx512": "cascadelake cooperlake icelake-client icelake-server tigerlake rocketlake sapphirerapids "
        "emeraldrapids graniterapids znver4 znver5",
        "avx512bw": "skylake-avx512 cannonlake",
        "avxvnni": "alderlake raptorlake meteorlake arrowlake lunarlake sierraforest",
        "avx2": "haswell broadwell skylake znver1 znver2 znver3",
    }.items():
        if config.CPU_NAME in names.split():
            return instructions
    return "generic"


INSTRUCTION_SET = _instruction_set()


def _tune_compiler() -> None:
    """Keep LLVM from slow choices, unless variables of numba say what it compiles for.

    It splits vpdpwssd in two where sums are added to several times in a row, as two have a shorter latency.
    Attention is limited by the number of instructions, so it is told to keep it whole. And its model of
    Zen 4, which it takes for Zen 5 too, puts all prefetches of a step in front of its products: those of 12
    rows and more took 1.2 to 2.2 times as long. So it orders instructions for no processor there.
    """
    has_vnni = INSTRUCTION_SET in ("avx512", "avxvnni")
    if has_vnni and config.CPU_NAME is None and config.CPU_FEATURES is None:
        config.CPU_FEATURES = f"{llvm.get_host_cpu_features().flatten()},+fast-dpwssd"
        if llvm.get_host_cpu_name() in ("znver4", "znver5"):
            config.CPU_NAME = "x86-64-v4"


# Which products use tiles (products/tiles.py), and why. They come with AVX-512.
TILES_CHOICE = choose_tiles() if INSTRUCTION_SET == "avx512" else refuse_tiles("this processor has none")
HAS_INT8_TILES, HAS_BFLOAT16_TILES = TILES_CHOICE.int8, TILES_CHOICE.bfloat16
HAS_AMX = TILES_CHOICE.used
# Whether vectors multiply bfloat16 numbers, two of them a lane.
HAS_BFLOAT16 = INSTRUCTION_SET == "avx512" and config.CPU_NAME is None and host_has("avx512bf16")
_tune_compiler()  # after all that asks what numba compiles for
# VNNI multiplies unsigned by signed bytes. Weights are stored as w + 128 for it, and its sums start at
# -OFFSET * sum(x); the other forms of `dot4` take the 128 off by themselves.
OFFSET = 128 if INSTRUCTION_SET in ("avx512", "avxvnni") else 0
# Without VNNI, small numbers are multiplied in fewer instructions than others (see dot8).
HAS_DOT8 = INSTRUCTION_SET in ("avx512bw", "avx2")
HAS_WIDE_VECTORS = INSTRUCTION_SET in ("avx512", "avx512bw")  # of 64 bytes
# The block of sums that a product keeps in registers, rows of activations by vectors of weights: up to
# 24 of the 32 registers of AVX-512, or 8 of 16 elsewhere (a vector of 16 lanes takes two of those).
ROWS, TILES = ((6, 4, 2, 1), 4) if HAS_WIDE_VECTORS else ((2, 1), 2)
IS_ZEN = llvm.get_host_cpu_name().startswith("znver")  # a processor of AMD
# The most rows of a block with integer weights. On Zen 4, a block of 6 takes up to 1.15 times as long as two
# smaller ones.
INTEGER_ROWS = 4 if HAS_WIDE_VECTORS and llvm.get_host_cpu_name() == "znver4" else ROWS[0]
# The most rows of a block with floats. With narrow vectors, such a block has only one vector of weights,
# which is widened once for more rows: 16 rows in bfloat16 take two thirds of the time.
FLOAT_ROWS = 6


class _Vector(types.Type):
    """A numba type that lowers to one LLVM vector."""

    def __init__(self, name: str, llvm_type: ir.Type) -> None:
        self.llvm_type = llvm_type
        super().__init__(name=name)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: _Vector) -> None:
        super().__init__(manager, vector, vector.llvm_type)


f32x16 = _Vector("f32x16", F32X16)


def pointer(b: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    return b.inttoptr(address, ir.PointerType(kind))


def at(b: ir.IRBuilder, address: ir.Value, offset: int) -> ir.Value:
    return b.add(address, address.type(offset))


def load(b: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    return b.load(pointer(b, address, kind), align=1)


def store(b: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
    b.store(value, pointer(b, address, value.type), align=1)


def call(b: ir.IRBuilder, name: str, result: ir.Type, *args: ir.Value) -> ir.Value:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return b.call(cgutils.get_or_insert_function(b.module, kind, name), args)


def splat(value: Any, kind: ir.VectorType) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


def broadcast(b: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    kind = ir.VectorType(scalar.type, LANES)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(I32, 0))
    return b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), splat(0, I32X16))


def fma(b: ir.IRBuilder, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
    # Without an instruction for it, llvm.fma calls a function for each lane; fmuladd then rounds twice.
    name = "llvm.fmuladd.v16f32" if INSTRUCTION_SET == "generic" else "llvm.fma.v16f32"
    return call(b, name, F32X16, x, y, z)


def scale_by_power(b: ir.IRBuilder, x: ir.Value, n: ir.Value) -> ir.Value:
    """x * 2^n, rounded once. n: whole numbers as floats; beyond -126 to 127 the result may be any number.

    NaN stays NaN.
    """
    if HAS_WIDE_VECTORS:
        args = (x, n, splat(0.0, F32X16), ir.Constant(I16, -1), ir.Constant(I32, 4))  # the usual rounding
        return call(b, "llvm.x86.avx512.mask.scalef.ps.512", F32X16, *args)
    # 1.5 * 2^23 moves a whole number to the lowest bits. fptosi is undefined for what is out of range.
    bits = b.bitcast(b.fadd(n, splat(1.5 * 2**23 + 127, F32X16)), I32X16)
    power = b.shl(bits, splat(23, I32X16))
    return b.fmul(x, b.bitcast(power, F32X16))


def half_to_float(b: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """<16 x i16> that hold float16 -> <16 x float>."""
    if INSTRUCTION_SET != "generic":
        return b.fpext(b.bitcast(bits, ir.VectorType(ir.HalfType(), LANES)), F32X16)
    # The exponent is moved into place and then corrected by a product, which is right for subnormals too.
    wide = b.zext(bits, I32X16)
    magnitude = b.shl(b.and_(wide, splat(0x7FFF, I32X16)), splat(13, I32X16))
    scaled = b.fmul(b.bitcast(magnitude, F32X16), splat(2.0**112, F32X16))
    sign = b.shl(b.and_(wide, splat(0x8000, I32X16)), splat(16, I32X16))
    return b.bitcast(b.or_(b.bitcast(scaled, I32X16), sign), F32X16)


def load_widened(b: ir.IRBuilder, address: ir.Value, kind: int) -> ir.Value:
    """16 numbers of a kind -> <16 x float>."""
    if kind == FLOAT32:
        return load(b, address, F32X16)
    if kind in (INT8, UINT8):
        widen = b.sext if kind == INT8 else b.zext
        return b.sitofp(widen(load(b, address, I8X16), I32X16), F32X16)
    bits = load(b, address, ir.VectorType(I16, LANES))
    if kind == FLOAT16:
        return half_to_float(b, bits)
    return b.bitcast(b.shl(b.zext(bits, I32X16), splat(16, I32X16)), F32X16)


def float_to_half(b: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A float, or 16 of them, as float16, rounded to nearest even: i16 or <16 x i16>.

    A larger number becomes the largest float16, except infinity: what is not finite is not hidden.
    """
    # In integers, so that it is the same everywhere: scale, round away 13 bits, keep the sign.
    floats, integers, shorts = (F32, I32, I16)
    if value.type == F32X16:
        floats, integers, shorts = F32X16, I32X16, ir.VectorType(I16, LANES)

    def constant(number: float, kind: ir.Type) -> ir.Constant:
        return splat(number, kind) if isinstance(kind, ir.VectorType) else ir.Constant(kind, number)

    def bits_of(number: int) -> ir.Constant:
        return constant(number, integers)

    bits, limit = b.bitcast(value, integers), constant(65504.0, floats)
    sign = b.and_(b.lshr(bits, bits_of(16)), bits_of(0x8000))
    magnitude = b.and_(bits, bits_of(0x7FFFFFFF))
    is_finite = b.icmp_unsigned("<", magnitude, bits_of(0x7F800000))
    size = b.bitcast(magnitude, floats)
    size = b.select(b.fcmp_ordered("<", size, limit), size, limit)
    # Adding 0.5 aligns the mantissa, so that the low bits are those of a float16 subnormal.
    small = b.sub(b.bitcast(b.fadd(size, constant(0.5, floats)), integers), bits_of(0x3F000000))
    raw = b.bitcast(size, integers)
    odd = b.and_(b.lshr(raw, bits_of(13)), bits_of(1))
    rounded = b.add(b.add(raw, bits_of(0xFFF - (112 << 23) & 0xFFFFFFFF)), odd)
    normal = b.lshr(rounded, bits_of(13))
    tiny = b.fcmp_ordered("<", size, constant(2.0**-14, floats))
    # Of a NaN the highest bit of the mantissa is set, of infinity none.
    other = b.or_(b.lshr(magnitude, bits_of(13)), bits_of(0x7C00))
    other = b.and_(other, bits_of(0x7E00))
    half = b.select(is_finite, b.select(tiny, small, normal), other)
    return b.trunc(b.or_(half, sign), shorts)


def float_to_byte(b: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """16 floats from -127 to 127 as signed bytes, rounded half to even."""
    return b.trunc(b.fptosi(call(b, "llvm.rint.v16f32", F32X16, value), I32X16), I8X16)


def dot4(b: ir.IRBuilder, acc: ir.Value, w: ir.Value, x: ir.Value, offset: int) -> ir.Value:
    """acc + the sum of four products a lane: 16 integers, unsigned bytes less `offset`, signed bytes.

    VNNI does not take the offset off: its sums start lower instead (see OFFSET).
    """
    if INSTRUCTION_SET == "avx512":
        return call(b, "llvm.x86.avx512.vpdpbusd.512", I32X16, acc, w, x)
    if INSTRUCTION_SET == "avx512bw":
        return b.add(acc, _multiply_bytes(b, w, x, offset))
    if INSTRUCTION_SET in ("avxvnni", "avx2"):
        halves = [dot4_half(b, *(half(b, v, i) for v in (acc, w, x)), offset) for i in (0, 1)]
        return b.shuffle_vector(*halves, ir.Constant(I32X16, list(range(16))))
    if offset:
        w = b.xor(w, splat(offset, I8X64))
    w, x = b.bitcast(w, I32X16), b.bitcast(x, I32X16)
    for byte in range(4):
        up, down = splat(24 - 8 * byte, I32X16), splat(24, I32X16)
        widen = b.ashr if offset else b.lshr
        product = b.mul(widen(b.shl(w, up), down), b.ashr(b.shl(x, up), down))
        acc = b.add(acc, product)
    return acc


def half(b: ir.IRBuilder, vector: ir.Value, which: int) -> ir.Value:
    size = vector.type.count // 2
    mask = ir.Constant(ir.VectorType(I32, size), list(range(which * size, (which + 1) * size)))
    return b.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def dot4_half(b: ir.IRBuilder, acc: ir.Value, w: ir.Value, x: ir.Value, offset: int) -> ir.Value:
    if INSTRUCTION_SET == "avxvnni":
        return call(b, "llvm.x86.avx512.vpdpbusd.256", ir.VectorType(I32, 8), acc, w, x)
    return b.add(acc, _multiply_bytes(b, w, x, offset))


def _multiply_bytes(b: ir.IRBuilder, w: ir.Value, x: ir.Value, offset: int) -> ir.Value:
    """The sums of four products, as dot4 adds them, without VNNI. The vectors have 32 or 64 bytes."""
    if offset:
        # Pairs of products are summed in 16 bits, where 255 * 127 twice would not fit, but 127 * 127 does.
        zero = splat(0, w.type)
        w = b.xor(w, splat(offset, w.type))
        if w.type.count == 64:  # AVX-512 has no psign
            x = b.select(b.icmp_signed("<", w, zero), b.sub(zero, x), x)
        else:
            x = call(b, "llvm.x86.avx2.psign.b", w.type, x, w)
        w = call(b, f"llvm.abs.v{w.type.count}i8", w.type, w, ir.Constant(I1, 0))
    return _sum_pairs(b, _multiply_pairs(b, w, x))


def _multiply_pairs(b: ir.IRBuilder, w: ir.Value, x: ir.Value) -> ir.Value:
    """Unsigned times signed bytes, and the sums of two neighbours in 16 bits."""
    name = "llvm.x86.avx512.pmaddubs.w.512" if w.type.count == 64 else "llvm.x86.avx2.pmadd.ub.sw"
    return call(b, name, ir.VectorType(I16, w.type.count // 2), w, x)


def _sum_pairs(b: ir.IRBuilder, pairs: ir.Value) -> ir.Value:
    """The sums of two neighbours in 32 bits."""
    name = "llvm.x86.avx512.pmaddw.d.512" if pairs.type.count == 32 else "llvm.x86.avx2.pmadd.wd"
    return call(b, name, ir.VectorType(I32, pairs.type.count // 2), pairs, splat(1, pairs.type))


def dot8(b: ir.IRBuilder, acc: ir.Value, ws: list[ir.Value], xs: list[ir.Value]) -> ir.Value:
    """acc + the sum of eight products a lane: 16 integers, two of bytes from 0 to 63, two of signed bytes.

    Without VNNI, two pairs of products fit into 16 bits, 4 * 63 * 127.
    """
    if INSTRUCTION_SET not in ("avx512bw", "avx2"):
        for w, x in zip(ws, xs, strict=True):
            acc = dot4(b, acc, w, x, 0)
        return acc

    def sum_products(parts: list[tuple[ir.Value, ir.Value]]) -> ir.Value:
        return _sum_pairs(b, b.add(*(_multiply_pairs(b, w, x) for w, x in parts)))

    if HAS_WIDE_VECTORS:
        return b.add(acc, sum_products(list(zip(ws, xs, strict=True))))
    sums = []
    for i in (0, 1):
        halves = [(half(b, w, i), half(b, x, i)) for w, x in zip(ws, xs, strict=True)]
        sums.append(b.add(half(b, acc, i), sum_products(halves)))
    return b.shuffle_vector(*sums, ir.Constant(I32X16, list(range(16))))


def look_up(b: ir.IRBuilder, table: ir.Value, indices: ir.Value) -> ir.Value:
    """i8x64: for each index from 0 to 15 a byte of the table, which is i8x16."""
    if INSTRUCTION_SET == "generic":
        found = splat(0, I8X64)
        for index in range(16):
            entry = b.extract_element(table, I32(index))
            one = b.insert_element(ir.Constant(I8X64, ir.Undefined), entry, I32(0))
            entries = b.shuffle_vector(one, one, ir.Constant(ir.VectorType(I32, 64), [0] * 64))
            found = b.select(b.icmp_unsigned("==", indices, splat(index, I8X64)), entries, found)
        return found
    width = 64 if HAS_WIDE_VECTORS else 32
    lanes = ir.Constant(ir.VectorType(I32, width), list(range(16)) * (width // 16))
    tables = b.shuffle_vector(table, ir.Constant(I8X16, ir.Undefined), lanes)
    if width == 64:
        return call(b, "llvm.x86.avx512.pshuf.b.512", I8X64, tables, indices)
    kind = ir.VectorType(I8, 32)
    halves = [call(b, "llvm.x86.avx2.pshuf.b", kind, tables, half(b, indices, i)) for i in (0, 1)]
    return b.shuffle_vector(*halves, ir.Constant(ir.VectorType(I32, 64), list(range(64))))


def nibbles(b: ir.IRBuilder, vector: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The low and the high four of the lowest eight bits of each number."""
    return b.and_(vector, splat(15, vector.type)), b.lshr(vector, splat(4, vector.type))


def high_bits(b: ir.IRBuilder, vector: ir.Value, shift: int, width: int) -> ir.Value:
    """`width` bits of each byte, from the bit `shift` on, moved to the bit 4."""
    wide = b.bitcast(vector, ir.VectorType(I16, 32))  # there are no shifts of bytes
    distance = splat(abs(shift - 4), wide.type)
    wide = b.lshr(wide, distance) if shift > 4 else b.shl(wide, distance)
    return b.and_(b.bitcast(wide, I8X64), splat((1 << width) - 1 << 4, I8X64))


def load_steps(b: ir.IRBuilder, address: ir.Value, bits: int) -> tuple[ir.Value, ir.Value]:
    """The steps and zeros of 32 k of a tile: two vectors of i32, one number for each output.

    address: of a byte for each output, with its step in the lowest 8 - bits, and its zero in the others.
    """
    group = b.zext(load(b, address, I8X16), I32X16)
    return b.and_(group, splat((1 << 8 - bits) - 1, I32X16)), b.lshr(group, splat(8 - bits, I32X16))


def e4m3_to_float(b: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """<16 x i32> with float8_e4m3fn in their highest bytes -> <16 x float>."""
    # Sign, exponent and mantissa are moved into place; a product corrects the exponent, and is right for
    # subnormals too.
    moved = b.and_(b.ashr(bits, splat(4, I32X16)), splat(0x87F00000, I32X16))
    return b.fmul(b.bitcast(moved, F32X16), splat(2.0**120, F32X16))


def typed(result: types.Type, argument_types: tuple, code: Callable[..., Any]) -> tuple[Any, Any]:
    """What an intrinsic returns: its signature, and the code that `code(builder, *args)` emits.

    A NamedTuple is given to `code` as one of values that are as wide as indices.
    """

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: tuple) -> Any:
        def unpack(kind: types.Type, arg: Any) -> Any:
            if not isinstance(kind, types.BaseNamedTuple):
                return arg
            fields = zip(cgutils.unpack_tuple(builder, arg), kind, strict=True)
            return kind.instance_class(*(context.cast(builder, v, k, types.intp) for v, k in fields))

        value = code(builder, *map(unpack, signature.args, args))
        return context.get_dummy_value() if value is None else value

    return result(*argument_types), codegen


def reduce(b: ir.IRBuilder, vector: ir.Value, join: Callable[..., ir.Value]) -> ir.Value:
    while vector.type.count > 1:
        vector = join(half(b, vector, 0), half(b, vector, 1))
    return b.extract_element(vector, ir.Constant(I32, 0))
