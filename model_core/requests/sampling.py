"""The parameters of a request: how the tokens of its answer are chosen, and when it ends.

Each parameter is described once, in `SamplingFields`. All interfaces take its type, range, default and
description from there.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ..checks.request_values import StrictModel, Text, check_text, shorten
from .form import Form

# Without a limit, a request to a model of 128k positions could need more KV memory than there is.
DEFAULT_MAX_TOKENS = 2048
MAX_TOKEN_COUNT = 2**31 - 1
MAX_STOP_STRINGS = 16
MAX_STOP_LENGTH = 256  # in characters
MAX_LOGPROBS = 20
MAX_BIAS = 100
MAX_STOP_TOKENS = 256
MAX_BAD_WORDS = 256
MAX_BREAKERS = 16
MAX_BREAKER_LENGTH = 40  # in characters


def _list_stop_strings(value: Any) -> Any:
    """Several stop strings as a tuple, also where a request has one without a list."""
    if not isinstance(value, str | list | tuple):
        raise _wrong_stop_strings()
    return (value,) if isinstance(value, str) else tuple(value)


def _check_stop_strings(strings: tuple[str, ...]) -> tuple[str, ...]:
    if not all(0 < len(string) <= MAX_STOP_LENGTH for string in strings):
        raise _wrong_stop_strings()
    if len(strings) > MAX_STOP_STRINGS:
        raise PydanticCustomError(
            "stop",
            "holds {count} strings, but at most {limit} are allowed",
            {"count": len(strings), "limit": MAX_STOP_STRINGS},
        )
    return strings


def _wrong_stop_strings() -> PydanticCustomError:
    return PydanticCustomError(
        "stop",
        "must be a string or a list of strings, each of 1 to {length} characters",
        {"length": MAX_STOP_LENGTH},
    )


def _list_to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _parse_token_ids(value: Any) -> Any:
    """A logit bias with numbers as keys; those of JSON are strings."""
    if not isinstance(value, Mapping):
        raise PydanticCustomError("logit_bias", "must map token ids to numbers")
    try:
        return {int(token): bias for token, bias in value.items()}
    except (TypeError, ValueError):
        unknown = next(token for token in value if not str(token).isdecimal())
        raise PydanticCustomError(
            "logit_bias", "must map token ids to numbers, not {token}", {"token": shorten(unknown)}
        ) from None


_StopString = {"type": "string", "minLength": 1, "maxLength": MAX_STOP_LENGTH}
StopStrings = Annotated[
    tuple[Text, ...],
    Field(fail_fast=True),
    BeforeValidator(_list_stop_strings),
    AfterValidator(_check_stop_strings),
    WithJsonSchema(
        {"anyOf": [_StopString, {"type": "array", "items": _StopString, "maxItems": MAX_STOP_STRINGS}]}
    ),
]
_TokenId = Annotated[int, Field(ge=0, le=MAX_TOKEN_COUNT)]
StopTokens = Annotated[
    tuple[_TokenId, ...],
    Field(fail_fast=True, max_length=MAX_STOP_TOKENS),
    BeforeValidator(_list_to_tuple),
]
AllowedTokens = Annotated[
    tuple[_TokenId, ...], Field(fail_fast=True, min_length=1), BeforeValidator(_list_to_tuple)
]
_BadWord = Annotated[str, Field(min_length=1, max_length=MAX_STOP_LENGTH), AfterValidator(check_text)]
BadWords = Annotated[
    tuple[_BadWord, ...],
    Field(fail_fast=True, max_length=MAX_BAD_WORDS),
    BeforeValidator(_list_to_tuple),
]
_Breaker = Annotated[str, Field(min_length=1, max_length=MAX_BREAKER_LENGTH), AfterValidator(check_text)]
SequenceBreakers = Annotated[
    tuple[_Breaker, ...],
    Field(fail_fast=True, max_length=MAX_BREAKERS),
    BeforeValidator(_list_to_tuple),
]
LogitBias = Annotated[
    dict[int, Annotated[float, Field(ge=-MAX_BIAS, le=MAX_BIAS)]], BeforeValidator(_parse_token_ids)
]


@dataclass(frozen=True)
class GenerationDefaults:
    """The checkpoint's defaults for sampling parameters that a request does not set.

    As in Transformers, sampling is greedy unless the checkpoint has `do_sample`.
    """

    eos_token_ids: frozenset[int] = frozenset()
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0


class SamplingFields(BaseModel):
    """How the tokens of an answer are chosen. What is missing or null has its default."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    max_tokens: int | None = Field(
        None,
        ge=0,
        le=MAX_TOKEN_COUNT,
        description=f"The largest number of tokens of the answer; {DEFAULT_MAX_TOKENS} by default. With 0, "
        "only the prompt is computed.",
    )
    temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        description="0 always chooses the likeliest token, 1 samples from the model's own probabilities, and "
        "higher values give more variety. The default is the model's.",
    )
    # Holtzman et al., 2019, arXiv:1904.09751
    top_p: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Sample from the likeliest tokens that together reach this probability. The default is "
        "the model's.",
    )
    top_k: int | None = Field(
        None,
        ge=-1,
        le=MAX_TOKEN_COUNT,
        description="Sample from this many likeliest tokens; 0 or -1: from all. The default is the model's.",
    )
    # arXiv:2407.01082
    min_p: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Leave out tokens below this fraction of the likeliest one's probability. The default is "
        "the model's.",
    )
    # arXiv:2411.07641
    top_n_sigma: float | None = Field(
        0.0,
        ge=-1,
        le=100,
        description="Leave out tokens whose logits are more than so many standard deviations of all logits "
        "below the largest; 0 or less: none.",
    )
    xtc_probability: float | None = Field(
        0.0,
        ge=0,
        le=1,
        description="With this probability, of the tokens that reach xtc_threshold only the least likely one "
        "stays, where there are several (exclude top choices).",
    )
    xtc_threshold: float | None = Field(
        0.1,
        ge=0,
        le=1,
        description="The probability from which on a token is a top choice of xtc_probability.",
    )
    # Meister et al., 2022, arXiv:2202.00666
    typical_p: float | None = Field(
        1.0,
        ge=0,
        le=1,
        description="Sample from the tokens whose surprise is nearest to the expected one, which together "
        "reach this probability; 1: from all.",
    )
    # Basu et al., 2020, arXiv:2007.14966
    mirostat: Literal[0, 2] | None = Field(
        0,
        description="2: hold the surprise of the answer near mirostat_tau, by a limit that follows it "
        "(Mirostat 2.0). Then top_n_sigma, top_k, typical_p, top_p, min_p and XTC have no effect. 0: off.",
    )
    mirostat_tau: float | None = Field(
        5.0, ge=0, le=100, description="The surprise that mirostat aims at, in bits a token."
    )
    mirostat_eta: float | None = Field(
        0.1, ge=0, le=1, description="The rate at which mirostat's limit follows the surprise."
    )
    # Keskar et al., 2019, arXiv:1909.05858
    repetition_penalty: float | None = Field(
        None,
        ge=0.01,
        le=10,
        description="Divide the logits of tokens seen in prompt or answer: above 1, less is repeated. The "
        "default is the model's.",
    )
    presence_penalty: float | None = Field(
        0.0, ge=-2, le=2, description="Subtract this from the logits of tokens that the answer has already."
    )
    frequency_penalty: float | None = Field(
        0.0,
        ge=-2,
        le=2,
        description="Subtract this from the logits of tokens, as many times as the answer has them already.",
    )
    # github.com/oobabooga/text-generation-webui/pull/5677, as in llama.cpp
    dry_multiplier: float | None = Field(
        0.0,
        ge=0,
        le=100,
        description="Subtract a penalty from the logits of tokens that would continue a repeat of prompt or "
        "answer (DRY): dry_multiplier * dry_base^(n - dry_allowed_length), where n tokens before it are "
        "repeated; 0: none.",
    )
    dry_base: float | None = Field(
        1.75,
        ge=1,
        le=100,
        description="By what the penalty of dry_multiplier grows with each repeated token.",
    )
    dry_allowed_length: int | None = Field(
        2, ge=0, le=MAX_TOKEN_COUNT, description="Shorter repeats have no penalty of dry_multiplier."
    )
    dry_penalty_last_n: int | None = Field(
        -1,
        ge=-1,
        le=MAX_TOKEN_COUNT,
        description="How many of the last tokens dry_multiplier looks at; -1: all, 0: none.",
    )
    dry_sequence_breakers: SequenceBreakers | None = Field(
        ("\n", ":", '"', "*"),
        description="Texts over which no repeat of dry_multiplier reaches. They get no penalty themselves.",
    )
    stop: StopStrings | None = Field((), description="The answer ends before the first of these strings.")
    include_stop_str_in_output: bool | None = Field(
        False, description="Let the text end with the stop string, or the stop token, that ended it."
    )
    stop_token_ids: StopTokens | None = Field(
        (), description="The answer ends with the first of these tokens."
    )
    min_tokens: int | None = Field(
        0,
        ge=0,
        le=MAX_TOKEN_COUNT,
        description="Before the answer has this many tokens, end tokens and stop_token_ids are not chosen, "
        "and stop strings do not end it.",
    )
    bad_words: BadWords | None = Field(
        (),
        description="Texts that the answer must not have: the token that would complete one is not chosen. "
        "Other tokens may still spell the same text.",
    )
    allowed_token_ids: AllowedTokens | None = Field(
        None, description="Only these tokens are chosen; all, if it is missing."
    )
    seed: int | None = Field(
        None,
        ge=-(2**63),
        le=2**63 - 1,
        description="The same request with the same seed always gets the same answer. A request without one "
        "gets a random one. The answer names it.",
    )
    logit_bias: LogitBias | None = Field(
        default_factory=dict, description="Token id: number from -100 to 100 that is added to its logit."
    )
    logprobs: int | None = Field(
        None,
        ge=0,
        le=MAX_LOGPROBS,
        description="Report log probabilities, with this many alternatives for each token.",
    )
    prompt_logprobs: int | None = Field(
        None,
        ge=0,
        le=MAX_LOGPROBS,
        description="Report log probabilities of the tokens of the prompt, with this many alternatives for "
        "each token.",
    )
    return_token_ids: bool | None = Field(
        False, description="Report the ids of the tokens of the prompt and of the answer."
    )
    ignore_eos: bool | None = Field(False, description="Do not stop at the model's end token.")
    timeout_s: float | None = Field(
        None,
        ge=0,
        le=86400 * 7,
        description="Seconds after which the request is ended, running or waiting. There is no limit by "
        "default.",
    )
    form: Form | None = Field(None, description="What the text of the answer must look like.")


