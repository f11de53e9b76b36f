"""The metrics of the proxy."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from .replicas import Replica, Replicas

_PREFIX = "tritonchat_proxy_"
_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 100, 300)


class ProxyMetrics:
    """The metrics of the proxy. `repeated` and `continued` count requests that another server got."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas, self.registry = replicas, CollectorRegistry()
        self.repeated = Counter(
            f"{_PREFIX}repeated", "Times that a request went to another server.", registry=self.registry
        )
        self.continued = Counter(
            f"{_PREFIX}continued",
            "Those of them whose client had a part of the answer.",
            registry=self.registry,
        )
        self._responses = Counter(
            f"{_PREFIX}responses",
            "Responses of servers, by the version of the server and their status: of HTTP, or of gRPC.",
            ("version", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            f"{_PREFIX}response_seconds",
            "From a request to the end of its response, by the version of the server.",
            ("version",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.registry.register(self)

    def observe(self, version: int, status: int | str, seconds: float) -> None:
        """Count a response of a server, or the part of it that came."""
        self._responses.labels(version, status).inc()
        self._seconds.labels(version).observe(seconds)

    @contextmanager
    def count(self, replica: Replica) -> Iterator[None]:
        """Count a request that a server has within the block."""
        replica.running += 1
        replica.total += 1
        try:
            yield
        finally:
            replica.running -= 1

    def describe(self) -> list[Metric]:
        """Return no metrics, so that registering this reads nothing."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The present values of each server."""
        ready = GaugeMetricFamily(f"{_PREFIX}ready", "Whether a server is ready.", labels=["replica"])
        running = GaugeMetricFamily(f"{_PREFIX}running", "Requests that a server has.", labels=["replica"])
        total = CounterMetricFamily(f"{_PREFIX}requests", "Requests that a server got.", labels=["replica"])
        for replica in self._replicas.list_all():
            ready.add_metric([replica.url], replica.is_ready)
            running.add_metric([replica.url], replica.running)
            total.add_metric([replica.url], replica.total)
        yield from (ready, running, total)
