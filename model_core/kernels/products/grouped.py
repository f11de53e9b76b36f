"""Weights as codes: what comes before their product.

Codes of 4 to 6 bits become bytes, the scales and offsets of groups become floats, and where activations are
not rounded, codes become the float32 weights that they stand for. Each is done for a chunk of a strip, which
is then multiplied by all rows. So the blocks of blocks.py know bytes and floats only.
"""

from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .. import emit
from ..blocks import CODES_CACHE, emit_cases, emit_loop, prefetch
from ..inner import inner
from ..layout import BFLOAT16, FLOAT8, FLOAT16, FLOAT32, INT8, STEPPED_BITS, STRIP, UINT8

_n = types.intp


@inner
def expand_groups(m, group, chunk, groups, unit, scales, offsets):
    """Scales and offsets of `groups` groups of a strip, as floats.

    group: the number of the first of them, of a matrix with the groups of one strip after the other. chunk:
    the number of their 256 k, in the same way.

    scales, offsets: addresses of floats [groups, STRIP]. The offsets are multiplied by `unit`. They are
    written only if the matrix has any.
    """
    at, supers = group * STRIP, 2 * chunk * STRIP
    _expand(m.scale_kind, m.groups, at, m.supers + supers, groups, np.float32(1), scales, scales)
    if m.offsets:
        _expand(m.offset_kind, m.offsets, at, m.offset_supers + supers, groups, unit, scales, offsets)


