"""Thumbs up or down for single answers, which are kept with them."""

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.state import Chat
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.server import get_conversations

_THUMBS = {1: 1, -1: 0}  # of ratings, as st.feedback counts them


def show_thumbs(chat: Chat, turn: Turn) -> None:
    """Show the thumbs of an answer that the store has."""
    if chat.stored is not None and turn.id is not None and turn.has_answer:
        key, rating = f"thumbs-{chat.id}-{turn.id}", chat.stored.turn(turn.id).rating
        st.session_state.setdefault(key, _THUMBS.get(rating))
        st.feedback("thumbs", key=key, on_change=_rate, args=[chat, turn, key])


def _rate(chat: Chat, turn: Turn, key: str) -> None:
    thumb = st.session_state[key]
    rating = next((rating for rating, shown in _THUMBS.items() if shown == thumb), 0)
    assert chat.id is not None and turn.id is not None
    try:
        get_conversations().change_turn(chat.id, turn.id, rating=rating)
    except TritonchatError as error:
        st.toast(f"Your rating could not be kept. {describe_error(error)}", icon=":material/error:")
