"""/tokenize, /detokenize and /apply-template, and the commands of gRPC behind them."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import Server
from in_process import Endpoints
from tokenizers import Tokenizer

from model_core import LLM
from model_core.errors import InvalidRequest, ModelNotFound, PromptTooLong
from triton_server.client import ChatClient
from triton_server.contract.commands import MAX_IDS
from triton_server.engine.models.tokens import MAX_TEXT_BYTES

HELLO = [{"role": "user", "content": "Hello <|end|> 🦊"}]
CALCULATOR = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {}}}


@pytest.fixture(scope="module")
def web(api: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.api_url, timeout=60) as client:
        yield client


def ask(web: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    answer = web.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(web: httpx.Client, path: str, **body: Any) -> tuple[str | None, str]:
    """The field that is wrong, and the sentence."""
    answer = web.post(path, json=body)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"].endswith(".")
    return error["param"], error["message"]


def test_tokens_of_a_text_as_vllm_answers(web: httpx.Client, llm: LLM, tokenizer: Tokenizer) -> None:
    text = "Once upon a time, 🦊 née Füchsin"
    tokens = ask(web, "/tokenize", model="default", prompt=text)
    encoded = tokenizer.encode(text)
    assert tokens == {
        "tokens": encoded.ids,
        "count": len(encoded.ids),
        "max_model_len": llm.engine.limits.max_context,
    }
    assert ask(web, "/tokenize", prompt=text, return_token_strs=True)["token_strs"] == encoded.tokens
    bare = ask(web, "/tokenize", prompt=text, add_special_tokens=False)["tokens"]
    assert bare == tokenizer.encode(text, add_special_tokens=False).ids
    assert ask(web, "/detokenize", tokens=bare) == {"prompt": text, "content": text}
    assert ask(web, "/tokenize", prompt="")["count"] == len(tokenizer.encode("").ids)
    assert ask(web, "/detokenize", tokens=[])["prompt"] == ""


def test_tokens_of_a_text_as_llama_cpp_answers(web: httpx.Client, tokenizer: Tokenizer) -> None:
    text = "Hello 🦊"
    for add_special in (False, True):
        expected = tokenizer.encode(text, add_special_tokens=add_special).ids
        assert ask(web, "/tokenize", content=text, add_special=add_special)["tokens"] == expected
    assert (
        ask(web, "/tokenize", content=text)["tokens"] == tokenizer.encode(text, add_special_tokens=False).ids
    )
    pieces = ask(web, "/tokenize", content=text, with_pieces=True)["tokens"]
    data = b"".join(
        bytes(piece["piece"]) if isinstance(piece["piece"], list) else piece["piece"].encode()
        for piece in pieces
    )
    assert data.decode() == text
    assert any(isinstance(piece["piece"], list) for piece in pieces)  # parts of the fox


def test_special_tokens_are_kept_by_detokenize(web: httpx.Client, llm: LLM) -> None:
    prompt = llm.encode_chat(HELLO)
    text = ask(web, "/detokenize", tokens=prompt.token_ids)["prompt"]
    assert text == prompt.text
    assert llm.tokenizer.decode(prompt.token_ids) != text  # without them


def test_conversation_is_that_of_a_chat(web: httpx.Client, llm: LLM, client: ChatClient) -> None:
    prompt = llm.encode_chat(HELLO)
    tokens = ask(web, "/tokenize", messages=HELLO)
    assert tokens["tokens"] == prompt.token_ids
    assert ask(web, "/apply-template", messages=HELLO) == {"prompt": prompt.text}
    assert tokens["count"] == client.chat(HELLO, max_tokens=1).usage["prompt_tokens"]
    open_end = ask(web, "/apply-template", messages=HELLO, add_generation_prompt=False)["prompt"]
    assert prompt.text.startswith(open_end) and len(open_end) < len(prompt.text)
    begun = [*HELLO, {"role": "assistant", "content": "Once"}]
    continued = ask(web, "/apply-template", messages=begun, continue_final_message=True)["prompt"]
    assert continued == f"{prompt.text}Once"
    tools = ask(web, "/tokenize", messages=HELLO, tools=[CALCULATOR], return_token_strs=True)
    assert len(tools["token_strs"]) == tools["count"] > tokens["count"]


def test_wrong_bodies_get_one_sentence(web: httpx.Client) -> None:
    assert refusal(web, "/tokenize") == ("prompt", "prompt, content or messages must be given.")
    assert refusal(web, "/tokenize", prompt=3)[0] == "prompt"
    assert refusal(web, "/tokenize", prompt="a", content="b")[0] == "content"
    half = web.post(
        "/tokenize", content=rb'{"prompt": "\ud800"}', headers={"content-type": "application/json"}
    )
    assert half.json()["error"]["message"].startswith("prompt has half of a surrogate pair")
    assert refusal(web, "/tokenize", messages=[])[0] == "messages"
    assert refusal(web, "/tokenize", messages=[{"role": "king", "content": "a"}])[0] == "messages[0].role"
    assert refusal(web, "/tokenize", messages=HELLO, chat_template="{{ 1 }}")[0] == "chat_template"
    assert refusal(web, "/apply-template", model="default")[0] == "messages"
    assert refusal(web, "/detokenize") == ("tokens", "tokens is missing.")
    assert refusal(web, "/detokenize", tokens="abc")[0] == "tokens"
    param, message = refusal(web, "/detokenize", tokens=[5, -1])
    assert param == "tokens[1]" and message.startswith("tokens[1] must be")
    param, message = refusal(web, "/detokenize", tokens=[10**12])
    assert param == "tokens" and "there is no token 1000000000000" in message
    for path, body in (("/tokenize", {"prompt": "a"}), ("/detokenize", {"tokens": []})):
        assert web.post(path, json={"model": "gpt-4", **body}).status_code == 404
    assert web.post("/tokenize", content=b"{").status_code == 400


def test_sizes_are_limited(web: httpx.Client, client: ChatClient) -> None:
    param, message = refusal(web, "/tokenize", prompt="a" * (MAX_TEXT_BYTES + 1))
    assert param == "prompt" and f"at most {MAX_TEXT_BYTES}" in message
    assert refusal(web, "/detokenize", tokens=[1] * (MAX_IDS + 1))[0] == "tokens"
    param, message = refusal(web, "/apply-template", messages=[{"role": "user", "content": "a" * 10**6}])
    assert "maximum context length" in message
    with pytest.raises(PromptTooLong):
        client.tokenize([{"role": "user", "content": "a" * 10**6}])
    assert client.health() == "ready"


def test_commands_over_grpc(client: ChatClient, llm: LLM) -> None:
    ids = llm.encode("Hello")
    result = client.tokenize("Hello", pieces=True)
    assert result["token_ids"] == ids
    assert "".join(piece["text"] for piece in result["pieces"]) == "Hello"
    assert client.detokenize(ids) == llm.tokenizer.decode(ids, keep_special=True)
    with pytest.raises(InvalidRequest):
        client.tokenize(3)
    with pytest.raises(InvalidRequest, match="unknown parameter 'nonsense'"):
        client.tokenize("a", nonsense=1)
    with pytest.raises(InvalidRequest):
        client.detokenize(["a"])
    with pytest.raises(ModelNotFound):
        client.tokenize("Hello", model="gpt-4")


def test_model_chooses_the_tokenizer(several: Endpoints) -> None:
    with httpx.Client(base_url=several.api_url, timeout=60) as web:
        tokens = {
            name: ask(web, "/tokenize", model=name, prompt="Hello you") for name in ("default", "speaker")
        }
        assert tokens["default"] != tokens["speaker"]
        for name, encoded in tokens.items():
            assert ask(web, "/detokenize", model=name, tokens=encoded["tokens"])["prompt"].endswith(
                "Hello you"
            )
        broken = web.post("/tokenize", json={"model": "broken", "prompt": "a"})
        assert broken.status_code == 503
        assert "broken could not be loaded" in broken.json()["error"]["message"]
