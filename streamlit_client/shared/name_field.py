"""A field for another name, which ends by Enter, Escape, a click elsewhere, or its button."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from streamlit_client.shared.browser import move_focus


def begin_name(key: str, name: str) -> None:
    """Let the next run show a name in a field, with the focus in it."""
    st.session_state[key] = name
    move_focus(".st-key-name-field input", always=True)


def show_name_field(
    label: str,
    key: str,
    rename: Callable[..., Any],
    leave: Callable[[], Any],
    args: list[Any],
    max_chars: int | None = None,
) -> None:
    """Show the field that `begin_name` has begun.

    Args:
        label: what a screen reader calls it.
        key: of the field, in the session.
        rename: called with `args` after a change.
        leave: called when the name is to stay. browser.js presses its button for a key or a click elsewhere.
        max_chars: of the name.
    """
    with st.container(horizontal=True, gap=None, wrap=False, vertical_alignment="center", key="name-field"):
        st.text_input(
            label, key=key, max_chars=max_chars, label_visibility="collapsed", on_change=rename, args=args
        )
        st.button(
            "Leave the name as it is",
            icon=":material/close:",
            type="tertiary",
            key="leave-name",
            on_click=leave,
        )
