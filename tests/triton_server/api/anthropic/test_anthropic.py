"""Anthropic's Messages API with Anthropic's client."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import anthropic
import httpx
import pytest
from anthropic.types import Message, TextBlock, ThinkingBlock, ToolUseBlock
from conftest import Server
from http_service import Service
from in_process import Endpoints
from pydantic import BaseModel, SecretStr
from reciter import CONCLUSION, DOUBT, GREETING

from model_core import LLM

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
ASK: dict[str, Any] = {"model": "default", "messages": HELLO, "max_tokens": 40}
WILD: dict[str, Any] = {**ASK, "extra_body": {"temperature": 1.0, "seed": 7, "ignore_eos": True}}

WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "How the weather is in a city.",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"enum": ["Rome", "Oslo"]}},
        "required": ["city"],
    },
}


@pytest.fixture(scope="module")
def claude(api: Server) -> Iterator[anthropic.Anthropic]:
    """Anthropic's client with the address of the service."""
    with anthropic.Anthropic(base_url=api.api_url, api_key="none", max_retries=0) as client:
        yield client


def text_of(message: Message) -> str:
    (block,) = message.content
    assert isinstance(block, TextBlock)
    return block.text


def prompt_tokens(message: Message) -> int:
    assert message.usage.cache_read_input_tokens is not None
    return message.usage.input_tokens + message.usage.cache_read_input_tokens


def test_answer_is_the_models(claude: anthropic.Anthropic, llm: LLM) -> None:
    message = claude.messages.create(**ASK)
    expected = llm.chat(HELLO)
    assert text_of(message) == expected.text
    assert (message.model, message.role, message.stop_reason) == ("embedded", "assistant", "end_turn")
    assert prompt_tokens(message) == expected.usage.prompt_tokens
    assert message.usage.output_tokens == expected.usage.completion_tokens
    assert message.id.startswith("msg_") and message._request_id


def test_stream_joins_to_the_whole_answer(claude: anthropic.Anthropic) -> None:
    whole = claude.messages.create(**WILD)
    with claude.messages.stream(**WILD) as stream:
        assert "".join(stream.text_stream) == text_of(whole) != ""
        final = stream.get_final_message()
    assert text_of(final) == text_of(whole)
    assert (whole.stop_reason, final.stop_reason) == ("max_tokens", "max_tokens")
    assert prompt_tokens(final) == prompt_tokens(whole)
    assert final.usage.output_tokens == whole.usage.output_tokens == 40


def test_stream_starts_with_the_tokens_of_the_prompt(claude: anthropic.Anthropic) -> None:
    """Clients such as LangChain's count them there."""
    count = claude.messages.count_tokens(model="default", messages=HELLO).input_tokens
    with claude.messages.create(**ASK, stream=True) as stream:
        (start,) = [event for event in stream if event.type == "message_start"]
    assert start.message.usage.input_tokens == count > 0


@pytest.mark.parametrize("streamed", [False, True])
def test_header_names_the_seed(api: Server, streamed: bool) -> None:
    def ask(**more: Any) -> tuple[int, str]:
        """The seed, and the text of the answer in JSON."""
        body = {**ASK, "temperature": 1.9, "ignore_eos": True, "stream": streamed, **more}
        response = httpx.post(f"{api.api_url}/v1/messages", json=body, timeout=60)
        joined = "".join(re.findall(r'"text": ?"((?:[^"\\]|\\.)+)"', response.text))
        return int(response.headers["x-seed"]), joined

    first, second = ask(), ask()
    assert first[0] != second[0] and first[1] != second[1]
    assert ask(seed=first[0]) == first


def test_stop_sequence_is_named(claude: anthropic.Anthropic) -> None:
    text = text_of(claude.messages.create(**WILD))
    stop = text[10:14]
    message = claude.messages.create(**WILD, stop_sequences=["never said", stop])
    assert text_of(message) == text[: text.index(stop)]
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", stop)


def test_last_message_of_the_assistant_is_continued(claude: anthropic.Anthropic, llm: LLM) -> None:
    begun = [*HELLO, {"role": "assistant", "content": [{"type": "text", "text": "Hello, I"}]}]
    message = claude.messages.create(**{**ASK, "messages": begun}, system="Be kind.")
    conversation = [{"role": "system", "content": "Be kind."}, *HELLO]
    conversation.append({"role": "assistant", "content": "Hello, I"})
    assert text_of(message) == llm.chat(conversation, continue_final_message=True).text


class Verdict(BaseModel):
    answer: Literal["yes", "no"]
    certain: bool


