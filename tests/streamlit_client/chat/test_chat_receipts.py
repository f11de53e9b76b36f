"""Receipts under answers: asked for, kept, copied, and computed again."""

import json
from pathlib import Path
from typing import Any

import pytest
from chat_page import ChatPage
from in_process import served
from support import pool_of, wait_until

from model_core import LLM
from streamlit_client.chat.receipt_view import LAST_PART, OTHER_KEY, OTHER_REQUEST, OTHER_TEXT, describe_check
from streamlit_client.shared import people
from streamlit_client.shared.receipts import (
    ask_for_receipt,
    find_part,
    is_signed_here,
    match_request,
    shorten_receipt,
    verify,
)
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.receipts.canonical import hash_text, hash_tokens, to_canonical
from triton_server.receipts.keys import load_key
from triton_server.receipts.receipt import ReceiptError, check_receipt, strip
from triton_server.receipts.signer import ReceiptSigner

QUESTION = "Tell me a story about a fox, a lighthouse and a golden key."


@pytest.fixture
def page(conversations: Conversations) -> ChatPage:
    """A new tab, whose answers are short and drawn."""
    return ChatPage().change("number_input", "Max tokens", 12).change("number_input", "Temperature", 1.0)


def open_receipt(page: ChatPage, turn: int) -> dict[str, Any]:
    """Open the receipt of a turn; what can be copied."""
    page.act(turn, "receipt")
    (shown,) = [code.value for code in page.app.code if '"signature"' in code.value]
    return json.loads(shown)


def messages(page: ChatPage, kind: str) -> list[str]:
    return [element.value for element in getattr(page.app, kind)]


def test_receipt_is_kept_copied_and_computed_again(page: ChatPage, conversations: Conversations):
    page.ask("My name is Ada.").ask(QUESTION)
    other = ChatPage(page.id)  # it knows what the store has
    assert "receipt" in other.turns[1]["actions"]
    receipt = check_receipt(open_receipt(other, 2))
    stored = conversations.get(page.id).turns[1]
    assert "content" not in stored.receipt["request"]
    assert receipt["answer"]["text_sha256"] == hash_text(stored.answer)
    assert receipt["seed"] == str(stored.parameters["seed"])
    said = receipt["request"]["content"]["messages"]
    assert [message["role"] for message in said] == ["user", "assistant", "user"]
    assert said[2]["content"] == QUESTION
    other.click("Compute again")
    assert messages(other, "success") == [r"Equal\: 12 tokens\, computed again\."]
    assert not other.app.warning
    other.click("Hide the receipt")
    assert not other.has_button("Compute again")


def test_receipt_after_the_conversation_has_changed(page: ChatPage, conversations: Conversations):
    page.ask(QUESTION)
    conversations.change(page.id, system="Be brief.")
    shown = open_receipt(ChatPage(page.id), 1)
    assert "content" not in shown["request"]
    conversations.change_turn(page.id, 1, answer="Nobody has said this.")
    other = ChatPage(page.id)
    open_receipt(other, 1)
    assert messages(other, "warning") == [OTHER_TEXT]
    assert other.app.button(key="verify-1").disabled


def test_receipt_of_somebody_else(page: ChatPage, conversations: Conversations, tmp_path: Path):
    """Conversations from files may have any: what it says is computed, and its key is not trusted."""
    page.ask(QUESTION)
    receipt = conversations.get(page.id).turns[0].receipt
    conversations.change_turn(page.id, 1, receipt=sign_again(receipt, tmp_path, tokens=13))
    other = ChatPage(page.id).act(1, "receipt")
    assert messages(other, "warning") == [OTHER_KEY]
    other.click("Compute again")
    assert "contradicts itself" in messages(other, "error")[0]


def test_changed_receipt_and_one_of_another_system_prompt(page: ChatPage, conversations: Conversations):
    page.ask(QUESTION)
    receipt = conversations.get(page.id).turns[0].receipt
    other = ChatPage(page.id).change("text_area", "System prompt", "Be brief.").ask("Who are you?")
    open_receipt(other, 1)
    assert messages(other, "info") == [OTHER_REQUEST]
    for changed in ({**receipt, "seed": "7"}, {"version": 1}, {}, {**receipt, "answer": []}):
        conversations.change_turn(page.id, 1, receipt=changed)
        bad = ChatPage(page.id).act(1, "receipt")
        (error,) = messages(bad, "error")
        assert "was changed" in error or "no receipt" in error


