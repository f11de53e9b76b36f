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

    def rate(turn: int, thumb: int | None) -> None:
        page.app.feedback(key=f"thumbs-{page.id}-{turn}").set_value(thumb)
        page.run()

    rate(1, 1)
    rate(2, 0)
    stored = conversations.get(page.id)
    assert [turn.rating for turn in stored.turns] == [1, -1]
    assert ChatPage(page.id).app.feedback(key=f"thumbs-{page.id}-2").value == 0  # in another tab, too

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

    rate(1, None)
    assert [turn.rating for turn in conversations.get(page.id).turns] == [0, -1]
