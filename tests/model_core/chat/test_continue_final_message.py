"""The last message of a conversation is continued, as Transformers' `continue_final_message` does."""

import json
import shutil
from pathlib import Path

import pytest

from model_core import LLM, SamplingParams
from model_core.chat.chat_tokenizer import ChatTokenizer
from model_core.errors import InvalidRequest
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.hub import embedded_model
from model_core.requests.messages import ChatFields, parse_messages
from triton_server.client import ChatClient

CONTINUE = ChatFields(continue_final_message=True)
QUESTION = {"role": "user", "content": "Count to five."}
START = {"role": "assistant", "content": "One, two,"}


def rendered(tokenizer: ChatTokenizer, *messages: dict[str, str]) -> str:
    ids = tokenizer.encode_chat(parse_messages(list(messages)), CONTINUE).token_ids
    return tokenizer.tokenizer.decode(ids, keep_special=True)


def template(folder: Path, source: str) -> ChatTokenizer:
    shutil.copytree(embedded_model(), folder, dirs_exist_ok=True)
    (folder / "chat_template.jinja").write_text(source)
    return open_folder_tokenizer(folder)


def test_prompt_ends_with_the_continued_message() -> None:
    text = rendered(open_folder_tokenizer(embedded_model()), QUESTION, START)
    assert text == "<|im_start|>user\n Count to five.<|im_end|>\n<|im_start|>assistant\nOne, two,"


@pytest.mark.parametrize("content", ["", "im", "m_e", "assistant", "é 🦊", "a line\n", "\u2003"])
def test_content_that_occurs_elsewhere_in_the_prompt(content: str) -> None:
    """The content also occurs behind the message: `im` is a part of the end token."""
    text = rendered(
        open_folder_tokenizer(embedded_model()), QUESTION, {"role": "assistant", "content": content}
    )
    assert text.endswith("<|im_start|>assistant\n" + content)


def test_template_that_trims_contents(tmp_path: Path) -> None:
    tokenizer = template(tmp_path, "{% for m in messages %}[{{ m.content | trim }}] {% endfor %}")
    assert (
        rendered(tokenizer, QUESTION, {"role": "assistant", "content": " One, "}) == "[Count to five.] [One,"
    )


def test_template_that_trims_the_start_of_contents(tmp_path: Path) -> None:
    tokenizer = template(tmp_path, "{% for m in messages %}[{{ m.content.lstrip() }}] {% endfor %}")
    assert rendered(tokenizer, QUESTION, {"role": "assistant", "content": " One, "}).endswith(" [One, ")


@pytest.mark.parametrize("change", ["upper", "tojson", "reverse", "first", "length"])
def test_template_that_changes_the_message_is_refused(tmp_path: Path, change: str) -> None:
    tokenizer = template(tmp_path, "{% for m in messages %}[{{ m.content | " + change + " }}] {% endfor %}")
    with pytest.raises(InvalidRequest, match="does not keep the last message"):
        rendered(tokenizer, QUESTION, {"role": "assistant", "content": 'Say "one"'})


def test_prompt_of_a_published_model(minueza: Path) -> None:
    tokenizer = open_folder_tokenizer(minueza)
    ids = tokenizer.encode_chat(parse_messages([QUESTION, START]), CONTINUE).token_ids
    expected = "<|im_start|>user\nCount to five.<|im_end|>\n<|im_start|>assistant\nOne, two,"
    assert ids == tokenizer.tokenizer.encode(expected, add_special_tokens=False)


def test_new_answer_starts_without_continue_final_message(llm: LLM) -> None:
    new, more = (llm.encode_chat([QUESTION, START], o).token_ids for o in (ChatFields(), CONTINUE))
    assert new[: len(more)] == more and len(new) > len(more)


def test_continue_final_message_over_grpc(client: ChatClient, llm: LLM) -> None:
    prompt = llm.encode_chat([QUESTION, START], CONTINUE).token_ids
    expected = llm.generate(prompt, SamplingParams(max_tokens=8)).text
    for _ in range(2):
        answer = client.chat([QUESTION, START], max_tokens=8, continue_final_message=True)
        assert answer.text == expected
    with pytest.raises(InvalidRequest, match="raw prompt"):
        client.chat("Once", continue_final_message=True)
    with pytest.raises(InvalidRequest, match="true or false"):
        client.chat([QUESTION], continue_final_message=json.loads("1"))
