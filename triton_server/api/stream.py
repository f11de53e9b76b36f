"""POST /stream: continue a text; each line of the response is one delta."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ..async_client import AnswerDelta
from .constraints import refuse_constraints
from .errors import ERROR_RESPONSES
from .generation import stream_answer, wait_until_accepted
from .stream_response import StreamResponse

_PARAMETER_NAMES = {  # the name here: the name in the contract
    "num_predict": "max_tokens",
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "repeat_penalty": "repetition_penalty",
}
# Some readers end a line at these characters. JSON does not escape them.
_OTHER_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
_to_json = json.JSONEncoder(ensure_ascii=False).encode

router = APIRouter(tags=["stream"], responses=ERROR_RESPONSES)


class StreamRequest(BaseModel):
    """A text to continue, with sampling parameters."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    prompt: str
    num_predict: int | None = Field(None, description="At most so many tokens.")
    temp: float | None = Field(None, description="0: always the likeliest token; up to 2: more variety.")
    top_k: int | None = Field(None, description="Choose among so many likeliest tokens; 0 or -1: all.")
    top_p: float | None = Field(None, description="Choose among the likeliest up to this probability.")
    repeat_penalty: float | None = Field(None, description="Above 1: fewer repetitions.")
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
    a backslash. In Python, `json.loads(f'"{line}"')` is the text. If an answer fails after it has begun, the
    response has no end of its transfer encoding, and clients report a broken connection.
    """
    refuse_constraints(body.model_extra)
    parameters: dict[str, Any] = {
        name: value for field, name in _PARAMETER_NAMES.items() if (value := getattr(body, field)) is not None
    }
    if parameters.get("top_k") == -1:
        parameters["top_k"] = 0
    if body.temp != 0:
        parameters["seed"] = secrets.randbits(62)
    deltas = await wait_until_accepted(stream_answer(request, body.prompt, parameters))
    return StreamResponse(_render_lines(deltas), "text/plain")


def render_line(text: str) -> bytes:
    """The line for a text."""
    return f"{_to_json(text)[1:-1].translate(_OTHER_LINE_ENDS)}\n".encode()


async def _render_lines(deltas: AsyncIterator[AnswerDelta]) -> AsyncIterator[bytes]:
    async with aclosing(deltas):
        async for delta in deltas:
            if delta.text:
                yield render_line(delta.text)
