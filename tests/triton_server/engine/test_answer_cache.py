"""Answers that are kept: the bytes of computed ones, for their owner alone, whatever happens to files."""

import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_service import services
from in_process import Endpoints, local_server
from in_process import served as in_front
from pydantic import SecretStr
from support import pool_of, wait_until
from test_proxy import proxying

from model_core import LLM
from triton_server.client import ChatClient
from triton_server.engine.models.answer_cache import AnswerCache, Computation, KeptAnswer, Key
from triton_server.engine.upstream.pool import create_upstream_pool
from triton_server.receipts.receipt import check_receipt

HELLO = [{"role": "user", "content": "Hello"}]
ASKED = {"messages": HELLO, "max_tokens": 12, "temperature": 1.0, "seed": 3}
MADE_OF = {"defaults": {"temperature": 0.0}}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1}
ADA, BO = "ada:0123456789abcdef", "bo:fedcba9876543210"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def cache(folder: Path) -> Iterator[AnswerCache]:
    cache = AnswerCache(folder / "answers", 2**22)
    yield cache
    cache.close()


@pytest.fixture(scope="module")
def served(folder: Path, cache: AnswerCache) -> Iterator[Endpoints]:
    keys = {"api_keys": (SecretStr(ADA), SecretStr(BO)), "keeps_prefixes": True}
    llm = LLM(kv_cache_memory=2**26)
    with local_server(pool_of(llm), folder, answers=cache, **keys) as running:
        yield running


def post(
    served: Endpoints,
    body: dict[str, Any],
    key: str = ADA,
    path: str = "/v1/chat/completions",
) -> httpx.Response:
    own = {"Authorization": f"Bearer {key.partition(':')[2]}"}
    answer = httpx.post(served.api_url + path, json=body, headers=own, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer


def is_hit(answer: httpx.Response) -> bool:
    """Whether it was not computed; its header and its usage say the same."""
    told = answer.headers.get("X-Answer-Cache") == "hit"
    assert ('"answer_cached":true' in answer.text) is told
    return told


def said(answer: httpx.Response) -> Any:
    """What differs between no two answers to the same request."""
    (choice,) = answer.json()["choices"]
    return {name: value for name, value in choice.items() if name != "receipt"}


def test_same_request_is_computed_once(served: Endpoints) -> None:
    body = {**ASKED, "logprobs": True, "top_logprobs": 2, "return_token_ids": True}
    first, second = post(served, body), post(served, body)
    assert (is_hit(first), is_hit(second)) == (False, True)
    assert said(first) == said(second)
    assert second.json()["usage"]["completion_tokens"] == first.json()["usage"]["completion_tokens"]
    assert second.headers["X-Model-Digest"] == first.headers["X-Model-Digest"]
    for other in ({"seed": 4}, {"max_tokens": 11}, {"temperature": 0.9}, {"messages": [*HELLO, *HELLO]}):
        assert not is_hit(post(served, {**body, **other}))


def test_streams_join_to_the_same(served: Endpoints) -> None:
    body = {**ASKED, "seed": 30}
    text = said(post(served, body))["message"]["content"]
    streamed = post(served, {**body, "stream": True, "stream_options": {"include_usage": True}})
    assert is_hit(streamed)
    chunks = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    parts = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
    assert "".join(parts) == text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/completions", {"prompt": "Once", "max_tokens": 5, "seed": 1}),
        ("/v1/responses", {"input": "Hello", "max_output_tokens": 5, "store": False, "seed": 1}),
        ("/v1/messages", {"model": "default", "messages": HELLO, "max_tokens": 5, "seed": 2}),
    ],
)
def test_all_dialects_say_so(served: Endpoints, path: str, body: dict[str, Any]) -> None:
    assert [is_hit(post(served, body, path=path)) for _ in range(2)] == [False, True]


def test_dialects_share_answers(served: Endpoints) -> None:
    chat = {"messages": HELLO, "max_tokens": 6, "seed": 21}
    assert not is_hit(post(served, chat))
    message = post(served, {"model": "default", **chat}, path="/v1/messages")
    assert is_hit(message)
    assert message.json()["content"][0]["text"] == said(post(served, chat))["message"]["content"]


def test_owners_share_nothing(served: Endpoints) -> None:
    body = {**ASKED, "seed": 5}
    assert not is_hit(post(served, body))
    assert not is_hit(post(served, body, BO))
    assert is_hit(post(served, body)) and is_hit(post(served, body, BO))
    assert not is_hit(post(served, {**body, "cache_salt": "mine"}))
    # Nobody can name another's salt: that of the service is made of the owner and of what the client says.
    with ChatClient(served.grpc_url) as client:
        asked = {name: value for name, value in body.items() if name != "messages"}
        assert "answer_cached" not in client.chat(HELLO, **asked).usage
        assert client.chat(HELLO, **asked).details["usage"]["answer_cached"] is True


