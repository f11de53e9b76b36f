"""Embeddings of conversations with images, by /v1/embeddings as vLLM's clients ask for them, and by gRPC."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import openai
import pytest
from image_files import corner_image, write_image
from in_process import Endpoints
from openai.types import CreateEmbeddingResponse
from seeing import SlowTower
from seeing_folders import add_chat
from support import wait_until

from model_core import LLM
from model_core.errors import InvalidRequest, RequestCancelled
from model_core.images.data_url import write_data_url
from model_core.images.image import make_pixels
from model_core.requests.embedding import EmbeddingParams
from triton_server.client import ChatClient
from triton_server.engine.models.embedding_queue import EmbeddingQueue

PNG = write_image(corner_image())
URL = write_data_url("image/png", PNG)
SHOWN: list[dict[str, Any]] = [
    {"role": "system", "content": [{"type": "text", "text": "represent it"}]},
    {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": URL}}, {"type": "text", "text": "a"}],
    },
]


@pytest.fixture(scope="module")
def seeing_llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    with LLM(add_chat("qwen3-vl", tmp_path_factory.mktemp("slow")), kv_cache_memory=2**25) as llm:
        yield llm


def refusal(api_url: str, **body: Any) -> tuple[str | None, str]:
    answer = httpx.post(f"{api_url}/v1/embeddings", json=body, timeout=60)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    return error["param"], error["message"]


def test_openai_client_asks_as_with_vllm(seeing: Endpoints) -> None:
    with (
        openai.OpenAI(base_url=f"{seeing.api_url}/v1", api_key="-") as gpt,
        ChatClient(seeing.grpc_url) as client,
    ):
        body = {"model": "default", "messages": SHOWN, "encoding_format": "float"}
        found = gpt.post("/embeddings", cast_to=CreateEmbeddingResponse, body=body)
        own = client.embed(SHOWN)
        assert np.array_equal(np.float32([found.data[0].embedding]), own.vectors)
        assert own.image_tokens == 20 < own.prompt_tokens == found.usage.prompt_tokens
        assert found.usage.model_extra == {"prompt_tokens_details": {"image_tokens": 20}}
        coded = gpt.post(
            "/embeddings", cast_to=CreateEmbeddingResponse, body={**body, "encoding_format": "base64"}
        )
        raw: Any = coded.data[0].embedding
        assert np.array_equal(np.frombuffer(base64.b64decode(raw), "<f4")[None], own.vectors)
        ended = client.embed(SHOWN, add_generation_prompt=True)
        assert not np.array_equal(ended.vectors, own.vectors)
        text = client.embed([{"role": "user", "content": "abc"}])
        assert text.details["usage"] == {"prompt_tokens": text.prompt_tokens}


def test_requests_at_the_same_time_have_the_same_vectors(seeing: Endpoints) -> None:
    with ChatClient(seeing.grpc_url) as client:
        wanted, text = client.embed(SHOWN).vectors, client.embed(["abc"]).vectors
        with ThreadPoolExecutor(12) as pool:
            shown = list(pool.map(lambda _: client.embed(SHOWN).vectors, range(6)))
            texts = list(pool.map(lambda _: client.embed(["abc"]).vectors, range(6)))
        assert all(np.array_equal(found, wanted) for found in shown)
        assert all(np.array_equal(found, text) for found in texts)


def test_what_cannot_be_is_refused_by_name(seeing: Endpoints, api: Any) -> None:
    url = seeing.api_url
    assert refusal(url, model="default")[1] == "input or messages must be given."
    assert "exclude each other" in refusal(url, input="a", messages=SHOWN)[1]
    assert refusal(url, messages=[]) == ("messages", "messages is empty.")
    param, _ = refusal(url, messages=[{"role": "nobody", "content": "a"}])
    assert param == "messages[0].role"
    broken = [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
        }
    ]
    param, message = refusal(url, messages=broken)
    assert param == "messages[0].content[0].image_url" and "is no PNG" in message
    elsewhere = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.example/a.png"}}]}
    ]
    assert "--allow-image-urls" in refusal(url, messages=elsewhere)[1]
    assert "context" in refusal(url, messages=[{"role": "user", "content": "a" * 10**5}])[1]
    assert "for conversations" in refusal(url, input="a", add_generation_prompt=True)[1]
    many = [{"role": "user", "content": SHOWN[1]["content"][:1] * 300}]
    assert "at most 256" in refusal(url, messages=many)[1]
    # The embedded model makes embeddings, and sees nothing.
    param, message = refusal(api.api_url, messages=SHOWN)
    assert param == "messages[1].content[0].image_url" and "sees no images" in message
    with ChatClient(seeing.grpc_url) as client:
        with pytest.raises(InvalidRequest, match="not token ids, messages or images"):
            client.embed(SHOWN, query="a")
        with pytest.raises(InvalidRequest) as refused:
            mixed: Any = [*SHOWN, "a"]
            client.embed(mixed)
        assert refused.value.param == "texts[2]"


def shown(seed: int) -> list[dict[str, Any]]:
    pixels = make_pixels(np.full((16, 16, 3), seed, np.uint8))
    return [{"role": "user", "content": [{"type": "image", "pixels": pixels}]}]


def test_texts_do_not_wait_for_images(seeing_llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder is asked for the images of one request at a time, and a cancelled one leaves it."""
    embedder, params = seeing_llm.embedder, EmbeddingParams()
    wanted = [embedder.embed([shown(seed)], params).vectors for seed in range(4)]
    assert embedder.encoder is not None
    embedder.encoder.forget("")
    queue = EmbeddingQueue(9, lambda: False)
    tower = SlowTower(seeing_llm.engine.encoder, monkeypatch)
    try:
        with queue.open(["a"]) as a, queue.open(["b"]) as b, queue.open(["c"]) as c, queue.open(["t"]) as t:
            for task, seed in ((a, 0), (b, 1), (c, 2)):
                queue.start(task, embedder, embedder.prepare_inputs([shown(seed)], params))
            assert tower.begun.wait(60)
            queue.start(t, embedder, embedder.prepare_inputs(["abc"], params))
            assert np.array_equal(t.future.result(60), embedder.embed(["abc"], params).vectors)
            assert not any(task.future.done() for task in (a, b, c))
            queue.cancel("b")
            with pytest.raises(RequestCancelled):
                b.future.result(0)
            tower.opened.set()
            assert np.array_equal(a.future.result(60), wanted[0])
            assert np.array_equal(c.future.result(60), wanted[2])
    finally:
        tower.opened.set()
        queue.close()


def test_a_request_that_is_cancelled_leaves_the_encoder(
    seeing_llm: LLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder, params = seeing_llm.embedder, EmbeddingParams()
    assert embedder.encoder is not None
    queue = EmbeddingQueue(9, lambda: False)
    tower = SlowTower(seeing_llm.engine.encoder, monkeypatch)
    before = embedder.encoder.encoded
    try:
        with queue.open(["a"]) as task:
            queue.start(task, embedder, embedder.prepare_inputs([[*shown(8), *shown(9)]], params))
            assert tower.begun.wait(60)
            queue.cancel("a")
        tower.opened.set()
        with queue.open(["b"]) as other:  # which the encoder takes up after it
            queue.start(other, embedder, embedder.prepare_inputs([shown(10)], params))
            other.future.result(60)
        wait_until(lambda: embedder.encoder is not None and embedder.encoder.encoded <= before + 2)
        assert queue.count() == 0
    finally:
        tower.opened.set()
        queue.close()
