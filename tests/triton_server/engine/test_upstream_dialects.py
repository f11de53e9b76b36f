"""Requests as vLLM and plain servers of OpenAI's API take them, and vLLM's answers."""

from typing import Any

import pytest

from model_core.errors import InvalidRequest, ModelUnavailable, PromptTooLong, QueueFull
from model_core.requests.events import (
    Accepted,
    Logprobs,
    PromptLogprobs,
    Reasoning,
    Text,
    TokenIds,
    ToolCallDelta,
    Usage,
)
from triton_server.contract.request_fields import Request
from triton_server.engine.upstream.bodies import chat_fields, make_body, make_headers
from triton_server.engine.upstream.chunks import ChunkReader
from triton_server.engine.upstream.failures import make_error, read_failure
from triton_server.engine.upstream.server import UpstreamModel, parse_url

VLLM, PLAIN = UpstreamModel("m", "vllm", 100), UpstreamModel("m", "openai", None)
HELLO = [{"role": "user", "content": "Hello"}]
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
TOOL = {"name": "f", "parameters": {"type": "object"}}


def test_vllm_gets_its_own_names() -> None:
    messages = [
        {"role": "assistant", "reasoning": "Hm", "tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}]},
        {"role": "tool", "content": "done", "tool_call_id": "1"},
    ]
    request = Request(
        messages=messages,
        tools=[TOOL],
        tool_choice={"name": "f"},
        enable_thinking=False,
        top_k=5,
        stop="x",
        form={"json_schema": {"type": "object"}, "strict": False},
        logprobs=2,
        cache_salt="salt",
        truncation="auto",
        client="somebody",
        timeout_s=3,
        acknowledge=True,
        typical_p=1.0,
    )
    path, body = make_body(request, VLLM, 7)
    assert path == "/chat/completions"
    assert body == {
        "model": "m",
        "seed": 7,
        "messages": [
            {
                "role": "assistant",
                "reasoning_content": "Hm",
                "reasoning": "Hm",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "content": "done", "tool_call_id": "1"},
        ],
        "tools": [{"type": "function", "function": TOOL}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "chat_template_kwargs": {"enable_thinking": False},
        "top_k": 5,
        "stop": ["x"],
        "structured_outputs": {"json": {"type": "object"}},
        "logprobs": True,
        "top_logprobs": 2,
        "return_token_ids": True,
        "cache_salt": "salt",
        **STREAMED,
    }


def test_raw_prompt_gets_the_tokens_for_which_there_is_room() -> None:
    assert make_body(Request(messages="x" * 30), VLLM, 1)[1]["max_tokens"] == 69
    assert make_body(Request(messages=[1, 2, 3]), PLAIN, 1) == (
        "/completions",
        {"model": "m", "seed": 1, "prompt": [1, 2, 3], "max_tokens": 2048, **STREAMED},
    )
    scored = make_body(Request(messages="Hello", prompt_logprobs=1, max_tokens=0), VLLM, 1)[1]
    assert "stream" not in scored and scored["prompt_logprobs"] == 1 and scored["max_tokens"] == 0


def test_limit_beyond_the_context_is_left_to_a_server_that_would_refuse_it() -> None:
    assert "max_tokens" not in make_body(Request(messages=HELLO, max_tokens=VLLM.max_context), VLLM, 1)[1]
    assert make_body(Request(messages=HELLO, max_tokens=50), VLLM, 1)[1]["max_tokens"] == 50
    ours = UpstreamModel("m", "tritonchat", 100)
    assert make_body(Request(messages=HELLO, max_tokens=100), ours, 1)[1]["max_tokens"] == 100


@pytest.mark.parametrize("model", [VLLM, PLAIN])
def test_what_this_server_does_itself_is_not_sent(model: UpstreamModel) -> None:
    for own in ({"answer_cache": "greedy"}, {"answer_cache": "off"}, {"receipt": False}, {"joins": True}):
        assert make_body(Request(messages=HELLO, **own), model, 1) == make_body(
            Request(messages=HELLO), model, 1
        )


def test_headers_say_how_the_other_server_may_use_its_cache() -> None:
    drawn, off = {"X-Seed-Drawn": "true"}, {"Cache-Control": "no-store"}
    for fields, headers in (
        ({}, drawn),
        ({"seed": 1}, {}),
        ({"seed": 1, "answer_cache": "greedy"}, drawn),
        ({"seed": 1, "answer_cache": "off"}, off),
        ({"answer_cache": "off"}, off),
    ):
        assert make_headers(Request(messages=HELLO, **fields)) == headers


@pytest.mark.parametrize(
    ("model", "fields", "name"),
    [
        (VLLM, {"typical_p": 0.5}, "typical_p"),
        (VLLM, {"mirostat": 2}, "mirostat"),
        (VLLM, {"reasoning_budget": 5}, "reasoning_budget"),
        (VLLM, {"choices": ["yes", "no"]}, "choices"),
        (PLAIN, {"top_k": 5}, "top_k"),
        (PLAIN, {"enable_thinking": True}, "enable_thinking"),
        (PLAIN, {"form": {"regex": "a"}}, "form"),
        (PLAIN, {"continue_final_message": True}, "continue_final_message"),
        (PLAIN, {"ignore_eos": True}, "ignore_eos"),
    ],
)
def test_what_the_server_cannot_do_is_refused_by_name(
    model: UpstreamModel, fields: dict[str, Any], name: str
) -> None:
    with pytest.raises(InvalidRequest, match=f"^{name} is not possible") as error_info:
        make_body(Request(messages=HELLO, **fields), model, 1)
    assert error_info.value.param == name


def test_suffix_is_for_a_server_that_knows_it() -> None:
    fields: dict[str, Any] = {"messages": "a", "suffix": "b", "input_extra": [{"text": "c"}]}
    _, body = make_body(Request(**fields), UpstreamModel("m", "tritonchat", 100), 1)
    assert (body["prompt"], body["suffix"]) == ("a", "b")
    assert body["input_extra"] == [{"text": "c", "filename": None}]
    for model in (VLLM, PLAIN):
        with pytest.raises(InvalidRequest, match=r"^(suffix|input_extra) is not possible"):
            make_body(Request(**fields), model, 1)


def test_fingerprint_of_the_other_server_comes_with_its_first_chunk() -> None:
    reader = ChunkReader(wants_ids=False)
    first = {"system_fingerprint": "fp_theirs", "choices": [{"delta": {"content": "a"}}]}
    assert reader.read(first) == [Accepted("fp_theirs"), Text("a")]
    assert reader.read(first) == [Text("a")] and reader.fingerprint == "fp_theirs"


def test_reads_vllm_chunks() -> None:
    reader = ChunkReader(wants_ids=True)
    chunks = [
        {
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
            "prompt_token_ids": [1, 2],
        },
        {"choices": [{"delta": {"reasoning": "Hm"}, "token_ids": [7]}]},
        {
            "choices": [
                {
                    "delta": {"content": "é"},
                    "token_ids": [8],
                    "logprobs": {
                        "content": [
                            {
                                "token": "é",
                                "logprob": -0.5,
                                "bytes": [195, 169],
                                "top_logprobs": [
                                    {"token": "e", "logprob": -0.1, "bytes": [101]},
                                    {"token": "é", "logprob": -0.5, "bytes": [195, 169]},
                                ],
                            }
                        ]
                    },
                }
            ]
        },
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop", "stop_reason": "END"}]},
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "total_tokens": 13,
                "prompt_tokens_details": {"cached_tokens": 8},
            },
        },
    ]
    events = [event for chunk in chunks for event in reader.read(chunk)]
    alternatives = [
        {"token": "e", "token_id": None, "logprob": -0.1},
        {"token": "é", "token_id": None, "logprob": -0.5},
    ]
    entry = {"token": "é", "token_id": 8, "logprob": -0.5, "top_logprobs": alternatives, "rank": 2}
    assert events == [
        TokenIds([7], [1, 2]),
        Reasoning("Hm"),
        Logprobs([entry]),
        TokenIds([8]),
        Text("é"),
        ToolCallDelta(0, "a", "f", ""),
        ToolCallDelta(0, None, None, "{}"),
    ]
    assert (reader.finish_reason, reader.stop_string, reader.usage) == ("stop", "END", Usage(9, 4, 8))


