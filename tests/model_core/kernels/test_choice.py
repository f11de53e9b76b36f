"""The kernel that chooses tokens for many rows at once, against its specification in sampling/methods.py."""

import numpy as np
import pytest

from model_core import SamplingParams
from model_core.errors import TritonchatError
from model_core.kernels.sampling.choice import choose_tokens
from model_core.kernels.team import Team
from model_core.requests.sampling import GenerationDefaults
from model_core.sampling.batch_sampler import Draw, RowSampler, Sample, compile_sampling
from model_core.sampling.methods import TokenChooser
from model_core.sampling.sampler import Sampler

DEFAULTS = GenerationDefaults(temperature=1.0)
WAYS = [
    {},
    {"temperature": 0},
    {"top_k": 1},
    {"top_k": 7},
    {"top_k": 900},
    {"top_p": 0.0},
    {"top_p": 0.5},
    {"top_p": 0.999999},
    {"min_p": 0.1},
    {"min_p": 1.0},
    {"top_k": 40, "top_p": 0.8},
    {"top_k": 40, "top_p": 0.95, "min_p": 0.02},
    {"top_p": 0.9, "min_p": 0.01},
    {"typical_p": 0.8},
]


def make_rows(count: int, size: int, spread: float, seed: int) -> np.ndarray:
    """Rows of logits, some of which are equal."""
    random = np.random.default_rng(seed)
    return (spread * random.standard_normal((count, size))).round(3).astype(np.float32)


def make_sampler(size: int, **params: object) -> Sampler:
    return Sampler(SamplingParams(**params).with_defaults(DEFAULTS), [0], size)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("size", [1, 15, 16, 255, 257, 3000])
def test_kernel_chooses_what_the_specification_chooses(way: dict[str, float], size: int) -> None:
    rows = RowSampler(size)
    for spread in (0.0, 0.5, 3.0, 30.0):
        logits = make_rows(24, size, spread, size)
        params = [SamplingParams(seed=seed, **way).with_defaults(DEFAULTS) for seed in range(24)]
        draws = [Draw(Sampler(p, [0], size), row) for row, p in enumerate(params)]
        expected = [TokenChooser(p).choose(row) for p, row in zip(params, logits, strict=True)]
        assert [sample.token for sample in rows.sample(logits, draws)] == expected


@pytest.mark.parametrize("top_p", [0.01, 0.5, 0.95, 0.999, 0.999999])
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.6, 3.0, 9.0])
def test_nucleus_of_a_large_vocabulary(top_p: float, spread: float) -> None:
    """Where it has more tokens than are looked at one by one."""
    size = 60_000
    logits = make_rows(6, size, spread, 7)
    logits[3] = np.sort(logits[3])  # as vocabularies nearly are, by frequency
    logits[4, : size // 2] = logits[4].max()  # many equal weights
    params = [
        SamplingParams(temperature=0.8, top_p=top_p, seed=seed).with_defaults(DEFAULTS) for seed in range(6)
    ]
    draws = [Draw(Sampler(p, [0], size), row) for row, p in enumerate(params)]
    expected = [TokenChooser(p).choose(row) for p, row in zip(params, logits, strict=True)]
    assert [sample.token for sample in RowSampler(size).sample(logits, draws)] == expected


def test_choice_depends_neither_on_neighbours_nor_on_threads() -> None:
    size, team = 40_000, Team(3)
    logits = make_rows(40, size, 2.0, 1)
    together = RowSampler(size, 3, lambda kernel, *args: team.run(kernel, team.address, *args))
    alone = RowSampler(size)

    def draw(row: int, seed: int) -> Draw:
        return Draw(make_sampler(size, seed=seed, top_p=0.9, temperature=0.8, logprobs=2), row)

    try:
        samples = together.sample(logits.copy(), [draw(row, row) for row in range(40)])
    finally:
        team.close()
    for row, sample in enumerate(samples):
        assert alone.sample(logits[row : row + 1].copy(), [draw(0, row)]) == [sample]


def test_row_that_is_not_finite_is_an_error_of_its_own() -> None:
    for way in ({}, {"temperature": 0}, {"repetition_penalty": 1.5}, {"typical_p": 0.5}):
        logits = make_rows(6, 500, 1.0, 2)
        logits[1, 499], logits[2, 3], logits[4, 256] = np.nan, np.inf, -np.inf
        draws = [Draw(make_sampler(500, seed=row, **way), row) for row in range(6)]
        samples = RowSampler(500).sample(logits, draws)
        failed = [isinstance(sample, TritonchatError) for sample in samples]
        assert failed == [False, True, True, False, True, False]


def test_only_tokens_of_the_mask_are_chosen() -> None:
    size, allowed = 300, [3, 64, 299]
    mask = np.zeros(10, np.uint32)
    for token in allowed:
        mask[token // 32] |= np.uint32(1 << token % 32)
    for way in ({}, {"top_p": 0.99}, {"presence_penalty": 1}, {"mirostat": 2}, {"logprobs": 1}):
        logits = make_rows(1, size, 0.1, 3).repeat(60, axis=0)
        before = logits.copy()
        draws = [Draw(make_sampler(size, seed=row, **way), row, mask) for row in range(60)]
        samples = RowSampler(size).sample(logits, draws)
        assert {sample.token for sample in samples} == set(allowed)
        if "logprobs" in way:  # of the model, without the mask
            exact = before[0] - np.log(np.exp(before[0].astype(np.float64)).sum())
            assert samples[0].logprob.logprob == pytest.approx(exact[samples[0].token])


def test_mask_of_one_token_draws_no_random_number() -> None:
    def tokens(masks: list[np.ndarray | None]) -> list[int]:
        sampler, rows = make_sampler(100, seed=5), RowSampler(100)
        logits = make_rows(len(masks), 100, 1.0, 4)
        found = []
        for row, mask in enumerate(masks):
            sample = rows.sample(logits, [Draw(sampler, row, mask)])[0]
            assert isinstance(sample, Sample)
            found.append(sample.token)
        return found

    only_65 = np.array([0, 0, 2, 0], np.uint32)
    first, chosen, second = tokens([None, only_65, None])
    assert chosen == 65
    sampler, rows, logits = make_sampler(100, seed=5), RowSampler(100), make_rows(3, 100, 1.0, 4)
    assert [rows.sample(logits, [Draw(sampler, row)])[0].token for row in (0, 2)] == [first, second]


def test_penalties_count_many_different_tokens() -> None:
    """More than the memory that a request begins with."""
    size = 1000
    sampler, rows = make_sampler(size, temperature=0, frequency_penalty=1.0), RowSampler(size)
    logits = np.zeros((1, size), np.float32)
    found = [rows.sample(logits.copy(), [Draw(sampler, 0)])[0].token for _ in range(700)]
    assert found == list(range(700))


def test_vocabulary_that_ends_before_its_rows_needs_no_other_code() -> None:
    """The matrix of logits may have rows that stand for no token. Compiling again takes seconds."""
    compile_sampling()
    compiled, logits = list(choose_tokens.signatures), np.zeros((2, 64), np.float32)
    logits[1, 20], logits[:, 50:] = 1, 9
    params = SamplingParams(temperature=0).with_defaults(GenerationDefaults())
    (sample,) = RowSampler(50).sample(logits[:, :50], [Draw(Sampler(params, [0], 50), 1)])
    assert isinstance(sample, Sample) and sample.token == 20
    (alone,) = RowSampler(50).sample(logits[1, :50][None], [Draw(Sampler(params, [0], 50), 0)])
    assert alone == sample
    assert choose_tokens.signatures == compiled
