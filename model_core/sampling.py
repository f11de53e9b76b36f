"""The parameters of a request: how the tokens of its answer are chosen, and when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from .config import GenerationDefaults
from .errors import InvalidRequest

# Without a limit, a request to a model of 128k positions could need more KV memory than there is.
DEFAULT_MAX_TOKENS = 2048
MAX_TOKEN_COUNT = 2**31 - 1
MAX_STOP_STRINGS = 16
MAX_LOGPROBS = 20

# name -> (type, lowest, highest); the limits are OpenAI's where OpenAI has the parameter
_RANGES: dict[str, tuple[type, float, float]] = {
    "max_tokens": (int, 1, MAX_TOKEN_COUNT),
    "temperature": (float, 0, 2),
    "top_p": (float, 0, 1),
    "top_k": (int, 0, MAX_TOKEN_COUNT),
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
    """How the tokens of an answer are chosen. None takes the checkpoint's default, or the one given here.

    Attributes:
        max_tokens: the largest number of tokens; None: DEFAULT_MAX_TOKENS.
        temperature: 0 always chooses the likeliest token; 1 samples from the model's own probabilities.
        top_p: sample from the likeliest tokens that together reach this probability (Holtzman et
            al., 2019, arXiv:1904.09751).
        top_k: sample from this many likeliest tokens; 0: from all.
        min_p: leave out tokens below this fraction of the likeliest one's probability
            (arXiv:2407.01082).
        repetition_penalty: divide the logits of tokens seen in prompt or answer (Keskar et al., 2019,
            arXiv:1909.05858).
        presence_penalty, frequency_penalty: subtract this from the logits of tokens in the answer so far,
            once, or as many times as the token occurs (OpenAI's definition).
        stop: the answer ends before the first of these strings.
        seed: of the random numbers; the same request with the same seed always gets the same answer.
        logit_bias: token id -> number that is added to its logit.
        logprobs: report log probabilities, with this many alternatives for each token.
        ignore_eos: do not stop at the model's end token.
        timeout_s: seconds after which the request is ended, running or waiting.
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
                # OpenAI's clients send null for a parameter that is not set.
                object.__setattr__(self, name, getattr(type(self), name))
                continue
            object.__setattr__(self, name, _parse_number(name, value, kind, low, high))
        object.__setattr__(self, "stop", _parse_stop(self.stop))
        object.__setattr__(self, "logit_bias", _parse_logit_bias(self.logit_bias))
        if not isinstance(self.ignore_eos, bool):
            raise InvalidRequest(f"ignore_eos must be true or false, not {_shorten(self.ignore_eos)}.")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "SamplingParams":
        """Parameters from JSON names and values. Raises InvalidRequest for an unknown name or wrong value."""
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise InvalidRequest(f"unknown parameter {_shorten(name)}; known are {', '.join(known)}.")
        return cls(**values)

    def with_defaults(self, defaults: GenerationDefaults) -> "SamplingParams":
        """The same parameters, with the checkpoint's defaults for those that are None."""
        names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
        return replace(self, **{n: getattr(defaults, n) for n in names if getattr(self, n) is None})


def _parse_number(name: str, value: Any, kind: type, low: float, high: float) -> int | float:
    kind_name = "a whole number" if kind is int else "a number"
    valid = isinstance(value, int) if kind is int else isinstance(value, int | float)
    if not valid or isinstance(value, bool) or value != value:  # NaN alone differs from itself
        raise InvalidRequest(f"{name} must be {kind_name}, not {_shorten(value)}.")
    if not low <= value <= high:
        raise InvalidRequest(f"{name} must be between {low} and {high}, not {_shorten(value)}.")
    return kind(value)


def _parse_stop(value: Any) -> tuple[str, ...]:
    stops = (value,) if isinstance(value, str) else value
    if stops is None:
        return ()
    if not isinstance(stops, list | tuple) or not all(
        isinstance(s, str) and 0 < len(s) <= 256 for s in stops
    ):
        raise InvalidRequest("stop must be a string or a list of strings, each of 1 to 256 characters.")
    if len(stops) > MAX_STOP_STRINGS:
        raise InvalidRequest(f"stop holds {len(stops)} strings, but at most {MAX_STOP_STRINGS} are allowed.")
    return tuple(stops)


def _parse_logit_bias(value: Any) -> dict[int, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest("logit_bias must map token ids to numbers.")
    biases = {}
    for token, bias in value.items():
        try:
            token = int(token)
        except (TypeError, ValueError):
            raise InvalidRequest(
                f"logit_bias must map token ids to numbers, not {_shorten(token)}."
            ) from None
        biases[token] = float(_parse_number(f"the logit_bias of token {token}", bias, float, -100, 100))
    return biases


def _shorten(value: Any) -> str:
    """A value short enough for an error message."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
