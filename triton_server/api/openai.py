"""OpenAI's API: /v1/chat/completions, /v1/completions, /v1/models."""

import secrets
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from model_core.sampling import MAX_LOGPROBS, MAX_TOKEN_COUNT

from ..contract import Prompt
from . import openai_answers
from .constraints import refuse_constraints
from .errors import ERROR_RESPONSES, ApiError
from .generation import Job, stream_answers, wait_until_accepted
from .openai_schemas import (
    ChatCompletion,
    ChatRequest,
    CompletionRequest,
    Message,
    ModelEntry,
    ModelList,
    TextCompletion,
)
from .served_model import ModelInfo
from .stream_response import StreamResponse

COMPLETIONS_MAX_TOKENS = 16  # the default of /v1/completions, as with OpenAI
MAX_ANSWERS = 128  # to one request: n, times the number of prompts
_FORWARDED_FIELDS = (  # the contract has the same names
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
    "cache_salt",
)
_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=ERROR_RESPONSES)


@router.post("/chat/completions", responses={200: {"model": ChatCompletion, "content": _EVENT_STREAM}})
async def chat_completions(request: Request, body: ChatRequest) -> Response:
    """Answer a conversation, as one body or as a stream, once or `n` times."""
    model = await request.app.state.served_model.resolve(body.model)
    _check_constraints(body)
    _check_tools(body)
    if body.modalities is not None and body.modalities != ["text"]:
        raise _unsupported_field("modalities", "this service answers in text only.")
    max_tokens = body.max_tokens
    if body.max_completion_tokens is not None:
        max_tokens = body.max_completion_tokens
        if not 1 <= max_tokens <= MAX_TOKEN_COUNT:
            message = f"max_completion_tokens must be between 1 and {MAX_TOKEN_COUNT}, not {max_tokens}."
            raise _invalid_request("max_completion_tokens", message)
    messages = [_convert_message(number, message) for number, message in enumerate(body.messages, 1)]
    parameters: dict[str, Any] = {"max_tokens": max_tokens, "logprobs": _count_alternatives(body)}
    if _continues_final_message(body):
        parameters["continue_final_message"] = True
    jobs = _build_jobs([messages], body, parameters)
    return await _respond(request, body, jobs, openai_answers.CHAT_FORMAT, model)


@router.post("/completions", responses={200: {"model": TextCompletion, "content": _EVENT_STREAM}})
async def completions(request: Request, body: CompletionRequest) -> Response:
    """Continue a text, or each text of a list."""
    model = await request.app.state.served_model.resolve(body.model)
    for name, is_set in (
        ("echo", body.echo),
        ("suffix", body.suffix),
        ("best_of", body.best_of is not None and body.best_of != (body.n or 1)),
    ):
        if is_set:
            raise _unsupported_field(name, f"{name} is not supported; leave it out.")
    _check_constraints(body)
    prompt = body.prompt
    if not prompt or (not isinstance(prompt, str) and not all(item != "" for item in prompt)):
        raise _invalid_request("prompt", "the prompt is empty.")
    is_batch = not isinstance(prompt, str) and not all(isinstance(token, int) for token in prompt)
    prompts = prompt if is_batch else [prompt]
    max_tokens = COMPLETIONS_MAX_TOKENS if body.max_tokens is None else body.max_tokens
    jobs = _build_jobs(prompts, body, {"max_tokens": max_tokens, "logprobs": body.logprobs})
    return await _respond(request, body, jobs, openai_answers.TEXT_FORMAT, model)


@router.get("/models", response_model=ModelList)
async def models(request: Request) -> dict[str, Any]:
    """The model that is served."""
    return {"object": "list", "data": [_render_model(await request.app.state.served_model.get())]}


@router.get("/models/{name:path}", response_model=ModelEntry)
async def model(request: Request, name: str) -> dict[str, Any]:
    """The model that is served, if that is its name."""
    return _render_model(await request.app.state.served_model.resolve(name))


async def _respond(
    request: Request,
    body: ChatRequest | CompletionRequest,
    jobs: list[Job],
    answer_format: openai_answers.AnswerFormat,
    model: ModelInfo,
) -> Response:
    n, limit = body.n or 1, request.app.state.settings.max_body_bytes
    # Each of the n answers sends the whole conversation to the engine.
    if n > 1 and n * len(await request.body()) > limit:
        raise ApiError(413, f"n times the body is more than {limit} bytes (--max-body).", "too_large", "n")
    deltas = stream_answers(request, jobs)
    if not body.stream:
        return Response(
            await openai_answers.render_answer(deltas, len(jobs), n, answer_format, model),
            media_type="application/json",
        )
    include_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    events = openai_answers.render_events(
        await wait_until_accepted(deltas), len(jobs), n, answer_format, model, include_usage
    )
    return StreamResponse(events, "text/event-stream")


