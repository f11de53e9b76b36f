"""OpenAI's API, with OpenAI's client, LangChain's client, and plain HTTP."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from conftest import Server
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.completion import Completion

from model_core import LLM, SamplingParams
from triton_server.client import ChatClient

HELLO = [{"role": "user", "content": "Hello"}]
WILD: dict[str, Any] = {
    "temperature": 2.0,
    "seed": 7,
    "max_tokens": 40,
    "extra_body": {"ignore_eos": True},
}


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    """OpenAI's client with the address of the service."""
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def text_of(chunks: list[ChatCompletionChunk], index: int = 0) -> str:
    choices = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
    return "".join(choice.delta.content or "" for choice in choices)


def test_example_of_the_openai_client(gpt: openai.OpenAI, llm: LLM) -> None:
    completion = gpt.chat.completions.create(model="embedded", messages=HELLO)
    expected = llm.chat(HELLO)
    (choice,) = completion.choices
    assert choice.message.content == expected.text
    assert (choice.index, choice.message.role, choice.finish_reason) == (0, "assistant", "stop")
    assert completion.id.startswith("chatcmpl-")
    assert completion.model == "embedded"
    assert completion.system_fingerprint == llm.fingerprint
    assert completion.usage is not None
    assert completion.usage.prompt_tokens == expected.usage.prompt_tokens
    assert (
        completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens
    )
    ChatCompletion.model_validate(completion.model_dump(), strict=True)


def test_stream_joins_to_the_full_answer(gpt: openai.OpenAI) -> None:
    whole = gpt.chat.completions.create(model="default", messages=HELLO, **WILD)
    chunks = list(
        gpt.chat.completions.create(
            model="default", messages=HELLO, stream=True, stream_options={"include_usage": True}, **WILD
        )
    )
    assert text_of(chunks) == whole.choices[0].message.content != ""
    *told, usage = chunks
    assert len({(chunk.id, chunk.created, chunk.model, chunk.object) for chunk in chunks}) == 1
    assert told[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in told[:-1]] == [None] * (len(told) - 1)
    assert told[-1].choices[0].finish_reason == whole.choices[0].finish_reason
    assert all(chunk.usage is None for chunk in told)
    assert usage.choices == []
    assert usage.usage is not None and whole.usage is not None
    assert usage.usage.completion_tokens == whole.usage.completion_tokens
    assert usage.usage.prompt_tokens_details is not None
    assert usage.usage.prompt_tokens_details.cached_tokens == usage.usage.prompt_tokens - 1
    for chunk in chunks:
        ChatCompletionChunk.model_validate(chunk.model_dump(), strict=True)


