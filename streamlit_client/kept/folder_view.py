"""Folders in the list of conversations: open and close, make, rename, delete."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from streamlit_client.kept.folders import MAX_NAME, delete_folder, make_folder, rename_folder
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.name_field import begin_name, show_name_field
from streamlit_client.shared.server import get_conversations, report_errors

RENAME, DELETE = "Rename the folder", "Delete the folder"
_ICONS = {RENAME: ":material/edit:", DELETE: ":material/folder_delete:"}
_RENAMING, _TITLE = "renaming_folder", "folder-title"  # in the session


def show_folder(name: str, number: int, is_open: bool, show_inside: Callable[[], Any]) -> None:
    """Show a folder, and while it is open what is in it. `is_open`: at first."""
    if st.session_state.get(_RENAMING) == name:
        show_name_field("New name", _TITLE, _rename, _leave_name, [name], MAX_NAME)
        return
    folder = st.expander(
        escape(name),
        is_open,
        key=f"folder-{name}",
        icon=":material/folder:",
        type="compact",
        on_change="rerun",
    )
    if not folder.open:
        return
    with folder:
        show_inside()
        key = f"folder-menu-{number}"
        st.menu_button(
            f"Menu of the folder {escape(name)}",
            [RENAME, DELETE],
            icon=":material/more_horiz:",
            type="tertiary",
            key=key,
            format_func=lambda option: f"{_ICONS[option]} {option}",
            on_click=_act,
            args=[name, key],
        )


def show_new_folder() -> None:
    """Show the button that makes a folder."""
    st.button(
        "New folder",
        icon=":material/create_new_folder:",
        type="tertiary",
        key="new-folder",
        on_click=_make,
    )


def begin_renaming(name: str) -> None:
    """Let the next run show the name of a folder in a field."""
    st.session_state[_RENAMING] = name
    begin_name(_TITLE, name)


def _make() -> None:
    report_errors(lambda: begin_renaming(make_folder(get_conversations())))


def _rename(name: str) -> None:
    new = " ".join(st.session_state[_TITLE].split())
    st.session_state.pop(_RENAMING, None)
    if new:
        report_errors(lambda: rename_folder(get_conversations(), name, new))


def _leave_name() -> None:
    st.session_state.pop(_RENAMING, None)


def _act(name: str, key: str) -> None:
    if st.session_state[key] == RENAME:
        begin_renaming(name)
    else:
        report_errors(lambda: delete_folder(get_conversations(), name))
