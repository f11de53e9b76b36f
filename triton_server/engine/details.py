"""The `details` of answers and of failures, as contract.py describes them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from model_core import Completion, TritonchatError
from model_core.events import Timings, Usage
from model_core.sampler import TokenLogprob
from model_core.tokenizer import AnyTokenizer


def answer_details(completion: Completion, model: str, tokenizer: AnyTokenizer | None) -> dict[str, Any]:
    """Return the `details` of an answer without its `logprobs`."""
    description = {
        "finish_reason": completion.finish_reason,
        "usage": asdict(completion.usage),
        "timings": asdict(completion.timings),
        "seed": completion.seed,
        "stop_string": completion.stop_string,
        "model": model,
    }
    if tokenizer is None:
        description["token_ids"] = completion.token_ids  # the answer has no text
    if completion.error is not None:
        description["error"] = error_details(completion.error)["error"]
    return description


def count_details(
    prompt_tokens: int, seed: int, model: str, tokenizer: AnyTokenizer | None
) -> dict[str, Any]:
    """Return the `details` of an empty answer, which only counts the tokens of its prompt."""
    usage, timings = Usage(prompt_tokens, 0), Timings(None, None, 0.0)
    return answer_details(Completion("", [], "stop", usage, timings, seed), model, tokenizer)


def logprob_details(entries: Iterable[TokenLogprob], tokenizer: AnyTokenizer | None) -> list[dict[str, Any]]:
    """Return the `logprobs` of tokens of an answer."""
    return [
        {
            **_token_details(entry.token_id, entry.logprob, tokenizer),
            "top_logprobs": [_token_details(token, logprob, tokenizer) for token, logprob in entry.top],
        }
        for entry in entries
    ]


def error_type(error: Exception) -> str:
    """Return the type of an error in one word; `internal` for an unexpected one."""
    return error.type if isinstance(error, TritonchatError) else TritonchatError.type


def error_details(error: Exception) -> dict[str, Any]:
    """Return the `details` of a failed request. They do not contain the message of an unexpected error."""
    is_expected = isinstance(error, TritonchatError)
    message = str(error) if is_expected else "the request failed in the server; its log says why."
    param = error.param if is_expected else None
    return {"error": {"type": error_type(error), "message": message, "param": param}}


def _token_details(token_id: int, logprob: float, tokenizer: AnyTokenizer | None) -> dict[str, Any]:
    text = str(token_id) if tokenizer is None else tokenizer.token_text(token_id)
    details: dict[str, Any] = {"token": text, "token_id": token_id, "logprob": logprob}
    if tokenizer is not None and "\ufffd" in text:
        details["bytes"] = list(tokenizer.token_bytes(token_id))
    return details
