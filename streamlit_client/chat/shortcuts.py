"""The list of keys that do something on the chat page."""

import streamlit as st

KEYS = {
    "Enter": "send; during an answer, the message waits for its end",
    "Shift+Enter": "begin a new line",
    "Esc": "stop the answer, or the tool that runs",
    "Alt+Up": "edit the last question",
    "Ctrl+Shift+O": "new chat",
    "Ctrl+K": "search in all conversations",
    "?": "this list",
}


@st.dialog("Keyboard shortcuts")
def show_shortcuts() -> None:
    """Show the keys."""
    st.table({"Key": [f"`{key}`" for key in KEYS], "What it does": list(KEYS.values())}, hide_index=True)
