"""Each kernel against its NumPy reference, with the same bits in any batch.

test_processors.py runs these tests as other processors would.
"""

import hashlib

import numpy as np
import pytest
from numba import njit
from outer import outer
from products import Activations, gate, multiply
from single_block import attend_block

from model_core.cache.memory import KVCache, KVGroup
from model_core.kernels import emit, interpreter, layout, pointwise, simd
from model_core.kernels.products import activations, linear
from model_core.kernels.sequences import attention, kv_slots, recurrence
from model_core.kernels.sinkhorn import sinkhorn_row
from model_core.kernels.team import Team, barrier, claim
from model_core.machine.memory import aligned_zeros, round_up
from model_core.reference import operators as op
from model_core.tape.operations import KVLayer
from model_core.tape.rope import RopeConfig
from model_core.weights.matrix import KINDS, Matrix
from model_core.weights.pack import fill, pack, reserve
from model_core.weights.rotation import rotate

RANDOM = np.random.default_rng(0)
SIZES = [(16, 32), (64, 256), (7, 26), (312, 300), (130, 515)]
ROWS = (1, 2, 3, 4, 5, 6, 7, 11, 13, 24)


def unpacked(matrix: Matrix, n: int, k: int) -> np.ndarray:
    """The numbers in a matrix of one part, float64 [n, k]; rotated, if they are stored so."""
    if matrix.kind == layout.INT8:
        codes = matrix.data.transpose(0, 2, 1, 3).reshape(matrix.n, matrix.k).astype(int) - 128
        scales = matrix.groups.astype(np.float64).transpose(0, 2, 1).reshape(matrix.n, -1)
        return (codes * np.repeat(scales, layout.GROUP, axis=1)[:, : matrix.k])[:n, :k]
    if matrix.kind not in layout.STEPPED_BITS:
        return matrix.rows(np.arange(n))[:, :k].astype(np.float64)
    low, high = matrix.data & 15, matrix.data >> 4
    codes = np.concatenate([low, high], axis=-1)  # [n / 16, k / 8, 16, 8]
    codes = codes.transpose(0, 2, 1, 3).reshape(matrix.n, matrix.k).astype(np.float64)
    bits = layout.STEPPED_BITS[matrix.kind]
    if bits > 4:
        # Of each 32 k: the bits of a byte, then its quads of k, then the 4 k of a quad.
        planes = np.unpackbits(matrix.high, axis=-1, bitorder="little")
        planes = planes.reshape(*matrix.high.shape, 8 // (bits - 4), bits - 4) @ (16 << np.arange(bits - 4))
        codes += planes.transpose(0, 3, 1, 2, 5, 4).reshape(codes.shape)
    groups = matrix.groups.transpose(0, 2, 1).reshape(matrix.n, -1)
    step_bits = 8 - bits
    factor, zero = (np.repeat(p, 32, axis=1) for p in (groups % 2**step_bits, groups >> step_bits))
    return ((codes - zero) * factor * matrix.scales[:, None])[:n, :k]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_products_are_right_and_independent_of_other_rows(kind: str, n: int, k: int) -> None:
    weight = RANDOM.standard_normal((n, k), dtype=np.float32)
    bias = RANDOM.standard_normal(n, dtype=np.float32)
    x = RANDOM.standard_normal((max(ROWS), k), dtype=np.float32) * 3
    matrix, a = pack([weight], KINDS[kind], [bias]), Activations(x)
    is_integer = kind.startswith("int")
    inputs = a.dequantized(len(x), matrix.k) if is_integer else x.astype(np.float64)
    expected = inputs @ unpacked(matrix, n, inputs.shape[1]).T + bias
    alone = [multiply(matrix, Activations(x[i : i + 1]), 1)[0] for i in range(len(x))]
    for rows in ROWS:
        y = multiply(matrix, a, rows)
        assert np.linalg.norm(y[:, :n] - expected[:rows]) < 1e-5 * np.linalg.norm(expected[:rows])
        assert not y[:, n:].any()  # padding is zero, and stays so through the layers
        assert np.array_equal(y, alone[:rows])
        added = multiply(matrix, a, rows, before=np.ones_like(y))
        assert np.allclose(added, y + 1, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_products_of_long_prompts_are_divided_by_rows_as_well(kind: str) -> None:
    """Three strips: shares of one, two and four threads, in one part of rows and more."""
    weight = RANDOM.standard_normal((180, 96), dtype=np.float32)
    matrix, a = pack([weight], KINDS[kind]), Activations(RANDOM.standard_normal((203, 96), dtype=np.float32))
    for rows in (203, 128, 130):
        one, two, four = (multiply(matrix, a, rows, threads=threads) for threads in (1, 2, 4))
        assert np.array_equal(two, one)
        assert np.array_equal(four, one)


@pytest.mark.parametrize(("kind", "error"), [("int8", 0.012), ("int6", 0.03), ("int5", 0.05), ("int4", 0.12)])
def test_integer_products_are_close_to_float_products(kind: str, error: float) -> None:
    weight = RANDOM.standard_normal((256, 2 * activations.GROUP), dtype=np.float32)
    x = RANDOM.standard_normal((4, weight.shape[1]), dtype=np.float32)
    # An outlier costs its own run of activations their precision, and no others.
    x[:, 5], weight[:, : activations.GROUP] = 300, 0
    y, expected = multiply(pack([weight], KINDS[kind]), Activations(x), 4), op.linear(x[None], weight)[0]
    assert np.linalg.norm(y - expected) < error * np.linalg.norm(expected)


def test_int8_weights_have_a_scale_for_each_group() -> None:
    weight = RANDOM.standard_normal((70, 600), dtype=np.float32)
    expected = weight[:, 256:].copy()
    weight[:, :256] *= 1000
    rows = pack([weight], layout.INT8).rows(np.arange(70))[:, 256:600]
    assert np.linalg.norm(rows - expected) < 0.01 * np.linalg.norm(expected)


def test_stacked_matrices_are_padded_separately() -> None:
    parts = [RANDOM.standard_normal((n, 40), dtype=np.float32) for n in (70, 3)]
    x = RANDOM.standard_normal((2, 40), dtype=np.float32)
    y = multiply(pack(parts, layout.FLOAT32), Activations(x), 2)
    assert np.allclose(y[:, :70], x @ parts[0].T, atol=1e-4)
    assert np.allclose(y[:, 128:131], x @ parts[1].T, atol=1e-4)


def test_extreme_activations_are_quantized() -> None:
    x = np.zeros((4, 64), np.float32)
    x[1, 3], x[2, 3], x[3] = 1e-38, -3e38, np.linspace(-1, 1, 64)
    a = Activations(x, rounding=layout.BY_CHUNK)
    assert np.allclose(a.dequantized(4, 64), x, atol=1 / 254, rtol=1e-6)
    for level in range(5):  # sums of 256, 128, 64, 32 and 16 codes
        sums = -128 * a.codes[:4, :256].reshape(4, 2**level, -1).sum(axis=-1, dtype=int)
        assert np.array_equal(a.runs[:4, 0, 2**level : 2 * 2**level], sums)


def test_activations_by_group_have_scales_of_their_own() -> None:
    x = RANDOM.standard_normal((4, 320), dtype=np.float32) * np.repeat([1, 30, 0, 1e-3, 5], 64)
    a = Activations(x, rounding=layout.BY_GROUP)
    error = np.abs(a.dequantized(4, 320) - x).reshape(4, -1, 32).max(axis=2)
    # Half a step, of 125 or more.
    assert (error <= np.abs(x).reshape(4, -1, 32).max(axis=2) / 249.9).all()
    sums = -128 * a.codes[:4, :256].reshape(4, 8, 32).sum(axis=-1, dtype=int)
    assert np.array_equal(a.runs[:4, 0, 8:16], sums)


def test_rotated_activations_share_an_outlier() -> None:
    x = RANDOM.standard_normal((4, 512), dtype=np.float32)
    x[:, 70] = 100
    a, by_chunk = Activations(x), Activations(x, rounding=layout.BY_CHUNK)
    error = np.linalg.norm(a.dequantized(4, 512) - rotate(x))
    assert error < 0.3 * np.linalg.norm(by_chunk.dequantized(4, 512) - x)


@pytest.mark.parametrize("kind", ["int8", "int6", "int4"])
@pytest.mark.parametrize("k", [26, 256, 515])
def test_balanced_products_are_those_of_the_weights(kind: str, k: int) -> None:
    """A balance changes what is rounded, and nothing else: rounded activations, and floats, and rows."""
    weight = RANDOM.standard_normal((70, k), dtype=np.float32)
    balance = np.ldexp(np.float32(1), RANDOM.integers(-4, 5, k)).astype(np.float32)
    x, weight = RANDOM.standard_normal((3, k), dtype=np.float32) / balance, weight * balance
    matrix = reserve([weight.shape], KINDS[kind], bias=False)
    matrix.set_balance(balance)
    fill(matrix, [weight])
    plain = pack([weight / balance], KINDS[kind])
    expected = multiply(plain, Activations(x * balance), 3)
    assert np.array_equal(multiply(matrix, Activations(x, balance=balance), 3), expected)
    floats = multiply(plain, Activations(x * balance), 3, arithmetic="float32")
    found = multiply(matrix, Activations(x), 3, arithmetic="float32")
    np.testing.assert_allclose(found, floats, atol=1e-5 * np.abs(floats).max())
    indices = np.arange(70)
    np.testing.assert_array_equal(matrix.rows(indices)[:, :k], plain.rows(indices)[:, :k] * balance)
    assert np.array_equal(matrix.unpack_rows(indices), matrix.rows(indices))


@pytest.mark.parametrize(("kind", "error"), [("int8", 0.01), ("int6", 0.03), ("int5", 0.05), ("int4", 0.1)])
@pytest.mark.parametrize("k", [26, 64, 515])
def test_rows_of_rotated_weights_are_those_of_the_weights(kind: str, error: float, k: int) -> None:
    weight = RANDOM.standard_normal((70, k), dtype=np.float32)
    matrix = pack([weight], KINDS[kind])
    rows = matrix.rows(np.array([[3], [69]]))
    assert np.linalg.norm(rows[:, 0, :k] - weight[[3, 69]]) < error * np.linalg.norm(rows)
    assert np.array_equal(matrix.unpack_rows(np.arange(70)), matrix.rows(np.arange(70)))
    expected = rotate(unpacked(matrix, 70, matrix.k).astype(np.float32))[[3, 69]]
    np.testing.assert_allclose(rows[:, 0], expected, atol=1e-5)


@pytest.mark.parametrize("floor", [0.0, 30.0])
@pytest.mark.parametrize("size", [7, 16, 26, 312])
def test_rms_norm(size: int, floor: float) -> None:
    x, weight, out = (aligned_zeros((round_up(size, 64),), np.float32) for _ in range(3))
    x[:], weight[:size] = np.nan, RANDOM.standard_normal(size, dtype=np.float32)
    x[:size] = RANDOM.standard_normal(size, dtype=np.float32)
    arguments = (size, np.float32(1e-5), np.float32(floor), out.ctypes.data)
    outer(pointwise.rms_norm)(x.ctypes.data, weight.ctypes.data, *arguments)
    expected = op.rms_norm(x[:size], weight[:size], 1e-5, floor)
    assert np.allclose(out[:size], expected, rtol=1e-5, atol=1e-6)
    assert not out[size:].any()


@pytest.mark.parametrize("size", [7, 16, 26, 312])
def test_center(size: int) -> None:
    x, out = (aligned_zeros((round_up(size, 64),), np.float32) for _ in range(2))
    x[:], x[:size] = np.nan, RANDOM.standard_normal(size, dtype=np.float32) + 3
    outer(pointwise.center_row)(x.ctypes.data, size, out.ctypes.data)
    assert np.allclose(out[:size], op.center(x[:size]), rtol=1e-5, atol=1e-6)
    assert not out[size:].any()


def test_gated_activations() -> None:
    """Each half is padded to 32 rows. Sizes do not fill strips, and some gates are large."""
    for n, kind in ((40, "float32"), (64, "float32"), (70, "int8"), (33, "int4")):
        parts = [RANDOM.standard_normal((n, 64), dtype=np.float32) for _ in range(2)]
        biases = [RANDOM.standard_normal(n, dtype=np.float32) * 40 for _ in range(2)]
        x = RANDOM.standard_normal((7, 64), dtype=np.float32)
        a, matrix = Activations(x), pack(parts, KINDS[kind], biases, gated=True)
        separate = [
            multiply(pack([p], KINDS[kind], [b]), a, 7)[:, :n] for p, b in zip(parts, biases, strict=True)
        ]
        y = gate(matrix, a, 7, linear.SWIGLU)
        assert np.allclose(y[:, :n], op.silu(separate[0]) * separate[1], rtol=1e-5, atol=1e-5)
        assert not y[:, n:].any()


def test_exp_is_exact_to_the_last_bits() -> None:
    @njit
    def exponential(address: int, count: int) -> None:
        for i in range(0, 4 * count, 64):
            simd.store_f32(address, i, simd.exp_of_negative(simd.load_f32(address, i)))

    low = [0, -87.5, -100, -128, -200, -1e30, -np.inf, np.nan]
    x = np.concatenate([np.linspace(-87, 0, 100_000), low * 4]).astype(np.float32)
    y = x.copy()
    exponential(y.ctypes.data, len(y))
    expected = np.exp(x.astype(np.float64))
    assert np.abs(y[:100_000] / expected[:100_000] - 1).max() < 2e-7
    assert y[100_000:100_007].tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert np.isnan(y[100_007])


def test_gelu_is_exact_to_the_last_bits() -> None:
    @njit
    def gelu(address: int, count: int) -> None:
        for i in range(0, 4 * count, 64):
            simd.store_f32(address, i, pointwise.gelu(simd.load_f32(address, i)))

    x = np.concatenate([np.linspace(-8, 8, 9992), [0, 30, -30, 1e30, -1e30, 1e-30, -1e-30, 1]])
    y = x.astype(np.float32)
    expected = op.gelu(y)
    gelu(y.ctypes.data, len(y))
    assert np.allclose(y, expected, rtol=2e-7, atol=6e-7)


@pytest.mark.parametrize("stride", [2, 6])
def test_float16_is_rounded_as_in_numpy(stride: int) -> None:
    @njit
    def write(source: int, target: int, count: int) -> None:
        for i in range(count):
            simd.set_f16(target, 2 * i, simd.get_f32(source, 4 * i))

    @njit
    def spread(source: int, target: int, count: int, stride: int) -> None:
        for i in range(0, count, 16):
            simd.spread_f16(target + i * stride, stride, simd.load_f32(source, 4 * i))

    x = np.concatenate(
        [
            RANDOM.standard_normal(10_000) * 10.0 ** RANDOM.integers(-9, 5, 10_000),
            np.arange(4096) * 2.0**-26,
            [65520, -65520, 1e5, -1e30],  # beyond the range: the largest
            [0, -0.0, 65504, 65519, -65504, 2.0**-14, 2.0**-24, 2.0**-25, 1 + 2**-11, 1 + 3 * 2**-11],
        ]
    ).astype(np.float32)
    x = np.concatenate([x, np.array([np.inf, -np.inf, np.nan], np.float32)])
    y = np.empty(len(x), np.float16)
    write(x.ctypes.data, y.ctypes.data, len(x))
    expected = np.where(np.isfinite(x), np.clip(x, -65504, 65504), x).astype(np.float16)
    assert np.array_equal(y.view(np.uint16), expected.view(np.uint16))
    x = np.resize(x, -(-len(x) // 16) * 16)
    apart = np.full((len(x), stride // 2), 7, np.float16)
    spread(x.ctypes.data, apart.ctypes.data, len(x), stride)
    assert np.array_equal(apart[: len(y), 0].view(np.uint16), expected.view(np.uint16))
    assert (apart[:, 1:] == 7).all()  # nothing between them is written


@pytest.mark.parametrize("is_interleaved", [False, True])
@pytest.mark.parametrize("size", [26, 32, 80])
def test_rope(size: int, is_interleaved: bool) -> None:
    x = RANDOM.standard_normal((1, 1, 1, size), dtype=np.float32)
    cos, sin = op.rope_table(np.array([[9]]), RopeConfig(theta=10.0), size)
    y = x.copy()
    rotate = outer(pointwise.rotate_pairs if is_interleaved else pointwise.rotate)
    rotate(y.ctypes.data, size, cos.ctypes.data, sin.ctypes.data, np.float32(0.5))
    assert np.allclose(y, op.rotate(x, cos, sin, is_interleaved) / 2, atol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "error"), [("float32", 1e-5), ("float16", 1e-3), ("int16", 3e-4), ("int8", 2e-2)]
)
@pytest.mark.parametrize(
    ("heads", "kv_heads", "key_dim", "value_dim", "is_latent"),
    [
        *((6, 2, 26, 26, False), (4, 4, 64, 64, False), (8, 1, 80, 48, False)),
        *((40, 1, 16, 20, False), (6, 3, 24, 100, False)),
        *((8, 1, 80, 48, True), (20, 1, 58, 40, True), (40, 1, 16, 16, True)),
    ],
)
@pytest.mark.parametrize("reach", [None, "window", "chunk"])
def test_attention_with_scattered_pages(
    dtype: str,
    error: float,
    heads: int,
    kv_heads: int,
    key_dim: int,
    value_dim: int,
    is_latent: bool,
    reach: str | None,
) -> None:
    """Two layers, pages in any order, unused pages with NaN, and prompts in chunks of any size."""
    length, table, window = 70, np.array([6, 1, 4, 0, 3], np.int32), 20 if reach else None
    q, k, v = (
        RANDOM.standard_normal((length, h, size), dtype=np.float32)
        for h, size in ((heads, key_dim), (kv_heads, key_dim), (kv_heads, value_dim))
    )
    if is_latent:
        v = k[..., :value_dim]
    # Sinks of windowed layers, as gpt-oss has them.
    sinks = RANDOM.standard_normal(heads, dtype=np.float32) + 2 if window else None
    size = 20 if reach == "chunk" else length
    parts = [[x[first : first + size] for x in (q, k, v)] for first in range(0, length, size)]
    expected = np.concatenate(
        [
            op.attention(a, b.transpose(1, 0, 2), c.transpose(1, 0, 2), key_dim**-0.5, window, sinks=sinks)
            for a, b, c in parts
        ]
    )
    layer = KVLayer(kv_heads, key_dim, value_dim, window, is_latent)
    cache = KVCache([KVGroup(layer, (0, 1))], 7, dtype)
    if dtype != "int8":
        for array in cache.arrays().values():
            array[:] = np.nan if array.dtype.kind == "f" else 12345
    scratch = aligned_zeros((attention.attention_scratch(key_dim, value_dim, heads // kv_heads),), np.uint8)
    record = cache.records[0]
    instruction = np.zeros(1, interpreter.INSTRUCTION)[0]
    instruction["layer"], instruction["window"], instruction["scale"] = 1, window or 0, key_dim**-0.5
    instruction["weight"] = 0 if sinks is None else sinks.ctypes.data
    instruction["chunk"] = 20 if reach == "chunk" else 0
    results = []
    for chunk in (chunk for chunk in (1, 2, 3, 7) if chunk == 1 or chunk * heads // kv_heads <= 24):
        out = np.zeros((length, heads * value_dim), np.float32)
        for first in range(0, length, chunk):
            count = min(chunk, length - first)
            for i in range(first, first + count):
                page, keys = table[i // 16], k[i].ctypes.data
                values = keys if is_latent else v[i].ctypes.data
                outer(kv_slots.write_kv_slot)(record, 1, page, i % 16, keys, values)
            for head in range(kv_heads):
                outer(attend_block)(
                    record,
                    instruction,
                    attention.Queries(
                        q[first].ctypes.data,
                        q.strides[0],
                        table.ctypes.data,
                        np.int32(first),  # as in whole steps, for which the rest is compiled
                        np.int32(count),
                        first + count,
                        0,
                        heads // kv_heads,
                        head,
                        *(0, 0, 0, 0, 0, 0),  # nothing by distance, and all positions
                    ),
                    out[first].ctypes.data,
                    out.strides[0],
                    scratch.ctypes.data,
                )
        results.append(out)
    if is_latent and dtype == "int16":
        error = 1e-3  # stored as float16
    assert np.linalg.norm(results[0] - expected) < error * np.linalg.norm(expected)
    assert all(np.array_equal(results[0], other) for other in results[1:])
    other_layer = cache.arrays()["keys"][0]
    assert not np.nan_to_num(other_layer).any() or (other_layer == 12345).all()


def test_inner_kernels_refuse_calls_from_python() -> None:
    @njit
    def end(position: int) -> int:
        return attention.end_segment(position)

    assert end(attention.SEGMENT + 1) == 2
    with pytest.raises(TypeError):
        attention.end_segment(attention.SEGMENT + 1)  # compiled for `end` already
    with pytest.raises(TypeError):
        attention.first_segment(0, 0)


def map_of(function: int, heads: int, size: int, *operands: np.ndarray) -> np.void:
    """The instruction of a map."""
    i = np.zeros(1, interpreter.INSTRUCTION)[0]
    i["mode"], i["heads"], i["size"] = function, heads, size
    for number, operand in enumerate(operands):
        i[f"input_{number}"] = operand
    return i


def test_maps() -> None:
    random = np.random.default_rng(0)
    x, z, w = (5 * random.standard_normal((3, 25))).astype(np.float32)
    results = []
    for code, name in enumerate(op.FUNCTIONS):
        inputs = [abs(x) if name == "decay" else x, z, w]
        operand = np.array([(0, 0, 1, 100, 4)], pointwise.OPERAND)[0]
        y = np.full(32, -1, np.float32)
        padded = [np.pad(values, (0, 15)) for values in inputs]
        i = map_of(code, 1, 25, operand, operand, operand)
        outer(pointwise.map_row)(i, *[values.ctypes.data for values in padded], y.ctypes.data)
        function = op.FUNCTIONS[name]
        count = 1 if isinstance(function, np.ufunc) else function.__code__.co_argcount
        expected = function(*inputs[:count])
        np.testing.assert_allclose(y[:25], expected, rtol=5e-6, atol=2e-6, err_msg=name)
        assert (y[25:] == -1).all()
        results.append(y)
    bits = hashlib.sha256(b"".join(y.tobytes() for y in results)).hexdigest()
    assert emit.INSTRUCTION_SET == "generic" or bits[:16] == "bbc7b09357e94abf"  # generic has no FMA


def test_doubly_stochastic_matrices() -> None:
    """One of them begins with a row whose largest number takes nearly all of its softmax."""
    x = np.random.default_rng(0).standard_normal((6, 5, 5)).astype(np.float32) * 3
    x[0, 0, 2] += 60
    for rounds in (1, 2, 20):
        expected, y = op.sinkhorn(x, rounds, 1e-6), np.full((6, 27), -1, np.float32)
        for matrix, out in zip(x, y, strict=True):
            address = np.ascontiguousarray(matrix).ctypes.data
            outer(sinkhorn_row)(address, 5, rounds, np.float32(1e-6), out.ctypes.data)
        assert (y[:, 25:] == -1).all()
        np.testing.assert_allclose(y[:, :25].reshape(6, 5, 5), expected, rtol=2e-5, atol=1e-7)
    assert np.abs(y[1:, :25].reshape(5, 5, 5).sum(axis=2) - 1).max() < 1e-2
    assert np.abs(y[:, :25].reshape(6, 5, 5).sum(axis=1) - 1).max() < 1e-5


@pytest.mark.parametrize("numbers", [(0.5, -1.0, 0.5, -1e-6), (-2.0, 1.5, 0.3, -0.4)])
def test_xielu(numbers: tuple[float, float, float, float]) -> None:
    """Also where the exponential curve is nearly a parabola, and its terms would cancel."""
    alpha_p, alpha_n, beta, eps = numbers
    x = np.concatenate([np.linspace(-9, 9, 25), [-1e-3, -1e-5, 0, 1e-5]]).astype(np.float32)
    expected = op.xielu(x.astype(np.float64), *numbers)
    padded, y = np.pad(x, (0, 15)), np.full(40, -1, np.float32)
    p, n = (np.log1p(np.exp(alpha)) for alpha in (alpha_p, alpha_n))
    values = np.float32([p, beta + n, beta, eps])
    outer(pointwise.xielu_row)(padded.ctypes.data, len(x), values.ctypes.data, y.ctypes.data)
    np.testing.assert_allclose(y[: len(x)], expected, rtol=5e-6)
    np.testing.assert_allclose(op.xielu(x, *numbers), expected, rtol=2e-4)
    assert (y[len(x) :] == -1).all()


def test_maps_repeat_heads_and_numbers() -> None:
    x, per_head = np.arange(96, dtype=np.float32), np.float32([1, 2])
    vector, scalar = np.array([(0, 0, 1, 96, 4), (0, 0, 2, 4, 0)], pointwise.OPERAND)
    y = np.zeros(96, np.float32)
    a, b = x.ctypes.data, per_head.ctypes.data
    i = map_of(pointwise.Function.MULTIPLY, 4, 24, vector, scalar, vector)
    outer(pointwise.map_row)(i, a, b, a, y.ctypes.data)
    assert np.array_equal(y, x * np.repeat(per_head, 48))


@pytest.mark.parametrize(("heads", "keys", "values"), [(2, 6, 9), (1, 16, 64), (3, 5, 130)])
def test_scan(heads: int, keys: int, values: int) -> None:
    random, tokens, padded = np.random.default_rng(0), 5, -(-values // 64) * 64
    narrow = (random.random((5, tokens, heads, keys)) / 2).astype(np.float32)
    v = random.standard_normal((tokens, heads, values)).astype(np.float32)
    w, a, b, k, r = narrow
    state = np.zeros((heads, keys, padded), np.float32)
    state[..., :values] = random.standard_normal((heads, keys, values))
    for has_delta in (True, False):
        delta = (a, b) if has_delta else (None, None)
        expected, expected_state = op.scan(w, *delta, v, k, r, state[..., :values])
        y, now = np.full((tokens, heads, values + 1), -1, np.float32), state.copy()
        i = np.zeros(1, interpreter.INSTRUCTION)[0]
        i["heads"], i["size"], i["keys"], i["mode"] = heads, values, keys, has_delta
        for number in range(6):
            i[f"input_{number}"]["step"] = 4
        for t in range(tokens):
            for head in range(heads):
                inputs = [np.pad(x[t, head], (0, 64)) for x in (w, v, k, r, a, b)]
                addresses = recurrence.ScanInputs(*[x.ctypes.data for x in inputs])
                address = now[head].ctypes.data
                outer(recurrence.scan_token)(i, addresses, address, address, y[t, head].ctypes.data)
        np.testing.assert_allclose(y[..., :values], expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(now[..., :values], expected_state, rtol=1e-5, atol=1e-5)
        assert (y[..., values] == -1).all()


def test_team_claims_each_work_item_once() -> None:
    @njit(nogil=True)
    def count(thread: int, threads: int, team: int, seen: np.ndarray) -> None:
        for turn in range(seen.shape[0]):
            piece = claim(team)
            while piece < seen.shape[1]:
                seen[turn, piece] += 1
                piece = claim(team)
            barrier(team, threads)

    for threads in (1, 2, 5):
        team, seen = Team(threads), np.zeros((200, 7), np.int64)
        for _ in range(3):
            team.run(count, team.address, seen)
        assert (seen == 3).all()
        team.close()
