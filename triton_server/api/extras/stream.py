"""POST /stream: continue a text; each line of the response is one delta."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from model_core.requests.events import Text

from ...contract import request_fields
from ...contract.request_fields import ModelFields, fields_of_request
from ..errors import ERROR_RESPONSES
from ..generation import stream_answers, wait_until_accepted
from ..ignored import check_fields
from ..request_body import GenerationBody, other_names, repeat
from ..stream_response import NumberedEvents, StreamResponse

# Some readers end a line at these characters. JSON does not escape them.
_OTHER_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
_to_json = json.JSONEncoder(ensure_ascii=False).encode

router = APIRouter(tags=["stream"], responses=ERROR_RESPONSES)


class StreamRequest(GenerationBody, ModelFields):
    """A text to continue, with sampling parameters."""

    model_config = other_names(
        num_predict="max_tokens", temp="temperature", repeat_penalty="repetition_penalty"
    )

    prompt: str
    n_batch: int | None = Field(
        None, description="Ignored: the engine decides how many tokens of a prompt it computes together."
    )
    cache: bool | int | str | None = Field(
        None, description="Ignored: the engine caches prompts as long as it has memory."
    )


@router.post(
    "/stream",
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def stream(request: Request, body: StreamRequest) -> Response:
    """Continue a text. Each line has one token, or a few.

    A line is a JSON string without its quotes: `\\n` stands for a new line, `\\"` for a quote and `\\\\` for
    a backslash. In Python, `json.loads(f'"{line}"')` is the text. The header X-Seed has the seed that was
    used. If an answer fails after it has begun, the response has no end of its transfer encoding, and clients
    report a broken connection.
    """
    check_fields(request, body)
    answer = parse(body)
    events = await wait_until_accepted(stream_answers(request, [answer], takes_cut_off=True))
    return StreamResponse(render_lines(events), "text/plain", {"X-Seed": str(answer.seed)})


def parse(body: StreamRequest) -> request_fields.Request:
    """The request for the answer, with a seed. Raises ApiError or InvalidRequest."""
    body.refuse_prompt_logprobs()
    body.refuse_receipt()
    fields = {**fields_of_request(body), "messages": body.prompt}
    (request,) = repeat([request_fields.Request.of(fields, {**body.sent_names, "messages": "prompt"})])
    return request


def render_line(text: str) -> bytes:
    """The line for a text."""
    return f"{_to_json(text)[1:-1].translate(_OTHER_LINE_ENDS)}\n".encode()


async def render_lines(events: NumberedEvents) -> AsyncGenerator[bytes, None]:
    """The lines of an answer."""
    async with aclosing(events):
        async for _, event in events:
            if isinstance(event, Text) and event.text:
                yield render_line(event.text)
