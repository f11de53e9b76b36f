"""The list of a person's conversations: by day, with search, rename, pin, and delete with undo."""

from datetime import datetime, tzinfo
from functools import partial
from itertools import groupby, islice

import streamlit as st

from streamlit_client.chat.search_hits import MAX_HITS, fetch_hit
from streamlit_client.chat.state import Chat
from streamlit_client.chat.tool_calls import drop_choice, put_choice
from streamlit_client.chat.unsent import find_left, has_unsent, leave, restore_line
from streamlit_client.kept.folder_view import begin_renaming, show_folder, show_new_folder
from streamlit_client.kept.folders import (
    Folders,
    find_folder,
    list_folders,
    make_folder,
    place,
    walk,
)
from streamlit_client.kept.links import remove_link
from streamlit_client.shared.browser import WANTED, move_focus
from streamlit_client.shared.markdown import escape
from streamlit_client.shared.name_field import begin_name, show_name_field
from streamlit_client.shared.people import find_zone, owner
from streamlit_client.shared.server import get_client, get_conversations, report_errors
from triton_server.conversations.tree import Summary

ADDRESS = "chat"  # the parameter of the page's address with the id of the open conversation
PAGE_SIZE = 50  # conversations
_MAX_LABEL = 40  # characters of a title in the list
RENAME, PIN, UNPIN, DELETE = "Rename", "Pin", "Unpin", "Delete"
TO_NEW, TAKE_OUT = "Move to a new folder", "Take out of its folder"
MOVE_TO = "Move to "  # the name of a folder follows
_ICONS = {
    RENAME: ":material/edit:",
    PIN: ":material/keep:",
    UNPIN: ":material/keep_off:",
    TO_NEW: ":material/create_new_folder:",
    TAKE_OUT: ":material/folder_off:",
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
    conversations, folders = get_conversations(), list_folders(get_conversations())
    show_undo()
    if not search:
        for number, (name, ids) in enumerate(folders.items()):
            show_folder(name, number, chat.id in ids, partial(_show_inside, chat, folders, name, number))
    limit = st.session_state.get("list_limit", PAGE_SIZE)
    # A search finds conversations wherever they are.
    in_folders = set() if search else {each for ids in folders.values() for each in ids}
    free = (each for each in walk(conversations, search) if each.id not in in_folders)
    summaries = list(islice(free, limit + 1))
    if not summaries and not in_folders:
        st.caption("No conversation has these words." if search else "Your conversations will stand here.")
    zone = find_zone()
    with st.container(key="conversations"):
        for heading, group in groupby(summaries[:limit], key=lambda summary: describe_day(summary, zone)):
            st.caption(heading)
            for summary in group:
                show_entry(summary, folders, is_open=summary.id == chat.id)
                if search and summary in summaries[:MAX_HITS]:
                    hit = fetch_hit(conversations, owner(), summary, search)
                    if hit:
                        st.caption(hit)
    with st.container(horizontal=True):
        if len(summaries) > limit:
            st.button("Show more", icon=":material/expand_more:", type="tertiary", on_click=_show_more)
        if summaries or folders:
            show_new_folder()


def _show_inside(chat: Chat, folders: Folders, name: str, number: int) -> None:
    """Show the conversations of a folder."""
    ids = set(folders[name])
    inside = list(islice((each for each in walk(get_conversations()) if each.id in ids), len(ids)))
    with st.container(key=f"conversations-of-{number}"):
        for summary in inside:
            show_entry(summary, folders, is_open=summary.id == chat.id)
    if not inside:
        st.caption("It is empty. The menu of a chat moves it here.")


def show_entry(summary: Summary, folders: Folders, is_open: bool) -> None:
    """Show a conversation: a button that opens it, and its menu; or a field while it is renamed."""
    title = summary.title or "Untitled"
    if st.session_state.get("renaming") == summary.id:
        key = f"title-{summary.id}"
        show_name_field("New title", key, _rename, _leave_title, [summary.id, key])
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
            [RENAME, UNPIN if summary.pinned else PIN, *list_moves(summary, folders), DELETE],
            icon=":material/more_vert:",
            type="tertiary",
            key=key,
            format_func=_show_option,
            on_click=_act,
            args=[summary, key],
        )


