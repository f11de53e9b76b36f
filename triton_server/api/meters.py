"""The service's own metrics; those of the engine come from the engine's process."""

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

PREFIX = "tritonchat_api_"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REFUSALS = ("no_key", "wrong_key", "foreign_page", "body_too_large", "too_many_requests", "too_many_answers")

disable_created_metrics()  # one more series for each of ours, which nobody reads


class Meters:
    """Counts what the service does. Labels are from short lists, whatever clients send."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            PREFIX + "requests",
            "Requests by route, method and status; 499 where the client left before an answer began.",
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
        for reason in REFUSALS:  # a series that begins with its first event has no rate
            self._refusals.labels(reason)
        self.requests_open = self._gauge("requests_open", "Requests under way.")
        self.answers_open = self._gauge("answers_open", "Answers under way, which --max-streams limits.")
        self.received_bytes = self._counter("received_bytes", "Bytes of bodies that were read.")
        self.refused_bytes = self._counter(
            "refused_bytes", "Bytes of bodies that were too large, as far as known."
        )
        self.cut_off = self._counter("cut_off", "Connections closed because their client was too slow.")
        self.engine_reached = self._gauge(
            "engine_reached", "Whether the engine's own metrics came (1) with this answer, or not (0)."
        )
        ProcessCollector(namespace=PREFIX.rstrip("_"), registry=self.registry)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Take note of a request that has ended."""
        known = method if method in _METHODS else "other"
        self._requests.labels(route, known, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def refused(self, reason: str) -> None:
        """Take note of a refusal, by a word of REFUSALS."""
        self._refusals.labels(reason).inc()

    def render(self) -> str:
        """All of them in Prometheus' text format."""
        return generate_latest(self.registry).decode()

    def _gauge(self, name: str, what: str) -> Gauge:
        return Gauge(PREFIX + name, what, registry=self.registry)

    def _counter(self, name: str, what: str) -> Counter:
        return Counter(PREFIX + name, what, registry=self.registry)


def meters_of(app: FastAPI) -> Meters:
    """The application's meters, which begin with the first call."""
    if not hasattr(app.state, "meters"):
        app.state.meters = Meters()
    return app.state.meters
