"""A server whose models another server computes: here a second tritonchat, over its HTTP service."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest
from browsing import FIGURES, answers, ask, running_page
from chat_page import ChatPage
from forwarder import Forwarder, forwarding
from http_service import CHAT, Service, services
from in_process import Endpoints, served
from paths import ROOT
from reciter import ARGUMENTS, GREETING, REASONING
from streamlit.testing.v1 import AppTest
from support import wait_until

from model_core import LLM
from model_core.errors import (
    InvalidRequest,
    ModelError,
    ModelUnavailable,
    PromptTooLong,
    QueueFull,
    RequestTimeout,
    TritonchatError,
)
from model_core.llm.description import ModelDescription
from streamlit_client.shared.prompts import build_prompt
from triton_server.client import ChatClient
from triton_server.contract.commands import TokenizeText
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.upstream.engine import UpstreamEngine
from triton_server.engine.upstream.pool import create_upstream_pool
from triton_server.engine.upstream.server import UpstreamModel

HELLO = [{"role": "user", "content": "Hello"}]
STORY = [{"role": "user", "content": "Tell me a story"}]  # without end
SEEDED = {"temperature": 0.9, "seed": 5, "max_tokens": 40}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
COMPLETIONS = "/v1/completions"


@pytest.fixture
def plain(chain: "Chain", monkeypatch: pytest.MonkeyPatch) -> None:
    """The server behind says of its first model no more than OpenAI's API has."""
    slot = chain.pool.slots[0]
    assert isinstance(slot.engine, UpstreamEngine)
    monkeypatch.setattr(slot.engine, "_model", UpstreamModel(slot.name, "openai", None))
    monkeypatch.setattr(slot, "description", slot.engine.describe())


@dataclass(frozen=True)
class Chain:
    """The server in front, and the one behind it, through a forwarder."""

    front: Service
    grpc_url: str
    back: Endpoints
    forwarder: Forwarder
    pool: ModelPool

    def ask_both(self, path: str, body: dict[str, Any]) -> tuple[httpx.Response, httpx.Response]:
        """What the front and the back answer."""
        front, back = (
            httpx.post(url + path, json=body, timeout=120) for url in (self.front.url, self.back.api_url)
        )
        return front, back


@pytest.fixture(scope="module")
def chain(several: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("front")
    with forwarding(several.api_url) as forwarder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))  # of the conversations
        pool = create_upstream_pool([(None, "embedded"), (None, "speaker")], 64, 256, f"{forwarder.url}/v1")
        pool.load_all()
        with served(pool) as grpc_url, services(grpc_url, folder) as start:
            yield Chain(start(), grpc_url, several, forwarder, pool)


@pytest.fixture
def grpc(chain: Chain) -> Iterator[ChatClient]:
    with ChatClient(chain.grpc_url) as client:
        yield client