def test_reads_log_probabilities_of_raw_prompts() -> None:
    body = {
        "choices": [
            {
                "text": " a\ufffd",
                "finish_reason": "length",
                "logprobs": {
                    "tokens": [" a", "bytes:\\xc3"],
                    "token_logprobs": [-1.0, -2.0],
                    "top_logprobs": [{" b": -0.5, " a": -1.0}, None],
                    "text_offset": [0, 2],
                },
                "prompt_token_ids": [5, 6],
                "prompt_logprobs": [
                    None,
                    {
                        "6": {"logprob": -3.0, "rank": 9, "decoded_token": "x"},
                        "1": {"logprob": -0.2, "rank": 1, "decoded_token": "y"},
                    },
                ],
            }
        ],
        "usage": {"prompt_tokens": 2, "completion_tokens": 2},
    }
    logprobs, prompt_logprobs, text = ChunkReader(wants_ids=False).read(body)
    assert [entry["rank"] for entry in logprobs.entries] == [2, None]
    assert logprobs.entries[1]["bytes"] == [0xC3] and logprobs.entries[1]["token"] == "\ufffd"
    assert isinstance(prompt_logprobs, PromptLogprobs)
    first, second = prompt_logprobs.entries
    assert first["logprob"] is None and first["token_id"] == 5
    assert (second["token"], second["rank"]) == ("x", 9)
    assert [other["token"] for other in second["top_logprobs"]] == ["y"]
    assert text == Text(" a\ufffd")