def test_stream_consists_of_server_sent_events(web: httpx.Client) -> None:
    body = {"model": "default", "messages": HELLO, "stream": True}
    with web.stream("POST", "/v1/chat/completions", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = list(response.iter_lines())
    events = [line for line in lines if line and line[0] != ":"]  # comments keep a slow stream alive
    assert lines[1::2] == [""] * (len(lines) // 2)
    assert all(event.startswith("data: ") for event in events)
    assert events[-1] == "data: [DONE]"
    assert all("usage" not in json.loads(event[6:]) for event in events[:-1])


@pytest.mark.parametrize("streamed", [False, True])
def test_n_answers_have_consecutive_seeds(gpt: openai.OpenAI, streamed: bool) -> None:
    alone = [
        gpt.chat.completions.create(model="default", messages=HELLO, **{**WILD, "seed": 7 + i})
        for i in range(5)
    ]
    expected = [one.choices[0].message.content for one in alone]
    assert len(set(expected)) > 1
    if streamed:
        chunks = list(
            gpt.chat.completions.create(
                model="default",
                messages=HELLO,
                n=5,
                stream=True,
                stream_options={"include_usage": True},
                **WILD,
            )
        )
        assert [text_of(chunks, index) for index in range(5)] == expected
        usage = chunks[-1].usage
    else:
        together = gpt.chat.completions.create(model="default", messages=HELLO, n=5, **WILD)
        assert [choice.message.content for choice in together.choices] == expected
        usage = together.usage
    assert usage is not None
    assert usage.prompt_tokens == alone[0].usage.prompt_tokens
    assert usage.completion_tokens == sum(one.usage.completion_tokens for one in alone)


def test_answers_without_a_seed_differ_unless_temperature_is_0(gpt: openai.OpenAI) -> None:
    def ask(**parameters: Any) -> set[str | None]:
        answers = [
            gpt.completions.create(model="default", prompt="Once", max_tokens=60, **parameters)
            for _ in range(4)
        ]
        return {answer.choices[0].text for answer in answers}

    assert len(ask(temperature=2)) > 1
    assert len(ask(temperature=2, seed=3)) == 1
    assert len(ask(temperature=0)) == 1


@pytest.mark.parametrize("streamed", [False, True])
def test_every_answer_names_its_seed(web: httpx.Client, streamed: bool) -> None:
    body = {"messages": HELLO, "temperature": 2, "max_tokens": 30, "n": 2}

    def ask(**more: Any) -> dict[int, tuple[int, str]]:
        """The seed and the text of each answer."""
        response = web.post("/v1/chat/completions", json={**body, "stream": streamed, **more})
        if not streamed:
            return {c["index"]: (c["seed"], c["message"]["content"]) for c in response.json()["choices"]}
        lines = [line[6:] for line in response.text.split("\n") if line.startswith("data: {")]
        choices = [json.loads(line)["choices"][0] for line in lines]
        texts = {0: "", 1: ""}
        for choice in choices:
            texts[choice["index"]] += choice["delta"].get("content", "")
        return {c["index"]: (c["seed"], texts[c["index"]]) for c in choices if c["finish_reason"]}

    answers = ask()
    assert answers[1][0] == answers[0][0] + 1
    assert ask(seed=answers[0][0]) == answers
    assert ask(seed=7)[0][0] == 7


def test_stop_strings_and_limits(gpt: openai.OpenAI) -> None:
    def ask(**parameters: Any) -> Any:
        return gpt.completions.create(
            model="default", prompt="Once upon a time", extra_body={"ignore_eos": True}, **parameters
        ).choices[0]

    text = ask(max_tokens=60).text
    for stop in (text[10:14], ["never said", text[10:14]]):
        stopped = ask(max_tokens=60, stop=stop)
        assert stopped.text == text[: text.index(text[10:14])]
        assert stopped.finish_reason == "stop"
    assert ask(max_tokens=5).finish_reason == "length"
    both = gpt.chat.completions.create(model="default", messages=HELLO, max_tokens=9, max_completion_tokens=2)
    assert both.usage is not None and both.usage.completion_tokens == 2


def test_penalties_bias_and_own_parameters(gpt: openai.OpenAI, llm: LLM) -> None:
    token = llm.encode("Hello")[0]
    given: list[dict[str, Any]] = [
        {"frequency_penalty": 1.5, "presence_penalty": 0.5},
        {"logit_bias": {str(token): -100}},
        {"extra_body": {"repetition_penalty": 1.4, "top_k": 3, "min_p": 0.1}, "temperature": 0.9, "seed": 1},
        {"extra_body": {"typical_p": 0.5}, "temperature": 1, "seed": 2},
        {"extra_body": {"mirostat": 2, "mirostat_tau": 3, "mirostat_eta": 0.2}, "temperature": 1, "seed": 3},
        {"extra_body": {"min_tokens": 25, "bad_words": ["Hello"]}, "temperature": 1, "seed": 4},
        {
            "extra_body": {"stop_token_ids": [token], "include_stop_str_in_output": True},
            "temperature": 1,
            "seed": 5,
        },
        {"extra_body": {"allowed_token_ids": [token, token + 1]}, "temperature": 1, "seed": 6},
        {"top_p": 0.5, "temperature": 1.1, "seed": 2},
    ]
    for parameters in given:
        answer = gpt.chat.completions.create(model="default", messages=HELLO, max_tokens=30, **parameters)
        flat = {**parameters, **parameters.get("extra_body", {})}
        flat.pop("extra_body", None)
        expected = llm.chat(HELLO, SamplingParams(max_tokens=30, **flat))
        assert answer.choices[0].message.content == expected.text


def test_token_ids_of_full_and_streamed_answers(gpt: openai.OpenAI, llm: LLM) -> None:
    """With the fields of vLLM."""
    asked: Any = {"model": "default", "max_tokens": 15, "seed": 1, "extra_body": {"return_token_ids": True}}
    expected = llm.chat(HELLO, SamplingParams(max_tokens=15, seed=1)).token_ids
    prompt = llm.encode_chat(HELLO).token_ids
    whole = gpt.chat.completions.create(messages=HELLO, **asked).to_dict()
    assert (whole["choices"][0]["token_ids"], whole["prompt_token_ids"]) == (expected, prompt)
    chunks = [c.to_dict() for c in gpt.chat.completions.create(messages=HELLO, stream=True, **asked)]
    assert [token for c in chunks for token in c["choices"][0].get("token_ids", [])] == expected
    assert [c["prompt_token_ids"] for c in chunks if "prompt_token_ids" in c] == [prompt]

    texts = ["Once", "One day"]
    choices = gpt.completions.create(prompt=texts, **asked).to_dict()["choices"]
    answers = llm.generate(texts, [SamplingParams(max_tokens=15, seed=1)] * 2)
    assert [choice["token_ids"] for choice in choices] == [answer.token_ids for answer in answers]
    assert [choice["prompt_token_ids"] for choice in choices] == [llm.encode(text) for text in texts]
    plain = gpt.completions.create(prompt="Once", model="default", max_tokens=2).to_dict()
    assert "token_ids" not in plain["choices"][0]


def test_log_probabilities_of_full_and_streamed_answers(gpt: openai.OpenAI) -> None:
    asked = {"model": "default", "messages": HELLO, "logprobs": True, "top_logprobs": 3, **WILD}
    whole = gpt.chat.completions.create(**asked).choices[0].logprobs
    assert whole is not None and whole.content is not None
    chunks = list(gpt.chat.completions.create(stream=True, **asked))
    told = [chunk.choices[0].logprobs for chunk in chunks if chunk.choices[0].logprobs is not None]
    assert [entry for one in told for entry in one.content or []] == whole.content
    for entry in whole.content:
        assert len(entry.top_logprobs) == 3
        # A token may be a part of a character.
        assert entry.bytes is None or bytes(entry.bytes).decode(errors="replace") == entry.token
    bare = gpt.chat.completions.create(**{**asked, "top_logprobs": None}).choices[0].logprobs
    assert bare is not None and bare.content is not None
    assert [entry.top_logprobs for entry in bare.content] == [[]] * len(whole.content)


def test_log_probabilities_of_a_completion(gpt: openai.OpenAI) -> None:
    asked = {"model": "default", "prompt": "Hello", "logprobs": 2, "max_tokens": 20}
    whole = gpt.completions.create(**asked).choices[0]
    chunks = list(gpt.completions.create(stream=True, **asked))
    told = [chunk.choices[0].logprobs for chunk in chunks if chunk.choices[0].logprobs is not None]
    assert whole.logprobs is not None and whole.logprobs.tokens is not None
    for name in ("tokens", "token_logprobs", "text_offset", "top_logprobs"):
        assert [value for one in told for value in getattr(one, name)] == getattr(whole.logprobs, name)
    for token, offset in zip(whole.logprobs.tokens[:5], whole.logprobs.text_offset or [], strict=False):
        assert whole.text[offset:].startswith(token)


def test_all_forms_of_prompts(gpt: openai.OpenAI, llm: LLM) -> None:
    texts = ["Once upon a time", "Hello"]
    ids = [llm.encode(text) for text in texts]
    expected = [llm.generate(text, SamplingParams(max_tokens=15)).text for text in texts]

    def ask(prompt: Any, **parameters: Any) -> list[str]:
        answer = gpt.completions.create(model="default", prompt=prompt, max_tokens=15, **parameters)
        assert answer.id.startswith("cmpl-")
        Completion.model_validate(answer.model_dump(), strict=True)
        assert [choice.index for choice in answer.choices] == list(range(len(answer.choices)))
        return [choice.text for choice in answer.choices]

    assert ask(texts[0]) == ask(ids[0]) == expected[:1]
    assert ask(texts) == ask(ids) == expected
    assert ask(texts, n=2) == [expected[0], expected[0], expected[1], expected[1]]
    chunks = gpt.completions.create(model="default", prompt=texts, max_tokens=15, stream=True)
    streamed = ["", ""]
    for chunk in chunks:
        streamed[chunk.choices[0].index] += chunk.choices[0].text
    assert streamed == expected


def test_all_kinds_of_messages(gpt: openai.OpenAI, llm: LLM) -> None:
    messages: list[Any] = [
        {"role": "developer", "content": "You are brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]},
        {"role": "assistant", "content": "Hello!", "tool_calls": None, "refusal": None, "name": "Tiny"},
        {"role": "user", "content": "Who are you?", "name": "Ada"},
    ]
    expected = llm.chat(
        [
            {"role": "system", "content": "You are brief."},
            {"role": "user", "content": "Hello\nthere"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "Who are you?"},
        ]
    )
    answer = gpt.chat.completions.create(model="default", messages=messages)
    assert answer.choices[0].message.content == expected.text


def test_fields_without_effect_are_accepted(gpt: openai.OpenAI) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    answer = gpt.chat.completions.create(
        model="default",
        messages=HELLO,
        tools=[tool],
        tool_choice="none",
        response_format={"type": "text"},
        modalities=["text"],
        user="ada",
        store=True,
        metadata={"a": "b"},
        stop=None,
        extra_body={"nonsense": [1, 2], "temperature": None, "n": None},
    )
    assert answer.choices[0].message.content


def test_models(gpt: openai.OpenAI) -> None:
    (model,) = gpt.models.list().data
    assert (model.id, model.owned_by) == ("embedded", "tritonchat")
    assert gpt.models.retrieve("embedded") == gpt.models.retrieve("default") == model
    with pytest.raises(openai.NotFoundError, match="embedded") as raised:
        gpt.chat.completions.create(model="gpt-4o", messages=HELLO)
    assert (raised.value.code, raised.value.param) == ("model_not_found", "model")


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
TOOLS = [{"type": "function", "function": {"name": "f"}}]
WRONG_CHATS: list[tuple[dict[str, Any], int, str | None]] = [
    ({"temperature": 9}, 400, "temperature"),
    ({"temperature": "hot"}, 400, "temperature"),
    ({"max_tokens": -1}, 400, "max_tokens"),
    ({"max_tokens": 2.5}, 400, "max_tokens"),
    ({"seed": 2**70}, 400, "seed"),
    ({"n": 0}, 400, "n"),
    ({"n": 100_000}, 400, "n"),
    ({"n": True}, 400, "n"),
    ({"stop": [""]}, 400, "stop"),
    ({"stop": 5}, 400, None),
    ({"logit_bias": {"x": 1}}, 400, None),
    ({"logit_bias": {"99999999": 1}}, 400, None),
    ({"top_logprobs": 3}, 400, "top_logprobs"),
    ({"stream": False, "stream_options": {"include_usage": True}}, 400, "stream_options"),
    ({"logprobs": True, "top_logprobs": 21}, 400, "top_logprobs"),
    ({"messages": []}, 400, None),
    ({"messages": "Hello"}, 400, "messages"),
    ({"messages": [{"role": "wizard", "content": "x"}]}, 400, "messages[0].role"),
    ({"messages": [{"role": "user"}]}, 400, "messages[0]"),
    (
        {"messages": [{"role": "assistant", "tool_calls": TOOLS}]},
        400,
        "messages[0].tool_calls[0].id",
    ),
    ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, 400, "tool_choice"),
    ({"tools": [{"function": {"name": "f"}}]}, 400, "tools[0].type"),
    ({"tools": [{"type": "web_search"}], "tool_choice": "required"}, 400, "tool_choice"),
    ({"messages": [{"role": "user", "content": [IMAGE]}]}, 400, "messages[0].content[0].image_url"),
    ({"messages": [{"role": "user", "content": "half a fox \ud83e"}]}, 400, None),
    ({"messages": [{"role": "user", "content": "word " * 5000}]}, 400, None),
    ({"messages": HELLO * 1001}, 400, "messages"),
    ({"functions": TOOLS, "function_call": "auto"}, 400, "functions[0].name"),
    ({"modalities": ["text", "audio"]}, 400, "modalities"),
    ({"prompt_logprobs": -1}, 400, "prompt_logprobs"),
    ({"prompt_logprobs": 21}, 400, "prompt_logprobs"),
    ({"prompt_logprobs": True}, 400, "prompt_logprobs"),
    ({"timeout_s": 0}, 408, None),
]
WRONG_COMPLETIONS: list[tuple[dict[str, Any], int, str | None]] = [
    ({"prompt": ""}, 400, None),
    ({"prompt": []}, 400, None),
    ({"prompt": [[]]}, 400, None),
    ({"prompt": [""]}, 400, None),
    ({"prompt": 5}, 400, None),
    ({"prompt": [1, "a"]}, 400, None),
    ({"prompt": [10**9]}, 400, None),
    ({"prompt": ["x"] * 1000}, 400, "n"),
    ({"echo": True, "form": {"regex": "a"}}, 400, "echo"),
    ({"echo": True, "response_format": {"type": "json_object"}}, 400, "echo"),
    ({"echo": "yes"}, 400, "echo"),
    ({"prompt_logprobs": -1}, 400, "prompt_logprobs"),
    ({"prompt_logprobs": 21}, 400, "prompt_logprobs"),
    ({"prompt_logprobs": True}, 400, "prompt_logprobs"),
    ({"suffix": "the end"}, 400, "suffix"),
    ({"best_of": 3}, 400, "best_of"),
    ({"logprobs": 21}, 400, "logprobs"),
]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("path", "changes", "status", "param"),
    [("chat/completions", *wrong) for wrong in WRONG_CHATS]
    + [("completions", *wrong) for wrong in WRONG_COMPLETIONS],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, dict) else None,
)
def test_errors_have_openais_form(
    web: httpx.Client, path: str, changes: dict[str, Any], status: int, param: str | None, streamed: bool
) -> None:
    body = {"model": "default", "messages": HELLO, "prompt": "Hello", "stream": streamed, **changes}
    content = json.dumps(body).encode()
    response = web.post(f"/v1/{path}", content=content, headers={"Content-Type": "application/json"})
    if streamed and "timeout_s" in changes and response.status_code == 200:
        # It was accepted before its time was over: then the error is an event.
        answer = json.loads(response.text.removeprefix("data: "))
    else:
        assert response.status_code == status, response.text
        answer = response.json()
    assert set(answer) == {"error"}
    error = answer["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert len(error["message"]) > 10
    if param is not None:
        assert error["param"] == param


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", "/v1/chat/completions", b"{", 400),
        ("POST", "/v1/chat/completions", b"\xff\xfe", 400),
        ("POST", "/v1/chat/completions", b"[" * 100_000, 400),
        ("POST", "/v1/chat/completions", b"", 400),
        ("POST", "/v1/chat/completions", b"[]", 400),
        ("POST", "/v1/chat/completions", b'{"model": "default", "temperature": NaN, "messages": []}', 400),
        ("POST", "/v1/chat/completions", b'{"seed": 1' + b"0" * 10_000 + b"}", 400),
        ("GET", "/v1/chat/completions", b"", 405),
        ("GET", "/v1/models/nobody/has-this", b"", 404),
        ("GET", "/v3/models", b"", 404),
    ],
)
def test_errors_of_malformed_bodies_have_openais_form(
    web: httpx.Client, method: str, path: str, content: bytes, status: int
) -> None:
    response = web.request(method, path, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == status, response.text
    assert set(response.json()["error"]) == {"message", "type", "param", "code"}


def test_openai_client_raises_its_own_errors(gpt: openai.OpenAI, client: ChatClient) -> None:
    with pytest.raises(openai.BadRequestError, match="temperature must be between 0 and 2"):
        gpt.chat.completions.create(model="default", messages=HELLO, temperature=3)
    with pytest.raises(openai.BadRequestError, match="--max-context") as raised:
        gpt.completions.create(model="default", prompt="word " * 5000, stream=True)
    assert raised.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError, match="messages"):
        gpt.chat.completions.create(model="default", messages=None)  # type: ignore[call-overload]


def test_langchain_client(api: Server, llm: LLM) -> None:
    # Imported here because that takes nearly a second.
    from langchain_core.messages import HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model="embedded", base_url=f"{api.api_url}/v1", api_key="none", temperature=0)
    messages = [SystemMessage("You are Tiny."), HumanMessage("Hello")]
    expected = llm.chat(
        [{"role": "system", "content": "You are Tiny."}, {"role": "user", "content": "Hello"}]
    ).text
    answer = chat.invoke(messages)
    assert answer.content == expected
    assert answer.usage_metadata is not None and answer.usage_metadata["input_tokens"] > 5
    chunks = list(chat.stream(messages))
    assert "".join(str(chunk.content) for chunk in chunks) == expected
    assert [one.content for one in chat.batch([messages] * 3)] == [expected] * 3

    async def both() -> tuple[str, str]:
        whole = await chat.ainvoke(messages)
        return str(whole.content), "".join([str(chunk.content) async for chunk in chat.astream(messages)])

    assert asyncio.run(both()) == (expected, expected)
