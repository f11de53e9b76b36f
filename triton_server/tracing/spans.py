"""Spans, which cost nothing unless export.py sends them: then `start_span` returns None.

Their contexts pass between processes as `traceparent` (https://www.w3.org/TR/trace-context/). Attributes are
those of OpenTelemetry's conventions for HTTP, for generative AI and for MCP
(https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/), as far as there are any.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer

TRACEPARENT = "traceparent"
# Version, trace, parent and flags. A later version may add something, which is not read.
TRACEPARENT_PATTERN = "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"
_LENGTH = 55
# The parts of an answer's time, in their order.
QUEUE, PREFILL, DECODE = "queue", "prefill", "decode"
OPERATION, REQUEST_MODEL = "gen_ai.operation.name", "gen_ai.request.model"
_NUMBERS = ["max_tokens", "temperature", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty"]
_USAGE = {
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "image_tokens": "tritonchat.usage.image_tokens",
}
_PROVIDER = {"gen_ai.provider.name": "tritonchat"}
_NS = 1_000_000_000
_MAX_NAME = 256  # characters of a span's name, a part of which a client or an MCP server may have chosen
_MAX_NUMBER = 2**63  # OTLP cannot send larger ones, and would lose all that it sends with them
# Monitoring calls these every few seconds: they have no spans, and are logged only if they fail.
QUIET_PATHS = ("/healthz", "/readyz", "/metrics")
# The kind of failure of what its client has left before its end.
DISCONNECTED = "disconnected"
_CLIENT_ERROR, _SERVER_ERROR = 400, 500  # statuses of HTTP
Kind = Literal["SERVER", "CLIENT", "INTERNAL"]


class Span:
    """A span that runs until `end`. Its methods may be called from any thread, and later than that.

    Attributes:
        answer_error: the kind of error of an answer that is a part of it. A response that tells one has
            failed, though its status does not say so.
    """

    def __init__(self, span: "OtelSpan", tracer: "Tracer", kind: Kind) -> None:
        self._span, self._tracer, self._kind = span, tracer, kind
        self._totals, self._reasons, self._has_failed = Counter[str](), list[str](), False
        self.answer_error: str | None = None

    @property
    def traceparent(self) -> str:
        """What its parts in other processes get."""
        context = self._span.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags) & 1:02x}"

    def rename(self, name: str) -> None:
        """Call it otherwise."""
        if self._span.is_recording():
            self._span.update_name(name[:_MAX_NAME])

    def note(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes; those that are None are not known."""
        if self._span.is_recording():
            known = {name: value for name, value in attributes.items() if value is not None}
            self._span.set_attributes(known)

    def count_tokens(self, counts: Mapping[str, int]) -> None:
        """Add what an answer has taken, by the names of `usage`."""
        self._totals.update(counts)
        self.note({name: self._totals[key] for key, name in _USAGE.items() if key in counts})

    def note_end(self, reason: str, model: str | None) -> None:
        """Note how an answer has ended, of which there may be several."""
        self._reasons.append(reason)
        self.note({"gen_ai.response.finish_reasons": self._reasons, "gen_ai.response.model": model})

    def fail(self, kind: str) -> None:
        """Mark it as failed, if it is not yet: what comes first is the cause of the rest.

        `kind` is a stable word, not what the error says, which may quote a prompt.
        """
        if self._span.is_recording() and not self._has_failed:
            from opentelemetry.trace import Status, StatusCode

            self._has_failed = True
            self._span.set_attribute("error.type", kind)
            self._span.set_status(Status(StatusCode.ERROR))

    def note_status(self, status: int | None) -> None:
        """Note the status of a response. None: its client has left before there was one.

        By the conventions, a status of 4xx is a failure of the client alone.
        """
        self.note({"http.response.status_code": status})
        if status is None:
            self.fail(DISCONNECTED)
        elif status >= (_CLIENT_ERROR if self._kind == "CLIENT" else _SERVER_ERROR):
            self.fail(str(status))
        elif status < _CLIENT_ERROR and self.answer_error is not None:
            self.fail(self.answer_error)

    def add_times(self, timings: Mapping[str, float | None], end_ns: int) -> None:
        """Add its parts from the `timings` of an answer that has ended at a time, in ns since 1970.

        If it is not known how long the answer was queued, as with another server's, this is in `prefill`.
        """
        total, queue, first = timings.get("total"), timings.get("queue"), timings.get("first_token")
        if total is None:
            return
        arrival_ns = end_ns - round(total * _NS)
        ends: dict[str, float] = {}
        if queue is not None or first is None:
            ends[QUEUE] = total if queue is None else queue
        if queue is not None or first is not None:
            ends[PREFILL] = total if first is None else first
        if first is not None:
            ends[DECODE] = total
        start_ns = arrival_ns
        for name, seconds in ends.items():
            part_end_ns = arrival_ns + round(seconds * _NS)
            part = _start(self._tracer, name, "INTERNAL", self._span, start_ns)
            part.end(part_end_ns)
            start_ns = part_end_ns

    def end(self) -> None:
        """End it now."""
        self._span.end()


