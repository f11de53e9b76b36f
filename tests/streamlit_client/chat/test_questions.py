"""Questions on the page: as they were typed, where a search finds them, and the system prompt before them."""

from chat_page import ChatPage

from streamlit_client.chat.search_hits import find_hit
from streamlit_client.shared.descriptions import EMPTY_ANSWER
from triton_server.client.conversations import Conversations
from triton_server.conversations.tree import Conversation, Turn


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
    assert page.questions == ["Explain:\n```python\nprint(1)\n```", "x" * 200_000]
    assert EMPTY_ANSWER in page.notes


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