def test_answer_has_the_form_that_is_asked_for(claude: anthropic.Anthropic) -> None:
    message = claude.messages.parse(**ASK, output_format=Verdict)
    assert isinstance(message.parsed_output, Verdict)
    with claude.messages.stream(**ASK, output_format=Verdict) as stream:
        assert stream.get_final_message().parsed_output == message.parsed_output
    choice = claude.messages.create(**ASK, extra_body={"form": {"choice": ["red", "blue"]}})
    assert text_of(choice) in ("red", "blue")
    assert choice.stop_reason == "end_turn"


def test_tokens_are_counted_as_the_template_renders_them(claude: anthropic.Anthropic) -> None:
    asked: dict[str, Any] = {"model": "default", "messages": HELLO, "system": "Be kind."}
    message = claude.messages.create(**asked, max_tokens=1)
    assert claude.messages.count_tokens(**asked).input_tokens == prompt_tokens(message)
    with pytest.raises(anthropic.BadRequestError, match=r"messages\[0\]\.role"):
        claude.messages.count_tokens(model="default", messages=[{"role": "tool", "content": ""}])  # type: ignore


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "weather"}])
def test_tool_is_called_and_its_result_answered(claude: anthropic.Anthropic, choice: dict[str, Any]) -> None:
    asked: dict[str, Any] = {**ASK, "tools": [WEATHER], "extra_body": {"seed": 1}}
    choice = {**choice, "disable_parallel_tool_use": True}
    message = claude.messages.create(**asked, tool_choice=choice)
    (call,) = message.content
    assert isinstance(call, ToolUseBlock)
    assert (call.name, message.stop_reason) == ("weather", "tool_use")
    assert call.input["city"] in ("Rome", "Oslo")
    with claude.messages.stream(**asked, tool_choice=choice) as stream:
        assert stream.get_final_message().content == message.content
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Sun."}
    conversation = [*HELLO, message.to_param(), {"role": "user", "content": [result]}]
    answer = claude.messages.create(**{**asked, "messages": conversation}, tool_choice={"type": "none"})
    assert answer.stop_reason in ("end_turn", "max_tokens") and text_of(answer)


def test_tool_runner_sends_results(claude: anthropic.Anthropic) -> None:
    cities = []

    @anthropic.beta_tool
    def weather(city: Literal["Rome", "Oslo"]) -> str:
        """How the weather is in a city."""
        cities.append(city)
        return "Sun."

    runner = claude.beta.messages.tool_runner(
        **ASK, tools=[weather], tool_choice={"type": "any"}, max_iterations=2, extra_body={"seed": 1}
    )
    calls = [call for message in runner for call in message.content if call.type == "tool_use"]
    assert len(calls) >= 2
    assert [call.input["city"] for call in calls][: len(cities)] == cities


def test_tools_are_a_part_of_the_prompt(claude: anthropic.Anthropic) -> None:
    asked: dict[str, Any] = {"model": "default", "messages": HELLO}
    counts = [claude.messages.count_tokens(**asked, tools=tools).input_tokens for tools in ([], [WEATHER])]
    assert counts[0] < counts[1]


def test_thinking_comes_in_blocks_of_its_own(reciter: Endpoints) -> None:
    doubt = {"role": "user", "content": "Are you sure?"}  # endless thinking without a budget
    asked: dict[str, Any] = {**ASK, "messages": [doubt], "thinking": {"type": "enabled", "budget_tokens": 8}}
    with anthropic.Anthropic(base_url=reciter.api_url, api_key="none") as claude:
        message = claude.messages.create(**asked)
        with claude.messages.stream(**asked) as stream:
            kinds = [event.type for event in stream if event.type in ("thinking", "signature", "text")]
            final = stream.get_final_message()
        thought, text = message.content
        assert isinstance(thought, ThinkingBlock) and isinstance(text, TextBlock)
        assert thought.thinking.startswith(DOUBT) and thought.signature and text.text == CONCLUSION
        assert (final.content[0], final.content[1].text) == (thought, text.text)
        assert list(dict.fromkeys(kinds)) == ["thinking", "signature", "text"]
        conversation = [doubt, message.to_param(), *HELLO]
        assert claude.messages.create(**{**asked, "messages": conversation}).content[-1].text == GREETING


