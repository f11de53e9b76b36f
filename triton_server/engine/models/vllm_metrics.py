"""The metrics of the models under vLLM's names, which its dashboards and autoscalers read.

The values are those of metrics.py. Two differ from vLLM's: tokens of prompts are counted when their request
ends, and the time between tokens is the mean of a request, with one observation a request.
"""

from collections.abc import Iterator, Mapping

from prometheus_client import generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.samples import Sample

from model_core.cache.memory import PAGE

from .metrics import PREFIX, ModelMetrics

_VLLM = "vllm:"
# Our names -> vLLM's.
_NAMES = {
    "requests_running": ("num_requests_running",),
    "requests_waiting": ("num_requests_waiting",),
    "time_to_first_token_seconds": ("time_to_first_token_seconds",),
    "time_per_output_token_seconds": (
        "time_per_output_token_seconds",
        "inter_token_latency_seconds",
        "request_time_per_output_token_seconds",
    ),
    "request_seconds": ("e2e_request_latency_seconds",),
    "queue_seconds": ("request_queue_time_seconds",),
    "prompt_tokens": ("prompt_tokens", "prefix_cache_queries"),
    "cached_tokens": ("prefix_cache_hits",),
    "completion_tokens": ("generation_tokens",),
    "preemptions": ("num_preemptions",),
    "requests": ("request_success",),
}
_FINISH_REASONS = {"stop": "stop", "length": "length", "cancelled": "abort"}


def render_vllm_metrics(models: Mapping[str, ModelMetrics]) -> str:
    """The metrics of all models, by their names, in Prometheus' text format."""
    return generate_latest(_Collector(models)).decode()


class _Collector:
    def __init__(self, models: Mapping[str, ModelMetrics]) -> None:
        self._models = models

    def collect(self) -> Iterator[Metric]:
        """The current values. vLLM's labels are `model_name` and `engine`."""
        families: dict[str, Metric] = {}
        for name, metrics in self._models.items():
            for metric in _translate(list(metrics.collect())):
                family = families.setdefault(
                    metric.name, Metric(metric.name, metric.documentation, metric.type)
                )
                labels = {"model_name": name, "engine": "0"}
                family.samples += [
                    sample._replace(labels={**sample.labels, **labels}) for sample in metric.samples
                ]
        yield from families.values()


def _translate(metrics: list[Metric]) -> Iterator[Metric]:
    """The metrics of one model under vLLM's names."""
    pages: dict[str, float] = {}
    for metric in metrics:
        own_name = metric.name.removeprefix(PREFIX)
        for name in _NAMES.get(own_name, ()):
            translated = Metric(_VLLM + name, metric.documentation, metric.type)
            for sample in metric.samples:
                suffix, labels = sample.name.removeprefix(metric.name), sample.labels
                if own_name == "requests":
                    reason = _FINISH_REASONS.get(labels["finish_reason"])
                    if reason is None:  # it failed
                        continue
                    labels = {"finished_reason": reason}
                translated.samples.append(Sample(translated.name + suffix, labels, sample.value))
            yield translated
        if own_name in ("kv_pages", "kv_pages_capacity"):
            pages |= {sample.labels.get("state", "total"): sample.value for sample in metric.samples}
    if pages:
        usage = pages["used"] / pages["total"]
        yield GaugeMetricFamily(f"{_VLLM}kv_cache_usage_perc", "Part of the KV memory in use.", value=usage)
        info = GaugeMetricFamily(
            f"{_VLLM}cache_config_info", "Pages of KV memory.", labels=["block_size", "num_gpu_blocks"]
        )
        info.add_metric([str(PAGE), f"{pages['total']:g}"], 1)
        yield info
