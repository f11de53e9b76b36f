"""The tokens of an answer in a conversation, with the prompt that it was given to."""

from functools import partial
from typing import Any

import streamlit as st

from streamlit_client.chat.state import Chat
from streamlit_client.chat.token_view import show_tokens
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.prompts import build_prompt_of_text
from streamlit_client.shared.server import get_client
from triton_server.contract.tensors import Prompt


def show_answer_tokens(chat: Chat, turn: Turn) -> None:
    """Show the tokens of a turn's answer, until the person hides them.

    An alternative to one of them becomes another answer, which begins as this one and goes on from there.
    """
    prompt, fields = make_prompt(chat, turn)
    with st.container(border=True):
        show_tokens(
            get_client(),
            prompt,
            turn.text,
            f"turn-{turn.id}",
            partial(chat.ask_from, turn),
            turn.arrivals or chat.arrivals.get(turn.id or 0, []),
            **fields,
        )
        st.button("Hide the tokens", key=f"hide-tokens-{turn.id}", on_click=_hide, args=[chat])


def _hide(chat: Chat) -> None:
    chat.looks_at = None


def make_prompt(chat: Chat, turn: Turn) -> tuple[Prompt, dict[str, Any]]:
    """The prompt that the text of an answer follows, with its reasoning; and the fields of the request."""
    system = "" if chat.stored is None else chat.stored.system or ""
    return build_prompt_of_text(chat.path(turn.parent), turn, system)
