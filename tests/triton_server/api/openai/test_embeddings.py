"""Embeddings over gRPC and HTTP: with our client, Triton's, OpenAI's and LangChain's."""

import base64
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import openai
import pytest
import tiktoken
from conftest import Server
from pytriton.client import ModelClient
from support import wait_until
from test_server import triton_counters

from model_core import LLM
from model_core.errors import InvalidRequest, ModelNotFound, RequestCancelled
from model_core.requests.embedding import EmbeddingParams
from triton_server.client import ChatClient
from triton_server.contract.embedding_fields import MAX_INPUTS
from triton_server.contract.json_tensors import encode

TEXTS = ["Once upon a time", "there was a fox", "🦊"]
LONG = [f"Story {number}: " + "the fox ran over the hill. " * 30 for number in range(MAX_INPUTS)]
pytestmark = pytest.mark.filterwarnings("ignore::pytriton.client.warnings.NotSupportedTimeoutWarning")


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def expected(llm: LLM) -> np.ndarray:
    return llm.embed(TEXTS)


def refusal(web: httpx.Client, **body: Any) -> tuple[str | None, str]:
    """The field that is wrong, and the sentence."""
    answer = web.post("/v1/embeddings", json=body)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"].endswith(".") and ". " not in error["message"]
    return error["param"], error["message"]


def test_client_gets_the_vectors_of_the_library(client: ChatClient, llm: LLM, expected: np.ndarray) -> None:
    result = client.embed(TEXTS)
    assert np.array_equal(result.vectors, expected)
    assert result.prompt_tokens == sum(llm.embed_inputs(TEXTS).prompt_tokens)
    assert result.details["model"] == "embedded"
    ids = [llm.encode(text) for text in TEXTS]
    assert np.array_equal(client.embed(ids).vectors, llm.embed(ids))
    params = EmbeddingParams(pooling="mean", normalize=True, dimensions=5)
    wanted = llm.embed(TEXTS, params)
    assert np.array_equal(client.embed(TEXTS, pooling="mean", normalize=True, dimensions=5).vectors, wanted)


def test_clients_of_triton(server: Server, expected: np.ndarray) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "embed") as client:
        result = client.infer_sample(np.frombuffer(json.dumps(TEXTS).encode(), np.uint8))
        assert np.array_equal(result["embeddings"], expected)
        assert json.loads(result["details"][0])["rows"] == len(TEXTS)
        # Rows of one request that differ in length: the shorter gets zeros.
        rows = np.stack(
            [np.pad(encode(t), (0, 99 - len(encode(t))), constant_values=32) for t in (TEXTS, ["a"])]
        )
        batch = client.infer_batch(rows)
    assert np.array_equal(batch["embeddings"][0], expected)
    assert [json.loads(row[0])["rows"] for row in batch["details"]] == [3, 1]
    assert not batch["embeddings"][1, 1:].any()


def test_requests_at_the_same_time_share_batches(server: Server, client: ChatClient, llm: LLM) -> None:
    texts = [[f"Fox number {number}" + " ran" * number] for number in range(32)]
    expected = [llm.embed(text) for text in texts]
    before = triton_counters(server, "embed")
    count = 0

    def change(counter: str) -> float:
        return triton_counters(server, "embed")[counter] - before.get(counter, 0)

    # Triton waits a moment for more requests. On a busy machine, all of them may come later.
    while count == 0 or change("nv_inference_exec_count") > count / 2:
        assert count < 50 * len(texts)
        with ThreadPoolExecutor(len(texts)) as pool:
            results = list(pool.map(client.embed, texts))
        assert all(
            np.array_equal(result.vectors, wanted) for result, wanted in zip(results, expected, strict=True)
        )
        count += len(texts)
        wait_until(lambda count=count: change("nv_inference_count") == count)


