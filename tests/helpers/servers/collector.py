"""A collector of OpenTelemetry for tests: it takes OTLP over HTTP, and decodes it."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from support import wait_until

KINDS = {1: "INTERNAL", 2: "SERVER", 3: "CLIENT"}


@dataclass(frozen=True)
class SeenSpan:
    """A span as it came. Its times are in ns since 1970."""

    service: str
    name: str
    kind: str
    trace: str
    id: str
    parent: str
    start: int
    end: int
    failed: bool
    attributes: dict[str, Any]


@dataclass
class Collector:
    """What has come until now; `raw` are all bytes."""

    url: str
    spans: list[SeenSpan] = field(default_factory=list)
    raw: bytes = b""

    def wait_for(self, *names: str) -> list[SeenSpan]:
        """The spans, when those of these names are there."""
        wait_until(lambda: set(names) <= {span.name for span in self.spans})
        return list(self.spans)

    def take(self, content: bytes) -> None:
        """Decode a request."""
        self.raw += content
        for resource in ExportTraceServiceRequest.FromString(content).resource_spans:
            service = _read(resource.resource.attributes)["service.name"]
            self.spans += [
                SeenSpan(
                    service,
                    span.name,
                    KINDS[span.kind],
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    span.status.code == 2,
                    _read(span.attributes),
                )
                for scope in resource.scope_spans
                for span in scope.spans
            ]


def _read(attributes: Any) -> dict[str, Any]:
    found = {}
    for each in attributes:
        kind = each.value.WhichOneof("value")
        value = getattr(each.value, kind)
        found[each.key] = [one.string_value for one in value.values] if kind == "array_value" else value
    return found


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that listens."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
