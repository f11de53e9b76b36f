"""The header X-Model-Digest: which model has computed an answer, in each dialect, streamed or not."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from in_process import Endpoints, local_server
from support import pool_of

from model_core import LLM

HELLO = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    with local_server(pool_of(LLM(kv_cache_memory=2**26)), tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", HELLO),
        ("/v1/completions", {"prompt": "Once", "max_tokens": 3}),
        ("/v1/responses", {"input": "Hello", "max_output_tokens": 3, "store": False}),
        ("/v1/messages", {"model": "default", **HELLO}),
        ("/api/chat", {"model": "default", "messages": HELLO["messages"], "options": {"num_predict": 3}}),
        ("/completion", {"prompt": "Once", "n_predict": 3}),
    ],
)
def test_answers_name_their_model(
    served: Endpoints, llm: LLM, path: str, body: dict[str, Any], streams: bool
) -> None:
    answer = httpx.post(served.api_url + path, json={**body, "stream": streams}, timeout=60)
    assert answer.status_code == 200, answer.text
    assert answer.headers["X-Model-Digest"] == llm.fingerprint


def test_refusals_name_none(served: Endpoints) -> None:
    answer = httpx.post(f"{served.api_url}/v1/chat/completions", json={"messages": [], "max_tokens": 3})
    assert answer.status_code == 400 and "X-Model-Digest" not in answer.headers


def test_models_are_listed_with_it(served: Endpoints, llm: LLM) -> None:
    (model,) = httpx.get(f"{served.api_url}/v1/models").json()["data"]
    assert model["fingerprint"] == llm.fingerprint
