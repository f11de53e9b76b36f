"""The metrics of the models for Prometheus.

A request costs a few observations when it ends. The engine itself counts tokens and steps, in plain integers,
which are read when the metrics are rendered.
"""

import threading
from collections import Counter as Counts
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.utils import floatToGoString

from model_core.llm.description import ModelDescription
from model_core.requests.results import Completion

from ...contract.codec import describe_error
from .protocol import ModelEngine

PREFIX = "tritonchat_"
# Seconds. A tiny model answers within milliseconds, a large one on a small machine within minutes.
REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600)
TOKEN_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
FINISH_REASONS = ("stop", "length", "cancelled")
# The refusals of a busy server have a series from the start; others get one when they happen.
REFUSALS = ("invalid_request", "prompt_too_long", "queue_full", "no_memory", "shutting_down")

# The counters of Engine.stats()["totals"] that are metrics of the same names, with their descriptions.
_TOTALS = {
    "completion_tokens": "Tokens of answers, running ones included.",
    "cancellations": "Requests that were cancelled, mostly because their client disconnected.",
    "preemptions": "Times that a request gave its KV memory to an older one, to be computed again later.",
    "drafted_tokens": "Draft tokens: of an MTP head, --draft-model or --speculate.",
    "accepted_tokens": "Draft tokens that were right.",
    "forced_tokens": "Tokens that the form of an answer left no choice for.",
    "steps": "Steps of the engine.",
    "computed_tokens": "Tokens that the model has computed: of prompts and answers, and drafts.",
}

disable_created_metrics()  # otherwise each metric has one more series


class ModelMetrics:
    """The metrics of a model. They go on when it is unloaded and loaded again.

    The methods may be called from any thread.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._first_token = self._histogram("time_to_first_token", "Until the first token.", REQUEST_BUCKETS)
        self._token_interval = self._histogram(
            "time_per_output_token", "Per token after the first, one observation a request.", TOKEN_BUCKETS
        )
        self._total = self._histogram("request", "From a request's arrival to its end.", REQUEST_BUCKETS)
        self._queue = self._histogram("queue", "Until the computation of a request began.", REQUEST_BUCKETS)
        self._prompt_tokens = self._counter("prompt_tokens", "Tokens of the prompts of finished requests.")
        self._cached_tokens = self._counter(
            "cached_tokens", "Tokens of those prompts that were found in the prefix cache."
        )
        self._requests = self._counter(
            "requests", "Finished requests by finish reason, or by the type of the error.", "finish_reason"
        )
        self._embeddings = self._histogram(
            "embedding", "From the arrival of a request for embeddings or scores to its end.", REQUEST_BUCKETS
        )
        self._embedded_texts = self._counter("embedded_texts", "Texts that were embedded or scored.")
        self._embedded_tokens = self._counter("embedded_tokens", "Tokens of those texts.")
        self._refusals = self._counter("refusals", "Requests refused, by type of error.", "reason")
        for reason in FINISH_REASONS:  # start at 0: Prometheus sees no rise in a series that starts at 1
            self._requests.labels(reason)
        for reason in REFUSALS:
            self._refusals.labels(reason)
        self._engine = _EngineCollector()
        self._registry.register(self._engine)

    def open(self, engine: ModelEngine, description: ModelDescription) -> None:
        """Read what the engine counts from now on. `description` is that of `ModelEngine.describe`."""
        self._engine.open(engine, description)

    def close(self) -> None:
        """Read the engine for the last time; keep its totals."""
        self._engine.close()

    def count_completion(self, completion: Completion) -> None:
        """Count a request that has ended, with or without an error."""
        usage, timings, error = completion.usage, completion.timings, completion.error
        self._requests.labels(completion.finish_reason if error is None else error.type).inc()
        self._prompt_tokens.inc(usage.prompt_tokens)
        self._cached_tokens.inc(usage.cached_tokens)
        self._total.observe(timings.total)
        if timings.queue is not None:
            self._queue.observe(timings.queue)
        if timings.first_token is not None:
            self._first_token.observe(timings.first_token)
            if usage.completion_tokens > 1:
                after_first = timings.total - timings.first_token
                self._token_interval.observe(after_first / (usage.completion_tokens - 1))

    def count_embeddings(self, texts: int, tokens: int, seconds: float) -> None:
        """Count a request for embeddings or scores that has ended without an error."""
        self._embeddings.observe(seconds)
        self._embedded_texts.inc(texts)
        self._embedded_tokens.inc(tokens)

    def count_refusal(self, error: Exception) -> None:
        """Count a request that was refused."""
        self._refusals.labels(describe_error(error).type).inc()

    def collect(self) -> Iterator[Metric]:
        """The current values."""
        return iter(self._registry.collect())

    def histograms(self) -> dict[str, list[tuple[float | None, int]]]:
        """Times of all requests: the upper limits of buckets in seconds, None for the last, and their counts.

        `first_token`: until the first token. `token`: per token after the first, one number a request.
        """
        return {
            name: _read_buckets(histogram)
            for name, histogram in (("first_token", self._first_token), ("token", self._token_interval))
        }

    def _histogram(self, name: str, description: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"{PREFIX}{name}_seconds", description, buckets=buckets, registry=self._registry)

    def _counter(self, name: str, description: str, *labels: str) -> Counter:
        return Counter(f"{PREFIX}{name}", description, labels, registry=self._registry)


def _read_buckets(histogram: Histogram) -> list[tuple[float | None, int]]:
    """The upper limits of a histogram's buckets, None for the last, and what is in each."""
    (metric,) = histogram.collect()
    counts = [(sample.labels["le"], int(sample.value)) for sample in metric.samples if "le" in sample.labels]
    below = [0, *(count for _, count in counts[:-1])]
    return [
        (None if limit == "+Inf" else float(limit), count - before)
        for (limit, count), before in zip(counts, below, strict=True)
    ]


