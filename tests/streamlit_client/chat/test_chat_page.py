"""The chat page: conversations that are kept, and their branches."""

import json
import os

import pytest
from chat_page import ChatPage

from streamlit_client.kept.links import find_link, make_link, read_link
from streamlit_client.shared.descriptions import REPEATED_ANSWER
from streamlit_client.shared.markdown import escape
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.contract.conversation_errors import ConversationNotFound


@pytest.fixture
def page(conversations: Conversations) -> ChatPage:
    """A new tab, whose answers are short."""
    return ChatPage().change("number_input", "Max tokens", 8)


def test_conversation_is_there_in_another_tab(page: ChatPage, conversations: Conversations):
    page.ask("My name is Ada.").ask("What is my *name*?")
    (summary,) = conversations.list()
    assert (summary.id, summary.title, summary.turns) == (page.id, "My name is Ada.", 2)
    other = ChatPage(page.id)
    assert other.questions == page.questions == ["My name is Ada.", "What is my *name*?"]
    assert other.answers == page.answers
    assert other.value("number_input", "Max tokens") == 8
    assert [turn.finish_reason for turn in conversations.get(page.id).turns] == ["length"] * 2


def test_edited_question_is_a_branch(page: ChatPage):
    page.ask("one").ask("two").ask("three")
    page.act(2, "edit", "two again")
    assert page.questions == ["one", "two again"]
    assert page.branches == ["2 of 2"]
    assert page.act(4, "branch", -1).questions == ["one", "two", "three"]
    assert page.branches == ["1 of 2"]
    assert ChatPage(page.id).questions == ["one", "two", "three"]  # the branch that was looked at last


def test_answer_again_keeps_the_first_answer(page: ChatPage, conversations: Conversations):
    page.ask("Tell me a story.").click("Answer again").click("Answer again")
    assert page.questions == ["Tell me a story."]
    assert page.branches == ["3 of 3"]
    turns = conversations.get(page.id).turns
    assert [turn.parent for turn in turns] == [None] * 3
    assert len({turn.parameters["seed"] for turn in turns}) == 3


def test_answer_again_is_another_one_though_the_model_has_no_temperature(
    page: ChatPage, conversations: Conversations
):
    page.change("number_input", "Seed", 1).change("number_input", "Max tokens", 40)
    page.ask("Tell me a story.").click("Answer again")
    assert page.notes[-1].endswith("seed 1 · temperature 0.7 · cut at max tokens")
    page.change("number_input", "Temperature", 0.0).click("Answer again")  # the person wants the same one
    assert page.notes[-2] == REPEATED_ANSWER
    first, other, same = conversations.get(page.id).turns
    assert [turn.parameters.get("temperature") for turn in (first, other, same)] == [None, 0.7, 0]
    assert first.answer == same.answer != other.answer
    page.act(3, "branch", -1)
    assert REPEATED_ANSWER not in page.notes


def test_continued_answer_is_the_one_that_was_cut(page: ChatPage, client: ChatClient):
    page.change("number_input", "Temperature", 0.0)
    question = "Tell me a story about a fox, a lighthouse and a golden key."
    page.ask(question)
    first = page.answers[0]
    page.click("Continue").click("Continue")
    whole = client.chat([{"role": "user", "content": question}], temperature=0, max_tokens=24)
    assert first != page.answers[0] == whole.text
    assert any("24 out" in note for note in page.notes)
    assert page.branches == []


def test_go_back_leaves_a_way_forward(page: ChatPage):
    page.ask("one").ask("two")
    page.act(1, "back")
    assert page.questions == []
    page.click("Show it")
    assert page.questions == ["one", "two"]


def test_two_tabs_get_branches_of_their_own(page: ChatPage, conversations: Conversations):
    page.ask("one")
    other = ChatPage(page.id)
    page.ask("from the first tab")
    assert other.ask("from the other tab").questions == ["one", "from the other tab"]
    assert page.run().questions == ["one", "from the first tab"]
    assert [turn.parent for turn in conversations.get(page.id).turns] == [None, 1, 1]
    assert page.branches == ["1 of 2"]


