"""Conventions of OpenAI, and of vLLM where OpenAI has none, that clients rely on."""

from typing import Any

import httpx
import openai
import pytest
from conftest import Server

from model_core import errors
from triton_server.api.errors import body_of, failure_of, headers_of
from triton_server.contract.wire import ServerUnavailable

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def gpt(api: Server) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0)


def post(api: Server, path: str, body: Any) -> httpx.Response:
    return httpx.post(f"{api.api_url}/v1/{path}", json=body, timeout=60)


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("chat/completions", {}, "messages"),
        ("chat/completions", {"messages": HELLO, "temperature": "hot"}, "temperature"),
        ("chat/completions", {"messages": HELLO, "max_completion_tokens": -1}, "max_completion_tokens"),
        ("chat/completions", {"messages": HELLO, "max_completion_tokens": 2**31}, "max_completion_tokens"),
        ("chat/completions", {"messages": HELLO, "max_tokens": 2**31}, "max_tokens"),
        ("chat/completions", {"messages": [*HELLO, {"role": "robot", "content": "Hi"}]}, "messages[1].role"),
        ("chat/completions", {"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        (
            "chat/completions",
            {"messages": [{"role": "user", "content": [{"type": "text"}, {"text": "Hi"}]}]},
            "messages[0].content[1].type",
        ),
        ("chat/completions", {"messages": [{"role": "user"}]}, "messages[0]"),
        ("chat/completions", {"messages": HELLO, "stop": 5}, "stop"),
        ("chat/completions", {"messages": HELLO, "stop": ["a", 5]}, "stop[1]"),
        ("chat/completions", {"messages": HELLO, "tool_choice": "required"}, "tool_choice"),
        (
            "chat/completions",
            {"messages": HELLO, "tool_choice": {"type": "function", "function": {"name": "f"}}},
            "tool_choice",
        ),
        (
            "chat/completions",
            {"messages": HELLO, "continue_final_message": True, "add_generation_prompt": True},
            "continue_final_message",
        ),
        ("completions", {}, "prompt"),
        ("completions", {"prompt": ""}, "prompt"),
        ("completions", {"prompt": []}, "prompt"),
        ("completions", {"prompt": ["a", ""]}, "prompt"),
        ("completions", {"prompt": 5}, "prompt"),
        ("completions", {"prompt": [[1], [2, "x"]]}, "prompt[1][1]"),
    ],
)
def test_bad_request_is_400_and_names_the_field(api: Server, path: str, body: Any, param: str) -> None:
    response = post(api, path, body)
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"] == param
    assert error["message"].endswith(".")
    assert "list[" not in error["message"]


def test_openai_client_raises_bad_request(gpt: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="messages"):
        gpt.chat.completions.create(model="default", messages=5)  # type: ignore[arg-type]


def test_long_prompt_names_the_maximum_context_length(api: Server) -> None:
    response = post(api, "chat/completions", {"messages": [{"role": "user", "content": "cat " * 5000}]})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, "context_length_exceeded")
    assert "maximum context length is 1024 tokens" in error["message"]  # LiteLLM looks for these words


def test_model_may_be_left_out_and_top_k_be_minus_one(api: Server) -> None:
    response = post(
        api, "chat/completions", {"messages": HELLO, "top_k": -1, "max_tokens": 2, "temperature": 0}
    )
    assert response.status_code == 200, response.text
    assert post(api, "chat/completions", {"messages": HELLO, "top_k": -2}).status_code == 400


def test_continuation_has_16_tokens_by_default(api: Server) -> None:
    for body in ({}, {"max_tokens": None}):
        response = post(api, "completions", {"prompt": "Once", "ignore_eos": True, **body})
        assert response.json()["usage"]["completion_tokens"] == 16


def test_oldest_turns_of_a_long_conversation_are_left_out(gpt: openai.OpenAI) -> None:
    turn = [{"role": "user", "content": "cat " * 50}, {"role": "assistant", "content": "dog " * 50}]
    messages: list[Any] = [*turn * 20, {"role": "user", "content": "Hello"}]
    with pytest.raises(openai.BadRequestError, match="maximum context length"):
        gpt.chat.completions.create(model="default", messages=messages, max_tokens=1)
    extra = {"truncation": "auto"}
    answer = gpt.chat.completions.create(
        model="default", messages=messages, max_tokens=1, n=2, extra_body=extra
    )
    assert answer.usage is not None
    left_out = answer.usage.to_dict()["truncated_messages"]
    assert isinstance(left_out, int) and 0 < left_out < 40 and left_out % 2 == 0
    short = gpt.chat.completions.create(
        model="default", messages=messages[-1:], max_tokens=1, extra_body=extra
    )
    assert short.usage is not None and "truncated_messages" not in short.usage.to_dict()


def test_prompt_without_the_start_of_an_answer(api: Server) -> None:
    def count(**fields: Any) -> int:
        body = {"messages": HELLO, "max_tokens": 1, **fields}
        return post(api, "chat/completions", body).json()["usage"]["prompt_tokens"]

    assert count(add_generation_prompt=False) < count(add_generation_prompt=True) == count()