@pytest.mark.parametrize(
    "asked", [["no-store"], ["max-age=0, No-Store"], ["no-cache"], ["max-age=0", "no-store"]]
)
def test_client_that_wants_no_store_has_none(served: Endpoints, asked: list[str]) -> None:
    body = {**ASKED, "messages": [{"role": "user", "content": str(asked)}]}

    def asks_for_none() -> httpx.Response:
        lines = [("Cache-Control", line) for line in asked]
        own = [("Authorization", f"Bearer {ADA.partition(':')[2]}"), *lines]
        return httpx.post(f"{served.api_url}/v1/chat/completions", json=body, headers=own, timeout=60)

    for _ in range(2):
        assert not is_hit(asks_for_none())
    assert not is_hit(post(served, body))  # so nothing was kept either
    assert is_hit(post(served, body))
    assert not is_hit(asks_for_none())


def test_answers_without_a_seed_are_drawn_anew_unless_they_need_none(served: Endpoints) -> None:
    body = {name: value for name, value in ASKED.items() if name != "seed"}
    first, second = post(served, body), post(served, body)
    assert not is_hit(first) and not is_hit(second)
    assert said(first)["seed"] != said(second)["seed"]
    greedy = {**body, "temperature": 0}
    first, second = post(served, greedy), post(served, greedy)
    assert not is_hit(first) and is_hit(second)
    assert said(first)["message"] == said(second)["message"]
    assert said(first)["seed"] != said(second)["seed"]  # each is told its own


@pytest.mark.parametrize(
    ("path", "prompt"),
    [("/v1/chat/completions", {"messages": [*HELLO, *HELLO]}), ("/stream", {"prompt": "Through a proxy"})],
)
def test_seed_that_a_proxy_has_drawn_is_not_chosen(
    served: Endpoints, path: str, prompt: dict[str, Any]
) -> None:
    with proxying([served.api_url]) as url:
        front = replace(served, api_url=url)

        def are_hits(**more: Any) -> list[bool]:
            body = {**prompt, "max_tokens": 8, **more}
            answers = [post(front, body, path=path) for _ in range(2)]
            return [answer.headers.get("X-Answer-Cache") == "hit" for answer in answers]

        assert are_hits(temperature=0) == [False, True]
        assert are_hits(temperature=1.0) == [False, False]
        assert are_hits(temperature=1.0, seed=5) == [False, True]


def test_seed_that_a_session_has_drawn_is_not_chosen(served: Endpoints) -> None:
    def are_hits(**parameters: Any) -> list[bool]:
        own, hits = {"Authorization": f"Bearer {ADA.partition(':')[2]}"}, []
        with httpx.Client(base_url=served.api_url, headers=own, timeout=60) as http:
            for _ in range(2):
                session = http.post("/sessions", json={"parameters": {"max_tokens": 8, **parameters}}).json()
                answer = http.put(f"/sessions/{session['id']}/generate", json={"prompt": "In a session"})
                assert answer.status_code == 200 and type(answer.json()["seed"]) is int
                hits.append(answer.headers.get("X-Answer-Cache") == "hit")
        return hits

    assert are_hits(temperature=0) == [False, True]
    assert are_hits(temperature=1.0) == [False, False]
    assert are_hits(temperature=1.0, seed=5) == [False, True]


def test_seed_that_a_server_in_front_has_drawn_is_not_chosen(served: Endpoints, tmp_path: Path) -> None:
    """By `--engine`: that server has no cache, and lets this one know how to use its own."""
    with contextlib.ExitStack() as stack:
        key = ADA.partition(":")[2]
        pool = create_upstream_pool([(None, "embedded")], 8, 8, f"{served.api_url}/v1", key)
        pool.load_all()
        start = stack.enter_context(services(stack.enter_context(in_front(pool)), tmp_path))
        front = replace(served, api_url=start().url)
        asked = {"max_tokens": 8, "temperature": 0, "cache_salt": ""}
        for text, is_kept, headers in (
            ("In front", True, {}),
            ("Away", False, {"Cache-Control": "no-store"}),
        ):
            body = {**asked, "messages": [{"role": "user", "content": text}]}
            answer = httpx.post(
                f"{front.api_url}/v1/chat/completions", json=body, headers=headers, timeout=60
            )
            assert answer.status_code == 200, answer.text
            assert is_hit(post(served, body)) is is_kept


def test_v2_says_how_it_uses_the_cache(served: Endpoints) -> None:
    def is_kept(**parameters: Any) -> bool:
        body = {"text_input": "How", "parameters": {"max_tokens": 8, "seed": 70, **parameters}}
        answers = [post(served, body, path="/v2/models/chat/generate") for _ in range(2)]
        return answers[1].headers.get("X-Answer-Cache") == "hit"

    assert not is_kept(answer_cache="greedy", temperature=1.0) and not is_kept(answer_cache="off")
    assert is_kept(answer_cache="greedy", temperature=0) and is_kept()


def test_receipt_of_a_kept_answer_verifies(served: Endpoints) -> None:
    body = {**ASKED, "seed": 6, "receipt": "whole"}
    first, second = (post(served, body).json()["choices"][0]["receipt"] for _ in range(2))
    for name in ("model", "request", "seed", "prompt", "answer"):
        assert check_receipt(first)[name] == check_receipt(second)[name]
    verified = post(served, {"receipt": second}, path="/v1/receipts/verify")
    assert verified.json()["equal"] and not is_hit(verified)  # it was computed again


