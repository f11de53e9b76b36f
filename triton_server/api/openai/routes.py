"""The routes of OpenAI's API: /v1/chat/completions, /v1/completions, /v1/models."""

from collections.abc import Collection
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from ...contract import request_fields
from ..custom_tools import list_unenforced, unwrap_inputs
from ..errors import ERROR_RESPONSES, ApiError, unsupported
from ..generation import end_with_failure, stream_answers
from ..ignored import check_fields, ignore
from ..served_models import ModelInfo
from ..stream_response import StreamResponse
from . import chat
from .chat import ChatRequest
from .chat_answers import ChatCompletion, make_format
from .completions import FORMAT as TEXT_FORMAT
from .completions import CompletionRequest, TextCompletion
from .completions import parse as parse_completion
from .fields import OpenAIFields
from .render import AnswerFormat, render_answer, render_events

_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(prefix="/v1", tags=["OpenAI"], responses=ERROR_RESPONSES)


class ModelEntry(BaseModel):
    """A model that is served."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    state: Literal["unloaded", "loading", "ready", "failed"] = Field(
        description="Not OpenAI's: whether it is in memory. An unloaded model is loaded by the first request."
    )
    progress: float | None = Field(None, description="While it is loaded: which part, from 0 to 1.")
    error: str | None = Field(None, description="Why it could not be loaded.")
    parent: str | None = Field(None, description="Of an adapter: the model that it changes.")
    root: str = Field(description="The same as id, for clients of vLLM.")
    fingerprint: str | None = Field(
        None, description="The `system_fingerprint` of its answers, while it is loaded."
    )
    max_model_len: int | None = Field(
        None,
        description="Tokens of prompt and answer together, once the model was loaded for the first time.",
    )


class ModelList(BaseModel):
    """The models that are served. The first one is called `default`, too."""

    object: Literal["list"]
    data: list[ModelEntry]


@router.post("/chat/completions", responses={200: {"model": ChatCompletion, "content": _EVENT_STREAM}})
async def chat_completions(request: Request, body: ChatRequest) -> Response:
    """Answer a conversation, as one body or as a stream, once or `n` times."""
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    functions = chat.find_tools(body)
    ignore(request, "tools", functions.left_out)
    ignore(request, "fields", list_unenforced(body.tools or ()))
    answer_format = make_format(functions, is_older=bool(body.functions))
    return await _respond(request, body, chat.parse(body, functions), answer_format, model, functions.custom)


@router.post("/completions", responses={200: {"model": TextCompletion, "content": _EVENT_STREAM}})
async def completions(request: Request, body: CompletionRequest) -> Response:
    """Continue a text, or each text of a list."""
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    return await _respond(request, body, parse_completion(body), TEXT_FORMAT, model)


@router.get("/models", response_model_exclude_none=True)
async def models(request: Request) -> ModelList:
    """The models that are served."""
    served = await request.app.state.served_models.list_models()
    return ModelList(object="list", data=[_describe_model(model) for model in served])


@router.get("/models/{name:path}", response_model_exclude_none=True)
async def model(request: Request, name: str) -> ModelEntry:
    """A model that is served."""
    served = request.app.state.served_models
    await served.list_models()
    return _describe_model(await served.resolve(name))


async def _respond(
    request: Request,
    body: OpenAIFields,
    requests: list[request_fields.Request],
    answer_format: AnswerFormat,
    model: ModelInfo,
    custom: Collection[str] = (),
) -> Response:
    """The response with the answers. `custom`: the names of custom tools."""
    if body.stream and body.prompt_logprobs is not None:
        raise unsupported("prompt_logprobs", "a stream does not report prompt_logprobs; leave one out.")
    if body.stream_options is not None and body.stream_options.continuous_usage_stats:
        name = "stream_options.continuous_usage_stats"
        raise unsupported(name, f"{name} is not supported: send include_usage.")
    n, count, limit = body.n or 1, len(requests), request.app.state.settings.max_body_bytes
    # Each of the n answers sends the whole conversation to the engine.
    if n > 1 and n * len(await request.body()) > limit:
        raise ApiError(413, f"n times the body is more than {limit} bytes (--max-body).", "too_large", "n")
    events = stream_answers(request, requests)
    if custom:
        events = unwrap_inputs(events, custom)
    _, accepted = await anext(events)  # a refusal is raised here, before the response starts
    if not body.stream:
        content = await render_answer(events, count, n, answer_format, model.name)
        return Response(content, media_type="application/json")
    include_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    return StreamResponse(
        render_events(
            end_with_failure(events),
            count,
            n,
            answer_format,
            model.name,
            getattr(accepted, "fingerprint", None),
            include_usage,
        ),
        "text/event-stream",
    )


def _describe_model(model: ModelInfo) -> ModelEntry:
    return ModelEntry(
        id=model.name,
        object="model",
        created=model.start_time,
        owned_by="tritonchat",
        state=model.state,
        progress=model.progress,
        error=model.error,
        parent=model.parent,
        root=model.name,
        fingerprint=model.fingerprint,
        max_model_len=None if model.description is None else model.description["max_context"],
    )
