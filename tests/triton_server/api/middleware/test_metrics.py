"""The metrics of the engine and of the HTTP service, and the dashboard that shows them."""

import json
import queue
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Server
from held import held
from http_service import samples
from paths import ROOT
from prometheus_client.parser import text_string_to_metric_families
from support import wait_until

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.errors import PromptTooLong, QueueFull, RequestTimeout
from model_core.requests.results import Delta
from triton_server.api.middleware.metrics import RestartCollector, ServiceMetrics
from triton_server.client import ChatClient
from triton_server.engine.models.metrics import ModelMetrics, render_metrics
from triton_server.system.restarts import Restarts

ENDLESS = {"max_tokens": 900, "ignore_eos": True}
FIFTY = SamplingParams(max_tokens=50, ignore_eos=True)


def count_observations(values: dict[str, float], histogram: str) -> float:
    """The number of observations of a histogram. Checks its buckets."""
    buckets = [value for key, value in values.items() if key.startswith(f"{histogram}_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == values[f"{histogram}_count"]
    return buckets[-1]


def open_metrics(llm: LLM) -> ModelMetrics:
    """New metrics of a model."""
    metrics = ModelMetrics()
    metrics.open(llm.engine, llm.describe())
    return metrics


@pytest.fixture
def create_llm() -> Callable[..., LLM]:
    """A function that loads the embedded model with an engine of its own, whose counters are 0."""
    llms: list[LLM] = []

    def create(**settings: int) -> LLM:
        llms.append(LLM(**settings))
        return llms[-1]

    yield create
    for llm in llms:
        llm.close()


def test_finished_requests(create_llm: Callable[..., LLM]) -> None:
    llm = create_llm()
    metrics = open_metrics(llm)
    completions = [llm.chat([{"role": "user", "content": "Hello"}])]
    completions += llm.generate(["Once upon a time there was a cat. " * 5] * 6, FIFTY)
    for completion in completions:
        metrics.count_completion(completion)
    values = samples(render_metrics({"embedded": metrics}))
    assert values['tritonchat_requests_total{finish_reason="stop"}'] == 1
    assert values['tritonchat_requests_total{finish_reason="length"}'] == 6
    assert values['tritonchat_requests_total{finish_reason="cancelled"}'] == 0
    for histogram in ("time_to_first_token", "time_per_output_token", "request", "queue"):
        assert count_observations(values, f"tritonchat_{histogram}_seconds") == 7
    total = sum(completion.timings.total for completion in completions)
    assert values["tritonchat_request_seconds_sum"] == pytest.approx(total)
    usages = [completion.usage for completion in completions]
    for kind in ("prompt", "completion", "cached"):
        counted = values[f"tritonchat_{kind}_tokens_total"]
        assert counted == sum(getattr(usage, f"{kind}_tokens") for usage in usages) > 0


def test_request_that_never_ran_counts_by_its_error_type(
    create_llm: Callable[..., LLM],
) -> None:
    llm = create_llm()
    metrics = open_metrics(llm)
    deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
    llm.engine.submit(Job([1, 2, 3], SamplingParams(timeout_s=0).with_defaults(llm.defaults)), deltas.put)
    completion = deltas.get(timeout=60).completion
    assert isinstance(completion.error, RequestTimeout)
    metrics.count_completion(completion)
    llm.close()
    values = samples(render_metrics({"embedded": metrics}))
    assert values['tritonchat_requests_total{finish_reason="timeout"}'] == 1
    assert count_observations(values, "tritonchat_request_seconds") == 1
    for histogram in ("time_to_first_token", "time_per_output_token", "queue"):
        assert count_observations(values, f"tritonchat_{histogram}_seconds") == 0
    assert values["tritonchat_engine_up"] == 0


def test_refusals_by_reason(create_llm: Callable[..., LLM]) -> None:
    llm = create_llm()
    metrics = open_metrics(llm)
    for error in (QueueFull("full"), QueueFull("full"), PromptTooLong("long"), ValueError("a surprise")):
        metrics.count_refusal(error)
    values = samples(render_metrics({"embedded": metrics}))
    assert values['tritonchat_refusals_total{reason="queue_full"}'] == 2
    assert values['tritonchat_refusals_total{reason="prompt_too_long"}'] == 1
    assert values['tritonchat_refusals_total{reason="internal"}'] == 1
    assert values['tritonchat_refusals_total{reason="no_memory"}'] == 0


def test_steps_are_counted_by_size(create_llm: Callable[..., LLM]) -> None:
    llm = create_llm(max_concurrency=6)
    metrics = open_metrics(llm)
    prompt, params = llm.encode("Once upon a time"), FIFTY.with_defaults(llm.defaults)
    deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
    with held(llm):  # all are there before the first step
        for _ in range(9):
            llm.engine.submit(Job(prompt, params), deltas.put)
    ended = 0
    while ended < 9:
        ended += deltas.get(timeout=60).completion is not None
    stats, values = llm.engine.stats(), samples(render_metrics({"embedded": metrics}))
    sizes = stats["step_sizes"]
    assert max(sizes) == 6
    assert sum(sizes.values()) == stats["totals"]["steps"] == values["tritonchat_steps_total"]
    assert count_observations(values, "tritonchat_step_sequences") == values["tritonchat_steps_total"]
    # Each sequence of a step gets a token, except for the chunks of longer prompts.
    assert values["tritonchat_step_sequences_sum"] == 9 * 50 == values["tritonchat_completion_tokens_total"]
    bounds = [
        float(match[1]) for key in values if (match := re.match(r'\w+_sequences_bucket{le="([\d.]+)"', key))
    ]
    assert bounds == [1, 2, 4, 6]


def test_tokens_are_counted_as_they_are_computed(create_llm: Callable[..., LLM]) -> None:
    """If they were counted at the end of an answer, their rate would be 0 for minutes, and then too high."""
    llm = create_llm()
    counts: list[int] = []
    ended = threading.Event()

    def receive(delta: Delta) -> None:  # in the engine's thread, so that no step comes between
        counts.append(llm.engine.stats()["totals"]["completion_tokens"])
        if delta.completion is not None:
            ended.set()

    params = SamplingParams(max_tokens=300, ignore_eos=True).with_defaults(llm.defaults)
    llm.engine.submit(Job(llm.encode("Once upon a time"), params), receive)
    assert ended.wait(60)
    assert counts == sorted(counts)
    assert 0 < counts[0] < counts[-1] <= 300
    assert len(set(counts)) > 2


def test_cancellations_and_refusals_of_the_engine(create_llm: Callable[..., LLM]) -> None:
    llm = create_llm(max_context=64)
    with held(llm):  # by another request; this one is cancelled before it can end
        llm.engine.submit(
            Job(llm.encode("Once"), FIFTY.with_defaults(llm.defaults)), lambda delta: None, "mine"
        )
        assert llm.engine.cancel("mine")
    with pytest.raises(PromptTooLong):
        llm.generate("word " * 200)
    llm.close()
    totals = llm.engine.stats()["totals"]
    assert (totals["cancellations"], totals["refusals"], totals["requests"]) == (1, 1, 1 + 1)


def test_preemptions_drafted_tokens_and_pages(create_llm: Callable[..., LLM]) -> None:
    llm = create_llm(kv_cache_memory=2**21, speculate=8)
    metrics = open_metrics(llm)
    prompts = [f"{number} one two one two one two" for number in range(12)]
    llm.generate(prompts, SamplingParams(max_tokens=300, ignore_eos=True))
    totals, values = llm.engine.stats()["totals"], samples(render_metrics({"embedded": metrics}))
    for name in ("preemptions", "drafted_tokens", "accepted_tokens", "computed_tokens"):
        assert values[f"tritonchat_{name}_total"] == totals[name] > 0
    pages = [values[f'tritonchat_kv_pages{{state="{state}"}}'] for state in ("used", "cached", "free")]
    assert sum(pages) == values["tritonchat_kv_pages_capacity"]
    assert pages[0] == values["tritonchat_requests_running"] == values["tritonchat_requests_waiting"] == 0


def test_totals_stay_when_a_model_is_unloaded(create_llm: Callable[..., LLM]) -> None:
    first = create_llm()
    metrics = {"one": open_metrics(first), "two": ModelMetrics()}
    first.generate("Once", FIFTY)
    metrics["one"].close()
    values = samples(render_metrics(metrics), "one")
    assert values["tritonchat_completion_tokens_total"] == 50
    assert values["tritonchat_model_loaded"] == 0
    assert "tritonchat_engine_up" not in values
    second = create_llm()
    metrics["one"].open(second.engine, second.describe())
    second.generate("Once", FIFTY)
    values = samples(render_metrics(metrics), "one")
    assert values["tritonchat_completion_tokens_total"] == 100
    assert values["tritonchat_step_sequences_sum"] == 100
    assert values["tritonchat_model_loaded"] == values["tritonchat_engine_up"] == 1
    unused = samples(render_metrics(metrics), "two")
    assert unused["tritonchat_completion_tokens_total"] == unused["tritonchat_model_loaded"] == 0


def test_metrics_include_requests_through_triton(server: Server, client: ChatClient) -> None:
    def metrics() -> dict[str, float]:
        return samples(client.metrics())

    before = metrics()
    client.chat("Hello", max_tokens=5, ignore_eos=True)
    with client.stream("Hello", max_tokens=7, ignore_eos=True) as stream:
        list(stream)
    with client.stream("Hello", **ENDLESS) as stream:
        next(iter(stream))
    for wrong in ({"temperature": 9}, {"nonsense": 1}):
        with pytest.raises(Exception, match=r"temperature|nonsense"):
            client.chat("Hello", **wrong)
    with pytest.raises(PromptTooLong):
        client.chat("word " * 5000)
    after: dict[str, float] = {}

    def change(key: str) -> float:
        return after[key] - before.get(key, 0)

    def is_counted() -> bool:
        """A request that ends is counted after it has left the engine."""
        after.update(metrics())
        return change('tritonchat_requests_total{finish_reason="cancelled"}') == 1

    wait_until(is_counted)
    assert change('tritonchat_requests_total{finish_reason="length"}') == 2
    assert change('tritonchat_requests_total{finish_reason="cancelled"}') == 1
    assert change("tritonchat_cancellations_total") == 1
    assert change('tritonchat_refusals_total{reason="invalid_request"}') == 2
    assert change('tritonchat_refusals_total{reason="prompt_too_long"}') == 1
    assert change("tritonchat_request_seconds_count") == 3
    assert change("tritonchat_completion_tokens_total") > 12
    info = next(key for key in after if key.startswith("tritonchat_model_info"))
    assert 'name="embedded"' in info
    assert after["tritonchat_requests_running"] == 0


def test_dashboard_queries_only_existing_metrics(create_llm: Callable[..., LLM], tmp_path: Path) -> None:
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text())
    llm = create_llm()
    known = {
        sample.name
        for text in (render_metrics({"embedded": open_metrics(llm)}), ServiceMetrics().render())
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    } | api_names_with_labels(tmp_path)
    queries = expressions(dashboard)
    assert len(queries) > 20
    metrics = {name for query in queries for name in re.findall(r"tritonchat_\w+", query)}
    assert metrics <= known
    assert "tritonchat_restarts_total" in metrics
    for query in queries:
        assert query.count("(") == query.count(")")
        assert "$instance" in query
    # The reader chooses the data source.
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    uids = {source["uid"] for source in datasources(dashboard)}
    assert uids == {"${datasource}"}


def api_names_with_labels(folder: Path) -> set[str]:
    """The names of the HTTP service's metrics, with those that have no series before the first request."""
    metrics = ServiceMetrics()
    metrics.count_request("/route", "GET", 200, 0.1)
    metrics.registry.register(RestartCollector(Restarts(folder)))
    families = text_string_to_metric_families(metrics.render())
    return {sample.name for family in families for sample in family.samples}


def expressions(node: object) -> list[str]:
    """All queries in a part of the dashboard's JSON."""
    if isinstance(node, dict):
        own = [node["expr"]] if "expr" in node else []
        return own + [query for value in node.values() for query in expressions(value)]
    return [query for value in node for query in expressions(value)] if isinstance(node, list) else []


def datasources(node: object) -> list[dict]:
    """All data sources in a part of the dashboard's JSON."""
    if isinstance(node, dict):
        own = [node["datasource"]] if "datasource" in node else []
        return own + [source for value in node.values() for source in datasources(value)]
    return [source for value in node for source in datasources(value)] if isinstance(node, list) else []


def test_dashboard_has_all_rows() -> None:
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text())
    rows = {panel["title"] for panel in dashboard["panels"] if panel["type"] == "row"}
    assert {"Latency", "Throughput", "Concurrency", "KV memory and prefix cache"} <= rows
    assert "Refusals and errors" in rows
    cells = [panel["gridPos"] for panel in dashboard["panels"]]
    assert all(cell["x"] + cell["w"] <= 24 for cell in cells)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(cells)