def _build_jobs(
    prompts: list[Prompt], body: ChatRequest | CompletionRequest, parameters: dict[str, Any]
) -> list[Job]:
    """The jobs of a request: `n` answers to each prompt, whose seeds differ by one. Raises ApiError."""
    n = 1 if body.n is None else body.n
    if not 1 <= n <= MAX_ANSWERS or n * len(prompts) > MAX_ANSWERS:
        raise _invalid_request("n", f"n must be at least 1, and n times the prompts at most {MAX_ANSWERS}.")
    parameters |= {name: getattr(body, name) for name in _FORWARDED_FIELDS}
    parameters = {name: value for name, value in parameters.items() if value is not None}
    if parameters.get("top_k") == -1:  # in vLLM: all tokens
        parameters["top_k"] = 0
    seed = body.seed
    if seed is None and body.temperature != 0:
        seed = secrets.randbits(62)
    seeds = [{}] * n if seed is None else [{"seed": seed + i} for i in range(n)]
    return [Job(prompt, {**parameters, **seed_parameter}) for prompt in prompts for seed_parameter in seeds]


def _convert_message(number: int, message: Message) -> dict[str, str]:
    """A message in the contract's form. Raises ApiError for tools and for content that is not text."""
    param = f"messages[{number - 1}]"
    if message.role in ("tool", "function") or message.tool_calls:
        raise _unsupported_field(param, f"message {number} is about tools, which this service cannot use.")
    content = message.content
    if content is None:
        raise _invalid_request(param, f"message {number} has no content.")
    if not isinstance(content, str):
        for part in content:
            if part.type != "text" or part.text is None:
                raise _unsupported_field(
                    param,
                    f"message {number} has a part of type {part.type[:40]!r}, but only text is understood.",
                )
        content = "\n".join(part.text or "" for part in content)
    return {"role": "system" if message.role == "developer" else message.role, "content": content}


def _check_constraints(body: ChatRequest | CompletionRequest) -> None:
    """Raises ApiError if the request constrains the form of the answer."""
    if body.response_format is not None and body.response_format.type != "text":
        raise _unsupported_field(
            "response_format",
            f"response_format {body.response_format.type[:40]!r} is not supported yet; only 'text' is.",
        )
    refuse_constraints(body.model_extra)


def _check_tools(body: ChatRequest) -> None:
    """Raises ApiError if the request allows the model to call a tool."""
    for tools, choice, names in (
        (body.tools, body.tool_choice, ("tools", "tool_choice")),
        (body.functions, body.function_call, ("functions", "function_call")),
    ):
        if tools and choice != "none":
            raise _unsupported_field(
                names[0], f'{names[0]} cannot be called yet; leave them out, or set {names[1]} to "none".'
            )
        if not tools and choice not in (None, "none", "auto"):
            raise _invalid_request(names[1], f"{names[1]} is only allowed when {names[0]} are given.")


def _continues_final_message(body: ChatRequest) -> bool:
    """Whether the answer continues the last message. Raises ApiError for contradictory fields."""
    if body.continue_final_message and body.add_generation_prompt:
        raise _invalid_request(
            "continue_final_message", "continue_final_message and add_generation_prompt cannot both be true."
        )
    if body.add_generation_prompt is False and not body.continue_final_message:
        raise _unsupported_field(
            "add_generation_prompt", "add_generation_prompt may be false only with continue_final_message."
        )
    return body.continue_final_message


def _count_alternatives(body: ChatRequest) -> int | None:
    """The number of alternatives to report for each token; None for no log probabilities."""
    top = body.top_logprobs
    if top is not None and not 0 <= top <= MAX_LOGPROBS:
        raise _invalid_request(
            "top_logprobs", f"top_logprobs must be between 0 and {MAX_LOGPROBS}, not {top}."
        )
    if top and not body.logprobs:
        raise _invalid_request("top_logprobs", "top_logprobs needs logprobs to be true.")
    return (top or 0) if body.logprobs else None


def _invalid_request(param: str, message: str) -> ApiError:
    return ApiError(400, message, "invalid_request", param)


def _unsupported_field(param: str, message: str) -> ApiError:
    return ApiError(400, message, "unsupported", param)


def _render_model(model: ModelInfo) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.start_time, "owned_by": "tritonchat"}
