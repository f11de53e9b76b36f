"""The ways of sampling, against plain references in float64, and by their statistics."""

import math

import numpy as np
import pytest

from model_core import SamplingParams
from model_core.kernels.sampling.token_weights import weigh_tokens
from model_core.machine.exact_math import log
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.methods import (
    TokenChooser,
    exclude_top_choices,
    find_largest,
    find_nucleus,
    find_typical,
    sample_index,
)

DEFAULTS = GenerationDefaults(temperature=1.0)


def make_logits(seed: int, size: int = 500, spread: float = 2.0) -> np.ndarray:
    return (spread * np.random.default_rng(seed).standard_normal(size)).astype(np.float32)


def chooser(**params: object) -> TokenChooser:
    return TokenChooser(SamplingParams(**params).with_defaults(DEFAULTS))


def fractions(seed: int) -> np.random.Generator:
    """The random numbers of a request."""
    return np.random.Generator(np.random.PCG64(seed))


def test_logarithm_is_that_of_the_standard_library() -> None:
    random = np.random.default_rng(0)
    for x in [*np.exp(random.uniform(-600, 600, 3000)), *random.uniform(0.5, 2, 3000), 1.0, 0.5, 1e-320]:
        assert log(float(x)) == pytest.approx(math.log(x), rel=1e-15, abs=1e-16)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 1000])
