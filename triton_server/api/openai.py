"""OpenAI's API: /v1/chat/completions, /v1/completions, /v1/models."""

import secrets
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from model_core.sampling import MAX_LOGPROBS

from ..contract import Messages
from . import answers
from .errors import ERRORS, ApiError
from .generation import Job, Streamed, begun, generate_all
from .openai_schemas import (
    ChatCompletion,
    ChatRequest,
    Completion,
    CompletionRequest,
    Message,
    ModelEntry,
    ModelList,
)
from .served import Model

MAX_ANSWERS = 128  # to one request: n, times the number of prompts
_PASSED = (  # under the names that they have in the contract
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "stop",
    "logit_bias",
    "ignore_eos",
    "timeout_s",
)
_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=ERRORS)


@router.post("/chat/completions", responses={200: {"model": ChatCompletion, "content": _STREAM}})
async def chat_completions(request: Request, body: ChatRequest) -> Response:
    """Answer a conversation, whole or streamed, once or `n` times."""
    model = await request.app.state.served_model.named(body.model)
    _refuse_unknown_ways(body)
    asked = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
    messages = [_message(number, message) for number, message in enumerate(body.messages, 1)]
    jobs = _jobs([messages], body, {"max_tokens": asked, "logprobs": _alternatives(body)})
    return await _answer(request, body, jobs, answers.CHAT, model)


@router.post("/completions", responses={200: {"model": Completion, "content": _STREAM}})
async def completions(request: Request, body: CompletionRequest) -> Response:
    """Continue a text, or each of several."""
    model = await request.app.state.served_model.named(body.model)
    for name, wrong in (
        ("echo", body.echo),
        ("suffix", body.suffix),
        ("best_of", body.best_of is not None and body.best_of != (body.n or 1)),
    ):
        if wrong:
            raise _unsupported(name, f"{name} is not supported; leave it out.")
    prompt = body.prompt
    several = not isinstance(prompt, str) and not all(isinstance(token, int) for token in prompt)
    prompts = prompt if several else [prompt]
    jobs = _jobs(prompts, body, {"max_tokens": body.max_tokens, "logprobs": body.logprobs})
    return await _answer(request, body, jobs, answers.TEXT, model)


@router.get("/models", response_model=ModelList)
async def models(request: Request) -> dict[str, Any]:
    """The model that is served."""
    return {"object": "list", "data": [_entry(await request.app.state.served_model.get())]}


@router.get("/models/{name:path}", response_model=ModelEntry)
async def model(request: Request, name: str) -> dict[str, Any]:
    """The model that is served, if that is its name."""
    return _entry(await request.app.state.served_model.named(name))


async def _answer(
    request: Request,
    body: ChatRequest | CompletionRequest,
    jobs: list[Job],
    style: answers.Style,
    model: Model,
) -> Response:
    n, most = body.n or 1, request.app.state.settings.max_body_bytes
    if (
        n > 1 and n * len(await request.body()) > most
    ):  # each answer takes the whole conversation to the engine
        raise ApiError(413, f"n times the body is more than {most} bytes (--max-body).", "too_large", "n")
    parts = generate_all(request, jobs)
    if not body.stream:
        return Response(await answers.whole(parts, len(jobs), n, style, model), media_type="application/json")
    with_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    events = answers.events(await begun(parts), len(jobs), n, style, model, with_usage)
    return Streamed(events, "text/event-stream")


def _jobs(
    prompts: list[Messages], body: ChatRequest | CompletionRequest, parameters: dict[str, Any]
) -> list[Job]:
    """The answers to make: `n` to each prompt, with seeds that differ by one."""
    n = 1 if body.n is None else body.n
    if not 1 <= n <= MAX_ANSWERS or n * len(prompts) > MAX_ANSWERS:
        raise ApiError(
            400,
            f"n must be at least 1, and n times the prompts at most {MAX_ANSWERS}.",
            "invalid_request",
            "n",
        )
    parameters |= {name: getattr(body, name) for name in _PASSED}
    parameters = {name: value for name, value in parameters.items() if value is not None}
    seed = body.seed
    if seed is None and body.temperature != 0:
        seed = secrets.randbits(62)
    seeds = [{}] * n if seed is None else [{"seed": seed + i} for i in range(n)]
    return [Job(prompt, {**parameters, **each}) for prompt in prompts for each in seeds]


def _message(number: int, message: Message) -> dict[str, str]:
    """A message as the contract has it. Raises ApiError for what no checkpoint here understands."""
    param = f"messages.{number - 1}"
    if message.role in ("tool", "function") or message.tool_calls:
        raise _unsupported(param, f"message {number} is about tools, which this service cannot use.")
    content = message.content
    if content is None:
        raise ApiError(400, f"message {number} has no content.", "invalid_request", param)
    if not isinstance(content, str):
        for part in content:
            if part.type != "text" or part.text is None:
                raise _unsupported(
                    param,
                    f"message {number} has a part of type {part.type[:40]!r}, but only text is understood.",
                )
        content = "\n".join(part.text or "" for part in content)
    return {"role": "system" if message.role == "developer" else message.role, "content": content}


def _refuse_unknown_ways(body: ChatRequest) -> None:
    """Raises ApiError for ways to answer that this service does not know."""
    if body.response_format is not None and body.response_format.type != "text":
        raise _unsupported(
            "response_format",
            f"response_format {body.response_format.type[:40]!r} is not supported yet; only 'text' is.",
        )
    for tools, choice, names in (
        (body.tools, body.tool_choice, ("tools", "tool_choice")),
        (body.functions, body.function_call, ("functions", "function_call")),
    ):
        if tools and choice != "none":
            raise _unsupported(
                names[0], f'{names[0]} cannot be called yet; leave them out, or set {names[1]} to "none".'
            )
    if body.modalities is not None and body.modalities != ["text"]:
        raise _unsupported("modalities", "this service answers in text alone.")


def _alternatives(body: ChatRequest) -> int | None:
    """How many alternatives a token to tell; None for no log probabilities at all."""
    top = body.top_logprobs
    if top is not None and not 0 <= top <= MAX_LOGPROBS:
        raise ApiError(
            400,
            f"top_logprobs must be between 0 and {MAX_LOGPROBS}, not {top}.",
            "invalid_request",
            "top_logprobs",
        )
    if top and not body.logprobs:
        raise ApiError(400, "top_logprobs needs logprobs to be true.", "invalid_request", "top_logprobs")
    return (top or 0) if body.logprobs else None


def _unsupported(param: str, message: str) -> ApiError:
    return ApiError(400, message, "unsupported", param)


def _entry(model: Model) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.since, "owned_by": "tritonchat"}
