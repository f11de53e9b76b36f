"""Experts of a layer in one tensor are read as if each had tensors of its own."""

from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import write_safetensors
from model_core.files.stacked_experts import StackedExperts
from model_core.model.loader import load_model
from model_core.quantizing.write_folder import write_quantized_folder

EXPERTS, STACK = 3, "model.layers.0.mlp.experts"
PARTS = ("gate_proj", "up_proj", "down_proj")


def write(folder: Path, hidden: int, inner: int, is_transposed: bool) -> dict[str, np.ndarray]:
    """Write stacks of random experts. Returns the matrices of each."""
    random, separate = np.random.default_rng(0), {}
    for expert in range(EXPERTS):
        for part in PARTS:
            shape = (hidden, inner) if part == "down_proj" else (inner, hidden)
            name = f"{STACK}.{expert}.{part}.weight"
            separate[name] = random.normal(size=shape).astype(np.float32)
    gate, up, down = (
        np.stack([separate[f"{STACK}.{e}.{part}.weight"] for e in range(EXPERTS)]) for part in PARTS
    )
    stacks = {"gate_up_proj": np.concatenate([gate, up], axis=1), "down_proj": down}
    if is_transposed:
        stacks = {name: np.ascontiguousarray(array.swapaxes(1, 2)) for name, array in stacks.items()}
    write_safetensors(folder / "model.safetensors", {f"{STACK}.{name}": a for name, a in stacks.items()})
    return separate


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize(("hidden", "inner"), [(6, 4), (8, 4), (4, 4), (4, 8)])
def test_each_expert_has_its_matrices(tmp_path: Path, hidden: int, inner: int, is_transposed: bool) -> None:
    """Sizes tell how they are stored, also where one of the two tensors could be either."""
    expected = write(tmp_path, hidden, inner, is_transposed)
    source = StackedExperts(Checkpoint(tmp_path))
    assert len(source.unread()) == 2
    for name, matrix in expected.items():
        assert name in source and source.shape(name) == matrix.shape
        assert source.codes(name) is None and source.stored_bytes(name) == matrix.nbytes
        np.testing.assert_array_equal(source[name], matrix)
    assert source.unread() == []
    assert f"{STACK}.{EXPERTS}.up_proj.weight" not in source
    with pytest.raises(ModelError, match=rf"no tensor .*experts\.{EXPERTS}\.up_proj"):
        source[f"{STACK}.{EXPERTS}.up_proj.weight"]


def test_models_with_them_can_be_quantized(tmp_path: Path) -> None:
    """Other programs find a tensor for each expert in what is written."""
    files = open_model_files(CHECKPOINTS / "qwen3_5-moe")
    write_quantized_folder(files, tmp_path / "int8", "int8")
    written, name = open_model_files(tmp_path / "int8"), f"{STACK}.4.up_proj.weight"
    source, expected = written.open_tensors(), files.open_tensors()[name]
    assert source.codes(name) is not None
    assert np.linalg.norm(source[name] - expected) < 0.01 * np.linalg.norm(expected)
    load_model(written)


def test_a_stack_of_another_size_is_refused(tmp_path: Path) -> None:
    source = Checkpoint(CHECKPOINTS / "qwen3_5-moe")
    tensors = {name: np.array(source[name]) for name in source.unread()}
    name = "model.layers.1.mlp.experts.gate_up_proj"
    write_safetensors(tmp_path / "model.safetensors", tensors | {name: tensors[name][:, :-2]})
    (tmp_path / "config.json").write_bytes((CHECKPOINTS / "qwen3_5-moe" / "config.json").read_bytes())
    with pytest.raises(
        ModelError, match=r"experts\.0\.gate_proj\.weight is \[19, 32\], but should be \[20, 32\]"
    ):
        load_model(open_model_files(tmp_path))
