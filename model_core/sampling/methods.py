"""Chooses a token by its logits: all ways of sampling, in one order.

1. The temperature divides the logits.
2. `top_n_sigma` leaves out tokens whose logits are far below the largest.
3. `top_k` keeps the likeliest tokens, so many.
4. `typical_p` keeps tokens whose surprise is near the entropy of the distribution.
5. `top_p` keeps the likeliest tokens that together have this probability.
6. `min_p` leaves out what is much less likely than the likeliest.
7. XTC at times leaves out all likely tokens but one.
8. One of the tokens that are left is drawn, in proportion to its probability.

Each step sees the probabilities that the steps before it have left, as shares of their sum. With `mirostat`,
its limit takes the place of steps 2 to 7. A temperature of 0 takes the likeliest token without any of these.

All sums and exponentials have the same bits on every processor, and so the same token is drawn.

`TokenChooser.choose` is the specification. kernels/sampling/choice.py does the same for many rows at once,
without the ways that few requests use: `top_n_sigma`, `typical_p`, XTC and `mirostat`.
"""

import math
from collections import deque

import numpy as np

from ..kernels.sampling.token_weights import weigh_tokens
from ..machine.exact_math import log
from ..requests.sampling import FilledParams

_LN_2 = math.log(2)
# temperature, min_p, top_k, top_p and fraction of CHOICE (kernels/sampling/choice.py)
ChoiceSettings = tuple[float | np.float32, float, int, float, float]


