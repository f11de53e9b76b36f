"""From logits to the next token: what a request may ask for, and the choice itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from .config import GenerationDefaults
from .errors import InvalidRequest

# Without a bound, a request to a model of 128k positions could need more KV memory than there is.
DEFAULT_MAX_TOKENS = 2048
MAX_STOPS = 16
MAX_LOGPROBS = 20

# name -> (type, lowest, highest); the bounds are OpenAI's where OpenAI has the parameter
_RANGES: dict[str, tuple[type, float, float]] = {
    "max_tokens": (int, 1, 2**31 - 1),
    "temperature": (float, 0, 2),
    "top_p": (float, 0, 1),
    "top_k": (int, 0, 2**31 - 1),
    "min_p": (float, 0, 1),
    "repetition_penalty": (float, 0.01, 10),
    "presence_penalty": (float, -2, 2),
    "frequency_penalty": (float, -2, 2),
    "seed": (int, -(2**63), 2**63 - 1),
    "logprobs": (int, 0, MAX_LOGPROBS),
    "timeout_s": (float, 0, 86400 * 7),
}


@dataclass(frozen=True)
class SamplingParams:
    """How an answer is made. None leaves the choice to the checkpoint, or to the defaults here.

    Attributes:
        max_tokens: at most this many tokens; None: until the model stops, at most DEFAULT_MAX_TOKENS.
        temperature: 0 always takes the likeliest token; 1 samples as the model says.
        top_p: sample from the likeliest tokens that together reach this probability (Holtzman et
            al., 2019, arXiv:1904.09751).
        top_k: sample from this many likeliest tokens; 0: from all.
        min_p: leave out tokens below this fraction of the likeliest one's probability
            (arXiv:2407.01082).
        repetition_penalty: divide the logits of tokens seen in prompt or answer (Keskar et al., 2019,
            arXiv:1909.05858).
        presence_penalty, frequency_penalty: take this from the logits of tokens in the answer so far,
            once or as often as they stand there (OpenAI's definition).
        stop: the answer ends before the first of these strings.
        seed: another seed, another answer; the same seed, the same answer, always.
        logit_bias: token id -> what is added to its logit.
        logprobs: report log probabilities, with this many alternatives a token.
        ignore_eos: go on past the model's end token.
        timeout_s: seconds after which the request is cut off wherever it is.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int = 0
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    logprobs: int | None = None
    ignore_eos: bool = False
    timeout_s: float | None = None

    def __post_init__(self) -> None:
        """Raises InvalidRequest, in one sentence, where a value is of the wrong type or out of range."""
        for name, (kind, low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is None:
                # None is what OpenAI's clients send for "not said".
                object.__setattr__(self, name, getattr(type(self), name))
                continue
            object.__setattr__(self, name, _number(name, value, kind, low, high))
        object.__setattr__(self, "stop", _stop_strings(self.stop))
        object.__setattr__(self, "logit_bias", _biases(self.logit_bias))
        if not isinstance(self.ignore_eos, bool):
            raise InvalidRequest(f"ignore_eos must be true or false, not {_shown(self.ignore_eos)}.")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "SamplingParams":
        """From names and values that came in as JSON. Raises InvalidRequest for a name it does not know."""
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise InvalidRequest(f"unknown parameter {_shown(name)}; known are {', '.join(known)}.")
        return cls(**values)

    def with_defaults(self, defaults: GenerationDefaults) -> "SamplingParams":
        """The same, with the checkpoint's recommendations where this says nothing."""
        names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
        return replace(self, **{n: getattr(defaults, n) for n in names if getattr(self, n) is None})


@dataclass(frozen=True)
class TokenLogprob:
    """A token's log probability under the model, before penalties, bias and temperature.

    `top` holds the likeliest alternatives, the likeliest first, as (token id, log probability).
    """

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]


class Sampler:
    """Chooses the tokens of one request. Its only state comes from that request."""

    def __init__(self, params: SamplingParams, prompt: list[int], vocab_size: int) -> None:
        """`params` with defaults filled in. Raises InvalidRequest if a biased token does not exist."""
        outside = [token for token in params.logit_bias if not 0 <= token < vocab_size]
        if outside:
            raise InvalidRequest(
                f"logit_bias names token {outside[0]}, but the model's tokens go from 0 to {vocab_size - 1}."
            )
        self._params = params
        self._random = np.random.Generator(np.random.PCG64(params.seed % 2**64))
        # The likeliest token's distance to itself, zero, must not be divided by what float32 takes for zero.
        self._temperature = np.float32(max(params.temperature, 1e-20))
        self._bias_tokens = np.array(list(params.logit_bias), np.int64)
        self._bias = np.array(list(params.logit_bias.values()), np.float32)
        self._seen = self._counts = None
        if params.repetition_penalty != 1:
            self._seen = np.zeros(vocab_size, bool)
            self._seen[prompt] = True
        if params.presence_penalty or params.frequency_penalty:
            self._counts = np.zeros(vocab_size, np.int32)
        adjusted = self._seen is not None or self._counts is not None or bool(len(self._bias))
        self._takes_likeliest = params.temperature == 0 and not adjusted

    def sample(self, logits: np.ndarray, likeliest: int) -> tuple[int, TokenLogprob | None]:
        """The next token for float32 logits [vocabulary], and its log probability if it was asked for.

        `likeliest` is the index of the largest, the first of equals.
        """
        token = likeliest if self._takes_likeliest else self._choose(self._adjusted(logits))
        if self._counts is not None:
            self._counts[token] += 1
        if self._seen is not None:
            self._seen[token] = True
        wanted = self._params.logprobs
        return token, None if wanted is None else _logprob(logits, token, wanted)

    def _adjusted(self, logits: np.ndarray) -> np.ndarray:
        params = self._params
        if self._seen is None and self._counts is None and not len(self._bias):
            return logits
        logits = logits.copy()
        if len(self._bias):
            logits[self._bias_tokens] += self._bias
        if self._seen is not None:
            seen = logits[self._seen]
            penalty = np.float32(params.repetition_penalty)
            logits[self._seen] = np.where(seen > 0, seen / penalty, seen * penalty)
        if self._counts is not None:
            logits -= np.float32(params.presence_penalty) * (self._counts > 0)
            logits -= np.float32(params.frequency_penalty) * self._counts
        return logits

    def _choose(self, logits: np.ndarray) -> int:
        params = self._params
        if params.temperature == 0:
            return int(np.argmax(logits))
        weights = logits - logits.max()
        weights /= self._temperature  # in place, because every new large array costs page faults
        np.exp(weights, out=weights)  # 1 for the likeliest
        ids = None  # all, in their own order
        if params.top_k:
            ids = _likeliest(logits, params.top_k)
            weights = weights[ids]
        if params.top_p < 1:
            kept = _nucleus(weights, params.top_p)
            ids, weights = kept if ids is None else ids[kept], weights[kept]
        if params.min_p > 0:
            weights[weights < np.float32(params.min_p)] = 0
        chosen = _draw(weights, self._random.random())
        return chosen if ids is None else int(ids[chosen])


def _likeliest(values: np.ndarray, count: int) -> np.ndarray:
    """The indices of the `count` largest values, the largest first, ties by index; int [count]."""
    groups = 8 * count
    if groups >= len(values):
        return np.argsort(-values, kind="stable")[:count]
    # The count-th largest of the groups' best is a bound that at least `count` values reach, and few more.
    best = values[: len(values) // groups * groups].reshape(-1, groups).max(axis=0)
    found = np.flatnonzero(values >= np.partition(best, -count)[-count])
    return found[np.argsort(-values[found], kind="stable")[:count]]


def _nucleus(weights: np.ndarray, top_p: float) -> np.ndarray:
    """The largest weights that together reach the fraction `top_p` of all: int, indices.

    The one that crosses the threshold still belongs; the largest always does.
    """
    enough = top_p * float(weights.sum(dtype=np.float64))
    likeliest = _likeliest(weights, min(128, len(weights)))
    reached = np.cumsum(weights[likeliest], dtype=np.float64)
    if reached[-1] >= enough:
        return likeliest[: int(np.searchsorted(reached, enough)) + 1]
    # Values alone are sorted much sooner than their indices.
    descending = np.sort(weights)[::-1]
    count = int(np.searchsorted(np.cumsum(descending, dtype=np.float64), enough)) + 1
    least = descending[min(count, len(weights)) - 1]
    above, ties = np.flatnonzero(weights > least), np.flatnonzero(weights == least)
    return np.concatenate([above, ties[: count - len(above)]])


def _draw(weights: np.ndarray, at: float) -> int:
    """The index at which the running sum of weights passes the fraction `at`, from 0 to below 1, of all.

    By sums of blocks first, which NumPy adds up much sooner than a running sum.
    """
    block = 256
    sums = np.add.reduceat(weights, np.arange(0, len(weights), block), dtype=np.float64)
    ends = np.concatenate([[0.0], np.cumsum(sums)])
    point = at * ends[-1]
    first = int(np.searchsorted(ends, point, side="right")) - 1
    inside = np.cumsum(weights[first * block : (first + 1) * block], dtype=np.float64)
    # The same sum in another order may end a little below.
    point = min(point - ends[first], np.nextafter(inside[-1], 0))
    return first * block + int(np.searchsorted(inside, point, side="right"))


def _logprob(logits: np.ndarray, token: int, top: int) -> TokenLogprob:
    best = logits.max()
    # Summed in float64, float32's exp costs the logarithm no more than 1e-7.
    log_sum = float(best) + math.log(np.exp(logits - best).sum(dtype=np.float64))
    likeliest = _likeliest(logits, top) if top else ()
    return TokenLogprob(
        token, float(logits[token]) - log_sum, tuple((int(i), float(logits[i]) - log_sum) for i in likeliest)
    )


def _number(name: str, value: Any, kind: type, low: float, high: float) -> int | float:
    what = "a whole number" if kind is int else "a number"
    valid = isinstance(value, int) if kind is int else isinstance(value, int | float)
    if not valid or isinstance(value, bool) or value != value:  # NaN alone differs from itself
        raise InvalidRequest(f"{name} must be {what}, not {_shown(value)}.")
    if not low <= value <= high:
        raise InvalidRequest(f"{name} must be between {low} and {high}, not {_shown(value)}.")
    return kind(value)


def _stop_strings(value: Any) -> tuple[str, ...]:
    stops = (value,) if isinstance(value, str) else value
    if stops is None:
        return ()
    if not isinstance(stops, list | tuple) or not all(
        isinstance(s, str) and 0 < len(s) <= 256 for s in stops
    ):
        raise InvalidRequest("stop must be a string or a list of strings, each of 1 to 256 characters.")
    if len(stops) > MAX_STOPS:
        raise InvalidRequest(f"stop holds {len(stops)} strings, but at most {MAX_STOPS} are allowed.")
    return tuple(stops)


def _biases(value: Any) -> dict[int, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest("logit_bias must map token ids to numbers.")
    biases = {}
    for token, bias in value.items():
        try:
            token = int(token)
        except (TypeError, ValueError):
            raise InvalidRequest(f"logit_bias must map token ids to numbers, not {_shown(token)}.") from None
        biases[token] = float(_number(f"the logit_bias of token {token}", bias, float, -100, 100))
    return biases


def _shown(value: Any) -> str:
    """A value short enough for an error message."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
