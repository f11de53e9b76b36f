"""Answers in Ollama's form: /api/chat and /api/generate."""

import asyncio
import json
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from ...contract.request_fields import Request, check_image_count, fields_of_request
from ..errors import OLLAMA_PATH, ApiError, unsupported
from ..generation import end_with_failure, stream_answers, wait_until_accepted, while_connected
from ..ignored import check_fields
from ..images.parts import base64_part, join_parts, text_part
from ..request_body import repeat
from ..served_models import ModelInfo, ServedModels
from ..stream_response import StreamResponse, to_json
from .models import served_name
from .render import MakePart, make_chat_part, make_generated_part, render_body, render_lines
from .schemas import RESPONSES, Answer, AnswerRequest, ChatMessage, ChatRequest, Generated, GenerateRequest

_REFUSED = {
    "template": "the model's template is used; start the server with --chat-template for another one.",
    "context": "send the conversation to /api/chat instead of context.",
}
_POLL_S = 0.5  # while a model is loaded
router = APIRouter(prefix=OLLAMA_PATH, tags=["Ollama"], responses=RESPONSES)


@router.post("/chat", responses={200: {"model": Answer, "content": {"application/x-ndjson": {}}}})
async def chat(request: HttpRequest, body: ChatRequest) -> Response:
    """Answer a conversation, as lines of JSON or as one body. X-Seed has the seed that was used."""
    model = await request.app.state.served_models.resolve(served_name(body.model))
    check_fields(request, body)
    if not body.messages:
        return await _load(request, body, model, make_chat_part)
    return await _answer(request, body, parse(body, model.name), make_chat_part)


@router.post("/generate", responses={200: {"model": Generated, "content": {"application/x-ndjson": {}}}})
async def generate(request: HttpRequest, body: GenerateRequest) -> Response:
    """Answer a prompt, as lines of JSON or as one body. X-Seed has the seed that was used."""
    model = await request.app.state.served_models.resolve(served_name(body.model))
    check_fields(request, body)
    if not body.prompt and not body.suffix and not body.images:
        return await _load(request, body, model, make_generated_part)
    continues = bool(model.description) and not model.description["chat_template"]
    return await _answer(request, body, parse_prompt(body, model.name, continues), make_generated_part)


async def _load(request: HttpRequest, body: AnswerRequest, model: ModelInfo, make_part: MakePart) -> Response:
    """Answer when a model is loaded. Raises ApiError if it cannot be."""
    if str(body.keep_alive).rstrip("smh") in ("0", "0.0"):
        raise unsupported("keep_alive", "models are unloaded as the server's --keep-alive says.")
    await request.app.state.triton_client.load(model.name)
    await while_connected(request, _wait_until_loaded(request.app.state.served_models, model.name))
    end = make_part(body.model, {}) | {"done": True, "done_reason": "load"}
    kind = "application/json" if body.stream is False else "application/x-ndjson"
    return Response(f"{to_json(end)}\n", media_type=kind)


async def _wait_until_loaded(models: ServedModels, name: str) -> None:
    """Raises ApiError if the model cannot be loaded."""
    while True:
        model = next(model for model in await models.list_models() if model.name == name)
        if model.state == "ready":
            return
        if model.state == "failed":
            raise ApiError(503, model.error or "the model cannot be loaded.", "model_failed", "model")
        await asyncio.sleep(_POLL_S)


async def _answer(
    request: HttpRequest, body: AnswerRequest, parsed: Request, make_part: MakePart
) -> Response:
    (answer,) = repeat([parsed])
    is_whole, headers = body.stream is False, {"X-Seed": str(answer.seed)}
    events = stream_answers(request, [answer], whole=is_whole)
    if is_whole:
        content = await render_body(events, body.model, make_part)
        return Response(content, media_type="application/json", headers=headers)
    events = end_with_failure(await wait_until_accepted(events))
    return StreamResponse(render_lines(events, body.model, make_part), "application/x-ndjson", headers)


def parse(body: ChatRequest, model: str) -> Request:
    """The request for the answer of a model. Raises ApiError or InvalidRequest."""
    check_image_count(sum(len(message.images or ()) for message in body.messages), "messages")
    tools = [tool.function.model_dump(exclude_none=True) for tool in body.tools or ()]
    added = {"tools": tools} if tools else {}
    names = {"tools[]": "tools[].function"} | {
        f"messages[{number}].content[{place}].image_url": f"messages[{number}].images[{place}]"
        for number, message in enumerate(body.messages)
        for place in range(len(message.images or ()))
    }
    return _parse(body, model, added | {"messages": _parse_messages(body.messages)}, names)


def parse_prompt(body: GenerateRequest, model: str, continues: bool) -> Request:
    """The request for the answer of a model, which `continues` texts if it has no chat template.

    Raises ApiError or InvalidRequest.
    """
    for name, hint in _REFUSED.items():
        if getattr(body, name):
            raise unsupported(name, hint)
    check_image_count(len(body.images or ()), "images")
    added = {"suffix": body.suffix} if body.suffix else {}
    if not body.raw and not continues and not added:
        system = [{"role": "system", "content": body.system}] if body.system else []
        messages: Any = [*system, {"role": "user", "content": _join(body.images, body.prompt)}]
    elif body.images:
        raise unsupported("images", "a text that is continued has no images; send them to /api/chat.")
    elif body.system:
        raise unsupported("system", "a text that is continued has no system message; put it into the prompt.")
    else:
        messages = body.prompt
    names = {"messages": "prompt"} | {
        f"messages[{len(messages) - 1}].content[{number}].image_url": f"images[{number}]"
        for number in range(len(body.images or ()))
    }
    return _parse(body, model, {"messages": messages, **added}, names)


def _parse(body: AnswerRequest, model: str, added: dict[str, Any], names: dict[str, str]) -> Request:
    if body.top_logprobs and not body.logprobs:
        raise ApiError(400, "top_logprobs needs logprobs to be true.", "invalid_request", "top_logprobs")
    fields = fields_of_request(body.options) if body.options else {}
    fields |= {"model": model, "logprobs": (body.top_logprobs or 0) if body.logprobs else None, **added}
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
    return Request.of(fields, names)


def _join(images: list[str] | None, text: str) -> Any:
    """The content of a message. As with Ollama, its images stand before its text."""
    return join_parts([*map(base64_part, images or ()), *[text_part(text)] * bool(text or not images)])


def _parse_messages(messages: list[ChatMessage]) -> list[dict[str, Any]]:
    """The fields of model_core.requests.messages.Message. Calls get ids, results those of their calls."""
    parsed: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []  # ids and names of calls without a result
    count = 0
    for message in messages:
        fields: dict[str, Any] = {
            "role": message.role,
            "content": _join(message.images, message.content or ""),
        }
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
