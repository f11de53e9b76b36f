"""Answers in OpenAI's form: whole, or as server-sent events.

Events are put together as bytes: at 64 streams, everything that is done for one of them is done a thousand
times a second.
"""

import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ..async_client import Part
from .errors import ApiError, ClientLeft, told
from .served import Model

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_Logprobs = list[dict[str, Any]]  # as the contract has them


@dataclass(frozen=True)
class Style:
    """What differs between answers to conversations and to raw prompts. Bytes are of a stream's choices."""

    id: str
    object: str
    chunk: str  # what `object` says in a stream
    opening: bytes  # says of an answer, before its text, that there is one
    before: bytes  # around its text
    after: bytes
    closing: bytes  # in the place of text, where there will be no more
    choice: Callable[[str], dict[str, Any]]
    logprobs: Callable[[_Logprobs, int], dict[str, Any]]  # and after how many characters they begin

    def envelope(self, model: Model, streamed: bool) -> dict[str, Any]:
        """What an answer begins with, or each event of a streamed one."""
        return {
            "id": self.id + secrets.token_hex(12),
            "object": self.chunk if streamed else self.object,
            "created": int(time.time()),
            "model": model.name,
            "system_fingerprint": model.fingerprint,
        }


async def whole(
    parts: AsyncIterator[tuple[int, Part]], count: int, n: int, style: Style, model: Model
) -> bytes:
    """The body with all `count` answers, `n` to each prompt. Raises what goes wrong with one of them."""
    choices = [_Choice() for _ in range(count)]
    async with aclosing(parts):
        async for number, part in parts:
            choices[number].add(part)
    listed = [
        {
            "index": number,
            **style.choice("".join(choice.text)),
            "logprobs": None if choice.logprobs is None else style.logprobs(choice.logprobs, 0),
            "finish_reason": choice.details["finish_reason"],
        }
        for number, choice in enumerate(choices)
    ]
    return _dumps({**style.envelope(model, False), "choices": listed, "usage": _usage(choices, n)}).encode()


async def events(
    parts: AsyncIterator[tuple[int, Part]],
    count: int,
    n: int,
    style: Style,
    model: Model,
    with_usage: bool,
) -> AsyncIterator[bytes]:
    """The answers as server-sent events, the last of them [DONE], or an error where one failed."""
    start = f"data: {_dumps(style.envelope(model, True))[:-1]}".encode()
    end = b',"usage":null}\n\n' if with_usage else b"}\n\n"

    def event(number: int, delta: bytes, logprobs: bytes = b"null", reason: bytes = b"null") -> bytes:
        choice = b'{"index":%d%b,"logprobs":%b,"finish_reason":%b}' % (number, delta, logprobs, reason)
        return b"".join((start, b',"choices":[', choice, b"]", end))

    choices = [_Choice() for _ in range(count)]
    try:
        async with aclosing(parts):
            async for number, part in parts:
                choice = choices[number]
                if not choice.text:
                    yield event(number, style.opening)
                offset = choice.offset
                choice.add(part)
                logprobs = part.details.get("logprobs")
                if part.text or logprobs:
                    listed = _dumps(style.logprobs(logprobs, offset)).encode() if logprobs else b"null"
                    yield event(number, style.before + _dumps(part.text).encode() + style.after, listed)
                if part.is_last:
                    reason = b'"%b"' % part.details["finish_reason"].encode()
                    yield event(number, style.closing, reason=reason)
        if with_usage:
            yield start + f',"choices":[],"usage":{_dumps(_usage(choices, n))}}}\n\n'.encode()
        yield b"data: [DONE]\n\n"
    except ClientLeft:
        raise
    except Exception as error:
        yield f"data: {_dumps(told(error))}\n\n".encode()


class _Choice:
    """One of a request's answers as far as it has come."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.logprobs: _Logprobs | None = None
        self.offset = 0  # in characters, of the next token whose log probability will be told
        self.details: dict[str, Any] = {}  # once it has ended

    def add(self, part: Part) -> None:
        """Take the next part. Raises ApiError if it says that the answer was cut off."""
        self.text.append(part.text)
        fresh = part.details.get("logprobs")
        if fresh is not None:
            self.logprobs = [*(self.logprobs or ()), *fresh]
            self.offset += sum(len(entry["token"]) for entry in fresh)
        if part.is_last:
            self.details = part.details
            if part.details["finish_reason"] == "cancelled":
                raise ApiError(503, "the server has cut the answer off.", code="cancelled")


def _usage(choices: list[_Choice], n: int) -> dict[str, Any]:
    """Tokens of all answers; a prompt counts once, however many answers it got."""
    usages = [choice.details["usage"] for choice in choices]
    of_prompts = [usages[first : first + n] for first in range(0, len(usages), n)]
    prompt = sum(group[0]["prompt_tokens"] for group in of_prompts)
    # All but one of a prompt's answers may have found it in the cache, because that one had computed it.
    cached = sum(min(usage["cached_tokens"] for usage in group) for group in of_prompts)
    completion = sum(usage["completion_tokens"] for usage in usages)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _chat_choice(text: str) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text, "refusal": None}}


def _chat_logprobs(entries: _Logprobs, offset: int) -> dict[str, Any]:
    listed = [
        {**_token(entry), "top_logprobs": [_token(e) for e in entry["top_logprobs"]]} for entry in entries
    ]
    return {"content": listed, "refusal": None}


def _token(entry: dict[str, Any]) -> dict[str, Any]:
    token = entry["token"]
    whole = "\ufffd" not in token  # else a part of a character, whose bytes the contract does not tell
    return {"token": token, "logprob": entry["logprob"], "bytes": list(token.encode()) if whole else None}


def _text_choice(text: str) -> dict[str, Any]:
    return {"text": text}


def _text_logprobs(entries: _Logprobs, offset: int) -> dict[str, Any]:
    offsets = []
    for entry in entries:
        offsets.append(offset)
        offset += len(entry["token"])
    return {
        "tokens": [entry["token"] for entry in entries],
        "token_logprobs": [entry["logprob"] for entry in entries],
        "top_logprobs": [{e["token"]: e["logprob"] for e in entry["top_logprobs"]} for entry in entries],
        "text_offset": offsets,
    }


CHAT = Style(
    id="chatcmpl-",
    object="chat.completion",
    chunk="chat.completion.chunk",
    opening=b',"delta":{"role":"assistant","content":"","refusal":null}',
    before=b',"delta":{"content":',
    after=b"}",
    closing=b',"delta":{}',
    choice=_chat_choice,
    logprobs=_chat_logprobs,
)
TEXT = Style(
    id="cmpl-",
    object="text_completion",
    chunk="text_completion",
    opening=b',"text":""',
    before=b',"text":',
    after=b"",
    closing=b',"text":""',
    choice=_text_choice,
    logprobs=_text_logprobs,
)
