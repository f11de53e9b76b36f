"""Inputs of rounded products are balanced while a model is loaded: all weights are there, and lose less."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS
from products import Activations, multiply

from model_core import LLM
from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.files.source import read_weights
from model_core.kernels.layout import INT8
from model_core.model import packer
from model_core.model.loader import load_model
from model_core.tape.operations import Experts
from model_core.tape.passes import products
from model_core.weights.balance import choose_balance, sum_squares
from model_core.weights.pack import fill, reserve

TIED = CHECKPOINTS / "llama-tied-gqa"
RANDOM = np.random.default_rng(5)


def change_tensors(source: Path, folder: Path, factors: dict[str, np.ndarray]) -> Path:
    """A copy of a checkpoint with some tensors, by the ends of their names, multiplied by factors."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    saved = Checkpoint(source)
    tensors = {name: np.array(saved[name]) for name in saved.unread()}
    for end, factor in factors.items():
        for name in (name for name in tensors if name.endswith(end)):
            tensors[name] = (tensors[name] * factor).astype(tensors[name].dtype)
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def test_balance_makes_weights_and_activations_equally_large() -> None:
    sizes = np.exp2(RANDOM.uniform(-4, 4, (2, 300)))
    balance = choose_balance(*np.square(sizes))
    steps = 4 * np.log2(balance.astype(np.float64))
    assert np.abs(steps - np.rint(steps)).max() < 1e-6
    frequent = sizes[0] > 4
    ratio = (sizes[0] * balance / (sizes[1] / balance))[frequent]
    assert frequent.sum() > 50
    assert np.ptp(np.log2(ratio)) < 0.7  # but for the nearest step, and what is added to all


