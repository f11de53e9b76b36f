"""What `details` tell of tokens, as contract/tensors.py describes it."""

from collections.abc import Iterable, Sequence
from typing import Any

from model_core.llm.choose import Choice
from model_core.requests.results import TokenLogprob
from model_core.text.tokenizer import AnyTokenizer


def logprob_details(entries: Iterable[TokenLogprob], tokenizer: AnyTokenizer | None) -> list[dict[str, Any]]:
    """Return the `logprobs` of tokens."""
    return [
        {
            **_token_details(entry.token_id, entry.logprob, tokenizer),
            "top_logprobs": [_token_details(token, logprob, tokenizer) for token, logprob in entry.top],
            "rank": entry.rank,
        }
        for entry in entries
    ]


def prompt_logprob_details(
    prompt: Sequence[int], entries: Sequence[TokenLogprob], tokenizer: AnyTokenizer | None
) -> list[dict[str, Any]]:
    """Return the `prompt_logprobs` of a whole prompt, whose first token has none."""
    first = {**_token_details(prompt[0], None, tokenizer), "top_logprobs": [], "rank": None}
    return [first, *logprob_details(entries, tokenizer)]


def choice_details(choices: Iterable[Choice], tokenizer: AnyTokenizer | None) -> list[dict[str, Any]]:
    """Return the `choices` of an answer."""
    return [{**vars(choice), "tokens": logprob_details(choice.tokens, tokenizer)} for choice in choices]


def _token_details(token_id: int, logprob: float | None, tokenizer: AnyTokenizer | None) -> dict[str, Any]:
    text = str(token_id) if tokenizer is None else tokenizer.token_text(token_id)
    details: dict[str, Any] = {"token": text, "token_id": token_id, "logprob": logprob}
    if tokenizer is not None and "\ufffd" in text:
        details["bytes"] = list(tokenizer.token_bytes(token_id))
    return details
