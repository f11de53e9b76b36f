"""Ollama's API with Ollama's client."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import numpy as np
import ollama
import pytest
from conftest import Server
from http_service import Service
from pydantic import BaseModel, ConfigDict, SecretStr
from reciter import GREETING, REASONING, REPORT
from support import free_port

from model_core import LLM, SamplingParams
from model_core.requests.embedding import EmbeddingParams

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
ASK: dict[str, Any] = {"model": "default", "messages": HELLO}
WILD: dict[str, Any] = {**ASK, "options": {"temperature": 1.0, "seed": 7, "num_predict": 8}}


@pytest.fixture(scope="module")
def client(api: Server) -> Iterator[ollama.Client]:
    """Ollama's client with the address of the service."""
    yield ollama.Client(api.api_url)


@pytest.fixture(scope="module")
def reciting(reciter: Server) -> Iterator[ollama.Client]:
    """The same for the model that reasons and calls tools."""
    yield ollama.Client(reciter.api_url)


def test_answer_is_the_models(client: ollama.Client, llm: LLM) -> None:
    answer, expected = client.chat(**ASK), llm.chat(HELLO)
    assert answer.message.content == expected.text
    assert (answer.model, answer.message.role, answer.done, answer.done_reason) == (
        *("default", "assistant"),
        *(True, "stop"),
    )
    assert answer.prompt_eval_count == expected.usage.prompt_tokens
    assert answer.eval_count == expected.usage.completion_tokens
    durations = answer.total_duration, answer.prompt_eval_duration, answer.eval_duration
    assert all(type(value) is int and value > 0 for value in durations)


def test_stream_joins_to_the_whole_answer(client: ollama.Client) -> None:
    whole, parts = client.chat(**WILD), list(client.chat(**WILD, stream=True))
    assert len(parts) > 1  # pieces that come fast are joined
    assert "".join(part.message.content or "" for part in parts) == whole.message.content != ""
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert (parts[-1].done_reason, parts[-1].eval_count) == ("length", 8)
    assert (whole.done_reason, whole.eval_count) == ("length", 8)


def test_answers_are_streamed_unless_a_client_says_otherwise(api: Server) -> None:
    response = httpx.post(f"{api.api_url}/api/chat", json=ASK, timeout=60)
    assert response.headers["content-type"].startswith("application/x-ndjson")
    assert len(response.text.splitlines()) > 1


def test_options_have_ollamas_names(client: ollama.Client, llm: LLM) -> None:
    options = {"temperature": 1.3, "top_k": 20, "repeat_penalty": 1.2, "seed": 3, "num_predict": 9}
    params = SamplingParams(temperature=1.3, top_k=20, repetition_penalty=1.2, seed=3, max_tokens=9)
    expected = llm.chat(HELLO, params)
    asked = {**ASK, "options": {**options, "num_ctx": 4096, "num_thread": 2}, "keep_alive": "5m"}
    assert client.chat(**asked).message.content == expected.text
    unlimited = client.chat(**{**ASK, "options": {"num_predict": -1}})
    assert unlimited.message.content == client.chat(**ASK).message.content


def test_unknown_options_are_named(api: Server) -> None:
    """As in other bodies. Penalties count all tokens, so the option for that changes nothing without one."""
    options = {"num_predict": 2, "penalize_newline": True, "repeat_last_n": 64, "mood": 1, "num_ctx": 8}
    body = {"model": "default", "messages": HELLO, "stream": False, "options": options}
    answer = httpx.post(f"{api.api_url}/api/chat", json=body)
    assert (answer.status_code, answer.json()["eval_count"]) == (200, 2)
    assert answer.headers["X-Ignored-Fields"] == "options.repeat_last_n, options.mood"


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    certain: bool


def test_answer_has_the_form_that_is_asked_for(client: ollama.Client) -> None:
    answer = client.chat(**ASK, format=Verdict.model_json_schema())
    assert Verdict.model_validate_json(answer.message.content or "")


def test_tools_are_called_and_their_results_answered(reciting: ollama.Client) -> None:
    def get_weather(city: str) -> str:
        """How the weather is in a city."""
        return "Rain."

    question = [{"role": "user", "content": "How is the weather?"}]
    for streamed in (False, True):
        answers = reciting.chat("default", question, tools=[get_weather], stream=streamed)
        messages = [part.message for part in answers] if streamed else [answers.message]
        (call,) = [call for message in messages for call in message.tool_calls or ()]
        assert (call.function.name, call.function.arguments) == ("get_weather", {"city": "Paris"})
    called = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "tool_name": "get_weather", "content": get_weather("Paris")}
    answer = reciting.chat("default", [*question, called, result], tools=[get_weather])
    assert answer.message.content == REPORT


