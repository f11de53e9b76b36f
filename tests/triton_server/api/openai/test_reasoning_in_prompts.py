"""Reasoning of earlier answers in the messages of a request reaches the prompt."""

from typing import Any

import httpx
import pytest
from conftest import Server
from in_process import Endpoints

HELLO = [{"role": "user", "content": "Hello"}]
THOUGHT = "Rome is far away."


def ask(server: Server, path: str, **body: Any) -> Any:
    return httpx.post(server.api_url + path, json={"model": "default", **body}, timeout=60).json()


@pytest.mark.parametrize("content", [{"content": None}, {"content": "Yes."}, {}], ids=str)
def test_both_names_of_reasoning_reach_the_prompt(reciter: Endpoints, content: dict[str, Any]) -> None:
    given = (
        {"reasoning": THOUGHT},
        {"reasoning_content": THOUGHT},
        {"reasoning": THOUGHT, "reasoning_content": ""},
    )
    for reasoning in given:
        messages = [*HELLO, {"role": "assistant", **content, **reasoning}, *HELLO]
        prompt = ask(reciter, "/apply-template", messages=messages)["prompt"]
        assert f"<think>{THOUGHT}</think>{content.get('content') or ''}<|im_end|>" in prompt


def test_reasoning_is_the_same_prompt_in_all_apis(reciter: Endpoints) -> None:
    answer = {"role": "assistant", "content": "Yes.", "reasoning": THOUGHT}
    expected = ask(reciter, "/tokenize", messages=[*HELLO, answer, *HELLO])["count"]
    blocks = [{"type": "thinking", "thinking": THOUGHT, "signature": ""}, {"type": "text", "text": "Yes."}]
    messages = [*HELLO, {"role": "assistant", "content": blocks}, *HELLO]
    assert ask(reciter, "/v1/messages/count_tokens", messages=messages)["input_tokens"] == expected
    reasoning = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": THOUGHT}]}
    items = [*HELLO, reasoning, {"role": "assistant", "content": "Yes."}, *HELLO]
    response = ask(reciter, "/v1/responses", input=items, max_output_tokens=1)
    assert response["usage"]["input_tokens"] == expected
