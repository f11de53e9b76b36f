"""Each kernel against its NumPy specification, and the same bits in any company; on every instruction set."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import CHECKPOINTS
from numba import njit

from model_core import operators as op
from model_core.config import read_config
from model_core.kernels import attention, emit, linear, pointwise, simd
from model_core.kernels.team import Team, barrier, claim
from model_core.kv_cache import KVCache
from model_core.models import llama
from model_core.weights import KINDS, Matrix, aligned_zeros, pack, padded

RANDOM = np.random.default_rng(0)
SHAPE = llama.architecture(read_config(CHECKPOINTS / "llama-tied-gqa"))
SIZES = [(16, 32), (64, 256), (7, 26), (312, 300), (130, 515)]
ROWS = (1, 2, 3, 4, 5, 6, 7, 11, 13, 24)


class Activations:
    """x [rows, k] as kernels take it: padded, with a row to spare, and quantised."""

    def __init__(self, x: np.ndarray) -> None:
        rows, k = len(x) + 1, padded(x.shape[1], 32)
        runs = padded(-(-k // linear.GROUP), 16)
        self.floats = aligned_zeros((rows, k + 16), np.float32)
        self.codes = aligned_zeros((rows, k + 64), np.int8)
        self.starts = aligned_zeros((rows, runs), np.int32)
        self.scales = aligned_zeros((rows, runs), np.float32)
        self.floats[: len(x), : x.shape[1]] = x
        self.record = np.zeros(1, linear.ACTIVATIONS)
        for name in ("floats", "codes", "starts", "scales"):
            self.record[name] = getattr(self, name).ctypes.data
        for name, array in (("row", "floats"), ("codes_row", "codes")):
            self.record[name] = getattr(self, array).strides[0]
        self.record["runs_row"] = self.starts.strides[0]
        for row in range(len(x)):
            for first in range(0, k, linear.GROUP):
                linear.quantise(self.record[0], row, first, min(linear.GROUP, k - first))

    def dequantised(self, rows: int, k: int) -> np.ndarray:
        """What integer kernels multiply: float64 [rows, k]."""
        scales = np.repeat(self.scales, linear.GROUP, axis=1)[:rows, :k]
        return self.codes[:rows, :k].astype(np.float64) * scales


def unpacked(matrix: Matrix, n: int, k: int) -> np.ndarray:
    """The numbers in a matrix of one part: float64 [n, k]."""
    if matrix.kind != emit.INT4:
        return matrix.rows(np.arange(n))[:, :k].astype(np.float64)
    low, high = matrix.data & 15, matrix.data >> 4
    codes = np.concatenate([low, high], axis=-1)  # [n / 16, k / 8, 16, 8]
    codes = codes.transpose(0, 2, 1, 3).reshape(matrix.n, matrix.k).astype(np.float64)
    groups = matrix.groups.transpose(0, 2, 1).reshape(matrix.n, -1)
    factor, zero = (np.repeat(part, 32, axis=1) for part in (groups & 15, groups >> 4))
    return ((codes - zero) * factor * matrix.scales[:, None])[:n, :k]


def multiply(matrix: Matrix, a: Activations, rows: int, before: np.ndarray | None = None) -> np.ndarray:
    """linear() by one thread: float32 [rows, n padded]; added to `before` where given."""
    y = np.full((rows, matrix.n), 7, np.float32) if before is None else before.copy()
    scratch = aligned_zeros((linear.scratch_bytes(rows),), np.uint8)
    team = Team(1)
    how = linear.SET if before is None else linear.ADD
    args = (y.ctypes.data, y.strides[0], how, scratch.ctypes.data)
    linear.linear(team.address, matrix.record()[0], a.record[0], rows, *args)
    return y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_products_are_right_and_do_not_depend_on_other_rows(kind: str, n: int, k: int) -> None:
    weight = RANDOM.standard_normal((n, k), dtype=np.float32)
    bias = RANDOM.standard_normal(n, dtype=np.float32)
    x = RANDOM.standard_normal((max(ROWS), k), dtype=np.float32) * 3
    matrix, a = pack([weight], KINDS[kind], [bias]), Activations(x)
    inputs = a.dequantised(len(x), k) if kind.startswith("int") else x.astype(np.float64)
    expected = inputs @ unpacked(matrix, n, k).T + bias
    alone = [multiply(matrix, Activations(x[i : i + 1]), 1)[0] for i in range(len(x))]
    for rows in ROWS:
        y = multiply(matrix, a, rows)
        assert np.linalg.norm(y[:, :n] - expected[:rows]) < 1e-5 * np.linalg.norm(expected[:rows])
        assert not y[:, n:].any()  # padding is zero, and stays so through the layers
        assert np.array_equal(y, alone[:rows])
        added = multiply(matrix, a, rows, before=np.ones_like(y))
        assert np.allclose(added, y + 1, atol=1e-4)


@pytest.mark.parametrize(("kind", "error"), [("int8", 0.012), ("int4", 0.12)])
def test_integers_come_close_to_floats(kind: str, error: float) -> None:
    weight = RANDOM.standard_normal((256, 2 * linear.GROUP), dtype=np.float32)
    x = RANDOM.standard_normal((4, weight.shape[1]), dtype=np.float32)
    # An outlier costs its own run of activations their precision, and no others.
    x[:, 5], weight[:, : linear.GROUP] = 300, 0
    y, expected = multiply(pack([weight], KINDS[kind]), Activations(x), 4), op.linear(x[None], weight)[0]
    assert np.linalg.norm(y - expected) < error * np.linalg.norm(expected)


def test_parts_below_each_other_are_padded_each() -> None:
    parts = [RANDOM.standard_normal((n, 40), dtype=np.float32) for n in (70, 3)]
    x = RANDOM.standard_normal((2, 40), dtype=np.float32)
    y = multiply(pack(parts, emit.FLOAT32), Activations(x), 2)
    assert np.allclose(y[:, :70], x @ parts[0].T, atol=1e-4)
    assert np.allclose(y[:, 128:131], x @ parts[1].T, atol=1e-4)


def test_extreme_activations_are_quantised() -> None:
    x = np.zeros((4, 64), np.float32)
    x[1, 3], x[2, 3], x[3] = 1e-38, -3e38, np.linspace(-1, 1, 64)
    a = Activations(x)
    assert np.allclose(a.dequantised(4, 64), x, atol=1 / 254, rtol=1e-6)
    assert a.starts[:4, 0].tolist() == [-emit.OFFSET * row[:64].sum(dtype=int) for row in a.codes[:4]]


@pytest.mark.parametrize("size", [16, 26, 312])
def test_rms_norm(size: int) -> None:
    x, weight, out = (aligned_zeros((padded(size, 64),), np.float32) for _ in range(3))
    x[:size], weight[:size] = RANDOM.standard_normal((2, size), dtype=np.float32)
    arguments = (size, len(x), np.float32(1e-5), out.ctypes.data)
    pointwise.rms_norm(x.ctypes.data, weight.ctypes.data, *arguments)
    assert np.allclose(out[:size], op.rms_norm(x[:size], weight[:size], 1e-5), rtol=1e-5, atol=1e-6)
    assert not out[size:].any()


def test_gates_and_what_they_let_through() -> None:
    """Each half padded to 32 rows; sizes that fill no strip; gates large enough for their exponentials."""
    for n, kind in ((40, "float32"), (64, "float32"), (70, "int8"), (33, "int4")):
        parts = [RANDOM.standard_normal((n, 64), dtype=np.float32) for _ in range(2)]
        biases = [RANDOM.standard_normal(n, dtype=np.float32) * 40 for _ in range(2)]
        x = RANDOM.standard_normal((7, 64), dtype=np.float32)
        a, matrix = Activations(x), pack(parts, KINDS[kind], biases, gated=True)
        separate = [
            multiply(pack([p], KINDS[kind], [b]), a, 7)[:, :n] for p, b in zip(parts, biases, strict=True)
        ]
        y = np.full((7, matrix.n // 2), 7, np.float32)
        scratch = aligned_zeros((linear.scratch_bytes(7),), np.uint8)
        arguments = (7, y.ctypes.data, y.strides[0], linear.GATE, scratch.ctypes.data)
        linear.linear(Team(1).address, matrix.record()[0], a.record[0], *arguments)
        assert np.allclose(y[:, :n], op.swiglu(*separate), rtol=1e-5, atol=1e-5)
        assert not y[:, n:].any()


def test_exponentials_are_right_to_the_last_bits() -> None:
    @njit
    def exponential(address: int, count: int) -> None:
        for i in range(0, 4 * count, 64):
            simd.store_f32(address, i, simd.exp(simd.load_f32(address, i)))

    x = np.concatenate([np.linspace(-86, 0, 100_000), [0, -88, -1e30, -np.inf] * 8]).astype(np.float32)
    y = x.copy()
    exponential(y.ctypes.data, len(y))
    expected = np.exp(x.astype(np.float64))
    assert np.abs(y[:100_000] / expected[:100_000] - 1).max() < 3e-7
    assert y[100_000:100_004].tolist() == [1, 0, 0, 0]


def test_float16_is_written_as_numpy_does() -> None:
    @njit
    def write(source: int, target: int, count: int) -> None:
        for i in range(count):
            simd.set_f16(target, 2 * i, simd.get_f32(source, 4 * i))

    x = np.concatenate(
        [
            RANDOM.standard_normal(10_000) * 10.0 ** RANDOM.integers(-9, 5, 10_000),
            np.arange(4096) * 2.0**-26,
            [0, -0.0, 65504, 65519, -65504, 2.0**-14, 2.0**-24, 2.0**-25, 1 + 2**-11, 1 + 3 * 2**-11],
        ]
    ).astype(np.float32)
    x = np.clip(x, -65504, 65504).astype(np.float32)
    y = np.empty(len(x), np.float16)
    write(x.ctypes.data, y.ctypes.data, len(x))
    assert np.array_equal(y.view(np.uint16), x.astype(np.float16).view(np.uint16))


@pytest.mark.parametrize("size", [26, 32, 80])
def test_rotation(size: int) -> None:
    x = RANDOM.standard_normal((1, 1, 1, size), dtype=np.float32)
    cos, sin = op.rope_table(np.array([[9]]), np.linspace(0.1, 1, size // 2))
    y = x.copy()
    pointwise.rotate(y.ctypes.data, size, cos.ctypes.data, sin.ctypes.data, np.float32(0.5))
    assert np.allclose(y, op.rotate(x, cos, sin) / 2, atol=1e-6)


@pytest.mark.parametrize(("dtype", "error"), [("float32", 1e-5), ("float16", 1e-3), ("int8", 2e-2)])
@pytest.mark.parametrize(("heads", "kv_heads", "head_dim"), [(6, 2, 26), (4, 4, 64), (8, 1, 80), (40, 1, 16)])
@pytest.mark.parametrize("window", [None, 20])
def test_attention_over_scattered_pages(
    dtype: str, error: float, heads: int, kv_heads: int, head_dim: int, window: int | None
) -> None:
    """Two layers, pages in any order, stale ones that hold no numbers; prompts in chunks of any size."""
    shape = replace(SHAPE, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    length, table = 70, np.array([6, 1, 4, 0, 3], np.int32)
    q, k, v = (
        RANDOM.standard_normal((length, h, head_dim), dtype=np.float32) for h in (heads, kv_heads, kv_heads)
    )
    expected = op.attention(q, k.transpose(1, 0, 2), v.transpose(1, 0, 2), window)
    cache = KVCache(shape, 7, dtype)
    if dtype != "int8":
        cache.keys[:], cache.values[..., :head_dim] = np.nan, np.nan
    scaled = q * np.float32(head_dim**-0.5)
    scratch = aligned_zeros(
        (attention.attention_scratch(80, padded(head_dim, 16), heads // kv_heads),), np.uint8
    )
    results = []
    for chunk in (chunk for chunk in (1, 2, 3, 7) if chunk == 1 or chunk * heads // kv_heads <= 24):
        out = np.zeros((length, heads * head_dim), np.float32)
        for first in range(0, length, chunk):
            count = min(chunk, length - first)
            for i in range(first, first + count):
                page = 1 * cache.pages + table[i // 16]
                attention.write_page(cache.record[0], page, i % 16, k[i].ctypes.data, v[i].ctypes.data)
            for head in range(kv_heads):
                attention.attend(
                    cache.record[0],
                    1,
                    table.ctypes.data,
                    window or 0,
                    scaled[first].ctypes.data,
                    scaled.strides[0],
                    first,
                    count,
                    heads // kv_heads,
                    head,
                    out[first].ctypes.data,
                    out.strides[0],
                    scratch.ctypes.data,
                )
        results.append(out)
    assert np.linalg.norm(results[0] - expected) < error * np.linalg.norm(expected)
    assert all(np.array_equal(results[0], other) for other in results[1:])
    assert not np.nan_to_num(cache.keys[0]).any()  # the other layer


def test_a_team_shares_out_each_piece_once() -> None:
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


@pytest.mark.parametrize("processor", ["haswell", "alderlake", "generic"])
def test_every_instruction_set(processor: str) -> None:
    """The tests of this file again, compiled for other processors than this one may be."""
    if emit.INSTRUCTIONS == "generic" or "NUMBA_CPU_NAME" in os.environ:
        pytest.skip("this processor has no more than the widest of these")
    if processor == "alderlake" and not emit.host_has("avxvnni"):
        pytest.skip("this processor cannot run what is compiled for one with AVX-VNNI")
    environment = {**os.environ, "NUMBA_CPU_NAME": processor}
    command = [sys.executable, "-m", "pytest", "-q", "-x", __file__, "-k", "not every_instruction_set"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