def test_thinking_is_apart_from_the_answer(reciting: ollama.Client) -> None:
    question = [{"role": "user", "content": "Good day"}]
    answer = reciting.chat("default", question, think=True).message
    assert (answer.thinking, answer.content) == (REASONING, GREETING)
    parts = [part.message for part in reciting.chat("default", question, think=True, stream=True)]
    assert "".join(part.thinking or "" for part in parts) == REASONING
    assert "".join(part.content or "" for part in parts) == GREETING


def test_models_are_listed(client: ollama.Client, api: Server) -> None:
    (model,) = client.list().models
    assert (model.model, model.details and model.details.family) == ("embedded", "llama")
    assert model.size and model.digest and model.details
    assert (model.details.format, model.details.parameter_size) == ("safetensors", "5.6M")
    assert client.chat("embedded:latest", HELLO).message.content
    assert set(httpx.get(f"{api.api_url}/api/version").json()) == {"version"}


def test_head_is_get_without_the_body(api: Server) -> None:
    """On one connection, where a body that was sent would be read as the next answer."""
    with httpx.Client(base_url=api.api_url) as web:
        for path in ("/", "/api/tags", "/api/version", "/v1/models", "/docs", "/healthz", "/v1/files"):
            head, full = web.head(path), web.get(path)
            assert (head.status_code, head.content) == (200, b"") and full.content
            for name in ("content-type", "content-length"):
                assert head.headers[name] == full.headers[name]
        assert web.head("/v1/chat/completions").status_code == 405
        assert web.head("/v1/nothing").status_code == 404


def test_head_needs_the_key_that_get_needs(start: Callable[..., Service]) -> None:
    url = start(api_keys=(SecretStr("secret-key-of-sixteen"),)).url
    assert httpx.head(f"{url}/api/tags").status_code == httpx.get(f"{url}/api/tags").status_code == 401
    headers = {"Authorization": "Bearer secret-key-of-sixteen"}
    assert httpx.head(f"{url}/api/tags", headers=headers).status_code == 200


def test_prompts_are_answered_as_chats(client: ollama.Client) -> None:
    expected = client.chat(**ASK).message.content
    assert client.generate("default", "Hello").response == expected
    parts = list(client.generate("default", "Hello", stream=True))
    assert len(parts) > 1 and parts[-1].done and "".join(part.response or "" for part in parts) == expected
    system: dict[str, Any] = {"role": "system", "content": "Be brief."}
    answer = client.generate("default", "Hello", system="Be brief.").response
    assert answer == client.chat("default", [system, *HELLO]).message.content != expected


def test_raw_prompts_are_continued(client: ollama.Client, llm: LLM) -> None:
    expected = llm.generate("Once upon a time", SamplingParams(max_tokens=9))
    answer = client.generate("default", "Once upon a time", raw=True, options={"num_predict": 9})
    assert (answer.response, answer.eval_count, answer.done_reason) == (expected.text, 9, "length")
    verdict = client.generate("default", "Hello", format=Verdict.model_json_schema()).response
    assert Verdict.model_validate_json(verdict or "")


def test_thinking_about_a_prompt_is_apart(reciting: ollama.Client) -> None:
    answer = reciting.generate("default", "Good day", think=True)
    assert (answer.thinking, answer.response) == (REASONING, GREETING)
    parts = list(reciting.generate("default", "Good day", think=True, stream=True))
    assert "".join(part.thinking or "" for part in parts) == REASONING
    assert "".join(part.response or "" for part in parts) == GREETING


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"suffix": "end"}, "suffix is not possible with this model"),
        ({"template": "{{ .Prompt }}"}, "--chat-template"),
        ({"context": [1, 2]}, "/api/chat instead of context"),
        ({"images": [b"png"]}, "sees no images"),
        ({"raw": True, "system": "Be brief."}, "has no system message"),
        ({"top_logprobs": 2}, "top_logprobs needs logprobs"),
    ],
)
def test_refusals_of_prompts_name_the_field(
    client: ollama.Client, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ollama.ResponseError, match=message) as caught:
        client.generate(**{"model": "default", "prompt": "Hello", **fields})
    assert caught.value.status_code == 400


def test_texts_are_embedded(client: ollama.Client, llm: LLM) -> None:
    texts = ["Once upon a time", "there was a fox"]
    expected = llm.embed(texts, EmbeddingParams(normalize=True))
    answer = client.embed("default", texts)
    np.testing.assert_array_equal(np.float32(answer.embeddings), expected)
    assert answer.model == "default" and answer.prompt_eval_count and answer.total_duration
    assert client.embed("default", []).embeddings == []
    (one,) = client.embed("embedded:latest", texts[1], dimensions=8).embeddings
    assert len(one) == 8 and abs(np.linalg.norm(one) - 1) < 1e-6
    old = client.embeddings("default", texts[0]).embedding
    np.testing.assert_array_equal(np.float32(old), llm.embed(texts[:1])[0])
    long = "a fox ran " * 20_000
    assert client.embed("default", long).embeddings
    with pytest.raises(ollama.ResponseError, match="tokens") as caught:
        client.embed("default", long, truncate=False)
    assert caught.value.status_code == 400