def test_weights_are_exponentials(size: int) -> None:
    logits = make_logits(size, size, 20)
    logits[size // 2] = -np.inf
    expected = np.exp((logits.astype(np.float64) - 3) / 0.7)
    logits = np.minimum(logits, 3)
    weights = weigh_tokens(logits, np.float32(3), np.float32(0.7))
    assert weights[size // 2] == 0
    np.testing.assert_allclose(weights, np.minimum(expected, 1), rtol=2e-5, atol=1e-30)


@pytest.mark.parametrize("count", [1, 5, 40, 700, 4999, 5000])
@pytest.mark.parametrize("values", [5, 1000, 2**20])
def testfind_largest_equals_a_full_sort(count: int, values: int) -> None:
    logits = np.random.default_rng(count).integers(0, values, 5000).astype(np.float32)
    assert find_largest(logits, count).tolist() == np.argsort(-logits, kind="stable")[:count].tolist()


@pytest.mark.parametrize("top_p", [0.0, 0.3, 0.9, 0.999, 0.999999])
@pytest.mark.parametrize("spread", [0.0, 0.5, 3.0])
def test_nucleus_is_the_smallest_set_that_reaches_top_p(top_p: float, spread: float) -> None:
    random = np.random.default_rng(1)
    weights = np.exp(np.float32(spread) * random.standard_normal(5000).astype(np.float32).round(2))
    order = np.argsort(-weights, kind="stable")
    reached = np.cumsum(weights[order], dtype=np.float64)
    count = int(np.searchsorted(reached, top_p * reached[-1])) + 1
    assert sorted(find_nucleus(weights, top_p)) == sorted(order[:count])


@pytest.mark.parametrize("size", [1, 255, 256, 257, 5000])
def testsample_index_is_where_the_running_sum_exceeds_the_fraction(size: int) -> None:
    weights = np.random.default_rng(size).integers(0, 4, size).astype(np.float32)
    weights[0] = 1
    sums = np.cumsum(weights)  # whole numbers, so exact
    for fraction in (0.0, 0.1, 0.5, 0.75, 1 - 2**-53):
        assert sample_index(weights, fraction) == int(
            np.searchsorted(sums, fraction * sums[-1].astype(np.float64), side="right")
        )


def reference_typical(probabilities: np.ndarray, typical_p: float) -> list[int]:
    """The typical set, by the definition in arXiv:2202.00666, equations 9 and 10."""
    surprises = [-math.log(p) for p in probabilities]
    entropy = sum(p * surprise for p, surprise in zip(probabilities, surprises, strict=True))
    kept, total = [], 0.0
    for index in sorted(range(len(probabilities)), key=lambda i: abs(surprises[i] - entropy)):
        kept.append(index)
        total += probabilities[index]
        if total >= typical_p:
            break
    return kept


@pytest.mark.parametrize("typical_p", [0.0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("spread", [0.3, 2.0, 6.0])
def test_typical_set_is_that_of_the_paper(typical_p: float, spread: float) -> None:
    logits = make_logits(3, 300, spread)
    scaled = logits - logits.max()
    weights = weigh_tokens(logits, logits.max(), np.float32(1))
    exact = np.exp(scaled.astype(np.float64))
    assert find_typical(scaled, weights, typical_p).tolist() == reference_typical(
        exact / exact.sum(), typical_p
    )


def test_typical_tokens_may_lack_the_likeliest() -> None:
    """Its surprise is far below the entropy if most tokens are unlikely ones."""
    logits = np.log(np.array([0.3, *[0.7 / 200] * 200])).astype(np.float32)
    chosen = {chooser(typical_p=0.5, seed=seed).choose(logits) for seed in range(50)}
    assert 0 not in chosen and len(chosen) > 30
    assert 0 in {chooser(seed=seed).choose(logits) for seed in range(50)}


def reference_choice(logits: np.ndarray, params: SamplingParams, fraction: float) -> int:
    """A choice as sampling/methods.py describes it, with all tokens sorted and no shortcuts."""
    scaled = (logits.astype(np.float64) - logits.max()) / params.temperature
    weights = np.exp(scaled)
    order = np.argsort(-logits, kind="stable").tolist()
    if params.top_n_sigma > 0:
        least = logits.max() - params.top_n_sigma * logits.astype(np.float64).std()
        order = [i for i in order if logits[i] >= least]
    kept = order[: params.top_k] if params.top_k > 0 else order
    if params.typical_p < 1:
        shares = weights[kept] / weights[kept].sum()
        kept = [kept[i] for i in reference_typical(shares, params.typical_p)]
    if params.top_p < 1:
        kept = sorted(kept, key=lambda i: -weights[i])
        sums = np.cumsum(weights[kept])
        kept = kept[: int(np.searchsorted(sums, params.top_p * sums[-1])) + 1]
    least = params.min_p * weights[kept].max()
    kept = [i for i in sorted(kept) if weights[i] >= least]
    sums = np.cumsum(weights[kept])
    return kept[int(np.searchsorted(sums, fraction * sums[-1], side="right"))]


@pytest.mark.parametrize("top_k", [-1, 0, 20])
@pytest.mark.parametrize("typical_p", [1.0, 0.7])
@pytest.mark.parametrize("top_p", [1.0, 0.8])
@pytest.mark.parametrize("min_p", [0.0, 0.2])
@pytest.mark.parametrize("top_n_sigma", [0.0, 1.2])
def test_steps_come_in_the_order_that_is_documented(
    top_k: int, typical_p: float, top_p: float, min_p: float, top_n_sigma: float
) -> None:
    steps = {"top_k": top_k, "typical_p": typical_p, "top_p": top_p, "min_p": min_p}
    steps["top_n_sigma"] = top_n_sigma
    for seed in range(20):
        params = SamplingParams(temperature=0.8, seed=seed, **steps).with_defaults(DEFAULTS)
        logits, random = make_logits(seed, 100), fractions(seed)
        chosen = TokenChooser(params)
        for _ in range(5):
            assert chosen.choose(logits) == reference_choice(logits, params, random.random())


def test_top_n_sigma_does_not_depend_on_temperature_and_on_what_is_forbidden() -> None:
    logits = make_logits(1, 1000)
    forbidden = np.concatenate([logits, np.full(500, -np.inf, np.float32)])
    counts = {
        np.count_nonzero(chooser(top_n_sigma=1.0, temperature=temperature).distribution(row))
        for temperature in (0.3, 1.0, 2.0)
        for row in (logits, forbidden)
    }
    assert counts == {np.count_nonzero(logits >= logits.max() - logits.astype(np.float64).std())}


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [(0.15, [0, 0, 2, 1, 1]), (0.2, [0, 3, 2, 1, 1]), (0.3, [4, 3, 2, 1, 1]), (0.0, [0, 0, 0, 1, 1])],
)
def test_top_choices_are_excluded_but_the_least_likely(threshold: float, kept: list[int]) -> None:
    weights = np.float32([4, 3, 2, 1, 1])
    assert exclude_top_choices(weights, threshold).tolist() == kept
    assert weights.tolist() == [4, 3, 2, 1, 1]


def test_exclusion_happens_as_often_as_it_should() -> None:
    logits = np.log(np.float32([0.5, 0.3, 0.2]))
    excluding = {"xtc_probability": 0.6, "xtc_threshold": 0.15}
    found = [chooser(seed=seed, **excluding).choose(logits) for seed in range(3000)]
    shares = np.bincount(found, minlength=3) / len(found)
    expected = chooser(**excluding).distribution(logits)
    np.testing.assert_allclose(expected, [0.4 * 0.5, 0.4 * 0.3, 0.4 * 0.2 + 0.6], rtol=1e-5)
    np.testing.assert_allclose(shares, expected, atol=0.03)


def reference_mirostat(all_logits: list[np.ndarray], tau: float, eta: float, seed: int) -> list[int]:
    """Mirostat 2.0 by algorithm 2 of arXiv:2007.14966."""
    mu, chosen, random = 2 * tau, [], fractions(seed)
    for logits in all_logits:
        probabilities = np.exp(logits.astype(np.float64))
        probabilities /= probabilities.sum()
        surprises = -np.log2(probabilities)
        kept = np.where(surprises <= mu, probabilities, 0)
        if not kept.any():
            kept[np.argmax(probabilities)] = 1
        index = int(np.searchsorted(np.cumsum(kept), random.random() * kept.sum(), side="right"))
        mu -= eta * (surprises[index] - tau)
        chosen.append(index)
    return chosen


@pytest.mark.parametrize(("tau", "eta"), [(0.5, 0.1), (3.0, 0.1), (5.0, 1.0), (0.0, 0.5)])
def test_mirostat_chooses_as_the_paper_does(tau: float, eta: float) -> None:
    all_logits = [make_logits(i) for i in range(200)]
    chosen = chooser(mirostat=2, mirostat_tau=tau, mirostat_eta=eta, seed=4, top_k=1, typical_p=0.1)
    tokens = [chosen.choose(logits) for logits in all_logits]
    assert tokens == reference_mirostat(all_logits, tau, eta, seed=4)


@pytest.mark.parametrize("tau", [4.0, 5.0, 6.0])
def test_mirostat_holds_the_mean_surprise(tau: float) -> None:
    chosen, surprises = chooser(mirostat=2, mirostat_tau=tau, seed=1), []
    for number in range(600):
        logits = make_logits(number, 2000, 2.5)
        probabilities = np.exp(logits.astype(np.float64))
        surprises.append(-math.log2(probabilities[chosen.choose(logits)] / probabilities.sum()))
    assert abs(np.mean(surprises[100:]) - tau) < 0.15


def test_tokens_without_probability_are_never_chosen() -> None:
    logits = np.full(300, -np.inf, np.float32)
    logits[[7, 200]] = 1.0, 0.0
    for params in ({}, {"typical_p": 0.99}, {"mirostat": 2}, {"top_p": 0.99}, {"top_k": 50}):
        assert {chooser(temperature=2, seed=s, **params).choose(logits) for s in range(30)} == {7, 200}
