"""Triton's generate extension: text to text, as one body or as server-sent events.

Source: https://github.com/triton-inference-server/server, docs/protocol/extension_generate.md.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import Field
from starlette.responses import Response

from model_core.errors import InvalidRequest
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Failed

from ...contract.codec import encode_answer
from ...contract.request_fields import Request
from ...contract.tensors import CHAT, CHAT_STREAM, DEFAULT_MODEL
from ..body import WholeBody
from ..errors import text_body_of, unsupported
from ..generation import end_with_failure, stream_answers, wait_until_accepted
from ..request_body import repeat
from ..stream_response import KEEP_ALIVE, NumberedEvents, StreamResponse, to_json
from .inference import check_values, describe_body, find_kind, parse
from .models import find_model
from .schemas import RESPONSES

_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}

router = APIRouter(prefix="/v2", tags=["KServe"], responses=RESPONSES)


class GenerateBody(WholeBody):
    """A prompt. Parameters stand in `parameters`, or beside it: the fields of requests over gRPC."""

    id: str | None = Field(None, max_length=128, description="Comes back with the response.")
    text_input: str | None = Field(None, description="A raw prompt to continue.")
    messages: Any = Field(None, description="A conversation to answer, instead of text_input.")
    parameters: dict[str, Any] | None = Field(
        None,
        description="`stream` must fit the route. `exclude_input_in_output`: false lets the text begin with "
        "the prompt. All others are fields of a request, such as `max_tokens`.",
    )


_BODY = describe_body(GenerateBody)


@router.post("/models/{model}/generate", openapi_extra=_BODY)
@router.post("/models/{model}/versions/{version}/generate", openapi_extra=_BODY)
async def generate(request: HttpRequest, model: str, version: str = "1") -> Response:
    """Continue a prompt, or answer a conversation. `details` (usage, seed ...) are those of gRPC."""
    body = parse(await request.body(), GenerateBody)
    events = await _start(request, model, version, body, is_stream=False)
    answer = AnswerParts()
    async with aclosing(events):
        async for _, event in events:
            answer.add(event)
    return Response(to_json(_render(_begin(model, body), answer)), media_type="application/json")


@router.post("/models/{model}/generate_stream", responses=_EVENTS, openapi_extra=_BODY)
@router.post("/models/{model}/versions/{version}/generate_stream", responses=_EVENTS, openapi_extra=_BODY)
async def generate_stream(request: HttpRequest, model: str, version: str = "1") -> Response:
    """The same in pieces, each with the new text. An error is the last piece: {"error": message}."""
    body = parse(await request.body(), GenerateBody)
    events = await _start(request, model, version, body, is_stream=True)
    parts = _render_events(end_with_failure(events), _begin(model, body))
    return StreamResponse(parts, "text/event-stream; charset=utf-8")


async def _start(
    request: HttpRequest, model: str, version: str, body: GenerateBody, is_stream: bool
) -> NumberedEvents:
    """Begin an answer. Raises TritonchatError."""
    name = await find_model(request, model, version)
    values = _read_values(body, is_stream)
    if find_kind(model) not in (CHAT, CHAT_STREAM):
        raise unsupported("model", f"{model} makes no text; {CHAT} does.")
    if values.get("model", DEFAULT_MODEL) == DEFAULT_MODEL:
        values["model"] = name
    await check_values(request, values)
    sent = [Request(**values)]
    return await wait_until_accepted(stream_answers(request, repeat(sent), whole=not is_stream))


def _read_values(body: GenerateBody, is_stream: bool) -> dict[str, Any]:
    """The fields of the request. Raises TritonchatError."""
    parameters, extra = body.parameters or {}, body.model_extra or {}
    if twice := parameters.keys() & (extra.keys() | {"text_input", "messages"}):
        raise InvalidRequest("a parameter is inside and beside parameters; leave one out.", min(twice))
    if (body.text_input is None) == (body.messages is None):
        raise InvalidRequest("the request needs either text_input or messages.", "text_input")
    values = {name: value for name, value in {**parameters, **extra}.items() if value is not None}
    if values.pop("stream", is_stream) is not is_stream:
        other = "generate" if is_stream else "generate_stream"
        raise InvalidRequest(f"stream must fit the route; use /{other}, or leave it out.", "stream")
    excludes = values.pop("exclude_input_in_output", True)
    if not isinstance(excludes, bool) or "echo" in values:
        raise InvalidRequest(
            "exclude_input_in_output must be true or false, and not stand beside echo.",
            "exclude_input_in_output",
        )
    if not excludes:
        values["echo"] = True
    return {**values, "messages": body.messages if body.text_input is None else body.text_input}


def _begin(model: str, body: GenerateBody) -> dict[str, Any]:
    """What each response begins with."""
    head = {} if body.id is None else {"id": body.id}
    return {**head, "model_name": model, "model_version": "1"}


def _render(head: dict[str, Any], answer: AnswerParts) -> dict[str, Any]:
    """A response, or a piece of one. It has `details` where there are some."""
    text, details = encode_answer(answer)
    return {**head, "text_output": text, **({"details": details} if details else {})}


async def _render_events(events: NumberedEvents, head: dict[str, Any]) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Accepted):
                yield KEEP_ALIVE
            else:
                part = (
                    text_body_of(event)
                    if isinstance(event, Failed)
                    else _render(head, AnswerParts().add(event))
                )
                yield f"data: {to_json(part)}\n\n".encode()