def test_clients_learn_what_a_model_is(
    client: ollama.Client, reciting: ollama.Client, api: Server, llm: LLM
) -> None:
    shown = client.show("embedded")
    assert shown.modelinfo and shown.modelinfo["llama.context_length"] == llm.describe()["max_context"]
    assert "message" in (shown.template or "") and shown.details == client.list().models[0].details
    assert {"completion", "embedding"} <= set(shown.capabilities or ())
    assert shown.modelinfo["general.parameter_count"] == llm.describe()["parameters"]
    assert (shown.modelfile or "").startswith("FROM embedded\nTEMPLATE")
    assert {"tools", "thinking"} <= set(reciting.show("default").capabilities or ())
    (loaded,) = client.ps().models
    assert (loaded.model, loaded.context_length) == ("embedded", llm.describe()["max_context"])
    assert loaded.expires_at is not None and loaded.expires_at.year == 1  # it stays
    for body, status in (({"name": "default"}, 200), ({}, 400), ({"model": "other"}, 404)):
        assert httpx.post(f"{api.api_url}/api/show", json=body).status_code == status


def test_log_probabilities(client: ollama.Client) -> None:
    asked = {**ASK, "logprobs": True, "top_logprobs": 2}
    whole, parts = client.chat(**asked), list(client.chat(**asked, stream=True))
    assert whole.logprobs is not None and len(whole.logprobs) == whole.eval_count
    assert all(len(entry.top_logprobs or ()) == 2 for entry in whole.logprobs)
    assert [entry for part in parts for entry in part.logprobs or ()] == whole.logprobs
    text = "".join(entry.token for entry in whole.logprobs)
    assert text.strip().startswith((whole.message.content or "").strip())


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"model": "llama3.2"}, 404, "there is no model 'llama3.2' here"),
        ({"options": {"temperature": 3.0}}, 400, "options.temperature must be between 0 and 2, not 3.0"),
        ({"options": {"num_predict": 2.5}}, 400, r"options\.num_predict must be .*, not 2.5"),
        ({"options": {"tfs_z": 0.5}}, 400, "tfs_z is not supported: send min_p"),
        ({"options": {"repeat_last_n": 64, "repeat_penalty": 1.1}}, 400, "repeat_last_n is not supported"),
        ({"messages": [{**HELLO[0], "images": [b"png"]}]}, 400, "sees no images"),
        ({"messages": [{"role": "robot", "content": ""}]}, 400, r"messages\[0\].role"),
        ({"format": {"type": "no type"}}, 400, "the JSON schema cannot be used: type is 'no type'"),
        ({"top_logprobs": 2}, 400, "top_logprobs needs logprobs"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_refusals_name_the_field(
    client: ollama.Client, fields: dict[str, Any], status: int, message: str, streamed: bool
) -> None:
    with pytest.raises(ollama.ResponseError, match=message) as caught:
        list(client.chat(**{**ASK, **fields}, stream=streamed))
    assert caught.value.status_code == status


def test_errors_of_all_layers_have_ollamas_form(start: Callable[..., Service]) -> None:
    service = start(api_keys=[SecretStr("key")], max_body_bytes=500)
    for key, content, status in (("wrong", "Hello", 401), ("key", "a " * 250, 413), ("key", "Hello", 200)):
        client = ollama.Client(service.url, headers={"Authorization": f"Bearer {key}"})
        if status == 200:
            assert client.chat("default", HELLO).message.content
            continue
        with pytest.raises(ollama.ResponseError) as caught:
            client.chat("default", [{"role": "user", "content": content}])
        assert caught.value.status_code == status and isinstance(caught.value.error, str)


def test_the_service_listens_at_ollamas_port_too(start: Callable[..., Service]) -> None:
    port = free_port()
    service = start(process=True, ollama_port=port)
    answers = {
        ollama.Client(url).chat(**ASK).message.content for url in (service.url, f"http://127.0.0.1:{port}")
    }
    assert len(answers) == 1


def test_requests_without_a_question_load_the_model(client: ollama.Client) -> None:
    for answer in (
        client.chat("default", []),
        client.generate("default"),
        *client.chat("default", stream=True),
    ):
        assert (answer.done, answer.done_reason, answer.eval_count) == (True, "load", None)
    with pytest.raises(ollama.ResponseError, match="--keep-alive"):
        client.generate("default", keep_alive=0)
    with pytest.raises(ollama.ResponseError, match="there is no model"):
        client.generate("other")