def test_tab_is_told_that_the_conversation_went_on(page: ChatPage):
    page.ask("one")
    other = ChatPage(page.id)
    page.ask("two")
    assert other.run().has_button("Show it")
    assert other.questions == ["one"]
    assert other.click("Show it").questions == ["one", "two"]
    assert not other.has_button("Show it")


def test_list_can_be_searched(page: ChatPage):
    page.ask("Where do penguins live?").click("New chat").ask("Where do ducks swim?")
    titles = ["Where do ducks swim?", "Where do penguins live?"]
    assert [button.label for button in page.app.sidebar.button if "Where" in button.label] == [
        escape(title) for title in titles
    ]
    assert "Today" in page.captions
    page.change("text_input", "Search", "PENGUIN")
    labels = [button.label for button in page.app.sidebar.button]
    assert escape(titles[1]) in labels and escape(titles[0]) not in labels
    page.click(escape(titles[1]))
    assert page.questions == [titles[1]]
    page.change("text_input", "Search", "walrus")
    assert "No conversation has these words." in page.captions


def test_rename_pin_delete_and_undo(page: ChatPage, conversations: Conversations):
    page.ask("one")
    menu = f"entry-menu-{page.id}"
    page.choose(menu, "Rename")
    page.app.text_input(key=f"title-{page.id}").set_value("  A better\ntitle ")
    page.run().choose(menu, "Pin")
    (summary,) = conversations.list()
    assert (summary.title, summary.pinned) == ("A better title", True)
    assert "Pinned" in page.captions
    page.choose(menu, "Delete")
    assert conversations.list() == [] and page.questions == []
    page.click("Undo")
    assert page.questions == ["one"]
    assert [summary.title for summary in conversations.list()] == ["A better title"]


def test_deletion_ends_a_link(page: ChatPage, conversations: Conversations):
    page.ask("one")
    with ChatClient(os.environ["TRITONCHAT_SERVER"]) as client:
        make_link(client, conversations, conversations.get(page.id))
        link = find_link(conversations, page.id)
        assert [turn.question for turn in read_link(client, link.token).turns] == ["one"]
        page.choose(f"entry-menu-{page.id}", "Delete")
        with pytest.raises(ConversationNotFound):
            read_link(client, link.token)


def test_hostile_titles_are_texts(page: ChatPage, conversations: Conversations):
    title = "![x](https://evil.example/?q) :red[a] <img src=x>"
    made = conversations.create(title=title)
    page.run()
    button = page.app.button(key=f"open-{made.id}")
    assert button.label == escape(title[:39] + "…")
    page.choose(f"entry-menu-{made.id}", "Delete")
    assert any(escape("![x](https://evil.example/") in caption for caption in page.captions)


@pytest.mark.parametrize("unknown", ["0" * 32, "../../etc/passwd", "💥", "x" * 5000])
def test_address_without_a_conversation(unknown: str, conversations: Conversations):
    page = ChatPage(unknown)
    assert "conversation" in page.app.error[0].value
    assert "chat" not in page.app.query_params
    assert page.change("number_input", "Max tokens", 5).ask("one").questions == ["one"]


def test_choice_of_a_conversation_that_is_gone(page: ChatPage, conversations: Conversations):
    made = conversations.create("Soon gone")
    page.click("Temporary chat").run()
    conversations.delete(made.id)
    page.app.button(key=f"open-{made.id}").click()
    page.run()
    assert "conversation" in page.app.error[0].value
    assert "chat" not in page.app.query_params
    assert not page.run().app.error


def test_file_is_a_part_of_the_question(page: ChatPage, conversations: Conversations):
    page.ask("What is in it?", notes_md=b"# Notes\n\nThe key is *golden*.")
    assert page.questions == ["What is in it?"]
    (turn,) = conversations.get(page.id).turns
    (file,) = turn.attachments
    assert file.text == "# Notes\n\nThe key is *golden*." and file.tokens > 5
    (shown,) = page.turns[0]["question"]["files"]
    assert (shown["name"], shown["detail"]) == ("notes.md", f"{file.tokens} tokens")
    assert shown["text"] == file.text
    assert turn.usage["prompt_tokens"] > file.tokens
    again = page.click("Answer again")
    assert again.branches == ["2 of 2"]
    assert conversations.get(page.id).turns[1].attachments == [file]


