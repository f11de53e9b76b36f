"""Sends spans to a collector over OTLP/HTTP, in a thread of its own, so that it delays nobody.

At most 2048 spans wait for it; further ones are dropped. The SDK reads the usual variables, such as
OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_BSP_SCHEDULE_DELAY and OTEL_EXPORTER_OTLP_HEADERS.
"""

import logging
import os
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
_MAX_WAITING = 2048
_MAX_TEXT = 256  # characters of an attribute, which a client may have chosen
_LOG_INTERVAL_S = 60.0
_LAST_SPANS_S = 2.0  # for them at the end of the process


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
    """Lets one record a minute pass: the exporter says of each attempt that a collector does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _LOG_INTERVAL_S
        return True


@contextmanager
def exported_spans(endpoint: str | None, part: str) -> Iterator[None]:
    """Let the requests of this process have spans within the block; None: no collector wants them.

    `part` names what the process is, in the service's name. Raises TritonchatError if packages are missing.
    """
    if endpoint is None:
        yield
        return
    check_packages()
    provider = _make_provider(endpoint, part)
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
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    about = {"service.namespace": "tritonchat", "service.version": version("tritonchat")}
    if "OTEL_SERVICE_NAME" not in os.environ:
        about["service.name"] = f"tritonchat-{part}"
    provider = TracerProvider(
        resource=Resource.create(about),
        shutdown_on_exit=False,
        span_limits=SpanLimits(max_attribute_length=_MAX_TEXT),
    )
    logger = logging.getLogger(OTLPSpanExporter.__module__)
    if not logger.filters:
        logger.addFilter(_Seldom())
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_TIMEOUT_S)
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=_MAX_WAITING))
    return provider
