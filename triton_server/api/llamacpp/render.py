"""Renders answers as llama.cpp's server does: as one body, or as server-sent events."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Done, Failed, Logprobs, Text, TokenIds

from ..errors import llamacpp_body_of
from ..stream_response import KEEP_ALIVE, NumberedEvents, to_json

NO_SLOT = -1
# The ids of a prompt's tokens -> its text.
Decode = Callable[[list[int]], Awaitable[str | None]]
_STOP_TYPES = {"stop": "eos", "length": "limit"}


@dataclass(frozen=True)
class AnswerForm:
    """What the answers to a request have in common.

    Attributes:
        model: the name of the model. max_context: tokens of prompt and answer together, if that is known.
        settings: of each answer, see generation_settings.
        texts: of each answer, the prompt if it was text; None: its tokens are decoded.
        fields: paths of the fields that are answered; empty: all.
        returns_tokens, times_tokens: whether answers have `tokens`, and events `timings`.
    """

    model: str
    max_context: int | None
    settings: Sequence[dict[str, Any]]
    texts: Sequence[str | None]
    fields: Sequence[str]
    returns_tokens: bool
    times_tokens: bool

    @property
    def shows_prompt(self) -> bool:
        """Whether the answer has the text of the prompt."""
        return not self.fields or "prompt" in self.fields


async def render_body(events: NumberedEvents, form: AnswerForm, decode: Decode) -> bytes:
    """The JSON body: an answer, or a list of several. Raises the first error of an answer."""
    answers = [AnswerParts() for _ in form.settings]
    async with aclosing(events):
        async for number, event in events:
            answers[number].add(event)
    ends = []
    for number, answer in enumerate(answers):
        tokens = answer.token_ids if form.returns_tokens else None
        end = await _describe_end(number, answer, form, decode)
        end |= {"content": answer.text, "tokens": tokens or []}
        if answer.logprobs:
            end["completion_probabilities"] = [_render_logprob(entry) for entry in answer.logprobs]
        ends.append(select_fields(end, form.fields))
    return to_json(ends[0] if len(ends) == 1 else ends).encode()


async def render_events(
    events: NumberedEvents, form: AnswerForm, decode: Decode
) -> AsyncGenerator[bytes, None]:
    """The answers as server-sent events. The last one of each answer has all but its content.

    There is no [DONE], as with llama.cpp. If an answer fails, the last event is its error.
    """
    streams = [_Stream(number, form) for number in range(len(form.settings))]
    async with aclosing(events):
        async for number, event in events:
            stream = streams[number]
            stream.answer.add(event)
            match event:
                case Accepted():
                    yield KEEP_ALIVE
                case Failed():
                    yield _to_event(llamacpp_body_of(event))
                    return
                case TokenIds(ids):
                    stream.tokens += ids
                case Logprobs(entries):
                    stream.logprobs += entries
                case Text(text) if text or stream.tokens:
                    yield _to_event(stream.take_part(text))
                case Done():
                    if stream.tokens:  # without text, such as an end token
                        yield _to_event(stream.take_part(""))
                    end = await _describe_end(number, stream.answer, form, decode)
                    yield _to_event(select_fields(end, form.fields))


def select_fields(body: dict[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """The fields at the paths, each by its path; all fields if there are no paths."""
    if not paths:
        return body
    selected = {}
    for path in paths:
        value: Any = body
        for name in path.split("/"):
            value = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
        if value is not _MISSING:
            selected[path] = value
    return selected


_MISSING = object()


class _Stream:
    """An answer that is sent in parts. `tokens` and `logprobs` are those of the next part."""

    def __init__(self, number: int, form: AnswerForm) -> None:
        self.answer = AnswerParts()
        self.tokens: list[int] = []
        self.logprobs: list[dict[str, Any]] = []
        self._number, self._times_tokens = number, form.times_tokens
        self._start_time = time.monotonic()
        self._first_time: float | None = None

    def take_part(self, text: str) -> dict[str, Any]:
        """The next part, whose text is this. Its times are those that the HTTP service sees."""
        now, prompt_count = time.monotonic(), len(self.answer.prompt_token_ids or ())
        self._first_time = first = self._first_time or now
        count = len(self.answer.token_ids or ())
        part: dict[str, Any] = {
            "index": self._number,
            "content": text,
            "tokens": self.tokens,
            "stop": False,
            "id_slot": NO_SLOT,
            "tokens_predicted": count,
            "tokens_evaluated": prompt_count,
        }
        if self.logprobs:
            part["completion_probabilities"] = [_render_logprob(entry) for entry in self.logprobs]
        if self._times_tokens:  # how much of the prompt was cached is told at the end
            times = first - self._start_time, now - first
            part["timings"] = _render_timings(0, prompt_count, times[0], count, times[1])
        self.tokens, self.logprobs = [], []
        return part


def _to_event(body: dict[str, Any]) -> bytes:
    return f"data: {to_json(body)}\n\n".encode()


async def _describe_end(number: int, answer: AnswerParts, form: AnswerForm, decode: Decode) -> dict[str, Any]:
    """All of an answer but its content, its tokens and their probabilities."""
    done, text = answer.done, form.texts[number]
    usage = done.usage
    if text is None and form.shows_prompt and answer.prompt_token_ids is not None:
        text = await decode(answer.prompt_token_ids)
    is_full = (
        form.max_context is not None
        and done.finish_reason == "length"
        and (usage.prompt_tokens + usage.completion_tokens >= form.max_context)
    )
    return {
        "index": number,
        "content": "",
        "tokens": [],
        "id_slot": NO_SLOT,
        "stop": True,
        "model": form.model,
        "tokens_predicted": usage.completion_tokens,
        "tokens_evaluated": usage.prompt_tokens,
        "generation_settings": form.settings[number] | {"seed": done.seed},
        "prompt": text,
        "has_new_line": "\n" in answer.text,
        "truncated": bool(usage.truncated_messages) or is_full,
        "stop_type": "word" if done.stop_string is not None else _STOP_TYPES.get(done.finish_reason, "none"),
        "stopping_word": done.stop_string or "",
        "tokens_cached": usage.cached_tokens,
        "timings": _describe_times(done),
        **usage.remarks,
    }


def _describe_times(done: Done) -> dict[str, Any]:
    usage, times = done.usage, done.timings
    first = times.total if times.first_token is None else times.first_token
    computed = usage.prompt_tokens - usage.cached_tokens
    return _render_timings(
        usage.cached_tokens,
        computed,
        first - (times.queue or 0.0),
        usage.completion_tokens,
        times.total - first,
    )


def _render_timings(
    cached: int, prompt_count: int, prompt_s: float, count: int, answer_s: float
) -> dict[str, Any]:
    def rate(tokens: int, seconds: float) -> tuple[float, float]:
        """Milliseconds a token, and tokens a second; 0 where there is nothing to divide."""
        return (1e3 * seconds / tokens if tokens else 0.0), (tokens / seconds if seconds > 0 else 0.0)

    (prompt_each, prompt_rate), (each, answer_rate) = rate(prompt_count, prompt_s), rate(count, answer_s)
    return {
        "cache_n": cached,
        "prompt_n": prompt_count,
        "prompt_ms": 1e3 * prompt_s,
        "prompt_per_token_ms": prompt_each,
        "prompt_per_second": prompt_rate,
        "predicted_n": count,
        "predicted_ms": 1e3 * answer_s,
        "predicted_per_token_ms": each,
        "predicted_per_second": answer_rate,
    }


def _render_logprob(entry: dict[str, Any]) -> dict[str, Any]:
    return {**_render_token(entry), "top_logprobs": [_render_token(other) for other in entry["top_logprobs"]]}


def _render_token(entry: dict[str, Any]) -> dict[str, Any]:
    token = entry["token"]
    data = entry.get("bytes") or list(token.encode())
    return {"id": entry["token_id"], "token": token, "bytes": data, "logprob": entry["logprob"]}
