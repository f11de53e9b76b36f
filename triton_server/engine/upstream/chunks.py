"""Reads the answers of other servers: chunks of a stream, or one body, as events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from model_core.requests.events import (
    Accepted,
    Event,
    FinishReason,
    Logprobs,
    PromptLogprobs,
    Reasoning,
    Text,
    TokenIds,
    ToolCallDelta,
    Usage,
)

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "stop",
}


@dataclass
class ChunkReader:
    """Makes events of the chunks of one answer, and keeps what its end says.

    Attributes:
        wants_ids: whether the request asks for token ids.
        echoes: whether log probabilities begin with those of the prompt.
        fingerprint: what the server says of the model that has answered.
    """

    wants_ids: bool
    echoes: bool = False
    finish_reason: FinishReason | None = None
    usage: Usage = field(default_factory=lambda: Usage(0, 0))
    seed: int | None = None
    stop_string: str | None = None
    fingerprint: str | None = None
    _calls: int = 0
    _prompt_ids: list[int] | None = None  # not yet told

    def read(self, chunk: Mapping[str, Any]) -> list[Event]:
        """The events of a chunk, or of a whole answer. Raises what Python raises for one of another form."""
        if chunk.get("usage"):
            self.usage = _read_usage(chunk["usage"])
        events: list[Event] = []
        if self.fingerprint is None and isinstance(chunk.get("system_fingerprint"), str):
            self.fingerprint = chunk["system_fingerprint"]
            events.append(Accepted(self.fingerprint))
        for choice in chunk.get("choices", ()):
            events += self._read_choice(chunk, choice)
        return events

    def _read_choice(self, chunk: Mapping[str, Any], choice: Mapping[str, Any]) -> list[Event]:
        delta = choice.get("delta") or choice.get("message") or choice
        ids = choice.get("token_ids")
        prompt_ids = chunk.get("prompt_token_ids") or choice.get("prompt_token_ids")
        self._prompt_ids = prompt_ids or self._prompt_ids
        events: list[Event] = []
        if choice.get("logprobs"):
            known = (prompt_ids or []) + (ids or []) if self.echoes else ids or []
            events.append(Logprobs(read_logprobs(choice["logprobs"], known)))
        scores = chunk.get("prompt_logprobs") or choice.get("prompt_logprobs")
        if scores:
            events.append(PromptLogprobs(read_prompt_logprobs(scores, prompt_ids or [])))
        if self.wants_ids and ids is not None:
            events.append(TokenIds(ids, self._prompt_ids))
            self._prompt_ids = None
        if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
            events.append(Reasoning(reasoning))
        if text := delta.get("content") or delta.get("text"):
            events.append(Text(text))
        events += [self._read_call(call) for call in delta.get("tool_calls") or ()]
        if choice.get("finish_reason"):
            self.finish_reason = _REASONS.get(choice["finish_reason"], "cancelled")
            self.seed = choice.get("seed")
            reason = choice.get("stop_reason")
            self.stop_string = reason if isinstance(reason, str) else None
        return events

    def _read_call(self, call: Mapping[str, Any]) -> ToolCallDelta:
        function = call.get("function") or {}
        index, arguments = call.get("index", self._calls), function.get("arguments") or ""
        if index < self._calls and not call.get("id"):
            return ToolCallDelta(index, arguments=arguments)
        self._calls = index + 1
        return ToolCallDelta(index, call.get("id") or f"call_{index}", function["name"], arguments)


def _read_usage(usage: Mapping[str, Any]) -> Usage:
    prompt, completion = (usage.get(f"{name}_tokens_details") or {} for name in ("prompt", "completion"))
    return Usage(
        usage["prompt_tokens"],
        usage.get("completion_tokens", 0),
        prompt.get("cached_tokens") or 0,
        usage.get("truncated_messages", 0),
        completion.get("reasoning_tokens") or 0,
        usage.get("ignored_schema", ()),
        prompt.get("image_tokens") or 0,
    )


def read_logprobs(logprobs: Mapping[str, Any], ids: Sequence[int]) -> list[dict[str, Any]]:
    """Log probabilities in the contract's form. `ids`: of their tokens, if they are known.

    What the other server does not say is null: the ids of alternatives, and ranks below them.
    """
    if "content" in logprobs:  # of a conversation
        entries = [
            _make_entry(_read_token(entry), [_read_token(other) for other in entry.get("top_logprobs") or ()])
            for entry in logprobs["content"] or ()
        ]
    else:
        alternatives = logprobs.get("top_logprobs") or [None] * len(logprobs["tokens"])
        entries = [
            _make_entry(_label_token(label, logprob), _list_alternatives(label, others))
            for label, logprob, others in zip(
                logprobs["tokens"], logprobs["token_logprobs"], alternatives, strict=True
            )
        ]
    if len(ids) == len(entries):
        for token_id, entry in zip(ids, entries, strict=True):
            entry["token_id"] = token_id
    return entries


def read_prompt_logprobs(scores: Sequence[Any], ids: Sequence[int]) -> list[dict[str, Any]]:
    """Those of a prompt, from vLLM's form, in which each position maps ids to log probabilities."""
    entries: list[dict[str, Any]] = []
    for position, tokens in enumerate(scores):
        token_id = ids[position] if position < len(ids) else None
        if tokens is None:
            entries.append(
                {"token": "", "token_id": token_id, "logprob": None, "top_logprobs": [], "rank": None}
            )
            continue
        read = [
            (
                values.get("rank"),
                {
                    "token": values.get("decoded_token") or "",
                    "token_id": int(key),
                    "logprob": values["logprob"],
                },
            )
            for key, values in tokens.items()
        ]
        rank, own = next((pair for pair in read if pair[1]["token_id"] == token_id), read[-1])
        ranked = sorted((pair for pair in read if pair[0] is not None), key=lambda pair: pair[0])
        # The token itself is there whatever its rank; the others are the likeliest ones, without a gap.
        top = [token for place, (number, token) in enumerate(ranked, 1) if number == place]
        entries.append({**own, "top_logprobs": top, "rank": rank})
    return entries


def _make_entry(token: dict[str, Any], alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    texts = [other["token"] for other in alternatives]
    rank = texts.index(token["token"]) + 1 if token["token"] in texts else None
    return {**token, "top_logprobs": alternatives, "rank": rank}


def _read_token(entry: Mapping[str, Any]) -> dict[str, Any]:
    token: dict[str, Any] = {"token": entry["token"], "token_id": None, "logprob": entry["logprob"]}
    # The contract has `bytes` only for tokens that are parts of characters.
    if entry.get("bytes") and bytes(entry["bytes"]) != entry["token"].encode():
        token["bytes"] = entry["bytes"]
    return token


def _label_token(label: str, logprob: float | None) -> dict[str, Any]:
    """A token by its label in the form of raw prompts: its text, or "bytes:" and its bytes."""
    if label.startswith("bytes:\\x"):
        parts = bytes(int(part, 16) for part in label.removeprefix("bytes:\\x").split("\\x"))
        text = parts.decode(errors="replace")
        return {"token": text, "token_id": None, "logprob": logprob, "bytes": list(parts)}
    return {"token": label, "token_id": None, "logprob": logprob}


def _list_alternatives(label: str, others: Mapping[str, float] | None) -> list[dict[str, Any]]:
    """The likeliest tokens first. The token itself is among them, as in OpenAI's form."""
    ranked = sorted((others or {}).items(), key=lambda item: -item[1])
    return [_label_token(text, logprob) for text, logprob in ranked]
