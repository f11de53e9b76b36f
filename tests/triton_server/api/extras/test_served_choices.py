"""Choosing among answers, and log probabilities of prompts: over gRPC and HTTP, and under attack."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import openai
import pytest
from conftest import Server
from pytriton.client import ModelClient
from support import wait_until

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.errors import InvalidRequest, QueueFull, RequestTimeout
from model_core.llm.choose import make_choice_jobs
from model_core.requests.choices import Choices
from model_core.requests.messages import DEFAULT_FIELDS
from model_core.requests.results import Completion, Delta, TokenLogprob
from triton_server.client import ChatClient
from triton_server.engine.models.pending_choices import PendingChoices

QUESTION = [{"role": "user", "content": "Is the sky blue?"}]
ANSWERS = ["Yes.", "No, it is green.", "I do not know."]
TEXT = "Once upon a time there was a little bear."


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def logprobs_of(entries: list[TokenLogprob]) -> list[float]:
    return [entry.logprob for entry in entries]


def test_choices_over_grpc(client: ChatClient, llm: LLM) -> None:
    expected = llm.choose(QUESTION, ANSWERS, calibrate=True)
    answer = client.chat(QUESTION, choices=ANSWERS, calibrate=True)
    assert answer.text == min(expected, key=lambda choice: choice.rank).text
    assert answer.finish_reason == "stop"
    lengths = [len(choice.tokens) for choice in expected]
    assert answer.usage["prompt_tokens"] == len(llm.encode_chat(QUESTION).token_ids)
    assert answer.usage["completion_tokens"] == sum(lengths)
    for found, choice in zip(answer.details["choices"], expected, strict=True):
        assert {**found, "tokens": choice.tokens} == vars(choice)
        assert [token["logprob"] for token in found["tokens"]] == logprobs_of(choice.tokens)
        assert "".join(token["token"] for token in found["tokens"]) == choice.text
    plain = client.choose(QUESTION, ANSWERS)
    assert [choice["perplexity"] for choice in plain] == [choice.perplexity for choice in expected]
    with client.stream("The sky is", choices=[" blue", " green"]) as stream:
        assert "".join(stream) in (" blue", " green")
        assert stream.answer is not None and len(stream.answer.details["choices"]) == 2


def test_choices_through_pytritons_client(server: Server, llm: LLM) -> None:
    tensors = [
        np.frombuffer(json.dumps(value).encode(), np.uint8) for value in (QUESTION, {"choices": ANSWERS})
    ]
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        details = json.loads(client.infer_sample(*tensors)["details"][0])
    assert [c["rank"] for c in details["choices"]] == [c.rank for c in llm.choose(QUESTION, ANSWERS)]


def test_choices_over_http(web: httpx.Client, llm: LLM) -> None:
    body = {"model": "default", "messages": QUESTION, "choices": ANSWERS}
    answer = web.post("/v1/choose", json=body).json()
    expected = llm.choose(QUESTION, ANSWERS)
    assert (answer["object"], answer["model"]) == ("list", "embedded")
    for index, (found, choice) in enumerate(zip(answer["data"], expected, strict=True)):
        assert (found["object"], found["index"], found["text"]) == ("choice", index, choice.text)
        assert (found["rank"], found["perplexity"]) == (choice.rank, choice.perplexity)
        assert found["logprob"] == pytest.approx(sum(found["token_logprobs"]))
        assert found["token_ids"] == [entry.token_id for entry in choice.tokens]
        assert "".join(found["tokens"]) == choice.text
    assert answer["usage"]["completion_tokens"] == sum(len(choice.tokens) for choice in expected)
    raw = {"prompt": "The sky is", "choices": [" blue", " green"], "calibrate": True}
    ranks = [choice.rank for choice in llm.choose("The sky is", [" blue", " green"], calibrate=True)]
    assert [found["rank"] for found in web.post("/v1/choose", json=raw).json()["data"]] == ranks


@pytest.mark.parametrize(
    ("changes", "param", "sentence"),
    [
        ({"choices": None}, "choices", "choices is missing."),
        ({"choices": []}, "choices", "choices must be a list of 1 or more"),
        ({"choices": ["a"] * 1000}, "choices", "choices must be a list of 128 or fewer"),
        ({"choices": ["a", ""]}, "choices[1]", "choices[1] must be a string of 1 or more characters"),
        ({"choices": ["a", 5]}, "choices[1]", "choices[1] must be a string, not 5."),
        ({"choices": "a"}, "choices", "choices must be a list"),
        ({"choices": ["a", "no " * 5000]}, "choices[1]", "maximum context length"),
        ({"calibrate": "yes"}, "calibrate", "calibrate must be true or false"),
        ({"prompt": "Hello"}, "messages", "send either messages or prompt."),
        ({"messages": None}, "messages", "send either messages or prompt."),
        ({"messages": []}, "messages", "messages"),
        ({"messages": None, "prompt": ""}, "messages", "messages is empty"),
        ({"model": "nobody"}, "model", "there is no model 'nobody' here"),
    ],
)
def test_wrong_requests_are_refused_in_one_sentence(
    web: httpx.Client, changes: dict[str, Any], param: str, sentence: str
) -> None:
    response = web.post("/v1/choose", json={"messages": QUESTION, "choices": ANSWERS, **changes})
    assert response.status_code == (404 if param == "model" else 400)
    error = response.json()["error"]
    assert error["param"] == param
    assert sentence in error["message"] and error["message"].count("\n") == 0


def test_wrong_parameters_over_grpc(client: ChatClient) -> None:
    for parameters, sentence in (
        ({"choices": []}, "choices must be a list of 1 or more"),
        ({"choices": ["a"] * 1000}, "choices must be a list of 128 or fewer"),
        ({"echo": True}, "echo needs a raw prompt"),
        ({"prompt_logprobs": -1}, "prompt_logprobs must be between 0 and 20"),
        ({"prompt_logprobs": True}, "prompt_logprobs must be a whole number"),
    ):
        with pytest.raises(InvalidRequest, match=sentence):
            client.chat(QUESTION, **parameters)


def test_log_probabilities_of_a_prompt_over_grpc(client: ChatClient, llm: LLM) -> None:
    ids = llm.encode(TEXT)
    expected = llm.log_probabilities(ids, top=2)
    answer = client.chat(TEXT, prompt_logprobs=2, max_tokens=0)
    assert (answer.text, answer.finish_reason) == ("", "length")
    first, *others = answer.details["prompt_logprobs"]
    assert (first["token_id"], first["logprob"], first["rank"]) == (ids[0], None, None)
    assert [entry["logprob"] for entry in others] == logprobs_of(expected)
    assert [entry["rank"] for entry in others] == [entry.rank for entry in expected]
    assert all(len(entry["top_logprobs"]) == 2 for entry in others)
    with client.stream(QUESTION, prompt_logprobs=0, max_tokens=20, seed=1) as stream:
        text = "".join(stream)
    prompt = llm.encode_chat(QUESTION).token_ids
    assert stream.answer is not None
    scores = [entry["logprob"] for entry in stream.answer.details["prompt_logprobs"][1:]]
    assert scores == logprobs_of(llm.log_probabilities(prompt))
    assert text == client.chat(QUESTION, max_tokens=20, seed=1).text


def test_prompt_logprobs_as_vllm_has_them(web: httpx.Client, llm: LLM) -> None:
    body = {
        "model": "default",
        "prompt": [llm.encode(TEXT), llm.encode("The sky is")],
        "max_tokens": 3,
        "seed": 1,
    }
    plain = web.post("/v1/completions", json=body).json()
    asked = web.post("/v1/completions", json={**body, "prompt_logprobs": 1}).json()
    for prompt, choice, other in zip(body["prompt"], asked["choices"], plain["choices"], strict=True):
        first, *positions = choice.pop("prompt_logprobs")
        assert first is None and choice == other
        for entry, position in zip(llm.log_probabilities(prompt, top=1), positions, strict=True):
            found = position[str(entry.token_id)]
            assert (found["logprob"], found["rank"]) == (entry.logprob, entry.rank)
            assert position[str(entry.top[0][0])]["rank"] == 1
            assert len(position) == (1 if entry.rank == 1 else 2)
    chat = web.post(
        "/v1/chat/completions",
        json={"model": "default", "messages": QUESTION, "max_tokens": 0, "prompt_logprobs": 0},
    ).json()
    ids = llm.encode_chat(QUESTION).token_ids
    assert chat["choices"][0]["message"]["content"] == ""
    assert [list(position) for position in chat["prompt_logprobs"][1:]] == [[str(token)] for token in ids[1:]]


@pytest.mark.parametrize("path", ["completions", "chat/completions"])
def test_a_stream_has_no_prompt_logprobs(web: httpx.Client, path: str) -> None:
    body = {"model": "default", "messages": QUESTION, "prompt": TEXT, "prompt_logprobs": 0, "stream": True}
    error = web.post(f"/v1/{path}", json=body).json()["error"]
    assert (error["param"], error["code"]) == ("prompt_logprobs", "unsupported")


@pytest.mark.parametrize("path", ["stream", "v1/responses", "v1/messages"])
def test_other_forms_of_answers_have_no_place_for_them(web: httpx.Client, path: str) -> None:
    body = {"prompt": TEXT, "input": TEXT, "messages": QUESTION, "max_tokens": 5, "model": "default"}
    if path == "v1/responses":
        del body["messages"], body["prompt"]
    response = web.post(f"/{path}", json={**body, "prompt_logprobs": 0})
    assert response.status_code == 400 and "no place for prompt_logprobs" in response.text


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("max_tokens", [0, 5])
def test_echo_with_logprobs(api: Server, llm: LLM, streamed: bool, max_tokens: int) -> None:
    ids = llm.encode(TEXT)
    params = SamplingParams(max_tokens=max_tokens, temperature=0, ignore_eos=True, logprobs=1)
    expected = llm.generate(ids, params)
    asked = {"max_tokens": max_tokens, "temperature": 0, "logprobs": 1, "extra_body": {"ignore_eos": True}}
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as gpt:
        for prompt in (TEXT, ids):
            answer = gpt.completions.create(
                model="default", prompt=prompt, echo=True, stream=streamed, **asked
            )
            parts = [part.choices[0] for part in answer] if streamed else answer.choices
            assert "".join(part.text for part in parts) == TEXT + expected.text
            parts = [part.logprobs for part in parts if part.logprobs is not None]
            tokens = [token for part in parts for token in part.tokens]
            logprobs = [value for part in parts for value in part.token_logprobs]
            offsets = [offset for part in parts for offset in part.text_offset]
            tops = [top for part in parts for top in part.top_logprobs]
            assert "".join(tokens) == TEXT + expected.text
            assert offsets == [len("".join(tokens[:number])) for number in range(len(tokens))]
            assert (logprobs[0], tops[0]) == (None, None)
            scores = [*llm.log_probabilities(ids), *expected.logprobs]
            assert logprobs[1:] == logprobs_of(scores)
            for entry, top in zip(scores, tops[1:], strict=True):
                assert (max(top.values()) == entry.logprob) == (entry.rank == 1)  # the greedy flag


def test_echo_without_logprobs_repeats_the_text(web: httpx.Client, llm: LLM) -> None:
    body = {"model": "default", "prompt": [TEXT, "The sky is"], "max_tokens": 4, "seed": 3, "n": 2}
    plain = web.post("/v1/completions", json=body).json()["choices"]
    echoed = web.post("/v1/completions", json={**body, "echo": True}).json()["choices"]
    for number, (one, other) in enumerate(zip(plain, echoed, strict=True)):
        assert other["text"] == body["prompt"][number // 2] + one["text"]
        assert other["logprobs"] is None


def test_choices_are_cancelled_and_time_out(endless: Server) -> None:
    """In the middle of a long prompt; then the engine is free."""
    prompt = [5] * 40_000
    with ChatClient(endless.grpc_url) as client:
        with pytest.raises(RequestTimeout, match=r"timeout_s of 0\.5 s passed"):
            client.choose(prompt, ANSWERS, timeout_s=0.5)
        wait_until(lambda: client.stats()["running"] == 0)  # the one that timed out counts until then
        answers: list[Any] = []

        def ask() -> None:
            answers.append(client.chat(prompt, choices=ANSWERS, request_id="long"))

        thread = threading.Thread(target=ask)
        thread.start()
        wait_until(lambda: client.stats()["running"] > 0)
        assert client.cancel("long")
        thread.join(60)
        (answer,) = answers
        assert (answer.text, answer.finish_reason) == ("", "cancelled") and "choices" not in answer.details
        wait_until(lambda: client.stats()["running"] == 0)
        assert client.stats()["waiting"] == 0
        assert not client.cancel("long")


def test_choices_that_the_queue_has_no_room_for_are_refused_together(endless_model: Path) -> None:
    """None of them goes on, and a neighbour gets the answer that it gets alone."""
    params = SamplingParams(max_tokens=300, temperature=1, seed=2)
    with LLM(endless_model, max_concurrency=2, max_queue=2) as llm:
        expected = llm.generate(TEXT, params).text
        deltas: list[Delta] = []
        llm.engine.submit(Job(llm.encode(TEXT), params.with_defaults(llm.defaults)), deltas.append)
        ended: list[list[Completion]] = []
        jobs = make_choice_jobs(llm, TEXT * 100, DEFAULT_FIELDS, Choices(choices=ANSWERS * 2))
        with pytest.raises(QueueFull, match="the server is full"):
            PendingChoices(llm.engine, ended.append).submit(jobs, "many")
        wait_until(lambda: llm.engine.stats()["running"] + llm.engine.stats()["waiting"] == 0)
        assert ended == [] and llm.engine.stats()["kv_pages"]["used"] == 0
        assert deltas[-1].completion is not None and deltas[-1].completion.text == expected
        PendingChoices(llm.engine, ended.append).submit(jobs[:3], "few")
        wait_until(lambda: len(ended) == 1)
        assert len(ended[0]) == 3
