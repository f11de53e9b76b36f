"""The `details` of answers and of failures, as contract.py describes them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from model_core import Completion, TritonchatError
from model_core.choose import Choice
from model_core.events import Event, Reasoning, Text, ToolCallDelta
from model_core.sampler import TokenLogprob
from model_core.tokenizer import AnyTokenizer

_ORDER = (Reasoning, Text, ToolCallDelta)  # of the parts of a response
# The text of a response, and its `details`.
Response = tuple[str, dict[str, Any]]


def make_responses(events: Iterable[Event]) -> list[Response]:
    """Return the events of an answer as responses. In each, text follows reasoning, and calls follow text."""
    parts: list[list[Event]] = []
    last = len(_ORDER)
    for event in events:
        position = _ORDER.index(type(event))
        if position < last:
            parts.append([])
        parts[-1].append(event)
        last = position
    return [make_response(part) for part in parts]


def make_response(events: Sequence[Event]) -> Response:
    """Return the events of an answer as one response."""
    details: dict[str, Any] = {}
    if reasoning := "".join(event.text for event in events if isinstance(event, Reasoning)):
        details["reasoning"] = reasoning
    if calls := [event for event in events if isinstance(event, ToolCallDelta)]:
        details["tool_calls"] = [_describe_call(call) for call in calls]
    return "".join(event.text for event in events if isinstance(event, Text)), details


def answer_details(completion: Completion, model: str) -> dict[str, Any]:
    """Return the `details` of an answer without its `logprobs`."""
    description = {
        "finish_reason": completion.finish_reason,
        "usage": asdict(completion.usage),
        "timings": asdict(completion.timings),
        "seed": completion.seed,
        "stop_string": completion.stop_string,
        "model": model,
    }
    if completion.error is not None:
        description["error"] = error_details(completion.error)["error"]
    return description


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


def error_type(error: Exception) -> str:
    """Return the type of an error in one word; `internal` for an unexpected one."""
    return error.type if isinstance(error, TritonchatError) else TritonchatError.type


def error_details(error: Exception) -> dict[str, Any]:
    """Return the `details` of a failed request. They do not contain the message of an unexpected error."""
    is_expected = isinstance(error, TritonchatError)
    message = str(error) if is_expected else "the request failed in the server; its log says why."
    param = error.param if is_expected else None
    fields = {"type": error_type(error), "message": message, "param": param}
    if is_expected and error.retry_after_s is not None:
        fields["retry_after_s"] = error.retry_after_s
    return {"error": fields}


def _describe_call(call: ToolCallDelta) -> dict[str, Any]:
    return {name: value for name, value in asdict(call).items() if value is not None}


def _token_details(token_id: int, logprob: float | None, tokenizer: AnyTokenizer | None) -> dict[str, Any]:
    text = str(token_id) if tokenizer is None else tokenizer.token_text(token_id)
    details: dict[str, Any] = {"token": text, "token_id": token_id, "logprob": logprob}
    if tokenizer is not None and "\ufffd" in text:
        details["bytes"] = list(tokenizer.token_bytes(token_id))
    return details
