"""Renders answers in OpenAI's form: as one body, or as server-sent events.

Events are joined from bytes, because the code for one event runs a thousand times a second with 64 streams.
"""

import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import (
    Accepted,
    Done,
    Failed,
    Logprobs,
    Reasoning,
    Text,
    TokenIds,
    ToolCallDelta,
)

from ..errors import body_of
from ..mcp_tools.calls import CallEnded, CallStarted
from ..resumption.event_id import Origin
from ..stream_response import KEEP_ALIVE, NumberedEvents, to_json
from .fields import Completion
from .service_calls import ChatAnswer

Part = Text | Reasoning | ToolCallDelta | CallStarted | CallEnded
LogprobEntries = list[dict[str, Any]]  # in the contract's form


@dataclass(frozen=True)
class AnswerFormat:
    """What differs between answers to conversations and to raw prompts.

    Attributes:
        id_prefix: the beginning of an answer's id.
        body: the model of a body.
        object_name, event_object_name: the field `object` of a body, and of an event.
        first_fields, last_fields: JSON fields of the choice in a stream's first and last event.
        render_part: the JSON fields of the choice in the event for a part of the answer.
        render_choice: the fields of the choice in a body.
        render_logprobs: the field `logprobs`, from entries and the offset of the first, in characters.
        finish_reasons: other words for reasons.
        has_one_prompt: whether what is told of the prompt are fields of the body, not of each choice.
    """

    id_prefix: str
    body: type[Completion]
    object_name: str
    event_object_name: str
    first_fields: bytes
    last_fields: bytes
    render_part: Callable[[Part], bytes]
    render_choice: Callable[[ChatAnswer], dict[str, Any]]
    render_logprobs: Callable[[LogprobEntries, int], dict[str, Any]]
    has_one_prompt: bool
    finish_reasons: Mapping[str, str] = field(default_factory=dict)

    def common_fields(
        self, model: str, fingerprint: str | None, streamed: bool, origin: Origin | None = None
    ) -> dict[str, Any]:
        """The fields that a body, or each event of a stream, begins with. `model` is its name."""
        return {
            "id": self.id_prefix + (secrets.token_hex(12) if origin is None else origin.answer_name),
            "object": self.event_object_name if streamed else self.object_name,
            "created": int(time.time()) if origin is None else origin.start_s,
            "model": model,
            "system_fingerprint": fingerprint,
        }

    def name_reason(self, done: Done) -> str:
        """Why an answer has ended."""
        return self.finish_reasons.get(done.finish_reason, done.finish_reason)


async def render_answer(
    events: NumberedEvents, count: int, n: int, answer_format: AnswerFormat, model: str
) -> bytes:
    """The JSON body with all `count` answers, `n` to each prompt. Raises the first error of an answer."""
    answers = [ChatAnswer() for _ in range(count)]
    async with aclosing(events):
        async for number, event in events:
            answers[number].add(event)
    dones = [answer.done for answer in answers]
    choices = [
        {
            "index": number,
            **answer_format.render_choice(answer),
            "logprobs": None
            if answer.logprobs is None
            else answer_format.render_logprobs(answer.logprobs, 0),
            "finish_reason": answer_format.name_reason(answer.done),
            "seed": answer.done.seed,
            **({} if answer.done.receipt is None else {"receipt": answer.done.receipt}),
            **_ids_field("token_ids", answer.token_ids),
            **({} if answer_format.has_one_prompt else _prompt_fields(answer)),
        }
        for number, answer in enumerate(answers)
    ]
    prompt_fields = _prompt_fields(answers[0]) if answer_format.has_one_prompt else {}
    body = answer_format.body(
        **answer_format.common_fields(model, dones[0].fingerprint, streamed=False),
        choices=choices,
        usage=_sum_usage(dones, n),
        **prompt_fields,
    )
    return body.model_dump_json(exclude_unset=True).encode()