def test_equal_requests_under_way_are_computed_once(served: Endpoints) -> None:
    body = {**ASKED, "seed": 7, "max_tokens": 100, "ignore_eos": True}
    with ChatClient(served.grpc_url) as client:
        before = client.stats()["totals"]["requests"]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: post(served, body), range(8)))
        assert client.stats()["totals"]["requests"] == before + 1
    assert len({json.dumps(said(answer)) for answer in answers}) == 1
    assert sum(map(is_hit, answers)) == 7


@pytest.fixture
def first(cache: AnswerCache, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Key, Computation]]:
    """An equal request before each one of the test, which is under way until the test lets it land."""
    begin, computations = cache.begin, dict[Key, Computation]()

    def begin_second(key: Key, waits: bool) -> tuple[Computation, bool]:
        if key not in computations:
            computations[key] = begin(key)[0]
        return begin(key, waits)

    monkeypatch.setattr(cache, "begin", begin_second)
    yield computations
    for computation in computations.values():
        computation.finish()


def test_waiting_request_goes_on_when_the_first_one_is_cancelled(
    served: Endpoints, first: dict[Key, Computation]
) -> None:
    asked = {"max_tokens": 60, "ignore_eos": True, "temperature": 1.0, "seed": 8}
    with ChatClient(served.grpc_url) as client, ThreadPoolExecutor(2) as threads:
        others = [threads.submit(client.chat, HELLO, **asked) for _ in range(2)]
        wait_until(lambda: first)
        assert not any(other.done() for other in others)
        next(iter(first.values())).finish()
        for other in others:
            answer = other.result(60)
            assert answer.finish_reason == "length" and answer.usage["completion_tokens"] == 60
        assert sum("answer_cached" in other.result().details["usage"] for other in others) == 1


def test_streams_do_not_wait(served: Endpoints, first: dict[Key, Computation]) -> None:
    """For the first token of an equal request would come with its last one."""
    asked = {"max_tokens": 20, "temperature": 1.0, "seed": 81}
    with ChatClient(served.grpc_url) as client:
        assert len(list(client.stream(HELLO, **asked))) > 1
    for path, body in (
        ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 21, "temperature": 0, "n": 2}),
        ("/v1/messages", {"model": "default", "messages": HELLO, "max_tokens": 22, "seed": 1}),
        ("/v1/responses", {"input": "Hello", "max_output_tokens": 23, "store": False, "seed": 1}),
        ("/v2/models/chat/generate_stream", {"text_input": "Hello", "max_tokens": 24, "seed": 1}),
        ("/api/chat", {"model": "default", "messages": HELLO, "options": {"num_predict": 25, "seed": 1}}),
        ("/completion", {"prompt": "Hello", "n_predict": 26, "seed": 1}),
    ):
        body = body if path.startswith(("/api", "/v2")) else {**body, "stream": True}
        count = len(first)
        assert not is_hit(post(served, body, path=path))
        assert len(first) == count + 1
    assert not any(computation.answer.done() for computation in first.values())


def test_whole_answers_wait_in_all_dialects(served: Endpoints, first: dict[Key, Computation]) -> None:
    with ThreadPoolExecutor(1) as threads:
        for path, body in (
            ("/v1/chat/completions", {"messages": HELLO, "max_tokens": 31, "seed": 1}),
            ("/v1/messages", {"model": "default", "messages": HELLO, "max_tokens": 32, "seed": 1}),
            ("/v1/responses", {"input": "Hello", "max_output_tokens": 33, "store": False, "seed": 1}),
            ("/v2/models/chat/generate", {"text_input": "Hello", "max_tokens": 34, "seed": 1}),
            (
                "/api/chat",
                {
                    "model": "default",
                    "messages": HELLO,
                    "stream": False,
                    "options": {"num_predict": 35, "seed": 1},
                },
            ),
            ("/completion", {"prompt": "Hello", "n_predict": 36, "seed": 1}),
        ):
            first.clear()
            answer = threads.submit(post, served, body, path=path)
            wait_until(lambda: first)
            (computation,) = first.values()
            computation.finish(KeptAnswer([["of the first", {}]], 0.0, [1], [2], "stop", {**USAGE}, None))
            assert "of the first" in answer.result(60).text


def test_removed_conversations_take_answers_with_them(served: Endpoints) -> None:
    bodies = [{**ASKED, "seed": 9}, {**ASKED, "seed": 9, "cache_salt": "of my own"}]
    for body in bodies:
        assert [is_hit(post(served, body)) for _ in range(2)] == [False, True]
        assert [is_hit(post(served, body, BO)) for _ in range(2)] == [False, True]
    own = {"Authorization": f"Bearer {ADA.partition(':')[2]}"}
    with httpx.Client(base_url=served.api_url, headers=own, timeout=60) as http:
        session = http.post("/sessions", json={"id": "gone"})
        assert session.is_success and http.delete("/sessions/gone").is_success
    assert [is_hit(post(served, body)) for body in bodies] == [False, False]
    assert [is_hit(post(served, body, BO)) for body in bodies] == [True, True]
