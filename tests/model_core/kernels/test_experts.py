"""Mixtures of experts: the router, the same bits in any batch, and weights of all types."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numba import njit
from paths import CHECKPOINTS
from test_tape import Reference

from model_core import LLM
from model_core.errors import ModelError
from model_core.families import read_model_config
from model_core.families.config import read_config
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.kernels.products import experts
from model_core.model.batch import BatchBuilder
from model_core.model.bind import mixture_record
from model_core.model.loader import load_model
from model_core.model.transformer import Transformer
from model_core.quantizing.calibrate import MIN_EXPERT_ROWS, quantize_layers
from model_core.reference import operators
from model_core.tape.operations import Experts, Routing
from model_core.tape.passes import products
from model_core.weights.rounding import round_stepped

FOLDER = CHECKPOINTS / "qwen3-moe"
ROUTINGS = {
    "softmax": Routing(top_k=3),
    "softmax-over-chosen": Routing(top_k=3, normalizes=True),
    "sigmoid": Routing(top_k=4, score="sigmoid", normalizes=True, epsilon=1e-6, scale=2.5),
    "sigmoid-plain": Routing(top_k=2, score="sigmoid", scale=0.5),
    "groups": Routing(top_k=5, score="sigmoid", groups=5, top_groups=2, group_top=2, normalizes=True),
    "groups-by-best": Routing(top_k=3, groups=10, top_groups=3, scale=16.0),
    "all": Routing(top_k=40, normalizes=True),
    "sparsemixer": Routing(top_k=2, score="sparsemixer", nearness=0.6),
}


@njit
def run_route(x, y, count, bias, epsilon, scale, mixtures):
    for row in range(len(x)):
        experts.route(x[row].ctypes.data, y[row].ctypes.data, count, bias, epsilon, scale, mixtures[0])


def route(logits: np.ndarray, routing: Routing, bias: np.ndarray | None = None) -> np.ndarray:
    """The kernel's routing weights of float32 [rows, count] logits."""
    rows, count = logits.shape
    x, y = np.full((2, rows + 1, 64), 7, np.float32)
    x[:rows, :count] = logits
    padded = np.zeros(64, np.float32)
    padded[:count] = 0 if bias is None else bias
    address = 0 if bias is None else padded.ctypes.data
    sizes = np.float32(routing.nearness or routing.epsilon or 1e-30), np.float32(routing.scale)
    mixture = mixture_record(routing, count)
    run_route(x[:rows], y[:rows], count, address, *sizes, mixture)
    return y[:rows, :count]


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("name", ROUTINGS)
def test_router_is_that_of_the_reference(name: str, has_bias: bool) -> None:
    random, routing = np.random.default_rng(0), ROUTINGS[name]
    logits = random.normal(size=(50, 40), scale=3).astype(np.float32)
    has_bias &= routing.score != "sparsemixer"
    bias = random.normal(size=40).astype(np.float32) if has_bias else None
    weights, expected = route(logits, routing, bias), operators.route(logits, routing, bias)
    assert np.array_equal(weights != 0, expected != 0)
    assert ((weights != 0).sum(axis=1) == routing.top_k).all()
    np.testing.assert_allclose(weights, expected, rtol=1e-5)
    assert np.array_equal(route(logits[7:8], routing, bias), weights[7:8])


def test_of_equal_scores_the_lower_index_wins() -> None:
    logits = np.float32([[1, 2, 2, 0, 2, 2], [0, 0, 0, 0, 0, 0], [5, -1, 5, 5, -1, 5]])
    routing = Routing(top_k=2, normalizes=True)
    for weights in (route(logits, routing), operators.route(logits, routing)):
        assert [np.flatnonzero(row).tolist() for row in weights] == [[1, 2], [0, 1], [0, 2]]
        assert (weights[weights != 0] == 0.5).all()
    grouped = Routing(top_k=2, score="sigmoid", groups=3, top_groups=1, group_top=2)
    for weights in (route(logits, grouped), operators.route(logits, grouped)):
        assert [np.flatnonzero(row).tolist() for row in weights] == [[4, 5], [0, 1], [2, 3]]


def test_sparsemixer_weighs_each_expert_among_those_near_it() -> None:
    logits = np.float32([[2.0, 1.9, 1.0, -3.0], [-1.0, -1.1, -4.0, -1.2], [0, 0, -1, -1]])
    routing = Routing(top_k=2, score="sparsemixer", nearness=0.1)
    # Of the second row, 0.2 / 1.2 is too far from the best one, and 0.1 / 1.2 near the second.
    a, b, c = (1 / (1 + np.exp(-0.1)), 1.0, 0.5)
    expected = np.float32([[a, b, 0, 0], [a, a, 0, 0], [c, b, 0, 0]])
    for weights in (route(logits, routing), operators.route(logits, routing)):
        np.testing.assert_allclose(weights, expected, rtol=1e-6)


def test_logits_that_are_no_numbers_choose_no_more_experts() -> None:
    logits = np.full((2, 6), np.nan, np.float32)
    logits[1, 1:] = -np.inf
    assert ((route(logits, Routing(top_k=2)) != 0).sum(axis=1) <= 2).all()


