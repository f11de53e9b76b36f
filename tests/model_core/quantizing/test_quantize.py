"""Rounding to 8 and 4 bits, GPTQ, and the loss of quality of trained models."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import MODELS
from paths import CHECKPOINTS

from model_core import LLM, SamplingParams
from model_core.errors import ModelError
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.source import read_tensor
from model_core.hub import embedded_model
from model_core.kernels.layout import INT8, NIBBLE_GROUP
from model_core.model.loader import load_model
from model_core.quantizing import quantize_model
from model_core.quantizing.calibrate import compute_hessian, quantize_layers
from model_core.quantizing.loss import ExactTexts, Loss
from model_core.reference import interpreter
from model_core.tape.operations import TakeRows
from model_core.tape.passes import head_products, products, vector_refs
from model_core.weights.rounding import (
    Stepped,
    dequantize,
    round_activations,
    round_as_packed,
    round_by_gptq,
    round_int8,
    round_stepped,
    stepped_as_int8,
)


def gaussian(n: int, k: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, k)).astype(np.float32)


def squared_error(weight: np.ndarray, rounded: Stepped) -> float:
    return float(np.sum((dequantize(rounded) - weight) ** 2))


def check_format(weight: Stepped, n: int, k: int) -> None:
    assert weight.codes.shape == (n, k) and weight.codes.dtype == np.uint8
    assert weight.codes.max() < 2**weight.bits
    assert weight.groups.shape == (n, -(-k // NIBBLE_GROUP)) and weight.groups.dtype == np.uint8
    step_bits = 8 - weight.bits
    assert (weight.groups % 2**step_bits).min() >= 1
    assert weight.scales.shape == (n,) and weight.scales.dtype == np.float32 and (weight.scales > 0).all()
    steps, zeros = (
        np.repeat(part, NIBBLE_GROUP, axis=1)[:, :k].astype(int)
        for part in (weight.groups % 2**step_bits, weight.groups >> step_bits)
    )
    products = (weight.codes.astype(int) - zeros) * steps
    assert np.abs(products).max() <= 127
    np.testing.assert_array_equal(stepped_as_int8(weight).codes, products)
    np.testing.assert_array_equal(dequantize(weight), products.astype(np.float32) * weight.scales[:, None])


def awkward_rows(k: int) -> np.ndarray:
    """Difficult rows: zeros, one weight, one sign, a constant, an outlier, very small weights."""
    rows = gaussian(10, k)
    rows[0] = 0
    rows[1] = 0
    rows[1, -1] = -3
    rows[2] = np.abs(rows[2])
    rows[3] = 0.7
    rows[4, 0] = 100
    rows[5] *= 1e-30
    rows[6] *= 1e-44
    rows[7] *= 1e30
    rows[8, : k // 2] = 0
    return rows


def test_activations_are_rounded_in_groups_with_ties_to_even() -> None:
    x = np.zeros((1, 2, 10), np.float32)
    x[0, 0] = [127, 0.5, 1.5, -2.5, -254, 1, 3, 5, 0, 0]
    codes, scales = round_activations(x, 4)
    np.testing.assert_array_equal(scales, [[[1, 2, 1], [1, 1, 1]]])
    np.testing.assert_array_equal(codes[0, 0], [127, 0, 2, -2, -127, 0, 2, 2, 0, 0])
    assert codes.dtype == np.int8 and scales.dtype == np.float32 and not codes[0, 1].any()


def test_int8_is_within_half_a_step_of_every_weight() -> None:
    weight = awkward_rows(70)
    rounded = round_int8(weight)
    assert rounded.codes.dtype == np.int8 and rounded.scales.dtype == np.float32
    assert np.abs(rounded.codes.astype(int)).max() == 127
    assert (np.abs(dequantize(rounded) - weight) <= rounded.scales[:, None] * 0.501).all()
    assert not rounded.codes[0].any() and not rounded.codes[6].any()


@pytest.mark.parametrize("bits", [4, 5, 6])
@pytest.mark.parametrize("k", [1, 26, 32, 70, 312])
def test_codes_are_within_the_format(k: int, bits: int) -> None:
    weight = awkward_rows(k)
    for rounded in (round_stepped(weight, bits), round_by_gptq(weight, np.eye(k), bits)):
        assert rounded.bits == bits
        check_format(rounded, 10, k)


def test_int4_represents_zero_exactly_and_outliers_nearly() -> None:
    weight = awkward_rows(312)
    restored = dequantize(round_stepped(weight))
    assert not restored[0].any() and not restored[8, : 4 * NIBBLE_GROUP].any()
    assert not restored[1, :-1].any()
    for row in (1, 4):
        largest = np.abs(weight[row]).argmax()
        assert restored[row, largest] == pytest.approx(weight[row, largest], rel=0.2)
    np.testing.assert_allclose(restored[3], 0.7, rtol=0.1)


@pytest.mark.parametrize(("bits", "ratio"), [(5, 3.5), (6, 3)])
def test_each_bit_makes_errors_several_times_smaller(bits: int, ratio: float) -> None:
    weight = gaussian(20, 512)
    less = squared_error(weight, round_stepped(weight, bits - 1))
    assert squared_error(weight, round_stepped(weight, bits)) * ratio < less


def test_int4_search_is_close_to_an_exhaustive_search() -> None:
    weight = gaussian(4, 256)
    groups = weight.reshape(4, -1, NIBBLE_GROUP)
    widest = (groups.max(axis=2) - groups.min(axis=2)).max(axis=1) / 225
    min_error = np.full(4, np.inf)
    for ratio in np.linspace(0.5, 1.3, 33):
        x = groups / (widest * ratio)[:, None, None]
        best = np.full(x.shape[:2], np.inf)
        for step in range(1, 16):
            for zero in range(16):
                rounded = (np.clip(np.rint(x / step + zero), 0, 15) - zero) * step
                rounded = np.where(np.abs(rounded) > 127, np.inf, rounded)
                best = np.minimum(best, ((rounded - x) ** 2).sum(axis=2))
        min_error = np.minimum(min_error, best.sum(axis=1) * (widest * ratio) ** 2)
    assert squared_error(weight, round_stepped(weight)) < 1.04 * min_error.sum()


def test_rounding_does_not_depend_on_other_rows() -> None:
    weight = gaussian(600, 312)
    full, part = round_stepped(weight), round_stepped(weight[350:351])
    for a, b in zip(full.rows(slice(350, 351)), part, strict=True):
        np.testing.assert_array_equal(a, b)


def test_gptq_changes_outputs_less_than_rounding() -> None:
    weight = gaussian(64, 200)
    x = gaussian(1000, 60, seed=1) @ gaussian(60, 200, seed=2) + gaussian(1000, 200, seed=3)
    x[:, 7] = 0

    def loss(rounded: Stepped) -> float:
        return float(np.mean((x @ (dequantize(rounded) - weight).T) ** 2))

    assert loss(round_by_gptq(weight, compute_hessian([x]))) < 0.6 * loss(round_stepped(weight))


def test_gptq_without_correlations_is_as_good_as_rounding() -> None:
    weight = gaussian(32, 256)
    for hessian in (np.eye(256), np.zeros((256, 256))):
        assert squared_error(weight, round_by_gptq(weight, hessian)) < 1.05 * squared_error(
            weight, round_stepped(weight)
        )


def test_gptq_corrections_are_those_of_the_inverse_hessian() -> None:
    # Two inputs that are always equal: the second weight takes over what the first one lost.
    weight = np.array([[0.43, 1.0]], np.float32)
    restored = dequantize(round_by_gptq(weight, np.ones((2, 2)) * 1000))
    assert restored.sum() == pytest.approx(1.43, abs=0.05)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(bad: float) -> None:
    weight, hessian = gaussian(4, 40), np.eye(40)
    weight[2, 39] = bad
    for quantize in (round_int8, round_stepped, lambda weight: round_by_gptq(weight, hessian)):
        with pytest.raises(ModelError, match="not a number"):
            quantize(weight)
    hessian[3, 3] = bad
    with pytest.raises(ModelError, match="not a number"):
        round_by_gptq(gaussian(4, 40), hessian)


def test_loss_of_known_distributions(tmp_path: Path) -> None:
    even, sure = np.zeros((4, 8), np.float32), np.full((4, 8), -1e4, np.float32)
    sure[[0, 1, 2, 3], [5, 6, 7, 1]] = 1e4
    two = np.log(np.float32([[0.75, 0.25, *[1e-30] * 6]] * 4))
    texts = [[4, 5, 6, 7], [4, 5]]

    def compare(exact: np.ndarray, other: np.ndarray) -> Loss:
        found = ExactTexts(texts, (exact[: len(text)] for text in texts), tmp_path)
        return found.compare(other[: len(text)] for text in texts)

    same = compare(even, even)
    assert same.perplexity_before == same.perplexity_after == pytest.approx(8)
    assert same.divergence == same.high_divergence == same.perplexity_change == 0 and same.agreement == 1
    better = compare(even, sure)
    assert better.perplexity_after == pytest.approx(1) and better.perplexity_change == pytest.approx(-7 / 8)
    assert better.agreement == 0
    spread = compare(two, even)
    assert spread.divergence == pytest.approx(0.75 * np.log(6) + 0.25 * np.log(2), rel=1e-6)
    assert spread.agreement == 1


def test_calibration_needs_inputs() -> None:
    with pytest.raises(ValueError):
        compute_hessian([])


def write_model(folder: Path, source: Path, tensors: dict[str, np.ndarray]) -> Path:
    """A copy of a model folder with other weights, in float32."""
    folder.mkdir()
    for path in source.glob("*.json"):
        if not path.name.endswith(".index.json"):
            shutil.copyfile(path, folder / path.name)
    header, at = {}, 0
    for name, array in tensors.items():
        end = at + 4 * array.size
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array, np.float32).tobytes())
    return folder


def tensors_of(folder: Path) -> dict[str, np.ndarray]:
    checkpoint = Checkpoint(folder)
    return {name: checkpoint[name].astype(np.float32) for name in checkpoint.unread()}


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_calibration_gives_the_models_hidden_states(folder: Path, tmp_path: Path) -> None:
    prompt = np.load(folder / "expected.npz")["prompt"].tolist()
    model, source = load_model(open_model_files(folder)), open_model_files(folder).open_tensors()
    steps = quantize_layers(model.tape, source, [prompt, prompt[:7]])
    linears, by_head = list(products(model.tape.records)), head_products(model.tape.records)
    # Names as the tape has them, without tensors of images.
    refs = [*(ref for product in linears for ref in (*product.weights, *product.biases))]
    refs += [*(product.weight for product in by_head), *vector_refs(model.tape.records)]
    refs += model.tape.embeddings.values()
    tensors = {ref.name: np.array(read_tensor(source, ref), np.float32) for ref in refs}
    changed = {name: tensor.copy() for name, tensor in tensors.items()}
    weights = {weight.label: weight for product in linears for weight in product.weights}
    kept = {product.weights[0].name for product in linears if product.is_router}
    kept |= {weight.name for weight in vector_refs(model.tape.records)}
    kept |= {product.weight.name for product in by_head}
    records = model.tape.records
    behind_layers = records[[isinstance(record, TakeRows) for record in records].index(True) :]
    kept |= {weight.name for product in products(behind_layers) for weight in product.weights}
    quantized = set()
    while True:
        try:
            label, weight = next(steps)
        except StopIteration as end:
            states = end.value
            break
        tensor = changed[weights[label].name]
        # The part may be a copy, so its places in the tensor are selected.
        part = weights[label].select(np.arange(tensor.size).reshape(tensor.shape))
        check_format(weight, *part.shape)
        tensor.reshape(-1)[part] = dequantize(weight)
        quantized.add(weights[label].name)
    heads = {weight.name for product in linears if product.is_head for weight in product.weights}
    tables = heads | {table.name for table in model.tape.embeddings.values()} | {"lm_head.weight"}
    matrices = {name for name in tensors if name not in tables and tensors[name].ndim >= 2}
    assert quantized == {name for name in matrices - kept if not name.endswith("bias")}
    embedding = model.tape.embedding.name
    table = embedding if embedding in tensors else "lm_head.weight"
    changed[table] = round_as_packed(tensors[table], INT8)
    changed.setdefault(embedding, changed[table])
    path = write_model(tmp_path / "model", folder, {n: changed[n] for n in tensors})
    with LLM(path, arithmetic="float32") as llm:
        for tokens, state in zip((prompt, prompt[:7]), states, strict=True):
            sequence = interpreter.Sequence()
            sequence.begin({"x": state, behind_layers[0].x.buffer: state})
            for record in behind_layers:
                interpreter.execute(record, interpreter.make_weight_reader(changed), sequence)
            expected = sequence.buffers["logits"]
            error = np.linalg.norm(llm.logits(tokens) - expected)
            assert error < 1e-5 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", ["embedded", "story"])
def test_perplexity_of_a_trained_model_after_quantizing(name: str, tmp_path: Path) -> None:
    folder = embedded_model() if name == "embedded" else MODELS / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not on this machine")
    tensors = tensors_of(folder)
    with LLM(folder) as llm:
        prompt = llm.encode("Once upon a time")

        def sample(first: int, count: int) -> list[list[int]]:
            base = SamplingParams(temperature=1, ignore_eos=True, max_tokens=150)
            params = [base.model_copy(update={"seed": seed}) for seed in range(first, first + count)]
            return [prompt + answer.token_ids for answer in llm.generate([prompt] * count, params)]

        texts, calibration = sample(0, 8), sample(100, 16)
        tape, exact = llm.model.tape, ExactTexts(texts, map(llm.logits, texts), tmp_path)

    def cost(label: str, changed: dict[str, np.ndarray]) -> float:
        with LLM(write_model(tmp_path / label, folder, {**tensors, **changed})) as quantized:
            return exact.compare(map(quantized.logits, texts)).perplexity_change

    matrices = {n: w for n, w in tensors.items() if w.ndim == 2}
    int8 = {n: dequantize(round_int8(w)) for n, w in matrices.items()}
    rounded = {n: dequantize(round_stepped(w)) for n, w in matrices.items() if ".layers." in n}
    gptq = {n: dequantize(w) for n, w in quantize_layers(tape, tensors, calibration)}
    assert abs(cost("int8", int8)) < 0.005
    assert cost("int4", {**int8, **rounded}) < 0.06
    assert cost("gptq", {**int8, **gptq}) < 0.06


def test_a_model_with_large_recurrent_states_is_quantized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state of Qwen3.5-4B has 50 MiB. Here, one does not fit into the other memory of the engine."""
    monkeypatch.setattr(quantize_model, "_KV_MEMORY", 2**14)
    result = quantize_model.quantize(CHECKPOINTS / "qwen3-next", tmp_path / "out", "int8")
    assert result.loss is None  # there is no tokenizer
    assert 0 < result.bytes_after < result.bytes_before
