"""How spans are sent: what the variables of OpenTelemetry say, addresses of collectors, and the log."""

import logging

import pytest
from collector import collecting
from support import free_port

from model_core.errors import TritonchatError
from triton_server.settings.values import read_collector
from triton_server.tracing import export
from triton_server.tracing.spans import start_span, traced


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_BSP_SCHEDULE_DELAY", "0"),
        ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "-1"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096"),
    ],
)
def test_variables_that_the_sdk_refuses_are_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with (
        pytest.raises(TritonchatError, match="OTEL_"),
        export.exported_spans("http://127.0.0.1:1/v1/traces", "x"),
    ):
        pass
    assert start_span("x", "SERVER") is None


def test_large_batches_have_a_large_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "8192")
    with export.exported_spans(f"http://127.0.0.1:{free_port()}/v1/traces", "x"):
        assert start_span("x", "SERVER") is not None


@pytest.mark.parametrize(
    ("given", "name", "namespace"),
    [
        ({}, "tritonchat-x", "tritonchat"),
        ({"OTEL_SERVICE_NAME": ""}, "tritonchat-x", "tritonchat"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=a,service.namespace=b"}, "a", "b"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=a", "OTEL_SERVICE_NAME": "c"}, "c", "tritonchat"),
    ],
)
def test_variables_name_the_service(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], name: str, namespace: str
) -> None:
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    with collecting() as collector:
        with export.exported_spans(f"{collector.url}/v1/traces", "x"), traced("y", "SERVER", None):
            pass
        (span,) = collector.wait_for("y")
    assert span.service == name and namespace.encode() in collector.raw


def test_logs_have_no_secret_and_each_fault(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "my secret: is this")
    with export.exported_spans(f"http://127.0.0.1:{free_port()}/v1/traces", "x"):
        pass
    assert "secret" not in caplog.text and "OTEL_EXPORTER_OTLP_HEADERS" in caplog.text
    seldom = export._Seldom()
    texts = ["Transient error %s", "Failed, code %s", "Transient error %s"]
    records = [logging.LogRecord("x", logging.ERROR, "", 1, text, (n,), None) for n, text in enumerate(texts)]
    assert [seldom.filter(record) for record in records] == [True, True, False]


def test_addresses_of_collectors() -> None:
    assert read_collector("http://a:4318/v1/traces/") == "http://a:4318/v1/traces"
    for wrong in ("http://a:x", "http://a:99999", "http://a:0", "http://"):
        with pytest.raises(ValueError, match="not the URL"):
            read_collector(wrong)
    for secret in ("http://user:secret@a", "http://secret@a", "http://:secret@a"):
        with pytest.raises(ValueError, match="password") as raised:
            read_collector(secret)
        assert "secret" not in str(raised.value)
