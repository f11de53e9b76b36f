"""What is counted of the models: for ModelStatistics, and for Prometheus by Triton's names."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from tritonclient.grpc.service_pb2 import ModelStatistics

from .tensors import VERSION

CANCELED, OTHER = "CANCELED", "OTHER"  # why requests fail, in Triton's words


@dataclass
class ModelCounts:
    """The counts of a model; used in the thread of the server, and read by others.

    Attributes:
        rows: of the requests that were answered.
        success, success_ns: requests that were answered, and the time that they took together.
        failures, failure_ns: those that were not, by their reason.
        last_ms: when the last one came, in ms since 1970.
    """

    rows: int = 0
    success: int = 0
    success_ns: int = 0
    failures: dict[str, int] = field(default_factory=lambda: dict.fromkeys((CANCELED, OTHER), 0))
    failure_ns: int = 0
    last_ms: int = 0

    def begin(self) -> int:
        """Note that a request has come. Returns the time from which on it is counted."""
        self.last_ms = time.time_ns() // 1_000_000
        return time.monotonic_ns()

    def succeed(self, start: int, rows: int) -> None:
        """Count a request that was answered."""
        self.rows += rows
        self.success += 1
        self.success_ns += time.monotonic_ns() - start

    def fail(self, start: int, reason: str) -> None:
        """Count a request that was not answered."""
        self.failures[reason] += 1
        self.failure_ns += time.monotonic_ns() - start

    def describe(self, name: str) -> ModelStatistics:
        """The message of Triton's. Requests are given to a model at once, so none waits before it."""
        counts = ModelStatistics(
            name=name,
            version=VERSION,
            last_inference=self.last_ms,
            inference_count=self.rows,
            execution_count=self.success,
        )
        stats = counts.inference_stats
        stats.success.count, stats.success.ns = self.success, self.success_ns
        stats.fail.count, stats.fail.ns = sum(self.failures.values()), self.failure_ns
        stats.compute_infer.CopyFrom(stats.success)
        for part in (stats.queue, stats.compute_input, stats.compute_output):
            part.count = self.success
        return counts


_COUNTERS: Sequence[tuple[str, str, Callable[[ModelCounts], int]]] = (
    ("request_success", "Number of successful inference requests, all batch sizes", lambda c: c.success),
    ("count", "Number of inferences performed", lambda c: c.rows),
    ("exec_count", "Number of model executions performed", lambda c: c.success),
    (
        "request_duration_us",
        "Cumulative inference request duration in microseconds",
        lambda c: c.success_ns // 1000,
    ),
)


class CountsCollector(Collector):
    """Tells Prometheus the counts of models, by their names, as Triton would."""

    def __init__(self, counts: dict[str, ModelCounts]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """See prometheus_client. The type is untyped: counters would be given names that end in _total."""
        for name, text, read in _COUNTERS:
            metric = Metric(f"nv_inference_{name}", text, "unknown")
            for model, counts in self._counts.items():
                metric.add_sample(metric.name, {"model": model, "version": VERSION}, read(counts))
            yield metric
        text = "Number of failed inference requests, all batch sizes"
        metric = Metric("nv_inference_request_failure", text, "unknown")
        for model, counts in self._counts.items():
            for reason, count in counts.failures.items():
                labels = {"model": model, "reason": reason, "version": VERSION}
                metric.add_sample(metric.name, labels, count)
        yield metric