def essence(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what differs each time: names, times, and what the cache had."""
    usage = {**answer["usage"], "prompt_tokens_details": None}
    others = {name: value for name, value in answer.items() if name not in ("id", "created")}
    return {**others, "usage": usage}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, {"messages": HELLO, **SEEDED, "top_p": 0.9, "top_k": 50, "min_p": 0.01}),
        (CHAT, {"messages": HELLO, **SEEDED, "logprobs": True, "top_logprobs": 3}),
        (CHAT, {"messages": HELLO, **SEEDED, "logprobs": True, "return_token_ids": True}),
        (CHAT, {"messages": HELLO, **SEEDED, "stop": ["e", "zzz"], "presence_penalty": 1, "n": 2}),
        (CHAT, {"messages": HELLO, **SEEDED, "logit_bias": {"7": -3}, "repetition_penalty": 1.2}),
        (
            CHAT,
            {
                "messages": HELLO,
                "seed": 1,
                "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
            },
        ),
        (
            CHAT,
            {
                "messages": [*HELLO, {"role": "assistant", "content": "Well"}],
                **SEEDED,
                "continue_final_message": True,
            },
        ),
        (CHAT, {"messages": HELLO, **SEEDED, "prompt_logprobs": 2}),
        (CHAT, {"messages": HELLO, "model": "speaker", "seed": 1}),
        (CHAT, {"messages": HELLO, "model": "speaker", "seed": 1, "enable_thinking": False}),
        (
            CHAT,
            {"messages": HELLO, "model": "speaker", "seed": 1, "tools": [TOOL], "tool_choice": "required"},
        ),
        (
            CHAT,
            {
                "messages": [
                    *HELLO,
                    {
                        "role": "assistant",
                        "tool_calls": [
                            {
                                "id": "c",
                                "type": "function",
                                "function": {"name": "get_weather", "arguments": ARGUMENTS},
                            }
                        ],
                    },
                    {"role": "tool", "tool_call_id": "c", "content": "rain"},
                ],
                "model": "speaker",
                "seed": 1,
                "tools": [TOOL],
            },
        ),
        (COMPLETIONS, {"prompt": "Once upon a time", **SEEDED}),
        (COMPLETIONS, {"prompt": [5, 6, 7], **SEEDED, "logprobs": 2, "ignore_eos": True}),
        (COMPLETIONS, {"prompt": "Once upon a", **SEEDED, "echo": True, "logprobs": 2}),
        (
            COMPLETIONS,
            {"prompt": "Once upon a", **SEEDED, "min_tokens": 3, "typical_p": 0.9, "regex": "[a-z]+"},
        ),
    ],
)
def test_answers_are_those_of_the_server_behind(chain: Chain, path: str, body: dict[str, Any]) -> None:
    front, back = chain.ask_both(path, {"model": "embedded", **body})
    assert front.status_code == back.status_code == 200, front.text
    assert essence(front.json()) == essence(back.json())


def read_stream(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The joined chunks of a stream of chat."""
    joined: dict[str, Any] = {"content": "", "reasoning": "", "calls": [], "logprobs": []}
    with httpx.stream("POST", url + CHAT, json={**body, "stream": True}, timeout=120) as response:
        for line in response.iter_lines():
            if not line.startswith("data: {"):
                continue
            (choice,) = json.loads(line[6:])["choices"]
            delta = choice["delta"]
            joined["content"] += delta.get("content") or ""
            joined["reasoning"] += delta.get("reasoning_content") or ""
            for call in delta.get("tool_calls", ()):
                if "id" in call:
                    joined["calls"].append([call["id"], call["function"]["name"], ""])
                joined["calls"][-1][2] += call["function"]["arguments"]
            joined["logprobs"] += (choice["logprobs"] or {"content": []})["content"]
            if choice["finish_reason"]:
                joined |= {"reason": choice["finish_reason"], "seed": choice["seed"]}
    return joined


@pytest.mark.parametrize(
    "body",
    [
        {"messages": HELLO, **SEEDED, "logprobs": True, "top_logprobs": 2},
        {"messages": HELLO, "model": "speaker", "seed": 1},
        {"messages": HELLO, "model": "speaker", "seed": 1, "tools": [TOOL]},
        {"messages": STORY, "model": "speaker", "seed": 1, "max_tokens": 500},
    ],
)
def test_streams_are_those_of_the_server_behind(chain: Chain, body: dict[str, Any]) -> None:
    body = {"model": "embedded", **body}
    front, back = (read_stream(url, body) for url in (chain.front.url, chain.back.api_url))
    assert front == back
    assert front["content"] or front["calls"]


def test_every_interface_stands_on_it(chain: Chain, grpc: ChatClient) -> None:
    answer = grpc.chat(HELLO, model="speaker")
    assert (answer.text, answer.reasoning) == (GREETING, REASONING)
    assert answer.usage["prompt_tokens"] > 0 and answer.details["model"] == "speaker"
    with grpc.stream(HELLO, model="speaker") as stream:
        assert "".join(stream) == GREETING
    with anthropic.Anthropic(base_url=chain.front.url, api_key="none", max_retries=0) as client:
        message = client.messages.create(model="speaker", max_tokens=50, messages=HELLO)
        assert message.content[-1].text == GREETING
        assert client.messages.count_tokens(model="speaker", messages=HELLO).input_tokens > 5
    with openai.OpenAI(base_url=f"{chain.front.url}/v1", api_key="none", max_retries=0) as client:
        assert [model.id for model in client.models.list()] == ["embedded", "speaker"]
        first = client.responses.create(model="speaker", input="Hello")
        assert first.output_text == GREETING
        second = client.responses.create(model="speaker", input="Hello", previous_response_id=first.id)
        assert second.output_text == GREETING
    with httpx.Client(base_url=chain.front.url, timeout=60) as client:
        session = client.post("/sessions", json={"parameters": {"model": "speaker"}}).json()
        turn = client.put(f"/sessions/{session['id']}/generate", json={"prompt": "Hello"})
    assert turn.json()["text"] == GREETING


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tokenize", {"prompt": "Once upon a time", "return_token_strs": True}),
        ("/tokenize", {"content": "Grüße 🦊", "with_pieces": True}),
        ("/tokenize", {"messages": HELLO, "model": "speaker"}),
        ("/detokenize", {"tokens": [5, 60, 700]}),
        ("/apply-template", {"messages": HELLO, "tools": [TOOL], "model": "speaker"}),
    ],
)
def test_tokens_are_those_of_the_server_behind(chain: Chain, path: str, body: dict[str, Any]) -> None:
    front, back = chain.ask_both(path, {"model": "embedded", **body})
    assert front.status_code == 200, front.text
    assert front.json() == back.json()