def test_balance_of_inputs_that_are_hardly_there() -> None:
    ones = np.ones(4)
    for peaks in (np.inf, np.nan):
        assert (choose_balance(np.array([1, peaks, 1, 1]), ones) == 1).all()
        assert (choose_balance(ones, np.array([1, peaks, 1, 1])) == 1).all()
    assert (choose_balance(np.zeros(4), ones) == 1).all()
    assert (choose_balance(ones, np.zeros(4)) == 1).all()
    for activations, weights in (([1.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [1e-300, 1.0])):
        first, second = choose_balance(np.array(activations), np.array(weights))
        assert 2 < second / first <= 32


def test_inputs_that_a_short_text_hardly_has_lose_little() -> None:
    """Of inputs that 1 % of tokens have, many are not among the few that are measured."""
    k, random = 2048, np.random.default_rng(7)
    weight = random.standard_normal((64, k), dtype=np.float32)
    seen, x = (
        np.square(np.maximum(random.standard_normal((rows, k), dtype=np.float32) - 2.33, 0))
        for rows in (256, 64)
    )
    balance = choose_balance(sum_squares([seen]), sum_squares([weight]))
    expected, errors = x @ weight.T, []
    for factors in (np.ones(k, np.float32), balance):
        matrix = reserve([weight.shape], INT8, bias=False)
        matrix.set_balance(factors)
        fill(matrix, [weight])
        errors.append(relative_error(multiply(matrix, Activations(x, balance=factors), 64)[:, :64], expected))
    assert errors[1] < 1.5 * errors[0]


@pytest.mark.parametrize("rows", [1, 5, 3000])
def test_squares_are_summed_by_column(rows: int) -> None:
    parts = [RANDOM.standard_normal((rows, 97), dtype=np.float32).astype(t) for t in ("f4", "f2", "f4")]
    expected = np.square(np.concatenate(parts), dtype=np.float64).sum(axis=0)
    np.testing.assert_allclose(sum_squares(parts), expected, rtol=1e-12)


@pytest.mark.parametrize("weights", ["int8", "mixed", "int4"])
def test_outliers_cost_less(tmp_path: Path, weights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some inputs of each product are large, and their weights small, as in trained models."""
    large = np.where(np.arange(32) % 11 == 0, np.float32(64), np.float32(1))
    factors = {f"{name}_proj.weight": 1 / large for name in ("q", "k", "v", "gate", "up")}
    factors["layernorm.weight"] = large
    model = change_tensors(TIED, tmp_path / "model", factors)
    ids = [(11 * i) % 60 for i in range(40)]
    with LLM(model, weights="float32") as exact:
        expected = exact.logits(ids)
    errors = []
    for is_balanced in (True, False):
        if not is_balanced:
            monkeypatch.setattr(packer, "choose_balance", lambda _, weights: np.ones(len(weights)))
        with LLM(model, weights=weights) as rounded:
            errors.append(relative_error(rounded.logits(ids), expected))
    assert errors[0] < 0.3 * errors[1]


@pytest.mark.parametrize("weights", ["int8", "int4"])
@pytest.mark.parametrize(
    "name",
    [
        *("llama-tied-gqa", "llama-untied-mha", "qwen3-moe", "gpt-oss", "gemma2", "nemotron-h", "mamba"),
        *("../embedders/bert", "zamba2", "gemma3n", "glm4-moe-mtp", "qwen3_5-mtp", "qwen3-vl"),
    ],
)
def test_all_weights_are_filled_in(name: str, weights: str) -> None:
    files = open_model_files(CHECKPOINTS / name)
    shares: list[float] = []
    model = load_model(files, weights, shares.append, draft_head=True)
    assert shares == sorted(shares) and shares[-1] == 1
    source = files.open_tensors()
    seconds = [record.down for record in model.records if isinstance(record, Experts)]
    for product in products(model.records):
        matrix = model.weights.matrices[product.weights]
        if not matrix.is_rotated:
            continue
        assert matrix.balance is not None
        if product in seconds:  # each expert has inputs of its own
            assert (matrix.balance == 1).all()
        row = 0
        if product.gate is None:
            for weight in product.weights:
                stored = read_weights(source, weight)
                assert isinstance(stored, np.ndarray)
                found = matrix.rows(np.arange(row, row + weight.rows))[:, : matrix.inputs]
                scaled = np.float32(stored) / matrix.balance[: matrix.inputs]
                bound = 0.01 if weights == "int8" else 0.12
                assert relative_error(found / matrix.balance[: matrix.inputs], scaled) < bound
                row += -(-weight.rows // 64) * 64
    assert any((m.balance != 1).any() for m in model.weights.matrices.values() if m.balance is not None)


def test_balance_is_the_same_each_time() -> None:
    first, second = (load_model(open_model_files(TIED), "int8") for _ in range(2))
    for key, matrix in first.weights.matrices.items():
        for name, array in matrix.arrays().items():
            assert np.array_equal(
                array.view(np.uint8), second.weights.matrices[key].arrays()[name].view(np.uint8)
            )


def test_model_that_overflows_is_loaded_without_a_balance(tmp_path: Path) -> None:
    """Its first layer has finite weights and infinite outputs: what comes after that knows no inputs."""
    model = change_tensors(
        CHECKPOINTS / "qwen3-moe", tmp_path / "model", {"layers.0.self_attn.o_proj.weight": np.float32(1e30)}
    )
    loaded = load_model(open_model_files(model), "int8")
    balances = {key[0].name: matrix.balance for key, matrix in loaded.weights.matrices.items()}
    (head,) = (b for name, b in balances.items() if name.startswith("lm_head"))
    assert head is not None and (head == 1).all()
    matrices = (m for m in loaded.weights.matrices.values() if m.is_rotated)
    assert all(m.data.any() for m in matrices)


def test_weights_that_are_not_finite_are_named(tmp_path: Path) -> None:
    model = change_tensors(TIED, tmp_path / "model", {"layers.1.mlp.down_proj.weight": np.float32(np.inf)})
    with pytest.raises(ModelError, match=r"layers\.1\.mlp\.down_proj\.weight has numbers that are infinite"):
        load_model(open_model_files(model), "int8")
