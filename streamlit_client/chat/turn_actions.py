"""What a person does with a turn in the list of messages, and what then happens to the conversation."""

from contextlib import suppress

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.state import Chat
from streamlit_client.messages.list_actions import Action, read_action
from streamlit_client.shared.browser import move_focus
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.settings import choose_model
from triton_server.client.conversations import Conversations

_RATINGS = {"up": 1, "down": -1}


def act_on_list(chat: Chat, conversations: Conversations) -> None:
    """Do what a person has chosen in the list. Streamlit calls this before the script."""
    action = read_action(st.session_state)
    if action is not None and action.chat == chat.key:  # or the list was that of another conversation
        act(chat, conversations, action)


def act(chat: Chat, conversations: Conversations, action: Action) -> None:
    """Do what a person has chosen for a turn. Nothing for one that is not shown any more."""
    turn = next((turn for turn in chat.turns if turn.id == action.turn), None)
    if turn is None:
        return
    text = action.value if isinstance(action.value, str) else ""
    match action.name:
        case "edit" if text.strip() or turn.attachments:
            chat.ask_instead(turn, text)
        case "again":
            chat.ask_instead(turn, turn.question)
        case "again_with":
            choose_model(text)
            chat.ask_instead(turn, turn.question)
        case "back":
            chat.go_back(turn)
        case "branch":
            _step(chat, conversations, turn, int(action.value or 0))
        case "thumb":
            _rate(chat, conversations, turn, _RATINGS.get(text, 0))
        case "tokens":
            chat.looks_at = turn.id
            move_focus(f".st-key-hide-tokens-{turn.id} button", always=True)  # below the list
        case "receipt":
            chat.shows_receipt = turn.id
            move_focus(f".st-key-hide-receipt-{turn.id} button", always=True)


def _step(chat: Chat, conversations: Conversations, turn: Turn, step: int) -> None:
    """Show the branch beside that of a turn, if there is one."""
    assert turn.id is not None
    siblings = chat.siblings(turn)
    place = siblings.index(turn.id) + step
    if not 0 <= place < len(siblings):
        return
    chat.show_branch(siblings[place])
    if chat.id is not None:
        with suppress(TritonchatError):  # only where the conversation opens next time
            conversations.change(chat.id, head=chat.head)


def _rate(chat: Chat, conversations: Conversations, turn: Turn, rating: int) -> None:
    assert chat.id is not None and turn.id is not None
    try:
        conversations.change_turn(chat.id, turn.id, rating=rating)
    except TritonchatError as error:
        st.toast(f"Your rating could not be kept. {describe_error(error)}", icon=":material/error:")
