"""Long texts that a person pastes into the message line: they become files, which take one line of the page.

`pastes.js` is a component without a size, beside the one message line of a page.
"""

from pathlib import Path

import streamlit as st

MAX_PASTE = 4000  # characters that stay a text in the line

_PART = st.components.v2.component(
    "tritonchat_pastes", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def show_pastes(become_files: bool) -> None:
    """Let long pastes become files of the message; or not, for a model that continues what is written."""
    with st.container(key="pastes-part"):
        _PART(key="pastes", data={"limit": MAX_PASTE if become_files else None})