@intrinsic
def _expand(typing_context, kind, numbers, at, supers, groups, unit, scales, out):
    """out = unit * numbers of groups, [groups, STRIP].

    kind: FLOAT32; FLOAT16; BFLOAT16; INT8, multiplied by super scales; or UINT8, zeros, multiplied by scales
    and -1.
    numbers: address of numbers, which are read from the one at index `at` on. supers: of float16. scales,
    out: of floats.
    """
    tiles = range(0, STRIP, 16)

    def code(b, *args):
        kind, numbers, at, supers, groups, unit, scales, out = args

        def address(base: ir.Value, index: ir.Value, size: int) -> ir.Value:
            return b.add(base, b.mul(index, index.type(size)))

        def write(kind: int) -> None:
            size = {FLOAT32: 4, FLOAT16: 2, BFLOAT16: 2}.get(kind, 1)
            first = address(numbers, at, size)
            factors = [emit.broadcast(b, unit)] * len(tiles)
            if kind == INT8:
                factors = [
                    b.fmul(factor, emit.load_widened(b, emit.at(b, supers, 2 * tile), FLOAT16))
                    for factor, tile in zip(factors, tiles, strict=True)
                ]
                prefetch(b, emit.at(b, supers, 2 * 2 * STRIP))
                prefetch(b, emit.at(b, supers, 2 * 2 * STRIP + 64))

            def write_group(group: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                index = b.mul(group, group.type(STRIP))
                source, to = address(first, index, size), address(out, index, 4)
                # That of the chunk after the next one: the hardware is late to fetch such small pieces.
                ahead = address(source, groups, 2 * STRIP * size)
                for line in range(0, STRIP * size, 64):
                    prefetch(b, b.add(ahead, ahead.type(line)))
                for tile, factor in zip(tiles, factors, strict=True):
                    value = emit.load_widened(b, b.add(source, source.type(size * tile)), kind)
                    if kind == UINT8:
                        scale = b.add(address(scales, index, 4), source.type(4 * tile))
                        value = b.fmul(b.fneg(value), emit.load(b, scale, emit.F32X16))
                    emit.store(b, b.add(to, to.type(4 * tile)), b.fmul(value, factor))
                return []

            emit_loop(b, groups, [], write_group)

        emit_cases(b, kind, (FLOAT32, FLOAT16, BFLOAT16, INT8, UINT8), write)

    return emit.typed(types.void, (_n, _n, _n, _n, _n, types.float32, _n, _n), code)


def _widen(
    b: ir.IRBuilder,
    w: ir.Value,
    ahead: ir.Value,
    out: ir.Value,
    expand: Callable[[ir.Value], ir.Value],
    high: ir.Value | None = None,
    width: int = 0,
) -> None:
    """Write 32 k of a tile, in codes of 4 bits and `width` high ones, as bytes."""
    for i in range(4):
        codes = emit.load(b, b.add(w, w.type(64 * i)), emit.I8X64)
        prefetch(b, b.add(ahead, ahead.type(64 * i)), CODES_CACHE)
        for quad, part in enumerate(emit.nibbles(b, codes), 2 * i):
            if high is not None:
                vector, shift = divmod(width * quad, 8)
                plane = emit.load(b, b.add(high, high.type(64 * vector)), emit.I8X64)
                part = b.or_(part, emit.high_bits(b, plane, shift, width))
            emit.store(b, b.add(out, out.type(64 * quad)), expand(part))


def _stepped_bytes(b: ir.IRBuilder, address: ir.Value, bits: int) -> Callable[[ir.Value], ir.Value]:
    """What makes (code - zero) * step + 128 of codes of 32 k of a tile. address: see emit.load_steps."""
    # Two bytes are multiplied as one 16-bit number: a product is at most 31 * 7, so it does not overflow
    # into the next byte. The offset is added modulo 256, where the sum is exact.
    wide = ir.VectorType(emit.I16, 32)
    factor, zero = emit.load_steps(b, address, bits)
    rest = b.sub(emit.splat(128, emit.I32X16), b.mul(factor, zero))
    rest = b.mul(b.and_(rest, emit.splat(255, emit.I32X16)), emit.splat(0x01010101, emit.I32X16))
    rest = b.bitcast(rest, emit.I8X64)
    factor = b.bitcast(b.mul(factor, emit.splat(0x00010001, emit.I32X16)), wide)
    return lambda codes: b.add(b.bitcast(b.mul(b.bitcast(codes, wide), factor), emit.I8X64), rest)


@intrinsic
def widen_stepped(typing_context, kind, w, high, ahead, groups, out):
    """32 k of a tile from a kind of STEPPED_BITS to INT8.

    Addresses are those that integer_block takes; ahead: to prefetch.
    """

    def code(b, kind, w, high, ahead, groups, out):
        def widen(kind: int) -> None:
            bits = STEPPED_BITS[kind]
            expand = _stepped_bytes(b, groups, bits)
            _widen(b, w, ahead, out, expand, high if bits > 4 else None, bits - 4)

        emit_cases(b, kind, STEPPED_BITS, widen)

    return emit.typed(types.void, (_n,) * 6, code)


@intrinsic
def widen_grouped4(typing_context, w, ahead, table, out):
    """32 k of a tile from GROUPED4 to bytes. Addresses are as those of widen_stepped."""

    def code(b, w, ahead, table, out):
        entries = emit.load(b, table, emit.I8X16)
        _widen(b, w, ahead, out, lambda codes: emit.look_up(b, entries, codes))

    return emit.typed(types.void, (_n,) * 4, code)


@intrinsic
def dequantize(typing_context, kind, w, scales, offsets, out):
    """16 k of a tile -> floats: number * scale + offset.

    kind: FLOAT8, or INT8 for numbers + 128. w: address of bytes, as integer_block takes them.
    scales, offsets: addresses of 16 floats each. out: of floats [16, STRIP], of which it writes 16 columns.
    """

    def code(b, kind, w, scales, offsets, out):
        scale, offset = emit.load(b, scales, emit.F32X16), emit.load(b, offsets, emit.F32X16)

        def write(kind: int) -> None:
            for quad in range(4):
                words = emit.load(b, b.add(w, w.type(64 * quad)), emit.I32X16)
                for i in range(4):
                    number = b.shl(words, emit.splat(24 - 8 * i, emit.I32X16))
                    if kind == FLOAT8:
                        number = emit.e4m3_to_float(b, number)
                    else:
                        number = b.lshr(number, emit.splat(24, emit.I32X16))
                        number = b.sitofp(b.sub(number, emit.splat(128, emit.I32X16)), emit.F32X16)
                    target = b.add(out, out.type(4 * STRIP * (4 * quad + i)))
                    emit.store(b, target, emit.fma(b, number, scale, offset))

        emit_cases(b, kind, (INT8, FLOAT8), write)

    return emit.typed(types.void, (_n,) * 5, code)
