"""Kernels that compute with codes as they are, against what the codes stand for."""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from products import Activations, gate, multiply

from model_core.errors import ModelError
from model_core.kernels.layout import BY_GROUP
from model_core.kernels.products import linear
from model_core.reference import operators as op
from model_core.weights.codes import FLOAT8, GROUPS, Codes, dequantize_codes
from model_core.weights.common_form import layout, to_common_form
from model_core.weights.matrix import Matrix
from model_core.weights.pack import pack_codes

RANDOM = np.random.default_rng(0)
SIZES = [(16, 32), (64, 256), (7, 26), (70, 300), (130, 600)]
ROWS = (1, 2, 3, 4, 5, 6, 7, 11, 13, 24, 40)
PLAIN_TABLE = np.arange(-8, 8, dtype=np.int8)
IQ4_NL = np.int8([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
LAYOUTS = [
    # numbers, group, scales, offsets
    ("table", 32, "float16", None),  # Q4_0, IQ4_NL
    ("table", 32, "float16", "float16"),  # Q4_1
    ("table", 32, "int8", "int8"),  # Q4_K
    ("table", 16, "int8", "int8"),  # Q2_K
    ("table", 32, "powers", None),  # MXFP4
    ("table", 32, "small int8", None),  # IQ3_XXS
    ("table", 16, "small int8", None),  # IQ2_S
    ("table", 64, "float32", "zeros"),  # AWQ
    ("table", 128, "float16", "zeros"),  # GPTQ
    ("int8", 32, "float16", None),  # Q8_0
    ("int6", 16, "int8", None),  # Q6_K
    ("int6", 32, "int8", "int8"),  # Q5_K
    ("int8", 16, "int8", None),
    ("int8", 128, "bfloat16", "zeros"),
    ("int8", 256, "float32", "float32"),
    ("float8", 128, "float32", None),
    ("float8", 256, "float32", None),
]


def make_codes(n: int, k: int, numbers: str, group: int, scales: str, offsets: str | None) -> Codes:
    """Random weights of about the size of 1."""
    groups, supers = -(-k // group), -(-k // 256)
    table = None
    if numbers == "table":
        codes = RANDOM.integers(0, 16, (n, k), dtype=np.uint8)
        table = IQ4_NL if scales == "float16" else PLAIN_TABLE
        size = np.abs(table).mean()
    elif numbers in ("int8", "int6"):
        bound = 128 if numbers == "int8" else 32
        codes, size = RANDOM.integers(-bound, bound, (n, k), dtype=np.int8), bound / 2
    else:
        codes, size = (RANDOM.standard_normal((n, k), np.float32) * 50).astype(FLOAT8), 50
        codes[0, :4] = [448, -448, 2**-9, -(2**-7)]

    def numbers_of_groups(kind: str) -> tuple[np.ndarray, np.ndarray | None]:
        values = np.float32(RANDOM.uniform(0.5, 2, (n, groups)) / size)
        if kind.endswith("int8"):
            factors = np.float16(RANDOM.uniform(0.5, 2, (n, supers)) / size / 30).astype(np.float32)
            # times a power of two, which float16 does not hold
            factors *= np.float32(2**-15) if kind == "small int8" else np.float32(1)
            return RANDOM.integers(1, 63, (n, groups), dtype=np.int8), factors
        if kind == "powers":
            return np.float32(2.0 ** RANDOM.integers(-30, -20, (n, groups))), None
        if kind == "bfloat16":
            return values.astype(ml_dtypes.bfloat16).astype(np.float32), None
        return values.astype(kind), None

    scale, factors = numbers_of_groups(scales)
    result = Codes(codes, group, scale, table, factors)
    if offsets == "zeros":
        return replace(result, zeros=RANDOM.integers(0, 16, (n, groups), dtype=np.uint8))
    if offsets is not None:
        offset, factors = numbers_of_groups(offsets)
        return replace(result, offsets=offset, super_offsets=factors)
    return result


def unpacked(matrix: Matrix, n: int, k: int) -> np.ndarray:
    return matrix.rows(np.arange(n))[:, :k]


@pytest.mark.parametrize("arithmetic", ["int8", "float32"])
@pytest.mark.parametrize("form", LAYOUTS, ids=lambda form: "-".join(map(str, form)))
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_products_are_right_and_independent_of_other_rows(
    form: tuple, n: int, k: int, arithmetic: str
) -> None:
    codes = make_codes(n, k, *form)
    weight = dequantize_codes(codes)
    bias = RANDOM.standard_normal(n, dtype=np.float32) * weight.std()
    x = RANDOM.standard_normal((max(ROWS), k), dtype=np.float32) * 3
    matrix, a = pack_codes([codes], [bias]), Activations(x, rounding=BY_GROUP)
    assert np.array_equal(unpacked(matrix, n, k), weight)
    is_rounded = arithmetic == "int8" and form[0] != "float8"
    inputs = a.dequantized(len(x), k) if is_rounded else x.astype(np.float64)
    expected = inputs @ weight.astype(np.float64).T + bias
    alone = [
        multiply(matrix, Activations(x[i : i + 1], rounding=BY_GROUP), 1, None, arithmetic)[0]
        for i in range(len(x))
    ]
    for rows in ROWS:
        y = multiply(matrix, a, rows, None, arithmetic)
        assert np.linalg.norm(y[:, :n] - expected[:rows]) < 1e-5 * np.linalg.norm(expected[:rows])
        assert not y[:, n:].any()  # padding is zero, and stays so through the layers
        assert np.array_equal(y, alone[:rows])


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("number", [-128, -32, 31, 127])
def test_largest_products_do_not_overflow(number: int, sign: int) -> None:
    codes = Codes(np.full((64, 256), number, np.int8), 32, np.ones((64, 8), np.float16))
    x = np.full((3, 256), sign * 127, np.float32)
    y = multiply(pack_codes([codes]), Activations(x, rounding=BY_GROUP), 3)
    np.testing.assert_allclose(y, 256 * number * sign * 127, rtol=1e-6)


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_integer_weights_multiply_unrounded_activations(kind: str) -> None:
    from model_core.weights.matrix import KINDS
    from model_core.weights.pack import pack

    weight = RANDOM.standard_normal((70, 300), dtype=np.float32)
    x = RANDOM.standard_normal((9, 300), dtype=np.float32)
    matrix = pack([weight], KINDS[kind])
    y = multiply(matrix, Activations(x), 9, None, "float32")
    rounded = multiply(matrix, Activations(np.eye(300, dtype=np.float32)), 300, None, "float32")[:, :70]
    assert np.allclose(y[:, :70], x @ rounded, atol=1e-3)
    assert np.linalg.norm(rounded.T - weight) < (0.012 if kind == "int8" else 0.12) * np.linalg.norm(weight)


@pytest.mark.parametrize("group", GROUPS)
def test_all_groups(group: int) -> None:
    codes = make_codes(64, 512, "int8", group, "float16", None)
    x = RANDOM.standard_normal((3, 512), dtype=np.float32)
    a = Activations(x, rounding=BY_GROUP)
    expected = op.linear(a.dequantized(3, 512), dequantize_codes(codes))
    assert np.allclose(multiply(pack_codes([codes]), a, 3), expected, atol=1e-3)


def test_several_matrices_get_a_common_form() -> None:
    forms = [LAYOUTS[0], LAYOUTS[2], LAYOUTS[10], LAYOUTS[7], LAYOUTS[5]]
    parts = [make_codes(n, 300, *form) for n, form in zip((70, 64, 3, 16, 7), forms, strict=True)]
    matrix = pack_codes(parts)
    common = to_common_form(parts)
    assert len({layout(part) for part in parts}) == 5
    assert len({layout(part) for part in common}) == 1
    x = RANDOM.standard_normal((2, 300), dtype=np.float32)
    a = Activations(x, rounding=BY_GROUP)
    y, start = multiply(matrix, a, 2), 0
    for part in parts:
        n = len(part.codes)
        expected = a.dequantized(2, 300) @ dequantize_codes(part).astype(np.float64).T
        assert np.allclose(y[:, start : start + n], expected, rtol=1e-4, atol=1e-3)
        start += -(-n // 64) * 64


@pytest.mark.parametrize("scales", ["float16", "float32", "small int8"])
def test_factors_of_rows_multiply_them(scales: str) -> None:
    parts = [make_codes(n, 256, "table", 16, scales, None) for n in (64, 128)]
    factors = np.float32(RANDOM.uniform(0.5, 2, (128, 1)))
    parts[1] = replace(parts[1], factors=factors)
    weights = [dequantize_codes(part) for part in parts]
    assert np.array_equal(weights[1], dequantize_codes(replace(parts[1], factors=None)) * factors)
    matrix = pack_codes(parts)
    assert np.array_equal(unpacked(matrix, 192, 256), np.concatenate(weights))
    x = RANDOM.standard_normal((3, 256), dtype=np.float32)
    y = multiply(matrix, Activations(x, rounding=BY_GROUP), 3, None, "float32")
    expected = x @ np.concatenate(weights).T
    assert np.linalg.norm(y - expected) < 1e-5 * np.linalg.norm(expected)


def test_scales_that_a_power_of_two_does_not_bring_to_float16_stay_as_they_are() -> None:
    codes = make_codes(64, 512, "table", 32, "float32", None)
    powers = 2.0 ** np.random.default_rng(2).choice([-100, 0, 100], (64, 16))
    wide = replace(codes, scales=powers.astype(np.float32))
    assert np.array_equal(unpacked(pack_codes([wide]), 64, 512), dequantize_codes(wide))
    # offsets that need a power of two, beside scales that are in float16 already
    offsets = np.float32(2.0 ** np.random.default_rng(3).choice([-30, -20], (64, 16)))
    mixed = replace(codes, scales=codes.scales.astype(np.float16), offsets=offsets)
    assert np.array_equal(unpacked(pack_codes([mixed]), 64, 512), dequantize_codes(mixed))


def test_what_has_no_common_form_is_refused() -> None:
    eight, four = make_codes(16, 64, *LAYOUTS[-1]), make_codes(16, 64, *LAYOUTS[0])
    with pytest.raises(ModelError, match="float8"):
        pack_codes([eight, four])
    with pytest.raises(ModelError, match="order"):
        pack_codes([four, replace(four, order=np.arange(64, dtype=np.int32)[::-1])])


def test_packed_matrices_are_as_small_as_files() -> None:
    """Bits of a weight, of 64 rows of 4096 columns."""
    bits = {}
    for form in LAYOUTS:
        matrix = pack_codes([make_codes(64, 4096, *form)])
        bits[form] = 8 * matrix.nbytes / (64 * 4096)
    assert bits["table", 32, "float16", None] < 4.51
    assert bits["table", 32, "int8", "int8"] < 4.63
    assert bits["table", 32, "powers", None] < 4.52
    assert bits["table", 32, "small int8", None] < 4.33
    assert bits["table", 16, "small int8", None] < 4.58
    assert bits["table", 128, "float16", "zeros"] < 4.2
    assert bits["int8", 32, "float16", None] < 8.51
    assert bits["int8", 16, "int8", None] < 8.6


def test_constant_zeros_are_part_of_the_table() -> None:
    codes = make_codes(16, 256, "table", 128, "float32", "zeros")
    codes = replace(codes, zeros=np.full_like(codes.zeros, 3))
    matrix = pack_codes([codes])
    assert matrix.offsets is None
    assert np.array_equal(unpacked(matrix, 16, 256), dequantize_codes(codes))


def test_gated_outputs() -> None:
    n, k = 70, 300
    parts = [make_codes(n, k, *LAYOUTS[2]) for _ in range(2)]
    a, matrix = (
        Activations(RANDOM.standard_normal((7, k), dtype=np.float32), rounding=BY_GROUP),
        pack_codes(parts, gated=True),
    )
    first, second = (multiply(pack_codes([part]), a, 7)[:, :n] for part in parts)
    y = gate(matrix, a, 7, linear.SWIGLU)
    assert np.allclose(y[:, :n], op.silu(first) * second, rtol=1e-5, atol=1e-5)
    assert not y[:, n:].any()
