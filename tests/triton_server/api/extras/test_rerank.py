"""A server whose models are an encoder, a cross encoder, a reranker that is asked in words, and ColBERT."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from embedder_texts import QUERY, TEXTS
from in_process import Endpoints, local_server
from paths import CHECKPOINTS

from model_core import LLM, ScoreParams
from model_core.errors import InvalidRequest
from triton_server.client import ChatClient
from triton_server.contract.embedding_fields import MAX_INPUTS
from triton_server.engine.models.model_pool import create_pool

EMBEDDERS = CHECKPOINTS.parent / "embedders"
MODELS = ("bert", "bert-reranker", "qwen3-reranker", "colbert", "splade")
SETTINGS = {"kv_cache_memory": 2**26, "max_queue": 256}


@pytest.fixture(scope="module")
def rerankers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    pool = create_pool([(None, str(EMBEDDERS / name)) for name in MODELS], None, SETTINGS)
    with local_server(pool, tmp_path_factory.mktemp("rerankers")) as running:
        yield running


@pytest.fixture
def grpc(rerankers: Endpoints) -> Iterator[ChatClient]:
    with ChatClient(rerankers.grpc_url) as client:
        yield client


@pytest.fixture
def web(rerankers: Endpoints) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=rerankers.api_url, timeout=60) as client:
        yield client


def test_default_model_is_the_first_that_has_the_task(web: httpx.Client) -> None:
    for model in ({}, {"model": "default"}):
        assert ask(web, "/v1/rerank", query=QUERY, documents=TEXTS, **model)["model"] == "bert-reranker"
        assert ask(web, "/v1/score", text_1=QUERY, text_2=TEXTS, **model)["model"] == "bert-reranker"
        assert ask(web, "/v1/embeddings", input=QUERY, **model)["model"] == "bert"


def test_default_model_embeds_although_the_first_does_not(tmp_path: Path) -> None:
    pool = create_pool([(None, str(EMBEDDERS / name)) for name in ("colbert", "bert")], None, SETTINGS)
    with local_server(pool, tmp_path) as running, httpx.Client(base_url=running.api_url, timeout=60) as web:
        default, named = (ask(web, "/v1/embeddings", input=QUERY, model=name) for name in ("default", "bert"))
        assert default == named and named["model"] == "bert"
        (vector,) = ask(web, "/api/embed", input=QUERY, model="default")["embeddings"]
        assert np.allclose(vector, named["data"][0]["embedding"], atol=1e-6)
        answer = web.post("/v1/embeddings", json={"input": QUERY, "model": "colbert"})
        assert answer.status_code == 400  # a model that is named is not replaced
        with ChatClient(running.grpc_url) as grpc:
            for model in (None, "default"):
                assert np.allclose(grpc.embed([QUERY], model=model).vectors, [vector], atol=1e-6)


def test_default_model_does_not_depend_on_what_is_loaded(tmp_path: Path) -> None:
    pool = create_pool([(None, str(EMBEDDERS / name)) for name in ("splade", "bert")], 3600, SETTINGS)
    with local_server(pool, tmp_path) as running, httpx.Client(base_url=running.api_url, timeout=60) as web:
        ask(web, "/v1/embeddings", input=QUERY, model="bert")
        assert ask(web, "/v1/embeddings", input=QUERY)["model"] == "splade"
        assert ask(web, "/v1/embeddings", input=QUERY)["model"] == "splade"


@pytest.fixture(scope="module", params=MODELS[1:4])
def reranker(request: pytest.FixtureRequest) -> Iterator[LLM]:
    with LLM(EMBEDDERS / request.param) as llm:
        yield llm


def ask(web: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = web.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(web: httpx.Client, path: str, **body: Any) -> tuple[str | None, str]:
    """The field that is wrong, and the sentence."""
    answer = web.post(path, json=body)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["message"].endswith(".") and ". " not in error["message"]
    return error["param"], error["message"]


def test_an_encoder_embeds_and_refuses_chats(grpc: ChatClient, web: httpx.Client) -> None:
    hello = [{"role": "user", "content": "Hello"}]
    with LLM(EMBEDDERS / "bert") as llm:
        assert np.array_equal(grpc.embed(TEXTS).vectors, llm.embed(TEXTS))
    for prompt in (hello, "Hello"):
        with pytest.raises(InvalidRequest, match="makes no text"):
            grpc.chat(prompt)
    answer = web.post("/v1/chat/completions", json={"model": "bert", "messages": hello})
    assert answer.status_code == 400
    assert "makes no text" in answer.json()["error"]["message"]
    assert web.get("/get_model_info").json()["is_generation"] is False
    assert web.get("/get_server_info").json()["is_embedding"] is True
    assert len(ask(web, "/tokenize", prompt=TEXTS[0])["tokens"]) > 2


def test_the_first_model_that_scores_is_the_default_over_grpc(grpc: ChatClient) -> None:
    for model in (None, "default"):
        assert grpc.score(QUERY, TEXTS, model=model) == grpc.score(QUERY, TEXTS, model="bert-reranker")


def test_scores_are_those_of_the_library(grpc: ChatClient, reranker: LLM) -> None:
    expected = reranker.score(QUERY, TEXTS)
    assert grpc.score(QUERY, TEXTS, model=reranker.name) == expected.tolist()
    result = grpc.embed(TEXTS, model=reranker.name, query=QUERY)
    assert np.array_equal(result.vectors[:, 0], expected)
    assert result.details["model"] == reranker.name


def test_rerank(web: httpx.Client, reranker: LLM) -> None:
    scores = reranker.score(QUERY, TEXTS).tolist()
    order = sorted(range(len(TEXTS)), key=lambda index: -scores[index])
    answer = ask(web, "/v1/rerank", model=reranker.name, query=QUERY, documents=TEXTS)
    assert [result["index"] for result in answer["results"]] == order
    assert [result["relevance_score"] for result in answer["results"]] == [scores[index] for index in order]
    assert [result["document"]["text"] for result in answer["results"]] == [TEXTS[index] for index in order]
    assert answer["usage"]["total_tokens"] == sum(reranker.score_documents(QUERY, TEXTS).prompt_tokens)
    documents = [{"text": text} for text in TEXTS]
    options = {"model": reranker.name, "query": QUERY, "top_n": 2, "return_documents": False}
    (first, second) = ask(web, "/rerank", documents=documents, **options)["results"]
    assert [first["index"], second["index"]] == order[:2]
    assert "document" not in first


def test_score(web: httpx.Client, reranker: LLM) -> None:
    expected = reranker.score(QUERY, TEXTS).tolist()
    answer = ask(web, "/v1/score", model=reranker.name, text_1=QUERY, text_2=TEXTS)
    assert [entry["score"] for entry in answer["data"]] == expected
    assert [entry["index"] for entry in answer["data"]] == list(range(len(TEXTS)))
    pairs = ask(web, "/score", model=reranker.name, text_1=[QUERY, "a fox"], text_2=TEXTS[:2])["data"]
    wanted = [reranker.score(query, [text])[0] for query, text in zip([QUERY, "a fox"], TEXTS, strict=False)]
    assert [np.float32(entry["score"]) for entry in pairs] == wanted
    (single,) = ask(web, "/v1/score", model=reranker.name, text_1=[QUERY], text_2=TEXTS[0])["data"]
    assert single["score"] == expected[0]


def test_instruction(web: httpx.Client) -> None:
    with LLM(EMBEDDERS / "qwen3-reranker") as llm:
        expected = llm.score(QUERY, TEXTS, ScoreParams(instruction="Find foxes"))
    body = {"text_1": QUERY, "text_2": TEXTS, "instruction": "Find foxes"}
    answer = ask(web, "/v1/score", model="qwen3-reranker", **body)
    assert [np.float32(entry["score"]) for entry in answer["data"]] == expected.tolist()
    assert refusal(web, "/v1/score", model="bert-reranker", **body)[0] == "instruction"


def test_sparse_vectors(web: httpx.Client) -> None:
    with LLM(EMBEDDERS / "splade") as llm:
        expected = llm.embed(TEXTS)
    answer = web.post("/embed_sparse", json={"model": "splade", "inputs": TEXTS})
    assert answer.status_code == 200, answer.text
    for vector, entries in zip(expected, answer.json(), strict=True):
        assert [entry["index"] for entry in entries] == np.flatnonzero(vector).tolist()
        assert [np.float32(entry["value"]) for entry in entries] == vector[vector > 0].tolist()
        assert 0 < len(entries) < len(vector)
    single = web.post("/embed_sparse", json={"model": "splade", "inputs": TEXTS[0]}).json()
    assert single == answer.json()[:1]
    assert refusal(web, "/embed_sparse", model="bert", inputs="a")[0] == "model"
    assert refusal(web, "/embed_sparse", model="splade", inputs=[])[0] == "inputs"
    assert refusal(web, "/v1/embeddings", model="splade", input="a", pooling="mean")[0] == "pooling"
    dense = ask(web, "/v1/embeddings", model="splade", input=TEXTS[0])["data"][0]["embedding"]
    assert np.array_equal(np.float32(dense), expected[0])


def test_wrong_bodies_get_one_sentence(web: httpx.Client, grpc: ChatClient) -> None:
    named = {"model": "bert-reranker", "query": "a"}
    assert refusal(web, "/v1/rerank", model="bert-reranker", documents=["a"])[0] == "query"
    assert refusal(web, "/v1/rerank", **named)[0] == "documents"
    assert refusal(web, "/v1/rerank", **named, documents=[])[0] == "documents"
    assert refusal(web, "/v1/rerank", **named, documents=["a", ""])[0] == "documents[1]"
    assert refusal(web, "/v1/rerank", **named, documents=["a", 3])[0] == "documents[1]"
    assert refusal(web, "/v1/rerank", **named, documents=["a"], top_n=0)[0] == "top_n"
    param, message = refusal(web, "/v1/rerank", **named, documents=["a"] * (MAX_INPUTS + 1))
    assert param == "documents" and str(MAX_INPUTS) in message
    assert refusal(web, "/v1/rerank", **named, documents=["a " * 5000])[0] == "documents[0]"
    pair = {"model": "bert-reranker", "text_1": "a"}
    assert refusal(web, "/v1/score", **pair, text_2=[])[0] == "text_2"
    assert refusal(web, "/v1/score", **pair, text_2=["a"] * (MAX_INPUTS + 1))[0] == "text_2"
    assert refusal(web, "/v1/score", **{**pair, "text_1": ["a", "b"]}, text_2=["a"])[0] == "text_1"
    assert "does not score" in refusal(web, "/v1/score", **{**pair, "model": "bert"}, text_2="a")[1]
    for parameters in ({"query": ["a", "b"]}, {"query": "a", "pooling": "mean"}, {"query": 3}):
        with pytest.raises(InvalidRequest):
            grpc.embed(["a"], model="bert-reranker", **parameters)
    with pytest.raises(InvalidRequest, match="not token ids"):
        grpc.embed([[1, 2]], model="bert-reranker", query="a")