def forward(model: Transformer, texts: Sequence[np.ndarray], cuts: Sequence[int] = ()) -> list[np.ndarray]:
    """Logits of texts of equal length that are computed side by side, in steps that end at `cuts`."""
    length, parts = len(texts[0]), []
    cache, tables = model.create_cache(len(texts), length, "float32")
    for start, end in zip((0, *cuts), (*cuts, length), strict=True):
        builder = BatchBuilder()
        for text in texts:
            builder.add(text[start:end].tolist(), start, range(start, end))
        logits = model.forward(builder.build(tables), cache)
        parts.append(logits.reshape(len(texts), end - start, -1))
    return list(np.concatenate(parts, axis=1))


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        *(("qwen3-moe", weights) for weights in ("float32", "bfloat16", "int8", "mixed", "int4")),
        *((name, "int8") for name in ("gpt-oss", "llama4", "phimoe")),
        *(("nemotron-h-experts", weights) for weights in ("float32", "int8")),
    ],
)
def test_bits_of_a_row_do_not_depend_on_other_rows(name: str, weights: str) -> None:
    model, random = load_model(open_model_files(CHECKPOINTS / name), weights), np.random.default_rng(0)
    texts = list(random.integers(64, size=(64, 9)))
    together = forward(model, texts)
    for number in (0, 40, 63):
        (alone,) = forward(model, [texts[number]])
        (token_by_token,) = forward(model, [texts[number]], cuts=range(1, 9))
        assert np.array_equal(alone, together[number])
        assert np.array_equal(token_by_token, alone)
    chunked = forward(model, texts, cuts=(2, 7))
    model.set_threads(3)
    for rows in zip(together, chunked, forward(model, texts), strict=True):
        assert np.array_equal(rows[0], rows[1])
        assert np.array_equal(rows[0], rows[2])


@pytest.mark.parametrize(
    ("weights", "bound"),
    [("float32", 1e-5), ("bfloat16", 5e-2), ("float16", 5e-3), ("int8", 0.1), ("mixed", 0.2), ("int4", 0.7)],
)
def test_weights_can_be_converted_to_another_type(weights: str, bound: float) -> None:
    expected = np.load(FOLDER / "expected.npz")
    prompt = expected["prompt"].tolist()
    with LLM(FOLDER, weights=weights, arithmetic="float32") as llm:
        logits = llm.logits(prompt)
        router = next(product for product in products(llm.model.records) if product.is_router)
        kept = weights if weights.endswith(("32", "16")) else "float32"
        assert llm.model.weights.matrices[router.weights].data.dtype == kept
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < bound


@pytest.mark.parametrize(("weights", "bound"), [("float32", 1e-5), ("int8", 0.15), ("int4", 0.7)])
def test_experts_without_gates_are_those_of_the_reference(weights: str, bound: float) -> None:
    folder = CHECKPOINTS / "nemotron-h-latents"
    model, tokens = load_model(open_model_files(folder), weights, arithmetic="float32"), np.arange(40)
    (mixture, *_) = [record for record in model.records if isinstance(record, Experts)]
    assert len(mixture.gate_up.weights) == mixture.count
    assert model.weights.matrices[mixture.gate_up.weights].n == 64 * mixture.count  # each is padded
    expected = Reference(folder).logits([tokens.tolist()])
    (logits,) = forward(model, [tokens])
    assert np.linalg.norm(logits - expected) < bound * np.linalg.norm(expected)


def test_bytes_a_token_are_those_of_its_experts() -> None:
    model = load_model(open_model_files(FOLDER))
    mixtures = [record for record in model.records if isinstance(record, Experts)]
    all_experts = sum(model.weights.matrices[p.weights].nbytes for m in mixtures for p in (m.gate_up, m.down))
    others = model.weights.nbytes - model.weights.embeddings["x"].nbytes - all_experts
    assert model.weights.bytes_per_token == others + all_experts // 2  # three of six
    assert all_experts > others


def test_gptq_quantizes_experts_without_gates() -> None:
    folder = CHECKPOINTS / "nemotron-h-experts"
    model, checkpoint = load_model(open_model_files(folder)), Checkpoint(folder)
    texts = np.random.default_rng(0).integers(64, size=(6, 60)).tolist()
    codes = dict(quantize_layers(model.tape, checkpoint, texts))
    mixtures = [record for record in model.tape.records if isinstance(record, Experts)]
    labels = {w.label for m in mixtures for product in (m.gate_up, m.down) for w in product.weights}
    assert len(labels) == 2 * 8 * 2 and labels < set(codes)


def test_gptq_rounds_experts_that_few_tokens_choose() -> None:
    model, checkpoint, sentences = load_model(open_model_files(FOLDER)), Checkpoint(FOLDER), []
    random = np.random.default_rng(0)
    texts = random.integers(64, size=(6, 60)).tolist()
    codes = dict(quantize_layers(model.tape, checkpoint, texts, report=sentences.append))
    first = next(record for record in model.tape.records if isinstance(record, Experts))
    rounded = [
        expert
        for expert in range(first.count)
        if np.array_equal(
            codes[first.down.weights[expert].label].codes,
            round_stepped(checkpoint[first.down.weights[expert].name]).codes,
        )
    ]
    assert 0 < len(rounded) < first.count  # this text reaches some experts enough, and not all
    (sentence,) = sentences
    assert f"12 experts were chosen by fewer than {MIN_EXPERT_ROWS} tokens" in sentence
    routers = {p.weights[0].label for p in products(model.tape.records) if p.is_router}
    assert routers
    assert not routers & set(codes)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("gpt-oss", {"swiglu_limit": 6.0}, "swiglu_limit is 6.0, but only 7.0"),
        ("gpt-oss", {"num_experts_per_tok": 7}, "num_experts_per_tok should be .* from 1 to 6"),
        ("qwen3-moe", {"mlp_only_layers": 1}, "mlp_only_layers should be a list"),
        ("qwen3-moe", {"num_local_experts": None}, "num_local_experts should be"),
    ],
)
def test_settings_that_are_not_supported_are_refused(
    name: str, change: dict[str, Any], sentence: str
) -> None:
    raw = read_config(CHECKPOINTS / name) | change
    with pytest.raises(ModelError, match=sentence):
        read_model_config(CHECKPOINTS / name, raw)
