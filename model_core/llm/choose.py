"""Choosing among given answers: how likely the model would give each of them.

An answer is appended to the prompt, and the prompt's log probabilities are computed from there on
(sampling/prompt_logprobs.py). Its tokens are those of its text inside a text, so they are what the model
would write. The end token is no part of it. All answers run together. The first one computes what they share,
and the others take it from the prefix cache.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..answers.plan import AnswerPlan
from ..chat.template import ChatPrompt
from ..engine.job import Job
from ..errors import InvalidRequest, PromptTooLong
from ..requests.choices import ChoiceFields
from ..requests.messages import DEFAULT_FIELDS, ChatFields
from ..requests.results import Completion, TokenLogprob
from ..requests.sampling import SamplingParams
from .loaded import LoadedModel

_MAX_EXPONENT = 700.0  # a perplexity stays a finite number


@dataclass(frozen=True)
class Choice:
    """How likely an answer is.

    Attributes:
        text: the answer.
        rank: 1 for the likeliest; of equal ones the first.
        perplexity: exp of the mean of -log(probability) over its tokens. The smallest has rank 1.
        logprob: the log probability of the whole answer, the sum over its tokens.
        tokens: its tokens with their log probabilities.
        calibrated_perplexity: its perplexity, divided by that after a prompt that says nothing (Holtzman et
            al., 2021, arXiv:2104.08315). None unless it was asked for; then it decides the rank.
    """

    text: str
    rank: int
    perplexity: float
    logprob: float
    tokens: list[TokenLogprob]
    calibrated_perplexity: float | None = None


def make_choice_jobs(
    llm: LoadedModel,
    prompt: str | Sequence[int] | Sequence[Any],
    fields: ChatFields,
    choices: ChoiceFields,
    timeout_s: float | None = None,
    top: int = 0,
) -> list[Job]:
    """What the engine computes: each answer after the prompt, calibrated also after one that says nothing.

    prompt: a conversation, or a raw prompt, text or token ids. `top`: how many alternatives each token has.
    Raises InvalidRequest or PromptTooLong.
    """
    if llm.tokenizer is None:
        raise InvalidRequest("this model has no tokenizer, so it cannot read answers.", "choices")
    if choices.choices is None:
        raise InvalidRequest("choices is missing.", "choices")
    answers = [llm.tokenizer.encode_inside(text) for text in choices.choices]
    prompts = [_encode_prompt(llm, prompt, fields, max(map(len, answers)))]
    if choices.calibrate:
        prompts.append(_encode_nothing(llm, prompt, fields))
    max_context = llm.engine.limits.max_context
    for number, answer in enumerate(answers):
        size = len(prompts[0].token_ids)
        if not answer:
            raise InvalidRequest(f"choices[{number}] has no tokens.", f"choices[{number}]")
        if size + len(answer) > max_context:
            raise PromptTooLong(
                f"This model's maximum context length is {max_context} tokens for prompt and answer together "
                f"(--max-context), but the prompt has {size}, and choices[{number}] {len(answer)}.",
                f"choices[{number}]",
            )
    params = SamplingParams(max_tokens=0, prompt_logprobs=top, timeout_s=timeout_s).with_defaults(
        llm.defaults
    )
    return [
        Job(
            [*encoded.token_ids, *answer],
            params,
            AnswerPlan(truncated_messages=encoded.truncated_messages, scored_from=len(encoded.token_ids)),
            images=encoded.images,
        )
        for encoded in prompts
        for answer in answers
    ]


def rank_choices(choices: ChoiceFields, completions: Sequence[Completion]) -> list[Choice]:
    """The choices in their order, from the completions of the jobs."""
    texts, scores = choices.choices or (), [completion.prompt_logprobs or [] for completion in completions]
    surprises = [-sum(entry.logprob for entry in entries) / len(entries) for entries in scores]
    gains = [after - alone for after, alone in zip(surprises, surprises[len(texts) :], strict=False)]
    keys = gains or surprises
    order = sorted(range(len(texts)), key=keys.__getitem__)
    return [
        Choice(
            text,
            1 + order.index(number),
            _exp(surprises[number]),
            sum(entry.logprob for entry in scores[number]),
            scores[number],
            _exp(gains[number]) if gains else None,
        )
        for number, text in enumerate(texts)
    ]


def join_completions(choices: Sequence[Choice], completions: Sequence[Completion]) -> Completion:
    """One completion for all choices: its text is the likeliest, and its tokens are those of all answers.

    The prompt counts once, with what the first answer has found of it in the prefix cache.
    """
    lengths = [len(choice.tokens) for choice in choices]
    first, usages = completions[0], [completion.usage for completion in completions]
    return replace(
        first,
        text=min(choices, key=lambda choice: choice.rank).text,
        finish_reason="stop",
        usage=replace(
            first.usage,
            prompt_tokens=first.usage.prompt_tokens - lengths[0],
            completion_tokens=sum(lengths),
            cached_tokens=min(usage.cached_tokens for usage in usages[: len(choices)]),
        ),
        timings=replace(first.timings, total=max(completion.timings.total for completion in completions)),
        prompt_logprobs=None,
    )


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, _MAX_EXPONENT))


def is_raw_prompt(prompt: Sequence[Any]) -> bool:
    """Whether a prompt is text or token ids, and not a conversation."""
    return isinstance(prompt, str) or (len(prompt) > 0 and isinstance(prompt[0], int))


def _encode_prompt(
    llm: LoadedModel, prompt: Sequence[Any], fields: ChatFields, answer_tokens: int
) -> ChatPrompt:
    if not is_raw_prompt(prompt):
        return llm.encode_chat(prompt, fields, answer_tokens)
    ids = llm.encode(prompt)
    if not ids:
        raise InvalidRequest("the prompt is empty.", "messages")
    return ChatPrompt(ids, "")


def _encode_nothing(llm: LoadedModel, prompt: Sequence[Any], fields: ChatFields) -> ChatPrompt:
    """A prompt of the same kind that says nothing: an empty message, or the token that texts begin with."""
    if not is_raw_prompt(prompt):
        names = ("enable_thinking", "reasoning_effort", "chat_template_kwargs")
        changes = {name: getattr(fields, name) for name in names}
        return llm.encode_chat([{"role": "user", "content": ""}], DEFAULT_FIELDS.model_copy(update=changes))
    end = llm.tokenizer.eos_token_id if llm.tokenizer is not None else None
    ids = llm.encode("") or ([] if end is None else [end])
    if not ids:
        raise InvalidRequest("calibrate needs a model whose texts begin or end with a token.", "calibrate")
    return ChatPrompt(ids, "")