def render_metrics(models: Mapping[str, ModelMetrics]) -> str:
    """The metrics of all models, by their names, and of this process, in Prometheus' text format."""
    return (generate_latest(_LabelledCollector(models)) + generate_latest(_PROCESS)).decode()


_PROCESS = CollectorRegistry()
ProcessCollector(namespace="tritonchat", registry=_PROCESS)


class _LabelledCollector:
    """The metrics of several models, each with the label `model`."""

    def __init__(self, models: Mapping[str, ModelMetrics]) -> None:
        self._models = models

    def collect(self) -> Iterator[Metric]:
        """The current values."""
        families: dict[str, Metric] = {}
        for name, metrics in self._models.items():
            for metric in metrics.collect():
                family = families.setdefault(
                    metric.name, Metric(metric.name, metric.documentation, metric.type)
                )
                family.samples += [
                    sample._replace(labels={"model": name, **sample.labels}) for sample in metric.samples
                ]
        yield from families.values()


class _EngineCollector:
    """The metrics that the engine of a model counts itself, read when they are collected."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: ModelEngine | None = None  # None while the model is not loaded
        self._description: dict[str, str] = {}
        # Of the engines before, for a counter must not fall.
        self._totals: Counts[str] = Counts()
        self._step_sizes: Counts[int] = Counts()

    def open(self, engine: ModelEngine, description: ModelDescription) -> None:
        """Read this engine from now on."""
        with self._lock:
            self._engine = engine
            self._description = {name: str(value) for name, value in description.items() if value is not None}

    def close(self) -> None:
        """Keep the totals of the engine."""
        with self._lock:
            if self._engine is not None:
                stats = self._engine.stats()
                self._totals.update(stats["totals"])
                self._step_sizes.update(stats.get("step_sizes", {}))
                self._engine = None

    def describe(self) -> list[Metric]:
        """Return no metrics, so that registering this does not read the engine."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The current values."""
        with self._lock:
            stats = None if self._engine is None else self._engine.stats()
            totals, step_sizes = self._totals.copy(), self._step_sizes.copy()
        yield _gauge("model_loaded", "Whether the model is in memory (1) or not (0).", stats is not None)
        if stats is not None:
            totals.update(stats["totals"])
            step_sizes.update(stats.get("step_sizes", {}))
            yield from self._collect_state(stats)
        for name, description in _TOTALS.items():
            yield CounterMetricFamily(PREFIX + name, description, value=totals[name])
        if "max_concurrency" in self._description:
            yield _step_size_histogram(step_sizes, int(self._description["max_concurrency"]))

    def _collect_state(self, stats: Mapping[str, Any]) -> Iterator[Metric]:
        """What a loaded model has, and what its engine does."""
        yield InfoMetricFamily(f"{PREFIX}model", "A model that is loaded, and its limits.", self._description)
        yield _gauge("engine_up", "Whether the engine computes (1) or has stopped (0).", stats["alive"])
        yield _gauge("requests_running", "Requests that are being computed.", stats["running"])
        yield _gauge("requests_waiting", "Requests that wait in the queue.", stats["waiting"])
        if "kv_pages" not in stats:  # another server has the KV memory
            return
        yield _gauge("kv_bytes_used", "Bytes of KV memory in use.", stats["kv_bytes_used"])
        pages = GaugeMetricFamily(
            f"{PREFIX}kv_pages",
            "Pages of KV memory: used by running requests, cached for those to come, free.",
            labels=["state"],
        )
        for state in ("used", "cached", "free"):
            pages.add_metric([state], stats["kv_pages"][state])
        yield pages
        yield _gauge("kv_pages_capacity", "Pages of KV memory in all.", stats["kv_pages"]["total"])


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + name, description, value=value)


def _step_size_histogram(steps: Mapping[int, int], max_size: int) -> Metric:
    """A histogram of the number of sequences in a step. Each bucket is twice as large as the one before."""
    bounds = [2**n for n in range(max_size.bit_length()) if 2**n < max_size] + [max_size]
    buckets = [
        (floatToGoString(bound), sum(count for size, count in steps.items() if size <= bound))
        for bound in bounds
    ]
    return HistogramMetricFamily(
        f"{PREFIX}step_sequences",
        "Requests computed together in a step.",
        buckets=[*buckets, ("+Inf", sum(steps.values()))],
        sum_value=sum(size * count for size, count in steps.items()),
    )
