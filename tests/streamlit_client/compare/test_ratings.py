"""Ratings, against cases solved by hand, and against votes of a model that is known."""

import numpy as np
import pytest

from streamlit_client.compare.ratings import AVERAGE, Outcome, fit_strengths, rate


def test_strengths_of_two_are_their_wins():
    wins = np.array([[0, 6], [2, 0]])
    assert fit_strengths(wins) == pytest.approx([3, 1])


def test_strengths_of_three():
    """a beats b 2 to 1, b beats c 2 to 1, a beats c 4 to 1: a : b : c = 4 : 2 : 1 explains all exactly."""
    wins = np.array([[0, 2, 4], [1, 0, 2], [1, 1, 0]])
    assert fit_strengths(wins) == pytest.approx([4, 2, 1], rel=1e-3)


def test_strengths_that_no_ratios_of_wins_give():
    """a beats b 3 to 1, b and c are even after 2, a has not met c. Then a is 3 times b, and b is c."""
    wins = np.array([[0, 3, 0], [1, 0, 1], [0, 1, 0]])
    assert fit_strengths(wins) == pytest.approx([3, 1, 1], rel=1e-3)


def test_fits_many_problems_at_once():
    problems = np.array([[[0, 6], [2, 0]], [[0, 1], [5, 0]]])
    assert fit_strengths(problems) == pytest.approx(np.array([[3, 1], [0.2, 1]]))


def test_one_vote():
    """By symmetry s_b = 1 / s_a. Hunter's equation for a, with s for s_a: 1.5 = s² / (s² + 1) + s / (s + 1).

    It is s³ - s² - s - 3 = 0, whose real root is 2.13039543...
    """
    first, second = rate([Outcome("b", "a", 0)])
    assert (first.name, second.name) == ("a", "b")
    assert first.rating - AVERAGE == pytest.approx(400 * np.log10(2.13039543), abs=0.1)
    assert second.rating - AVERAGE == pytest.approx(AVERAGE - first.rating, abs=0.1)
    assert first.low < AVERAGE < first.high  # one vote proves nothing


def test_tie_is_half_a_win_for_each():
    ratings = rate([Outcome("a", "b", 0.5), Outcome("b", "a", 0.5)])
    assert [(r.wins, r.ties, r.losses, r.votes) for r in ratings] == [(0, 2, 0, 2)] * 2
    assert [r.rating for r in ratings] == pytest.approx([AVERAGE] * 2)
    one_each = rate([Outcome("a", "b", 1), Outcome("b", "a", 1)])
    assert [r.rating for r in one_each] == pytest.approx([AVERAGE] * 2)
    assert [(r.wins, r.losses) for r in one_each] == [(1, 1)] * 2


def test_side_does_not_matter():
    votes = [Outcome("a", "b", 1), Outcome("c", "a", 0.5), Outcome("b", "c", 0)]
    mirrored = [Outcome(vote.right, vote.left, 1 - vote.score) for vote in votes]
    straight, turned = rate(votes), rate(mirrored)
    assert [(r.name, r.wins, r.ties, r.losses) for r in straight] == [
        (r.name, r.wins, r.ties, r.losses) for r in turned
    ]
    assert [r.rating for r in straight] == pytest.approx([r.rating for r in turned])


def test_who_has_won_all_has_a_finite_rating():
    best, worst = rate([Outcome("a", "b", 1)] * 50)
    assert np.isfinite([best.low, best.rating, best.high, worst.low, worst.rating, worst.high]).all()
    assert worst.high < best.low


def test_nothing_to_rate():
    assert rate([]) == []
    assert rate([Outcome("a", "a", 1)]) == []


def test_intervals_hold_the_truth_and_shrink():
    """The intervals hold the ratings of the model that made the votes, and are narrower after more votes."""
    strengths = {"a": 10 ** (100 / 400), "b": 10 ** (-100 / 400)}
    chance = strengths["a"] / sum(strengths.values())
    random = np.random.default_rng(1)
    widths = []
    for count in (40, 1000):
        votes = [Outcome("a", "b", float(random.random() < chance)) for _ in range(count)]
        ratings = {rating.name: rating for rating in rate(votes)}
        assert ratings["a"].low < AVERAGE + 100 < ratings["a"].high
        assert ratings["b"].low < AVERAGE - 100 < ratings["b"].high
        widths.append(ratings["a"].high - ratings["a"].low)
    assert widths[1] < widths[0] / 3