def test_continued_answer_has_the_receipt_of_its_last_part(page: ChatPage, conversations: Conversations):
    page.ask(QUESTION).click("Continue")
    receipt = open_receipt(page, 1)
    (turn,) = conversations.get(page.id).turns
    part = find_part(turn.answer, receipt)
    assert part and hash_text(turn.answer[part:]) == receipt["answer"]["text_sha256"]
    assert receipt["request"]["content"]["messages"][-1]["content"] == turn.answer[:part]
    assert any(LAST_PART[:25] in caption for caption in page.captions)
    page.click("Compute again")
    assert messages(page, "success") == [r"Equal\: 12 tokens\, computed again\."]


def sign_again(receipt: dict[str, Any], folder: Path, **answer: Any) -> dict[str, Any]:
    """The receipt with another answer, signed by a key of somebody else."""
    key = load_key(folder)
    changed = {**strip(receipt), "answer": {**strip(receipt)["answer"], **answer}, "key": key.public}
    del changed["signature"]
    return {**changed, "signature": key.sign(to_canonical(changed))}


def test_first_token_that_differs_is_named(client: ChatClient, tmp_path: Path):
    asked = [{"role": "user", "content": QUESTION}]
    fields = {"max_tokens": 12, "temperature": 1.0, "seed": 5, "is_continuation": False}
    made = client.chat(asked, max_tokens=12, temperature=1.0, seed=5, receipt="whole").details["receipt"]
    kept, content = shorten_receipt(made), match_request(made, asked, fields)
    assert kept is not None and content == made["request"]["content"]
    assert verify(client, kept, content).verdict.equal
    assert match_request(made, asked, {**fields, "max_tokens": 13}) is None
    assert match_request(made, asked, {**fields, "top_p": "much"}) is None
    ids = list(kept["answer"]["token_ids"])
    ids[4] += 1
    forged = sign_again(kept, tmp_path, token_ids_sha256=hash_tokens(ids))
    forged["answer"]["token_ids"] = ids
    found = verify(client, forged, content)
    assert not found.verdict.equal
    assert (is_signed_here(client, kept), is_signed_here(client, forged)) == (True, False)
    assert found.verdict.token == 4
    assert found.before == client.detokenize(ids[:4])
    assert describe_check(found).startswith("The answer differs from token 4 on")
    with pytest.raises(ReceiptError, match="was changed"):
        verify(client, {**kept, "seed": "6"}, content)
    with pytest.raises(ReceiptError, match="another one"):
        verify(client, kept, {**content, "max_tokens": 13})


def test_computation_ends_with_its_visitor(client: ChatClient):
    asked = [{"role": "user", "content": QUESTION}]
    answer = client.chat(asked, max_tokens=500, ignore_eos=True, receipt="whole")
    receipt = answer.details["receipt"]

    def leave(count: int) -> None:
        if count > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(client, receipt, receipt["request"]["content"], leave)
    wait_until(lambda: client.stats()["running"] == 0)


@pytest.mark.parametrize("signer", [None, ReceiptSigner(lambda: Path("/dev/null"))])
def test_server_that_signs_nothing(
    signer: ReceiptSigner | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pool = pool_of(LLM(kv_cache_memory=2**26))
    pool.load_all()
    with served(pool, f"sqlite:///{tmp_path / 'conversations.db'}", signer) as url:
        monkeypatch.setenv("TRITONCHAT_SERVER", url)
        page = ChatPage().change("number_input", "Max tokens", 5).ask(QUESTION)
        assert not page.app.error
        assert "receipt" not in page.turns[0]["actions"]
        with ChatClient(url) as client:
            assert ask_for_receipt(client, client.stats()["model"], QUESTION) == {}
            (turn,) = client.conversations(people.LOCAL_OWNER).get(page.id).turns
    assert turn.finish_reason == "length" and turn.receipt is None


def test_images_are_not_sent_back(client: ChatClient):
    model = client.stats()["model"]
    parts = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}]}]
    assert ask_for_receipt(client, model, parts) == {"receipt": True}
    assert ask_for_receipt(client, model, "Once") == {"receipt": "whole"}
    assert ask_for_receipt(client, {**model, "engine": "vllm"}, "Once") == {}
    assert shorten_receipt(None) is None


def test_part_of_a_text():
    receipt = {"answer": {"text_sha256": hash_text("c")}}
    assert [find_part(text, receipt) for text in ("c", "abc", "ab", "", "c" * 3)] == [0, 2, None, None, 2]
    assert find_part("a" * 100_000 + "c", receipt) is None  # not looked for: it would take seconds