class SamplingParams(SamplingFields, StrictModel):
    """The sampling parameters of a request: SamplingFields' as attributes, which do not change.

    `model_copy(update={...})` makes others without validation. Raises InvalidRequest, whose `param` is the
    name, for an unknown name or a wrong value.
    """

    @property
    def answer_tokens(self) -> int:
        """The largest number of tokens of the answer."""
        return DEFAULT_MAX_TOKENS if self.max_tokens is None else self.max_tokens

    def with_defaults(self, defaults: GenerationDefaults) -> "FilledParams":
        """The same parameters, with the checkpoint's defaults for those that are None, and with a seed."""
        names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
        missing = {name: getattr(defaults, name) for name in names if getattr(self, name) is None}
        if self.seed is None:
            missing["seed"] = draw_seed()
        return FilledParams.model_construct(**dict(SamplingParams(**{**dict(self), **missing})))


class FilledParams(SamplingParams):
    """Sampling parameters with all defaults: these are never None."""

    temperature: float
    top_p: float
    top_k: int
    min_p: float
    top_n_sigma: float
    xtc_probability: float
    xtc_threshold: float
    typical_p: float
    mirostat: Literal[0, 2]
    mirostat_tau: float
    mirostat_eta: float
    repetition_penalty: float
    presence_penalty: float
    frequency_penalty: float
    dry_multiplier: float
    dry_base: float
    dry_allowed_length: int
    dry_penalty_last_n: int
    dry_sequence_breakers: tuple[str, ...]
    stop: tuple[str, ...]
    include_stop_str_in_output: bool
    stop_token_ids: tuple[int, ...]
    min_tokens: int
    bad_words: tuple[str, ...]
    seed: int
    logit_bias: dict[int, float]
    return_token_ids: bool
    ignore_eos: bool


def draw_seed() -> int:
    """A random seed, for a request that has none. It has 32 bits, which a person can still read out."""
    return secrets.randbits(32)
