"""Ratings from votes: the Bradley-Terry model, in which P(i beats j) = s_i / (s_i + s_j).

`fit_strengths` finds the most likely strengths by the MM algorithm of Hunter, "MM algorithms for generalized
Bradley-Terry models" (2004). Ratings are strengths on Elo's scale: 400 points more are odds of 10 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

AVERAGE = 1000.0  # the rating of strength 1
_POINTS = 400.0  # for odds of 10 to 1
_TOLERANCE = 1e-5  # of the logarithm of a strength: 0.002 points
_MAX_STEPS = 5000
_SAMPLES = 300  # of the bootstrap
_INTERVAL = (2.5, 97.5)  # percentiles


@dataclass(frozen=True)
class Outcome:
    """A vote between two competitors. `score` is that of `left`: 1 for a win, 0.5 for a tie, 0 for a loss."""

    left: str
    right: str
    score: float


@dataclass(frozen=True)
class Rating:
    """A competitor, its number of votes of each kind, and its rating with a 95 % interval."""

    name: str
    wins: int
    ties: int
    losses: int
    rating: float
    low: float
    high: float

    @property
    def votes(self) -> int:
        """How many votes it was in."""
        return self.wins + self.ties + self.losses


def fit_strengths(wins: np.ndarray) -> np.ndarray:
    """The most likely strengths [..., n] for `wins` [..., n, n]; wins[i, j] is how often i has beaten j.

    Leading axes are problems of their own. Strengths are relative to the last competitor, whose is 1. They
    are finite if the competitors cannot be split into two groups of which one has never lost to the other.
    """
    games = wins + np.swapaxes(wins, -1, -2)
    total = wins.sum(-1)
    strengths = np.ones(wins.shape[:-1])
    for _ in range(_MAX_STEPS):
        expected = (games / (strengths[..., :, None] + strengths[..., None, :])).sum(-1)
        better = total / expected
        better /= better[..., -1:]
        is_done = np.max(np.abs(np.log(better / strengths))) < _TOLERANCE
        strengths = better
        if is_done:
            break
    return strengths


def rate(outcomes: Sequence[Outcome], seed: int = 0) -> list[Rating]:
    """The ratings of all competitors, the highest first. Outcomes between equal names are left out.

    A tie is half a win for each. Everybody has also tied once with an imaginary competitor whose rating is
    AVERAGE; so a rating is finite after any votes, and the first votes change it little. The intervals come
    from a parametric bootstrap: the same pairs vote again, as the fitted model predicts, without ties. They
    are rather too wide than too narrow where there were ties.
    """
    outcomes = [outcome for outcome in outcomes if outcome.left != outcome.right]
    names = sorted({name for outcome in outcomes for name in (outcome.left, outcome.right)})
    if not names:
        return []
    index, count = {name: number for number, name in enumerate(names)}, len(names)
    wins, ties = np.zeros((2, count, count))
    for outcome in outcomes:
        left, right = index[outcome.left], index[outcome.right]
        if outcome.score == 0.5:
            ties[left, right] += 1
            ties[right, left] += 1
        else:
            winner, loser = (left, right) if outcome.score else (right, left)
            wins[winner, loser] += 1
    strengths = fit_strengths(_add_imaginary(wins + ties / 2))[:-1]
    ratings = _to_ratings(strengths)
    low, high = np.percentile(_bootstrap(wins + wins.T + ties, strengths, seed), _INTERVAL, axis=0)
    rated = [
        Rating(
            name,
            *(int(table.sum()) for table in (wins[i], ties[i], wins[:, i])),
            *(float(value[i]) for value in (ratings, low, high)),
        )
        for name, i in index.items()
    ]
    return sorted(rated, key=lambda rating: -rating.rating)


def _bootstrap(games: np.ndarray, strengths: np.ndarray, seed: int) -> np.ndarray:
    """Ratings [_SAMPLES, n] after other votes of the same pairs; each had `games` [n, n] votes."""
    chance = strengths[:, None] / (strengths[:, None] + strengths)
    above = np.triu(games, 1).astype(np.int64)
    won = np.random.default_rng(seed).binomial(above, chance, (_SAMPLES, *games.shape))
    return _to_ratings(fit_strengths(_add_imaginary(won + np.swapaxes(above - won, -1, -2)))[:, :-1])


def _add_imaginary(wins: np.ndarray) -> np.ndarray:
    """`wins` [..., n + 1, n + 1] with a last competitor that has tied once with each of the others."""
    widths = [(0, 0)] * (wins.ndim - 2) + [(0, 1), (0, 1)]
    wider = np.pad(wins.astype(float), widths, constant_values=0.5)
    wider[..., -1, -1] = 0
    return wider


def _to_ratings(strengths: np.ndarray) -> np.ndarray:
    return AVERAGE + _POINTS * np.log10(strengths)
