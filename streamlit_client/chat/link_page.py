"""The page to which a read-only link leads: a copy of a conversation, in which nothing can be done."""

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.keeping import restore
from streamlit_client.kept.links import read_link
from streamlit_client.messages.list_data import Surroundings, describe_turn
from streamlit_client.messages.list_view import show_list
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_client

TOKEN = "id"  # the parameter of the page's address


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="tritonchat", page_icon="💬", layout="centered")
    token = st.query_params.get(TOKEN, "")
    try:
        conversation = read_link(get_client(), token)
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/error:")
        return
    st.subheader(escape(conversation.title or "Untitled"), anchor=False)
    st.caption("Read-only. It is as it was when its link was made.")
    turns = [describe_turn(restore(turn), Surroundings()) for turn in conversation.turns]
    show_list(f"link-{token}", [{**turn, "actions": []} for turn in turns])


main()
