"""What times of tiles and vectors decide. The times are given: the decision is a function of numbers."""

import random

import pytest

from model_core.kernels.tile_gains import LEAST_PAIRS, MOST_PAIRS, decide, find_gain, is_clear


def measure(vectors: float, tiles: float, noise: random.Random, share: float) -> list[tuple[float, float]]:
    """Pairs of times until they are clear; a share of them takes up to 20 times as long as alone."""

    def once(seconds: float) -> float:
        return seconds * (noise.uniform(1, 20) if noise.random() < share else noise.uniform(1, 1.02))

    pairs: list[tuple[float, float]] = []
    while not is_clear(pairs):
        pairs.append((once(vectors), once(tiles)))
    return pairs


@pytest.mark.parametrize("share", [0.0, 0.5, 0.7])
def test_other_work_does_not_refuse_faster_tiles(share: float) -> None:
    for seed in range(50):
        assert find_gain(measure(1.8, 1.0, random.Random(seed), share)) > 1.5


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_slower_tiles_are_found_slower(share: float) -> None:
    """Also beside other work: refusing takes all pairs, and both estimates agree."""
    for seed in range(50):
        pairs = measure(1.0, 2.0, random.Random(seed), share)
        if share == 0:
            assert len(pairs) == MOST_PAIRS
        assert find_gain(pairs) < 1


def test_what_is_clear_is_not_measured_for_long() -> None:
    assert len(measure(2.0, 1.0, random.Random(1), 0.0)) == LEAST_PAIRS


def test_work_that_comes_in_the_middle_of_one_load_alone_is_left_out() -> None:
    """All later times on tiles are long: the shortest ones tell."""
    pairs = [(1.8, 1.0)] * 2 + [(1.8, 4.0)] * (MOST_PAIRS - 2)
    assert find_gain(pairs) == pytest.approx(1.8)


def test_one_quiet_moment_of_vectors_does_not_refuse_tiles() -> None:
    """Each pair has the same neighbours, but for one time: most pairs tell."""
    pairs = [(9.0, 5.0)] * (MOST_PAIRS - 1) + [(1.8, 5.0)]
    assert find_gain(pairs) == pytest.approx(1.8)


def test_each_use_is_decided_by_itself() -> None:
    measured = {"int8": 1.77, "bfloat16": 5.35, "one row": 0.71}
    assert decide(measured) == (True, True)
    assert decide(measured | {"int8": 0.9}) == (False, True)
    assert decide(measured | {"bfloat16": 1.0, "one row": 3.0}) == (True, False)
    assert decide(measured | {"bfloat16": 1.4}) == (True, False)  # 1.4 times for prompts, 0.71 for one stream