def test_last_assistant_message_is_continued(gpt: openai.OpenAI) -> None:
    def ask(messages: list[dict[str, str]], **extra: Any) -> str:
        answer = gpt.chat.completions.create(
            model="default",
            messages=messages,
            temperature=0,
            max_tokens=60,
            extra_body=extra,  # type: ignore[arg-type]
        )
        return answer.choices[0].message.content or ""

    question = {"role": "user", "content": "Tell me a story about a fox."}
    complete = ask([question])
    beginning = complete[: len(complete) // 2].rpartition(" ")[0]
    rest = ask(
        [question, {"role": "assistant", "content": beginning}],
        continue_final_message=True,
        add_generation_prompt=False,
    )
    assert rest and complete.startswith(beginning + rest[: len(complete) - len(beginning)][:20])


def test_log_probabilities_of_completions(gpt: openai.OpenAI) -> None:
    def ask(logprobs: int) -> Any:
        return (
            gpt.completions.create(
                model="default", prompt="Once", max_tokens=8, temperature=1.9, seed=5, logprobs=logprobs
            )
            .choices[0]
            .logprobs
        )

    for count in (0, 1):
        logprobs = ask(count)
        assert len(logprobs.tokens) == 8
        for token, logprob, top in zip(
            logprobs.tokens, logprobs.token_logprobs, logprobs.top_logprobs, strict=True
        ):
            assert top[token] == logprob  # the sampled token is always among them
            assert len(top) <= count + 1
    assert any(len(top) == 2 for top in ask(1).top_logprobs)  # where another one was sampled


def test_bytes_of_tokens_join_to_the_text(gpt: openai.OpenAI) -> None:
    """A logit bias makes the model generate tokens that are parts of characters."""
    answer = gpt.chat.completions.create(
        model="default",
        messages=[{"role": "user", "content": "Say é 🦊"}],
        max_tokens=12,
        temperature=2,
        seed=3,
        logprobs=True,
        top_logprobs=20,
        extra_body={"ignore_eos": True},
    )
    content = answer.choices[0].logprobs.content
    assert all(entry.bytes for entry in content)
    assert any("\ufffd" in top.token and top.bytes for entry in content for top in entry.top_logprobs)
    joined = b"".join(bytes(entry.bytes) for entry in content).decode(errors="replace")
    assert joined.startswith((answer.choices[0].message.content or "")[:10])


def test_tokens_may_be_named_by_their_ids(api: Server) -> None:
    """vLLM's return_tokens_as_token_ids, in both forms of log probabilities. Offsets are of the text."""
    more = {"max_tokens": 6, "temperature": 0, "return_token_ids": True}
    chat = {"messages": HELLO, "logprobs": True, "top_logprobs": 2, **more}
    choice = post(api, "chat/completions", {**chat, "return_tokens_as_token_ids": True}).json()["choices"][0]
    content = choice["logprobs"]["content"]
    assert [entry["token"] for entry in content] == [f"token_id:{number}" for number in choice["token_ids"]]
    assert all(bytes(entry["bytes"]).decode() == entry["token"] for entry in content)
    assert all(other["token"].startswith("token_id:") for entry in content for other in entry["top_logprobs"])
    text = {"prompt": "Once", "logprobs": 2, **more}
    named, plain = (
        post(api, "completions", {**text, "return_tokens_as_token_ids": by_id}).json()["choices"][0]
        for by_id in (True, False)
    )
    assert named["logprobs"]["tokens"] == [f"token_id:{number}" for number in named["token_ids"]]
    assert all(
        set(named["logprobs"]["tokens"][n : n + 1]) <= set(top)
        for n, top in enumerate(named["logprobs"]["top_logprobs"])
    )
    for name in ("token_logprobs", "text_offset"):
        assert named["logprobs"][name] == plain["logprobs"][name]
    assert not any(token.startswith("token_id:") for token in plain["logprobs"]["tokens"])


def test_description_promises_no_422(api: Server) -> None:
    description = httpx.get(f"{api.api_url}/openapi.json", timeout=60).json()
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    assert not any("422" in operation["responses"] for operation in operations)
    assert "HTTPValidationError" not in description["components"]["schemas"]


def test_offsets_count_characters_and_labels_tell_bytes(api: Server) -> None:
    body = {"prompt": "Say é 🦊", "max_tokens": 40, "temperature": 2, "seed": 3, "logprobs": 5}
    choice = post(api, "completions", {**body, "ignore_eos": True}).json()["choices"][0]
    logprobs = choice["logprobs"]
    labels = {label for top in logprobs["top_logprobs"] for label in top}
    assert any(label.startswith("bytes:\\x") for label in labels)
    assert all(len(top) >= 5 for top in logprobs["top_logprobs"])
    for token, offset in zip(logprobs["tokens"], logprobs["text_offset"], strict=True):
        if not token.startswith("bytes:") and "\ufffd" not in choice["text"][: offset + len(token)]:
            assert choice["text"][offset : offset + len(token)] in (token, "")


@pytest.mark.parametrize(
    ("error", "status", "code", "retry_after"),
    [
        (errors.InvalidRequest("wrong"), 400, "invalid_request", None),
        (errors.PromptTooLong("long"), 400, "context_length_exceeded", None),
        (errors.NoMemory("large"), 400, "no_memory", None),
        (errors.RequestTimeout("late"), 408, "timeout", None),
        (errors.QueueFull("full"), 429, "queue_full", "1"),
        (errors.ShuttingDown("stopping"), 503, "shutting_down", "5"),
        (ServerUnavailable("gone"), 503, "server_unavailable", "5"),
        (ValueError("a surprise"), 500, None, None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_every_error_has_its_status(
    error: Exception, status: int, code: str | None, retry_after: str | None
) -> None:
    """A client asks again after 429 and 503 only, and then when it is told to."""
    failure = failure_of(error)
    assert failure.status == status
    assert body_of(failure)["error"]["code"] == code
    assert {name.lower(): value for name, value in headers_of(error).items()}.get(
        "retry-after"
    ) == retry_after
