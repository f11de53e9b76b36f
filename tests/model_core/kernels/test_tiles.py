"""Products on tiles. Where there is no AMX, its instructions are emulated one by one (amx_emulator.py)."""

import subprocess

import ml_dtypes
import numpy as np
import pytest
import tile_products
from amx_emulator import run

from model_core.kernels import emit

pytestmark = pytest.mark.skipif(
    emit.host_has("amx-tile") and not emit.HAS_AMX, reason="this processor has tiles: set TRITONCHAT_AMX=1"
)
needs_avx512 = pytest.mark.skipif(emit.INSTRUCTION_SET != "avx512", reason="tiles come with AVX-512")


@pytest.fixture(scope="module")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What tile_products.py computes with AMX."""
    folder = tmp_path_factory.mktemp("tiles")
    result = subprocess.run(**run(tile_products.__file__, str(folder / "found.npz"), cache=str(folder)))
    assert result.returncode == 0, result.stderr[-3000:]
    return dict(np.load(folder / "found.npz"))


def round_bfloat16(x: np.ndarray) -> np.ndarray:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def multiply_on_tiles(x: np.ndarray, w: np.ndarray, parts: int) -> np.ndarray:
    """What tdpbf16ps computes of x [rows, k] and w [n, k], in steps of 32 k: the specification."""
    padding = ((0, 0), (0, -x.shape[1] % 32))
    x, w = np.pad(x, padding), np.pad(round_bfloat16(w), padding).astype(np.float64)
    high = round_bfloat16(x)
    y = np.zeros((len(x), len(w)), np.float32)
    for first in range(0, x.shape[1], 32):
        for part in (high, round_bfloat16(x - high))[:parts]:
            even, odd = np.zeros_like(y), np.zeros_like(y)
            for k in range(first, first + 32, 2):
                even = (part[:, k, None].astype(np.float64) * w[:, k] + even).astype(np.float32)
                odd = (part[:, k + 1, None].astype(np.float64) * w[:, k + 1] + odd).astype(np.float32)
            y += even + odd
    return y


@needs_avx512
def test_kernels_use_tiles_where_they_are_granted(tiles: dict[str, np.ndarray]) -> None:
    assert tiles["has_amx"]
    assert emit.HAS_AMX or tiles["executed"] > 1000


@needs_avx512
def test_integers_have_the_same_bits_as_in_vectors(tiles: dict[str, np.ndarray]) -> None:
    if emit.HAS_AMX:
        pytest.skip("this processor would compare tiles with themselves; test_same_bits.py has golden bits")
    vectors = tile_products.compute()
    names = [name for name in vectors if "int" in name]
    assert len(names) > 50
    assert [name for name in names if not np.array_equal(tiles[name], vectors[name])] == []


@needs_avx512
def test_bfloat16_products_have_the_bits_of_the_specification(tiles: dict[str, np.ndarray]) -> None:
    random = np.random.default_rng(0)
    for n, k in tile_products.SIZES:
        weight = random.standard_normal((n, k), dtype=np.float32)
        x = random.standard_normal((max(tile_products.ROWS), k), dtype=np.float32) * 3
        exact = x.astype(np.float64) @ round_bfloat16(weight).T
        for parts, limit in ((1, 3e-3), (2, 5e-6)):
            expected = multiply_on_tiles(x, weight, parts)
            assert np.linalg.norm(expected - exact) < limit * np.linalg.norm(exact)
            for rows in tile_products.ROWS:  # the same with any number of rows
                assert np.array_equal(tiles[f"bfloat16 {n} {k} {parts} {rows}"], expected[:rows])


@needs_avx512
@pytest.mark.parametrize("name", tile_products.MODELS)
def test_models_in_bfloat16_are_as_exact_as_before(tiles: dict[str, np.ndarray], name: str) -> None:
    logits, in_vectors = tiles[f"{name} bfloat16"], tile_products.vector_logits(name)
    assert not np.array_equal(logits, in_vectors)
    assert np.abs(logits - in_vectors).max() < 1e-4 * np.abs(in_vectors).max()
