"""A collector, and services whose spans it gets."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collector import Collector, collecting
from http_service import Service, services
from in_process import Endpoints

from triton_server.tracing import export


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector, to which all that runs in this process sends its spans at once."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
    with collecting() as found, export.exported_spans(f"{found.url}/v1/traces", "test"):
        yield found


@pytest.fixture
def start(several: Endpoints, tmp_path: Path, collector: Collector) -> Iterator[Callable[..., Service]]:
    """Starts services that send traces, as the process of the test does."""
    with services(several.grpc_url, tmp_path) as starter:
        yield lambda **given: starter(**{"otlp_endpoint": collector.url, **given})
