"""The chat page: the choice of the model, settings and presets, reasoning, tools, import and export."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_page import ChatPage
from in_process import Endpoints, local_server
from paths import CHECKPOINTS
from reciter import ARGUMENTS, GREETING, REASONING, REPORT

from streamlit_client.shared.markdown import escape
from streamlit_client.shared.tool_settings import EXAMPLE
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.conversations import exchange
from triton_server.engine.models.model_pool import create_pool


@pytest.fixture
def conversations(several: Endpoints, monkeypatch: pytest.MonkeyPatch) -> Iterator[Conversations]:
    """The conversations of a server with several models, which the page shows."""
    monkeypatch.setenv("TRITONCHAT_SERVER", several.grpc_url)
    with ChatClient(several.grpc_url) as client:
        yield client.conversations()


@pytest.fixture
def page(conversations: Conversations) -> ChatPage:
    """A new tab."""
    return ChatPage()


def test_model_is_chosen_beside_the_line(page: ChatPage, conversations: Conversations):
    (choice,) = [box for box in page.app.selectbox if box.label == "Model"]
    assert (choice.value, choice.options) == ("embedded", ["embedded", "speaker", "broken"])
    assert page.value("number_input", "Temperature") is None
    page.change("selectbox", "Model", "speaker")
    assert "**speaker**" in page.captions[-1] or any("**speaker**" in caption for caption in page.captions)
    page.ask("Hello")
    assert (page.answers, page.turns[0]["reasoning"]) == ([GREETING], REASONING)
    assert page.notes[0].startswith("speaker · ")
    page.change("selectbox", "Model", "embedded").ask("Who are you?")
    assert [turn.parameters["model"] for turn in conversations.get(page.id).turns] == ["speaker", "embedded"]
    assert ChatPage(page.id).value("selectbox", "Model") == "embedded"


def test_models_that_write_no_text_are_no_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = [(None, str(CHECKPOINTS.parent / "embedders" / "bert")), (None, None)]
    pool = create_pool(models, None, {"kv_cache_memory": 2**26, "max_queue": 256})
    with local_server(pool, tmp_path) as running:
        monkeypatch.setenv("TRITONCHAT_SERVER", running.grpc_url)
        page = ChatPage()
        assert not [box for box in page.app.selectbox if box.label == "Model"]
        page.ask("Hello")
        assert page.answers[0] != "" and not page.errors
        page.app.session_state["model_name"] = "bert"  # as the engine's page lets it be chosen
        assert any("**embedded**" in caption for caption in page.run().captions)


def test_failed_model_says_why(page: ChatPage):
    page.change("selectbox", "Model", "broken")
    assert any(caption.startswith("failed · **broken**") for caption in page.captions)
    page.ask("Hello")
    (error,) = page.errors
    assert "could not be loaded" in error and "broken" in error
    assert page.change("selectbox", "Model", "embedded").click("Try again").answers[0] != ""


def test_reasoning_is_folded_with_its_time(page: ChatPage, conversations: Conversations):
    page.change("selectbox", "Model", "speaker").ask("Hello")
    (turn,) = conversations.get(page.id).turns
    assert turn.reasoning == REASONING
    label = page.turns[0]["reasoning_label"]
    assert label.startswith("Reasoning · ") and label.endswith(("ms", "s"))
    assert ChatPage(page.id).turns[0]["reasoning_label"].startswith("Reasoning · ")


def test_tool_is_called_and_its_result_is_used(page: ChatPage, conversations: Conversations):
    page.change("selectbox", "Model", "speaker")
    page.change("text_area", "Definitions as a JSON list", '{"name": ')
    assert "are no JSON" in page.app.warning[0].value
    page.change("text_area", "Definitions as a JSON list", '[{"type": "function", "function": {"name": 5}}]')
    assert "cannot be used" in page.app.warning[0].value
    page.click("Insert an example")
    assert json.loads(page.value("text_area", "Definitions as a JSON list")) == EXAMPLE
    page.ask("How is the weather?")
    (call,) = page.turns[0]["calls"]
    assert (call["name"], json.loads(call["arguments"])) == ("get_weather", json.loads(ARGUMENTS))
    (field,) = [area for area in page.app.text_area if area.label == "Result"]
    field.set_value("**rain**")
    page.click("Send the result")
    assert page.questions == ["How is the weather?"]  # results are no question
    assert page.answers[-1] == REPORT
    assert page.turns[0]["calls"][0]["result"] == "**rain**"
    first, second = conversations.get(page.id).turns
    assert first.tool_calls[0]["result"] == "**rain**"
    assert (second.parent, second.question, second.answer) == (first.id, "", REPORT)
    assert ChatPage(page.id).answers == page.answers


def test_presets_are_kept(page: ChatPage, conversations: Conversations):
    page.change("number_input", "Temperature", 0.9).change("text_area", "System prompt", "Be *brief*.")
    page.app.session_state["presets"] = True
    page.run()
    page.app.text_input(key="preset_name").set_value("![x](y)")
    page.click("Keep the present settings")
    assert conversations.get_document("preset", "![x](y)")["system"] == "Be *brief*."
    page.click("Back to the model's defaults")
    assert page.value("number_input", "Temperature") is None
    page.click(escape("![x](y)"))
    assert page.value("number_input", "Temperature") == 0.9
    assert page.value("text_area", "System prompt") == "Be *brief*."
    page.app.button(key="delete-![x](y)").click()
    page.run()
    assert conversations.list_documents("preset") == {}


def test_settings_follow_the_model_unless_changed(page: ChatPage):
    page.change("number_input", "Top p", 0.5)
    page.change("selectbox", "Model", "speaker")
    assert page.value("number_input", "Top p") == 0.5
    assert page.has_button("Back to the model's defaults")


def test_branches_survive_export_and_import(page: ChatPage, conversations: Conversations):
    page.change("number_input", "Max tokens", 5).ask("one").click("Answer again").ask("two")
    stored = conversations.get(page.id)
    file = exchange.to_json(stored).encode()
    page.app.session_state["sharing"] = True
    page.run()
    page.app.file_uploader[0].upload("copy.json", file)
    page.run()
    assert page.id != stored.id
    copy = conversations.get(page.id)
    assert [(turn.question, turn.answer, turn.parent) for turn in copy.turns] == [
        (turn.question, turn.answer, turn.parent) for turn in stored.turns
    ]
    assert page.questions == ["one", "two"] and page.branches == ["2 of 2"]
    assert not page.app.file_uploader  # the menu does not lie over the conversation


def test_file_that_is_no_conversation_is_refused(page: ChatPage):
    page.app.session_state["sharing"] = True
    page.run()
    page.app.file_uploader[0].upload("wrong.json", b'{"format": "other"}')
    page.run()
    assert "is not a conversation" in page.app.error[0].value


def test_another_model_answers_again(page: ChatPage, conversations: Conversations):
    page.change("number_input", "Max tokens", 5).ask("Hello")
    page.act(1, "again_with", "speaker")
    first, second = conversations.get(page.id).turns
    assert (first.parameters["model"], second.parameters["model"]) == ("embedded", "speaker")
    assert second.parent == first.parent and second.question == "Hello"
    assert page.value("selectbox", "Model") == "speaker" and page.value("number_input", "Max tokens") == 5


def test_examples_fit_the_model(page: ChatPage):
    assert page.has_button("What rhymes with cat?")
    page.change("selectbox", "Model", "speaker")
    assert not page.has_button("What rhymes with cat?")
    assert page.has_button("Write an e-mail that asks politely for a reply.")