def test_client_that_leaves_ends_the_work_there(chain: Chain, grpc: ChatClient) -> None:
    with ChatClient(chain.back.grpc_url) as back:
        before = back.stats(model="speaker")["totals"]["cancellations"]
        body = {"model": "speaker", "messages": STORY, "max_tokens": 40_000, "stream": True}
        with httpx.stream("POST", chain.front.url + CHAT, json=body, timeout=60) as response:
            lines = response.iter_lines()  # to drop it would close the response
            next(lines)
            wait_until(lambda: back.stats(model="speaker")["running"] == 1)
        wait_until(lambda: back.stats(model="speaker")["running"] == 0)
        assert back.stats(model="speaker")["totals"]["cancellations"] == before + 1
        stream = grpc.stream(STORY, model="speaker", max_tokens=40_000, request_id="mine")
        texts = iter(stream)
        assert next(texts)
        assert grpc.cancel("mine") and not grpc.cancel("nobody")
        list(texts)
        assert stream.answer.finish_reason == "cancelled"
        wait_until(lambda: back.stats(model="speaker")["running"] == 0)


def test_refusals_and_errors_pass_through(chain: Chain, grpc: ChatClient) -> None:
    long = {"model": "embedded", "messages": [{"role": "user", "content": "word " * 5000}]}
    front, back = chain.ask_both(CHAT, long)
    assert front.status_code == 400
    assert front.json() == back.json()
    with pytest.raises(PromptTooLong):
        grpc.chat(long["messages"])
    with pytest.raises(InvalidRequest, match="outside the model's vocabulary"):
        grpc.chat([10**6])
    with pytest.raises(RequestTimeout, match=r"timeout_s of 0\.2 s passed"):
        grpc.chat(STORY, model="speaker", max_tokens=40_000, timeout_s=0.2)
    with pytest.raises(InvalidRequest, match="choices") as error_info:
        grpc.chat(HELLO, choices=["yes", "no"])
    assert error_info.value.param == "choices"
    with pytest.raises(InvalidRequest, match="computed by another server"):
        grpc.embed(["a text"])
    with pytest.raises(TritonchatError, match="keeps no prompts"):
        grpc.list_prompts()


def test_server_that_goes_away_comes_back(chain: Chain, grpc: ChatClient) -> None:
    expected = grpc.chat(HELLO, seed=3, temperature=1).text
    stream = iter(grpc.stream(STORY, model="speaker", max_tokens=40_000))
    next(stream)
    chain.forwarder.cut()
    try:
        with pytest.raises(ModelUnavailable, match=r"does not answer|broke off"):
            list(stream)
        answer = chain.front.ask({"model": "embedded", "messages": HELLO})
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        assert "does not answer" in answer.json()["error"]["message"]
        wait_until(lambda: chain.front.get("/readyz").status_code == 503)
    finally:
        chain.forwarder.mend()
    assert grpc.chat(HELLO, seed=3, temperature=1).text == expected
    wait_until(lambda: chain.front.get("/readyz").status_code == 200)


