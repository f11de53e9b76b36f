"""Render answers in OpenAI's form: as one body, or as server-sent events.

Events are joined from bytes, because the code for one event runs a thousand times a second with 64 streams.
"""

import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ..async_client import AnswerDelta
from .errors import ApiError, ClientDisconnected, stream_error_body
from .served_model import ModelInfo
from .stream_response import KEEP_ALIVE

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_Logprobs = list[dict[str, Any]]  # in the contract's form


@dataclass(frozen=True)
class AnswerFormat:
    """What differs between answers to conversations and to raw prompts.

    Attributes:
        id_prefix: the beginning of an answer's id.
        object_name, event_object_name: the field `object` of a body, and of an event.
        first_fields, last_fields: JSON fields of the choice in a stream's first and last event.
        text_prefix, text_suffix: JSON around the text in the other events.
        render_choice: from a text, the fields of the choice in a body.
        render_logprobs: the field `logprobs`, from entries and the offset of the first, in characters.
    """

    id_prefix: str
    object_name: str
    event_object_name: str
    first_fields: bytes
    text_prefix: bytes
    text_suffix: bytes
    last_fields: bytes
    render_choice: Callable[[str], dict[str, Any]]
    render_logprobs: Callable[[_Logprobs, int], dict[str, Any]]

    def common_fields(self, model: ModelInfo, streamed: bool) -> dict[str, Any]:
        """The fields that a body, or each event of a stream, begins with."""
        return {
            "id": self.id_prefix + secrets.token_hex(12),
            "object": self.event_object_name if streamed else self.object_name,
            "created": int(time.time()),
            "model": model.name,
            "system_fingerprint": model.fingerprint,
        }


async def render_answer(
    deltas: AsyncIterator[tuple[int, AnswerDelta]],
    count: int,
    n: int,
    answer_format: AnswerFormat,
    model: ModelInfo,
) -> bytes:
    """The JSON body with all `count` answers, `n` to each prompt. Raises the first error of an answer."""
    choices, texts = [_ChoiceState() for _ in range(count)], [""] * count
    logprobs: list[_Logprobs | None] = [None] * count
    async with aclosing(deltas):
        async for number, delta in deltas:
            choices[number].add(delta)
            texts[number] += delta.text
            if "logprobs" in delta.details:
                logprobs[number] = (entries := logprobs[number] or [])
                entries += delta.details["logprobs"]
    choice_fields = [
        {
            "index": number,
            **answer_format.render_choice(text),
            "logprobs": None if entries is None else answer_format.render_logprobs(entries, 0),
            "finish_reason": choice.details["finish_reason"],
        }
        for number, (choice, text, entries) in enumerate(zip(choices, texts, logprobs, strict=True))
    ]
    return _to_json(
        {
            **answer_format.common_fields(model, False),
            "choices": choice_fields,
            "usage": _sum_usage(choices, n),
        }
    ).encode()


async def render_events(
    deltas: AsyncIterator[tuple[int, AnswerDelta]],
    count: int,
    n: int,
    answer_format: AnswerFormat,
    model: ModelInfo,
    include_usage: bool,
) -> AsyncIterator[bytes]:
    """The answers as server-sent events. The last event is [DONE], or an error where an answer failed."""
    start = f"data: {_to_json(answer_format.common_fields(model, True))[:-1]}".encode()
    end = b',"usage":null}\n\n' if include_usage else b"}\n\n"

    def render_event(number: int, fields: bytes, logprobs: bytes = b"null", reason: bytes = b"null") -> bytes:
        choice = b'{"index":%d%b,"logprobs":%b,"finish_reason":%b}' % (number, fields, logprobs, reason)
        return b"".join((start, b',"choices":[', choice, b"]", end))

    def render_logprobs(entries: _Logprobs | None, offset: int) -> bytes:
        return _to_json(answer_format.render_logprobs(entries, offset)).encode() if entries else b"null"

    choices = [_ChoiceState() for _ in range(count)]
    try:
        async with aclosing(deltas):
            async for number, delta in deltas:
                if delta.is_empty:
                    yield KEEP_ALIVE
                    continue
                choice = choices[number]
                if not choice.is_started:
                    yield render_event(number, answer_format.first_fields)
                offset = choice.offset
                choice.add(delta)
                logprobs = delta.details.get("logprobs")
                if delta.text or logprobs:
                    text = _to_json(delta.text).encode()
                    fields = answer_format.text_prefix + text + answer_format.text_suffix
                    yield render_event(number, fields, render_logprobs(logprobs, offset))
                if delta.is_last:
                    reason = b'"%b"' % delta.details["finish_reason"].encode()
                    yield render_event(number, answer_format.last_fields, reason=reason)
        if include_usage:
            yield start + f',"choices":[],"usage":{_to_json(_sum_usage(choices, n))}}}\n\n'.encode()
        yield b"data: [DONE]\n\n"
    except ClientDisconnected:
        raise
    except Exception as error:
        yield f"data: {_to_json(stream_error_body(error))}\n\n".encode()


