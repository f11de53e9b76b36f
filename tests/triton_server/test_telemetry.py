"""What is measured is what happened, and costs a token nothing."""

import json
import queue
import re
from collections.abc import Callable

import pytest
from conftest import ROOT, Server
from http_service import samples
from prometheus_client.parser import text_string_to_metric_families

from model_core import LLM, SamplingParams
from model_core.errors import PromptTooLong, QueueFull, RequestTimeout
from model_core.request import Piece
from triton_server.api.meters import Meters
from triton_server.client import ChatClient
from triton_server.telemetry import Telemetry

ENDLESS = {"max_tokens": 900, "ignore_eos": True}
FIFTY = SamplingParams(max_tokens=50, ignore_eos=True)


def observed(values: dict[str, float], histogram: str) -> float:
    """How many observations a histogram has; its buckets must add up."""
    buckets = [value for key, value in values.items() if key.startswith(f"{histogram}_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == values[f"{histogram}_count"]
    return buckets[-1]


@pytest.fixture
def fresh() -> Callable[..., LLM]:
    """An engine that has counted nothing yet."""
    opened: list[LLM] = []

    def make(**settings: int) -> LLM:
        opened.append(LLM(**settings))
        return opened[-1]

    yield make
    for llm in opened:
        llm.close()


def test_finished_requests(fresh: Callable[..., LLM]) -> None:
    llm = fresh()
    telemetry = Telemetry(llm.engine, llm.describe())
    completions = [llm.chat([{"role": "user", "content": "Hello"}])]
    completions += llm.generate(["Once upon a time there was a cat. " * 5] * 6, FIFTY)
    for completion in completions:
        telemetry.completed(completion)
    values = samples(telemetry.render())
    assert values['tritonchat_requests_total{finish_reason="stop"}'] == 1
    assert values['tritonchat_requests_total{finish_reason="length"}'] == 6
    assert values['tritonchat_requests_total{finish_reason="cancelled"}'] == 0
    for histogram in ("time_to_first_token", "time_per_output_token", "request", "queue"):
        assert observed(values, f"tritonchat_{histogram}_seconds") == 7
    total = sum(completion.timings.total for completion in completions)
    assert values["tritonchat_request_seconds_sum"] == pytest.approx(total)
    usages = [completion.usage for completion in completions]
    for kind in ("prompt", "completion", "cached"):
        counted = values[f"tritonchat_{kind}_tokens_total"]
        assert counted == sum(getattr(usage, f"{kind}_tokens") for usage in usages) > 0


def test_a_failure_counts_by_its_type_and_a_request_that_never_ran_has_no_first_token(
    fresh: Callable[..., LLM],
) -> None:
    llm = fresh()
    telemetry = Telemetry(llm.engine, llm.describe())
    pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()
    llm.engine.submit([1, 2, 3], SamplingParams(timeout_s=0).with_defaults(llm.defaults), pieces.put)
    completion = pieces.get(timeout=60).completion
    assert isinstance(completion.error, RequestTimeout)
    telemetry.completed(completion)
    llm.close()
    values = samples(telemetry.render())
    assert values['tritonchat_requests_total{finish_reason="timeout"}'] == 1
    assert observed(values, "tritonchat_request_seconds") == 1
    for histogram in ("time_to_first_token", "time_per_output_token", "queue"):
        assert observed(values, f"tritonchat_{histogram}_seconds") == 0
    assert values["tritonchat_engine_up"] == 0


def test_refusals_by_reason(fresh: Callable[..., LLM]) -> None:
    llm = fresh()
    telemetry = Telemetry(llm.engine, llm.describe())
    for error in (QueueFull("full"), QueueFull("full"), PromptTooLong("long"), ValueError("a surprise")):
        telemetry.refused(error)
    values = samples(telemetry.render())
    assert values['tritonchat_refusals_total{reason="queue_full"}'] == 2
    assert values['tritonchat_refusals_total{reason="prompt_too_long"}'] == 1
    assert values['tritonchat_refusals_total{reason="internal"}'] == 1
    assert values['tritonchat_refusals_total{reason="no_memory"}'] == 0


def test_the_engine_counts_steps_by_size(fresh: Callable[..., LLM]) -> None:
    llm = fresh(max_concurrency=6)
    telemetry = Telemetry(llm.engine, llm.describe())
    prompt = llm.encode("Once upon a time")
    llm.generate([prompt] * 9, FIFTY)
    stats, values = llm.engine.stats(), samples(telemetry.render())
    sizes = stats["step_sizes"]
    assert max(sizes) == 6
    assert sum(sizes.values()) == stats["totals"]["steps"] == values["tritonchat_steps_total"]
    assert observed(values, "tritonchat_step_sequences") == values["tritonchat_steps_total"]
    # A sequence's turn in a step gives a token; only chunks of longer prompts give none.
    assert values["tritonchat_step_sequences_sum"] == 9 * 50 == values["tritonchat_completion_tokens_total"]
    bounds = [
        float(match[1]) for key in values if (match := re.match(r'\w+_sequences_bucket{le="([\d.]+)"', key))
    ]
    assert bounds == [1, 2, 4, 6]


def test_tokens_count_while_they_are_made(fresh: Callable[..., LLM]) -> None:
    """A rate would otherwise show nothing for minutes, and then a mountain."""
    llm = fresh()
    seen = []
    for _ in llm.stream("Once upon a time", SamplingParams(max_tokens=300, ignore_eos=True)):
        seen.append(llm.engine.stats()["totals"]["completion_tokens"])
    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1] <= 300
    assert len(set(seen)) > 2


def test_cancellations_and_refusals_of_the_engine(fresh: Callable[..., LLM]) -> None:
    llm = fresh(max_context=64)
    stream = llm.stream("Once", SamplingParams(max_tokens=60, ignore_eos=True))
    next(stream)
    stream.close()
    with pytest.raises(PromptTooLong):
        llm.generate("word " * 200)
    llm.close()
    totals = llm.engine.stats()["totals"]
    assert (totals["cancellations"], totals["refusals"], totals["requests"]) == (1, 1, 1)


def test_preemptions_guesses_and_pages(fresh: Callable[..., LLM]) -> None:
    llm = fresh(kv_cache_memory=2**21, speculate=8)
    telemetry = Telemetry(llm.engine, llm.describe())
    prompts = [f"{number} one two one two one two" for number in range(12)]
    llm.generate(prompts, SamplingParams(max_tokens=300, ignore_eos=True))
    totals, values = llm.engine.stats()["totals"], samples(telemetry.render())
    for name in ("preemptions", "drafted_tokens", "accepted_tokens", "computed_tokens"):
        assert values[f"tritonchat_{name}_total"] == totals[name] > 0
    pages = [values[f'tritonchat_kv_pages{{state="{state}"}}'] for state in ("used", "cached", "free")]
    assert sum(pages) == values["tritonchat_kv_pages_capacity"]
    assert pages[0] == values["tritonchat_requests_running"] == values["tritonchat_requests_waiting"] == 0


def test_what_went_through_triton_is_in_the_metrics(server: Server, client: ChatClient) -> None:
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
    after = metrics()
    change = {key: value - before.get(key, 0) for key, value in after.items()}
    assert change['tritonchat_requests_total{finish_reason="length"}'] == 2
    assert change['tritonchat_requests_total{finish_reason="cancelled"}'] == 1
    assert change["tritonchat_cancellations_total"] == 1
    assert change['tritonchat_refusals_total{reason="invalid_request"}'] == 2
    assert change['tritonchat_refusals_total{reason="prompt_too_long"}'] == 1
    assert change["tritonchat_request_seconds_count"] == 3
    assert change["tritonchat_completion_tokens_total"] > 12
    info = next(key for key in after if key.startswith("tritonchat_model_info"))
    assert 'name="embedded"' in info
    assert after["tritonchat_requests_running"] == 0


def test_the_dashboard_asks_for_metrics_that_exist(fresh: Callable[..., LLM]) -> None:
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text())
    llm = fresh()
    known = {
        sample.name
        for text in (Telemetry(llm.engine, llm.describe()).render(), Meters().render())
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    } | api_names_with_labels()
    queries = expressions(dashboard)
    assert len(queries) > 20
    asked = {name for query in queries for name in re.findall(r"tritonchat_\w+", query)}
    assert asked <= known
    for query in queries:
        assert query.count("(") == query.count(")")
        assert "$instance" in query
    # Where the data comes from is the reader's choice.
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    uids = {part["uid"] for part in datasources(dashboard)}
    assert uids == {"${datasource}"}


