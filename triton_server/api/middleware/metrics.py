"""The metrics of the HTTP service. The engine's process has its own."""

from collections.abc import Iterator
from pathlib import Path

from fastapi import FastAPI
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, Metric

from ...system.restarts import PARTS, Restarts

PREFIX = "tritonchat_api_"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSALS = (
    "no_key",
    "wrong_key",
    "foreign_page",
    "body_too_large",
    "too_many_requests",
    "key_limit",
    "wrong_model",
    "too_many_answers",
    "too_many_answers_of_client",
)

# Names of keys that have series of their own; what further ones use is counted together.
MAX_KEYS = 200
OTHER_KEYS = "other keys"  # no name has a space

disable_created_metrics()  # otherwise each metric has one more series


class ServiceMetrics:
    """The metrics of the HTTP service. Clients cannot increase the number of series."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            PREFIX + "requests",
            "Requests by route, method and status; 499: the client disconnected before the response began.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            PREFIX + "request_seconds",
            "From a request's arrival to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._refusals = Counter(
            PREFIX + "refusals",
            "Requests that the service refused by itself.",
            ("reason",),
            registry=self.registry,
        )
        for reason in REFUSALS:  # start at 0: Prometheus sees no rise in a series that starts at 1
            self._refusals.labels(reason)
        self._key_names: set[str] = set()
        self._key_requests = Counter(
            PREFIX + "key_requests",
            "Requests by the name of their key, of keys in the database.",
            ("key",),
            registry=self.registry,
        )
        self._key_tokens = Counter(
            PREFIX + "key_tokens",
            "Tokens of prompts and answers by the name of their key, of keys in the database.",
            ("key", "kind"),
            registry=self.registry,
        )
        self.requests_open = self._gauge("requests_open", "Running requests.")
        self.answers_open = self._gauge("answers_open", "Running answers, which --max-streams limits.")
        self.received_bytes = self._counter("received_bytes", "Bytes of bodies that were read.")
        self.refused_bytes = self._counter(
            "refused_bytes", "Bytes of bodies that were too large: as declared, or as far as they were read."
        )
        self.cut_off = self._counter("cut_off", "Connections closed because their client was too slow.")
        self.engine_reached = self._gauge(
            "engine_reached", "Whether the engine has answered the request for its metrics (1) or not (0)."
        )
        ProcessCollector(namespace=PREFIX.rstrip("_"), registry=self.registry)

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        method_label = method if method in _METHODS else "other"
        self._requests.labels(route, method_label, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_refusal(self, reason: str) -> None:
        """Count a refusal. `reason` is one of REFUSALS."""
        self._refusals.labels(reason).inc()

    def count_key(
        self, name: str, requests: int = 0, prompt_tokens: int = 0, completion_tokens: int = 0
    ) -> None:
        """Count what a key of the database uses, of which there may be many."""
        if name not in self._key_names and len(self._key_names) >= MAX_KEYS:
            name = OTHER_KEYS
        else:
            self._key_names.add(name)
        self._key_requests.labels(name).inc(requests)
        self._key_tokens.labels(name, "prompt").inc(prompt_tokens)
        self._key_tokens.labels(name, "completion").inc(completion_tokens)

    def render(self) -> str:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry).decode()

    def _gauge(self, name: str, help_text: str) -> Gauge:
        return Gauge(PREFIX + name, help_text, registry=self.registry)

    def _counter(self, name: str, help_text: str) -> Counter:
        return Counter(PREFIX + name, help_text, registry=self.registry)


class RestartCollector:
    """The number of restarts of each part, which other processes write to files."""

    def __init__(self, counts: Restarts) -> None:
        self._counts = counts

    def describe(self) -> list[Metric]:
        """Return no metrics, so that registering this reads no files."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The present values."""
        family = CounterMetricFamily(
            "tritonchat_restarts",
            "Times that a part of the service died and was started again.",
            labels=["part"],
        )
        for part in PARTS:
            family.add_metric([part], self._counts.count(part))
        yield family


def metrics_of(app: FastAPI) -> ServiceMetrics:
    """The metrics of an application. The first call creates them from the settings in its state."""
    if not hasattr(app.state, "metrics"):
        app.state.metrics = metrics = ServiceMetrics()
        if app.state.settings.restarts_folder is not None:
            metrics.registry.register(RestartCollector(Restarts(Path(app.state.settings.restarts_folder))))
    return app.state.metrics