def test_file_that_cannot_be_read_costs_no_text(page: ChatPage):
    page.ask("What is in it?", photo_png=b"\x89PNG\0\0")
    assert page.questions == ["What is in it?"]
    assert "photo.png is no text" in page.errors[0].lower()
    page.click("Send without files")
    assert not page.errors
    assert page.questions == ["What is in it?"]


def test_model_has_its_own_defaults_until_somebody_sets_others(
    conversations: Conversations, client: ChatClient
):
    """No temperature and no length are sent that nobody has chosen, and the fields say what applies."""
    page, question = ChatPage(), "What is 47 + 38?"
    widgets = {widget.label: widget for widget in page.app.number_input}
    assert widgets["Temperature"].value is None
    assert widgets["Temperature"].placeholder == "model's default: 0"
    assert widgets["Max tokens"].value is None
    assert widgets["Max tokens"].placeholder == "as many as the context holds"
    page.ask(question)
    assert page.answers == [client.chat([{"role": "user", "content": question}]).text]
    (turn,) = conversations.get(page.id).turns
    context = client.stats()["model"]["max_context"]
    assert turn.parameters.keys() == {"seed", "max_tokens", "model"}
    assert turn.parameters["max_tokens"] == context
    page.change("number_input", "Temperature", 0.0).change("number_input", "Max tokens", 3).ask("Hello")
    set_ones = conversations.get(page.id).turns[1].parameters
    assert (set_ones["temperature"], set_ones["max_tokens"]) == (0.0, 3)


def test_settings_are_kept_with_the_conversation_and_go_back(page: ChatPage):
    page.change("number_input", "Temperature", 0.8).change("text_area", "System prompt", "Be brief.")
    page.ask("one").click("New chat")
    page.click("Back to the model's defaults")
    assert page.value("number_input", "Temperature") is None
    assert page.value("text_area", "System prompt") == ""
    page.click(escape("one"))
    assert page.value("number_input", "Temperature") == 0.8
    assert page.value("text_area", "System prompt") == "Be brief."
    assert page.value("number_input", "Max tokens") == 8


def test_answer_in_the_form_of_a_schema(page: ChatPage, conversations: Conversations):
    page.change("number_input", "Max tokens", 200)
    page.change("selectbox", "Form of the answer", "Example: a judgement")
    page.ask("I like cats.")
    (turn,) = conversations.get(page.id).turns
    assert json.loads(turn.answer)["mood"] in ("positive", "neutral", "negative")
    page.change("text_area", "JSON schema", "{")
    assert "is no JSON" in page.app.warning[0].value
    assert len(page.ask("two").errors) == 1  # the question waits
    page.change("text_area", "JSON schema", '{"type": "nothing"}').change(
        "selectbox", "Form of the answer", "Any text"
    )
    assert page.click("Try again").questions == ["I like cats.", "two"]


def test_conversation_from_a_file_of_nonsense(page: ChatPage, conversations: Conversations):
    """An imported conversation can have values of any type in its objects; it is shown all the same."""
    parameters = {"temperature": 2.0, "model": "of another server", "form": {"regex": "a+"}, "min_tokens": 1}
    made = conversations.create("odd", None, parameters)
    turn = conversations.add_turn(made.id, None, "one", {"model": [], "max_tokens": "x", "seed": {}})
    conversations.change_turn(
        made.id,
        turn,
        answer="two",
        tool_calls=[{}, {"id": 5, "name": None, "result": {}}],
        finish_reason="length",
    )
    shown = ChatPage(made.id)
    assert shown.questions == ["one"]
    assert shown.change("number_input", "Max tokens", 5).ask("three").questions == ["one", "three"]
