"""Answers in the form of llama.cpp's server: /completion and /infill."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from model_core.errors import InvalidRequest

from ...contract.request_fields import Request, fields_of_request
from ...contract.tensors import DEFAULT_MODEL
from ..errors import LLAMACPP_ERROR_RESPONSES, unsupported
from ..generation import end_with_failure, stream_answers, wait_until_accepted
from ..ignored import check_fields, ignore
from ..request_body import repeat
from ..served_models import ModelInfo
from ..stream_response import StreamResponse
from .limits import Limits, limit_answers
from .prompts import MAX_TEXTS, count_texts, encode_biases, encode_mixed, encoder, read_biases, read_prompts
from .render import AnswerForm, render_body, render_events
from .samplers import INFILL, ORDER, apply_samplers, check_last_n, read_samplers
from .schemas import AnswerBody, Completed, CompletionBody, InfillBody
from .used_settings import generation_settings

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Completed | list[Completed],
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_NAMES = {"repetition_penalty": "repeat_penalty"}
router = APIRouter(tags=["llama.cpp"], responses=LLAMACPP_ERROR_RESPONSES)


@router.post("/completion", responses=_ANSWERS)
@router.post("/completions", responses=_ANSWERS)
async def complete(request: HttpRequest, body: CompletionBody) -> Response:
    """Continue a text, or each of several texts, as one body or as a stream."""
    model = await request.app.state.served_models.resolve(body.model or DEFAULT_MODEL)
    prompts = read_prompts(body.prompt)
    fields = await read_fields(request, body, model, sum(map(count_texts, prompts)))
    with request.app.state.answer_slots.hold(request.state.client, 1):
        encode = encoder(request, body.model, "prompt")
        encoded = [await encode_mixed(prompt, encode) for prompt in prompts]
    names = {**body.sent_names, **_NAMES, "messages": "prompt"}
    parsed = [Request.of({**fields, "messages": prompt}, names) for prompt in encoded]
    texts = [prompt if isinstance(prompt, str) else None for prompt in prompts]
    return await answer(request, body, model, parsed, texts)


@router.post("/infill", responses=_ANSWERS)
async def infill(request: HttpRequest, body: InfillBody) -> Response:
    """Fill in the text between a prefix and a suffix, as one body or as a stream.

    If the prompt is too long, parts of it are left out, the farthest from the middle first, and `truncated`
    is true.
    """
    model = await request.app.state.served_models.resolve(body.model or DEFAULT_MODEL)
    fields = await read_fields(request, body, model)
    fields |= {
        "messages": body.input_prefix + (body.prompt or ""),
        "suffix": body.input_suffix,
        "input_extra": [extra.model_dump() for extra in body.input_extra or ()],
        "truncation": "auto",
    }
    names = {**body.sent_names, **_NAMES, "messages": "input_prefix", "suffix": "input_suffix"}
    return await answer(request, body, model, [Request.of(fields, names)], [None])


async def read_fields(
    request: HttpRequest, body: AnswerBody, model: ModelInfo, texts: int = 0
) -> dict[str, Any]:
    """The fields of Request that a body sets. `texts`: how many of the prompts are made tokens one by one.

    Raises TritonchatError.
    """
    check_fields(request, body)
    body.refuse_prompt_logprobs()
    body.refuse_receipt()
    biases = [] if body.logit_bias is None else read_biases(body.logit_bias)
    texts += sum(isinstance(token, str) for token, _ in biases)
    if texts > MAX_TEXTS:
        raise InvalidRequest(
            f"prompt and logit_bias have {texts} texts among tokens; at most {MAX_TEXTS} are allowed.",
            "prompt",
        )
    fields = fields_of_request(body)
    fields.pop("logit_bias", None)
    if biases:
        with request.app.state.answer_slots.hold(request.state.client, 1):
            fields["logit_bias"] = await encode_biases(biases, encoder(request, body.model, "logit_bias"))
    samplers, defaults = read_samplers(body.samplers), _defaults_of(model)
    if samplers is not None:
        if INFILL in samplers:
            if request.app.state.settings.strict_fields:
                raise unsupported("samplers", "samplers has infill, which this service lacks; leave it out.")
            ignore(request, "fields", ["samplers.infill"])
        fields = apply_samplers(samplers, fields, defaults)
    check_last_n(body.repeat_last_n, fields, defaults)
    return fields


async def answer(
    request: HttpRequest,
    body: AnswerBody,
    model: ModelInfo,
    parsed: Sequence[Request],
    texts: Sequence[str | None],
) -> Response:
    """The response with the answers. `texts`: the prompts that are text; None: tokens are decoded."""
    copies = body.n_cmpl or 1
    names = read_samplers(body.samplers)
    samplers = ORDER if names is None else [name for name in names if name in ORDER]
    form = AnswerForm(
        model=model.name,
        max_context=None if model.description is None else model.description["max_context"],
        settings=[
            generation_settings(each, _defaults_of(model), samplers) | {"stream": bool(body.stream)}
            for each in parsed
            for _ in range(copies)
        ],
        texts=[text for text in texts for _ in range(copies)],
        fields=body.response_fields or (),
        returns_tokens=bool(body.return_token_ids),
        times_tokens=bool(body.timings_per_token),
    )
    needs_ids = bool(body.stream or body.return_token_ids or (form.shows_prompt and None in texts))
    requests = repeat([each.model_copy(update={"return_token_ids": needs_ids}) for each in parsed], copies)
    seconds = body.t_max_predict_ms
    limits = Limits(body.n_indent or 0, seconds / 1e3 if seconds and seconds > 0 else None)
    whole = not (body.stream or limits)
    events = stream_answers(request, requests, takes_cut_off=bool(limits), whole=whole)
    events = await wait_until_accepted(events)
    if limits:
        events = limit_answers(request, events, limits)

    async def decode(ids: list[int]) -> str | None:
        try:
            return await request.app.state.triton_client.detokenize(ids, body.model)
        except InvalidRequest:  # of another server, which tells nothing of tokens
            return None

    if not body.stream:
        content = await render_body(events, form, decode)
        return Response(content, media_type="application/json")
    return StreamResponse(render_events(end_with_failure(events), form, decode), "text/event-stream")


def _defaults_of(model: ModelInfo) -> dict[str, Any]:
    """The model's defaults of sampling parameters, as far as they are known."""
    return dict(model.description["sampling"] or {}) if model.description is not None else {}