def list_moves(summary: Summary, folders: Folders) -> list[str]:
    """Where a conversation can be moved to."""
    folder = find_folder(folders, summary.id)
    others = [f"{MOVE_TO}{name}" for name in folders if name != folder]
    return [*others, TO_NEW, *([] if folder is None else [TAKE_OUT])]


def _show_option(option: str) -> str:
    """An option as Markdown. Only the name of a folder may have signs of it."""
    icon = _ICONS.get(option, ":material/drive_file_move:")
    return f"{icon} {option if option in _ICONS else escape(option)}"


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
    st.session_state[WANTED] = conversation
    move_focus()


# A new conversation is used again for the next one. So its message line stays, and what is written at once is
# not sent from the line of another one.


def open_new() -> None:
    """Let the next run show a new conversation. A running answer goes on."""
    chat: Chat = st.session_state.chat
    if chat.is_temporary and chat.is_new and chat.pending is None:
        chat.is_temporary = False
    else:
        leave(chat)
        # One whose first question could not be sent is shown again, but not instead of a new one beside it.
        is_unsent = chat.id is None and has_unsent(chat)
        st.session_state.chat = restore_line((None if is_unsent else find_left(None)) or Chat())
    _show_new()


def open_temporary() -> None:
    """Let the next run show a temporary conversation. A question that was not sent yet comes with it."""
    chat: Chat = st.session_state.chat
    if chat.is_new:
        chat.is_temporary = True
    else:
        leave(chat)
        st.session_state.chat = restore_line(Chat(is_temporary=True))
    _show_new()


def _show_new() -> None:
    st.session_state.pop(WANTED, None)
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


def _delete(summary: Summary) -> None:
    """Delete a conversation, with what caches have of the person's, which cannot tell conversations apart."""
    conversations = get_conversations()
    conversations.delete(summary.id)
    st.session_state.deleted, st.session_state.deleted_beside = summary, (None, None)
    if conversations.owner:
        get_client().forget(conversations.owner)
    remove_link(get_client(), conversations, summary.id)
    folder = place(conversations, summary.id, None)
    st.session_state.deleted_beside = folder, drop_choice(conversations, summary.id)


def _act(summary: Summary, key: str) -> None:
    option = st.session_state[key]
    if option == RENAME:
        st.session_state.renaming = summary.id
        begin_name(f"title-{summary.id}", summary.title or "Untitled")
    elif option == DELETE:
        if report_errors(lambda: _delete(summary)) and st.session_state.chat.id == summary.id:
            open_new()
    elif option == TO_NEW:
        report_errors(lambda: begin_renaming(_move(summary, make_folder(get_conversations()))))
    elif option == TAKE_OUT:
        report_errors(lambda: place(get_conversations(), summary.id, None))
    elif option.startswith(MOVE_TO):
        report_errors(lambda: _move(summary, option.removeprefix(MOVE_TO)))
    else:
        report_errors(lambda: get_conversations().change(summary.id, pinned=option == PIN))


def _move(summary: Summary, folder: str) -> str:
    place(get_conversations(), summary.id, folder)
    return folder


def _rename(conversation: str, key: str) -> None:
    title = " ".join(st.session_state[key].split())
    st.session_state.pop("renaming", None)
    if title:
        report_errors(lambda: get_conversations().change(conversation, title=title))


def _leave_title() -> None:
    st.session_state.pop("renaming", None)


def _undo(deleted: Summary) -> None:
    if report_errors(lambda: _restore(deleted)):
        st.session_state.pop("deleted", None)
        open_conversation(deleted.id)


def _restore(deleted: Summary) -> None:
    conversations = get_conversations()
    conversations.restore(deleted.id)
    folder, choice = st.session_state.pop("deleted_beside")
    if folder is not None:
        place(conversations, deleted.id, folder)
    if choice is not None:
        put_choice(conversations, deleted.id, choice)


def _show_more() -> None:
    st.session_state.list_limit = st.session_state.get("list_limit", PAGE_SIZE) + PAGE_SIZE
