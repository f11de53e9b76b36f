"""Inference in KServe's form: POST /v2/models/{model}/infer, for `chat` and `embed`."""

from collections import Counter
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from fastapi import APIRouter
from fastapi import Request as HttpRequest
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.responses import Response

from model_core.checks.request_values import shorten
from model_core.errors import InvalidRequest

from ...client.caller import CALLER
from ...contract.codec import raise_if_error, read_details
from ...contract.json_tensors import decode, encode
from ...contract.request_fields import Request
from ...contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED
from ...tracing.spans import SPAN, Span, as_part, describe_request, name_operation
from ..body import WholeBody
from ..errors import ApiError, unsupported
from ..generation import find_images, prepare, while_connected
from ..ignored import check_fields
from .models import find_model
from .schemas import RESPONSES, InferenceRequest
from .tensors import LENGTH_HEADER, WantedOutputs, read_rows, split_body

# By the kind of a model: its inputs, of which the first is needed, and its outputs.
_TENSORS = {
    CHAT: (("messages", "parameters"), ("response", "details")),
    EMBED: (("texts", "parameters"), ("embeddings", "details")),
}
_OTHERS = {
    CHAT_STREAM: "has several responses; use gRPC's ModelStreamInfer, or the model chat.",
    CHAT_CONTROL: "takes commands over gRPC only; this service has routes for them.",
}
_SET_HERE = ("request_id", "client", "feed", "acknowledge", "joins")
_MAX_TIMEOUT_US = 2**62
Kind = TypeVar("Kind", bound=WholeBody)
_PARAMETERS = ("timeout", "binary_data_output")

DEFINITIONS: dict[str, Any] = {}  # of parts of bodies, for the description of the API
router = APIRouter(prefix="/v2", tags=["KServe"], responses=RESPONSES)


def describe_body(kind: type[WholeBody]) -> dict[str, Any]:
    """What OpenAPI says of a body that `parse` reads. What it refers to is in DEFINITIONS."""
    schema = kind.model_json_schema(ref_template="#/components/schemas/{model}")
    DEFINITIONS.update(schema.pop("$defs", {}))
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


_BODY = describe_body(InferenceRequest)


@router.post("/models/{model}/infer", openapi_extra=_BODY)
@router.post("/models/{model}/versions/{version}/infer", openapi_extra=_BODY)
async def infer(request: HttpRequest, model: str, version: str = "1") -> Response:
    """Compute with tensors, as JSON or as bytes after it (Triton's binary data extension)."""
    kind = find_kind(model)
    if kind in _OTHERS:
        raise unsupported("model", f"{kind} {_OTHERS[kind]}")
    name = await find_model(request, model, version)
    assert kind is not None  # the server has no other models
    data, binary = split_body(await request.body(), request.headers.get(LENGTH_HEADER))
    body = parse(data, InferenceRequest)
    check_fields(request, body)
    inputs, outputs = _TENSORS[kind]
    timeout_us, all_binary = _read_parameters(body.parameters or {})
    wanted = WantedOutputs(body, model, outputs, all_binary)
    rows = read_rows(model, inputs, body.inputs, binary)
    asked = [await _read_row(request, kind, row, number, len(rows)) for number, row in enumerate(rows)]
    for each in asked:
        asked_model = each.model if isinstance(each, Request) else each[1].get("model")
        await CALLER.get().check_model(asked_model or name)
    state = request.app.state
    with state.answer_slots.hold(request.state.client, len(asked)):
        chats = await find_images(request, [each for each in asked if isinstance(each, Request)])
        sent = [(chat.prompt(), chat.parameters()) for chat in chats]
        sent += [each for each in asked if not isinstance(each, Request)]  # a model has rows of one kind
        ids = [parameters["request_id"] for _, parameters in sent]
        if (span := SPAN.get()) is not None:
            sent = [(main, as_part(parameters, span)) for main, parameters in sent]
            _describe(span, kind, name, sent)
        arrays = {inputs[0]: _join([main for main, _ in sent]), "parameters": _join([p for _, p in sent])}
        call = state.triton_client.infer(model, arrays, ids, timeout_us)
        result = await while_connected(request, call)
    found = {name: result.as_numpy(name) for name in outputs}
    _check_details(request, [read_details(row[0].decode()) for row in found["details"]])
    head: dict[str, Any] = {"model_name": model, "model_version": "1"}
    if body.id is not None:
        head["id"] = body.id
    return await wanted.respond(head, found)


def find_kind(model: str) -> str | None:
    """The name of a Triton model without that of ours; None: this server has no such models."""
    kinds = (*_OTHERS, *_TENSORS)
    return next((kind for kind in kinds if model == kind or model.startswith(f"{kind}-")), None)


