"""Questions that wait for an answer's end or for the server: none is lost, and none is sent twice."""

import types

import pytest
from chat_page import ChatPage
from conftest import Server
from support import free_port

from model_core.errors import InvalidRequest
from streamlit_client.chat import unsent
from streamlit_client.chat.state import Chat
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.markdown import escape
from triton_server.client.conversations import Conversations
from triton_server.contract.wire import ServerUnavailable


def test_question_waits_for_the_end_of_an_answer():
    chat, turn = Chat(), Turn("one", is_started=True)
    chat.pending = turn
    chat.ask_later("two")
    chat.ask_later("three")
    unsent.send_what_waits(chat)
    assert chat.pending is turn and [waiting.question for waiting in chat.waiting] == ["two", "three"]
    turn.finished.set()
    chat.pending = None  # as when the store has it
    unsent.send_what_waits(chat)
    assert chat.pending.question == "two" and [waiting.question for waiting in chat.waiting] == ["three"]


def test_question_that_comes_before_one_has_started_waits_for_it():
    chat = Chat()
    line = types.SimpleNamespace(text="one", files=[])
    unsent.send(chat, line)
    line.text = "two"
    unsent.send(chat, line)
    assert chat.pending is not None and chat.pending.question == "one"
    assert [waiting.question for waiting in chat.waiting] == ["two"]


@pytest.mark.parametrize("error", [InvalidRequest("the file is none.", "files"), ValueError("odd")])
def test_what_failed_by_itself_is_not_sent_again(error: Exception):
    chat = Chat()
    chat.ask("one").fail(error)
    chat.ask_later("two")
    unsent.send_what_waits(chat)
    assert chat.pending.question == "one" and chat.pending.error is error and len(chat.waiting) == 1


def test_what_the_server_has_lost_is_sent_again_a_few_times(monkeypatch: pytest.MonkeyPatch):
    """At once, and then in pauses: a server that starts would refuse all of them within a second."""
    now = 1000.0
    monkeypatch.setattr(unsent, "time", types.SimpleNamespace(monotonic=lambda: now))
    chat = Chat()
    turn = chat.ask("one")
    for pause in (2, 4, 8, 16, 32):
        turn.fail(ServerUnavailable("it is away."))
        assert unsent.waits_for_server(chat)
        unsent.send_what_waits(chat)
        assert not turn.is_started and turn.error is None
        turn.fail(ServerUnavailable("it is starting."))
        if pause < 32:
            now += pause - 0.1
            unsent.send_what_waits(chat)
            assert turn.error is not None and unsent.waits_for_server(chat)
            now += 0.1
    now += 1000
    unsent.send_what_waits(chat)
    assert turn.error is not None and not unsent.waits_for_server(chat)
    chat.pending = None  # it was answered
    unsent.send_what_waits(chat)
    chat.ask("two").fail(ServerUnavailable("it is away."))
    unsent.send_what_waits(chat)
    assert chat.pending is not None and chat.pending.error is None


def test_question_outlives_the_server_and_a_reload(
    server: Server, conversations: Conversations, monkeypatch: pytest.MonkeyPatch
):
    """It is sent by itself, once, when the server is there; then nothing of it is kept in this process."""
    monkeypatch.setenv("TRITONCHAT_SERVER", f"127.0.0.1:{free_port()}")
    page = ChatPage().ask("Hello").ask("And who am I?")
    assert page.questions == ["Hello"] and page.has_button("Try again")
    (name,) = [page.app.query_params["unsent"]]
    name = name if isinstance(name, str) else name[0]
    again = ChatPage(unsent=name)
    assert again.questions == ["Hello"]
    assert [button.label for button in again.app.button if "Waits" in button.label] == [
        rf":material/schedule: Waits: {escape('And who am I?')}"
    ]
    assert ChatPage(unsent="of nobody").questions == []
    monkeypatch.setenv("TRITONCHAT_SERVER", server.grpc_url)
    again.run().run()
    assert again.questions == ["Hello", "And who am I?"]
    assert "unsent" not in again.app.query_params
    (kept,) = conversations.list()
    assert [turn.question for turn in conversations.get(kept.id).turns] == again.questions
    assert ChatPage(unsent=name).questions == []


def test_left_conversation_keeps_its_questions(conversations: Conversations):
    page = ChatPage().change("number_input", "Max tokens", 5).ask("one")
    first = page.id
    page.app.session_state["chat"].ask_later("two")
    page.app.session_state["chat"].running[1] = Turn("one", id=1, is_started=True)
    page.click("New chat")
    assert page.questions == []
    (name,) = [page.app.query_params["unsent"]]  # a reload finds what waits in the other conversation
    _, _, left = unsent._KEPT[name if isinstance(name, str) else name[0]]
    assert [(chat.id, [turn.question for turn in chat.waiting]) for chat in left] == [(first, ["two"])]
    page.app.button(key=f"open-{first}").click()
    page.run().run()
    assert page.questions == ["one", "two"]


def test_new_chat_after_a_first_question_that_failed_is_new(conversations: Conversations):
    page = ChatPage()
    chat = page.app.session_state["chat"]
    chat.ask("one").fail(InvalidRequest("the file is none.", "files"))
    page.run()
    assert page.questions == ["one"]
    page.click("New chat")
    new = page.app.session_state["chat"]
    assert page.questions == [] and new.key != chat.key  # another message line, with a draft of its own
    page.click("New chat")  # from an empty one, it shows what could not be sent
    assert page.questions == ["one"]
    page.click("Discard").click("New chat")
    assert page.questions == [] and not page.has_button("Discard")


def test_question_that_could_not_be_sent_waits_while_another_turn_is_chosen():
    chat = Chat()
    chat.ask("one").fail(ServerUnavailable("it is away."))
    chat.ask_instead(Turn("zero", id=1), "zero again")
    assert chat.pending.question == "zero again" and [turn.question for turn in chat.waiting] == ["one"]
    chat.ask_instead(chat.pending, "zero once more")
    assert [turn.question for turn in chat.waiting] == ["one"]
    chat.go_back(Turn("zero", id=1))
    assert chat.pending is None
    assert [turn.question for turn in chat.waiting] == ["zero once more", "one"]
