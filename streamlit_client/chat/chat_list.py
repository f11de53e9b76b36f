"""The list of a person's conversations: by day, with search, rename, pin, and delete with undo."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.search_hits import MAX_HITS, fetch_hit
from streamlit_client.chat.state import Chat
from streamlit_client.chat.unsent import find_left, leave, restore_line
from streamlit_client.shared.browser import move_focus
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.people import owner
from streamlit_client.shared.server import get_client, get_conversations
from triton_server.conversations.tree import Summary

ADDRESS = "chat"  # the parameter of the page's address with the id of the open conversation
PAGE_SIZE = 50  # conversations
_MAX_LABEL = 40  # characters of a title in the list
RENAME, PIN, UNPIN, DELETE = "Rename", "Pin", "Unpin", "Delete"
_ICONS = {
    RENAME: ":material/edit:",
    PIN: ":material/keep:",
    UNPIN: ":material/keep_off:",
    DELETE: ":material/delete:",
}


def show_list(chat: Chat) -> None:
    """Show the list. Raises TritonchatError if the store cannot be asked."""
    search = st.text_input(
        "Search",
        key="search",
        type="search",
        live="300ms",
        placeholder="Search in all conversations",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    limit = st.session_state.get("list_limit", PAGE_SIZE)
    summaries = get_conversations().list(search=search, limit=limit + 1)
    show_undo()
    if not summaries:
        st.caption("No conversation has these words." if search else "Your conversations will stand here.")
    zone = find_zone()
    with st.container(key="conversations"):
        for heading, group in groupby(summaries[:limit], key=lambda summary: describe_day(summary, zone)):
            st.caption(heading)
            for summary in group:
                show_entry(summary, is_open=summary.id == chat.id)
                if search and summary in summaries[:MAX_HITS]:
                    hit = fetch_hit(get_conversations(), owner(), summary, search)
                    if hit:
                        st.caption(hit)
    if len(summaries) > limit:
        st.button("Show more", icon=":material/expand_more:", type="tertiary", on_click=_show_more)


def show_entry(summary: Summary, is_open: bool) -> None:
    """Show a conversation: a button that opens it, and its menu; or a field while it is renamed."""
    title = summary.title or "Untitled"
    if st.session_state.get("renaming") == summary.id:
        key = f"title-{summary.id}"
        st.text_input(
            "New title",
            title,
            key=key,
            label_visibility="collapsed",
            on_change=_rename,
            args=[summary.id, key],
        )
        return
    key = f"entry-menu-{summary.id}"
    label = title if len(title) <= _MAX_LABEL else f"{title[: _MAX_LABEL - 1]}…"
    with st.container(horizontal=True, gap=None, wrap=False, vertical_alignment="center"):
        st.button(
            escape(label),
            key=f"open-{summary.id}",
            type="secondary" if is_open else "tertiary",
            width="stretch",
            on_click=open_conversation,
            args=[summary.id],
        )
        st.menu_button(
            f"Menu of {escape(label)}",
            [RENAME, UNPIN if summary.pinned else PIN, DELETE],
            icon=":material/more_vert:",
            type="tertiary",
            key=key,
            format_func=lambda option: f"{_ICONS[option]} {option}",
            on_click=_act,
            args=[summary, key],
        )


def show_undo() -> None:
    """Offer to restore the conversation that was deleted last."""
    deleted: Summary | None = st.session_state.get("deleted")
    if deleted is not None:
        with st.container(horizontal=True, border=True, vertical_alignment="center"):
            st.caption(f"Deleted: {escape((deleted.title or 'Untitled')[:_MAX_LABEL])}")
            st.button("Undo", icon=":material/undo:", on_click=_undo, args=[deleted])


def open_conversation(conversation: str) -> None:
    """Let the next run show a conversation."""
    st.session_state.pop("renaming", None)
    st.session_state.pop("editing", None)
    st.query_params[ADDRESS] = conversation
    move_focus()


def open_new(is_temporary: bool = False) -> None:
    """Let the next run show a new conversation. A running answer goes on."""
    leave(st.session_state.chat)
    chat = Chat(is_temporary=True) if is_temporary else find_left(None) or Chat()
    st.session_state.chat = restore_line(chat)
    st.session_state.pop("editing", None)
    st.query_params.pop(ADDRESS, None)
    move_focus()


def describe_day(summary: Summary, zone: tzinfo | None) -> str:
    """The heading of a conversation in the list: "Pinned", or when it was changed."""
    if summary.pinned:
        return "Pinned"
    day = datetime.fromtimestamp(summary.updated, zone).date()
    age = (datetime.now(zone).date() - day).days
    if age <= 1:
        return "Today" if age <= 0 else "Yesterday"
    return f"{day:%A}" if age < 7 else f"{day:%d %B %Y}"


def find_zone() -> tzinfo | None:
    """The visitor's time zone; None: that of this machine."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def report_errors(act: Callable[[], Any]) -> bool:
    """Do something, and show its error for a moment if it fails. Whether it has succeeded."""
    try:
        act()
    except TritonchatError as error:
        st.toast(escape(str(error)), icon=":material/error:")
        return False
    return True


def _delete(summary: Summary) -> None:
    """Delete a conversation, with what caches have of the person's, which cannot tell conversations apart."""
    conversations = get_conversations()
    conversations.delete(summary.id)
    if conversations.owner:
        get_client().forget(conversations.owner)


def _act(summary: Summary, key: str) -> None:
    option = st.session_state[key]
    if option == RENAME:
        st.session_state.renaming = summary.id
        move_focus(f".st-key-title-{summary.id} input", always=True)
    elif option == DELETE:
        if report_errors(lambda: _delete(summary)):
            st.session_state.deleted = summary
            if st.session_state.chat.id == summary.id:
                open_new()
    else:
        report_errors(lambda: get_conversations().change(summary.id, pinned=option == PIN))


def _rename(conversation: str, key: str) -> None:
    title = " ".join(st.session_state[key].split())
    st.session_state.pop("renaming", None)
    if title:
        report_errors(lambda: get_conversations().change(conversation, title=title))


def _undo(deleted: Summary) -> None:
    if report_errors(lambda: get_conversations().restore(deleted.id)):
        st.session_state.pop("deleted", None)
        open_conversation(deleted.id)


def _show_more() -> None:
    st.session_state.list_limit = st.session_state.get("list_limit", PAGE_SIZE) + PAGE_SIZE