def test_a_malformed_request_fails_alone(client: ChatClient, expected: np.ndarray) -> None:
    wrong: list[Any] = [["a", ""], ["a", 3], [[1, 10**9]], []]
    with ThreadPoolExecutor(8) as pool:
        good = [pool.submit(client.embed, TEXTS) for _ in wrong]
        bad = [pool.submit(client.embed, texts) for texts in wrong]
        for result in bad:
            with pytest.raises(InvalidRequest):
                result.result()
        assert all(np.array_equal(result.result().vectors, expected) for result in good)


def test_wrong_parameters_over_grpc(client: ChatClient) -> None:
    for parameters, param in (
        ({"pooling": "max"}, "pooling"),
        ({"dimensions": 0}, "dimensions"),
        ({"dimensions": 10**6}, "dimensions"),
        ({"nonsense": 1}, "nonsense"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            client.embed(TEXTS, **parameters)
        assert refused.value.param == param
    with pytest.raises(ModelNotFound):
        client.embed(TEXTS, model="gpt-4")
    with pytest.raises(InvalidRequest, match="2048"):
        client.embed(["a"] * (MAX_INPUTS + 1))


def test_openai_client_unchanged(gpt: openai.OpenAI, expected: np.ndarray, llm: LLM) -> None:
    response = gpt.embeddings.create(model="default", input=TEXTS)  # asks for base64
    assert np.array_equal(np.float32([entry.embedding for entry in response.data]), expected)
    assert [entry.index for entry in response.data] == [0, 1, 2]
    assert response.model == "embedded"
    assert response.usage.prompt_tokens == response.usage.total_tokens
    assert response.usage.total_tokens == sum(llm.embed_inputs(TEXTS).prompt_tokens)
    floats = gpt.embeddings.create(model="default", input=TEXTS, encoding_format="float")
    assert np.array_equal(np.float32([entry.embedding for entry in floats.data]), expected)
    (single,) = gpt.embeddings.create(model="default", input=TEXTS[0]).data
    assert np.array_equal(np.float32(single.embedding), expected[0])
    (tokens,) = gpt.embeddings.create(model="default", input=llm.encode(TEXTS[0])).data
    assert np.array_equal(np.float32(tokens.embedding), llm.embed([llm.encode(TEXTS[0])])[0])
    short = gpt.embeddings.create(model="default", input=TEXTS, dimensions=4)
    assert [len(entry.embedding) for entry in short.data] == [4, 4, 4]


def test_langchain_unchanged(api: Server, expected: np.ndarray) -> None:
    from langchain_openai import OpenAIEmbeddings  # imported here because that takes nearly a second

    embeddings = OpenAIEmbeddings(
        base_url=f"{api.api_url}/v1", api_key="none", model="default", check_embedding_ctx_length=False
    )
    assert np.array_equal(np.float32(embeddings.embed_documents(TEXTS)), expected)
    assert np.array_equal(np.float32(embeddings.embed_query(TEXTS[0])), expected[0])


def test_langchain_with_token_ids(api: Server, llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default LangChain sends the ids of one of OpenAI's tokenizers, here of one whose ids are bytes."""
    from langchain_openai import OpenAIEmbeddings

    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("cl100k_base", pat_str=r".|\n", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "cl100k_base", encoding)
    embeddings = OpenAIEmbeddings(base_url=f"{api.api_url}/v1", api_key="none", model="default")
    assert embeddings.check_embedding_ctx_length
    ids = [list(text.encode()) for text in TEXTS]
    assert np.array_equal(np.float32(embeddings.embed_documents(TEXTS)), llm.embed(ids))


def test_base64_and_floats_are_the_same_numbers(web: httpx.Client) -> None:
    body = {"model": "default", "input": TEXTS}
    floats, coded = (
        web.post("/v1/embeddings", json={**body, "encoding_format": kind}).json()["data"]
        for kind in ("float", "base64")
    )
    for entry, other in zip(floats, coded, strict=True):
        decoded = np.frombuffer(base64.b64decode(other["embedding"]), "<f4")
        assert np.array_equal(np.float32(entry["embedding"]), decoded)


def test_wrong_bodies_get_one_sentence(web: httpx.Client, llm: LLM) -> None:
    assert refusal(web, model="default") == ("input", "input or messages must be given.")
    assert refusal(web, input=[])[0] == "input"
    assert refusal(web, input="")[0] == "input[0]"
    assert refusal(web, input=["a", ""])[0] == "input[1]"
    assert refusal(web, input=["a", [1, 2]])[0] == "input[1]"
    assert refusal(web, input=["a", 3])[0] == "input[1]"
    assert refusal(web, input=[1, "a"])[0] == "input[1]"
    assert refusal(web, input=[[1], "a"])[0] == "input[1]"
    assert refusal(web, input=[[1], []])[0] == "input[1]"
    assert refusal(web, input=[[1, -4]])[0] == "input[0]"
    assert refusal(web, input={"a": 1})[0] == "input"
    param, message = refusal(web, input=["a"] * (MAX_INPUTS + 1))
    assert param == "input" and str(MAX_INPUTS) in message
    param, message = refusal(web, input=["a", "word " * llm.engine.limits.max_context])
    assert param == "input[1]" and str(llm.engine.limits.max_context) in message
    for dimensions in (0, -1, 2**40, 10_000):
        assert refusal(web, input="a", dimensions=dimensions)[0] == "dimensions"
    param, message = refusal(web, input="a", encoding_format="hex")
    assert param == "encoding_format" and "'float' or 'base64'" in message
    param, message = refusal(web, input="a", pooling="max")
    assert param == "pooling" and "'mean'" in message
    assert refusal(web, input="a", prompt_name="query")[0] == "prompt_name"
    unknown = web.post("/v1/embeddings", json={"input": "a", "model": "gpt-4"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")
    for path, body in (
        ("/v1/rerank", {"query": "a", "documents": ["b"]}),
        ("/v1/score", {"text_1": "a", "text_2": "b"}),
    ):
        answer = web.post(path, json=body)
        assert answer.status_code == 400
        assert "does not score documents" in answer.json()["error"]["message"]


def test_many_inputs_do_not_hold_up_a_chat(client: ChatClient, server: Server) -> None:
    """A chat and a short text are answered while many long ones are computed."""
    ended = threading.Event()

    def embed_all() -> None:
        with pytest.raises(RequestCancelled):
            client.embed(LONG, request_id="many")
        ended.set()

    thread = threading.Thread(target=embed_all)
    thread.start()
    try:
        wait_until(lambda: client.stats()["embeddings"] == 1)
        assert len(client.embed(["short"]).vectors) == 1
        assert client.chat("Once", max_tokens=20, ignore_eos=True).usage["completion_tokens"] == 20
        assert not ended.is_set()
    finally:
        assert client.cancel("many")
        thread.join(60)
    assert ended.is_set()


def test_chats_get_half_of_the_time(endless: Server) -> None:
    """A step of 512 tokens lasts as long as dozens of steps of a chat, so turns alone would not be fair."""
    texts = ["the fox ran over the hill. " * 50] * 20  # more than half a step each
    with ChatClient(endless.grpc_url) as client, client.stream("Once", max_tokens=40_000) as chat:
        next(iter(chat))
        before = client.stats()["totals"]["steps"]
        assert client.embed(texts).prompt_tokens > 20 * 256
        assert client.stats()["totals"]["steps"] - before > 5 * len(texts)


def test_a_client_that_leaves_ends_its_work(web: httpx.Client, api: Server, client: ChatClient) -> None:
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{api.api_url}/v1/embeddings", json={"input": LONG[:1500]}, timeout=0.5)
    wait_until(lambda: "tritonchat_api_answers_open 0.0" in web.get("/metrics").text)
    wait_until(lambda: client.stats()["embeddings"] == 0)
