"""The field `generation_settings`: how an answer was made, by llama.cpp's names."""

from collections.abc import Mapping, Sequence
from typing import Any

from model_core.requests.sampling import DEFAULT_MAX_TOKENS, SamplingFields

from ...contract.request_fields import Request
from .samplers import ORDER
from .schemas import RANDOM_SEEDS

# llama.cpp's names -> those of this service.
_NAMES = {
    name: name
    for name in (
        *("temperature", "top_k", "top_p", "min_p", "top_n_sigma", "xtc_probability", "xtc_threshold"),
        *("typical_p", "presence_penalty", "frequency_penalty", "mirostat", "mirostat_tau", "mirostat_eta"),
        *("dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"),
        "ignore_eos",
    )
} | {"repeat_penalty": "repetition_penalty"}
# What this service does not have, by the values that say so.
_ABSENT: dict[str, Any] = {
    "dynatemp_range": 0.0,
    "dynatemp_exponent": 1.0,
    "repeat_last_n": -1,
    "n_keep": 0,
    "n_discard": 0,
    "min_keep": 0,
    "post_sampling_probs": False,
    "lora": [],
}


def generation_settings(
    request: Request | None, defaults: Mapping[str, Any], samplers: Sequence[str] = ORDER
) -> dict[str, Any]:
    """How the answer to a request is made; None: to one that says nothing of it.

    `defaults`: the model's; a parameter of which nothing is known is null. `samplers`: those that are used.
    """
    sent = request.model_dump(exclude_unset=True) if request is not None else {}
    settings: dict[str, Any] = {}
    for name, own in _NAMES.items():
        value = sent.get(own)
        if value is None:
            value = defaults.get(own, SamplingFields.model_fields[own].default)
        settings[name] = value
    form = sent.get("form") or {}
    limit = sent.get("max_tokens")
    limit = DEFAULT_MAX_TOKENS if limit is None else limit
    return (
        settings
        | _ABSENT
        | {
            "max_tokens": limit,
            "n_predict": limit,
            "seed": sent.get("seed", RANDOM_SEEDS[-1]),
            "stop": list(sent.get("stop") or ()),
            "logit_bias": [{"token": t, "bias": bias} for t, bias in (sent.get("logit_bias") or {}).items()],
            "n_probs": sent.get("logprobs") or 0,
            "grammar": form.get("grammar") or "",
            "samplers": list(samplers),
        }
    )
