"""POST /stream: a text goes on, a line for each piece, as plain as it can be."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ..async_client import Part
from .errors import ERRORS
from .generation import Streamed, begun, generate

_PASSED = {  # the name here: the name in the contract
    "num_predict": "max_tokens",
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "repeat_penalty": "repetition_penalty",
}
# Line ends for some readers, though not for JSON.
_OTHER_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
_quoted = json.JSONEncoder(ensure_ascii=False).encode

router = APIRouter(tags=["stream"], responses=ERRORS)


class StreamRequest(BaseModel):
    """A text to continue, and how."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    prompt: str
    num_predict: int | None = Field(None, description="At most so many tokens.")
    temp: float | None = Field(None, description="0: the likeliest tokens; up to 2: ever wilder.")
    top_k: int | None = Field(None, description="Choose among so many likeliest tokens; 0: all.")
    top_p: float | None = Field(None, description="Choose among the likeliest up to this probability.")
    repeat_penalty: float | None = Field(None, description="Above 1: repeat less.")
    n_batch: int | None = Field(
        None, description="Tokens of the prompt to compute at once. The engine decides that by itself."
    )
    cache: bool | int | str | None = Field(
        None, description="What to keep of the prompt. The engine keeps every prompt while it has memory."
    )


@router.post(
    "/stream",
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def stream(request: Request, body: StreamRequest) -> Response:
    """Continue a text. Each line is what came together: a token, or a few.

    A line is what JSON would write between quotes, so `\\n` stands for a new line, `\\"` for a quote and
    `\\\\` for a backslash; in Python, `json.loads(f'"{line}"')` is the text. An answer that fails half-way
    ends without the end of its transfer encoding, which clients report as a broken connection.
    """
    parameters: dict[str, Any] = {
        name: value for field, name in _PASSED.items() if (value := getattr(body, field)) is not None
    }
    if body.temp != 0:
        parameters["seed"] = secrets.randbits(62)
    parts = await begun(generate(request, body.prompt, parameters))
    return Streamed(_lines(parts), "text/plain")


def line(text: str) -> bytes:
    """A line that stands for a text."""
    return f"{_quoted(text)[1:-1].translate(_OTHER_LINE_ENDS)}\n".encode()


async def _lines(parts: AsyncIterator[Part]) -> AsyncIterator[bytes]:
    async with aclosing(parts):
        async for part in parts:
            if part.text:
                yield line(part.text)
