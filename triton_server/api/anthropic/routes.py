"""Anthropic's Messages API: /v1/messages and /v1/messages/count_tokens."""

import json
import secrets
from collections.abc import Iterable
from contextlib import aclosing
from itertools import chain, groupby
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from model_core.requests.events import Done

from ...contract.request_fields import Request, check_image_count, fields_of_request
from ..client_tools import HostedTool, check_choice
from ..errors import (
    ANTHROPIC_ERROR_RESPONSES,
    ANTHROPIC_PATH,
    ApiError,
    unsupported,
)
from ..generation import end_with_failure, stream_answers
from ..ignored import check_fields, ignore
from ..images.parts import join_parts, name_images, text_part
from ..request_body import repeat
from ..resumption.header import HAS_EVENT_IDS, begin, read_resume
from ..stream_response import StreamResponse
from .render import render_events, render_message
from .schemas import (
    Answer,
    Block,
    CountRequest,
    ImageBlock,
    InputMessage,
    MessagesRequest,
    TextBlock,
    TextContent,
    TokenCount,
    ToolChoice,
    ToolResultBlock,
)
from .tools import list_left_out

_EVENT_STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}
_TOOL_CHOICES = {"auto": "auto", "any": "required", "none": "none"}

router = APIRouter(prefix=ANTHROPIC_PATH, tags=["Anthropic"], responses=ANTHROPIC_ERROR_RESPONSES)


@router.post("", dependencies=[HAS_EVENT_IDS], responses={200: {"model": Answer, "content": _EVENT_STREAM}})
async def messages(request: HttpRequest, body: MessagesRequest) -> Response:
    """Answer a conversation, as one body or as a stream. The header X-Seed has the seed that was used."""
    model = await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    ignore(request, "tools", list_left_out(body.tools or ()))
    (answer,), resume = await read_resume(request, repeat([parse(body)]), is_resumable=bool(body.stream))
    events, headers = stream_answers(request, [answer], whole=not body.stream), {"X-Seed": str(answer.seed)}
    message_id, request_id = f"msg_{secrets.token_hex(12)}", request.state.request_id
    if not body.stream:
        content = await render_message(events, model.name, message_id)
        return Response(content, media_type="application/json", headers=headers)
    _, accepted = await anext(events)  # a refusal is raised here, before the response starts
    resumed = await begin(resume, answer, getattr(accepted, "fingerprint", None), events)
    events = end_with_failure(events)
    tokens = getattr(accepted, "prompt_tokens", None) or 0
    if resumed is None:
        parts = render_events(events, model.name, message_id, request_id, tokens)
    else:
        message_id = f"msg_{resumed.origin.answer_name}"
        parts = resumed.stamp(render_events(resumed.cut(events), model.name, message_id, request_id, tokens))
    return StreamResponse(parts, "text/event-stream", headers)


@router.post("/count_tokens")
async def count_tokens(request: HttpRequest, body: CountRequest) -> TokenCount:
    """Count the tokens of a conversation, as the model's chat template renders it."""
    await request.app.state.served_models.resolve(body.model)
    check_fields(request, body)
    ignore(request, "tools", list_left_out(body.tools or ()))
    counting = parse(body).model_copy(update={"count_only": True})
    async with aclosing(stream_answers(request, [counting])) as events:
        done = await anext(event async for _, event in events if isinstance(event, Done))
    return TokenCount(input_tokens=done.usage.prompt_tokens)


