"""Answers in OpenAI's form, token by token, with the probabilities of the likeliest ones at each place."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model_core.errors import TritonchatError

from ..api.batches.lines import BatchLine

CHATS, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
TOP = 20  # alternatives that are asked for, the most that servers give
_REFUSALS = (400, 413, 422)  # statuses of what is wrong with a request itself
# What a request may not have, because its answers are compared by their tokens, one by one.
_REFUSED = ("stream", "logprobs", "top_logprobs", "prompt_logprobs", "echo", "suffix", "mcp")


@dataclass(frozen=True)
class Token:
    """A token of an answer.

    Attributes:
        key: what tells it from others: its bytes in chats, its text in completions.
        text: of it, for people.
        logprob: under the model, before penalties and temperature. top: the likeliest ones by their keys.
    """

    key: Any
    text: str
    logprob: float
    top: Mapping[Any, float]


@dataclass(frozen=True)
class ComparedAnswer:
    """An answer, or the error in its place.

    Attributes:
        text: of the answer; of a failed one, its error.
        tokens: its tokens; the last one may be that of the end.
        content: all that a client gets of it, as JSON.
        failed: whether there is only an error.
        ids: of prompt and answer together, and how many are of the prompt; None if the server does not say.
        fingerprint: of the model, if it is known.
    """

    text: str
    tokens: Sequence[Token]
    content: str
    failed: bool = False
    ids: tuple[list[int], int] | None = None
    fingerprint: str | None = None

    @property
    def perplexity(self) -> float | None:
        """Of the answer under its own model; None without tokens."""
        if not self.tokens:
            return None
        return math.exp(-sum(token.logprob for token in self.tokens) / len(self.tokens))


def prepare_body(line: BatchLine, model: str | None) -> dict[str, Any]:
    """The body of a request for a side, with a seed and with probabilities. Raises TritonchatError.

    model: None for that of the request, or else the first one of a server.
    """
    where = f"the request {line.custom_id!r}"
    if line.url not in (CHATS, COMPLETIONS):
        raise TritonchatError(f"{where} is for {line.url}; chats and completions can be compared.")
    for name in _REFUSED:
        if line.body.get(name):
            raise TritonchatError(f"{where} has {name}, which a comparison has no place for; leave it out.")
    prompt = line.body.get("prompt")
    is_many = isinstance(prompt, list) and bool(prompt) and not isinstance(prompt[0], int)
    if line.body.get("n") not in (None, 1) or is_many:
        raise TritonchatError(f"{where} has several answers; send a line for each.")
    asked = {"logprobs": True, "top_logprobs": TOP} if line.url == CHATS else {"logprobs": TOP}
    model = line.body.get("model", "default") if model is None else model
    seed = {} if line.body.get("seed") is not None else {"seed": 0}
    return {**line.body, **asked, **seed, "return_token_ids": True, "model": model}


def read_answer(url: str, answer: Any) -> ComparedAnswer:
    """What a server has answered. Raises TritonchatError if it is not of OpenAI's form."""
    try:
        (choice,) = answer["choices"]
        if url == CHATS:
            message = {name: value for name, value in choice["message"].items() if value}
            tokens = [_read_token(entry) for entry in (choice.get("logprobs") or {}).get("content") or ()]
            text = message.get("content") or ""
        else:
            text = choice["text"]
            message = {"text": text}
            tokens = _read_completion(choice.get("logprobs") or {})
        prompt_ids = (answer if url == CHATS else choice).get("prompt_token_ids")
        ids = None
        if prompt_ids is not None and len(choice.get("token_ids") or ()) == len(tokens):
            ids = [*prompt_ids, *choice["token_ids"]], len(prompt_ids)
        content = {"message": message, "finish_reason": choice["finish_reason"]}
        return ComparedAnswer(
            text, tokens, json.dumps(content, sort_keys=True), False, ids, answer.get("system_fingerprint")
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TritonchatError("the answer is not of OpenAI's form.") from error


def score_body(answer: ComparedAnswer, place: int, token: int, model: str) -> dict[str, Any] | None:
    """The body that asks for the probability of a token at a place of an answer; None: ids are unknown."""
    if answer.ids is None:
        return None
    ids, start = answer.ids
    prompt = [*ids[: start + place], token]
    return {"model": model, "prompt": prompt, "max_tokens": 0, "prompt_logprobs": 0}


def read_score(answer: Any, token: int) -> float | None:
    """The log probability in the answer to `score_body`; None if it does not tell."""
    try:
        (choice,) = answer["choices"]
        return float(choice["prompt_logprobs"][-1][str(token)]["logprob"])
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def read_failure(error: TritonchatError, side: int) -> ComparedAnswer:
    """The error in the place of an answer, which is equal to the same refusal of the request elsewhere.

    Servers that do not answer, because they are full or faulty, are equal in nothing. `side`: the server's.
    """
    content = {"error": str(error)} if error.status in _REFUSALS else {"error": str(error), "side": side}
    return ComparedAnswer(str(error), (), json.dumps(content), failed=True)


def _read_token(entry: Mapping[str, Any]) -> Token:
    top = {_key_of(each): float(each["logprob"]) for each in entry["top_logprobs"]}
    return Token(_key_of(entry), entry["token"], float(entry["logprob"]), top)


def _key_of(entry: Mapping[str, Any]) -> bytes:
    values = entry.get("bytes")
    return entry["token"].encode() if values is None else bytes(values)


def _read_completion(logprobs: Mapping[str, Any]) -> list[Token]:
    columns = [logprobs.get(name) or () for name in ("tokens", "token_logprobs", "top_logprobs")]
    return [
        Token(text, text, float(logprob), {key: float(value) for key, value in top.items()})
        for text, logprob, top in zip(*columns, strict=True)
    ]
