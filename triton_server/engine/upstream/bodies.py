"""Requests as other servers take them: bodies of /chat/completions and /completions."""

from typing import Any

from model_core.errors import InvalidRequest
from model_core.images.data_url import NO_FILES, check_data_url
from model_core.images.decoder import refuse
from model_core.requests.form import Form
from model_core.requests.messages import ImageUrlPart, Message, ToolName

from ...contract.request_fields import DRAWN_SEED_HEADER, Request
from ...tracing.spans import TRACEPARENT
from .server import Dialect, UpstreamModel

# Fields of Request that have the same name and meaning there. Others are translated below, or refused.
_OPENAI = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "stop", "logit_bias"}
_VLLM = _OPENAI | {
    "top_k",
    "min_p",
    "repetition_penalty",
    "include_stop_str_in_output",
    "stop_token_ids",
    "min_tokens",
    "bad_words",
    "allowed_token_ids",
    "ignore_eos",
    "prompt_logprobs",
    "return_token_ids",
    "cache_salt",
}
_TRITONCHAT = _VLLM | {
    *("typical_p", "top_n_sigma", "xtc_probability", "xtc_threshold"),
    *("dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"),
    *("mirostat", "mirostat_tau", "mirostat_eta", "form"),
    *("suffix", "input_extra"),
}
_SAME: dict[Dialect, set[str]] = {"openai": _OPENAI, "vllm": _VLLM, "tritonchat": _TRITONCHAT}
_OPENAI_CHAT = {"parallel_tool_calls", "reasoning_effort"}
_VLLM_CHAT = _OPENAI_CHAT | {"chat_template_kwargs", "continue_final_message", "add_generation_prompt"}
_TRITONCHAT_CHAT = _VLLM_CHAT | {"enable_thinking", "reasoning_budget", "truncation"}
_SAME_CHAT: dict[Dialect, set[str]] = {
    "openai": _OPENAI_CHAT,
    "vllm": _VLLM_CHAT,
    "tritonchat": _TRITONCHAT_CHAT,
}
# What this server does itself, and what only helps where it is understood.
_OWN = {
    *("messages", "model", "request_id", "client", "acknowledge", "count_only", "timeout_s", "feed"),
    *("receipt", "answer_cache", "joins", "traceparent"),
}
_OPTIONAL = {"cache_salt", "truncation"}
_TRANSLATED = {"max_tokens", "seed", "logprobs"}
_FORMS = {"json_schema": "json", "json_object": "json_object", "regex": "regex", "choice": "choice"}


def make_body(request: Request, model: UpstreamModel, seed: int) -> tuple[str, dict[str, Any]]:
    """The path of a request for an answer, and its body.

    Raises InvalidRequest, which names the field, for what the server cannot do.
    """
    dialect, is_chat = model.dialect, request.is_chat
    same = _SAME[dialect] | (_SAME_CHAT[dialect] if is_chat else set())
    body: dict[str, Any] = {"model": model.name, "seed": seed}
    translated = _translate_chat(request, dialect) if is_chat else _translate_raw(request, model)
    translated |= _translate_form(request.form, dialect)
    fields = request.model_dump(mode="json", include=_find_set(request))
    for name, value in fields.items():
        if name in same:
            body[name] = value
        elif name not in translated and name not in _OWN | _OPTIONAL | _TRANSLATED:
            raise InvalidRequest(
                f"{name} is not possible: this model is computed by another server, which does not know it.",
                name,
            )
    if _has_limit(request, model):
        body["max_tokens"] = request.max_tokens
    if request.logprobs is not None and dialect != "openai":
        body["return_token_ids"] = True  # log probabilities have texts there, but no ids
    for value in translated.values():
        body |= value
    # A stream has no place for the log probabilities of a prompt.
    if request.prompt_logprobs is None:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return ("/chat/completions" if is_chat else "/completions"), body


def make_headers(request: Request) -> dict[str, str]:
    """The headers of a request: its span, and how a cache of answers there is to be used."""
    headers = {} if request.traceparent is None else {TRACEPARENT: request.traceparent}
    if request.answer_cache == "off":
        return {**headers, "Cache-Control": "no-store"}
    is_drawn = request.seed is None or request.answer_cache == "greedy"
    return {**headers, DRAWN_SEED_HEADER: "true"} if is_drawn else headers


def _has_limit(request: Request, model: UpstreamModel) -> bool:
    """Whether an answer has a limit besides the context. A tritonchat cuts a larger one; others refuse it."""
    if request.max_tokens is None:
        return False
    if model.dialect == "tritonchat" or model.max_context is None:
        return True
    return request.max_tokens < model.max_context


