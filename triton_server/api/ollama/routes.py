"""The routes of Ollama's API: /api/chat, /api/tags and /api/version."""

import json
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from ...contract.request_fields import Request, fields_of_request
from ..errors import ERROR_RESPONSES, OLLAMA_PATH, unsupported
from ..generation import end_with_failure, stream_answers, wait_until_accepted
from ..ignored import check_fields
from ..request_body import repeat
from ..served_models import ModelInfo
from ..stream_response import StreamResponse
from .render import render_body, render_lines
from .schemas import Answer, ChatMessage, ChatRequest, ErrorBody, ModelDetails, ModelEntry, ModelList, Version

router = APIRouter(
    prefix=OLLAMA_PATH,
    tags=["Ollama"],
    responses={status: {**response, "model": ErrorBody} for status, response in ERROR_RESPONSES.items()},
)


@router.post("/chat", responses={200: {"model": Answer, "content": {"application/x-ndjson": {}}}})
async def chat(request: HttpRequest, body: ChatRequest) -> Response:
    """Answer a conversation, as lines of JSON or as one body. X-Seed has the seed that was used."""
    model = await request.app.state.served_models.resolve(body.model.removesuffix(":latest"))
    check_fields(request, body)
    (answer,) = repeat([parse(body, model.name)])
    events, headers = stream_answers(request, [answer]), {"X-Seed": str(answer.seed)}
    if body.stream is False:
        content = await render_body(events, body.model)
        return Response(content, media_type="application/json", headers=headers)
    events = end_with_failure(await wait_until_accepted(events))
    return StreamResponse(render_lines(events, body.model), "application/x-ndjson", headers)


@router.get("/tags")
async def list_models(request: HttpRequest) -> ModelList:
    """The models that are served."""
    models = await request.app.state.served_models.list_models()
    return ModelList(models=[_describe(model) for model in models])


@router.get("/version")
async def read_version() -> Version:
    """The version of this program."""
    return Version(version=version("tritonchat"))


def parse(body: ChatRequest, model: str) -> Request:
    """The request for the answer of a model. Raises ApiError or InvalidRequest."""
    if body.logprobs:
        raise unsupported("logprobs", "this form of answer has no place for logprobs; leave it out.")
    fields = fields_of_request(body.options) if body.options else {}
    fields |= {"model": model, "messages": _parse_messages(body.messages)}
    names = {"tools[].parameters": "tools[].function.parameters"}
    if body.tools:
        fields["tools"] = [tool.function.model_dump(exclude_none=True) for tool in body.tools]
    if isinstance(body.think, str):
        fields["reasoning_effort"] = body.think
        names["reasoning_effort"] = "think"
    elif body.think is not None:
        fields["enable_thinking"] = body.think
        names["enable_thinking"] = "think"
    if body.format:
        is_schema = isinstance(body.format, dict)
        fields["form"] = {"json_schema": body.format} if is_schema else {"json_object": True}
        names |= {"form": "format", "form.json_schema": "format"}
    return Request(**fields).sent_as(names)


def _parse_messages(messages: list[ChatMessage]) -> list[dict[str, Any]]:
    """The fields of model_core.requests.messages.Message. Calls get ids, results those of their calls."""
    parsed: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []  # ids and names of calls without a result
    count = 0
    for number, message in enumerate(messages):
        if message.images:
            raise unsupported(f"messages[{number}].images", "this service reads no images.")
        fields: dict[str, Any] = {"role": message.role, "content": message.content or ""}
        if message.thinking:
            fields["reasoning"] = message.thinking
        if message.tool_calls:
            waiting = []
            fields["tool_calls"] = []
            for call in message.tool_calls:
                waiting.append((f"call_{count}", call.function.name))
                arguments = json.dumps(call.function.arguments, ensure_ascii=False)
                fields["tool_calls"].append(
                    {"id": f"call_{count}", "name": call.function.name, "arguments": arguments}
                )
                count += 1
        if message.role == "tool":
            fits = (call for call in waiting if message.tool_name in (None, call[1]))
            if (fitting := next(fits, None)) is not None:
                waiting.remove(fitting)
                fields["tool_call_id"] = fitting[0]
            if message.tool_name:
                fields["name"] = message.tool_name
        parsed.append(fields)
    return parsed


def _describe(model: ModelInfo) -> ModelEntry:
    description = model.description
    return ModelEntry(
        name=model.name,
        model=model.name,
        modified_at=datetime.fromtimestamp(model.start_time, timezone.utc).isoformat(),
        size=(description and description["weight_bytes"]) or 0,
        digest=model.fingerprint or "",
        details=description
        and ModelDetails(family=description["family"], quantization_level=description["weights"]),
    )
