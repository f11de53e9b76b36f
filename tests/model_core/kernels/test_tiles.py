"""Products on tiles. Where there is no AMX, its instructions are emulated one by one (amx_emulator.py)."""

import subprocess

import numpy as np
import pytest
import tile_products
from amx_emulator import run

from model_core.kernels import emit
from model_core.reference.tile_products import multiply_on_tiles, round_bfloat16

pytestmark = pytest.mark.skipif(
    emit.host_has("amx-tile") and not emit.HAS_AMX, reason="this processor has tiles that are not used"
)
needs_avx512 = pytest.mark.skipif(emit.INSTRUCTION_SET != "avx512", reason="tiles come with AVX-512")


@pytest.fixture(scope="module")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What tile_products.py computes with AMX."""
    folder = tmp_path_factory.mktemp("tiles")
    result = subprocess.run(**run(tile_products.__file__, str(folder / "found.npz"), cache=str(folder)))
    assert result.returncode == 0, result.stderr[-3000:]
    return dict(np.load(folder / "found.npz"))


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
