"""The routes of OpenAI's API that answer: /v1/chat/completions and /v1/completions."""

from collections.abc import Collection
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...contract import request_fields
from ..custom_tools import list_unenforced, unwrap_inputs
from ..errors import ERROR_RESPONSES, ApiError, unsupported
from ..generation import end_with_failure, stream_answers
from ..ignored import check_fields, ignore
from ..mcp_tools.rounds import Toolbox, answer_with_tools
from ..resumption.header import HAS_EVENT_IDS, begin, read_resume
from ..served_models import ModelInfo
from ..stream_response import NumberedEvents, StreamResponse
from . import chat
from .chat import ChatRequest
from .chat_answers import ChatCompletion, make_format
from .completions import FORMAT as TEXT_FORMAT
from .completions import CompletionRequest, TextCompletion
from .completions import parse as parse_completion
from .fields import OpenAIFields
from .render import AnswerFormat, render_answer, render_events, with_ids
from .service_calls import add_offers, find_offers

_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(tags=["OpenAI"], responses=ERROR_RESPONSES)


@router.post("/chat/completions", dependencies=[HAS_EVENT_IDS], include_in_schema=False)  # as llama.cpp
@router.post(
    "/v1/chat/completions",
    dependencies=[HAS_EVENT_IDS],
    responses={200: {"model": ChatCompletion, "content": _EVENT_STREAM}},
)
async def chat_completions(request: Request, body: ChatRequest) -> Response:
    """Answer a conversation, as one body or as a stream, once or `n` times."""
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    functions = chat.find_tools(body)
    ignore(request, "tools", functions.left_out)
    ignore(request, "fields", list_unenforced(body.tools or ()))
    answer_format = make_format(functions, is_older=bool(body.functions))
    functions, offers = add_offers(functions, await find_offers(request, body.mcp, body))
    await chat.read_files(request, body.messages)
    requests = chat.parse(body, functions)
    events = answer_with_tools(request, requests[0], Toolbox(offers)) if offers else None
    return await _respond(request, body, requests, answer_format, model, events, functions.custom)


@router.post(
    "/v1/completions",
    dependencies=[HAS_EVENT_IDS],
    responses={200: {"model": TextCompletion, "content": _EVENT_STREAM}},
)
async def completions(request: Request, body: CompletionRequest) -> Response:
    """Continue a text, or each text of a list."""
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    return await _respond(request, body, parse_completion(body), TEXT_FORMAT, model)


async def _respond(
    request: Request,
    body: OpenAIFields,
    requests: list[request_fields.Request],
    answer_format: AnswerFormat,
    model: ModelInfo,
    events: NumberedEvents | None = None,
    custom: Collection[str] = (),
) -> Response:
    """The response with the answers. `events`: theirs, if they are not those of `stream_answers`.

    `custom`: the names of custom tools.
    """
    if body.stream and body.prompt_logprobs is not None:
        raise unsupported("prompt_logprobs", "a stream does not report prompt_logprobs; leave one out.")
    if body.stream_options is not None and not body.stream:
        raise ApiError(
            400, "stream_options needs stream to be true; leave it out.", "invalid_request", "stream_options"
        )
    if body.stream_options is not None and body.stream_options.continuous_usage_stats:
        name = "stream_options.continuous_usage_stats"
        raise unsupported(name, f"{name} is not supported: send include_usage.")
    if body.return_tokens_as_token_ids:
        if model.description is not None and model.description["engine"] is not None:
            raise unsupported(
                "return_tokens_as_token_ids",
                "another server computes this model, and tells no ids of tokens; leave it out.",
            )
        answer_format = with_ids(answer_format)
    n, count, limit = body.n or 1, len(requests), request.app.state.settings.body_limit
    # Each of the n answers sends the whole conversation to the engine.
    if n > 1 and limit.is_exceeded(await request.body(), n):
        message = (
            f"n times the body is more than {limit.plain_bytes} bytes (--max-body), or {limit.image_bytes} "
            "bytes of images (--max-body-images)."
        )
        raise ApiError(413, message, "too_large", "n")
    requests, resume = await read_resume(request, requests, is_resumable=bool(body.stream) and events is None)
    events = events or stream_answers(request, requests, whole=not body.stream)
    if custom:
        events = unwrap_inputs(events, custom)
    _, accepted = await anext(events)  # a refusal is raised here, before the response starts
    if not body.stream:
        content = await render_answer(events, count, n, answer_format, model.name)
        return Response(content, media_type="application/json")
    include_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    fingerprint = getattr(accepted, "fingerprint", None)
    resumed = await begin(resume, requests[0], fingerprint, events)
    events = end_with_failure(events)
    if resumed is not None:
        events = resumed.cut(events)
    origin = None if resumed is None else resumed.origin
    parts = render_events(events, count, n, answer_format, model.name, fingerprint, include_usage, origin)
    return StreamResponse(parts if resumed is None else resumed.stamp(parts), "text/event-stream")