# That of the running task. Tasks inherit it.
SPAN: ContextVar[Span | None] = ContextVar("SPAN", default=None)
_tracer: "Tracer | None" = None


def install(tracer: "Tracer | None") -> None:
    """Let spans be made by a tracer; None: let there be none."""
    global _tracer
    _tracer = tracer


def find_traceparent(headers: Mapping[str, str]) -> str | None:
    """That of headers or metadata with names in lower case; None if there is no valid one, as W3C says."""
    text = headers.get(TRACEPARENT, "")
    if text[_LENGTH:] and not (text[_LENGTH] == "-" and text[:2] != "00"):
        return None
    return text[:_LENGTH] if _split(text[:_LENGTH]) else None


def is_tracing() -> bool:
    """Whether there are spans."""
    return _tracer is not None


def is_traceparent(value: object) -> bool:
    """Whether it names a parent, as W3C says; that of a later version without what it may add."""
    return isinstance(value, str) and _split(value) is not None


def start_span(name: str, kind: Kind, traceparent: str | None = None) -> Span | None:
    """Start a span; `traceparent` is that of its parent. None if there are no spans."""
    if (tracer := _tracer) is None:
        return None
    parent = None if traceparent is None else _read(traceparent)
    return Span(_start(tracer, name[:_MAX_NAME], kind, parent, time.time_ns()), tracer, kind)


def fail_running(kind: str) -> None:
    """Mark the span of the running task as failed, if there is one; see Span.fail."""
    if (span := SPAN.get()) is not None:
        span.fail(kind)


@contextmanager
def traced(name: str, kind: Kind, traceparent: str | None) -> Iterator[Span | None]:
    """A span for what is done within the block, which fails with it. See `start_span` for the rest."""
    span = start_span(name, kind, traceparent)
    if span is None:
        yield None
        return
    try:
        yield span
    except BaseException as error:
        has_left = isinstance(error, asyncio.CancelledError | GeneratorExit)
        span.fail(DISCONNECTED if has_left else type(error).__name__)
        raise
    finally:
        span.end()


def as_part(parameters: dict[str, Any], span: Span | None) -> dict[str, Any]:
    """The parameters of a request that is a part of a span, unless they name another one themselves."""
    if span is None or parameters.get(TRACEPARENT) is not None:
        return parameters
    return {**parameters, TRACEPARENT: span.traceparent}


def describe_request(operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a request for an answer, from those of its parameters that are numbers or names."""
    given = {name: parameters.get(name) for name in _NUMBERS}
    numbers = {
        f"gen_ai.request.{name}": value
        for name, value in given.items()
        if isinstance(value, int | float) and abs(value) < _MAX_NUMBER
    }
    model = parameters.get("model")
    about = {OPERATION: operation, REQUEST_MODEL: model if isinstance(model, str) else None}
    return about | _PROVIDER | numbers


def name_operation(messages: Any) -> str:
    """The operation that answers a prompt: text, token ids, or messages."""
    is_chat = isinstance(messages, list) and bool(messages) and isinstance(messages[0], dict)
    return "chat" if is_chat else "text_completion"


def _start(tracer: "Tracer", name: str, kind: Kind, parent: "OtelSpan | None", start_ns: int) -> "OtelSpan":
    from opentelemetry.context import Context
    from opentelemetry.trace import SpanKind, set_span_in_context

    context = Context() if parent is None else set_span_in_context(parent, Context())
    return tracer.start_span(name, context, SpanKind[kind], start_time=start_ns)


def _split(traceparent: str) -> tuple[int, int, int] | None:
    """The trace, the parent and the flags; None if it is not valid."""
    if not re.fullmatch(TRACEPARENT_PATTERN[1:-1], traceparent):
        return None
    version, trace, span, flags = traceparent.split("-")
    numbers = int(trace, 16), int(span, 16), int(flags, 16)
    return numbers if version != "ff" and numbers[0] and numbers[1] else None


def _read(traceparent: str) -> "OtelSpan | None":
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

    if (numbers := _split(traceparent)) is None:
        return None
    trace, span, flags = numbers
    return NonRecordingSpan(SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(flags)))