@pytest.mark.parametrize("kind", ["adaptive", "disabled"])
def test_models_without_reasoning_answer_at_once(claude: anthropic.Anthropic, kind: str) -> None:
    message = claude.messages.create(**ASK, thinking={"type": kind})  # type: ignore[arg-type]
    assert text_of(message) == text_of(claude.messages.create(**ASK))


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"model": "claude"}, anthropic.NotFoundError, "there is no model 'claude' here"),
        (
            {"extra_body": {"temperature": 3.0}},
            anthropic.BadRequestError,
            "temperature must be between 0 and 2, not 3.0.",
        ),
        ({"messages": []}, anthropic.BadRequestError, "messages must be a list of 1 or more"),
        (
            {"messages": [{"role": "user", "content": [{"type": "document", "source": {}}]}]},
            anthropic.BadRequestError,
            r"messages\[0\].content\[0\] has the type 'document' and no text, but this service shows models",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": 3}]}]},
            anthropic.BadRequestError,
            r"messages\[0\].content\[0\].text must be a string, not 3.",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "thinking", "thinking": ""}]}]},
            anthropic.BadRequestError,
            r"messages\[0\] has a block of the type thinking, which a message of the role user cannot have.",
        ),
        (
            {
                "tools": [{"type": "web_search_20250305", "name": "web_search"}],
                "tool_choice": {"type": "any"},
            },
            anthropic.BadRequestError,
            r"tool_choice is only allowed when tools are given.",
        ),
        (
            {
                "tools": [
                    {"type": "web_search_20250305", "name": "web_search"},
                    {"name": "deep", "input_schema": json.loads('{"a":' * 300 + "1" + "}" * 300)},
                ]
            },
            anthropic.BadRequestError,
            r"tools\[1\].input_schema is nested more than 100 deep.",
        ),
        ({"max_tokens": 0}, anthropic.BadRequestError, r"max_tokens must be between 1 and \d+, not 0\."),
        (
            {"messages": [*HELLO, {"role": "user", "content": []}]},
            anthropic.BadRequestError,
            r"messages\[1\].content is an empty list; it needs at least one block\.",
        ),
        ({"tool_choice": {"type": "tool"}}, anthropic.BadRequestError, "tool_choice has the type tool, but"),
        (
            {"messages": [{"role": "user", "content": "a " * 9000}]},
            anthropic.BadRequestError,
            "--max-context",
        ),
    ],
)
def test_refusals_name_the_field(
    claude: anthropic.Anthropic, fields: dict[str, Any], error: type[anthropic.APIStatusError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        claude.messages.create(**{**ASK, **fields})
    assert caught.value.type == ("not_found_error" if "model" in fields else "invalid_request_error")
    assert caught.value.request_id


def test_empty_answer_may_come_back_as_a_message(claude: anthropic.Anthropic) -> None:
    messages = [*HELLO, {"role": "assistant", "content": []}, *HELLO]
    assert claude.messages.create(**{**ASK, "messages": messages}).content


def test_threads_are_refused_in_a_way_that_the_client_knows(claude: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match="stores no threads") as caught:
        claude.messages.create(**ASK, extra_body={"thread": {"type": "create"}})
    assert caught.value.error_code == "thread_unsupported_request"
    for name in ("container", "mcp_servers", "compaction", "logprobs"):
        with pytest.raises(anthropic.BadRequestError, match=name):
            claude.messages.create(**ASK, extra_body={name: 1})


def test_failure_of_a_stream_is_an_error(claude: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.APIStatusError, match="timeout_s") as caught:
        for _ in claude.messages.create(**ASK, stream=True, extra_body={"timeout_s": 0}):
            pass
    assert caught.value.type == "timeout_error"


def test_errors_of_all_layers_have_anthropics_form(start: Callable[..., Service]) -> None:
    service = start(api_keys=[SecretStr("key")], max_body_bytes=1000, requests_per_minute=3)

    def client(**fields: Any) -> anthropic.Anthropic:
        return anthropic.Anthropic(base_url=service.url, max_retries=0, **fields)

    def fail(client: anthropic.Anthropic, **fields: Any) -> tuple[type, str | None]:
        with pytest.raises(anthropic.APIStatusError) as caught:
            client.messages.create(**{**ASK, **fields})
        assert caught.value.body["request_id"] == caught.value.request_id
        return type(caught.value), caught.value.type

    assert fail(client(api_key="wrong")) == (anthropic.AuthenticationError, "authentication_error")
    assert client(api_key="key").messages.create(**ASK)
    assert client(auth_token="key").messages.create(**ASK)
    large = fail(client(api_key="key"), system="a " * 500)
    assert large == (anthropic.RequestTooLargeError, "request_too_large")
    assert fail(client(api_key="key")) == (anthropic.RateLimitError, "rate_limit_error")


def test_missing_fields_are_named(api: Server) -> None:
    body = {"model": "default", "messages": HELLO}
    answer = httpx.post(f"{api.api_url}/v1/messages", json=body, headers={"X-Request-Id": "mine"})
    assert answer.status_code == 400
    assert answer.json() == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "max_tokens is missing."},
        "request_id": "mine",
    }
