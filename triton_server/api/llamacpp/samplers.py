"""llama.cpp's samplers: which of them a request uses, and in which order."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from model_core.checks.request_values import shorten
from model_core.errors import InvalidRequest
from model_core.requests.sampling import SamplingFields

from ..errors import unsupported

_LETTERS = {
    **{"e": "penalties", "d": "dry", "s": "top_n_sigma", "k": "top_k", "y": "typ_p", "p": "top_p"},
    **{"m": "min_p", "x": "xtc", "t": "temperature", "i": "infill"},
}
_OTHER_NAMES = {"typical_p": "typ_p"}
# In the order of this service (docs/parameters.md). Sampler -> the fields with which it has no effect.
_NEUTRAL: dict[str, dict[str, Any]] = {
    "penalties": {"repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0},
    "dry": {"dry_multiplier": 0.0},
    "temperature": {"temperature": 1.0},
    "top_n_sigma": {"top_n_sigma": 0.0},
    "top_k": {"top_k": 0},
    "typ_p": {"typical_p": 1.0},
    "top_p": {"top_p": 1.0},
    "min_p": {"min_p": 0.0},
    "xtc": {"xtc_probability": 0.0},
}
ORDER = tuple(_NEUTRAL)
# The defaults that no model changes.
_DEFAULTS = {
    name: default
    for neutral in _NEUTRAL.values()
    for name in neutral
    if (default := SamplingFields.model_fields[name].default) is not None
}
INFILL = "infill"  # joins tokens with the same beginning; this service lacks it
# These leave out the same tokens before and after the temperature divides the logits.
_RANKS = {"temperature", "top_n_sigma", "top_k"}
# These never leave out the likeliest token, so greedy sampling does not depend on their order.
_KEEP_LIKELIEST = {*_RANKS, "top_p", "min_p"}


def read_samplers(value: Sequence[str] | str | None) -> list[str] | None:
    """The names in the field `samplers`; None if it is missing. Raises InvalidRequest or ApiError."""
    if value is None:
        return None
    given = [_LETTERS.get(letter, letter) for letter in value] if isinstance(value, str) else list(value)
    names = [_OTHER_NAMES.get(name, name) for name in given]
    known = (*ORDER, INFILL)
    for name in names:
        if name not in known:
            raise InvalidRequest(f"samplers has {shorten(name)}; there are {', '.join(known)}.", "samplers")
    if len(set(names)) < len(names):
        raise unsupported("samplers", "samplers has a name twice, but each sampler is used once here.")
    return names


def apply_samplers(
    names: Sequence[str], fields: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a request that uses these samplers only. `defaults`: the model's.

    Raises ApiError if they are in another order than here, and this changes what is sampled.
    """
    if fields.get("mirostat"):  # it takes their place, there and here
        return dict(fields)
    changed = dict(fields)
    for sampler, neutral in _NEUTRAL.items():
        if sampler not in names:
            changed |= neutral
    values = {**_DEFAULTS, **defaults, **changed}
    used = [name for name in names if name in _NEUTRAL and not _is_neutral(name, values)]
    free = _KEEP_LIKELIEST if values.get("temperature") == 0 else _RANKS
    for first, second in itertools.combinations(used, 2):
        if ORDER.index(first) > ORDER.index(second) and not _commute(first, second, free):
            raise unsupported(
                "samplers",
                f"samplers has {first} before {second}, but the order is {', '.join(ORDER)}; send it so, or "
                "leave samplers out.",
            )
    return changed


def _commute(first: str, second: str, free: Collection[str]) -> bool:
    """Whether the order of two samplers does not matter."""
    is_free = first in free and second in free
    return is_free and (free is _KEEP_LIKELIEST or "temperature" in (first, second))


def _is_neutral(sampler: str, fields: Mapping[str, Any]) -> bool:
    """Whether the fields say that a sampler does nothing. A missing one may have another default."""
    return all(fields.get(name) == value for name, value in _NEUTRAL[sampler].items())


def check_last_n(last_n: int | None, fields: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raises ApiError if `repeat_last_n` would change an answer."""
    values = {**_DEFAULTS, **defaults, **fields}
    if last_n not in (None, -1) and not _is_neutral("penalties", values):
        raise unsupported(
            "repeat_last_n", "penalties count all tokens; send -1 as repeat_last_n, or leave it out."
        )