def api_names_with_labels() -> set[str]:
    """Names of series that begin with the first request, whose labels are not known before."""
    meters = Meters()
    meters.answered("/route", "GET", 200, 0.1)
    families = text_string_to_metric_families(meters.render())
    return {sample.name for family in families for sample in family.samples}


def expressions(part: object) -> list[str]:
    """All queries of a dashboard's panels."""
    if isinstance(part, dict):
        own = [part["expr"]] if "expr" in part else []
        return own + [query for value in part.values() for query in expressions(value)]
    return [query for value in part for query in expressions(value)] if isinstance(part, list) else []


def datasources(part: object) -> list[dict]:
    """All data sources that a dashboard names."""
    if isinstance(part, dict):
        own = [part["datasource"]] if "datasource" in part else []
        return own + [found for value in part.values() for found in datasources(value)]
    return [found for value in part for found in datasources(value)] if isinstance(part, list) else []


def test_the_dashboard_has_a_row_for_everything() -> None:
    dashboard = json.loads((ROOT / "docs" / "grafana.json").read_text())
    rows = {panel["title"] for panel in dashboard["panels"] if panel["type"] == "row"}
    assert {"Latency", "Throughput", "Concurrency", "KV memory and prefix cache"} <= rows
    assert "Refusals and errors" in rows
    cells = [panel["gridPos"] for panel in dashboard["panels"]]
    assert all(cell["x"] + cell["w"] <= 24 for cell in cells)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(cells)