def parse(body: CountRequest) -> Request:
    """The request for the answer. Raises ApiError or InvalidRequest."""
    if isinstance(body, MessagesRequest):
        _refuse_unsupported_fields(body)
    images = _list_images(body.messages)
    check_image_count(len(images), "messages")
    fields = fields_of_request(body)
    turns = groupby(body.messages, lambda message: message.role)
    parsed = (_parse_turn(role, chain.from_iterable(m.blocks for m in turn)) for role, turn in turns)
    system = [{"role": "system", "content": _join_text(body.system)}] if body.system else []
    fields["messages"] = [*system, *chain.from_iterable(parsed)]
    if body.messages[-1].role == "assistant":
        fields["continue_final_message"] = True
    tools = [(place, tool) for place, tool in enumerate(body.tools or ()) if not isinstance(tool, HostedTool)]
    if tools:
        fields["tools"] = [tool.to_fields() for _, tool in tools]
    else:
        fields.pop("tools", None)
    if body.tool_choice is not None:
        fields |= _parse_tool_choice(body.tool_choice)
        check_choice(fields["tool_choice"], tools, list_left_out(body.tools or ()))
    if body.thinking is not None and body.thinking.type != "adaptive":
        fields["enable_thinking"] = body.thinking.type == "enabled"
        fields["reasoning_budget"] = body.thinking.budget_tokens
    effort = body.output_config and body.output_config.effort
    if effort:
        fields["reasoning_effort"] = "xhigh" if effort == "max" else effort
    output_format = body.output_format or (body.output_config and body.output_config.format)
    if output_format:
        fields["form"] = {"json_schema": output_format.json_schema}
    names = {
        f"tools[{number}]{end}": f"tools[{place}]{sent}"
        for number, (place, _) in enumerate(tools)
        for end, sent in (("", ""), (".parameters", ".input_schema"))
    }
    if output_format:
        place = "output_format" if body.output_format else "output_config.format"
        names |= {"form": place, "form.json_schema": f"{place}.schema"}
    elif isinstance(body, MessagesRequest):
        names |= body.sent_names
    names |= name_images(fields["messages"], images)
    return Request.of(fields, names)


def _refuse_unsupported_fields(body: MessagesRequest) -> None:
    if body.thread:
        # With this code, Anthropic's tool runner sends the whole conversation instead.
        message = "this service stores no threads; send the whole conversation."
        raise ApiError(400, message, "thread_unsupported_request", "thread")
    for name in ("compaction", "container", "mcp_servers"):
        if getattr(body, name):
            raise unsupported(name, f"{name} is not supported; leave it out.")
    if body.logprobs is not None:
        raise unsupported("logprobs", "this form of answer has no place for logprobs; leave it out.")
    body.refuse_prompt_logprobs()


def _parse_turn(role: str, blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """The blocks of neighbouring messages of a role, as fields of model_core.requests.messages.Message."""
    if role == "assistant":
        return [_parse_assistant(list(blocks))]
    messages: list[dict[str, Any]] = []
    for is_result, group in groupby(blocks, lambda block: isinstance(block, ToolResultBlock)):
        if is_result:
            messages += [_parse_result(block) for block in group if isinstance(block, ToolResultBlock)]
        else:
            messages.append({"role": role, "content": join_parts(_parse_parts(group))})
    return messages


def _parse_parts(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [
        block.to_part() if isinstance(block, ImageBlock) else text_part(block.text)
        for block in blocks
        if isinstance(block, ImageBlock | TextBlock)
    ]


def _parse_result(block: ToolResultBlock) -> dict[str, Any]:
    beginning, content = "Error: " if block.is_error else "", block.content or ""
    if isinstance(content, str):
        return {"role": "tool", "tool_call_id": block.tool_use_id, "content": beginning + content}
    parts = join_parts(_parse_parts(content))
    if isinstance(parts, str):
        parts = beginning + parts
    elif beginning:
        parts = [text_part(beginning), *parts]
    return {"role": "tool", "tool_call_id": block.tool_use_id, "content": parts}


def _list_images(messages: Iterable[InputMessage]) -> list[str]:
    """The places of all images, in their order."""
    places = []
    for number, message in enumerate(messages):
        for place, block in enumerate(message.blocks):
            path = f"messages[{number}].content[{place}]"
            if isinstance(block, ImageBlock):
                places.append(f"{path}.source")
            elif isinstance(block, ToolResultBlock) and isinstance(block.content, list):
                places += [
                    f"{path}.content[{index}].source"
                    for index, part in enumerate(block.content)
                    if isinstance(part, ImageBlock)
                ]
    return places


def _parse_assistant(blocks: list[Block]) -> dict[str, Any]:
    text = _join_text([block for block in blocks if block.type == "text"])
    thoughts = [block.thinking for block in blocks if block.type == "thinking"]
    calls = [
        {"id": block.id, "name": block.name, "arguments": json.dumps(block.input, ensure_ascii=False)}
        for block in blocks
        if block.type == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thoughts:
        message["reasoning"] = "\n".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    return message


def _join_text(content: TextContent) -> str:
    return content if isinstance(content, str) else "\n".join(block.text for block in content)


def _parse_tool_choice(choice: ToolChoice) -> dict[str, Any]:
    return {
        "tool_choice": {"name": choice.name} if choice.type == "tool" else _TOOL_CHOICES[choice.type],
        "parallel_tool_calls": not choice.disable_parallel_tool_use,
    }
