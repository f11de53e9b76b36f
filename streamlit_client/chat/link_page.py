"""The page to which a read-only link leads: a copy of a conversation, in which nothing can be done."""

from datetime import datetime

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.keeping import restore
from streamlit_client.kept.links import read_link
from streamlit_client.messages.list_data import Surroundings, describe_turn
from streamlit_client.messages.list_view import show_list
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import find_zone
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
    title = conversation.title or "Untitled"
    st.set_page_config(page_title=f"{title} · tritonchat")
    st.subheader(escape(title), anchor=False)
    made = datetime.fromtimestamp(conversation.updated, find_zone())
    st.caption(f"Read-only. It is as it was when its link was made, on {made:%d %B %Y, %H:%M}.")
    around = Surroundings(names_model=True)
    turns = [describe_turn(restore(turn), around) for turn in conversation.turns]
    show_list(f"link-{token}", [{**turn, "actions": []} for turn in turns])


main()
