"""Sends spans to a collector over OTLP/HTTP, in a thread of its own, so that it delays nobody.

At most 2048 spans wait for it (OTEL_BSP_MAX_QUEUE_SIZE); further ones are dropped. The SDK reads the other
usual variables, too, such as OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and OTEL_EXPORTER_OTLP_HEADERS.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from model_core.errors import TritonchatError

from ..system.extras import install_command
from . import spans

_TIMEOUT_S = 5.0  # of one request to the collector
_MAX_TEXT = 256  # characters of an attribute, which a client may have chosen
_LOG_INTERVAL_S = 60.0
_LAST_SPANS_S = 2.0  # for them at the end of the process
_WRONG_HEADER = "A header of OTEL_EXPORTER_OTLP_HEADERS is not NAME=VALUE, and is left out."


def check_packages() -> None:
    """Raises TritonchatError if the packages are missing that send spans."""
    for name in ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
        try:
            is_there = find_spec(name) is not None
        except ModuleNotFoundError:
            is_there = False
        if not is_there:
            raise TritonchatError(f"--otlp-endpoint needs OpenTelemetry: {install_command('tracing')}")


class _Seldom(logging.Filter):
    """Lets one record of each kind pass in a minute: the exporter says of each attempt that it has failed."""

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[str, float] = {}  # by the message without its values

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now < self._next.get(str(record.msg), 0.0):
            return False
        self._next[str(record.msg)] = now + _LOG_INTERVAL_S
        return True


class _Silent(logging.Filter):
    """Names a wrong header without what it says, which may be the collector's key."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _WRONG_HEADER, ()
        return True


@contextmanager
def exported_spans(endpoint: str | None, part: str) -> Iterator[None]:
    """Let the requests of this process have spans within the block; None: no collector wants them.

    `part` names what the process is, in the service's name. Raises TritonchatError if packages are missing,
    or refuse what the variables of OpenTelemetry say.
    """
    if endpoint is None:
        yield
        return
    check_packages()
    try:
        provider = _make_provider(endpoint, part)
    except (ValueError, ImportError, RuntimeError, OSError) as error:
        raise TritonchatError(f"OpenTelemetry refuses one of its variables, OTEL_...: {error}") from error
    spans.install(provider.get_tracer("tritonchat", version("tritonchat")))
    try:
        yield
    finally:
        spans.install(None)
        # A collector that hangs must not keep the process; the SDK would wait for it for half a minute.
        ending = threading.Thread(target=provider.shutdown, name="last spans", daemon=True)
        ending.start()
        ending.join(_LAST_SPANS_S)


def _make_provider(endpoint: str, part: str) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    for name, log_filter in ((OTLPSpanExporter.__module__, _Seldom()), ("opentelemetry.util.re", _Silent())):
        logger = logging.getLogger(name)
        if not any(isinstance(each, type(log_filter)) for each in logger.filters):
            logger.addFilter(log_filter)
    about: dict[str, Any] = {
        "service.name": f"tritonchat-{part}",
        "service.namespace": "tritonchat",
        "service.version": version("tritonchat"),
    }
    # What the variables say counts first. `Resource.create` lets what it is given count first.
    about |= {name: value for name, value in OTELResourceDetector().detect().attributes.items() if value}
    provider = TracerProvider(
        resource=Resource.create(about),
        shutdown_on_exit=False,
        span_limits=SpanLimits(max_attribute_length=_MAX_TEXT),
    )
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_TIMEOUT_S)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
