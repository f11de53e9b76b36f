"""The page of what a person keeps for questions."""

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.library.collection_list import show_collections
from streamlit_client.library.prompts import show_prompts
from streamlit_client.shared.completion import follow_message
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.people import owner


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="tritonchat: library", page_icon="💬", layout="centered")
    owner()  # shows a stranger the login, and nothing else
    follow_message()
    st.subheader("Library", anchor=False)
    try:
        collections, prompts = st.tabs(["Collections", "Prompts"])
        with prompts:  # first, because a new collection ends the run
            show_prompts()
        with collections:
            show_collections()
    except TritonchatError as error:
        st.error(describe_error(error), icon=":material/cloud_off:")
        st.button("Retry", icon=":material/refresh:")


main()
