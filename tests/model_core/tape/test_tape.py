"""Tapes: both interpreters match Transformers, in chunks too. Also fusing."""

from pathlib import Path

import numpy as np
import pytest
from paths import CHECKPOINTS

from model_core import LLM
from model_core.families import read_model_config, write_tape
from model_core.families.config import read_config
from model_core.files.model_files import open_model_files
from model_core.reference import interpreter, operators
from model_core.tape.operations import Add, Attend, Gate, Linear, Rope
from model_core.tape.passes import fuse
from model_core.tape.references import Span, WeightRef
from model_core.tape.rope import RopeConfig
from model_core.tape.tape import Tape

FOLDERS = sorted(CHECKPOINTS.iterdir())


class Reference:
    """A checkpoint that the NumPy interpreter runs."""

    def __init__(self, folder: Path) -> None:
        self.tape = write_tape(read_model_config(folder, read_config(folder)))
        self.weights = interpreter.make_weight_reader(open_model_files(folder).open_tensors())

    def logits(self, chunks: list[list[int]]) -> np.ndarray:
        """Logits of a sequence whose tokens come in chunks."""
        sequence, parts = interpreter.Sequence(), []
        for tokens in chunks:
            embeddings = {
                name: operators.embed(np.array(tokens), self.weights(table))
                for name, table in self.tape.embeddings.items()
            }
            parts.append(interpreter.run(self.tape, self.weights, sequence, embeddings))
        return np.concatenate(parts)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_reference_matches_transformers(folder: Path) -> None:
    expected, model = np.load(folder / "expected.npz"), Reference(folder)
    prompt = expected["prompt"].tolist()
    for chunks in ([prompt], [prompt[:1], prompt[1:9], prompt[9:]]):
        error = np.linalg.norm(model.logits(chunks) - expected["logits"])
        assert error < 1e-5 * np.linalg.norm(expected["logits"])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_kernels_match_the_reference(folder: Path) -> None:
    tokens = np.random.default_rng(0).integers(0, 60, 90).tolist()
    expected = Reference(folder).logits([tokens])
    with LLM(folder, arithmetic="float32") as llm:
        error = np.linalg.norm(llm.logits(tokens) - expected)
    assert error < 1e-5 * np.linalg.norm(expected)


def test_fuse_keeps_buffers_that_are_read_later() -> None:
    t, rope = Tape(), RopeConfig()
    x = t.embed("embed", 8, 64)
    q, k, v = t.linear(x, "qkv", {name: (2, 32) for name in "qkv"})
    mixed = t.attend(t.rope(q, rope), t.rope(k, rope), v, scale=0.5)
    t.add(x, t.project(mixed, "out", "o", 64))
    gate, up = t.linear(x, "inner", {"gate": (1, 96), "up": (1, 96)})
    t.add(x, t.project(t.gate(gate, up, "silu"), "out", "down", 64))
    fused = fuse(t.records)
    assert [type(record) for record in t.records].count(Add) == 2
    assert not any(isinstance(record, Add | Gate) for record in fused)
    products = [record for record in fused if isinstance(record, Linear)]
    assert [(p.adds, p.gate, p.y.buffer) for p in products] == [
        (False, None, "qkv"),
        (True, None, "x"),
        (False, "silu", "inner"),
        (True, None, "x"),
    ]
    assert [r.scale for r in fused if isinstance(r, Rope)] == [0.5, 1.0]
    assert [r.scale for r in fused if isinstance(r, Attend)] == [1.0]


def test_product_changed_before_its_addition_is_not_fused() -> None:
    t = Tape()
    x = t.embed("embed", 8, 64)
    t.add(x, t.norm(t.project(x, "out", "o", 64), "norm", 1e-5))
    assert fuse(t.records) == t.records


def test_gate_of_other_spans_is_not_fused() -> None:
    t = Tape()
    x = t.embed("embed", 8, 64)
    a, b = t.linear(x, "inner", {"gate": (1, 64), "up": (1, 64)})
    t.gate(b, a, "silu")
    t.linear(x, "other", {"gate": (1, 64), "up": (1, 64)})
    t.gate(b, a, "silu")
    assert fuse(t.records) == t.records


def test_scores_without_rope_keep_their_scale() -> None:
    t = Tape()
    q, k, v = t.linear(Span("x", 0, 64), "qkv", {name: (2, 32) for name in "qkv"})
    t.attend(q, k, v, scale=0.5)
    assert fuse(t.records) == t.records


def test_rows_that_are_divided_by_their_length() -> None:
    """The head of Baichuan 2."""
    stored = np.float32([[3, 0, 4, 0], [0, 0, 0, 0.5]])
    weight = WeightRef("lm_head.weight", stored.shape, has_unit_rows=True)
    assert np.allclose(weight.select(stored), [[0.6, 0, 0.8, 0], [0, 0, 0, 1]])
    assert weight.select(stored.astype(np.float16)).dtype == np.float16
