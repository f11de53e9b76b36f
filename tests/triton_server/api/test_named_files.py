"""Files of /v1/files that chats and responses name by their ids."""

import base64
import io
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from conftest import Server

TEXT = "The sky is green today. Ünïcode."


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def upload(gpt: openai.OpenAI, content: bytes) -> str:
    return gpt.files.create(file=("sky.txt", io.BytesIO(content)), purpose="user_data").id


def chat_tokens(gpt: openai.OpenAI, file: dict[str, str]) -> int:
    """How many tokens the prompt with a file has."""
    message: Any = {"role": "user", "content": [{"type": "file", "file": file}]}
    usage = gpt.chat.completions.create(model="default", max_tokens=1, messages=[message]).usage
    assert usage is not None
    return usage.prompt_tokens


def test_chat_reads_the_file(gpt: openai.OpenAI) -> None:
    """Its text is as if it had come with the request."""
    sent = chat_tokens(gpt, {"file_data": base64.b64encode(TEXT.encode()).decode()})
    assert chat_tokens(gpt, {"file_id": upload(gpt, TEXT.encode())}) == sent > 8


def test_response_reads_the_file_once(gpt: openai.OpenAI) -> None:
    """A response that continues sees what the first one saw, when the file is gone, too."""
    name = upload(gpt, TEXT.encode())
    message: Any = {"role": "user", "content": [{"type": "input_file", "file_id": name}]}
    first = gpt.responses.create(model="default", max_output_tokens=16, input=[message])
    assert first.usage is not None and first.usage.input_tokens > 8
    (item,) = gpt.responses.input_items.list(first.id).data
    assert item.to_dict()["content"][0] == {"type": "input_file", "file_id": name, "text": TEXT}  # type: ignore
    gpt.files.delete(name)
    second = gpt.responses.create(
        model="default", max_output_tokens=16, previous_response_id=first.id, input="And?"
    )
    assert second.usage is not None and second.usage.input_tokens > first.usage.input_tokens
    with pytest.raises(openai.NotFoundError, match="file"):
        gpt.responses.create(model="default", input=[message])


def test_conversation_keeps_the_name(gpt: openai.OpenAI) -> None:
    message: Any = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_file", "file_id": upload(gpt, TEXT.encode())}],
    }
    conversation = gpt.conversations.create(items=[message])
    (item,) = gpt.conversations.items.list(conversation.id).data
    assert item.to_dict()["content"][0]["type"] == "input_file"  # type: ignore
    answer = gpt.responses.create(
        model="default", max_output_tokens=16, input="And?", conversation=conversation.id
    )
    empty = gpt.responses.create(model="default", max_output_tokens=16, input="And?")
    assert answer.usage is not None and empty.usage is not None
    assert answer.usage.input_tokens > empty.usage.input_tokens + 8


def test_other_files_are_refused_by_name(gpt: openai.OpenAI) -> None:
    with pytest.raises(
        openai.BadRequestError, match=r"messages\[0\]\.content\[0\]\.file\.file_id is no text"
    ):
        chat_tokens(gpt, {"file_id": upload(gpt, b"%PDF-1.7")})
    with pytest.raises(openai.NotFoundError):
        chat_tokens(gpt, {"file_id": "file-nope"})
    message: Any = {"role": "user", "content": [{"type": "input_file", "file_id": upload(gpt, b"\xff\xfe")}]}
    with pytest.raises(openai.BadRequestError, match=r"input\[0\]\.content\[0\]\.file_id is no text"):
        gpt.responses.create(model="default", input=[message])