class _ChoiceState:
    """The state of one answer of a request. It stores neither text nor log probabilities."""

    def __init__(self) -> None:
        self.is_started = False
        self.offset = 0  # in characters, of the next token that has a log probability
        self.details: dict[str, Any] = {}  # of the last delta

    def add(self, delta: AnswerDelta) -> None:
        """Update the state with the next delta. Raises ApiError if the server cancelled the answer."""
        self.is_started = True
        self.offset += sum(map(_count_characters, delta.details.get("logprobs", ())))
        if delta.is_last:
            self.details = delta.details
            if delta.details["finish_reason"] == "cancelled":
                raise ApiError(503, "the server has cut the answer off.", code="cancelled")


def _sum_usage(choices: list[_ChoiceState], n: int) -> dict[str, Any]:
    """The tokens of all answers together. A prompt counts once, however many answers it has."""
    usages = [choice.details["usage"] for choice in choices]
    usages_by_prompt = [usages[first : first + n] for first in range(0, len(usages), n)]
    prompt = sum(group[0]["prompt_tokens"] for group in usages_by_prompt)
    # The first answer to a prompt computes it; the others find it in the cache. Count what the first found.
    cached = sum(min(usage["cached_tokens"] for usage in group) for group in usages_by_prompt)
    completion = sum(usage["completion_tokens"] for usage in usages)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _render_chat_choice(text: str) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text, "refusal": None}}


def _render_chat_logprobs(entries: _Logprobs, offset: int) -> dict[str, Any]:
    content = [
        {**_render_token(entry), "top_logprobs": [_render_token(e) for e in entry["top_logprobs"]]}
        for entry in entries
    ]
    return {"content": content, "refusal": None}


def _render_token(entry: dict[str, Any]) -> dict[str, Any]:
    token = entry["token"]
    # The contract has `bytes` only for tokens that are parts of characters.
    return {"token": token, "logprob": entry["logprob"], "bytes": entry.get("bytes") or list(token.encode())}


def _render_text_choice(text: str) -> dict[str, Any]:
    return {"text": text}


def _render_text_logprobs(entries: _Logprobs, offset: int) -> dict[str, Any]:
    offsets = []
    for entry in entries:
        offsets.append(offset)
        offset += _count_characters(entry)
    return {
        "tokens": [_render_label(entry) for entry in entries],
        "token_logprobs": [entry["logprob"] for entry in entries],
        # As with OpenAI, the token itself is included even if it is not among the likeliest.
        "top_logprobs": [
            {_render_label(e): e["logprob"] for e in (*entry["top_logprobs"], entry)} for entry in entries
        ],
        "text_offset": offsets,
    }


def _render_label(entry: dict[str, Any]) -> str:
    """The text of a token. If the token is a part of a character: its bytes, in OpenAI's form."""
    if "bytes" not in entry:
        return entry["token"]
    return "bytes:" + "".join(f"\\x{byte:02x}" for byte in entry["bytes"])


def _count_characters(entry: dict[str, Any]) -> int:
    """The number of characters that begin in a token: all its bytes but continuation bytes (RFC 3629)."""
    if "bytes" not in entry:
        return len(entry["token"])
    return sum(byte & 0xC0 != 0x80 for byte in entry["bytes"])


CHAT_FORMAT = AnswerFormat(
    id_prefix="chatcmpl-",
    object_name="chat.completion",
    event_object_name="chat.completion.chunk",
    first_fields=b',"delta":{"role":"assistant","content":"","refusal":null}',
    text_prefix=b',"delta":{"content":',
    text_suffix=b"}",
    last_fields=b',"delta":{}',
    render_choice=_render_chat_choice,
    render_logprobs=_render_chat_logprobs,
)
TEXT_FORMAT = AnswerFormat(
    id_prefix="cmpl-",
    object_name="text_completion",
    event_object_name="text_completion",
    first_fields=b',"text":""',
    text_prefix=b',"text":',
    text_suffix=b"",
    last_fields=b',"text":""',
    render_choice=_render_text_choice,
    render_logprobs=_render_text_logprobs,
)
