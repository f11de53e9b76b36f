"""A key of one model reaches no other model, by no route that there is; and what it uses is counted."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from any_receipt import make_any_receipt
from http_service import HELLO, Service, list_routes, services
from in_process import Endpoints
from support import wait_until

from triton_server.api.app import create_app
from triton_server.api.batches import calls
from triton_server.api.middleware import stored_keys
from triton_server.api.settings import ServiceSettings
from triton_server.client import ChatClient
from triton_server.conversations.api_keys.store import KeyRules, KeyStore
from triton_server.conversations.api_keys.usage import KeyCounts, Use
from triton_server.conversations.transactions import Database

MESSAGES = HELLO["messages"]
# The routes that use a model, with bodies that name none: then the first one is meant.
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": MESSAGES},
    "/chat/completions": {"messages": MESSAGES},
    "/v1/completions": {"prompt": "a"},
    "/v1/responses": {"input": "a"},
    "/v1/responses/input_tokens": {"input": "a"},
    "/v1/responses/compact": {"input": "a"},
    "/v1/messages": {"messages": MESSAGES, "max_tokens": 3},
    "/v1/messages/count_tokens": {"messages": MESSAGES},
    "/v1/embeddings": {"input": "a"},
    "/embedding": {"content": "a"},
    "/embeddings": {"content": "a"},
    "/v1/choose": {"prompt": "a", "choices": ["b", "c"]},
    "/v1/rerank": {"query": "a", "documents": ["b"]},
    "/v2/rerank": {"query": "a", "documents": ["b"]},
    "/rerank": {"query": "a", "documents": ["b"]},
    "/v1/reranking": {"query": "a", "documents": ["b"]},
    "/reranking": {"query": "a", "documents": ["b"]},
    "/v1/score": {"text_1": "a", "text_2": "b"},
    "/score": {"text_1": "a", "text_2": "b"},
    "/embed_sparse": {"inputs": "a"},
    "/v1/prompts": {"name": "x", "text": "a"},
    "/api/chat": {"messages": MESSAGES},
    "/api/generate": {"prompt": "a"},
    "/api/embed": {"input": "a"},
    "/api/embeddings": {"prompt": "a"},
    "/completion": {"prompt": "a"},
    "/completions": {"prompt": "a"},
    "/infill": {"input_prefix": "a", "input_suffix": "b"},
    "/tokenize": {"prompt": "a"},
    "/detokenize": {"tokens": [1]},
    "/apply-template": {"messages": MESSAGES},
    "/stream": {"prompt": "a"},
    "/v1/receipts/verify": {"receipt": make_any_receipt("default", {"messages": "a", "max_tokens": 3})},
}
_ROW = list(b'[{"role": "user", "content": "a"}]')
_TENSOR = {"name": "messages", "datatype": "UINT8", "shape": [1, len(_ROW)], "data": _ROW}
_TEXTS = {"name": "texts", "datatype": "UINT8", "shape": [1, 5], "data": list(b'["a"]')}
# KServe's, with the kind of Triton model that computes them. The path names the model.
TRITON_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    f"/v2/models/{{model}}{version}/{call}": (kind, body)
    for version in ("", "/versions/{version}")
    for call, kind, body in (
        ("generate", "chat", {"text_input": "a"}),
        ("generate_stream", "chat_stream", {"text_input": "a"}),
        ("infer", "chat", {"inputs": [_TENSOR]}),
    )
}
NAMED = ("/v1/messages", "/v1/messages/count_tokens", "/v1/embeddings", "/api/chat", "/api/generate")
NEED_A_NAME = {*NAMED, "/v1/chat/completions", "/api/embed", "/api/embeddings"}
QUERIES = ("/props", "/slots", "/tokenizer_info", "/v1/prompts", "/v1/prompts/x")
# They change what all models share, so only keys of all models may.
ADAPTERS = {
    "/v1/load_lora_adapter": {"lora_name": "x", "lora_path": "/x"},
    "/v1/unload_lora_adapter": {"lora_name": "x"},
    "/api/pull": {"model": "a/b"},
}
BATCHED = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses")
SESSIONS = ("PUT /sessions/{id}/generate", "PUT /generate/{id}")
# Routes that use no model. A new route is in none of these lists, so a test fails.
_QUIET = """
GET /docs; GET /docs/oauth2-redirect; GET /openapi.json; GET /metrics; GET /health; GET /healthz;
GET /.well-known/tritonchat-key;
GET /readyz; GET /v1/health; GET /ping; POST /ping; GET /version; GET /api/version; GET /api/ps;
GET /api/tags; POST /api/show; GET /models; GET /v1/models; GET /v1/models/{name:path}; GET /get_model_info;
GET /model_info; GET /get_server_info; GET /server_info; GET /conversations;
GET /conversations/{id}; PUT /conversations/{id}; GET /sessions; POST /sessions;
GET /sessions/{id}; PUT /sessions/{id}; DELETE /sessions/{id}; PUT /sessions/{id}/revert;
POST /createSession; PUT /revert/{id}; DELETE /removeSession/{id}; GET /v1/responses/{response_id};
DELETE /v1/responses/{response_id}; GET /v1/responses/{response_id}/input_items;
POST /v1/responses/{response_id}/cancel; POST /v1/conversations;
GET /v1/conversations/{conversation_id}; POST /v1/conversations/{conversation_id};
DELETE /v1/conversations/{conversation_id}; GET /v1/conversations/{conversation_id}/items;
POST /v1/conversations/{conversation_id}/items;
GET /v1/conversations/{conversation_id}/items/{item_id};
DELETE /v1/conversations/{conversation_id}/items/{item_id}; GET /v1/files; POST /v1/files;
GET /v1/files/{file_id}; DELETE /v1/files/{file_id}; GET /v1/files/{file_id}/content;
GET /v1/vector_stores; POST /v1/vector_stores; GET /v1/vector_stores/{store_id};
POST /v1/vector_stores/{store_id}; DELETE /v1/vector_stores/{store_id};
POST /v1/vector_stores/{store_id}/search; GET /v1/vector_stores/{store_id}/files;
POST /v1/vector_stores/{store_id}/files; GET /v1/vector_stores/{store_id}/files/{file_id};
POST /v1/vector_stores/{store_id}/files/{file_id}; DELETE /v1/vector_stores/{store_id}/files/{file_id};
GET /v1/vector_stores/{store_id}/files/{file_id}/content;
POST /v1/vector_stores/{store_id}/file_batches;
GET /v1/vector_stores/{store_id}/file_batches/{batch_id};
POST /v1/vector_stores/{store_id}/file_batches/{batch_id}/cancel;
GET /v1/vector_stores/{store_id}/file_batches/{batch_id}/files;
GET /v1/batches; POST /v1/batches; GET /v1/batches/{batch_id}; POST /v1/batches/{batch_id}/cancel;
GET /; POST /api/create; POST /api/copy; POST /api/push; DELETE /api/delete; POST /api/blobs/{digest};
GET /v2; GET /v2/health/live; GET /v2/health/ready; GET /v2/models/stats; GET /v2/models/{model};
GET /v2/models/{model}/ready; GET /v2/models/{model}/config; GET /v2/models/{model}/stats;
GET /v2/models/{model}/versions/{version}; GET /v2/models/{model}/versions/{version}/ready;
GET /v2/models/{model}/versions/{version}/config; GET /v2/models/{model}/versions/{version}/stats;
POST /v2/repository/index; GET /v2/systemsharedmemory/{call:path};
POST /v2/systemsharedmemory/{call:path}; GET /v2/cudasharedmemory/{call:path};
POST /v2/cudasharedmemory/{call:path}; GET /v2/repository/models/{call:path};
POST /v2/repository/models/{call:path}; GET /v2/logging; POST /v2/logging; GET /v2/trace/setting;
POST /v2/trace/setting; GET /v2/models/{model}/trace/setting; POST /v2/models/{model}/trace/setting
"""
QUIET = {" ".join(route.split()) for route in _QUIET.split(";")}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[KeyStore]:
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'sessions.db'}")) as database:
        yield KeyStore(database)


@pytest.fixture
def service(
    several: Endpoints, tmp_path: Path, store: KeyStore, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Service]:
    """A service with keys that are read often."""
    monkeypatch.setattr(stored_keys, "REFRESH_S", 0.03)
    with services(several.grpc_url, tmp_path) as start:
        yield start(stored_keys=True, allow_pull=True)


@contextlib.contextmanager
def client_of(service: Service, key: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.url, headers={"X-Api-Key": key}, timeout=60) as client:
        wait_until(lambda: client.get("/v1/models").status_code == 200)
        yield client


@pytest.fixture
def computed(several: Endpoints) -> Iterator[Callable[[], int]]:
    """Tells how many tokens the first model has computed."""
    with ChatClient(several.grpc_url) as client:
        yield lambda: client.stats()["totals"]["computed_tokens"]


def begin_batch(client: httpx.Client, url: str, bodies: list[dict[str, Any]]) -> str:
    """The id of a batch with a line for each body."""
    lines = [
        {"custom_id": str(number), "method": "POST", "url": url, "body": body}
        for number, body in enumerate(bodies)
    ]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = client.post("/v1/files", files={"file": ("in", content)}, data={"purpose": "batch"}).json()
    asked = {"input_file_id": file["id"], "endpoint": url, "completion_window": "24h"}
    return client.post("/v1/batches", json=asked).json()["id"]


def results_of(client: httpx.Client, batch: str) -> list[dict[str, Any]]:
    """The responses to the lines of a batch, when it has ended, in the order of the lines."""
    found: dict[str, Any] = {}

    def has_ended() -> bool:
        found.update(client.get(f"/v1/batches/{batch}").json())
        return found["status"] == "completed"

    wait_until(has_ended)
    results = []
    for kind in ("output_file_id", "error_file_id"):
        if found.get(kind):
            text = client.get(f"/v1/files/{found[kind]}/content").text
            results += [json.loads(line) for line in text.splitlines()]
    return [result["response"] for result in sorted(results, key=lambda result: result["custom_id"])]


def test_lists_have_all_routes() -> None:
    known = {f"POST {path}" for path in (*BODIES, *ADAPTERS, *TRITON_MODELS)} | QUIET | set(SESSIONS)
    known |= {
        "GET /props",
        "GET /slots",
        "GET /tokenizer_info",
        "GET /v1/prompts",
        "GET /v1/prompts/{name}",
        "DELETE /v1/prompts/{name}",
    }
    assert known == set(list_routes(create_app(ServiceSettings())))


def test_a_key_of_one_model_reaches_no_other(
    service: Service, store: KeyStore, computed: Callable[[], int]
) -> None:
    with client_of(service, store.add("ada", KeyRules(models=("speaker",)))) as client:
        first = client.get("/v1/models").json()["data"][0]["id"]
        before = computed()

        def check(answer: httpx.Response, path: str) -> None:
            assert answer.status_code == 403, (path, answer.text)
            assert "he key of ada may" in answer.text, path

        for path, body in BODIES.items():
            for name in ({}, {"model": "default"}, {"model": first}):
                if name or path not in NEED_A_NAME:
                    check(client.post(path, json={**body, **name}), path)
                    streamed = client.post(path, json={**body, **name, "stream": True})
                    assert streamed.status_code in (400, 403), (path, streamed.text)
        for path in QUERIES:
            for query in ("", "?model=default", f"?model={first}"):
                check(client.get(path + query), path)
        check(client.delete("/v1/prompts/x"), "delete")
        for path, body in ADAPTERS.items():
            check(client.post(path, json=body), path)
        assert client.post("/sessions", json={"id": "s"}).status_code in (200, 201)
        for path in ("/sessions/s/generate", "/generate/s"):
            check(client.put(path, json={"prompt": "a"}), path)
        check(client.post("/v1/responses", json={"input": "a", "background": True}), "background")
        for template, (kind, body) in TRITON_MODELS.items():
            path = template.format(model=kind, version="1")
            check(client.post(path, json=body), path)
            if "text_input" in body:
                other = template.format(model=f"{kind}-speaker", version="1")
                check(client.post(other, json={**body, "model": first}), other)
        texts = {"inputs": [_TEXTS]}
        check(client.post("/v2/models/embed/infer", json=texts), "embed")
        assert computed() == before
        own = client.post("/v1/chat/completions", json={**HELLO, "model": "speaker"})
        assert own.status_code == 200, own.text
        receipt = make_any_receipt("speaker", {"messages": MESSAGES, "max_tokens": 3})
        own = client.post("/v1/receipts/verify", json={"receipt": receipt})
        assert own.status_code == 200 and own.json()["signed_here"] is False, own.text
    assert 'tritonchat_api_refusals_total{reason="wrong_model"} ' in service.get("/metrics").text


def test_lines_of_a_batch_are_for_the_key_that_made_it(
    service: Service, store: KeyStore, computed: Callable[[], int]
) -> None:
    with client_of(service, store.add("ada", KeyRules(models=("speaker",)))) as client:
        before = computed()
        for url in BATCHED:
            bodies = [{**BODIES[url], "model": model} for model in ("default", "speaker")]
            refused, other = results_of(client, begin_batch(client, url, bodies))
            assert refused["status_code"] == 403 and other["status_code"] != 403, url
            assert "he key of ada may not" in refused["body"]["error"]["message"]
        assert computed() == before


def test_all_doors_count_what_a_key_uses(service: Service, store: KeyStore, tmp_path: Path) -> None:
    chat = {**HELLO, "max_tokens": 2, "ignore_eos": True, "seed": 1}
    asked = [
        ("/v1/chat/completions", chat),
        ("/completion", {"prompt": "a", "n_predict": 2, "ignore_eos": True}),
        ("/api/chat", {**chat, "stream": False, "options": {"num_predict": 2}, "seed": None}),
        ("/v1/messages", {"model": "default", "messages": MESSAGES, "max_tokens": 2}),
        ("/v1/responses", {"input": "a", "max_output_tokens": 2}),
        ("/v2/models/chat/generate", {"messages": MESSAGES, "max_tokens": 2}),
        ("/v2/models/chat/infer", {"inputs": [_TENSOR]}),
        ("/v1/receipts/verify", BODIES["/v1/receipts/verify"]),
        ("/v1/embeddings", {"model": "default", "input": "a"}),
    ]
    with contextlib.closing(Database(f"sqlite:///{tmp_path / 'sessions.db'}")) as database:
        counts = KeyCounts(database)

        def used() -> Use:
            return counts.list_uses(0).get("ada", Use())

        with client_of(service, store.add("ada", KeyRules())) as client:
            for path, body in asked:
                before = used()
                assert client.post(path, json=body).status_code == 200, path
                wait_until(lambda: used().prompt_tokens > before.prompt_tokens)  # noqa: B023
                if path != "/v1/embeddings":
                    assert used().completion_tokens > before.completion_tokens, path
            before = used()
            (answer,) = results_of(client, begin_batch(client, "/v1/chat/completions", [chat]))
            usage = answer["body"]["usage"]
            total = before.tokens + usage["total_tokens"]
            wait_until(lambda: used().tokens == total)


def test_a_batch_waits_for_the_limits_of_its_key_and_ends_with_it(
    several: Endpoints, store: KeyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a key may not do is not done by its batches either. Meanwhile they are in nobody's way."""
    monkeypatch.setattr(calls, "_MAX_WAIT_S", 0.05)
    monkeypatch.setattr(stored_keys, "REFRESH_S", 0.03)
    limited = store.add("ada", KeyRules(requests_per_day=2))  # for a file and for a batch
    free = store.add("bo", KeyRules())
    with (
        services(several.grpc_url, tmp_path) as start,
        contextlib.closing(sqlite3.connect(tmp_path / "sessions.db")) as database,
    ):
        service = start(stored_keys=True, max_streams=1)
        with httpx.Client(base_url=service.url, headers={"X-Api-Key": limited}, timeout=60) as client:
            batch = begin_batch(client, "/v1/chat/completions", [HELLO] * 3)
        find_state = "SELECT json_extract(batch, '$.status'), is_open FROM batches WHERE owner = 'ada'"
        wait_until(lambda: database.execute(find_state).fetchone() == ("in_progress", 1))
        with client_of(service, free) as client:
            (other,) = results_of(client, begin_batch(client, "/v1/chat/completions", [HELLO]))
            assert other["status_code"] == 200
        assert database.execute(find_state).fetchone() == ("in_progress", 1)
        store.revoke("ada")
        wait_until(lambda: database.execute(find_state).fetchone() == ("completed", 0))
        store.change("ada", KeyRules())
        with client_of(service, store.rotate("ada")) as client:
            for refused in results_of(client, batch):
                assert refused["status_code"] == 401
                assert "were revoked" in refused["body"]["error"]["message"]
