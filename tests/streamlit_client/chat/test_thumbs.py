"""Thumbs below answers: they are kept, taken back, and exported."""

import json

from chat_page import ChatPage
from paths import ROOT
from streamlit.testing.v1 import AppTest

from triton_server.client.conversations import Conversations
from triton_server.conversations.rated import export_rated


def test_thumb_is_kept_with_the_answer(conversations: Conversations):
    page = ChatPage().change("number_input", "Max tokens", 8)
    page.ask("My name is Ada.").ask("What is my name?")
    assert [turn["thumb"] for turn in page.turns] == ["", ""]
    page.act(1, "thumb", "up").act(2, "thumb", "down")
    stored = conversations.get(page.id)
    assert [turn.rating for turn in stored.turns] == [1, -1]
    assert [turn["thumb"] for turn in ChatPage(page.id).turns] == ["up", "down"]  # in another tab, too

    good, bad = map(json.loads, export_rated([stored]).splitlines())
    first, second = stored.turns
    assert good["prompt"] == [{"role": "user", "content": "My name is Ada."}]
    assert good["completion"] == [{"role": "assistant", "content": first.answer}]
    assert (good["label"], bad["label"]) == (True, False)
    assert bad["prompt"] == [
        *good["prompt"],
        *good["completion"],
        {"role": "user", "content": "What is my name?"},
    ]
    assert bad["completion"][0]["content"] == second.answer
    assert bad["parameters"]["seed"] == second.parameters["seed"]

    votes = AppTest.from_file(ROOT / "streamlit_client" / "compare" / "votes.py", default_timeout=60).run()
    assert not votes.exception

    page.act(1, "thumb", "")
    assert [turn.rating for turn in conversations.get(page.id).turns] == [0, -1]