async def render_events(
    events: NumberedEvents,
    count: int,
    n: int,
    answer_format: AnswerFormat,
    model: str,
    fingerprint: str | None,
    include_usage: bool,
    origin: Origin | None = None,
) -> AsyncGenerator[bytes, None]:
    """The answers as server-sent events. The last event is [DONE], or an error where an answer failed.

    `fingerprint` is what is known of it before the first event. `origin`: of a stream whose events get ids.
    What an event of an answer makes comes in one piece.
    """
    head = answer_format.common_fields(model, fingerprint, True, origin)
    start = f"data: {to_json(head)[:-1]}".encode()
    end = b',"usage":null}\n\n' if include_usage else b"}\n\n"

    def render_event(number: int, fields: bytes, reason: bytes = b"null") -> bytes:
        logprobs, ids = b"null", b""
        if new := entries[number]:
            logprobs = to_json(answer_format.render_logprobs(new, offsets[number])).encode()
            offsets[number] += sum(map(count_characters, new))
            entries[number] = []
        if (tokens := token_ids[number]) is not None:
            ids, token_ids[number] = b',"token_ids":%b' % to_json(tokens).encode(), None
        prompt, prompt_ids[number] = prompt_ids[number], b""
        choice = b'{"index":%d%b,"logprobs":%b,"finish_reason":%b' % (number, fields, logprobs, reason)
        ending = (b"}]", prompt) if answer_format.has_one_prompt else (prompt, b"}]")
        return b"".join((start, b',"choices":[', choice, ids, *ending, end))

    is_started, dones = [False] * count, dict[int, Done]()
    # What is told of tokens waits for the next event of its answer, which may be the end.
    entries, offsets = [LogprobEntries() for _ in range(count)], [0] * count
    token_ids: list[list[int] | None] = [None] * count
    prompt_ids = [b""] * count  # a field
    async with aclosing(events):
        async for number, event in events:
            if isinstance(event, Accepted):
                if event.fingerprint is not None:  # of another server, which says it with its first tokens
                    head["system_fingerprint"] = event.fingerprint
                    start = f"data: {to_json(head)[:-1]}".encode()
                yield KEEP_ALIVE
                continue
            if isinstance(event, Failed):
                yield f"data: {to_json(body_of(event))}\n\n".encode()
                return
            first = b""
            if not is_started[number]:
                is_started[number] = True
                first = render_event(number, answer_format.first_fields)
            if isinstance(event, Logprobs):
                entries[number] = entries[number] + event.entries
            elif isinstance(event, TokenIds):
                token_ids[number] = [*(token_ids[number] or ()), *event.ids]
                if event.prompt_ids is not None:
                    prompt_ids[number] = b',"prompt_token_ids":%b' % to_json(event.prompt_ids).encode()
            elif isinstance(event, Done):
                dones[number] = event
                reason = b'"%b","seed":%d' % (answer_format.name_reason(event).encode(), event.seed)
                if event.receipt is not None:
                    reason += b',"receipt":%b' % to_json(event.receipt).encode()
                yield first + render_event(number, answer_format.last_fields, reason=reason)
                continue
            elif isinstance(event, Part):
                yield first + render_event(number, answer_format.render_part(event))
                continue
            if first:
                yield first
    if include_usage:
        usage = _sum_usage([dones[number] for number in range(count)], n)
        yield start + f',"choices":[],"usage":{to_json(usage)}}}\n\n'.encode()
    yield b"data: [DONE]\n\n"


def _ids_field(name: str, ids: list[int] | None) -> dict[str, list[int]]:
    return {} if ids is None else {name: ids}


def _prompt_fields(answer: AnswerParts) -> dict[str, Any]:
    """What is told of the prompt: its ids, and its log probabilities in vLLM's form."""
    fields: dict[str, Any] = _ids_field("prompt_token_ids", answer.prompt_token_ids)
    if answer.prompt_logprobs is not None:
        fields["prompt_logprobs"] = [_render_prompt_logprob(entry) for entry in answer.prompt_logprobs]
    return fields


def _render_prompt_logprob(entry: dict[str, Any]) -> dict[str, dict[str, Any]] | None:
    if entry["logprob"] is None:
        return None
    ranked = [*enumerate(entry["top_logprobs"], 1), (entry["rank"], entry)]
    return {
        str(token["token_id"]): {"logprob": token["logprob"], "rank": rank, "decoded_token": token["token"]}
        for rank, token in ranked
    }


def count_characters(entry: dict[str, Any]) -> int:
    """The number of characters that begin in a token: all its bytes but continuation bytes (RFC 3629)."""
    if "bytes" not in entry:
        return len(entry["token"])
    return sum(byte & 0xC0 != 0x80 for byte in entry["bytes"])


def _sum_usage(dones: Sequence[Done], n: int) -> dict[str, Any]:
    """The tokens of all answers together. A prompt counts once, however many answers it has."""
    usages = [done.usage for done in dones]
    usages_by_prompt = [usages[first : first + n] for first in range(0, len(usages), n)]
    prompt = sum(group[0].prompt_tokens for group in usages_by_prompt)
    # The first answer to a prompt computes it; the others find it in the cache. Count what the first found.
    cached = sum(min(usage.cached_tokens for usage in group) for group in usages_by_prompt)
    completion = sum(usage.completion_tokens for usage in usages)
    truncated = sum(group[0].truncated_messages for group in usages_by_prompt)
    images = sum(group[0].image_tokens for group in usages_by_prompt)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached, **({"image_tokens": images} if images else {})},
        "completion_tokens_details": {"reasoning_tokens": sum(usage.reasoning_tokens for usage in usages)},
        **({"truncated_messages": truncated} if truncated else {}),
        **replace(usages[0], answer_cached=all(usage.answer_cached for usage in usages)).remarks,
    }