def test_metrics_count_what_passes(chain: Chain, grpc: ChatClient) -> None:
    grpc.chat(HELLO, model="speaker")
    text = chain.front.get("/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(lines['tritonchat_completion_tokens_total{model="speaker"}']) > 0
    assert float(lines['tritonchat_requests_running{model="speaker"}']) == 0
    assert not any("kv_pages" in name for name in lines)


def test_every_engine_fills_the_description(chain: Chain, llm: LLM, plain: None) -> None:
    fields = ModelDescription.__annotations__.keys()
    assert llm.describe().keys() == fields
    for slot in chain.pool.slots:
        assert slot.description is not None and slot.description.keys() == fields
    assert chain.pool.slots[0].description["max_context"] is None
    assert "max_model_len" not in chain.front.get("/v1/models").json()["data"][0]


@pytest.mark.parametrize("server_says", ["little", "more"])
def test_page_shows_what_another_server_answers(
    chain: Chain, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, server_says: str
) -> None:
    """Whether that server tells of its model as much as a tritonchat, or its name alone."""
    if server_says == "little":
        request.getfixturevalue("plain")
    monkeypatch.setenv("TRITONCHAT_SERVER", chain.grpc_url)
    page = ChatPage()
    (facts,) = [caption for caption in page.captions if "computed by another server" in caption]
    assert ("1,024 tokens of context" in facts) == (server_says == "more")
    assert {widget.placeholder for widget in page.app.number_input if widget.label == "Temperature"} == {
        "model's default"
    }
    page.ask("Hello", notes_txt=b"The key is golden.")
    answer = httpx.post(
        chain.back.api_url + CHAT,
        json={
            "messages": [{"role": "user", "content": question_with_file(page)}],
            "model": "embedded",
            "seed": page.app.session_state["chat"].turns[0].parameters["seed"],
        },
        timeout=120,
    ).json()["choices"][0]["message"]["content"]
    assert page.answers == [answer]
    assert page.ask("Who are you?").answers[1]
    for view in ("inspection/engine", "inspection/explain", "compare/compare"):
        other = AppTest.from_file(ROOT / "streamlit_client" / f"{view}.py").run(timeout=60)
        assert not other.exception, other.exception[0].value


def question_with_file(page: ChatPage) -> str:
    """The text of the first question as the model reads it."""
    (turn, *_) = page.app.session_state["chat"].turns
    return build_prompt([turn], "", True)[0]["content"]


def test_page_of_another_server_in_a_browser(chain: Chain, visit: Callable[..., Any], tmp_path: Path) -> None:
    from playwright.sync_api import expect

    with running_page(chain.grpc_url, tmp_path) as address:
        page = visit(address)
        ask(page, "Hello, who are you?")
        expect(answers(page)).to_contain_text(FIGURES)
        expect(page.get_by_text("computed by another server")).to_be_visible()


def test_key_and_busy_server(several: Endpoints, tmp_path_factory: pytest.TempPathFactory) -> None:
    with services(several.grpc_url, tmp_path_factory.mktemp("keyed")) as start:
        keyed = start(api_keys=("right",), requests_per_minute=5)
        with pytest.raises(ModelError, match="refuses the key in TRITONCHAT_ENGINE_API_KEY"):
            create_upstream_pool([], 8, 8, f"{keyed.url}/v1", "wrong")
        with pytest.raises(ModelError, match="has no model 'gpt'; it has embedded, speaker, broken"):
            create_upstream_pool([(None, "gpt")], 8, 8, keyed.url, "right")
        pool = create_upstream_pool([("mouth", "speaker")], 8, 8, keyed.url, "right")
        (slot,) = pool.slots
        assert slot.name == "mouth"
        engine = slot.acquire().result(60)
        command = TokenizeText(tokenize="Hello")
        with pytest.raises(QueueFull) as error_info:
            for _ in range(10):
                engine.tokenize(command)
        assert error_info.value.retry_after_s > 0
        pool.close()


def test_nobody_answers_there(several: Endpoints) -> None:
    with forwarding(several.api_url) as away:
        url = away.url
    with pytest.raises(ModelError, match="does not answer"):
        create_upstream_pool([], 8, 8, url)
    for wrong in ("gpu-box:8000", "ftp://host/v1", "http://", "http://user:secret@host/v1"):
        with pytest.raises(ModelError, match="is not the URL of a server"):
            create_upstream_pool([], 8, 8, wrong)