def _find_set(request: Request) -> set[str]:
    """The names of the fields that are not at their defaults."""
    return {
        name
        for name in request.model_fields_set
        if (value := getattr(request, name)) is not None
        and value not in ([], Request.model_fields[name].get_default(call_default_factory=True))
    }


def chat_fields(request: Request, dialect: Dialect) -> dict[str, Any]:
    """The fields of a body that make the prompt of a conversation. Raises InvalidRequest as `make_body`."""
    translated = _translate_chat(request, dialect)
    fields = request.model_dump(mode="json", include=_find_set(request) & _SAME_CHAT[dialect])
    for name in ("messages", "tools", "tool_choice", "enable_thinking"):
        fields |= translated.get(name, {})
    return fields


def _translate_chat(request: Request, dialect: Dialect) -> dict[str, dict[str, Any]]:
    """Fields of the body, by the field of the request that they stand for."""
    messages: Any = request.messages
    translated: dict[str, dict[str, Any]] = {
        "messages": {"messages": [_write_message(message, dialect) for message in messages]}
    }
    _check_images(messages)
    if request.tools:
        tools = [tool.model_dump(exclude_unset=True) for tool in request.tools]
        translated["tools"] = {"tools": [{"type": "function", "function": tool} for tool in tools]}
        choice: Any = request.tool_choice or "auto"
        if isinstance(choice, ToolName):
            choice = {"type": "function", "function": {"name": choice.name}}
        translated["tool_choice"] = {"tool_choice": choice}
    if request.enable_thinking is not None and dialect == "vllm":
        variables = {**(request.chat_template_kwargs or {}), "enable_thinking": request.enable_thinking}
        translated["enable_thinking"] = {"chat_template_kwargs": variables}
    if request.logprobs is not None:
        translated["logprobs"] = {"logprobs": True, "top_logprobs": request.logprobs}
    if request.continue_final_message and dialect == "vllm":  # whose default would contradict
        translated["continue_final_message"] = {
            "continue_final_message": True,
            "add_generation_prompt": False,
        }
    return translated


def _translate_raw(request: Request, model: UpstreamModel) -> dict[str, dict[str, Any]]:
    """As _translate_chat."""
    translated: dict[str, dict[str, Any]] = {"messages": {"prompt": request.messages}}
    if request.logprobs is not None:
        translated["logprobs"] = {"logprobs": request.logprobs}
    if request.echo:
        translated["echo"] = {"echo": True}
    if not _has_limit(request, model):  # there, the default is 16
        room = request.sampling_params().answer_tokens
        if model.dialect != "tritonchat" and model.max_context is not None:
            # More than there is room for would be refused. A text has no more tokens than bytes, and one.
            size = len(request.messages.encode() if isinstance(request.messages, str) else request.messages)
            room = max(1, min(room, model.max_context - size - 1))
        translated["max_tokens"] = {"max_tokens": room}
    return translated


def _translate_form(form: Form | None, dialect: Dialect) -> dict[str, dict[str, Any]]:
    if form is None or dialect == "tritonchat":
        return {}
    name, value = form.source
    if dialect == "vllm":
        return {"form": {"structured_outputs": {_FORMS.get(name, name): value}}}
    if name == "json_object":
        return {"form": {"response_format": {"type": "json_object"}}}
    if name == "json_schema":
        schema = {"name": "answer", "schema": value, "strict": form.strict}
        return {"form": {"response_format": {"type": "json_schema", "json_schema": schema}}}
    return {}


def _check_images(messages: list[Message]) -> None:
    """Raises InvalidRequest for an image that is elsewhere: the server would get it from there."""
    for number, message in enumerate(messages):
        for place, part in enumerate(message.content if isinstance(message.content, list) else ()):
            if isinstance(part, ImageUrlPart):
                path = f"messages[{number}].content[{place}].image_url"
                if part.image_url.url is None:
                    raise refuse(path, NO_FILES)
                check_data_url(part.image_url.url, path)


def _write_message(message: Message, dialect: Dialect) -> dict[str, Any]:
    fields = message.model_dump(mode="json", exclude_unset=True, exclude={"reasoning", "tool_calls"})
    if message.reasoning and dialect != "openai":
        fields["reasoning_content"] = message.reasoning
        if dialect == "vllm":  # the name in newer versions
            fields["reasoning"] = message.reasoning
    if message.tool_calls:
        fields["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    return fields
