"""Questions as they are shown: code between fences as code, a long paste folded, and where a search hits."""

import pytest
from chat_page import ChatPage
from hypothesis import given
from hypothesis import strategies as st

from streamlit_client.chat.question_view import fold, split_fences
from streamlit_client.chat.search_hits import find_hit
from streamlit_client.shared.descriptions import EMPTY_ANSWER
from triton_server.client.conversations import Conversations
from triton_server.conversations.tree import Conversation, Turn


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain *text* `code` $5", [("plain *text* `code` $5", None)]),
        ("a\n```python\nb\n\n  c\n```\nd", [("a", None), ("b\n\n  c", "python"), ("d", None)]),
        ("```\na\n```\n~~~js x\nb\n~~~", [("a", ""), ("b", "js")]),
        ("````\n```\n````", [("```", "")]),
        ("a\n```\nnot closed", [("a", None), ("not closed", "")]),
        ("- a\n  ```\n  b\n  ```", [("- a\n  ```\n  b\n  ```", None)]),
        ("    indented\n<b>\n", [("    indented\n<b>\n", None)]),
        ("```\n```", [("", "")]),
        ("", [("", None)]),
    ],
)
def test_fences_are_code(text: str, parts: list[tuple[str, str | None]]):
    assert split_fences(text) == parts


@given(st.text(alphabet="`~\n a>-\t\r\x00#", max_size=60))
def test_what_is_shown_is_in_the_question(text: str):
    parts = split_fences(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = [line for part, language in parts if language is None for line in part.split("\n")]
    assert set(shown) <= set(lines)
    if all(language is None for _, language in parts):
        assert [part for part, _ in parts] == ["\n".join(lines)]


@pytest.mark.parametrize("text", ["a" * 240_000, "a\n" * 61, "word " * 2000])
def test_long_paste_is_folded(text: str):
    assert len(fold(text)) <= 1002 and fold(text).endswith(" …")


def test_short_question_is_not_folded():
    assert fold("a" * 4000) == "a" * 4000


def test_hit_of_a_search():
    turns = [
        Turn(1, None, "Where do penguins live?", answer="In the *south*, on ice. " * 20),
        Turn(2, 1, "And PUFFINS?", answer="On ice, too, and ![x](y) near penguins."),
    ]
    made = Conversation("a", "Birds", None, {}, 2, 1, turns)
    assert (
        find_hit(made, "penguin")
        == r"Where do **penguin**s live\? In the \*south\*\, on ice\. In the \*south…"
    )
    assert "**PUFFINS**" in find_hit(made, "puffins ice penguins")
    assert r"\!\[x\]\(y\)" in find_hit(made, "puffins")
    assert find_hit(made, "walrus") == find_hit(made, "") == ""


def test_question_and_empty_answer_on_the_page(conversations: Conversations):
    made = conversations.create("Code")
    turn = conversations.add_turn(made.id, None, "Explain:\n```python\nprint(1)\n```", {})
    usage = {"prompt_tokens": 3, "completion_tokens": 0}
    conversations.change_turn(made.id, turn, answer="", finish_reason="stop", usage=usage)
    conversations.change_turn(
        made.id,
        conversations.add_turn(made.id, turn, "x" * 200_000, {}),
        answer="I see.",
        finish_reason="stop",
    )
    page = ChatPage(made.id)
    assert [code.value for code in page.app.chat_message[0].code] == ["print(1)"]
    assert page.app.chat_message[0].code[0].language == "python"
    assert EMPTY_ANSWER in page.captions
    assert page.questions[1] == "x" * 1000 + " …"
    (toggle,) = [toggle for toggle in page.app.toggle if "200,000" in toggle.label]
    toggle.set_value(True)
    page.run()
    assert page.app.chat_message[2].code[0].value == "x" * 200_000


def test_search_shows_its_hit_while_a_person_types(conversations: Conversations):
    made = conversations.create("Birds")
    turn = conversations.add_turn(made.id, None, "Where do they live?", {})
    conversations.change_turn(made.id, turn, answer="Penguins live in the south.", finish_reason="stop")
    page = ChatPage()
    (search,) = [field for field in page.app.text_input if field.label == "Search"]
    assert search.proto.live_debounce_ms == 300
    page.change("text_input", "Search", "penguins")
    assert any("**Penguins** live in the south" in caption for caption in page.captions)


def test_system_prompt_of_a_new_chat_is_shown(conversations: Conversations):
    page = ChatPage().change("text_area", "System prompt", "Be *brief*.").change("number_input", "Top p", 0.5)
    page.change("number_input", "Max tokens", 5).ask("one").click("New chat")
    assert any(r"“Be \*brief\*\.”" in caption for caption in page.captions)
    page.click("Leave it out")
    assert page.value("text_area", "System prompt") == "" and page.value("number_input", "Top p") == 0.5
    page.ask("two")
    assert conversations.get(page.id).system is None
