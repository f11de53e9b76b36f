"""Presets: a system prompt and settings under a name, kept in the store with the person's conversations."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.server import get_conversations, report_errors

KIND = "preset"  # of the documents in the store
_MAX_NAME = 60  # characters


def show_presets(chosen: dict[str, Any], choose: Callable[[dict[str, Any]], None]) -> None:
    """Show the kept presets, and a way to keep the settings that are `chosen` now.

    `choose` replaces the chosen settings. The store is only asked while the popover is open.
    """
    popover = st.popover(
        "Presets", icon=":material/bookmarks:", width="stretch", key="presets", on_change="rerun"
    )
    if not popover.open:
        return
    with popover:
        try:
            kept = get_conversations().list_documents(KIND)
        except TritonchatError as error:
            st.error(escape(str(error)))
            return
        if not kept:
            st.caption("Nothing is kept yet. A preset is the system prompt with all changed settings.")
        for name, values in kept.items():
            with st.container(horizontal=True):
                st.button(escape(name), on_click=choose, args=[values], width="stretch", key=f"apply-{name}")
                st.button(
                    f"Delete {escape(name)}",
                    icon=":material/delete:",
                    help="Delete",
                    on_click=_delete,
                    args=[name],
                    key=f"delete-{name}",
                )
        st.text_input("Name of a new preset", key="preset_name", max_chars=_MAX_NAME)
        model = st.session_state.get("model_name")
        values = {**chosen, **({} if model is None else {"model": model})}
        st.button("Keep the present settings", icon=":material/bookmark_add:", on_click=_keep, args=[values])


def _keep(values: dict[str, Any]) -> None:
    name = " ".join(st.session_state.preset_name.split())
    if not name:
        st.toast("A preset needs a name.", icon=":material/error:")
        return
    report_errors(lambda: get_conversations().put_document(KIND, name, values))
    st.session_state.preset_name = ""


def _delete(name: str) -> None:
    report_errors(lambda: get_conversations().delete_document(KIND, name))
