"""What routers and monitors of other servers look for: health, version, server and model, limits."""

from collections.abc import Callable, Iterator
from importlib.metadata import version

import httpx
import pytest
from conftest import Server
from http_service import Service, samples
from in_process import Endpoints
from support import free_port

from model_core import LLM
from triton_server.client import ChatClient

HEALTH_PATHS = ("/health", "/v1/health", "/ping")


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def test_health_needs_no_key(start: Callable[..., Service]) -> None:
    service = start(api_keys=("secret",))
    for path in HEALTH_PATHS:
        answer = service.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert httpx.post(f"{service.url}/ping", timeout=60).status_code == 200
    for path in ("/version", "/server_info", "/get_server_info", "/model_info", "/get_model_info"):
        assert service.get(path).status_code == 401
        assert service.get(path, Authorization="Bearer secret").status_code == 200
    for path in ("/tokenize", "/detokenize", "/apply-template"):
        assert httpx.post(f"{service.url}{path}", json={}, timeout=60).status_code == 401


def test_health_of_a_server_that_is_down(start: Callable[..., Service]) -> None:
    service = start(server=f"127.0.0.1:{free_port()}")
    for path in HEALTH_PATHS:
        answer = service.get(path)
        assert answer.status_code == 503
        assert answer.json()["error"]["type"] == "server_error"


def test_server_and_model_in_sglang_words(web: httpx.Client, llm: LLM) -> None:
    assert web.get("/version").json() == {"version": version("tritonchat")}
    server = web.get("/get_server_info").json()
    assert server == web.get("/server_info").json()
    assert server["served_model_name"] == server["model_path"] == "embedded"
    assert server["context_length"] == llm.engine.limits.max_context
    assert server["max_running_requests"] == llm.engine.limits.max_concurrency
    model = web.get("/get_model_info").json()
    assert model == web.get("/model_info").json()
    assert model["model_path"] == "embedded"
    assert model["is_generation"] is True
    assert model["model_type"] == llm.model.config.family


def test_models_have_their_length(web: httpx.Client, several: Endpoints, llm: LLM) -> None:
    (model,) = web.get("/v1/models").json()["data"]
    assert model["max_model_len"] == llm.engine.limits.max_context
    assert web.get("/v1/models/embedded").json()["max_model_len"] == llm.engine.limits.max_context
    models = httpx.get(f"{several.api_url}/v1/models", timeout=60).json()["data"]
    lengths = {model["id"]: model.get("max_model_len") for model in models}
    assert lengths["embedded"] and lengths["speaker"]
    assert lengths["broken"] is None  # it was never loaded


def test_routes_are_described(web: httpx.Client) -> None:
    paths = web.get("/openapi.json").json()["paths"]
    for path in (*HEALTH_PATHS, "/version", "/server_info", "/tokenize", "/detokenize", "/apply-template"):
        (operation,) = paths[path].values()
        assert operation["description"]


def test_metrics_have_vllms_names_too(start: Callable[..., Service], client: ChatClient) -> None:
    service = start()
    client.chat("Once upon a time", max_tokens=5, ignore_eos=True)
    text = service.get("/metrics").text
    assert 'vllm:num_requests_running{engine="0",model_name="embedded"}' in text
    values = samples(text)
    ours = {name.removeprefix("tritonchat_"): value for name, value in values.items()}
    theirs = {
        name.removeprefix("vllm:").replace('engine="0",', "").replace('model_name="embedded"', ""): value
        for name, value in values.items()
        if name.startswith("vllm:")
    }
    theirs = {name.replace("{}", "").replace(",}", "}"): value for name, value in theirs.items()}
    assert (
        theirs['request_success_total{finished_reason="length"}']
        == ours['requests_total{finish_reason="length"}']
    )
    same = {
        "num_requests_running": "requests_running",
        "num_requests_waiting": "requests_waiting",
        "time_to_first_token_seconds_count": "time_to_first_token_seconds_count",
        "time_per_output_token_seconds_sum": "time_per_output_token_seconds_sum",
        "inter_token_latency_seconds_count": "time_per_output_token_seconds_count",
        "e2e_request_latency_seconds_sum": "request_seconds_sum",
        "request_queue_time_seconds_count": "queue_seconds_count",
        "prompt_tokens_total": "prompt_tokens_total",
        "generation_tokens_total": "completion_tokens_total",
        "prefix_cache_queries_total": "prompt_tokens_total",
        "prefix_cache_hits_total": "cached_tokens_total",
        "num_preemptions_total": "preemptions_total",
    }
    assert {name: theirs[name] for name in same} == {name: ours[own] for name, own in same.items()}
    assert ours["prompt_tokens_total"] > 0
    pages = ours['kv_pages{state="used"}'], ours["kv_pages_capacity"]
    assert theirs["kv_cache_usage_perc"] == pages[0] / pages[1]