def parse(data: bytes, kind: type[Kind]) -> Kind:
    """The JSON of a body, whatever its Content-Type. Raises RequestValidationError, as FastAPI would."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        problems: list[dict[str, Any]] = [
            {**problem, "loc": ("body", *problem["loc"])} for problem in error.errors()
        ]
        if problems[0]["type"] == "json_invalid":
            reason = problems[0]["ctx"]["error"]
            raise ApiError(400, f"the body does not begin with JSON: {reason}.", "invalid_request") from error
        raise RequestValidationError(problems) from error


def _read_parameters(parameters: dict[str, Any]) -> tuple[int | None, bool]:
    """The timeout in microseconds, and whether all outputs shall be bytes. Raises ApiError."""
    timeout, is_binary = (parameters.get(name) for name in _PARAMETERS)
    if timeout is not None and (type(timeout) is not int or not 0 <= timeout < _MAX_TIMEOUT_US):
        message = f"timeout is {shorten(timeout)}; it must be a whole number of microseconds."
        raise ApiError(400, message, "invalid_request", "parameters.timeout")
    if is_binary is not None and not isinstance(is_binary, bool):
        message = "binary_data_output must be true or false."
        raise ApiError(400, message, "invalid_request", "parameters.binary_data_output")
    for name, value in parameters.items():
        if name not in _PARAMETERS and value not in (None, 0, False):
            raise unsupported(
                f"parameters.{name[:64]}",
                f"the request has no parameter {shorten(name)}; those of answers are an input.",
            )
    return timeout or None, bool(is_binary)


async def _read_row(
    request: HttpRequest, kind: str, row: dict[str, np.ndarray], number: int, count: int
) -> Request | tuple[Any, dict[str, Any]]:
    """What a row sends: a request, or `texts` with their `parameters`. Raises TritonchatError."""
    try:
        values = decode(row["parameters"], "parameters") if "parameters" in row else {}
        if not isinstance(values, dict):
            raise InvalidRequest("parameters must be a JSON object.", "parameters")
        await check_values(request, values)
        main = _TENSORS[kind][0][0]
        if main in values:
            raise InvalidRequest(f"{main} is an input of its own, and not among the parameters.", main)
        value = decode(row[main], main)
        request_id = f"{request.state.request_id[:80]}-{uuid4().hex}"
        if kind == EMBED:
            return value, {**values, "request_id": request_id}
        sent = prepare(request, Request(messages=value, **values), request_id)
        return sent if count == 1 else sent.named({"messages": f"row {number}: messages"})
    except InvalidRequest as error:
        if count == 1:
            raise
        raise InvalidRequest(f"row {number}: {error}", error.param) from error


async def check_values(request: HttpRequest, values: dict[str, Any]) -> None:
    """Raises TritonchatError for parameters that only the service sets, and for a model that is not known."""
    for name in _SET_HERE:
        if name in values:
            raise InvalidRequest(f"{name} is set by the service; leave it out.", name)
    if isinstance(values.get("model"), str):
        await request.app.state.served_models.resolve(values["model"])


def _describe(span: Span, kind: str, model: str, rows: list[tuple[Any, dict[str, Any]]]) -> None:
    """Note what is asked for, as far as all rows agree. `model` answers those that name no other one."""
    operations = ["embeddings" if kind == EMBED else name_operation(main) for main, _ in rows]
    first, *others = (
        describe_request(operation, {**parameters, "model": parameters.get("model") or model})
        for operation, (_, parameters) in zip(operations, rows, strict=True)
    )
    span.note({name: value for name, value in first.items() if all(o.get(name) == value for o in others)})


def _join(values: list[Any]) -> np.ndarray:
    """JSON in rows of one size."""
    rows = [encode(value) for value in values]
    size = max(map(len, rows))
    return np.stack([np.pad(row, (0, size - len(row)), constant_values=ord(" ")) for row in rows])


def _check_details(request: HttpRequest, details: list[dict[str, Any]]) -> None:
    """Note what the log and the headers tell. Raises TritonchatError if no row has an answer."""
    usage: Counter[str] = Counter()
    digests = {each.get("fingerprint") for each in details}
    request.state.model_digest = digests.pop() if len(digests) == 1 else None
    request.state.answer_cached = all(each.get("usage", {}).get("answer_cached") for each in details)
    for each in details:
        usage.update({name: value for name, value in each.get("usage", {}).items() if type(value) is int})
    request.state.usage = usage
    CALLER.get().count_tokens(usage)
    if (span := SPAN.get()) is not None:
        span.count_tokens(usage)
        for each in details:
            if "finish_reason" in each:
                span.note_end(each["finish_reason"], each.get("model"))
            if "error" in each:  # the status says so only if all have failed
                span.answer_error = each["error"].get("type")
    if all("error" in each for each in details):
        raise_if_error(details[0])
    if all(each.get("finish_reason") == "cancelled" for each in details):
        raise ApiError(503, "the server has cut the answer off.", code="cancelled")
