"""What a person does in the list of messages: what counts as an action, and what each one does."""

from typing import Any

import pytest

from model_core.errors import TritonchatError
from streamlit_client.chat import turn_actions
from streamlit_client.chat.state import Chat
from streamlit_client.messages.list_actions import LIST, Action, read_action
from streamlit_client.shared.conversation import Turn
from triton_server.conversations import tree


def sent(**fields: Any) -> dict[str, Any]:
    """The session after the browser has sent something."""
    action = {"chat": "0", "key": "2", "name": "again", "value": None, **fields}
    return {"other": 1, LIST: {"action": action}}


def make_chat() -> Chat:
    """A chat of two turns, the second of which has another one beside it."""
    turns = [
        tree.Turn(1, None, "one", answer="1", finish_reason="stop"),
        tree.Turn(2, 1, "two", answer="2", finish_reason="stop"),
        tree.Turn(3, 1, "three", answer="3", finish_reason="stop"),
    ]
    return Chat("c", 2, tree.Conversation("c", "t", None, {}, 2, 1, turns))


class Store:
    """Takes the place of the store, and notes what it is told."""

    def __init__(self, error: TritonchatError | None = None) -> None:
        self.told: list[Any] = []
        self.error = error

    def change(self, *told: Any, **fields: Any) -> None:
        self.told.append((*told, fields))
        if self.error is not None:
            raise self.error

    change_turn = change


def act(chat: Chat, name: str, value: str | int | None = None, turn: int = 2) -> list[Any]:
    """Do something; what the store was told."""
    store: Any = Store()
    turn_actions.act(chat, store, Action("0", turn, name, value))
    return store.told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("edit", "new"),
        ("again", None),
        ("again_with", "other"),
        ("back", None),
        ("branch", -1),
        ("branch", 1),
        ("thumb", "up"),
        ("thumb", ""),
        ("tokens", None),
        ("receipt", None),
    ],
)
def test_what_the_list_sends_is_read(name: str, value: str | int | None):
    assert read_action(sent(name=name, value=value)) == Action("0", 2, name, value)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "delete"},
        {"name": ["edit"]},
        {"name": "edit"},
        {"name": "edit", "value": 5},
        {"name": "again", "value": "x"},
        {"name": "branch", "value": 2},
        {"name": "branch", "value": True},
        {"name": "thumb", "value": "sideways"},
        {"name": "thumb", "value": []},
        {"key": "pending"},
        {"key": "-1"},
        {"key": "²"},
        {"key": 2},
        {"chat": None},
    ],
)
def test_anything_else_is_nothing(fields: dict[str, Any]):
    assert read_action(sent(**fields)) is None


@pytest.mark.parametrize("session", [{}, {LIST: None}, {LIST: {}}, {LIST: {"action": None}}, {LIST: []}])
def test_run_without_an_action(session: dict[str, Any]):
    assert read_action(session) is None


def test_edited_question_is_asked_instead():
    chat = make_chat()
    act(chat, "edit", "two again")
    assert chat.pending is not None and (chat.pending.question, chat.pending.parent) == ("two again", 1)
    empty = make_chat()
    act(empty, "edit", "  ")
    assert empty.pending is None


def test_another_answer_perhaps_of_another_model(monkeypatch: pytest.MonkeyPatch):
    chosen: list[str] = []
    monkeypatch.setattr(turn_actions, "choose_model", chosen.append)
    chat = make_chat()
    act(chat, "again")
    assert chat.pending is not None and chat.pending.question == "two" and not chosen
    act(chat, "again_with", "other", 1)
    assert chosen == ["other"] and chat.pending.question == "one"


def test_back_and_to_the_other_branch():
    chat = make_chat()
    assert act(chat, "branch", -1) == [] and chat.head == 2
    assert act(chat, "branch", 1) == [("c", {"head": 3})] and chat.head == 3
    assert act(chat, "branch", -1) == [] and chat.head == 3  # the turn is not shown any more
    act(chat, "back", turn=3)
    assert chat.head == 1


def test_thumbs():
    for value, rating in (("up", 1), ("down", -1), ("", 0)):
        assert act(make_chat(), "thumb", value) == [("c", 2, {"rating": rating})]


def test_tokens_and_receipt():
    chat = make_chat()
    act(chat, "tokens")
    act(chat, "receipt", turn=1)
    assert (chat.looks_at, chat.shows_receipt) == (2, 1)
    act(chat, "tokens", turn=7)
    assert chat.looks_at == 2


def test_wish_to_edit_is_a_new_one_each_time():
    chat = make_chat()
    chat.begin_edit(Turn("two", id=2))
    chat.begin_edit(Turn("two", id=2))
    assert chat.edit == (2, 2)
    chat.begin_edit(Turn("waits"))
    assert chat.edit == (2, 2)


def test_action_in_the_list_of_another_conversation_is_none(monkeypatch: pytest.MonkeyPatch):
    chat: Any = make_chat()
    chat.key = "1"
    monkeypatch.setattr(turn_actions.st, "session_state", sent(name="back"))
    turn_actions.act_on_list(chat, Store())
    assert chat.head == 2
