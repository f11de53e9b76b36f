"""Products of bfloat16 numbers in vectors, which processors with AVX-512 BF16 have."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from paths import CHECKPOINTS
from products import Activations, multiply

from model_core import LLM
from model_core.errors import ModelError
from model_core.files.model_files import open_model_files
from model_core.kernels import emit
from model_core.kernels.layout import BFLOAT16
from model_core.model import loader
from model_core.model.packer import HEAD_FIELD
from model_core.quantizing.write_folder import write_quantized_folder
from model_core.weights.matrix import KINDS
from model_core.weights.pack import pack

needs_bfloat16 = pytest.mark.skipif(
    not emit.HAS_BFLOAT16 or emit.HAS_BFLOAT16_TILES,
    reason="this processor has no AVX-512 BF16, or takes tiles",
)


def round_bfloat16(x: np.ndarray) -> np.ndarray:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def multiply_pairs(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """What vdpbf16ps computes of x [rows, k] and w [n, k]: the specification. It adds the odd k first."""
    padding = ((0, 0), (0, x.shape[1] % 2))
    x, w = (np.pad(round_bfloat16(a), padding).astype(np.float64) for a in (x, w))
    y = np.zeros((len(x), len(w)), np.float32)
    for pair in range(0, x.shape[1], 2):
        for k in (pair + 1, pair):
            y = (x[:, k, None] * w[:, k] + y).astype(np.float32)
    return y


@needs_bfloat16
@pytest.mark.parametrize(("n", "k"), [(64, 64), (70, 97), (128, 576), (64, 330)])
def test_products_have_the_bits_of_the_specification(n: int, k: int) -> None:
    """With any number of rows; some blocks prefetch."""
    random = np.random.default_rng(k)
    weight = random.standard_normal((n, k), dtype=np.float32)
    x = random.standard_normal((29, k), dtype=np.float32) * 3
    expected, matrix = multiply_pairs(x, weight), pack([weight], KINDS["bfloat16"])
    for rows in (1, 2, 3, 5, 6, 7, 12, 13, 18, 24, 29):
        found = multiply(matrix, Activations(x[:rows], 1), rows, parts=1)[:, :n]
        assert np.array_equal(found, expected[:rows])


@pytest.mark.parametrize("k", [64, 97])
def test_columns_in_pairs_are_the_same_rows(k: int) -> None:
    """Embeddings that are also heads are read row by row."""
    weight = round_bfloat16(np.random.default_rng(k).standard_normal((70, k), dtype=np.float32))
    matrix, indices = pack([weight], KINDS["bfloat16"]), np.array([[0, 17], [69, 16]])
    for _ in range(2):
        assert np.array_equal(matrix.rows(indices)[..., :k], weight[indices])
        matrix.pair_columns()


@needs_bfloat16
@pytest.mark.parametrize("name", ["llama-tied-gqa", "qwen3-moe"])
def test_models_lose_what_rounding_loses(name: str) -> None:
    prompt = np.load(CHECKPOINTS / name / "expected.npz")["prompt"].tolist()
    logits = []
    for arithmetic in ("int8", "bfloat16"):
        with LLM(CHECKPOINTS / name, weights="bfloat16", arithmetic=arithmetic, threads=1) as llm:
            logits.append(llm.logits(prompt))
    assert 0 < np.linalg.norm(logits[1] - logits[0]) < 2e-2 * np.linalg.norm(logits[0])


@needs_bfloat16
def test_bfloat16_is_the_default_where_no_weights_are_integers() -> None:
    folder, ids = CHECKPOINTS / "llama-tied-gqa", list(range(20))

    def compute(**settings: Any) -> tuple[str, bytes, str]:
        with LLM(folder, threads=1, kv_cache_dtype="float32", **settings) as llm:
            assert llm.describe()["arithmetic"] == llm.model.arithmetic
            return llm.model.arithmetic, llm.logits(ids).tobytes(), llm.fingerprint

    default = compute(weights="bfloat16")
    assert default == compute(weights="bfloat16", arithmetic="bfloat16")
    assert default[0] == "bfloat16"
    exact = compute(weights="bfloat16", portable=True)
    assert exact == compute(weights="bfloat16", arithmetic="float32")
    assert exact[0] == "float32" and exact[1] != default[1] and exact[2] != default[2]


@needs_bfloat16
def test_bfloat16_head_of_integer_weights_is_computed_as_on_every_processor(tmp_path: Path) -> None:
    """Their answers are the same everywhere, whatever type the head has."""
    write_quantized_folder(open_model_files(CHECKPOINTS / "llama-bfloat16"), tmp_path / "int8", "int8")
    config = json.loads((tmp_path / "int8" / "config.json").read_text())
    del config["quantization_config"][HEAD_FIELD]
    (tmp_path / "int8" / "config.json").write_text(json.dumps(config))
    found = []
    for is_portable in (False, True):
        with LLM(tmp_path / "int8", threads=1, portable=is_portable) as llm:
            assert llm.model.weights.head.kind == BFLOAT16 and llm.model.activation_parts == 0
            found.append(llm.logits(list(range(20))))
    assert np.array_equal(*found)


def test_other_processors_are_told_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "HAS_PAIRS", False)
    with pytest.raises(ModelError, match="needs a processor with AVX-512 BF16"):
        LLM(CHECKPOINTS / "llama-tied-gqa", weights="bfloat16", arithmetic="bfloat16")