class TokenChooser:
    """Chooses the tokens of one request, with random numbers of its own."""

    def __init__(self, params: FilledParams) -> None:
        self._params = params
        self._random = np.random.Generator(np.random.PCG64(params.seed % 2**64))
        self._fractions: deque[float] = deque()  # random numbers that are foreseen, and not yet used
        # For the likeliest token, 0 is divided by the temperature, which must not be 0 in float32.
        self._temperature = np.float32(max(params.temperature, 1e-20))
        self._mirostat = Mirostat(params.mirostat_tau, params.mirostat_eta) if params.mirostat else None
        self._settings: ChoiceSettings = (0.0, 0.0, 0, 1.0, 0.0)
        if params.temperature != 0:
            self._settings = (self._temperature, params.min_p, params.top_k, params.top_p, 0.0)
        # Whether kernels/sampling/choice.py has no such way.
        is_rare = params.typical_p < 1 or params.top_n_sigma > 0 or params.xtc_probability > 0
        self.is_rare = params.temperature > 0 and (self._mirostat is not None or is_rare)

    def draw(self) -> ChoiceSettings:
        """How the next token is to be chosen, with a random number if one is needed."""
        if self._params.temperature == 0:
            return self._settings
        return (*self._settings[:-1], self._next_fraction())

    def foresee(self, index: int) -> ChoiceSettings:
        """What `draw` will return after `index` other calls."""
        if self._params.temperature == 0:
            return self._settings
        while len(self._fractions) <= index:
            self._fractions.append(self._random.random())
        return (*self._settings[:-1], self._fractions[index])

    def _next_fraction(self) -> float:
        """The next random number, from 0 to below 1."""
        return self._fractions.popleft() if self._fractions else self._random.random()

    def choose(self, logits: np.ndarray) -> int:
        """The next token for float32 logits [vocabulary]; tokens of -inf are never chosen."""
        if self._params.temperature == 0:
            return int(np.argmax(logits))
        if self._mirostat is not None:
            largest = logits.max()
            weights = weigh_tokens(logits, largest, self._temperature)
            scaled = _scale(logits, largest, self._temperature)
            return self._mirostat.choose(scaled, weights, self._next_fraction())
        weights, ids = self._weigh(logits)
        if self._params.xtc_probability > 0 and self._next_fraction() < self._params.xtc_probability:
            weights = exclude_top_choices(weights, self._params.xtc_threshold)
        index = sample_index(weights, self._next_fraction())
        return index if ids is None else int(ids[index])

    def distribution(self, logits: np.ndarray) -> np.ndarray:
        """The probability with which `choose` takes each token: float64 [vocabulary]. Mirostat is ignored."""
        chances = np.zeros(len(logits))
        if self._params.temperature == 0:
            chances[np.argmax(logits)] = 1
            return chances
        weights, ids = self._weigh(logits)
        shares = weights / weights.sum(dtype=np.float64)
        if excluding := self._params.xtc_probability:
            left = exclude_top_choices(weights, self._params.xtc_threshold)
            shares = (1 - excluding) * shares + excluding * left / left.sum(dtype=np.float64)
        chances[slice(None) if ids is None else ids] = shares
        return chances

    def _weigh(self, logits: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Weights in proportion to which one of the tokens is drawn, and their ids; None: of all tokens.

        The temperature is above 0.
        """
        params, largest = self._params, logits.max()
        weights = weigh_tokens(logits, largest, self._temperature)
        if params.top_n_sigma > 0:
            weights[logits < largest - np.float32(params.top_n_sigma * _deviation(logits))] = 0
        ids = None  # of the weights; None: all tokens, in their own order
        if params.top_k > 0:
            ids = np.sort(find_largest(logits, params.top_k))
            weights = weights[ids]
        if params.typical_p < 1:
            scaled = _scale(logits if ids is None else logits[ids], largest, self._temperature)
            typical = np.sort(find_typical(scaled, weights, params.typical_p))
            ids, weights = typical if ids is None else ids[typical], weights[typical]
        if params.top_p < 1:
            nucleus = np.sort(find_nucleus(weights, params.top_p))
            ids, weights = nucleus if ids is None else ids[nucleus], weights[nucleus]
        if params.min_p > 0:
            weights[weights < np.float32(params.min_p) * weights.max()] = 0
        return weights, ids


class Mirostat:
    """Holds the surprise of the answer's tokens near a target, by a limit that follows it (Mirostat 2.0).

    Basu et al., 2020, arXiv:2007.14966. The surprise of a token is -log2 of its probability before tokens are
    left out, so `tau` is the cross entropy of the answer in bits a token.
    """

    def __init__(self, tau: float, eta: float) -> None:
        """`tau`: the target, in bits. `eta`: the rate at which the limit follows."""
        self._tau, self._eta = tau, eta
        self._limit = 2 * tau  # mu in the paper: tokens with more surprise are left out

    def choose(self, scaled: np.ndarray, weights: np.ndarray, fraction: float) -> int:
        """The next token for log probabilities plus a constant, and the weights in proportion to them.

        `fraction`: a random number.
        """
        log_sum = log(float(weights.sum(dtype=np.float64)))
        is_kept = scaled >= np.float32(log_sum - self._limit * _LN_2)
        if not is_kept.any():
            is_kept = scaled == scaled.max()
        index = sample_index(np.where(is_kept, weights, np.float32(0)), fraction)
        surprise = (log_sum - float(scaled[index])) / _LN_2
        self._limit -= self._eta * (surprise - self._tau)
        return index


def find_largest(values: np.ndarray, count: int) -> np.ndarray:
    """The indices of the `count` largest values, the largest first, ties by index; int [count]."""
    groups = 8 * count
    if groups >= len(values):
        return np.argsort(-values, kind="stable")[:count]
    # At least `count` values, and few more, reach the count-th largest maximum of the groups.
    maxima = values[: len(values) // groups * groups].reshape(-1, groups).max(axis=0)
    candidates = np.flatnonzero(values >= np.partition(maxima, -count)[-count])
    return candidates[np.argsort(-values[candidates], kind="stable")[:count]]


def exclude_top_choices(weights: np.ndarray, threshold: float) -> np.ndarray:
    """The weights of tokens without those that reach `threshold`, a share of the sum, but the least likely.

    If only one reaches it, it stays. (XTC: github.com/oobabooga/text-generation-webui/pull/6335.)
    """
    least = np.float32(threshold * float(weights.sum(dtype=np.float64)))
    top, kept = np.flatnonzero((weights > 0) & (weights >= least)), weights.copy()
    kept[top[weights[top] > weights[top].min(initial=np.inf)]] = 0
    return kept


def _deviation(logits: np.ndarray) -> float:
    """The standard deviation of the logits that are not -inf."""
    finite = logits[np.isfinite(logits)].astype(np.float64)
    distances = finite - finite.sum() / len(finite)
    return math.sqrt(np.square(distances).sum() / len(finite))


def find_typical(scaled: np.ndarray, weights: np.ndarray, typical_p: float) -> np.ndarray:
    """The indices of the most typical tokens whose weights reach the fraction `typical_p` of the sum of all.

    A token is the more typical, the nearer its surprise is to the entropy, the mean of all surprises (Meister
    et al., 2022, arXiv:2202.00666). The token that crosses the threshold is included, so there is always one.
    """
    possible = np.flatnonzero(weights)
    scaled, weights = scaled[possible], weights[possible]
    total = float(weights.sum(dtype=np.float64))
    # The surprise of a token is log(total) - scaled, and log(total) is in the entropy, too.
    distances = np.abs(scaled - float((weights * scaled).sum(dtype=np.float64)) / total)
    count = 256
    while True:  # sort the nearest only: mostly, few tokens have nearly all of the probability
        nearest = find_largest(-distances, min(count, len(distances)))
        sums = np.cumsum(weights[nearest], dtype=np.float64)
        if sums[-1] >= typical_p * total or len(nearest) == len(distances):
            return possible[nearest[: int(np.searchsorted(sums, typical_p * total)) + 1]]
        count *= 8


def find_nucleus(weights: np.ndarray, top_p: float) -> np.ndarray:
    """The indices of the largest weights whose sum reaches the fraction `top_p` of the sum of all.

    They include the weight that crosses the threshold, so there is always one (Holtzman et al., 2019,
    arXiv:1904.09751).
    """
    threshold = top_p * float(weights.sum(dtype=np.float64))
    largest = find_largest(weights, min(128, len(weights)))
    sums = np.cumsum(weights[largest], dtype=np.float64)
    if sums[-1] >= threshold:
        return largest[: int(np.searchsorted(sums, threshold)) + 1]
    # Sorting values is much faster than sorting indices.
    descending = np.sort(weights)[::-1]
    count = int(np.searchsorted(np.cumsum(descending, dtype=np.float64), threshold)) + 1
    smallest = descending[min(count, len(weights)) - 1]
    above, ties = np.flatnonzero(weights > smallest), np.flatnonzero(weights == smallest)
    return np.concatenate([above, ties[: count - len(above)]])


def sample_index(weights: np.ndarray, fraction: float) -> int:
    """The index at which the running sum of weights exceeds `fraction`, from 0 to below 1, of their sum.

    It looks at the sums of blocks first: NumPy computes them much faster than a running sum.
    """
    block = 256
    sums = np.add.reduceat(weights, np.arange(0, len(weights), block), dtype=np.float64)
    ends = np.concatenate([[0.0], np.cumsum(sums)])
    point = fraction * ends[-1]
    first = int(np.searchsorted(ends, point, side="right")) - 1
    inside = np.cumsum(weights[first * block : (first + 1) * block], dtype=np.float64)
    # The same sum in another order may end a little below.
    point = min(point - ends[first], np.nextafter(inside[-1], 0))
    return first * block + int(np.searchsorted(inside, point, side="right"))


def log_of_sum(logits: np.ndarray) -> float:
    """log(sum(exp(logits)))."""
    largest = logits.max()
    return float(largest) + log(float(weigh_tokens(logits, largest, np.float32(1)).sum(dtype=np.float64)))


def _scale(logits: np.ndarray, largest: np.float32, temperature: np.float32) -> np.ndarray:
    """What `weigh_tokens` exponentiates."""
    return (logits - largest) * (np.float32(1) / temperature)