def test_failures() -> None:
    busy = read_failure("u", 429, {"Retry-After": "7"}, b'{"error": {"message": "busy"}}')
    assert isinstance(busy, QueueFull) and (str(busy), busy.retry_after_s) == ("busy", 7)
    assert isinstance(read_failure("u", 502, {}, b"<html>"), ModelUnavailable)
    too_long = {"message": "This model's maximum context length is 5 tokens.", "code": 400}
    assert isinstance(make_error("u", 400, {"error": too_long}), PromptTooLong)
    assert isinstance(make_error("u", None, {"error": {"message": "dead", "code": 500}}), ModelUnavailable)
    assert make_error("u", 400, {"error": {"message": "no", "param": "seed"}}).param == "seed"


def test_urls() -> None:
    assert parse_url("http://gpu:8000") == ("http://gpu:8000/v1", "http://gpu:8000")
    assert parse_url("https://gpu/some/v1/") == ("https://gpu/some/v1", "https://gpu/some")


@pytest.mark.parametrize(
    "image",
    [
        {"url": "http://169.254.169.254/latest"},
        {"url": " https://169.254.169.254/latest"},
        {"url": "ht\ttp://169.254.169.254/"},
        {"url": "file:///etc/passwd"},
        {"url": "data:text/html;base64,AAAA"},
        {"file_id": "file-1"},
    ],
    ids=["address", "space", "tab", "file", "type", "id"],
)
@pytest.mark.parametrize("model", [VLLM, PLAIN], ids=["vllm", "openai"])
def test_other_servers_are_sent_images_themselves_alone(image: dict[str, str], model: UpstreamModel) -> None:
    """Otherwise they would get what only they can reach."""
    messages: Any = [*HELLO, {"role": "user", "content": [{"type": "image_url", "image_url": image}]}]
    for make in (lambda request: make_body(request, model, 1), lambda request: chat_fields(request, "vllm")):
        with pytest.raises(InvalidRequest) as caught:
            make(Request(messages=messages))
        assert caught.value.param == "messages[1].content[0].image_url"
        assert str(caught.value).startswith("messages[1].content[0].image_url ")


def test_other_servers_are_sent_images() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}
    _, body = make_body(Request(messages=[{"role": "user", "content": [image]}]), PLAIN, 1)
    assert body["messages"] == [{"role": "user", "content": [image]}]
