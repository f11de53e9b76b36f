"""Spans of what a proxy passes on: one for a request, and over HTTP one for each server that is asked.

Where a proxy has no spans of its own (--otlp-endpoint), it passes those of its clients on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tritonclient.grpc.service_pb2 import ModelInferRequest

from ..contract.tensors import CHAT, CHAT_STREAM, EMBED
from ..tracing.spans import (
    SPAN,
    TRACEPARENT,
    Span,
    is_traceparent,
    is_tracing,
    traced,
)
from .grpc_messages import is_model, is_object, read_json, write_json

Headers = list[tuple[str, str]]


def replace_parent(headers: Headers, span: Span | None) -> Headers:
    """Headers for a server, whose span is a part of this one."""
    if span is None:
        return headers
    others = [(name, value) for name, value in headers if name != TRACEPARENT]
    return [*others, (TRACEPARENT, span.traceparent)]


def describe_server(url: str) -> dict[str, str | int | None]:
    """The attributes of a server, without what else its URL may have, such as a password."""
    parsed = urlsplit(url)
    return {"server.address": parsed.hostname, "server.port": parsed.port}


@contextmanager
def traced_call(request: ModelInferRequest, parent: str | None) -> Iterator[bool]:
    """A span for a request of the contract, whose parameters then name it; says whether they have changed.

    `parent`: that of the call's metadata. Requests of other models, and batches of several rows, stay as they
    are, and so does a wrong name of a parent, which the server refuses.
    """
    is_needed = parent is not None or is_tracing()  # otherwise reading a large request would cost time alone
    fields = _read_parameters(request) if is_needed else None
    if fields is None:
        yield False
        return
    named = fields.get(TRACEPARENT)
    is_valid = is_traceparent(named)
    with traced(f"proxy {request.model_name}", "SERVER", named if is_valid else parent) as span:
        own = parent if span is None else span.traceparent
        has_changed = named is None or (is_valid and span is not None)
        if has_changed:
            write_json(request, "parameters", {**fields, TRACEPARENT: own})
        former = SPAN.set(span)
        try:
            yield has_changed
        finally:
            SPAN.reset(former)


def _read_parameters(request: ModelInferRequest) -> dict[str, Any] | None:
    """The parameters of a request of one row; None if it is none."""
    if not any(is_model(request, name) for name in (CHAT, CHAT_STREAM, EMBED)):
        return None
    if any(len(tensor.shape) > 1 and tensor.shape[0] > 1 for tensor in request.inputs):
        return None
    if is_object(request, "messages"):  # it asks for something else than an answer
        return None
    if not any(tensor.name == "parameters" for tensor in request.inputs):
        return {}
    fields = read_json(request, "parameters")
    return fields if isinstance(fields, dict) else None
